// The text forms the conformance tests run: each policy as it is, and with each choice it offers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "armature/policy.h"

namespace armature::test {

inline std::vector<std::string> registered_texts() {
  std::vector<std::string> texts;
  for (const PolicyEntry& entry : policies()) {
    if (entry.facts.name.starts_with("test-")) continue;  // the broken ones of these tests
    texts.push_back(entry.facts.name);
    for (const Parameter& parameter : entry.facts.parameters) {
      if (parameter.type() != ParameterType::kChoice) continue;
      for (const std::string& word : parameter.words())
        if (word != parameter.default_text())
          texts.push_back(entry.facts.name + ":" + parameter.name() + "=" + word);
    }
  }
  // Balancers over other learners than their default ones: those with phases, three, and one that
  // draws.
  for (const char* text : {"db:base=pe+ucb", "db:base=c-ucb+pe+ucb", "d3rb:base=pe+ts+ucb"})
    texts.emplace_back(text);
  // Floors over a base that draws and witnesses, one with a list of its own, and a balancer.
  for (const char* text : {"floor:base=ts", "floor:base=corral,probability=0.5",
                           "floor:base=(db:base=ts+c-ts,d=1+1),probability=0.5"})
    texts.emplace_back(text);
  return texts;
}

inline std::string readable_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

}  // namespace armature::test
