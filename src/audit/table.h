// The rows of a log, added up by action and context: all that estimates, the exact test and the
// e-process need, in memory that goes by actions and contexts.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/log.h"

namespace armature {

struct AuditCell {
  std::uint64_t rows = 0;
  double sum = 0;      // of rewards
  double squares = 0;  // of their squares
  // Each row at w = 1/propensity (1 where none was logged): what it stands for had all actions been
  // tossed for evenly.
  double weight = 0;          // Σw
  double weighted_sum = 0;    // Σwy
  double weight_squares = 0;  // Σw²
  double square_sum = 0;      // Σw²y
  double square_squares = 0;  // Σw²y²

  double mean() const { return sum / static_cast<double>(rows); }
  /// Of the rewards, unbiased; 0 of fewer than two rows.
  double variance() const;
  double weighted_mean() const { return weighted_sum / weight; }
  /// Of weighted_mean(), by the delta method.
  double weighted_variance() const;
  AuditCell& operator+=(const AuditCell& other);
};

/// The propensities an action was played with.
struct PropensityRange {
  double least = 1;
  double most = 0;
};

class AuditTable {
 public:
  /// Throws Error where a weight is no whole number of rows.
  void add(const LogRow& row);
  /// Before the first row: so many are known by name.
  void name(std::size_t actions, std::size_t contexts);
  /// At least so many, whether they have rows or not.
  void widen(std::size_t actions, std::size_t contexts);

  /// How many were named before the first row.
  std::size_t known_actions() const { return known_actions_; }
  std::size_t known_contexts() const { return known_contexts_; }
  std::size_t actions() const { return cells_.size(); }
  std::size_t contexts() const { return contexts_; }
  const AuditCell& cell(std::size_t action, std::size_t context) const;
  /// All rows of an action, of a context, and of a context but for those of one action.
  AuditCell of_action(std::size_t action) const;
  AuditCell of_context(std::size_t context) const;
  std::uint64_t rows() const { return rows_; }
  /// Actions with rows in this context.
  std::size_t actions_in(std::size_t context) const;

  bool binary() const { return binary_; }                           // no reward but 0 and 1
  bool propensities() const { return missing_ == 0 && rows_ > 0; }  // every row has one
  bool some_propensities() const { return missing_ < rows_; }
  const PropensityRange& propensity(std::size_t action) const { return ranges_[action]; }
  /// Rows of one action were played with propensities that differ, or those of all actions add up
  /// to more than 1: they depended on something.
  bool propensities_vary() const;
  /// Every row has propensity 1: nothing was tossed for.
  bool deterministic() const;

 private:
  std::vector<std::vector<AuditCell>> cells_;  // by action, then context
  std::vector<PropensityRange> ranges_;
  std::size_t contexts_ = 0;
  std::size_t known_actions_ = 0, known_contexts_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t missing_ = 0;  // rows without a propensity
  bool binary_ = true;
};

}  // namespace armature
