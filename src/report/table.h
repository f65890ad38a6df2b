// Aligned columns of UTF-8 text.
#pragma once

#include <string>
#include <vector>

#include "armature/lab.h"

namespace armature {

/// "372.9": the value to the precision an error of this size deserves; more digits would be noise
/// that looks like knowledge.
std::string rounded(double value, double error);
/// "372.9 ± 1.1": the value to the precision its error deserves.
std::string with_error(double value, double error);

/// A mean and its standard error; the mean alone where one replication tells of no error.
std::string mean_text(const Spread& spread);

/// The same where room is dear: "372.9±1.1", and of large numbers no decimals, however small the
/// error is.
std::string narrow(double value, double error);
std::string narrow_mean_text(const Spread& spread);

/// Broken at blanks into lines of at most `width` characters; a longer word has its own line.
std::string wrapped(const std::string& text, std::size_t width);

/// Rows may be shorter than the header: a policy that is not finished has no numbers.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The first column is flush left, the others flush right.
  std::string print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace armature
