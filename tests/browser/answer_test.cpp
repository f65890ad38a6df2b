// The engine behind pages, natively: its answers beside those of the library. Beside the command,
// and as WebAssembly: tests/web/engine_test.js.
#include "browser/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "armature/lab.h"
#include "armature/report.h"

namespace armature::browser {
namespace {

using Json = nlohmann::ordered_json;

std::string ask(const Json& request) { return answer(request.dump(), {}); }

std::string complaint(const std::string& request) {
  const Json reply = Json::parse(answer(request, {}));
  return reply.is_object() ? reply.value("error", "") : "";
}
std::string complaint(const Json& request) { return complaint(request.dump()); }

// All but what is measured.
std::string computed(const std::string& json) {
  static const std::regex seconds(R"("seconds": [0-9.e+-]+)");
  return std::regex_replace(json, seconds, "\"seconds\": 0");
}

Json small() {
  return {{"command", "simulate"},
          {"instance", "hidden-arm:actions=5"},
          {"policy", {"ucb", "db"}},
          {"horizon", "2e3"},
          {"replications", "5"}};
}

TEST(Answer, IsThatOfTheLibrary) {
  Simulation simulation;
  simulation.instance = "hidden-arm:actions=5";
  simulation.policies = {"ucb", "db"};
  simulation.horizon = 2000;
  simulation.replications = 5;
  simulation.follow_shares = true;
  EXPECT_EQ(computed(ask(small())), computed(result_json(armature::simulate(simulation))));
}

TEST(Answer, GrowsByWhatIsNotThereYet) {
  Json request = small();
  request["horizon"] = "1e5";
  request["policy"] = {"exp3", "ucb"};
  request["replications"] = "40";
  std::vector<Json> told;
  const std::string whole =
      answer(request.dump(), [&](const std::string& part) { told.push_back(Json::parse(part)); });
  ASSERT_FALSE(told.empty());
  std::uint64_t before = 0;
  for (const Json& part : told) {
    EXPECT_FALSE(part.at("complete").get<bool>());
    EXPECT_GE(part.at("results").at(0).at("replications").get<std::uint64_t>(), before);
    before = part.at("results").at(0).at("replications").get<std::uint64_t>();
  }
  EXPECT_EQ(told.front().at("results").at(0).at("replications"), 1u);
  EXPECT_EQ(computed(whole), computed(ask(request)));
  EXPECT_TRUE(Json::parse(whole).at("complete").get<bool>());
}

TEST(Answer, OneTextIsAListOfOne) {
  Json request = small();
  request["policy"] = "ucb";
  const std::string alone = ask(request);
  request["policy"] = {"ucb"};
  EXPECT_EQ(computed(ask(request)), computed(alone));
}

TEST(Answer, FilesComeWithTheRequest) {
  Json request = small();
  request["instance"] = "world.json";
  EXPECT_NE(complaint(request).find("world.json"), std::string::npos);
  request["files"] = {{"world.json", "{}"}};
  EXPECT_NE(complaint(request).find("world.json"), std::string::npos);
  request["given"] = "elsewhere.json";
  EXPECT_EQ(complaint(request),
            "--given: got 'elsewhere.json', expected the name of one of the request's files");
}

// Told that all arms lead to the same contexts, c-ucb stays with the first.
TEST(Answer, PoliciesAreToldTheProblemAmongTheFiles) {
  Problem told;
  told.action_names = numbered_names('a', 3);
  told.context_names = numbered_names('z', 2);
  Matrix same(3, 2);
  for (Arm a = 0; a < 3; ++a) same(a, 0) = same(a, 1) = 0.5;
  told.marginals = std::make_shared<const Matrix>(same);
  Json request = small();
  request["instance"] = "bilodeau-benign:actions=3";
  request["policy"] = "c-ucb";
  request["given"] = "told.json";
  request["files"] = {{"told.json", write_problem(told)}};
  const Json reply = Json::parse(ask(request));
  EXPECT_EQ(reply.at("conditions"), "prompt given=other");
  EXPECT_EQ(reply.at("results").at(0).at("pulls"), Json({2000, 0, 0}));
}

TEST(Answer, ComplaintsNameTheOption) {
  const auto changed = [](const char* key, const Json& value) {
    Json request = small();
    request[key] = value;
    return complaint(request);
  };
  EXPECT_EQ(changed("horizon", "0"),
            "--horizon: got '0', expected a whole number from 1 to 1000000000000000000");
  EXPECT_EQ(changed("horizon", 1000), "--horizon: got 1000, expected a text, as it would be typed");
  EXPECT_EQ(changed("horizon", ""), "--horizon: got an empty text, expected a value");
  EXPECT_EQ(changed("engine", "warp"), "--engine: warp not in {auto,step,leap,cuda}");
  EXPECT_EQ(changed("horizn", "3"),
            "simulate: option: got '--horizn', expected one that --help lists; did you mean "
            "'--horizon'?");
  EXPECT_EQ(changed("threads", "2"),
            "--threads: got \"2\", expected nothing: a page's engine is one thread");
  EXPECT_EQ(changed("yes", "true"), "--yes: got \"true\", expected true or false");
  EXPECT_EQ(changed("policy", Json::array()), "--policy is required");
  EXPECT_EQ(changed("engine", "cuda").substr(0, 17), "engine: got cuda,");
}

TEST(Answer, RefusesWhatIsNoRequest) {
  EXPECT_EQ(complaint(std::string("[]")),
            "request: got no object, expected an object with a command");
  EXPECT_EQ(complaint(std::string("{}")),
            "request: command: got nothing, expected the name of one");
  EXPECT_EQ(complaint(std::string("{\"command\":")).substr(0, 9), "request: ");
  EXPECT_EQ(complaint(Json{{"command", "simulat"}}).substr(0, 23), "command: got 'simulat',");
}

// Twelve hours of one core, as the command has it.
TEST(Answer, AsksBeforeLongWork) {
  Json request = small();
  request["horizon"] = "1e15";
  request["engine"] = "step";
  EXPECT_EQ(complaint(request).substr(0, 20), "estimated time: got ");
}

}  // namespace
}  // namespace armature::browser
