// Stored results as CSV. Rows stream from the database to the file; a file appears whole
// or not at all.
#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "study/store.h"

namespace armature {
namespace {

// Its values and the header below go together, column by column (docs/formats.md). Reals are
// printed so that they read back as the same double; what is unknown is empty.
std::string spread_fields(const Spread& spread) {
  std::string fields = fmt::format("{},{}", spread.count, print_real(spread.mean));
  for (const double value : {spread.deviation, spread.standard_error, spread.low(), spread.high()})
    fields += "," + (spread.error_known() ? print_real(value) : "");
  for (const double value :
       {spread.least, spread.q05, spread.q25, spread.median, spread.q75, spread.q95, spread.most})
    fields += "," + print_real(value);
  return fields;
}
constexpr const char* kSpreadHeader =
    "replications,mean,deviation,standard_error,low95,high95,least,q05,q25,median,q75,q95,most";

// No computing times here or in any other table: an export is the same bytes however the study was
// run.
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
  file.write(fmt::format(
      "instance,horizon,first,second,share_better,{},same_luck,conditions,first_cell,second_cell\n",
      kSpreadHeader));
  for (const PairedDifference& pair : result.differences) {
    // A cell's id is its place in the plan. Both cells of a pair share instance, horizon and
    // conditions, so the first speaks for both.
    const PlannedCell& first = result.plan.cells[pair.first];
    file.write(fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", csv_field(first.instance), first.horizon,
        csv_field(first.policy), csv_field(result.plan.cells[pair.second].policy),
        print_real(pair.share_better), spread_fields(pair.difference), pair.same_luck ? 1 : 0,
        csv_field(first.feedback.describe()), pair.first, pair.second));
  }
  file.commit();
}

}  // namespace

void export_csv(const std::string& directory, const std::string& to, bool every_curve) {
  // One view of the store for all files: a run at work adds nothing between two of them.
  StudyStore store = StudyStore::read(directory);
  const StudyResult result = results_of(store);
  make_directory(to);
  store.export_tables(to, every_curve);
  export_curves(result, to + "/curves.csv");
  export_differences(result, to + "/differences.csv");
}

}  // namespace armature
