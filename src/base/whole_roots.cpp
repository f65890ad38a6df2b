#include "base/whole_roots.h"

#include <compare>

namespace armature {
namespace {

__extension__ using Wide = unsigned __int128;

// A product of up to 192 bits; compared first part first.
struct Product {
  Wide high;
  std::uint64_t low;
  auto operator<=>(const Product&) const = default;
};

// a²·b
Product square_times(std::uint64_t a, std::uint64_t b) {
  const Wide square = Wide{a} * a;
  const Wide low = Wide{static_cast<std::uint64_t>(square)} * b;
  return {(square >> 64) * b + (low >> 64), static_cast<std::uint64_t>(low)};
}

// n² ≥ square
bool reaches(Wide n, Wide square) { return n >> 64 != 0 || n * n >= square; }

// The smallest number that passes; all above it pass too, and `most` does.
template <class Passes>
std::uint64_t least(std::uint64_t most, const Passes& passes) {
  std::uint64_t low = 0;
  while (low < most) {
    const std::uint64_t middle = low + (most - low) / 2;
    if (passes(middle))
      most = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

std::uint64_t two_thirds_budget(std::uint64_t a, std::uint64_t t) {
  if (a >= t) return t;
  const Product enough = square_times(t, a);
  return least(t, [&](std::uint64_t e) { return square_times(e, e) >= enough; });
}

std::uint64_t root_share_above(std::uint64_t factor, std::uint64_t t, std::uint64_t a) {
  constexpr std::uint64_t kMost = 1ULL << 48;  // factor·√t is below
  return least(kMost,
               [&](std::uint64_t e) { return reaches(Wide{e} * a, Wide{factor} * factor * t); });
}

// The first m with m + ½ ≥ √t/a, and one more. At a tie m + 2 is as near, and even if m + 1 is odd.
std::uint64_t next_root_share(std::uint64_t t, std::uint64_t a) {
  constexpr std::uint64_t kMost = 1ULL << 32;  // √t is below
  const Wide square = 4 * Wide{t};
  const auto twice_middle = [&](std::uint64_t m) { return (2 * Wide{m} + 1) * a; };
  const std::uint64_t m =
      least(kMost, [&](std::uint64_t e) { return reaches(twice_middle(e), square); });
  const bool tie = !reaches(twice_middle(m) - 1, square) && !reaches(twice_middle(m), square + 1);
  return tie && m % 2 == 0 ? m + 2 : m + 1;
}

}  // namespace armature
