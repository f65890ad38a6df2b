// What a request may say: its fields, declared once. Bodies are read, checked and documented
// (/openapi.json) by these rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/requests.h"

namespace armature::service::http {

enum class FieldKind {
  kText,
  kName,  // of an action or a context, or its index
  kNumber,
  kSequence,  // 64 bits: digits in a text, or a whole number
  kFlag,
  kTexts,   // a list
  kObject,  // read by whoever knows it
  kItems,   // a list of objects with fields of their own
};

struct Field {
  const char* name;
  FieldKind kind;
  bool required;
  const char* meaning;                // for people, in the documentation and in complaints
  std::size_t longest = 256;          // bytes of a text, or how many in a list
  std::span<const Field> items = {};  // of kItems
  const char* schema = nullptr;       // its JSON schema, where the kind does not say all
};

/// What one field was given.
struct FieldValue {
  bool given = false;
  std::string text = {};
  double number = 0;
  std::uint64_t whole = 0;
  bool flag = false;
  bool is_index = false;  // of kName
  std::vector<std::string> texts = {};
  std::vector<std::vector<FieldValue>> items = {};
};

/// The fields of one object, in the order they are declared.
class FieldValues {
 public:
  FieldValues(std::span<const Field> fields, std::vector<FieldValue> values)
      : fields_(fields), values_(std::move(values)) {}

  const FieldValue& at(std::string_view name) const;
  bool has(std::string_view name) const { return at(name).given; }
  std::string text(std::string_view name) const { return at(name).text; }
  std::optional<Named> named(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  /// Of a field of kItems, one object after the other.
  std::vector<FieldValues> items(std::string_view name) const;
  std::vector<FieldValue> take() && { return std::move(values_); }

 private:
  std::span<const Field> fields_;
  std::vector<FieldValue> values_;
};

/// Throws Error naming the field: what is no JSON in UTF-8, a field that is not declared, stands
/// twice, is missing or of another kind. An empty body has no fields. Its bytes may be moved about
/// by reading.
FieldValues read_fields(std::string& body, std::span<const Field> fields);
/// The same from the part of a target after '?'.
FieldValues read_query(std::string_view query, std::span<const Field> fields);

/// %41 is A; nothing if it is no such thing.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace armature::service::http
