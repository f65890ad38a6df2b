// The options of commands that read a log of past decisions: audit, replay.
#pragma once

#include <chrono>

#include "armature/log.h"
#include "cli/command.h"

namespace armature::cli {

/// As they stand on the command line.
struct LogArguments {
  std::string file;
  std::optional<std::string> action, reward, propensity, weight, time, decision, scale, given;
  std::vector<std::string> contexts, bins, edges;
  bool adaptive = false;
  bool skip_bad = false;
  bool quiet = false;
};

/// LOG, --action, --context, --reward, --propensity, --weight, --time, --decision, --bins, --edges,
/// --scale, --given, --adaptive, --skip-bad, --quiet.
void add_log_options(CLI::App& command, LogArguments& arguments);

/// A line on the terminal while a long log is read; nothing when quiet or in a pipe. Gone with the
/// object.
class LogProgress {
 public:
  explicit LogProgress(bool quiet);
  ~LogProgress();
  LogProgress(const LogProgress&) = delete;
  LogProgress& operator=(const LogProgress&) = delete;

  /// Both call this object, which must outlive them: while the log is read, while tests draw.
  std::function<void(double share, std::uint64_t rows)> hook();
  std::function<void(double share)> testing();

 private:
  bool due();  // for another drawing
  void draw(const std::string& text);

  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// What was found out about the log, as one paragraph with room for more sentences.
std::string log_paragraph(const LogFacts& facts);

/// Throws Error where a file that is written is one that is read, or is written twice: by whatever
/// name it goes. `-` is standard input.
struct WrittenFile {
  const char* option;
  std::optional<std::string> path;
};
std::vector<std::string> files_read(const LogArguments& arguments);
void require_apart(const std::vector<std::string>& read, const std::vector<WrittenFile>& written);

/// What open_log is given. Throws Error naming the option that makes no sense.
LogOptions log_options_of(const LogArguments& arguments, LogProgress& progress);

}  // namespace armature::cli
