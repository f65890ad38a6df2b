#include "armature/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <variant>

#include "armature/error.h"

namespace armature {
namespace {

static_assert(std::endian::native == std::endian::little, "saved states are little-endian");

// Format 2: the problem a policy's state belongs to is known by its names too.
constexpr std::string_view kMagic = "armature-state 2\n";
constexpr std::string_view kOldMagic = "armature-state 1\n";

enum class Tag : char {
  kBool = 'b',
  kInteger = 'i',
  kReal = 'r',
  kText = 't',
  kWords = 'w',
  kIntegers = 'I',
  kReals = 'R'
};

[[noreturn]] void mismatch(std::string_view name) {
  throw Error({"", fmt::format("saved state, field '{}'", name), "something else",
               "the fields this policy saves, in order"});
}

// A field is: tag (1 byte), length of the name (4), name, number of elements (8), elements.
class Writer final : public StateVisitor {
 public:
  std::string bytes;

  void field(std::string_view name, bool& value) override {
    const char byte = value ? 1 : 0;
    write(Tag::kBool, name, &byte, 1, 1);
  }
  void field(std::string_view name, std::uint64_t& value) override {
    write(Tag::kInteger, name, &value, sizeof value, 1);
  }
  void field(std::string_view name, double& value) override {
    write(Tag::kReal, name, &value, sizeof value, 1);
  }
  void field(std::string_view name, std::string& text) override {
    write(Tag::kText, name, text.data(), 1, text.size());
  }
  void field(std::string_view name, std::vector<std::uint32_t>& values) override {
    write(Tag::kWords, name, values.data(), sizeof(std::uint32_t), values.size());
  }
  void field(std::string_view name, std::vector<std::uint64_t>& values) override {
    write(Tag::kIntegers, name, values.data(), sizeof(std::uint64_t), values.size());
  }
  void field(std::string_view name, std::vector<double>& values) override {
    write(Tag::kReals, name, values.data(), sizeof(double), values.size());
  }

  void list(std::string_view name, std::vector<std::uint32_t>& values) override {
    field(name, values);
  }
  void list(std::string_view name, std::vector<std::uint64_t>& values) override {
    field(name, values);
  }
  void list(std::string_view name, std::vector<double>& values) override { field(name, values); }

 private:
  void raw(const void* data, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(data), size);
  }
  void write(Tag tag, std::string_view name, const void* data, std::size_t element,
             std::uint64_t count) {
    raw(&tag, 1);
    const auto length = static_cast<std::uint32_t>(name.size());
    raw(&length, sizeof length);
    raw(name.data(), name.size());
    raw(&count, sizeof count);
    raw(data, element * count);
  }
};

// Reads fields back in the order they are visited. With `apply` false it only checks that every
// field is there, so that a bad state is refused before anything is overwritten.
class Reader final : public StateVisitor {
 public:
  Reader(std::string_view bytes, bool apply) : left_(bytes), apply_(apply) {}

  bool reading() const override { return apply_; }
  bool finished() const { return left_.empty(); }

  void field(std::string_view name, bool& value) override {
    if (header(Tag::kBool, name) != 1) mismatch(name);
    const char byte = take(1, name)[0];
    if (byte != 0 && byte != 1) mismatch(name);
    if (apply_) value = byte == 1;
  }
  void field(std::string_view name, std::uint64_t& value) override {
    scalar(Tag::kInteger, name, value);
  }
  void field(std::string_view name, double& value) override { scalar(Tag::kReal, name, value); }
  void field(std::string_view name, std::string& text) override {
    const std::uint64_t size = header(Tag::kText, name);
    const std::string_view bytes = take(size, name);
    if (apply_) text = bytes;
  }
  void field(std::string_view name, std::vector<std::uint32_t>& values) override {
    elements(Tag::kWords, name, values, values.size());
  }
  void list(std::string_view name, std::vector<std::uint32_t>& values) override {
    elements(Tag::kWords, name, values, std::nullopt);
  }
  void field(std::string_view name, std::vector<std::uint64_t>& values) override {
    elements(Tag::kIntegers, name, values, values.size());
  }
  void list(std::string_view name, std::vector<std::uint64_t>& values) override {
    elements(Tag::kIntegers, name, values, std::nullopt);
  }
  void field(std::string_view name, std::vector<double>& values) override {
    elements(Tag::kReals, name, values, values.size());
  }
  void list(std::string_view name, std::vector<double>& values) override {
    elements(Tag::kReals, name, values, std::nullopt);
  }
  void rare(std::string_view name, std::vector<std::uint64_t>& values) override {
    if (next_is(Tag::kIntegers, name))
      field(name, values);
    else if (apply_)
      std::fill(values.begin(), values.end(), 0);
  }

 private:
  bool next_is(Tag tag, std::string_view name) const {
    const auto length = static_cast<std::uint32_t>(name.size());
    std::string header(1, static_cast<char>(tag));
    header.append(reinterpret_cast<const char*>(&length), sizeof length);
    return left_.starts_with(header.append(name));
  }
  std::string_view take(std::size_t size, std::string_view name) {
    if (left_.size() < size) mismatch(name);
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::uint64_t header(Tag tag, std::string_view name) {
    if (take(1, name)[0] != static_cast<char>(tag)) mismatch(name);
    std::uint32_t length = 0;
    std::memcpy(&length, take(sizeof length, name).data(), sizeof length);
    if (length != name.size() || take(length, name) != name) mismatch(name);
    std::uint64_t count = 0;
    std::memcpy(&count, take(sizeof count, name).data(), sizeof count);
    return count;
  }
  template <class T>
  void scalar(Tag tag, std::string_view name, T& value) {
    if (header(tag, name) != 1) mismatch(name);
    const std::string_view bytes = take(sizeof value, name);
    if (apply_) std::memcpy(&value, bytes.data(), sizeof value);
  }
  template <class T>
  void elements(Tag tag, std::string_view name, std::vector<T>& values,
                std::optional<std::size_t> expected) {
    const std::uint64_t count = header(tag, name);
    if (expected && count != *expected) mismatch(name);
    if (count > left_.size() / sizeof(T)) mismatch(name);
    const std::string_view bytes = take(count * sizeof(T), name);
    if (!apply_) return;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  }

  std::string_view left_;
  bool apply_;
};

class Dumper final : public StateVisitor {
 public:
  std::string lines;

  void field(std::string_view name, bool& value) override { line(name, value); }
  void field(std::string_view name, std::uint64_t& value) override { line(name, value); }
  void field(std::string_view name, double& value) override { line(name, value); }
  void field(std::string_view name, std::string& text) override { line(name, text); }
  void field(std::string_view name, std::vector<std::uint32_t>& values) override {
    line(name, values);
  }
  void field(std::string_view name, std::vector<std::uint64_t>& values) override {
    line(name, values);
  }
  void field(std::string_view name, std::vector<double>& values) override { line(name, values); }

  void list(std::string_view name, std::vector<std::uint32_t>& values) override {
    field(name, values);
  }
  void list(std::string_view name, std::vector<std::uint64_t>& values) override {
    field(name, values);
  }
  void list(std::string_view name, std::vector<double>& values) override { field(name, values); }

 private:
  template <class T>
  void line(std::string_view name, const T& value) {
    lines += fmt::format("{} = {}\n", name, value);
  }
};

// A list of structures as one list per part: taken apart row by row, and put together again.
class Columns final : public ItemVisitor {
 public:
  explicit Columns(std::string_view list) : list_(list) {}

  ItemVisitor& declare() { return turn_to(Mode::kDeclare, 0); }
  ItemVisitor& take_row() { return turn_to(Mode::kTake, 0); }
  ItemVisitor& give_row(std::size_t row) { return turn_to(Mode::kGive, row); }

  void visit(StateVisitor& visitor) {
    for (Column& column : columns_)
      std::visit([&](auto& values) { visitor.list(column.name, values); }, column.values);
  }
  // All parts have as many values, or the lists are not those of structures.
  std::size_t rows() const {
    const auto size = [](const Column& column) {
      return std::visit([](const auto& values) { return values.size(); }, column.values);
    };
    for (const Column& column : columns_)
      if (size(column) != size(columns_.front())) mismatch(column.name);
    return columns_.empty() ? 0 : size(columns_.front());
  }

  void field(std::string_view name, std::uint32_t& value) override { part(name, value); }
  void field(std::string_view name, std::uint64_t& value) override { part(name, value); }
  void field(std::string_view name, double& value) override { part(name, value); }

 private:
  enum class Mode { kDeclare, kTake, kGive };
  struct Column {
    std::string name;
    std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>, std::vector<double>>
        values;
  };

  ItemVisitor& turn_to(Mode mode, std::size_t row) {
    mode_ = mode;
    row_ = row;
    next_ = 0;
    return *this;
  }
  template <class T>
  void part(std::string_view name, T& value) {
    if (mode_ == Mode::kDeclare) {
      columns_.push_back({fmt::format("{}_{}", list_, name), std::vector<T>()});
      return;
    }
    auto& values = std::get<std::vector<T>>(columns_.at(next_++).values);
    if (mode_ == Mode::kTake)
      values.push_back(value);
    else
      value = values.at(row_);
  }

  std::string_view list_;
  std::vector<Column> columns_;
  Mode mode_ = Mode::kDeclare;
  std::size_t row_ = 0;
  std::size_t next_ = 0;  // the column of the next part
};

std::string digest_bytes(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.add(bytes);
  const std::uint64_t digest = fingerprint.value();
  std::string tail(sizeof digest, '\0');
  std::memcpy(tail.data(), &digest, sizeof digest);
  return tail;
}

}  // namespace

void StateVisitor::structures(std::string_view name, const Structures& items) {
  Columns columns(name);
  items.sample(columns.declare());
  if (!reading())
    for (std::size_t i = 0; i < items.count; ++i) items.at(columns.take_row(), i);
  columns.visit(*this);
  if (!reading()) return;
  const std::size_t rows = columns.rows();
  items.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) items.at(columns.give_row(i), i);
}

void StateVisitor::require(bool fits, std::string_view name) const {
  if (reading() && !fits)
    throw Error({"", fmt::format("saved state, field '{}'", name), "values that do not fit",
                 "a state saved by this policy"});
}

void StateVisitor::require_below(std::uint32_t bound, std::string_view name,
                                 std::span<const std::uint32_t> values) const {
  require(std::all_of(values.begin(), values.end(), [=](std::uint32_t v) { return v < bound; }),
          name);
}

void StateVisitor::require_finite(std::string_view name, std::span<const double> values) const {
  require(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }),
          name);
}

void StateVisitor::require_within(double low, double high, std::string_view name,
                                  std::span<const double> values) const {
  require(std::all_of(values.begin(), values.end(),
                      [=](double value) { return value >= low && value <= high; }),
          name);
}

void StateVisitor::require_sums_of_rewards(std::string_view name, std::span<const double> sums,
                                           std::span<const std::uint64_t> counts) const {
  for (std::size_t i = 0; i < sums.size(); ++i)
    require_within(0, static_cast<double>(counts[i]), name, sums.subspan(i, 1));
}

void StateVisitor::require_counts_within(std::span<const std::uint64_t> wholes,
                                         std::string_view name,
                                         std::span<const std::uint64_t> parts) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  for (std::size_t i = 0; i < parts.size(); ++i)
    require(parts[i] <= wholes[i] && wholes[i] <= kMost, name);
}

void Fingerprint::add(const void* bytes, std::size_t size) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3;
}

std::string save_state(std::string_view owner, const StateVisit& visit) {
  Writer writer;
  writer.bytes = fmt::format("{}{}\n", kMagic, owner);
  visit(writer);
  return writer.bytes + digest_bytes(writer.bytes);
}

void load_state(std::string_view owner, std::string_view saved, const StateVisit& visit) {
  const std::string header = fmt::format("{}{}\n", kMagic, owner);
  if (saved.starts_with(kOldMagic))
    throw Error({"", "saved state", "format 1, which does not say whose names it was saved under",
                 "format 2: a state saved by this version"});
  if (!saved.starts_with(kMagic))
    throw Error({"", "saved state", "other bytes", "a state that begins with 'armature-state 2'"});
  const std::string_view body = saved.substr(0, saved.size() - sizeof(std::uint64_t));
  if (saved.size() < kMagic.size() + sizeof(std::uint64_t) ||
      digest_bytes(body) != saved.substr(body.size()))
    throw Error({"", "saved state", "a digest that does not match", "a whole, unaltered state"});
  if (!body.starts_with(header)) {
    const std::string_view rest = body.substr(kMagic.size());
    throw Error({"", "saved state", fmt::format("a state of '{}'", rest.substr(0, rest.find('\n'))),
                 fmt::format("a state of '{}'", owner)});
  }
  const std::string_view fields = body.substr(header.size());
  Reader rehearsal(fields, false);
  visit(rehearsal);
  if (!rehearsal.finished())
    throw Error({"", "saved state", "more fields", "the fields this policy saves, and no more"});
  Writer before;
  visit(before);
  try {
    Reader reader(fields, true);
    visit(reader);
  } catch (...) {  // found out too late: back to what was there
    Reader undo(before.bytes, true);
    visit(undo);
    throw;
  }
}

std::uint64_t state_digest(const StateVisit& visit) {
  Writer writer;
  visit(writer);
  Fingerprint fingerprint;
  fingerprint.add(writer.bytes);
  return fingerprint.value();
}

std::string dump_state(const StateVisit& visit) {
  Dumper dumper;
  visit(dumper);
  return dumper.lines;
}

}  // namespace armature
