#include "policies/tools/flights.h"

namespace armature {

Parameter inflight_parameter() {
  return Parameter::choice("inflight", {"count", "ignore"})
      .help("do plays whose outcomes are still out narrow the index that chooses?", "§2");
}

// The last play is part of what is out, counted or not.
void Flights::visit_state(StateVisitor& visitor) {
  if (due()) ++out_[last_];
  visitor.rare("in_flight", out_);
  if (!visitor.reading()) {
    if (due()) --out_[last_];
    return;
  }
  last_ = kNone;
  total_ = 0;
  for (const std::uint64_t out : out_) {
    visitor.require(out <= kMost, "in_flight");
    total_ += out;
  }
  visitor.require(total_ <= kMost, "in_flight");
}

void ExpectedVisits::recount(const MarginalRows& rows, const Flights& flights) {
  for (std::uint64_t& units : units_) units = 0;
  for (Arm a = 0; a < rows.actions(); ++a)
    if (flights.counted(a) > 0) change(rows, a, flights.counted(a));
}

}  // namespace armature
