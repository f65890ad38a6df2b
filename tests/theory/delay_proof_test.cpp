// The theorem on late outcomes (docs/theory.md) against opponents that do all its proof allows:
// estimates err to the edge of the good event in whichever direction hurts, outcomes come as late
// as they may, and sentry's proposal is the worst candidate. Nothing is left to chance for actions;
// contexts are drawn, and a match ends when one of its events fails. So no case may fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "armature/random.h"
#include "armature/theory.h"
#include "theory/coefficients.h"

namespace armature {
namespace {

constexpr int kRounds = 1500;

double width(double log_term, double count) {
  return std::sqrt(log_term / (2 * std::max(1.0, count)));
}
double clipped(double log_term, double count) { return std::min(1.0, width(log_term, count)); }

struct Match {
  double log_term;  // L ≥ 2
  int delay;        // D
  InFlight in_flight;
  bool exactly;   // as late as they may, or any time before
  double hide;    // how much of its width the opponent takes off the best, and adds to the others
  double budget;  // E of sentry; kRounds: all rounds are ucb's
};

Match any_match(Stream& stream, InFlight in_flight) {
  Match match{};
  match.log_term = 2 + 8 * stream.uniform() * stream.uniform();
  match.delay = static_cast<int>(std::exp(6 * stream.uniform())) - 1;
  match.in_flight = in_flight;
  match.exactly = stream.uniform() < 0.7;
  match.hide = stream.uniform() < 0.6 ? 1 : 2 * stream.uniform() - 1;
  match.budget = kRounds;
  return match;
}

// In which round the outcome of round s can be used first: D = 0 is the next.
int arrival(const Match& match, Stream& stream, int s) {
  const int late =
      match.exactly ? match.delay : static_cast<int>(stream.uniform() * (match.delay + 1));
  return s + late + 1;
}

// Letters by the round in which they arrive; what comes after the last round is never read.
class Post {
 public:
  void send(int round, std::size_t what) {
    if (round <= kRounds) due_[static_cast<std::size_t>(round)].push_back(what);
  }
  const std::vector<std::size_t>& at(int round) const {
    return due_[static_cast<std::size_t>(round)];
  }

 private:
  std::vector<std::vector<std::size_t>> due_ = std::vector<std::vector<std::size_t>>(kRounds + 1);
};

std::size_t argmax(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

// ucb, or sentry in a world of which only the actions' means matter. Returns the largest regret as
// a part of its bound.
class ActionGame {
 public:
  ActionGame(const Match& match, std::vector<double> means)
      : match_(match),
        means_(std::move(means)),
        best_(argmax(means_)),
        seen_(means_.size()),
        sent_(means_.size()),
        estimate_(means_.size()) {}

  double play(Stream& stream) {
    double worst = 0;
    double regret = 0;
    double explored = 0;
    for (int t = 1; t <= kRounds; ++t) {
      receive(t);
      const bool explore = explored < match_.budget;
      const std::size_t arm = explore ? argmax(indices(true)) : worst_candidate();
      explored += explore ? 1 : 0;
      regret += means_[best_] - means_[arm];
      sent_[arm] += 1;
      post_.send(arrival(match_, stream, t), arm);
      worst = std::max(worst, regret / bound(t));
    }
    return worst;
  }

 private:
  // Estimates move only when an outcome comes: lcb* is raised by what came last.
  void receive(int round) {
    for (const std::size_t arm : post_.at(round)) seen_[arm] += 1;
    for (const std::size_t arm : post_.at(round)) {
      const double error = (arm == best_ ? -1 : 1) * match_.hide;
      estimate_[arm] =
          std::clamp(means_[arm] + error * clipped(match_.log_term, seen_[arm]), 0.0, 1.0);
      bar_ = std::max(bar_, estimate_[arm] - width(match_.log_term, seen_[arm]));
    }
  }
  std::vector<double> indices(bool choosing) const {
    std::vector<double> values;
    for (std::size_t a = 0; a < means_.size(); ++a) {
      const bool counted = choosing && match_.in_flight == InFlight::kCount;
      values.push_back(estimate_[a] + width(match_.log_term, counted ? sent_[a] : seen_[a]));
    }
    return values;
  }
  std::size_t worst_candidate() const {
    const std::vector<double> upper = indices(false);
    std::size_t worst = best_;
    for (std::size_t a = 0; a < means_.size(); ++a)
      if (upper[a] >= bar_ && means_[a] < means_[worst]) worst = a;
    EXPECT_GE(upper[best_], bar_ - 1e-12) << "the best action is always a candidate";
    return worst;
  }
  double bound(double t) const {
    const double count = static_cast<double>(means_.size());
    const double gaps = count * means_[best_] - std::accumulate(means_.begin(), means_.end(), 0.0);
    const bool counted = match_.in_flight == InFlight::kCount;
    const double roots = std::sqrt(8 * count * match_.log_term * t);
    const double late = match_.delay * (gaps + (counted ? 1 : 0));
    if (t <= match_.budget) return roots + late;
    const auto open = [&](double e) {
      return e > 0 ? std::sqrt(count * (2 * match_.log_term + 1) / e) : HUGE_VAL;
    };
    const double seen = match_.budget - count * match_.delay;
    double left = open(seen);
    // Every y will do: the proof needs the smallest.
    if (counted && match_.delay > 0) {
      left = HUGE_VAL;
      for (double y = 1; y < seen; y += 1) left = std::min(left, open(seen - y) + match_.delay / y);
    }
    return roots + late + (t - match_.budget) * left;
  }

  const Match& match_;
  std::vector<double> means_;
  std::size_t best_;
  std::vector<double> seen_, sent_, estimate_;
  double bar_ = -HUGE_VAL;  // lcb*
  Post post_;
};

std::vector<double> any_means(Stream& stream, std::size_t count) {
  std::vector<double> means;
  const double spread = stream.uniform() < 0.5 ? 1 : stream.uniform();
  for (std::size_t a = 0; a < count; ++a) means.push_back(spread * stream.uniform());
  return means;
}

double worst_for_ucb(InFlight in_flight) {
  Stream stream({23, 0, Purpose::kTest});
  double worst = 0;
  for (int k = 0; k < 300; ++k) {
    const Match match = any_match(stream, in_flight);
    ActionGame game(match, any_means(stream, 2 + k % 7));
    worst = std::max(worst, game.play(stream));
  }
  return worst;
}

TEST(DelayProof, UcbAgainstEveryOpponentOfTheGoodEvent) {
  for (const InFlight in_flight : {InFlight::kCount, InFlight::kIgnore}) {
    const double worst = worst_for_ucb(in_flight);
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 0.4);  // the opponents are worth their name
  }
}

// Without counting, the price per round of delay is what it is: two actions of gap 1 and ½, each
// played for the D rounds until its first outcome comes.
TEST(DelayProof, IgnoringWhatIsInFlightCostsTheSumOfTheGaps) {
  Match match{.log_term = 2,
              .delay = 400,
              .in_flight = InFlight::kIgnore,
              .exactly = true,
              .hide = 0,
              .budget = kRounds};
  Stream stream({23, 1, Purpose::kTest});
  const double share = ActionGame(match, {0, 0.5, 1}).play(stream);
  EXPECT_LE(share, 1);
  EXPECT_GT(share, 0.75);  // 600 of 600 + sqrt(8·3·2·t), t = 800 when the last of them is over
}

double worst_for_sentry(InFlight in_flight) {
  Stream stream({23, 2, Purpose::kTest});
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    Match match = any_match(stream, in_flight);
    match.log_term = 2;  // else the budget resolves nothing in so few rounds
    match.delay = static_cast<int>(40 * stream.uniform() * stream.uniform());
    match.budget = 100 + std::floor(1000 * stream.uniform());
    ActionGame game(match, any_means(stream, 2 + k % 3));
    worst = std::max(worst, game.play(stream));
  }
  return worst;
}

TEST(DelayProof, SentryWithTheWorstProposal) {
  for (const InFlight in_flight : {InFlight::kCount, InFlight::kIgnore}) {
    const double worst = worst_for_sentry(in_flight);
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 0.5);
  }
}

// c-ucb in a benign world.
struct CausalMatch {
  Match match;
  std::vector<std::vector<double>> marginals;
  std::vector<double> means;  // of contexts
  double martingale_log = 3;  // ℓ_M
  double missing = 1.5;       // ℓ
};

class CausalGame {
 public:
  explicit CausalGame(const CausalMatch& causal)
      : causal_(causal),
        match_(causal.match),
        seen_(causal.means.size()),
        visits_(causal.means.size()),
        expected_(causal.means.size()),
        in_flight_(causal.means.size()),
        estimate_(causal.means.size()) {
    for (const auto& row : causal.marginals) values_.push_back(mean_of(row, causal.means));
    best_ = argmax(values_);
  }

  /// The largest regret as a part of its bound while all events hold.
  double play(Stream& stream) {
    double worst = 0;
    double regret = 0;
    double martingale = 0;
    for (int t = 1; t <= kRounds; ++t) {
      receive(t);
      const std::size_t arm = choose();
      const auto& row = causal_.marginals[arm];
      const std::size_t context = draw(row, stream);
      regret += values_[best_] - values_[arm];
      const auto root = [&](std::size_t z) { return 1 / std::sqrt(std::max(1.0, visits_[z])); };
      for (std::size_t z = 0; z < row.size(); ++z) martingale += row[z] * root(z);
      martingale -= root(context);
      if (martingale > std::sqrt(t * causal_.martingale_log / 2)) return worst;
      visits_[context] += 1;
      for (std::size_t z = 0; z < row.size(); ++z) {
        expected_[z] += row[z];
        in_flight_[z] += row[z];
        if (visits_[z] < expected_[z] / 2 - causal_.missing) return worst;
      }
      letters_.push_back({arm, context});
      post_.send(arrival(match_, stream, t), letters_.size() - 1);
      worst = std::max(worst, regret / bound(t));
    }
    return worst;
  }

 private:
  struct Letter {
    std::size_t arm, context;
  };
  static double mean_of(const std::vector<double>& row, const std::vector<double>& values) {
    return std::inner_product(row.begin(), row.end(), values.begin(), 0.0);
  }
  static std::size_t draw(const std::vector<double>& row, Stream& stream) {
    double u = stream.uniform();
    for (std::size_t z = 0; z + 1 < row.size(); ++z) {
      if (u < row[z]) return z;
      u -= row[z];
    }
    return row.size() - 1;
  }
  void receive(int round) {
    for (const std::size_t index : post_.at(round)) {
      const Letter& letter = letters_[index];
      seen_[letter.context] += 1;
      for (std::size_t z = 0; z < seen_.size(); ++z)
        in_flight_[z] -= causal_.marginals[letter.arm][z];
      // Contexts that the best action likes are made to look bad.
      const double liked = causal_.marginals[best_][letter.context] > 1.0 / 3 ? -1 : 1;
      estimate_[letter.context] =
          std::clamp(causal_.means[letter.context] +
                         liked * match_.hide * clipped(match_.log_term, seen_[letter.context]),
                     0.0, 1.0);
    }
  }
  std::size_t choose() const {
    std::vector<double> upper;
    for (std::size_t z = 0; z < seen_.size(); ++z) {
      const double ahead = match_.in_flight == InFlight::kCount ? std::max(0.0, in_flight_[z]) : 0;
      upper.push_back(estimate_[z] + width(match_.log_term, seen_[z] + ahead));
    }
    std::vector<double> indices;
    for (const auto& row : causal_.marginals) indices.push_back(mean_of(row, upper));
    return argmax(indices);
  }
  double bound(double t) const {
    const double l = match_.log_term;
    const double contexts = static_cast<double>(seen_.size());
    const double k = match_.in_flight == InFlight::kCount
                         ? 3 * std::sqrt(3.0) * (1 + 2 * causal_.missing / l)
                         : 0;
    return std::sqrt(l * t) * (std::sqrt(8 * contexts) + std::sqrt(causal_.martingale_log)) +
           (contexts * (1 + std::sqrt(l / 2)) + k) * match_.delay;
  }

  const CausalMatch& causal_;
  const Match& match_;
  std::size_t best_ = 0;
  std::vector<double> values_;  // of actions
  std::vector<double> seen_, visits_, expected_, in_flight_, estimate_;
  std::vector<Letter> letters_;
  Post post_;
};

TEST(DelayProof, CausalUcbWhileItsEventsHold) {
  for (const InFlight in_flight : {InFlight::kCount, InFlight::kIgnore}) {
    Stream stream({23, 3, Purpose::kTest});
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
      CausalMatch causal{any_match(stream, in_flight), {}, any_means(stream, 2 + k % 3)};
      for (int a = 0; a < 6; ++a)
        causal.marginals.push_back(
            dirichlet(stream, static_cast<std::uint32_t>(causal.means.size()), 0.3));
      worst = std::max(worst, CausalGame(causal).play(stream));
    }
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 0.2);
  }
}

// The lemma: Σ f(N_{t-D}) - f(N_t) is at most D times the fall of f, on any path of counts.
TEST(DelayProof, ShortfallsTelescope) {
  Stream stream({23, 4, Purpose::kTest});
  for (int k = 0; k < 200; ++k) {
    const int delay = static_cast<int>(80 * stream.uniform());
    const double rate = stream.uniform();
    const double log_term = 2 + 10 * stream.uniform();
    std::vector<double> count = {0};  // N_1, N_2, …
    while (count.size() < 300) count.push_back(count.back() + (stream.uniform() < rate ? 1 : 0));
    double sum = 0;
    for (std::size_t t = 0; t < count.size(); ++t) {
      const double before = t < static_cast<std::size_t>(delay) ? 0 : count[t - delay];
      sum += clipped(log_term, before) - clipped(log_term, count[t]);
    }
    EXPECT_LE(sum, delay * (1 - clipped(log_term, count.back())) + 1e-9);
  }
}

// w̄(n) - w̄(n+g) ≤ K·(v(M) - v(M+g)) for all n ≥ max(0, M/2 - ℓ): what c-ucb's index loses by
// counting contexts that were expected, in terms of what was expected.
TEST(DelayProof, ShortfallsOfContextsArePaidByWhatWasExpected) {
  double largest = 0;
  for (const double log_term : {2.0, 5.0, 25.0, 80.0})
    for (const double rho : {0.05, 0.5, 1.0, 2 / 1.5936}) {
      const double half = log_term / 2;   // c²
      const double missing = rho * half;  // ℓ
      const double start = missing + half;
      const double k = 3 * std::sqrt(3.0) * (1 + rho);
      const auto v = [&](double x) { return std::sqrt(start / (start + x)); };
      for (double expected = 0; expected < 3000; expected = 1.2 * expected + 0.3)
        for (double ahead = 0.01; ahead < 1e5; ahead *= 1.5) {
          const double least = std::max(0.0, expected / 2 - missing);
          for (double seen = least; seen < 1e5; seen = 1.3 * seen + 0.4) {
            const double loss = clipped(log_term, seen) - clipped(log_term, seen + ahead);
            const double paid = v(expected) - v(expected + ahead);
            ASSERT_LE(loss, k * paid * (1 + 1e-9) + 1e-15)
                << "L " << log_term << " ρ " << rho << " M " << expected << " g " << ahead << " n "
                << seen;
            if (loss > 1e-9) largest = std::max(largest, loss / (k * paid));
          }
        }
    }
  EXPECT_GT(largest, 0.95);  // K is as small as this comparison allows
}

// N_t ≥ M_t/2 - ℓ is Ville's inequality for exp(-λN_t + (1 - e^-λ)M_t).
TEST(DelayProof, TheRateIsOneAtWhichHalfIsSeen) {
  EXPECT_GE((1 - std::exp(-1.5936)) / 1.5936, 0.5);
  EXPECT_LT((1 - std::exp(-1.5937)) / 1.5937, 0.5);
  // ℓ ≤ L_Z/1.5936, so K is at most 3√3·(1 + 2/1.5936).
  EXPECT_LE(shortfall_coefficient(1e9, 1, 0.5), 3 * std::sqrt(3.0) * (1 + 2 / 1.5936));
}

}  // namespace
}  // namespace armature
