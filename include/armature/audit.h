// Auditing a log of past decisions (docs/audit.md): can its contexts be trusted, that is, does the
// expected reward given the context depend on the action; how well are the marginals known; and
// what would these data have shown. "No evidence" is never all of the answer: what would have gone
// unnoticed is part of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "armature/interval.h"
#include "armature/log.h"

namespace armature {

struct AuditQuestion {
  double level = 0.05;  // α: how often a separator may be rejected by mistake
  double delta = 0.05;  // how often an interval may miss; each speaks for itself
  /// A shift of an action's rewards that must not go unnoticed; default: 0.4 of their standard
  /// deviation, 0.2 where rewards are 0 or 1 half of the time each.
  std::optional<double> violation;
  std::optional<Round> horizon;  // planned: what the marginals' ε is held against
  std::uint64_t seed = 1;
  std::size_t reservoir = 1'000'000;  // rows kept for permutations
  /// Called now and then while tests draw, with the share that is done at most. How far the log was
  /// read its own hook tells (`LogOptions::progress`).
  std::function<void(double share)> progress;
};

struct AuditCellAnswer {
  std::uint64_t rows = 0;
  double marginal = 0;  // ν̂_a(z)
  Interval marginal_fixed, marginal_anytime;
  std::optional<double> mean;  // μ̂(a,z); none without rows
  /// Of weighted rows the fixed ones are approximations, and there are no anytime ones.
  Interval mean_fixed, mean_anytime;
};

struct AuditActionAnswer {
  std::uint64_t rows = 0;
  double radius_fixed = 2, radius_anytime = 2;  // of its marginals in L1, for all actions together
  double further_plays = 0;        // until its marginals are harmless at the planned horizon
  std::optional<double> smallest;  // shift of its rewards that would have shown with power 0.8
};

struct AuditContextAnswer {
  std::uint64_t rows = 0;
  std::size_t actions = 0;    // that were seen with it
  double mean = 0;            // of its rewards, whatever the action
  double p_value = 1;         // of the test the verdict rests on
  double adjusted = 1;        // Holm's, over contexts
  std::string method;         // exact, Monte Carlo, permutation, weighted, e-process, none
  std::uint64_t draws = 0;    // by trying
  double standard_error = 0;  // of the p-value, by trying
  double log_evidence = 0;    // the largest log E(z) so far
  /// Shift of rewards in this context alone, of half of the actions seen with it, that would have
  /// shown with power 0.8.
  std::optional<double> smallest;
};

/// An action whose rewards in a context differ from those of all others there.
struct AuditBreak {
  std::size_t action = 0;
  std::size_t context = 0;
  double difference = 0;  // of means: its own minus the others'
  Interval interval;      // for all comparisons together, 1 − delta
  double adjusted = 1;    // Holm's p-value, over all cells
};

/// How much of the effect of actions on rewards passes through the context: 1 − what is left where
/// every context pays the same whatever the action, as a share of the variance of μ(a) over
/// actions.
struct AuditShare {
  bool known = false;    // false: the effect itself cannot be told from none
  double deviation = 0;  // standard deviation of μ(a) over actions, noise taken out
  double through_context = 0;
  Interval interval;
};

struct PowerPoint {
  double violation = 0;
  double power = 0;  // of the action in the middle
};

enum class AuditVerdict { kNotRejected, kRejected, kTooLittle };
std::string verdict_name(AuditVerdict verdict);  // not rejected, rejected, too little data

enum class EpsilonZone { kHarmless, kCostly, kHopeless };
std::string zone_name(EpsilonZone zone);  // harmless, costly, hopeless

struct AuditAnswer {
  AuditQuestion question;
  std::vector<std::string> actions, contexts;  // names
  bool adaptive = false;                       // decisions depended on earlier outcomes
  bool weighted = false;                       // by propensities that vary
  bool binary = true;
  std::uint64_t rows = 0;
  std::uint64_t permuted_rows = 0;  // of a reservoir, where rewards are not binary

  AuditVerdict verdict = AuditVerdict::kTooLittle;
  std::string rests_on;  // exact test, permutation test, weighted test, e-process
  double p_value = 1;
  double smallest_p = 1;    // Bonferroni's: |Z| times the least of the contexts
  double combined_p = 1;    // Fisher's; of learning policies the e-process's
  double log_evidence = 0;  // the largest value of the e-process
  double log_evidence_now = 0;

  std::vector<AuditCellAnswer> cells;  // action by action
  std::vector<AuditActionAnswer> of_actions;
  std::vector<AuditContextAnswer> of_contexts;
  std::vector<AuditBreak> breaks;  // the surest first, 20 at most; none if nothing was rejected
  std::size_t breaks_found = 0;    // of which these are the surest
  AuditShare share;
  double violation = 0;            // that must not go unnoticed
  std::optional<double> smallest;  // violation of half of the actions that would have shown
  std::vector<PowerPoint> power;
  double epsilon = 2;  // L1 radius of all marginals together, as the log's kind allows
  std::optional<double> harmless, worthless;  // ε at the planned horizon
  std::optional<double> worthless_regret;     // below which nobody can promise from there on
  std::optional<EpsilonZone> zone;
  std::vector<std::string> warnings;

  const AuditCellAnswer& cell(std::size_t action, std::size_t context) const {
    return cells[action * contexts.size() + context];
  }
  /// What a policy may be told: names, marginals and their ε.
  Problem problem() const;
};

/// Reads the log to its end. Throws Error where there is nothing to audit: no row, one action only,
/// one context only.
AuditAnswer audit(LogSource& log, const AuditQuestion& question);

/// The verdict in words: the first sentence says it all, the others why and what it means.
std::vector<std::string> audit_words(const AuditAnswer& answer);
/// One sentence on a difference: "given clicked, 7 pays 0.11 more (0.08 to 0.14) than …".
std::string break_words(const AuditAnswer& answer, const AuditBreak& broken);

}  // namespace armature
