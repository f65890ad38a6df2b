#include "service/history.h"

#include <algorithm>

namespace armature::service {

// An even number: full stretches are joined in pairs.
std::size_t History::most() const {
  return std::clamp(kMostCells / std::max<std::size_t>(actions_, 1) / 2 * 2, kLeastStretches,
                    kMostStretches);
}

void History::widen(std::size_t actions) {
  actions_ = actions;
  for (Stretch& stretch : stretches_) stretch.plays.resize(actions);
  while (stretches_.size() > most()) halve();
}

void History::halve() {
  length_ *= 2;
  const std::size_t count = stretches_.size();
  for (std::size_t i = 0; i < count; i += 2) {
    Stretch joined = std::move(stretches_[i]);
    if (i + 1 < count) {
      const Stretch& next = stretches_[i + 1];
      joined.decided += next.decided;
      joined.learned += next.learned;
      joined.rewards += next.rewards;
      for (std::size_t a = 0; a < actions_; ++a) joined.plays[a] += next.plays[a];
    }
    stretches_[i / 2] = std::move(joined);
  }
  stretches_.resize((count + 1) / 2);
}

void History::decided(Time time, std::uint32_t action) {
  if (stretches_.empty() || stretches_.back().decided >= length_) {
    if (stretches_.size() >= most()) halve();
    // After halving the last one may have room again.
    if (stretches_.empty() || stretches_.back().decided >= length_)
      stretches_.push_back({time, 0, 0, 0, std::vector<std::uint32_t>(actions_)});
  }
  ++stretches_.back().decided;
  ++stretches_.back().plays[action];
}

void History::learned(double reward) {
  if (stretches_.empty()) return;
  ++stretches_.back().learned;
  stretches_.back().rewards += reward;
}

void History::visit_state(StateVisitor& visitor) {
  visitor.field("history_length", length_);
  struct Flat {
    std::uint64_t begin;
    std::uint64_t decided;
    std::uint64_t learned;
    double rewards;
  };
  std::vector<Flat> flat;
  std::vector<std::uint32_t> plays;
  for (const Stretch& stretch : stretches_) {
    flat.push_back({static_cast<std::uint64_t>(stretch.begin), stretch.decided, stretch.learned,
                    stretch.rewards});
    plays.insert(plays.end(), stretch.plays.begin(), stretch.plays.end());
  }
  visitor.list("history", flat, [](ItemVisitor& part, Flat& one) {
    part.field("begin", one.begin);
    part.field("decided", one.decided);
    part.field("learned", one.learned);
    part.field("rewards", one.rewards);
  });
  visitor.list("history_plays", plays);
  if (!visitor.reading()) return;
  visitor.require(plays.size() == flat.size() * actions_ && flat.size() <= most(), "history");
  visitor.require(length_ > 0, "history_length");
  stretches_.clear();
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const auto first = plays.begin() + static_cast<std::ptrdiff_t>(i * actions_);
    stretches_.push_back({static_cast<Time>(flat[i].begin),
                          flat[i].decided,
                          flat[i].learned,
                          flat[i].rewards,
                          {first, first + static_cast<std::ptrdiff_t>(actions_)}});
  }
}

}  // namespace armature::service
