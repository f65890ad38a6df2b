// Published results: what remains of a study when its runs are gone. A line per world, per cell and
// per paired difference, so that version control shows what changed. Reals are printed so that they
// read back as the same double: figures and verdicts come out as from the store, byte for byte.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/study.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "study/figure_kinds.h"
#include "study/name_json.h"
#include "study/questions.h"
#include "study/read.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "armature-published";
constexpr int kVersion = 1;  // rises with any change that an older armature could not read

// --- What is worth keeping -----------------------------------------------------------------------

// Most of a study's numbers are never drawn. What a figure or a rule needs more than final regrets
// is kept where some figure or question asks for it, and tests/study/published_test.cpp holds every
// kind of figure and every rule against it.
struct Keeping {
  Round longest = 0;  // the horizon whose curves, plays and shares are drawn
  bool curves = false;
  bool curves_of_all = false;  // of every horizon
  bool pulls = false;
  bool shares = false;
  bool diagnostics = false;
  bool finals = false;
};

Keeping keeping_for(const StudyResult& result) {
  Keeping keeping;
  for (const CellSummary& cell : result.cells)
    keeping.longest = std::max(keeping.longest, cell.cell.horizon);
  for (const FigureRequest& figure : figures_asked_for(result.plan.study)) {
    keeping.shares |= figure.kind == FigureKind::kShare;
    keeping.curves |= figure.kind == FigureKind::kRegret || keeping.shares;
    keeping.pulls |= figure.kind == FigureKind::kPulls;
  }
  for (const VerdictRule& rule : result.plan.study.verdicts) {
    keeping.curves_of_all |= rule.rule == "bound";  // no replication above it, at any checkpoint
    keeping.diagnostics |= rule.quantity.starts_with("plays(");
    // Bootstraps and paired differences start from single regrets.
    keeping.finals |=
        rule.rule == "plane" || rule.rule == "product" || rule.quantity.starts_with("extra(");
  }
  return keeping;
}

// --- Writing -------------------------------------------------------------------------------------

// Items that many cells share: each is written once, and cells name its place.
class SharedLines {
 public:
  std::size_t place_of(const Json& item) {
    const std::string line = item.dump();
    const auto found = std::find(lines_.begin(), lines_.end(), line);
    if (found != lines_.end()) return static_cast<std::size_t>(found - lines_.begin());
    lines_.push_back(line);
    return lines_.size() - 1;
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

Json world_json(const PlannedCell& cell) {
  Json world = {{"instance", cell.instance},
                {"horizon", cell.horizon},
                {"name", name_json(cell.instance_name)},
                {"role", cell.role},
                {"actions", cell.actions},
                {"contexts", cell.contexts},
                {"rank", cell.rank},
                {"gap", nullptr},
                {"epsilon", cell.epsilon},
                {"benign", cell.benign},
                {"fingerprint", cell.fingerprint},
                {"delay", cell.feedback.delay_text()},
                {"batch", cell.feedback.batch},
                {"loss", cell.feedback.loss},
                {"leap_tolerance", cell.leap_tolerance}};
  if (cell.gap) world["gap"] = *cell.gap;
  return world;
}

Json spread_json(const Spread& s) {
  return {s.count, s.mean, s.deviation, s.standard_error, s.least, s.q05, s.q25, s.median,
          s.q75,   s.q95,  s.most};
}

// The last point is the final regret, which is written whole.
Json curve_json(const std::vector<CurvePoint>& curve) {
  Json rounds = Json::array(), means = Json::array(), errors = Json::array(), most = Json::array();
  for (auto point = curve.begin(); point + 1 != curve.end(); ++point) {
    rounds.push_back(point->round);
    means.push_back(point->regret.mean);
    errors.push_back(point->regret.standard_error);
    most.push_back(point->regret.most);
  }
  return {{"round", rounds}, {"mean", means}, {"standard_error", errors}, {"most", most}};
}

Json cell_json(const CellSummary& summary, const Keeping& keeping, std::size_t world,
               std::size_t policy) {
  const PlannedCell& cell = summary.cell;
  Json json = {{"world", world},
               {"policy", policy},
               {"form", cell.policy},
               {"engine", summary.engine},
               {"leap_error", summary.leap_error},
               {"simple_regret", summary.simple_regret},
               {"regret", spread_json(summary.final_regret())}};
  const bool drawn = cell.horizon == keeping.longest;
  if (keeping.curves_of_all || (drawn && keeping.curves)) json["curve"] = curve_json(summary.curve);
  if (keeping.finals) json["finals"] = summary.finals;
  if (drawn && keeping.pulls) json["pulls"] = summary.pulls;
  if (drawn && keeping.shares)
    for (const ShareCurve& share : summary.shares) json["shares"][share.learner] = share.share;
  // No figure and no rule asks for names.
  if (keeping.diagnostics)
    for (const DiagnosticSummary& entry : summary.diagnostics)
      if (!entry.is_name()) json["diagnostics"][entry.name] = {entry.mean, entry.replications};
  return json;
}

Json difference_json(const PairedDifference& pair) {
  const Spread& d = pair.difference;
  return {pair.first, pair.second, pair.share_better, pair.same_luck,
          d.count,    d.mean,      d.standard_error};
}

std::string written_list(const char* name, const std::vector<std::string>& lines) {
  return fmt::format("\"{}\": [{}{}]", name, lines.empty() ? "" : "\n", join(lines, ",\n"));
}

// As lines: one long string would show in version control as changed from end to end.
std::vector<std::string> study_lines(const Study& study) {
  std::vector<std::string> lines;
  const std::string toml = write_study(study);
  for (std::size_t start = 0; start < toml.size();) {
    const std::size_t end = toml.find('\n', start);
    lines.push_back(Json(toml.substr(start, end - start)).dump());
    start = end + 1;
  }
  return lines;
}

// The files that the study names, line by line too.
std::vector<std::string> file_lines(const FileTable& files) {
  std::vector<std::string> written;
  for (const auto& [path, content] : files) {
    std::vector<std::string> lines;
    std::size_t start = 0;
    for (std::size_t end = content.find('\n'); end != std::string::npos;
         start = end + 1, end = content.find('\n', start))
      lines.push_back(Json(content.substr(start, end - start)).dump());
    lines.push_back(Json(content.substr(start)).dump());
    written.push_back(
        fmt::format("{{\"path\": {}, {}}}", Json(path).dump(), written_list("lines", lines)));
  }
  return written;
}

FileTable files_from(const Json& file) {
  FileTable files;
  if (!file.contains("files")) return files;
  for (const Json& kept : file.at("files"))
    files[kept.at("path").get<std::string>()] =
        join(kept.at("lines").get<std::vector<std::string>>(), "\n");
  return files;
}

std::string published_text(const StudyResult& result) {
  const Study& study = result.plan.study;
  std::vector<std::string> asked, cells, differences;
  for (const VerdictRule& rule : study.verdicts)
    asked.push_back(Json{
        {"fingerprint", question_fingerprint(rule)}, {"late", rule.late}, {"question", rule.name}}
                        .dump());
  const Keeping keeping = keeping_for(result);
  SharedLines worlds, policies;
  for (const CellSummary& summary : result.cells)
    cells.push_back(cell_json(summary, keeping, worlds.place_of(world_json(summary.cell)),
                              policies.place_of(name_json(summary.cell.policy_name)))
                        .dump());
  for (const PairedDifference& pair : result.differences)
    differences.push_back(difference_json(pair).dump());
  std::vector<std::string> parts = {
      fmt::format("\"format\": \"{}\"", kFormat),
      fmt::format("\"version\": {}", kVersion),
      fmt::format("\"armature\": {}", Json(result.environment.version).dump()),
      fmt::format("\"claim\": \"{}\"", claim_fingerprint(study)),
      written_list("questions", asked),
      written_list("study", study_lines(study))};
  if (!study.files.empty()) parts.push_back(written_list("files", file_lines(study.files)));
  parts.insert(parts.end(),
               {written_list("worlds", worlds.lines()), written_list("policies", policies.lines()),
                written_list("cells", cells), written_list("differences", differences)});
  return "{\n" + join(parts, ",\n") + "\n}\n";
}

// --- Reading -------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& path, const std::string& field,
                         const std::string& got) {
  throw Error({path, field, got, "what armature export --published writes"});
}

// The JSON library would round a fraction, wrap a negative number and cut a large one.
template <class Whole>
Whole whole(const Json& json, const char* field, std::uint64_t least = 0,
            std::uint64_t most = std::numeric_limits<Whole>::max()) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() < least ||
      json.get<std::uint64_t>() > most)
    throw Error({"", field, json.dump(), fmt::format("a whole number from {} to {}", least, most)});
  return json.get<Whole>();
}

// Of something in a list of `size`.
std::uint32_t place(const Json& json, const char* field, std::size_t size) {
  if (size == 0) throw Error({"", field, json.dump(), "something to name"});
  return whole<std::uint32_t>(json, field, 0, size - 1);
}

// What was not kept is not there, or empty.
std::vector<double> reals(const Json& json, const char* field, std::size_t size) {
  if (!json.contains(field)) return {};
  auto values = json.at(field).get<std::vector<double>>();
  if (!values.empty() && values.size() != size)
    throw Error(
        {"", field, fmt::format("{} numbers", values.size()), fmt::format("{}, or none", size)});
  return values;
}

void read_world(const Json& json, PlannedCell& cell) {
  cell.instance = json.at("instance");
  cell.horizon = whole<Round>(json.at("horizon"), "horizon", 1, kLongestHorizon);
  cell.instance_name = name_from(json.at("name"));
  cell.instance_label = cell.instance_name.full();
  cell.role = json.at("role");
  if (cell.role != "benign" && cell.role != "worst-case")
    throw Error({"", "role", "'" + cell.role + "'", "benign or worst-case"});
  cell.actions = whole<std::uint32_t>(json.at("actions"), "actions", 1);
  cell.contexts = whole<std::uint32_t>(json.at("contexts"), "contexts", 1);
  cell.rank = whole<std::uint32_t>(json.at("rank"), "rank");
  if (!json.at("gap").is_null()) cell.gap = json.at("gap").get<double>();
  cell.epsilon = json.at("epsilon");
  cell.benign = json.at("benign");
  cell.fingerprint = whole<std::uint64_t>(json.at("fingerprint"), "fingerprint");
  cell.feedback = Feedback::parse_delay(json.at("delay").get<std::string>());
  cell.feedback.batch = whole<Round>(json.at("batch"), "batch", 1);
  cell.feedback.loss = json.at("loss");
  cell.leap_tolerance = json.at("leap_tolerance");
}

Spread spread_from(const Json& json) {
  Spread s;
  s.count = whole<std::uint32_t>(json.at(0), "regret", 1);  // replications
  std::size_t i = 1;
  for (double* value : {&s.mean, &s.deviation, &s.standard_error, &s.least, &s.q05, &s.q25,
                        &s.median, &s.q75, &s.q95, &s.most})
    *value = json.at(i++);
  return s;
}

void read_curve(const Json& json, CellSummary& summary) {
  const Spread last = spread_from(json.at("regret"));
  if (json.contains("curve")) {
    const Json& curve = json.at("curve");
    for (std::size_t i = 0; i < curve.at("round").size(); ++i) {
      CurvePoint point;
      point.round = whole<Round>(curve.at("round").at(i), "round", 1, summary.cell.horizon);
      point.regret.count = last.count;
      point.regret.mean = curve.at("mean").at(i);
      point.regret.standard_error = curve.at("standard_error").at(i);
      point.regret.most = curve.at("most").at(i);
      summary.curve.push_back(point);
    }
  }
  summary.curve.push_back({summary.cell.horizon, last});
}

CellSummary read_cell(const Json& file, const Json& json) {
  CellSummary summary;
  PlannedCell& cell = summary.cell;
  const Json &worlds = file.at("worlds"), &policies = file.at("policies");
  read_world(worlds.at(place(json.at("world"), "world", worlds.size())), cell);
  cell.policy = json.at("form");
  cell.policy_name = name_from(policies.at(place(json.at("policy"), "policy", policies.size())));
  cell.policy_label = cell.policy_name.full();
  summary.engine = json.at("engine");
  summary.leap_error = json.at("leap_error");
  summary.simple_regret = json.at("simple_regret");
  read_curve(json, summary);
  summary.finals = reals(json, "finals", summary.final_regret().count);
  summary.pulls = reals(json, "pulls", cell.actions);
  if (json.contains("shares"))
    for (const auto& [learner, share] : json.at("shares").items())
      summary.shares.push_back(
          {learner, reals(json.at("shares"), learner.c_str(), summary.curve.size())});
  if (json.contains("diagnostics"))
    for (const auto& [name, entry] : json.at("diagnostics").items())
      summary.diagnostics.push_back(
          {name, entry.at(0), whole<std::uint32_t>(entry.at(1), name.c_str(), 1)});
  return summary;
}

PairedDifference read_difference(const Json& json, std::size_t cells) {
  PairedDifference pair;
  pair.first = place(json.at(0), "differences", cells);
  pair.second = place(json.at(1), "differences", cells);
  pair.share_better = json.at(2);
  pair.same_luck = json.at(3);
  pair.difference.count = whole<std::uint32_t>(json.at(4), "differences", 1);
  pair.difference.mean = json.at(5);
  pair.difference.standard_error = json.at(6);
  return pair;
}

// Someone may have edited the questions in the file, but not their fingerprints.
void read_questions(const Json& file, Study& study, const std::string& path) {
  const Json& asked = file.at("questions");
  if (file.at("claim") != claim_fingerprint(study)) refuse(path, "claim", "another text");
  if (asked.size() != study.verdicts.size()) refuse(path, "questions", "more or fewer");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    VerdictRule& rule = study.verdicts[i];
    if (asked.at(i).at("fingerprint") != question_fingerprint(rule))
      refuse(path, "questions", "'" + rule.name + "', changed");
    rule.late = asked.at(i).at("late");
  }
}

StudyResult result_from(const Json& file, const std::string& path) {
  if (file.at("format") != kFormat || file.at("version") != kVersion)
    refuse(path, "format", file.at("format").dump() + " " + file.at("version").dump());
  StudyResult result;
  result.environment.version = file.at("armature");
  Study& study = result.plan.study;
  study = read_stored_study(join(file.at("study").get<std::vector<std::string>>(), "\n") + "\n",
                            path + ", study", files_from(file));
  read_questions(file, study, path);
  for (const Json& json : file.at("cells")) {
    CellSummary summary = read_cell(file, json);
    summary.cell.id = static_cast<std::uint32_t>(result.cells.size());
    result.replications_done += summary.final_regret().count;
    result.plan.cells.push_back(summary.cell);
    result.cells.push_back(std::move(summary));
  }
  for (const Json& json : file.at("differences"))
    result.differences.push_back(read_difference(json, result.cells.size()));
  result.replications_total = result.replications_done;
  result.complete = true;
  return result;
}

}  // namespace

void publish(const StudyResult& result, const std::string& path) {
  if (!result.complete)
    throw Error(
        {path, "study",
         fmt::format("{} of {} replications", result.replications_done, result.replications_total),
         "a finished one"});
  StudyResult published = result;
  Study& study = published.plan.study;
  for (VerdictRule& rule : study.verdicts) rule.late = false;
  // The same seed gives the same luck: whoever asks again has seen the answer, however the rest of
  // the design has changed. From a pipe or a terminal there is nothing to read back.
  if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored)) {
    const Study before = read_published(path).plan.study;
    if (before.seed == study.seed) {
      if (const std::string broken = broken_freeze(study, before); !broken.empty())
        throw Error({path, "questions", "others than were published", broken});
      mark_late(study, before);
    }
  }
  write_file(path, published_text(published));
}

StudyResult read_published(const std::string& path) {
  try {
    return result_from(parsed_json(read_text_file(path), path), path);
  } catch (const Json::exception& error) {
    refuse(path, "published results", json_complaint(error));
  } catch (const Error& error) {
    if (!error.report().file.empty()) throw;
    throw error.in_file(path);
  }
}

}  // namespace armature
