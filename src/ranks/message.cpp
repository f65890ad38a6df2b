#include "ranks/message.h"

#include <cstring>
#include <type_traits>

namespace armature::ranks {
namespace {

// One walk over the fields of a message serves writing and reading: two lists would come apart.
class Writer {
 public:
  static constexpr bool kReads = false;
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void operator()(const Number& number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void operator()(Number& number) { std::memcpy(&number, next(sizeof number), sizeof number); }
  void operator()(std::string& text) {
    const std::size_t length = count(1);
    text.assign(next(length), length);
  }
  /// The length of a list whose items have at least so many bytes: never more than there are.
  std::size_t count(std::size_t least_bytes) {
    std::uint64_t length = 0;
    (*this)(length);
    if (length > (bytes_.size() - at_) / least_bytes) fail();
    return static_cast<std::size_t>(length);
  }
  void end() const {
    if (at_ != bytes_.size()) fail();
  }
  [[noreturn]] static void fail() {
    throw Error({"", "message between ranks", "bytes that make no sense",
                 "those of the same build of armature"});
  }

 private:
  const char* next(std::size_t length) {
    if (length > bytes_.size() - at_) fail();
    const char* here = bytes_.data() + at_;
    at_ += length;
    return here;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

// Constant to a writer, not to a reader.
template <class Walk, class Type>
using Field = std::conditional_t<Walk::kReads, Type&, const Type&>;

template <class Walk, class Type>
void each(Walk& walk, Field<Walk, std::vector<Type>> list, auto&& item) {
  if constexpr (Walk::kReads)
    list.resize(walk.count(1));
  else
    walk(std::uint64_t{list.size()});
  for (auto& one : list) item(one);
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Diagnostics> list) {
  each<Walk, Diagnostic>(walk, list, [&](Field<Walk, Diagnostic> one) {
    walk(one.name);
    walk(one.value);
    walk(one.word);
  });
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Replication> one) {
  each<Walk, double>(walk, one.regret, walk);
  each<Walk, std::uint64_t>(walk, one.pulls, walk);
  walk(one.simple_regret);
  visit<Walk>(walk, one.diagnostics);
  each<Walk, Diagnostics>(walk, one.shares,
                          [&](Field<Walk, Diagnostics> list) { visit<Walk>(walk, list); });
  walk(one.engine);
  walk(one.events);
  walk(one.rounds_stepped);
  walk(one.leap_error);
}

template <class Walk>
void visit(Walk& walk, Field<Walk, ReplicationRange> range) {
  walk(range.first);
  walk(range.count);
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Hello> hello) {
  walk(hello.build);
  walk(hello.host);
  walk(hello.process);
  each<Walk, int>(walk, hello.cores, walk);
  walk(hello.quota);
  walk(hello.shard);
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Stage> stage) {
  walk(stage.stage);
  walk(stage.text);
  walk(stage.threads);
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Blocks> blocks) {
  walk(blocks.stage);
  each<Walk, Order>(walk, blocks.orders, [&](Field<Walk, Order> order) {
    walk(order.number);
    walk(order.cell);
    visit<Walk>(walk, order.range);
  });
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Results> results) {
  walk(results.stage);
  each<Walk, Computed>(walk, results.blocks, [&](Field<Walk, Computed> block) {
    walk(block.number);
    walk(block.result.seconds);
    each<Walk, Replication>(walk, block.result.replications,
                            [&](Field<Walk, Replication> one) { visit<Walk>(walk, one); });
  });
}

template <class Walk>
void visit(Walk& walk, Field<Walk, Failed> failed) {
  walk(failed.stage);
  std::uint8_t of_a_block = failed.number ? 1 : 0;
  std::uint32_t number = failed.number.value_or(0);
  walk(of_a_block);
  walk(number);
  if constexpr (Walk::kReads) {
    if (of_a_block != 0) failed.number = number;
  }
  walk(failed.report.file);
  walk(failed.report.field);
  walk(failed.report.value);
  walk(failed.report.expected);
}

// Those without a field.
template <class Walk, class Word>
requires std::is_empty_v<Word>
void visit(Walk&, const Word&) {}

template <std::size_t kIndex = 0>
Message read_kind(std::size_t kind, Reader& reader) {
  if constexpr (kIndex < std::variant_size_v<Message>) {
    if (kind != kIndex) return read_kind<kIndex + 1>(kind, reader);
    std::variant_alternative_t<kIndex, Message> content;
    visit<Reader>(reader, content);
    return content;
  } else {
    Reader::fail();
  }
}

}  // namespace

std::string write_message(const Message& message) {
  Writer writer;
  writer(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& content) { visit<Writer>(writer, content); }, message);
  return writer.take();
}

Message read_message(const std::string& bytes) {
  Reader reader(bytes);
  std::uint8_t kind = 0;
  reader(kind);
  Message message = read_kind(kind, reader);
  reader.end();
  return message;
}

}  // namespace armature::ranks
