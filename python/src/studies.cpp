#include "simulation.h"

// Studies from Python: run into a directory as `armature run` does, and read back from there.
#include "armature/report.h"
#include "report/study_figures.h"

namespace armature::python {
namespace {

// As the command plans it: what instances name is found from the file's folder on, or was kept by
// an earlier run of the directory. A study given as text has no folder but the working directory.
StudyPlan planned(const std::string& path, const std::string& toml,
                  const std::vector<std::string>& overrides, const std::string& directory) {
  const Study study = path.empty() ? read_study(toml, "study", overrides)
                                   : read_study_file(path, overrides, stored_files(directory));
  constexpr std::size_t kMostCells = 1'000'000;
  return plan_study(study, kMostCells);
}

py::tuple study_run(const std::string& path, const std::string& toml,
                    const std::vector<std::string>& overrides, const std::string& directory,
                    unsigned threads, Stop& stop, const py::object& progress) {
  StudyOutcome outcome;
  run_beside({threads, stop, progress}, [&](const RunHooks& hooks) {
    outcome = run_study(planned(path, toml, overrides, directory), directory, hooks);
  });
  return py::make_tuple(outcome.complete, outcome.computed);
}

py::list verdicts_of(const StudyResult& result) {
  py::list list;
  for (const Verdict& verdict : judge(result)) {
    py::dict row;
    row["question"] = verdict.rule.name;
    row["rule"] = verdict.rule.rule;
    row["policy"] = verdict.rule.policy;
    row["instance"] = verdict.rule.instance;
    row["outcome"] = verdict.outcome;
    row["value"] = verdict.value;
    row["low95"] = verdict.low;
    row["high95"] = verdict.high;
    row["p"] = verdict.p;
    row["because"] = verdict.because;
    row["caveat"] = verdict.caveat;
    list.append(row);
  }
  return list;
}

py::list figures_of(const StudyResult& result) {
  py::list list;
  for (const figures::Figure& one : study_figures(result).figures) {
    py::dict figure;
    figure["name"] = one.name;
    figure["title"] = one.title;
    figure["caption"] = one.caption;
    figure["spec"] = one.spec;
    list.append(figure);
  }
  return list;
}

Screen screen_of(std::size_t columns) {
  Screen screen;
  screen.columns = columns;
  return screen;
}

}  // namespace

void bind_studies(py::module_& module) {
  using Guarded = py::call_guard<ThrowingChecks>;
  using GuardedWithoutGil = py::call_guard<ThrowingChecks, py::gil_scoped_release>;
  py::class_<StudyResult>(module, "StudyResult")
      .def_property_readonly("title", [](const StudyResult& self) { return self.plan.study.title; })
      .def_property_readonly("complete", [](const StudyResult& self) { return self.complete; })
      .def_property_readonly("replications_done",
                             [](const StudyResult& self) { return self.replications_done; })
      .def_property_readonly("replications_total",
                             [](const StudyResult& self) { return self.replications_total; })
      .def_property_readonly("toml",
                             [](const StudyResult& self) {
                               const ThrowingChecks checks;
                               return write_study(self.plan.study);
                             })
      .def(
          "answer",
          [](const StudyResult& self, std::size_t columns) {
            return study_answer(self, screen_of(columns));
          },
          Guarded())
      .def(
          "table",
          [](const StudyResult& self, std::size_t columns) {
            return study_table(self, screen_of(columns));
          },
          Guarded())
      .def(
          "words", [](const StudyResult& self) { return study_words(self); }, Guarded())
      .def(
          "latex", [](const StudyResult& self) { return study_latex(self); }, Guarded())
      .def(
          "markdown", [](const StudyResult& self) { return study_markdown(self); }, Guarded())
      .def("verdicts", &verdicts_of, Guarded())
      .def("figures", &figures_of, Guarded())
      .def(
          "report",
          [](const StudyResult& self, const std::string& to) {
            const WrittenReport report = write_report(self, to);
            return std::pair(report.page, report.note);
          },
          GuardedWithoutGil());

  module.def("run_study", &study_run, Guarded());
  module.def("read_results", &read_results, GuardedWithoutGil());
  module.def("export_csv", &export_csv, GuardedWithoutGil());
}

}  // namespace armature::python
