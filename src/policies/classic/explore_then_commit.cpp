#include "policies/classic/explore_then_commit.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"

namespace armature {
namespace {

// ⌈(T/|A|)^(2/3)·(log T)^(1/3)⌉, but no more than there is time for.
std::uint64_t usual_plays(const Problem& problem, const Arguments& arguments) {
  if (!problem.horizon)
    throw Error({"", arguments.owner() + ": m", "no m and no horizon",
                 "a horizon, or the number of plays m of every action"});
  const auto horizon = static_cast<double>(problem.horizon.value());
  const double root = portable::cbrt(horizon / problem.actions());
  const double plays = std::ceil(root * root * portable::cbrt(portable::log(horizon)));
  const Round most = std::max<Round>(1, problem.horizon.value() / problem.actions());
  return std::clamp<Round>(static_cast<Round>(plays), 1, most);
}

}  // namespace

PolicyFacts ExploreThenCommit::facts() {
  return {
      .name = "etc",
      .summary = "explore then commit: every action m times, then the best of them for ever",
      .text =
          "Plays every action m times in turn, then the one with the largest mean for the rest "
          "of time. With the default m its regret is of order (|A|·log T)^(1/3)·T^(2/3) in "
          "every world, more than ucb's sqrt(|A|·T): what an A/B test that ends once costs. A "
          "lost exploration is played again; while explorations are out, the leader among the "
          "outcomes known is played. Outcomes after the commitment teach nothing. It ignores "
          "the contexts.",
      .section = "§5",
      .parameters = {
          Parameter::integer("m")
              .automatic("⌈(T/|A|)^(2/3)·(log T)^(1/3)⌉, at most T/|A|")
              .closed(1, 0x1p40)
              .help("how often every action is played; without it the horizon is needed", "§5")}};
}

ExploreThenCommit::ExploreThenCommit(const Problem& problem, const Arguments& arguments)
    : plays_each_(arguments.given("m") ? arguments.integer("m") : usual_plays(problem, arguments)),
      ledger_(problem.actions()) {}

// The action with the fewest explorations sent out: in turn, as long as none is lost.
Arm ExploreThenCommit::next_to_explore() const {
  if (ledger_.total_sent() == plays_each_ * ledger_.size()) return kNone;
  return lowest_argmax(ledger_.size(),
                       [this](Arm a) { return -static_cast<double>(ledger_.sent(a)); });
}

Arm ExploreThenCommit::leader() const {
  return lowest_argmax(ledger_.size(), [this](Arm a) { return ledger_.mean(a); });
}

bool ExploreThenCommit::probabilities(std::span<double> out) const {
  const Arm next = next_to_explore();
  put_all_on(out, next == kNone ? leader() : next);
  return true;
}

Insights ExploreThenCommit::explain() const {
  Insights told;
  tell(told, "index", Insight::Of::kActions, ledger_.size(),
       [this](Arm a) { return ledger_.mean(a); });
  tell_whether(told, "by_index", next_to_explore() == kNone);
  return told;
}

// Explorations that are left, in turn; after them one action whatever comes.
leap::Plan ExploreThenCommit::do_intend(Round rounds) {
  const Arm first = next_to_explore();
  if (first == kNone) return leap::Certain{{{leader(), rounds, kCommitted}}};
  const std::uint32_t actions = ledger_.size();
  rounds = std::min(rounds, plays_each_ * actions - ledger_.total_sent());
  leap::Certain plan{{}, leap::Certain::Order::kMixed};
  for (Arm a = 0; a < actions; ++a) {
    const std::uint64_t turn = (a + actions - first) % actions;
    const std::uint64_t plays = rounds / actions + (turn < rounds % actions ? 1 : 0);
    plan.shares.push_back({a, plays, kExploring});
  }
  return plan;
}

void ExploreThenCommit::do_absorb(const leap::ShareOutcome& outcome) {
  const auto& [arm, plays, tag] = outcome.share;
  if (tag == kExploring) ledger_.add(arm, plays, outcome.sum);
}

void ExploreThenCommit::visit_state(StateVisitor& visitor) {
  ledger_.visit_state(visitor);
  for (Arm a = 0; a < ledger_.size(); ++a)
    visitor.require(ledger_.sent(a) <= plays_each_, "dispatched");
}

Diagnostics ExploreThenCommit::diagnostics() const {
  return {{"exploration_rounds", static_cast<double>(ledger_.total_sent())}};
}

}  // namespace armature
