// Whole files in and out. Writing goes aside first and is renamed into place, so that a reader
// never sees half a file and a failed write leaves the old one alone.
#pragma once

#include <string>

namespace armature {

/// The most that read_file takes in, in bytes: far above any instance or study that could be
/// played, and below what would leave a machine without memory. Of a device or a pipe less, as it
/// does not say beforehand how much there is (/dev/zero has no end).
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMostStreamBytes = std::size_t{64} << 20;

/// Throws Error beyond these limits, on a directory, and on a named pipe, which might wait for a
/// writer forever. What a shell hands over by < or <(…) is read.
std::string read_file(const std::string& path);
/// The same for text: also throws Error on what is not UTF-8 by its first look (UTF-16, NUL bytes).
std::string read_text_file(const std::string& path);
/// Throws Error if write_file would fail now: to be asked before long work, not after it.
void require_writable(const std::string& path);
/// With all that lead to it; fine if it is there. What is new survives a power cut.
void make_directory(const std::string& path);
/// The same, for its owner alone; what was there stays as it was.
void make_private_directory(const std::string& path);
/// A file's contents, or a directory's names, are on the disk when this returns.
void sync_path(const std::string& path);
void write_file(const std::string& path, const std::string& content);
/// Only where nothing stands; false: something does. Of many at once one does it. (On a file system
/// without links all of them may, and the last one's stays.)
bool write_new_file(const std::string& path, const std::string& content);

enum class FileReaders {
  kAsUsual,  // as the process has it (umask)
  kOwner,    // nobody else
};

/// A long file, piece by piece: nothing stands at the path until it is committed.
class FileWriter {
 public:
  explicit FileWriter(std::string path, FileReaders readers = FileReaders::kAsUsual);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const std::string& piece);
  void commit();
  /// Only where nothing stands; false: something does.
  bool commit_new();

 private:
  void flush();
  void complete();

  std::string path_;
  std::string aside_;  // empty: written in place, or committed
  FileReaders readers_;
  int descriptor_;
  std::string pending_;
};

}  // namespace armature
