// Questions to graphs on the command line: answers, JSON, exit statuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"

namespace armature::test {
namespace {

using nlohmann::json;

ProgramResult ask(const std::string& arguments) {
  TemporaryDirectory nowhere;
  return run_shell("cd " ARMATURE_SOURCE_DIR "/examples/graphs && armature graph " + arguments,
                   nowhere.path());
}

TEST(GraphCommand, ChecksAContextThatCarriesTheEffect) {
  const ProgramResult result = ask("check asia.bif -a smoke -c lung,bronc -r dysp=yes");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("conditionally benign: given lung, bronc"), std::string::npos)
      << result.out;
}

TEST(GraphCommand, SaysWhyNotAndWhatWouldDo) {
  const ProgramResult result = ask("check asia.bif -a smoke -c bronc -r dysp --format json");
  EXPECT_EQ(result.status, 1) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["benign"], false);
  EXPECT_EQ(answer["benign_by_tables"], false);
  EXPECT_EQ(answer["witness"], json({"smoke", "->", "lung", "->", "either", "->", "dysp"}));
  EXPECT_EQ(answer["suggestions"], json::parse(R"([["lung","bronc"],["bronc","either"]])"));
  EXPECT_EQ(answer["criteria"],
            json({{"graph", false}, {"surgery", false}, {"front_door", false}}));
}

// Roles of the file stand for --action and --reward.
TEST(GraphCommand, TheFrontDoorIsNotEnoughOnceDoingNothingIsAnAction) {
  EXPECT_EQ(ask("check front-door.dag -c tar").status, 0);
  const ProgramResult idle = ask("check front-door.dag -c tar --empty --format json");
  EXPECT_EQ(idle.status, 1);
  EXPECT_EQ(json::parse(idle.out)["criteria"]["front_door"], true);
  EXPECT_EQ(json::parse(idle.out)["benign_by_tables"], false);
  // Seeing the action itself separates it from everything: no condition that holds.
  const json seen = json::parse(ask("check front-door.dag -c smoking,tar --empty -f json").out);
  EXPECT_EQ(seen["benign"], false);
  EXPECT_EQ(seen["criteria"],
            json({{"graph", nullptr}, {"surgery", nullptr}, {"front_door", false}}));
}

TEST(GraphCommand, SeparatesAndGivesNumbers) {
  const ProgramResult dsep = ask("dsep asia.bif --from smoke --to tub --given xray --format json");
  EXPECT_EQ(dsep.status, 1);
  EXPECT_EQ(json::parse(dsep.out)["separated"], false);
  EXPECT_EQ(ask("dsep asia.bif --from smoke --to tub").status, 0);
  const json sets =
      json::parse(ask("separators lu-email.bif -a product,purpose,sent -r clicked -f json").out);
  EXPECT_EQ(sets["separators"], json::parse(R"([["subject","template","read"]])"));
  const ProgramResult none = ask("separators m-bias.dag --format json");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(json::parse(none.out)["exists"], false);

  const json numbers =
      json::parse(ask("marginals front-door.dag -c tar -r cancer=no --empty -f json").out);
  EXPECT_EQ(numbers["actions"], json({{{"smoking", "no"}}, {{"smoking", "yes"}}, json::object()}));
  EXPECT_EQ(numbers["contexts"], json({{{"tar", "low"}}, {{"tar", "high"}}}));
  EXPECT_NEAR(numbers["marginals"][1][1].get<double>(), 0.8, 1e-15);
  // By hand: P(cancer = no | tar = low) = 0.6·0.98 + 0.4·0.9.
  EXPECT_NEAR(numbers["means"][0][0].get<double>(), 0.948, 1e-15);
  EXPECT_NEAR(numbers["mean_reward"][0].get<double>(), 0.9 * 0.948 + 0.1 * 0.77, 1e-15);
}

TEST(GraphCommand, AnInstanceWhereverOneIsNamed) {
  const TemporaryDirectory directory;
  const std::string graph = ARMATURE_SOURCE_DIR "/examples/graphs/front-door.dag";
  const ProgramResult written = run_shell(
      "armature graph instance " + graph +
          " -c tar -r cancer=no -o world.json && "
          "armature simulate -i world.json -p ucb -T 500 -m 2 -f csv > one && "
          "armature simulate -i graph:file=" +
          graph +
          ",action=smoking,context=tar,reward=cancer=no -p ucb -T 500 -m 2 -f csv > other && "
          "sed 's/.*,ucb,/ucb,/' one > a && sed 's/.*,ucb,/ucb,/' other > b && "
          "cmp a b && grep -c ucb a",
      directory.path());
  EXPECT_EQ(written.status, 0) << written.out << written.err;  // the same bytes but for the name
}

TEST(GraphCommand, ReadsStandardInput) {
  for (const char* command :
       {"check - -a smoke -c lung,bronc -r dysp", "dsep - --from smoke --to tub",
        "separators - -a smoke -r dysp", "marginals - -a smoke -r dysp=yes",
        "instance - -a smoke -r dysp=yes", "show -"}) {
    const ProgramResult piped = ask(std::string(command) + " < asia.bif");
    EXPECT_EQ(piped.status, 0) << command << piped.err;
    const std::string named =
        std::string(command).replace(std::string(command).find('-'), 1, "asia.bif");
    if (std::string(command).starts_with("dsep")) EXPECT_EQ(piped.out, ask(named).out);
  }
  const ProgramResult wrong = ask("check - -a a -r b < /dev/null");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("/dev/stdin: got an empty text"), std::string::npos) << wrong.err;
}

TEST(GraphCommand, SaysWhyACollidersConsequenceOpensAPath) {
  const json answer =
      json::parse(ask("dsep asia.bif --from smoke --to tub --given xray -f json").out);
  EXPECT_EQ(
      answer["words"],
      "smoke → lung → either ← tub: open, because xray, a consequence of either, is observed");
  EXPECT_EQ(answer["witness"], json({"smoke", "->", "lung", "->", "either", "<-", "tub"}));
}

// Of the file and of the question, in one list.
TEST(GraphCommand, WarnsInJsonToo) {
  const ProgramResult result =
      ask("check - -a x -r y -f json <<'END'\nx [exposur] x -> z y\nEND\n");
  EXPECT_EQ(result.status, 0) << result.err;
  const json warnings = json::parse(result.out)["warnings"];
  ASSERT_EQ(warnings.size(), 3u) << warnings;  // the option, the names side by side, no effect
  EXPECT_NE(warnings[0].get<std::string>().find("did you mean 'exposure'?"), std::string::npos);
  EXPECT_NE(warnings[2].get<std::string>().find("no action can change 'y'"), std::string::npos);
}

// Marks that no answer heeds are told by every command.
TEST(GraphCommand, WarnsOfMarksThatAreNotHeeded) {
  const std::string graph =
      " <<'END'\ndag { a [adjusted] s [selected] x -> z -> y a -> z y -> s }\nEND\n";
  for (const char* command :
       {"dsep - --from x --to y", "separators - -a x -r y", "show -", "check - -a x -c z -r y"}) {
    const ProgramResult result = ask(command + graph);
    EXPECT_NE(result.err.find("'a' is marked as adjusted"), std::string::npos) << command;
    EXPECT_NE(result.err.find("'s' is marked as selected"), std::string::npos) << command;
  }
  EXPECT_EQ(ask("dsep - --from x --to y --given a" + graph).err.find("adjusted"),
            std::string::npos);
  const std::string tables = "marked.dag -a x -r y=yes";
  for (const char* command : {"marginals ", "instance "}) {
    TemporaryDirectory directory;
    const ProgramResult result = run_shell(
        "echo 'dag { x [adjusted] x -> y }' > marked.dag && "
        R"(echo '{"format": "armature-tables", "version": 1, "nodes": {)"
        R"("x": {"states": ["no", "yes"], "rows": [0.5, 0.5]}, )"
        R"("y": {"states": ["no", "yes"], "parents": ["x"], )"
        R"("rows": {"no": [0.5, 0.5], "yes": [0.1, 0.9]}}}}' > marked.tables.json && )"
        "armature graph " +
            std::string(command) + tables,
        directory.path());
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("'x' is marked as adjusted"), std::string::npos) << result.err;
  }
}

TEST(GraphCommand, NamesWithCommasAndQuotes) {
  const ProgramResult result = ask(
      R"sh(dsep - --from '"a, b"' --to '"say ""y"""' --given 'm' -f json <<'END'
dag { "a, b" -> m -> "say \"y\"" }
END
)sh");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["separated"], true);
}

// Whatever the roles are: a question without sense is no reason not to show the graph.
TEST(GraphCommand, ShowsWhatCannotBeAsked) {
  for (const char* format : {"text", "json", "dot", "dagitty", "svg"}) {
    const ProgramResult shown =
        ask(std::string("show - -f ") + format +
            " <<'END'\ndag { x [exposure] y [outcome,latent] x -> y }\nEND\n");
    EXPECT_EQ(shown.status, 0) << format << shown.err;
    EXPECT_NE(shown.out.find("y"), std::string::npos) << format;
  }
}

// Nobody can look at it, and laying it out would take all memory.
TEST(GraphCommand, RefusesAPictureOfWhatIsTooLarge) {
  const std::string large = "seq 1 20000 | sed 's/.*/n& -> m&/' | armature graph show - ";
  TemporaryDirectory nowhere;
  const ProgramResult picture = run_shell(large + "-f svg", nowhere.path());
  EXPECT_EQ(picture.status, 2);
  EXPECT_NE(picture.err.find("picture: got 40000 nodes and 20000 arrows"), std::string::npos)
      << picture.err;
  EXPECT_EQ(run_shell(large + "-f dot | wc -l", nowhere.path()).status, 0);
}

// 39 coins as contexts have 2^39 joint values: refused before anything is computed, and the verdict
// of the graph stands without it.
TEST(GraphCommand, SaysHowLargeTheSumsWouldBe) {
  TemporaryDirectory directory;
  const ProgramResult refused = run_shell(
      "for i in $(seq 0 40); do echo \"variable c$i { type discrete[2] { n, y }; }\"; "
      "echo \"probability (c$i) { table 0.5 0.5; }\"; done | armature graph check - -a c0 -r c1 "
      "-c $(seq -s, -f c%.0f 2 40)",
      directory.path());
  EXPECT_EQ(refused.status, 0) << refused.err;
  EXPECT_NE(refused.err.find("no verdict by the tables: memory: got a table of 40 nodes (width 39) "
                             "and 1.1e+12 numbers (8 TiB)"),
            std::string::npos)
      << refused.err;
}

TEST(GraphCommand, MistakesNameWhatIsMeant) {
  const auto refusal = [](const std::string& arguments) {
    const ProgramResult result = ask(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    return result.err;
  };
  EXPECT_NE(refusal("check asia.bif -a smok -r dysp").find("did you mean 'smoke'?"),
            std::string::npos);
  EXPECT_NE(refusal("check asia.bif -r dysp").find("no [exposure] in the file"), std::string::npos);
  EXPECT_NE(refusal("check asia.bif -a smoke -r dysp=maybe").find("one of no, yes"),
            std::string::npos);
  EXPECT_NE(refusal("check front-door.dag -c habit").find("which is latent"), std::string::npos);
  for (const char* command : {"check", "marginals", "instance"}) {
    const auto nonsense = [&](const std::string& question) {
      return refusal(std::string(command) + " " + question);
    };
    EXPECT_NE(nonsense("asia.bif -a smoke -c dysp -r dysp=yes").find("which is the reward"),
              std::string::npos);
    EXPECT_NE(nonsense("asia.bif -a dysp -c lung -r dysp=yes").find("which the actions set"),
              std::string::npos);
    EXPECT_NE(nonsense("asia.bif -a smoke,smoke -r dysp=yes").find("'smoke' twice"),
              std::string::npos);
    EXPECT_NE(nonsense("front-door.dag -c habit -r cancer=no").find("which is latent"),
              std::string::npos);
  }
  EXPECT_NE(refusal("marginals asia.bif -a smoke -r dysp").find("what its states are worth"),
            std::string::npos);
  EXPECT_NE(refusal("check asia.bif -a smoke,,lung -r dysp").find("single commas"),
            std::string::npos);
  EXPECT_NE(refusal("check nothing.bif -a a -r b").find("nothing.bif"), std::string::npos);
}

}  // namespace
}  // namespace armature::test
