#include "cuda/block.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "armature/simulate.h"
#include "linear/distinct_rows.h"

namespace armature::cuda {
namespace {

// work(from, to) for parts of 0..count, by several threads where there is much of it: making a
// hundred thousand worlds, or replications, takes the host longer than a device plays them.
template <class Work>
void in_parts(std::size_t count, unsigned most_threads, const Work& work) {
  constexpr std::size_t kOfAThread = 2048;
  const std::size_t threads = std::clamp<std::size_t>(count / kOfAThread, 1, most_threads);
  std::exception_ptr failure;
  std::mutex mutex;
  {
    std::vector<std::jthread> crew;
    for (std::size_t i = 1; i < threads; ++i)
      crew.emplace_back([&, i] {
        const ThrowingChecks until_they_are_told_here;
        try {
          work(count * i / threads, count * (i + 1) / threads);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      });
    work(0, count / threads);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

PackedWorlds::PackedWorlds(const Cell& cell, const ReplicationRange& range, unsigned threads,
                           const std::atomic<bool>& stop) {
  const std::shared_ptr<const World> first = cell.world(range.first);
  const bool fresh = range.count > 1 && cell.world(range.first + 1) != first;
  worlds_ = fresh ? range.count : 1;
  const std::uint32_t actions = first->instance->actions();
  const std::uint32_t contexts = first->instance->contexts();
  const std::size_t cells = std::size_t{actions} * contexts;
  cumulative_.resize(cells * worlds_);
  success_.resize(cells * worlds_);
  cumulative_upper_.resize(cells * worlds_);
  success_upper_.resize(cells * worlds_);
  gaps_.resize(actions * worlds_);
  marginals_.resize(cells * worlds_);
  column_high_.resize(contexts * worlds_);
  column_low_.resize(contexts * worlds_);
  row_of_.resize(actions * worlds_);
  action_of_.resize(actions * worlds_);
  next_of_.resize(actions * worlds_);
  numbers_.resize(2 * worlds_);
  tables_.actions = actions;
  tables_.contexts = contexts;
  tables_.apart = worlds_;
  std::mutex mutex;
  in_parts(worlds_, threads, [&](std::size_t from, std::size_t to) {
    std::string obstacle;
    std::uint32_t rows = 0;
    for (std::size_t place = from; place < to && obstacle.empty() && !stop; ++place) {
      const auto world =
          place == 0 ? first : cell.world(range.first + static_cast<std::uint32_t>(place));
      obstacle = world_obstacle(*world, fresh);
      if (obstacle.empty()) rows = std::max(rows, pack(*world, place));
    }
    const std::lock_guard lock(mutex);
    if (obstacle_.empty()) obstacle_ = obstacle;
    tables_.most_rows = std::max(tables_.most_rows, rows);
  });
  tables_.cumulative = cumulative_.data();
  tables_.success = success_.empty() ? nullptr : success_.data();
  tables_.cumulative_upper = cumulative_upper_.data();
  tables_.success_upper = success_upper_.data();
  tables_.gaps = gaps_.data();
  tables_.marginals = marginals_.data();
  tables_.column_high = column_high_.data();
  tables_.column_low = column_low_.data();
  tables_.row_of = row_of_.data();
  tables_.action_of = action_of_.data();
  tables_.next_of = next_of_.data();
  tables_.numbers = numbers_.data();
  tables_.law_of = law_of_.data();
  tables_.laws = laws_.data();
  tables_.law_cumulative = law_cumulative_.data();
  tables_.law_values = law_values_.data();
}

// Of twice a threshold, which words of 64 bits are compared with. Of 2^64 it is the largest there
// is: words that are equal to it are looked at in full.
static std::uint32_t upper_half(std::uint64_t threshold) {
  return threshold >> 63 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(threshold >> 31);
}

// How many distinct rows its marginals have.
std::uint32_t PackedWorlds::pack(const World& world, std::size_t place) {
  const Instance& instance = *world.instance;
  const std::uint32_t actions = tables_.actions;
  const std::uint32_t contexts = tables_.contexts;
  const auto at = [&](std::size_t i) { return i * worlds_ + place; };
  std::vector<std::uint64_t> row(contexts);
  bool all_bernoulli = true;
  for (Arm a = 0; a < actions; ++a) {
    cumulative_thresholds(instance.marginals().row(a), row);
    gaps_[at(a)] = instance.gap(a);
    for (Context z = 0; z < contexts; ++z) {
      const std::size_t cell = at(std::size_t{a} * contexts + z);
      const RewardLaw& law = instance.law(a, z);
      cumulative_[cell] = row[z];
      cumulative_upper_[cell] = upper_half(row[z]);
      if (law.kind() != RewardLaw::Kind::kBernoulli) {
        all_bernoulli = false;
        continue;
      }
      success_[cell] = threshold63(law.first());
      success_upper_[cell] = upper_half(success_[cell]);
    }
  }
  if (!all_bernoulli) pack_laws(instance);
  numbers_[at(1)] = instance.best_action();
  // Policies that need no marginals may not have been told any.
  const std::shared_ptr<const Matrix> given = world.problem.marginals;
  if (!given) return 0;
  const DistinctRows distinct = distinct_rows(*given);
  numbers_[at(0)] = static_cast<std::uint32_t>(distinct.first.size());
  std::vector<Arm> next(distinct.first.size(), actions);
  for (Arm a = actions; a-- > 0;) {
    row_of_[at(a)] = distinct.number[a];
    next_of_[at(a)] = std::exchange(next[distinct.number[a]], a);
  }
  for (std::uint32_t r = 0; r < distinct.first.size(); ++r) {
    action_of_[at(r)] = distinct.first[r];
    const auto entries = given->row(distinct.first[r]);
    for (Context z = 0; z < contexts; ++z) {
      marginals_[at(std::size_t{r} * contexts + z)] = entries[z];
      double& high = column_high_[at(z)];
      double& low = column_low_[at(z)];
      high = r == 0 ? entries[z] : std::max(high, entries[z]);
      low = r == 0 ? entries[z] : std::min(low, entries[z]);
    }
  }
  return numbers_[at(0)];
}

// Of one world for all.
void PackedWorlds::pack_laws(const Instance& instance) {
  success_.clear();
  law_of_ = instance.parts().law_of;
  for (const RewardLaw& law : instance.parts().laws) {
    Law packed{Law::kPoint, static_cast<std::uint32_t>(law_values_.size()), 0, 0, law.first()};
    if (law.kind() == RewardLaw::Kind::kBernoulli) {
      packed.kind = Law::kBernoulli;
      packed.threshold = threshold63(law.first());
    } else if (law.kind() == RewardLaw::Kind::kTable) {
      packed.kind = Law::kTable;
      packed.outcomes = static_cast<std::uint32_t>(law.values().size());
      std::vector<std::uint64_t> cumulative(law.values().size());
      cumulative_thresholds(law.probabilities(), cumulative);
      law_cumulative_.insert(law_cumulative_.end(), cumulative.begin(), cumulative.end());
      law_values_.insert(law_values_.end(), law.values().begin(), law.values().end());
    }
    laws_.push_back(packed);
  }
}

BlockResults::BlockResults(const Cell& cell, std::uint32_t replications, std::uint32_t actions,
                           std::uint32_t facts_of_one, const Allocate& allocate)
    : count(replications),
      facts_each(facts_of_one),
      facts_followed(cell.follow_shares && facts_of_one > 0) {
  const std::size_t regrets = cell.checkpoints.size() * count;
  const std::size_t all_facts =
      (facts_followed ? cell.checkpoints.size() : 1) * std::size_t{facts_of_one} * count;
  const std::size_t all_plays = std::size_t{actions} * count;
  memory_ = allocate(8 * (regrets + all_facts + all_plays));
  auto* const numbers = static_cast<double*>(memory_.get());
  regret = {numbers, regrets};
  facts = {numbers + regrets, all_facts};
  plays = {static_cast<std::uint64_t*>(memory_.get()) + regrets + all_facts, all_plays};
}

std::vector<Replication> replications_of(const Cell& cell, const CellPlan& plan,
                                         const PackedWorlds& worlds, const BlockResults& results,
                                         std::uint32_t finished, unsigned threads) {
  const std::size_t checkpoints = cell.checkpoints.size();
  const std::uint32_t actions = worlds.sizes().actions;
  std::vector<Replication> all(finished);
  in_parts(finished, threads, [&](std::size_t from, std::size_t to) {
    std::vector<double> facts(results.facts_each);
    const auto told = [&](std::size_t when, std::uint32_t replication) {
      for (std::size_t i = 0; i < facts.size(); ++i)
        facts[i] = results.facts[(when * facts.size() + i) * results.count + replication];
      return plan.told(plan.setting, facts.data());
    };
    for (auto r = static_cast<std::uint32_t>(from); r < to; ++r) {
      Replication& one = all[r];
      one.regret.resize(checkpoints);
      for (std::size_t c = 0; c < checkpoints; ++c)
        one.regret[c] = results.regret[c * results.count + r];
      one.pulls.resize(actions);
      for (Arm a = 0; a < actions; ++a)
        one.pulls[a] = results.plays[std::size_t{a} * results.count + r];
      const auto most = std::max_element(one.pulls.begin(), one.pulls.end());
      one.simple_regret = worlds.gap(r, static_cast<Arm>(most - one.pulls.begin()));
      one.diagnostics = told(results.facts_followed ? checkpoints - 1 : 0, r);
      if (!cell.follow_shares) continue;
      one.shares.resize(checkpoints);
      for (std::size_t c = 0; c < checkpoints && results.facts_followed; ++c)
        for (Diagnostic& diagnostic : told(c, r))
          if (diagnostic.name.starts_with("share(")) one.shares[c].push_back(std::move(diagnostic));
    }
  });
  return all;
}

}  // namespace armature::cuda
