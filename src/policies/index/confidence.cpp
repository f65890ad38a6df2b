#include "policies/index/confidence.h"

namespace armature {

std::vector<Parameter> index_parameters() {
  return {
      Parameter::choice("confidence", {"paper", "bilodeau"})
          .help("width of the confidence intervals: sqrt(log(2kT/δ)/(2n)) or sqrt(log(1/δ)/(2n))",
                "§2"),
      Parameter::real("delta")
          .automatic("1/max(T,2); bilodeau: 1/T²")
          .open(0, 1)
          .help("δ: how often the intervals may fail", "§2"),
      Parameter::real("scale").defaults_to("1").above(0).help(
          "multiplies all widths; below 1 there is no guarantee", "§2"),
      Parameter::choice("ties", {"lowest", "random"})
          .help("which of several best arms to play", "§2")};
}

Width confidence_width(const Problem& problem, const Arguments& arguments, std::uint32_t count) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  const bool bilodeau = arguments.is_word("confidence", "bilodeau");
  const double default_delta = bilodeau ? 1 / (horizon * horizon) : 1 / std::max(horizon, 2.0);
  const double delta = arguments.real_if("delta").value_or(default_delta);
  const double log_term = std::log(bilodeau ? 1 / delta : 2.0 * count * horizon / delta);
  if (!std::isfinite(log_term)) arguments.reject("delta", "a level that 2kT can be divided by");
  return {log_term, arguments.real("scale")};
}

}  // namespace armature
