// How a policy and its oracle are compared, and on which worlds.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <deque>

#include "armature/families.h"
#include "armature/simulate.h"
#include "oracle/history.h"

namespace armature::oracle {

inline constexpr std::uint64_t kSeed = 11;

inline Knowledge knowledge_of(const Problem& problem) {
  Knowledge knowledge{
      problem.actions(), problem.contexts(), static_cast<double>(problem.horizon.value()), {}};
  for (Arm a = 0; a < problem.actions(); ++a) {
    const auto row = problem.marginals->row(a);
    knowledge.marginals.emplace_back(row.begin(), row.end());
  }
  return knowledge;
}

// The arm sequences agree; outcomes reach both `delay` rounds late, and every `lost`-th one never.
struct Lateness {
  std::size_t delay = 0;
  Round lost_every = 0;   // 0: none
  bool reversed = false;  // whatever is waiting is handed over newest first, in batches of `delay`
};

template <class Oracle>
void expect_same_decisions(const std::string& policy_text, Oracle oracle, const World& world,
                           Round rounds, const Lateness& lateness = {}) {
  // Oracles of policies whose index counts plays in flight are told of them.
  constexpr bool kFollowsFlights = requires { oracle.send(Arm{}); };
  const auto policy = make_policy(policy_text, world.problem);
  Environment environment(world.tables, kSeed, 0);
  Stream stream({kSeed, 0, Purpose::kPolicy});
  std::deque<std::pair<Decision, Outcome>> waiting;
  Round handed_over = 0;
  const auto hand_over = [&](const std::pair<Decision, Outcome>& letter) {
    ++handed_over;
    if constexpr (kFollowsFlights) oracle.land(letter.first.arm);
    if (lateness.lost_every != 0 && handed_over % lateness.lost_every == 0) {
      policy->forget(letter.first);
      return;
    }
    policy->observe(letter.first, letter.second, stream);
    oracle.observe({letter.first.arm, letter.second.context, letter.second.reward});
  };
  for (Round t = 1; t <= rounds; ++t) {
    const Decision decision = policy->choose(stream);
    ASSERT_EQ(decision.arm, oracle.choose()) << policy_text << ", round " << t;
    if constexpr (kFollowsFlights) oracle.send(decision.arm);
    waiting.emplace_back(decision, environment.play(decision.arm));
    if (lateness.reversed) {
      if (waiting.size() <= lateness.delay) continue;
      for (; !waiting.empty(); waiting.pop_back()) hand_over(waiting.back());
    } else {
      for (; waiting.size() > lateness.delay; waiting.pop_front()) hand_over(waiting.front());
    }
  }
}

// All families with their defaults, and the shapes the defaults do not reach: many actions and
// contexts, wrong marginals, low rank, copies of rows.
inline std::vector<std::string> worlds() {
  std::vector<std::string> texts;
  for (const Family& family : families()) texts.push_back(family.name);
  for (const char* text :
       {"random-benign:actions=200,contexts=20", "random-benign:actions=30,epsilon=0.2",
        "random-benign:actions=30,epsilon=0.2,perturbation=adversarial",
        "random-benign:contexts=8,rank=3", "random-benign:contexts=1,actions=5",
        "random-benign:actions=1", "random-benign:contexts=10,concentration=0.05",
        "semi-benign:actions=60,contexts=12,shift=0.6", "semi-benign:contexts=6,rank=2",
        "pareto-confounded:actions=50,contexts=7,gap=0.06", "pe-trap:actions=12,place=first",
        "hidden-arm:actions=40,contexts=6", "bilodeau-confounded:actions=5"})
    texts.emplace_back(text);
  return texts;
}

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace armature::oracle
