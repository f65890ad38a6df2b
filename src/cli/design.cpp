#include "linear/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "armature/error.h"
#include "armature/families.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/table.h"

namespace armature::cli {
namespace {

constexpr int kNotConverged = 3;  // exit status: an answer, but short of its goal

struct Options {
  std::string source;
  std::string horizon;
  std::string seed = "1";
  bool exact = false;
  std::string most_iterations = "2000000";
  std::string tolerance;
  std::string format = "table";
  std::optional<std::string> output;
};

struct NamedRows {
  Matrix rows;
  std::vector<std::string> names;
};

std::string trimmed(const std::string& cell) {
  const auto first = cell.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t start = 0;
  for (std::size_t comma = line.find(','); comma != std::string::npos;
       comma = line.find(',', start)) {
    cells.push_back(trimmed(line.substr(start, comma - start)));
    start = comma + 1;
  }
  cells.push_back(trimmed(line.substr(start)));
  return cells;
}

// Numbers separated by commas, one row per line; a first line without any number is a header.
NamedRows read_csv(const std::string& path) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(read_text_file(path));
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    const bool any_number = std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
      return parse_real(cell).has_value();
    });
    if (number == 1 && !any_number) continue;
    std::vector<double> row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const auto value = parse_real(cells[column]);
      if (!value)
        throw Error({path, fmt::format("line {}, column {}", number, column + 1),
                     "'" + cells[column] + "'", "a number"});
      row.push_back(*value);
    }
    if (!rows.empty() && row.size() != rows.front().size())
      throw Error({path, fmt::format("line {}", number), fmt::format("{} numbers", row.size()),
                   fmt::format("{}, as in the first row", rows.front().size())});
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error({path, "rows", "none", "at least one line of numbers"});
  Matrix matrix(rows.size(), rows.front().size());
  bool all_zero = true;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      matrix(i, k) = rows[i][k];
      all_zero = all_zero && rows[i][k] == 0;
    }
  if (all_zero)
    throw Error({path, "rows", "nothing but zeros", "at least one row that is not zero"});
  return {std::move(matrix), numbered_names('a', rows.size())};
}

NamedRows rows_of(const Options& options) {
  // Looked at even where a file of rows has no use for them: a mistake in them is one all the same.
  const std::optional<Round> horizon = horizon_option(options.horizon);
  const std::uint64_t seed = whole_number("--seed", options.seed, 0, UINT64_MAX);
  if (options.source.ends_with(".csv")) return read_csv(options.source);
  const InstanceSource source(options.source, horizon, seed);
  const Problem problem = source.instance(0)->problem(horizon);
  if (!problem.marginals)
    throw Error({options.source, "given.marginals", "nothing", "given marginals to design on"});
  return {*problem.marginals, problem.action_names};
}

std::string table_of(const NamedRows& named, const Design& design, const Screen& on) {
  TextTable table({"action", "index", "weight"});
  for (std::size_t k = 0; k < design.support.size(); ++k)
    table.add({named.names[design.support[k]], fmt::format("{}", design.support[k]),
               fmt::format("{:.6f}", design.weights[k])});
  return fmt::format("{} rows of {} numbers, rank {}\n\n{}\n", named.rows.rows(),
                     named.rows.columns(), design.rank, table.print(on)) +
         prose(fmt::format("largest leverage {:.9g} = {:.9g} times the rank ({} iterations)",
                           design.largest_leverage,
                           design.largest_leverage / static_cast<double>(design.rank),
                           design.iterations),
               on);
}

std::string csv_of(const NamedRows& named, const Design& design) {
  std::string csv = "action,index,weight\n";
  for (std::size_t k = 0; k < design.support.size(); ++k)
    csv += fmt::format("{},{},{}\n", csv_field(named.names[design.support[k]]), design.support[k],
                       design.weights[k]);
  return csv;
}

std::string json_of(const NamedRows& named, const Design& design) {
  nlohmann::ordered_json json = {{"rank", design.rank},
                                 {"largest_leverage", design.largest_leverage},
                                 {"iterations", design.iterations},
                                 {"converged", design.converged},
                                 {"support", nlohmann::ordered_json::array()}};
  for (std::size_t k = 0; k < design.support.size(); ++k)
    json["support"].push_back({{"action", named.names[design.support[k]]},
                               {"index", design.support[k]},
                               {"weight", design.weights[k]}});
  return json.dump(2) + "\n";
}

void run(const Options& options) {
  DesignOptions wanted;
  wanted.kind = options.exact ? DesignKind::kExact : DesignKind::kNear;
  wanted.rank_tolerance = rank_tolerance(options.tolerance);
  wanted.most_iterations =
      whole_number("--iterations", options.most_iterations, 1, 1'000'000'000'000);
  const NamedRows named = rows_of(options);
  const Design design = optimal_design(named.rows, wanted);
  emit(options.output, options.format == "json"  ? json_of(named, design)
                       : options.format == "csv" ? csv_of(named, design)
                                                 : table_of(named, design, screen(options.output)));
  if (design.converged) return;
  complain(
      fmt::format("--iterations: got {} without convergence, expected a larger limit; the design "
                  "is valid, with the leverage it states",
                  wanted.most_iterations));
  throw ExitStatus{kNotConverged};
}

}  // namespace

void add_design(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "design", "a G-optimal design on the given marginals, with its certificate");
  command
      ->add_option("SOURCE", options->source,
                   "family:key=value,…, a JSON instance, or a CSV file of rows")
      ->required();
  command->add_flag("--exact", options->exact,
                    "the optimum (leverage = rank) instead of a near one (≤ 2 × rank)");
  command->add_option("--iterations", options->most_iterations, "limit on the steps")
      ->capture_default_str();
  command->add_option("--tolerance", options->tolerance,
                      "rank: singular values above this share of the largest count");
  command->add_option("--horizon,-T", options->horizon,
                      "for families whose default gap depends on T");
  command->add_option("--seed,-s", options->seed, "for random families")->capture_default_str();
  command->add_option("--format,-f", options->format, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "write here instead of to the terminal");
  command->footer(
      "Examples:\n"
      "  armature design random-benign:actions=100 --exact\n"
      "  armature design random-benign:contexts=8,rank=3 --format csv");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
