// The anytime bounds of spec §2, replication by replication, at all checkpoints together.
#include <cmath>

#include "armature/families.h"
#include "armature/simulate.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

class AnytimeBounds : public test::ReleaseOnly {};

constexpr std::uint32_t kReplications = 60;

// d_UCB(δ) = sqrt(8|A|L_A), L_A = log(2|A|T/δ), δ = 1/T
double ucb_coefficient(const Instance& instance, double T) {
  const double A = instance.actions();
  return std::sqrt(8 * A * std::log(2 * A * T * T));
}

// d_CUCB(δ) = sqrt(L_Z)·(sqrt(8|Z|) + sqrt(4 log(T/δ))), L_Z = log(2|Z|T/δ), δ = 1/T
double c_ucb_coefficient(const Instance& instance, double T) {
  const double Z = instance.contexts();
  return std::sqrt(std::log(2 * Z * T * T)) * (std::sqrt(8 * Z) + std::sqrt(4 * std::log(T * T)));
}

using Coefficient = double (*)(const Instance&, double);

// In how many replications Reg(t) ≤ d·sqrt(t) fails at some checkpoint.
int violations(const std::string& instance, const std::string& policy, Coefficient d,
               Round horizon) {
  const InstanceSource source(instance, horizon, 2);
  const auto world = [&](std::uint32_t replication) {
    return std::make_shared<const World>(source.instance(replication), horizon);
  };
  const Cell cell{world, policy, horizon, 2, log_checkpoints(horizon, 100), {}};
  const std::atomic<bool> stop{false};
  const BlockResult result = run_block(cell, {0, kReplications}, stop);
  int failed = 0;
  for (std::uint32_t i = 0; i < kReplications; ++i) {
    const double coefficient = d(*world(i)->instance, static_cast<double>(horizon));
    bool holds = true;
    for (std::size_t k = 0; k < cell.checkpoints.size(); ++k)
      holds = holds && result.replications[i].regret[k] <=
                           coefficient * std::sqrt(static_cast<double>(cell.checkpoints[k]));
    failed += holds ? 0 : 1;
  }
  return failed;
}

constexpr Round kHorizon = 20'000;
constexpr double kDelta = 1.0 / kHorizon;

TEST_F(AnytimeBounds, UcbInEveryWorld) {
  const int by_luck = test::most_failures_by_luck(kReplications, kDelta, test::kFalseAlarmRate);
  for (const Family& family : families())
    EXPECT_LE(violations(family.name, "ucb", ucb_coefficient, kHorizon), by_luck) << family.name;
}

TEST_F(AnytimeBounds, CausalUcbInBenignWorldsWithExactMarginals) {
  const int by_luck = test::most_failures_by_luck(kReplications, 2 * kDelta, test::kFalseAlarmRate);
  for (const char* instance :
       {"pareto-benign", "pareto-benign:gap=0.2,contexts=6", "bilodeau-benign", "random-benign",
        "random-benign:actions=100,contexts=10", "random-benign:contexts=6,rank=2"})
    EXPECT_LE(violations(instance, "c-ucb", c_ucb_coefficient, kHorizon), by_luck) << instance;
}

// The bound has teeth: where C-UCB promises nothing, it breaks. At T = 10^5 d_CUCB is
// sqrt(24.4)·(4 + sqrt(4·23.0)) = 67, so the bound stands at 21,300 and regret near 0.28·T =
// 28,000.
TEST_F(AnytimeBounds, CausalUcbBreaksItsBoundInTheConfoundedWorld) {
  EXPECT_EQ(violations("bilodeau-confounded", "c-ucb", c_ucb_coefficient, 100'000),
            int{kReplications});
}

}  // namespace
}  // namespace armature
