// A log of simulated decisions, as `simulate --log` writes it and open_log reads it back.
#pragma once

#include <optional>

#include "armature/model.h"
#include "base/byte_source.h"
#include "base/file.h"

namespace armature {

/// Whether decisions of a policy (its text form, or `oracle`) may depend on earlier outcomes. Of
/// those built in only uniform, round-robin, fixed and oracle never learn; of a policy that is not
/// known to us it is taken for granted that it does. Not learning is not yet `plays_one_law`
/// (replay_evaluation.h): round-robin's decisions change from round to round.
bool policy_learns(const std::string& policy);

/// CSV: remarks that say where it comes from, a header, and a row per decision. Packed where the
/// name ends in .gz. Nothing stands at the path before `commit`.
class LogWriter {
 public:
  struct Origin {
    std::string instance;               // text form
    std::vector<std::string> policies;  // text forms
    std::uint64_t seed = 0;
    std::string conditions;  // how outcomes came: "prompt", or what is different
    std::vector<std::string> actions, contexts;  // names
  };
  struct Row {
    std::uint32_t policy = 0;  // its place among the origin's
    std::uint32_t replication = 0;
    Arm action = 0;
    std::optional<double> propensity;
    Context context = 0;
    double reward = 0;
  };

  LogWriter(const std::string& path, const Origin& origin);
  void add(const Row& row);
  void commit();

 private:
  void write_piece();

  FileWriter file_;
  std::optional<Packer> packer_;
  std::vector<std::string> policies_, actions_, contexts_;  // as fields of a CSV
  std::string piece_;
  std::uint64_t decisions_ = 0;
};

}  // namespace armature
