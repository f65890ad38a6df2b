#include "study/stage.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "armature/error.h"
#include "armature/state.h"
#include "lab/planned_cell.h"
#include "lab/worlds.h"
#include "study/plan.h"
#include "study/read.h"

namespace armature {
namespace {

using Json = nlohmann::json;

// Of all that decides what cells compute: two builds that differ in it plan different numbers.
std::string digest_of(const StudyPlan& plan) {
  Fingerprint fingerprint;
  const auto add = [&](const std::string& text) {
    fingerprint.add(text.data(), text.size() + 1);  // with its end: texts must not run together
  };
  for (const PlannedCell& cell : plan.cells) {
    add(cell.instance);
    add(cell.policy);
    add(fmt::format("{} {} {:016x} {}", cell.horizon, cell.feedback.describe(), cell.fingerprint,
                    cell.leap_tolerance));
  }
  return fmt::format("{:016x}", fingerprint.value());
}

}  // namespace

std::vector<Cell> cells_of(const StudyPlan& plan) {
  // All policies and conditions on one instance and horizon share its worlds: tables may be large,
  // and a grid of policies long.
  std::map<std::pair<std::string, Round>, WorldSource> worlds;
  const Files files = Files::only(plan.study.files);
  std::vector<Cell> cells;
  for (const PlannedCell& planned : plan.cells) {
    WorldSource& source = worlds[{planned.instance, planned.horizon}];
    if (!source)
      source =
          world_source(InstanceSource(planned.instance, planned.horizon, plan.study.seed, files),
                       planned.horizon);
    cells.push_back(engine_cell(
        planned, source,
        {plan.study.seed, log_checkpoints(planned.horizon, plan.study.checkpoints),
         engine_named(plan.study.engine), plan.study.max_events, /*follow_shares=*/true}));
  }
  return cells;
}

std::string write_stage(const StudyPlan& plan) {
  // CBOR and not JSON: a file may hold any bytes.
  std::string text;
  Json::to_cbor({{"study", write_study(plan.study)},
                 {"files", plan.study.files},
                 {"digest", digest_of(plan)}},
                text);
  return text;
}

StudyPlan read_stage(const std::string& text) {
  const Json stage = Json::from_cbor(text);
  StudyPlan plan = plan_study(
      read_stored_study(stage.at("study"), "the study", stage.at("files").get<FileTable>()),
      kAnySize);
  if (const std::string digest = stage.at("digest"); digest != digest_of(plan))
    throw Error({"", "plan of the study", digest_of(plan),
                 digest + ": every process must be the same build of armature"});
  return plan;
}

}  // namespace armature
