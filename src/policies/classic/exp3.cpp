#include "policies/classic/exp3.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/mathematics.h"
#include "policies/tools/insights.h"
#include "policies/tools/tickets.h"

namespace armature {
namespace {

constexpr double kLeastProbability = 1e-30;  // of an action that was drawn, as far as anyone lives
constexpr double kMostScore = 1e200;         // more than that many rounds can add up

// Something one can divide by.
template <class Item>
bool all_sound(const std::vector<Item>& items) {
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    return item.divisor >= kLeastProbability && item.divisor <= 2;
  });
}

}  // namespace

PolicyFacts Exp3::facts() {
  return {
      .name = "exp3",
      .summary = "exponential weights on importance-weighted rewards: for adversaries",
      .text =
          "Draws actions with probabilities that grow exponentially with what they have earned, "
          "each reward divided by the probability it was drawn with. Its regret is of order "
          "sqrt(|A|·log|A|·T) even where an adversary chooses the rewards. Where they are drawn from "
          "fixed laws, as in every world here, that caution is paid for and of no use. Without a "
          "horizon γ falls with the rounds. variant=ix is Exp3-IX, which weighs losses, "
          "(1-y)/(p+γ), and draws no action merely to explore. It ignores the contexts.",
      .section = "§5",
      .parameters = {
          Parameter::choice("variant", {"mixed", "ix"})
              .help("mix the weights with uniform play (2002), or explore implicitly (Exp3-IX)",
                    "§5"),
          Parameter::real("gamma")
              .automatic(
                  "min(1, sqrt(|A|·log|A|/((e-1)·T))); ix: sqrt(log|A|/(2·|A|·T)); t for T without "
                  "a horizon")
              .closed(1e-12, 1)
              .help("γ: the share of uniform play, or the bias of ix; the learning rate is γ/|A|, "
                    "ix: 2γ",
                    "§5")}};
}

Exp3::Exp3(const Problem& problem, const Arguments& arguments)
    : implicit_(arguments.is_word("variant", "ix")),
      given_(arguments.real_if("gamma")),
      scores_(problem.actions()),
      probabilities_(problem.actions()) {
  if (problem.horizon) horizon_ = static_cast<double>(problem.horizon.value());
  open_.reserve(kReservedTickets);
  due_.reserve(kReservedTickets);
}

double Exp3::gamma(std::uint64_t round) const {
  if (given_) return *given_;
  const auto actions = static_cast<double>(scores_.size());
  const double rounds = horizon_.value_or(static_cast<double>(round));
  if (implicit_) return std::sqrt(portable::log(actions) / (2 * actions * rounds));
  return std::min(1.0,
                  std::sqrt(actions * portable::log(actions) / ((std::numbers::e - 1) * rounds)));
}

// Weights relative to the largest, so that none overflows.
void Exp3::probabilities_of(const std::vector<double>& scores, std::uint64_t round,
                            std::span<double> out) const {
  const auto actions = static_cast<double>(scores.size());
  const double share = gamma(round);
  const double rate = implicit_ ? 2 * share : share / actions;
  const double highest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (Arm a = 0; a < out.size(); ++a) sum += out[a] = portable::exp(rate * (scores[a] - highest));
  const double mixed = implicit_ ? 0 : share;
  for (double& p : out) p = (1 - mixed) * (p / sum) + mixed / actions;
}

Decision Exp3::choose(Stream& stream) {
  for (const Due& due : due_) work_in(due, scores_);
  due_.clear();
  probabilities_of(scores_, ++rounds_, probabilities_);
  // By inversion. Rounding may leave a little beyond the last action: it is the best one's.
  const auto best = std::max_element(probabilities_.begin(), probabilities_.end());
  auto arm = static_cast<Arm>(best - probabilities_.begin());
  double left = stream.uniform();
  for (Arm a = 0; a < probabilities_.size(); ++a) {
    if (left < probabilities_[a]) {
      arm = a;
      break;
    }
    left -= probabilities_[a];
  }
  open_.push_back({rounds_, probabilities_[arm] + (implicit_ ? gamma(rounds_) : 0)});
  return {arm, rounds_};
}

void Exp3::observe(Decision decision, Outcome outcome, Stream&) {
  const Open open = close_ticket(open_, decision);
  due_.insert(place_of(due_, decision.ticket),
              {open.ticket, decision.arm, open.divisor, outcome.reward});
}

void Exp3::forget(Decision decision) { close_ticket(open_, decision); }

void Exp3::work_in(const Due& due, std::vector<double>& scores) const {
  scores[due.arm] += (implicit_ ? due.reward - 1 : due.reward) / due.divisor;
}

// Outcomes that are due are worked in on a copy: choose will do the same.
std::vector<double> Exp3::next_scores() const {
  std::vector<double> scores = scores_;
  for (const Due& due : due_) work_in(due, scores);
  return scores;
}

bool Exp3::probabilities(std::span<double> out) const {
  probabilities_of(next_scores(), rounds_ + 1, out);
  return true;
}

Insights Exp3::explain() const {
  Insights told{{"score", Insight::Of::kActions, next_scores()}};
  tell_number(told, "gamma", gamma(rounds_ + 1));
  return told;
}

void Exp3::visit_state(StateVisitor& visitor) {
  visitor.field("scores", scores_);
  visitor.field("rounds", rounds_);
  visitor.list("open", open_, [](ItemVisitor& part, Open& open) {
    part.field("ticket", open.ticket);
    part.field("divisor", open.divisor);
  });
  visitor.list("due", due_, [](ItemVisitor& part, Due& due) {
    part.field("ticket", due.ticket);
    part.field("arm", due.arm);
    part.field("divisor", due.divisor);
    part.field("reward", due.reward);
  });
  if (!visitor.reading()) return;
  visitor.require_within(-kMostScore, kMostScore, "scores", scores_);
  visitor.require(rounds_ <= kMostTickets, "rounds");
  visitor.require(ascend_to(open_, rounds_) && all_sound(open_), "open");
  visitor.require(ascend_to(due_, rounds_) && all_sound(due_), "due");
  for (const Due& due : due_)
    visitor.require(due.arm < scores_.size() && due.reward >= 0 && due.reward <= 1, "due");
}

}  // namespace armature
