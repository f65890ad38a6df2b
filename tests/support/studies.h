// Small studies and everything they leave behind.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "armature/study.h"
#include "base/file.h"

namespace armature::test {

/// Random and fixed worlds, a balancer with its shares, a randomised policy, two horizons.
inline constexpr const char* kSmallStudy = R"(
title = "small"
seed = 7
replications = 6
horizons = [50, 200]
checkpoints = 5

[[instances]]
instance = "bilodeau-confounded"
actions = 4

[[instances]]
instance = "semi-benign"
label = "random"
actions = [3, 5]
contexts = 3

[[policies]]
policy = "ucb"

[[policies]]
policy = "db"
label = "balancer"

[[policies]]
policy = "ts"
)";

/// Long enough to be killed half way: about ten seconds of a core.
inline constexpr const char* kStudyToKill = R"(
replications = 2000
horizons = [20000]
checkpoints = 6
engine = "step"
instances = ["hidden-arm:actions=5", "semi-benign:actions=5"]
policies = ["ucb", "ts"]
)";

inline StudyPlan plan_of(const std::string& toml, const std::vector<std::string>& overrides = {}) {
  return plan_study(read_study(toml, "test.toml", overrides));
}

inline RunHooks on_threads(unsigned threads) {
  RunHooks hooks;
  hooks.threads = threads;
  return hooks;
}

/// Every file of a folder by name.
inline std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = read_file(entry.path().string());
  return files;
}

/// The CSV files of the study in a directory, exported aside.
inline std::map<std::string, std::string> exported(const std::string& directory) {
  const std::string to = directory + "-csv";
  std::filesystem::remove_all(to);
  export_csv(directory, to);
  return files_in(to);
}

}  // namespace armature::test
