// cl-ucb and cl-ts against the textbook's formulas on every family. The policies' arithmetic is
// doubles by rank one, the textbook's is long double from scratch: values that differ by less than
// 10^-9 may be taken for either. In random worlds that is rare, and counted.
#include "oracle/linear_oracle.h"

#include <algorithm>

#include "linear/rank.h"
#include "oracle/comparison.h"
#include "policies/linear/linear_bandit.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 300;
constexpr long double kMargin = 1e-9L;

// Rounds in which another action came within the margin, though its marginals are not the same.
struct Close {
  Round rounds = 0;

  void expect(Arm chosen, const std::vector<long double>& values, const Knowledge& know) {
    const auto best =
        static_cast<Arm>(std::max_element(values.begin(), values.end()) - values.begin());
    ASSERT_GE(values[chosen], values[best] - kMargin);
    bool close = false;
    for (Arm a = 0; a < values.size(); ++a)
      close |= values[a] >= values[best] - kMargin && know.marginals[a] != know.marginals[best];
    rounds += close ? 1 : 0;
    if (!close) {
      ASSERT_EQ(chosen, best);
    }
  }
};

class LinearBandits : public testing::TestWithParam<std::string> {
 protected:
  LinearBandits()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  // `values(stream)` is what the textbook compares in this round.
  template <class Values>
  void expect_textbook(const std::string& text, std::size_t delay, const Values& values) {
    const auto policy = make_policy(text, world_.problem);
    LinearOracle oracle(know_);
    Environment environment(world_.tables, kSeed, 0);
    Stream stream({kSeed, 0, Purpose::kPolicy}), shadow({kSeed, 0, Purpose::kPolicy});
    std::deque<std::pair<Decision, Outcome>> waiting;
    Close close;
    for (Round t = 1; t <= kRounds; ++t) {
      const Decision decision = policy->choose(stream);
      SCOPED_TRACE(text + ", round " + std::to_string(t));
      close.expect(decision.arm, values(oracle, shadow), know_);
      if (HasFatalFailure()) return;
      oracle.send(decision.arm);
      waiting.emplace_back(decision, environment.play(decision.arm));
      for (; waiting.size() > delay; waiting.pop_front()) {
        const auto& [earlier, outcome] = waiting.front();
        policy->observe(earlier, outcome, stream);
        oracle.land(earlier.arm);
        oracle.observe({earlier.arm, outcome.context, outcome.reward});
      }
    }
    if (GetParam().starts_with("random-benign:actions=")) {
      EXPECT_LE(close.rounds, 1u);
    }
  }

  World world_;
  Knowledge know_;
};

TEST_P(LinearBandits, UpperConfidenceIsTheTextbooks) {
  const auto rank = static_cast<double>(numerical_rank(*world_.problem.marginals).rank);
  const double beta = linear_confidence(rank, static_cast<double>(kRounds));
  for (const std::size_t delay : {0, 6})
    expect_textbook("cl-ucb", delay,
                    [&](const LinearOracle& oracle, Stream&) { return oracle.indices(beta); });
  expect_textbook("cl-ucb:scale=0.1", 0,
                  [&](const LinearOracle& oracle, Stream&) { return oracle.indices(0.1L * beta); });
}

TEST_P(LinearBandits, ThompsonIsTheTextbooks) {
  for (const std::size_t delay : {0, 6})
    expect_textbook("cl-ts", delay, [&](const LinearOracle& oracle, Stream& stream) {
      std::vector<double> normals(know_.contexts);
      for (double& value : normals) value = normal(stream);
      return oracle.drawn(normals);
    });
}

INSTANTIATE_TEST_SUITE_P(Worlds, LinearBandits, testing::ValuesIn(worlds()), test_name);

}  // namespace
}  // namespace armature::oracle
