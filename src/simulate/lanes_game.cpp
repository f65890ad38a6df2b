#include "simulate/lanes_game.h"

#include <bit>

#include "armature/random.h"

namespace armature::lanes {
namespace {

std::int64_t less_one(std::uint64_t threshold) { return static_cast<std::int64_t>(threshold - 1); }

std::vector<WidthList> widths_of(const lock_step::Rule& rule) {
  std::vector<WidthList> widths;
  if (const auto* sentry = std::get_if<lock_step::SentryRule>(&rule)) {
    widths.emplace_back(sentry->action_width);
    widths.emplace_back(sentry->context_width);
  } else if (const auto* actions = std::get_if<lock_step::ActionRule>(&rule)) {
    widths.emplace_back(actions->width);
  } else {
    widths.emplace_back(std::get<lock_step::ContextRule>(rule).width);
  }
  return widths;
}

}  // namespace

Thresholds::Thresholds(const Instance& instance)
    : row_shift(std::countr_zero(std::bit_ceil(instance.contexts()))) {
  const std::size_t stride = std::size_t{1} << row_shift;
  context.resize(instance.actions() * stride, less_one(kTwoTo63));
  success.resize(context.size());
  std::vector<std::uint64_t> row(instance.contexts());
  for (Arm a = 0; a < instance.actions(); ++a) {
    cumulative_thresholds(instance.marginals().row(a), row);
    for (Context z = 0; z < instance.contexts(); ++z) {
      context[a * stride + z] = less_one(row[z]);
      success[a * stride + z] = less_one(threshold63(instance.law(a, z).first()));
    }
  }
}

Game::Game(const Instance& instance, lock_step::Rule its_rule)
    : actions(instance.actions()),
      contexts(instance.contexts()),
      thresholds(instance),
      rule(std::move(its_rule)),
      widths(widths_of(rule)) {}

}  // namespace armature::lanes
