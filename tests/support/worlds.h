// Every family × every policy: the texts the wide tests run over.
#pragma once

#include <string>
#include <vector>

#include "armature/families.h"
#include "armature/policy.h"

namespace armature::test {

inline std::vector<std::string> all_family_texts() {
  std::vector<std::string> texts;
  for (const Family& family : families()) texts.push_back(family.name);
  return texts;
}

inline std::vector<std::string> all_policy_texts() {
  std::vector<std::string> texts{"oracle"};
  for (const PolicyEntry& entry : policies()) texts.push_back(entry.facts.name);
  return texts;
}

}  // namespace armature::test
