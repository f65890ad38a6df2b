#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

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
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error({path, "open", "a directory", "a readable file"});
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "open", "a readable file");
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) fail(path, "read", "a readable file");
  return content.str();
}

void require_writable(const std::string& path) {
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
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error({path, "directory", error.message(), "one that can be made"});
}

void write_file(const std::string& path, const std::string& content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)), descriptor_(-1) {
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

void FileWriter::commit() {
  flush();
  if (aside_.empty()) return;
  // mkstemp makes files private; a result is an ordinary file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor_, 0666 & ~mask) != 0)
    fail(path_, "permissions", "a file that can be written");
  if (::fsync(descriptor_) != 0) fail(path_, "sync", "a file that can be written");
  if (::rename(aside_.c_str(), path_.c_str()) != 0)
    fail(path_, "rename", "a file that can be replaced");
  aside_.clear();
}

}  // namespace armature
