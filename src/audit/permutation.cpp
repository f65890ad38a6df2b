#include "audit/permutation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/mathematics.h"

namespace armature {

Reservoir::Reservoir(std::size_t capacity, std::uint64_t seed)
    : capacity_(capacity), stream_({seed, 0, Purpose::kEstimate}) {}

// Copies are not counted off: which row is kept next is drawn at once (Li 1994, algorithm L), so
// that a row which stands for 10^12 costs no more than a few draws.
void Reservoir::add(const LogRow& row) {
  const Kept kept{row.action, row.context, row.reward};
  const double room = static_cast<double>(capacity_ - rows_.size());
  rows_.insert(rows_.end(), static_cast<std::size_t>(std::min(row.weight, room)), kept);
  seen_ += row.weight;
  if (rows_.size() < capacity_) return;
  if (next_ == 0) {
    next_ = static_cast<double>(capacity_);
    draw_next();
  }
  while (next_ <= seen_) {
    rows_[uniform_index(stream_, static_cast<std::uint32_t>(capacity_))] = kept;
    draw_next();
  }
}

void Reservoir::draw_next() {
  const auto log_uniform = [&] { return portable::log(1 - stream_.uniform()); };
  log_largest_ += log_uniform() / static_cast<double>(capacity_);
  const double largest = portable::exp(log_largest_);
  next_ += largest < 1 ? std::floor(log_uniform() / portable::log1p(-largest)) + 1 : 1;
}

std::vector<RewardSample> by_context(const Reservoir& reservoir, std::size_t contexts) {
  std::vector<RewardSample> samples(contexts);
  for (const Reservoir::Kept& row : reservoir.rows()) {
    samples[row.context].actions.push_back(row.action);
    samples[row.context].rewards.push_back(row.reward);
  }
  return samples;
}

namespace {

struct Moments {
  double rows = 0;
  double sum = 0;
  double squares = 0;
};

double spread_of(const std::vector<Moments>& groups) {
  Moments all;
  for (const Moments& group : groups) {
    all.rows += group.rows;
    all.sum += group.sum;
    all.squares += group.squares;
  }
  const double common =
      std::max(0.0, all.squares / all.rows - all.sum / all.rows * (all.sum / all.rows));
  if (common <= 1e-15) return 0;  // all rewards are equal
  double weights = 0;
  double weighted = 0;
  double statistic = 0;
  // One pass: Σw·(x − m)² = Σw·x² − (Σw·x)²/Σw, with x counted from the common mean.
  const double centre = all.sum / all.rows;
  for (const Moments& group : groups) {
    if (group.rows == 0) continue;
    const double mean = group.sum / group.rows;
    const double own = std::max(0.0, group.squares - group.sum * mean);
    const double variance = (own + common) / group.rows;
    const double weight = group.rows / variance;
    const double x = mean - centre;
    weights += weight;
    weighted += weight * x;
    statistic += weight * x * x;
  }
  return std::max(0.0, statistic - weighted * weighted / weights);
}

void add_up(const RewardSample& sample, std::vector<Moments>& groups) {
  std::fill(groups.begin(), groups.end(), Moments{});
  for (std::size_t i = 0; i < sample.rewards.size(); ++i) {
    Moments& group = groups[sample.actions[i]];
    const double reward = sample.rewards[i];
    group.rows += 1;
    group.sum += reward;
    group.squares += reward * reward;
  }
}

double spread_of(const RewardSample& sample, std::vector<Moments>& groups) {
  add_up(sample, groups);
  return spread_of(groups);
}

// Fisher and Yates.
void shuffle(std::vector<double>& rewards, Stream& stream) {
  for (std::size_t i = rewards.size(); i > 1; --i)
    std::swap(rewards[i - 1], rewards[uniform_index(stream, static_cast<std::uint32_t>(i))]);
}

}  // namespace

double studentised_spread(const RewardSample& sample, std::size_t actions) {
  std::vector<Moments> groups(actions);
  return sample.rewards.empty() ? 0 : spread_of(sample, groups);
}

TestResult permutation_test(RewardSample sample, std::size_t actions, Stream& stream,
                            const Trials& trials) {
  std::vector<Moments> groups(actions);
  if (sample.rewards.empty()) return {};
  const double seen = spread_of(sample, groups);
  const auto played = std::count_if(groups.begin(), groups.end(),
                                    [](const Moments& group) { return group.rows > 0; });
  if (played < 2) return {};
  // Sums in another order differ in their last digits: such tables are ties and count.
  const double limit = seen * (1 - 1e-9);
  return tried(trials, "permutation", [&] {
    shuffle(sample.rewards, stream);
    return spread_of(sample, groups) >= limit;
  });
}

std::vector<double> permutation_of_each(RewardSample sample, std::size_t actions,
                                        const std::vector<std::size_t>& tested, Stream& stream,
                                        const Trials& trials) {
  std::vector<Moments> groups(actions);
  std::vector<Moments> two(2);
  const auto spreads = [&] {
    add_up(sample, groups);
    Moments all;
    for (const Moments& group : groups) {
      all.rows += group.rows;
      all.sum += group.sum;
      all.squares += group.squares;
    }
    std::vector<double> found;
    for (const std::size_t action : tested) {
      const Moments& own = groups[action];
      two[0] = own;
      two[1] = {all.rows - own.rows, all.sum - own.sum, all.squares - own.squares};
      found.push_back(two[0].rows > 0 && two[1].rows > 0 ? spread_of(two) : 0);
    }
    return found;
  };
  if (sample.rewards.empty()) return std::vector<double>(tested.size(), 1.0);
  const std::vector<double> seen = spreads();
  std::vector<std::uint64_t> exceeded(tested.size());
  std::uint64_t done = 0;
  const auto all_are_large = [&] {
    return std::all_of(exceeded.begin(), exceeded.end(),
                       [&](std::uint64_t count) { return count >= trials.enough; });
  };
  while (done < trials.draws && !all_are_large()) {
    shuffle(sample.rewards, stream);
    const std::vector<double> drawn = spreads();
    for (std::size_t i = 0; i < tested.size(); ++i)
      exceeded[i] += drawn[i] >= seen[i] * (1 - 1e-9) ? 1 : 0;
    ++done;
    if (trials.progress) trials.progress(done);
  }
  std::vector<double> p_values;
  for (const std::uint64_t count : exceeded)
    p_values.push_back((static_cast<double>(count) + 1) / (static_cast<double>(done) + 1));
  return p_values;
}

RewardSample subsample(RewardSample sample, std::size_t rows, Stream& stream) {
  const std::size_t all = sample.rewards.size();
  for (std::size_t i = 0; i < rows && i + 1 < all; ++i) {
    const std::size_t j = i + uniform_index(stream, static_cast<std::uint32_t>(all - i));
    std::swap(sample.rewards[i], sample.rewards[j]);
    std::swap(sample.actions[i], sample.actions[j]);
  }
  if (rows < all) {
    sample.rewards.resize(rows);
    sample.actions.resize(rows);
  }
  return sample;
}

}  // namespace armature
