// Many normal variates: the tries of Marsaglia's method from many counters at a time, then the
// logarithms and roots of all that were accepted, none of which waits for another.
#include <algorithm>
#include <cmath>

#include "armature/random.h"
#include "base/mathematics.h"

namespace armature {
namespace {

constexpr std::size_t kTries = 64;  // a try is one counter of the stream

double centred(std::uint64_t draw) {  // as 2·uniform() − 1: of 63 bits the upper 53
  return 2 * (static_cast<double>(draw >> 10) * 0x1p-53) - 1;
}

}  // namespace

void normals(Stream& stream, std::span<double> out) {
  if (stream.within_round_ || stream.used_ != 4) {  // tries do not begin where counters do
    for (double& value : out) value = normal(stream);
    return;
  }
  const StreamKey key{std::uint64_t{stream.key_[0]} | std::uint64_t{stream.key_[1]} << 32,
                      stream.counter_[2], static_cast<Purpose>(stream.counter_[3] >> 8)};
  std::uint64_t first[kTries], second[kTries];
  double values[kTries + 1], squares[kTries + 1];
  while (!out.empty()) {
    // 4 of 5 tries are accepted, less than 5 of 6 nearly always; whole groups of eight are soonest.
    const std::size_t tries = std::min(kTries, (out.size() * 5 / 4 + 15) / 8 * 8);
    outcome_draws(key, stream.blocks_, {first, tries}, {second, tries});
    std::size_t accepted = 0, tried = 0;
    for (; tried < tries && accepted < out.size(); ++tried) {
      const double x = centred(first[tried]), y = centred(second[tried]);
      const double square = x * x + y * y;
      values[accepted] = x;
      squares[accepted] = square;
      accepted += square > 0 && square < 1 ? 1 : 0;
    }
    for (std::size_t i = 0; i < accepted; ++i)
      out[i] = values[i] * std::sqrt(-2 * portable::log(squares[i]) / squares[i]);
    stream.blocks_ += tried;
    out = out.subspan(accepted);
  }
}

}  // namespace armature
