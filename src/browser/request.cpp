#include "browser/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/json_field.h"
#include "base/json_text.h"
#include "base/text.h"
#include "options/names.h"

namespace armature::browser {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCommand = "command";

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string dashed(const std::string& name) { return "--" + name; }

[[noreturn]] void refuse(const std::string& name, const Json& value, const std::string& expected) {
  throw Error(
      {"", dashed(name), value.dump(-1, ' ', false, Json::error_handler_t::replace), expected});
}

std::string text_of(const Option& option, const Json& value) {
  if (!value.is_string()) refuse(option.name, value, "a text, as it would be typed");
  auto text = value.get<std::string>();
  if (text.empty()) throw Complaint(dashed(option.name) + ": got an empty text, expected a value");
  if (!option.choices.empty() && !contains(option.choices, text))
    throw Complaint(
        fmt::format("{}: {} not in {{{}}}", dashed(option.name), text, join(option.choices, ",")));
  return text;
}

struct Assignment {
  const Option& option;
  const Json& value;

  void operator()(std::monostate) const {
    if (!contains(option.choices, "json") || text_of(option, value) != "json")
      refuse(option.name, value, option.refused);
  }
  void operator()(std::string* target) const { *target = text_of(option, value); }
  void operator()(std::optional<std::string>* target) const { *target = text_of(option, value); }
  void operator()(bool* target) const {
    if (!value.is_boolean()) refuse(option.name, value, "true or false");
    *target = value.get<bool>();
  }
  void operator()(std::vector<std::string>* target) const {
    if (!value.is_array()) {
      *target = {text_of(option, value)};
      return;
    }
    target->clear();
    for (const Json& one : value) target->push_back(text_of(option, one));
  }
};

}  // namespace

Request::Request(const std::string& text) : json_(parsed_json(text, "request")) {
  const JsonField root(json_);
  if (!json_.is_object()) throw Error({"request", "", "no object", "an object with a command"});
  if (!root.has(kCommand)) throw Error({"request", kCommand, "nothing", "the name of one"});
  command_ = root.at(kCommand).text();
}

void Request::refuse_unknown(const std::vector<Option>& options,
                             const std::vector<std::string>& beside) const {
  for (const auto& [key, value] : json_.items()) {
    if (key == kCommand || contains(beside, key)) continue;
    const bool known =
        std::any_of(options.begin(), options.end(),
                    [&, &name = key](const Option& one) { return one.name == name; });
    if (known) continue;
    std::vector<std::string> names{"--help"};
    for (const Option& one : options) names.push_back(dashed(one.name));
    const std::string word = dashed(key);
    throw unknown_option(command_, word, nearest_long_option(word, names), names);
  }
}

void Request::read(const std::vector<Option>& options,
                   const std::vector<std::string>& beside) const {
  refuse_unknown(options, beside);
  for (const Option& option : options)
    if (json_.contains(option.name))
      std::visit(Assignment{option, json_.at(option.name)}, option.target);
  for (const Option& option : options)
    if (option.required && (!json_.contains(option.name) || json_.at(option.name).empty()))
      throw Complaint(dashed(option.name) + " is required");
}

FileTable Request::files(const std::string& key) const {
  FileTable files;
  if (!json_.contains(key)) return files;
  const JsonField field(json_.at(key), key);
  if (!field.json().is_object()) field.fail("an object: names with contents");
  for (const auto& [name, content] : field.json().items()) files[name] = field.at(name).text();
  return files;
}

std::string Request::text(const std::string& key) const {
  const JsonField root(json_);
  if (!root.has(key)) throw Error({"request", key, "nothing", "a text"});
  return root.at(key).text();
}

Option refused_option(const std::string& name, const std::string& expected) {
  return {.name = name, .refused = expected};
}

Option json_option(std::vector<std::string> formats) {
  return {.name = "format",
          .choices = std::move(formats),
          .refused = "json, as all answers to pages are"};
}

std::vector<Option> with_terminal_options(std::vector<Option> options) {
  for (const char* name : {"color", "wide"})
    options.push_back(refused_option(name, "nothing: a page is no terminal"));
  return options;
}

}  // namespace armature::browser
