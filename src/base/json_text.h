// What JSON libraries let pass: nesting that is the stack's undoing, and keys that stand twice.
#pragma once

#include <exception>
#include <string>

namespace armature {

/// Throws Error naming `source` and the line where lists and objects nest deeper than any format of
/// ours. To be asked before a library parses the text.
void refuse_deep_nesting(const std::string& text, const std::string& source);
/// Of text that is JSON: throws Error naming key and line where an object has a key twice. A
/// library takes one of the two, and nobody is told which.
void refuse_repeated_keys(const std::string& text, const std::string& source);
/// What the JSON library says, without the number it gives its complaints.
std::string json_complaint(const std::exception& error);

}  // namespace armature
