// Writes the report of a made-up study into a directory: something of everything, for the tests in
// a browser and for looking at.
#include <algorithm>
#include <cstdio>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/report.h"
#include "base/file.h"
#include "lab/planned_cell.h"
#include "study/figure_kinds.h"
#include "support/study_results.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: sample_page DIRECTORY\n");
    return 2;
  }
  try {
    armature::StudyResult result = armature::test::made_result(armature::test::rich_study());
    armature::Study& study = result.plan.study;
    study.figures = armature::figures_asked_for(study);  // every kind, and one on another scale
    study.figures.push_back({armature::FigureKind::kRegret, "", "linear", "", true});
    // One world that is not benign is a graph's: its context is wrong.
    study.files["asia.bif"] = armature::read_file(ARMATURE_SOURCE_DIR "/examples/graphs/asia.bif");
    const std::string world =
        std::find_if(result.plan.cells.begin(), result.plan.cells.end(),
                     [](const armature::PlannedCell& cell) { return !cell.benign; })
            ->instance;
    const std::string graph = "graph:file=asia.bif,action=smoke+asia,context=bronc,reward=dysp=yes";
    const armature::Files files = armature::Files::only(study.files);
    const auto play_the_graph = [&](armature::PlannedCell& cell) {
      if (cell.instance != world) return;
      const armature::InstanceSource source(graph, cell.horizon, study.seed, files);
      cell.instance = graph;
      cell.fingerprint = armature::planned_world(source, cell.horizon).fingerprint;
    };
    for (armature::PlannedCell& cell : result.plan.cells) play_the_graph(cell);
    for (armature::CellSummary& summary : result.cells) play_the_graph(summary.cell);
    const armature::WrittenReport report = armature::write_report(result, arguments[1]);
    std::printf("%s\n%s\n", report.page.c_str(), report.note.c_str());
  } catch (const armature::Error& error) {
    std::fprintf(stderr, "sample_page: %s\n", error.what());
    return 2;
  }
  return 0;
}
