#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "armature/model.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr double kSumTolerance = 1e-9;
constexpr double kSameTolerance = 1e-12;

void require_unit(double value, const char* field) {
  if (!(value >= 0 && value <= 1)) throw Error({"", field, print_real(value), "a number in [0,1]"});
}

// The finite laws as sorted (value, probability) pairs without zeros or repetitions.
std::vector<std::pair<double, double>> finite_form(const RewardLaw& law) {
  std::vector<std::pair<double, double>> pairs;
  switch (law.kind()) {
    case RewardLaw::Kind::kBernoulli:
      pairs = {{0, 1 - law.first()}, {1, law.first()}};
      break;
    case RewardLaw::Kind::kPoint:
      pairs = {{law.first(), 1}};
      break;
    case RewardLaw::Kind::kTable:
      for (std::size_t i = 0; i < law.values().size(); ++i)
        pairs.emplace_back(law.values()[i], law.probabilities()[i]);
      break;
    case RewardLaw::Kind::kBeta:
      break;
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::pair<double, double>> merged;
  for (const auto& [value, probability] : pairs) {
    if (probability <= kSameTolerance) continue;
    if (!merged.empty() && value - merged.back().first <= kSameTolerance)
      merged.back().second += probability;
    else
      merged.emplace_back(value, probability);
  }
  return merged;
}

}  // namespace

RewardLaw RewardLaw::bernoulli(double mean) {
  require_unit(mean, "bernoulli");
  RewardLaw law;
  law.kind_ = Kind::kBernoulli;
  law.first_ = mean;
  return law;
}

RewardLaw RewardLaw::point(double value) {
  require_unit(value, "point");
  RewardLaw law;
  law.first_ = value;
  return law;
}

RewardLaw RewardLaw::beta(double alpha, double beta) {
  for (const double shape : {alpha, beta})
    if (!(shape >= 1e-300 && shape <= 1e300))  // beyond, the variates under- or overflow
      throw Error({"", "beta", print_real(shape), "two shapes from 1e-300 to 1e300"});
  RewardLaw law;
  law.kind_ = Kind::kBeta;
  law.first_ = alpha;
  law.second_ = beta;
  return law;
}

RewardLaw RewardLaw::table(std::vector<double> values, std::vector<double> probabilities) {
  if (values.empty() || values.size() != probabilities.size())
    throw Error({"", "table",
                 fmt::format("{} values and {} probabilities", values.size(), probabilities.size()),
                 "as many probabilities as values, and at least one"});
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_unit(values[i], "table.values");
    require_unit(probabilities[i], "table.probabilities");
    sum += probabilities[i];
  }
  if (std::abs(sum - 1) > kSumTolerance)
    throw Error({"", "table.probabilities", fmt::format("a sum of {}", sum), "1 within 1e-9"});
  RewardLaw law;
  law.kind_ = Kind::kTable;
  law.values_ = std::move(values);
  law.probabilities_ = std::move(probabilities);
  return law;
}

double RewardLaw::mean() const {
  switch (kind_) {
    case Kind::kBernoulli:
    case Kind::kPoint:
      return first_;
    case Kind::kBeta:
      return first_ / (first_ + second_);
    case Kind::kTable: {
      double sum = 0;
      for (std::size_t i = 0; i < values_.size(); ++i) sum += values_[i] * probabilities_[i];
      return sum;
    }
  }
  ARMATURE_CHECK(false, "every kind of law has a mean");
}

std::string RewardLaw::describe() const {
  switch (kind_) {
    case Kind::kBernoulli:
      return fmt::format("Bernoulli({:.6g})", first_);
    case Kind::kPoint:
      return fmt::format("point({:.6g})", first_);
    case Kind::kBeta:
      return fmt::format("Beta({:.6g},{:.6g})", first_, second_);
    case Kind::kTable:
      return fmt::format("table of {} values, mean {:.6g}", values_.size(), mean());
  }
  ARMATURE_CHECK(false, "every kind of law has a name");
}

bool RewardLaw::same_law(const RewardLaw& other) const {
  if (kind_ == Kind::kBeta || other.kind_ == Kind::kBeta)
    return kind_ == other.kind_ && std::abs(first_ - other.first_) <= kSameTolerance * first_ &&
           std::abs(second_ - other.second_) <= kSameTolerance * second_;
  const auto mine = finite_form(*this);
  const auto theirs = finite_form(other);
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                    [](const auto& a, const auto& b) {
                      return std::abs(a.first - b.first) <= kSameTolerance &&
                             std::abs(a.second - b.second) <= kSameTolerance;
                    });
}

}  // namespace armature
