// HAC-UCB, straight from spec §5, with outcomes in the order of decisions. Everything is found
// again in every round from the whole history: which round we are in, the marginals, the
// statistics, the test. All that is kept besides is what the spec makes irrevocable: the round of
// the switch.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class HacUcbOracle {
 public:
  enum class Variant { kCode, kPaper };

  HacUcbOracle(Knowledge knowledge, Variant variant, double scale)
      : know_(std::move(knowledge)), variant_(variant), scale_(scale), flights_(know_) {}

  std::uint32_t choose() {
    const std::size_t round = sent_;  // rounds behind us
    if (round < sweep_rounds()) return static_cast<std::uint32_t>(round % know_.actions);
    if (!switch_round_ && !estimates_agree()) switch_round_ = round;
    return switch_round_ ? first_maximum(action_indices(true))
                         : first_maximum(pseudo_indices(true));
  }

  void observe(const Observation& seen) { history_.push_back(seen); }
  void send(std::uint32_t arm) {
    flights_.plays[arm] += 1;
    ++sent_;
  }
  void land(std::uint32_t arm) { flights_.plays[arm] -= 1; }

 private:
  struct Statistic {
    double count = 0;
    double sum = 0;
    void add(double reward) { count += 1, sum += reward; }
    double n() const { return std::max(count, 1.0); }  // floored at 1 inside every formula
    double mean() const { return sum / n(); }
  };

  // round(√T/|A| + 1), halves to even as in the published Julia; ceil(4√T/|A|) in the published
  // text.
  std::size_t first_sweeps() const {
    const double share = std::sqrt(know_.horizon) / know_.actions;
    return static_cast<std::size_t>(variant_ == Variant::kCode ? std::nearbyint(share + 1)
                                                               : std::ceil(4 * share));
  }
  std::size_t second_sweeps() const {
    const double share = std::sqrt(know_.horizon) / know_.actions;
    return variant_ == Variant::kCode ? 0 : static_cast<std::size_t>(std::ceil(share));
  }
  std::size_t sweep_rounds() const { return (first_sweeps() + second_sweeps()) * know_.actions; }

  // w(n) = sqrt(log(1/δ)/(2n)), δ = 1/T²
  double w(double n) const {
    const double delta = 1 / (know_.horizon * know_.horizon);
    return scale_ * std::sqrt(portable::log(1 / delta) / (2 * n));
  }

  std::vector<Statistic> action_statistics() const {
    std::vector<Statistic> statistics(know_.actions);
    for (const Observation& seen : history_) statistics[seen.arm].add(seen.reward);
    return statistics;
  }
  // Contexts are counted until the switch only.
  std::vector<Statistic> context_statistics() const {
    std::vector<Statistic> statistics(know_.contexts);
    const std::size_t end = std::min(switch_round_.value_or(history_.size()), history_.size());
    for (std::size_t t = 0; t < end; ++t) statistics[history_[t].context].add(history_[t].reward);
    return statistics;
  }

  // ν̃, or (variant = paper) what the first sweeps showed, if any action's contexts were too far
  // off.
  std::vector<std::vector<double>> marginals() const {
    if (variant_ == Variant::kCode) return know_.marginals;
    const double T = know_.horizon;
    std::vector<std::vector<double>> empirical(know_.actions, std::vector<double>(know_.contexts));
    for (std::size_t t = 0; t < first_sweeps() * know_.actions; ++t)
      empirical[history_[t].arm][history_[t].context] += 1;
    for (auto& row : empirical)
      for (double& entry : row) entry /= static_cast<double>(first_sweeps());
    const double allowed = 2 * portable::pow(T, -0.25) *
                           std::sqrt(double(know_.actions) * know_.contexts * portable::log(T));
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      double distance = 0;
      for (std::uint32_t z = 0; z < know_.contexts; ++z)
        distance += std::abs(empirical[a][z] - know_.marginals[a][z]);
      if (distance > allowed) return empirical;
    }
    return know_.marginals;
  }

  // u(a) = μ̂(a) + w(n(a))
  // The choice counts plays in flight, the test does not.
  std::vector<double> action_indices(bool ahead) const {
    std::vector<double> u;
    const std::vector<Statistic> actions = action_statistics();
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      const double out = ahead ? flights_.plays[a] : 0;
      u.push_back(actions[a].mean() + w(std::max(actions[a].count + out, 1.0)));
    }
    return u;
  }

  // p(a) = Σ ν̃_a(z)(μ̂(z) + w(n(z)))
  std::vector<double> pseudo_indices(bool ahead) const {
    std::vector<double> upper;
    const std::vector<Statistic> contexts = context_statistics();
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      const double out = ahead ? flights_.visits(z) : 0;
      upper.push_back(contexts[z].mean() + w(std::max(contexts[z].count + out, 1.0)));
    }
    return weighted(upper);
  }

  std::vector<double> weighted(const std::vector<double>& of_context) const {
    std::vector<double> sums;
    for (const auto& row : marginals()) {
      double sum = 0;
      for (std::uint32_t z = 0; z < know_.contexts; ++z) sum += row[z] * of_context[z];
      sums.push_back(sum);
    }
    return sums;
  }

  // For all a: u(a) − p(a) ≤ 2w(n(a)) and p(a) − u(a) ≤ Σ_z ν̃_a(z)·2w(n(z)).
  bool estimates_agree() const {
    std::vector<double> twice_width;
    for (const Statistic& context : context_statistics()) twice_width.push_back(2 * w(context.n()));
    const std::vector<double> allowed_above = weighted(twice_width);
    const std::vector<double> u = action_indices(false);
    const std::vector<double> p = pseudo_indices(false);
    const std::vector<Statistic> actions = action_statistics();
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      if (u[a] - p[a] > 2 * w(actions[a].n())) return false;
      if (p[a] - u[a] > allowed_above[a]) return false;
    }
    return true;
  }

  static std::uint32_t first_maximum(const std::vector<double>& values) {
    return static_cast<std::uint32_t>(std::max_element(values.begin(), values.end()) -
                                      values.begin());
  }

  Knowledge know_;
  Variant variant_;
  double scale_;
  InFlight flights_;
  std::size_t sent_ = 0;
  History history_;
  std::optional<std::size_t> switch_round_;  // rounds before it; the only thing that is remembered
};

}  // namespace armature::oracle
