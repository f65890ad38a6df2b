// Instances and problems as JSON, version 1 (docs/formats.md). Every error names the field by its
// path.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/model.h"
#include "base/json_text.h"
#include "base/text.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kInstanceFormat = "armature-instance";
constexpr const char* kProblemFormat = "armature-problem";

// A value together with the path that leads to it.
class Node {
 public:
  Node(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& got, const std::string& expected) const {
    throw Error({"", path_, got, expected});
  }
  [[noreturn]] void fail(const std::string& expected) const {
    std::string shown = json_.dump();
    if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
    fail(shown, expected);
  }
  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }
  bool has(const char* key) const { return json_.contains(key); }

  Node at(const char* key) const {
    if (!json_.is_object()) fail("an object");
    if (!has(key)) throw Error({"", child(key), "nothing", "this field to be there"});
    return {json_.at(key), child(key)};
  }
  Node at(std::size_t index) const {
    return {json_.at(index), fmt::format("{}[{}]", path_, index)};
  }
  void only(const std::vector<std::string>& keys) const {
    if (!json_.is_object()) fail("an object");
    for (const auto& item : json_.items())
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
        throw Error({"", path_.empty() ? "top level" : path_,
                     fmt::format("unknown field '{}'", item.key()),
                     "one of " + join(keys, ", ") + did_you_mean(item.key(), keys)});
  }
  double number() const {
    if (!json_.is_number()) fail("a number");
    return json_.get<double>();
  }
  std::uint64_t whole_number() const {
    if (json_.is_number_unsigned()) return json_.get<std::uint64_t>();
    if (json_.is_number_float()) {
      const auto parsed = parse_integer(json_.dump());
      if (parsed) return *parsed;
    }
    fail("a whole number of at least 0");
  }
  std::string text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  std::size_t list_size() const {
    if (!json_.is_array()) fail("a list");
    return json_.size();
  }
  std::vector<double> numbers() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < list_size(); ++i) values.push_back(at(i).number());
    return values;
  }

 private:
  std::string child(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  const Json& json_;
  std::string path_;
};

// Worlds and what is known of them are easily taken for each other.
std::string other_use(const std::string& format) {
  if (format == kInstanceFormat) return "; this is a world, for --instance";
  if (format == kProblemFormat) return "; this is what policies are told, for --given";
  return "";
}

void check_header(const Node& root, const char* format) {
  if (!root.json().is_object()) root.fail("an object");
  const Node name = root.at("format");
  if (name.text() != format) name.fail(fmt::format("\"{}\"{}", format, other_use(name.text())));
  const Node version = root.at("version");
  if (version.whole_number() != kVersion)
    version.fail(fmt::format("{}, the version this armature reads", kVersion));
}

// Either a count or a list of names.
std::vector<std::string> read_names(const Node& node, char prefix) {
  if (node.json().is_number()) {
    const std::uint64_t count = node.whole_number();
    if (count < 1 || count > 10'000'000) node.fail("a count from 1 to 10^7, or a list of names");
    return numbered_names(prefix, count);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < node.list_size(); ++i) names.push_back(node.at(i).text());
  if (names.empty()) node.fail("at least one");
  return names;
}

Matrix read_matrix(const Node& node, std::size_t rows, std::size_t columns) {
  if (node.list_size() != rows)
    node.fail(fmt::format("{} rows", node.list_size()),
              fmt::format("{} rows, one per action", rows));
  Matrix matrix(rows, columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const Node row = node.at(r);
    if (row.list_size() != columns)
      row.fail(fmt::format("{} numbers", row.list_size()),
               fmt::format("{} numbers, one per context", columns));
    for (std::size_t c = 0; c < columns; ++c) matrix(r, c) = row.at(c).number();
  }
  return matrix;
}

RewardLaw read_law_unchecked(const Node& node) {
  if (node.json().is_number()) return RewardLaw::bernoulli(node.number());
  node.only({"bernoulli", "point", "beta", "table"});
  if (node.json().size() != 1) node.fail("exactly one of bernoulli, point, beta, table");
  if (node.has("bernoulli")) return RewardLaw::bernoulli(node.at("bernoulli").number());
  if (node.has("point")) return RewardLaw::point(node.at("point").number());
  if (node.has("beta")) {
    const std::vector<double> shapes = node.at("beta").numbers();
    if (shapes.size() != 2) node.at("beta").fail("two shapes, [alpha, beta]");
    return RewardLaw::beta(shapes[0], shapes[1]);
  }
  const Node table = node.at("table");
  table.only({"values", "probabilities"});
  return RewardLaw::table(table.at("values").numbers(), table.at("probabilities").numbers());
}

RewardLaw read_law(const Node& node) {
  try {
    return read_law_unchecked(node);
  } catch (const Error& error) {
    if (error.report().field.starts_with(node.path())) throw;  // already says where
    ErrorReport report = error.report();
    report.field = node.path() + ": " + report.field;
    throw Error(report);
  }
}

Instance::Parts read_rewards(const Node& node, std::string name, Matrix marginals) {
  node.only({"given_context", "given_action_and_context"});
  if (node.json().size() != 1) node.fail("exactly one of given_context, given_action_and_context");
  const std::size_t contexts = marginals.columns();
  const auto law_row = [&](const Node& row, std::vector<RewardLaw>& laws) {
    if (row.list_size() != contexts)
      row.fail(fmt::format("{} laws", row.list_size()),
               fmt::format("{} laws, one per context", contexts));
    for (std::size_t z = 0; z < contexts; ++z) laws.push_back(read_law(row.at(z)));
  };
  std::vector<RewardLaw> laws;
  if (node.has("given_context")) {
    law_row(node.at("given_context"), laws);
    return Instance::benign(std::move(name), std::move(marginals), std::move(laws));
  }
  const Node rows = node.at("given_action_and_context");
  if (rows.list_size() != marginals.rows())
    rows.fail(fmt::format("{} rows", rows.list_size()),
              fmt::format("{} rows, one per action", marginals.rows()));
  for (std::size_t a = 0; a < marginals.rows(); ++a) law_row(rows.at(a), laws);
  return Instance::general(std::move(name), std::move(marginals), laws);
}

Problem read_problem_node(const Node& root) {
  check_header(root, kProblemFormat);  // first: another format has other fields
  root.only({"format", "version", "actions", "contexts", "horizon", "marginals", "epsilon"});
  Problem problem;
  problem.action_names = read_names(root.at("actions"), 'a');
  problem.context_names = read_names(root.at("contexts"), 'z');
  if (root.has("horizon")) problem.horizon = root.at("horizon").whole_number();
  if (root.has("epsilon")) problem.epsilon = root.at("epsilon").number();
  if (root.has("marginals"))
    problem.marginals = std::make_shared<const Matrix>(
        read_matrix(root.at("marginals"), problem.actions(), problem.contexts()));
  problem.validate();
  return problem;
}

Instance read_instance_node(const Node& root) {
  check_header(root, kInstanceFormat);
  root.only({"format", "version", "name", "actions", "contexts", "marginals", "rewards", "given",
             "notes"});
  const auto actions = read_names(root.at("actions"), 'a');
  const auto contexts = read_names(root.at("contexts"), 'z');
  Matrix marginals = read_matrix(root.at("marginals"), actions.size(), contexts.size());
  const std::string name = root.has("name") ? root.at("name").text() : "";
  Instance::Parts parts = read_rewards(root.at("rewards"), name, std::move(marginals));
  parts.action_names = actions;
  parts.context_names = contexts;
  if (root.has("notes")) {
    const Node notes = root.at("notes");
    for (std::size_t i = 0; i < notes.list_size(); ++i) parts.notes.push_back(notes.at(i).text());
  }
  if (root.has("given")) {
    const Node given = root.at("given");
    try {
      parts.given = read_problem_node({given.json(), ""});
    } catch (const Error& error) {
      ErrorReport report = error.report();
      report.field = "given." + report.field;
      throw Error(report);
    }
  }
  return Instance(std::move(parts));
}

Json names_json(const std::vector<std::string>& names, char prefix) {
  if (names == numbered_names(prefix, names.size())) return names.size();
  return names;
}

Json matrix_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    rows.push_back(std::vector<double>(matrix.row(r).begin(), matrix.row(r).end()));
  return rows;
}

Json law_json(const RewardLaw& law) {
  switch (law.kind()) {
    case RewardLaw::Kind::kBernoulli:
      return {{"bernoulli", law.first()}};
    case RewardLaw::Kind::kPoint:
      return {{"point", law.first()}};
    case RewardLaw::Kind::kBeta:
      return {{"beta", {law.first(), law.second()}}};
    case RewardLaw::Kind::kTable:
      return {{"table", {{"values", law.values()}, {"probabilities", law.probabilities()}}}};
  }
  ARMATURE_CHECK(false, "every kind of law is written");
}

// True when every action has the first action's laws: the short form then says all there is.
bool one_law_per_context(const Instance& instance) {
  for (Arm a = 1; a < instance.actions(); ++a)
    for (Context z = 0; z < instance.contexts(); ++z)
      if (!(instance.law(a, z) == instance.law(0, z))) return false;
  return true;
}

Json problem_json(const Problem& problem) {
  Json json = {{"format", kProblemFormat},
               {"version", kVersion},
               {"actions", names_json(problem.action_names, 'a')},
               {"contexts", names_json(problem.context_names, 'z')}};
  if (problem.horizon) json["horizon"] = *problem.horizon;
  if (problem.epsilon) json["epsilon"] = *problem.epsilon;
  if (problem.marginals) json["marginals"] = matrix_json(*problem.marginals);
  return json;
}

// Pretty, but with each innermost list on one line: a marginal row reads as a row.
void print(const Json& json, int indent, std::string& out) {
  const bool nested =
      json.is_structured() &&
      std::any_of(json.begin(), json.end(), [](const Json& j) { return j.is_structured(); });
  if (!nested && !(json.is_object() && indent == 0)) {
    out += json.dump();
    return;
  }
  const std::string pad(static_cast<std::size_t>(indent) + 2, ' ');
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& item : json.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += pad;
    if (json.is_object()) out += Json(item.key()).dump() + ": ";
    print(item.value(), indent + 2, out);
  }
  out += "\n" + pad.substr(2) + (json.is_object() ? "}" : "]");
}

std::string printed(const Json& json) {
  std::string out;
  print(json, 0, out);
  return out + "\n";
}

}  // namespace

Instance read_instance(const std::string& json, const std::string& source) {
  const Json parsed = parsed_json(json, source);
  try {
    return read_instance_node({parsed, ""});
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

Problem read_problem(const std::string& json, const std::string& source) {
  const Json parsed = parsed_json(json, source);
  try {
    return read_problem_node({parsed, ""});
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

std::string write_problem(const Problem& problem) { return printed(problem_json(problem)); }

std::string write_instance(const Instance& instance) {
  const Instance::Parts& parts = instance.parts();
  Json json = {{"format", kInstanceFormat},
               {"version", kVersion},
               {"name", parts.name},
               {"actions", names_json(parts.action_names, 'a')},
               {"contexts", names_json(parts.context_names, 'z')},
               {"marginals", matrix_json(parts.marginals)}};
  if (!parts.notes.empty()) json["notes"] = parts.notes;
  const auto law_row = [&](Arm a) {
    Json row = Json::array();
    for (Context z = 0; z < instance.contexts(); ++z) row.push_back(law_json(instance.law(a, z)));
    return row;
  };
  if (one_law_per_context(instance)) {
    json["rewards"] = {{"given_context", law_row(0)}};
  } else {
    Json rows = Json::array();
    for (Arm a = 0; a < instance.actions(); ++a) rows.push_back(law_row(a));
    json["rewards"] = {{"given_action_and_context", rows}};
  }
  if (parts.given) json["given"] = problem_json(*parts.given);
  return printed(json);
}

}  // namespace armature
