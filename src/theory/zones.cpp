// Where one guarantee overtakes another, where guarantees begin to say anything, and when a wrong Z
// is noticed.
#include <cmath>
#include <functional>

#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {
namespace {

constexpr double kFarthest = 1e18;

// The smallest whole number in [1, most] at which `holds` is true; it stays true from there on.
std::optional<double> smallest_whole(double most, const std::function<bool(double)>& holds) {
  if (holds(1)) return 1;
  if (!holds(most)) return std::nullopt;
  double low = 1;
  double high = most;
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // neighbours among doubles this large
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// The same setting at another horizon, with δ = 1/T there.
Setting at_horizon(const Setting& setting, double horizon) {
  Setting other = setting;
  other.horizon = horizon;
  other.delta.reset();
  return other;
}

}  // namespace

double causal_crossing(const Setting& setting, CausalCoefficient coefficient) {
  const double delta = setting.level();
  const double causal =
      coefficient == CausalCoefficient::kPaper
          ? causal_ucb_coefficient(setting.contexts, setting.horizon, delta)
          : sharp_causal_ucb_coefficient(setting.contexts, setting.horizon, delta);
  const auto crossing = smallest_whole(kFarthest, [&](double actions) {
    return ucb_coefficient(actions, setting.horizon, delta) > causal;
  });
  return needed(crossing, "actions at which c-ucb's coefficient is below ucb's");
}

std::optional<double> ucb_horizon(const Setting& setting) {
  return smallest_whole(kFarthest, [&](double horizon) {
    return ucb_bound(at_horizon(setting, horizon), horizon) < horizon;
  });
}

std::optional<double> c_ucb_horizon(const Setting& setting) {
  return smallest_whole(kFarthest, [&](double horizon) {
    return c_ucb_sharp_bound(at_horizon(setting, horizon), horizon) < horizon;
  });
}

double sentry_threshold(const Setting& setting) {
  const double ratio =
      sharp_causal_ucb_coefficient(setting.contexts, setting.horizon, setting.level()) /
      ucb_coefficient(setting.actions, setting.horizon, setting.level());
  return ratio * ratio * setting.horizon;
}

namespace {

// The smallest n with n > factor·ℓ(n)/gap². ℓ grows like log log n, so a few steps settle it.
double least_count(double factor, double gap, const std::function<double(double)>& log_at) {
  double count = 1;
  for (int step = 0; step < 100; ++step) {
    const double next = std::floor(factor * log_at(count) / gap / gap) + 1;
    if (!(next > count) || !std::isfinite(next)) return std::max(next, count);
    count = next;
  }
  return count;
}

}  // namespace

// The test must fire once 2w(a) and 2w(z) are below gap/2 each: n > 8ℓ/gap² (docs/sentry.md,
// section 6). With the contexts known, 2w(a) < gap is enough: n > 2ℓ/gap².
SentryNotice sentry_notice(const Setting& setting, const SentryForm& form, double gap) {
  const auto actions = [&](double n) { return sentry_action_log(setting, form, n); };
  const auto contexts = [&](double n) { return sentry_context_log(setting, form, n); };
  return {.plays = least_count(8, gap, actions),
          .visits = least_count(8, gap, contexts),
          .plays_at_least = least_count(2, gap, actions)};
}

// The causal learner is switched off when its average is below ucb's by more than
//   γ_1 + γ_2 + d_1/√n_1 + (b_2 - b_1), ucb's own average being below the best by up to d_2/√n_2.
// While both are active n_2/n_1 = d_2Z_1/(d_1Z_2). All terms are of the form x/√t: t = (Σx/gap)²,
// with the logs of γ and b taken at that t. An estimate, not a bound: ucb is often held inactive by
// its bias, which makes its share smaller and the round later.
double db_notice_round(const Setting& setting, Bias bias, double gap) {
  const BalancedLearner causal = causal_learner(setting, CausalLearner::kCausalUcb);
  const BalancedLearner arbitrary = arbitrary_learner(setting);
  const double split = arbitrary.coefficient / (causal.coefficient * arbitrary.dial);
  const double causal_share = 1 / (1 + split);
  const double arbitrary_share = split / (1 + split);
  const auto width = [&](double t, double share) {  // γ_i·√t
    return 3 * std::sqrt(portable::log(2 * guarded_log(share * t) / setting.level()) / share);
  };
  const auto handicap = [&](double t, const BalancedLearner& learner) {  // b_i·√t
    const double in_bias = bias == Bias::kCorrected ? learner.coefficient : 1;
    return std::max(2 * learner.dial * in_bias,
                    3 * std::sqrt(2 * portable::log(2 * guarded_log(t) / setting.level())));
  };
  double t = 2;
  for (int step = 0; step < 100; ++step) {
    const double sum = width(t, causal_share) + width(t, arbitrary_share) +
                       causal.coefficient / std::sqrt(causal_share) +
                       arbitrary.coefficient / std::sqrt(arbitrary_share) +
                       std::max(0.0, handicap(t, arbitrary) - handicap(t, causal));
    const double next = std::ceil(sum / gap * (sum / gap));
    if (next == t || !std::isfinite(next)) return next;
    t = next;
  }
  return t;
}

}  // namespace armature
