#include "options/numbers.h"

#include <fmt/format.h>

#include "armature/error.h"
#include "base/formula.h"
#include "base/text.h"

namespace armature {
namespace {

// A plain number of the wrong kind is not taken for a formula.
[[noreturn]] void refuse_number(const std::string& option, const std::string& text,
                                const std::string& expected, const Error& error) {
  throw Error(
      {"", option, "'" + text + "'",
       parse_real(text) ? expected : expected + ", or a formula: " + error.report().expected});
}

}  // namespace

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high, const FormulaVariables& known) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  std::uint64_t number = 0;
  try {
    number = whole_value(text, known);
  } catch (const Error& error) {
    refuse_number(option, text, expected, error);
  }
  if (number < low || number > high) throw Error({"", option, "'" + text + "'", expected});
  return number;
}

double real_number(const std::string& option, const std::string& text, const std::string& expected,
                   const FormulaVariables& known) {
  try {
    return real_value(text, known);
  } catch (const Error& error) {
    refuse_number(option, text, expected, error);
  }
}

}  // namespace armature
