#include "cuda/cell_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>

#include "armature/leap.h"
#include "armature/simulate.h"
#include "policies/adaptive/sentry.h"
#include "policies/adaptive/warden.h"
#include "policies/balancing/dynamic_balancing.h"
#include "policies/baseline/fixed_arm.h"
#include "policies/baseline/round_robin.h"
#include "policies/baseline/uniform.h"
#include "policies/index/c_ucb.h"
#include "policies/index/hac_ucb.h"
#include "policies/index/moss.h"
#include "policies/index/ucb.h"

namespace armature::cuda {
namespace {

// A margin that rounding stays far below (contenders.h), relative to the largest value there is.
constexpr double kMargin = 0x1p-31;

Diagnostics nothing_told(const Setting&, const double*) { return {}; }

// Tables are dearer than plans, and many plans ask for the same: the last few are kept.
class Tables {
 public:
  using Values = std::shared_ptr<const std::vector<double>>;

  Values of(const Widths& widths, std::uint64_t size) {
    const Key key{widths.kind, widths.log_term, widths.scale, widths.learners, widths.bias, size};
    const std::lock_guard lock(mutex_);
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept)
      if (kept->first == key) {
        std::rotate(kept_.begin(), kept, kept + 1);
        return kept_.front().second;
      }
    auto values = std::make_shared<std::vector<double>>(size);
    for (std::uint64_t n = 1; n < size; ++n) (*values)[n] = widths.computed(static_cast<double>(n));
    if (kept_.size() == kKept) kept_.pop_back();
    kept_.insert(kept_.begin(), {key, std::move(values)});
    return kept_.front().second;
  }

 private:
  static constexpr std::size_t kKept = 32;  // 256 MiB at most
  using Key = std::tuple<Widths::Kind, double, double, double, double, std::uint64_t>;
  std::mutex mutex_;
  std::vector<std::pair<Key, Values>> kept_;  // the last asked for first
};
Tables& tables() {
  static auto* const all = new Tables();  // never destroyed: threads may outlive statics
  return *all;
}

// The policy that is planned for, and what is planned of it.
class Planner {
 public:
  Planner(const Cell& cell, const World& world, std::uint64_t largest_table)
      : cell_(cell), world_(world), largest_table_(largest_table) {}

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

  void plan_policy(leap::Leaper* leaper) {
    if (const auto* fixed = dynamic_cast<const FixedArm*>(leaper)) {
      choose(Kind::kFixed, FixedSetting{fixed->arm(), false});
    } else if (dynamic_cast<const RoundRobin*>(leaper)) {
      choose(Kind::kRoundRobin, RoundRobinSetting{});
    } else if (dynamic_cast<const UniformPolicy*>(leaper)) {
      choose(Kind::kUniform, UniformSetting{});
    } else if (const auto* ucb = dynamic_cast<const Ucb*>(leaper)) {
      if (allowed(ucb->confidence(), ucb->random_ties())) plan_index(widths(ucb->confidence()));
    } else if (const auto* moss = dynamic_cast<const Moss*>(leaper)) {
      plan_index(moss_widths(moss->index().horizon_per_action(), moss->index().scale()));
    } else if (const auto* causal = dynamic_cast<const CausalUcb*>(leaper)) {
      if (allowed(causal->confidence(), causal->random_ties())) {
        const Widths causal_widths = widths(causal->confidence());
        choose(Kind::kCausal, CausalSetting{causal_widths, margin(causal_widths)});
      }
    } else if (auto* balancing = dynamic_cast<DynamicBalancing*>(leaper)) {
      plan_balancing(*balancing);
    } else if (const auto* sentry = dynamic_cast<const Sentry*>(leaper)) {
      plan_sentry(sentry->rules());
    } else if (const auto* warden = dynamic_cast<const Warden*>(leaper)) {
      plan_warden(warden->rules());
    } else if (const auto* hac_ucb = dynamic_cast<const HacUcb*>(leaper)) {
      plan_hac_ucb(*hac_ucb);
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
    choose_by_actions(packs(widths), Kind::kIndex20, Kind::kIndex32, Kind::kIndex1024,
                      IndexSetting{widths});
  }
  bool packs(const Widths& widths) const {
    const double largest = 1 + widths.at(1);
    // No width is positive and below this: 2^-53 is the least logarithm above 0.
    const double least =
        widths.scale * std::sqrt(0x1p-53 / (2.0 * static_cast<double>(cell_.horizon)));
    return plan_.small_numbers && largest < Packed::kBeyond && least > Packed::kLeast;
  }
  void choose_by_actions(bool packs, Kind to_20, Kind to_32, Kind to_1024, Setting setting) {
    const std::uint32_t actions = world_.problem.actions();
    choose(packs && actions <= 20   ? to_20
           : packs && actions <= 32 ? to_32
                                    : to_1024,
           std::move(setting));
  }

  void plan_sentry(const Sentry::Rules& rules) {
    if (!allowed(rules.actions, false)) return;
    if (rules.by_regression) {
      plan_.obstacle = "proposal=cl-ucb is stepped on the CPU";
      return;
    }
    if (rules.schedule == Sentry::Schedule::kFree) {
      plan_.obstacle = "schedule=free is stepped on the CPU";
      return;
    }
    SentrySetting setting;
    setting.actions = widths(rules.actions);
    setting.contexts = widths(rules.contexts);
    setting.budget = rules.budget;
    setting.horizon = rules.horizon;
    setting.spread = rules.schedule == Sentry::Schedule::kSpread;
    setting.tolerance = rules.tolerance;
    setting.epsilon = rules.epsilon;
    setting.may_reject = rules.may_reject;
    setting.margin = margin(setting.contexts);
    choose_by_actions(packs(setting.actions), Kind::kSentry20, Kind::kSentry1024, Kind::kSentry1024,
                      setting);
    plan_.told = [](const Setting&, const double* facts) {
      return Sentry::tell_course(
          {facts[0], facts[1], facts[2] > 0, facts[3], static_cast<std::uint64_t>(facts[4])});
    };
  }

  void plan_warden(const Warden::Rules& rules) {
    if (rules.free) {
      plan_.obstacle = "schedule=free is stepped on the CPU";
      return;
    }
    WardenSetting setting;
    setting.direct = moss_widths(rules.per_action, 1);
    setting.watch = setting.direct;
    setting.watch.kind = Widths::kWatch;
    setting.watch.bias = rules.allowance;
    tabulate(setting.watch);
    setting.contexts = moss_widths(rules.per_context, 1);
    setting.actions = widths(rules.actions);
    setting.tested_contexts = widths(rules.contexts);
    setting.patience = rules.patience;
    setting.epsilon = rules.epsilon;
    setting.causal_test = rules.causal_test;
    setting.stratified_test = rules.stratified_test;
    setting.strata.split_log = rules.strata.split_log();
    setting.strata.joint_log = rules.strata.joint_log();
    setting.strata.log = host_logarithm();
    // |D| ≤ k, and no bound is below the root of this (strata.h).
    for (double k = 1; k * k < 0.99 * (30 + k) * setting.strata.joint_log; ++k)
      ++setting.strata.always_agrees;
    setting.margin = margin(setting.contexts);
    const bool loses_enough = rules.allowance / static_cast<double>(cell_.horizon) > Packed::kLeast;
    choose_by_actions(packs(setting.direct) && loses_enough, Kind::kWarden20, Kind::kWarden1024,
                      Kind::kWarden1024, setting);
    plan_.told = [](const Setting&, const double* facts) {
      return Warden::tell_course(
          {facts[0], facts[1] > 0, facts[2], static_cast<std::uint64_t>(facts[3]), facts[4]});
    };
  }

  void plan_hac_ucb(const HacUcb& policy) {
    if (!allowed(policy.confidence(), policy.random_ties())) return;
    if (policy.checks_marginals()) {
      plan_.obstacle = "variant=paper is stepped on the CPU";
      return;
    }
    HacUcbSetting setting;
    setting.widths = widths(policy.confidence());
    setting.sweep_plays = policy.sweep_plays();
    setting.margin = margin(setting.widths);
    choose_by_actions(packs(setting.widths), Kind::kHacUcb20, Kind::kHacUcb1024, Kind::kHacUcb1024,
                      setting);
    plan_.told = [](const Setting&, const double* facts) {
      return HacUcb::tell_switch(facts[0] > 0, facts[1]);
    };
  }

  void plan_balancing(DynamicBalancing& balancing) {
    const auto* causal = learner<CausalUcb>(balancing, 0);
    const auto* direct = learner<Ucb>(balancing, 1);
    if (balancing.learners() != 2 || !causal || !direct) {
      plan_.obstacle =
          "db is played with base=c-ucb+ucb; with other learners it is stepped on the CPU";
      return;
    }
    if (!allowed(causal->confidence(), causal->random_ties()) ||
        !allowed(direct->confidence(), direct->random_ties()))
      return;
    if (!causal->confidence().fixed_term() || !direct->confidence().fixed_term()) {
      plan_.obstacle = "learners of db with confidence=anytime are stepped on the CPU";
      return;
    }
    BalancingSetting setting;
    setting.causal = learner_setting(balancing, 0, causal->confidence());
    setting.direct = learner_setting(balancing, 1, direct->confidence());
    setting.spread = balancing_terms(balancing, Widths::kSpread, 0);
    setting.sign = balancing.spread_sign();
    setting.margin = margin(widths(causal->confidence()));
    choose_by_actions(packs(widths(direct->confidence())), Kind::kBalancing20, Kind::kBalancing1024,
                      Kind::kBalancing1024, std::move(setting));
    plan_.told = [names = std::array{balancing.learner_name(0), balancing.learner_name(1)}](
                     const Setting&, const double* facts) {
      Diagnostics diagnostics;
      const double rounds = facts[0] + facts[4];
      for (std::size_t i = 0; i < names.size(); ++i, facts += 4)
        DynamicBalancing::tell_course(diagnostics, names[i],
                                      {facts[0], facts[1], facts[2], facts[3]}, rounds);
      return diagnostics;
    };
  }
  template <class Kind>
  static const Kind* learner(DynamicBalancing& balancing, std::size_t i) {
    return i < balancing.learners() ? dynamic_cast<const Kind*>(balancing.learner(i).leaper())
                                    : nullptr;
  }
  BalancingSetting::Learner learner_setting(const DynamicBalancing& balancing, std::size_t i,
                                            const Confidence& confidence) {
    const DynamicBalancing::Terms& terms = balancing.terms(i);
    return {confidence.log_term(),
            confidence.scale(),
            balancing_terms(balancing, Widths::kBias, terms.bias),
            terms.coefficient,
            terms.pull,
            false};
  }
  Widths balancing_terms(const DynamicBalancing& balancing, Widths::Kind kind, double bias) {
    Widths terms;
    terms.kind = kind;
    terms.log_term = balancing.delta();
    terms.scale = balancing.scale();
    terms.learners = static_cast<double>(balancing.learners());
    terms.bias = bias;
    tabulate(terms);
    return terms;
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
  Widths moss_widths(double share, double scale) {
    Widths widths;
    widths.kind = Widths::kMoss;
    widths.log_term = share;
    widths.scale = scale;
    tabulate(widths);
    return widths;
  }
  void tabulate(Widths& widths) {
    widths.log = host_logarithm();
    if (widths.kind == Widths::kFixed) return;
    const std::uint64_t size = std::min(cell_.horizon + 1, largest_table_);
    auto values = tables().of(widths, size);
    widths.table = values->data();
    widths.tabulated = size;
    plan_.tables.push_back(std::move(values));
  }

  const Cell& cell_;
  const World& world_;
  std::uint64_t largest_table_;
  CellPlan plan_;
};

}  // namespace

CellPlan plan_cell(const Cell& cell, const World& world, std::uint64_t largest_table) {
  return Planner(cell, world, largest_table).plan();
}

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
