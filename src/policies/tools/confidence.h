// Confidence intervals of the index policies (spec §2, §6): a family, its level δ and a scale, as
// widths above and below a mean of n samples.
#pragma once

#include <cmath>
#include <cstdint>

#include "armature/model.h"
#include "armature/parameters.h"
#include "armature/state.h"
#include "base/mathematics.h"
#include "policies/tools/width_table.h"

namespace armature {

class Confidence {
 public:
  /// w(n) = scale·sqrt(L/(2n)): `paper` with L = log(2kT/δ), `bilodeau` with L = log(1/δ).
  static Confidence fixed(double log_term, double scale);
  /// `anytime`: w(n) = scale·0.85·sqrt((log log(2n) + 0.72·log(10.4k/δ))/n), for all n ≥ 1 together
  /// (the stitched boundary of Howard, Ramdas, McAuliffe and Sekhon 2021, scaled to rewards in
  /// [0,1]).
  static Confidence anytime(double count, double delta, double scale);
  /// `anytime-kl`: what both `anytime` and a stitched Chernoff bound allow, each at half the level:
  /// n·kl(mean, u) ≤ β(n) = η·log(2k·(j+1)(j+2)/(δ/2)), j = ⌊log n/log η⌋, η = 1.1
  /// (docs/policies.md).
  static Confidence anytime_kl(double count, double delta, double scale);

  /// How far the true mean may be above and below the estimate.
  struct Widths {
    double up;
    double down;
  };
  Widths widths(double mean, std::uint64_t samples) const {
    const double width = hoeffding(samples);
    if (kind_ != Kind::kKl) return {width, width};
    const auto n = static_cast<double>(samples);
    return {kl_width(mean, n, width, true), kl_width(mean, n, width, false)};
  }
  double up(double mean, std::uint64_t samples) const {
    const double width = hoeffding(samples);
    if (kind_ != Kind::kKl) return width;
    return kl_width(mean, static_cast<double>(samples), width, true);
  }
  /// The same at a number of samples that need not be whole: some of them are only expected.
  double up_at(double mean, double n) const {
    const double width = hoeffding_at(n);
    return kind_ == Kind::kKl ? kl_width(mean, n, width, true) : width;
  }
  /// The width that holds whatever the mean: sqrt(L/(2n)), in every family.
  double hoeffding(std::uint64_t samples) const {
    if (kind_ == Kind::kFixed) [[likely]]
      return hoeffding_at(static_cast<double>(samples));
    return table_.at(samples,
                     [this](std::uint64_t n) { return hoeffding_at(static_cast<double>(n)); });
  }
  double hoeffding_at(double n) const {
    if (kind_ == Kind::kFixed) return scale_ * std::sqrt(log_term_ / (2.0 * n));
    return scale_ * (0.85 * std::sqrt((portable::log(portable::log(2 * n)) + log_term_) / n));
  }
  /// anytime-kl: widths that depend on the mean have no w(n)·sqrt(n) that is the same for all
  /// means.
  bool depends_on_mean() const { return kind_ == Kind::kKl; }
  /// What w(n) is made of, for who works it out elsewhere (src/cuda).
  bool fixed_term() const { return kind_ == Kind::kFixed; }
  double log_term() const { return log_term_; }
  double scale() const { return scale_; }

 private:
  enum class Kind { kFixed, kAnytime, kKl };
  Confidence(Kind kind, double log_term, double scale);

  double kl_width(double mean, double n, double hoeffding_width, bool above) const;

  Kind kind_;
  double log_term_;
  double scale_;
  WidthTable table_;        // but for kFixed: a division and a root are as quick as a look
  double kl_log_term_ = 0;  // log(2k/(δ/2))
};

/// `scale`, as every policy with widths declares it (spec §2).
Parameter scale_parameter(const std::string& what);

/// The parameters confidence, delta, scale, ties and inflight, as every index policy declares them.
/// Without a horizon the default confidence is `anytime`.
std::vector<Parameter> index_parameters();

/// The paper's default level, δ = 1/max(T,2), unless `delta` is given. The problem has a horizon.
double paper_delta(const Problem& problem, const Arguments& arguments);

/// Which family these arguments mean on this problem; refuses one that needs a horizon where there
/// is none. `fallback` is the policy's default where there is a horizon.
std::string confidence_family(const Problem& problem, const Arguments& arguments,
                              const std::string& fallback = "paper");

/// The intervals for k quantities (|A| actions or |Z| contexts).
Confidence confidence_for(const std::string& family, const Problem& problem,
                          const Arguments& arguments, std::uint32_t count);

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
  /// What was never tried has the width of one sample, without the mean 0 being evidence.
  double up(std::uint32_t i, const Confidence& confidence) const {
    return counts_[i] == 0 ? confidence.hoeffding(1) : confidence.up(mean(i), counts_[i]);
  }
  Confidence::Widths widths(std::uint32_t i, const Confidence& confidence) const {
    if (counts_[i] > 0) return confidence.widths(mean(i), counts_[i]);
    return {confidence.hoeffding(1), confidence.hoeffding(1)};
  }
  double upper(std::uint32_t i, const Confidence& confidence) const {
    return mean(i) + up(i, confidence);
  }
  /// The upper end with a width that counts samples still to come; the mean does not.
  double upper_ahead(std::uint32_t i, double to_come, const Confidence& confidence) const {
    const double n = static_cast<double>(counts_[i]) + to_come;
    if (counts_[i] == 0) return confidence.hoeffding_at(n < 1 ? 1 : n);
    return mean(i) + confidence.up_at(mean(i), n);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(counts_.size()); }
  std::uint64_t count(std::uint32_t i) const { return counts_[i]; }
  double sum(std::uint32_t i) const { return sums_[i]; }

  /// Many outcomes at once.
  void add(std::uint32_t i, std::uint64_t outcomes, double rewards) {
    counts_[i] += outcomes;
    sums_[i] += rewards;
  }

  void visit_state(StateVisitor& visitor, std::string_view counts_name,
                   std::string_view sums_name) {
    visitor.field(counts_name, counts_);
    visitor.field(sums_name, sums_);
    visitor.require_sums_of_rewards(sums_name, sums_, counts_);
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<double> sums_;
};

}  // namespace armature
