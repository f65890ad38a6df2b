// A value of a JSON text together with the path that leads to it, so that every complaint names it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace armature {

/// Refers to the JSON it was made from. Complaints are Errors without a file.
class JsonField {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonField(const Json& json, std::string path = "")
      : json_(json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& got, const std::string& expected) const;
  [[noreturn]] void fail(const std::string& expected) const;  // got: the value itself
  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return json_.contains(key); }

  JsonField at(const std::string& key) const;  // of an object; it must be there
  JsonField at(std::size_t index) const;       // of a list
  /// That it is an object without other keys.
  void only(const std::vector<std::string>& keys) const;

  double number() const;
  std::uint64_t whole_number() const;
  std::string text() const;
  std::size_t list_size() const;
  std::vector<double> numbers() const;

 private:
  std::string child(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  const Json& json_;
  std::string path_;
};

}  // namespace armature
