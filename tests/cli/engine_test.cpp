// The engines on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"

namespace armature::test {
namespace {

nlohmann::json results_of(const std::string& arguments) {
  const ProgramResult result = run_armature("simulate --quiet --format json " + arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out).at("results");
}

TEST(EngineOption, LeapReachesABillionBillionths) {
  for (const auto& entry : results_of(
           "--engine leap -i hidden-arm:actions=4,gap=0.3 -T 1e12 -m 2 -p ucb -p c-ucb -p pe "
           "-p hac-ucb -p db:bias=printed -p sentry -p sentry:schedule=spread -p uniform -p "
           "round-robin -p fixed")) {
    double plays = 0;
    for (const double pulls : entry.at("pulls")) plays += pulls;
    EXPECT_NEAR(plays, 1e12, 1) << entry.at("policy");
    EXPECT_TRUE(entry.at("diagnostics").contains("events")) << entry.at("policy");
    EXPECT_LE(entry.at("diagnostics").at("leap_error").at("mean"), 1e-6) << entry.at("policy");
  }
}

TEST(EngineOption, AutomaticLeapsWhereItMustAndCan) {
  const auto leapt = [](const std::string& arguments) {
    return results_of(arguments)[0].at("diagnostics").contains("events");
  };
  EXPECT_TRUE(leapt("-i hidden-arm:actions=3,gap=0.4 -p ucb -T 2e6 -m 1"));
  EXPECT_FALSE(leapt("-i hidden-arm:actions=3,gap=0.4 -p ucb -T 1e6 -m 1"));
  EXPECT_FALSE(leapt("-i hidden-arm:actions=3,gap=0.4 -p ucb -T 2e6 -m 1 --engine step"));
  EXPECT_FALSE(leapt("-i hidden-arm:actions=3,gap=0.4 -p moss -T 2e6 -m 1"));
}

TEST(EngineOption, RefusalsNameThePolicyAndTheReason) {
  const auto refusal = [](const std::string& arguments) {
    const ProgramResult result = run_armature("simulate -i hidden-arm -T 1000 " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    return result.err;
  };
  EXPECT_NE(refusal("--engine leap -p ts").find("ts: no certificate"), std::string::npos);
  EXPECT_NE(refusal("--engine leap -p ucb --delay fixed:5").find("not prompt"), std::string::npos);
  EXPECT_NE(refusal("-p ucb --leap-tolerance 0").find("--leap-tolerance"), std::string::npos);
  EXPECT_NE(refusal("--engine leap --max-events 10 -p ucb").find("--max-events"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::test
