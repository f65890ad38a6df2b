#include "report/ratio_figures.h"

// One row per world, one panel per horizon. The best of a row is the best of all policies there,
// whether they are drawn or not.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "figures/ratio.h"
#include "report/words.h"

namespace armature {
namespace {

constexpr std::size_t kMostWorlds = 24;  // of one figure; the rest goes into the next
constexpr std::size_t kMostHorizons = 4;

// What is divided.
struct Quantity {
  const char* name;    // of the figure
  const char* words;   // of its axis and title
  const char* aside;   // after a title that was asked for
  bool paired;         // equals of the best are known; of quantiles nobody has an interval
  const char* marked;  // what is filled, in words
  double (*of)(const Spread&);
};
constexpr Quantity kMean = {
    "ratio", "mean regret", "", true, kMarkWords, [](const Spread& regret) { return regret.mean; }};
constexpr Quantity kQuantile = {
    "ratio-q95", "95% quantile of regret", ", 95% quantiles",
    false,       "the least of the row",   [](const Spread& regret) { return regret.q95; }};

bool has_quantiles(const Contest& contest) {
  return std::all_of(contest.rivals.begin(), contest.rivals.end(), [](const CellSummary* rival) {
    return rival->final_regret().count >= kLeastForQuantile;
  });
}

void add_marks(figures::RatioPanel& panel, const FigureCells& cells, const Contest& contest,
               const Quantity& quantity) {
  const auto value = [&](const CellSummary* cell) { return quantity.of(cell->final_regret()); };
  double least = std::numeric_limits<double>::infinity();
  for (const CellSummary* rival : contest.rivals) least = std::min(least, value(rival));
  for (std::size_t place = 0; place < contest.rivals.size(); ++place) {
    const CellSummary* rival = contest.rivals[place];
    if (!cells.is_drawn(rival->cell)) continue;
    const double own = value(rival);
    const bool best = quantity.paired ? among_the_best(contest, place) : own == least;
    // Equal first: 0/0 is a tie.
    const double ratio = own == least ? 1
                         : least > 0  ? own / least
                                      : std::numeric_limits<double>::infinity();
    panel.marks.push_back({rival->cell.policy_label, contest.instance, own, ratio, best});
  }
}

template <class Item>
void add_once(std::vector<Item>& items, const Item& item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

std::vector<figures::Figure> figures_of(const FigureCells& cells, const FigureRequest& request,
                                        const std::vector<Contest>& all, const Quantity& quantity) {
  std::vector<std::string> worlds;
  std::vector<Round> horizons;
  for (const Contest& contest : all) {
    add_once(worlds, contest.instance);
    add_once(horizons, contest.horizon);
  }
  std::sort(horizons.begin(), horizons.end());
  std::string left_out;
  if (horizons.size() > kMostHorizons) {
    left_out = fmt::format(" Of {} horizons the first and the last are drawn.", horizons.size());
    horizons = {horizons.front(), horizons.back()};
  }
  std::vector<figures::Figure> drawn;
  for (std::size_t first = 0; first < worlds.size(); first += kMostWorlds) {
    figures::RatioFigure input;
    input.quantity = quantity.words;
    input.worlds.assign(
        worlds.begin() + static_cast<std::ptrdiff_t>(first),
        worlds.begin() + static_cast<std::ptrdiff_t>(std::min(worlds.size(), first + kMostWorlds)));
    for (const Round horizon : horizons) {
      figures::RatioPanel panel{fmt::format("T = {}", grouped(static_cast<double>(horizon))), {}};
      for (const Contest& contest : all)
        if (contest.horizon == horizon && std::find(input.worlds.begin(), input.worlds.end(),
                                                    contest.instance) != input.worlds.end())
          add_marks(panel, cells, contest, quantity);
      if (!panel.marks.empty()) input.panels.push_back(std::move(panel));
    }
    if (input.panels.empty()) continue;
    const std::string name = quantity.name;
    input.heading = cells.heading(
        first == 0 ? name : fmt::format("{}-{}", name, first / kMostWorlds + 1),
        request.title.empty() ? fmt::format("How many times the best: {}", quantity.words)
                              : request.title + quantity.aside,
        fmt::format(
            "Each mark: a policy's {} divided by the least of its row, {}; what is 100 "
            "times the best or more stands at the right edge in the order of its size, with "
            "the least and the largest written beside it. Filled: {}. Shaded: within 1.5 "
            "times the best. Marks that would cover each other are moved up or down.",
            quantity.words, cells.replication_words(), quantity.marked) +
            left_out + cells.thinning_words());
    drawn.push_back(figures::ratio_figure(input));
  }
  return drawn;
}

}  // namespace

std::vector<figures::Figure> ratio_figures(const FigureCells& cells, const FigureRequest& request) {
  std::vector<Contest> all = contests(cells.result());
  std::erase_if(all, [](const Contest& contest) { return contest.rivals.size() < 2; });
  std::vector<figures::Figure> drawn = figures_of(cells, request, all, kMean);
  std::erase_if(all, [](const Contest& contest) { return !has_quantiles(contest); });
  for (figures::Figure& figure : figures_of(cells, request, all, kQuantile))
    drawn.push_back(std::move(figure));
  return drawn;
}

}  // namespace armature
