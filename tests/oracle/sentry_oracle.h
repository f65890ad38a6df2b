// Sentry, straight from spec §6, with prompt feedback or one outcome a round: in every round every
// bound of every action and context is computed anew, and all that is kept besides is what the spec
// makes irrevocable: lcb*, e and the rejection.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class SentryOracle {
 public:
  enum class Schedule { kFirst, kSpread, kFree };

  struct Options {
    Schedule schedule = Schedule::kFirst;
    bool paper = false;  // confidence = paper, else anytime
    double scale = 1;
    double tau = 0;
    double epsilon = 0;
    bool rejection = true;
    // E, at most one of them; 0: the default
    double budget = 0;
    double share = 0;
    double R1 = 0;
    bool ignore_flights = false;  // inflight = ignore
  };

  SentryOracle(Knowledge knowledge, Options options)
      : know_(std::move(knowledge)),
        options_(options),
        flights_(know_),
        n_a_(know_.actions),
        sum_a_(know_.actions),
        n_z_(know_.contexts),
        sum_z_(know_.contexts) {}

  std::uint32_t choose() {
    t_ += 1;
    // Tests go by observed counts, choices by counts with plays in flight.
    std::vector<double> UCB, ahead;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      const double out = options_.ignore_flights ? 0 : flights_.plays[a];
      UCB.push_back(mean(sum_a_[a], n_a_[a]) + w(n_a_[a], know_.actions));
      ahead.push_back(mean(sum_a_[a], n_a_[a]) + w(n_a_[a] + out, know_.actions));
    }
    const double highest_upper = *std::max_element(UCB.begin(), UCB.end());
    const auto best = static_cast<std::uint32_t>(std::max_element(ahead.begin(), ahead.end()) -
                                                 ahead.begin());    // the first of equals
    if (rejected_) return best;                                     // (i)
    if (e_ < allowance() && highest_upper > lcb_ + options_.tau) {  // (ii)
      e_ += 1;
      return best;
    }
    // (iii) among {a : UCB(a) ≥ lcb*} argmax min(UCB(a), C(a))
    std::vector<double> U;
    for (std::uint32_t z = 0; z < know_.contexts; ++z)
      U.push_back(mean(sum_z_[z], n_z_[z]) +
                  w(n_z_[z] + (options_.ignore_flights ? 0 : flights_.visits(z)), know_.contexts));
    bool any = false;
    std::uint32_t chosen = best;  // no candidate: argmax UCB
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      if (UCB[a] < lcb_) continue;
      const double index = std::min(ahead[a], weighted(a, U));
      if (!any || index > highest) {
        any = true;
        highest = index;
        chosen = a;
      }
    }
    return chosen;
  }

  void send(std::uint32_t arm) { flights_.plays[arm] += 1; }
  void land(std::uint32_t arm) { flights_.plays[arm] -= 1; }
  void observe(const Observation& seen) {
    const std::uint32_t a = seen.arm;
    n_a_[a] += 1;
    sum_a_[a] += seen.reward;
    n_z_[seen.context] += 1;
    sum_z_[seen.context] += seen.reward;
    const double width = w(n_a_[a], know_.actions);
    lcb_ = std::max(lcb_, mean(sum_a_[a], n_a_[a]) - width);
    // |μ̂(a) − Σ_z ν̃_a(z)μ̂(z)| > w(a) + Σ_z ν̃_a(z)w(z) + ε/2
    std::vector<double> means, widths;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      means.push_back(mean(sum_z_[z], n_z_[z]));
      widths.push_back(w(n_z_[z], know_.contexts));
    }
    const double difference = std::abs(mean(sum_a_[a], n_a_[a]) - weighted(a, means));
    if (options_.rejection && difference > width + weighted(a, widths) + options_.epsilon / 2)
      rejected_ = true;
  }

  bool rejected() const { return rejected_; }

 private:
  static double mean(double sum, double n) { return sum / std::max(n, 1.0); }

  // The widths of k quantities: paper sqrt(L/(2n)), L = log(2kT/δ), δ = 1/T; anytime
  // 0.85·sqrt((log log(2n) + 0.72·log(10.4k/δ))/n), δ = 0.05.
  double w(double count, double k) const {
    const double n = std::max(count, 1.0);
    const double T = know_.horizon;
    if (options_.paper)
      return options_.scale *
             std::sqrt(portable::log(2 * k * T / (1 / std::max(T, 2.0))) / (2 * n));
    return options_.scale * (0.85 * std::sqrt((portable::log(portable::log(2 * n)) +
                                               0.72 * portable::log(10.4 * k / 0.05)) /
                                              n));
  }

  double weighted(std::uint32_t a, const std::vector<double>& of_context) const {
    double sum = 0;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) sum += know_.marginals[a][z] * of_context[z];
    return sum;
  }

  // E(t)
  double allowance() const {
    if (options_.schedule == Schedule::kFree)
      return portable::cbrt(double(know_.actions) * t_ * t_);
    const double E = budget();
    return options_.schedule == Schedule::kFirst ? E : E * t_ / know_.horizon;
  }
  double budget() const {
    const double T = know_.horizon;
    const double A = know_.actions;
    double E = 1;  // the smallest with E³ ≥ |A|T², at most T; whole numbers, so it is exact
    while (E < T && E * E * E < A * T * T) ++E;
    if (options_.budget > 0) E = options_.budget;
    if (options_.share > 0) E = options_.share * T;
    if (options_.R1 > 0) {
      // L_A for paper; for anytime Λ(T) = 1.445·(log log 2T + 0.72·log(10.4|A|/δ))
      const double L = options_.paper ? portable::log(2 * A * T * T)
                                      : 1.445 * (portable::log(portable::log(2 * T)) +
                                                 0.72 * portable::log(10.4 * A / 0.05));
      E = options_.R1 * options_.R1 / (8 * A * L);
    }
    return std::max(1.0, std::min(E, T));
  }

  Knowledge know_;
  Options options_;
  InFlight flights_;
  std::vector<double> n_a_, sum_a_, n_z_, sum_z_;
  double lcb_ = -std::numeric_limits<double>::infinity();  // lcb*
  double t_ = 0;
  double e_ = 0;
  bool rejected_ = false;
};

}  // namespace armature::oracle
