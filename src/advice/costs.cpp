// Up to 10^5 rounds every policy is stepped, so that all meet the same luck. Above that they leap,
// after one replication each has shown, by counted work, what a replication takes. Where that is
// too much 10^7 and 10^6 rounds are tried; what cannot leap is stepped to the horizon that fits.
#include "advice/costs.h"

#include <algorithm>

#include "armature/error.h"
#include "lab/moments.h"
#include "lab/runner.h"

namespace armature {
namespace {

// Work is counted in stepped rounds, of some 50 ns each: all of it is some 5 seconds of one core,
// and twice as much at worst.
constexpr Round kStepUpTo = 100'000;
constexpr Round kFurtherTries[] = {10'000'000, 1'000'000};  // where leaping to T takes too long
constexpr double kStepRounds = 3e6;                         // of a policy in a world
constexpr double kLateRounds = kStepRounds / 5;             // late outcomes wait in a queue
constexpr double kStepWork = 4e8;     // of all that are stepped, where most rounds are cheap
constexpr double kLeapWork = 1.1e8;   // of all that leap
constexpr double kWorkOfOne = 1.2e7;  // a replication with more does not leap
constexpr double kWorkOfLeap = 8;     // and what it takes to look at actions or cells:
constexpr double kWorkPerAction = 0.01;
constexpr double kWorkPerCell = 0.02;
constexpr double kCellsOfTwice = 20'000;  // so many cells make a round twice as slow: caches
constexpr double kWorkPerBuilt = 10;      // a cell of a world that is drawn
constexpr double kLeastReplications = 4;
constexpr double kMostReplications = 100;
constexpr double kMostCells = 200'000;  // |A|·|Z|: larger worlds take seconds to build

// A policy in a world.
struct Trial {
  std::size_t world;
  std::size_t policy;
  Round horizon;
  Engine engine;
  std::optional<double> regret;  // of replication 0, if it leapt
  double work = 0;               // and what it took
};

std::uint32_t replications_for(double work_of_one, double work) {
  return static_cast<std::uint32_t>(
      std::clamp(work / std::max(work_of_one, 1.0), kLeastReplications, kMostReplications));
}

// One line of progress for all cells together.
class SharedProgress {
 public:
  SharedProgress(const RunHooks& hooks, std::size_t cells) : inner_(hooks) {
    if (!hooks.progress) return;
    inner_.progress = [this, cells, tell = hooks.progress](const Progress& one) {
      Progress all = one;
      all.cells_done = cells_done_;
      all.cells_total = cells;
      all.share = (static_cast<double>(cells_done_) + one.share) / static_cast<double>(cells);
      all.seconds = seconds_before_ + one.seconds;
      seconds_ = all.seconds;
      tell(all);
    };
  }
  const RunHooks& hooks() const { return inner_; }
  void next_cell() {
    ++cells_done_;
    seconds_before_ = seconds_;
  }

 private:
  RunHooks inner_;
  std::size_t cells_done_ = 0;
  double seconds_before_ = 0;
  double seconds_ = 0;
};

class Measurement {
 public:
  Measurement(const AdviceQuestion& question, const std::vector<TypicalWorld>& worlds,
              const std::vector<std::string>& policies, const RunHooks& hooks)
      : question_(question), worlds_(worlds), policies_(policies), hooks_(hooks) {}

  /// The trials of one world. Those that set the pace are measured at one horizon.
  std::vector<Trial> row_of(std::size_t world, std::size_t paced) const {
    for (const Round tried : tries()) {
      std::vector<Trial> row;
      for (std::size_t p = 0; p < policies_.size(); ++p) {
        row.push_back({world, p, tried, Engine::kLeap, {}, 0});
        if (leaps() && leap_through(row.back())) continue;
        if (p < paced) break;
        step(row.back());
      }
      if (row.size() == policies_.size()) return row;
    }
    std::vector<Trial> row;
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      row.push_back({world, p, 0, Engine::kStep, {}, 0});
      step(row.back());
    }
    return row;
  }

  void step(Trial& trial) const {
    trial.horizon = fitting_horizon();
    trial.engine = Engine::kStep;
    trial.regret.reset();
    trial.work = 0;
  }

  /// Where all together is too much, what does not set the pace stays behind first.
  std::uint32_t plan(std::vector<Trial>& trials, std::size_t paced) const {
    const double building = kWorkPerBuilt * cells();
    const double stepped = static_cast<double>(fitting_horizon()) + building;
    const std::uint32_t fit =
        std::min(replications_for(stepped, question_.feedback.prompt() ? kStepRounds : kLateRounds),
                 replications_for(stepped_work(fitting_horizon()), kStepWork));
    if (!leaps()) return fit;
    const auto work = [&] {
      double sum = 0;
      for (const Trial& trial : trials) sum += trial.work + building;
      return sum;
    };
    if (work() * kLeastReplications > kLeapWork)
      for (Trial& trial : trials)
        if (trial.policy >= paced &&
            trial.work * static_cast<double>(trials.size()) * kLeastReplications > kLeapWork)
          step(trial);
    return std::min(fit, replications_for(work(), kLeapWork));
  }

  bool stopped() const { return stop().load(std::memory_order_relaxed); }

  /// Nothing if a replication does not get through.
  std::optional<AdviceCost> cost_of(const Trial& trial, std::uint32_t replications) const {
    std::vector<double> regrets(replications, 0.0);
    std::vector<BlockTask> tasks;
    if (trial.regret) regrets[0] = *trial.regret;
    for (std::uint32_t i = trial.regret ? 1 : 0; i < replications; ++i)
      tasks.push_back({0, {i, 1}, 1});
    try {
      run_blocks({cell_of(trial)}, tasks, hooks_, [&](const std::vector<FinishedBlock>& blocks) {
        for (const auto& [task, result] : blocks)
          if (!result.replications.empty())
            regrets[task.range.first] = result.replications[0].regret.back();
      });
    } catch (const Error&) {
      if (trial.engine == Engine::kStep) throw;
      return std::nullopt;
    }
    Moments moments;
    for (const double regret : regrets) moments.add(regret);
    return AdviceCost{moments.mean, moments.standard_error(), trial.horizon,
                      trial.engine == Engine::kLeap};
  }

 private:
  double cells() const { return question_.setting.actions * question_.setting.contexts; }
  bool looks_at_contexts(std::size_t policy) const {
    const std::string& text = policies_[policy];
    return !text.starts_with("ucb") && !text.starts_with("moss");
  }
  /// Fitted to what 1,000 to 40,000 cells took, within a factor of three as a rule. A causal policy
  /// weighs every action anew when a context's mean moves; warden also compares the means of every
  /// context.
  double work_of_round(std::size_t policy) const {
    const double cached = 1 + cells() / kCellsOfTwice;
    if (!looks_at_contexts(policy)) return cached;
    const double weighing = cached + question_.setting.actions / 70;
    if (!policies_[policy].starts_with("warden")) return weighing;
    const double contexts = question_.setting.contexts;
    return weighing + 3 + contexts / 4 + contexts * contexts / 2000;
  }
  /// Of one replication of every policy in every world.
  double stepped_work(Round rounds) const {
    double sum = 0;
    for (std::size_t p = 0; p < policies_.size(); ++p) sum += work_of_round(p);
    return sum * static_cast<double>(rounds) * static_cast<double>(worlds_.size());
  }
  Round horizon() const { return static_cast<Round>(question_.setting.horizon); }
  std::vector<Round> tries() const {
    std::vector<Round> found{horizon()};
    for (const Round tried : kFurtherTries)
      if (tried < found.back()) found.push_back(tried);
    return found;
  }
  /// Of what does not leap.
  Round fitting_horizon() const {
    const double most = kStepWork / (kLeastReplications * stepped_work(1));
    return std::min({horizon(), kStepUpTo, static_cast<Round>(most / 1000) * 1000});
  }
  bool leaps() const { return question_.feedback.prompt() && horizon() > kStepUpTo; }

  Cell cell_of(const Trial& trial) const {
    Cell cell;
    cell.world = worlds_[trial.world].make(trial.horizon);
    cell.policy = policies_[trial.policy];
    cell.horizon = trial.horizon;
    cell.seed = question_.seed;
    cell.checkpoints = {trial.horizon};
    cell.feedback = question_.feedback;
    cell.engine = trial.engine;
    // One replication may take far longer than the first did, but not for ever.
    cell.max_events = static_cast<std::uint64_t>(4 * kWorkOfOne / work_of_round(trial.policy));
    return cell;
  }

  /// The first replication in leaps, and its work; false if it does not get through.
  bool leap_through(Trial& trial) const {
    try {
      Cell cell = cell_of(trial);
      cell.max_events = static_cast<std::uint64_t>(kWorkOfOne / work_of_round(trial.policy));
      const BlockResult block = run_block(cell, {0, 1}, stop());
      if (block.replications.empty()) return true;  // stopped
      const auto rounds = static_cast<double>(block.replications[0].rounds_stepped);
      const double shares = static_cast<double>(block.replications[0].events) - rounds;
      const double looked_at = looks_at_contexts(trial.policy)
                                   ? kWorkPerCell * cells()
                                   : kWorkPerAction * question_.setting.actions;
      trial.work = rounds * work_of_round(trial.policy) + shares * (kWorkOfLeap + looked_at);
      trial.regret = block.replications[0].regret.back();
      return trial.work <= kWorkOfOne;
    } catch (const Error&) {
      return false;  // too many events; whatever else is wrong comes again when it is stepped
    }
  }

  const std::atomic<bool>& stop() const {
    static const std::atomic<bool> kNever{false};
    return hooks_.stop ? *hooks_.stop : kNever;
  }

  const AdviceQuestion& question_;
  const std::vector<TypicalWorld>& worlds_;
  const std::vector<std::string>& policies_;
  const RunHooks& hooks_;
};

}  // namespace

bool within_reach(const Setting& setting) {
  return setting.actions * setting.contexts <= kMostCells;
}

MeasuredCosts measure_costs(const AdviceQuestion& question, const std::vector<TypicalWorld>& worlds,
                            const std::vector<std::string>& policies, std::size_t paced,
                            const RunHooks& hooks) {
  SharedProgress progress(hooks, worlds.size() * policies.size());
  const Measurement measurement(question, worlds, policies, progress.hooks());
  std::vector<Trial> trials;
  for (std::size_t w = 0; w < worlds.size(); ++w)
    for (const Trial& trial : measurement.row_of(w, paced)) trials.push_back(trial);

  MeasuredCosts result;
  result.replications = measurement.plan(trials, paced);
  for (const TypicalWorld& world : worlds) result.worlds.push_back(world.shown);
  for (Trial& trial : trials) {
    std::optional<AdviceCost> cost = measurement.cost_of(trial, result.replications);
    if (!cost) {
      measurement.step(trial);
      cost = measurement.cost_of(trial, result.replications);
    }
    result.worlds[trial.world].costs.push_back(*cost);
    progress.next_cell();
    if (measurement.stopped()) {
      result.complete = false;
      break;
    }
  }
  return result;
}

}  // namespace armature
