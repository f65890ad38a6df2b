#include "audit/power.h"

#include <algorithm>
#include <cmath>

#include "audit/eprocess.h"
#include "base/gamma.h"
#include "base/mathematics.h"

namespace armature {
namespace {

// Patnaik's approximation: a chi-square moved by λ is about h times one of f degrees.
double moved_chi_square_tail(double x, double degrees, double moved) {
  const double h = (degrees + 2 * moved) / (degrees + moved);
  const double f = (degrees + moved) * (degrees + moved) / (degrees + 2 * moved);
  return chi_square_tail(x / h, f);
}

double shifted(double mean, double violation) {
  return mean < 0.5 ? std::min(1.0, mean + violation) : std::max(0.0, mean - violation);
}

// The least shift of the action at which its evidence is at least this large; 2 if none is.
double least_shift(double own, double others, double mean, double log_evidence) {
  const auto enough = [&](double shift) {
    return log_pair_evidence({own, own * shifted(mean, shift)}, {others, others * mean}) >=
           log_evidence;
  };
  double low = 0;
  double high = std::max(mean, 1 - mean);
  if (!enough(high)) return 2;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

AuditPower::AuditPower(const Estimates& estimates, TestKind kind, double level, double share)
    : estimates_(estimates), kind_(kind) {
  std::vector<PooledEstimate> all;
  for (std::size_t z = 0; z < estimates.contexts; ++z) all.push_back(pooled(estimates, z));
  std::vector<std::size_t> seen(estimates.contexts);
  double tested = 0;  // contexts with a test
  for (std::size_t z = 0; z < estimates.contexts; ++z) {
    for (std::size_t a = 0; a < estimates.actions; ++a)
      seen[z] += takes_part(estimates, a, all[z], z) ? 1 : 0;
    tested += seen[z] > 1 ? 1 : 0;
  }
  // What one cell's evidence must reach for the whole to reach 1/α: its weights are ½ and w_z among
  // contexts, ½ and w_a among actions.
  const auto needed = [&](std::size_t a, std::size_t z) {
    return portable::log(4 / level) - portable::log(name_weight(a, estimates.known_actions)) -
           portable::log(name_weight(z, estimates.known_contexts));
  };
  std::vector<double> critical(estimates.contexts);
  for (std::size_t z = 0; z < estimates.contexts; ++z)
    if (seen[z] > 1 && kind != TestKind::kEvidence)
      critical[z] =
          chi_square_upper_quantile(level / (2 * tested), static_cast<double>(seen[z] - 1));
  for (std::size_t a = 0; a < estimates.actions; ++a)
    for (std::size_t z = 0; z < estimates.contexts; ++z) {
      Place place;
      place.own = share * estimates.cell(a, z).rows;
      place.others = share * all[z].rows - place.own;
      place.testable = takes_part(estimates, a, all[z], z) && seen[z] > 1;
      if (place.testable) {
        place.mean = all[z].mean();
        place.variance = all[z].variance();
        place.degrees = static_cast<double>(seen[z] - 1);
        place.critical = critical[z];
        if (kind == TestKind::kEvidence)
          place.least_shown = least_shift(place.own, place.others, place.mean, needed(a, z));
      }
      places_.push_back(place);
    }
}

double AuditPower::power_in(const Place& place, double violation) const {
  const double mean = shifted(place.mean, violation);
  const double shift = std::abs(mean - place.mean);
  // Rewards in [0,1] vary with their mean as those of 0 and 1 do, or less: moved towards ½, more.
  const double room = place.mean * (1 - place.mean);
  const double own_variance = estimates_.binary ? mean * (1 - mean)
                              : room > 0 ? place.variance * std::max(1.0, mean * (1 - mean) / room)
                                         : 0.25;
  const double other_variance = estimates_.binary ? place.mean * (1 - place.mean) : place.variance;
  const double error =
      std::sqrt(std::max(own_variance, other_variance) / place.own + other_variance / place.others);
  if (error == 0) return 0;  // rewards that never vary show nothing
  if (kind_ == TestKind::kEvidence)
    return place.least_shown > 1 ? 0 : normal_upper_tail((place.least_shown - shift) / error);
  // A count moves in whole steps: half a step of both groups is lost (Casagrande, Pike and Smith
  // 1978).
  const double lost = kind_ == TestKind::kExact ? (1 / place.own + 1 / place.others) / 2 : 0;
  const double distance = std::max(0.0, shift - lost) / error;
  return moved_chi_square_tail(place.critical, place.degrees, distance * distance);
}

double AuditPower::power(std::size_t action, double violation) const {
  double missed = 1;
  for (std::size_t z = 0; z < estimates_.contexts; ++z) {
    const Place& place = places_[action * estimates_.contexts + z];
    if (place.testable) missed *= 1 - power_in(place, violation);
  }
  return 1 - missed;
}

namespace {

template <class Power>
std::optional<double> least_violation(const Power& power_of) {
  if (power_of(1) < AuditPower::kWanted) return std::nullopt;
  double low = 0;
  double high = 1;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (power_of(middle) >= AuditPower::kWanted ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::optional<double> AuditPower::smallest(std::size_t action) const {
  return least_violation([&](double violation) { return power(action, violation); });
}

std::optional<double> AuditPower::smallest_in(std::size_t action, std::size_t context) const {
  const Place& place = places_[action * estimates_.contexts + context];
  if (!place.testable) return std::nullopt;
  return least_violation([&](double violation) { return power_in(place, violation); });
}

}  // namespace armature
