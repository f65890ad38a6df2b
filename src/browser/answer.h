// The engine behind a page: a request in, the answer that the command would print. No threads, no
// disk and no terminal; compiled to WebAssembly (cmake/wasm.cmake), and natively for its tests.
//
// A request is a JSON object: `command`, and the command's long options by their names without
// dashes, with the texts that a person would type: {"command": "simulate", "instance":
// "hidden-arm:actions=20", "policy": ["ucb", "c-ucb"], "horizon": "1e5"}. An option that may be
// repeated takes a list, a flag true or false. docs/playground.md lists what else there is.
#pragma once

#include <functional>
#include <string>

namespace armature::browser {

/// Told of answers that are not complete yet, where there are any.
using Progress = std::function<void(const std::string& answer)>;

/// The bytes that the command prints with `--format json`; or {"error": …} with what it complains
/// of. Never throws but for a lack of memory so bad that not even that can be said.
std::string answer(const std::string& request, const Progress& progress);

}  // namespace armature::browser
