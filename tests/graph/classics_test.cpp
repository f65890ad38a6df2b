// The graphs of the textbooks, with answers worked out on paper: what is separated, what is benign
// with and without the action that sets nothing, what would separate, and where tables are small
// the numbers.
#include <gtest/gtest.h>

#include "armature/graph.h"
#include "base/text.h"

namespace armature::graph {
namespace {

// A graph and questions to it, by names.
class Classic {
 public:
  explicit Classic(const std::string& arrows) : graph_(read_graph(arrows, "classic")) {}
  // States 0 and 1 everywhere; per node P(1 | parents), the parents in the order of their arrows,
  // the last running fastest.
  Classic(const std::string& arrows, const std::map<std::string, std::vector<double>>& ones)
      : graph_(with_ones(read_graph(arrows, "classic"), ones)) {}

  const CausalGraph& graph() const { return graph_; }
  std::vector<Node> nodes(const std::vector<std::string>& names) const {
    std::vector<Node> found;
    for (const std::string& name : names) found.push_back(graph_.node(name, "test"));
    return found;
  }
  bool separated(const std::string& from, const std::string& to,
                 const std::vector<std::string>& given = {}) const {
    return d_separation(graph_, nodes({from}), nodes({to}), nodes(given)).separated();
  }
  std::string why_open(const std::string& from, const std::string& to,
                       const std::vector<std::string>& given = {}) const {
    return d_separation(graph_, nodes({from}), nodes({to}), nodes(given)).words;
  }
  Question question(const std::vector<std::string>& actions,
                    const std::vector<std::string>& contexts, const std::string& reward,
                    bool empty = false, bool single = false) const {
    return {{nodes(actions), empty, single}, nodes(contexts), graph_.node(reward, "test")};
  }
  Verdict judged(const Question& question) const { return verdict(graph_, question); }
  // Of X on Y, as nearly all of them are.
  bool benign(const std::vector<std::string>& contexts) const {
    return judged(question({"X"}, contexts, "Y")).benign;
  }
  bool benign_with_idling(const std::vector<std::string>& contexts) const {
    return judged(question({"X"}, contexts, "Y", true)).benign;
  }
  // "M W | M B", sets by price; "none" and "" are different answers.
  std::string separators_of(const Actions& actions, bool under_interventions = true) const {
    SeparatorSearch search;
    search.under_interventions = under_interventions;
    const Separators found = separators(graph_, actions, graph_.node("Y", "test"), search);
    if (!found.exists) return "none";
    std::vector<std::string> sets;
    for (const auto& set : found.sets) {
      std::vector<std::string> names;
      for (const Node node : set) names.push_back(graph_.name(node));
      std::sort(names.begin(), names.end());
      sets.push_back(join(names, " "));
    }
    std::sort(sets.begin(), sets.end());
    return join(sets, " | ");
  }
  std::string would_do(bool empty = false) const {
    return separators_of({nodes({"X"}), empty, false});
  }

 private:
  static CausalGraph with_ones(const CausalGraph& graph,
                               const std::map<std::string, std::vector<double>>& ones) {
    CausalGraph::Parts parts = graph.parts();
    for (Variable& variable : parts.variables) {
      variable.states = {"0", "1"};
      parts.tables.emplace_back();
      for (const double one : ones.at(variable.name)) {
        parts.tables.back().push_back(1 - one);
        parts.tables.back().push_back(one);
      }
    }
    return CausalGraph(parts);
  }

  CausalGraph graph_;
};

// X -> M -> Y, and U, which nobody sees, moves X and Y.
TEST(Classics, FrontDoor) {
  const Classic seen("U -> X -> M -> Y U -> Y");
  EXPECT_FALSE(seen.separated("X", "Y", {"M"}));  // X <- U -> Y
  EXPECT_TRUE(seen.separated("X", "Y", {"M", "U"}));
  EXPECT_EQ(seen.would_do(), "M");
  EXPECT_EQ(seen.would_do(true), "M U");

  const Classic classic("U [latent] U -> X -> M -> Y U -> Y");
  EXPECT_TRUE(classic.benign({"M"}));  // acting cuts U -> X
  EXPECT_FALSE(classic.benign({}));
  // Doing nothing leaves U -> X, and M, a consequence of X, tells of X: the choice -> X <- U -> Y.
  EXPECT_FALSE(classic.benign_with_idling({"M"}));
  EXPECT_EQ(classic.would_do(), "M");
  EXPECT_EQ(classic.would_do(true), "none");
  for (const bool idle : {false, true}) {
    const Verdict judged = classic.judged(classic.question({"X"}, {"M"}, "Y", idle));
    EXPECT_FALSE(judged.graph.holds);
    EXPECT_TRUE(judged.surgery.holds);
    EXPECT_TRUE(judged.front_door.holds);
  }
  EXPECT_EQ(classic.judged(classic.question({"X"}, {"M"}, "Y", true)).words,
            "not benign: given M, Y still depends on the action. the choice of action → X ← U → Y: "
            "open, because M, a consequence of X, is observed");
}

// U is a fair coin, X and M copy what is above them with probability 3/4, Y is 1 with probability
// (M + U)/2.
TEST(Classics, FrontDoorInNumbers) {
  const Classic classic(
      "U [latent] U -> X -> M -> Y U -> Y",
      {{"U", {0.5}}, {"X", {0.25, 0.75}}, {"M", {0.25, 0.75}}, {"Y", {0, 0.5, 0.5, 1}}});
  const DoMarginals law = do_marginals(classic.graph(), classic.question({"X"}, {"M"}, "Y", true));
  ASSERT_EQ(law.actions.size(), 3u);
  // Set X: M is 1 with probability 1/4 or 3/4, U stays fair: Y is 1 with (M + 1/2)/2.
  EXPECT_DOUBLE_EQ(law.marginal(0, 1), 0.25);
  EXPECT_DOUBLE_EQ(law.marginal(1, 1), 0.75);
  for (const std::size_t action : {0, 1}) {
    EXPECT_DOUBLE_EQ(law.law(action, 0)[1], 0.25);
    EXPECT_DOUBLE_EQ(law.law(action, 1)[1], 0.75);
  }
  // Nothing: P(U=1, M=1) = 1/2·(3/4·3/4 + 1/4·1/4) = 5/16 and P(M=1) = 1/2, so P(U=1 | M=1) = 5/8
  // and Y is 1 with (1 + 5/8)/2 = 13/16; with M=0 by symmetry 3/16.
  EXPECT_DOUBLE_EQ(law.marginal(2, 1), 0.5);
  EXPECT_DOUBLE_EQ(law.law(2, 1)[1], 13.0 / 16);
  EXPECT_DOUBLE_EQ(law.law(2, 0)[1], 3.0 / 16);
  // The means: do(X=1) 3/4·3/4 + 1/4·1/4 = 5/8, do(X=0) 3/8, nothing 1/2.
  const Instance world = graph_instance(
      classic.graph(), law, parse_reward(classic.graph(), "Y=1", "--reward"), "front door");
  EXPECT_DOUBLE_EQ(world.mean(0), 3.0 / 8);
  EXPECT_DOUBLE_EQ(world.mean(1), 5.0 / 8);
  EXPECT_DOUBLE_EQ(world.mean(2), 0.5);
  EXPECT_FALSE(world.benign_verdict().benign());
}

// What an adjustment set is for: Z moves X and Y. Observed after acting it carries nothing.
TEST(Classics, BackDoor) {
  const Classic classic("Z -> X -> Y Z -> Y");
  EXPECT_FALSE(classic.separated("X", "Y", {"Z"}));
  EXPECT_FALSE(classic.benign({"Z"}));
  EXPECT_FALSE(classic.benign({}));
  EXPECT_EQ(classic.would_do(), "none");
  // The action itself as a context: all of its effect, and a warning. Where doing nothing is an
  // action, X tells whether X was chosen or came about by Z.
  EXPECT_TRUE(classic.benign({"X"}));
  EXPECT_EQ(classic.judged(classic.question({"X"}, {"X"}, "Y")).warnings.size(), 1u);
  EXPECT_FALSE(classic.benign_with_idling({"X"}));
  EXPECT_EQ(classic.judged(classic.question({"X"}, {"X"}, "Y", true)).graph.words,
            "an action is itself a context, which separates it from everything");
  EXPECT_TRUE(classic.benign_with_idling({"X", "Z"}));

  const Classic mediated("Z -> X -> M -> Y Z -> Y");
  EXPECT_TRUE(mediated.benign({"M"}));
  EXPECT_FALSE(mediated.benign_with_idling({"M"}));
  EXPECT_TRUE(mediated.benign_with_idling({"M", "Z"}));
  EXPECT_EQ(mediated.would_do(), "M");
  EXPECT_EQ(mediated.would_do(true), "M Z");
}

// X <- A -> M <- B -> Y: nothing leads from X to Y, until M is looked at.
TEST(Classics, MBias) {
  const Classic classic("X <- A -> M <- B -> Y");
  EXPECT_TRUE(classic.separated("X", "Y"));
  EXPECT_FALSE(classic.separated("X", "Y", {"M"}));
  EXPECT_TRUE(classic.separated("X", "Y", {"M", "A"}));
  EXPECT_TRUE(classic.separated("X", "Y", {"M", "B"}));
  EXPECT_EQ(classic.why_open("X", "Y", {"M"}),
            "X ← A → M ← B → Y: open, because M, where arrows meet, is observed");
  // Acting cuts A -> X. If one may also do nothing, only who sees X can tell.
  EXPECT_TRUE(classic.benign({}));
  EXPECT_TRUE(classic.benign({"M"}));
  EXPECT_TRUE(classic.benign_with_idling({}));
  EXPECT_TRUE(classic.benign_with_idling({"M"}));
  EXPECT_TRUE(classic.benign({"X", "M"}));
  EXPECT_FALSE(classic.benign_with_idling({"X", "M"}));
  EXPECT_EQ(classic.would_do(), "");  // the empty set is enough
  EXPECT_EQ(classic.separators_of({classic.nodes({"X"})}, false), "");
  EXPECT_EQ(classic.judged(classic.question({"X"}, {}, "Y")).warnings.size(), 1u);  // no effect
}

// M-bias whose M is a confounder too: M alone opens A and B, nothing leaves M open.
TEST(Classics, Butterfly) {
  const Classic classic("X <- A -> M <- B -> Y X <- M -> Y");
  EXPECT_FALSE(classic.separated("X", "Y"));
  EXPECT_FALSE(classic.separated("X", "Y", {"M"}));
  EXPECT_FALSE(classic.separated("X", "Y", {"A", "B"}));
  EXPECT_TRUE(classic.separated("X", "Y", {"M", "A"}));
  EXPECT_TRUE(classic.separated("X", "Y", {"M", "B"}));
  EXPECT_EQ(classic.separators_of({classic.nodes({"X"})}, false), "A M | B M");

  // With an effect through W. Doing nothing leaves all wings on, and W tells of X.
  const Classic effect("X <- A -> M <- B -> Y X <- M -> Y X -> W -> Y");
  EXPECT_TRUE(effect.benign({"W"}));
  EXPECT_FALSE(effect.benign_with_idling({"W"}));
  EXPECT_FALSE(effect.benign_with_idling({"W", "M"}));
  EXPECT_EQ(effect.would_do(), "W");
  EXPECT_EQ(effect.would_do(true), "A M W | B M W");
}

// I moves X and nothing else; U, unseen, moves X and Y.
TEST(Classics, Instrument) {
  const Classic classic("U [latent] I -> X -> Y X <- U -> Y");
  EXPECT_TRUE(classic.separated("I", "U"));
  EXPECT_FALSE(classic.separated("I", "U", {"X"}));
  EXPECT_FALSE(classic.separated("I", "Y"));
  EXPECT_FALSE(classic.separated("I", "Y", {"X"}));  // closed through X, open through U
  // Acting on the instrument: X carries all of the effect and yet is wrong.
  const Question acting = classic.question({"I"}, {"X"}, "Y");
  EXPECT_FALSE(classic.judged(acting).benign);
  EXPECT_EQ(classic.judged(acting).words,
            "not benign: given X, Y still depends on the action. I → X ← U → Y: open, because X, "
            "where arrows meet, is observed");
  EXPECT_EQ(classic.separators_of({classic.nodes({"I"})}), "none");
  EXPECT_EQ(classic.separators_of({classic.nodes({"X"})}), "none");  // X -> Y itself
  const Classic seen("I -> X -> Y X <- U -> Y");
  EXPECT_EQ(seen.separators_of({seen.nodes({"I"})}), "U X");
  // Either at a time: choosing X leaves I natural and the other way round, so nothing is cut; and
  // X -> Y cannot be closed, as no target is offered.
  EXPECT_EQ(seen.separators_of({seen.nodes({"I", "X"}), false, true}), "none");
}

// X -> C <- Y, and D, a consequence of C.
TEST(Classics, ColliderWithAnObservedDescendant) {
  const Classic classic("X -> C <- Y C -> D",
                        {{"X", {0.5}}, {"Y", {0.5}}, {"C", {0, 0.5, 0.5, 1}}, {"D", {0.25, 0.75}}});
  EXPECT_TRUE(classic.separated("X", "Y"));
  EXPECT_FALSE(classic.separated("X", "Y", {"C"}));
  EXPECT_FALSE(classic.separated("X", "Y", {"D"}));
  EXPECT_EQ(classic.why_open("X", "Y", {"D"}),
            "X → C ← Y: open, because D, a consequence of C, is observed");
  EXPECT_TRUE(classic.benign({}));
  EXPECT_FALSE(classic.benign({"D"}));
  EXPECT_FALSE(classic.benign_with_idling({"C"}));
  EXPECT_EQ(classic.would_do(), "");
  // do(X=0): C is Y/2, so P(D=1 | Y) = 1/4 or 1/2: ν(D=1) = 3/8 and P(Y=1 | D=1) = 2/3.
  // do(X=1): C is (1+Y)/2: P(D=1 | Y) = 1/2 or 3/4, ν(D=1) = 5/8 and P(Y=1 | D=1) = 3/5.
  const DoMarginals law = do_marginals(classic.graph(), classic.question({"X"}, {"D"}, "Y"));
  EXPECT_DOUBLE_EQ(law.marginal(0, 1), 3.0 / 8);
  EXPECT_DOUBLE_EQ(law.law(0, 1)[1], 2.0 / 3);
  EXPECT_DOUBLE_EQ(law.marginal(1, 1), 5.0 / 8);
  EXPECT_DOUBLE_EQ(law.law(1, 1)[1], 3.0 / 5);
}

// W -> Z -> X -> Y with W <-> X and W <-> Y. Pearl's napkin: no back door, no front door, and yet
// P(y | do(x)) = P(y, x | do(z)) / P(x | do(z)), which is to say that X is a context for Z.
TEST(Classics, Napkin) {
  const Classic classic("W -> Z -> X -> Y W <-> X W <-> Y");
  EXPECT_FALSE(classic.separated("Z", "Y", {"X"}));  // Z <- W <-> Y
  // X, observed, opens X <-> W <-> Y behind W, and W, observed, opens it before.
  EXPECT_FALSE(classic.separated("Z", "Y", {"X", "W"}));
  EXPECT_TRUE(classic.judged(classic.question({"Z"}, {"X"}, "Y")).benign);
  EXPECT_FALSE(classic.judged(classic.question({"Z"}, {"X", "W"}, "Y")).benign);
  // Doing nothing leaves W -> Z, so that W is above X.
  EXPECT_FALSE(classic.judged(classic.question({"Z"}, {"X"}, "Y", true)).benign);
  EXPECT_FALSE(classic.judged(classic.question({"Z"}, {"X", "W"}, "Y", true)).benign);
  EXPECT_EQ(classic.separators_of({classic.nodes({"Z"})}), "X");
  EXPECT_EQ(classic.separators_of({classic.nodes({"Z"}), true, false}), "none");
  EXPECT_FALSE(classic.benign({}));
  EXPECT_EQ(classic.would_do(), "none");
}

// X -> M -> Y with M <-> Y: the mediator carries the effect and opens the confounder.
TEST(Classics, MediatorWithALatentConfounder) {
  const Classic classic("X -> M -> Y M <-> Y");
  EXPECT_FALSE(classic.separated("X", "Y"));
  EXPECT_FALSE(classic.separated("X", "Y", {"M"}));
  EXPECT_EQ(classic.why_open("X", "Y", {"M"}),
            "X → M ↔ Y: open, because M, where arrows meet, is observed");
  EXPECT_FALSE(classic.benign({}));
  EXPECT_FALSE(classic.benign({"M"}));
  EXPECT_EQ(classic.would_do(), "none");
  const Verdict judged = classic.judged(classic.question({"X"}, {"M"}, "Y"));
  EXPECT_FALSE(judged.front_door.holds);
  EXPECT_NE(judged.front_door.words.find("third condition"), std::string::npos);
  EXPECT_EQ(judged.witness->marks, (std::vector<Mark>{Mark::kForward, Mark::kBoth}));
}

// Kidney stones (Charig et al. 1986): size S moves the treatment X and the success Y. Of small
// stones (357 of 700) 87 had treatment 1 and 81 of them succeeded, 234 of the other 270; of large
// ones (343) 263 had it and 192 succeeded, 55 of the other 80.
TEST(Classics, SimpsonsParadox) {
  const Classic classic("S -> X -> Y S -> Y",
                        {{"S", {343.0 / 700}},
                         {"X", {87.0 / 357, 263.0 / 343}},
                         {"Y", {234.0 / 270, 55.0 / 80, 81.0 / 87, 192.0 / 263}}});
  EXPECT_FALSE(classic.benign({"S"}));
  EXPECT_EQ(classic.would_do(), "none");
  // The arrows into Y in the order of the text: X, then S.
  const Question question = classic.question({"X"}, {"S"}, "Y", true);
  const DoMarginals law = do_marginals(classic.graph(), question);
  for (std::size_t action = 0; action < 3; ++action)
    EXPECT_DOUBLE_EQ(law.marginal(action, 1), 343.0 / 700);  // acting does not move the size
  const Instance world = graph_instance(classic.graph(), law,
                                        parse_reward(classic.graph(), "Y=1", "--reward"), "stones");
  EXPECT_NEAR(world.mean(0), (357 * 234.0 / 270 + 343 * 55.0 / 80) / 700, 1e-15);
  EXPECT_NEAR(world.mean(1), (357 * 81.0 / 87 + 343 * 192.0 / 263) / 700, 1e-15);
  EXPECT_NEAR(world.mean(2), 562.0 / 700, 1e-15);  // what was counted
  EXPECT_GT(world.mean(1), world.mean(0));         // …although 273 of 350 are fewer than 289
  // Seen, not done: P(Y=1 | X=1) = 273/350.
  const DoMarginals seen = do_marginals(classic.graph(), {{classic.nodes({"S"}), true, false},
                                                          classic.nodes({"X"}),
                                                          classic.graph().node("Y", "test")});
  EXPECT_NEAR(seen.law(2, 1)[1], 273.0 / 350, 1e-15);
  EXPECT_NEAR(seen.law(2, 0)[1], 289.0 / 350, 1e-15);
}

// Who comes to the clinic (S) depends on the outcome.
TEST(Classics, Selection) {
  const Classic classic("X -> M -> Y -> S S [selected]");
  const Verdict judged = classic.judged(classic.question({"X"}, {"M"}, "Y"));
  EXPECT_TRUE(judged.benign);
  ASSERT_EQ(judged.warnings.size(), 1u);
  EXPECT_EQ(judged.warnings[0], "'S' is marked as selected, which is not taken into account");
  // As a context it hangs below the reward: M still carries all, and a warning is due.
  EXPECT_TRUE(classic.benign({"M", "S"}));
  EXPECT_EQ(classic.judged(classic.question({"X"}, {"M", "S"}, "Y")).warnings.size(), 2u);
  // Where the action moves it too, looking at it joins the two.
  const Classic both("X -> M -> Y -> S X -> S S [selected]");
  EXPECT_TRUE(both.benign({"M"}));
  EXPECT_FALSE(both.benign({"M", "S"}));
  EXPECT_EQ(both.would_do(), "M");
}

// Two causes and their mediators, X1 -> M1 -> Y <- M2 <- X2, with U over X1 and Y.
TEST(Classics, OneTargetAtATime) {
  const Classic classic("U [latent] X1 -> M1 -> Y <- M2 <- X2 X1 <- U -> Y");
  const auto judged = [&](bool single) {
    return classic.judged(classic.question({"X1", "X2"}, {"M1", "M2"}, "Y", false, single)).benign;
  };
  EXPECT_TRUE(judged(false));  // both are set always: U -> X1 is cut
  EXPECT_FALSE(judged(true));  // setting X2 leaves U -> X1
  EXPECT_EQ(classic.separators_of({classic.nodes({"X1", "X2"}), false, false}), "M1 M2");
  EXPECT_EQ(classic.separators_of({classic.nodes({"X1", "X2"}), false, true}), "none");
  // One target alone, one at a time, is that target set.
  EXPECT_TRUE(classic.judged(classic.question({"X1"}, {"M1", "M2"}, "Y", false, true)).benign);
}

}  // namespace
}  // namespace armature::graph
