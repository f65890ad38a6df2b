// The audit in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/audit.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {

std::string verdict_name(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::kNotRejected:
      return "not rejected";
    case AuditVerdict::kRejected:
      return "rejected";
    case AuditVerdict::kTooLittle:
      break;
  }
  return "too little data";
}

std::string zone_name(EpsilonZone zone) {
  switch (zone) {
    case EpsilonZone::kHarmless:
      return "harmless";
    case EpsilonZone::kCostly:
      return "costly";
    case EpsilonZone::kHopeless:
      break;
  }
  return "hopeless";
}

namespace {

std::string p_words(double p) {
  if (p < 1e-300) return "p below 1e-300";
  return fmt::format("p = {:.2g}", p);
}

// The size of a difference, to the digits its error deserves. Of intervals that are
// not even the ends are named.
std::string difference_words(const AuditBreak& broken) {
  const double sign = broken.difference < 0 ? -1 : 1;
  const double low = std::min(sign * broken.interval.low, sign * broken.interval.high);
  const double high = std::max(sign * broken.interval.low, sign * broken.interval.high);
  const double error = (high - low) / 2;
  const int digits =
      error > 0 ? std::clamp(static_cast<int>(std::ceil(-portable::log10(error))) + 1, 1, 6) : 3;
  const double size = std::abs(broken.difference);
  const bool even = std::abs(high + low - 2 * size) < 0.2 * (high - low);
  if (even) return fmt::format("{:.{}f} ± {:.{}f}", size, digits, error, digits);
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", size, digits, low, digits, high, digits);
}

std::string others_words(const AuditAnswer& answer, const AuditBreak& broken) {
  if (answer.of_contexts[broken.context].actions == 2)
    for (std::size_t a = 0; a < answer.actions.size(); ++a)
      if (a != broken.action && answer.cell(a, broken.context).rows > 0) return answer.actions[a];
  return "the other actions";
}

std::string verdict_words(const AuditAnswer& answer) {
  if (answer.verdict == AuditVerdict::kTooLittle)
    return fmt::format(
        "Too little data to tell whether Z separates: {} half of the actions, a shift of their "
        "rewards by {} could go unnoticed.",
        answer.smallest ? "for" : "for more than", fmt::format("{:.2g}", answer.violation));
  if (answer.verdict == AuditVerdict::kNotRejected)
    return fmt::format(
        "Nothing speaks against Z as a separator: given the context, no action was seen to pay "
        "more or less than the others ({}, {}).",
        p_words(answer.p_value), answer.rests_on);
  if (answer.breaks.empty())
    return fmt::format(
        "Z does not separate: given the context, rewards depend on the action ({}, {}), though no "
        "single action stands out from the rest.",
        p_words(answer.p_value), answer.rests_on);
  std::string text = "Z does not separate: " + break_words(answer, answer.breaks.front());
  if (answer.breaks.size() > 1)
    text += fmt::format(", and {} more like this", answer.breaks_found - 1);
  return text + fmt::format(" ({}, {}; the interval holds for all comparisons together).",
                            p_words(answer.p_value), answer.rests_on);
}

// A shift in one context alone is harder to see: from the one where it takes least to the one where
// it takes most.
std::string single_words(const AuditAnswer& answer) {
  const AuditContextAnswer* least = nullptr;
  const AuditContextAnswer* most = nullptr;
  bool never = false;
  for (const AuditContextAnswer& context : answer.of_contexts) {
    if (context.rows == 0) continue;
    if (!context.smallest) {
      never = true;
      continue;
    }
    if (least == nullptr || *context.smallest < *least->smallest) least = &context;
    if (most == nullptr || *context.smallest > *most->smallest) most = &context;
  }
  if (least == nullptr) return "";
  const auto size = [](const AuditContextAnswer* context) {
    return fmt::format("{:.2g}", *context->smallest);
  };
  const auto named = [&](const AuditContextAnswer* context) {
    return fmt::format(
        "{} ({})", size(context),
        answer.contexts[static_cast<std::size_t>(context - answer.of_contexts.data())]);
  };
  if (!never && size(least) == size(most))
    return fmt::format(" In one context alone it takes {}.", size(least));
  return fmt::format(" In one context alone it takes from {} to {}.", named(least),
                     never ? "more than can be" : named(most));
}

std::string power_words(const AuditAnswer& answer) {
  std::string text =
      answer.smallest
          ? fmt::format(
                "What would have shown with probability 0.8: a shift of one action's rewards by "
                "{:.2g}, the same in every context, for half of the actions.",
                *answer.smallest)
          : std::string(
                "For most actions not even the largest shift of rewards would have shown with "
                "probability 0.8.");
  std::size_t blind = 0;
  double worst = 0;
  for (const AuditActionAnswer& action : answer.of_actions) {
    if (!action.smallest)
      ++blind;
    else
      worst = std::max(worst, *action.smallest);
  }
  if (answer.smallest && blind > 0)
    text += fmt::format(" {} of {} actions were played too rarely to show anything.", blind,
                        answer.of_actions.size());
  else if (answer.smallest)
    text += fmt::format(" Of the action known least it takes {:.2g}.", worst);
  return text + single_words(answer) + " What is smaller may be there all the same.";
}

std::string share_words(const AuditAnswer& answer) {
  if (answer.adaptive)
    return "How much of the effect of actions on rewards passes through Z is not told: a policy that "
           "learns stops playing what looks bad, which biases the actions' means.";
  if (!answer.share.known)
    return "The actions' mean rewards cannot be told apart by these rows, so there is no effect to "
           "divide between Z and the rest.";
  return fmt::format(
      "Of the effect of actions on rewards (their means spread by {:.2g}) {} ({} to {}) passes "
      "through Z.",
      answer.share.deviation, percent(answer.share.through_context),
      percent(answer.share.interval.low), percent(answer.share.interval.high));
}

// Two digits are enough of what nobody will count.
std::string about(double number) {
  const double unit = portable::pow(10, std::max(0.0, std::floor(portable::log10(number)) - 1));
  return grouped(std::ceil(number / unit) * unit);
}

std::string plays_words(const AuditAnswer& answer) {
  double most = 0;
  for (const AuditActionAnswer& action : answer.of_actions)
    most = std::max(most, action.further_plays);
  if (most == 0) return "";
  return fmt::format(" It would take up to {} further plays of every action to make it harmless{}.",
                     about(most),
                     most > static_cast<double>(*answer.question.horizon)
                         ? ", more than the horizon has rounds: learn the marginals as you play"
                         : "");
}

std::string marginal_words(const AuditAnswer& answer) {
  std::string text =
      fmt::format("The marginals are known to within ε = {:.2g} in L1 (all actions, 1 − δ = {:g}).",
                  answer.epsilon, 1 - answer.question.delta);
  if (!answer.zone) return text;
  const std::string at = grouped(static_cast<double>(*answer.question.horizon));
  if (*answer.zone == EpsilonZone::kHarmless)
    return text +
           fmt::format(" Over {} rounds that is harmless (below {:.2g}).", at, *answer.harmless);
  if (*answer.zone == EpsilonZone::kCostly)
    text += fmt::format(
        " Over {} rounds that is costly: above the harmless {:.2g}, below the {:.2g} from which "
        "nobody can promise anything.",
        at, *answer.harmless, *answer.worthless);
  else
    text += fmt::format(
        " Over {} rounds that is hopeless in the worst case: from {:.2g} on nobody can promise less "
        "regret than {:.2g} in every world where Z separates, no more than without marginals.",
        at, *answer.worthless, *answer.worthless_regret);
  return text + plays_words(answer);
}

}  // namespace

std::string break_words(const AuditAnswer& answer, const AuditBreak& broken) {
  return fmt::format("given {}, {} pays {} {} than {}", answer.contexts[broken.context],
                     answer.actions[broken.action], difference_words(broken),
                     broken.difference > 0 ? "more" : "less", others_words(answer, broken));
}

std::vector<std::string> audit_words(const AuditAnswer& answer) {
  return {verdict_words(answer), power_words(answer), share_words(answer), marginal_words(answer)};
}

}  // namespace armature
