// Any text either is a text form (a policy, a family with its keys) or is refused with an Error,
// and canonical forms are fixed points.
#include <cstdint>
#include <optional>
#include <string>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/parameters.h"
#include "armature/policy.h"
#include "base/formula.h"
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

constexpr armature::Round kHorizon = 1000;

// A size that is a formula in another size is left out with the large ones.
bool is_small(const TextForm& form) {
  armature::FormulaVariables known;
  known.horizon = kHorizon;
  for (const auto& [key, value] : form.values) {
    if (key != "actions" && key != "contexts") continue;
    try {
      if (armature::whole_value(value, known) > 50) return false;
    } catch (const armature::Error&) {
      return false;
    }
  }
  return true;
}

void check_family(const std::string& text) {
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
  if (!armature::names_instance_file(text) && is_small(*form)) check_family(text);
  return 0;
}
