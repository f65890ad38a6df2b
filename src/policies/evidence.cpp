#include "armature/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace armature {
namespace {

// More than anyone plays, and far from overflow wherever counts are added up.
constexpr std::uint64_t kMostOutcomes = std::uint64_t{1} << 62;

}  // namespace

std::vector<std::uint32_t> places_by_name(const std::vector<std::string>& from,
                                          const std::vector<std::string>& to) {
  std::unordered_map<std::string_view, std::uint32_t> places;
  for (std::uint32_t i = 0; i < to.size(); ++i) places.emplace(to[i], i);
  std::vector<std::uint32_t> found;
  found.reserve(from.size());
  for (const std::string& name : from) {
    const auto place = places.find(name);
    found.push_back(place == places.end() ? static_cast<std::uint32_t>(to.size()) : place->second);
  }
  return found;
}

Evidence::Evidence(std::uint32_t actions, std::uint32_t contexts)
    : actions_(actions), contexts_(contexts), cells_(std::size_t{actions} * contexts) {}

void Evidence::add(const Tally& tally) {
  Cell& cell = cells_[place(tally.arm, tally.context)];
  cell.plays += tally.plays;
  cell.rewards += tally.rewards;
  outcomes_ += tally.plays;
  whole_ = whole_ && tally.rewards == std::floor(tally.rewards);
}

std::vector<Tally> Evidence::tallies() const {
  std::vector<Tally> tallies;
  for (Arm a = 0; a < actions_; ++a)
    for (Context z = 0; z < contexts_; ++z)
      if (const Cell& cell = cells_[place(a, z)]; cell.plays > 0)
        tallies.push_back({a, z, cell.plays, cell.rewards});
  return tallies;
}

void refuse_lost_context(const Problem& from, Arm arm, Context context) {
  throw Error({"", "contexts",
               fmt::format("none named '{}', which '{}' led to", from.context_names[context],
                           from.action_names[arm]),
               "every context that a kept action led to: without some of its outcomes the others "
               "are a biased sample"});
}

Evidence Evidence::renamed(const Problem& from, const Problem& to) const {
  ARMATURE_CHECK(from.actions() == actions_ && from.contexts() == contexts_,
                 "evidence is renamed from the problem it was found in");
  const auto actions = places_by_name(from.action_names, to.action_names);
  const auto contexts = places_by_name(from.context_names, to.context_names);
  Evidence renamed(to);
  for (const Tally& tally : tallies()) {
    const Arm arm = actions[tally.arm];
    const Context context = contexts[tally.context];
    if (arm >= to.actions()) continue;
    if (context >= to.contexts()) refuse_lost_context(from, tally.arm, tally.context);
    renamed.add(Tally{arm, context, tally.plays, tally.rewards});
  }
  renamed.whole_ = whole_;  // sums alone do not tell two halves from a one
  return renamed;
}

void visit_tallies(StateVisitor& visitor, const std::string& name, std::vector<Tally>& tallies,
                   std::uint32_t actions, std::uint32_t contexts) {
  visitor.list(name, tallies, [](ItemVisitor& part, Tally& tally) {
    part.field("action", tally.arm);
    part.field("context", tally.context);
    part.field("plays", tally.plays);
    part.field("rewards", tally.rewards);
  });
  if (!visitor.reading()) return;
  const auto out_of_order = [](const Tally& one, const Tally& next) { return !before(one, next); };
  visitor.require(std::adjacent_find(tallies.begin(), tallies.end(), out_of_order) == tallies.end(),
                  name);
  std::uint64_t plays = 0;
  for (const Tally& tally : tallies) {
    visitor.require(tally.arm < actions, name + "_action");
    visitor.require(tally.context < contexts, name + "_context");
    visitor.require(tally.plays > 0 && tally.plays <= kMostOutcomes - plays, name + "_plays");
    visitor.require_sums_of_rewards(name + "_rewards", {&tally.rewards, 1}, {&tally.plays, 1});
    plays += tally.plays;
  }
}

// Only cells with plays are saved: most problems have far more cells than they ever see.
void Evidence::visit_state(StateVisitor& visitor, const std::string& name) {
  std::vector<Tally> saved = tallies();
  visit_tallies(visitor, name, saved, actions_, contexts_);
  visitor.field(name + "_whole", whole_);
  if (!visitor.reading()) return;
  Evidence read(actions_, contexts_);
  for (const Tally& tally : saved) read.add(tally);
  visitor.require(!whole_ || read.whole_, name + "_whole");
  read.whole_ = whole_;
  *this = std::move(read);
}

}  // namespace armature
