#include "base/formula.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr int kDeepest = 100;  // nested parentheses
constexpr std::uint64_t kLongestList = 100'000;

struct NamedFunction {
  const char* name;
  double (*value)(double);
};
constexpr NamedFunction kFunctions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"log", [](double x) { return portable::log(x); }},
};
double power(double base, double exponent) { return portable::pow(base, exponent); }

// Recursive descent: sum → product → signed → power → atom.
class Parser {
 public:
  Parser(const std::string& text, const FormulaVariables& variables)
      : text_(text), variables_(variables) {}

  double parse() {
    const double value = sum();
    skip_blanks();
    if (at_ < text_.size()) expected("an operator or the end");
    if (!std::isfinite(value)) throw Error({"", "formula", "'" + text_ + "'", "a finite value"});
    return value;
  }

 private:
  double sum() {
    double value = product();
    while (true) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = signed_atom();
    while (true) {
      if (take('*'))
        value *= signed_atom();
      else if (take('/'))
        value /= signed_atom();
      else
        return value;
    }
  }

  double signed_atom() { return take('-') ? -signed_atom_within_depth() : power_of_atom(); }

  // From the right, and before the sign: -2^3^2 is -(2^9).
  double power_of_atom() {
    const double base = atom();
    return take('^') ? power(base, signed_atom_within_depth()) : base;
  }

  double signed_atom_within_depth() {
    enter();
    const double value = signed_atom();
    --depth_;
    return value;
  }

  double atom() {
    skip_blanks();
    if (take('(')) return rest_of_parentheses();
    if (at_ < text_.size() && (std::isdigit(byte()) != 0 || text_[at_] == '.')) return number();
    if (at_ < text_.size() && std::isalpha(byte()) != 0) return name();
    expected("a number, " + known_sizes() + "sqrt(…), log(…) or a parenthesis");
  }

  double rest_of_parentheses() {
    enter();
    const double value = sum();
    if (!take(')')) expected("a closing parenthesis");
    --depth_;
    return value;
  }

  double number() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isdigit(byte()) != 0 || text_[at_] == '.' || text_[at_] == '_'))
      ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      while (at_ < text_.size() && std::isdigit(byte()) != 0) ++at_;
    }
    const auto value = parse_real(text_.substr(start, at_ - start));
    if (!value) expected("a number");
    return *value;
  }

  double name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isalnum(byte()) != 0) ++at_;
    const std::string word = text_.substr(start, at_ - start);
    if (word == "A") return variable(variables_.actions, start);
    if (word == "Z") return variable(variables_.contexts, start);
    if (word == "T") return variable(variables_.horizon, start);
    for (const NamedFunction& function : kFunctions)
      if (word == function.name && take('(')) return function.value(rest_of_parentheses());
    at_ = start;
    expected(known_sizes() + "sqrt(…) or log(…)");
  }

  // "A, Z, T, ": what is not known is not offered.
  std::string known_sizes() const {
    std::string names;
    for (const auto& [name, value] :
         {std::pair("A", variables_.actions), std::pair("Z", variables_.contexts),
          std::pair("T", variables_.horizon)})
      if (!std::isnan(value)) names += std::string(name) + ", ";
    return names;
  }

  double variable(double value, std::size_t start) {
    if (!std::isnan(value)) return value;
    const char letter = text_[start];
    at_ = start;
    expected(fmt::format("something other than {}, which is not known here,", letter));
  }

  void enter() {
    if (++depth_ > kDeepest) expected("fewer nested parentheses and signs");
  }
  unsigned char byte() const { return static_cast<unsigned char>(text_[at_]); }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void expected(const std::string& what) const {
    throw Error(
        {"", "formula", "'" + text_ + "'", fmt::format("{} at character {}", what, at_ + 1)});
  }

  const std::string& text_;
  const FormulaVariables& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Three parts, trimmed: commas inside parentheses do not part.
std::vector<std::string> parts_of(const std::string& inside) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char letter : inside) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  for (std::string& part : parts) {
    while (part.starts_with(' ')) part.erase(0, 1);
    while (part.ends_with(' ')) part.pop_back();
  }
  return parts;
}

// The place that formulas at the ends leave open until sizes are known: again a formula.
std::string between(const std::string& low, const std::string& high, std::uint64_t i,
                    std::uint64_t steps, bool geometric) {
  if (i == 0) return low;
  if (i == steps) return high;
  return geometric ? fmt::format("({})^({}/{})*({})^({}/{})", low, steps - i, steps, high, i, steps)
                   : fmt::format("({})*{}/{}+({})*{}/{}", low, steps - i, steps, high, i, steps);
}

// Any text may stand at an end if it is a formula: which sizes it may speak of is not known here,
// so all are given.
bool is_formula(const std::string& text) {
  try {
    evaluate_formula(text, {2, 2, 2});
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> spaced(const std::string& text, bool geometric) {
  const std::size_t open = text.find('(');
  const std::vector<std::string> parts = parts_of(text.substr(open + 1, text.size() - open - 2));
  const auto count = parts.size() == 3 ? parse_integer(parts[2]) : std::nullopt;
  const auto low = parts.size() == 3 ? parse_real(parts[0]) : std::nullopt;
  const auto high = parts.size() == 3 ? parse_real(parts[1]) : std::nullopt;
  const bool numbers = low && high;
  if (!count || *count < 2 || *count > kLongestList ||
      (numbers ? geometric && !(*low > 0 && *high > 0)
               : !is_formula(parts[0]) || !is_formula(parts[1])))
    throw Error({"", "list", "'" + text + "'",
                 geometric
                     ? "geomspace(low,high,count) of positive numbers or formulas, count from 2"
                     : "linspace(low,high,count) of numbers or formulas, count from 2"});
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < *count; ++i) {
    if (!numbers) {
      values.push_back(between(parts[0], parts[1], i, *count - 1, geometric));
      continue;
    }
    const double share = static_cast<double>(i) / static_cast<double>(*count - 1);
    const double value = i == 0            ? *low
                         : i + 1 == *count ? *high
                         : geometric       ? *low * power(*high / *low, share)
                                           : *low + (*high - *low) * share;
    values.push_back(print_real(value));
  }
  return values;
}

}  // namespace

double evaluate_formula(const std::string& text, const FormulaVariables& variables) {
  return Parser(text, variables).parse();
}

double real_value(const std::string& text, const FormulaVariables& variables) {
  const auto number = parse_real(text);
  return number ? *number : evaluate_formula(text, variables);
}

std::uint64_t whole_value(const std::string& text, const FormulaVariables& variables) {
  if (const auto number = parse_integer(text)) return *number;
  const double value = parse_real(text) ? -1 : std::round(evaluate_formula(text, variables));
  if (!(value >= 0 && value < 0x1p64))
    throw Error({"", "formula", "'" + text + "'", "a whole number below 2^64"});
  return static_cast<std::uint64_t>(value);
}

std::vector<std::string> expand_list(const std::string& text) {
  const bool linear = text.starts_with("linspace(") && text.ends_with(")");
  const bool geometric = text.starts_with("geomspace(") && text.ends_with(")");
  if (!linear && !geometric) return {text};
  return spaced(text, geometric);
}

}  // namespace armature
