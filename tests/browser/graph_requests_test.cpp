// Requests about graphs against the command: the same bytes, the same complaints.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "browser/answer.h"
#include "support/program.h"

namespace armature::browser {
namespace {

using nlohmann::json;

const std::string kAsia = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/asia.bif");
const std::string kFrontDoor = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/front-door.dag");
const std::string kMBias = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/m-bias.dag");

std::string told(const json& request) { return answer(request.dump(), {}); }

// What the command says of the same: its answer, or its complaint, which names the file.
std::string told_by_command(const json& request) {
  const test::TemporaryDirectory here;
  write_file(here.file("drawn"), request.at("text"));
  std::string command = "armature " + request.at("command").get<std::string>() + " drawn";
  if (!request.contains("format")) command += " --format json";
  for (const auto& [name, value] : request.items()) {
    if (name == "command" || name == "text") continue;
    command += " --" + name;
    if (value.is_string()) command += " '" + value.get<std::string>() + "'";
  }
  const test::ProgramResult result = test::run_shell(command, here.path());
  if (result.status != 2) return result.out;
  std::string complaint = result.err.substr(0, result.err.find('\n'));
  for (const std::string before : {"armature: ", "drawn: "})
    if (complaint.starts_with(before)) complaint.erase(0, before.size());
  return json{{"error", complaint}}.dump();
}

void expect_as_the_command(const json& request) {
  EXPECT_EQ(told(request), told_by_command(request)) << request.dump(2);
}

TEST(GraphRequests, AnswerWithTheBytesOfTheCommand) {
  const json requests = json::parse(R"([
    {"command": "graph check", "action": "smoke", "context": "bronc", "reward": "dysp"},
    {"command": "graph check", "action": "smoke", "context": "lung,bronc", "reward": "dysp=yes"},
    {"command": "graph check", "action": "smoke,asia", "context": "either", "reward": "dysp", "single": true},
    {"command": "graph check", "action": "smoke", "context": "bronc", "reward": "dysp", "empty": true, "latent": "lung,tub"},
    {"command": "graph check", "action": "asia", "reward": "bronc"},
    {"command": "graph separators", "action": "smoke", "reward": "dysp"},
    {"command": "graph separators", "action": "smoke", "reward": "dysp", "avoid": "lung", "under": "graph"},
    {"command": "graph separators", "action": "smoke", "reward": "dysp", "contains": "xray", "latent": "bronc"},
    {"command": "graph separators", "action": "smoke", "reward": "dysp", "most": "1"},
    {"command": "graph show"},
    {"command": "graph show", "action": "smoke", "context": "bronc", "reward": "dysp", "format": "json"},
    {"command": "graph show", "format": "dot"},
    {"command": "graph show", "format": "dagitty", "latent": "bronc"}])");
  for (json request : requests) {
    request["text"] = kAsia;
    expect_as_the_command(request);
  }
}

// Roles that stand in the text count as they do in a file, and so do its positions.
TEST(GraphRequests, GoByTheRolesOfTheText) {
  for (const std::string& text : {kFrontDoor, kMBias}) {
    expect_as_the_command({{"command", "graph check"}, {"text", text}});
    expect_as_the_command({{"command", "graph check"}, {"text", text}, {"empty", true}});
    expect_as_the_command({{"command", "graph separators"}, {"text", text}});
    expect_as_the_command({{"command", "graph show"}, {"text", text}});
    expect_as_the_command({{"command", "graph show"}, {"text", text}, {"format", "svg"}});
  }
  expect_as_the_command(
      {{"command", "graph check"}, {"text", kFrontDoor}, {"context", "tar"}, {"empty", true}});
}

TEST(GraphRequests, ComplainAsTheCommandDoes) {
  const std::string chain = "dag {\n x -> z -> y\n h [latent]\n h -> y\n}";
  const json asked = {{"command", "graph check"}, {"action", "x"}, {"reward", "y"}};
  for (const char* text :
       {"dag {\n a -> b\n b => c\n}", "", "a -> b -> a", "a -> b-c", "diagraph { a -> b }",
        "<?xml version=\"1.0\"?>", "network n { }\nvariable a { type discrete [ 2 ] { x }; }"}) {
    json request = asked;
    request["text"] = text;
    expect_as_the_command(request);
  }
  const json others = json::parse(R"([
    {"format": "xml"}, {"context": ""}, {"contexts": "z"}, {"action": "q"}, {"context": "q"}, {"reward": "q"}, {"reward": "y=1"}, {"context": "h"}, {"context": "y"},
    {"action": "x,,z"}, {"context": "\"z"}, {"latent": "nobody"}, {"action": "y"}, {"context": "z", "latent": "z"}])");
  for (const json& other : others) {
    json request = asked;
    request["text"] = chain;
    request.update(other);
    expect_as_the_command(request);
  }
  expect_as_the_command({{"command", "graph check"}, {"text", chain}, {"action", "x"}});
  expect_as_the_command({{"command", "graph check"}, {"text", chain}, {"reward", "y"}});
  expect_as_the_command({{"command", "graph separators"}, {"text", chain}});
}

// What no command line could say.
TEST(GraphRequests, RefuseFieldsOfAnotherKind) {
  const auto complaint = [](const char* name, const json& value) {
    json request = {{"command", "graph show"}, {"text", "a -> b"}};
    request[name] = value;
    return json::parse(told(request)).at("error").get<std::string>();
  };
  EXPECT_EQ(complaint("text", 3), "text: got 3, expected a text");
  EXPECT_EQ(json::parse(told({{"command", "graph show"}})).at("error"),
            "request: text: got nothing, expected a text");
  EXPECT_EQ(complaint("empty", "yes"), R"(--empty: got "yes", expected true or false)");
  EXPECT_EQ(
      complaint("tables", "asia.tables.json"),
      R"(--tables: got "asia.tables.json", expected tables in the diagram itself, as BIF has them)");
  EXPECT_EQ(complaint("output", "a.svg"),
            R"(--output: got "a.svg", expected nothing: a page has no disk)");
}

}  // namespace
}  // namespace armature::browser
