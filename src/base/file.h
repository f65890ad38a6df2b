// Whole files in and out. Writing goes aside first and is renamed into place, so that a reader
// never sees half a file and a failed write leaves the old one alone.
#pragma once

#include <string>

namespace armature {

std::string read_file(const std::string& path);
/// Throws Error if write_file would fail now: to be asked before long work, not after it.
void require_writable(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace armature
