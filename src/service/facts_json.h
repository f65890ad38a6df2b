// Facts and epochs as parts of other JSON texts (transfer, summaries), and numbers of 64 bits in
// them: texts, as JavaScript loses numbers above 2^53.
#pragma once

#include <memory>
#include <utility>

#include "base/json_field.h"
#include "service/facts.h"

namespace armature::service {

/// As a text, or as a number; complaints name the field.
std::uint64_t whole_of(const JsonField& field);
/// Before 1970 it is negative.
Time time_of(const JsonField& field);
template <class Number>
std::optional<Number> optional_of(const JsonField& object, const char* key) {
  if (!object.has(key)) return std::nullopt;
  const std::uint64_t number = whole_of(object.at(key));
  if (!std::in_range<Number>(number)) object.at(key).fail("a smaller number");
  return static_cast<Number>(number);
}

/// experiment, tenant, seed, created and settings.
JsonField::Json facts_json(const ExperimentFacts& facts);
ExperimentFacts read_facts(const JsonField& object);

/// All but `first`, which is known from where it stands.
JsonField::Json epoch_json(const Epoch& epoch);
std::shared_ptr<const Epoch> read_epoch(const JsonField& field, Sequence first);

}  // namespace armature::service
