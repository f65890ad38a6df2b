// The answer of a study at one glance: worlds down, policies across, each mean regret as a multiple
// of the least of its row; and one sentence that says what it shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

/// A policy in a world.
struct AnswerEntry {
  const CellSummary* cell = nullptr;
  double ratio = 1;     // to the least mean of the row; infinite above a least mean of 0
  bool marked = false;  // the best, or not to be told from it: what `among_the_best` says
  /// Against the least of the row, paired; null for that one itself and where nothing was paired.
  const PairedDifference* difference = nullptr;
};

struct AnswerRow {
  std::string name;       // short, for people
  std::string full_name;  // the label
  std::string role;
  std::vector<std::optional<AnswerEntry>> entries;  // one per policy; none: it was not run here
  double least = 0;                                 // the least mean regret

  std::size_t rivals() const;
  std::size_t marks() const;
};

struct AnswerMatrix {
  Round horizon = 0;  // 0: the rows are the horizons of the only world
  std::string world;  // that world, or nothing
  std::vector<std::string> policies;
  std::vector<AnswerRow> rows;
  std::vector<std::string> absent;  // policies of the study that have nothing here
  bool searched = false;  // a row is a role and a size: each policy in the worst world found for it

  /// Is there anything to compare? Else entries are told as they are, not as multiples.
  bool contested() const;
};

/// One per horizon, the longest first; of a study with one world a single one, whose rows are its
/// horizons. Empty without results. The oracle has no part in it: it would be the best everywhere.
/// Points into `result`.
std::vector<AnswerMatrix> matrices(const StudyResult& result);

/// "1.00" for the least, "1.27×", "2.3×", "41×", "∞": an entry as it is shown.
std::string entry_text(const AnswerMatrix& matrix, const AnswerRow& row, const AnswerEntry& entry);
/// "★" for a best that is settled, "☆" for each that cannot be told from the best, or nothing.
std::string mark_text(const AnswerRow& row, const AnswerEntry& entry);

/// What the matrix shows, in one sentence: who is never far from the best, who is the best where
/// and how far behind elsewhere. Names stand between backticks.
std::string answer_words(const AnswerMatrix& matrix);

/// AnswerMatrix and sentence as a section of the page, with those of shorter horizons behind a
/// click.
std::string matrix_html(const StudyResult& result, const std::vector<AnswerMatrix>& all);

}  // namespace armature
