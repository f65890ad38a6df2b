#include "policies/index/thompson.h"

#include "policies/tools/insights.h"

namespace armature {

namespace {

// What is drawn from, with the mean of each posterior.
void tell_posteriors(Insights& told, const BetaPosteriors& posteriors, Insight::Of of,
                     const std::string& prefix) {
  const auto count = posteriors.size();
  tell(told, prefix + "mean", of, count, [&](auto i) { return posteriors.mean(i); });
  tell(told, prefix + "successes", of, count, [&](auto i) { return posteriors.successes(i); });
  tell(told, prefix + "failures", of, count, [&](auto i) { return posteriors.failures(i); });
}

}  // namespace

PolicyFacts Thompson::facts() {
  return {
      .name = "ts",
      .summary = "Thompson sampling on actions; ignores the contexts",
      .text =
          "Draws a mean for every action from its Beta posterior and plays the largest. Strong in "
          "practice and, like ucb, blind to the contexts. Rewards between 0 and 1 are turned into "
          "a coin.",
      .section = "§5"};
}

Insights Thompson::explain() const {
  Insights told;
  tell_posteriors(told, posteriors_, Insight::Of::kActions, "");
  return told;
}

PolicyFacts CausalThompson::facts() {
  return {.name = "c-ts",
          .summary = "Thompson sampling on contexts, weighted by the given marginals",
          .text =
              "Draws a mean for every context from its Beta posterior and plays the action whose "
              "given marginals make the most of them. The causal rival of ts, with c-ucb's "
              "weakness: it believes the contexts.",
          .section = "§5",
          .needs_marginals = true};
}

CausalThompson::CausalThompson(const Problem& problem, const Arguments&)
    : posteriors_(problem.contexts()),
      rows_(*problem.marginals),
      contest_(rows_),
      means_(problem.contexts()),
      deviations_(problem.contexts()) {}

Decision CausalThompson::choose(Stream& stream) {
  // A new centre costs some hundred rounds. While a quarter of the outcomes is new, means have
  // moved by half a deviation, which is little beside the draws.
  constexpr std::uint64_t kFewest = 256;
  constexpr std::uint64_t kShare = 4;
  if (since_ >= kFewest && since_ >= seen_ / kShare && contest_.wants_centre()) take_centre();
  return {rows_.action(contest_.winner(posteriors_.draw(stream)))};
}

void CausalThompson::take_centre() {
  for (Context z = 0; z < posteriors_.size(); ++z) {
    means_[z] = posteriors_.mean(z);
    deviations_[z] = posteriors_.deviation(z);
  }
  contest_.set_centre(rows_, means_, deviations_);
  seen_ += since_;
  since_ = 0;
}

void CausalThompson::visit_state(StateVisitor& visitor) {
  posteriors_.visit_state(visitor);
  if (!visitor.reading()) return;
  seen_ = 0;
  since_ = posteriors_.outcomes();
}

Insights CausalThompson::explain() const {
  const auto means = listed(posteriors_.size(), [this](Context z) { return posteriors_.mean(z); });
  Insights told;
  tell(told, "mean", Insight::Of::kActions, rows_.actions(),
       [&](Arm a) { return rows_.sum(rows_.row(a), means); });
  tell_posteriors(told, posteriors_, Insight::Of::kContexts, "context_");
  return told;
}

}  // namespace armature
