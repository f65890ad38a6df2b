// A report on disk: the page, the specifications of its figures, and the figures as files for
// papers where the programs that draw them are there.
#include <fmt/format.h>

#include <filesystem>

#include "armature/report.h"
#include "base/file.h"
#include "base/program.h"
#include "base/text.h"
#include "report/page.h"
#include "report/resources.h"
#include "report/study_figures.h"

namespace armature {
namespace {

constexpr const char* kNode = "node";
constexpr const char* kConvert = "rsvg-convert";

// Without node there is no SVG, which is what rsvg-convert would start from: so no file at all.
std::string note_on_missing_programs() {
  std::vector<std::string> missing;
  for (const char* name : {kNode, kConvert})
    if (!program_exists(name)) missing.emplace_back(name);
  if (missing.empty()) return "";
  return fmt::format(
      "No figures as {}: {} not found (Debian: scripts/install-deps web). The page and "
      "figures/*.vl.json are complete.",
      missing.front() == kNode ? "SVG, PNG and PDF" : "PNG and PDF", join(missing, " and "));
}

// Everything is drawn aside: what a failure leaves behind is no half a report.
void draw(const std::vector<figures::Figure>& drawn, const std::string& folder) {
  const ScratchDirectory scratch;
  // node reads files, and the command has none beside it: its own copies are written out.
  write_file(scratch.file("bundle.js"), std::string(*web_bundle()));
  write_file(scratch.file("theme.js"), std::string(theme_script()));
  write_file(scratch.file("render.js"), std::string(render_script()));
  std::filesystem::create_directory(scratch.file("figures"));
  const auto aside = [&](const figures::Figure& figure, const std::string& ending) {
    return scratch.file("figures/" + figure.name + ending);
  };
  for (const figures::Figure& figure : drawn) write_file(aside(figure, ".vl.json"), figure.spec);
  // One start of node for all figures: each start would read the whole bundle again.
  run_program({kNode, scratch.file("render.js"), scratch.file("bundle.js"),
               scratch.file("theme.js"), scratch.file("figures")});
  const bool convert = program_exists(kConvert);
  for (const figures::Figure& figure : drawn) {
    const std::string svg = aside(figure, ".svg");
    std::vector<std::string> endings = {".svg"};
    if (convert) {
      // The date a PDF carries is the beginning of time: the same figure is the same bytes.
      run_program({"env", "SOURCE_DATE_EPOCH=0", kConvert, "--format=pdf",
                   "--output=" + aside(figure, ".pdf"), svg});
      run_program({kConvert, "--format=png", "--zoom=3", "--output=" + aside(figure, ".png"), svg});
      endings.insert(endings.end(), {".pdf", ".png"});
    }
    for (const std::string& ending : endings)
      write_file(folder + "/" + figure.name + ending, read_file(aside(figure, ending)));
  }
}

}  // namespace

WrittenReport write_report(const StudyResult& result, const std::string& directory) {
  WrittenReport report;
  report.page = directory + "/report.html";
  // Page and figures are made before anything is written: what throws leaves the directory as it
  // was.
  const DrawnFigures figures = study_figures(result);
  const std::string page = study_page(result, figures);
  const std::vector<figures::Figure>& drawn = figures.figures;
  const std::string folder = directory + "/figures";
  make_directory(folder);
  for (const figures::Figure& figure : drawn) {
    write_file(folder + "/" + figure.name + ".vl.json", figure.spec + "\n");
    report.figures.push_back(figure.name);
  }
  report.note = join(figures.notes, "\n");
  const std::string missing = note_on_missing_programs();
  report.note += (report.note.empty() || missing.empty() ? "" : "\n") + missing;
  if (program_exists(kNode)) draw(drawn, folder);
  // Last, so that a new page never stands beside old or missing figures.
  write_file(report.page, page);
  return report;
}

}  // namespace armature
