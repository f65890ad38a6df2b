#include "audit/decision_ids.h"

#include <cstring>

namespace armature {
namespace {

constexpr std::size_t kFirstSlots = 1 << 12;

// Multiplies and folds eight bytes at a time; the end is that of MurmurHash3.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ text.size();
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = text.size() < 8 ? text.size() : 8;
    std::memcpy(&word, text.data(), count);
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 32;
    text.remove_prefix(count);
  }
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDu;
  hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53u;
  hash ^= hash >> 33;
  return hash == 0 ? 1 : hash;
}

bool above(std::string_view id, std::string_view other) {
  return id.size() != other.size() ? id.size() > other.size() : id > other;
}

}  // namespace

void DecisionIds::clear() {
  slots_.clear();
  count_ = 0;
  highest_.clear();
}

DecisionIds::Answer DecisionIds::add(std::string_view id) {
  const bool ascends = above(id, highest_);
  if (ascends) highest_.assign(id);
  if (count_ < kRemembered) return insert(hash_of(id)) ? Answer::kNew : Answer::kSeen;
  if (ascends) return Answer::kNew;
  return contains(hash_of(id)) ? Answer::kSeen : Answer::kUnknown;
}

bool DecisionIds::contains(std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask)
    if (slots_[at] == hash) return true;
  return false;
}

bool DecisionIds::insert(std::uint64_t hash) {
  if (2 * (count_ + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask)
    if (slots_[at] == hash) return false;
  slots_[at] = hash;
  ++count_;
  return true;
}

void DecisionIds::grow() {
  std::vector<std::uint64_t> before(slots_.empty() ? kFirstSlots : 2 * slots_.size());
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t hash : before) {
    if (hash == 0) continue;
    std::size_t at = hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = hash;
  }
}

}  // namespace armature
