#include "policies/tools/confidence.h"

#include <algorithm>

#include "armature/error.h"
#include "base/kl.h"
#include "base/mathematics.h"
#include "policies/tools/flights.h"
#include "theory/coefficients.h"

namespace armature {
namespace {

constexpr double kEpoch = 1.1;  // η: n is cut into epochs [η^j, η^{j+1})
constexpr double kAnytimeDelta = 0.05;

double anytime_log(double count, double delta) {
  return 0.72 * portable::log(10.4 * count / delta);
}

}  // namespace

Confidence::Confidence(Kind kind, double log_term, double scale)
    : kind_(kind), log_term_(log_term), scale_(scale) {
  if (kind != Kind::kFixed) table_ = WidthTable({WidthTable::Formula::kAnytime, log_term, scale});
}

Confidence Confidence::fixed(double log_term, double scale) {
  return {Kind::kFixed, log_term, scale};
}

Confidence Confidence::anytime(double count, double delta, double scale) {
  return {Kind::kAnytime, anytime_log(count, delta), scale};
}

Confidence Confidence::anytime_kl(double count, double delta, double scale) {
  Confidence confidence(Kind::kKl, anytime_log(count, delta / 2), scale);
  confidence.kl_log_term_ = portable::log(2 * count / (delta / 2));
  return confidence;
}

// In epoch j, n·kl(μ̂,μ) > β means kl(μ̂,μ) > β/η^{j+1} = kl(z,μ) for some z beyond μ, so the
// supermartingale exp(n(λ(z)μ̂ − φ(λ(z)))) has reached exp(n·kl(z,μ)) ≥ exp(β/η): probability
// exp(−β/η) a side (Ville). With β = η·log(2k(j+1)(j+2)/δ) the sum over sides, epochs and
// quantities is δ.
double Confidence::kl_width(double mean, double n, double hoeffding_width, bool above) const {
  const double epoch = std::floor(portable::log(n) / portable::log(kEpoch) * (1 + 1e-12));
  const double beta = kEpoch * (kl_log_term_ + portable::log((epoch + 1) * (epoch + 2)));
  const double p = std::clamp(mean, 0.0, 1.0);
  const double width = above ? kl_upper(p, beta / n) - p : p - kl_lower(p, beta / n);
  return std::min(hoeffding_width, scale_ * width);
}

Parameter scale_parameter(const std::string& what) {
  return Parameter::real("scale").defaults_to("1").closed(1e-6, 1e6).help(what, "§2");
}

std::vector<Parameter> index_parameters() {
  return {Parameter::choice("confidence", {"paper", "bilodeau", "anytime", "anytime-kl"})
              .help("family of confidence intervals; without a horizon the default is anytime",
                    "§2, §6"),
          Parameter::real("delta")
              .automatic("1/max(T,2); bilodeau: 1/T²; anytime: 0.05")
              .open(0, 1)
              .help("δ: how often the intervals may fail", "§2"),
          scale_parameter("multiplies all widths; below 1 there is no guarantee"),
          Parameter::choice("ties", {"lowest", "random"})
              .help("which of several best arms to play", "§2"),
          inflight_parameter()};
}

double paper_delta(const Problem& problem, const Arguments& arguments) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  return arguments.real_if("delta").value_or(1 / std::max(horizon, 2.0));
}

std::string confidence_family(const Problem& problem, const Arguments& arguments,
                              const std::string& fallback) {
  if (!arguments.given("confidence")) return problem.horizon ? fallback : "anytime";
  const std::string& family = arguments.word("confidence");
  if (!problem.horizon && (family == "paper" || family == "bilodeau"))
    throw Error({"", arguments.owner() + ": confidence", family + " without a horizon",
                 "a horizon, or anytime or anytime-kl, which need none"});
  return family;
}

Confidence confidence_for(const std::string& family, const Problem& problem,
                          const Arguments& arguments, std::uint32_t count) {
  const double scale = arguments.real("scale");
  const auto delta = arguments.real_if("delta");
  const auto finite = [&](double log_term) {
    if (!std::isfinite(log_term)) arguments.reject("delta", "a level that 2kT can be divided by");
    return log_term;
  };
  if (family == "anytime" || family == "anytime-kl") {
    const double level = delta.value_or(kAnytimeDelta);
    finite(anytime_log(count, level / 2));
    return family == "anytime" ? Confidence::anytime(count, level, scale)
                               : Confidence::anytime_kl(count, level, scale);
  }
  const auto horizon = static_cast<double>(problem.horizon.value());
  if (family == "bilodeau")
    return Confidence::fixed(finite(portable::log(1 / delta.value_or(1 / (horizon * horizon)))),
                             scale);
  return Confidence::fixed(finite(union_log(count, horizon, paper_delta(problem, arguments))),
                           scale);
}

}  // namespace armature
