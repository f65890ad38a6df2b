// Confidence widths of the index policies (spec §2): a family, its level δ and a scale, as one
// function of the number of samples.
#pragma once

#include <cmath>
#include <cstdint>

#include "armature/model.h"
#include "armature/parameters.h"
#include "armature/state.h"

namespace armature {

/// w(n) = scale·sqrt(L/(2n)): L = log(2kT/δ) for `paper` (k actions or contexts), log(1/δ) for
/// `bilodeau`.
class Width {
 public:
  Width(double log_term, double scale) : log_term_(log_term), scale_(scale) {}
  double operator()(std::uint64_t samples) const {
    return scale_ * std::sqrt(log_term_ / (2.0 * static_cast<double>(samples)));
  }

 private:
  double log_term_;
  double scale_;
};

/// The parameters confidence, delta, scale and ties, as every index policy declares them.
std::vector<Parameter> index_parameters();

/// The paper's default level, δ = 1/max(T,2), unless `delta` is given. The problem has a horizon.
double paper_delta(const Problem& problem, const Arguments& arguments);

/// The width for k quantities (|A| actions or |Z| contexts). The problem has a horizon.
Width confidence_width(const Problem& problem, const Arguments& arguments, std::uint32_t count);

/// Sums and counts of k quantities; means and widths use counts floored at 1 (spec §2).
class Statistics {
 public:
  explicit Statistics(std::uint32_t size) : counts_(size), sums_(size) {}

  void add(std::uint32_t i, double reward) {
    ++counts_[i];
    sums_[i] += reward;
  }
  std::uint64_t floored_count(std::uint32_t i) const { return counts_[i] == 0 ? 1 : counts_[i]; }
  double mean(std::uint32_t i) const { return sums_[i] / static_cast<double>(floored_count(i)); }
  double upper(std::uint32_t i, const Width& width) const {
    return mean(i) + width(floored_count(i));
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(counts_.size()); }
  std::uint64_t count(std::uint32_t i) const { return counts_[i]; }
  double sum(std::uint32_t i) const { return sums_[i]; }

  void visit_state(StateVisitor& visitor, std::string_view counts_name,
                   std::string_view sums_name) {
    visitor.field(counts_name, counts_);
    visitor.field(sums_name, sums_);
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<double> sums_;
};

}  // namespace armature
