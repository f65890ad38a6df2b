// The decisions of a book whose outcomes are outstanding. Ids ascend and most are closed soon after
// they were made: a list in the order of ids with holes in it is looked up in one step, and asks
// for no memory from round to round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armature/policy.h"

namespace armature {

class OpenDecisions {
 public:
  std::size_t size() const { return size_; }

  /// `id` is above all others.
  void add(std::uint64_t id, Decision decision) {
    ARMATURE_CHECK(entries_.empty() || entries_.back().id < id, "ids of decisions ascend");
    entries_.push_back({id, decision, true});
    ++size_;
  }

  /// Null if it is not open. No pointer outlives the next change.
  const Decision* find(std::uint64_t id) const {
    const std::size_t place = place_of(id);
    return place < entries_.size() ? &entries_[place].decision : nullptr;
  }

  void erase(std::uint64_t id) {
    const std::size_t place = place_of(id);
    ARMATURE_CHECK(place < entries_.size(), "a decision that is closed was open");
    entries_[place].open = false;
    --size_;
    if (size_ == 0) {
      entries_.clear();
      first_ = 0;
      return;
    }
    while (!entries_[first_].open) ++first_;
    if (entries_.size() > 2 * size_ + kHoles) close_up();
  }

  /// `visit(id, decision)`, by id.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = first_; i < entries_.size(); ++i)
      if (entries_[i].open) visit(entries_[i].id, entries_[i].decision);
  }

 private:
  struct Entry {
    std::uint64_t id;
    Decision decision;
    bool open;
  };
  static constexpr std::size_t kHoles = 64;  // so many are left where few are open

  // Its place, or the number of entries. Ids ascend by 1 at least, so none is further from the
  // first than its id is.
  std::size_t place_of(std::uint64_t id) const {
    if (first_ >= entries_.size() || id < entries_[first_].id) return entries_.size();
    const std::uint64_t furthest = first_ + (id - entries_[first_].id);
    if (furthest < entries_.size() && entries_[furthest].id == id)
      return entries_[furthest].open ? furthest : entries_.size();
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(
                                            std::min<std::uint64_t>(furthest, entries_.size()));
    const auto found = std::lower_bound(
        entries_.begin() + static_cast<std::ptrdiff_t>(first_), end, id,
        [](const Entry& entry, std::uint64_t wanted) { return entry.id < wanted; });
    return found != end && found->id == id && found->open
               ? static_cast<std::size_t>(found - entries_.begin())
               : entries_.size();
  }

  void close_up() {
    std::erase_if(entries_, [](const Entry& entry) { return !entry.open; });
    first_ = 0;
  }

  std::vector<Entry> entries_;
  std::size_t first_ = 0;  // the first that is open
  std::size_t size_ = 0;   // how many are
};

}  // namespace armature
