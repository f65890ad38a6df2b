#include "policies/adaptive/floor.h"

#include <algorithm>

#include "policies/balancing/base_learners.h"
#include "policies/tools/insights.h"

namespace armature {
namespace {

constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 62;  // a ticket has room for more
constexpr std::size_t kReserved = 64;                          // outcomes due before the list grows

}  // namespace

PolicyFacts Floor::facts() {
  return {
      .name = "floor",
      .summary = "another policy, with a least probability for every action",
      .text =
          "Plays every action with the same probability in a share of the rounds, and as its "
          "base policy decides in all others: every action has a probability of at least "
          "probability/|A| in every round, as evaluating other policies from the log requires; "
          "it is known exactly where the base's is (of Thompson sampling only estimates are). "
          "The base's luck is as without the floor, and it learns from the floor's plays where "
          "it can learn from others' decisions; else (pe, corral) they are lost to it. The "
          "price, beside what the base regrets in its own rounds, is probability·T times the "
          "mean gap. A floor goes around everything else: it is no learner of a balancer.",
      .section = "§5",
      .parameters = {Parameter::text("base", "a policy, in parentheses if it has keys")
                         .defaults_to("sentry")
                         .written_as(canonical_policies)
                         .help("the policy above the floor; what it needs, the floor needs", "§5"),
                     Parameter::real("probability")
                         .defaults_to("0.05")
                         .closed(0, 1)
                         .help("ε: the share of rounds that are played uniformly", "§5")}};
}

Floor::Floor(const Problem& problem, const Arguments& arguments)
    : probability_(arguments.real("probability")),
      actions_(problem.actions()),
      contexts_(problem.contexts()) {
  const std::vector<std::string> texts = split_list(arguments.word("base"));
  if (texts.size() != 1) arguments.reject("base", "one policy");
  base_ = InnerPolicy(make_policy(without_floor(texts.front(), arguments), problem));
  base_witnesses_ = base_->witness_obstacle().empty();
  due_.reserve(kReserved);
}

// The floor's luck is its own, so that the base's is as without it; for the same reason the base
// decides in every round. The floor's play is its own even where both mean the same action: which
// plays the base has made must not depend on what the floor drew.
Decision Floor::choose(Stream& stream) {
  tell(*base_, stream);
  due_.clear();
  ++rounds_;
  const Decision base = base_->choose(stream);
  ARMATURE_CHECK(base.ticket >> (64 - kFlagBits) == 0, "a base's ticket leaves room for a flag");
  Stream luck = stream.aside(Purpose::kFloor, rounds_);
  const bool own = bernoulli(luck, probability_);
  const Arm arm = own ? uniform_index(luck, actions_) : base.arm;
  last_probability_ = probability_ / actions_ + (arm == base.arm ? 1 - probability_ : 0);
  if (!own) return {arm, base.ticket << kFlagBits};
  base_->forget(base);
  ++own_rounds_;
  ++outstanding_;
  return {arm, rounds_ << kFlagBits | kOwnPlay};
}

void Floor::observe(Decision decision, Outcome outcome, Stream& stream) {
  if (!is_own(decision)) return base_->observe(base_decision(decision), outcome, stream);
  close_own(decision);
  if (!base_witnesses_) return;
  const auto later = [](std::uint64_t round, const Due& due) { return round < due.round; };
  due_.insert(std::upper_bound(due_.begin(), due_.end(), round_of(decision), later),
              {round_of(decision), decision.arm, outcome.context, outcome.reward});
}

void Floor::forget(Decision decision) {
  if (!is_own(decision)) return base_->forget(base_decision(decision));
  close_own(decision);
}

void Floor::close_own(Decision decision) {
  ARMATURE_CHECK(outstanding_ > 0, "a decision has one outcome");
  ARMATURE_CHECK(round_of(decision) <= rounds_, "a decision is made before its outcome comes");
  --outstanding_;
}

void Floor::tell(AnyPolicy& base, Stream& stream) const {
  for (const Due& due : due_) base.witness(due.arm, {due.context, due.reward}, stream);
}

// What the base has yet to witness is told to a copy: choose will tell it the same. Coins that are
// tossed for it fall otherwise there; where a choice depends on them there is no closed form. None
// if the base cannot be copied.
InnerPolicy Floor::told_base() const {
  InnerPolicy told(base_->clone());
  if (!told) return told;
  Stream coins({0, 0, Purpose::kEstimate});
  tell(*told, coins);
  return told;
}

bool Floor::probabilities(std::span<double> out) const {
  InnerPolicy told;
  if (!due_.empty()) {
    told = told_base();
    if (!told) return false;
  }
  if (!(told ? *told : *base_).probabilities(out)) return false;
  for (double& p : out) p = (1 - probability_) * p + probability_ / actions_;
  return true;
}

// Its base's, as far as the base is the one who decides.
Insights Floor::explain() const {
  InnerPolicy told;
  if (!due_.empty()) {
    told = told_base();
    if (!told) return {};
  }
  Insights insights = (told ? *told : *base_).explain();
  if (probability_ > 0) tell_whether(insights, "by_index", false);
  return insights;
}

void Floor::visit_state(StateVisitor& visitor) {
  visitor.field("rounds", rounds_);
  visitor.field("floor_rounds", own_rounds_);
  visitor.field("floor_outstanding", outstanding_);
  visitor.list("due", due_, [](ItemVisitor& part, Due& due) {
    part.field("round", due.round);
    part.field("arm", due.arm);
    part.field("context", due.context);
    part.field("reward", due.reward);
  });
  base_->visit_state(visitor);
  visitor.require(rounds_ <= kMostRounds, "rounds");
  visitor.require(own_rounds_ <= rounds_, "floor_rounds");
  visitor.require(outstanding_ <= own_rounds_, "floor_outstanding");
  for (const Due& due : due_)
    visitor.require(due.arm < actions_ && due.context < contexts_ && due.reward >= 0 &&
                        due.reward <= 1 && due.round <= rounds_,
                    "due");
  visitor.require(base_witnesses_ || due_.empty(), "due");
}

Diagnostics Floor::diagnostics() const {
  const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
  Diagnostics diagnostics{{"share(floor)", static_cast<double>(own_rounds_) / rounds}};
  for (Diagnostic& diagnostic : base_->diagnostics()) diagnostics.push_back(std::move(diagnostic));
  return diagnostics;
}

}  // namespace armature
