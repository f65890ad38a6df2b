// A round must not allocate. The global operator new of this program counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void* counted_aligned(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t unit) { return counted_aligned(size, unit); }
void* operator new[](std::size_t size, std::align_val_t unit) {
  return counted_aligned(size, unit);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace armature {
namespace {

// A world with more actions than contenders and rewards that need Thompson's coin now and then.
World busy_world(Round horizon) {
  Stream stream({7, 0, Purpose::kTest});
  Matrix marginals(20, 5);
  std::vector<RewardLaw> laws;
  for (Arm a = 0; a < 20; ++a) {
    const auto row = dirichlet(stream, 5, 1);
    std::copy(row.begin(), row.end(), marginals.row(a).begin());
    for (Context z = 0; z < 5; ++z)
      laws.push_back(RewardLaw::table({0, stream.uniform(), 1}, {0.25, 0.5, 0.25}));
  }
  return {std::make_shared<const Instance>(Instance::general("busy", std::move(marginals), laws)),
          horizon};
}

class NoAllocation : public testing::TestWithParam<std::string> {};

TEST(AllocationCounter, Counts) {
  const std::uint64_t before = allocations;
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1u) << *number;
}

// Phased elimination may allocate when a phase ends: phases double, so in few of the rounds.
// The same for a balancer that has it as a learner, and for learned marginals when they are
// renewed.
int rounds_that_may_allocate(const std::string& policy) {
  const bool has_phases = policy.starts_with("pe") || policy.starts_with("learned-marginals") ||
                          policy.find("=pe+") != std::string::npos ||
                          policy.find("+pe+") != std::string::npos;
  return has_phases ? 3 : 0;
}

TEST_P(NoAllocation, InSteadyRounds) {
  constexpr Round kWarmUp = 1000;  // past hac-ucb's sweeps: 20·(ceil(4√T/20) + ceil(√T/20)) = 380
  constexpr Round kSteady = 2000;
  const World world = busy_world(kWarmUp + 2 * kSteady);
  const auto policy = make_policy(GetParam(), world.problem);
  Environment environment(world.tables, 1, 0);
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<std::uint64_t> pulls(20);
  policy->play(environment, kWarmUp, stream, pulls);

  int allocating_rounds = 0;
  for (Round t = 0; t < kSteady; ++t) {
    const std::uint64_t before = allocations;
    const Decision decision = policy->choose(stream);
    policy->observe(decision, environment.play(decision.arm), stream);
    allocating_rounds += allocations != before ? 1 : 0;
  }
  EXPECT_LE(allocating_rounds, rounds_that_may_allocate(GetParam())) << "in choose and observe";
  if (rounds_that_may_allocate(GetParam()) > 0) return;
  const std::uint64_t before = allocations;
  policy->play(environment, kSteady, stream, pulls);
  const std::uint64_t after = allocations;
  EXPECT_EQ(after - before, 0u) << "in play";
}

INSTANTIATE_TEST_SUITE_P(Registered, NoAllocation, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

}  // namespace
}  // namespace armature
