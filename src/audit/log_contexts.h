// The context of a row: the joint value of one or several columns.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "armature/log.h"
#include "audit/levels.h"

namespace armature {

/// Why a row cannot be used. Texts that live as long as the row.
struct Fault {
  const char* reason = nullptr;
  std::string_view column = {};
  std::string_view value = {};
  const char* expected = "";
  const std::vector<std::string>* known = nullptr;  // the nearest of these is named
};

/// The number of a name, which is added unless there were names to begin with. Names that cannot
/// be one, and too many of them, are what `fault` and Errors are for.
class NamedValues {
 public:
  /// `given`: no others are allowed; null: any.
  NamedValues(std::string column, const std::vector<std::string>* given);

  std::optional<std::uint32_t> number(std::string_view name, Fault& fault);
  const std::vector<std::string>& names() const { return levels_.names(); }
  const std::string& column() const { return column_; }

 private:
  std::string column_;
  bool closed_;
  Levels levels_;
};

/// A text as a finite number; a sign, a point and an exponent are allowed, blanks are not.
std::optional<double> number_of(std::string_view text);

class JointContexts {
 public:
  JointContexts(const std::vector<std::string>& columns, const std::vector<LogFacts::Binned>& bins,
                const std::vector<std::string>* given);

  /// Of the texts of the columns, in their order.
  std::optional<std::uint32_t> number(std::span<const std::string_view> texts, Fault& fault);
  /// Of one column its values; of several "opened=1 clicked=0", values with a blank, `=` or a quote
  /// in quotes.
  const std::vector<std::string>& names() const { return contexts_.names(); }

 private:
  struct Column {
    std::string name;
    std::optional<std::vector<double>> edges;
    std::vector<std::string> bin_names;
    NamedValues values;
    // From (the joint value of the columns before, this one's value) to that of both.
    std::unordered_map<std::uint64_t, std::uint32_t> joined = {};
  };
  std::optional<std::uint32_t> value(Column& column, std::string_view text, Fault& fault);
  std::string name_of(std::span<const std::string_view> texts, std::span<const std::uint32_t> bins);

  std::vector<Column> columns_;
  NamedValues contexts_;
  std::vector<std::uint32_t> numbers_;  // by joint value; UINT32_MAX: not named yet
  std::vector<std::uint32_t> values_;   // of this row
  std::string name_;
};

}  // namespace armature
