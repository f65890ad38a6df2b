#include "policies/index/confidence.h"

#include "theory/coefficients.h"

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

double paper_delta(const Problem& problem, const Arguments& arguments) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  return arguments.real_if("delta").value_or(1 / std::max(horizon, 2.0));
}

Width confidence_width(const Problem& problem, const Arguments& arguments, std::uint32_t count) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  double log_term = 0;
  if (arguments.is_word("confidence", "bilodeau"))
    log_term = std::log(1 / arguments.real_if("delta").value_or(1 / (horizon * horizon)));
  else
    log_term = union_log(count, horizon, paper_delta(problem, arguments));
  if (!std::isfinite(log_term)) arguments.reject("delta", "a level that 2kT can be divided by");
  return {log_term, arguments.real("scale")};
}

}  // namespace armature
