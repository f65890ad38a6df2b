// A text file line by line, in memory of one line: what the readers of records stand on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace armature {

/// The longest row of a log, in bytes. What is longer is no row but a quote that was never closed,
/// or no text at all.
inline constexpr std::size_t kLongestRow = std::size_t{1} << 20;

class LineReader {
 public:
  explicit LineReader(const std::string& path);

  /// The next line without its line break (\n or \r\n), valid until the next call; false at the
  /// end. A byte order mark before the first line is left out. Throws Error on NUL bytes, UTF-16
  /// and lines above kLongestRow.
  bool next(std::string_view& line);
  /// The line just read and the one after it, with the break between them: a quoted field may hold
  /// one. False at the end.
  bool extend(std::string_view& line);
  /// Number of the line that `next` gave, from 1.
  std::uint64_t line() const { return line_; }
  /// How many lines it has become by `extend`.
  std::uint64_t lines_joined() const { return joined_; }
  /// Whether it had a line break: the last line of a file may have been cut off.
  bool ended() const { return ended_; }

  /// What is in memory of the lines to come: up to some 64 KiB, the last line perhaps not whole.
  std::string_view ahead() const { return {buffer_.data() + after_, end_ - after_}; }

  void rewind();
  const ByteSource& source() const { return source_; }

 private:
  bool fill();
  bool find_end(std::string_view& line, std::size_t from);
  void refuse_no_text(std::size_t from);

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t start_ = 0;  // of the line
  std::size_t after_ = 0;  // of the line and its break: the next one starts here
  std::size_t end_ = 0;    // of what was read
  std::uint64_t line_ = 0, joined_ = 1;
  bool ended_ = true;
};

}  // namespace armature
