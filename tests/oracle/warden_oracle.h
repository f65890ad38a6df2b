// Warden, straight from its rule: every index of every action and context is computed anew in every
// round. All that is kept besides counts and sums is what the rule makes irrevocable: which plays
// are included, lcb*, e and the rejection.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class WardenOracle {
 public:
  struct Options {
    // The dial, at most one of them; 0: the default
    double r = 0;
    double R1 = 0;
    double R2 = 0;
    double patience = 50;
    double delta = 0.05;
    double epsilon = 0;
    bool free = false;  // schedule = free
    bool causal_test = true;
    bool stratified_test = true;
    bool ignore_flights = false;  // inflight = ignore
  };

  WardenOracle(Knowledge knowledge, Options options)
      : know_(std::move(knowledge)),
        options_(options),
        flights_(know_),
        actions_(know_.actions),
        contexts_(know_.contexts),
        all_(know_.actions, Row(know_.contexts)),
        included_(know_.actions, Row(know_.contexts)) {}

  std::uint32_t choose() {
    work_in();
    t_ += 1;
    T_ = know_.horizon;
    if (options_.free)
      for (T_ = 1; T_ < t_;) T_ *= 2;
    if (rejected_) return first_of_largest([&](std::uint32_t a) { return J(a); });  // (i)
    const std::uint32_t b = causal_leader();                                        // (ii)
    const std::uint32_t a = first_of_largest([&](std::uint32_t c) { return I(c); });
    if (I(a) > I(b) && n(a) + out(a) < n(b) + out(b) && e_ < patience()) {  // (iii)
      e_ += 1;
      return a;
    }
    return b;
  }

  void send(std::uint32_t arm) { flights_.plays[arm] += 1; }
  void land(std::uint32_t arm) { flights_.plays[arm] -= 1; }
  void observe(const Observation& seen) { fresh_.push_back(seen); }

  bool rejected() const { return rejected_; }
  double watched() const { return e_; }

 private:
  struct Cell {
    double count = 0;
    double sum = 0;
  };
  using Row = std::vector<Cell>;

  static double log_plus(double x) { return std::max(0.0, portable::log(x)); }
  static double W(double n, double B) { return std::sqrt(log_plus(B / n) / (2 * n)); }
  // 0.85·sqrt((log log(2n) + 0.72·log(10.4k/δ))/n), counts floored at 1
  double w(double count, double k) const {
    const double n = std::max(count, 1.0);
    return 0.85 * std::sqrt((portable::log(portable::log(2 * n)) +
                             0.72 * portable::log(10.4 * k / options_.delta)) /
                            n);
  }

  double n(std::uint32_t a) const { return actions_[a].count; }
  static double mean(const Cell& cell) { return cell.sum / std::max(cell.count, 1.0); }
  double out(std::uint32_t a) const { return options_.ignore_flights ? 0 : flights_.plays[a]; }

  double r() const {
    const double A = know_.actions;
    const double Z = know_.contexts;
    if (options_.r > 0) return options_.r;
    if (options_.R1 > 0) return options_.R1 / A;
    if (options_.R2 > 0) return T_ / (8 * 2.718281828459045 * options_.R2);
    return std::max(0.5, std::min(std::sqrt(Z * T_) / (6 * A), 0.5 * std::sqrt(T_ / A)));
  }
  double patience() const { return options_.patience * know_.actions * r() * r(); }

  double U(std::uint32_t z) const {
    const Cell& seen = contexts_[z];
    if (seen.count == 0) return 1;
    const double expected = options_.ignore_flights ? 0 : flights_.visits(z);
    return mean(seen) + W(seen.count + expected, std::max(2.0, T_ / know_.contexts));
  }
  double I(std::uint32_t a) const {
    const double plays = n(a) + out(a);
    if (plays == 0) return 1;
    const double width = std::min(W(plays, T_ / know_.actions), r() / plays);
    return n(a) == 0 ? std::min(1.0, width) : mean(actions_[a]) + width;
  }
  double J(std::uint32_t a) const {
    const double plays = n(a) + out(a);
    if (plays == 0) return std::max(1.0, W(1, T_ / know_.actions));
    return mean(actions_[a]) + W(plays, T_ / know_.actions);
  }
  template <class Index>
  std::uint32_t first_of_largest(const Index& index) const {
    std::vector<double> values;
    for (std::uint32_t a = 0; a < know_.actions; ++a) values.push_back(index(a));
    return static_cast<std::uint32_t>(std::max_element(values.begin(), values.end()) -
                                      values.begin());
  }

  // The largest min(μ̂ + w, C) among {μ̂(a) + w(a) ≥ lcb*}; ties: largest I, then lowest index.
  std::uint32_t causal_leader() const {
    std::vector<double> uppers;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) uppers.push_back(U(z));
    bool any = false;
    std::uint32_t leader = 0;
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      const double upper = mean(actions_[a]) + w(n(a), know_.actions);
      if (upper < lcb_) continue;
      const double value = std::min(upper, weighted(a, uppers));
      if (!any || value > highest || (value == highest && I(a) > I(leader))) {
        any = true;
        highest = value;
        leader = a;
      }
    }
    return any ? leader : first_of_largest([&](std::uint32_t a) { return J(a); });
  }

  // All that has come since the last choice. Whether a play is included is judged by what came
  // before that choice.
  void work_in() {
    std::set<std::uint32_t> played;
    std::vector<bool> counts;
    for (const Observation& seen : fresh_)
      counts.push_back(contexts_[seen.context].count > all_[seen.arm][seen.context].count);
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      const Observation& seen = fresh_[i];
      if (counts[i]) add(included_[seen.arm][seen.context], seen.reward);
      add(all_[seen.arm][seen.context], seen.reward);
      add(actions_[seen.arm], seen.reward);
      add(contexts_[seen.context], seen.reward);
      played.insert(seen.arm);
    }
    fresh_.clear();
    for (const std::uint32_t a : played) {
      lcb_ = std::max(lcb_, mean(actions_[a]) - w(n(a), know_.actions));
      if (options_.causal_test && means_disagree(a)) rejected_ = true;
      if (options_.stratified_test && differs_from_others(a)) rejected_ = true;
    }
  }
  static void add(Cell& cell, double reward) { cell = {cell.count + 1, cell.sum + reward}; }

  // T1: |μ̂(a) − Σ ν̃_a(z)μ̂(z)| > w(a) + Σ ν̃_a(z)w(z) + ε/2
  bool means_disagree(std::uint32_t a) const {
    std::vector<double> means, widths;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      means.push_back(mean(contexts_[z]));
      widths.push_back(w(contexts_[z].count, know_.contexts));
    }
    return std::abs(mean(actions_[a]) - weighted(a, means)) >
           w(n(a), know_.actions) + weighted(a, widths) + options_.epsilon / 2;
  }

  // T2
  bool differs_from_others(std::uint32_t a) const {
    double D = 0, Q = 0, k_total = 0, l_o = 0;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      if (!(know_.marginals[a][z] > 0)) continue;
      Cell others;
      for (std::uint32_t c = 0; c < know_.actions; ++c)
        if (c != a) others = {others.count + all_[c][z].count, others.sum + all_[c][z].sum};
      const auto [o, sum] = others;
      const auto [k, s] = included_[a][z];
      l_o += 0.25 * portable::log(1 + o / 30);
      if (k == 0) continue;
      D += s - k * (sum / o);
      Q += k / o * (k / o) * (30 + o);
      k_total += k;
    }
    const double A = know_.actions;
    const double half_4 = 0.5 * portable::log(4 * A / options_.delta);
    const double half_2 = 0.5 * portable::log(2 * A / options_.delta);
    const double l_k = 0.25 * portable::log(1 + k_total / 30);
    const double split = std::sqrt((30 + k_total) * (half_4 + l_k)) + std::sqrt(Q * (half_4 + l_o));
    const double joint = std::sqrt((30 + k_total + Q) * (half_2 + l_k + l_o));
    return std::abs(D) > std::min(split, joint);
  }

  double weighted(std::uint32_t a, const std::vector<double>& of_context) const {
    double sum = 0;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) sum += know_.marginals[a][z] * of_context[z];
    return sum;
  }

  Knowledge know_;
  Options options_;
  InFlight flights_;
  Row actions_, contexts_;
  std::vector<Row> all_, included_;  // plays of each action in each context
  std::vector<Observation> fresh_;   // since the last choice
  double lcb_ = -std::numeric_limits<double>::infinity();
  double t_ = 0;
  double T_ = 1;
  double e_ = 0;
  bool rejected_ = false;
};

}  // namespace armature::oracle
