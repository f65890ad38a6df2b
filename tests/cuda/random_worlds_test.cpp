// Small worlds at random, with marginals that may be other than what policies are told, ties, rows
// that are equal, contexts that never come, laws of all kinds and arguments at their ends: the
// device's functions beside the step engine, to the bit.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/host_identity.h"

namespace armature::cuda {
namespace {

// Luck for making cases.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : stream_({seed, 0, Purpose::kTest}) {}
  std::uint32_t below(std::uint32_t count) { return uniform_index(stream_, count); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }
  double share() { return stream_.uniform(); }
  std::string of(const std::vector<std::string>& texts) {
    return texts[below(static_cast<std::uint32_t>(texts.size()))];
  }

 private:
  Stream stream_;
};

Matrix random_rows(Chance& chance, std::uint32_t actions, std::uint32_t contexts) {
  std::vector<std::vector<double>> rows;
  for (std::uint32_t a = 0; a < actions; ++a) {
    if (a > 0 && chance.one_in(3)) {
      rows.push_back(rows[chance.below(a)]);
      continue;
    }
    std::vector<double> row(contexts);
    double sum = 0;
    for (double& entry : row) sum += entry = chance.one_in(4) ? 0 : chance.share();
    if (sum == 0 || chance.one_in(5)) {
      std::fill(row.begin(), row.end(), 0);
      row[chance.below(contexts)] = sum = 1;
    }
    for (double& entry : row) entry /= sum;
    rows.push_back(row);
  }
  return Matrix::from_rows(rows);
}

RewardLaw random_law(Chance& chance, bool coins, double around, double spread) {
  double mean = std::clamp(around + spread * (chance.share() - 0.5), 0.0, 1.0);
  if (chance.one_in(8)) mean = chance.below(2);
  const std::uint32_t kind = coins ? 0 : chance.below(3);
  if (kind == 0) return RewardLaw::bernoulli(mean);
  if (kind == 1) return RewardLaw::point(mean);
  return RewardLaw::table({0, mean, 1}, {0.25, 0.5, 0.25});
}

std::string random_policy(Chance& chance) {
  const std::string scale =
      ",scale=" + chance.of({"1", "0.3", "0.1", "0.03", "0.001", "1e-6", "20", "1e6"});
  const std::string confidence = chance.of({"paper", "anytime", "bilodeau"});
  const std::string delta = chance.of({"0.05", "0.5", "0.99"});
  const std::string epsilon = chance.of({"0", "0.3", "1.7"});
  switch (chance.below(8)) {
    case 0:
      return "ucb:confidence=" + confidence + scale;
    case 1:
      return "moss:" + scale.substr(1);
    case 2:
      return "c-ucb:confidence=" + confidence + scale;
    case 3:
      return "sentry:confidence=" + confidence + scale + ",delta=" + delta + ",epsilon=" + epsilon +
             ",schedule=" + chance.of({"first", "spread"}) + ",tau=" + chance.of({"0", "0.2"}) +
             ",rejection=" + chance.of({"on", "off"});
    case 4:
    case 5:
      return "warden:delta=" + delta + ",epsilon=" + epsilon +
             ",r=" + chance.of({"0.5", "3", "30", "1e-3", "300"}) +
             ",patience=" + chance.of({"50", "inf", "0.2", "0"}) +
             ",test=" + chance.of({"both", "causal", "stratified", "none"});
    case 6:
      return "hac-ucb:" + scale.substr(1);
    default:
      return chance.of({"db", "db:dial=1", "db:scale=0.03", "db:scale=0.05,test=plus",
                        "db:scale=0.02,bias=printed", "db:d=1+1,Z=1+1,scale=0.1,delta=0.2",
                        "db:scale=100", "oracle", "uniform"});
  }
}

TEST(RandomWorlds, HaveTheBytesOfStep) {
  const std::uint64_t cases = std::getenv("ARMATURE_LONG") ? 60'000 : 4'500;
  for (std::uint64_t seed = 1; seed <= cases && !testing::Test::HasFailure(); ++seed) {
    Chance chance(seed);
    const std::uint32_t actions = 1 + chance.below(chance.one_in(4) ? 40 : 6);
    const std::uint32_t contexts = 1 + chance.below(chance.one_in(3) ? 20 : 4);
    const Matrix truth = random_rows(chance, actions, contexts);
    const bool coins = !chance.one_in(3);
    const double around = chance.share();
    const double spread = chance.one_in(2) ? 0.05 : 1;
    std::vector<RewardLaw> of_contexts;
    for (std::uint32_t z = 0; z < contexts; ++z)
      of_contexts.push_back(random_law(chance, coins, around, spread));
    const bool benign = chance.one_in(2);
    std::vector<RewardLaw> laws;
    for (std::uint32_t a = 0; a < actions; ++a)
      for (std::uint32_t z = 0; z < contexts; ++z)
        laws.push_back(benign ? of_contexts[z] : random_law(chance, coins, around, spread));
    const Round horizon = std::vector<Round>{1, 2, 3, 50, 500, 2000}[chance.below(6)];
    const auto instance =
        std::make_shared<const Instance>(Instance(Instance::general("random", truth, laws)));
    auto world = std::make_shared<World>(instance, horizon);
    if (chance.one_in(2))
      world->problem.marginals =
          std::make_shared<const Matrix>(random_rows(chance, actions, contexts));
    Cell cell;
    cell.world = [world](std::uint32_t) { return world; };
    cell.policy = canonical_cell_policy(random_policy(chance), world->problem.formula_variables());
    cell.horizon = horizon;
    cell.seed = seed << 33 | seed;
    cell.checkpoints = log_checkpoints(horizon, 1 + chance.below(8));
    cell.engine = Engine::kStep;
    cell.follow_shares = chance.one_in(2);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + cell.policy);
    test::expect_steps_bytes(cell, {chance.one_in(2) ? 0 : 0xFFFFFFFF - 5, 5});
  }
}

// A row below the bar that climbs over it again, while only one other is followed.
TEST(RandomWorlds, RowsThatComeBackAreSeen) {
  for (const double better : {0.55, 0.6}) {
    const auto instance = std::make_shared<const Instance>(
        Instance(Instance::general("swapped", Matrix::from_rows({{1, 0}, {0, 1}}),
                                   {RewardLaw::bernoulli(0.45), RewardLaw::bernoulli(0.45),
                                    RewardLaw::bernoulli(better), RewardLaw::bernoulli(better)})));
    constexpr Round kHorizon = 20'000;
    auto world = std::make_shared<World>(instance, kHorizon);
    world->problem.marginals =
        std::make_shared<const Matrix>(Matrix::from_rows({{0.05, 0.95}, {0.95, 0.05}}));
    Cell cell;
    cell.world = [world](std::uint32_t) { return world; };
    cell.policy = canonical_cell_policy("warden:test=none,r=1000,patience=inf,delta=0.99");
    cell.horizon = kHorizon;
    cell.seed = 3;
    cell.checkpoints = {kHorizon};
    cell.engine = Engine::kStep;
    test::expect_steps_bytes(cell, {0, 100});
  }
}

}  // namespace
}  // namespace armature::cuda
