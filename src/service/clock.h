// Time as the service sees it. Tests bring their own.
#pragma once

#include "service/facts.h"

namespace armature::service {

class Clock {
 public:
  virtual ~Clock() = default;
  /// What a calendar says: may jump either way. Stored with events, never waited for.
  virtual Time wall() const = 0;
  /// Runs evenly, from anywhere: deadlines go by it.
  virtual Time monotonic() const = 0;
};

/// The machine's.
const Clock& system_clock();

}  // namespace armature::service
