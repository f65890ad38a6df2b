#include "service/facts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/refusal.h"

namespace armature::service {
namespace {

using Json = nlohmann::ordered_json;
using test::contains;
using test::refusal;

Json good() {
  return Json::parse(R"({
    "name": "mail", "policy": "sentry:share=0.05", "seed": "18446744073709551615",
    "problem": {"format": "armature-problem", "version": 1, "actions": ["plain", "coupon"],
                "contexts": ["ignored", "opened", "clicked"],
                "marginals": [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]], "horizon": 1000000},
    "deadline": "24h", "silence": {"context": "ignored", "reward": 0}, "fallback": "plain",
    "floor": 0.01, "at_horizon": "continue"})");
}

TEST(Creations, AreReadAndWritten) {
  const Creation creation = read_creation(good().dump(), "x");
  EXPECT_EQ(creation.facts.name, "mail");
  EXPECT_EQ(creation.facts.seed, ~std::uint64_t{0});
  EXPECT_EQ(creation.facts.settings.deadline, 24 * kHour);
  EXPECT_EQ(creation.facts.settings.silence, (Silence{"ignored", 0}));
  EXPECT_EQ(creation.facts.settings.fallback, "plain");
  EXPECT_EQ(creation.problem.actions(), 2u);
  const std::string written = write_creation(creation);
  EXPECT_EQ(write_creation(read_creation(written, "x")), written);
  EXPECT_EQ(read_settings(write_settings(creation.facts.settings), "x"), creation.facts.settings);
}

TEST(Creations, HaveDefaultsButNotForWhatMustBeChosen) {
  Json json = good();
  for (const char* optional : {"seed", "deadline", "floor", "at_horizon"}) json.erase(optional);
  const Creation creation = read_creation(json.dump(), "x");
  EXPECT_EQ(creation.facts.settings.deadline, 24 * kHour);
  EXPECT_EQ(creation.facts.settings.floor, 0);
  json["name"] = "post";
  EXPECT_NE(read_creation(json.dump(), "x").facts.seed, creation.facts.seed);
  for (const char* required : {"name", "problem", "policy", "silence", "fallback"}) {
    Json without = good();
    without.erase(required);
    EXPECT_TRUE(contains(refusal([&] { read_creation(without.dump(), "x"); }), required));
  }
}

TEST(Creations, NameTheFieldThatIsWrong) {
  const auto message = [](const char* field, const Json& value) {
    Json json = good();
    json[field] = value;
    return refusal([&] { read_creation(json.dump(), "x"); });
  };
  for (const Json& name : {Json(""), Json("a.b"), Json("a b"), Json(std::string(65, 'a')), Json(7)})
    EXPECT_TRUE(contains(message("name", name), "name: ")) << name;
  EXPECT_TRUE(contains(message("deadline", "1 day"), "deadline: got '1 day'"));
  EXPECT_TRUE(contains(message("deadline", "0s"), "deadline"));
  EXPECT_TRUE(contains(message("deadline", "99999999999999999999d"), "deadline"));
  EXPECT_TRUE(contains(message("deadline", "never"), "deadline"));  // silence needs one
  EXPECT_TRUE(contains(message("silence", "zero"), "silence"));
  EXPECT_TRUE(contains(message("silence", Json{{"context", "ignord"}, {"reward", 0}}),
                       "silence.context: got 'ignord', expected one of the problem's contexts; "
                       "did you mean 'ignored'?"));
  EXPECT_TRUE(contains(message("silence", Json{{"context", "ignored"}, {"reward", 1.5}}),
                       "silence.reward"));
  EXPECT_TRUE(contains(message("fallback", "none"), "fallback: got 'none'"));
  EXPECT_TRUE(contains(message("floor", 1.5), "floor"));
  EXPECT_TRUE(contains(message("at_horizon", "end"), "at_horizon"));
  EXPECT_TRUE(contains(message("contexts", "some"), "contexts"));
  EXPECT_TRUE(contains(message("most_open", 0), "most_open"));
  EXPECT_TRUE(contains(message("most_open", 5'000'001), "most_open"));
  EXPECT_TRUE(contains(message("seed", "-1"), "seed"));
  EXPECT_TRUE(contains(message("seed", 1.5), "seed"));
  EXPECT_TRUE(contains(message("problem", Json{{"format", "x"}}), "problem.format"));
  EXPECT_TRUE(contains(message("polici", "ucb"), "polici: got a field of this name"));
  EXPECT_TRUE(contains(message("fallback", 2), "fallback: got 2, expected a number below 2"));
  EXPECT_TRUE(contains(message("fallback", -1), "fallback: got -1, expected an action, by name"));
}

TEST(Creations, MalformedTextsAreToldByTheirField) {
  const auto message = [](const char* json) { return refusal([&] { read_creation(json, "x"); }); };
  EXPECT_TRUE(contains(message("[]"), "body: got []"));
  EXPECT_TRUE(contains(message("{"), "body: got the end of the text at line 1"));
  EXPECT_TRUE(contains(message("{\"name\": NaN}"), "name: got 'NaN' at line 1, column 10"));
  EXPECT_TRUE(contains(message("{\"floor\": 1e309}"), "floor: got number overflow"));
  EXPECT_TRUE(contains(message("{\"name\": \"a\" 1}"), "name: got '1' at line 1, column 14"));
  EXPECT_TRUE(contains(message("{\"name\": \"a\"} 1"), "body: got '1' at line 1, column 15"));
  EXPECT_TRUE(contains(message("{\"name\": \"a\", \"name\": \"a\"}"), "name: got a second value"));
  EXPECT_TRUE(contains(message("{\"problem\": {\"actions\": [{\"a\": 1, \"a\": 1}]}}"),
                       "problem.actions[0].a: got a second value"));
}

// Stored are names: where there is no problem to look into, a number is none.
TEST(Creations, NumbersStandForNames) {
  Json json = good();
  const std::string by_name = write_creation(read_creation(json.dump(), "x"));
  json["fallback"] = 0;
  json["silence"] = Json{{"context", 0}, {"reward", 0}};
  EXPECT_EQ(write_creation(read_creation(json.dump(), "x")), by_name);
  Json settings = Json::parse(write_settings(read_creation(json.dump(), "x").facts.settings));
  settings["fallback"] = 0;
  EXPECT_TRUE(contains(refusal([&] { read_settings(settings.dump(), "x"); }), "fallback"));
}

TEST(Creations, NeverIsNoDeadlineForThoseWhoWait) {
  Json json = good();
  json["deadline"] = "never";
  json["silence"] = "forget";
  EXPECT_EQ(read_creation(json.dump(), "x").facts.settings.deadline, std::nullopt);
  for (const char* policy : {"pe", "corral", "db:base=ucb+pe", "floor:base=(pe)"}) {
    json["policy"] = policy;
    EXPECT_TRUE(contains(refusal([&] { read_creation(json.dump(), "x"); }), "deadline: got never"))
        << policy;
  }
  json["policy"] = "ucb:width=paper";  // no pe in it
  read_creation(json.dump(), "x");
}

TEST(Durations, AreReadAsTheyAreWritten) {
  for (const char* text : {"1ms", "1500ms", "90s", "30m", "24h", "7d", "never"}) {
    const auto duration = parse_duration(text, "x");
    EXPECT_EQ(parse_duration(print_duration(duration), "x"), duration) << text;
  }
  EXPECT_EQ(print_duration(24 * kHour), "1d");
  EXPECT_EQ(print_duration(90 * kSecond), "90s");
  for (const char* bad : {"", "h", "24", "1.5h", "-1h", "1 h", "24H", "∞"})
    EXPECT_NE(refusal([&] { parse_duration(bad, "x"); }), "(accepted)") << bad;
}

}  // namespace
}  // namespace armature::service
