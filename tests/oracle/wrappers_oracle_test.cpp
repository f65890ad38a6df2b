// The policies around other policies, floor and learned-marginals, against slow re-implementations.
#include <deque>

#include "oracle/c_ucb_oracle.h"
#include "oracle/comparison.h"
#include "oracle/ucb_oracle.h"

namespace armature::oracle {
namespace {

constexpr Round kRounds = 3000;

/// floor over ucb, prompt: in round t a coin and an action from the floor's own luck of that round.
class FloorOracle {
 public:
  FloorOracle(Knowledge knowledge, double probability)
      : actions_(knowledge.actions), probability_(probability), base_(std::move(knowledge), {}) {}

  std::uint32_t choose() {
    ++round_;
    Stream luck = Stream::within_round({kSeed, 0, Purpose::kFloor}, round_);
    if (bernoulli(luck, probability_)) return uniform_index(luck, actions_);
    return base_.choose();
  }
  void observe(const Observation& seen) { base_.observe(seen); }

 private:
  std::uint32_t actions_;
  double probability_;
  UcbOracle base_;
  Round round_ = 0;
};

/// learned-marginals over c-ucb, outcomes in the order of decisions: everything from the history,
/// but for what the class comment makes a matter of the past: the marginals as of the last time the
/// number of outcomes had doubled.
class LearnedMarginalsOracle {
 public:
  LearnedMarginalsOracle(Knowledge knowledge, double prior)
      : know_(std::move(knowledge)), prior_(prior) {}

  std::uint32_t choose() {
    std::size_t generation = 0;
    while (history_.size() >= know_.actions * (std::size_t{1} << generation)) ++generation;
    if (generation > generation_) {
      generation_ = generation;
      know_.marginals = frequencies();
    }
    // n(a) with plays in flight; the least played action first, if it was played too rarely.
    std::vector<double> plays(know_.actions);
    for (const Observation& seen : history_) plays[seen.arm] += 1;
    for (const Sent& sent : waiting_) plays[sent.arm] += 1;
    const auto least =
        static_cast<std::uint32_t>(std::min_element(plays.begin(), plays.end()) - plays.begin());
    forced_ = generation_ == 0 || plays[least] == 0 ||
              plays[least] * plays[least] * know_.actions < static_cast<double>(rounds_);
    ++rounds_;
    if (forced_) return least;
    CausalUcbOracle base(know_, {});
    for (const Observation& seen : history_) base.observe(seen);
    for (const Sent& sent : waiting_)  // of its own decisions only
      if (sent.generation == generation_) base.send(sent.arm);
    return base.choose();
  }
  void send(std::uint32_t arm) { waiting_.push_back({arm, forced_ ? 0 : generation_}); }
  void land(std::uint32_t) { waiting_.pop_front(); }
  void observe(const Observation& seen) { history_.push_back(seen); }

 private:
  struct Sent {
    std::uint32_t arm;
    std::size_t generation;  // of the base that decided; 0: none
  };

  // (n(a,z) + prior/|Z|)/(n(a) + prior)
  std::vector<std::vector<double>> frequencies() const {
    std::vector<std::vector<double>> rows(know_.actions, std::vector<double>(know_.contexts));
    for (const Observation& seen : history_) rows[seen.arm][seen.context] += 1;
    for (auto& row : rows) {
      double total = 0;
      for (const double count : row) total += count;
      for (double& entry : row) entry = (entry + prior_ / know_.contexts) / (total + prior_);
    }
    return rows;
  }

  Knowledge know_;  // with the marginals of the last doubling
  double prior_;
  History history_;
  std::deque<Sent> waiting_;
  std::size_t generation_ = 0;
  Round rounds_ = 0;
  bool forced_ = false;
};

class WrappersOracle : public testing::TestWithParam<std::string> {
 protected:
  WrappersOracle()
      : world_(InstanceSource(GetParam(), kRounds, kSeed).instance(0), kRounds),
        know_(knowledge_of(world_.problem)) {}

  World world_;
  Knowledge know_;
};

TEST_P(WrappersOracle, Floor) {
  expect_same_decisions("floor:base=ucb,probability=0.2", FloorOracle(know_, 0.2), world_, kRounds);
}

TEST_P(WrappersOracle, LearnedMarginals) {
  expect_same_decisions("learned-marginals:base=c-ucb", LearnedMarginalsOracle(know_, 1), world_,
                        kRounds);
  expect_same_decisions("learned-marginals:base=c-ucb,prior=5", LearnedMarginalsOracle(know_, 5),
                        world_, kRounds, {.delay = 17});
}

INSTANTIATE_TEST_SUITE_P(Worlds, WrappersOracle, testing::ValuesIn(worlds()), test_name);

}  // namespace
}  // namespace armature::oracle
