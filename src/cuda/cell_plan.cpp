#include "cuda/cell_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/leap.h"
#include "armature/simulate.h"
#include "policies/baseline/fixed_arm.h"
#include "policies/baseline/round_robin.h"
#include "policies/baseline/uniform.h"
#include "policies/index/c_ucb.h"
#include "policies/index/moss.h"
#include "policies/index/ucb.h"

namespace armature::cuda {
namespace {

// Values of w(n) that are kept in a table: 8 MiB. Beyond, they are computed.
constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 20;
// A margin that rounding stays far below (contenders.h), relative to the largest value there is.
constexpr double kMargin = 0x1p-31;

Diagnostics nothing_told(const Setting&, const double*) { return {}; }

// The policy that is planned for, and what is planned of it.
class Planner {
 public:
  Planner(const Cell& cell, const World& world) : cell_(cell), world_(world) {}

  CellPlan plan() {
    plan_.obstacle = obstacle_of_cell();
    if (!plan_.obstacle.empty()) return std::move(plan_);
    plan_.small_numbers = cell_.horizon < (Round{1} << 32) && all_bernoulli(*world_.instance);
    plan_.told = nothing_told;
    if (cell_.policy == kOracle) {
      choose(Kind::kFixed, FixedSetting{0, true});
      return std::move(plan_);
    }
    const std::unique_ptr<AnyPolicy> policy = make_policy(cell_.policy, world_.problem);
    plan_policy(policy->leaper());
    return std::move(plan_);
  }

 private:
  static bool all_bernoulli(const Instance& instance) {
    const auto& laws = instance.parts().laws;
    return std::all_of(laws.begin(), laws.end(), [](const RewardLaw& law) {
      return law.kind() == RewardLaw::Kind::kBernoulli;
    });
  }
  std::string obstacle_of_cell() const {
    if (cell_.make_policy || cell_.make_environment)
      return "parts of the caller's own are stepped on the CPU";
    if (cell_.watch) return "rounds that somebody watches are stepped on the CPU";
    if (!cell_.feedback.prompt())
      return fmt::format("outcomes that are not prompt ({}) are stepped on the CPU",
                         cell_.feedback.describe());
    if (cell_.horizon > kLongestHorizon)
      return fmt::format("{} rounds are more than 2^40", cell_.horizon);
    return world_obstacle(world_, false);
  }

  void plan_policy(const leap::Leaper* leaper) {
    if (const auto* fixed = dynamic_cast<const FixedArm*>(leaper)) {
      choose(Kind::kFixed, FixedSetting{fixed->arm(), false});
    } else if (dynamic_cast<const RoundRobin*>(leaper)) {
      choose(Kind::kRoundRobin, RoundRobinSetting{});
    } else if (dynamic_cast<const UniformPolicy*>(leaper)) {
      choose(Kind::kUniform, UniformSetting{});
    } else if (const auto* ucb = dynamic_cast<const Ucb*>(leaper)) {
      if (allowed(ucb->confidence(), ucb->random_ties())) plan_index(widths(ucb->confidence()));
    } else if (const auto* moss = dynamic_cast<const Moss*>(leaper)) {
      Widths moss_widths;
      moss_widths.kind = Widths::kMoss;
      moss_widths.log_term = moss->index().horizon_per_action();
      moss_widths.scale = moss->index().scale();
      tabulate(moss_widths);
      plan_index(moss_widths);
    } else if (const auto* causal = dynamic_cast<const CausalUcb*>(leaper)) {
      if (allowed(causal->confidence(), causal->random_ties())) {
        const Widths causal_widths = widths(causal->confidence());
        choose(Kind::kCausal, CausalSetting{causal_widths, margin(causal_widths)});
      }
    } else {
      plan_.obstacle = "no device plays this policy";
    }
  }

  void choose(Kind kind, Setting setting) {
    plan_.kind = kind;
    plan_.setting = std::move(setting);
  }
  bool allowed(const Confidence& confidence, bool random_ties) {
    if (confidence.depends_on_mean())
      plan_.obstacle = "confidence=anytime-kl is stepped on the CPU";
    if (random_ties) plan_.obstacle = "ties=random is stepped on the CPU";
    return plan_.obstacle.empty();
  }

  // An index of actions: packed where the range allows it.
  void plan_index(const Widths& widths) {
    const std::uint32_t actions = world_.problem.actions();
    const double largest = 1 + widths.at(1);
    // No width is positive and below this: 2^-53 is the least logarithm above 0.
    const double least =
        widths.scale * std::sqrt(0x1p-53 / (2.0 * static_cast<double>(cell_.horizon)));
    const bool packs = plan_.small_numbers && largest < PackedArgmax<5>::kBeyond &&
                       least > PackedArgmax<5>::kLeast;
    choose(packs && actions <= 20   ? Kind::kIndex20
           : packs && actions <= 32 ? Kind::kIndex32
                                    : Kind::kIndex1024,
           IndexSetting{widths});
  }
  double margin(const Widths& widths) const { return kMargin * (1 + widths.at(1)); }

  Widths widths(const Confidence& confidence) {
    Widths widths;
    widths.kind = confidence.fixed_term() ? Widths::kFixed : Widths::kAnytime;
    widths.log_term = confidence.log_term();
    widths.scale = confidence.scale();
    tabulate(widths);
    return widths;
  }
  void tabulate(Widths& widths) {
    widths.log = host_logarithm();
    if (widths.kind == Widths::kFixed) return;
    const std::uint64_t size = std::min(cell_.horizon + 1, kLargestTable);
    auto values = std::make_shared<std::vector<double>>(size);
    for (std::uint64_t n = 1; n < size; ++n) (*values)[n] = widths.computed(static_cast<double>(n));
    widths.table = values->data();
    widths.tabulated = size;
    plan_.tables.push_back(std::move(values));
  }

  const Cell& cell_;
  const World& world_;
  CellPlan plan_;
};

}  // namespace

CellPlan plan_cell(const Cell& cell, const World& world) { return Planner(cell, world).plan(); }

std::string world_obstacle(const World& world, bool fresh) {
  const Instance& instance = *world.instance;
  if (instance.actions() > kMostActions)
    return fmt::format("{} actions are more than {}", instance.actions(), kMostActions);
  if (instance.contexts() > kMostContexts)
    return fmt::format("{} contexts are more than {}", instance.contexts(), kMostContexts);
  for (const RewardLaw& law : instance.parts().laws) {
    if (law.kind() == RewardLaw::Kind::kBeta) return "Beta rewards are drawn on the CPU";
    if (fresh && law.kind() != RewardLaw::Kind::kBernoulli)
      return "fresh worlds with rewards other than 0 and 1 are stepped on the CPU";
  }
  return {};
}

Logarithm host_logarithm() { return {portable::kLogarithms, portable::kLogarithm}; }

}  // namespace armature::cuda
