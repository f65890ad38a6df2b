#include "service/replay_check.h"

#include <fmt/format.h>

#include <new>

#include "service/fold.h"

namespace armature::service {
namespace {

// A second copy of the fold is made: not of one that fills the memory.
constexpr std::size_t kLargestState = std::size_t{64} << 20;

struct Stopped {};

}  // namespace

std::vector<std::string> ReplayCheck::pass(const std::function<bool()>& stop, const Ours& ours) {
  const ThrowingChecks checks;
  std::vector<std::string> mismatches;
  try {
    for (const StoredExperiment& experiment : log_->experiments()) {
      if (stop()) break;
      if (!experiment.damage.empty() || !ours(experiment.id)) continue;  // said at the start
      if (const std::string why = news_of(experiment, stop); !why.empty())
        mismatches.push_back(fmt::format("'{}': {}", experiment.facts.name, why));
    }
  } catch (const Stopped&) {
  } catch (const std::exception&) {  // whoever writes will notice, and knows what to do
  }
  return mismatches;
}

std::string ReplayCheck::news_of(const StoredExperiment& experiment,
                                 const std::function<bool()>& stop) {
  try {
    const std::vector<Sequence> kept = log_->snapshots(experiment.id);
    Sequence& checked = checked_[experiment.id];
    if (kept.size() < 2 || kept[0] <= checked) return "";
    checked = kept[0];
    return mismatch(experiment, kept[1], kept[0], stop);
  } catch (const Unreadable& damage) {
    return damage.what();
  }
}

std::string ReplayCheck::mismatch(const StoredExperiment& experiment, Sequence before,
                                  Sequence newest, const std::function<bool()>& stop) {
  const auto from = log_->snapshot(experiment.id, before);
  const auto to = log_->snapshot(experiment.id, newest);
  if (!from || !to || from->state.size() > kLargestState) return "";  // newer ones took their place
  try {
    Fold fold = Fold::load(experiment.facts, *log_, experiment.id, *from);
    log_->walk(experiment.id, before + 1, newest + 1, [&](const Event& event) {
      if (stop()) throw Stopped();
      fold.replay(event);
    });
    if (fold.digest() == to->digest) return "";
    return fmt::format("events {} to {} give another digest by replay", before + 1, newest);
  } catch (const StoreFailure&) {
    throw;
  } catch (const std::bad_alloc&) {  // says nothing about the log
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace armature::service
