// Requests about graphs against the command: the same bytes, the same complaints.
#include "browser/graph_requests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::browser {
namespace {

using nlohmann::json;

const std::string kAsia = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/asia.bif");
const std::string kFrontDoor = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/front-door.dag");
const std::string kMBias = read_file(ARMATURE_SOURCE_DIR "/examples/graphs/m-bias.dag");

std::string answer(const json& request) {
  const std::string command = request.at("command");
  if (command == "graph check") return answer_graph_check(request);
  if (command == "graph separators") return answer_graph_separators(request);
  return answer_graph_show(request);
}

// The answer, or what is complained of.
std::string told(const json& request) {
  try {
    return answer(request);
  } catch (const Error& error) {
    return std::string("armature: ") + error.what() + "\n";
  }
}

// What the command says of the same: its answer, or its complaint.
std::string told_by_command(const json& request) {
  const test::TemporaryDirectory here;
  write_file(here.file(request.at("file")), request.at("text"));
  std::string command = "armature " + request.at("command").get<std::string>() + " '" +
                        request.at("file").get<std::string>() + "'";
  if (!request.contains("format")) command += " --format json";
  for (const auto& [name, value] : request.items()) {
    if (name == "command" || name == "text" || name == "file") continue;
    command += " --" + name;
    if (value.is_string()) command += " '" + value.get<std::string>() + "'";
  }
  const test::ProgramResult result = test::run_shell(command, here.path());
  return result.status == 2 ? result.err : result.out;
}

void expect_as_the_command(json request) {
  request["file"] = "drawn";
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
    {"action": "q"}, {"context": "q"}, {"reward": "q"}, {"reward": "y=1"}, {"context": "h"}, {"context": "y"},
    {"action": "x,,z"}, {"context": "\"z"}, {"latent": "nobody"}, {"action": "y"}, {"context": "z", "latent": "z"}])");
  for (const json& other : others) {
    json request = asked;
    request["text"] = chain;
    request.update(other);
    expect_as_the_command(request);
  }
  expect_as_the_command({{"command", "graph check"}, {"text", chain}, {"action", "x"}});
  expect_as_the_command({{"command", "graph check"}, {"text", chain}, {"reward", "y"}});
}

std::string complaint(const json& request) {
  try {
    answer(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Without a name for it, a complaint about the text begins with the line.
TEST(GraphRequests, SayWhereInTheText) {
  EXPECT_EQ(complaint({{"command", "graph show"}, {"text", "dag {\n a -> b\n b => c\n}"}}),
            "line 3, column 4: got '=>', expected '->', '<-' or '<->', options in '[', the next "
            "statement or '}'; an arrow is written ->");
}

// What no command line could say.
TEST(GraphRequests, RefuseFieldsOfAnotherKind) {
  const json show = {{"command", "graph show"}, {"text", "a -> b"}};
  const auto with = [&](const char* name, const json& value) {
    json request = show;
    request[name] = value;
    return complaint(request);
  };
  EXPECT_EQ(with("text", 3), "text: got 3, expected a diagram: BIF, DOT or dagitty text");
  EXPECT_EQ(complaint({{"command", "graph show"}}),
            "text: got nothing, expected a diagram: BIF, DOT or dagitty text");
  EXPECT_EQ(with("action", json::array({"a"})),
            R"(--action: got ["a"], expected a text, as on a command line)");
  EXPECT_EQ(with("action", ""), "--action: got an empty text, expected a value");
  EXPECT_EQ(with("empty", "yes"), R"(--empty: got "yes", expected true or false)");
  EXPECT_EQ(with("format", "png"),
            "--format: got 'png', expected one of json, svg, dot, dagitty; did you mean 'svg'?");
  EXPECT_EQ(with("contexts", "a"),
            "request: got 'contexts', expected one of text, file, action, reward, empty, single, "
            "latent, context, format; did you mean 'context'?");
}

}  // namespace
}  // namespace armature::browser
