#include "armature/leap.h"

namespace armature::leap {

std::span<const Share> shares_of(const Plan& plan) {
  if (const auto* one = std::get_if<OneArm>(&plan)) return {&one->share, 1};
  if (const auto* several = std::get_if<SideBySide>(&plan)) return several->shares;
  if (const auto* certain = std::get_if<Certain>(&plan)) return certain->shares;
  return {};
}

Round total_plays(std::span<const Share> shares) {
  Round total = 0;
  for (const Share& share : shares) total += share.plays;
  return total;
}

Round rounds_of(const Plan& plan) {
  if (const auto* random = std::get_if<AtRandom>(&plan)) return random->rounds;
  return total_plays(shares_of(plan));
}

Detail detail_of(const Plan& plan) {
  if (const auto* one = std::get_if<OneArm>(&plan)) return one->detail;
  if (const auto* certain = std::get_if<Certain>(&plan)) return certain->detail;
  return std::holds_alternative<SideBySide>(plan) ? Detail::kContexts : Detail::kTotals;
}

bool is_certain(const Plan& plan) {
  return std::holds_alternative<Certain>(plan) || std::holds_alternative<AtRandom>(plan);
}

bool is_in_turn(const Plan& plan) {
  if (const auto* random = std::get_if<AtRandom>(&plan)) return random->arms == 1;
  const auto* certain = std::get_if<Certain>(&plan);
  return shares_of(plan).size() == 1 || (certain && certain->order == Certain::Order::kInTurn);
}

bool Planner::holds(const Plan&, const Box&) const {
  ARMATURE_CHECK(false, "a policy whose plans are not certain says when they hold");
}

std::string obstacle(AnyPolicy& policy) {
  const Leaper* const leaper = policy.leaper();
  return leaper ? leaper->obstacle() : "no certificate is known for its choices";
}

}  // namespace armature::leap
