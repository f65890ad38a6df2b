// The study files of a folder, and what the data of their runs, or published results, say to their
// questions.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/report.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "study/questions.h"

namespace armature::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string folder = "studies";
  std::string runs = "runs";
  std::string results;  // a folder of published ones, read instead of runs
  std::string pictures;
  std::string format = "table";
  std::optional<std::string> output;
};

struct Listed {
  std::string file;
  Study study;
  std::optional<StudyResult> result;  // if there was a run
  std::optional<Error> trouble;       // why it cannot be listed
  std::vector<Verdict> verdicts;      // of the result, each with what the whole page says of it
  std::string changed;                // what of the file is not as it was published, or empty
};

struct Page {
  std::vector<Listed> studies;
  std::string correction;  // a sentence on what p is and how many answers stand
};

std::string stem_of(const std::string& file) { return fs::path(file).stem().string(); }

// What the file says today against what was published of it. New questions are named and not
// judged: they may need data that the others did not, so that they were left out.
std::string changed_since(const Study& now, const Study& published) {
  if (const std::string other = other_design(now, published); !other.empty())
    return "the file has " + other;
  if (const std::string broken = broken_freeze(now, published); !broken.empty()) return broken;
  const std::vector<std::string> late = new_questions(now, published);
  if (late.empty()) return "";
  return fmt::format("asked after the data, and answered when it is published again: {}",
                     join(late, "; "));
}

// The directory of its run, or the file that was published of it.
std::string result_path(const Options& options, const Listed& item) {
  return options.results.empty() ? options.runs + "/" + stem_of(item.file)
                                 : options.results + "/" + stem_of(item.file) + ".json";
}

std::optional<StudyResult> result_of(const Options& options, const Listed& item) {
  const std::string path = result_path(options, item);
  std::error_code ignored;  // what cannot be asked for is not there
  if (options.results.empty()) {
    if (fs::exists(path + "/study.sqlite", ignored)) return read_results(path);
  } else if (fs::exists(path, ignored)) {
    return read_published(path);
  }
  return std::nullopt;
}

// The result first: it keeps the files that the study names, should they be gone.
void read_item(const Options& options, Listed& item) {
  std::optional<Error> bad_result;
  try {
    item.result = result_of(options, item);
  } catch (const Error& error) {
    bad_result = error;
  }
  item.study =
      read_study_file(item.file, {}, item.result ? item.result->plan.study.files : FileTable());
  if (bad_result) throw *bad_result;
  if (!item.result) return;
  if (!options.results.empty()) item.changed = changed_since(item.study, item.result->plan.study);
  item.verdicts = judge(*item.result);
}

std::vector<Listed> listed(const Options& options) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(options.folder, error))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  if (error) throw Error({options.folder, "folder", error.message(), "a folder of study files"});
  std::sort(files.begin(), files.end());
  std::vector<Listed> list;
  for (const std::string& file : files) {
    Listed item;
    item.file = file;
    try {
      read_item(options, item);
    } catch (const Error& bad) {  // one bad file does not hide the others
      item.trouble = bad.report().file.empty() ? bad.in_file(result_path(options, item)) : bad;
      item.result.reset();
    }
    list.push_back(std::move(item));
  }
  return list;
}

Page page_of(std::vector<Listed> list) {
  std::vector<std::vector<Verdict>> verdicts;
  for (Listed& item : list) verdicts.push_back(std::move(item.verdicts));
  Page page{std::move(list), correct_together(verdicts)};
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    page.studies[i].verdicts = std::move(verdicts[i]);
  return page;
}

Style style_of(const Verdict& verdict) {
  return verdict.outcome == "holds"          ? Style::kGreen
         : verdict.outcome == "contradicted" ? Style::kRed
                                             : Style::kYellow;
}

// The question, in colour what came of it, and why.
std::string verdict_lines(const Verdict& verdict, const Screen& on) {
  const std::string because = fmt::format(
      "{}{} ({}{})", verdict.outcome, verdict.caveat.empty() ? "" : ", " + verdict.caveat,
      verdict.because, verdict.p ? ", p " + p_text(verdict.p) : "");
  std::string text = wrapped(visible(question_words(verdict.rule)), prose_columns(on), "  ", "  ") +
                     "\n" + wrapped(visible(because), prose_columns(on), "    ", "      ") + "\n";
  // Coloured when lines are broken, as marks would count; on a very narrow screen not at all.
  if (const auto at = text.rfind("\n    " + verdict.outcome); at != std::string::npos)
    text.replace(at + 5, verdict.outcome.size(), styled(verdict.outcome, style_of(verdict), on));
  if (!verdict.rule.catches.empty())
    text += wrapped(visible("would catch: " + verdict.rule.catches), prose_columns(on), "    ",
                    "      ") +
            "\n";
  return text;
}

std::string table_of(const Page& page, const Screen& on) {
  std::string text;
  const auto indented = [&](const std::string& words) {
    return wrapped(visible(words), prose_columns(on), "  ", "    ") + "\n";
  };
  for (const Listed& item : page.studies) {
    std::string title = prose(item.file + ": " + item.study.title, on, 2);
    title.pop_back();
    text += styled(title, Style::kBold, on) + "\n";
    if (!item.result) {
      text += indented(item.trouble ? item.trouble->what() : "not run yet") + "\n";
      continue;
    }
    if (!item.result->complete) text += "  not finished; what there is says:\n";
    if (!item.changed.empty()) text += indented("not as it was published: " + item.changed);
    for (const Verdict& verdict : item.verdicts) text += verdict_lines(verdict, on);
    text += "\n";
  }
  const bool answered = std::any_of(page.studies.begin(), page.studies.end(),
                                    [](const Listed& item) { return !item.verdicts.empty(); });
  if (answered) return text + prose(page.correction, on);
  return text + prose("Published results are read with --results FOLDER.", on);
}

std::string json_of(const Page& page) {
  Json json = Json::array();
  for (const Listed& item : page.studies) {
    Json entry = {{"file", item.file}, {"title", item.study.title}, {"verdicts", Json::array()}};
    if (item.trouble) entry["trouble"] = item.trouble->what();
    if (!item.changed.empty()) entry["changed"] = item.changed;
    entry["state"] = !item.result ? "not run" : item.result->complete ? "finished" : "unfinished";
    if (item.result)
      for (const Verdict& verdict : item.verdicts) {
        Json row = {{"question", verdict.rule.name},
                    {"verdict", verdict.outcome},
                    {"because", verdict.because}};
        if (verdict.rule.late) row["late"] = true;
        if (verdict.value) row["value"] = *verdict.value;
        if (verdict.low) row["low"] = *verdict.low;
        if (verdict.high) row["high"] = *verdict.high;
        if (verdict.p) row["p"] = *verdict.p;
        if (!verdict.caveat.empty()) row["caveat"] = verdict.caveat;
        if (!verdict.rule.catches.empty()) row["catches"] = verdict.rule.catches;
        entry["verdicts"].push_back(std::move(row));
      }
    json.push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

// The pictures of a study: FOLDER/<stem>-<figure>.svg.
std::vector<std::string> pictures_of(const Options& options, const Listed& item) {
  std::vector<std::string> found;
  if (options.pictures.empty()) return found;
  const std::string start = stem_of(item.file) + "-";
  const fs::path page = options.output ? fs::path(*options.output).parent_path() : fs::path();
  for (const auto& entry : fs::directory_iterator(options.pictures))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(start) && name.ends_with(".svg"))
      found.push_back(fs::relative(entry.path(), page.empty() ? "." : page).string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string markdown_of(const Options& options, const Page& page) {
  std::string text =
      "# Results of the paper's studies\n\nEvery claim of the paper as a study, with the verdict "
      "its data give. Questions and margins stand in the study files, frozen before their data; "
      "what was asked before, what its data said and what changed is in [record.md](record.md). "
      "**holds** means that the 95% interval lies inside the margin, "
      "**contradicted** that it lies outside, **does not show at these horizons** that it does "
      "neither. The files are in studies/paper, their published results in studies/results; `make "
      "figures` writes this page from these, `make paper` runs them all anew.\n\n";
  text += page.correction + "\n\n";
  for (const Listed& item : page.studies) {
    // Readers of a page would not miss a study that is not on it.
    if (item.trouble) throw *item.trouble;
    if (!item.result) continue;
    text += verdict_section(*item.result, pictures_of(options, item), item.verdicts) + "\n";
    if (!item.changed.empty())
      text += fmt::format("**Not as it was published**: {}.\n\n", item.changed);
  }
  return text;
}

void require_folder(const char* option, const std::string& path, const char* expected) {
  std::error_code ignored;
  if (!path.empty() && !fs::is_directory(path, ignored))
    throw Error({path, option, "no folder", expected});
}

void run(const Options& options) {
  require_folder("--results", options.results, "a folder of published results");
  require_folder("--pictures", options.pictures, "a folder of pictures");
  const Page page = page_of(listed(options));
  emit(options.output, options.format == "json"       ? json_of(page)
                       : options.format == "markdown" ? markdown_of(options, page)
                                                      : table_of(page, screen(options.output)));
  // All that can be listed is; but a script must notice what could not.
  bool troubled = false;
  for (const Listed& item : page.studies) {
    if (!item.trouble) continue;
    complain(item.trouble->what());
    troubled = true;
  }
  if (troubled) throw ExitStatus{2};
}

}  // namespace

void add_studies(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("studies", "the study files of a folder, with their last verdicts");
  command->add_option("FOLDER", options->folder, "where the study files are")
      ->capture_default_str();
  CLI::Option* runs =
      command->add_option("--runs", options->runs, "where their runs are")->capture_default_str();
  command
      ->add_option("--results", options->results,
                   "published results, STUDY.json, to read instead of runs")
      ->excludes(runs);
  command->add_option("--pictures", options->pictures,
                      "markdown: a folder of pictures named STUDY-FIGURE.svg");
  command->add_option("--format,-f", options->format, "table, json or markdown")
      ->check(CLI::IsMember({"table", "json", "markdown"}))
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "write here instead of to the terminal");
  command->footer(
      "Examples:\n"
      "  armature studies\n"
      "  armature studies studies/paper --results studies/results");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
