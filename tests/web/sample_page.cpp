// Writes the report of a made-up study into a directory: something of everything, for the tests in
// a browser and for looking at.
#include <cstdio>

#include "armature/error.h"
#include "armature/report.h"
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
    const armature::WrittenReport report = armature::write_report(result, arguments[1]);
    std::printf("%s\n%s\n", report.page.c_str(), report.note.c_str());
  } catch (const armature::Error& error) {
    std::fprintf(stderr, "sample_page: %s\n", error.what());
    return 2;
  }
  return 0;
}
