// Published results stand in for the store: every figure, table and verdict made of them is the
// same bytes. And what was asked before the data stays asked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "armature/report.h"
#include "base/refusal.h"
#include "report/resources.h"
#include "report/study_figures.h"
#include "study/questions.h"
#include "study/verdict_rules.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

// Something of everything: every kind of figure (none is asked for by name) and every rule.
constexpr const char* kEveryQuestion = R"toml(
title = "every question"
claim = "One claim."
expectation = "It holds."
seed = 5
replications = 4
horizons = [50, 100, 200]
checkpoints = 6
delay = [0, 5]

[[instances]]
instance = "pareto-benign"
label = "benign"
actions = [4, 6]
gap = 0.05

[[instances]]
instance = "bilodeau-confounded"
label = "confounded"
actions = [4, 6]

[[policies]]
policy = "ucb"

[[policies]]
policy = "db"
label = "balancer"
dial = [0, 1]

[[policies]]
policy = "oracle"

[[verdicts]]
name = "slope?"
rule = "slope"
policy = "ucb"
low = 0.4
high = 0.6

[[verdicts]]
name = "plays?"
rule = "slope"
policy = "balancer"
quantity = "plays(ucb)"
high = 1.1

[[verdicts]]
name = "ratio?"
rule = "ratio"
policy = "balancer"
against = "ucb"
high = 2

[[verdicts]]
name = "extra?"
rule = "level"
policy = "ucb"
quantity = "extra(delay)"
per = "A"
high = 5

[[verdicts]]
name = "delay?"
rule = "delay-slope"
policy = "ucb"
high = "A"

[[verdicts]]
name = "bound?"
rule = "bound"
policy = "ucb"
bound = "ucb"

[[verdicts]]
name = "plane?"
rule = "plane"
policy = "ucb"
low = 0.9

[[verdicts]]
name = "product?"
rule = "product"
policy = "ucb"
low = 1
)toml";

void replace(std::string& text, const std::string& old, const std::string& now) {
  ASSERT_NE(text.find(old), std::string::npos) << old;
  text.replace(text.find(old), old.size(), now);
}

std::string everything_said(const StudyResult& result) {
  std::string said = study_table(result) + study_words(result) + study_latex(result) +
                     verdict_section(result, {"a.svg"});
  for (const Verdict& verdict : judge(result))
    said += fmt::format("{}{}{}{}", verdict.rule.name, verdict.outcome, verdict.because,
                        verdict.p.value_or(-1));
  const DrawnFigures drawn = study_figures(result);
  for (const figures::Figure& figure : drawn.figures)
    said += figure.name + figure.caption + figure.spec;
  for (const std::string& note : drawn.notes) said += note;
  return web_bundle() ? said + study_page(result) : said;
}

// Times, and what the study ran on, are all that is said and not published.
void forget_the_run(StudyResult& result) {
  for (CellSummary& cell : result.cells) cell.seconds = 0;
  result.environment.compiler = result.environment.processor = "";
}

// What a run has left and what was published of it. Megabytes are compared by hand: the test
// program would look for their shortest difference for hours.
void expect_same(const StudyResult& published, StudyResult stored) {
  forget_the_run(stored);
  const std::string got = everything_said(published), wanted = everything_said(stored);
  EXPECT_GT(wanted.size(), 10'000u);
  if (got == wanted) return;
  const std::size_t at = static_cast<std::size_t>(
      std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end()).first - got.begin());
  const std::size_t from = at < 80 ? 0 : at - 80;
  ADD_FAILURE() << "published: …" << got.substr(from, 160) << "…\nstored: …"
                << wanted.substr(from, 160) << "…";
}

class Published : public testing::Test {
 protected:
  StudyResult run(const std::string& toml, unsigned threads = 2) {
    const std::string directory = directory_.file(fmt::format("run-{}", runs_++));
    run_study(plan_of(toml), directory, on_threads(threads));
    return read_results(directory);
  }
  TemporaryDirectory directory_;
  const std::string file_ = directory_.file("study.json");

 private:
  int runs_ = 0;
};

TEST_F(Published, SaysWhatTheStoreSays) {
  const StudyResult stored = run(kEveryQuestion);
  for (const RuleFacts& facts : verdict_rules())
    EXPECT_TRUE(std::any_of(stored.plan.study.verdicts.begin(), stored.plan.study.verdicts.end(),
                            [&](const VerdictRule& rule) { return rule.rule == facts.name; }))
        << "this test must ask a question by the rule " << facts.name;
  publish(stored, file_);
  const StudyResult read = read_published(file_);
  expect_same(read, stored);
  // A bound may be broken at any checkpoint of any horizon; here it is nowhere, and words would not
  // tell what is missing.
  for (std::size_t i = 0; i < stored.cells.size(); ++i)
    EXPECT_TRUE(std::equal(read.cells.at(i).curve.begin(), read.cells.at(i).curve.end(),
                           stored.cells[i].curve.begin(), stored.cells[i].curve.end(),
                           [](const CurvePoint& one, const CurvePoint& other) {
                             return one.round == other.round &&
                                    one.regret.most == other.regret.most;
                           }))
        << "cell " << i;
}

// A study that asks for few figures keeps little; still nothing it shows may be missing.
TEST_F(Published, KeepsNoMoreThanTheFiguresAskFor) {
  publish(run(kEveryQuestion), file_);
  const std::size_t all = read_file(file_).size();
  std::string toml = kEveryQuestion;
  replace(toml, "checkpoints = 6", "checkpoints = 6\nfigures = [\"final\", \"plane\", \"box\"]");
  toml.resize(toml.find("[[verdicts]]"));
  const StudyResult stored = run(toml);
  publish(stored, directory_.file("few.json"));
  EXPECT_LT(read_file(directory_.file("few.json")).size(), all * 7 / 10);
  expect_same(read_published(directory_.file("few.json")), stored);
}

// What a search has chosen is in the stored study and not in its file: the design is still the
// same.
TEST_F(Published, OfASearchIsOfTheDesignInTheFile) {
  const std::string toml = std::string(kSmallStudy) + "[search]\nreplications = 2\n";
  const StudyResult stored = run(toml);
  publish(stored, file_);
  const StudyResult read = read_published(file_);
  EXPECT_FALSE(read.plan.study.search->chosen.empty());
  EXPECT_EQ(other_design(read_study(toml, "test.toml"), read.plan.study), "");
  expect_same(read, stored);
}

TEST_F(Published, IsTheSameBytesHoweverTheStudyWasRun) {
  publish(run(kEveryQuestion, 1), file_);
  publish(run(kEveryQuestion, 2), directory_.file("two.json"));
  EXPECT_TRUE(read_file(file_) == read_file(directory_.file("two.json")));
  publish(read_published(file_), directory_.file("again.json"));
  EXPECT_TRUE(read_file(file_) == read_file(directory_.file("again.json")));
}

TEST_F(Published, IsRefusedUnfinishedOrDamaged) {
  StudyResult result = run(kEveryQuestion);
  publish(result, file_);
  result.complete = false;
  EXPECT_TRUE(
      contains(refusal([&] { publish(result, directory_.file("x.json")); }), "a finished one"));
  const std::string whole = read_file(file_);
  for (const auto& [old, now] :
       {std::pair("\"cells\"", "\"sells\""), std::pair("\"version\": 1", "\"version\": 2"),
        std::pair("high = 2", "high = 3"), std::pair("One claim.", "Another claim."),
        std::pair("\"world\":0", "\"world\":99"),
        std::pair("\"differences\": [\n[", "\"differences\": [\n[999"), std::pair("{\n", "{,\n")}) {
    std::string damaged = whole;
    replace(damaged, old, now);
    write_file(file_, damaged);
    EXPECT_TRUE(contains(refusal([&] { read_published(file_); }), file_)) << old;
  }
}

// One number of the file changed: the message names file and field.
TEST_F(Published, IsRefusedOutOfRange) {
  publish(run(kEveryQuestion), file_);
  const std::string whole = read_file(file_);
  // The first one behind the key, whatever it is.
  const auto with = [&](const std::string& key, const std::string& value) {
    std::string text = whole;
    const std::size_t from = text.find(key) + key.size();
    text.replace(from, text.find_first_of(",]}", from) - from, value);
    return text;
  };
  const std::string difference = "\"differences\": [\n[", share = "\"shares\":{\"c-ucb\":[";
  for (const auto& [key, value, field] : {std::tuple{"\"horizon\":", "0", "horizon"},
                                          {"\"horizon\":", "1000000000000000001", "horizon"},
                                          {"\"actions\":", "4294967300", "actions"},
                                          {"\"actions\":", "-1", "actions"},
                                          {"\"actions\":", "4.5", "actions"},
                                          {"\"contexts\":", "0", "contexts"},
                                          {"\"rank\":", "1e99", "rank"},
                                          {"\"batch\":", "0", "batch"},
                                          {"\"role\":", "\"middling\"", "role"},
                                          {"\"world\":", "-1", "world"},
                                          {"\"policy\":", "0.5", "policy"},
                                          {"\"regret\":[", "0", "regret"},
                                          {"\"regret\":[", "-4", "regret"},
                                          {"\"regret\":[", "5", "finals"},
                                          {"\"finals\":[", "1,2", "finals"},
                                          {"\"pulls\":[", "1,2", "pulls"},
                                          {"\"curve\":{\"round\":[", "999", "round"},
                                          {share.c_str(), "0.5,0.5", "c-ucb"},
                                          {difference.c_str(), "999", "differences"},
                                          {difference.c_str(), "-1", "differences"},
                                          {"\"delay\":", "\"some\"", "delay"},
                                          {"\"gap\":", "\"wide\"", "published results"}}) {
    ASSERT_NE(whole.find(key), std::string::npos) << key;
    write_file(file_, with(key, value));
    const std::string said = refusal([&] { read_published(file_); });
    EXPECT_TRUE(said.starts_with(file_ + ": " + field)) << key << value << ": " << said;
  }
  write_file(file_, whole);
  read_published(file_);
}

// --- Frozen questions ----------------------------------------------------------------------------

Study study_of(const std::string& toml) { return read_study(toml, "test.toml"); }

TEST(FrozenQuestions, AreTheSameInAnyOrderAndSpacing) {
  std::string other = kEveryQuestion;
  replace(other, "low = 0.4\nhigh = 0.6", "high =  0.60\nlow = 4e-1");
  replace(other, "\"slope?\"", "\"\"\"\n  slope?\n\"\"\"");
  replace(other, "\"One claim.\"", "\"One\\n   claim. \"");
  const Study one = study_of(kEveryQuestion), two = study_of(other);
  EXPECT_EQ(claim_fingerprint(one), claim_fingerprint(two));
  EXPECT_EQ(question_fingerprint(one.verdicts[0]), question_fingerprint(two.verdicts[0]));
  EXPECT_EQ(broken_freeze(two, one), "");
  EXPECT_EQ(other_design(two, one), "");
}

TEST(FrozenQuestions, AreBrokenByEveryChange) {
  const Study then = study_of(kEveryQuestion);
  for (const auto& [old, now] :
       {std::pair("slope?", "steeper?"), std::pair("high = 0.6", "high = 0.61"),
        std::pair("low = 0.4\n", ""), std::pair("plays(ucb)", "plays(c-ucb)"),
        std::pair("against = \"ucb\"", "against = \"balancer\""), std::pair("\"A\"", "\"2*A\""),
        std::pair("bound = \"ucb\"", "bound = \"c-ucb\""),
        std::pair("low = 0.9", "low = 0.9\nfrom = 100"), std::pair("One claim.", "A claim."),
        std::pair("It holds.", "It fails."), std::pair("every question", "any question")}) {
    std::string toml = kEveryQuestion;
    replace(toml, old, now);
    const std::string broken = broken_freeze(study_of(toml), then);
    EXPECT_TRUE(contains(broken, "questions may not be changed after their data")) << old;
    EXPECT_EQ(other_design(study_of(toml), then), "") << old;
  }
}

TEST(FrozenQuestions, DesignIsWhatDecidesTheData) {
  const Study then = study_of(kEveryQuestion);
  for (const auto& [old, now] :
       {std::pair("seed = 5", "seed = 6"), std::pair("replications = 4", "replications = 5"),
        std::pair("[50, 100, 200]", "[50, 100]"), std::pair("gap = 0.05", "gap = 0.06"),
        std::pair("dial = [0, 1]", "dial = [0, 0.5, 1]"), std::pair("[0, 5]", "[0, 6]")}) {
    std::string toml = kEveryQuestion;
    replace(toml, old, now);
    EXPECT_TRUE(contains(other_design(study_of(toml), then), "and not")) << old;
    EXPECT_EQ(broken_freeze(study_of(toml), then), "") << old;
  }
  std::string words = kEveryQuestion;
  replace(words, "seed = 5", "seed = 5\ntext = \"more words\"\nfigures = [\"box\"]");
  EXPECT_EQ(other_design(study_of(words), then), "");
}

TEST_F(Published, NewQuestionsAreLateForGood) {
  StudyResult result = run(kEveryQuestion);
  publish(result, file_);
  VerdictRule late = result.plan.study.verdicts[0];
  late.name = "a look at the data suggests?";
  result.plan.study.verdicts.insert(result.plan.study.verdicts.begin(), late);
  // Twice: that it was published once does not make it early.
  for (int i = 0; i < 2; ++i) publish(result, file_);
  const StudyResult read = read_published(file_);
  for (const Verdict& verdict : judge(read))
    EXPECT_EQ(verdict.rule.late, verdict.rule.name == late.name) << verdict.rule.name;
  EXPECT_TRUE(contains(verdict_section(read, {}),
                       "| a look at the data suggests? (asked after the data) |"));
}

TEST_F(Published, ChangedQuestionsNeedNewData) {
  StudyResult result = run(kEveryQuestion);
  publish(result, file_);
  const std::string before = read_file(file_);
  *result.plan.study.verdicts[0].high += 0.1;
  EXPECT_TRUE(contains(refusal([&] { publish(result, file_); }),
                       "add a new question, or run anew with another seed"));
  EXPECT_EQ(read_file(file_), before);
  ++result.plan.study.seed;
  publish(result, file_);
  EXPECT_FALSE(read_published(file_).plan.study.verdicts[0].late);
}

}  // namespace
}  // namespace armature::test
