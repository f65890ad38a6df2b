// Questions that can fail: questions of the paper's studies are put to policies that ought to fail
// them, in the study's own worlds at smaller sizes. Each must be contradicted, or at least not hold
// where the policy that is really asked about does.
#include <gtest/gtest.h>

#include "armature/parameters.h"
#include "base/file.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

struct Planted {
  const char* study;     // a file of studies/paper
  const char* question;  // how its name begins
  const char* policy;    // plays in place of the policy that is asked about
  std::vector<std::string> sizes;
};

// The study with one question, asked of the planted policy under the label of the real one, or of
// the real one (no policy).
Study planted_study(const Planted& planted) {
  const std::string path =
      std::string(ARMATURE_SOURCE_DIR "/studies/paper/") + planted.study + ".toml";
  Study study = read_study(read_file(path), path, planted.sizes);
  std::erase_if(study.verdicts,
                [&](const VerdictRule& rule) { return !rule.name.starts_with(planted.question); });
  EXPECT_EQ(study.verdicts.size(), 1u) << planted.study << ": " << planted.question;
  VerdictRule& rule = study.verdicts.front();
  rule.from = rule.until = std::nullopt;  // horizons of the study's own sizes
  const auto is = [](const GridEntry& entry, const std::string& called) {
    return !called.empty() && (entry.label.empty() ? entry.name : entry.label) == called;
  };
  std::erase_if(study.policies, [&](const GridEntry& entry) {
    return !is(entry, rule.policy) && !is(entry, rule.against);
  });
  for (GridEntry& entry : study.policies) {
    if (!is(entry, rule.policy) || planted.policy == nullptr) continue;
    const TextForm form = TextForm::parse(planted.policy);
    entry.label = rule.policy;
    entry.name = form.name;
    entry.axes.clear();
    for (const auto& [key, value] : form.values) entry.axes.push_back({key, {value}});
  }
  study.figures.clear();
  return study;
}

// Prints in place of its bytes.
void PrintTo(const Planted& planted, std::ostream* stream) {
  *stream << planted.study << ": " << planted.question << " ← " << planted.policy;
}

class PlantedQuestion : public testing::TestWithParam<Planted> {};

Verdict answer_to(const Planted& planted) {
  const test::TemporaryDirectory directory;
  run_study(plan_study(planted_study(planted)), directory.file("run"), test::on_threads(2));
  return judge(read_results(directory.file("run"))).at(0);
}

TEST_P(PlantedQuestion, IsFoundOut) {
  const Verdict verdict = answer_to(GetParam());
  if (verdict.outcome == "contradicted") return;
  EXPECT_NE(verdict.outcome, "holds") << verdict.because;
  Planted real = GetParam();
  real.policy = nullptr;
  const Verdict other = answer_to(real);
  EXPECT_EQ(other.outcome, "holds") << verdict.because << "; the real one: " << other.because;
}

const std::vector<std::string> kSmall = {"horizons=[1000,4000,16000]", "replications=6",
                                         "search={replications=2}"};
const std::vector<std::string> kOne = {"horizons=[20000]", "replications=6",
                                       "search={replications=2}"};

INSTANTIATE_TEST_SUITE_P(
    Paper, PlantedQuestion,
    testing::Values(
        Planted{"corner", "db: R₁ is at most", "uniform", kOne},
        Planted{"corner", "warden: R₁ is at most", "uniform", kOne},
        Planted{"corner", "db: R₁ does not grow with |A|", "db:bias=printed", kOne},
        Planted{"corner", "db: R₁ does not grow with |A|", "ucb", kOne},
        Planted{"corner", "warden: R₁ does not grow with |A|", "ucb", kOne},
        Planted{"frontier-actions-paper", "warden: R₁R₂ grows like |A|", "uniform", kOne},
        Planted{"frontier-actions-paper", "warden: R₁R₂ grows like |A|", "db:bias=printed", kOne},
        Planted{"frontier-actions-paper", "ucb: R₁R₂ grows like |A|", "c-ucb", kOne},
        Planted{"frontier-actions-paper", "ucb: R₁ grows like √|A|", "c-ucb", kOne},
        Planted{"frontier-horizons-paper", "ucb: R₁R₂ grows like T", "uniform", kSmall},
        Planted{"frontier-horizons-paper", "hac-ucb is off", "uniform", kSmall},
        Planted{"frontier-horizons-paper", "db: R₁ grows like √T", "uniform", kSmall},
        Planted{"frontier-dials", "warden: R₁R₂ is at most", "uniform", kOne},
        Planted{"hac-ucb",
                "hac-ucb, text: the worst regret",
                "c-ucb",
                {"horizons=[1e4,3e4,1e5,3e5,1e6]", "replications=3", "search={replications=2}"}},
        Planted{"hac-ucb",
                "hac-ucb, text: the worst regret",
                "ucb",
                {"horizons=[1e4,3e4,1e5,3e5,1e6]", "replications=3", "search={replications=2}"}},
        Planted{"misprinted-bias",
                "corrected:",
                "db:bias=printed",
                {"horizons=[100000]", "replications=2"}},
        Planted{"misprinted-bias", "printed: grows", "db", {"replications=4"}},
        Planted{"pe-balanced-actions", "db of pe and ucb: R₁ does not grow", "ucb", kOne},
        Planted{"pe-balanced", "pe: R₁ grows like √T", "uniform", kSmall},
        Planted{"pe-gap", "a plateau", "uniform", {"horizons=[1000,4000,16000]", "replications=4"}},
        Planted{"pe-gap", "grows like 1/Δ", "uniform", {"horizons=[16000]", "replications=4"}},
        Planted{"pe-trap",
                "at least Δ in every round",
                "ucb",
                {"horizons=[1000,10000,100000]", "replications=4"}},
        Planted{"zero-knowledge", "ucb: at least", "oracle", kOne},
        Planted{"zero-knowledge", "ucb: the worst case grows like √|A|", "uniform", kOne},
        Planted{"roadblocks",
                "benign: ucb grows",
                "uniform",
                {"horizons=[1000,4000,16000]", "replications=4"}},
        Planted{"roadblocks",
                "hidden arm: warden grows",
                "c-ucb",
                {"horizons=[1000,4000,16000]", "replications=4"}},
        Planted{"semi-benign",
                "warden never regrets",
                "c-ucb",
                {"horizons=[10000]", "replications=20"}},
        Planted{
            "ucb-anytime", "bilodeau-confounded: c-ucb is linear", "ucb", {"replications=20"}}));

// Extra regret along another key than its own: the cells it is measured from make no line.
TEST(PlantedQuestions, ExtraRegretByRankHasAnAnswer) {
  const Verdict verdict = answer_to(
      {"rank-epsilon", "c-ucb: extra regret", nullptr, {"horizons=[2000]", "replications=60"}});
  EXPECT_TRUE(verdict.value.has_value()) << verdict.because;
}

}  // namespace
}  // namespace armature
