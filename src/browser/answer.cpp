#include "browser/answer.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "armature/error.h"
#include "base/display.h"
#include "base/text.h"
#include "browser/commands.h"
#include "options/names.h"

namespace armature::browser {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  const char* command;
  std::string (*answer)(const Request& request, const Progress& progress);
};
constexpr Row kCommands[] = {
    {"simulate", simulate}, {"bounds", bounds}, {"frontier", frontier}, {"families", families},
    {"policies", policies}, {"looks", looks},   {"version", version},
};

std::string carried_out(const Request& request, const Progress& progress) {
  std::vector<std::string> names;
  for (const auto& [command, answer] : kCommands) {
    if (request.command() == command) return answer(request, progress);
    names.emplace_back(command);
  }
  throw Error({"", "command", "'" + request.command() + "'",
               join(names, ", ") + did_you_mean(request.command(), names)});
}

std::string complaint(const std::string& message) {
  return Json{{"error", visible(message)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string answer(const std::string& request, const Progress& progress) {
  constexpr std::size_t kLongestMessage = 600;
  const ThrowingChecks for_a_page_lives_on;
  try {
    return carried_out(Request(request), progress);
  } catch (const Error& error) {
    return complaint(error.what());
  } catch (const Complaint& words) {
    return complaint(shown(words.what(), kLongestMessage));
  } catch (const std::bad_alloc&) {
    return complaint(kTooLarge);
  } catch (const std::length_error&) {  // more than 32 bits can count
    return complaint(kTooLarge);
  } catch (const std::exception& error) {
    return complaint(fmt::format("unexpected: {}", shown(error.what(), kLongestMessage)));
  }
}

}  // namespace armature::browser
