// Numbers as people should read them, and aligned columns that fit the screen.
#pragma once

#include <string>
#include <vector>

#include "armature/lab.h"
#include "report/screen.h"

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

/// "410 µs", "2.3 ms", "5.0 s", "1200 s": two digits or more.
std::string short_time(double seconds);

/// Columns for a screen. What does not fit is made to, in this order: headers are broken over
/// lines, optional columns are broken in two or left out, names are broken, and at last columns go
/// on below the others; where something is missing or below, a note names `--wide`. Numbers are
/// never broken. Rows may be shorter than the header: a policy that is not finished has no numbers.
/// Every cell is made visible().
class TextTable {
 public:
  /// The first `keys` columns name the rows; they are repeated where columns go on below.
  explicit TextTable(const std::vector<std::string>& header, std::size_t keys = 1);
  /// Of words: flush left, and may be broken, as the first column is. The others are flush right.
  TextTable& words(std::size_t column);
  /// What can be done without on a narrow screen.
  TextTable& optional(std::size_t column);
  void add(const std::vector<std::string>& row);
  /// Of a cell of the row added last.
  void style(std::size_t column, Style style);
  std::string print(const Screen& screen = {}) const;

 private:
  struct Cell {
    std::string text;
    Style style = Style::kPlain;
  };
  struct Column;
  struct Block;

  std::vector<Column> measured() const;
  std::vector<Block> folded(const std::vector<Column>& columns,
                            const std::vector<std::size_t>& left, std::size_t limit) const;
  std::string printed(const Block& block, const std::vector<Column>& columns,
                      const Screen& screen) const;

  std::vector<std::vector<Cell>> rows_;  // the header first
  std::vector<std::size_t> words_, optional_;
  std::size_t keys_;
};

}  // namespace armature
