#include "study/shard_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/state.h"
#include "base/file.h"
#include "base/text.h"
#include "study/build.h"
#include "study/plan.h"
#include "study/shards.h"

namespace armature {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLetters = 1000;  // of a list of names; the digest knows the rest
constexpr const char* kFiles = "files";

// The fields in the order in which they are compared, and what people call them. The build comes
// last: two studies are two studies, by whichever build.
struct Field {
  const char* key;
  const char* name;
};
constexpr Field kFields[] = {{"seed", "seed"},
                             {"replications", "replications"},
                             {"checkpoints", "checkpoints"},
                             {"engine", "engine"},
                             {"search", "search"},
                             {"horizons", "horizons"},
                             {"policies", "policies"},
                             {"instances", "instances"},
                             {"cells", "number of cells"},
                             {"digest", "digest of its cells"},
                             {"build", "build of armature"}};

std::string hex(const Fingerprint& fingerprint) {
  return fmt::format("{:016x}", fingerprint.value());
}

template <class Name>
std::string names_of(const StudyPlan& plan, const Name& name) {
  std::vector<std::string> names;
  std::size_t letters = 0;
  for (const PlannedCell& cell : plan.cells) {
    if (letters > kMostLetters) break;
    if (std::string one = name(cell); std::find(names.begin(), names.end(), one) == names.end()) {
      letters += one.size();
      names.push_back(std::move(one));
    }
  }
  return shown(join(names, ", "), kMostLetters);
}

std::string digest_of(const std::vector<PlannedCell>& cells) {
  Fingerprint fingerprint;
  for (const PlannedCell& cell : cells)
    fingerprint.add(fmt::format("{}\n{}\n{}\n{}\n{}\n{:016x}\n", cell.policy, cell.instance,
                                cell.horizon, cell.feedback.describe(), cell.leap_tolerance,
                                cell.fingerprint));
  return hex(fingerprint);
}

Json parsed(const std::string& mark) {
  Json json = Json::parse(mark, nullptr, false);
  return json.is_object() && json.contains("digest") ? json : Json();
}

std::string words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string study_mark(const StudyPlan& plan) {
  const Study& study = plan.study;
  Json mark;
  mark["seed"] = study.seed;
  mark["replications"] = study.replications;
  mark["checkpoints"] = study.checkpoints;
  mark["engine"] = engine_of_results(study);
  mark["search"] =
      study.search ? fmt::format("{} replications", study.search->replications) : "none";
  mark["horizons"] =
      names_of(plan, [](const PlannedCell& cell) { return fmt::format("{}", cell.horizon); });
  mark["policies"] = names_of(plan, [](const PlannedCell& cell) { return cell.policy; });
  mark["instances"] = names_of(plan, [](const PlannedCell& cell) { return cell.instance; });
  mark["cells"] = plan.cells.size();
  mark["digest"] = digest_of(plan.cells);
  mark["build"] = build();
  mark[kFiles] = Json::object();
  for (const auto& [path, content] : study.files) {
    Fingerprint fingerprint;
    fingerprint.add(content);
    mark[kFiles][path] = hex(fingerprint);
  }
  // What is not UTF-8 in a path is no reason to fail.
  return mark.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<StudyDifference> mark_difference(const std::string& now, const std::string& then) {
  const Json ours = parsed(now), theirs = parsed(then);
  if (ours.is_null() || theirs.is_null()) return std::nullopt;
  for (const auto& [key, name] : kFields) {
    if (std::string_view(key) == "digest" && ours.contains(kFiles) && theirs.contains(kFiles))
      for (const auto& [path, digest] : ours[kFiles].items())
        if (theirs[kFiles].contains(path) && theirs[kFiles][path] != digest)
          return StudyDifference{"file " + path, "another content", "the content it had"};
    if (ours.contains(key) && theirs.contains(key) && ours[key] != theirs[key])
      return StudyDifference{name, words(ours[key]), words(theirs[key])};
  }
  return std::nullopt;
}

StudyDifference told_of_search(StudyDifference difference) {
  if (difference.field != "seed") return difference;
  for (std::string* seed : {&difference.now, &difference.then})
    if (const auto number = parse_integer(*seed)) *seed = fmt::format("{}", search_seed(*number));
  return difference;
}

namespace {

std::string mark_path(const std::string& directory) { return shards_path(directory) + "/study"; }

}  // namespace

std::string mark_in(const std::string& directory) {
  try {
    std::string mark = read_file(mark_path(directory));
    return parsed(mark).is_null() ? "" : mark;
  } catch (const Error&) {
    return "";
  }
}

void require_same_mark(const std::string& directory, const StudyPlan& plan, bool search) {
  std::optional<StudyDifference> found = mark_difference(study_mark(plan), mark_in(directory));
  if (!found) return;
  if (search) found = told_of_search(*found);
  throw Error({mark_path(directory), found->field, found->now,
               found->then + ", as the shards that were begun here; use another directory for "
                             "another study, or remove \"shards\" if nothing in it is wanted"});
}

void claim_shard(const std::string& directory, Shard shard, const StudyPlan& plan, bool search) {
  const std::string path = mark_path(directory), mark = study_mark(plan);
  make_directory(shards_path(directory));
  if (mark_in(directory).empty()) write_new_file(path, mark);
  if (mark_in(directory).empty()) write_file(path, mark);  // half a one
  require_same_mark(directory, plan, search);              // of somebody who was quicker, perhaps
  make_directory(shard_path(directory, shard));
}

}  // namespace armature
