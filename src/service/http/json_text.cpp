#include "service/http/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace armature::service::http {
namespace {

// How many bytes the character at the start of a text has; 0: these are no UTF-8.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    std::size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else if (const std::size_t length = character_length(text); length > 0) {
      out.append(text.substr(0, length));
      taken = length;
    } else {
      out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(taken);
  }
  out += '"';
}

void JsonObject::name(std::string_view name) {
  if (out_.size() > 1) out_ += ',';
  append_json_text(out_, name);
  out_ += ':';
}

JsonObject& JsonObject::text(std::string_view field, std::string_view value) {
  name(field);
  append_json_text(out_, value);
  return *this;
}

JsonObject& JsonObject::number(std::string_view field, double value) {
  name(field);
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out_), "{}", value);
  else
    out_ += "null";
  return *this;
}

JsonObject& JsonObject::count(std::string_view field, std::uint64_t value) {
  name(field);
  out_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::digits(std::string_view field, std::uint64_t value) {
  name(field);
  out_ += '"';
  out_ += std::to_string(value);
  out_ += '"';
  return *this;
}

JsonObject& JsonObject::flag(std::string_view field, bool value) {
  name(field);
  out_ += value ? "true" : "false";
  return *this;
}

JsonObject& JsonObject::json(std::string_view field, std::string_view value) {
  name(field);
  out_ += value;
  return *this;
}

std::string JsonObject::end() && {
  out_ += '}';
  return std::move(out_);
}

}  // namespace armature::service::http
