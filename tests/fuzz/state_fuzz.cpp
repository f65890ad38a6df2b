// Any bytes loaded into a policy either are refused with an Error, leaving it as it was, or give a
// policy that plays on. The first byte picks the policy. No fuzzer guesses a digest: with
// ARMATURE_FUZZ_FORGE set, inputs whose first byte has its high bit set are taken for the fields
// alone and get the right header and digest. That hunt is not part of the test while lists of the
// wrong length are loaded as they are.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/policy.h"
#include "armature/state.h"

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

// Header, owner line, fields and digest, as in docs/formats.md.
std::string signed_state(AnyPolicy& policy, const std::string& fields) {
  const std::string own = policy.save();
  const std::size_t magic_end = own.find('\n') + 1;
  std::string saved = own.substr(0, own.find('\n', magic_end) + 1) + fields;
  armature::Fingerprint fingerprint;
  fingerprint.add(saved);
  const std::uint64_t digest = fingerprint.value();
  return saved.append(reinterpret_cast<const char*>(&digest), sizeof digest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto policy = fresh((data[0] & 0x7f) % armature::policies().size());
  const std::string before = policy->save();
  static const bool forge = std::getenv("ARMATURE_FUZZ_FORGE") != nullptr;
  const bool sign = forge && (data[0] & 0x80) != 0;
  try {
    policy->load(sign ? signed_state(*policy, rest) : rest);
  } catch (const armature::Error&) {
    ARMATURE_CHECK(policy->save() == before, "a refused state changes nothing");
    return 0;
  }
  if (sign) return 0;  // well-formed lies: loading them is all that is promised
  armature::Stream stream({1, 0, armature::Purpose::kPolicy});
  ARMATURE_CHECK(policy->choose(stream).arm < problem().actions(), "a loaded policy plays on");
  return 0;
}
