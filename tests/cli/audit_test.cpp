// `armature audit`: what it says, how it ends, what it leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/model.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

using Json = nlohmann::json;

const std::string kLogs = ARMATURE_SOURCE_DIR "/examples/logs/";
const std::string kColumns =
    " --action campaign --context opened,clicked --reward bought --propensity p ";

Json audited(const std::string& log, int status, const std::string& more = "") {
  const ProgramResult result =
      run_armature("audit " + log + kColumns + "--no-advice --format json " + more);
  EXPECT_EQ(result.status, status) << result.err;
  return Json::parse(result.out);
}

TEST(AuditCommand, NotRejectedEndsWith0) {
  const Json json = audited(kLogs + "mail-benign.csv", 0);
  EXPECT_EQ(json["verdict"], "not rejected");
  EXPECT_EQ(json["rows_used"], 16000);
  EXPECT_EQ(json["rows_skipped"], 0);
  EXPECT_EQ(json["actions"].size(), 8u);
  EXPECT_EQ(json["contexts"].size(), 3u);
  for (const char* field : {"counts", "marginals", "means"}) {
    ASSERT_EQ(json[field].size(), 8u) << field;
    for (const Json& row : json[field]) EXPECT_EQ(row.size(), 3u) << field;
  }
  EXPECT_GT(json["p_value"], 0.05);
  EXPECT_TRUE(json["breaks"].empty());
  EXPECT_EQ(json["log"]["format"], "CSV");
  EXPECT_TRUE(json["log"]["bad"].empty());
}

TEST(AuditCommand, RejectedEndsWith1AndNamesTheAction) {
  const Json json = audited(kLogs + "mail.csv", 1);
  EXPECT_EQ(json["verdict"], "rejected");
  ASSERT_FALSE(json["breaks"].empty());
  EXPECT_EQ(json["breaks"][0]["action"], "coupon");
  EXPECT_NEAR(json["breaks"][0]["difference"], 0.12, 0.07);
  EXPECT_EQ(json["rests_on"], "exact test");
}

TEST(AuditCommand, TooLittleDataEndsWith3) {
  const TemporaryDirectory directory;
  const std::string log = directory.file("few.csv");
  std::string text = "campaign,opened,clicked,bought,p\n";
  for (int i = 0; i < 12; ++i)
    text += std::string(i % 2 ? "a" : "b") + (i % 3 ? ",yes,no," : ",no,no,") +
            (i % 5 ? "0" : "1") + ",0.5\n";
  write_file(log, text);
  const Json json = audited(log, 3);
  EXPECT_EQ(json["verdict"], "too little data");
}

// Of an action played six times the marginals are hardly known, of one never played not at all: the
// audit answers all the same, and what it writes can be asked about.
TEST(AuditCommand, ActionsPlayedRarelyOrNeverStopNothing) {
  const TemporaryDirectory directory;
  std::string text = "action,context,reward\n";
  for (int i = 0; i < 2006; ++i)
    text += fmt::format("{},{},{}\n", i < 2000 ? "abcd"[i % 4] : 'e', i / 4 % 2 ? "x" : "y",
                        i % 3 ? 0 : 1);
  const std::string log = directory.file("rare.csv"), written = directory.file("problem.json");
  write_file(log, text);
  const ProgramResult rare = run_armature(fmt::format("audit {} --write {}", log, written));
  EXPECT_TRUE(rare.status == 0 || rare.status == 3) << rare.status << rare.err;
  EXPECT_NE(rare.out.find("Start with"), std::string::npos) << rare.out;
  EXPECT_EQ(run_armature("advise --given " + written + " --horizon 1000").status, 0);
  Problem problem = read_problem(read_file(written), written);
  problem.action_names.push_back("never");
  Matrix marginals(6, 2);
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t z = 0; z < 2; ++z) marginals(a, z) = 0.5;
  problem.marginals = std::make_shared<const Matrix>(std::move(marginals));
  const std::string given = directory.file("given.json");
  write_file(given, write_problem(problem));
  const ProgramResult never = run_armature(fmt::format("audit {} --given {}", log, given));
  EXPECT_TRUE(never.status == 0 || never.status == 3) << never.status << never.err;
}

TEST(AuditCommand, AdaptiveRestsOnTheEProcess) {
  const Json json = audited(kLogs + "mail-benign.csv", 0, "--adaptive --violation 0.5");
  EXPECT_EQ(json["rests_on"], "e-process");
  EXPECT_EQ(json["tests"][0]["test"], "e-process");
  EXPECT_FALSE(json["warnings"].empty());
}

TEST(AuditCommand, OneScreenWithARecommendation) {
  const ProgramResult result =
      run_armature("audit " + kLogs + "mail.csv" + kColumns + "--horizon 1e4 --quiet");
  EXPECT_EQ(result.status, 1) << result.err;
  for (const char* part : {"Z does not separate: given", "coupon pays", "Start with  ",
                           "would have shown", "to make it harmless", "docs/audit.md"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 40);
}

TEST(AuditCommand, WritesAProblemAndAPage) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell("armature audit " + kLogs + "mail-benign.csv" + kColumns +
                                             "--no-advice --write problem.json --report page.html",
                                         directory.path());
  EXPECT_EQ(result.status, 0) << result.err;
  const Problem problem = read_problem(read_file(directory.file("problem.json")), "problem.json");
  EXPECT_EQ(problem.actions(), 8u);
  ASSERT_TRUE(problem.epsilon);
  EXPECT_GT(*problem.epsilon, 0);
  const std::string page = read_file(directory.file("page.html"));
  for (const char* part : {"id=\"answer\"", "id=\"means\"", "id=\"marginals\"", "id=\"power\"",
                           "not rejected", "Tests, context by context"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const ProgramResult advice =
      run_shell("armature advise --given problem.json --horizon 1e3 --quiet", directory.path());
  EXPECT_EQ(advice.status, 0) << advice.err;
}

TEST(AuditCommand, RowsThatCannotBeUsedAreCountedByReason) {
  const TemporaryDirectory directory;
  std::string text = read_file(kLogs + "mail-benign.csv");
  text += "winter,no,no,1.5,0.125\nwinter,no,,0,0.125\nwinter,no,yes,0,0\nwinter,no";
  write_file(directory.file("spoilt.csv"), text);
  const Json json = audited(directory.file("spoilt.csv"), 0);
  EXPECT_EQ(json["rows_used"], 16000);
  EXPECT_EQ(json["rows_skipped"], 4);
  EXPECT_EQ(json["log"]["bad"].size(), 4u) << json["log"];
  EXPECT_EQ(json["log"]["bad"][0]["first_line"], 16002);
}

TEST(AuditCommand, SameSeedSameBytes) {
  EXPECT_EQ(audited(kLogs + "mail-benign.csv", 0), audited(kLogs + "mail-benign.csv", 0));
}

TEST(AuditCommand, Mistakes) {
  const auto error_of = [](const std::string& arguments) {
    const ProgramResult result = run_armature("audit " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    return result.err;
  };
  const std::string log = kLogs + "mail-benign.csv";
  EXPECT_NE(error_of(log + kColumns + "--level 1.5").find("--level"), std::string::npos);
  EXPECT_NE(error_of(log + kColumns + "--level 1e-300").find("1e-6 or more"), std::string::npos);
  EXPECT_NE(error_of(log + kColumns + "--violation x").find("--violation"), std::string::npos);
  EXPECT_NE(error_of(log + " --action campain --context opened --reward bought").find("campaign"),
            std::string::npos);
  EXPECT_NE(error_of("nowhere.csv" + kColumns).find("nowhere.csv"), std::string::npos);
  const TemporaryDirectory directory;
  write_file(directory.file("one.csv"), "action,context,reward\na,x,1\na,y,0\n");
  const std::string one =
      error_of(directory.file("one.csv") + " --action action --context context --reward reward");
  EXPECT_NE(one.find("one.csv"), std::string::npos) << one;
  EXPECT_NE(one.find("'a' alone"), std::string::npos) << one;
  EXPECT_NE(error_of(log + kColumns + "--report /nowhere/at/all.html").find("/nowhere"),
            std::string::npos);
}

TEST(AuditCommand, NeverWritesOverWhatItReads) {
  const TemporaryDirectory directory;
  const std::string text = read_file(kLogs + "mail-benign.csv");
  write_file(directory.file("log.csv"), text);
  const auto status = [&](const std::string& command) {
    return run_shell("armature " + command + kColumns, directory.path()).status;
  };
  for (const char* option : {"--write", "--report", "--output"})
    EXPECT_EQ(status(std::string("audit log.csv --no-advice ") + option + " ./log.csv"), 2);
  EXPECT_EQ(status("audit - --no-advice --write log.csv < log.csv"), 2);
  EXPECT_EQ(status("replay log.csv --policy ucb -o ./log.csv"), 2);
  EXPECT_EQ(status("audit log.csv --no-advice --write new --report ./new"), 2);
  EXPECT_EQ(status("audit log.csv --no-advice --write /dev/null -o /dev/null"), 0);
  EXPECT_EQ(read_file(directory.file("log.csv")), text);
}

// More contexts than the table has rows, and the rarest is the odd one.
TEST(AuditCommand, TheTableHasTheContextThatBreaks) {
  const TemporaryDirectory directory;
  std::string text = "action,context,reward\n";
  for (int z = 0; z < 14; ++z)
    for (int i = 0; i < (z == 13 ? 200 : 400 - 10 * z); ++i)
      text += std::string(i % 2 ? "a,z" : "b,z") + std::to_string(z) +
              (i / 2 % 2 || (z == 13 && i % 2) ? ",1\n" : ",0\n");
  write_file(directory.file("log.csv"), text);
  const ProgramResult result = run_armature("audit " + directory.file("log.csv") + " --no-advice");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.out.find("\nz13 "), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("\nz12 "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("… and 2 more"), std::string::npos) << result.out;
}

TEST(AuditCommand, TheScaleIsPartOfTheAnswer) {
  const TemporaryDirectory directory;
  std::string text = "action,context,reward\n";
  for (int i = 0; i < 40; ++i)
    text += std::string(i & 1 ? "a," : "b,") + (i & 2 ? "x," : "y,") + (i & 4 ? "100\n" : "0\n");
  write_file(directory.file("log.csv"), text);
  for (const std::string& command :
       {"audit " + directory.file("log.csv") + " --no-advice",
        "replay " + directory.file("log.csv") + " --uniform --always a --method ips"}) {
    const Json json = Json::parse(run_armature(command + " --scale 0,100 --format json").out);
    EXPECT_EQ(json["log"]["scale"], (Json{0, 100}));
    EXPECT_NE(json["log"]["sentences"].dump().find("Rewards from 0 to 100 became 0 to 1"),
              std::string::npos);
  }
}

// Where every context takes the same, there is no range to tell.
TEST(AuditCommand, ContextsAlikeAreOneClause) {
  const TemporaryDirectory directory;
  std::string text = "action,context,reward\n";
  for (int i = 0; i < 2000; ++i)
    text += std::string(i & 1 ? "a," : "b,") + (i & 2 ? "x," : "y,") + (i & 4 ? "1\n" : "0\n");
  write_file(directory.file("log.csv"), text);
  const Json json = Json::parse(
      run_armature("audit " + directory.file("log.csv") + " --no-advice --format json").out);
  const std::string words = json["words"][1];
  EXPECT_NE(words.find("In one context alone it takes 0."), std::string::npos) << words;
  EXPECT_EQ(words.find("takes from"), std::string::npos) << words;
}

TEST(AuditCommand, RowsUsedAreLinesAndWeightIsWhatTheyStandFor) {
  const TemporaryDirectory directory;
  std::string text = "action,context,reward,n\n";
  for (int i = 0; i < 8; ++i)
    text += std::string(i & 1 ? "a," : "b,") + (i & 2 ? "x," : "y,") + (i & 4 ? "1," : "0.5,") +
            "1000000000000\n";
  write_file(directory.file("log.csv"), text);
  const ProgramResult result =
      run_armature("audit " + directory.file("log.csv") + " --weight n --no-advice --format json");
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["rows_used"], 8);
  EXPECT_EQ(json["weight"], 8000000000000);
}

}  // namespace
}  // namespace armature::test
