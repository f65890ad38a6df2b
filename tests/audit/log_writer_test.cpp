// What is written is read back: every name, every number, and what the header says.
#include "audit/log_writer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/log.h"
#include "base/file.h"
#include "support/program.h"

namespace armature {
namespace {

using test::TemporaryDirectory;

LogWriter::Origin origin_of(std::vector<std::string> policies) {
  return {"mail.json", std::move(policies), 7, "prompt", {"a", "b, \"c\"", " d "}, {"x", "y\nz"}};
}

TEST(LogWriter, WhatIsWrittenIsReadBack) {
  const TemporaryDirectory directory;
  for (const char* name : {"log.csv", "log.csv.gz"}) {
    LogWriter writer(directory.file(name), origin_of({"uniform", "ucb:scale=0.5"}));
    const double third = 1.0 / 3;
    writer.add({0, 0, 0, third, 0, 1});
    writer.add({0, 1, 1, third, 1, 0});
    writer.add({1, 0, 2, std::nullopt, 1, 0.1 + 0.2});
    EXPECT_TRUE(directory.listing().size() == 1 || std::string(name) == "log.csv.gz");
    writer.commit();
    const auto log = open_log(directory.file(name), {});
    LogRow row;
    ASSERT_TRUE(log->next(row));
    EXPECT_EQ(row.propensity, third);
    EXPECT_EQ(row.reward, 1);
    ASSERT_TRUE(log->next(row));
    ASSERT_TRUE(log->next(row));
    EXPECT_EQ(row.reward, 0.1 + 0.2);
    EXPECT_TRUE(std::isnan(row.propensity));
    EXPECT_FALSE(log->next(row));
    EXPECT_EQ(log->actions(), (std::vector<std::string>{"a", "b, \"c\"", " d "}));
    EXPECT_EQ(log->contexts(), (std::vector<std::string>{"x", "y\nz"}));
    EXPECT_EQ(log->facts().policy, "uniform, ucb:scale=0.5");
    EXPECT_TRUE(log->adaptive());
  }
}

TEST(LogWriter, TheHeaderSaysWhetherDecisionsDependOnOutcomes) {
  for (const auto& [policy, learns] :
       std::vector<std::pair<std::string, bool>>{{"uniform", false},
                                                 {"round-robin", false},
                                                 {"fixed:arm=2", false},
                                                 {"oracle", false},
                                                 {"ucb", true},
                                                 {"sentry:share=0.1", true},
                                                 {"floor:base=ucb", true}}) {
    EXPECT_EQ(policy_learns(policy), learns) << policy;
    const TemporaryDirectory directory;
    LogWriter writer(directory.file("log"), origin_of({policy}));
    writer.add({0, 0, 0, 1.0, 0, 1});
    writer.commit();
    EXPECT_EQ(open_log(directory.file("log"), {})->adaptive(), learns) << policy;
  }
}

TEST(LogWriter, NothingIsThereBeforeItIsCommitted) {
  const TemporaryDirectory directory;
  {
    LogWriter writer(directory.file("log"), origin_of({"uniform"}));
    writer.add({0, 0, 0, 1.0, 0, 1});
  }
  EXPECT_TRUE(directory.listing().empty());
}

}  // namespace
}  // namespace armature
