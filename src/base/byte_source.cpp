#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "armature/error.h"

namespace armature {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr int kGzip = 15 + 16;  // the largest window, and a header and trailer of gzip

[[noreturn]] void fail(const std::string& name, const char* what) {
  const int error = errno;
  throw Error({name, what, std::strerror(error), "a readable file"});
}

}  // namespace

struct ByteSource::Unpacking {
  z_stream stream = {};
  std::array<char, kPiece> packed;
  bool between = true;  // before a member (a file may be several, one after the other)

  Unpacking() { ARMATURE_CHECK(inflateInit2(&stream, kGzip) == Z_OK, "zlib begins"); }
  ~Unpacking() { inflateEnd(&stream); }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;
};

ByteSource::ByteSource(std::string path) : name_(path == "-" ? "standard input" : path) {
  if (path.empty()) throw Error({"", "file", "an empty name", "the name of a file"});
  if (path == "-") {
    descriptor_ = ::dup(STDIN_FILENO);
  } else {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error({path, "open", "a directory", "a readable file"});
    // Without a writer it would wait for ever. The pipes of a shell are found below /dev and /proc.
    if (std::filesystem::is_fifo(path, ignored) && !path.starts_with("/dev/") &&
        !path.starts_with("/proc/"))
      throw Error({path, "open", "a named pipe", "a file, or - with < before the pipe"});
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) fail(name_, "open");
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    rewindable_ = true;
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  try {
    begin();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ByteSource::~ByteSource() { ::close(descriptor_); }

void ByteSource::begin() {
  taken_ = first_count_ = first_given_ = 0;
  while (first_count_ < 2) {
    const std::size_t count = read_raw(first_ + first_count_, 2 - first_count_);
    if (count == 0) break;
    first_count_ += count;
  }
  const bool gzip = first_count_ == 2 && first_[0] == '\x1f' && first_[1] == '\x8b';
  unpacking_ = gzip ? std::make_unique<Unpacking>() : nullptr;
}

void ByteSource::rewind() {
  if (!rewindable_)
    throw Error({name_, "read", "it can be read but once", "a file, to be read twice"});
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) fail(name_, "read");
  begin();
}

double ByteSource::share() const {
  return size_ == 0 ? 0 : static_cast<double>(taken_) / static_cast<double>(size_);
}

std::size_t ByteSource::read_raw(char* to, std::size_t most) {
  while (true) {
    const ssize_t count = ::read(descriptor_, to, most);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name_, "read");
    taken_ += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
  }
}

std::size_t ByteSource::read(char* to, std::size_t most) {
  if (unpacking_) return unpack(to, most);
  if (first_given_ < first_count_) {
    const std::size_t count = std::min(most, first_count_ - first_given_);
    std::memcpy(to, first_ + first_given_, count);
    first_given_ += count;
    return count;
  }
  return read_raw(to, most);
}

std::size_t ByteSource::unpack(char* to, std::size_t most) {
  z_stream& stream = unpacking_->stream;
  most = std::min(most, std::size_t{1} << 30);  // zlib counts in 32 bits
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(most);
  while (stream.avail_out == most) {
    if (stream.avail_in == 0) {
      auto& packed = unpacking_->packed;
      std::size_t count = 0;
      if (first_given_ < first_count_) {
        std::memcpy(packed.data(), first_, first_count_);
        count = first_given_ = first_count_;
      } else {
        count = read_raw(packed.data(), packed.size());
      }
      if (count == 0) {
        if (unpacking_->between) return 0;
        throw Error({name_, "gzip", "an end in the middle of the packed data", "a whole file"});
      }
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(count);
    }
    // Tapes and blocks are filled up with zeros behind the last member.
    while (unpacking_->between && stream.avail_in > 0 && *stream.next_in == 0) {
      ++stream.next_in;
      --stream.avail_in;
    }
    if (stream.avail_in == 0) continue;
    unpacking_->between = false;
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      unpacking_->between = true;
      inflateReset(&stream);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw Error({name_, "gzip", stream.msg ? stream.msg : "damaged data", "a whole file"});
    }
  }
  return most - stream.avail_out;
}

struct Packer::State {
  z_stream stream = {};
  gz_header header = {};
};

Packer::Packer() : state_(std::make_unique<State>()) {
  ARMATURE_CHECK(deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8,
                              Z_DEFAULT_STRATEGY) == Z_OK,
                 "zlib begins");
  state_->header.os = 255;  // "unknown": the same bytes wherever it was written
  deflateSetHeader(&state_->stream, &state_->header);
}

Packer::~Packer() { deflateEnd(&state_->stream); }

std::string Packer::pack(const std::string& piece) { return run(piece, Z_NO_FLUSH); }
std::string Packer::finish() { return run("", Z_FINISH); }

std::string Packer::run(const std::string& piece, int flush) {
  z_stream& stream = state_->stream;
  // zlib promises not to write through it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
  std::string packed;
  std::array<char, kPiece> room;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    deflate(&stream, flush);
    packed.append(room.data(), room.size() - stream.avail_out);
  } while (stream.avail_out == 0);
  return packed;
}

}  // namespace armature
