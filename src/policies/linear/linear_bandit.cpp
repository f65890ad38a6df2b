#include "policies/linear/linear_bandit.h"

#include <cmath>

#include "base/mathematics.h"
#include "linear/rank.h"
#include "policies/tools/confidence.h"
#include "policies/tools/insights.h"

namespace armature {

double linear_confidence(double dimension, double horizon) {
  return 1 +
         std::sqrt(2 * portable::log(horizon) + dimension * portable::log(1 + horizon / dimension));
}

PolicyFacts CausalLinearUcb::facts() {
  return {
      .name = "cl-ucb",
      .summary = "linear upper confidence bounds on the marginals",
      .text =
          "Treats the given marginals of an action as its features and runs a linear bandit on "
          "them: ridge regression and an ellipsoid of confidence. Like pe it uses the marginals "
          "and not the contexts it sees; in benign worlds its regret is of order d·sqrt(T). It "
          "believes the world to be benign.",
      .section = "§5",
      .needs_horizon = true,
      .needs_marginals = true,
      .parameters = {scale_parameter("multiplies β; below 1 there is no guarantee"),
                     inflight_parameter()}};
}

CausalLinearUcb::CausalLinearUcb(const Problem& problem, const Arguments& arguments)
    : regression_(*problem.marginals),
      beta_(arguments.real("scale") *
            linear_confidence(static_cast<double>(numerical_rank(*problem.marginals).rank),
                              static_cast<double>(problem.horizon.value()))),
      flights_(problem.actions(), arguments) {}

Decision CausalLinearUcb::choose(Stream&) {
  if (flights_.due()) count_last_play();
  regression_.update();
  const Arm arm = best(regression_);
  flights_.send(arm);
  return {arm};
}

bool CausalLinearUcb::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  // Working outcomes in belongs to the choice, not to a look at it: its rounding depends on the
  // path.
  if (regression_.up_to_date()) {
    put_all_on(out, best(regression_));
  } else {
    RidgeRegression copy = regression_;
    copy.update();
    put_all_on(out, best(copy));
  }
  return true;
}

void CausalLinearUcb::count_last_play() const {
  const Arm arm = flights_.settle();
  if (!flights_.ignored()) regression_.send(arm);
}

void CausalLinearUcb::visit_state(StateVisitor& visitor) {
  regression_.visit_state(visitor);
  flights_.visit_state(visitor);
  if (visitor.reading()) regression_.recount(flights_);
}

Insights CausalLinearUcb::explain() const {
  if (flights_.due()) count_last_play();
  RidgeRegression next = regression_;
  next.update();
  const MarginalRows& rows = next.rows();
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, rows.actions(),
      [&](Arm a) { return next.index(rows.row(a), beta_); },
      [&](Arm a) { return next.prediction(rows.row(a)); });
  return told;
}

PolicyFacts CausalLinearThompson::facts() {
  return {.name = "cl-ts",
          .summary = "linear Thompson sampling on the marginals",
          .text =
              "cl-ucb's regression, with a draw from N(θ̂, V^-1) in place of the ellipsoid. Strong "
              "in practice where the world is benign, wrong for ever where it is not.",
          .section = "§5",
          .needs_marginals = true,
          .parameters = {scale_parameter("multiplies the standard deviation of the draw")}};
}

CausalLinearThompson::CausalLinearThompson(const Problem& problem, const Arguments& arguments)
    : regression_(*problem.marginals),
      scale_(arguments.real("scale")),
      largest_(regression_.rows()),
      normals_(lane_blocks(problem.contexts())),
      noise_(normals_),
      drawn_(problem.contexts()) {}

Decision CausalLinearThompson::choose(Stream& stream) {
  regression_.update();
  normals(stream, {values_of(normals_), drawn_.size()});
  regression_.correlate(normals_, noise_);
  const auto estimate = regression_.estimate();
  for (std::size_t z = 0; z < drawn_.size(); ++z)
    drawn_[z] = estimate[z] + scale_ * values_of(noise_)[z];
  return {regression_.rows().action(largest_.row(regression_.rows(), drawn_))};
}

Insights CausalLinearThompson::explain() const {
  RidgeRegression next = regression_;
  next.update();
  Insights told;
  tell(told, "mean", Insight::Of::kActions, next.rows().actions(),
       [&](Arm a) { return next.prediction(next.rows().row(a)); });
  return told;
}

}  // namespace armature
