// Studies: environments × policies × horizons × replications, described by one TOML file, run into
// one directory that can be killed and resumed at any moment, and summarised in a fixed order
// (docs/studies.md, docs/formats.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/lab.h"
#include "armature/theory.h"

namespace armature {

// --- What is asked for

/// One key of a grid and the values it takes, as written: numbers, words, or formulas in A, Z, T.
struct GridAxis {
  std::string key;
  std::vector<std::string> values;
};

/// A policy or an instance with its grid: every combination of the axes' values is one of them.
struct GridEntry {
  std::string name;   // a policy, a family or an instance file
  std::string label;  // what figures call it; empty: its text form
  std::string role;   // instances only: "benign", "worst-case", or empty (found from the instance)
  std::vector<GridAxis> axes;
};

/// A figure of the report. Kinds and what they need: docs/studies.md.
struct FigureRequest {
  std::string kind;    // regret, final, box, share, pulls, plane, time
  std::string x;       // final: horizon, actions, contexts, or a parameter; empty: what varies
  std::string scale;   // regret and final: linear, log-x or log-log; empty: the kind's own
  std::string title;   // empty: made from the study
  bool theory = true;  // overlay the bounds that hold
};

/// A question a study answers from its data, with the answer's margins stated beforehand. Rules and
/// their keys: docs/studies.md.
struct VerdictRule {
  std::string name;      // the question, in words
  std::string rule;      // slope, ratio, bound, plane or product
  std::string policy;    // whose: a policy's label, or of a grid the label it was given
  std::string instance;  // where: an instance's label; empty: everywhere it fits
  std::string against;   // ratio: the other policy's label
  std::string bound;     // bound: a name of `armature bounds`
  std::string x;  // slope, plane: horizon, actions, contexts, rank, gap, epsilon or a parameter
  std::string quantity;               // slope, ratio: regret, or plays(learner) of a balancer
  std::optional<double> low, high;    // slope, ratio, plane: where the number is expected
  std::optional<double> from, until;  // only points with x in this range
};

struct Study {
  std::string title;
  std::string text;         // free words for the report, paragraphs separated by empty lines
  std::string claim;        // what is claimed, and…
  std::string source;       // …where
  std::string expectation;  // what the data should show if it is true
  std::vector<VerdictRule> verdicts;
  std::uint64_t seed = 1;
  std::uint32_t replications = 100;
  std::vector<Round> horizons;
  std::uint32_t checkpoints = 32;
  std::string engine = "auto";
  std::vector<GridEntry> instances;
  std::vector<GridEntry> policies;
  std::vector<FigureRequest> figures;  // never empty once read
};

/// Reads a study and fills in its defaults. `overrides` are key=value pairs that replace top-level
/// values, as `armature run FILE key=value` gives them. Throws Error with file, line and field.
Study read_study(const std::string& toml, const std::string& source,
                 const std::vector<std::string>& overrides = {});
/// The same study with everything spelt out, as TOML; reads back as an equal one.
std::string write_study(const Study& study);

// --- What that comes to

/// One policy on one instance at one horizon.
struct StudyCell {
  std::uint32_t id = 0;  // its place in the plan
  std::string instance;  // canonical text form
  std::string policy;    // canonical text form, or `oracle`
  Round horizon = 0;
  std::string instance_label;
  std::string policy_label;
  std::string role;  // "benign" or "worst-case"
  std::uint32_t actions = 0;
  std::uint32_t contexts = 0;
  std::uint32_t rank = 0;     // of the given marginals
  std::optional<double> gap;  // Δ_min; none if there is none or it differs between replications
  double epsilon = 0;         // how far given marginals are from the truth
  bool benign = false;
  std::uint64_t fingerprint = 0;  // of the first replication's instance and what is given of it
  /// Grid values that vary, of the instance ("gap") and of the policy ("dial"), in file order.
  std::vector<std::pair<std::string, std::string>> instance_parameters;
  std::vector<std::pair<std::string, std::string>> policy_parameters;
};

struct StudyPlan {
  Study study;
  std::vector<StudyCell> cells;  // instance by instance, horizon by horizon, policy by policy
};

/// Works out every cell. Throws Error if an instance or a policy does not fit, or if there are more
/// than `most_cells`.
StudyPlan plan_study(const Study& study, std::size_t most_cells = 100'000);

/// What the bounds of a cell are functions of.
Setting setting_of(const StudyCell& cell);

/// How long each cell would take, in seconds of one core per replication: from a short trial, so
/// only an estimate.
std::vector<double> trial_seconds(const StudyPlan& plan);

// --- What came of it

/// Mean, spread and order statistics over replications (quantiles of type 7).
struct Spread {
  std::uint64_t count = 0;
  double mean = 0;
  double deviation = 0;       // sample standard deviation
  double standard_error = 0;  // of the mean
  double least = 0, q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0, most = 0;

  /// The 95% interval of the mean, Student's t with count−1 degrees of freedom; the mean itself
  /// when there are fewer than two values.
  double low() const;
  double high() const;
};

struct CurvePoint {
  Round round = 0;
  Spread regret;
};

/// The mean share of plays a balancer gave to one base learner, up to each checkpoint.
struct ShareCurve {
  std::string learner;
  std::vector<double> share;  // one per checkpoint
};

struct CellSummary {
  StudyCell cell;
  std::vector<CurvePoint> curve;  // one point per checkpoint; the last one is the horizon
  double simple_regret = 0;       // mean gap of the most played arm
  std::vector<double> pulls;      // mean per arm
  std::vector<DiagnosticSummary> diagnostics;
  std::vector<ShareCurve> shares;  // of policies that balance
  double seconds = 0;              // computing time; differs from run to run

  const Spread& final_regret() const {
    ARMATURE_CHECK(!curve.empty(), "a summary has its curve");
    return curve.back().regret;
  }
};

/// Two policies on the same instance and horizon, replication by replication under the same luck:
/// the mean of (regret of first − regret of second) with its own interval.
struct PairedDifference {
  std::uint32_t first = 0;   // cell ids
  std::uint32_t second = 0;  // the one with the larger mean regret
  Spread difference;
  double share_better = 0;  // replications in which `first` had the smaller regret (ties half)
};

struct RunEnvironment {
  std::string version;
  std::string compiler;
  std::string processor;
};

struct StudyResult {
  StudyPlan plan;
  RunEnvironment environment;
  bool complete = false;
  std::uint64_t replications_done = 0;
  std::uint64_t replications_total = 0;
  std::vector<CellSummary> cells;             // those with at least one replication, in plan order
  std::vector<PairedDifference> differences;  // the best of each instance and horizon against each
                                              // other policy there
};

/// What the data say to one rule.
struct Verdict {
  VerdictRule rule;
  std::string outcome;  // "holds", "does not show at these horizons" or "contradicted"
  std::optional<double> value, low, high;  // the number and its 95% interval
  std::string because;                     // the number, its interval and the margin, in words
};
std::vector<Verdict> judge(const StudyResult& result);

// --- From one to the other

struct StudyOutcome {
  bool complete = false;
  std::uint64_t computed = 0;  // replications run this time; the others were there already
};

/// Runs what is missing of the study into the directory. Throws Error if the directory holds
/// something else, another study, or a run at work. `seconds` is what trial_seconds said, if it was
/// asked already.
StudyOutcome run_study(const StudyPlan& plan, const std::string& directory,
                       const RunHooks& hooks = {}, std::vector<double> seconds = {});

/// All summaries of what a directory holds, in a fixed order; may be asked while a run is at work.
StudyResult read_results(const std::string& directory);

struct StudyStatus {
  StudyPlan plan;
  std::vector<std::uint32_t> replications;  // stored, per cell
  bool running = false;                     // a run is at work now
};
StudyStatus study_status(const std::string& directory);

/// Writes cells.csv, replications.csv, curves.csv, differences.csv, pulls.csv and diagnostics.csv
/// into `to`, row by row: no clock times, host names or paths of this machine. The same bytes
/// however the study was run.
void export_csv(const std::string& directory, const std::string& to);

}  // namespace armature
