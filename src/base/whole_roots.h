// Roots rounded to whole numbers, decided by comparing whole numbers: a budget is off by one if a
// rounded root lands on the wrong side of it (⌈2^{1/3}·128^{2/3}⌉ is 32, by doubles it is 33).
#pragma once

#include <cstdint>

namespace armature {

/// ⌈min(t, a^{1/3}·t^{2/3})⌉: the smallest E with E³ ≥ a·t², but at most t. a ≥ 1.
std::uint64_t two_thirds_budget(std::uint64_t a, std::uint64_t t);

/// ⌈factor·√t/a⌉. a ≥ 1, factor ≤ 2^16.
std::uint64_t root_share_above(std::uint64_t factor, std::uint64_t t, std::uint64_t a);

/// √t/a + 1 rounded to the nearest whole number, halves to even. a ≥ 1.
std::uint64_t next_root_share(std::uint64_t t, std::uint64_t a);

}  // namespace armature
