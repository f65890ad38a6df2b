// The proof of docs/sentry.md, step by step: random small worlds and random settings of the rule,
// written here once more from the page and not taken from the policy, with logs as low as the
// theorem allows, so that bounds are not idle. While the good events hold no inequality may fail,
// not once: nothing here is left to luck, and there is no false alarm. 3,000 runs; all 20,000 of
// section 4.9 with ARMATURE_LONG=1, which prints the table of that section.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <limits>
#include <utility>

#include "armature/random.h"
#include "statistical/release_only.h"

namespace armature {
namespace {

constexpr std::size_t kMostActions = 8;
constexpr std::size_t kMostContexts = 4;
constexpr double kRounding = 1e-9;
using Row = std::array<double, kMostContexts>;

// What is broken on purpose, so that the checks are seen to have teeth.
enum class Fault {
  kNone,
  kForgetfulBar,   // lcb* is the lower bound of the action observed last
  kNoScreen,       // every action is a candidate
  kLazyWatch,      // explorations play the action with the fewest plays
  kHalfTheBudget,  // explores while e < E(t)/2
  kNarrowTest,     // the test has a quarter of its widths
  kReversedIndex   // proposes the candidate with the smallest index
};

enum class Schedule { kFirst, kSpread, kFree };
enum class Proposal { kCausal, kRandom, kWorst };

struct Settings {
  Schedule schedule;
  Proposal proposal;
  bool anytime;
  bool rejection;
  double horizon;
  double budget;  // E
  double tau;
  double epsilon;              // told to the test
  double log_a, log_z, log_m;  // ℓ, at n = 1 for anytime widths
  std::size_t late = 0;        // q: every outcome comes so many rounds late
};

struct World {
  std::size_t actions, contexts;
  std::array<Row, kMostActions> marginals{}, told{}, mean{};
  std::array<double, kMostActions> mu{}, gap{};
  Row context_mean{};
  bool benign, points;
  double best, distance, least_gap;
};

class Dice {
 public:
  explicit Dice(std::uint32_t run) : stream_({4900, run, Purpose::kTest}) {}
  double uniform() { return static_cast<double>(stream_.next_u64() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }
  bool coin() { return uniform() < 0.5; }
  Row law(std::size_t size) {
    Row row{};
    double sum = 0;
    for (std::size_t z = 0; z < size; ++z) sum += row[z] = -std::log(1 - uniform());
    for (std::size_t z = 0; z < size; ++z) row[z] /= sum;
    return row;
  }

 private:
  Stream stream_;
};

// Benign, half-benign or hidden-arm; ν̃ exact, close or arbitrary.
World random_world(Dice& dice) {
  World w{};
  w.actions = 2 + dice.below(7);
  w.contexts = 1 + dice.below(4);
  const std::size_t kind = dice.below(3);
  w.benign = kind == 0;
  w.points = dice.below(4) == 0;
  for (std::size_t z = 0; z < w.contexts; ++z) w.context_mean[z] = dice.uniform();
  const Row shared = dice.law(w.contexts);
  const double lead = dice.between(0, 0.5);
  for (std::size_t a = 0; a < w.actions; ++a) {
    w.marginals[a] = kind == 2 ? shared : dice.law(w.contexts);
    const double own = dice.uniform();
    for (std::size_t z = 0; z < w.contexts; ++z) {
      w.mean[a][z] = kind == 0   ? w.context_mean[z]
                     : kind == 1 ? (w.context_mean[z] + own) / 2
                                 : (a + 1 == w.actions ? 0.5 + lead : 0.5);
      w.mu[a] += w.marginals[a][z] * w.mean[a][z];
    }
  }
  w.best = *std::max_element(w.mu.begin(), w.mu.begin() + static_cast<long>(w.actions));
  w.least_gap = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < w.actions; ++a) {
    w.gap[a] = w.best - w.mu[a];
    if (w.gap[a] > 0) w.least_gap = std::min(w.least_gap, w.gap[a]);
  }
  const std::size_t told = dice.below(3);
  const double mixed = told == 0 ? 0 : told == 1 ? dice.between(0, 0.1) : 1;
  for (std::size_t a = 0; a < w.actions; ++a) {
    const Row other = dice.law(w.contexts);
    double distance = 0;
    for (std::size_t z = 0; z < w.contexts; ++z) {
      w.told[a][z] = (1 - mixed) * w.marginals[a][z] + mixed * other[z];
      distance += std::abs(w.told[a][z] - w.marginals[a][z]);
    }
    w.distance = std::max(w.distance, distance);
  }
  return w;
}

Settings random_settings(Dice& dice, const World& world) {
  Settings s{};
  s.schedule = static_cast<Schedule>(dice.below(3));
  s.proposal = static_cast<Proposal>(dice.below(3));
  s.anytime = dice.coin();
  s.rejection = dice.below(4) != 0;
  s.horizon = std::floor(200 * std::pow(100.0, dice.uniform()));
  s.budget = std::max(1.0, s.horizon * std::pow(10.0, -3 * dice.uniform()));
  s.tau = dice.coin() ? 0 : dice.between(0, 0.3);
  s.epsilon = dice.coin() ? 0 : world.distance;
  s.log_a = dice.between(2, 6);
  s.log_z = dice.between(2, 6);
  s.log_m = dice.between(2, 6);
  if (dice.below(5) == 0) s.late = 1 + dice.below(20);
  return s;
}

// What is checked, as the page names it.
enum Step : std::size_t {
  kAnyFirst,
  kAnySpread,
  kAnyFree,
  kCausalFirst,
  kCausalSpread,
  kCausalFree,
  kGapFirst,
  kGapSpread,
  kGapFree,
  kUcbForm,
  kCausalEpsilon,
  kGapBenign,
  kFirstOfRound,
  kSecondOfRound,
  kLemma0,
  kL1,
  kL2,
  kL3,
  kL4,
  kL4Late,
  kExplored,
  kCandidates,
  kMustFire,
  kCannotFire,
  kSound,
  kSteps
};
constexpr const char* kNames[kSteps] = {"(A), first",
                                        "(A), spread",
                                        "(A), free",
                                        "(B) with D_C, first",
                                        "(B) with D_C, spread",
                                        "(B) with D_C, free",
                                        "(C), first",
                                        "(C), spread",
                                        "(C), free",
                                        "(B), (B_ε) in ucb's form",
                                        "(B_ε) with D_C",
                                        "(C), benign",
                                        "4.6, first",
                                        "4.6, second",
                                        "Lemma 0",
                                        "L1",
                                        "L2",
                                        "L3",
                                        "L4",
                                        "L4, late",
                                        "e(t)",
                                        "candidates",
                                        "must fire",
                                        "cannot fire",
                                        "sound"};

struct Tally {
  std::array<long, kSteps> tried{}, failures{};
  std::array<double, kSteps> largest{};  // left side over right side
  double rounds = 0;
  int runs = 0, bad_actions = 0, bad_contexts = 0, bad_martingales = 0, rejections = 0;

  void see(std::size_t step, double left, double right) {
    demand(step, left <= right + kRounding);
    if (left > largest[step] * right) largest[step] = left / right;
  }
  void demand(std::size_t step, bool holds) {
    ++tried[step];
    if (!holds) ++failures[step];
  }
};

class Run {
 public:
  Run(const World& world, const Settings& settings, Fault fault, Dice& dice, Tally& tally)
      : w_(world), s_(settings), fault_(fault), dice_(dice), tally_(tally) {
    for (std::size_t a = 0; a < w_.actions; ++a) refresh_action(a);
    for (std::size_t z = 0; z < w_.contexts; ++z) refresh_context(z);
    for (std::size_t a = 0; a < w_.actions; ++a)
      if (w_.gap[a] > 0) inverse_gaps_ += 1 / w_.gap[a], gaps_ += w_.gap[a];
  }

  void play() {
    for (t_ = 1; t_ <= s_.horizon; t_ += 1) {
      grow_logs();
      round();
      if (!good_a_) break;  // nothing is promised from here on
    }
    tally_.rounds += std::min(t_, s_.horizon);
    ++tally_.runs;
    tally_.bad_actions += good_a_ ? 0 : 1;
    tally_.bad_contexts += good_z_ ? 0 : 1;
    tally_.bad_martingales += good_m_ ? 0 : 1;
    tally_.rejections += rejected_ > 0 ? 1 : 0;
  }

 private:
  struct Pending {
    std::size_t action, context;
    double reward;
  };

  // --- Widths and indices (sections 1 and 3)

  double log_at(double base, double n) const {
    if (!s_.anytime) return base;
    static const double first = std::log(std::log(2.0));
    return base + 1.445 * (std::log(std::log(2 * n)) - first);
  }
  double width(double base, double count) const {
    const double n = std::max(1.0, count);
    return std::sqrt(log_at(base, n) / (2 * n));
  }
  void refresh_action(std::size_t a) {
    w_a_[a] = width(s_.log_a, n_a_[a]);
    const double mean = n_a_[a] > 0 ? sum_a_[a] / n_a_[a] : 0;
    ucb_[a] = mean + w_a_[a];
  }
  void refresh_context(std::size_t z) {
    w_z_[z] = width(s_.log_z, n_z_[z]);
    mean_z_[z] = n_z_[z] > 0 ? sum_z_[z] / n_z_[z] : 0;
  }
  double lower(std::size_t a) const { return ucb_[a] - 2 * w_a_[a]; }
  double causal(std::size_t a) const {
    double sum = 0;
    for (std::size_t z = 0; z < w_.contexts; ++z) sum += w_.told[a][z] * (mean_z_[z] + w_z_[z]);
    return sum;
  }
  void grow_logs() {  // ℓ at t
    const double more =
        s_.anytime ? 1.445 * (std::log(std::log(2 * t_)) - std::log(std::log(2.0))) : 0;
    l_a_ = s_.log_a + more;
    l_z_ = s_.log_z + more;
    l_m_ = s_.log_m + more;
  }
  double allowance() const {  // E(t)
    const double A = static_cast<double>(w_.actions);
    return s_.schedule == Schedule::kFirst    ? s_.budget
           : s_.schedule == Schedule::kSpread ? s_.budget * t_ / s_.horizon
                                              : std::cbrt(A * t_ * t_);
  }
  double open(double explored) const {  // g(e)
    return std::sqrt(static_cast<double>(w_.actions) * (2 * l_a_ + 1) / explored);
  }

  // --- The rule

  std::size_t largest_index() const {
    std::size_t best = 0;
    for (std::size_t a = 1; a < w_.actions; ++a)
      if (fault_ == Fault::kLazyWatch ? n_a_[a] < n_a_[best] : ucb_[a] > ucb_[best]) best = a;
    return best;
  }

  bool candidate(std::size_t a) const { return fault_ == Fault::kNoScreen || ucb_[a] >= bar_; }

  std::size_t propose() {
    std::size_t chosen = kMostActions;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < w_.actions; ++a) {
      if (!candidate(a)) continue;
      const double sign = fault_ == Fault::kReversedIndex ? -1 : 1;
      const double value = s_.proposal == Proposal::kCausal   ? sign * std::min(ucb_[a], causal(a))
                           : s_.proposal == Proposal::kRandom ? dice_.uniform()
                                                              : w_.gap[a];
      if (value > most) most = value, chosen = a;
    }
    return chosen;
  }

  void round() {
    const double top =
        *std::max_element(ucb_.begin(), ucb_.begin() + static_cast<long>(w_.actions));
    const double allowed = fault_ == Fault::kHalfTheBudget ? allowance() / 2 : allowance();
    const bool certified = top <= bar_ + s_.tau;
    check_bar();
    std::size_t a;
    bool causal_round = false;
    if (rejected_ > 0) {
      a = largest_index();
      check_index_play(a);
    } else if (explored_ < allowed && !certified) {
      a = largest_index();
      check_index_play(a);
      explored_ += 1;
    } else {
      causal_round = true;
      a = propose();
      tally_.demand(kCandidates, a < kMostActions);
      if (a == kMostActions) a = largest_index();
      check_causal_round(a, certified);
      tally_.demand(kExplored, certified || explored_ >= allowance());
    }
    if (s_.late == 0) tally_.demand(kExplored, explored_ <= std::min(t_, std::ceil(allowance())));
    const std::size_t z = context_of(a);
    follow_martingale(a, z, causal_round);
    regret_ += w_.gap[a];
    widths_ += std::min(w_.gap[a], 2 * w_a_[a]);
    const double mean = w_.mean[a][z];
    pending_.push_back({a, z, w_.points ? mean : dice_.uniform() < mean ? 1.0 : 0.0});
    if (pending_.size() > s_.late) {
      observe(pending_.front());
      pending_.pop_front();
    }
    if (good_a_) check_sums();
  }

  std::size_t context_of(std::size_t a) {
    double left = dice_.uniform();
    for (std::size_t z = 0; z + 1 < w_.contexts; ++z)
      if ((left -= w_.marginals[a][z]) < 0) return z;
    return w_.contexts - 1;
  }

  void observe(const Pending& p) {
    n_a_[p.action] += 1;
    sum_a_[p.action] += p.reward;
    n_z_[p.context] += 1;
    sum_z_[p.context] += p.reward;
    mixture_[p.context] += w_.mean[p.action][p.context];
    refresh_action(p.action);
    refresh_context(p.context);
    const auto off = [](double sum, double n, double truth) { return std::abs(sum / n - truth); };
    good_a_ = good_a_ && off(sum_a_[p.action], n_a_[p.action], w_.mu[p.action]) <= w_a_[p.action];
    good_z_ = good_z_ && off(sum_z_[p.context], n_z_[p.context],
                             mixture_[p.context] / n_z_[p.context]) <= w_z_[p.context];
    if (fault_ == Fault::kForgetfulBar) {
      bar_ = lower(p.action);
    } else {
      bar_ = std::max(bar_, lower(p.action));
    }
    if (good_a_) test(p.action);
  }

  // The test on the action just observed (section 1), held against sections 4.5 and 6.
  void test(std::size_t a) {
    double told = 0, widths = w_a_[a], mixed = 0;
    for (std::size_t z = 0; z < w_.contexts; ++z) {
      told += w_.told[a][z] * mean_z_[z];
      widths += w_.told[a][z] * w_z_[z];
      mixed += w_.told[a][z] * (n_z_[z] > 0 ? mixture_[z] / n_z_[z] : 0);
    }
    const double scale = fault_ == Fault::kNarrowTest ? 0.25 : 1;
    const double off = std::abs(sum_a_[a] / n_a_[a] - told);
    const bool fires = off > scale * widths + s_.epsilon / 2;
    bool all_seen = true;  // m_t of a context not seen may be anything
    for (std::size_t z = 0; z < w_.contexts; ++z)
      all_seen = all_seen && (n_z_[z] > 0 || w_.told[a][z] == 0);
    if (good_z_) {
      const double discrepancy = std::abs(w_.mu[a] - mixed);
      if (all_seen && discrepancy > 2 * widths + s_.epsilon / 2 + kRounding)
        tally_.demand(kMustFire, fires);
      if (all_seen && discrepancy <= s_.epsilon / 2) tally_.demand(kCannotFire, !fires);
      if (w_.benign && w_.distance <= s_.epsilon + kRounding / 10) tally_.demand(kSound, !fires);
    }
    if (fires && s_.rejection && rejected_ == 0) rejected_ = t_;
  }

  // --- Round by round (sections 4.3 and 4.6)

  void check_bar() {
    const double top =
        *std::max_element(ucb_.begin(), ucb_.begin() + static_cast<long>(w_.actions));
    tally_.demand(kL1, bar_ <= w_.best + kRounding && top >= w_.best - kRounding);
    if (explored_ < 1 || s_.late > 0) return;
    const double A = static_cast<double>(w_.actions);
    const double k = std::max(1.0, std::ceil(explored_ / A) - 1);
    tally_.see(kL3, w_.best - bar_, std::sqrt(2 * l_a_ / k));
  }

  void check_index_play(std::size_t a) {
    tally_.see(kL2, w_.gap[a], 2 * w_a_[a]);
    tally_.demand(kL2, lower(a) >= w_.best - 2 * w_a_[a] - kRounding);
  }

  void check_causal_round(std::size_t a, bool certified) {
    const double A = static_cast<double>(w_.actions);
    const double known = explored_ - static_cast<double>(s_.late) * A;
    const double screen = certified ? s_.tau : known > 0 ? open(known) : 1;
    for (std::size_t b = 0; b < w_.actions; ++b)
      if (candidate(b)) tally_.see(s_.late > 0 ? kL4Late : kL4, w_.gap[b], 2 * w_a_[b] + screen);
    if (!w_.benign || !good_z_ || s_.proposal != Proposal::kCausal) return;
    const double distance = w_.distance;
    tally_.see(kFirstOfRound, w_.gap[a], 2 * w_a_[a] + distance / 2);
    double contexts = 0, most = 0;
    for (std::size_t z = 0; z < w_.contexts; ++z) {
      contexts += w_.marginals[a][z] * 2 * w_z_[z];
      most = std::max(most, mean_z_[z] + w_z_[z] - w_.context_mean[z]);
    }
    tally_.see(kSecondOfRound, w_.gap[a], distance * (1 + most / 2) + contexts);
  }

  void follow_martingale(std::size_t a, std::size_t z, bool causal_round) {
    if (causal_round) {
      for (std::size_t k = 0; k < w_.contexts; ++k)
        martingale_ += w_.marginals[a][k] / std::sqrt(std::max(1.0, n_z_[k]));
      martingale_ -= 1 / std::sqrt(std::max(1.0, n_z_[z]));
    } else {
      by_index_ += 1;
    }
    good_m_ = good_m_ && martingale_ <= std::sqrt(t_ * l_m_ / 2);
  }

  // --- Sums: the theorem (section 3)

  double screen_cost(double t) const {  // S(t)
    const double A = static_cast<double>(w_.actions);
    const double root = std::sqrt(2 * l_a_ + 1);
    const double share = s_.budget / s_.horizon;
    if (s_.schedule == Schedule::kFirst) return std::max(0.0, t - s_.budget) * open(s_.budget);
    if (s_.schedule == Schedule::kSpread) return 2 * (1 - share) * root * std::sqrt(A * t / share);
    return 1.5 * root * std::cbrt(A) * std::max(0.0, std::cbrt(t * t) - std::cbrt(A * A));
  }
  double gap_cost(double t) const {  // G(t), λ = ½
    const double A = static_cast<double>(w_.actions);
    const double l = 2 * l_a_ + 1;
    const double share = s_.budget / s_.horizon;
    if (s_.schedule == Schedule::kFirst) {
      double largest = 0;
      for (std::size_t a = 0; a < w_.actions; ++a)
        if (w_.gap[a] < 2 * open(s_.budget)) largest = std::max(largest, w_.gap[a]);
      return std::max(0.0, t - s_.budget) * largest;
    }
    if (s_.schedule == Schedule::kSpread) return 8 * (1 - share) * A * l / (share * w_.least_gap);
    return 12 * A * l * std::sqrt(l) / (w_.least_gap * w_.least_gap);
  }

  void check_sums() {
    const auto kind = static_cast<std::size_t>(s_.schedule);
    const double A = static_cast<double>(w_.actions);
    const double plain = std::sqrt(8 * A * l_a_ * t_);
    tally_.see(kLemma0, widths_, plain + static_cast<double>(s_.late) * A);
    if (s_.late > 0) return;
    const double until = rejected_ > 0 ? rejected_ : t_;
    tally_.see(kAnyFirst + kind, regret_, plain + screen_cost(until) + s_.tau * t_);
    if (s_.tau <= w_.least_gap / 2 && std::isfinite(w_.least_gap))
      tally_.see(kGapFirst + kind, regret_, 8 * l_a_ * inverse_gaps_ + gaps_ + gap_cost(until));
    if (!w_.benign || !good_z_ || s_.proposal != Proposal::kCausal) return;
    const double epsilon = w_.distance;
    tally_.see(kUcbForm, regret_, plain + epsilon / 2 * t_);
    if (epsilon == 0 && std::isfinite(w_.least_gap))
      tally_.see(kGapBenign, regret_, 2 * l_a_ * inverse_gaps_ + gaps_);
    if (!good_m_) return;
    const double Z = static_cast<double>(w_.contexts);
    const double bound = std::sqrt(l_z_) * (std::sqrt(8 * Z) + std::sqrt(l_m_)) * std::sqrt(t_) +
                         std::sqrt(8 * A * l_a_ * by_index_) +
                         epsilon * (1 + std::sqrt(l_z_ / 2)) * t_;
    tally_.see(epsilon == 0 ? kCausalFirst + kind : kCausalEpsilon, regret_, bound);
  }

  const World& w_;
  const Settings& s_;
  Fault fault_;
  Dice& dice_;
  Tally& tally_;

  std::array<double, kMostActions> n_a_{}, sum_a_{}, w_a_{}, ucb_{};
  Row n_z_{}, sum_z_{}, w_z_{}, mean_z_{}, mixture_{};
  std::deque<Pending> pending_;
  double t_ = 1, l_a_ = 0, l_z_ = 0, l_m_ = 0;
  double explored_ = 0;  // e
  double by_index_ = 0;  // rounds that played argmax UCB
  double rejected_ = 0;  // the round of it, or 0
  double bar_ = -std::numeric_limits<double>::infinity();
  double regret_ = 0, widths_ = 0, martingale_ = 0;
  double inverse_gaps_ = 0, gaps_ = 0;
  bool good_a_ = true, good_z_ = true, good_m_ = true;
};

Tally check(std::uint32_t runs, Fault fault) {
  Tally tally;
  for (std::uint32_t run = 0; run < runs; ++run) {
    Dice dice(run);
    const World world = random_world(dice);
    const Settings settings = random_settings(dice, world);
    Run(world, settings, fault, dice, tally).play();
  }
  return tally;
}

std::string table_of(const Tally& tally) {
  std::string text = fmt::format(
      "{} runs, {:.1f} million rounds; runs in which E_A failed {:.1f}%, E_Z {:.1f}%, E_M {:.1f}%; "
      "rejections {}\n",
      tally.runs, tally.rounds / 1e6, 100.0 * tally.bad_actions / tally.runs,
      100.0 * tally.bad_contexts / tally.runs, 100.0 * tally.bad_martingales / tally.runs,
      tally.rejections);
  for (std::size_t step = 0; step < kSteps; ++step)
    text += fmt::format("{:<26}{:>11} checks, {:>2} failed, largest ratio {:.3f}\n", kNames[step],
                        tally.tried[step], tally.failures[step], tally.largest[step]);
  return text;
}

class SentryProof : public test::ReleaseOnly {};

TEST_F(SentryProof, NoStepFailsWhileItsEventHolds) {
  const bool all = std::getenv("ARMATURE_LONG") != nullptr;
  const Tally tally = check(all ? 20'000 : 3'000, Fault::kNone);
  for (std::size_t step = 0; step < kSteps; ++step)
    EXPECT_TRUE(tally.failures[step] == 0 && tally.tried[step] > 100) << kNames[step];
  if (all) fmt::print("{}", table_of(tally));
  // The checks were met: events fail and worlds are rejected, steps are sharp.
  EXPECT_GT(tally.bad_actions, tally.runs / 20);
  EXPECT_LT(tally.bad_actions, tally.runs / 2);
  EXPECT_GT(tally.rejections, tally.runs / 20);
  EXPECT_GT(tally.largest[kL3], 0.9);
  EXPECT_GT(tally.largest[kL4], 0.6);
}

// Every planted fault breaks what it should break.
TEST_F(SentryProof, PlantedFaultsAreFound) {
  const std::pair<Fault, Step> broken[] = {
      {Fault::kForgetfulBar, kL3},  {Fault::kNoScreen, kL4},
      {Fault::kLazyWatch, kL2},     {Fault::kHalfTheBudget, kExplored},
      {Fault::kNarrowTest, kSound}, {Fault::kReversedIndex, kFirstOfRound}};
  for (const auto& [fault, step] : broken) {
    const Tally tally = check(200, fault);
    EXPECT_GT(tally.failures[step], 0) << kNames[step] << "\n" << table_of(tally);
  }
}

}  // namespace
}  // namespace armature
