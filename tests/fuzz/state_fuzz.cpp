// Any bytes loaded into a policy either are refused with an Error, leaving it as it was, or give a
// policy that plays on. The header of the bytes says which policy to try, if it names one. A forged
// digest is nobody's accident and not hunted.
#include <cstdint>
#include <memory>
#include <string>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/policy.h"

namespace {

using armature::AnyPolicy;

const armature::Problem& problem() {
  static const armature::Problem the_problem =
      armature::InstanceSource("random-benign:actions=4,contexts=3", 1000, 1)
          .instance(0)
          ->problem(1000);
  return the_problem;
}

// "…policy NAME, problem…" names a registered policy; anything else is tried on the first.
std::unique_ptr<AnyPolicy> fresh(const std::string& bytes) {
  const std::size_t from = bytes.find("policy ");
  const std::string name = from == std::string::npos
                               ? ""
                               : bytes.substr(from + 7, bytes.find_first_of(",:", from) - from - 7);
  for (const armature::PolicyEntry& entry : armature::policies())
    if (entry.facts.name == name) return armature::make_policy(name, problem());
  return armature::make_policy(armature::policies().front().facts.name, problem());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto policy = fresh(bytes);
  const std::string before = policy->save();
  try {
    policy->load(bytes);
  } catch (const armature::Error&) {
    ARMATURE_CHECK(policy->save() == before, "a refused state changes nothing");
    return 0;
  }
  armature::Stream stream({1, 0, armature::Purpose::kPolicy});
  ARMATURE_CHECK(policy->choose(stream).arm < problem().actions(), "a loaded policy plays on");
  return 0;
}
