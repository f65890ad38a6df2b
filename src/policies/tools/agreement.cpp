#include "policies/tools/agreement.h"

namespace armature {

Agreement::Agreement(const MarginalRows& rows, double largest)
    : rows_(rows),
      largest_(largest),
      actions_(rows.actions()),
      uppers_(rows.contexts()),
      widths_(rows.contexts()),
      urgency_(rows.actions()),
      pseudo_(rows.rows()),
      pseudo_widths_(rows.rows()) {}

void Agreement::set_context(Context z, double upper, double width) {
  const double rise = upper - uppers_[z];
  const double lower_rise = (upper - width) - (uppers_[z] - widths_[z]);
  uppers_[z] = upper;
  widths_[z] = width;
  const double high = rows_.column_high(z);
  const double low = rows_.column_low(z);
  // What p(a) can have fallen, and what v(a) can have risen.
  drift_ +=
      std::max({0.0, (rise < 0 ? -high : -low) * rise, (lower_rise > 0 ? high : low) * lower_rise});
  ++updates_;
}

bool Agreement::passes(Action& action, double pseudo, double pseudo_width) const {
  action.pseudo = pseudo;
  action.pseudo_lower = pseudo - pseudo_width;
  action.drift = drift_;
  return !(action.index - pseudo > action.width) && !(pseudo - action.index > pseudo_width);
}

bool Agreement::look_at_doubtful() {
  // One by one they cost more than all of them together.
  std::uint32_t left = 1 + rows_.rows() / 8;
  for (Arm a = urgency_.next_at_least(bar()); a != BoundTree::kNone;
       a = urgency_.next_at_least(bar(), a + 1)) {
    if (left-- == 0) return look_at_all();
    const std::uint32_t row = rows_.row(a);
    const bool passed = passes(actions_[a], rows_.sum(row, uppers_), rows_.sum(row, widths_));
    urgency_.set(a, -limit(actions_[a]));
    if (!passed) return false;
  }
  return true;
}

bool Agreement::look_at_all() {
  drift_ = 0;
  updates_ = 0;
  known_ = true;
  rows_.sums(uppers_, pseudo_);
  rows_.sums(widths_, pseudo_widths_);
  bool all_pass = true;
  const std::span<double> urgency = urgency_.bounds();
  for (Arm a = 0; a < actions_.size(); ++a) {
    const std::uint32_t row = rows_.row(a);
    all_pass &= passes(actions_[a], pseudo_[row], pseudo_widths_[row]);
    urgency[a] = -limit(actions_[a]);
  }
  urgency_.settle();
  return all_pass;
}

}  // namespace armature
