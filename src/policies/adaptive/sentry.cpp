#include "policies/adaptive/sentry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "base/whole_roots.h"
#include "linear/rank.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"

namespace armature {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// δ, family and scale as for all index policies, with anytime as the default.
std::string family_of(const Problem& problem, const Arguments& arguments) {
  return confidence_family(problem, arguments, "anytime");
}

double horizon_or_refuse(const Problem& problem, const Arguments& arguments,
                         const std::string& what) {
  if (!problem.horizon)
    throw Error(
        {"", arguments.owner() + ": " + what, "no horizon", "a horizon, which " + what + " needs"});
  return static_cast<double>(*problem.horizon);
}

int budgets_given(const Arguments& arguments) {
  const int given = (arguments.given("budget") ? 1 : 0) + (arguments.given("share") ? 1 : 0) +
                    (arguments.given("R1") ? 1 : 0);
  if (given > 1)
    throw Error({"", arguments.owner(), "several of budget, share and R1", "at most one of them"});
  return given;
}

}  // namespace

PolicyFacts Sentry::facts() {
  return {
      .name = "sentry",
      .summary = "follows the contexts among actions their own rewards do not rule out",
      .text =
          "armature's own answer to the paper's closing question for something simpler than "
          "dynamic balancing. Every round teaches both the actions' and the contexts' statistics. "
          "A budget of rounds explores actions by ucb; its only task is to keep a bar, the best "
          "lower confidence bound seen so far. All other rounds follow the contexts, among the "
          "actions whose upper bound reaches the bar; so even if the contexts lie, what is lost "
          "per round is bounded by what exploring has not resolved. If an action's own mean and "
          "its causal mean contradict each other, it becomes ucb for good. The budget is the dial: "
          "benign regret grows like sqrt(|A|·E), the price of a wrong Z falls like T·sqrt(|A|/E). "
          "Gaps below sqrt(|A|·log/E) stay unresolved. The theorem with explicit constants and its "
          "proof are in docs/sentry.md.",
      .section = "§6",
      .needs_marginals = true,
      .parameters = {
          Parameter::choice("schedule", {"first", "spread", "free"})
              .help("explore first, or at an even rate, or without a horizon |A|^(1/3)·t^(2/3) by "
                    "round t",
                    "§6"),
          Parameter::real("budget")
              .automatic("min(T, |A|^(1/3)·T^(2/3)), rounded up")
              .at_least(1)
              .help("E: rounds of exploration", "§6"),
          Parameter::real("share")
              .automatic("see budget")
              .above(0)
              .closed(0, 1)
              .help("E as a share of T, in (0,1]", "§6"),
          Parameter::real("R1")
              .automatic("see budget")
              .above(0)
              .help("E by the benign regret it may cost: R1²/(8|A|·L)", "§6"),
          Parameter::real("tau").defaults_to("0").closed(0, 1).help(
              "τ: differences that do not matter", "§6"),
          Parameter::real("epsilon").defaults_to("0").closed(0, 2).help(
              "ε: how wrong the given marginals may be", "§6"),
          Parameter::choice("proposal", {"c-ucb", "cl-ucb"}).help("the causal index C(a)", "§6"),
          Parameter::choice("rejection", {"on", "off"}).help("may benignness be rejected?", "§6"),
          Parameter::choice("confidence", {"anytime", "paper", "bilodeau", "anytime-kl"})
              .help("family of confidence intervals; paper and bilodeau need a horizon", "§6"),
          Parameter::real("delta")
              .automatic("0.05; paper: 1/max(T,2); bilodeau: 1/T²")
              .open(0, 1)
              .help("δ: how often the intervals may fail", "§6"),
          scale_parameter("multiplies all widths; below 1 there is no guarantee"),
          inflight_parameter()}};
}

Sentry::Sentry(const Problem& problem, const Arguments& arguments)
    : actions_count_(problem.actions()),
      action_confidence_(
          confidence_for(family_of(problem, arguments), problem, arguments, problem.actions())),
      context_confidence_(
          confidence_for(family_of(problem, arguments), problem, arguments, problem.contexts())),
      tolerance_(arguments.real("tau")),
      epsilon_(arguments.real("epsilon")),
      may_reject_(arguments.is_word("rejection", "on")),
      actions_(problem.actions()),
      contexts_(problem.contexts()),
      bar_(-kInfinity),
      flights_(problem.actions(), arguments),
      rows_(std::make_shared<const MarginalRows>(*problem.marginals)),
      own_(problem.actions()),
      uppers_(problem.actions()),
      row_arms_(rows_->rows()),
      is_shared_(rows_->rows()),
      place_in_row_(problem.actions()),
      scores_(*rows_, 0),
      causal_means_(rows_),
      ups_(problem.contexts()),
      downs_(problem.contexts()),
      visits_(problem.contexts()),
      uppers_ahead_(problem.actions()),
      context_uppers_ahead_(problem.contexts()),
      sums_(rows_->rows()) {
  if (problem.horizon) horizon_ = static_cast<double>(*problem.horizon);
  schedule_ = schedule_of(problem, arguments);
  const double budget = budget_of(problem, arguments);
  budget_ = std::max(1.0, horizon_ ? std::min(budget, *horizon_) : budget);
  touched_.reserve(64);
  group_actions_by_row();
  if (arguments.is_word("proposal", "cl-ucb")) propose_by_regression(problem, arguments);
  rebuild();
}

Sentry::Schedule Sentry::schedule_of(const Problem& problem, const Arguments& arguments) {
  const bool has_budget = budgets_given(arguments) > 0;
  if (!arguments.given("schedule"))
    return problem.horizon || has_budget ? Schedule::kFirst : Schedule::kFree;
  if (arguments.is_word("schedule", "first")) return Schedule::kFirst;
  if (arguments.is_word("schedule", "spread")) {
    horizon_or_refuse(problem, arguments, "schedule=spread");
    return Schedule::kSpread;
  }
  if (has_budget)
    throw Error({"", arguments.owner() + ": schedule", "free with a budget",
                 "first or spread, which have one"});
  return Schedule::kFree;
}

// E as it was asked for, not yet capped to [1, T].
double Sentry::budget_of(const Problem& problem, const Arguments& arguments) const {
  if (const auto budget = arguments.real_if("budget")) return *budget;
  if (const auto share = arguments.real_if("share")) {
    if (*share <= 0) arguments.reject("share", "a number in (0,1]");
    return *share * horizon_or_refuse(problem, arguments, "share");
  }
  if (const auto r1 = arguments.real_if("R1")) {
    const double horizon = horizon_or_refuse(problem, arguments, "R1");
    // L at T: the widths are sqrt(L/(2n)) in every family.
    const double width =
        action_confidence_.hoeffding(static_cast<std::uint64_t>(horizon)) / arguments.real("scale");
    return *r1 * *r1 / (8.0 * actions_count_ * (2 * horizon * width * width));
  }
  if (schedule_ == Schedule::kFree) return 0;
  horizon_or_refuse(problem, arguments, "schedule=first");
  return static_cast<double>(two_thirds_budget(actions_count_, *problem.horizon));
}

void Sentry::group_actions_by_row() {
  for (Arm a = 0; a < actions_count_; ++a) {
    std::vector<Arm>& arms = row_arms_[rows_->row(a)];
    place_in_row_[a] = static_cast<std::uint32_t>(arms.size());
    arms.push_back(a);
    is_shared_[rows_->row(a)] = arms.size() > 1;
  }
  for (const auto& arms : row_arms_)
    row_uppers_.emplace_back(static_cast<std::uint32_t>(arms.size()));
}

void Sentry::propose_by_regression(const Problem& problem, const Arguments& arguments) {
  const double horizon = horizon_or_refuse(problem, arguments, "proposal=cl-ucb");
  const auto rank = static_cast<double>(numerical_rank(*problem.marginals).rank);
  regression_.emplace(*problem.marginals);
  beta_ = arguments.real("scale") * linear_confidence(rank, horizon);
}

void Sentry::rebuild() {
  for (Arm a = 0; a < actions_count_; ++a) update_action(a);
  std::vector<double> context_uppers(contexts_.size());
  for (Context z = 0; z < contexts_.size(); ++z) {
    update_context(z);
    context_uppers[z] = context_upper(z);
  }
  scores_.reset(context_uppers);
  visits_.recount(*rows_, flights_);
  if (regression_) regression_->recount(flights_);
  for (Arm a = 0; a < actions_count_; ++a) look_ahead(a);
}

// UCB(a), and the cap it puts on its row; a row whose actions are all below the bar is out.
void Sentry::update_action(Arm a) {
  const Own own{actions_.mean(a), actions_.widths(a, action_confidence_)};
  const double upper = own.mean + own.widths.up;
  const std::uint32_t row = rows_->row(a);
  own_[a] = own;
  uppers_.set(a, upper);
  double highest = upper;
  if (is_shared_[row]) {
    row_uppers_[row].set(place_in_row_[a], upper);
    highest = row_uppers_[row].best_value();
  }
  scores_.set_cap(row, highest >= bar_ ? highest : -kInfinity);
}

void Sentry::update_context(Context z) {
  const Confidence::Widths widths = contexts_.widths(z, context_confidence_);
  causal_means_.set(z, contexts_.mean(z));
  ups_[z] = widths.up;
  downs_[z] = widths.down;
}

// The largest UCB of a row's actions.
double Sentry::row_upper(std::uint32_t row) const {
  return is_shared_[row] ? row_uppers_[row].best_value() : uppers_.value(rows_->action(row));
}

double Sentry::allowance(std::uint64_t round) const {
  const auto t = static_cast<double>(round);
  switch (schedule_) {
    case Schedule::kFirst:
      return budget_;
    case Schedule::kSpread:
      return budget_ * t / *horizon_;
    case Schedule::kFree:
      return portable::cbrt(actions_count_ * t * t);  // one root: whole where it should be
  }
  ARMATURE_CHECK(false, "every schedule has an allowance");
}

// |μ̂(a) − Σ_z ν̃_a(z)μ̂(z)| > w(a) + Σ_z ν̃_a(z)w(z) + ε/2, each side with its own widths.
inline bool Sentry::contradicts(Arm a) const {
  const std::uint32_t row = rows_->row(a);
  const auto& [mean, widths] = own_[a];
  // Mostly w(a) alone is wide enough.
  if (causal_means_.is_near(row, mean, std::min(widths.up, widths.down))) return false;
  const double difference = mean - causal_means_.sum(row);
  if (difference > 0) return difference > widths.down + rows_->sum(row, ups_) + epsilon_ / 2;
  return -difference > widths.up + rows_->sum(row, downs_) + epsilon_ / 2;
}

void Sentry::touch(Arm a) {
  if (touched_.empty()) [[likely]] {
    touched_.push_back(a);
    return;
  }
  const auto place = std::lower_bound(touched_.begin(), touched_.end(), a);
  if (place == touched_.end() || *place != a) touched_.insert(place, a);
}

// What the outcomes since the last choice mean for the bar and the test. With prompt feedback this
// is after every outcome; late ones are judged together, so that their order leaves no trace.
inline double Sentry::bar_with_touched() const {
  double bar = bar_;
  for (const Arm a : touched_) bar = std::max(bar, own_[a].mean - own_[a].widths.down);
  return bar;
}

inline std::optional<Arm> Sentry::contradiction() const {
  if (!may_reject_ || rejected_) return std::nullopt;
  for (const Arm a : touched_)
    if (contradicts(a)) return a;
  return std::nullopt;
}

void Sentry::take_stock() {
  if (touched_.empty()) return;
  bar_ = bar_with_touched();
  if (const auto found = contradiction()) {
    rejected_ = true;
    rejection_round_ = rounds_;
    rejection_action_ = *found;
  }
  touched_.clear();
  if (regression_) regression_->update();
}

inline bool Sentry::will_explore(std::uint64_t round, double bar, bool rejected) const {
  return !rejected && static_cast<double>(explorations_) < allowance(round) &&
         uppers_.best_value() > bar + tolerance_;
}

inline Sentry::Choice Sentry::choice(std::uint64_t round, double bar, bool rejected) const {
  const bool exploring = will_explore(round, bar, rejected);
  if (!rejected && !exploring) return {causal_choice(bar), false};
  return {flights_.any_counted() ? best_ahead() : uppers_.best(), exploring};
}

Decision Sentry::choose(Stream&) {
  if (flights_.due()) count_last_play();
  take_stock();
  ++rounds_;
  const auto [arm, explores] = choice(rounds_, bar_, rejected_);
  explorations_ += explores ? 1 : 0;
  flights_.send(arm);
  return {arm, explores ? kExploration : 0};
}

Arm Sentry::causal_choice(double bar) const {
  const bool ahead = flights_.any_counted();
  if (uppers_.best_value() < bar)  // no candidate: an interval has failed
    return ahead ? best_ahead() : uppers_.best();
  if (ahead) return best_of_proposals_ahead(bar);
  return regression_ ? best_of_regression(bar) : best_of_contexts(bar);
}

Arm Sentry::best_of_contexts(double bar) const {
  for (;;) {
    const auto rows = scores_.best_rows();
    // The bar has risen since some caps were set: take out the rows it has left behind, and look
    // again.
    bool stale = false;
    Arm best = actions_count_;
    for (const std::uint32_t row : rows) {
      if (row_upper(row) < bar) {
        scores_.set_cap(row, -kInfinity);
        stale = true;
        break;  // set_cap has overwritten nothing of `rows`, but the best may have changed
      }
      const double proposal = is_shared_[row] ? rows_->sum(row, scores_.values()) : kInfinity;
      best = std::min(best, arm_of_row(row, proposal, bar));
    }
    if (!stale) return best;
  }
}

// The lowest candidate of the row that attains min(UCB, C): with C above all UCBs the one with the
// largest UCB, else the first whose UCB reaches both C and the bar.
Arm Sentry::arm_of_row(std::uint32_t row, double proposal, double bar) const {
  if (!is_shared_[row]) return rows_->action(row);
  const ArgmaxTree& uppers = row_uppers_[row];
  const std::uint32_t place = proposal < uppers.best_value()
                                  ? uppers.first_at_least(std::max(proposal, bar))
                                  : uppers.best();
  return row_arms_[row][place];
}

// C of every row, with what is in flight.
void Sentry::work_out_proposals() const {
  const bool ahead = flights_.any_counted();
  if (!regression_) {
    rows_->sums(ahead ? std::span<const double>(context_uppers_ahead_) : scores_.values(), sums_);
    return;
  }
  for (std::uint32_t row = 0; row < rows_->rows(); ++row)
    sums_[row] = regression_->index(row, beta_);
}

Arm Sentry::best_of_regression(double bar) const {
  Arm best = uppers_.best();  // where no proposal is a number
  double highest = -kInfinity;
  for (std::uint32_t row = 0; row < rows_->rows(); ++row) {
    const double upper = row_upper(row);
    if (upper < bar || upper < highest) continue;
    const double proposal = regression_->index(row, beta_, highest);
    const double value = std::min(proposal, upper);
    const Arm arm = arm_of_row(row, proposal, bar);
    if (value > highest || (value == highest && arm < best)) {
      highest = value;
      best = arm;
    }
  }
  return best;
}

void Sentry::observe(Decision decision, Outcome outcome, Stream&) {
  actions_.add(decision.arm, outcome.reward);
  contexts_.add(outcome.context, outcome.reward);
  update_action(decision.arm);
  update_context(outcome.context);
  scores_.set(outcome.context, context_upper(outcome.context));
  if (regression_) regression_->add(decision.arm, outcome.reward);
  touch(decision.arm);
  if (flights_.land(decision.arm))
    uncount_play(decision.arm);
  else if (flights_.any_counted())
    look_ahead(decision.arm);
}

void Sentry::forget(Decision decision) {
  if (flights_.land(decision.arm)) uncount_play(decision.arm);
  if (decision.ticket != kExploration) return;
  ARMATURE_CHECK(explorations_ > 0, "a decision is forgotten once");
  --explorations_;  // it will be made up for
}

// Judged before the next choice, all together: a log may be sorted by context, or added up cell by
// cell, and a part of it then says something else than the whole.
void Sentry::witness(const Tally& tally, Stream&) {
  actions_.add(tally.arm, tally.plays, tally.rewards);
  contexts_.add(tally.context, tally.plays, tally.rewards);
  update_action(tally.arm);
  update_context(tally.context);
  scores_.set(tally.context, context_upper(tally.context));
  if (regression_) regression_->work_in(tally.arm, tally.plays, tally.rewards);
  touch(tally.arm);
  look_ahead(tally.arm);
}

bool Sentry::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  // Taking stock belongs to the choice, not to a look at it.
  const double bar = bar_with_touched();
  const bool rejected = rejected_ || contradiction();
  if (regression_ && !touched_.empty()) {
    Sentry copy = *this;  // rounding in a regression depends on the path
    copy.regression_->update();
    put_all_on(out, copy.choice(rounds_ + 1, bar, rejected).arm);
    return true;
  }
  put_all_on(out, choice(rounds_ + 1, bar, rejected).arm);
  // Rows that a higher bar has taken out are in again until it is that high.
  if (bar > bar_)
    for (std::uint32_t row = 0; row < rows_->rows(); ++row)
      if (scores_.cap(row) == -kInfinity && row_upper(row) >= bar_)
        scores_.set_cap(row, row_upper(row));
  return true;
}

// `index` is what the next choice compares: UCB(a), or min(UCB(a), C(a)) of candidates.
Insights Sentry::explain() const {
  if (flights_.due()) count_last_play();
  if (!touched_.empty()) {
    Sentry next = *this;  // taking stock belongs to the choice, not to a look at it
    next.take_stock();
    return next.explain();
  }
  constexpr auto kActions = Insight::Of::kActions;
  const bool exploring = will_explore(rounds_ + 1, bar_, rejected_);
  const bool causal = !rejected_ && !exploring && uppers_.best_value() >= bar_;
  work_out_proposals();
  Insights told;
  tell(told, "index", kActions, actions_count_,
       [&](Arm a) { return causal ? causal_index(a, bar_) : upper_ahead(a); });
  tell(told, "mean", kActions, actions_count_, [this](Arm a) { return actions_.mean(a); });
  tell(told, "width", kActions, actions_count_,
       [this](Arm a) { return upper_ahead(a) - actions_.mean(a); });
  tell(told, "upper", kActions, actions_count_, [this](Arm a) { return upper_ahead(a); });
  tell(told, "proposal", kActions, actions_count_, [this](Arm a) { return sums_[rows_->row(a)]; });
  tell_which(told, "candidate", kActions, actions_count_,
             [this](Arm a) { return uppers_.value(a) >= bar_; });
  const auto context_uppers =
      flights_.any_counted() ? std::span<const double>(context_uppers_ahead_) : scores_.values();
  tell_indices(
      told, Insight::Of::kContexts, contexts_.size(), [&](Context z) { return context_uppers[z]; },
      [this](Context z) { return causal_means_.values()[z]; });
  tell_number(told, "bar", bar_);
  tell_whether(told, "exploring", exploring);
  tell_whether(told, "rejected", rejected_);
  return told;
}

// --- Plays in flight

Arm Sentry::best_ahead() const {
  return lowest_argmax(actions_count_, [this](Arm a) { return upper_ahead(a); });
}

// Who is a candidate is a test, and goes by observed counts; which of them is a choice.
double Sentry::causal_index(Arm a, double bar) const {
  return uppers_.value(a) < bar ? -kInfinity : std::min(sums_[rows_->row(a)], upper_ahead(a));
}

Arm Sentry::best_of_proposals_ahead(double bar) const {
  work_out_proposals();
  Arm best = best_ahead();
  double highest = -kInfinity;
  for (Arm a = 0; a < actions_count_; ++a) {
    if (const double value = causal_index(a, bar); value > highest) {
      highest = value;
      best = a;
    }
  }
  return best;
}

void Sentry::count_last_play() const {
  const Arm arm = flights_.settle();
  if (flights_.ignored()) return;
  visits_.add(*rows_, arm);
  if (regression_) regression_->send(arm);
  look_ahead(arm);
}

void Sentry::uncount_play(Arm arm) {
  if (flights_.ignored()) return;
  visits_.remove(*rows_, arm);
  if (regression_) regression_->land(arm);
  look_ahead(arm);
}

// The indices that count plays in flight, after a change of this action's and of the contexts'.
void Sentry::look_ahead(Arm arm) const {
  if (!flights_.any_counted()) return;
  if (const std::uint64_t out = flights_.counted(arm); out > 0)
    uppers_ahead_[arm] = actions_.upper_ahead(arm, static_cast<double>(out), action_confidence_);
  for (Context z = 0; z < contexts_.size(); ++z)
    context_uppers_ahead_[z] = contexts_.upper_ahead(z, visits_.of(z), context_confidence_);
}

void Sentry::visit_state(StateVisitor& visitor) {
  actions_.visit_state(visitor, "plays", "action_sums");
  contexts_.visit_state(visitor, "visits", "context_sums");
  visitor.field("bar", bar_);
  visitor.field("rounds", rounds_);
  visitor.field("explorations", explorations_);
  visitor.field("rejected", rejected_);
  visitor.field("rejection_round", rejection_round_);
  visitor.field("rejection_action", rejection_action_);
  visitor.list("touched", touched_);
  flights_.visit_state(visitor);
  visitor.require(!std::isnan(bar_), "bar");
  visitor.require_below(actions_count_, "touched", touched_);
  if (regression_) regression_->visit_state(visitor);
  if (visitor.reading()) rebuild();
}

Diagnostics Sentry::diagnostics() const {
  std::uint32_t candidates = 0;
  for (Arm a = 0; a < actions_count_; ++a) candidates += uppers_.value(a) >= bar_ ? 1 : 0;
  return tell_course({static_cast<double>(explorations_), static_cast<double>(candidates),
                      rejected_, static_cast<double>(rejection_round_), rejection_action_});
}

Diagnostics Sentry::tell_course(const Course& course) {
  Diagnostics diagnostics{{"exploration_rounds", course.explorations},
                          {"candidates", course.candidates},
                          {"rejected", course.rejected ? 1.0 : 0.0}};
  if (course.rejected) {
    diagnostics.push_back({"rejection_round", course.rejection_round});
    diagnostics.push_back(action_diagnostic("rejection_action", course.rejection_action));
  }
  return diagnostics;
}

}  // namespace armature
