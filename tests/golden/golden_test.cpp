// Readable traces of every registered policy on one small instance: what behaviour changed shows in
// review as a diff. Regenerate with ARMATURE_REGENERATE=1 golden_tests
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "armature/simulate.h"
#include "base/file.h"
#include "support/program.h"

namespace armature {
namespace {

constexpr Round kRounds = 60;
constexpr std::uint64_t kSeed = 42;
const std::filesystem::path kTraces =
    std::filesystem::path(ARMATURE_SOURCE_DIR) / "tests/golden/traces";

// Four actions, three contexts. Benign but for the last action, which hides a bonus in context 0,
// and two actions with the same marginals. Quarters and halves, so that the trace can be followed
// by hand.
World golden_world() {
  Matrix marginals(4, 3);
  const double rows[4][3] = {
      {0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}};
  std::vector<RewardLaw> laws;
  for (Arm a = 0; a < 4; ++a) {
    std::copy(rows[a], rows[a] + 3, marginals.row(a).begin());
    laws.push_back(RewardLaw::bernoulli(a == 3 ? 0.875 : 0.25));
    laws.push_back(RewardLaw::bernoulli(0.75));
    laws.push_back(RewardLaw::table({0, 0.5, 1}, {0.5, 0.25, 0.25}));
  }
  return {std::make_shared<const Instance>(Instance::general("golden", std::move(marginals), laws)),
          kRounds};
}

std::string trace_of(const std::string& text) {
  const World world = golden_world();
  const auto policy = make_policy(text, world.problem);
  Environment environment(world.tables, kSeed, 0);
  Stream stream({kSeed, 0, Purpose::kPolicy});
  std::string trace = fmt::format("policy {}\n\nround  arm  context  reward\n", policy->text());
  for (Round t = 1; t <= kRounds; ++t) {
    const Decision decision = policy->choose(stream);
    const Outcome outcome = environment.play(decision.arm);
    policy->observe(decision, outcome, stream);
    trace +=
        fmt::format("{:5}  {:3}  {:7}  {:6}\n", t, decision.arm, outcome.context, outcome.reward);
  }
  trace += fmt::format("\nstate\n{}digest {:016x}\nrandom words used {}\n", policy->dump(),
                       policy->digest(), stream.position());
  for (const Diagnostic& diagnostic : policy->diagnostics())
    trace += fmt::format("diagnostic {} = {}\n", diagnostic.name, diagnostic.value);
  return trace;
}

std::filesystem::path file_of(const std::string& policy) { return kTraces / (policy + ".txt"); }

bool regenerating() {
  const char* asked = std::getenv("ARMATURE_REGENERATE");
  return asked != nullptr && std::string(asked) == "1";
}

std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policies()) names.push_back(entry.facts.name);
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TraceIsAsRecorded) {
  const std::string trace = trace_of(GetParam());
  if (regenerating()) write_file(file_of(GetParam()).string(), trace);
  ASSERT_TRUE(std::filesystem::exists(file_of(GetParam())))
      << "no trace of a new policy yet: run ARMATURE_REGENERATE=1 golden_tests";
  EXPECT_EQ(read_file(file_of(GetParam()).string()), trace);
}

std::string readable_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registered, Golden, testing::ValuesIn(registered_names()), readable_name);

// docs/exactness.md: this program once more, as on another machine.
TEST(GoldenTraces, AreTheSameOnAnOlderMachine) {
  if (regenerating()) GTEST_SKIP() << "written once";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const test::ProgramResult again =
      test::run_shell(test::kAsOnAnOlderMachine + self + " --gtest_filter='Registered/*'", ".");
  EXPECT_EQ(again.status, 0) << again.out;
  const std::string all = fmt::format("[  PASSED  ] {} tests", registered_names().size());
  EXPECT_NE(again.out.find(all), std::string::npos) << again.out;
}

TEST(GoldenTraces, BelongToRegisteredPolicies) {
  const std::vector<std::string> names = registered_names();
  for (const auto& entry : std::filesystem::directory_iterator(kTraces))
    EXPECT_TRUE(std::count(names.begin(), names.end(), entry.path().stem().string()) == 1)
        << entry.path() << " is the trace of no policy";
}

}  // namespace
}  // namespace armature
