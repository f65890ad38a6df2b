#include "policies/linear/phased_elimination.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "linear/rank.h"
#include "policies/tools/certainty.h"
#include "policies/tools/confidence.h"
#include "policies/tools/insights.h"
#include "theory/coefficients.h"

namespace armature {
namespace {

DesignOptions design_options(const Arguments& arguments) {
  DesignOptions options;
  options.kind = arguments.is_word("design", "exact") ? DesignKind::kExact : DesignKind::kNear;
  options.rank_tolerance = arguments.real_if("tolerance").value_or(0);
  return options;
}

// T_ℓ(a) = ceil(x − 1e-9·max(1,x)): rounding in x = m_ℓ·π(a) must not cost a play.
std::uint64_t planned_plays(double x) {
  return static_cast<std::uint64_t>(std::ceil(x - 1e-9 * std::max(1.0, x)));
}

}  // namespace

PolicyFacts PhasedElimination::facts() {
  return {
      .name = "pe",
      .summary = "phased elimination: actions as points in the span of their marginals",
      .text =
          "Treats an action as the vector of its given marginals and the reward as linear in it. "
          "In phases of doubling length it plays a few well-chosen actions (a G-optimal design), "
          "estimates all others from them by least squares, and drops what is clearly worse than "
          "the best. In a benign world with exact marginals its regret is of order sqrt(d·T), d "
          "the dimension of the marginals' span (at most |Z|), and of order d·log(T)/gap at fixed "
          "gaps: it is the policy to take when the world is known to be benign and gaps matter. It "
          "ignores the contexts it sees. Outside benign worlds it may drop the best action, or "
          "with an exact design never try it: linear regret.",
      .section = "§3, paper Alg. 2",
      .needs_horizon = true,
      .needs_marginals = true,
      .parameters = {
          Parameter::choice("design", {"near", "exact"})
              .help("leverage at most 2r with few actions, or the optimum r", "§3"),
          Parameter::real("delta")
              .automatic("1/max(T,2)")
              .open(0, 1)
              .help("δ: how often the estimates may fail", "§3"),
          Parameter::real("misspecification")
              .defaults_to("0")
              .closed(0, 2)
              .help("ε of approximate marginals: adds ε(1+2√d) to the threshold", "§3"),
          Parameter::real("tolerance")
              .automatic("max(|A|,|Z|)·2^-52")
              .open(0, 1)
              .help("rank: singular values above this share of the largest count", "§1"),
          scale_parameter(
              "multiplies the threshold; 0.5 keeps the guarantee for rewards in [0,1]")}};
}

std::optional<double> PhasedElimination::coefficient(const Problem& problem,
                                                     const Arguments& arguments) {
  EliminationSetting setting;
  setting.actions = problem.actions();
  setting.dimension = static_cast<double>(
      numerical_rank(*problem.marginals, design_options(arguments).rank_tolerance).rank);
  setting.horizon = static_cast<double>(problem.horizon.value());
  setting.delta = paper_delta(problem, arguments);
  setting.support = design_support(setting.dimension);
  if (arguments.is_word("design", "exact")) {
    const Design design = optimal_design(*problem.marginals, design_options(arguments));
    setting.support = std::max(setting.support, static_cast<double>(design.support.size()));
  }
  return elimination_coefficient(setting);
}

PhasedElimination::PhasedElimination(const Problem& problem, const Arguments& arguments)
    : actions_(problem.actions()),
      marginals_(problem.marginals),
      design_options_(design_options(arguments)),
      dimension_(
          static_cast<double>(numerical_rank(*marginals_, design_options_.rank_tolerance).rank)),
      nominal_plays_(design_support(dimension_)),
      scale_(arguments.real("scale")),
      misspecification_(arguments.real("misspecification")) {
  design_options_.most_rank =
      static_cast<std::size_t>(dimension_);  // r ≤ d, whatever later phases look like
  log_term_ = elimination_log({.actions = static_cast<double>(actions_),
                               .dimension = dimension_,
                               .horizon = static_cast<double>(problem.horizon.value()),
                               .delta = paper_delta(problem, arguments),
                               .support = nominal_plays_});
  if (!std::isfinite(log_term_))
    arguments.reject("delta", "a level that 2|A|·log2(T) can be divided by");
  active_.resize(actions_);
  for (Arm a = 0; a < actions_; ++a) active_[a] = a;
  start_phase();
}

void PhasedElimination::start_phase() {
  ++phase_;
  plan_phase();
  if (!design_.converged) ++unconverged_;
  dispatched_.assign(support_.size(), 0);
  outstanding_ = 0;
  sums_.assign(support_.size(), 0);
  observed_ = 0;
  extra_turn_ = 0;
  active_history_.push_back(active_.size());
  dimension_history_.push_back(design_.rank);
}

// Everything about phase ℓ that follows from its active set.
void PhasedElimination::plan_phase() {
  Matrix rows(active_.size(), marginals_->columns());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto row = marginals_->row(active_[i]);
    std::copy(row.begin(), row.end(), rows.row(i).begin());
  }
  design_ = optimal_design(rows, design_options_);
  const double plays = phase_plays();
  support_.clear();
  planned_.clear();
  planned_total_ = 0;
  for (std::size_t k = 0; k < design_.support.size(); ++k) {
    support_.push_back(active_[design_.support[k]]);
    planned_.push_back(planned_plays(plays * design_.weights[k]));
    planned_total_ += planned_.back();
  }
  next_ = 0;
}

// The first supported action with plays left to send out; support_.size() if there is none.
inline std::size_t PhasedElimination::next_planned() const {
  std::size_t place = next_;
  while (place < support_.size() && dispatched_[place] == planned_[place]) ++place;
  return place;
}

// A lost play again, so that the phase ends; else the plan's next. When all is sent out and some
// outcomes are missing: round the support, counting nothing.
Decision PhasedElimination::choose(Stream&) {
  if (active_.size() == 1) return {active_.front(), kExtra};
  if (!lost_.empty()) {
    const Arm arm = lost_.front();
    lost_.erase(lost_.begin());
    ++outstanding_;
    return {arm, phase_};
  }
  next_ = next_planned();
  if (next_ < support_.size()) {
    ++dispatched_[next_];
    ++outstanding_;
    return {support_[next_], phase_};
  }
  const Arm arm = support_[extra_turn_];
  extra_turn_ = extra_turn_ + 1 == support_.size() ? 0 : extra_turn_ + 1;
  return {arm, kExtra};
}

bool PhasedElimination::probabilities(std::span<double> out) const {
  const std::size_t planned = next_planned();
  put_all_on(out, active_.size() == 1         ? active_.front()
                  : !lost_.empty()            ? lost_.front()
                  : planned < support_.size() ? support_[planned]
                                              : support_[extra_turn_]);
  return true;
}

Insights PhasedElimination::explain() const {
  std::vector<double> planned(actions_);
  std::vector<double> sent(actions_);
  for (std::size_t k = 0; k < support_.size(); ++k) {
    planned[support_[k]] = static_cast<double>(planned_[k]);
    sent[support_[k]] = static_cast<double>(dispatched_[k]);
  }
  Insights told;
  tell_which(told, "active", Insight::Of::kActions, actions_,
             [this](Arm a) { return std::binary_search(active_.begin(), active_.end(), a); });
  told.push_back({"planned", Insight::Of::kActions, std::move(planned)});
  told.push_back({"sent", Insight::Of::kActions, std::move(sent)});
  tell_number(told, "phase", static_cast<double>(phase_));
  return told;
}

// Takes a play off the outstanding ones; where its arm stands in the support.
inline std::size_t PhasedElimination::close(Decision decision) {
  ARMATURE_CHECK(decision.ticket == phase_, "a phase ends when all its outcomes have come");
  ARMATURE_CHECK(outstanding_ > 0, "a decision has one outcome");
  --outstanding_;
  const auto supported = std::lower_bound(support_.begin(), support_.end(), decision.arm);
  ARMATURE_CHECK(supported != support_.end() && *supported == decision.arm,
                 "a phase plays its support");
  return static_cast<std::size_t>(supported - support_.begin());
}

void PhasedElimination::observe(Decision decision, Outcome outcome, Stream&) {
  if (decision.ticket == kExtra) return;
  sums_[close(decision)] += outcome.reward;
  if (++observed_ == planned_total_) end_phase();
}

void PhasedElimination::forget(Decision decision) {
  if (decision.ticket == kExtra) return;
  close(decision);
  lost_.push_back(decision.arm);
}

// Nothing is decided inside a phase: what is left of it is one plan.
leap::Plan PhasedElimination::do_intend(Round rounds) {
  if (active_.size() == 1) return leap::Certain{{{active_.front(), rounds}}};
  leap::Certain plan;
  plan.shares.reserve(support_.size() - next_);
  for (std::size_t k = next_; k < support_.size() && rounds > 0; ++k) {
    const std::uint64_t plays = std::min(rounds, planned_[k] - dispatched_[k]);
    if (plays > 0) plan.shares.push_back({support_[k], plays, k});
    rounds -= plays;
  }
  return plan;
}

// The tag is the action's place in the support.
void PhasedElimination::do_absorb(const leap::ShareOutcome& outcome) {
  if (active_.size() == 1) return;
  const auto& [arm, plays, place] = outcome.share;
  ARMATURE_CHECK(place < support_.size() && support_[place] == arm, "a phase plays its support");
  ARMATURE_CHECK(plays <= planned_[place] - dispatched_[place],
                 "a phase plays no more than planned");
  dispatched_[place] += plays;
  sums_[place] += outcome.sum;
  observed_ += plays;
  if (observed_ == planned_total_) end_phase();
}

// Least squares in the span's coordinates, V θ = Σ x_a·(rewards of a), then keep a iff
// max_b ⟨θ, x_b − x_a⟩ ≤ 2·sqrt((4d/m_ℓ)·L_P), scaled, plus ε(1+2√d).
void PhasedElimination::end_phase() {
  const auto rank = static_cast<Eigen::Index>(design_.rank);
  const auto coordinates = [&](std::size_t active_index) {
    const auto row = design_.coordinates.row(design_.rows.number[active_index]);
    return Eigen::Map<const Eigen::VectorXd>(row.data(), rank);
  };
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(rank, rank);
  Eigen::VectorXd weighted = Eigen::VectorXd::Zero(rank);
  for (std::size_t k = 0; k < support_.size(); ++k) {
    const auto x = coordinates(design_.support[k]);
    moments.noalias() += static_cast<double>(planned_[k]) * x * x.transpose();
    weighted += sums_[k] * x;
  }
  const Eigen::VectorXd theta = moments.llt().solve(weighted);

  std::vector<double> scores(design_.coordinates.rows());
  for (std::size_t row = 0; row < scores.size(); ++row) {
    double score = 0;
    for (Eigen::Index k = 0; k < rank; ++k)
      score += design_.coordinates(row, static_cast<std::size_t>(k)) * theta[k];
    scores[row] = score;
  }
  const double best = *std::max_element(scores.begin(), scores.end());
  const double plays = phase_plays();
  const double threshold = scale_ * 2 * std::sqrt(4 * dimension_ / plays * log_term_) +
                           misspecification_ * (1 + 2 * std::sqrt(dimension_));
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < active_.size(); ++i)
    if (best - scores[design_.rows.number[i]] <= threshold) kept.push_back(active_[i]);
  active_ = std::move(kept);
  start_phase();
}

void PhasedElimination::visit_state(StateVisitor& visitor) {
  visitor.field("phase", phase_);
  visitor.list("active", active_);
  visitor.list("dispatched", dispatched_);
  visitor.list("sums", sums_);
  visitor.field("observed", observed_);
  visitor.field("extra_turn", extra_turn_);
  visitor.list("lost", lost_);
  visitor.list("active_history", active_history_);
  visitor.list("dimension_history", dimension_history_);
  visitor.field("unconverged_designs", unconverged_);
  if (!visitor.reading()) return;
  // Lists of any length are consistent only in a state that pe itself has saved.
  visitor.require(
      !active_.empty() && active_.back() < actions_ &&
          std::adjacent_find(active_.begin(), active_.end(), std::greater_equal()) == active_.end(),
      "active");
  visitor.require(phase_ == active_history_.size() && phase_plays() < 0x1p63, "phase");
  plan_phase();
  visitor.require(lists_fit(), "dispatched");
  visitor.require_sums_of_rewards("sums", sums_, dispatched_);
  const std::uint64_t dispatched =
      std::accumulate(dispatched_.begin(), dispatched_.end(), std::uint64_t{0});
  visitor.require(dispatched >= observed_ + lost_.size(), "observed");
  outstanding_ = dispatched - observed_ - lost_.size();
}

bool PhasedElimination::lists_fit() const {
  bool fit = dispatched_.size() == support_.size() && sums_.size() == support_.size() &&
             dimension_history_.size() == active_history_.size() && observed_ < planned_total_ &&
             extra_turn_ < support_.size();
  for (std::size_t k = 0; fit && k < support_.size(); ++k) fit = dispatched_[k] <= planned_[k];
  return fit && std::all_of(lost_.begin(), lost_.end(), [this](Arm arm) {
           return std::binary_search(support_.begin(), support_.end(), arm);
         });
}

Diagnostics PhasedElimination::diagnostics() const {
  Diagnostics diagnostics{{"phases", static_cast<double>(phase_)}};
  for (std::size_t i = 0; i < active_history_.size(); ++i) {
    diagnostics.push_back(
        {fmt::format("active_{}", i + 1), static_cast<double>(active_history_[i])});
    diagnostics.push_back(
        {fmt::format("dimension_{}", i + 1), static_cast<double>(dimension_history_[i])});
  }
  if (unconverged_ > 0)
    diagnostics.push_back({"unconverged_designs", static_cast<double>(unconverged_)});
  return diagnostics;
}

}  // namespace armature
