#include "service/request_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "base/json_text.h"

namespace armature::service {
namespace {

constexpr std::size_t kDeepest = 100;  // what was read is less deep

using Json = nlohmann::ordered_json;

// Follows a text up to what cannot be read, or to the first key that stands twice in its object,
// and knows which field that is.
class PlaceFinder final : public Json::json_sax_t {
 public:
  bool repeated() const { return repeated_; }
  std::string place() const {
    std::string place;
    for (const Around& around : open_) {
      if (around.is_list)
        place += fmt::format("[{}]", around.values);
      else if (!around.keys.empty())
        place += (place.empty() ? "" : ".") + around.key;
    }
    return place;
  }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(Json::number_integer_t) override { return value(); }
  bool number_unsigned(Json::number_unsigned_t) override { return value(); }
  bool number_float(Json::number_float_t, const std::string&) override { return value(); }
  bool string(std::string&) override { return value(); }
  bool binary(Json::binary_t&) override { return false; }  // never in text
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    Around& object = open_.back();
    object.key = name;
    repeated_ = !object.keys.insert(name).second;
    return !repeated_;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  struct Around {
    bool is_list;
    std::size_t values = 0;  // before this one
    std::string key = {};    // the last
    std::set<std::string> keys = {};
  };

  bool value() {
    if (!open_.empty()) ++open_.back().values;
    return true;
  }
  // What was refused for its depth is not followed all the way down.
  bool open(bool is_list) {
    open_.push_back({is_list});
    return open_.size() <= kDeepest;
  }
  bool close() {
    open_.pop_back();
    return value();
  }

  std::vector<Around> open_;
  bool repeated_ = false;
};

}  // namespace

Json request_json(const std::string& text, const std::string& source) {
  try {
    return parsed_json(text, source);
  } catch (const Error& error) {
    PlaceFinder finder;
    Json::sax_parse(text, &finder);
    const ErrorReport& why = error.report();
    if (finder.repeated()) throw Error({why.file, finder.place(), "a second value", "one value"});
    const bool has_line = why.field.starts_with("line ");
    throw Error(
        {why.file, finder.place(), why.value + (has_line ? " at " + why.field : ""), why.expected});
  }
}

ErrorReport named_by_field(ErrorReport report) {
  constexpr std::string_view kUnknown = "unknown field '";
  if (!report.value.starts_with(kUnknown) || !report.value.ends_with('\'')) return report;
  const std::string key =
      report.value.substr(kUnknown.size(), report.value.size() - kUnknown.size() - 1);
  report.field = (report.field == "top level" ? "" : report.field + ".") + key;
  report.value = "a field of this name";
  return report;
}

}  // namespace armature::service
