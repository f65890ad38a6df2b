// A policy of your own, run by armature's engine next to the built-in ones.
#include <armature/armature.h>

#include <iostream>

using namespace armature;

/// With probability ε a random action, else the one with the best average so far.
class MyGreedy {
 public:
  static PolicyFacts facts() {
    return {
        .name = "my-greedy",
        .summary = "the best average so far, and now and then anything",
        .text = "Explores at a fixed rate for ever, so its regret is linear, with a small slope.",
        .section = "textbook",
        .parameters = {Parameter::real("epsilon").defaults_to("0.1").closed(0, 1).help(
            "share of random rounds", "textbook")}};
  }
  MyGreedy(const Problem& problem, const Arguments& arguments)
      : epsilon_(arguments.real("epsilon")), plays_(problem.actions()), sums_(problem.actions()) {}

  Decision choose(Stream& stream) {
    if (bernoulli(stream, epsilon_))
      return {uniform_index(stream, static_cast<std::uint32_t>(plays_.size()))};
    Arm best = 0;
    for (Arm a = 1; a < plays_.size(); ++a)
      if (average(a) > average(best)) best = a;
    return {best};
  }
  void observe(Decision decision, Outcome outcome, Stream&) {
    ++plays_[decision.arm];
    sums_[decision.arm] += outcome.reward;
  }
  void forget(Decision) {}  // nothing was counted when the arm was chosen
  void visit_state(StateVisitor& visitor) {
    visitor.field("plays", plays_);
    visitor.field("sums", sums_);
  }
  Diagnostics diagnostics() const { return {}; }

 private:
  double average(Arm a) const {
    return plays_[a] > 0 ? sums_[a] / static_cast<double>(plays_[a]) : 1;
  }

  double epsilon_;
  std::vector<std::uint64_t> plays_;
  std::vector<double> sums_;
};

int main() {
  register_policy(policy_entry<MyGreedy>());

  const auto failures = check_conformance("my-greedy");
  for (const ConformanceFailure& failure : failures)
    std::cerr << failure.law << ": " << failure.detail << "\n";

  Simulation simulation;
  simulation.instance = "bilodeau-confounded";
  simulation.policies = {"my-greedy", "my-greedy:epsilon=0.02", "ucb", "c-ucb"};
  simulation.horizon = 5000;
  std::cout << result_table(simulate(simulation));
  return failures.empty() ? 0 : 1;
}
