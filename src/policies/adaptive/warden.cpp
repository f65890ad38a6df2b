#include "policies/adaptive/warden.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/mathematics.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"

namespace armature {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double delta_of(const Problem& problem, const Arguments& arguments) {
  const double delta = arguments.real("delta");
  if (!std::isfinite(10.4 * std::max(problem.actions(), problem.contexts()) / delta))
    arguments.reject("delta", "a level that 10.4k can be divided by");
  return delta;
}

// W(n; B)
double moss_width(double n, double share) {
  return n < share ? std::sqrt(portable::log(share / n) / (2 * n)) : 0;
}

}  // namespace

PolicyFacts Warden::facts() {
  return {
      .name = "warden",
      .summary = "follows the contexts, and watches every action until it has lost r",
      .text =
          "Sentry's successor, with one dial. A watch does not have to be sure: a better action "
          "that is missed costs T times its gap, and a watch that may lose r misses it with "
          "probability exp(-8r·gap). So every action is watched until it has lost r against the "
          "leader, and no longer; in a benign world that costs about r per action, and in any "
          "world a miss costs at most T/(8e·r) in expectation. If the leader by rewards and the "
          "leader by contexts disagree, the one with fewer plays is played. Two tests reject Z for "
          "good: sentry's, which finds wrong marginals, and one that compares an action with the "
          "others in the same contexts, which finds a wrong Z. What is missed is rare and dear: "
          "for the upper quantiles take r four times as large. The theorem is in docs/warden.md.",
      .section = "§9",
      .needs_marginals = true,
      .parameters = {
          Parameter::real("r")
              .automatic("max(1/2, min(sqrt(|Z|·T)/(6|A|), sqrt(T/|A|)/2))")
              .above(0)
              .help("r: what an action may lose before it is no longer watched", "§9"),
          Parameter::real("R1").automatic("see r").above(0).help(
              "r by what watching may cost in a benign world: R1/|A|", "§9"),
          Parameter::real("R2").automatic("see r").above(0).help(
              "r by what one missed action may cost: T/(8e·R2)", "§9"),
          Parameter::real("patience")
              .defaults_to("50")
              .at_least(0)
              .or_word("inf")
              .help("κ: at most κ·|A|·r² rounds are spent watching", "§9"),
          Parameter::real("delta").defaults_to("0.05").open(0, 1).help(
              "δ: how often the bar and each test may fail", "§9"),
          Parameter::real("epsilon").defaults_to("0").closed(0, 2).help(
              "ε: how wrong the given marginals may be", "§9"),
          Parameter::choice("schedule", {"horizon", "free"})
              .help("with T, or without: T is 2^⌈log2 t⌉ in round t; the default where no horizon "
                    "is known",
                    "§9"),
          Parameter::choice("test", {"both", "causal", "stratified", "none"})
              .help("which tests may reject Z: sentry's is the causal one", "§9"),
          inflight_parameter()}};
}

Warden::Warden(const Problem& problem, const Arguments& arguments)
    : actions_count_(problem.actions()),
      given_allowance_(arguments.real_if("r")),
      given_r1_(arguments.real_if("R1")),
      given_r2_(arguments.real_if("R2")),
      kappa_(arguments.is_word("patience", "inf") ? kInfinity : arguments.real("patience")),
      action_confidence_(Confidence::anytime(problem.actions(), delta_of(problem, arguments), 1)),
      context_confidence_(Confidence::anytime(problem.contexts(), delta_of(problem, arguments), 1)),
      epsilon_(arguments.real("epsilon")),
      causal_test_(arguments.is_word("test", "both") || arguments.is_word("test", "causal")),
      stratified_test_(arguments.is_word("test", "both") ||
                       arguments.is_word("test", "stratified")),
      actions_(problem.actions()),
      contexts_(problem.contexts()),
      flights_(problem.actions(), arguments),
      rows_(std::make_shared<const MarginalRows>(*problem.marginals)),
      strata_(rows_, delta_of(problem, arguments)),
      means_(problem.actions()),
      widths_(problem.actions()),
      uppers_(problem.actions()),
      indices_(problem.actions()),
      row_arms_(rows_->rows()),
      is_shared_(rows_->rows()),
      place_in_row_(problem.actions()),
      scores_(*rows_, 0),
      causal_means_(rows_),
      visits_(problem.contexts()),
      context_uppers_ahead_(problem.contexts()),
      sums_(rows_->rows()) {
  if ((given_allowance_ ? 1 : 0) + (given_r1_ ? 1 : 0) + (given_r2_ ? 1 : 0) > 1)
    throw Error({"", arguments.owner(), "several of r, R1 and R2", "at most one of them"});
  if (arguments.is_word("schedule", "horizon") && problem.horizon)
    horizon_ = static_cast<double>(*problem.horizon);
  else if (arguments.given("schedule") && arguments.is_word("schedule", "horizon"))
    throw Error({"", arguments.owner() + ": schedule", "horizon, where none is known",
                 "a horizon, or schedule=free"});
  group_actions_by_row();
  rebuild();
}

void Warden::group_actions_by_row() {
  for (Arm a = 0; a < actions_count_; ++a) {
    std::vector<Arm>& arms = row_arms_[rows_->row(a)];
    place_in_row_[a] = static_cast<std::uint32_t>(arms.size());
    arms.push_back(a);
    is_shared_[rows_->row(a)] = arms.size() > 1;
  }
  for (const auto& arms : row_arms_) {
    row_uppers_.emplace_back(static_cast<std::uint32_t>(arms.size()));
    row_indices_.emplace_back(static_cast<std::uint32_t>(arms.size()));
  }
}

// T, or 2^⌈log2 t⌉.
double Warden::horizon_at(std::uint64_t round) const {
  if (horizon_) return *horizon_;
  return std::ldexp(1, round == 0 ? 0 : std::bit_width(round - 1));
}

Warden::Dial Warden::dial_for(double horizon) const {
  const double actions = actions_count_;
  const double contexts = contexts_.size();
  Dial dial;
  dial.horizon = horizon;
  dial.per_action = horizon / actions;
  dial.per_context = std::max(2.0, horizon / contexts);
  if (given_allowance_)
    dial.allowance = *given_allowance_;
  else if (given_r1_)
    dial.allowance = *given_r1_ / actions;
  else if (given_r2_)
    dial.allowance = horizon / (8 * std::numbers::e * *given_r2_);
  else
    dial.allowance = std::max(0.5, std::min(std::sqrt(contexts * horizon) / (6 * actions),
                                            0.5 * std::sqrt(horizon / actions)));
  dial.patience = kappa_ * actions * dial.allowance * dial.allowance;
  using Formula = WidthTable::Formula;
  dial.direct = WidthTable({Formula::kMoss, dial.per_action});
  dial.watch = WidthTable({Formula::kWatch, dial.per_action, dial.allowance});
  dial.context = WidthTable({Formula::kMoss, dial.per_context});
  return dial;
}

void Warden::rebuild() {
  dial_ = dial_for(horizon_at(rounds_));
  for (Arm a = 0; a < actions_count_; ++a) update_action(a);
  visits_.recount(*rows_, flights_);
  for (Context z = 0; z < contexts_.size(); ++z) {
    causal_means_.set(z, contexts_.mean(z));
    context_uppers_ahead_[z] = context_upper(z);
  }
  scores_.reset(context_uppers_ahead_);
  look_ahead();
}

// --- Indices

inline double Warden::direct_width(std::uint64_t n) const {
  return dial_.direct.at(n, [share = dial_.per_action](std::uint64_t count) {
    return moss_width(static_cast<double>(count), share);
  });
}

inline double Warden::watch_width(std::uint64_t n) const {
  return dial_.watch.at(n, [&dial = dial_](std::uint64_t count) {
    const auto whole = static_cast<double>(count);
    return std::min(moss_width(whole, dial.per_action), dial.allowance / whole);
  });
}

inline double Warden::watch_index(Arm a) const {
  if (plays(a) == 0) return 1;
  const double width = watch_width(plays(a));
  return actions_.count(a) == 0 ? std::min(1.0, width) : means_[a] + width;
}

double Warden::direct_index(Arm a) const {
  if (plays(a) == 0) return std::max(1.0, direct_width(1));
  return means_[a] + direct_width(plays(a));
}

// U(z)
inline double Warden::context_upper(Context z) const {
  if (contexts_.count(z) == 0) return 1;
  const auto width = [share = dial_.per_context](std::uint64_t n) {
    return moss_width(static_cast<double>(n), share);
  };
  return causal_means_.values()[z] + dial_.context.at(contexts_.count(z), width);
}

// The same with as many visits more in its width as are expected.
double Warden::context_upper_ahead(Context z) const {
  if (contexts_.count(z) == 0) return 1;
  const double n = static_cast<double>(contexts_.count(z)) + visits_.of(z);
  return causal_means_.values()[z] + moss_width(n, dial_.per_context);
}

// The largest μ̂ + w of a row's actions.
inline double Warden::row_upper(std::uint32_t row) const {
  return is_shared_[row] ? row_uppers_[row].best_value() : uppers_[rows_->action(row)];
}

// After a rejection only J matters, which needs neither widths nor caps.
void Warden::update_action(Arm a) {
  means_[a] = actions_.mean(a);
  update_index(a);
  if (rejected_) return;
  widths_[a] = actions_.up(a, action_confidence_);
  uppers_[a] = means_[a] + widths_[a];
  const std::uint32_t row = rows_->row(a);
  if (is_shared_[row]) row_uppers_[row].set(place_in_row_[a], uppers_[a]);
  // A row whose actions are all below the bar is out.
  const double highest = row_upper(row);
  scores_.set_cap(row, highest >= bar_ ? highest : -kInfinity);
}

inline void Warden::update_index(Arm a) const {
  const double index = rejected_ ? direct_index(a) : watch_index(a);
  indices_.set(a, index);
  const std::uint32_t row = rows_->row(a);
  if (is_shared_[row]) row_indices_[row].set(place_in_row_[a], index);
}

void Warden::update_context(Context z) {
  causal_means_.set(z, contexts_.mean(z));
  scores_.set(z, context_upper(z));
}

// --- The choice

inline void Warden::start_round() {
  take_stock();
  ++rounds_;
  if (horizon_at(rounds_) != dial_.horizon) rebuild();
}

Decision Warden::decide() {
  if (flights_.due()) count_last_play();
  start_round();
  const auto [arm, watches] = choice(bar_, rejected_);
  watches_ += watches ? 1 : 0;
  flights_.send(arm);
  return {arm, watches ? kWatch : 0};
}

Warden::Choice Warden::choice(double bar, bool rejected) const {
  if (rejected) return {best_direct(), false};
  const Arm leader = flights_.any_counted() ? causal_leader_ahead(bar) : causal_leader(bar);
  const Arm followed = leader != kNobody ? leader : best_direct();
  const Arm watched = indices_.best();
  if (indices_.best_value() > indices_.value(followed) && plays(watched) < plays(followed) &&
      static_cast<double>(watches_) < dial_.patience)
    return {watched, true};
  return {followed, false};
}

Arm Warden::best_direct() const {
  if (rejected_) return indices_.best();
  return lowest_argmax(actions_count_, [this](Arm a) { return direct_index(a); });
}

// Among equals.
bool Warden::leads(Arm a, Arm b) const {
  return indices_.value(a) > indices_.value(b) || (indices_.value(a) == indices_.value(b) && a < b);
}

Arm Warden::causal_leader(double bar) const {
  for (;;) {
    const auto rows = scores_.best_rows();
    if (scores_.cap(rows.front()) == -kInfinity) return kNobody;  // an interval has failed
    // The bar may have risen since caps were set: take out a row it has left behind, look again.
    const auto is_stale = [&](std::uint32_t row) { return row_upper(row) < bar; };
    if (rows.size() == 1 && !is_stale(rows.front())) [[likely]]
      return leader_of_row(rows.front(), bar);
    const auto stale = std::find_if(rows.begin(), rows.end(), is_stale);
    if (stale != rows.end()) {
      scores_.set_cap(*stale, -kInfinity);
      continue;
    }
    Arm best = leader_of_row(rows.front(), bar);
    for (const std::uint32_t row : rows.subspan(1))
      if (const Arm a = leader_of_row(row, bar); leads(a, best)) best = a;
    return best;
  }
}

// The candidate with the largest I of those that attain the row's min(μ̂ + w, C).
inline Arm Warden::leader_of_row(std::uint32_t row, double bar) const {
  if (!is_shared_[row]) return rows_->action(row);
  const std::vector<Arm>& arms = row_arms_[row];
  const double needed = std::max(std::min(rows_->sum(row, scores_.values()), row_upper(row)), bar);
  const Arm watched = arms[row_indices_[row].best()];
  if (uppers_[watched] >= needed) return watched;
  Arm best = arms[row_uppers_[row].best()];
  for (const Arm a : arms)
    if (uppers_[a] >= needed && leads(a, best)) best = a;
  return best;
}

// C of every row, with what is in flight.
void Warden::work_out_proposals() const {
  const bool ahead = flights_.any_counted();
  rows_->sums(ahead ? std::span<const double>(context_uppers_ahead_) : scores_.values(), sums_);
}

// min(μ̂ + w, C) of candidates. Who is one is a test, and goes by observed counts; which of them is
// a choice.
double Warden::causal_index(Arm a, double bar) const {
  return uppers_[a] < bar ? -kInfinity : std::min(uppers_[a], sums_[rows_->row(a)]);
}

Arm Warden::causal_leader_ahead(double bar) const {
  work_out_proposals();
  Arm best = kNobody;
  double highest = 0;
  for (Arm a = 0; a < actions_count_; ++a) {
    if (uppers_[a] < bar) continue;
    const double value = causal_index(a, bar);
    if (best == kNobody || value > highest || (value == highest && leads(a, best))) {
      highest = value;
      best = a;
    }
  }
  return best;
}

// --- Outcomes

void Warden::observe(Decision decision, Outcome outcome, Stream&) {
  learn({decision.arm, outcome.context, 1, outcome.reward});
  land(decision.arm);
}

void Warden::forget(Decision decision) {
  land(decision.arm);
  if (decision.ticket != kWatch) return;
  ARMATURE_CHECK(watches_ > 0, "a decision is forgotten once");
  --watches_;  // it will be made up for
}

// Judged before the next choice, all together: a log may be sorted by context, or added up cell by
// cell, and a part of it then says something else than the whole. The price: no outcome of a log
// makes another included, so the stratified test knows it only as what other actions did (o, m).
void Warden::witness(const Tally& tally, Stream&) {
  learn(tally);
  look_ahead();
}

void Warden::learn(const Tally& tally) {
  actions_.add(tally.arm, tally.plays, tally.rewards);
  update_action(tally.arm);
  if (rejected_) return;
  contexts_.add(tally.context, tally.plays, tally.rewards);
  update_context(tally.context);
  strata_.add(tally.arm, tally.context, tally.plays, tally.rewards);
}

// What the outcomes since the last choice mean for the bar and the tests. With prompt feedback this
// is after every outcome; late ones are judged together, so that their order leaves no trace.
inline double Warden::bar_with_fresh() const {
  double bar = bar_;
  for (const auto& fresh : strata_.fresh())
    bar = std::max(bar, means_[fresh.arm] - widths_[fresh.arm]);
  return bar;
}

inline Arm Warden::contradiction() const {
  const auto fresh = strata_.fresh();
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const Arm a = fresh[i].arm;
    if (i > 0 && fresh[i - 1].arm == a) continue;
    if ((causal_test_ && means_disagree(a)) || (stratified_test_ && strata_.differs(a))) return a;
  }
  return kNobody;
}

void Warden::take_stock() {
  if (strata_.fresh().empty()) return;
  bar_ = bar_with_fresh();
  const Arm found = contradiction();
  strata_.settle();
  if (found == kNobody) return;
  rejected_ = true;
  rejection_round_ = rounds_;
  rejection_action_ = found;
  for (Arm a = 0; a < actions_count_; ++a) update_index(a);
}

// |μ̂(a) − Σ_z ν̃_a(z)μ̂(z)| > w(a) + Σ_z ν̃_a(z)w(z) + ε/2
inline bool Warden::means_disagree(Arm a) const {
  const std::uint32_t row = rows_->row(a);
  const double mean = means_[a];
  if (causal_means_.is_near(row, mean, widths_[a])) return false;  // w(a) alone is wide enough
  const double difference = std::abs(mean - causal_means_.sum(row));
  double context_width = 0;
  for (Context z = 0; z < contexts_.size(); ++z)
    context_width += rows_->at(row, z) * contexts_.up(z, context_confidence_);
  return difference > widths_[a] + context_width + epsilon_ / 2;
}

bool Warden::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  if (horizon_at(rounds_ + 1) != dial_.horizon) {
    Warden copy = *this;  // the next round changes every index
    put_all_on(out, copy.decide().arm);
    return true;
  }
  // Taking stock belongs to the choice, not to a look at it.
  const double bar = bar_with_fresh();
  put_all_on(out, choice(bar, rejected_ || contradiction() != kNobody).arm);
  // Rows that a higher bar has taken out are in again until it is that high.
  if (bar > bar_)
    for (std::uint32_t row = 0; row < rows_->rows(); ++row)
      if (scores_.cap(row) == -kInfinity && row_upper(row) >= bar_)
        scores_.set_cap(row, row_upper(row));
  return true;
}

// `index` is what it follows: min(μ̂ + w, C) of candidates (ties to the largest `watch_index`), or
// J.
Insights Warden::explain() const {
  if (flights_.due()) count_last_play();
  Warden next = *this;  // a round begins with the choice, not with a look at it
  next.start_round();
  return next.insights();
}

Insights Warden::insights() const {
  constexpr auto kActions = Insight::Of::kActions;
  const auto index = [this](Arm a) { return indices_.value(a); };
  const auto mean = [this](Arm a) { return means_[a]; };
  Insights told;
  if (rejected_) {
    tell_indices(told, kActions, actions_count_, index, mean);
    tell_whether(told, "rejected", true);
    return told;
  }
  const bool watches = choice(bar_, rejected_).watches;
  const bool causal = *std::max_element(uppers_.begin(), uppers_.end()) >= bar_;
  work_out_proposals();
  tell(told, "index", kActions, actions_count_,
       [&](Arm a) { return causal ? causal_index(a, bar_) : direct_index(a); });
  tell(told, "mean", kActions, actions_count_, mean);
  told.push_back({"width", kActions, widths_});
  told.push_back({"upper", kActions, uppers_});
  tell(told, "proposal", kActions, actions_count_, [this](Arm a) { return sums_[rows_->row(a)]; });
  tell(told, "watch_index", kActions, actions_count_, index);
  tell_which(told, "candidate", kActions, actions_count_,
             [this](Arm a) { return uppers_[a] >= bar_; });
  const auto context_uppers =
      flights_.any_counted() ? std::span<const double>(context_uppers_ahead_) : scores_.values();
  tell_indices(
      told, Insight::Of::kContexts, contexts_.size(), [&](Context z) { return context_uppers[z]; },
      [this](Context z) { return causal_means_.values()[z]; });
  tell_number(told, "bar", bar_);
  tell_whether(told, "rejected", false);
  tell_whether(told, "by_index", !watches);
  return told;
}

// --- Plays in flight

void Warden::count_last_play() const {
  const Arm arm = flights_.settle();
  if (flights_.ignored()) return;
  visits_.add(*rows_, arm);
  update_index(arm);
  look_ahead();
}

inline void Warden::land(Arm arm) {
  if (flights_.land(arm) && !flights_.ignored()) {
    visits_.remove(*rows_, arm);
    update_index(arm);
  }
  look_ahead();
}

void Warden::look_ahead() const {
  if (rejected_ || !flights_.any_counted()) return;
  for (Context z = 0; z < contexts_.size(); ++z) context_uppers_ahead_[z] = context_upper_ahead(z);
}

// --- State

void Warden::visit_state(StateVisitor& visitor) {
  actions_.visit_state(visitor, "plays", "action_sums");
  contexts_.visit_state(visitor, "visits", "context_sums");
  visitor.field("bar", bar_);
  visitor.field("rounds", rounds_);
  visitor.field("watches", watches_);
  visitor.field("rejected", rejected_);
  visitor.field("rejection_round", rejection_round_);
  visitor.field("rejection_action", rejection_action_);
  strata_.visit_state(visitor, contexts_);
  flights_.visit_state(visitor);
  visitor.require(!std::isnan(bar_), "bar");
  if (visitor.reading()) rebuild();
}

Diagnostics Warden::diagnostics() const {
  std::uint32_t candidates = 0;
  for (Arm a = 0; a < actions_count_; ++a) candidates += uppers_[a] >= bar_ ? 1 : 0;
  return tell_course({static_cast<double>(watches_), rejected_,
                      static_cast<double>(rejection_round_), rejection_action_,
                      static_cast<double>(candidates)});
}

// Candidates are not followed any more after a rejection.
Diagnostics Warden::tell_course(const Course& course) {
  Diagnostics diagnostics{{"watch_rounds", course.watches},
                          {"rejected", course.rejected ? 1.0 : 0.0}};
  if (course.rejected) {
    diagnostics.push_back({"rejection_round", course.rejection_round});
    diagnostics.push_back(action_diagnostic("rejection_action", course.rejection_action));
  } else {
    diagnostics.push_back({"candidates", course.candidates});
  }
  return diagnostics;
}

}  // namespace armature
