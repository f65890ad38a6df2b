#include "policies/adaptive/warden_strata.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "base/vector_clones.h"

namespace armature {
namespace {

constexpr std::size_t kLanes = 4;  // rows are padded to a multiple, with zeros
constexpr double kPrior = 30;      // 4/30 is the variance of the mixture behind the bounds

struct Balance {
  double excess;  // D
  double spread;  // Q
};

// Lane by lane, so that the bits do not depend on the machine.
ARMATURE_VECTOR_CLONES Balance balance_of(const double* plays, const double* sums,
                                          const double* included, const double* included_sums,
                                          const double* visits, const double* visit_sums,
                                          std::size_t size) {
  double excess[kLanes] = {};
  double spread[kLanes] = {};
  for (std::size_t z = 0; z < size; z += kLanes)
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double others = visits[z + i] - plays[z + i];
      const double ratio = included[z + i] / (others < 1 ? 1 : others);
      excess[i] += included_sums[z + i] - ratio * (visit_sums[z + i] - sums[z + i]);
      spread[i] += ratio * ratio * (kPrior + others);
    }
  return {(excess[0] + excess[1]) + (excess[2] + excess[3]),
          (spread[0] + spread[1]) + (spread[2] + spread[3])};
}

bool before(const Strata::Fresh& fresh, Arm arm, Context z) {
  return fresh.arm < arm || (fresh.arm == arm && fresh.context < z);
}

}  // namespace

Strata::Strata(std::shared_ptr<const MarginalRows> rows, double delta)
    : rows_(std::move(rows)),
      stride_((rows_->contexts() + kLanes - 1) / kLanes * kLanes),
      split_log_(0.5 * portable::log(4.0 * rows_->actions() / delta)),
      joint_log_(0.5 * portable::log(2.0 * rows_->actions() / delta)),
      plays_(rows_->actions() * stride_),
      sums_(plays_.size()),
      included_(plays_.size()),
      included_sums_(plays_.size()),
      visits_(stride_),
      visit_sums_(stride_),
      fresh_visits_(stride_),
      included_plays_(rows_->actions()),
      row_included_(stride_),
      row_sums_(stride_) {
  fresh_.reserve(64);
}

void Strata::add(Arm arm, Context z, std::uint64_t plays, double rewards) {
  const auto count = static_cast<double>(plays);
  plays_[at(arm, z)] += count;
  sums_[at(arm, z)] += rewards;
  visits_[z] += count;
  visit_sums_[z] += rewards;
  fresh_visits_[z] += count;
  const auto place = std::partition_point(
      fresh_.begin(), fresh_.end(), [&](const Fresh& fresh) { return before(fresh, arm, z); });
  if (place == fresh_.end() || place->arm != arm || place->context != z) {
    fresh_.insert(place, {arm, z, plays, rewards});
    return;
  }
  place->plays += plays;
  place->rewards += rewards;
}

std::span<const Strata::Fresh> Strata::fresh_of(Arm arm) const {
  const auto first = std::partition_point(fresh_.begin(), fresh_.end(),
                                          [&](const Fresh& fresh) { return fresh.arm < arm; });
  const auto last = std::partition_point(first, fresh_.end(),
                                         [&](const Fresh& fresh) { return fresh.arm == arm; });
  return {first, last};
}

// Seen under another action, but for what is fresh.
bool Strata::is_included(const Fresh& fresh) const {
  const Context z = fresh.context;
  const double fresh_of_others = fresh_visits_[z] - static_cast<double>(fresh.plays);
  return visits_[z] - plays_[at(fresh.arm, z)] > fresh_of_others &&
         rows_->at(rows_->row(fresh.arm), z) > 0;
}

void Strata::settle() {
  for (const Fresh& fresh : fresh_)
    if (is_included(fresh)) {
      included_[at(fresh.arm, fresh.context)] += static_cast<double>(fresh.plays);
      included_sums_[at(fresh.arm, fresh.context)] += fresh.rewards;
      included_plays_[fresh.arm] += static_cast<double>(fresh.plays);
    }
  for (const Fresh& fresh : fresh_) fresh_visits_[fresh.context] = 0;
  fresh_.clear();
}

// Both bounds are at least sqrt((30 + k + Q)·½log(2|A|/δ)), which takes no logarithms. Without the
// fresh ones k and Q are smaller still; a hundredth is far more than rounding can do.
bool Strata::clearly_agrees(Arm arm) const {
  const std::size_t row = at(arm, 0);
  auto [excess, spread] =
      balance_of(&plays_[row], &sums_[row], &included_[row], &included_sums_[row], visits_.data(),
                 visit_sums_.data(), stride_);
  for (const Fresh& fresh : fresh_of(arm)) {
    if (!is_included(fresh)) continue;
    const Context z = fresh.context;
    const double mean = (visit_sums_[z] - sums_[row + z]) / (visits_[z] - plays_[row + z]);
    excess += fresh.rewards - static_cast<double>(fresh.plays) * mean;
  }
  return excess * excess < 0.99 * (kPrior + included_plays_[arm] + spread) * joint_log_;
}

bool Strata::differs(Arm arm) const {
  if (clearly_agrees(arm)) return false;
  const std::size_t row = at(arm, 0);
  std::copy_n(&included_[row], stride_, row_included_.begin());
  std::copy_n(&included_sums_[row], stride_, row_sums_.begin());
  double plays = included_plays_[arm];  // k
  for (const Fresh& fresh : fresh_of(arm)) {
    if (!is_included(fresh)) continue;
    row_included_[fresh.context] += static_cast<double>(fresh.plays);
    row_sums_[fresh.context] += fresh.rewards;
    plays += static_cast<double>(fresh.plays);
  }
  double excess = 0;     // D
  double spread = 0;     // Q
  double other_log = 0;  // ℓ_o
  for (Context z = 0; z < rows_->contexts(); ++z) {
    if (!(rows_->at(rows_->row(arm), z) > 0)) continue;
    const double others = visits_[z] - plays_[row + z];
    other_log += 0.25 * portable::log(1 + others / kPrior);
    if (row_included_[z] == 0) continue;
    const double ratio = row_included_[z] / others;
    excess += row_sums_[z] - row_included_[z] * ((visit_sums_[z] - sums_[row + z]) / others);
    spread += ratio * ratio * (kPrior + others);
  }
  const double own_log = 0.25 * portable::log(1 + plays / kPrior);  // ℓ_k
  const double split = std::sqrt((kPrior + plays) * (split_log_ + own_log)) +
                       std::sqrt(spread * (split_log_ + other_log));
  const double joint = std::sqrt((kPrior + plays + spread) * (joint_log_ + own_log + other_log));
  return std::abs(excess) > std::min(split, joint);
}

// --- State

// Counts are saved as the whole numbers they are, and without the padding.
void Strata::visit_cells(StateVisitor& visitor, std::string_view counts_name,
                         std::string_view sums_name, std::vector<double>& counts,
                         std::vector<double>& sums) {
  const std::uint32_t contexts = rows_->contexts();
  std::vector<std::uint64_t> whole;
  std::vector<double> plain;
  for (Arm a = 0; a < rows_->actions(); ++a)
    for (Context z = 0; z < contexts; ++z) {
      whole.push_back(static_cast<std::uint64_t>(counts[at(a, z)]));
      plain.push_back(sums[at(a, z)]);
    }
  visitor.field(counts_name, whole);
  visitor.field(sums_name, plain);
  visitor.require_sums_of_rewards(sums_name, plain, whole);
  if (!visitor.reading()) return;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    visitor.require(whole[i] <= std::uint64_t{1} << 53, counts_name);
    const std::size_t place = at(static_cast<Arm>(i / contexts), i % contexts);
    counts[place] = static_cast<double>(whole[i]);
    sums[place] = plain[i];
  }
}

void Strata::visit_state(StateVisitor& visitor, const Statistics& contexts) {
  visit_cells(visitor, "cell_plays", "cell_sums", plays_, sums_);
  visit_cells(visitor, "included_plays", "included_sums", included_, included_sums_);
  visitor.list("fresh", fresh_, [](ItemVisitor& item, Fresh& fresh) {
    item.field("arms", fresh.arm);
    item.field("contexts", fresh.context);
    item.field("plays", fresh.plays);
    item.field("rewards", fresh.rewards);
  });
  if (!visitor.reading()) return;
  for (Context z = 0; z < rows_->contexts(); ++z) {
    double visits = 0;
    for (Arm a = 0; a < rows_->actions(); ++a) visits += plays_[at(a, z)];
    visitor.require(visits == static_cast<double>(contexts.count(z)), "cell_plays");
    for (Arm a = 0; a < rows_->actions(); ++a)
      visitor.require(included_[at(a, z)] <= (visits > plays_[at(a, z)] ? plays_[at(a, z)] : 0),
                      "included_plays");
  }
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const Fresh& fresh = fresh_[i];
    visitor.require(fresh.arm < rows_->actions(), "fresh_arms");
    visitor.require(fresh.context < rows_->contexts(), "fresh_contexts");
    visitor.require(i == 0 || before(fresh_[i - 1], fresh.arm, fresh.context), "fresh_arms");
    visitor.require_sums_of_rewards("fresh_rewards", {&fresh.rewards, 1}, {&fresh.plays, 1});
    // Included ones are no longer fresh.
    const std::size_t cell = at(fresh.arm, fresh.context);
    visitor.require(static_cast<double>(fresh.plays) + included_[cell] <= plays_[cell],
                    "fresh_plays");
  }
  rebuild(contexts);
}

void Strata::rebuild(const Statistics& contexts) {
  std::fill(fresh_visits_.begin(), fresh_visits_.end(), 0);
  for (const Fresh& fresh : fresh_)
    fresh_visits_[fresh.context] += static_cast<double>(fresh.plays);
  for (Context z = 0; z < rows_->contexts(); ++z) {
    visits_[z] = static_cast<double>(contexts.count(z));
    visit_sums_[z] = contexts.sum(z);
  }
  for (Arm a = 0; a < rows_->actions(); ++a) {
    included_plays_[a] = 0;
    for (Context z = 0; z < rows_->contexts(); ++z) included_plays_[a] += included_[at(a, z)];
  }
}

}  // namespace armature
