// A file from its first byte to its last, whatever its size: plain, or packed by gzip, or standard
// input. What is read whole goes through base/file.h instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace armature {

class ByteSource {
 public:
  /// `-` is standard input. Whether it is packed is told by its first bytes, not by its name.
  /// Throws Error on a directory, on a named pipe, and on what cannot be opened.
  explicit ByteSource(std::string path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next bytes, unpacked: at least one, at most `most`; 0 at the end. Throws Error where it
  /// cannot be read, or where a packed file is damaged or ends too early.
  std::size_t read(char* to, std::size_t most);
  /// From the first byte again. Throws Error for what can be read but once.
  void rewind();

  const std::string& name() const { return name_; }  // as messages call it
  bool packed() const { return unpacking_ != nullptr; }
  bool rewindable() const { return rewindable_; }
  /// How much of the file has been read, for progress; 0 where its size is not known.
  double share() const;

 private:
  struct Unpacking;  // zlib's

  std::size_t read_raw(char* to, std::size_t most);
  std::size_t unpack(char* to, std::size_t most);
  void begin();

  std::string name_;
  int descriptor_ = -1;
  bool rewindable_ = false;
  std::uint64_t size_ = 0;  // of a regular file
  std::uint64_t taken_ = 0;
  char first_[2] = {};  // looked at to tell what it is; handed out first
  std::size_t first_count_ = 0, first_given_ = 0;
  std::unique_ptr<Unpacking> unpacking_;
};

/// The bytes of a .gz file, packed piece by piece. No time and no name in it: the same content is
/// the same bytes (of one version of zlib).
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// What there is to be written of the file once `piece` was added, perhaps nothing yet.
  std::string pack(const std::string& piece);
  /// The rest of the file.
  std::string finish();

 private:
  struct State;
  std::string run(const std::string& piece, int flush);

  std::unique_ptr<State> state_;
};

}  // namespace armature
