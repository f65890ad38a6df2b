// What theory, graphs and logs share: worlds and problems as Python names them, and work that a
// Ctrl-C ends.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "armature/advice.h"
#include "bindings.h"

namespace armature::python {

/// Of functions that Python calls: a check that fails must not end the interpreter.
using CheckedCall = py::call_guard<ThrowingChecks>;

/// An Instance, or what leads to one: its JSON, a dictionary like it, a text form or a file.
struct World {
  std::shared_ptr<const Instance> instance;
  std::string text;    // its canonical text form, or its name
  std::string asked;   // as it was written
  bool named = false;  // by text
  bool fresh = false;  // random: another one in each replication
};
bool is_world(py::handle value);
World world_of(py::handle value, std::optional<Round> horizon, std::uint64_t seed);

/// A Problem, its JSON, a dictionary like it, or its file.
Problem problem_of(const char* field, py::handle value);
/// Simulates without the GIL; KeyboardInterrupt ends it.
AdviceAnswer advise_interruptibly(const AdviceQuestion& question, std::uint64_t threads);

}  // namespace armature::python
