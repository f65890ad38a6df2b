#include "report/matrix.h"

// From contests to rows, from rows to words, then the two forms: HTML and text for a screen.
// Worlds are rows in both, as a row is what is compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "armature/report.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "report/html.h"
#include "report/search_words.h"
#include "report/short_names.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {

std::size_t AnswerRow::rivals() const {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const auto& entry) { return !!entry; }));
}

std::size_t AnswerRow::marks() const {
  return static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [](const auto& entry) { return entry && entry->marked; }));
}

bool AnswerMatrix::contested() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const AnswerRow& row) { return row.rivals() > 1; });
}

namespace {

// --- Rows ----------------------------------------------------------------------------------------

// A row before its policies have their columns.
struct LooseRow {
  Round horizon = 0;
  AnswerRow row;
  std::vector<AnswerEntry> entries;  // the least first
};

double ratio_to(double least, double own) {
  // Equal first: 0/0 is the least itself.
  if (own == least) return 1;
  return least > 0 ? own / least : std::numeric_limits<double>::infinity();
}

std::vector<LooseRow> rows_of_contests(const Results& result) {
  std::vector<LooseRow> rows;
  for (const Contest& contest : contests(result)) {
    const PlannedCell& first = contest.rivals[0]->cell;
    LooseRow loose{contest.horizon, {contest.world, contest.instance, first.role, {}, 0}, {}};
    loose.row.least = contest.rivals[0]->final_regret().mean;
    for (std::size_t place = 0; place < contest.rivals.size(); ++place)
      loose.entries.push_back(
          {contest.rivals[place],
           ratio_to(loose.row.least, contest.rivals[place]->final_regret().mean),
           among_the_best(contest, place), place == 0 ? nullptr : contest.differences[place - 1]});
    rows.push_back(std::move(loose));
  }
  return rows;
}

// "benign, 10 actions, delay=fixed:10": of a search, what a policy was searched for within. Only
// what differs between rows is said.
std::string place_name(const PlannedCell& cell, bool sizes, bool contexts) {
  std::string name = cell.role;
  if (sizes) name += fmt::format(", {} actions", cell.actions);
  if (contexts) name += fmt::format(", {} contexts", cell.contexts);
  for (const auto& [key, value] : cell.instance_name.conditions)
    name += fmt::format(", {}={}", key, value);
  return name;
}

// Each policy stands in worlds of its own: what is compared is how bad its worst one is. Nothing
// was paired there, so that nothing is marked.
std::vector<LooseRow> rows_of_search(const Results& result) {
  std::set<std::uint32_t> actions, contexts;
  for (const CellSummary& summary : result.cells) {
    actions.insert(summary.cell.actions);
    contexts.insert(summary.cell.contexts);
  }
  std::vector<LooseRow> rows;
  for (const CellSummary& summary : result.cells) {
    const PlannedCell& cell = summary.cell;
    if (cell.policy == kOracle) continue;
    const std::string name = place_name(cell, actions.size() > 1, contexts.size() > 1);
    auto loose = std::find_if(rows.begin(), rows.end(), [&](const LooseRow& known) {
      return known.horizon == cell.horizon && known.row.name == name;
    });
    if (loose == rows.end())
      loose = rows.insert(rows.end(), {cell.horizon, {name, name, cell.role, {}, 0}, {}});
    loose->entries.push_back({&summary});
  }
  for (LooseRow& loose : rows) {
    std::stable_sort(loose.entries.begin(), loose.entries.end(),
                     [](const AnswerEntry& a, const AnswerEntry& b) {
                       return a.cell->final_regret().mean < b.cell->final_regret().mean;
                     });
    loose.row.least = loose.entries[0].cell->final_regret().mean;
    for (AnswerEntry& entry : loose.entries)
      entry.ratio = ratio_to(loose.row.least, entry.cell->final_regret().mean);
  }
  // The plan goes through worlds, which nobody sees here; roles and sizes are what is read.
  std::stable_sort(rows.begin(), rows.end(), [](const LooseRow& a, const LooseRow& b) {
    const auto key = [](const LooseRow& row) {
      const PlannedCell& cell = row.entries[0].cell->cell;
      return std::tuple(cell.role, cell.actions, cell.contexts);
    };
    return key(a) < key(b);
  });
  return rows;
}

// --- Columns -------------------------------------------------------------------------------------

// Where a policy stands in the study file: its entry, then its values along each axis.
std::vector<std::ptrdiff_t> place_in_file(const Study& study, const PlannedName& name) {
  const auto entry =
      std::find_if(study.policies.begin(), study.policies.end(), [&](const GridEntry& candidate) {
        return candidate.label == name.label &&
               (!name.label.empty() || candidate.name == name.name);
      });
  std::vector<std::ptrdiff_t> place{entry - study.policies.begin()};
  if (entry == study.policies.end()) return place;
  for (const GridAxis& axis : entry->axes)
    for (const auto& [key, value] : name.varied)
      if (key == axis.key)
        place.push_back(std::find(axis.values.begin(), axis.values.end(), value) -
                        axis.values.begin());
  return place;
}

// The plan's order, but after a search, which has left some cells here and some there, that of the
// study file. The oracle aside.
std::vector<const PlannedCell*> policies_in_order(const StudyPlan& plan) {
  std::vector<const PlannedCell*> policies;
  for (const PlannedCell& cell : plan.cells)
    if (cell.policy != kOracle &&
        std::none_of(policies.begin(), policies.end(), [&](const PlannedCell* known) {
          return known->policy_label == cell.policy_label;
        }))
      policies.push_back(&cell);
  if (plan.study.search)
    std::stable_sort(policies.begin(), policies.end(),
                     [&](const PlannedCell* a, const PlannedCell* b) {
                       return place_in_file(plan.study, a->policy_name) <
                              place_in_file(plan.study, b->policy_name);
                     });
  return policies;
}

AnswerMatrix with_columns(std::vector<LooseRow> rows,
                          const std::vector<const PlannedCell*>& policies,
                          const ShortNames& names) {
  AnswerMatrix matrix;
  std::vector<const PlannedCell*> columns;
  for (const PlannedCell* policy : policies) {
    const bool here = std::any_of(rows.begin(), rows.end(), [&](const LooseRow& loose) {
      return std::any_of(loose.entries.begin(), loose.entries.end(), [&](const auto& entry) {
        return entry.cell->cell.policy_label == policy->policy_label;
      });
    });
    if (here) columns.push_back(policy);
    (here ? matrix.policies : matrix.absent).push_back(names.policy(*policy));
  }
  for (LooseRow& loose : rows) {
    loose.row.entries.resize(columns.size());
    for (const AnswerEntry& entry : loose.entries)
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i]->policy_label == entry.cell->cell.policy_label) loose.row.entries[i] = entry;
    matrix.rows.push_back(std::move(loose.row));
  }
  return matrix;
}

// --- Words ---------------------------------------------------------------------------------------

// Rounded to what a reader keeps.
std::string times_text(double ratio) {
  if (std::isinf(ratio)) return "infinitely many";
  if (ratio < 1.995) return fmt::format("{:.2f}", ratio);
  if (ratio < 9.95) return fmt::format("{:.1f}", ratio);
  if (ratio < 999.5) return fmt::format("{:.0f}", ratio);
  if (ratio < 1e6) return grouped(std::round(ratio / 100) * 100);
  return fmt::format("{:.1e}", ratio);
}

// The same where it is a promise: never below the truth.
std::string within_text(double ratio) {
  const double step = ratio < 1.995 ? 0.01 : ratio < 9.95 ? 0.1 : ratio < 999.5 ? 1 : 100;
  // What is a multiple of the step already must not gain one by the last bit.
  return std::isinf(ratio) ? times_text(ratio) : times_text(std::ceil(ratio / step - 1e-9) * step);
}

std::string quoted(std::string name) {
  std::erase(name, '`');  // it would end the code early
  return "`" + name + "`";
}

std::string enumerated(const std::vector<std::string>& names) {
  if (names.size() < 2) return join(names, "");
  return join({names.begin(), names.end() - 1}, ", ") + " and " + names.back();
}

// One column over all rows in which it has rivals.
struct Fared {
  std::size_t policy = 0;
  std::size_t entered = 0;
  double furthest = 1;
  const AnswerRow* where = nullptr;  // it is furthest behind
  double behind = 1;                 // the same, of the rows in which it is not among the best:
  const AnswerRow* behind_where = nullptr;  // none, where it is so everywhere
  std::vector<double> ratios;               // the largest first
  double typical = 1;                       // their geometric mean, of each at most 100
  std::vector<const AnswerRow*> best;       // alone or among others; of a search, the least
  std::size_t alone = 0;                    // of these: settled
};

// Beyond a hundred all is lost alike: one world in which the best has next to no regret, or none,
// must not decide who is near it on the whole.
double capped_geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += portable::log(std::min(ratio, 100.0));
  return portable::exp(sum / static_cast<double>(std::max<std::size_t>(1, ratios.size())));
}

std::vector<Fared> fared(const AnswerMatrix& matrix) {
  std::vector<Fared> all;
  for (std::size_t i = 0; i < matrix.policies.size(); ++i) {
    Fared one;
    one.policy = i;
    for (const AnswerRow& row : matrix.rows) {
      if (!row.entries[i] || row.rivals() < 2) continue;
      const AnswerEntry& entry = *row.entries[i];
      ++one.entered;
      one.ratios.push_back(entry.ratio);
      if (one.where == nullptr || entry.ratio > one.furthest) {
        one.furthest = entry.ratio;
        one.where = &row;
      }
      if (!(matrix.searched ? entry.ratio == 1 : entry.marked)) {
        if (entry.ratio > one.behind) {
          one.behind = entry.ratio;
          one.behind_where = &row;
        }
        continue;
      }
      one.best.push_back(&row);
      one.alone += matrix.searched || row.marks() == 1;
    }
    std::sort(one.ratios.begin(), one.ratios.end(), std::greater<>());
    one.typical = capped_geometric_mean(one.ratios);
    all.push_back(std::move(one));
  }
  return all;
}

std::size_t contested_rows(const AnswerMatrix& matrix) {
  return static_cast<std::size_t>(
      std::count_if(matrix.rows.begin(), matrix.rows.end(),
                    [](const AnswerRow& row) { return row.rivals() > 1; }));
}

std::string row_noun(const AnswerMatrix& matrix) {
  return matrix.horizon == 0 ? "horizons" : matrix.searched ? "rows" : "worlds";
}

// "at T = 10^4", "in benign".
std::string in_words(const AnswerMatrix& matrix, const std::string& names) {
  return (matrix.horizon == 0 ? "at " : "in ") + names;
}

// "in all benign worlds", where they are all the benign ones and no other; else by name as long as
// they are few.
std::string rows_words(const AnswerMatrix& matrix, const std::vector<const AnswerRow*>& rows) {
  const std::size_t contested = contested_rows(matrix);
  if (rows.size() == contested && contested > 1)
    return in_words(matrix, contested == 2 ? "both " + row_noun(matrix)
                                           : fmt::format("all {} {}", contested, row_noun(matrix)));
  for (const char* role : {"benign", "worst-case"}) {
    const auto of_role = [&](const AnswerRow& row) { return row.role == role && row.rivals() > 1; };
    const auto count = std::count_if(matrix.rows.begin(), matrix.rows.end(), of_role);
    const bool all =
        std::all_of(rows.begin(), rows.end(), [&](const AnswerRow* row) { return of_role(*row); });
    if (matrix.horizon != 0 && all && count > 1 && rows.size() == static_cast<std::size_t>(count))
      return fmt::format("in {} {} {}", count == 2 ? "both" : "all", role, row_noun(matrix));
  }
  constexpr std::size_t kMostNamed = 3;
  if (rows.size() > kMostNamed)
    return in_words(matrix, fmt::format("{} of {} {}", rows.size(), contested, row_noun(matrix)));
  std::vector<std::string> names;
  for (const AnswerRow* row : rows) names.push_back(row->name);
  return in_words(matrix, enumerated(names));
}

// "3,200 times the least in confounded".
std::string times_words(const AnswerMatrix& matrix, double times, const AnswerRow& row) {
  const std::string where = in_words(matrix, row.name);
  return std::isinf(times) ? fmt::format("regret {}, where the least is none at all", where)
                           : fmt::format("{} times the least {}", times_text(times), where);
}
std::string furthest_words(const AnswerMatrix& matrix, const Fared& one) {
  return times_words(matrix, one.furthest, *one.where);
}

// "`c-ucb` is the best in benign, but has 40 times the least in reversed".
std::string winner_words(const AnswerMatrix& matrix, const Fared& one) {
  const std::string best = matrix.searched                ? "has the least"
                           : one.alone == one.best.size() ? "is the best"
                                                          : "is among the best";
  std::string words = fmt::format("{} {} {}", quoted(matrix.policies[one.policy]), best,
                                  rows_words(matrix, one.best));
  constexpr double kWorthSaying = 1.1;
  if (one.behind >= kWorthSaying)
    words += ", but has " + times_words(matrix, one.behind, *one.behind_where);
  return words;
}

// Who is near the best nearly everywhere, and where it is not.
constexpr double kNear = 3;
std::string steady_words(const AnswerMatrix& matrix, const Fared& one) {
  const std::string name = quoted(matrix.policies[one.policy]);
  const char* best = matrix.searched ? "least" : "best";
  const auto far = static_cast<std::size_t>(
      std::count_if(one.ratios.begin(), one.ratios.end(), [](double r) { return r > kNear; }));
  if (far == 0)
    return fmt::format("{} is within {} times the {} everywhere", name, within_text(one.furthest),
                       best);
  if (!one.best.empty() && one.best.size() == one.entered - far) return winner_words(matrix, one);
  if (3 * far <= one.entered)
    return fmt::format("{} is within {} times the {} in {} of {} {}, but has {}", name,
                       within_text(one.ratios[far]), best, one.entered - far, one.entered,
                       row_noun(matrix), furthest_words(matrix, one));
  return fmt::format("{} is nearest to the {} in the geometric mean, but has {}", name, best,
                     furthest_words(matrix, one));
}

std::string only_policy_words(const AnswerMatrix& matrix) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const AnswerRow& row : matrix.rows) {
    least = std::min(least, row.least);
    most = std::max(most, row.least);
  }
  const std::string who = matrix.policies.size() == 1
                              ? "Only " + quoted(matrix.policies[0]) + " was run"
                              : std::string("No two policies were run in one world");
  return fmt::format(
      "{}: nothing to compare. Mean regret is {}.", who,
      least == most ? narrow(least, 0) : narrow(least, 0) + " to " + narrow(most, 0));
}

bool one_replication(const AnswerMatrix& matrix) {
  for (const AnswerRow& row : matrix.rows)
    for (const auto& entry : row.entries)
      if (entry && entry->cell->final_regret().count > 1) return false;
  return true;
}

}  // namespace

std::vector<AnswerMatrix> matrices(const StudyResult& result) {
  const ShortNames names(result);
  const bool searched = result.plan.study.search.has_value();
  std::vector<LooseRow> rows = searched ? rows_of_search(result) : rows_of_contests(result);
  if (rows.empty()) return {};
  const std::vector<const PlannedCell*> policies = policies_in_order(result.plan);
  std::set<Round, std::greater<>> horizons;
  std::set<std::string> worlds;
  for (const LooseRow& loose : rows) {
    horizons.insert(loose.horizon);
    worlds.insert(loose.row.full_name);
  }
  if (worlds.size() == 1 && horizons.size() > 1) {
    const std::string world = rows[0].row.name;
    for (LooseRow& loose : rows)
      loose.row.name = loose.row.full_name = "T = " + horizon_text(loose.horizon);
    AnswerMatrix matrix = with_columns(std::move(rows), policies, names);
    matrix.world = world;
    matrix.searched = searched;
    return {matrix};
  }
  std::vector<AnswerMatrix> all;
  for (const Round horizon : horizons) {
    std::vector<LooseRow> here;
    for (const LooseRow& loose : rows)
      if (loose.horizon == horizon) here.push_back(loose);
    all.push_back(with_columns(std::move(here), policies, names));
    all.back().horizon = horizon;
    all.back().searched = searched;
  }
  return all;
}

std::string entry_text(const AnswerMatrix& matrix, const AnswerRow& row, const AnswerEntry& entry) {
  if (!matrix.contested()) return narrow_mean_text(entry.cell->final_regret());
  if (row.least == 0) return entry.ratio == 1 ? "0" : "∞";
  if (entry.ratio == 1) return "1.00";
  return times_text(entry.ratio) + "×";
}

std::string mark_text(const AnswerRow& row, const AnswerEntry& entry) {
  if (!entry.marked) return "";
  return row.marks() == 1 ? "★" : "☆";
}

std::string answer_words(const AnswerMatrix& matrix) {
  if (!matrix.contested()) return only_policy_words(matrix);
  std::vector<Fared> all = fared(matrix);
  std::vector<std::string> parts;
  // The steadiest, of those that were everywhere: with one row that is the best again.
  const std::size_t contested = contested_rows(matrix);
  const Fared* steady = nullptr;
  for (const Fared& one : all)
    if (contested > 1 && one.entered == contested &&
        (steady == nullptr || one.typical < steady->typical))
      steady = &one;
  const std::size_t who_is_steady = steady == nullptr ? all.size() : steady->policy;
  if (steady != nullptr)
    parts.push_back(steady->best.size() == contested ? winner_words(matrix, *steady)
                                                     : steady_words(matrix, *steady));
  // Then who is the best where: those with the most rows first; of equals the nearest to the least,
  // so that who has the least is never passed over for who cannot be told from it.
  std::stable_sort(all.begin(), all.end(), [](const Fared& a, const Fared& b) {
    return std::tuple(a.best.size(), a.alone, -a.typical) >
           std::tuple(b.best.size(), b.alone, -b.typical);
  });
  constexpr std::size_t kMostParts = 3;
  for (const Fared& one : all)
    if (!one.best.empty() && one.policy != who_is_steady && parts.size() < kMostParts)
      parts.push_back(winner_words(matrix, one));
  // Where one has it all, the others are worth a word.
  if (parts.size() == 1) {
    const auto last = std::max_element(all.begin(), all.end(), [](const Fared& a, const Fared& b) {
      return a.furthest < b.furthest;
    });
    if (last->furthest > 1)
      parts.push_back(fmt::format("furthest behind is {} with {}",
                                  quoted(matrix.policies[last->policy]),
                                  furthest_words(matrix, *last)));
  }
  const std::string words = join(parts, "; ") + ".";
  if (one_replication(matrix) && !matrix.searched)
    return words + " But that is one replication, which says nothing about luck.";
  return words;
}

// --- HTML ----------------------------------------------------------------------------------------

namespace {

// Steps of shading: a difference of a tenth is seen, and beyond a hundred all is lost alike.
int shade_of(double ratio) {
  constexpr double kSteps[] = {1.1, 1.5, 2, 4, 10, 30, 100};
  int shade = 0;
  for (const double step : kSteps) shade += ratio >= step;
  return shade;
}

std::string least_text(const AnswerRow& row) { return row.least == 0 ? "0" : narrow(row.least, 0); }

// What stands behind the number, for whoever points at it.
std::string hover_words(const std::string& policy, const AnswerEntry& entry) {
  const Spread& regret = entry.cell->final_regret();
  std::string words = fmt::format("{} in {}: mean regret {}, median {}, {} replication{}", policy,
                                  entry.cell->cell.instance_label, mean_text(regret),
                                  rounded(regret.median, regret.standard_error), regret.count,
                                  regret.count == 1 ? "" : "s");
  if (entry.difference == nullptr || entry.difference->difference.count < 2) return words;
  const Spread& d = entry.difference->difference;
  return words + fmt::format("; {} more than the least (95% interval {} to {})",
                             rounded(-d.mean, d.standard_error),
                             rounded(-d.high(), d.standard_error),
                             rounded(-d.low(), d.standard_error));
}

std::string row_html(const AnswerMatrix& matrix, const AnswerRow& row) {
  std::string html = fmt::format("<tr><th scope=\"row\" title=\"{}\">{}</th>",
                                 html_escaped(row.full_name), html_breakable(row.name));
  if (matrix.contested()) html += fmt::format("<td class=\"least\">{}</td>", least_text(row));
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    if (!row.entries[i]) {
      html += "<td class=\"missing\">–</td>";
      continue;
    }
    const AnswerEntry& entry = *row.entries[i];
    const std::string mark = mark_text(row, entry);
    html += fmt::format(
        "<td class=\"{}shade-{}\" title=\"{}\">{}<span class=\"mark\">{}</span></td>",
        mark.empty() ? "" : "best ", matrix.contested() ? shade_of(entry.ratio) : 0,
        html_escaped(hover_words(matrix.policies[i], entry)), entry_text(matrix, row, entry), mark);
  }
  return html + "</tr>\n";
}

std::string first_heading(const AnswerMatrix& matrix) {
  return matrix.horizon == 0 ? "horizon" : matrix.searched ? "worst of" : "world";
}

std::string heading_words(const AnswerMatrix& matrix) {
  std::string words = matrix.contested() ? "Mean regret" : "Mean regret ± standard error";
  words += matrix.horizon == 0
               ? " in " + matrix.world
               : fmt::format(" at T = {}", grouped(static_cast<double>(matrix.horizon)));
  if (matrix.searched) words += " in the worst world found for each policy";
  if (matrix.contested()) words += ", as a multiple of the least of its row";
  return words;
}

bool shows(const AnswerMatrix& matrix, const std::string& mark) {
  for (const AnswerRow& row : matrix.rows)
    for (const auto& entry : row.entries)
      if (entry && mark_text(row, *entry) == mark) return true;
  return false;
}

// Only what is there is explained.
std::vector<std::string> key_words(const AnswerMatrix& matrix) {
  std::vector<std::string> words;
  if (shows(matrix, "★"))
    words.push_back(
        "★ the best, settled (the 95% intervals of its paired differences leave out 0)");
  if (shows(matrix, "☆"))
    words.push_back(one_replication(matrix)
                        ? "☆ not to be told from the best (one replication has no error)"
                        : "☆ not to be told from the best (the 95% interval reaches 0)");
  const bool infinite = std::any_of(matrix.rows.begin(), matrix.rows.end(), [](const auto& row) {
    return std::any_of(row.entries.begin(), row.entries.end(),
                       [](const auto& entry) { return entry && std::isinf(entry->ratio); });
  });
  if (infinite) words.push_back("∞ the least is no regret at all");
  if (!matrix.absent.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : matrix.absent) names.push_back(quoted(name));
    words.push_back("not run here: " + enumerated(names));
  }
  return words;
}

std::string table_html(const AnswerMatrix& matrix) {
  const std::string heading = heading_words(matrix);
  std::string html =
      fmt::format("<table>\n<thead><tr><th scope=\"col\">{}</th>", first_heading(matrix));
  if (matrix.contested()) html += "<th scope=\"col\" class=\"least\">least</th>";
  for (const std::string& policy : matrix.policies)
    html += fmt::format("<th scope=\"col\"><span>{}</span></th>", html_breakable(policy));
  html += "</tr></thead>\n<tbody>\n";
  for (const AnswerRow& row : matrix.rows) html += row_html(matrix, row);
  // The caption stands before the box: inside it would scroll away.
  html = fmt::format("<p class=\"caption\">{}</p>\n", html_escaped(heading)) +
         html_scrolling("matrix", heading, html + "</tbody>\n</table>");
  const std::vector<std::string> key = key_words(matrix);
  if (!key.empty()) html += "<p class=\"key\">" + html_text(join(key, " · ")) + "</p>\n";
  return html;
}

}  // namespace

std::string matrix_html(const StudyResult& result, const std::vector<AnswerMatrix>& all) {
  if (all.empty()) return "";
  const auto sentence = [&](const AnswerMatrix& matrix) {
    return fmt::format("<p class=\"answer\">{}{}</p>\n",
                       result.complete ? "" : "So far: ", html_text(answer_words(matrix)));
  };
  std::string html = "<section id=\"answer\">\n" + table_html(all[0]) + sentence(all[0]);
  if (all[0].searched)
    html += fmt::format("<p class=\"facts\">{}</p>\n", html_text(search_words(result.plan.study)));
  if (all.size() > 1) {
    std::vector<std::string> horizons;
    for (std::size_t i = 1; i < all.size(); ++i)
      horizons.push_back(grouped(static_cast<double>(all[i].horizon)));
    html +=
        fmt::format("<details class=\"shorter\"><summary>At shorter horizons: T = {}</summary>\n",
                    enumerated(horizons));
    for (std::size_t i = 1; i < all.size(); ++i) html += table_html(all[i]) + sentence(all[i]);
    html += "</details>\n";
  }
  return html + "</section>\n";
}

// --- Text ----------------------------------------------------------------------------------------

namespace {

// Worlds stay rows at any width: policies that do not fit beside each other go on below.
std::string table_text(const AnswerMatrix& matrix, const Screen& screen) {
  std::vector<std::string> header{first_heading(matrix)};
  if (matrix.contested()) header.push_back("least");
  header.insert(header.end(), matrix.policies.begin(), matrix.policies.end());
  TextTable table(header);
  const std::size_t first = header.size() - matrix.policies.size();
  for (const AnswerRow& row : matrix.rows) {
    std::vector<std::string> cells{row.name};
    if (matrix.contested()) cells.push_back(least_text(row));
    for (const auto& entry : row.entries) {
      const std::string mark = entry ? mark_text(row, *entry) : "";
      cells.push_back((entry ? entry_text(matrix, row, *entry) : "–") +
                      (mark.empty() ? " " : mark));  // marks have a column of their own
    }
    table.add(cells);
    for (std::size_t i = 0; i < row.entries.size(); ++i)
      if (row.entries[i] && !mark_text(row, *row.entries[i]).empty())
        table.style(first + i, Style::kBold);
  }
  return table.print(screen);
}

}  // namespace

std::string study_answer(const StudyResult& result, const Screen& screen) {
  const std::vector<AnswerMatrix> all = matrices(result);
  if (all.empty()) return "Nothing has been run yet.\n";
  const AnswerMatrix& matrix = all[0];
  // Names are somebody's own.
  const auto lines = [&](const std::string& words) {
    return wrapped(visible(words), prose_columns(screen));
  };
  std::string text = lines(heading_words(matrix)) + "\n\n" + table_text(matrix, screen);
  for (const std::string& words : key_words(matrix)) text += lines(words) + "\n";
  const std::string conditions = conditions_words(result.plan.study);
  if (!conditions.empty()) text += lines("All with " + conditions.substr(2)) + "\n";
  if (matrix.searched) text += lines(search_words(result.plan.study)) + "\n";
  text += "\n" + lines((result.complete ? "" : "So far: ") + answer_words(matrix)) + "\n";
  return text;
}

}  // namespace armature
