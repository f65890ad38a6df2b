// Studies: environments × policies × horizons × replications, described by one TOML file, run into
// one directory that can be killed and resumed at any moment, and summarised in a fixed order
// (docs/studies.md, docs/formats.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/error.h"
#include "armature/files.h"
#include "armature/lab.h"
#include "armature/theory.h"

namespace armature {

// --- What is asked for: the file -----------------------------------------------------------------

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
  std::optional<Round> until = {};  // policies only: no cells at longer horizons
};

/// A first stage that looks for the worst cells: docs/studies.md.
struct SearchStage {
  std::uint32_t replications = 0;
  /// The cells that were chosen, by their places in the whole plan; empty: not chosen yet.
  std::vector<std::uint32_t> chosen = {};
};

/// Kinds of figures; what each shows and which keys it takes: study/figure_kinds.h.
enum class FigureKind { kRegret, kFinal, kRatio, kBox, kShare, kPulls, kPlane, kTime };

/// A figure of the report.
struct FigureRequest {
  FigureKind kind = FigureKind::kRegret;
  std::string x = {};      // final: horizon, actions, contexts, a parameter; empty: what varies
  std::string scale = {};  // regret and final: linear, log-x or log-log; empty: the kind's own
  std::string title = {};  // empty: made from the study
  bool theory = true;      // overlay the bounds that hold
};

/// A question a study answers from its data, with the answer's margins stated beforehand. Rules and
/// their keys: docs/studies.md.
struct VerdictRule {
  std::string name;                 // the question, in words
  std::string rule;                 // one of study/verdict_rules.h
  std::string policy;               // whose: a policy's label, or of a grid the label it was given
  std::string instance;             // where: an instance's label; empty: everywhere it fits
  std::string against;              // ratio: the other policy's label
  std::string bound;                // bound: a name of `armature bounds`
  std::string x;                    // slope, plane: a key of PlannedCell::x; plane: or "size"
  std::string quantity;             // what is judged; which there are: docs/studies.md
  std::string per;                  // a formula in A, Z, T that divides it; empty: 1
  std::optional<double> low, high;  // slope, ratio, plane: where the number is expected
  std::string high_formula;         // delay-slope: `high`, where it speaks of A, Z or T
  std::optional<double> from, until;  // only points with x in this range
  std::string catches;                // the alternative that would have been caught, in words
  bool late = false;  // not of the file: asked when the data were there already (read_published)
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
  std::optional<SearchStage> search;  // first find the worst cells, then run those alone
  std::vector<Round> horizons;
  std::uint32_t checkpoints = 32;
  std::string engine = "auto";
  std::uint64_t max_events = 1'000'000'000;  // see Cell
  std::vector<GridAxis> conditions;          // delay, batch, loss, leap_tolerance: those written
  std::vector<GridEntry> instances;
  std::vector<GridEntry> policies;
  std::vector<FigureRequest> figures;  // empty: every kind that has something to show
  /// What instances name: instance files, graphs, tables. No part of the TOML, but kept beside it
  /// wherever a study is kept. plan_study reads those that are not here from the working directory.
  FileTable files;
};

/// Reads a study and fills in its defaults. `overrides` are key=value pairs that replace top-level
/// values, as `armature run FILE key=value` gives them. Throws Error with file, line and field.
Study read_study(const std::string& toml, const std::string& source,
                 const std::vector<std::string>& overrides = {});
/// From a file: what instances name is found from its folder on (of a pipe: from the working
/// directory) and kept in `files`; what is gone there is taken from `kept`.
Study read_study_file(const std::string& path, const std::vector<std::string>& overrides = {},
                      const FileTable& kept = {});
/// The same study with everything spelt out, as TOML; reads back as an equal one.
std::string write_study(const Study& study);

// --- What that comes to: the plan ----------------------------------------------------------------

struct StudyPlan {
  Study study;
  /// Instance by instance, condition by condition, horizon by horizon, policy by policy; of a study
  /// whose search has chosen, only the cells it chose, numbered anew.
  std::vector<PlannedCell> cells;
};

/// Works out every cell. Throws Error if an instance or a policy does not fit, or if there are more
/// than `most_cells`.
StudyPlan plan_study(const Study& study, std::size_t most_cells = 100'000);

/// The cells among which a search chooses one, list by list: those of one policy, role, horizon,
/// |A|, |Z| and condition. By their places in a plan that is still whole.
std::vector<std::vector<std::uint32_t>> search_choices(const StudyPlan& plan);
/// The first stage of a study that searches: an ordinary study of every cell, with fewer
/// replications and luck of its own.
Study search_study(const Study& study);
/// Is this the plan of a study whose search has yet to choose?
bool searches_first(const StudyPlan& plan);

/// How long each cell would take, in seconds of one core per replication: from a short trial, so
/// only an estimate.
std::vector<double> trial_seconds(const StudyPlan& plan);

// --- What came of it: results and verdicts -------------------------------------------------------

struct RunEnvironment {
  std::string version;
  std::string compiler;
  std::string processor;
  std::string accelerator = {};  // that computed some of it; empty: none did
};

struct StudyResult : Results {
  StudyPlan plan;
  RunEnvironment environment;
};

/// What the data say to one rule.
struct Verdict {
  VerdictRule rule;
  std::string outcome;  // "holds", "does not show at these horizons" or "contradicted"
  std::optional<double> value, low, high;  // the number and its 95% interval
  std::string because;                     // the number, its interval and the margin, in words
  /// How likely an answer as clear as this is if the truth lies at the margin (one-sided); none of
  /// an answer that is not clear, or that has no error.
  std::optional<double> p = {};
  std::string caveat = {};  // "does not survive Holm over 40 questions", or nothing
};
std::vector<Verdict> judge(const StudyResult& result);

/// Holm's correction at 5% over questions that are read together: the places of those whose answer
/// does not survive it, and how many questions it counts (all but those without an error).
struct HolmCorrection {
  std::size_t questions = 0;
  std::vector<std::size_t> fallen;
};
HolmCorrection holm(const std::vector<Verdict>& verdicts);
/// The same for the verdicts of several studies, with a caveat for those that fall. Returns what
/// the page says of it, in a sentence.
std::string correct_together(std::vector<std::vector<Verdict>>& studies);

// --- From one to the other: running, resuming, exporting -----------------------------------------

struct StudyOutcome {
  bool complete = false;
  std::uint64_t computed = 0;  // replications run this time; the others were there already
  bool searching = false;      // of a shard: it belongs to the study's search
  bool merged = false;         // of a shard: nothing to do, as all of them are merged already
};

/// Runs what is missing of the study into the directory, its search (if it has one) into
/// DIR/search. Throws Error if the directory holds something else, another study, or a run at work.
/// `seconds` is what trial_seconds said, if it was asked already; cells with 0 are tried again.
StudyOutcome run_study(const StudyPlan& plan, const std::string& directory,
                       const RunHooks& hooks = {}, std::vector<double> seconds = {});

/// All summaries of what a directory holds, in a fixed order; may be asked while a run is at work.
StudyResult read_results(const std::string& directory);

/// Whether the cells of a study with a search are those that the search in its directory chose, and
/// no list that somebody wrote into a file. True without a search.
bool chosen_by_its_search(const std::string& directory);

/// The files that the study in a directory keeps; none where there is no study that can be read.
FileTable stored_files(const std::string& directory);

/// The run at work in a directory, on whichever machine.
struct StudyWorker {
  std::string host;
  std::int64_t process = 0;   // 0: unknown
  double silent_seconds = 0;  // since it last showed that it lives
  /// Of its stage, as of then: replications are all that are stored and all that are wanted; rate
  /// and share are this run's. None in its first seconds.
  std::optional<Progress> progress = {};
};

struct StudyStatus {
  StudyPlan plan;
  std::vector<std::uint32_t> replications;  // stored, per cell
  bool running = false;                     // a run is at work now
  bool searching = false;      // all that there is: plan and replications are the search's
  std::uint64_t searched = 0;  // replications of the search behind what there is
  /// Who is at work; where it is not running: a run on another machine that has fallen silent.
  std::optional<StudyWorker> worker = {};
  /// The store cannot be looked at beside the worker, whose progress is all that is known: the
  /// plan and its replications are empty.
  bool hidden = false;
};
StudyStatus study_status(const std::string& directory);

/// Writes cells.csv, replications.csv, curves.csv, differences.csv, pulls.csv and diagnostics.csv
/// into `to`, row by row: no clock times, host names or paths of this machine. The same bytes
/// however the study was run. `every_curve`: also replication_curves.csv, the regret of every
/// replication at every checkpoint.
void export_csv(const std::string& directory, const std::string& to, bool every_curve = false);

// --- In shards: many machines that cannot talk to each other -------------------------------------

/// One of so many parts of a study, from 1 on.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
};
/// "3/40"; or "slurm": the task of the Slurm array that this process is (its SLURM_ARRAY_TASK_…
/// variables). Throws Error naming --shard.
Shard parse_shard(const std::string& text);

/// Runs what is missing of one shard into DIR/shards/03-of-40, a study's directory of its own.
/// Which replications belong to it follows from the study and the number of shards alone. Of a
/// study that searches, shards of the search (DIR/search/shards) until these are merged. Throws
/// Error as run_study does, and if there are shards of another count.
StudyOutcome run_shard(const StudyPlan& plan, const std::string& directory, Shard shard,
                       const RunHooks& hooks = {}, std::vector<double> seconds = {});

/// As stored_files of a directory, from one of its shards.
FileTable stored_files(const std::string& directory, Shard shard);

struct ShardStatus {
  Shard shard;
  enum class State { kFinished, kRunning, kStopped, kMissing } state = State::kMissing;
  std::uint64_t done = 0;   // replications
  std::uint64_t total = 0;  // 0: not known yet, as no shard has begun
  double work_done = 0;     // in the units of the cut, which only compare
  double work_total = 0;
  double rounds_per_second = 0;  // of a running one; 0: not known
  double seconds_left = 0;       // of a running one; 0: not known
  std::string trouble = {};      // of one that is no good: why
};
struct ShardsStatus {
  std::uint32_t of = 0;
  std::vector<ShardStatus> shards;  // all of them, in the order of their numbers
  std::string title = {};           // of the study
  bool merged = false;
  bool searching = false;  // these are shards of the study's search
};
/// How far the shards in a directory are; none where there are no shards.
std::optional<ShardsStatus> shards_status(const std::string& directory);

/// Why shards cannot be merged.
class MergeRefused : public Error {
 public:
  MergeRefused(ErrorReport report, std::vector<std::string> troubles)
      : Error(std::move(report)), troubles_(std::move(troubles)) {}
  /// All of them: "shards 2, 5–8 are missing", "shard 7: …".
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  std::vector<std::string> troubles_;
};

struct MergeProgress {
  bool checking = true;  // and then putting together
  std::uint32_t done = 0;
  std::uint32_t total = 0;
};
/// Who is told meanwhile.
struct MergeHooks {
  std::function<void(const MergeProgress&)> progress = {};
  std::function<void(const std::string&)> notice = {};  // in words, of what keeps it waiting
};
struct MergeOutcome {
  bool already = false;              // nothing to do
  bool search = false;               // what was merged is the study's search
  std::uint64_t replications = 0;    // in the study now
  std::vector<Shard> left_out = {};  // by a partial merge: all that was not finished
};
/// Puts the shards of a directory together into one study there: all of it, or, on any failure,
/// nothing. Every shard is checked first; throws MergeRefused, which names all that are missing,
/// unfinished, at work or damaged. `partial`: takes what there is of shards nobody works on;
/// run_study can compute the rest, or the shards can go on and be merged again. Shards stay as they
/// are.
MergeOutcome merge_shards(const std::string& directory, bool partial = false,
                          const MergeHooks& hooks = {});

// --- Published: small enough for version control -------------------------------------------------

/// Writes one text file of a finished study: its text, its questions as they were frozen, and of
/// the data what its figures, tables and verdicts need (docs/formats.md). No computing times,
/// nothing of this machine. Where the file is there already and has the same seed, its questions
/// stay frozen: new ones are marked as late, and Error is thrown if an old one is gone or changed.
void publish(const StudyResult& result, const std::string& path);
/// As read_results, from such a file.
StudyResult read_published(const std::string& path);

}  // namespace armature
