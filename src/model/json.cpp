// Instances and problems as JSON, version 1 (docs/formats.md). Every error names the field by its
// path.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/model.h"
#include "base/json_field.h"
#include "base/json_text.h"
#include "base/text.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kInstanceFormat = "armature-instance";
constexpr const char* kProblemFormat = "armature-problem";

// Worlds and what is known of them are easily taken for each other.
std::string other_use(const std::string& format) {
  if (format == kInstanceFormat) return "; this is a world, for --instance";
  if (format == kProblemFormat) return "; this is what policies are told, for --given";
  return "";
}

void check_header(const JsonField& root, const char* format) {
  if (!root.json().is_object()) root.fail("an object");
  const JsonField name = root.at("format");
  if (name.text() != format) name.fail(fmt::format("\"{}\"{}", format, other_use(name.text())));
  const JsonField version = root.at("version");
  if (version.whole_number() != kVersion)
    version.fail(fmt::format("{}, the version this armature reads", kVersion));
}

// Either a count or a list of names.
std::vector<std::string> read_names(const JsonField& node, char prefix) {
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

Matrix read_matrix(const JsonField& node, std::size_t rows, std::size_t columns) {
  if (node.list_size() != rows)
    node.fail(fmt::format("{} rows", node.list_size()),
              fmt::format("{} rows, one per action", rows));
  Matrix matrix(rows, columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const JsonField row = node.at(r);
    if (row.list_size() != columns)
      row.fail(fmt::format("{} numbers", row.list_size()),
               fmt::format("{} numbers, one per context", columns));
    for (std::size_t c = 0; c < columns; ++c) matrix(r, c) = row.at(c).number();
  }
  return matrix;
}

RewardLaw read_law_unchecked(const JsonField& node) {
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
  const JsonField table = node.at("table");
  table.only({"values", "probabilities"});
  return RewardLaw::table(table.at("values").numbers(), table.at("probabilities").numbers());
}

RewardLaw read_law(const JsonField& node) {
  try {
    return read_law_unchecked(node);
  } catch (const Error& error) {
    if (error.report().field.starts_with(node.path())) throw;  // already says where
    ErrorReport report = error.report();
    report.field = node.path() + ": " + report.field;
    throw Error(report);
  }
}

Instance::Parts read_rewards(const JsonField& node, std::string name, Matrix marginals) {
  node.only({"given_context", "given_action_and_context"});
  if (node.json().size() != 1) node.fail("exactly one of given_context, given_action_and_context");
  const std::size_t contexts = marginals.columns();
  const auto law_row = [&](const JsonField& row, std::vector<RewardLaw>& laws) {
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
  const JsonField rows = node.at("given_action_and_context");
  if (rows.list_size() != marginals.rows())
    rows.fail(fmt::format("{} rows", rows.list_size()),
              fmt::format("{} rows, one per action", marginals.rows()));
  for (std::size_t a = 0; a < marginals.rows(); ++a) law_row(rows.at(a), laws);
  return Instance::general(std::move(name), std::move(marginals), laws);
}

Problem read_problem_node(const JsonField& root) {
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

Instance read_instance_node(const JsonField& root) {
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
    const JsonField notes = root.at("notes");
    for (std::size_t i = 0; i < notes.list_size(); ++i) parts.notes.push_back(notes.at(i).text());
  }
  if (root.has("given")) {
    const JsonField given = root.at("given");
    try {
      parts.given = read_problem_node(JsonField(given.json()));
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
    return read_instance_node(JsonField(parsed));
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

Problem read_problem(const std::string& json, const std::string& source) {
  const Json parsed = parsed_json(json, source);
  try {
    return read_problem_node(JsonField(parsed));
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
