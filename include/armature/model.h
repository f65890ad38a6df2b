// The two sides of a causal bandit (spec §1). An Instance is the truth: marginals of the
// post-action context and reward laws. A Problem is what a policy may know: sizes, names, perhaps a
// horizon and given marginals; never a reward law. Policies are built from a Problem and see
// nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "armature/error.h"
#include "armature/matrix.h"
#include "armature/parameters.h"
#include "armature/random.h"

namespace armature {

using Arm = std::uint32_t;
using Context = std::uint32_t;

/// The law of a reward in [0,1].
class RewardLaw {
 public:
  enum class Kind { kBernoulli, kPoint, kBeta, kTable };

  static RewardLaw bernoulli(double mean);
  static RewardLaw point(double value);
  static RewardLaw beta(double alpha, double beta);
  static RewardLaw table(std::vector<double> values, std::vector<double> probabilities);

  Kind kind() const { return kind_; }
  double mean() const;
  /// Bernoulli: the mean. Point: the value. Beta: (α, β). Table: see values() and probabilities().
  double first() const { return first_; }
  double second() const { return second_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& probabilities() const { return probabilities_; }
  std::string describe() const;

  /// The same law, whatever its description: Bernoulli(1) is the point mass at 1. Values and
  /// probabilities are compared to 1e-12, which rounding stays below and no modelled effect does.
  bool same_law(const RewardLaw& other) const;
  bool operator==(const RewardLaw&) const = default;

 private:
  Kind kind_ = Kind::kPoint;
  double first_ = 0;
  double second_ = 0;
  std::vector<double> values_;
  std::vector<double> probabilities_;
};

/// What a policy may know.
struct Problem {
  std::vector<std::string> action_names;   // one per action
  std::vector<std::string> context_names;  // one per context
  std::optional<Round> horizon;
  std::shared_ptr<const Matrix> marginals;  // ν̃, exact or approximate; null if unknown
  std::optional<double> epsilon;            // how far ν̃ may be from the truth, if known

  std::uint32_t actions() const { return static_cast<std::uint32_t>(action_names.size()); }
  std::uint32_t contexts() const { return static_cast<std::uint32_t>(context_names.size()); }
  /// The sizes and the horizon, as formulas in a policy's parameters may speak of them.
  FormulaVariables formula_variables() const;
  /// Throws Error naming the field that is wrong.
  void validate() const;
  /// A hash of all of it, to tell saved states of different problems apart.
  std::uint64_t fingerprint() const;
};

/// "a0", "a1", … for actions and "z0", "z1", … for contexts that nobody named.
std::vector<std::string> numbered_names(char prefix, std::size_t count);

/// Is the law of Y given Z the same for all actions? If not, a context and two actions that differ.
struct BenignVerdict {
  struct Witness {
    Context context;
    Arm action;
    Arm other;
  };
  std::optional<Witness> witness;
  bool benign() const { return !witness.has_value(); }
};

/// The truth. Immutable and checked on construction.
class Instance {
 public:
  struct Parts {
    std::string name;
    Matrix marginals;                        // ν_a(z), one row per action
    std::vector<RewardLaw> laws;             // the distinct reward laws…
    std::vector<std::uint32_t> law_of;       // …and which of them holds in cell a·|Z|+z
    std::vector<std::string> action_names;   // empty: numbered
    std::vector<std::string> context_names;  // empty: numbered
    std::optional<Problem> given;            // what policies are told, if not the exact marginals
    std::vector<std::string> notes;          // remarks a reader of the instance should see
  };
  /// Throws Error naming the field that is wrong.
  explicit Instance(Parts parts);

  /// One law per context, whatever the action.
  static Parts benign(std::string name, Matrix marginals, std::vector<RewardLaw> law_of_context);
  /// One law per cell, row by row.
  static Parts general(std::string name, Matrix marginals,
                       const std::vector<RewardLaw>& law_of_cell);

  const std::string& name() const { return parts_.name; }
  std::uint32_t actions() const { return static_cast<std::uint32_t>(parts_.marginals.rows()); }
  std::uint32_t contexts() const { return static_cast<std::uint32_t>(parts_.marginals.columns()); }
  const Matrix& marginals() const { return parts_.marginals; }
  const RewardLaw& law(Arm a, Context z) const { return parts_.laws[law_index(a, z)]; }
  const Parts& parts() const { return parts_; }

  double mean(Arm a) const {  // μ(a)
    ARMATURE_CHECK(a < means_.size(), "an action of the instance");
    return means_[a];
  }
  double gap(Arm a) const { return means_[best_] - mean(a); }  // Δ_a
  Arm best_action() const { return best_; }                    // lowest index on ties
  std::optional<double> smallest_gap() const;                  // Δ_min: none if all gaps are 0
  BenignVerdict benign_verdict() const;

  /// What a policy is told: the given block if there is one, else the exact marginals with ε = 0.
  Problem problem(std::optional<Round> horizon) const;
  /// max_a Σ_z |ν̃_a(z) − ν_a(z)|, the L1 distance of given marginals from the truth.
  double distance_to(const Matrix& given_marginals) const;

 private:
  std::uint32_t law_index(Arm a, Context z) const {
    ARMATURE_CHECK(a < actions() && z < contexts(), "a cell of the instance");
    return parts_.law_of[std::size_t{a} * parts_.marginals.columns() + z];
  }

  Parts parts_;
  std::vector<double> means_;
  Arm best_ = 0;
  std::shared_ptr<const Matrix> exact_marginals_;
};

/// JSON in and out (docs/formats.md). `source` names the origin of the text in errors.
Instance read_instance(const std::string& json, const std::string& source);
Problem read_problem(const std::string& json, const std::string& source);
std::string write_instance(const Instance& instance);
std::string write_problem(const Problem& problem);

}  // namespace armature
