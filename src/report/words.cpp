#include "report/words.h"

// Sentences are chosen by intervals of paired differences and not by means: whoever reads only the
// words must not take luck for a win.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/report.h"
#include "base/text.h"
#include "report/short_names.h"
#include "report/table.h"

namespace armature {
namespace {

// A backtick inside a label would end the code early and shift all that follow.
std::string name_of(const CellSummary& cell) {
  std::string name = cell.cell.policy_label;
  std::erase(name, '`');
  return "`" + name + "`";
}

std::string mean_words(const CellSummary& cell) { return mean_text(cell.final_regret()); }

// "a, b and c".
std::string enumerated(const std::vector<std::string>& names) {
  if (names.size() < 2) return join(names, "");
  return join({names.begin(), names.end() - 1}, ", ") + " and " + names.back();
}

std::string times_words(double ratio) {
  return ratio < 10 ? fmt::format("{:.1f}", ratio) : fmt::format("{:.0f}", ratio);
}

// Differences are winner minus rival: what the rival has more is their negative.
std::string lead_words(const PairedDifference& difference) {
  const Spread& d = difference.difference;
  const double error = d.standard_error;
  return fmt::format("{} more (95% interval of the paired difference: {} to {})",
                     rounded(-d.mean, error), rounded(-d.high(), error), rounded(-d.low(), error));
}

// A lead in the mean may be a loss in most replications: where the winner is better, it is then
// better by more. A reader of both is told that they are two things.
std::string share_words(const Contest& contest, std::size_t rival) {
  const PairedDifference& difference = *contest.differences[rival];
  const CellSummary &winner = *contest.rivals[0], &other = *contest.rivals[rival + 1];
  const std::string share =
      fmt::format("{} was the better one in {:.0f}% of {} replications", name_of(winner),
                  100 * difference.share_better, difference.difference.count);
  if (difference.share_better >= 0.5) return "; " + share + ".";
  const auto median = [](const CellSummary& cell) {
    return rounded(cell.final_regret().median, cell.final_regret().standard_error);
  };
  return fmt::format(
      ". So much for the mean; in most replications {} is ahead: {}, but then by more (medians {} "
      "and {}).",
      name_of(other), share, median(winner), median(other));
}

// Rivals the replications cannot tell from the winner, by their places among the differences.
std::vector<std::size_t> undecided(const Contest& contest) {
  std::vector<std::size_t> rivals;
  for (std::size_t i = 0; i < contest.differences.size(); ++i)
    if (among_the_best(contest, i + 1)) rivals.push_back(i);
  return rivals;
}

// Worth a sentence only if it is another than the second and clearly worse; no ratio to a mean of 0
// exists.
std::string furthest_words(const Contest& contest) {
  const CellSummary &first = *contest.rivals.front(), &last = *contest.rivals.back();
  const double best = first.final_regret().mean, worst = last.final_regret().mean;
  if (contest.rivals.size() < 3 || best <= 0 || worst < 1.5 * best) return "";
  return fmt::format(" Furthest behind is {}: {}, {} times as much.", name_of(last),
                     mean_words(last), times_words(worst / best));
}

// The second is the closest by mean, so its difference is the one a reader doubts.
std::string clear_words(const Contest& contest) {
  const std::string winner = name_of(*contest.rivals[0]);
  return fmt::format(
             "{} has the least mean regret, {}. The lead is settled: next comes {} with {}{}",
             winner, mean_words(*contest.rivals[0]), name_of(*contest.rivals[1]),
             lead_words(*contest.differences[0]), share_words(contest, 0)) +
         furthest_words(contest);
}

// Being settled is no order: a noisy third may be tied while a steady second is not. So ties are
// listed wherever they stand, and the first that is clearly behind is looked for among all.
std::string tied_words(const Contest& contest, const std::vector<std::size_t>& tied) {
  std::vector<std::string> names = {name_of(*contest.rivals[0])};
  for (const std::size_t i : tied) names.push_back(name_of(*contest.rivals[i + 1]));
  std::string words = fmt::format("{} cannot be told apart. {} has the smallest mean regret, {}",
                                  enumerated(names), names[0], mean_words(*contest.rivals[0]));
  const PairedDifference* nearest = contest.differences[tied.front()];
  words += nearest == nullptr
               ? "."
               : fmt::format("; {} has {}: the interval holds 0.", names[1], lead_words(*nearest));
  for (std::size_t i = 0; i < contest.differences.size(); ++i)
    if (settled(contest.differences[i])) {
      words += fmt::format(" The first that is clearly behind is {}, with {}.",
                           name_of(*contest.rivals[i + 1]), lead_words(*contest.differences[i]));
      break;
    }
  return words + furthest_words(contest);
}

// How a policy fared over all contests.
struct Record {
  std::string policy;
  std::size_t entered = 0;
  std::size_t won = 0;
  std::size_t won_clearly = 0;
  double furthest = 1;  // largest ratio to the winner's mean regret
  const Contest* where = nullptr;
};

std::vector<Record> records_of(const std::vector<Contest>& contests) {
  std::vector<Record> records;
  for (const Contest& contest : contests)
    for (const CellSummary* rival : contest.rivals) {
      auto record = std::find_if(records.begin(), records.end(), [&](const Record& known) {
        return known.policy == name_of(*rival);
      });
      if (record == records.end()) record = records.insert(records.end(), {name_of(*rival)});
      ++record->entered;
      const bool winner = rival == contest.rivals[0];
      record->won += winner;
      record->won_clearly += winner && undecided(contest).empty();
      const double best = contest.rivals[0]->final_regret().mean;
      const double own = rival->final_regret().mean;
      // Equal first: 0/0 is a tie with the winner, anything above a best of 0 is infinitely far.
      const double ratio = own == best ? 1
                           : best > 0  ? own / best
                                       : std::numeric_limits<double>::infinity();
      // The first contest counts even at ratio 1, so that `where` always points somewhere.
      if (record->where == nullptr || ratio > record->furthest) {
        record->furthest = ratio;
        record->where = &contest;
      }
    }
  return records;
}

std::string factor_words(double ratio) {
  return std::isinf(ratio) ? "infinitely many times" : times_words(ratio) + " times";
}

}  // namespace

std::vector<Contest> contests(const Results& result) {
  std::vector<Contest> all;
  const ShortNames names(result);
  for (const CellSummary& cell : result.cells) {
    if (cell.cell.policy == kOracle) continue;
    if (all.empty() || all.back().instance != cell.cell.instance_label ||
        all.back().horizon != cell.cell.horizon)
      all.push_back({cell.cell.instance_label, names.world(cell.cell), cell.cell.horizon, {}, {}});
    all.back().rivals.push_back(&cell);
  }
  for (Contest& contest : all) {
    // Stable, so that of equal means the first of the plan wins, as it does where the differences
    // were paired: another winner here would find none of them.
    std::stable_sort(contest.rivals.begin(), contest.rivals.end(),
                     [](const CellSummary* a, const CellSummary* b) {
                       return a->final_regret().mean < b->final_regret().mean;
                     });
    for (std::size_t i = 1; i < contest.rivals.size(); ++i) {
      const auto found = std::find_if(
          result.differences.begin(), result.differences.end(), [&](const PairedDifference& d) {
            return d.first == contest.rivals[0]->cell.id && d.second == contest.rivals[i]->cell.id;
          });
      contest.differences.push_back(found == result.differences.end() ? nullptr : &*found);
    }
  }
  return all;
}

std::string horizon_text(Round horizon) {
  Round rest = horizon;
  int zeros = 0;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++zeros;
  return rest == 1 && zeros >= 3 ? fmt::format("10^{}", zeros) : fmt::format("{}", horizon);
}

std::string conditions_words(const Study& study) {
  std::string words;
  for (const GridAxis& axis : study.conditions)
    if (axis.values.size() == 1) words += fmt::format(", {} = {}", axis.key, axis.values.front());
  return words;
}

std::string question_words(const VerdictRule& rule) {
  return rule.late ? rule.name + " (asked after the data)" : rule.name;
}

bool settled(const PairedDifference* difference) {
  return difference != nullptr && difference->difference.count >= 2 &&
         difference->difference.high() < 0;
}

// With no difference, or one replication, nothing can be told from the best: all are marked. Who
// had nobody to beat is not the best of anything.
bool among_the_best(const Contest& contest, std::size_t place) {
  if (contest.rivals.size() < 2) return false;
  return place == 0 || !settled(contest.differences[place - 1]);
}

// What can be said at all, from least to most: one policy, one replication, ties, a clear win.
std::string contest_words(const Contest& contest) {
  const CellSummary& winner = *contest.rivals[0];
  if (contest.rivals.size() == 1)
    return fmt::format("Only {} was run: mean regret {}.", name_of(winner), mean_words(winner));
  if (winner.final_regret().count < 2)
    return fmt::format(
        "{} had the least regret, {}, in the one replication there is. One replication says "
        "nothing about luck: more of them would show who wins.",
        name_of(winner), rounded(winner.final_regret().mean, 0));
  const std::vector<std::size_t> tied = undecided(contest);
  return tied.empty() ? clear_words(contest) : tied_words(contest, tied);
}

std::string overall_words(std::vector<Contest> contests) {
  const std::size_t alone =
      std::erase_if(contests, [](const Contest& contest) { return contest.rivals.size() < 2; });
  std::vector<Record> records = records_of(contests);
  if (contests.size() < 2 || records.size() < 2) return "";
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.won > b.won; });
  // Only winners are named here; who never won may still be the steadiest, below.
  std::vector<std::string> winners;
  for (const Record& record : records)
    if (record.won > 0)
      winners.push_back(
          fmt::format("{} in {} ({} settled)", record.policy, record.won, record.won_clearly));
  std::string words = fmt::format(
      "In {} contests, one for each instance and horizon{}, the least mean regret is that of {}.",
      contests.size(), alone == 0 ? "" : " with two policies or more", enumerated(winners));
  // Only those that were everywhere can be compared by their worst place.
  std::erase_if(records, [&](const Record& record) { return record.entered < contests.size(); });
  if (records.size() < 2) return words;
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.furthest < b.furthest; });
  const Record &steady = records.front(), &unsteady = records.back();
  words +=
      fmt::format(" Nearest to the best everywhere is {}: never more than {} the best mean regret.",
                  steady.policy, factor_words(steady.furthest));
  words += fmt::format(" Furthest in its worst place is {}: {} the best on {}, T = {}.",
                       unsteady.policy, factor_words(unsteady.furthest), unsteady.where->world,
                       grouped(static_cast<double>(unsteady.where->horizon)));
  return words;
}

// For a terminal: the contests one by one only where there is no overall picture. Of a search each
// policy stands in worlds of its own, and there is no contest.
std::string study_words(const StudyResult& result) {
  if (result.plan.study.search) return "";
  const std::vector<Contest> all = contests(result);
  std::string text = overall_words(all);
  if (!text.empty()) return text;
  for (const Contest& contest : all) text += (text.empty() ? "" : " ") + contest_words(contest);
  return text;
}

namespace {

// One row per contest, one column per policy; `text` of a rival in its contest may be empty.
// Columns from the plan: they stay where they are while a run is at work. A world is named once.
template <class Text>
std::string contest_table(const StudyResult& result, const std::string& what, const Screen& screen,
                          Text&& text) {
  std::vector<std::string> header{what, "T"};
  for (const PlannedCell& cell : result.plan.cells)
    if (std::find(header.begin() + 2, header.end(), cell.policy_label) == header.end())
      header.push_back(cell.policy_label);
  TextTable table(header, /*keys=*/2);
  std::string instance;
  for (const Contest& contest : contests(result)) {
    std::vector<std::string> row(header.size());
    row[0] = contest.instance == instance ? "" : contest.instance;
    row[1] = horizon_text(contest.horizon);
    instance = contest.instance;
    for (std::size_t place = 0; place < contest.rivals.size(); ++place) {
      const auto column =
          std::find(header.begin() + 2, header.end(), contest.rivals[place]->cell.policy_label) -
          header.begin();
      row[static_cast<std::size_t>(column)] = text(contest, place);
    }
    table.add(std::move(row));
  }
  return table.print(screen);
}

}  // namespace

// Two blocks with the same columns: mean and quantile in one cell would fit no terminal.
std::string study_table(const StudyResult& result, const Screen& screen) {
  std::string text =
      contest_table(result, "mean ± s.e.", screen, [](const Contest& contest, std::size_t place) {
        return narrow_mean_text(contest.rivals[place]->final_regret()) +
               (among_the_best(contest, place) ? "★" : " ");
      });
  text += wrapped(std::string("★ ") + kMarkWords, prose_columns(screen)) + "\n";
  const bool enough = std::any_of(
      result.cells.begin(), result.cells.end(),
      [](const CellSummary& cell) { return cell.final_regret().count >= kLeastForQuantile; });
  if (enough)
    text += "\n" + contest_table(result, "95% quantile", screen,
                                 [](const Contest& contest, std::size_t place) -> std::string {
                                   const Spread& regret = contest.rivals[place]->final_regret();
                                   if (regret.count < kLeastForQuantile) return "";
                                   return narrow(regret.q95, 0);
                                 });
  const std::string conditions = conditions_words(result.plan.study);
  return text + (conditions.empty() ? "" : "All with " + conditions.substr(2) + "\n");
}

}  // namespace armature
