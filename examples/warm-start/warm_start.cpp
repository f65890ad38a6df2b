// A log teaches a policy before its first decision: last month somebody played at random and wrote
// down what came of it; this month ucb starts from that instead of from nothing.
#include <armature/decision_book.h>
#include <armature/environment.h>

#include <iostream>
#include <vector>

using namespace armature;

constexpr Round kMonth = 2000;  // decisions

// The world, which neither policy sees: twelve offers, four of five visitors look at the offer's
// page if it is a good one (context 1), and who looks buys six times as often.
Instance make_world() {
  std::vector<std::vector<double>> marginals(12, {0.5, 0.5});
  marginals[7] = {0.2, 0.8};
  return Instance(Instance::benign("offers", Matrix::from_rows(marginals),
                                   {RewardLaw::bernoulli(0.1), RewardLaw::bernoulli(0.6)}));
}

struct Line {  // of the log
  std::string action;
  std::string context;
  double reward;
  double probability;  // of the action: what judging another policy by this log needs
};

std::vector<Line> last_month(const Problem& problem, const OutcomeTables& world) {
  DecisionBook book(PolicySession("uniform", problem, 1), 1024, DecisionBook::Probabilities::kTold);
  Environment visitors(world, 1, 0);
  std::vector<Line> log;
  for (Round t = 0; t < kMonth; ++t) {
    const DecisionBook::Made made = book.choose();
    const Outcome outcome = visitors.play(made.arm);
    book.observe(made.id, outcome);
    log.push_back({problem.action_names[made.arm], problem.context_names[outcome.context],
                   outcome.reward, made.probability.value_or(0)});
  }
  return log;
}

// The regret of a month with this book.
double this_month(DecisionBook book, const Instance& instance, const OutcomeTables& world) {
  Environment visitors(world, 2, 0);
  double regret = 0;
  for (Round t = 0; t < kMonth; ++t) {
    const DecisionBook::Made made = book.choose();
    book.observe(made.id, visitors.play(made.arm));
    regret += instance.gap(made.arm);
  }
  return regret;
}

int main() {
  const Instance instance = make_world();
  const OutcomeTables world(instance);
  const Problem problem = instance.problem(kMonth);
  const std::vector<Line> log = last_month(problem, world);
  std::cout << "the log begins: " << log.front().action << " (probability "
            << log.front().probability << "), " << log.front().context << ", " << log.front().reward
            << "\n";

  DecisionBook cold(PolicySession("ucb", problem, 2));
  DecisionBook warm(PolicySession("ucb", problem, 2));
  for (const Line& line : log) warm.witness(line.action, line.context, line.reward);
  std::cout << "taught " << warm.session().evidence().outcomes() << " outcomes\n";

  const double without = this_month(std::move(cold), instance, world);
  const double with = this_month(std::move(warm), instance, world);
  std::cout << "regret without the log: " << without << "\nregret with the log: " << with << "\n";
  return with < without ? 0 : 1;
}
