#include "base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;

std::string repeated(const std::string& text) {
  return refusal([&] { parsed_json(text, "x.json"); });
}

TEST(RepeatedKeys, AreNamedWithTheirLine) {
  EXPECT_EQ(
      repeated("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"),
      "x.json: line 3, column 2: got the key \"a\" a second time, expected each key once in an object");
  EXPECT_NE(repeated(R"({"x": {"a": [1, {"b": 1, "b": 2}]}})"), "(accepted)");
  EXPECT_NE(repeated(R"([{}, {"": 1, "": 2}])"), "(accepted)");
  EXPECT_NE(repeated(R"({"a\n": 1, "\u0061\u000a": 2})"), "(accepted)");
  EXPECT_EQ(repeated(R"({"a": 1, "\\u0061": 2, "\u00e4": 3, "\u20ac": 4})"), "(accepted)");
}

TEST(RepeatedKeys, InDifferentObjectsAreFine) {
  EXPECT_EQ(repeated(R"({"a": {"a": {"a": []}}, "b": [{"a": 1}, {"a": 2}]})"), "(accepted)");
  EXPECT_EQ(repeated("17"), "(accepted)");
}

// What looks like a key, but is a value.
TEST(RepeatedKeys, ValuesMayRepeat) {
  EXPECT_EQ(repeated(R"({"a": "a", "b": "a", "c": ["a", "a", "{", "\"a\": "]})"), "(accepted)");
  EXPECT_EQ(repeated(R"({"a\"": 1, "a": 2, "a\\": 3, "}{": 4})"), "(accepted)");
}

TEST(DeepNesting, CountsNeitherStringsNorWhatIsClosed) {
  const auto told = [](const std::string& text) {
    return refusal([&] { parsed_json(text, "x.json"); });
  };
  EXPECT_EQ(told("\"" + std::string(100, '[') + "\""), "(accepted)");
  EXPECT_EQ(told(std::string(64, '[') + std::string(64, ']')), "(accepted)");
  EXPECT_EQ(told("\n" + std::string(65, '[')),
            "x.json: line 2, column 65: got deeper nesting, expected at most 64 lists or objects "
            "inside each other");
  std::string many = "[0";
  for (int i = 0; i < 100; ++i) many += ", [], {}";
  EXPECT_EQ(told(many + "]"), "(accepted)");
  EXPECT_EQ(told("\"\\"), "x.json: line 1, column 3: got the end of the text, expected valid JSON");
}

// The library takes it for the end of the text and leaves the rest unread.
TEST(ZeroByte, IsNoEnd) {
  EXPECT_EQ(refusal([&] { parsed_json(std::string("1\n2\0]", 5), "x.json"); }),
            "x.json: line 2, column 2: got a NUL byte, expected text");
}

}  // namespace
}  // namespace armature
