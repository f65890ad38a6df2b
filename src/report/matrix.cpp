#include "report/matrix.h"

// From contests to rows, from rows to words, then the two forms: HTML and text of a given width.
// Worlds are rows in both, as a row is what is compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "armature/report.h"
#include "base/text.h"
#include "report/html.h"
#include "report/search_words.h"
#include "report/short_names.h"
#include "report/study_figures.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {

std::size_t MatrixRow::rivals() const {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const auto& entry) { return !!entry; }));
}

std::size_t MatrixRow::marks() const {
  return static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [](const auto& entry) { return entry && entry->marked; }));
}

bool Matrix::contested() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const MatrixRow& row) { return row.rivals() > 1; });
}

namespace {

// --- Rows ----------------------------------------------------------------------------------------

// A row before its policies have their columns.
struct LooseRow {
  Round horizon = 0;
  MatrixRow row;
  std::vector<MatrixEntry> entries;  // the least first
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
                     [](const MatrixEntry& a, const MatrixEntry& b) {
                       return a.cell->final_regret().mean < b.cell->final_regret().mean;
                     });
    loose.row.least = loose.entries[0].cell->final_regret().mean;
    for (MatrixEntry& entry : loose.entries)
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

// In the order of the study file (of a search the plan has another), the oracle aside.
std::vector<const PlannedCell*> policies_in_order(const StudyPlan& plan) {
  std::vector<const PlannedCell*> policies;
  for (const PlannedCell& cell : plan.cells)
    if (cell.policy != kOracle &&
        std::none_of(policies.begin(), policies.end(), [&](const PlannedCell* known) {
          return known->policy_label == cell.policy_label;
        }))
      policies.push_back(&cell);
  const auto place = [&](const PlannedCell* cell) {
    const auto& entries = plan.study.policies;
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const GridEntry& entry) {
      return entry.label.empty() ? entry.name == cell->policy_name.name
                                 : entry.label == cell->policy_name.label;
    });
    return found - entries.begin();
  };
  if (plan.study.search)
    std::stable_sort(
        policies.begin(), policies.end(), [&](const PlannedCell* a, const PlannedCell* b) {
          return std::tuple(place(a), a->policy_label) < std::tuple(place(b), b->policy_label);
        });
  return policies;
}

Matrix with_columns(std::vector<LooseRow> rows, const std::vector<const PlannedCell*>& policies,
                    const ShortNames& names) {
  Matrix matrix;
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
    for (const MatrixEntry& entry : loose.entries)
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
  const MatrixRow* where = nullptr;
  std::vector<const MatrixRow*> best;  // alone or among others; of a search, the least
  std::size_t alone = 0;               // of these: settled
};

std::vector<Fared> fared(const Matrix& matrix) {
  std::vector<Fared> all;
  for (std::size_t i = 0; i < matrix.policies.size(); ++i) {
    Fared one{i, 0, 1, nullptr, {}, 0};
    for (const MatrixRow& row : matrix.rows) {
      if (!row.entries[i] || row.rivals() < 2) continue;
      const MatrixEntry& entry = *row.entries[i];
      ++one.entered;
      if (one.where == nullptr || entry.ratio > one.furthest) {
        one.furthest = entry.ratio;
        one.where = &row;
      }
      if (!(matrix.searched ? entry.ratio == 1 : entry.marked)) continue;
      one.best.push_back(&row);
      one.alone += matrix.searched || row.marks() == 1;
    }
    all.push_back(std::move(one));
  }
  return all;
}

// "in the benign worlds", where they are all the benign ones and no other; else by name as long as
// they are few.
std::string rows_words(const Matrix& matrix, const std::vector<const MatrixRow*>& rows) {
  std::size_t contested = 0;
  for (const MatrixRow& row : matrix.rows) contested += row.rivals() > 1;
  const char* several = matrix.horizon == 0 ? "horizons" : matrix.searched ? "rows" : "worlds";
  if (rows.size() == contested)
    return contested == 1 ? "in " + rows[0]->name : fmt::format("in all {} {}", contested, several);
  for (const char* role : {"benign", "worst-case"}) {
    const auto of_role = [&](const MatrixRow& row) { return row.role == role && row.rivals() > 1; };
    const auto count = std::count_if(matrix.rows.begin(), matrix.rows.end(), of_role);
    const bool all =
        std::all_of(rows.begin(), rows.end(), [&](const MatrixRow* row) { return of_role(*row); });
    if (all && count > 1 && rows.size() == static_cast<std::size_t>(count))
      return fmt::format("in the {} worlds", role == std::string("benign") ? role : "other");
  }
  constexpr std::size_t kMostNamed = 3;
  if (rows.size() > kMostNamed)
    return fmt::format("in {} of {} {}", rows.size(), contested, several);
  std::vector<std::string> names;
  for (const MatrixRow* row : rows) names.push_back(row->name);
  return (matrix.horizon == 0 ? "at " : "in ") + enumerated(names);
}

// "best in benign and 40 times as much in reversed".
std::string winner_words(const Matrix& matrix, const Fared& one) {
  const std::string best = matrix.searched                ? "has the least"
                           : one.alone == one.best.size() ? "is the best"
                                                          : "is among the best";
  std::string words = fmt::format("{} {} {}", quoted(matrix.policies[one.policy]), best,
                                  rows_words(matrix, one.best));
  constexpr double kWorthSaying = 1.1;
  if (one.furthest >= kWorthSaying)
    words += fmt::format(", and has {} times the least in {}", times_text(one.furthest),
                         one.where->name);
  return words;
}

std::string only_policy_words(const Matrix& matrix) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const MatrixRow& row : matrix.rows) {
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

bool one_replication(const Matrix& matrix) {
  for (const MatrixRow& row : matrix.rows)
    for (const auto& entry : row.entries)
      if (entry && entry->cell->final_regret().count > 1) return false;
  return true;
}

}  // namespace

std::vector<Matrix> matrices(const StudyResult& result) {
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
    Matrix matrix = with_columns(std::move(rows), policies, names);
    matrix.world = world;
    matrix.searched = searched;
    return {matrix};
  }
  std::vector<Matrix> all;
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

std::string entry_text(const Matrix& matrix, const MatrixRow& row, const MatrixEntry& entry) {
  if (!matrix.contested()) return narrow_mean_text(entry.cell->final_regret());
  if (row.least == 0) return entry.ratio == 1 ? "0" : "∞";
  if (entry.ratio == 1) return "1.00";
  return times_text(entry.ratio) + "×";
}

std::string mark_text(const MatrixRow& row, const MatrixEntry& entry) {
  if (!entry.marked) return "";
  return row.marks() == 1 ? "★" : "☆";
}

std::string answer_words(const Matrix& matrix) {
  if (!matrix.contested()) return only_policy_words(matrix);
  std::vector<Fared> all = fared(matrix);
  std::size_t contested = 0;
  for (const MatrixRow& row : matrix.rows) contested += row.rivals() > 1;

  std::vector<std::string> parts;
  // The steadiest, of those that were everywhere: with one row that is the best again.
  const Fared* steady = nullptr;
  for (const Fared& one : all)
    if (one.entered == contested && (steady == nullptr || one.furthest < steady->furthest))
      steady = &one;
  if (contested > 1 && steady != nullptr && !std::isinf(steady->furthest)) {
    if (steady->best.size() == contested)
      parts.push_back(winner_words(matrix, *steady));
    else
      parts.push_back(fmt::format(
          "{} is within {} times the {} everywhere", quoted(matrix.policies[steady->policy]),
          within_text(steady->furthest), matrix.searched ? "least" : "best"));
  } else {
    steady = nullptr;
  }

  // Then who is the best where: those with the most rows first.
  const std::size_t who_is_steady = steady == nullptr ? all.size() : steady->policy;
  std::stable_sort(all.begin(), all.end(), [](const Fared& a, const Fared& b) {
    return std::tuple(a.best.size(), a.alone) > std::tuple(b.best.size(), b.alone);
  });
  constexpr std::size_t kMostParts = 3;
  for (const Fared& one : all)
    if (!one.best.empty() && one.policy != who_is_steady && parts.size() < kMostParts)
      parts.push_back(winner_words(matrix, one));
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

// What stands behind the number, for whoever points at it.
std::string hover_words(const std::string& policy, const MatrixEntry& entry) {
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

std::string row_html(const Matrix& matrix, const MatrixRow& row) {
  std::string html = fmt::format("<tr><th scope=\"row\" title=\"{}\">{}</th>",
                                 html_escaped(row.full_name), html_escaped(row.name));
  if (matrix.contested()) html += fmt::format("<td class=\"least\">{}</td>", narrow(row.least, 0));
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    if (!row.entries[i]) {
      html += "<td class=\"missing\">–</td>";
      continue;
    }
    const MatrixEntry& entry = *row.entries[i];
    const std::string mark = mark_text(row, entry);
    html += fmt::format(
        "<td class=\"{}shade-{}\" title=\"{}\">{}<span class=\"mark\">{}</span></td>",
        mark.empty() ? "" : "best ", matrix.contested() ? shade_of(entry.ratio) : 0,
        html_escaped(hover_words(matrix.policies[i], entry)), entry_text(matrix, row, entry), mark);
  }
  return html + "</tr>\n";
}

std::string heading_words(const Matrix& matrix) {
  const std::string where =
      matrix.horizon == 0 ? " in " + matrix.world
                          : fmt::format(" at T = {}", grouped(static_cast<double>(matrix.horizon)));
  if (!matrix.contested()) return "Mean regret ± standard error" + where;
  return fmt::format("Mean regret{}, as a multiple of the least of its row", where);
}

bool shows(const Matrix& matrix, const std::string& mark) {
  for (const MatrixRow& row : matrix.rows)
    for (const auto& entry : row.entries)
      if (entry && mark_text(row, *entry) == mark) return true;
  return false;
}

// Only what is there is explained.
std::vector<std::string> key_words(const Matrix& matrix) {
  std::vector<std::string> words;
  if (shows(matrix, "★"))
    words.push_back("★ the best, settled: the 95% intervals of all paired differences leave out 0");
  if (shows(matrix, "☆"))
    words.push_back(
        "☆ cannot be told from the best: the 95% interval of the paired difference "
        "reaches 0");
  const bool nothing = std::any_of(matrix.rows.begin(), matrix.rows.end(), [](const auto& row) {
    return row.rivals() > 1 && row.least == 0;
  });
  if (nothing) words.push_back("∞ the least is no regret at all");
  if (!matrix.absent.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : matrix.absent) names.push_back(quoted(name));
    words.push_back("not run here: " + enumerated(names));
  }
  return words;
}

std::string table_html(const Matrix& matrix) {
  std::string html =
      fmt::format("<table>\n<caption>{}</caption>\n<thead><tr><th scope=\"col\">{}</th>",
                  html_escaped(heading_words(matrix)), matrix.horizon == 0 ? "horizon" : "world");
  if (matrix.contested()) html += "<th scope=\"col\" class=\"least\">least</th>";
  for (const std::string& policy : matrix.policies)
    html += fmt::format("<th scope=\"col\"><span>{}</span></th>", html_escaped(policy));
  html += "</tr></thead>\n<tbody>\n";
  for (const MatrixRow& row : matrix.rows) html += row_html(matrix, row);
  html = html_scrolling("matrix", heading_words(matrix), html + "</tbody>\n</table>");
  const std::vector<std::string> key = key_words(matrix);
  if (!key.empty()) html += "<p class=\"key\">" + html_text(join(key, ". ")) + ".</p>\n";
  return html;
}

}  // namespace

std::string matrix_html(const StudyResult& result, const std::vector<Matrix>& all) {
  if (all.empty()) return "";
  const auto sentence = [&](const Matrix& matrix) {
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

// A name that would take a column to itself is a number here and spelt out below.
class Key {
 public:
  explicit Key(std::size_t most) : most_(most) {}
  std::string name(const std::string& name) {
    if (name.size() <= most_) return name;
    auto known = std::find(names_.begin(), names_.end(), name);
    if (known == names_.end()) known = names_.insert(names_.end(), name);
    return fmt::format("[{}]", known - names_.begin() + 1);
  }
  std::string print(std::size_t width) const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i)
      text += wrapped(fmt::format("[{}] {}", i + 1, names_[i]), width) + "\n";
    return text;
  }

 private:
  std::size_t most_;
  std::vector<std::string> names_;
};

// One block of columns from `first` up to `last`.
std::string block_text(const Matrix& matrix, std::size_t first, std::size_t last, Key& worlds,
                       Key& policies) {
  std::vector<std::string> header{matrix.horizon == 0 ? "horizon" : "world"};
  if (matrix.contested()) header.push_back("least");
  for (std::size_t i = first; i < last; ++i)
    header.push_back(policies.name(matrix.policies[i]) + " ");  // the column of marks
  TextTable table(header);
  for (const MatrixRow& row : matrix.rows) {
    std::vector<std::string> cells{worlds.name(row.name)};
    if (matrix.contested()) cells.push_back(narrow(row.least, 0));
    for (std::size_t i = first; i < last; ++i) {
      const auto& entry = row.entries[i];
      const std::string mark = entry ? mark_text(row, *entry) : "";
      cells.push_back((entry ? entry_text(matrix, row, *entry) : "–") +
                      (mark.empty() ? " " : mark));
    }
    table.add(std::move(cells));
  }
  return table.print();
}

// Of the rule below the header, which is as wide as the block.
std::size_t block_width(const std::string& block) {
  const std::size_t start = block.find("─");
  std::size_t width = 0;
  for (std::size_t i = start; i < block.size() && block[i] != '\n'; ++i)
    width += (block[i] & 0xC0) != 0x80;
  return width;
}

// Worlds stay rows at any width: policies that do not fit beside each other come in a further
// block.
std::string blocks_text(const Matrix& matrix, std::size_t width) {
  Key worlds(width / 3), policies(width / 4);
  std::string text;
  for (std::size_t first = 0; first < matrix.policies.size();) {
    std::size_t last = first + 1;
    while (last < matrix.policies.size()) {
      Key trial_worlds(width / 3), trial_policies(width / 4);
      if (block_width(block_text(matrix, first, last + 1, trial_worlds, trial_policies)) > width)
        break;
      ++last;
    }
    text += (first == 0 ? "" : "\n") + block_text(matrix, first, last, worlds, policies);
    first = last;
  }
  return text + worlds.print(width) + policies.print(width);
}

}  // namespace

std::string study_answer(const StudyResult& result, std::size_t width) {
  const std::vector<Matrix> all = matrices(result);
  if (all.empty()) return "Nothing has been run yet.\n";
  const Matrix& matrix = all[0];
  std::string text = wrapped(heading_words(matrix), width) + "\n\n" + blocks_text(matrix, width);
  for (const std::string& words : key_words(matrix)) text += wrapped(words, width) + "\n";
  const std::string conditions = conditions_words(result.plan.study);
  if (!conditions.empty()) text += wrapped("All with " + conditions.substr(2), width) + "\n";
  if (matrix.searched) text += wrapped(search_words(result.plan.study), width) + "\n";
  text += "\n" + wrapped((result.complete ? "" : "So far: ") + answer_words(matrix), width) + "\n";
  return text;
}

}  // namespace armature
