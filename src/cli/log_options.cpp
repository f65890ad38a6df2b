#include "cli/log_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "armature/error.h"
#include "audit/bins.h"
#include "base/text.h"
#include "cli/setting_options.h"

namespace armature::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};

std::pair<double, double> scale_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) {
    const auto low = parse_real(text.substr(0, comma)), high = parse_real(text.substr(comma + 1));
    if (low && high && *low < *high) return {*low, *high};
  }
  throw Error({"", "--scale", "'" + text + "'", "LOW,HIGH: what becomes 0 and what becomes 1"});
}

// Of files that are there and of names yet to be made. /dev/null and the like may be named often.
bool same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(one, error) && fs::exists(other, error))
    return fs::is_regular_file(one, error) && fs::equivalent(one, other, error);
  const fs::path first = fs::weakly_canonical(fs::absolute(one, error), error);
  const fs::path second = fs::weakly_canonical(fs::absolute(other, error), error);
  return !first.empty() && first == second;
}

}  // namespace

std::vector<std::string> files_read(const LogArguments& arguments) {
  std::vector<std::string> files{arguments.file};
  if (arguments.given) files.push_back(*arguments.given);
  return files;
}

void require_apart(const std::vector<std::string>& read, const std::vector<WrittenFile>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i].path) continue;
    for (const std::string& input : read)
      if (same_file(*written[i].path, input == "-" ? "/dev/stdin" : input))
        throw Error({"", written[i].option, "'" + *written[i].path + "', which is read",
                     "another file: what is read is never written over"});
    for (std::size_t j = 0; j < i; ++j)
      if (written[j].path && same_file(*written[i].path, *written[j].path))
        throw Error({"", written[i].option,
                     fmt::format("'{}', which {} writes", *written[i].path, written[j].option),
                     "a file of its own"});
  }
}

void add_log_options(CLI::App& command, LogArguments& arguments) {
  command
      .add_option("log", arguments.file,
                  "CSV, JSON lines, the service's export or dsjson, also .gz; - for standard input")
      ->required();
  command.add_option("--action,-a", arguments.action, "column of actions (default: action)");
  command
      .add_option("--context,-c", arguments.contexts,
                  "column of contexts (default: context); several, with commas, make a joint one")
      ->allow_extra_args(false);
  command.add_option("--reward,-r", arguments.reward, "column of rewards (default: reward)");
  command.add_option("--propensity", arguments.propensity,
                     "column of the probabilities with which actions were chosen "
                     "(default: propensity, if it is there)");
  command.add_option("--weight", arguments.weight, "column: how many rows a row stands for");
  command.add_option("--time", arguments.time, "column: checks that rows are in order");
  command.add_option("--decision", arguments.decision,
                     "column of ids: a decision counts once (default: decision, if it is there)");
  command
      .add_option("--bins", arguments.bins,
                  "COLUMN:COUNT: cut a numeric context column into bins of equal frequency")
      ->allow_extra_args(false);
  command
      .add_option("--edges", arguments.edges,
                  "COLUMN:EDGE,EDGE,…: cut a numeric context column at these values")
      ->allow_extra_args(false);
  command.add_option("--scale", arguments.scale,
                     "LOW,HIGH: rewards from LOW to HIGH become 0 to 1");
  command.add_option("--given", arguments.given,
                     "problem file: names of actions and contexts, and no others");
  command.add_flag("--adaptive", arguments.adaptive,
                   "decisions depended on earlier outcomes (a learning policy made them)");
  command.add_flag("--skip-bad", arguments.skip_bad,
                   "go on though more than 1% of the rows cannot be used");
  command.add_flag("--quiet,-q", arguments.quiet, "no progress line");
}

LogOptions log_options_of(const LogArguments& arguments, LogProgress& progress) {
  LogOptions options;
  options.action = arguments.action;
  options.reward = arguments.reward;
  options.propensity = arguments.propensity;
  options.weight = arguments.weight;
  options.time = arguments.time;
  options.decision = arguments.decision;
  options.contexts = arguments.contexts;  // cut at commas by the log, which knows its columns
  for (const std::string& text : arguments.bins) options.bins.push_back(parse_bins(text));
  for (const std::string& text : arguments.edges) options.bins.push_back(parse_edges(text));
  if (arguments.scale) options.scale = scale_of(*arguments.scale);
  if (arguments.given) options.problem = given_problem(*arguments.given);
  options.adaptive = arguments.adaptive;
  options.skip_bad = arguments.skip_bad;
  options.progress = progress.hook();
  return options;
}

LogProgress::LogProgress(bool quiet)
    : shown_(!quiet && isatty(STDERR_FILENO) != 0), last_(std::chrono::steady_clock::now()) {}

LogProgress::~LogProgress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

bool LogProgress::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kRedraw) return false;
  last_ = now;
  return true;
}

void LogProgress::draw(const std::string& text) {
  drawn_ = true;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

std::function<void(double share, std::uint64_t rows)> LogProgress::hook() {
  if (!shown_) return nullptr;
  return [this](double share, std::uint64_t rows) {
    if (due())
      draw(fmt::format("reading: {} rows{}", grouped(static_cast<double>(rows)),
                       share > 0 ? fmt::format(" ({:.0f}%)", 100 * share) : ""));
  };
}

std::function<void(double share)> LogProgress::testing() {
  if (!shown_) return nullptr;
  return [this](double share) {
    if (due()) draw(fmt::format("testing: {:.0f}%", 100 * share));
  };
}

std::string log_paragraph(const LogFacts& facts) { return join(log_sentences(facts), " "); }

}  // namespace armature::cli
