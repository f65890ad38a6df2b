// The paper's two algorithms against their oracles, for 20,000 rounds on every family.
#include "linear/design.h"
#include "oracle/c_ucb_oracle.h"
#include "oracle/comparison.h"
#include "oracle/db_oracle.h"
#include "oracle/pe_oracle.h"
#include "oracle/ucb_oracle.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 20'000;

Row exact_design(const Rows& rows) {
  Matrix matrix(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), matrix.row(i).begin());
  DesignOptions options;
  options.kind = DesignKind::kExact;
  const Design design = optimal_design(matrix, options);
  Row weights(rows.size());
  for (std::size_t k = 0; k < design.support.size(); ++k)
    weights[design.support[k]] = design.weights[k];
  return weights;
}

class PaperOracle : public testing::TestWithParam<std::string> {
 protected:
  PaperOracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  Learner causal(double scale) const {
    return learner(std::make_shared<CausalUcbOracle>(know_, Widths{false, scale}),
                   d_cucb(know_, delta()), 1);
  }
  Learner ucb(double scale, double Z) const {
    return learner(std::make_shared<UcbOracle>(know_, Widths{false, scale}), d_ucb(know_, delta()),
                   Z);
  }
  Learner elimination(double scale, double Z) const {
    PhasedEliminationOracle::Options options;
    options.scale = scale;
    const double d = d_pe(know_, static_cast<double>(rank_of(know_.marginals)), delta());
    return learner(std::make_shared<PhasedEliminationOracle>(know_, options), d, Z);
  }
  double delta() const { return 1 / know_.horizon; }
  // The default corner: max(1, sqrt(|A|/|Z|)), at most T/sqrt(|A|T).
  double corner() const {
    const double A = know_.actions;
    return std::min(std::max(1.0, std::sqrt(A / know_.contexts)),
                    std::max(1.0, know_.horizon / std::sqrt(A * know_.horizon)));
  }

  World world_;
  Knowledge know_;
};

TEST_P(PaperOracle, PhasedElimination) {
  const auto oracle = [&](double scale, double misspecification) {
    return PhasedEliminationOracle(know_, {scale, misspecification, nullptr, 0, nullptr});
  };
  expect_same_decisions("pe", oracle(1, 0), world_, kRounds);
  expect_same_decisions("pe:scale=0.2", oracle(0.2, 0), world_, kRounds);
  expect_same_decisions("pe:scale=0.1,misspecification=0.05", oracle(0.1, 0.05), world_, kRounds);
}

TEST_P(PaperOracle, PhasedEliminationWithExactDesigns) {
  expect_same_decisions("pe:design=exact,scale=0.2",
                        PhasedEliminationOracle(know_, {0.2, 0, exact_design, 0, nullptr}), world_,
                        kRounds);
}

TEST_P(PaperOracle, BalancingCausalUcbAndUcb) {
  for (const bool plus : {false, true})
    for (const bool printed : {false, true}) {
      const std::string variant =
          std::string(plus ? ",test=plus" : "") + (printed ? ",bias=printed" : "");
      // A small scale makes the tests bite within these rounds.
      expect_same_decisions(
          "db:scale=0.05" + variant,
          BalancingOracle(know_, {causal(0.05), ucb(0.05, corner())}, {plus, printed, 0.05}),
          world_, kRounds);
    }
  expect_same_decisions("db", BalancingOracle(know_, {causal(1), ucb(1, corner())}, {}), world_,
                        kRounds);
}

TEST_P(PaperOracle, BalancingPhasedEliminationAndUcb) {
  for (const bool plus : {false, true})
    for (const bool printed : {false, true}) {
      const std::string variant =
          std::string(plus ? ",test=plus" : "") + (printed ? ",bias=printed" : "");
      expect_same_decisions(
          "db:base=pe+ucb,scale=0.05,Z2=2" + variant,
          BalancingOracle(know_, {elimination(0.05, 1), ucb(0.05, 2)}, {plus, printed, 0.05}),
          world_, kRounds);
    }
}

TEST_P(PaperOracle, BalancingThree) {
  expect_same_decisions("db:base=c-ucb+pe+ucb,scale=0.05,Z=1+2+3",
                        BalancingOracle(know_, {causal(0.05), elimination(0.05, 2), ucb(0.05, 3)},
                                        {false, false, 0.05}),
                        world_, kRounds);
}

// Learners with their own keys: nothing is handed down over them.
TEST_P(PaperOracle, BalancingLearnersWithKeysOfTheirOwn) {
  expect_same_decisions(
      "db:base=(c-ucb:scale=0.5)+(ucb:scale=0.1),d=20+30,dial=0",
      BalancingOracle(know_,
                      {learner(std::make_shared<CausalUcbOracle>(know_, Widths{false, 0.5}), 20, 1),
                       learner(std::make_shared<UcbOracle>(know_, Widths{false, 0.1}), 30, 1)},
                      {}),
      world_, kRounds);
}

std::vector<std::string> paper_worlds() {
  std::vector<std::string> texts;
  for (const Family& family : families()) texts.push_back(family.name);
  for (const char* text :
       {"random-benign:contexts=8,rank=3", "random-benign:actions=60,contexts=6,epsilon=0.1",
        "pe-trap:actions=9,contexts=5,place=first"})
    texts.emplace_back(text);
  return texts;
}

INSTANTIATE_TEST_SUITE_P(Worlds, PaperOracle, testing::ValuesIn(paper_worlds()), test_name);

}  // namespace
}  // namespace armature::oracle
