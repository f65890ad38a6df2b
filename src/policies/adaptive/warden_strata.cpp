#include "policies/adaptive/warden_strata.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/mathematics.h"

namespace armature {
namespace {

constexpr double kPrior = 30;  // 4/30 is the variance of the mixture behind the bounds

bool before(const Strata::Fresh& fresh, Arm arm, Context z) {
  return fresh.arm < arm || (fresh.arm == arm && fresh.context < z);
}

}  // namespace

Strata::Strata(std::shared_ptr<const MarginalRows> rows, double delta)
    : rows_(std::move(rows)),
      split_log_(0.5 * portable::log(4.0 * rows_->actions() / delta)),
      joint_log_(0.5 * portable::log(2.0 * rows_->actions() / delta)),
      cells_(std::size_t{rows_->actions()} * rows_->contexts()),
      visits_(rows_->contexts()),
      action_plays_(rows_->actions()),
      slacks_(rows_->actions()) {
  fresh_.reserve(64);
}

void Strata::add_to_fresh(const Fresh& fresh) {
  const auto place = std::partition_point(fresh_.begin(), fresh_.end(), [&](const Fresh& other) {
    return before(other, fresh.arm, fresh.context);
  });
  if (place == fresh_.end() || place->arm != fresh.arm || place->context != fresh.context) {
    fresh_.insert(place, fresh);
    return;
  }
  place->plays += fresh.plays;
  place->rewards += fresh.rewards;
}

std::span<const Strata::Fresh> Strata::fresh_of(Arm arm) const {
  const auto first = std::partition_point(fresh_.begin(), fresh_.end(),
                                          [&](const Fresh& fresh) { return fresh.arm < arm; });
  const auto last = std::partition_point(first, fresh_.end(),
                                         [&](const Fresh& fresh) { return fresh.arm == arm; });
  return {std::to_address(first), static_cast<std::size_t>(last - first)};
}

bool Strata::differs_in_full(Arm arm) const {
  const Evidence found = evidence(arm);
  // Both bounds are at least the root of this, which takes no logarithms; a hundredth less is far
  // more than rounding can do.
  const double spread = found.spread * (16.0 / 17) * (16.0 / 17);
  const double least = 0.99 * (kPrior + found.plays + spread) * joint_log_;
  if (!(found.excess * found.excess < least)) return std::abs(found.excess) > bound(arm, found);
  const double fewest = std::max(found.fewest, 1.0);
  slacks_[arm] = {.own = action_plays_[arm],
                  .others = all_plays_ - action_plays_[arm],
                  .most_others = fewest / 16,
                  .ratio = found.ratio,
                  .inverse = 1 / fewest,
                  .room = std::sqrt(least) - std::abs(found.excess)};
  return false;
}

Strata::Evidence Strata::evidence(Arm arm) const {
  const std::uint32_t row = rows_->row(arm);
  Evidence found{.fewest = std::numeric_limits<double>::infinity()};
  auto fresh = fresh_of(arm);
  for (Context z = 0; z < rows_->contexts(); ++z) {
    const Cell& cell = at(arm, z);
    const double others = visits_[z].all - cell.plays;
    double included = cell.included;
    double sum = cell.included_sum;
    if (!fresh.empty() && fresh.front().context == z) {
      if (is_included(fresh.front())) {
        included += static_cast<double>(fresh.front().plays);
        sum += fresh.front().rewards;
      }
      fresh = fresh.subspan(1);
    }
    if (rows_->at(row, z) > 0) found.fewest = std::min(found.fewest, others);
    if (included == 0) continue;
    const double ratio = included / others;
    found.plays += included;
    found.excess += sum - included * ((visits_[z].sum - cell.sum) / others);
    found.spread += ratio * ratio * (kPrior + others);
    found.ratio = std::max(found.ratio, ratio);
  }
  return found;
}

double Strata::bound(Arm arm, const Evidence& evidence) const {
  const auto& [plays, excess, spread, ratio, fewest] = evidence;
  double other_log = 0;  // ℓ_o
  for (Context z = 0; z < rows_->contexts(); ++z)
    if (rows_->at(rows_->row(arm), z) > 0)
      other_log += 0.25 * portable::log(1 + (visits_[z].all - at(arm, z).plays) / kPrior);
  const double own_log = 0.25 * portable::log(1 + plays / kPrior);  // ℓ_k
  const double split = std::sqrt((kPrior + plays) * (split_log_ + own_log)) +
                       std::sqrt(spread * (split_log_ + other_log));
  const double joint = std::sqrt((kPrior + plays + spread) * (joint_log_ + own_log + other_log));
  return std::min(split, joint);
}

// What the others did stands still: D moves by y − m(z) a play, between two edges with one bend
// each, and the bound, which grows with k and Q, is nowhere below what it is now.
bool Strata::agrees_along(Arm arm, std::span<const leap::SumPath> contexts) const {
  const Evidence now = evidence(arm);
  double lowest = now.excess;
  double highest = now.excess;
  for (Context z = 0; z < rows_->contexts(); ++z) {
    const Cell& cell = at(arm, z);
    const double others = visits_[z].all - cell.plays;
    if (others == 0 || !(rows_->at(rows_->row(arm), z) > 0)) continue;
    const double mean = (visits_[z].sum - cell.sum) / others;
    const leap::SumPath& path = contexts[z];
    const double most = std::ceil(path.most);
    const double idle = path.drift > 0 ? std::min(most, path.down / path.drift) : most;
    const double full = path.drift < 1 ? std::min(most, path.up / (1 - path.drift)) : most;
    lowest += std::min(-idle * mean, std::max(0.0, most * path.drift - path.down) - most * mean);
    highest += std::max(
        {0.0, full * (1 - mean), std::min(most, most * path.drift + path.up) - most * mean});
  }
  return std::max(-lowest, highest) < 0.999999 * bound(arm, now);
}

// --- State

// Counts are saved as the whole numbers they are.
void Strata::visit_cells(StateVisitor& visitor, std::string_view counts_name,
                         std::string_view sums_name, double Cell::*count, double Cell::*sum) {
  std::vector<std::uint64_t> counts(cells_.size());
  std::vector<double> sums(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    counts[i] = static_cast<std::uint64_t>(cells_[i].*count);
    sums[i] = cells_[i].*sum;
  }
  visitor.field(counts_name, counts);
  visitor.field(sums_name, sums);
  visitor.require_sums_of_rewards(sums_name, sums, counts);
  if (!visitor.reading()) return;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    visitor.require(counts[i] <= std::uint64_t{1} << 53, counts_name);
    cells_[i].*count = static_cast<double>(counts[i]);
    cells_[i].*sum = sums[i];
  }
}

void Strata::visit_state(StateVisitor& visitor, const Statistics& contexts) {
  visit_cells(visitor, "cell_plays", "cell_sums", &Cell::plays, &Cell::sum);
  visit_cells(visitor, "included_plays", "included_sums", &Cell::included, &Cell::included_sum);
  visitor.list("fresh", fresh_, [](ItemVisitor& item, Fresh& fresh) {
    item.field("arms", fresh.arm);
    item.field("contexts", fresh.context);
    item.field("plays", fresh.plays);
    item.field("rewards", fresh.rewards);
  });
  if (!visitor.reading()) return;
  for (Context z = 0; z < rows_->contexts(); ++z) {
    double visits = 0;
    for (Arm a = 0; a < rows_->actions(); ++a) visits += at(a, z).plays;
    visitor.require(visits == static_cast<double>(contexts.count(z)), "cell_plays");
    for (Arm a = 0; a < rows_->actions(); ++a)
      visitor.require(at(a, z).included <= (visits > at(a, z).plays ? at(a, z).plays : 0),
                      "included_plays");
  }
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const Fresh& fresh = fresh_[i];
    visitor.require(fresh.arm < rows_->actions(), "fresh_arms");
    visitor.require(fresh.context < rows_->contexts(), "fresh_contexts");
    visitor.require(i == 0 || before(fresh_[i - 1], fresh.arm, fresh.context), "fresh_arms");
    visitor.require_sums_of_rewards("fresh_rewards", {&fresh.rewards, 1}, {&fresh.plays, 1});
    // Included ones are no longer fresh.
    const Cell& cell = at(fresh.arm, fresh.context);
    visitor.require(static_cast<double>(fresh.plays) + cell.included <= cell.plays, "fresh_plays");
  }
  rebuild(contexts);
}

void Strata::rebuild(const Statistics& contexts) {
  all_plays_ = 0;
  for (Context z = 0; z < rows_->contexts(); ++z) {
    visits_[z] = {static_cast<double>(contexts.count(z)), contexts.sum(z), 0};
    all_plays_ += visits_[z].all;
  }
  for (const Fresh& fresh : fresh_)
    visits_[fresh.context].fresh += static_cast<double>(fresh.plays);
  for (Arm a = 0; a < rows_->actions(); ++a) {
    action_plays_[a] = 0;
    for (Context z = 0; z < rows_->contexts(); ++z) action_plays_[a] += at(a, z).plays;
    slacks_[a] = {};
  }
}

}  // namespace armature
