// Any bytes sent to the engine for browsers are answered: with JSON (a drawing where one was asked
// for), or with a complaint, which is never one that nobody thought of.
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "armature/error.h"
#include "browser/answer.h"

namespace {

using Json = nlohmann::json;

// Large worlds and long runs are right but expensive: numbers of two digits will do here, without
// formulas, which make larger ones of them.
bool asks_for_much(const std::string& text) {
  constexpr std::size_t kMostText = 1000;
  constexpr int kMostDigits = 2;
  if (text.size() > kMostText || text.find_first_of("*/^(\\") != std::string::npos) return true;
  int digits = 0;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit ? ++digits > kMostDigits : digits > 0 && (c == 'e' || c == 'E' || c == '_'))
      return true;
    if (!digit) digits = 0;
  }
  return false;
}

// The formats of `graph show` that are no JSON.
bool asks_for_drawing(const std::string& text) {
  const Json request = Json::parse(text, nullptr, false);
  return request.is_object() && request.value("command", Json()) == "graph show" &&
         request.contains("format") && request["format"] != "json";
}

void check_answer(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  ARMATURE_CHECK(!json.is_discarded(), "an answer is JSON");
  if (!json.is_object() || !json.contains("error")) return;
  const auto words = json["error"].get<std::string>();
  ARMATURE_CHECK(!words.empty() && !words.starts_with("unexpected"), "complaints are foreseen");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string request(reinterpret_cast<const char*>(data), size);
  if (asks_for_much(request)) return -1;
  const std::string answer = armature::browser::answer(request, check_answer);
  if (answer.starts_with("{\"error\":") || !asks_for_drawing(request)) check_answer(answer);
  return 0;
}
