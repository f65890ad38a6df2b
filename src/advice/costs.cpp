// Up to 10^5 rounds every policy is stepped, so that all meet the same luck. Above that they leap,
// after one replication each has shown, by counted work, what a replication takes. Where that is
// too much 10^7 rounds are tried; what cannot leap is stepped to the horizon that fits.
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
constexpr Round kSecondTry = 10'000'000;         // rounds, where leaping to T takes too many events
constexpr double kStepRounds = 3e6;              // of a policy in a world
constexpr double kLateRounds = kStepRounds / 5;  // late outcomes wait in a queue
constexpr double kLeapWork = 9e7;                // of all that leap
constexpr double kWorkOfOne = 6e6;               // a replication with more does not leap
constexpr double kWorkOfLeap = 8;                // and what it takes to look at every cell:
constexpr double kWorkPerLookedAt = 0.01;
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
  double work = 0;  // of replication 0, if it leapt
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
    for (const Round tried : {horizon(), std::min(horizon(), kSecondTry)}) {
      std::vector<Trial> row;
      for (std::size_t p = 0; p < policies_.size(); ++p) {
        row.push_back({world, p, tried, Engine::kLeap});
        if (leaps() && leap_through(row.back())) continue;
        if (p < paced) break;
        step(row.back());
      }
      if (row.size() == policies_.size()) return row;
    }
    std::vector<Trial> row;
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      row.push_back({world, p, 0, Engine::kStep});
      step(row.back());
    }
    return row;
  }

  void step(Trial& trial) const {
    trial.horizon = fitting_horizon();
    trial.engine = Engine::kStep;
    trial.work = 0;
  }

  /// Where all together is too much, what does not set the pace stays behind first.
  std::uint32_t plan(std::vector<Trial>& trials, std::size_t paced) const {
    const double building = kWorkPerBuilt * cells();
    const double stepped = static_cast<double>(fitting_horizon()) + building;
    const std::uint32_t fit =
        replications_for(stepped, question_.feedback.prompt() ? kStepRounds : kLateRounds);
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
    for (std::uint32_t i = 0; i < replications; ++i) tasks.push_back({0, {i, 1}, 1});
    try {
      run_blocks({cell_of(trial)}, tasks, hooks_, [&](const BlockTask& task, BlockResult block) {
        if (!block.replications.empty())
          regrets[task.range.first] = block.replications[0].regret.back();
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
  double work_of_round() const { return 1 + cells() / kCellsOfTwice; }
  Round horizon() const { return static_cast<Round>(question_.setting.horizon); }
  /// Of what does not leap.
  Round fitting_horizon() const { return std::min(horizon(), kStepUpTo); }
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
    cell.max_events = static_cast<std::uint64_t>(8 * kWorkOfOne);
    return cell;
  }

  /// The first replication in leaps, and its work; false if it does not get through.
  bool leap_through(Trial& trial) const {
    try {
      Cell cell = cell_of(trial);
      cell.max_events = static_cast<std::uint64_t>(kWorkOfOne / work_of_round());
      const BlockResult block = run_block(cell, {0, 1}, stop());
      if (block.replications.empty()) return true;  // stopped
      const auto rounds = static_cast<double>(block.replications[0].rounds_stepped);
      const double shares = static_cast<double>(block.replications[0].events) - rounds;
      trial.work = rounds * work_of_round() + shares * (kWorkOfLeap + kWorkPerLookedAt * cells());
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
