#include "audit/exact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "armature/error.h"
#include "base/discrete.h"
#include "base/gamma.h"
#include "base/mathematics.h"

namespace armature {
namespace {

// Tables as likely as the one seen differ from it by rounding alone: they count.
constexpr double kTie = 1e-7;

double log_choose(std::uint64_t n, std::uint64_t k) {
  const auto from = static_cast<double>(n), of = static_cast<double>(k);
  return log_gamma(from + 1) - log_gamma(of + 1) - log_gamma(from - of + 1);
}

struct Totals {
  std::uint64_t rows = 0;
  std::uint64_t successes = 0;
};
Totals totals_of(const SuccessTable& table) {
  Totals totals;
  for (const std::uint64_t rows : table.rows) totals.rows += rows;
  for (const std::uint64_t successes : table.successes) totals.successes += successes;
  return totals;
}

// The logarithm of what the table's probability is proportional to.
double log_score(const SuccessTable& table) {
  double score = 0;
  for (std::size_t a = 0; a < table.rows.size(); ++a)
    score += log_choose(table.rows[a], table.successes[a]);
  return score;
}

// Only actions with rows; failures in place of successes where there are fewer of them, which is
// the same test.
SuccessTable reduced(const SuccessTable& table) {
  const Totals totals = totals_of(table);
  const bool turned = 2 * totals.successes > totals.rows;
  SuccessTable small;
  for (std::size_t a = 0; a < table.rows.size(); ++a) {
    if (table.rows[a] == 0) continue;
    small.rows.push_back(table.rows[a]);
    small.successes.push_back(turned ? table.rows[a] - table.successes[a] : table.successes[a]);
  }
  return small;
}

// The network: actions are dealt their successes one after the other. What matters of the past is
// how many were dealt and how likely that was; pasts that agree in both are one node. A node all of
// whose futures are at most as likely as the table seen counts in full, one with no such future not
// at all, and only the others are followed.
class Network {
 public:
  Network(const SuccessTable& table, std::uint64_t steps)
      : table_(table), totals_(totals_of(table)), steps_left_(steps) {}

  /// Nothing if it takes more steps than allowed.
  std::optional<double> p_value() {
    if (!spend(futures_cost())) return std::nullopt;
    fill_futures();
    const double limit = log_score(table_) + kTie;
    const double all = log_choose(totals_.rows, totals_.successes);
    std::map<Key, Node> nodes{{{0, 0}, {0, 1}}};
    std::uint64_t rows_left = totals_.rows;
    double sum = 0;
    for (std::size_t a = 0; a < table_.rows.size(); ++a) {
      rows_left -= table_.rows[a];
      std::map<Key, Node> next;
      for (const auto& [key, node] : nodes) {
        const std::uint64_t left = totals_.successes - key.first;
        const std::uint64_t least = left > rows_left ? left - rows_left : 0;
        const std::uint64_t most = std::min(left, table_.rows[a]);
        if (!spend(most - least + 1)) return std::nullopt;
        for (std::uint64_t s = least; s <= most; ++s) {
          const double score = node.score + choose_[a][s];
          const Future& future = futures_[a + 1][left - s];
          if (score + future.likeliest <= limit)
            sum += node.pasts * portable::exp(score + log_choose(rows_left, left - s) - all);
          else if (score + future.unlikeliest <= limit)
            add(next, key.first + s, score, node.pasts);
        }
      }
      nodes = std::move(next);
    }
    return std::min(1.0, sum);
  }

 private:
  using Key = std::pair<std::uint64_t, std::int64_t>;  // successes dealt; score, rounded
  struct Node {
    double score;
    double pasts;  // how many
  };
  struct Future {
    double likeliest = -INFINITY;
    double unlikeliest = INFINITY;
  };

  bool spend(std::uint64_t steps) {
    if (steps > steps_left_) return false;
    steps_left_ -= steps;
    return true;
  }
  std::uint64_t futures_cost() const {
    const std::uint64_t side = totals_.successes + 1;
    if (side > 3000) return steps_left_ + 1;
    return table_.rows.size() * side * side / 4 + 1;  // these are cheap steps
  }

  static void add(std::map<Key, Node>& nodes, std::uint64_t dealt, double score, double pasts) {
    const auto rounded = static_cast<std::int64_t>(std::llround(score * 1e9));
    const auto [place, fresh] = nodes.try_emplace({dealt, rounded}, Node{score, pasts});
    if (!fresh) place->second.pasts += pasts;
  }

  // The scores of the likeliest and the unlikeliest way to deal s successes to the actions from a
  // on.
  void fill_futures() {
    const std::size_t count = table_.rows.size();
    futures_.assign(count + 1, std::vector<Future>(totals_.successes + 1));
    futures_[count][0] = {0, 0};
    choose_.resize(count);
    for (std::size_t a = count; a-- > 0;) {
      const std::uint64_t most = std::min(table_.rows[a], totals_.successes);
      for (std::uint64_t s = 0; s <= most; ++s) choose_[a].push_back(log_choose(table_.rows[a], s));
      for (std::uint64_t dealt = 0; dealt <= totals_.successes; ++dealt)
        for (std::uint64_t s = 0; s <= std::min(most, dealt); ++s) {
          const Future& rest = futures_[a + 1][dealt - s];
          Future& future = futures_[a][dealt];
          future.likeliest = std::max(future.likeliest, choose_[a][s] + rest.likeliest);
          future.unlikeliest = std::min(future.unlikeliest, choose_[a][s] + rest.unlikeliest);
        }
    }
  }

  const SuccessTable& table_;
  Totals totals_;
  std::uint64_t steps_left_;
  std::vector<std::vector<double>> choose_;   // by action and successes: log C(n_a, s)
  std::vector<std::vector<Future>> futures_;  // by first action and successes to deal
};

// The successes dealt out at random: each action draws its own from what is left.
SuccessTable dealt(const SuccessTable& seen, Totals left, Stream& stream) {
  SuccessTable table{seen.rows, std::vector<std::uint64_t>(seen.rows.size())};
  for (std::size_t a = 0; a < seen.rows.size(); ++a) {
    table.successes[a] =
        hypergeometric(stream, left.successes, left.rows - left.successes, seen.rows[a]);
    left.rows -= seen.rows[a];
    left.successes -= table.successes[a];
  }
  return table;
}

}  // namespace

TestResult freeman_halton(const SuccessTable& table, Stream& stream, const ExactWork& work) {
  const SuccessTable small = reduced(table);
  const Totals totals = totals_of(small);
  if (small.rows.size() < 2) return {};
  if (totals.successes == 0) return {1, "exact", 0, 0};
  if (small.rows.size() == 2) return {fisher_exact(small), "exact", 0, 0};
  if (const auto p = Network(small, work.steps).p_value()) return {*p, "exact", 0, 0};
  const double limit = log_score(small) + kTie;
  return tried(work.trials, "Monte Carlo",
               [&] { return log_score(dealt(small, totals, stream)) <= limit; });
}

double fisher_exact(const SuccessTable& table) {
  const SuccessTable small = reduced(table);
  if (small.rows.size() < 2) return 1;
  ARMATURE_CHECK(small.rows.size() == 2, "two actions");
  const Totals totals = totals_of(small);
  const std::uint64_t marked = totals.successes, unmarked = totals.rows - marked;
  const std::uint64_t draws = small.rows[0];
  const std::uint64_t least = draws > unmarked ? draws - unmarked : 0;
  const std::uint64_t most = std::min(marked, draws);
  const auto probability = [&](std::uint64_t s) {
    return portable::exp(log_hypergeometric_pmf(marked, unmarked, draws, s));
  };
  const auto log_probability = [&](std::uint64_t s) {
    return log_hypergeometric_pmf(marked, unmarked, draws, s);
  };
  const double limit = log_probability(small.successes[0]) + kTie;
  // The law rises to its mode and falls from it: the numbers that count are two tails.
  const auto mode = static_cast<std::uint64_t>(
      std::clamp((static_cast<double>(marked) + 1) * (static_cast<double>(draws) + 1) /
                     (static_cast<double>(totals.rows) + 2),
                 static_cast<double>(least), static_cast<double>(most)));
  if (log_probability(mode) <= limit) return 1;
  double sum = 0;
  if (log_probability(least) <= limit) {
    std::uint64_t low = least, high = mode;  // counts, does not
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (log_probability(middle) <= limit ? low : high) = middle;
    }
    for (std::uint64_t s = low;; --s) {
      const double mass = probability(s);
      sum += mass;
      if (s == least || mass <= sum * 1e-17) break;
    }
  }
  if (log_probability(most) <= limit) {
    std::uint64_t low = mode, high = most;  // does not, counts
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (log_probability(middle) <= limit ? high : low) = middle;
    }
    for (std::uint64_t s = high;; ++s) {
      const double mass = probability(s);
      sum += mass;
      if (s == most || mass <= sum * 1e-17) break;
    }
  }
  return std::min(1.0, sum);
}

}  // namespace armature
