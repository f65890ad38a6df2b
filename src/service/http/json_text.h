// JSON of answers, written straight into the reply: the request path makes no trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace armature::service::http {

/// In quotes. Bytes that are no UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);

/// {"a":"b","n":1}: fields in the order they are added.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value);
  JsonObject& number(std::string_view name, double value);
  JsonObject& count(std::string_view name, std::uint64_t value);
  /// 64 bits as a text: JavaScript loses numbers above 2^53.
  JsonObject& digits(std::string_view name, std::uint64_t value);
  JsonObject& flag(std::string_view name, bool value);
  JsonObject& json(std::string_view name, std::string_view value);  // as it is
  std::string end() &&;

 private:
  void name(std::string_view name);

  std::string out_ = "{";
};

}  // namespace armature::service::http
