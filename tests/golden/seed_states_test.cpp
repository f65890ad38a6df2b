// The states that the fuzzer starts from are of this version: each loads. Rewritten, like the
// traces, with ARMATURE_REGENERATE=1 golden_tests
#include "fuzz/seed_states.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace armature {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(ARMATURE_SOURCE_DIR) / "tests/fuzz/state_corpus";

bool regenerating() {
  const char* asked = std::getenv("ARMATURE_REGENERATE");
  return asked != nullptr && std::string(asked) == "1";
}

TEST(SeedStates, EveryPolicyHasOneThatLoads) {
  for (const PolicyEntry& entry : policies()) {
    const std::string name = entry.facts.name;
    const std::string file = (kCorpus / name).string();
    if (regenerating()) write_file(file, test::seed_state(name));
    ASSERT_TRUE(std::filesystem::exists(file)) << "run ARMATURE_REGENERATE=1 golden_tests";
    const auto policy = make_policy(name, test::seed_problem());
    try {
      policy->load(read_file(file));
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
    EXPECT_TRUE(policy->save() == test::seed_state(name)) << name << ": another state by now";
  }
}

}  // namespace
}  // namespace armature
