#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

using Json = nlohmann::json;

std::string output_of(const std::string& arguments) {
  const ProgramResult result = run_armature("advise -q " + arguments);
  EXPECT_EQ(result.status, 0) << arguments << result.err;
  return result.out;
}

std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

void expect_fits(const std::string& text, std::size_t most_lines) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_LE(columns_of(line), 80u) << line;
  EXPECT_LE(count, most_lines) << text;
}

TEST(AdviseCommand, IsOneScreen) {
  const std::string text = output_of("-A 20 -Z 2 -T 2000");
  expect_fits(text, 40);
  for (const char* part : {"Play  ", "Expected regret", "benign", "hidden", "confounded",
                           "Where it loses", "What to watch", "To run it", "--why"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  expect_fits(output_of("-i bilodeau-confounded:actions=4 -T 1000 --delay geometric:mean=10"), 40);
  expect_fits(output_of("-A 4 -Z 3 -T 500 --marginals unknown --no-horizon"), 40);
  expect_fits(output_of("-A 1e6 -Z 1e4 -T 1e15 --leaning trust"), 40);
}

TEST(AdviseCommand, SaysWhyWhenAsked) {
  const std::string text = output_of("-A 20 -Z 2 -T 1000 --gap 0.2 --why");
  expect_fits(text, 120);
  for (const char* part : {"Symbols.", "Is the horizon long enough", "Who promises what?",
                           "What if Z is wrong?", "gap 0.2: sentry's test must fire"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(AdviseCommand, SpeaksToPrograms) {
  const Json json = Json::parse(output_of("-A 5 -Z 2 -T 500 --epsilon 0.01 -f json"));
  EXPECT_EQ(json["question"]["actions"], 5);
  EXPECT_EQ(json["question"]["epsilon"], 0.01);
  ASSERT_EQ(json["worlds"].size(), 3u);
  EXPECT_EQ(json["worlds"][0]["costs"][1]["policy"], "warden:epsilon=0.01");
  EXPECT_EQ(json["theory"].size(), 5u);
  EXPECT_TRUE(output_of("-A 5 -Z 2 -T 500 -f csv")
                  .starts_with("world,instance,policy,recommended,mean,standard_error"));
}

// What is advised can be played: the text forms and commands are those that simulate takes.
TEST(AdviseCommand, ItsCommandsRun) {
  const Json json = Json::parse(output_of("-A 5 -Z 2 -T 500 --no-horizon -f json"));
  ASSERT_FALSE(json["commands"].empty());
  for (const std::string command : json["commands"]) {
    const ProgramResult result = run_shell(command, ".");
    EXPECT_EQ(result.status, 0) << command << result.err;
  }
  for (const Json& cost : json["worlds"][0]["costs"]) {
    const std::string policy = cost["policy"];
    EXPECT_EQ(run_armature("simulate -i hidden-arm -T 100 -m 1 -q -p '" + policy + "'").status, 0);
  }
}

TEST(AdviseCommand, TakesMarginalsOfOnesOwn) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("problem.json");
  write_file(file, R"({"format": "armature-problem", "version": 1, "actions": 3, "contexts": 2,
                       "epsilon": 0.05, "marginals": [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]})");
  const std::string text = output_of("--given " + file + " -T 500");
  EXPECT_NE(text.find("3 actions, 2 contexts, 500 rounds, marginals within 0.05"),
            std::string::npos)
      << text;
  const ProgramResult wrong = run_armature("advise -A 4 -T 500 --given " + file);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--actions: got '4'"), std::string::npos) << wrong.err;
}

TEST(AdviseCommand, SameQuestionSameBytes) {
  const std::string question = "-A 6 -Z 2 -T 3e5 --gap 0.2 -f json";
  EXPECT_EQ(output_of(question + " -j 1"), output_of(question + " -j 3"));
}

TEST(AdviseCommand, AnswersFromOneRoundTo1e18) {
  for (const std::string sizes :
       {"-A 2 -Z 1 -T 1", "-A 2 -Z 2 -T 1", "-A 1e9 -Z 1e9 -T 1e18", "-A 1e9 -Z 2 -T 2^59"})
    EXPECT_FALSE(Json::parse(output_of(sizes + " --gap 1e-300 -f json"))["policy"].empty());
}

TEST(AdviseCommand, RefusesWhatIsNoQuestion) {
  for (const auto& [arguments, message] :
       {std::pair("-A 1 -Z 2 -T 100", "at least 2"),
        {"-A 3 -Z 2 -T 100 --leaning maybe", "--leaning"},
        {"-A 3 -Z 2 -T 100 --given no-such-file.json", "no-such-file.json"},
        {"-A 3 -Z 2 -T 100 --delay soon", "soon"}}) {
    const ProgramResult result = run_armature(std::string("advise ") + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.err.find(message), std::string::npos) << arguments << result.err;
  }
}

}  // namespace
}  // namespace armature::test
