// Pairs (R_1, R_2) that policies reach, in expectation, for the frontier and the verdicts on it.
#pragma once

#include <string>

#include "armature/theory.h"

namespace armature {

struct RegretPair {
  double r1;  // benign worlds
  double r2;  // the worst world
};

// `setting` without a δ of its own: 1/T.
RegretPair ucb_pair(const Setting& setting);
RegretPair c_ucb_pair(const Setting& setting);
/// R_2 no more than T.
RegretPair hac_ucb_pair(const Setting& setting);
/// Sentry with paper widths and schedule first.
RegretPair sentry_pair(const Setting& setting, double budget);
/// Warden with the allowance r.
RegretPair warden_pair(const Setting& setting, double allowance);
/// db with the corrected bias at R_2 of the setting: the smaller of its two benign bounds.
RegretPair db_pair(const Setting& setting);

/// Sentry with that budget, as `armature simulate` takes it.
std::string sentry_text(double budget);
/// Warden with that allowance at δ = 1/T.
std::string warden_text(const Setting& setting, double allowance);
/// R_1 on the frontier: max(sqrt(|Z|T), |A|T/R_2).
double frontier_benign(const Setting& setting, double r2);

}  // namespace armature
