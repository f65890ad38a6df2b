#include "armature/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <optional>

#include "armature/error.h"

namespace armature {
namespace {

static_assert(std::endian::native == std::endian::little, "saved states are little-endian");

constexpr std::string_view kMagic = "armature-state 1\n";

enum class Tag : char {
  kBool = 'b',
  kInteger = 'i',
  kReal = 'r',
  kWords = 'w',
  kIntegers = 'I',
  kReals = 'R'
};

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

 private:
  [[noreturn]] static void mismatch(std::string_view name) {
    throw Error({"", fmt::format("saved state, field '{}'", name), "something else",
                 "the fields this policy saves, in order"});
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
  std::string text;

  void field(std::string_view name, bool& value) override { line(name, value); }
  void field(std::string_view name, std::uint64_t& value) override { line(name, value); }
  void field(std::string_view name, double& value) override { line(name, value); }
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
    text += fmt::format("{} = {}\n", name, value);
  }
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
  if (!saved.starts_with(kMagic))
    throw Error({"", "saved state", "other bytes", "a state that begins with 'armature-state 1'"});
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
  Reader reader(fields, true);
  visit(reader);
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
  return dumper.text;
}

}  // namespace armature
