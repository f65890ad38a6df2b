#include "armature/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/formula.h"
#include "base/text.h"

namespace armature {
namespace {

// Where the value starting at `start` ends: at a comma outside parentheses and quotes.
std::size_t value_end(std::string_view text, std::size_t start) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0)
      throw Error({"", "text form", fmt::format("'{}'", text), "a '(' before each ')'"});
    if (c == ',' && depth == 0) return i;
  }
  if (quoted || depth != 0)
    throw Error({"", "text form", fmt::format("'{}'", text), "every '(' and '\"' closed"});
  return text.size();
}

std::string unquoted(std::string_view value, std::string_view whole) {
  const auto quotes = std::count(value.begin(), value.end(), '"');
  if (quotes == 0) return std::string(value);
  if (quotes != 2 || value.front() != '"' || value.back() != '"')
    throw Error({"", "text form", fmt::format("'{}'", whole), "quotes around a whole value"});
  return std::string(value.substr(1, value.size() - 2));
}

// Quotes are needed where the bare value would read back as something else.
bool needs_quotes(const std::string& value) {
  int depth = 0;
  for (const char c : value) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return true;
    if (c == ',' && depth == 0) return true;
  }
  return depth != 0 || value.empty();
}

}  // namespace

TextForm TextForm::parse(std::string_view text) {
  TextForm form;
  const std::size_t colon = text.find(':');
  form.name = std::string(text.substr(0, colon));
  if (!is_name(form.name))
    throw Error({"", "text form", fmt::format("'{}'", text), "name or name:key=value,…"});
  if (colon == std::string_view::npos) return form;
  std::size_t at = colon + 1;
  for (;;) {
    const std::size_t equals = text.find('=', at);
    const std::string_view key =
        equals == std::string_view::npos ? text.substr(at) : text.substr(at, equals - at);
    if (equals == std::string_view::npos || !is_name(key))
      throw Error({"", "text form", fmt::format("'{}' in '{}'", key, text), "key=value"});
    for (const auto& [earlier, value] : form.values)
      if (earlier == key)
        throw Error(
            {"", "text form", fmt::format("'{}' twice in '{}'", key, text), "each key once"});
    const std::size_t end = value_end(text, equals + 1);
    const std::string_view value = text.substr(equals + 1, end - equals - 1);
    if (value.empty())
      throw Error({"", "text form", fmt::format("'{}=' in '{}'", key, text), "a value after '='"});
    form.values.emplace_back(std::string(key), unquoted(value, text));
    if (end == text.size()) return form;
    at = end + 1;
  }
}

std::string TextForm::print() const {
  std::string text = name;
  char separator = ':';
  for (const auto& [key, value] : values) {
    text += separator + key + "=" + (needs_quotes(value) ? "\"" + value + "\"" : value);
    separator = ',';
  }
  return text;
}

Parameter Parameter::integer(std::string name) {
  return {std::move(name), ParameterType::kInteger};
}
Parameter Parameter::text(std::string name, std::string expectation) {
  Parameter parameter(std::move(name), ParameterType::kText);
  parameter.expectation_ = std::move(expectation);
  return parameter;
}
Parameter Parameter::real(std::string name) { return {std::move(name), ParameterType::kReal}; }
Parameter Parameter::choice(std::string name, std::vector<std::string> choices) {
  Parameter parameter(std::move(name), ParameterType::kChoice);
  ARMATURE_CHECK(!choices.empty(), "there is something to choose from");
  parameter.default_ = choices.front();
  parameter.words_ = std::move(choices);
  return parameter;
}
Parameter& Parameter::written_as(Spelling spelling) {
  spelling_ = spelling;
  return *this;
}
Parameter& Parameter::defaults_to(std::string text) {
  default_ = std::move(text);
  return *this;
}
Parameter& Parameter::automatic(std::string how) {
  automatic_ = true;
  return defaults_to(std::move(how));
}
Parameter& Parameter::closed(double low, double high) {
  low_ = low, high_ = high, low_open_ = high_open_ = false;
  return *this;
}
Parameter& Parameter::open(double low, double high) {
  low_ = low, high_ = high, low_open_ = high_open_ = true;
  return *this;
}
Parameter& Parameter::half_open(double low, double high) {
  low_ = low, high_ = high, low_open_ = false, high_open_ = true;
  return *this;
}
Parameter& Parameter::above(double low) {
  low_ = low, low_open_ = true;
  return *this;
}
Parameter& Parameter::at_least(double low) {
  low_ = low, low_open_ = false;
  return *this;
}
Parameter& Parameter::or_word(std::string word) {
  words_.push_back(std::move(word));
  return *this;
}
Parameter& Parameter::help(std::string text, std::string section) {
  help_ = std::move(text);
  section_ = std::move(section);
  return *this;
}

bool Parameter::accepts(double value) const {
  return (low_open_ ? value > low_ : value >= low_) &&
         (high_open_ ? value < high_ : value <= high_);
}

std::string Parameter::expectation() const {
  if (type_ == ParameterType::kText) return expectation_;
  if (type_ == ParameterType::kChoice) return "one of " + join(words_, ", ");
  std::string text = type_ == ParameterType::kInteger ? "a whole number" : "a number";
  const bool bounded_below = std::isfinite(low_);
  const bool bounded_above = std::isfinite(high_);
  if (bounded_below && bounded_above)
    text +=
        fmt::format(" in {}{},{}{}", low_open_ ? '(' : '[', low_, high_, high_open_ ? ')' : ']');
  else if (bounded_below)
    text += fmt::format(" {} {}", low_open_ ? "above" : "of at least", low_);
  for (const std::string& word : words_) text += " or '" + word + "'";
  return text;
}

std::string Parameter::canonical(const std::string& value, const std::string& owner,
                                 const FormulaVariables& variables) const {
  if (type_ == ParameterType::kText) {
    if (!spelling_) return value;
    try {
      return spelling_(value, variables);
    } catch (const Error& error) {
      // What is wrong inside a nested policy is wrong in this parameter of the outer one.
      ErrorReport report = error.report();
      report.field = owner + ": " + name_ + ": " + report.field;
      throw Error(report);
    }
  }
  if (std::find(words_.begin(), words_.end(), value) != words_.end()) return value;
  if (type_ == ParameterType::kChoice)
    throw Error({"", owner + ": " + name_, value, expectation() + did_you_mean(value, words_)});
  if (!parse_real(value)) return canonical_formula(value, owner, variables);
  if (type_ == ParameterType::kInteger) {
    const auto number = parse_integer(value);  // keeps all 64 bits
    if (number && accepts(static_cast<double>(*number))) return fmt::format("{}", *number);
  } else if (const double number = *parse_real(value); accepts(number)) {
    return print_real(number);
  }
  throw Error({"", owner + ": " + name_, value, expectation()});
}

std::string Parameter::canonical_formula(const std::string& value, const std::string& owner,
                                         const FormulaVariables& variables) const {
  const std::string field = owner + ": " + name_;
  const bool whole = type_ == ParameterType::kInteger;
  double worth = 0;
  try {
    worth = evaluate_formula(value, variables);
  } catch (const Error& error) {
    throw Error({"", field, "'" + value + "'",
                 expectation() + ", or a formula: " + error.report().expected});
  }
  if (whole) worth = std::round(worth);
  if (!accepts(worth) || (whole && !(worth >= 0 && worth < 0x1p64)))
    throw Error({"", field, fmt::format("'{}', which is {}", value, worth), expectation()});
  return whole ? fmt::format("{}", static_cast<std::uint64_t>(worth)) : print_real(worth);
}

namespace {

// The sign in 1e+20 separates nothing.
bool is_exponent_sign(std::string_view text, std::size_t i) {
  return i >= 2 && (text[i - 1] == 'e' || text[i - 1] == 'E') && text[i - 2] >= '0' &&
         text[i - 2] <= '9';
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t start = 0;
  const auto take = [&](std::size_t end) {
    std::string_view part = text.substr(start, end - start);
    if (part.size() >= 2 && part.front() == '(' && part.back() == ')')
      part = part.substr(1, part.size() - 2);
    parts.emplace_back(part);
    start = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == '+' && depth == 0 && !is_exponent_sign(text, i)) take(i);
  }
  take(text.size());
  return parts;
}

Arguments::Arguments(std::string owner, const TextForm& form,
                     const std::vector<Parameter>& parameters, const FormulaVariables& variables)
    : owner_(std::move(owner)), form_name_(form.name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name());
  for (const auto& [key, value] : form.values)
    if (std::find(names.begin(), names.end(), key) == names.end())
      throw Error({"", owner_, fmt::format("unknown parameter '{}'", key),
                   (names.empty() ? "no parameters" : "one of " + join(names, ", ")) +
                       did_you_mean(key, names)});
  for (const Parameter& parameter : parameters) {
    const std::string fixed_default =
        parameter.is_automatic() ? "" : parameter.canonical(parameter.default_text(), owner_);
    Value value{parameter.name(), fixed_default};
    for (const auto& [key, text] : form.values) {
      if (key != parameter.name()) continue;
      value.text = parameter.canonical(text, owner_, variables);
      value.given = true;
      value.differs_from_default = value.text != fixed_default;
    }
    values_.push_back(std::move(value));
  }
}

const Arguments::Value& Arguments::at(const std::string& name) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const Value& value) { return value.name == name; });
  ARMATURE_CHECK(found != values_.end(), "only declared parameters are asked for");
  return *found;
}

std::optional<double> Arguments::real_if(const std::string& name) const {
  return parse_real(at(name).text);
}
std::optional<std::uint64_t> Arguments::integer_if(const std::string& name) const {
  return parse_integer(at(name).text);
}
double Arguments::real(const std::string& name) const {
  const auto value = real_if(name);
  ARMATURE_CHECK(value, "the parameter has a number");
  return *value;
}
std::uint64_t Arguments::integer(const std::string& name) const {
  const auto value = integer_if(name);
  ARMATURE_CHECK(value, "the parameter has a number");
  return *value;
}
const std::string& Arguments::word(const std::string& name) const { return at(name).text; }
bool Arguments::is_word(const std::string& name, std::string_view word) const {
  return at(name).text == word;
}
bool Arguments::given(const std::string& name) const { return at(name).given; }

void Arguments::reject(const std::string& name, const std::string& expected) const {
  const Value& value = at(name);
  throw Error(
      {"", owner_ + ": " + name, value.text.empty() ? "the default" : value.text, expected});
}

std::string Arguments::canonical() const {
  TextForm form{form_name_, {}};
  for (const Value& value : values_)
    if (value.differs_from_default) form.values.emplace_back(value.name, value.text);
  return form.print();
}

}  // namespace armature
