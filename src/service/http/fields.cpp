#include "service/http/fields.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/text.h"

namespace armature::service::http {
namespace {

namespace ondemand = simdjson::ondemand;

const char* kind_words(FieldKind kind) {
  switch (kind) {
    case FieldKind::kText:
      return "a text";
    case FieldKind::kName:
      return "a name, or an index";
    case FieldKind::kNumber:
      return "a number";
    case FieldKind::kSequence:
      return "a whole number below 2^64, as a text";
    case FieldKind::kFlag:
      return "true or false";
    case FieldKind::kTexts:
      return "a list of texts";
    case FieldKind::kObject:
      return "an object";
    case FieldKind::kItems:
      return "a list of objects";
  }
  return "";
}

std::string expectation(const Field& field) {
  return fmt::format("{}: {}", kind_words(field.kind), field.meaning);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

[[noreturn]] void refuse_json(std::string_view why) {
  throw Error({"", "body", std::string(why), "a JSON object in UTF-8"});
}

// Reads one object after the other; nothing is skipped, so that every byte has been looked at.
class ObjectReader {
 public:
  FieldValues read(ondemand::object object, std::span<const Field> fields,
                   const std::string& path) {
    std::vector<FieldValue> values(fields.size());
    for (auto member : object) {
      std::string_view key;
      if (member.unescaped_key().get(key) != simdjson::SUCCESS) refuse_json("malformed JSON");
      const std::string place = path + std::string(key);
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& one) { return one.name == key; });
      if (field == fields.end()) refuse_unknown(place, key, fields);
      FieldValue& value = values[static_cast<std::size_t>(field - fields.begin())];
      if (value.given) throw Error({"", place, "a second value", "one value"});
      ondemand::value json;
      if (member.value().get(json) != simdjson::SUCCESS) refuse_json("malformed JSON");
      value.given = true;
      read_value(json, *field, place, value);
    }
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].required && !values[i].given)
        throw Error({"", path + fields[i].name, "nothing", expectation(fields[i])});
    return {fields, std::move(values)};
  }

 private:
  [[noreturn]] static void refuse_unknown(const std::string& place, std::string_view key,
                                          std::span<const Field> fields) {
    std::vector<std::string> names;
    for (const Field& field : fields) names.emplace_back(field.name);
    throw Error({"", place, "a field of this name",
                 (names.empty() ? std::string("no fields") : "one of " + join(names, ", ")) +
                     did_you_mean(key, names)});
  }

  [[noreturn]] static void refuse(ondemand::value& json, const Field& field,
                                  const std::string& place, const std::string& expected = "") {
    std::string got(trimmed(json.raw_json_token()));
    if (got.starts_with('{')) got = "an object";
    if (got.starts_with('[')) got = "a list";
    throw Error({"", place, got, expected.empty() ? expectation(field) : expected});
  }

  static bool starts_with(ondemand::value& json, char first) {
    const std::string_view token = json.raw_json_token();
    return !token.empty() && token.front() == first;
  }

  void read_text(ondemand::value& json, const Field& field, const std::string& place,
                 std::string& text) {
    std::string_view read;
    if (!starts_with(json, '"')) refuse(json, field, place);
    if (json.get_string().get(read) != simdjson::SUCCESS)
      throw Error({"", place, "a text that is none", expectation(field)});
    if (read.size() > field.longest)
      throw Error({"", place, fmt::format("{} bytes", read.size()),
                   fmt::format("at most {} bytes", field.longest)});
    text = read;
  }

  void read_value(ondemand::value& json, const Field& field, const std::string& place,
                  FieldValue& value) {
    switch (field.kind) {
      case FieldKind::kText:
        read_text(json, field, place, value.text);
        return;
      case FieldKind::kName:
        if (starts_with(json, '"')) return read_text(json, field, place, value.text);
        value.is_index = true;
        if (json.get_uint64().get(value.whole) != simdjson::SUCCESS) refuse(json, field, place);
        return;
      case FieldKind::kNumber:
        if (json.get_double().get(value.number) != simdjson::SUCCESS) refuse(json, field, place);
        return;
      case FieldKind::kSequence:
        return read_sequence(json, field, place, value);
      case FieldKind::kFlag:
        if (json.get_bool().get(value.flag) != simdjson::SUCCESS) refuse(json, field, place);
        return;
      case FieldKind::kObject:
        return read_object(json, field, place, value);
      case FieldKind::kTexts:
      case FieldKind::kItems:
        return read_list(json, field, place, value);
    }
  }

  void read_sequence(ondemand::value& json, const Field& field, const std::string& place,
                     FieldValue& value) {
    if (!starts_with(json, '"')) {
      if (json.get_uint64().get(value.whole) != simdjson::SUCCESS) refuse(json, field, place);
      return;
    }
    std::string digits;
    read_text(json, field, place, digits);
    const std::optional<std::uint64_t> number =
        std::all_of(digits.begin(), digits.end(), is_digit) ? parse_integer(digits) : std::nullopt;
    if (!number) throw Error({"", place, "'" + digits + "'", expectation(field)});
    value.whole = *number;
  }

  static void read_object(ondemand::value& json, const Field& field, const std::string& place,
                          FieldValue& value) {
    ondemand::object object;
    std::string_view raw;
    if (!starts_with(json, '{')) refuse(json, field, place);
    if (json.get_object().get(object) != simdjson::SUCCESS ||
        object.raw_json().get(raw) != simdjson::SUCCESS)
      refuse_json("malformed JSON");
    value.text = raw;
  }

  void read_list(ondemand::value& json, const Field& field, const std::string& place,
                 FieldValue& value) {
    ondemand::array array;
    if (!starts_with(json, '[')) refuse(json, field, place);
    if (json.get_array().get(array) != simdjson::SUCCESS) refuse_json("malformed JSON");
    std::size_t count = 0;
    for (auto element : array) {
      ondemand::value item;
      if (element.get(item) != simdjson::SUCCESS) refuse_json("malformed JSON");
      if (++count > field.longest)
        throw Error({"", place, "more", fmt::format("at most {}", field.longest)});
      const std::string item_place = fmt::format("{}[{}]", place, count - 1);
      if (field.kind == FieldKind::kTexts) {
        Field text = field;
        text.kind = FieldKind::kText;
        text.longest = 256;
        read_text(item, text, item_place, value.texts.emplace_back());
        continue;
      }
      ondemand::object object;
      if (!starts_with(item, '{')) refuse(item, field, item_place, "an object");
      if (item.get_object().get(object) != simdjson::SUCCESS) refuse_json("malformed JSON");
      value.items.push_back(std::move(read(object, field.items, item_place + ".")).take());
    }
  }
};

}  // namespace

const FieldValue& FieldValues::at(std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].name == name) return values_[i];
  ARMATURE_CHECK(false, "a field that is declared");
  std::abort();
}

std::optional<Named> FieldValues::named(std::string_view name) const {
  const FieldValue& value = at(name);
  if (!value.given) return std::nullopt;
  return value.is_index ? Named(value.whole) : Named(value.text);
}

std::optional<double> FieldValues::number(std::string_view name) const {
  const FieldValue& value = at(name);
  return value.given ? std::optional(value.number) : std::nullopt;
}

std::vector<FieldValues> FieldValues::items(std::string_view name) const {
  std::vector<FieldValues> items;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].name == name)
      for (const std::vector<FieldValue>& values : values_[i].items)
        items.emplace_back(fields_[i].items, values);
  return items;
}

FieldValues read_fields(std::string& body, std::span<const Field> fields) {
  if (trimmed(body).empty()) body = "{}";
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  // One per thread: it keeps its memory between requests.
  thread_local ondemand::parser parser;
  ondemand::document document;
  const auto status =
      parser.iterate(simdjson::padded_string_view(body.data(), body.size(), body.capacity()))
          .get(document);
  if (status == simdjson::UTF8_ERROR) refuse_json("bytes that are no UTF-8");
  if (status != simdjson::SUCCESS) refuse_json("malformed JSON");
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS)
    refuse_json(trimmed(std::string_view(body)).substr(0, 40));
  FieldValues values = ObjectReader().read(object, fields, "");
  const char* rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS)
    refuse_json("more behind the object");
  return values;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0)
      return std::nullopt;
    decoded += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

FieldValues read_query(std::string_view query, std::span<const Field> fields) {
  std::vector<FieldValue> values(fields.size());
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::optional<std::string> key = percent_decoded(pair.substr(0, equals));
    const std::optional<std::string> text = percent_decoded(
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!key || !text)
      throw Error({"", "query", "'" + std::string(pair) + "'", "a % before two hex digits"});
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& one) { return one.name == *key; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const Field& one : fields) names.emplace_back(one.name);
      throw Error({"", *key, "a parameter of this name",
                   names.empty() ? "no parameters" : "one of " + join(names, ", ")});
    }
    FieldValue& value = values[static_cast<std::size_t>(field - fields.begin())];
    if (value.given) throw Error({"", *key, "a second value", "one value"});
    value.given = true;
    value.text = *text;
    if (field->kind == FieldKind::kSequence) {
      const auto number =
          std::all_of(text->begin(), text->end(), is_digit) ? parse_integer(*text) : std::nullopt;
      if (!number) throw Error({"", *key, "'" + *text + "'", "a whole number below 2^64"});
      value.whole = *number;
    }
  }
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].required && !values[i].given)
      throw Error({"", fields[i].name, "nothing", expectation(fields[i])});
  return {fields, std::move(values)};
}

}  // namespace armature::service::http
