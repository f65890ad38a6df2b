#include "report/policy_looks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "armature/policy.h"
#include "armature/theory.h"
#include "base/file.h"
#include "report/cell_bound.h"
#include "support/colour_vision.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_cell;
using test::made_result;
using test::MadeStudy;

// Without those that other tests of this program have registered as a host would.
std::vector<std::string> registered() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policies())
    if (!entry.facts.name.starts_with("test-")) names.push_back(entry.facts.name);
  return names;
}

bool same(const figures::Look& one, const figures::Look& other) {
  return one.hue == other.hue && one.dash == other.dash && one.shape == other.shape &&
         one.shade == other.shade;
}

// Not to be confused by a reader of any kind of colour vision: by colour, or else by both dash and
// shape.
bool told_apart(const figures::Look& one, const figures::Look& other) {
  constexpr double kApart = 15;  // in CIELAB; 2.3 is just noticeable
  return test::colour_distance(colour(one), colour(other)) >= kApart ||
         (one.dash != other.dash && one.shape != other.shape);
}

// Printed without colour: by lightness, or else by shape.
bool told_apart_in_grey(const figures::Look& one, const figures::Look& other) {
  constexpr double kApart = 8;  // of 100
  const auto lightness = [](const figures::Look& look) {
    return test::cielab(test::linear_colour(colour(look)))[0];
  };
  return std::abs(lightness(one) - lightness(other)) >= kApart || one.shape != other.shape;
}

TEST(PolicyLooks, EveryPolicyOfTheRegistryHasARowOfItsOwn) {
  const figures::Looks looks = looks_of_policies(registered());
  for (const figures::Look& one : looks) {
    EXPECT_TRUE(one.hue != figures::Hue::kGrey || one.name == "uniform" ||
                one.name == "round-robin" || one.name == "fixed")
        << one.name << " has no row in report/policy_looks.cpp";
    for (const figures::Look& other : looks)
      EXPECT_TRUE(&one == &other || told_apart(one, other)) << one.name << " " << other.name;
  }
}

TEST(PolicyLooks, TwoOfOneHueHaveTwoColours) {
  std::map<std::string, std::string> owners;
  for (const figures::Look& look : looks_of_policies(registered())) {
    const auto [owner, first] = owners.emplace(colour(look), look.name);
    const std::set<std::string> pair = {look.name, owner->second};
    EXPECT_TRUE(first || pair.count("kl-ucb") + pair.count("learned-marginals") == 1)
        << look.name << " and " << owner->second;
  }
}

// A reader who has learnt a look keeps it: no change of the registry, of the order of a file or of
// this table's other rows moves these.
TEST(PolicyLooks, APolicyKeepsItsLookForGood) {
  const std::map<std::string, std::string> colours = {
      {"ucb", "#0871BC"},     {"c-ucb", "#F28E1C"}, {"sentry", "#54B972"}, {"warden", "#D3171E"},
      {"db", "#7134DA"},      {"moss", "#9AA6EC"},  {"pe", "#A3233B"},     {"ts", "#7E4A82"},
      {"hac-ucb", "#E196B4"}, {"c-ts", "#A8A24A"},  {"d3rb", "#C274FA"},   {"kl-ucb", "#A3233B"}};
  std::vector<std::string> names = registered();
  const figures::Looks there = looks_of_policies(names);
  names.push_back("a-policy-of-tomorrow");
  std::reverse(names.begin(), names.end());
  const figures::Looks back = looks_of_policies(names);
  for (const figures::Look& look : there) {
    EXPECT_TRUE(same(look, look_of(back, look.name))) << look.name;
    EXPECT_TRUE(same(look, looks_of_policies({look.name}).front())) << look.name;
  }
  for (const auto& [name, wanted] : colours)
    EXPECT_EQ(colour(look_of(there, name)), wanted) << name;
}

TEST(PolicyLooks, AHostsOwnPolicyHasAGreyOneByItsName) {
  const figures::Looks looks = looks_of_policies({"mine", "yours", "ucb"});
  EXPECT_EQ(looks[0].hue, figures::Hue::kGrey);
  EXPECT_EQ(looks[1].hue, figures::Hue::kGrey);
  EXPECT_FALSE(same(looks[0], looks[1]));
  EXPECT_TRUE(same(looks[0], looks_of_policies({"mine"}).front()));
}

// Everything that a figure of a published study may draw side by side.
TEST(PolicyLooks, NobodyInThePublishedStudiesIsTakenForAnother) {
  std::size_t studies = 0;
  for (const char* folder : {"studies", "studies/paper"})
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(ARMATURE_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".toml") continue;
      ++studies;
      Study study = read_study(read_file(file.path().string()), file.path().string());
      study.search.reset();  // all policies, and not only cells that were chosen
      const StudyPlan plan = plan_study(study);
      const figures::Looks looks = looks_of(plan);
      const std::vector<std::string> drawn = policies_to_draw(plan).names;
      std::set<std::string> whole;  // sweeps, as a plane shows them
      for (const PlannedCell& cell : plan.cells) whole.insert(cell.sweep());
      const auto check = [&](const auto& names, const auto& apart) {
        for (const std::string& one : names)
          for (const std::string& other : names)
            EXPECT_TRUE(one == other || apart(look_of(looks, one), look_of(looks, other)))
                << file.path() << ": " << one << " and " << other;
      };
      check(drawn, told_apart);
      check(whole, told_apart);
      check(whole, told_apart_in_grey);
    }
  EXPECT_GE(studies, 20u);
}

TEST(PolicyLooks, MembersOfASweepShareAHueAndDifferInShadeAndShape) {
  const figures::Looks looks = looks_of(made_result(test::rich_study()).plan);
  const figures::Look &first = look_of(looks, "db:dial=0"), &last = look_of(looks, "db:dial=1");
  EXPECT_EQ(first.hue, last.hue);
  EXPECT_LT(first.shade, last.shade);
  EXPECT_NE(first.shape, last.shape);
  EXPECT_EQ(look_of(looks, "db").hue, first.hue);
  EXPECT_NE(look_of(looks, "ucb").hue, first.hue);
}

// The plain look is the one of the policy's own name, wherever it stands in the file.
TEST(PolicyLooks, VariantsOfAPolicyGiveWayToIt) {
  MadeStudy made = test::small_study();
  made.policies = {{"safer", "sentry:share=0.1"}, {"ucb", "ucb"}, {"sentry", "sentry"}};
  const figures::Looks looks = looks_of(made_result(made).plan);
  EXPECT_TRUE(same(look_of(looks, "sentry"), looks_of_policies({"sentry"}).front()));
  EXPECT_EQ(look_of(looks, "safer").hue, look_of(looks, "sentry").hue);
  EXPECT_NE(look_of(looks, "safer").shape, look_of(looks, "sentry").shape);
  EXPECT_EQ(looks.front().name, "safer");  // legends follow the file
}

TEST(PolicyLooks, TheOracleComesLast) {
  MadeStudy made = test::small_study();
  made.policies.insert(made.policies.begin(), {"oracle", "oracle"});
  EXPECT_EQ(looks_of(made_result(made).plan).back().name, "oracle");
}

TEST(PolicyLooks, OfALongSweepThreeAreDrawn) {
  const DrawnPolicies drawn = policies_to_draw(made_result(test::rich_study()).plan);
  EXPECT_EQ(drawn.thinned, std::vector<std::string>{"db"});
  EXPECT_EQ(drawn.names, (std::vector<std::string>{"ucb", "c-ucb", "hac-ucb", "pe", "sentry",
                                                   "db:dial=0", "db:dial=0.5", "db:dial=1"}));
}

PlannedCell cell_of(const std::string& policy, bool benign) {
  return made_cell({"x", "x", benign}, {policy, policy}, 1'000'000);
}

TEST(CellBound, IsTheTheorysWhereItHolds) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 1e6;
  setting.rank = 2;
  EXPECT_EQ(cell_bound(cell_of("ucb", false), 1e5), ucb_bound(setting, 1e5));
  EXPECT_EQ(cell_bound(cell_of("c-ucb", true), 1e5), c_ucb_sharp_bound(setting, 1e5));
  EXPECT_EQ(cell_bound(cell_of("c-ucb", false), 1e5), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("pe", true), 1e6), pe_bound(setting, 1e6));
  EXPECT_EQ(cell_bound(cell_of("hac-ucb", true), 1e6), std::nullopt);  // a rate, no bound
  setting.delta = 0.01;
  EXPECT_EQ(cell_bound(cell_of("ucb:delta=0.01", true), 1e5), ucb_bound(setting, 1e5));
}

TEST(CellBound, IsAbsentWhereNothingIsProvedOrSaid) {
  EXPECT_EQ(cell_bound(cell_of("ucb:scale=0.5", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("ucb", true), 100), std::nullopt);  // above t
  EXPECT_EQ(cell_bound(cell_of("db", true), 1e5), std::nullopt);   // proved at T only
  PlannedCell wrong = cell_of("c-ucb", true);
  wrong.epsilon = 0.1;
  EXPECT_EQ(cell_bound(wrong, 1e6), std::nullopt);
}

// In the mean, at the level that ran: 0.05 unless told otherwise.
TEST(CellBound, WardensIsThatOfWhatRan) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 1e6;
  setting.delta = 0.05;
  WardenForm form;
  EXPECT_EQ(cell_bound(cell_of("warden", true), 1e6), warden_benign_bound(setting, form));
  EXPECT_EQ(cell_bound(cell_of("warden", false), 1e6), warden_any_bound(setting, form));
  EXPECT_EQ(cell_bound(cell_of("warden", true), 5e5), warden_benign_bound(setting, form, 5e5));
  EXPECT_EQ(cell_bound(cell_of("warden", false), 5e5), warden_any_bound(setting, form, 5e5));
  setting.delta = 1e-6;
  form.allowance = 5;
  form.patience = 20;
  for (const char* text :
       {"warden:r=5,patience=20,delta=1e-6", "warden:R1=100,patience=20,delta=1e-6"})
    EXPECT_EQ(cell_bound(cell_of(text, true), 1e5), warden_benign_bound(setting, form, 1e5));
  ASSERT_TRUE(cell_bound(cell_of("warden:R2=9000", false), 1e6));
  // With wrong marginals there is (A) still.
  PlannedCell wrong = cell_of("warden:r=5,patience=20,delta=1e-6", true);
  wrong.epsilon = 0.1;
  EXPECT_EQ(cell_bound(wrong, 1e6), warden_any_bound(setting, form));
  // Not proved, or not as it stands.
  EXPECT_EQ(cell_bound(cell_of("warden:schedule=free", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("warden:test=none", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("warden:epsilon=0.1", true), 1e6), std::nullopt);
}

TEST(CellBound, TheDialOfDbIsRead) {
  const auto bound = [](const char* policy) { return cell_bound(cell_of(policy, true), 1e6); };
  ASSERT_TRUE(bound("db:dial=0.5") && bound("db:dial=0.2"));
  EXPECT_LT(*bound("db:dial=0.5"), *bound("db:dial=0.2"));  // benign regret falls with the dial
}

}  // namespace
}  // namespace armature
