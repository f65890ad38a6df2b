#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "armature/theory.h"

namespace armature {
namespace {

constexpr double kMostSize = 1e12;
constexpr double kMostRounds = 1e18;
constexpr double kMostDelay = 1e9;      // as in simulations
constexpr double kLeastDelta = 1e-250;  // 2|A|T/δ stays a number

double minimax(const Setting& setting) { return std::sqrt(setting.actions * setting.horizon); }

// Z_2 of the corner R_2 = sqrt(|A|/|Z|)·sqrt(|A|T), R_2 at most max(T, sqrt(|A|T)): as db has it.
double corner_dial(const Setting& setting) {
  const double farthest = std::max(1.0, setting.horizon / minimax(setting));
  return std::min(std::max(1.0, std::sqrt(setting.actions / setting.contexts)), farthest);
}

void require(bool right, const char* field, double got, const std::string& expected) {
  if (!right) throw Error({"", field, fmt::format("{}", got), expected});
}

}  // namespace

double Setting::level() const { return delta.value_or(1 / std::max(horizon, 2.0)); }

double Setting::dimension() const { return rank.value_or(std::min(actions, contexts)); }

double Setting::worst_regret() const { return r2.value_or(minimax(*this) * corner_dial(*this)); }

double Setting::dial() const { return r2 ? *r2 / minimax(*this) : corner_dial(*this); }

// Written so that NaN is refused too.
void Setting::validate() const {
  const auto size = fmt::format("a number from 1 to {}", kMostSize);
  require(actions >= 1 && actions <= kMostSize, "actions", actions, size);
  require(contexts >= 1 && contexts <= kMostSize, "contexts", contexts, size);
  require(horizon >= 1 && horizon <= kMostRounds, "horizon", horizon, "a number from 1 to 1e18");
  if (delta)
    require(*delta >= kLeastDelta && *delta < 1, "delta", *delta,
            "a number in (0,1), and not below 1e-250");
  const double most_rank = std::min(actions, contexts);
  if (rank)
    require(*rank >= 1 && *rank <= most_rank, "rank", *rank,
            fmt::format("a rank from 1 to min(|A|,|Z|) = {}", most_rank));
  if (gap) require(*gap > 0 && *gap <= 1, "gap", *gap, "a number in (0,1]");
  if (epsilon) require(*epsilon >= 0 && *epsilon <= 2, "epsilon", *epsilon, "a number in [0,2]");
  if (r2)
    require(*r2 >= minimax(*this) && *r2 <= horizon, "r2", *r2,
            fmt::format("a regret in [sqrt(|A|T), T] = [{:.6g}, {:.6g}]", minimax(*this), horizon));
  if (delay)
    require(*delay >= 0 && *delay <= kMostDelay, "delay", *delay,
            fmt::format("a number of rounds from 0 to {:g}", kMostDelay));
}

}  // namespace armature
