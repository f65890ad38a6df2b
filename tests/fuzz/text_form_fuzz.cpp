// Any text either is a text form (a policy, a family with its keys) or is refused with an Error,
// and canonical forms are fixed points.
#include <cstdint>
#include <optional>
#include <string>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/parameters.h"
#include "armature/policy.h"
#include "base/text.h"

namespace {

using armature::TextForm;

std::optional<TextForm> parsed(const std::string& text) {
  try {
    return TextForm::parse(text);
  } catch (const armature::Error&) {
    return std::nullopt;
  }
}

// A form that prints must parse to the same form.
void check_form(const TextForm& form) {
  const std::string printed = form.print();
  const TextForm again = TextForm::parse(printed);
  ARMATURE_CHECK(again.name == form.name && again.values == form.values,
                 "a printed form parses to itself");
}

void check_policy(const std::string& text) {
  std::string canonical;
  try {
    canonical = armature::canonical_policy(text);
  } catch (const armature::Error&) {
    return;
  }
  ARMATURE_CHECK(armature::canonical_policy(canonical) == canonical,
                 "a canonical policy is a fixed point");
}

bool is_small(const TextForm& form) {
  for (const auto& [key, value] : form.values) {
    if (key != "actions" && key != "contexts") continue;
    const auto count = armature::parse_integer(value);
    if (count && *count > 50) return false;
  }
  return true;
}

void check_family(const std::string& text) {
  constexpr armature::Round kHorizon = 1000;
  std::string canonical;
  std::string instance;
  try {
    const armature::InstanceSource source(text, kHorizon, 1);
    canonical = source.text();
    instance = armature::write_instance(*source.instance(0));
  } catch (const armature::Error&) {
    return;
  }
  const armature::InstanceSource again(canonical, kHorizon, 1);
  ARMATURE_CHECK(again.text() == canonical, "a canonical family is a fixed point");
  ARMATURE_CHECK(armature::write_instance(*again.instance(0)) == instance,
                 "a canonical family builds the same instance");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  armature::parse_integer(text);
  armature::parse_real(text);
  const auto form = parsed(text);
  if (!form) return 0;
  check_form(*form);
  check_policy(text);
  // Not what would be taken for the path of a file.
  if (text.find('/') == std::string::npos && !text.ends_with(".json") && is_small(*form))
    check_family(text);
  return 0;
}
