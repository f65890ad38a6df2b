// The laws every policy must obey, as a battery anyone can run on a policy of their own:
//   for (const auto& failure : check_conformance("my-policy")) std::cerr << failure.law << …
#pragma once

#include <string>
#include <vector>

namespace armature {

struct ConformanceFailure {
  std::string law;     // valid-arms, determinism, save-load, refuse-bad-state, reordering,
                       // late-and-lost, diagnostics, and of those that can: clone, probabilities,
                       // witness, plans
  std::string detail;  // where it broke
};

/// Runs the registered policy of this text form through all laws on several small problems. Empty:
/// it conforms.
std::vector<ConformanceFailure> check_conformance(const std::string& policy_text);

}  // namespace armature
