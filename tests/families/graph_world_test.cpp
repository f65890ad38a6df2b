#include "families/graph_world.h"

#include <gtest/gtest.h>

#include "armature/error.h"

namespace armature {
namespace {

const Files kFiles = Files::only({{"g.dag", R"(dag { stage2e -> dose -> "1e" -> "a, b" -> y })"}});

std::string names(const GraphWorld& world, const std::vector<graph::Node>& nodes) {
  std::string text;
  for (const graph::Node node : nodes) text += world.graph.name(node) + "|";
  return text;
}

// Between two names a '+' is no sign of an exponent, whatever the first ends with.
TEST(GraphTextForm, SplitsNamesAtEveryPlus) {
  const auto world =
      graph_world("graph:file=g.dag,action=stage2e+dose,context=1e+(a, b),reward=y", kFiles);
  ASSERT_TRUE(world);
  EXPECT_EQ(names(*world, world->question.actions.targets), "stage2e|dose|");
  EXPECT_EQ(names(*world, world->question.contexts), "1e|a, b|");
}

TEST(GraphTextForm, RefusesQuestionsWithoutSense) {
  for (const char* question :
       {"action=dose,context=y,reward=y", "action=y,reward=y", "action=dose+dose,reward=y",
        "action=dose,reward=y,latent=y", "action=dose++stage2e,reward=y", "action=dose+,reward=y"})
    EXPECT_THROW(graph_world("graph:file=g.dag," + std::string(question), kFiles), Error)
        << question;
}

}  // namespace
}  // namespace armature
