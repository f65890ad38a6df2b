// Advice (docs/advice.md): from what one knows of a problem to one policy, with what it is expected
// to cost, by simulation in typical worlds of that size, beside what one would play otherwise. The
// same question gives the same answer: how much is simulated follows from the sizes and from
// counted work, never from a clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/lab.h"

namespace armature {

/// What one thinks of the contexts: they may be right or not; they are right; better not rely on
/// them.
enum class Leaning { kBalanced, kTrust, kDistrust };
std::string leaning_name(Leaning leaning);  // balanced, trust, distrust
Leaning leaning_named(const std::string& name);

struct AdviceQuestion {
  /// Sizes, horizon, and what is known of ε and the gap. With an instance or given marginals the
  /// sizes may be left at 0: these know their own.
  Setting setting;
  bool horizon_known = true;  // false: nobody tells the policy T, which is how far costs are shown
  bool marginals_known = true;   // false: nobody knows which action leads to which context
  std::string instance;          // a family's text form or a file: this is the truth
  std::optional<Problem> given;  // marginals of one's own: typical worlds are built on them
  Leaning leaning = Leaning::kBalanced;
  Feedback feedback;
  std::uint64_t seed = 1;
};

/// Mean regret of one policy in one world.
struct AdviceCost {
  double mean = 0;
  double standard_error = 0;
  Round horizon = 0;  // at which it was measured; less than T where T was out of reach
  bool leapt = false;
};

struct AdviceWorld {
  std::string kind;               // benign, hidden, confounded, or instance: the one asked about
  std::string text;               // as `armature simulate` takes it; empty if nothing leads there
  std::string description;        // a few words
  bool decides = true;            // the recommendation looks at it
  std::vector<AdviceCost> costs;  // in the order of the answer's policies
};

/// A world of the table in which an alternative costs less than two thirds, or one that no world of
/// the table need be like.
struct AdviceWarning {
  std::string kind;    // of the world; edge: what the recommended policy is known to be weak at
  std::string policy;  // the alternative
  double times = 0;    // what the recommended policy costs there, in the alternative's costs
  double cost = 0;     // and in regret: measured, or of an edge what its proof leaves open
  std::string text;
};

struct AdviceAnswer {
  AdviceQuestion question;            // with all that was filled in
  std::string policy;                 // recommended, as `armature simulate` takes it
  std::string because;                // why, in a sentence
  std::vector<std::string> policies;  // the columns of the table: text forms
  std::vector<AdviceWorld> worlds;    // none where the sizes are out of simulation's reach
  std::uint32_t replications = 0;
  std::vector<AdviceWarning> warnings;
  std::vector<std::string> notes;     // what was not as asked: a shorter horizon, no simulation
  std::vector<std::string> watch;     // what to keep an eye on
  std::vector<std::string> commands;  // how to see more of it
  std::vector<Explanation> theory;    // what is proved at this size
  bool complete = true;               // false: stopped before all was simulated
};

/// The horizons short of T at which costs were measured, ascending; and the mark that stands behind
/// costs of the first of them, the second, ….
std::vector<Round> shorter_horizons(const AdviceAnswer& answer);
std::string shorter_mark(std::size_t place);
/// Regret as the answer tells it: 8.3, 4407, 8.33e+07.
std::string cost_text(double regret);

/// Throws Error if the question makes no sense or its instance cannot be had.
AdviceAnswer advise(const AdviceQuestion& question, const RunHooks& hooks = {});

}  // namespace armature
