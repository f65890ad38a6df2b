// Lists of decisions by ticket, for policies that learn in the order of their decisions whatever
// the order of outcomes. A ticket is the round of the decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "armature/error.h"
#include "armature/policy.h"

namespace armature {

// More than anyone plays; as tickets they leave room for the numbers of balancers around a policy.
inline constexpr std::uint64_t kMostTickets = std::uint64_t{1} << 48;
inline constexpr std::size_t kReservedTickets = 64;  // outstanding outcomes before a list grows

/// The first of a list by ticket that is not before this one.
template <class Item>
auto place_of(std::vector<Item>& items, std::uint64_t ticket) {
  return std::lower_bound(items.begin(), items.end(), ticket,
                          [](const Item& item, std::uint64_t bar) { return item.ticket < bar; });
}

/// Takes a decision off the outstanding ones.
template <class Item>
Item close_ticket(std::vector<Item>& open, Decision decision) {
  const auto place = place_of(open, decision.ticket);
  ARMATURE_CHECK(place != open.end() && place->ticket == decision.ticket,
                 "a decision is outstanding when its outcome comes or is given up");
  const Item item = *place;
  open.erase(place);
  return item;
}

/// Each ticket once, in order, and none of a round to come.
template <class Item>
bool ascend_to(const std::vector<Item>& items, std::uint64_t last) {
  const auto not_before = [](const Item& a, const Item& b) { return a.ticket >= b.ticket; };
  return std::adjacent_find(items.begin(), items.end(), not_before) == items.end() &&
         (items.empty() || items.back().ticket <= last);
}

}  // namespace armature
