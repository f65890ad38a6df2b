// Declared parameters and the text form `name:key=value,key=value`, shared by policies and
// families. A policy or family declares its parameters once, beside its code; the command line,
// files, help texts and generated docs all read that one table.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature {

/// `name[:key=value,…]`. A value with a comma in it stands in parentheses or double quotes:
/// `db:base=(c-ucb:scale=0.5,ties=random)+ucb`. Quotes are stripped, parentheses belong to the
/// value.
struct TextForm {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // in the order written

  static TextForm parse(std::string_view text);
  std::string print() const;
};

/// What a formula in place of a number may speak of; NaN: not of this, it is not known.
struct FormulaVariables {
  double actions = std::numeric_limits<double>::quiet_NaN();   // A
  double contexts = std::numeric_limits<double>::quiet_NaN();  // Z
  double horizon = std::numeric_limits<double>::quiet_NaN();   // T
};

enum class ParameterType { kInteger, kReal, kChoice, kText };

/// One parameter: name, type, default, range, one line of help and where in the mathematics it
/// lives. Built by chaining: `Parameter::real("delta").automatic("1/max(T,2)").open(0, 1).help("…",
/// "§2")`.
class Parameter {
 public:
  static Parameter integer(std::string name);
  static Parameter real(std::string name);
  static Parameter text(std::string name, std::string expectation);  // the owner parses it
  static Parameter choice(std::string name, std::vector<std::string> choices);  // first = default

  Parameter& defaults_to(std::string text);       // a fixed default, in text form
  Parameter& automatic(std::string how);          // a default the owner computes; `how` explains it
  Parameter& closed(double low, double high);     // low ≤ value ≤ high
  Parameter& open(double low, double high);       // low < value < high
  Parameter& half_open(double low, double high);  // low ≤ value < high
  Parameter& above(double low);                   // low < value
  Parameter& at_least(double low);                // low ≤ value
  Parameter& or_word(std::string word);           // a word accepted instead of a number
  /// Of a text: its one spelling. Formulas in it may speak of the same as in a number's place.
  using Spelling = std::string (*)(const std::string& text, const FormulaVariables& variables);
  Parameter& written_as(Spelling spelling);
  Parameter& help(std::string text, std::string section);

  const std::string& name() const { return name_; }
  ParameterType type() const { return type_; }
  bool is_automatic() const { return automatic_; }
  const std::string& default_text() const { return default_; }
  const std::string& help_text() const { return help_; }
  const std::string& section() const { return section_; }
  const std::vector<std::string>& words() const { return words_; }  // choices, or words for numbers

  /// What a value must be, in words: "a number in (0,1)".
  std::string expectation() const;
  /// The canonical form of a value, formulas worked out; throws Error when the value is not
  /// acceptable.
  std::string canonical(const std::string& value, const std::string& owner,
                        const FormulaVariables& variables = {}) const;

 private:
  Parameter(std::string name, ParameterType type) : name_(std::move(name)), type_(type) {}
  bool accepts(double value) const;
  std::string canonical_formula(const std::string& value, const std::string& owner,
                                const FormulaVariables& variables) const;

  std::string name_;
  ParameterType type_;
  std::string default_;
  bool automatic_ = false;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
  bool low_open_ = false;
  bool high_open_ = false;
  std::vector<std::string> words_;
  std::string expectation_;  // of a text
  Spelling spelling_ = nullptr;
  std::string help_;
  std::string section_;
};

/// The parts of a `+`-separated list, split outside parentheses; parentheses around a whole part
/// are taken off: "(c-ucb:scale=0.5)+ucb" is "c-ucb:scale=0.5" and "ucb".
std::vector<std::string> split_list(std::string_view text);

/// The values of one text form, checked against the declared parameters.
class Arguments {
 public:
  /// `owner` names what is being configured in errors: "policy ucb".
  Arguments(std::string owner, const TextForm& form, const std::vector<Parameter>& parameters,
            const FormulaVariables& variables = {});

  /// A number: given, or the fixed default. Automatic parameters: nullopt unless given.
  std::optional<double> real_if(const std::string& name) const;
  std::optional<std::uint64_t> integer_if(const std::string& name) const;
  double real(const std::string& name) const;
  std::uint64_t integer(const std::string& name) const;
  /// The text of a choice, or of a word given instead of a number.
  const std::string& word(const std::string& name) const;
  bool is_word(const std::string& name, std::string_view word) const;
  bool given(const std::string& name) const;

  /// An Error about one of these values, found only when it met the rest of the problem.
  [[noreturn]] void reject(const std::string& name, const std::string& expected) const;

  const std::string& owner() const { return owner_; }
  /// Name and the values that differ from their defaults, in declared order.
  std::string canonical() const;

 private:
  struct Value {
    std::string name;
    std::string text;  // canonical; the default if not given, empty if automatic and not given
    bool given = false;
    bool differs_from_default = false;
  };
  const Value& at(const std::string& name) const;

  std::string owner_;
  std::string form_name_;
  std::vector<Value> values_;
};

}  // namespace armature
