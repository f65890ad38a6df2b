// Many replications of many cells, on every core, with the same bytes for any number of threads.
// The one way of results: planned cell → replications → record → summary. `simulate` keeps its
// record in memory, a study (armature/study.h) in a file; what is summarised, printed, drawn and
// judged is the same.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/families.h"
#include "armature/simulate.h"
#include "armature/theory.h"

namespace armature {

// --- What is to be run ---------------------------------------------------------------------------

/// Keys and values as they were written.
using WrittenValues = std::vector<std::pair<std::string, std::string>>;

/// What an instance or a policy is called. A member of a grid carries the values that tell it from
/// the others, so that nobody has to cut names up again.
struct PlannedName {
  std::string label = {};         // given by the user; empty: the text form is the name
  std::string name = {};          // of the family, the file or the policy
  WrittenValues written = {};     // everything that was written, formulas and all
  WrittenValues varied = {};      // of these: what takes several values in the grid
  WrittenValues conditions = {};  // how its outcomes arrive, where that varies

  /// "db:dial=0.5", or with a label "balanced (dial=0.5)".
  std::string full() const { return without({}); }
  /// The name without some of the values that vary: "db:dial=0.5" without dial is "db".
  std::string without(const std::vector<std::string>& keys) const;
  /// The name without all that varies: what the members of a grid share.
  std::string sweep() const;
};

/// One policy on one instance at one horizon, and all that may be asked of it before it runs.
struct PlannedCell {
  std::uint32_t id = 0;  // its place in the plan
  std::string instance;  // canonical text form
  std::string policy;    // canonical text form, or `oracle`
  Round horizon = 0;
  PlannedName instance_name;
  PlannedName policy_name;
  std::string instance_label;  // instance_name.full()
  std::string policy_label;    // policy_name.full()
  std::string role;            // "benign" or "worst-case"
  std::uint32_t actions = 0;
  std::uint32_t contexts = 0;
  std::uint32_t rank = 0;     // of the given marginals
  std::optional<double> gap;  // Δ_min; none if there is none or it differs between replications
  double epsilon = 0;         // how far given marginals are from the truth
  bool benign = false;
  std::uint64_t fingerprint = 0;  // of the first replication's instance and what is given of it
  Feedback feedback;
  double leap_tolerance = 1e-9;

  /// The number called `key` here: horizon, actions, contexts, a value that varies in the grid of
  /// the instance or the policy, rank, gap, epsilon, delay, batch, loss or leap_tolerance, in this
  /// order. None if there is no such number, or two: a key that varies in both grids.
  std::optional<double> x(const std::string& key) const;
  /// What theorems about this cell are functions of…
  Setting setting() const;
  /// …and whether they speak of it: all are about outcomes that come at once.
  bool theorems_apply() const;
  /// The policy's name without the grid values that vary.
  std::string sweep() const { return policy_name.sweep(); }
  /// Do two cells meet the same worlds under the same conditions?
  bool same_world(const PlannedCell& other) const;
};

// --- What came of it -----------------------------------------------------------------------------

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
  /// One value says nothing of its error: deviation, standard_error and the interval are then
  /// unknown, and whoever prints must say so instead of printing the 0 that stands there.
  bool error_known() const { return count > 1; }
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

/// A policy's diagnostic over the replications that had it: the mean of an amount, or of a name how
/// often it was which (Diagnostic::word).
struct DiagnosticSummary {
  std::string name;
  double mean = 0;  // of a name: 0, for it has none
  std::uint32_t replications = 0;
  std::vector<std::pair<std::string, std::uint32_t>> counts = {};  // of a name: most often first

  bool is_name() const { return !counts.empty(); }
};

/// Up to here single regrets are kept for resampling. Of more, a mean is as good as normal.
inline constexpr std::uint64_t kMostFinals = 4096;

struct CellSummary {
  PlannedCell cell;
  std::vector<CurvePoint> curve;  // one point per checkpoint; the last one is the horizon
  std::vector<double> finals;     // final regrets in the order of replications; none if there are
                                  // more than kMostFinals
  double simple_regret = 0;       // mean gap of the most played arm
  std::vector<double> pulls;      // mean per arm
  std::vector<DiagnosticSummary> diagnostics;  // by name
  std::vector<ShareCurve> shares;              // of policies that balance, if they were followed
  std::string engine;     // step or leap, or both; empty in stores that do not say
  double leap_error = 0;  // the largest total variation a replication may be off by
  double seconds = 0;     // computing time; differs from run to run

  const Spread& final_regret() const {
    ARMATURE_CHECK(!curve.empty(), "a summary has its curve");
    return curve.back().regret;
  }
};

/// Two policies on the same instance and horizon, replication by replication: the mean of (regret
/// of first − regret of second) with its own interval.
struct PairedDifference {
  std::uint32_t first = 0;   // cell ids
  std::uint32_t second = 0;  // the one with the larger mean regret
  Spread difference;
  double share_better = 0;  // replications in which `first` had the smaller regret (ties half)
  bool same_luck = false;   // both were stepped: they met the same draws, and pairing pays
};

/// What tables, CSV, JSON, LaTeX, figures, words and verdicts are made of.
struct Results {
  bool complete = false;
  std::uint64_t replications_done = 0;
  std::uint64_t replications_total = 0;
  std::vector<CellSummary> cells;             // those with at least one replication, in plan order
  std::vector<PairedDifference> differences;  // the best of each instance and horizon against each
                                              // other policy there
};

// --- Where replications are kept -----------------------------------------------------------------

/// Finished replications of planned cells, read back in the order of their numbers.
class Recorder {
 public:
  virtual ~Recorder() = default;

  enum class Order { kOfReplications, kOfSize };
  using Values = std::function<void(double)>;
  /// A diagnostic, and the checkpoint it was noted at.
  using NotedValues = std::function<void(const Diagnostic& diagnostic, std::size_t checkpoint)>;
  /// Which engines ran a cell's replications (in the order step, leap), and the largest error.
  struct Engines {
    std::vector<std::string> names;
    double largest_error = 0;
  };

  /// Keeps a finished block. May be called from many threads.
  virtual void add(std::uint32_t cell, std::uint32_t first, const BlockResult& block) = 0;
  /// The replications of a cell that are not there yet, in ranges.
  virtual std::vector<ReplicationRange> missing(std::uint32_t cell) = 0;

  virtual std::vector<Round> checkpoints(std::uint32_t cell) = 0;
  virtual void regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
                       const Values& each) = 0;
  /// Final regret of the first cell minus that of the second, of replications that both have.
  virtual void differences(std::uint32_t first, std::uint32_t second, Order order,
                           const Values& each) = 0;
  /// In the order of replications.
  virtual void simple_regrets(std::uint32_t cell, const Values& each) = 0;
  /// By name, by checkpoint, in the order of replications.
  virtual void diagnostics(std::uint32_t cell, const NotedValues& each) = 0;
  /// Of all replications together, per arm.
  virtual std::vector<std::uint64_t> pulls(const PlannedCell& cell) = 0;
  virtual Engines engines(std::uint32_t cell) = 0;
  virtual double seconds(std::uint32_t cell) = 0;

 protected:
  Recorder() = default;
  Recorder(const Recorder&) = default;
  Recorder(Recorder&&) = default;
  Recorder& operator=(const Recorder&) = default;
  Recorder& operator=(Recorder&&) = default;
};

/// Everything in memory: what `simulate` leaves.
class MemoryRecorder final : public Recorder {
 public:
  MemoryRecorder(std::size_t cells, std::uint32_t replications, std::vector<Round> checkpoints);

  void add(std::uint32_t cell, std::uint32_t first, const BlockResult& block) override;
  std::vector<ReplicationRange> missing(std::uint32_t cell) override;
  std::vector<Round> checkpoints(std::uint32_t) override { return checkpoints_; }
  void regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
               const Values& each) override;
  void differences(std::uint32_t first, std::uint32_t second, Order order,
                   const Values& each) override;
  void simple_regrets(std::uint32_t cell, const Values& each) override;
  void diagnostics(std::uint32_t cell, const NotedValues& each) override;
  std::vector<std::uint64_t> pulls(const PlannedCell& cell) override;
  Engines engines(std::uint32_t cell) override;
  double seconds(std::uint32_t cell) override;

 private:
  /// A diagnostic at a checkpoint: who had it, and its value, in order of arrival.
  struct Noted {
    std::vector<std::uint32_t> replications;
    std::vector<double> values;
    std::vector<std::string> words;  // of a name; of an amount there are none
  };
  /// By replication number; pulls are summed as they come.
  struct CellRecord {
    std::vector<bool> present;
    std::vector<double> regrets;  // all checkpoints of a replication side by side
    std::vector<double> simple_regrets;
    std::vector<bool> leapt;
    double largest_leap_error = 0;
    std::map<std::pair<std::string, std::size_t>, Noted> diagnostics;  // by name and checkpoint
    std::vector<std::uint64_t> pulls;
    double seconds = 0;
  };
  void note(CellRecord& record, std::uint32_t replication, std::size_t checkpoint,
            const Diagnostics& list);
  double final_regret(const CellRecord& record, std::size_t replication) const;

  std::uint32_t replications_;
  std::vector<Round> checkpoints_;
  std::vector<CellRecord> cells_;
  std::mutex adding_;
};

/// The one summary of a record, cell by cell in the order of the plan; within a cell in the order
/// of replications, so that neither threads nor blocks nor kills leave a trace in the last bit.
Results summarize(Recorder& recorder, const std::vector<PlannedCell>& plan,
                  std::uint32_t replications);

// --- Running -------------------------------------------------------------------------------------

/// How far a running simulation is.
struct Progress {
  bool searching = false;  // the first stage of a study that has two
  std::uint64_t replications_done = 0;
  std::uint64_t replications_total = 0;
  std::uint64_t cells_done = 0;
  std::uint64_t cells_total = 0;
  double rounds_done = 0;
  double share = 0;  // of the expected work
  double seconds = 0;
};

class Crew;
class Accelerator;

/// How to run: nothing here changes a result.
struct RunHooks {
  unsigned threads = 0;                           // 0: one per core that the process may use
  const std::atomic<bool>* stop = nullptr;        // set it to end early with what is finished
  std::function<void(const Progress&)> progress;  // called now and then, by one thread at a time
  /// Told of every round of every cell (its place among the policies): cell by cell, in the order
  /// of replications, by one thread. Only `simulate` with Engine::kStep has it.
  std::function<void(std::uint32_t cell, const PlayedRound&)> watch = {};
  /// Told in words of what keeps a run waiting, and of what is computed where.
  std::function<void(const std::string&)> notice = {};
  Crew* crew = nullptr;  // who computes a study's blocks; none: threads of this process
  /// Opens what computes stepped cells faster than cores do (simulate/accelerator.h, docs/gpu.md);
  /// asked only where that is wanted, for it takes a moment. Throws Error if there is none.
  std::function<std::shared_ptr<Accelerator>()> accelerator = {};
};

/// Which policies to run on which instance, and how: a study without a file and without a store.
struct Simulation {
  std::string instance;               // a family's text form or a file
  std::vector<std::string> policies;  // text forms; `oracle` too
  Round horizon = 1000;
  std::uint32_t replications = 100;
  std::uint64_t seed = 1;
  std::uint32_t checkpoints = 32;  // log-spaced
  std::vector<Round> also_at;      // further checkpoints
  Feedback feedback;
  std::optional<Problem> given;  // what policies are told instead
  Engine engine = Engine::kAuto;
  double leap_tolerance = 1e-9;              // see Cell
  std::uint64_t max_events = 1'000'000'000;  // see Cell
  bool follow_shares = false;                // note balancers' shares at every checkpoint
  FileTable files = {};  // what `instance` names, where that is not on disk; then nothing else is
  /// Policies of the caller's own, by the names they have among `policies`; no name of the
  /// registry.
  std::map<std::string, PolicyMaker> own_policies = {};
  EnvironmentMaker own_environment = {};  // see Cell

  /// Are there parts of the caller's own? They are not safe to ask from many threads: one runs all.
  bool has_own_parts() const { return !own_policies.empty() || own_environment; }
};

struct SimulationResult : Results {
  Simulation simulation;          // texts in canonical form
  std::vector<PlannedCell> plan;  // one cell per policy
  std::string conditions;         // how outcomes came, and whether policies were told otherwise
  std::shared_ptr<Recorder> recorder;  // every replication

  /// Final regret of each finished replication of a cell, in order.
  std::vector<double> final_regrets(std::uint32_t cell) const;
};

/// Throws Error before anything runs if the instance or a policy does not fit.
SimulationResult simulate(const Simulation& simulation, const RunHooks& hooks = {});

/// How long it would take, in seconds of one core, and of a device for what it computes: from a
/// short trial of each policy, so only an estimate. 0 where there is so little to do that a trial
/// would be a good part of it.
double estimated_seconds(const Simulation& simulation, const RunHooks& hooks = {});

}  // namespace armature
