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

Decision Thompson::choose(Stream& stream) {
  Arm best = 0;
  double highest = -1;
  for (Arm a = 0; a < posteriors_.size(); ++a) {
    const double theta = posteriors_.sample(a, stream);
    if (theta > highest) {
      highest = theta;
      best = a;
    }
  }
  return {best};
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
      theta_(problem.contexts()),
      sums_(rows_.rows()) {}

Decision CausalThompson::choose(Stream& stream) {
  for (Context z = 0; z < posteriors_.size(); ++z) theta_[z] = posteriors_.sample(z, stream);
  rows_.sums(theta_, sums_);
  return {rows_.action(first_largest(sums_))};
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
