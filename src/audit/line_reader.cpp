#include "audit/line_reader.h"

#include <algorithm>
#include <cstring>

#include "armature/error.h"

namespace armature {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::string& path) : source_(path), buffer_(2 * kPiece) {}

void LineReader::rewind() {
  source_.rewind();
  start_ = after_ = end_ = 0;
  line_ = 0;
  joined_ = 1;
  ended_ = true;
}

bool LineReader::next(std::string_view& line) {
  line_ += joined_;
  joined_ = 1;
  start_ = after_;
  if (!find_end(line, start_)) return false;
  if (line_ == 1 && line.starts_with(kByteOrderMark)) {
    start_ += kByteOrderMark.size();
    line.remove_prefix(kByteOrderMark.size());
  }
  return true;
}

bool LineReader::extend(std::string_view& line) {
  if (!ended_) return false;
  const std::size_t before = after_ - start_;
  if (!find_end(line, after_)) {
    line = {buffer_.data() + start_, before};
    return false;
  }
  ++joined_;
  return true;
}

// From the start of the line to the first break at or behind `from`.
bool LineReader::find_end(std::string_view& line, std::size_t from) {
  while (true) {
    const char* const searched = buffer_.data() + from;
    const void* const found = std::memchr(searched, '\n', end_ - from);
    if (found != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      after_ = at + 1;
      ended_ = true;
      const std::size_t stop = at > start_ && buffer_[at - 1] == '\r' ? at - 1 : at;
      line = {buffer_.data() + start_, stop - start_};
      return true;
    }
    if (end_ - start_ > kLongestRow)
      throw Error({source_.name(), "line " + std::to_string(line_), "a row of more than 1 MiB",
                   "a table with a row a line; is there a quote that is not closed?"});
    const std::size_t known = end_ - start_, offset = from - start_;
    if (!fill()) {
      from = start_ + offset;
      if (from == end_) return false;
      after_ = end_;
      ended_ = false;
      line = {buffer_.data() + start_, end_ - start_};
      return true;
    }
    from = start_ + known;  // what was searched before has no break
  }
}

bool LineReader::fill() {
  if (start_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
    after_ -= start_;
    end_ -= start_;
    start_ = 0;
  }
  if (buffer_.size() - end_ < kPiece) buffer_.resize(buffer_.size() * 2);
  const std::size_t count = source_.read(buffer_.data() + end_, kPiece);
  const std::size_t from = end_;
  end_ += count;
  refuse_no_text(from);
  return count > 0;
}

void LineReader::refuse_no_text(std::size_t from) {
  const void* const found = std::memchr(buffer_.data() + from, '\0', end_ - from);
  if (found == nullptr) return;
  const char* const at = static_cast<const char*>(found);
  const auto lines = std::count(static_cast<const char*>(buffer_.data()), at, '\n');
  throw Error({source_.name(), "line " + std::to_string(line_ + static_cast<std::uint64_t>(lines)),
               "a NUL byte", "text in UTF-8 (CSV or JSON lines), perhaps packed by gzip"});
}

}  // namespace armature
