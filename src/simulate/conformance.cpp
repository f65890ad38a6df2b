#include "armature/conformance.h"

// The laws as code: each is a member function of Battery, and plays the policy from outside,
// as an embedder would. The registry's policies and a user's own pass through the same ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "armature/leap.h"
#include "armature/simulate.h"
#include "simulate/leap_boxes.h"

namespace armature {
namespace {

// Many plays of every arm on every shape, and yet short enough to run on every policy in every
// build. The seed is fixed: a failure comes back.
constexpr Round kRounds = 600;
constexpr std::uint64_t kSeed = 20240229;

struct Shape {
  std::uint32_t actions;
  std::uint32_t contexts;
};
// One arm and one context, where a division by |A| − 1 goes wrong; fewer arms than contexts, and
// more; enough arms that tournament trees have several levels.
constexpr Shape kShapes[] = {{1, 1}, {2, 3}, {7, 2}, {20, 5}};

// Rewards are multiples of 2^-20: sums of them are exact, so the order of adding leaves no trace.
Instance test_instance(Shape shape, bool binary_rewards) {
  // By the number of actions, which differs between all shapes: their worlds have nothing in
  // common.
  Stream stream({kSeed, shape.actions, Purpose::kTest});
  Matrix marginals(shape.actions, shape.contexts);
  std::vector<RewardLaw> laws;
  for (Arm a = 0; a < shape.actions; ++a) {
    const auto row = dirichlet(stream, shape.contexts, 1);
    std::copy(row.begin(), row.end(), marginals.row(a).begin());
    for (Context z = 0; z < shape.contexts; ++z) {
      const double mean = stream.uniform();
      const double value = std::floor(stream.uniform() * 0x1p20) * 0x1p-20;
      // Both kinds take the same draws: worlds of one shape have the same marginals whatever the
      // rewards. 0 and 1 in the table are the ends of the range, where confidence bounds like to
      // break.
      laws.push_back(binary_rewards ? RewardLaw::bernoulli(mean)
                                    : RewardLaw::table({0, value, 1}, {0.25, 0.5, 0.25}));
    }
  }
  return Instance(Instance::general("conformance", std::move(marginals), laws));
}

// A policy at work in a world: everything needed to go on from here.
struct Scene {
  Scene(const std::string& text, const World& world)
      : policy(make_policy(text, world.problem)),
        environment(world.tables, kSeed, 0),
        stream({kSeed, 0, Purpose::kPolicy}) {}

  // Through the erased form, which checks arm, context and reward in every round.
  Decision step() {
    const Decision decision = policy->choose(stream);
    policy->observe(decision, environment.play(decision.arm), stream);
    return decision;
  }

  std::unique_ptr<AnyPolicy> policy;
  Environment environment;
  Stream stream;
};

// Outcomes out of order, at most twenty of them outstanding, a fifth of them never.
class LateOutcomes {
 public:
  void send(Decision decision, Outcome outcome) { waiting_.emplace_back(decision, outcome); }
  void deliver(Scene& scene) {
    while (waiting_.size() > 20 || (!waiting_.empty() && bernoulli(luck_, 0.3))) {
      const std::size_t which = uniform_index(luck_, static_cast<std::uint32_t>(waiting_.size()));
      const auto [late, outcome] = waiting_[which];
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
      if (bernoulli(luck_, 0.2))
        scene.policy->forget(late);
      else
        scene.policy->observe(late, outcome, scene.stream);
    }
  }

 private:
  Stream luck_{{kSeed, 1, Purpose::kTest}};
  std::deque<std::pair<Decision, Outcome>> waiting_;
};

// Tickets too: a policy whose notes to itself differ is about to decide differently.
bool same(const Decision& a, const Decision& b) { return a.arm == b.arm && a.ticket == b.ticket; }

class Battery {
 public:
  Battery(std::string text, Shape shape)
      : text_(std::move(text)),
        shape_(shape),
        world_(std::make_shared<const Instance>(test_instance(shape, false)), kRounds),
        binary_world_(std::make_shared<const Instance>(test_instance(shape, true)), kRounds) {}

  std::vector<ConformanceFailure> run() {
    valid_arms();
    if (!failures_.empty()) return failures_;  // the other laws play arms and must not be misled
    determinism();
    save_load();
    refuse_bad_state();
    reordering();
    late_and_lost();
    copies();
    probabilities();
    witness();
    plans();
    diagnostics();
    return failures_;
  }

 private:
  void fail(const char* law, const std::string& detail) {
    failures_.push_back(
        {law, fmt::format("{} actions, {} contexts: {}", shape_.actions, shape_.contexts, detail)});
  }

  // First of all laws, and without a step(): an environment must not be asked for an arm that is
  // not there before the law has spoken.
  void valid_arms() {
    Scene scene(text_, world_);
    for (Round t = 1; t <= kRounds; ++t) {
      const Decision decision = scene.policy->choose(scene.stream);
      if (decision.arm >= shape_.actions)
        return fail("valid-arms", fmt::format("arm {} in round {}", decision.arm, t));
      scene.policy->observe(decision, scene.environment.play(decision.arm), scene.stream);
    }
  }

  // Results must not depend on an address, a clock or another copy of the policy.
  void determinism() {
    Scene one(text_, world_);
    Scene two(text_, world_);
    for (Round t = 1; t <= kRounds; ++t)
      if (!same(one.step(), two.step()))
        return fail("determinism", fmt::format("other decision in round {}", t));
    // Equal decisions may hide unequal statistics, which would show at a longer horizon.
    if (one.policy->digest() != two.policy->digest()) fail("determinism", "other state at the end");
  }

  // Cuts at the start, after one round, inside the first phase or sweep, and in the middle.
  void save_load() {
    for (const Round cut : {Round{0}, Round{1}, Round{37}, kRounds / 2}) {
      Scene scene(text_, world_);
      for (Round t = 0; t < cut; ++t) scene.step();
      Scene copy(text_, world_);
      for (Round t = 0; t < cut; ++t) copy.environment.play(0);  // outcomes are drawn by round
      copy.policy->load(scene.policy->save());
      // A policy does not own its stream: whoever saves it keeps the position (AnyPolicy::save).
      copy.stream.seek(scene.stream.position());
      if (copy.policy->digest() != scene.policy->digest())
        return fail("save-load", fmt::format("other state after loading at round {}", cut));
      for (Round t = cut + 1; t <= kRounds; ++t)
        if (!same(scene.step(), copy.step()))
          return fail("save-load", fmt::format("saved at {}, other decision in round {}", cut, t));
      if (copy.policy->digest() != scene.policy->digest())
        return fail("save-load", fmt::format("saved at {}, other state at the end", cut));
    }
  }

  // A damaged state is refused as a whole: half of one would be worse than none.
  void refuse_bad_state() {
    Scene scene(text_, world_);
    for (int t = 0; t < 50; ++t) scene.step();
    const std::string good = scene.policy->save();
    const std::uint64_t before = scene.policy->digest();
    // Nothing, a state cut short, and one flipped bit: what a full disk or a bad copy leaves.
    std::string flipped = good;
    flipped[flipped.size() / 2] ^= 1;
    for (const std::string& bad : {std::string(), good.substr(0, good.size() - 1), flipped}) {
      try {
        scene.policy->load(bad);
        return fail("refuse-bad-state", "loaded a damaged state");
      } catch (const Error&) {
      }
    }
    if (scene.policy->digest() != before) fail("refuse-bad-state", "a refused state left traces");
  }

  // Batches of decisions whose outcomes arrive in order for one copy and backwards for the other.
  // States are compared bit by bit, which only exact sums allow (see test_instance). What depends
  // on order must wait for the next choice and be worked in in an order of its own.
  void reordering() {
    const World& world = observing_draws() ? binary_world_ : world_;
    constexpr int kBatch = 7;
    Scene forward(text_, world);
    Scene backward(text_, world);
    for (Round t = 1; t + kBatch <= kRounds; t += kBatch) {
      std::vector<std::pair<Decision, Outcome>> batch;
      for (int i = 0; i < kBatch; ++i) {
        const Decision decision = forward.policy->choose(forward.stream);
        // Only one copy's environment plays: both are handed the very same outcomes.
        if (!same(decision, backward.policy->choose(backward.stream)))
          return fail("reordering",
                      fmt::format("other decision in round {}", t + static_cast<Round>(i)));
        batch.emplace_back(decision, forward.environment.play(decision.arm));
      }
      for (const auto& [decision, outcome] : batch)
        forward.policy->observe(decision, outcome, forward.stream);
      std::reverse(batch.begin(), batch.end());
      for (const auto& [decision, outcome] : batch)
        backward.policy->observe(decision, outcome, backward.stream);
      if (forward.policy->digest() != backward.policy->digest())
        return fail("reordering", fmt::format("other state after round {}", t + kBatch - 1));
    }
  }

  // Thompson's coin is tossed when a fractional reward is observed: then only 0 and 1 commute.
  // Found by watching the stream, so that a user's own policy needs no flag for it.
  bool observing_draws() const {
    Scene scene(text_, world_);
    for (Round t = 0; t < kRounds; ++t) {
      const Decision decision = scene.policy->choose(scene.stream);
      const std::uint64_t before = scene.stream.position();
      scene.policy->observe(decision, scene.environment.play(decision.arm), scene.stream);
      if (scene.stream.position() != before) return true;
    }
    return false;
  }

  // Nothing is claimed about the choices but that they are valid; what this is after are checks
  // inside the policy that abort, and counts that run below zero.
  void late_and_lost() {
    Scene scene(text_, world_);
    LateOutcomes late;
    for (Round t = 1; t <= kRounds; ++t) {
      const Decision decision = scene.policy->choose(scene.stream);
      if (decision.arm >= shape_.actions)
        return fail("late-and-lost", fmt::format("arm {} in round {}", decision.arm, t));
      late.send(decision, scene.environment.play(decision.arm));
      late.deliver(scene);
    }
  }

  // The copy goes first, to the end: what they share would lead the original astray.
  void copies() {
    for (const Round cut : {Round{0}, Round{1}, Round{37}, kRounds / 2}) {
      Scene scene(text_, world_);
      for (Round t = 0; t < cut; ++t) scene.step();
      Scene copy(text_, world_);
      for (Round t = 0; t < cut; ++t) copy.environment.play(0);  // outcomes are drawn by round
      copy.policy = scene.policy->clone();
      if (!copy.policy) return;  // this kind cannot be copied, and says so
      copy.stream = scene.stream;
      std::vector<Decision> decisions;
      for (Round t = cut; t < kRounds; ++t) decisions.push_back(copy.step());
      for (const Decision& decision : decisions)
        if (!same(scene.step(), decision))
          return fail("clone", fmt::format("copied at round {}, other decisions since", cut));
      if (copy.policy->digest() != scene.policy->digest())
        return fail("clone", fmt::format("copied at round {}, other state at the end", cut));
    }
  }

  // Probabilities are those of a choice, asking for them leaves no trace, and what they exclude
  // does not happen. That they are the right ones is for a statistical test to say.
  void probabilities() {
    Scene scene(text_, world_);
    LateOutcomes late;
    for (Round t = 1; t <= kRounds; ++t) {
      const std::unique_ptr<AnyPolicy> unasked = scene.policy->clone();
      Stream unasked_stream = scene.stream;
      const std::uint64_t before = scene.policy->digest();
      std::vector<double> stated(shape_.actions, kUntouched);
      const bool known = scene.policy->probabilities(stated);
      const auto wrong = [&](const std::string& what) {
        fail("probabilities", fmt::format("{} in round {}", what, t));
      };
      if (scene.policy->digest() != before) return wrong("asking changes the state");
      const Decision decision = scene.policy->choose(scene.stream);
      if (decision.arm >= shape_.actions) return;  // late-and-lost has told
      if (unasked && !same(unasked->choose(unasked_stream), decision))
        return wrong("asking changes the decision");
      if (const std::string what = wrong_with_stated(stated, known); !what.empty())
        return wrong(what);
      if (known && !(stated[decision.arm] > 0))
        return wrong(fmt::format("arm {} is chosen with probability 0", decision.arm));
      late.send(decision, scene.environment.play(decision.arm));
      late.deliver(scene);
    }
  }

  static constexpr double kUntouched = -7;
  static std::string wrong_with_stated(const std::vector<double>& stated, bool known) {
    double sum = 0;
    for (const double p : stated) {
      if (known ? !(p >= 0) : p != kUntouched) return fmt::format("a probability of {}", p);
      sum += p;
    }
    return known && std::abs(sum - 1) > 1e-12 ? fmt::format("a sum of {}", sum) : "";
  }

  // Others' decisions between its own, one by one and many at once. What a policy learns from its
  // own rewards it learns from others' too; the rest is as after rounds of its own.
  void witness() {
    Scene scene(text_, world_);
    if (!scene.policy->witness_obstacle().empty()) return;
    Environment others(binary_world_.tables, kSeed, 1);
    for (Round t = 1; t <= kRounds; ++t) {
      const Decision decision = scene.policy->choose(scene.stream);
      if (decision.arm >= shape_.actions)
        return fail("witness", fmt::format("arm {} in round {}", decision.arm, t));
      const Arm arm = static_cast<Arm>(t % shape_.actions);
      const Outcome outcome = others.play(arm);
      if (t % 5 == 0)
        scene.policy->witness({arm, outcome.context, 3, 3 * outcome.reward}, scene.stream);
      else
        scene.policy->witness(arm, outcome, scene.stream);
      scene.policy->observe(decision, scene.environment.play(decision.arm), scene.stream);
    }
    Scene loaded(text_, world_);
    loaded.policy->load(scene.policy->save());
    loaded.stream = scene.stream;
    if (loaded.policy->digest() != scene.policy->digest() ||
        !same(loaded.policy->choose(loaded.stream), scene.policy->choose(scene.stream)))
      return fail("witness", "other state after loading");
    const bool learns = tells_rewards_apart([](Scene& one, Outcome outcome) {
      one.policy->observe(one.policy->choose(one.stream), outcome, one.stream);
    });
    const bool learns_from_others = tells_rewards_apart(
        [](Scene& one, Outcome outcome) { one.policy->witness(0, outcome, one.stream); });
    if (learns && !learns_from_others)
      fail("witness", "learns from its own rewards and not from others'");
  }

  template <class Tell>
  bool tells_rewards_apart(const Tell& tell) const {
    Scene lucky(text_, world_);
    Scene unlucky(text_, world_);
    tell(lucky, {0, 1});
    tell(unlucky, {0, 0});
    return lucky.policy->digest() != unlucky.policy->digest();
  }

  // A plan says all there is to say about itself: whether it holds does not depend on what was laid
  // out since, and laying out and asking leave the policy as it is.
  void plans() {
    Scene scene(text_, world_);
    if (!leap::obstacle(*scene.policy).empty()) return;
    leap::Planner* const planner = scene.policy->leaper()->planner();
    if (!planner) return;  // a balancer
    const leap::Laws laws(*world_.instance);
    for (Round t = 1; t <= kRounds; ++t) {
      // One round, the shortest leap that pays (PolicyWalk::kShortestLeap), and far ahead.
      for (const Round rounds : {Round{1}, Round{24}, kRounds})
        if (const std::string wrong = wrong_with_plan(*scene.policy, *planner, laws, rounds);
            !wrong.empty())
          return fail("plans", fmt::format("{} rounds laid out in round {}: {}", rounds, t, wrong));
      scene.step();
    }
  }

  // What is wrong, in words; empty if nothing is. The engine tries plans of several lengths before
  // it relies on one: an answer that followed the last one laid out would certify the wrong plan.
  static std::string wrong_with_plan(AnyPolicy& policy, leap::Planner& planner,
                                     const leap::Laws& laws, Round rounds) {
    const leap::Plan plan = planner.intend(rounds);
    if (leap::rounds_of(plan) > rounds) return "more rounds than asked for";
    if (leap::rounds_of(plan) == 0 || leap::is_certain(plan)) return {};
    const std::uint64_t before = policy.digest();
    for (const double log_inverse : {0.0, 20.0}) {  // a narrow box and one as leaping has them
      leap::Boxes boxes(laws);
      const leap::Box box = boxes.around(plan, log_inverse);
      const bool answer = planner.holds(plan, box);
      for (const Round others : {Round{1}, Round{2}, kRounds}) {
        planner.intend(others);
        if (planner.holds(plan, box) != answer) return "it holds or not by what was laid out since";
      }
    }
    return policy.digest() == before ? "" : "laying out or asking changes the state";
  }

  // Diagnostics are stored and averaged by name: two of one name would be mixed, and one infinity
  // would spoil the mean of all replications. A number that does not exist must be left out
  // instead.
  void diagnostics() {
    Scene scene(text_, world_);
    for (Round t = 0; t < kRounds; ++t) scene.step();
    std::vector<std::string> names;
    for (const Diagnostic& diagnostic : scene.policy->diagnostics()) {
      if (!std::isfinite(diagnostic.value)) fail("diagnostics", diagnostic.name + " is not finite");
      if (std::count(names.begin(), names.end(), diagnostic.name) > 0)
        fail("diagnostics", diagnostic.name + " twice");
      names.push_back(diagnostic.name);
    }
  }

  std::string text_;
  Shape shape_;
  World world_;
  World binary_world_;
  std::vector<ConformanceFailure> failures_;
};

}  // namespace

std::vector<ConformanceFailure> check_conformance(const std::string& policy_text) {
  std::vector<ConformanceFailure> failures;
  for (const Shape shape : kShapes) {
    const auto found = Battery(policy_text, shape).run();
    failures.insert(failures.end(), found.begin(), found.end());
  }
  return failures;
}

}  // namespace armature
