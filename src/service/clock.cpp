#include "service/clock.h"

#include <chrono>

namespace armature::service {
namespace {

template <class Source>
Time microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Source::now().time_since_epoch())
      .count();
}

class SystemClock final : public Clock {
 public:
  Time wall() const override { return microseconds<std::chrono::system_clock>(); }
  Time monotonic() const override { return microseconds<std::chrono::steady_clock>(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace armature::service
