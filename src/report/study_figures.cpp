#include "report/study_figures.h"

// One function per kind of figure: picks cells, fills the kind's input, writes heading and caption.
// Drawing is figures/'s; captions say what a band or a whisker is, as a figure is cut out alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "figures/plane.h"
#include "figures/regret.h"
#include "figures/rows.h"
#include "figures/share.h"
#include "report/cell_bound.h"
#include "report/figure_cells.h"
#include "report/final_figures.h"
#include "report/ratio_figures.h"
#include "study/figure_kinds.h"
#include "study/plan.h"

namespace armature {
namespace {

using figures::Figure;
using figures::Scale;

constexpr std::size_t kMostPanels = 12;  // of one figure; the rest goes into the next

// Panels in portions, each a figure of its own.
// A figure of fifty panels fits no page. The first portion keeps the plain name, so that links to
// it hold when a study grows. No panels give no figure, which callers take for nothing to show.
template <class Input, class Draw>
std::vector<Figure> in_portions(Input input, Draw&& draw) {
  const auto panels = std::move(input.panels);
  const std::string name = input.heading.name;
  std::vector<Figure> drawn;
  // Portions of nearly one size: no figure of a single panel is left over.
  const std::size_t portions = (panels.size() + kMostPanels - 1) / kMostPanels;
  for (std::size_t portion = 0; portion < portions; ++portion) {
    const std::size_t first = portion * panels.size() / portions;
    const std::size_t end = (portion + 1) * panels.size() / portions;
    input.panels.assign(panels.begin() + static_cast<std::ptrdiff_t>(first),
                        panels.begin() + static_cast<std::ptrdiff_t>(end));
    input.heading.name = first == 0 ? name : fmt::format("{}-{}", name, portion + 1);
    drawn.push_back(draw(input));
  }
  return drawn;
}

figures::Curve curve_of(const CellSummary& cell) {
  figures::Curve curve{cell.cell.policy_label, {}};
  for (const CurvePoint& point : cell.curve)
    curve.points.push_back({static_cast<double>(point.round), point.regret.mean, point.regret.low(),
                            point.regret.high()});
  return curve;
}

// Only at checkpoints, and only where it says something: a bound may begin in the middle.
figures::BoundCurve bound_of(const CellSummary& cell) {
  figures::BoundCurve bound{cell.cell.policy_label, {}};
  for (const CurvePoint& point : cell.curve) {
    const double t = static_cast<double>(point.round);
    if (const auto value = cell_bound(cell.cell, t)) bound.points.push_back({t, *value});
  }
  return bound;
}

// log-log by default: there √t and t, the two answers theory has, are straight lines of different
// slope. A scale that was asked for is part of the name, as a study may show both.
std::vector<Figure> regret_figures(const FigureCells& cells, const FigureRequest& request) {
  const std::string scale = request.scale.empty() ? "log-log" : request.scale;
  figures::RegretFigure input;
  input.across = scale == "linear" ? Scale::kLinear : Scale::kLog;
  input.up = scale == "log-log" ? Scale::kLog : Scale::kLinear;
  for (const InstanceCells& instance : cells.by_instance()) {
    figures::CurvePanel panel{instance.label, {}, {}};
    for (const CellSummary* cell : instance.cells) {
      if (cell->cell.policy == kOracle) continue;  // its 0 goes without saying
      panel.curves.push_back(curve_of(*cell));
      if (request.theory) panel.bounds.push_back(bound_of(*cell));
    }
    if (!panel.curves.empty()) input.panels.push_back(std::move(panel));
  }
  const bool bounds =
      request.theory &&
      std::any_of(input.panels.begin(), input.panels.end(), [](const figures::CurvePanel& panel) {
        return std::any_of(panel.bounds.begin(), panel.bounds.end(),
                           [](const auto& bound) { return !bound.points.empty(); });
      });
  input.heading = cells.heading(
      request.scale.empty() ? "regret" : "regret-" + scale,
      request.title.empty() ? "Mean regret over " + cells.rounds_words() : request.title,
      fmt::format(
          "Lines: mean regret up to round t. Bands: {}. {}{}", cells.interval_words(),
          scale == "log-log"
              ? "Both axes are logarithmic: a straight line of slope ½ grows like √t, one of "
                "slope 1 like t; one that rises from the lower edge was below it, or 0. "
              : "",
          bounds ? "Thin dashes: the bound proved for the policy in this world, where it holds, "
                   "is below t and falls among what was measured; others are named above."
                 : "") +
          cells.thinning_words());
  return in_portions(input, figures::regret_figure);
}

// Quantiles and not the mean's interval: this one shows how luck spreads single runs, which more
// replications do not narrow.
std::vector<Figure> box_figures(const FigureCells& cells, const FigureRequest& request) {
  figures::BoxFigure input;
  for (const InstanceCells& instance : cells.by_instance()) {
    figures::BoxPanel panel{instance.label, {}};
    for (const CellSummary* cell : instance.cells) {
      const Spread& s = cell->final_regret();
      panel.boxes.push_back(
          {cell->cell.policy_label, s.q05, s.q25, s.median, s.q75, s.q95, s.mean});
    }
    input.panels.push_back(std::move(panel));
  }
  input.heading = cells.heading(
      "box",
      request.title.empty()
          ? fmt::format("Regret after {}, over replications", cells.rounds_words())
          : request.title,
      fmt::format(
          "Box: the middle half of {}; thick line: the median; whiskers: from the 5% to the "
          "95% quantile (type 7); diamond: the mean.",
          cells.replication_words()) +
          cells.thinning_words());
  return in_portions(input, figures::box_figure);
}

// What no learner is named for (corral notes one share of two): a panel is always full.
void add_rest(figures::SharePanel& panel) {
  figures::LearnerShare rest{"the rest", std::vector<double>(panel.rounds.size(), 1)};
  for (const figures::LearnerShare& learner : panel.learners)
    for (std::size_t i = 0; i < rest.share.size(); ++i) rest.share[i] -= learner.share[i];
  constexpr double kRounding = 1e-9;
  for (double& share : rest.share) share = std::max(0.0, share);
  if (*std::max_element(rest.share.begin(), rest.share.end()) > kRounding)
    panel.learners.push_back(std::move(rest));
}

// Shares were noted for balancers only, and only if they were to be followed. A row of panels is an
// instance, where its balancers have room beside each other.
std::vector<Figure> share_figures(const FigureCells& cells, const FigureRequest& request) {
  figures::ShareFigure input;
  std::vector<std::string> learners;
  std::set<std::size_t> per_instance;
  for (const InstanceCells& instance : cells.by_instance()) {
    const std::size_t before = input.panels.size();
    for (const CellSummary* cell : instance.cells) {
      if (cell->shares.empty()) continue;
      figures::SharePanel panel{cell->cell.policy_label + " on " + instance.label, {}, {}};
      for (const CurvePoint& point : cell->curve)
        panel.rounds.push_back(static_cast<double>(point.round));
      for (const ShareCurve& share : cell->shares)
        panel.learners.push_back({share.learner, share.share});
      add_rest(panel);
      for (const figures::LearnerShare& learner : panel.learners)
        if (std::find(learners.begin(), learners.end(), learner.learner) == learners.end())
          learners.push_back(learner.learner);
      input.panels.push_back(std::move(panel));
    }
    per_instance.insert(input.panels.size() - before);
  }
  input.learners = looks_of_policies(learners);
  if (per_instance.size() == 1) input.per_row = *per_instance.begin();
  input.heading = cells.heading(
      "share", request.title.empty() ? "Whom the balancing policies listened to" : request.title,
      fmt::format(
          "The share of all plays up to round t that went to each base learner, mean of {}.",
          cells.replication_words()));
  return in_portions(input, figures::share_figure);
}

std::vector<Figure> pulls_figures(const FigureCells& cells, const FigureRequest& request) {
  figures::PullsFigure input;
  for (const InstanceCells& instance : cells.by_instance()) {
    figures::PullsPanel panel{instance.label, {}};
    for (const CellSummary* cell : instance.cells)
      panel.policies.push_back({cell->cell.policy_label, cell->pulls});
    input.panels.push_back(std::move(panel));
  }
  input.heading = cells.heading(
      "pulls", request.title.empty() ? "Which arms were played" : request.title,
      fmt::format("Mean number of plays of each arm in {}, over {}. Where there are many arms, "
                  "a cell is the mean of neighbours.",
                  cells.rounds_words(), cells.replication_words()) +
          cells.thinning_words());
  return in_portions(input, figures::pulls_figure);
}

// In no portions: one dot per instance in one panel. The one figure whose bytes may differ, and
// the one that published results cannot draw.
std::vector<Figure> time_figures(const FigureCells& cells, const FigureRequest& request) {
  const std::vector<CellSummary>& all = cells.result().cells;
  if (std::all_of(all.begin(), all.end(),
                  [](const CellSummary& cell) { return cell.seconds == 0; }))
    return {};
  figures::TimeFigure input;
  for (const InstanceCells& instance : cells.by_instance())
    for (const CellSummary* cell : instance.cells) {
      // `seconds` is summed over all blocks of the cell, so it does not shrink with more threads.
      const double rounds =
          static_cast<double>(cell->cell.horizon) * static_cast<double>(cell->final_regret().count);
      input.times.push_back(
          {cell->cell.policy_label, instance.label, cell->seconds / rounds * 1e9});
    }
  input.heading =
      cells.heading("time", request.title.empty() ? "Running time per round" : request.title,
                    "Each dot: one instance; line: their median. Computing time of this run on its "
                    "machine: unlike every other figure, this one differs from run to run.");
  return {figures::time_figure(input)};
}

// The largest mean regret over the cells of one role: R₁ and R₂ are guarantees, so the worst of the
// declared instances counts. The role and not `benign`: a study may declare it.
const CellSummary* worst_of(const std::vector<const CellSummary*>& cells, const std::string& policy,
                            const std::string& role) {
  const CellSummary* worst = nullptr;
  for (const CellSummary* cell : cells)
    if (cell->cell.policy_label == policy && cell->cell.role == role &&
        (worst == nullptr || cell->final_regret().mean > worst->final_regret().mean))
      worst = cell;
  return worst;
}

// Of many sizes and horizons the first and the last: what changes with size shows at the ends.
// Returns the sentence that says so; nothing is left out in silence.
std::string keep_a_few(std::vector<figures::PlanePanel>& panels) {
  constexpr std::size_t kFew = 4;
  if (panels.size() <= kFew) return "";
  const std::size_t all = panels.size();
  panels = {panels.front(), panels.back()};
  panels.front().notes.push_back(fmt::format("the first of {} horizons and sizes", all));
  panels.back().notes.push_back(fmt::format("the last of {} horizons and sizes", all));
  return fmt::format(" Of {} horizons and sizes the first and the last are drawn.", all);
}

// R₁ and R₂ are maxima over all worlds there are; these points are over a few. A search's own count
// is that of the whole study: of each size's worlds it left only those it chose.
std::string worlds_words(const Study& study, const std::vector<const CellSummary*>& cells) {
  if (study.search) {
    std::set<std::string> tried;
    for (const auto& [instance, policy] : planned_names(study)) tried.insert(instance.full());
    return fmt::format("the worst that a search found among {} worlds", tried.size());
  }
  std::set<std::string> benign, all;
  for (const CellSummary* cell : cells) {
    all.insert(cell->cell.instance_label);
    if (cell->cell.role == "benign") benign.insert(cell->cell.instance_label);
  }
  return fmt::format("the worst of {} (R₁) and of {} in all (R₂)",
                     counted(benign.size(), "benign world"), all.size());
}

figures::PlanePoint point_of(const PlannedCell& policy, const Spread& r1, const Spread& r2) {
  figures::PlanePoint point;
  point.policy = policy.sweep();
  point.member = policy.policy_label;
  if (const WrittenValues& varied = policy.policy_name.varied; varied.size() == 1) {
    const auto& [key, written] = varied.front();
    const std::optional<double> number = policy.x(key);
    point.dial = key;
    point.setting = number ? fmt::format("{:.3g}", *number) : written;
  }
  point.benign = r1.mean;
  point.benign_low = r1.low();
  point.benign_high = r1.high();
  point.worst = r2.mean;
  point.worst_low = r2.low();
  point.worst_high = r2.high();
  return point;
}

// Settings of a dial are joined in its order, which a search does not keep.
std::vector<PlannedCell> along_their_dials(std::vector<PlannedCell> policies,
                                           const figures::Looks& looks) {
  const auto place = [&](const PlannedCell& policy) {
    std::vector<double> settings;
    for (const auto& [key, value] : policy.policy_name.varied)
      settings.push_back(policy.x(key).value_or(0));
    return std::pair(&look_of(looks, policy.sweep()) - looks.data(), settings);
  };
  std::stable_sort(
      policies.begin(), policies.end(),
      [&](const PlannedCell& one, const PlannedCell& other) { return place(one) < place(other); });
  return policies;
}

// A policy without a cell of each role has one coordinate only, and is no point.
std::vector<Figure> plane_figures(const FigureCells& cells, const FigureRequest& request) {
  figures::PlaneFigure input;
  const Study& study = cells.result().plan.study;
  const std::vector<PlannedCell> policies =
      along_their_dials(cells.policies(), looks_of(cells.result().plan));
  for (const PlaneCells& plane : cells.by_size()) {
    figures::PlanePanel panel{plane.label,
                              static_cast<double>(plane.actions),
                              static_cast<double>(plane.contexts),
                              static_cast<double>(plane.horizon),
                              {worlds_words(study, plane.cells)},
                              {}};
    for (const PlannedCell& policy : policies) {
      if (policy.policy == kOracle) continue;
      const CellSummary* benign = worst_of(plane.cells, policy.policy_label, "benign");
      const CellSummary* worst = worst_of(plane.cells, policy.policy_label, "worst-case");
      if (benign == nullptr || worst == nullptr) continue;
      // R₂ is over all worlds, benign ones too (Definition 3.1).
      if (benign->final_regret().mean > worst->final_regret().mean) worst = benign;
      const Spread &r1 = benign->final_regret(), &r2 = worst->final_regret();
      panel.points.push_back(point_of(policy, r1, r2));
    }
    if (!panel.points.empty()) input.panels.push_back(std::move(panel));
  }
  const std::string left_out = keep_a_few(input.panels);
  input.heading = cells.heading(
      "plane", request.title.empty() ? "Benign against worst-case regret" : request.title,
      "For each policy the largest mean regret over the benign instances of this study (R₁) and "
      "over all of them (R₂): of few worlds, where a guarantee speaks of all. Settings of a dial "
      "are joined, and some of them named." +
          left_out +
          " Dashed: the frontier R₁R₂ = |A|T of what can be guaranteed, up to constants and "
          "logarithms. Shaded, where the horizon is long enough for it to say anything: pairs that "
          "no policy can guarantee, by the lower bound with its constants. A policy may lie below "
          "the dashed line: by a constant (that of the theorem is small), on the few instances of "
          "a study, or where R₂ > T/641, of which the theorem says nothing.");
  return in_portions(input, figures::plane_figure);
}

// How each kind is drawn: one row each.
struct DrawRow {
  FigureKind kind;
  std::vector<Figure> (*draw)(const FigureCells&, const FigureRequest&);
};
constexpr DrawRow kDraw[] = {
    {FigureKind::kRegret, regret_figures}, {FigureKind::kFinal, final_figures},
    {FigureKind::kRatio, ratio_figures},   {FigureKind::kBox, box_figures},
    {FigureKind::kShare, share_figures},   {FigureKind::kPulls, pulls_figures},
    {FigureKind::kPlane, plane_figures},   {FigureKind::kTime, time_figures},
};

std::vector<Figure> drawn_as_asked(const FigureCells& cells, const FigureRequest& request) {
  const auto row = std::find_if(std::begin(kDraw), std::end(kDraw),
                                [&](const DrawRow& known) { return known.kind == request.kind; });
  ARMATURE_CHECK(row != std::end(kDraw), "every kind of figure has its row");
  return row->draw(cells, request);
}

// Asked for by name and missing would look like a fault of the report.
std::string note_on(const FigureRequest& request) {
  const FigureFacts& facts = facts_of(request.kind);
  return fmt::format("The figure “{}”{} was asked for and is not here: {}.", facts.name,
                     request.x.empty() ? "" : " against " + request.x, facts.nothing);
}

// A study may ask for the same kind twice. The later one is renamed, so that the first keeps the
// name it would have alone; files would overwrite each other otherwise.
void make_names_unique(std::vector<Figure>& drawn) {
  std::map<std::string, std::size_t> copies;
  for (Figure& figure : drawn)
    if (const std::size_t copy = ++copies[figure.name]; copy > 1)
      figure.name = fmt::format("{}-again-{}", figure.name, copy);
}

}  // namespace

DrawnFigures study_figures(const StudyResult& result) {
  DrawnFigures drawn;
  // Nothing has run: notes on every figure would bury that.
  if (result.cells.empty()) return drawn;
  const FigureCells cells(result);
  const bool asked = !result.plan.study.figures.empty();  // and not all kinds there are
  for (const FigureRequest& request : figures_asked_for(result.plan.study)) {
    std::vector<Figure> of_kind = drawn_as_asked(cells, request);
    if (of_kind.empty() && asked) drawn.notes.push_back(note_on(request));
    for (Figure& figure : of_kind) drawn.figures.push_back(std::move(figure));
  }
  make_names_unique(drawn.figures);
  return drawn;
}

}  // namespace armature
