// Building the table of bounds: a row says what it claims, in which world, and what its theorem
// needs; the table works out whether it holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/theory.h"

namespace armature {

/// What a theorem needs: empty if the setting has it, else what is missing.
using Need = std::string (*)(const Setting&);

namespace needs {
std::string two_actions(const Setting& setting);
std::string three_actions(const Setting& setting);
std::string action_log(const Setting& setting);      // L_A ≥ 2
std::string context_log(const Setting& setting);     // L_Z ≥ 2
std::string both_logs(const Setting& setting);       // L_A, L_Z ≥ 2
std::string anytime_widths(const Setting& setting);  // one-sample widths of at least 1
std::string benign(const Setting& setting);
std::string exact_marginals(const Setting& setting);
std::string a_gap(const Setting& setting);
std::string an_epsilon(const Setting& setting);
std::string a_delay(const Setting& setting);
std::string hac_horizon(const Setting& setting);  // T ≥ 25|A|²
std::string a_round_per_action(const Setting& setting);
std::string a_round_per_context(const Setting& setting);
std::string best_delta(const Setting& setting);  // T > 12.5(|A|-1)
std::string fewer_contexts(const Setting& setting);
}  // namespace needs

struct Row {
  std::string name;
  BoundKind kind = BoundKind::kExplicit;
  std::string world;
  std::string source;
  std::vector<Need> needs = {};
  double events = 0;  // good events it rests on; each fails with probability at most δ
  std::string remark = {};
};

class BoundTable {
 public:
  explicit BoundTable(const Setting& setting) : setting_(setting) {}

  /// `level`: δ of each event.
  void upper(const Row& row, std::optional<double> value, double level);
  void upper(const Row& row, std::optional<double> value) { upper(row, value, setting_.level()); }
  /// `void_because`: why there is no value, where there is none.
  void lower(const Row& row, std::optional<double> value, const std::string& void_because = "");
  void zone(const Row& row, std::optional<double> value, const std::string& unit);

  std::vector<Bound> take() { return std::move(bounds_); }

 private:
  Bound& add(const Row& row, std::optional<double> value, const char* group);

  const Setting& setting_;
  std::vector<Bound> bounds_;
};

}  // namespace armature
