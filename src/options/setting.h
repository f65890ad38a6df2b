// The options of those who ask for a setting rather than a run: bounds, frontier, advise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/model.h"
#include "armature/theory.h"

namespace armature {

struct SettingOptions {
  std::string actions;
  std::string contexts;
  std::string horizon;
  std::string delta;
  std::string rank;
  std::string gap;
  std::string epsilon;
  std::string r2;
  std::string delay;
  std::string instance;
  std::string seed = "1";
};

struct ReadSetting {
  Setting setting;
  std::vector<std::string> notes;  // what was filled in, and where an option overrules the instance
};
/// Sizes must agree with the instance; of the rest what is given explicitly wins, and a note says
/// so.
ReadSetting read_setting(const SettingOptions& options);

/// `--given`: what policies are told instead, from its file.
Problem given_problem(const std::string& path);

/// A real number given as text on the command line, or nothing if it was not given.
std::optional<double> real_if_given(const std::string& option, const std::string& text,
                                    const Setting& sizes);

/// `--r1` with `--r2`: whether both can be had; nothing where neither is given.
std::optional<PairVerdict> judged_pair(const Setting& setting, const std::string& r1_text,
                                       const std::string& r2_text);

}  // namespace armature
