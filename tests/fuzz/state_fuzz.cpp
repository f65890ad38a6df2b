// Any bytes loaded into a policy either are refused with an Error, leaving it as it was, or give a
// policy that plays on. The owner in the bytes says which policy to try, if it is one of ours. The
// digest is made right before loading, or hardly anything would get past it: what is hunted are
// values that no run leaves.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armature/error.h"
#include "armature/policy.h"
#include "fuzz/seed_states.h"

namespace {

using armature::AnyPolicy;
using armature::test::seed_problem;

// Every policy as it is, and the variants whose states have more to them. Canonical, as owners are.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts;
    for (const armature::PolicyEntry& entry : armature::policies())
      texts.push_back(entry.facts.name);
    for (const char* text :
         {"hac-ucb:variant=paper", "sentry:proposal=cl-ucb", "corral:variant=published",
          "db:base=(db:base=c-ucb+ucb)+ucb,d=1+1", "ed2rb:base=sentry+hac-ucb+pe"})
      texts.push_back(armature::canonical_policy(text));
    return texts;
  }();
  return all;
}

// "policy TEXT, problem…" names a text form; what is none of ours is tried on the first policy.
std::unique_ptr<AnyPolicy> fresh(const std::string& bytes) {
  const std::size_t from = bytes.find("policy ");
  if (from != std::string::npos) {
    const std::string text = bytes.substr(from + 7, bytes.find(", problem", from) - from - 7);
    for (const std::string& known : texts())
      if (known == text) return armature::make_policy(text, seed_problem());
  }
  return armature::make_policy(texts().front(), seed_problem());
}

std::string with_right_digest(std::string bytes) {
  if (bytes.size() < sizeof(std::uint64_t)) return bytes;
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  armature::Fingerprint fingerprint;
  fingerprint.add(bytes);
  const std::uint64_t digest = fingerprint.value();
  return bytes.append(reinterpret_cast<const char*>(&digest), sizeof digest);
}

void play_on(AnyPolicy& policy) {
  armature::Stream stream({1, 0, armature::Purpose::kPolicy});
  for (std::uint32_t t = 0; t < 20; ++t) {
    const armature::Decision decision = policy.choose(stream);
    ARMATURE_CHECK(decision.arm < seed_problem().actions(), "a loaded policy plays on");
    policy.observe(decision, {t % seed_problem().contexts(), static_cast<double>(t % 2)}, stream);
  }
  policy.diagnostics();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes =
      with_right_digest(std::string(reinterpret_cast<const char*>(data), size));
  const auto policy = fresh(bytes);
  const std::string before = policy->save();
  try {
    policy->load(bytes);
  } catch (const armature::Error&) {
    ARMATURE_CHECK(policy->save() == before, "a refused state changes nothing");
    return 0;
  }
  play_on(*policy);
  return 0;
}
