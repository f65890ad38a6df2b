#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "armature/error.h"

namespace armature {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, const char* expected) {
  const int error = errno;
  throw Error({path, what, std::strerror(error), expected});
}

// A descriptor that is closed on every way out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

// Pipes and terminals (/dev/stdout) cannot be renamed over: they are written to directly.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

// One that stands in a folder, made by mkfifo. The pipes of a shell are found below /dev and /proc.
bool is_named_pipe(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_fifo(path, ignored) && !path.starts_with("/dev/") &&
         !path.starts_with("/proc/");
}

// Beside an empty name a file of the current folder would be begun.
void require_name(const std::string& path) {
  if (path.empty()) throw Error({"", "file", "an empty name", "the name of a file"});
  if (path.find('\0') != std::string::npos)
    throw Error({path, "file", "a name with a NUL byte", "the name of a file"});
}

void write_all(int descriptor, const std::string& path, const std::string& content) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(descriptor, content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "write", "a file that can be written");
    written += static_cast<std::size_t>(count);
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  require_name(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error({path, "open", "a directory", "a readable file"});
  if (is_named_pipe(path))
    throw Error({path, "open", "a named pipe", "a file, or /dev/stdin with < before the pipe"});
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) fail(path, "open", "a readable file");
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, "read", "a readable file");
  const bool ordinary = S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t most = ordinary ? kMostFileBytes : kMostStreamBytes;
  const auto refuse_size = [&] {
    throw Error({path, "size", "more than " + std::to_string(most >> 20) + " MiB",
                 std::string("at most so much") + (ordinary ? "" : " of a device or a pipe")});
  };
  if (ordinary && size > most) refuse_size();
  std::string content;
  if (ordinary) content.reserve(size);
  std::string piece(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t count = ::read(file.number, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "read", "a readable file");
    if (count == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(count));
    if (content.size() > most) refuse_size();
  }
}

std::string read_text_file(const std::string& path) {
  std::string text = read_file(path);
  const auto starts = [&](const char* mark, std::size_t size) {
    return text.compare(0, size, mark, size) == 0;
  };
  const std::size_t nothing = text.find('\0');
  const bool marked = starts("\xFF\xFE", 2) || starts("\xFE\xFF", 2) || starts("\0\0\xFE\xFF", 4);
  // ASCII in UTF-16 without a mark: every other byte is 0, the first or the second.
  if (marked || (text.size() > 3 && nothing < 2 && text.find('\0', nothing + 1) == nothing + 2))
    throw Error({path, "encoding", "UTF-16 or UTF-32", "UTF-8"});
  if (nothing != std::string::npos) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(nothing);
    throw Error({path, "line " + std::to_string(1 + std::count(text.begin(), end, '\n')),
                 "a NUL byte", "text in UTF-8"});
  }
  return text;
}

void require_writable(const std::string& path) {
  require_name(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error({path, "open", "a directory", "a file that can be written"});
  if (is_special(path)) return;
  std::string aside = path + ".partial-XXXXXX";
  const Descriptor file{::mkstemp(aside.data())};
  if (file.number < 0) fail(path, "open", "a file that can be written");
  ::unlink(aside.c_str());
}

void make_directory(const std::string& path) {
  namespace fs = std::filesystem;
  require_name(path);
  std::error_code error;
  std::vector<fs::path> parents;  // of those that are new
  for (fs::path one = fs::absolute(path, error).lexically_normal(); !error && !fs::exists(one);
       one = one.parent_path())
    if (one.has_filename()) parents.push_back(one.parent_path());
  fs::create_directories(path, error);
  if (error) throw Error({path, "directory", error.message(), "one that can be made"});
  for (const fs::path& parent : parents)
    if (::access(parent.c_str(), R_OK) == 0) sync_path(parent.string());
}

void make_private_directory(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool was_there = fs::exists(path, error);
  make_directory(path);
  if (!was_there) fs::permissions(path, fs::perms::owner_all, error);
  if (error) throw Error({path, "permissions", error.message(), "one that can be made"});
}

void sync_path(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0 || ::fsync(file.number) != 0) fail(path, "sync", "one that can be synced");
}

void write_file(const std::string& path, const std::string& content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

bool write_new_file(const std::string& path, const std::string& content) {
  FileWriter file(path);
  file.write(content);
  return file.commit_new();
}

FileWriter::FileWriter(std::string path, FileReaders readers)
    : path_(std::move(path)), readers_(readers), descriptor_(-1) {
  require_writable(path_);
  if (is_special(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "open", "a file that can be written");
    return;
  }
  aside_ = path_ + ".partial-XXXXXX";
  descriptor_ = ::mkstemp(aside_.data());
  if (descriptor_ < 0) fail(path_, "open", "a file that can be written");
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void FileWriter::write(const std::string& piece) {
  constexpr std::size_t kEnough = 1 << 16;
  pending_ += piece;
  if (pending_.size() >= kEnough) flush();
}

void FileWriter::flush() {
  write_all(descriptor_, path_, pending_);
  pending_.clear();
}

// All of it is on the disk, as others may see it.
void FileWriter::complete() {
  flush();
  if (aside_.empty()) return;
  if (readers_ == FileReaders::kAsUsual) {  // mkstemp makes files private
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666 & ~mask) != 0)
      fail(path_, "permissions", "a file that can be written");
  }
  if (::fsync(descriptor_) != 0) fail(path_, "sync", "a file that can be written");
}

bool FileWriter::commit_new() {
  complete();
  if (aside_.empty() || ::link(aside_.c_str(), path_.c_str()) == 0) return true;
  if (std::filesystem::exists(path_)) return false;
  commit();
  return true;
}

void FileWriter::commit() {
  complete();
  if (aside_.empty()) return;
  if (::rename(aside_.c_str(), path_.c_str()) != 0)
    fail(path_, "rename", "a file that can be replaced");
  aside_.clear();
}

}  // namespace armature
