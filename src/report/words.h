// Who wins, by how much, how sure: a study's outcome in sentences, worked out from its numbers.
// Names of policies stand between backticks.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

/// All policies on one instance at one horizon, the oracle aside.
struct Contest {
  std::string instance;  // label
  std::string world;     // the same, short
  Round horizon = 0;
  std::vector<const CellSummary*> rivals;  // by mean regret, the least first
  /// Against the winner, in the order of the rivals from the second on; null if not known.
  std::vector<const PairedDifference*> differences;
};

/// The oracle takes no part: it knows the truth, and would win everywhere.
/// In the order of the plan. Points into `result`.
std::vector<Contest> contests(const Results& result);

/// "10^6" where it is a power of ten of four digits or more: it leaves room for the numbers.
std::string horizon_text(Round horizon);

/// ", loss = 0.1, delay = fixed:10": conditions that hold for the whole study, and are therefore in
/// no label. Empty if there are none.
std::string conditions_words(const Study& study);

/// A question as it is printed: one that came after its data says so.
std::string question_words(const VerdictRule& rule);

/// Is the winner's lead over this rival settled: does the 95% interval of the paired difference
/// leave out 0? Never without a difference, and never by one replication, whose interval is a
/// point.
bool settled(const PairedDifference* difference);

/// Is this rival marked in tables: the best, or one that cannot be told from it? Never where it is
/// alone. `place` counts the rivals from 0. Every table asks here, and says so in `kMarkWords`.
bool among_the_best(const Contest& contest, std::size_t place);
inline constexpr const char* kMarkWords =
    "the least mean regret and what cannot be told from it (95% interval of the paired difference "
    "reaches 0)";

/// From here on a 95% quantile is one of the replications and not a guess between the two largest.
inline constexpr std::uint64_t kLeastForQuantile = 20;

/// One contest in two or three sentences.
std::string contest_words(const Contest& contest);
/// All contests of two rivals or more together: who wins how often, and who is never far behind.
/// Empty if there is but one such contest.
std::string overall_words(std::vector<Contest> contests);

}  // namespace armature
