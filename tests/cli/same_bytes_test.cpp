// Results do not depend on the machine: the command twice, once as on a machine without fused
// multiply-add, where the C library's log, exp and pow have other last bits (docs/exactness.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/policy.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

// All but the one thing that is measured, not computed.
std::string results_of(const std::string& environment, const std::string& arguments) {
  const ProgramResult result = run_shell(
      environment + "armature simulate --quiet --threads 1 --format json " + arguments, ".");
  EXPECT_EQ(result.status, 0) << arguments << "\n" << result.err;
  auto json = nlohmann::ordered_json::parse(result.out);
  for (auto& entry : json.at("results")) entry.erase("seconds");
  return json.dump();
}

void expect_same_bytes(const std::string& arguments) {
  EXPECT_EQ(results_of("", arguments), results_of(kAsOnAnOlderMachine, arguments)) << arguments;
}

std::string every_policy() {
  std::string options;
  for (const PolicyEntry& entry : policies()) options += " -p " + entry.facts.name;
  for (const char* form :
       {"sentry:schedule=free", "sentry:schedule=spread", "sentry:proposal=cl-ucb",
        "pe:design=exact", "ucb:confidence=anytime", "c-ucb:confidence=anytime-kl",
        "hac-ucb:variant=paper", "db:bias=printed", "db:base=pe+ucb"})
    options += fmt::format(" -p {}", form);
  return options;
}

class EveryPolicy : public testing::TestWithParam<const char*> {};

TEST_P(EveryPolicy, GivesTheSameBytesOnAnOlderMachine) {
  expect_same_bytes(fmt::format("-T 1000 -m 20 -i {}{}", GetParam(), every_policy()));
}

// The first is where the C library's own functions are caught: 24,000 random marginals.
INSTANTIATE_TEST_SUITE_P(SameBytes, EveryPolicy,
                         testing::Values("random-benign:actions=60,contexts=20", "semi-benign",
                                         "bilodeau-benign", "bilodeau-confounded", "hidden-arm",
                                         "pe-trap:epsilon=0.1"));

TEST(SameBytes, RandomWorlds) {
  const TemporaryDirectory directory;
  for (const char* family : {"random-benign:actions=200,contexts=50",
                             "semi-benign:actions=300,contexts=10,concentration=0.5"}) {
    const std::string command = fmt::format("armature instance write {} ", family);
    EXPECT_EQ(run_shell(command + "here.json", directory.path()).status, 0);
    EXPECT_EQ(run_shell(kAsOnAnOlderMachine + command + "there.json", directory.path()).status, 0);
    EXPECT_TRUE(read_file(directory.file("here.json")) == read_file(directory.file("there.json")))
        << family;
  }
}

TEST(SameBytes, LateFeedback) {
  expect_same_bytes("-T 1000 -m 4 -i semi-benign --delay geometric:mean=5 --loss 0.1" +
                    every_policy());
}

TEST(SameBytes, TheLeapEngine) {
  for (const char* instance :
       {"hidden-arm:actions=4,gap=0.3", "random-benign:actions=5,contexts=3"})
    expect_same_bytes(fmt::format(
        "--engine leap -T 1e6 -m 2 -i {} -p ucb -p c-ucb -p pe -p hac-ucb -p db -p db:bias=printed "
        "-p sentry -p sentry:schedule=spread -p sentry:schedule=free -p ucb:confidence=anytime",
        instance));
}

TEST(SameBytes, Bounds) {
  for (const char* command : {"bounds --actions 20 --contexts 3 --horizon 1e6 --gap 0.1",
                              "frontier --actions 20 --contexts 3 --horizon 1e6 --format csv",
                              "advise --actions 20 --contexts 3 --horizon 1e6"}) {
    const ProgramResult here = run_shell(std::string("armature ") + command, ".");
    const ProgramResult there =
        run_shell(kAsOnAnOlderMachine + std::string("armature ") + command, ".");
    EXPECT_EQ(here.status, 0) << command << here.err;
    EXPECT_EQ(here.out, there.out) << command;
  }
}

}  // namespace
}  // namespace armature::test
