#include "audit/log_contexts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "armature/error.h"
#include "armature/log.h"
#include "audit/bins.h"
#include "base/display.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::size_t kLongestName = 1024;
constexpr std::uint32_t kNotNamed = UINT32_MAX;

[[noreturn]] void refuse_many(const std::string& column, std::string_view name) {
  throw Error({"", "'" + column + "'",
               fmt::format("more than {} different values (the last: '{}')",
                           grouped(static_cast<double>(kMostLevels)), name),
               "fewer; is this a continuous column, or one of ids? Numeric context columns can be "
               "binned (--bins)"});
}

// Two joint values must never share a name: what could be taken for the end of a value, or for
// another column, is quoted (quotes inside are doubled, as in CSV).
std::string joint_part(const std::string& text) {
  if (text.find_first_of(" \t=\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') return text[0] - '0';
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

NamedValues::NamedValues(std::string column, const std::vector<std::string>* given)
    : column_(std::move(column)), closed_(given != nullptr) {
  if (given != nullptr)
    for (const std::string& name : *given) levels_.add(name);
}

std::optional<std::uint32_t> NamedValues::number(std::string_view name, Fault& fault) {
  if (const auto found = levels_.find(name)) return found;
  if (name.empty())
    fault = {"missing values", column_, {}, "a value in every row"};
  else if (closed_)
    fault = {"values that the problem does not have", column_, name, "one of the problem's names",
             &levels_.names()};
  else if (name.size() > kLongestName)
    fault = {"values that are too long", column_, name, "names of at most 1024 bytes"};
  else if (!is_utf8(name))
    fault = {"values that are no UTF-8", column_, name, "text in UTF-8"};
  else if (levels_.size() >= kMostLevels)
    refuse_many(column_, name);
  else
    return levels_.add(std::string(name));
  return std::nullopt;
}

JointContexts::JointContexts(const std::vector<std::string>& columns,
                             const std::vector<LogFacts::Binned>& bins,
                             const std::vector<std::string>* given)
    : contexts_(join(columns, " and "), given), values_(columns.size()) {
  for (const std::string& name : columns) {
    // Values of a column are open; what the problem knows are joint ones.
    Column column{name, {}, {}, NamedValues(name, nullptr)};
    for (const LogFacts::Binned& binned : bins)
      if (binned.column == name) {
        column.edges = binned.edges;
        column.bin_names = bin_names(binned.edges);
      }
    columns_.push_back(std::move(column));
  }
}

std::optional<std::uint32_t> JointContexts::value(Column& column, std::string_view text,
                                                  Fault& fault) {
  if (!column.edges) return column.values.number(text, fault);
  if (const auto number = number_of(text)) return bin_of(*column.edges, *number);
  if (text.empty())
    fault = {"missing values", column.name, {}, "a value in every row"};
  else
    fault = {"values that are no numbers", column.name, text, "numbers in a column with bins"};
  return std::nullopt;
}

std::optional<std::uint32_t> JointContexts::number(std::span<const std::string_view> texts,
                                                   Fault& fault) {
  std::uint32_t joint = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const auto own = value(column, texts[i], fault);
    if (!own) return std::nullopt;
    values_[i] = *own;
    if (i == 0) {
      joint = *own;
      continue;
    }
    const std::uint64_t pair = (std::uint64_t{joint} << 32) | *own;
    const auto found = column.joined.find(pair);
    if (found == column.joined.end()) {
      if (column.joined.size() >= kMostLevels) refuse_many(contexts_.column(), texts[i]);
      joint = column.joined.emplace(pair, column.joined.size()).first->second;
    } else {
      joint = found->second;
    }
  }
  if (joint >= numbers_.size()) numbers_.resize(joint + 1, kNotNamed);
  if (numbers_[joint] != kNotNamed) return numbers_[joint];
  name_ = name_of(texts, values_);
  const auto number = contexts_.number(name_, fault);
  if (number) numbers_[joint] = *number;
  return number;
}

std::string JointContexts::name_of(std::span<const std::string_view> texts,
                                   std::span<const std::uint32_t> bins) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const bool alone = columns_.size() == 1;
    const std::string text = column.edges ? column.bin_names[bins[i]]  // holds no blank or quote
                             : alone      ? std::string(texts[i])
                                          : joint_part(std::string(texts[i]));
    parts.push_back(alone ? text : column.name + "=" + text);
  }
  return join(parts, " ");
}

}  // namespace armature
