// Results as text: a table for people, CSV and JSON for programs (docs/formats.md), the report of a
// study.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/advice.h"
#include "armature/audit.h"
#include "armature/replay.h"
#include "armature/study.h"

namespace armature {

/// What a text for people is set on. As it stands: a pipe, a file, a terminal nobody knows.
struct Screen {
  std::size_t columns = 80;
  bool styled = false;  // bold and colours are understood
  bool wide = false;    // tables may be wider than the screen
};

std::string result_table(const SimulationResult& result, const Screen& screen = {});
/// One row per policy and checkpoint.
std::string result_csv(const std::vector<SimulationResult>& results);
std::string result_json(const SimulationResult& result);

/// What to ask `advise` after an audit: with the log's marginals, and Z not relied on where it was
/// rejected. That it was not rejected is no reason to trust it.
AdviceQuestion advice_question(const AuditAnswer& answer);

/// What was found in a log, as JSON: one text for the command and for all who call the library.
std::string audit_json(const AuditAnswer& answer, const LogFacts& facts,
                       const std::optional<AdviceAnswer>& advice);
std::string replay_json(const ReplayAnswer& answer, const ReplayQuestion& question,
                        const LogFacts& facts);

/// The answer of a study: worlds × policies at the longest
/// horizon, mean regret as a multiple of the least of its row, and one sentence.
std::string study_answer(const StudyResult& result, const Screen& screen = {});

/// A study's final regrets: one row per instance and horizon, one column per policy, the best of
/// each row and all that cannot be told from it marked; then the 95% quantiles.
std::string study_table(const StudyResult& result, const Screen& screen = {});
/// Who wins, by how much, how sure: sentences worked out from the numbers.
std::string study_words(const StudyResult& result);

/// A study's questions and verdicts as a section of Markdown, with claim, pictures and numbers.
/// The verdicts are those of judge(result), perhaps with the caveats of a page of many.
std::string verdict_section(const StudyResult& result, const std::vector<std::string>& pictures,
                            const std::vector<Verdict>& verdicts);
std::string verdict_section(const StudyResult& result, const std::vector<std::string>& pictures);
/// A p as it is printed: "0.012", "< 1e-9", or a dash where there is none.
std::string p_text(const std::optional<double>& p);

/// A study's final regrets as LaTeX tables for \input: one per instance, policies down, horizons
/// across.
std::string study_latex(const StudyResult& result);

/// The same as Markdown: one table per horizon, instances down, policies across, with quantiles.
std::string study_markdown(const StudyResult& result);

/// One HTML page that needs no network: the answer, figures, words, tables, and the study that
/// reproduces it. Throws Error if this program was built without `make bundle`.
std::string study_page(const StudyResult& result);

struct WrittenReport {
  std::string page;                  // its path
  std::vector<std::string> figures;  // their names, without folder and ending
  std::string note;                  // one line on what could not be written, or empty
};
/// Writes DIRECTORY/report.html and DIRECTORY/figures/NAME.vl.json, and NAME.svg, .png and .pdf
/// where node and rsvg-convert are found.
WrittenReport write_report(const StudyResult& result, const std::string& directory);

}  // namespace armature
