// Stored results as CSV. Rows stream from the database to the file; a file appears whole
// or not at all.
#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "study/summary.h"

namespace armature {
namespace {

// Whole numbers as such, reals so that they read back the same, nothing for null.
std::string csv_row(const Statement& row, const std::string& types) {
  std::string line;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const int column = static_cast<int>(i);
    if (i > 0) line += ',';
    if (row.is_null(column)) continue;
    line += types[i] == 'i'   ? fmt::format("{}", row.integer(column))
            : types[i] == 'r' ? print_real(row.real(column))
                              : csv_field(row.text(column));
  }
  return line + "\n";
}

// One file from one query; `types` says text, integer or real for each column.
void export_query(Database& database, const std::string& path, const std::string& header,
                  const std::string& types, const std::string& sql) {
  FileWriter file(path);
  file.write(header + "\n");
  Statement rows(database, sql);
  while (rows.step()) file.write(csv_row(rows, types));
  file.commit();
}

std::string spread_fields(const Spread& spread) {
  std::string fields = fmt::format("{}", spread.count);
  for (const double value :
       {spread.mean, spread.deviation, spread.standard_error, spread.low(), spread.high(),
        spread.least, spread.q05, spread.q25, spread.median, spread.q75, spread.q95, spread.most})
    fields += "," + print_real(value);
  return fields;
}
constexpr const char* kSpreadHeader =
    "replications,mean,deviation,standard_error,low95,high95,least,q05,q25,median,q75,q95,most";

void export_curves(const StudyResult& result, const std::string& path) {
  FileWriter file(path);
  file.write(fmt::format("cell,instance,policy,horizon,round,{}\n", kSpreadHeader));
  for (const CellSummary& summary : result.cells)
    for (const CurvePoint& point : summary.curve)
      file.write(fmt::format("{},{},{},{},{},{}\n", summary.cell.id,
                             csv_field(summary.cell.instance), csv_field(summary.cell.policy),
                             summary.cell.horizon, point.round, spread_fields(point.regret)));
  file.commit();
}

void export_differences(const StudyResult& result, const std::string& path) {
  FileWriter file(path);
  file.write(fmt::format("instance,horizon,first,second,share_better,{}\n", kSpreadHeader));
  for (const PairedDifference& pair : result.differences) {
    const StudyCell& first = result.plan.cells[pair.first];
    file.write(fmt::format("{},{},{},{},{},{}\n", csv_field(first.instance), first.horizon,
                           csv_field(first.policy),
                           csv_field(result.plan.cells[pair.second].policy),
                           print_real(pair.share_better), spread_fields(pair.difference)));
  }
  file.commit();
}

}  // namespace

void export_csv(const std::string& directory, const std::string& to) {
  StudyStore store = StudyStore::read(directory);
  const StudyResult result = results_of(store);
  make_directory(to);
  Database& database = store.database();
  export_query(
      database, to + "/cells.csv",
      "cell,instance,policy,horizon,instance_label,policy_label,role,actions,contexts,"
      "rank,gap,epsilon,benign,parameters",
      "ittitttiiirrit",
      "SELECT cell, instance, policy, horizon, instance_label, policy_label, role, "
      "actions, contexts, rank, gap, epsilon, benign, parameters FROM cells ORDER BY cell");
  export_query(database, to + "/replications.csv", "cell,replication,regret,simple_regret", "iirr",
               "SELECT * FROM replications ORDER BY cell, replication");
  export_query(database, to + "/pulls.csv", "cell,arm,plays", "iii",
               "SELECT * FROM pulls ORDER BY cell, arm");
  export_query(database, to + "/diagnostics.csv", "cell,name,round,replication,value", "itiir",
               "SELECT d.cell, d.name, c.round, d.replication, d.value FROM diagnostics d JOIN "
               "checkpoints c ON d.cell = c.cell AND d.checkpoint = c.checkpoint "
               "ORDER BY d.cell, d.name, d.checkpoint, d.replication");
  export_curves(result, to + "/curves.csv");
  export_differences(result, to + "/differences.csv");
}

}  // namespace armature
