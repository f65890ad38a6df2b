// Whole files in and out. Writing goes aside first and is renamed into place, so that a reader
// never sees half a file and a failed write leaves the old one alone.
#pragma once

#include <string>

namespace armature {

std::string read_file(const std::string& path);
/// Throws Error if write_file would fail now: to be asked before long work, not after it.
void require_writable(const std::string& path);
/// With all that lead to it; fine if it is there.
void make_directory(const std::string& path);
void write_file(const std::string& path, const std::string& content);

/// A long file, piece by piece: nothing stands at the path until it is committed.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const std::string& piece);
  void commit();

 private:
  void flush();

  std::string path_;
  std::string aside_;  // empty: written in place, or committed
  int descriptor_;
  std::string pending_;
};

}  // namespace armature
