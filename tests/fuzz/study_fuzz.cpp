// Any text either is a study or is refused with an Error, and a study written out reads back as the
// same one. So does any formula: it has a finite value or is refused.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "armature/error.h"
#include "armature/study.h"
#include "base/formula.h"

namespace {

std::optional<armature::Study> parsed(const std::string& text) {
  try {
    return armature::read_study(text, "fuzz.toml");
  } catch (const armature::Error&) {
    return std::nullopt;
  }
}

void check_study(const armature::Study& study) {
  const std::string written = armature::write_study(study);
  const armature::Study again = armature::read_study(written, "written.toml");
  ARMATURE_CHECK(armature::write_study(again) == written, "a written study is a fixed point");
  ARMATURE_CHECK(again.seed == study.seed && again.horizons == study.horizons,
                 "numbers survive the round trip");
  for (std::size_t i = 0; i < study.policies.size(); ++i)
    for (std::size_t k = 0; k < study.policies[i].axes.size(); ++k)
      ARMATURE_CHECK(again.policies[i].axes[k].values == study.policies[i].axes[k].values,
                     "grids survive the round trip");
}

// The text as what a person may type after `armature run FILE`.
void check_override(const std::string& text) {
  try {
    armature::read_study("horizons = 9\ninstances = 'x'\npolicies = 'y'\n", "fuzz.toml", {text});
  } catch (const armature::Error&) {
  }
}

void check_formula(const std::string& text) {
  try {
    ARMATURE_CHECK(std::isfinite(armature::evaluate_formula(text, {20, 5, 1000})),
                   "formulas have finite values");
  } catch (const armature::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_formula(text);
  check_override(text);
  if (const auto study = parsed(text)) check_study(*study);
  return 0;
}
