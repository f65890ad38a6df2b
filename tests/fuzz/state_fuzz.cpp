// Any bytes loaded into a policy either are refused with an Error, leaving it as it was, or give a
// policy that plays on. The first byte picks the policy. A forged digest is nobody's accident and
// not hunted.
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

std::unique_ptr<AnyPolicy> fresh(std::size_t which) {
  return armature::make_policy(armature::policies()[which].facts.name, problem());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto policy = fresh(data[0] % armature::policies().size());
  const std::string before = policy->save();
  try {
    policy->load(rest);
  } catch (const armature::Error&) {
    ARMATURE_CHECK(policy->save() == before, "a refused state changes nothing");
    return 0;
  }
  armature::Stream stream({1, 0, armature::Purpose::kPolicy});
  ARMATURE_CHECK(policy->choose(stream).arm < problem().actions(), "a loaded policy plays on");
  return 0;
}
