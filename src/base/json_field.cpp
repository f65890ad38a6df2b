#include "base/json_field.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/text.h"

namespace armature {

void JsonField::fail(const std::string& got, const std::string& expected) const {
  throw Error({"", path_, got, expected});
}

void JsonField::fail(const std::string& expected) const {
  std::string shown = json_.dump();
  if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
  fail(shown, expected);
}

JsonField JsonField::at(const std::string& key) const {
  if (!json_.is_object()) fail("an object");
  if (!has(key)) throw Error({"", child(key), "nothing", "this field to be there"});
  return JsonField(json_.at(key), child(key));
}

JsonField JsonField::at(std::size_t index) const {
  return JsonField(json_.at(index), fmt::format("{}[{}]", path_, index));
}

void JsonField::only(const std::vector<std::string>& keys) const {
  if (!json_.is_object()) fail("an object");
  for (const auto& item : json_.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      throw Error({"", path_.empty() ? "top level" : path_,
                   fmt::format("unknown field '{}'", item.key()),
                   "one of " + join(keys, ", ") + did_you_mean(item.key(), keys)});
}

double JsonField::number() const {
  if (!json_.is_number()) fail("a number");
  return json_.get<double>();
}

std::uint64_t JsonField::whole_number() const {
  if (json_.is_number_unsigned()) return json_.get<std::uint64_t>();
  if (json_.is_number_float()) {
    const auto parsed = parse_integer(json_.dump());
    if (parsed) return *parsed;
  }
  fail("a whole number of at least 0");
}

std::string JsonField::text() const {
  if (!json_.is_string()) fail("a text");
  return json_.get<std::string>();
}

std::size_t JsonField::list_size() const {
  if (!json_.is_array()) fail("a list");
  return json_.size();
}

std::vector<double> JsonField::numbers() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < list_size(); ++i) values.push_back(at(i).number());
  return values;
}

}  // namespace armature
