// Can a pair (R_1, R_2) be had? (Def. 3.1, Thm 3.2, 3.7)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/text.h"
#include "theory/frontier.h"

namespace armature {
namespace {

// The largest budget that keeps sentry's benign bound within r1: D_C√T + sqrt(8|A|·L_A·E) + 3.
std::optional<double> sentry_budget_within(const Setting& setting, double r1) {
  const double causal = c_ucb_sharp_bound(setting, setting.horizon);
  const double left = (r1 - 3 - causal) / ucb_bound(setting, 1);  // sqrt(E)
  if (!(left >= 1)) return std::nullopt;
  return std::min(std::floor(left * left), setting.horizon);
}

// The largest allowance that keeps warden's benign bound within r1, which grows with it.
std::optional<double> warden_allowance_within(const Setting& setting, double r1) {
  double low = 0.5, high = setting.horizon;
  if (warden_pair(setting, low).r1 > r1) return std::nullopt;
  if (warden_pair(setting, high).r1 <= r1) return high;
  for (int k = 0; k < 60; ++k) {
    const double middle = std::sqrt(low * high);
    (warden_pair(setting, middle).r1 <= r1 ? low : high) = middle;
  }
  return low;
}

PairVerdict shown_by(const std::string& policy, RegretPair pair) {
  return {"achievable", policy, BoundKind::kExplicit,
          fmt::format("the explicit bounds of {} in expectation (δ = 1/T) are R_1 = {:.6g} and R_2 "
                      "= {:.6g}",
                      policy, pair.r1, pair.r2)};
}

// A policy whose explicit bounds are within the pair. db is not asked: sentry's bounds are below
// its at every dial (docs/sentry.md, section 7).
std::optional<PairVerdict> shown(const Setting& setting, RegretPair wanted) {
  const auto within = [&](RegretPair pair) { return pair.r1 <= wanted.r1 && pair.r2 <= wanted.r2; };
  if (within({setting.horizon, setting.horizon}))
    return PairVerdict{"achievable", "ucb", BoundKind::kExplicit,
                       "by any policy: no regret exceeds T"};
  if (within(ucb_pair(setting))) return shown_by("ucb", ucb_pair(setting));
  if (within(c_ucb_pair(setting))) return shown_by("c-ucb", c_ucb_pair(setting));
  const RegretPair elimination = {pe_bound(setting, setting.horizon) + 1, setting.horizon};
  if (within(elimination)) return shown_by("pe", elimination);
  const auto budget = sentry_budget_within(setting, wanted.r1);
  if (budget && within(sentry_pair(setting, *budget)))
    return shown_by(sentry_text(*budget), sentry_pair(setting, *budget));
  const auto allowance = warden_allowance_within(setting, wanted.r1);
  if (allowance && within(warden_pair(setting, *allowance)))
    return shown_by(warden_text(setting, *allowance), warden_pair(setting, *allowance));
  if (within(hac_ucb_pair(setting))) return shown_by("hac-ucb", hac_ucb_pair(setting));
  return std::nullopt;
}

// db takes R2 from [sqrt(|A|T), T]; where that is empty its dial does not move.
std::string db_text(const Setting& setting, double r2) {
  if (setting.horizon < setting.actions) return "db";
  return "db:R2=" + print_real(std::min(r2, setting.horizon));
}

std::string why_not_reasonable(const Setting& setting, RegretPair wanted) {
  const double least_benign = std::sqrt(setting.contexts * setting.horizon);
  const double least_any = std::sqrt(setting.actions * setting.horizon);
  std::string why;
  if (wanted.r1 < least_benign)
    why = fmt::format("R_1 = {:.6g} is below sqrt(|Z|T) = {:.6g}", wanted.r1, least_benign);
  if (wanted.r2 < least_any)
    why += fmt::format("{}R_2 = {:.6g} is below sqrt(|A|T) = {:.6g}", why.empty() ? "" : ", and ",
                       wanted.r2, least_any);
  return why.empty() ? "" : why + ": the minimax rates (Def. 3.1)";
}

}  // namespace

PairVerdict judge_pair(const Setting& given, double r1, double r2) {
  Setting setting = given;
  setting.delta.reset();
  setting.r2.reset();
  setting.validate();
  if (!(r1 > 0) || !std::isfinite(r1))
    throw Error({"", "r1", fmt::format("{}", r1), "a positive regret"});
  if (!(r2 > 0) || !std::isfinite(r2))
    throw Error({"", "r2", fmt::format("{}", r2), "a positive regret"});
  if (auto verdict = shown(setting, {r1, r2})) return *verdict;
  const std::string unreasonable = why_not_reasonable(setting, {r1, r2});
  if (!unreasonable.empty()) return {"not reasonable", "", std::nullopt, unreasonable};
  setting.r2 = r2;
  const auto lower = frontier_lower_sharp(setting);
  if (lower && r1 < *lower)
    return {"excluded", "", BoundKind::kExplicit,
            fmt::format("with this R_2 every policy has R_1 ≥ {:.6g} in some benign world (Thm 3.7 "
                        "with the best Δ)",
                        *lower)};
  const double product = setting.actions * setting.horizon;
  const std::string where = fmt::format("R_1·R_2 = {:.6g}, |A|T = {:.6g}", r1 * r2, product);
  if (r1 * r2 >= product * (1 - 1e-12))
    return {"achievable", db_text(setting, r2), BoundKind::kRate,
            where +
                ": as a rate, up to a factor C·log T on both (Thm 3.2, 3.5); no explicit bound "
                "shows it at this T"};
  return {"between the bounds", "", std::nullopt,
          where + fmt::format(": below the frontier that is reached up to logs, and above what the "
                              "lower bound {}",
                              lower ? fmt::format("excludes (R_1 < {:.6g})", *lower)
                                    : "excludes, as it is void at this R_2 and T")};
}

}  // namespace armature
