// The engines: play one policy against one instance for a block of replications, round by round
// (step) or only the rounds that matter (leap, docs/leap.md). Results depend on the cell and the
// replication numbers alone, never on threads or order.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "armature/policy.h"

namespace armature {

/// A world ready to be played: the truth, its tables, and what policies are told.
struct World {
  World(std::shared_ptr<const Instance> truth, Round horizon);

  std::shared_ptr<const Instance> instance;
  OutcomeTables tables;
  Problem problem;
};

/// How outcomes reach the policy. The outcome of round t arrives before the choice of round
/// t+1+delay, or later: only after a round that is a multiple of `batch`. A lost one is forgotten
/// when it was due.
struct Feedback {
  enum class Delay { kNone, kFixed, kGeometric };
  Delay delay = Delay::kNone;
  double rounds = 0;  // the fixed delay, or the mean of the geometric one
  Round batch = 1;
  double loss = 0;

  bool prompt() const { return delay == Delay::kNone && batch == 1 && loss == 0; }
  /// "none", a number of rounds, "fixed:N" or "geometric:mean=N".
  static Feedback parse_delay(const std::string& text);
  /// The delay's one spelling: "none", "fixed:N" or "geometric:mean=N".
  std::string delay_text() const;
  /// "prompt", or what is different: "delay=fixed:10 batch=5 loss=0.1".
  std::string describe() const;
};

/// Which engine plays. Automatic: step up to 10^6 rounds, so that policies meet the same luck; leap
/// above, where policy, reward laws and feedback allow it. Cuda is step, computed by a GPU as far
/// as that can (docs/gpu.md): the same bytes, so what it leaves says that it was stepped.
enum class Engine { kAuto, kStep, kLeap, kCuda };
std::string engine_name(Engine engine);  // auto, step, leap, cuda
Engine engine_named(const std::string& name);

/// A round as it was played.
struct PlayedRound {
  std::uint32_t replication = 0;
  Round round = 0;  // from 1
  Arm arm = 0;
  /// With which the arm was chosen, given all before; none where the policy has no closed form.
  std::optional<double> probability;
  Outcome outcome;
};

/// Parts of the caller's own, which no text form names. Each is made anew for every replication, so
/// that replications learn nothing from each other, and is asked from one thread at a time.
using PolicyMaker =
    std::function<std::unique_ptr<AnyPolicy>(const Problem& problem, std::uint32_t replication)>;
/// What is revealed after a round with this arm, where no table says it.
using OutcomeSource = std::function<Outcome(Arm)>;
using EnvironmentMaker = std::function<OutcomeSource(std::uint32_t replication)>;

/// One policy on one source of worlds.
struct Cell {
  std::function<std::shared_ptr<const World>(std::uint32_t replication)> world;
  std::string policy;  // text form, or `oracle`
  Round horizon = 1;
  std::uint64_t seed = 0;
  std::vector<Round> checkpoints;  // ascending, the last one is the horizon
  Feedback feedback;
  Engine engine = Engine::kAuto;
  double leap_tolerance = 1e-9;              // total variation of all certificates together
  std::uint64_t max_events = 1'000'000'000;  // a leaping replication with more of them is given up
  bool follow_shares = false;                // note a balancer's shares at every checkpoint
  /// Told of every round that is stepped, in order, from the thread that plays it; changes nothing.
  std::function<void(const PlayedRound&)> watch = {};
  /// Where there is one, it makes the policy, and `policy` is only its name. Always stepped.
  PolicyMaker make_policy = {};
  /// Where there is one, it is played instead of the world's tables; regret and what policies are
  /// told are still the world's. Always stepped.
  EnvironmentMaker make_environment = {};
};

/// What one replication leaves behind. Regret is pseudo-regret: Σ_a pulls(a)·Δ_a (spec §1).
struct Replication {
  std::vector<double> regret;        // at each checkpoint
  std::vector<std::uint64_t> pulls;  // per arm
  double simple_regret = 0;          // the gap of the most played arm (lowest index on ties)
  Diagnostics diagnostics;
  std::vector<Diagnostics> shares;   // at each checkpoint, if they were to be followed
  Engine engine = Engine::kStep;     // which one ran
  std::uint64_t events = 0;          // leap: blocks drawn, single rounds included
  std::uint64_t rounds_stepped = 0;  // leap: rounds played one by one
  double leap_error = 0;             // leap: total variation, of certificates and samplers
};

struct ReplicationRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct BlockResult {
  std::vector<Replication> replications;  // fewer than asked for only if stopped
  double seconds = 0;
};

/// Log-spaced rounds from 1 to the horizon, at most `count`, together with those asked for.
std::vector<Round> log_checkpoints(Round horizon, std::uint32_t count,
                                   std::vector<Round> also = {});

/// Aborts on a cell that makes no sense: without a world or with checkpoints in disorder. `stop` is
/// looked at every so often; a replication cut short is left out of the result.
BlockResult run_block(const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop);

/// The engine a cell runs on in this world, step or leap: whoever computes it. Throws Error if leap
/// was asked for and cannot be had.
Engine engine_for(const Cell& cell, const World& world);

/// The name `oracle`, which stands for fixed play of the best action (spec §5).
inline constexpr const char* kOracle = "oracle";
/// Checks a policy's text form, `oracle` included, and returns its canonical form.
std::string canonical_cell_policy(const std::string& text, const FormulaVariables& variables = {});

}  // namespace armature
