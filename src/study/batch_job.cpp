#include "study/batch_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "armature/error.h"
#include "base/file.h"
#include "base/json_field.h"
#include "base/json_text.h"
#include "base/text.h"
#include "study/shards.h"

namespace armature {

// --- How many shards -----------------------------------------------------------------------------

namespace {

constexpr double kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr double kShortestLimit = kMinute;  // to Slurm a shorter one is a minute
constexpr double kShortestShard = kMinute;  // that is made for the sake of evenness alone
constexpr double kLongestLimit = 365 * kDay;

double unit_seconds(std::string_view unit) {
  if (unit == "s" || unit == "sec") return 1;
  if (unit == "m" || unit == "min") return kMinute;
  if (unit == "h") return kHour;
  if (unit == "d") return kDay;
  return 0;
}

// "1d12h", "90min", "1.5h".
std::optional<double> with_units(std::string_view text) {
  double total = 0;
  while (!text.empty()) {
    const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::size_t unit_end =
        std::min(text.find_first_of("0123456789.", number_end), text.size());
    const std::optional<double> number = parse_real(text.substr(0, number_end));
    const double unit = unit_seconds(text.substr(number_end, unit_end - number_end));
    if (!number || unit == 0) return std::nullopt;
    total += *number * unit;
    text.remove_prefix(unit_end);
  }
  return total;
}

// Of "DD", "HH" and the like: digits alone.
std::optional<double> plain_digits(std::string_view text) {
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  return parse_real(text);
}

// "HH:MM:SS", "D-HH", "D-HH:MM", "D-HH:MM:SS".
std::optional<double> with_colons(std::string_view text) {
  double total = 0;
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    const std::optional<double> days = plain_digits(text.substr(0, dash));
    if (!days) return std::nullopt;
    total = *days * kDay;
    text.remove_prefix(dash + 1);
  }
  std::size_t parts = 0;
  for (const double unit : {kHour, kMinute, 1.0}) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::optional<double> number = plain_digits(text.substr(0, end));
    if (!number || (unit < kHour && *number >= 60)) return std::nullopt;
    total += *number * unit;
    ++parts;
    if (end == text.size()) return parts == 3 || has_days ? std::optional(total) : std::nullopt;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

// Rounded to what a person would write.
std::string rough_time(double seconds) {
  if (seconds < kHour) return fmt::format("{:.0f}min", std::ceil(seconds / kMinute));
  if (seconds < 2 * kDay) return fmt::format("{:.0f}h", std::ceil(seconds / kHour));
  return fmt::format("{:.0f}d", std::ceil(seconds / kDay));
}

std::string core_time(double seconds) {
  if (seconds < kHour) return fmt::format("{:.1f} minutes of one core", seconds / kMinute);
  return fmt::format("{:.1f} hours of one core", seconds / kHour);
}

}  // namespace

double parse_time_limit(const std::string& text) {
  std::optional<double> seconds = with_units(text);
  if (!seconds) seconds = with_colons(text);
  if (!seconds || text.empty() || *seconds < kShortestLimit || *seconds > kLongestLimit)
    throw Error({"", "--time", "'" + text + "'",
                 "a time from a minute to a year: 2h, 90min, 1d12h, 02:00:00 or 1-12:00:00"});
  return *seconds;
}

std::string slurm_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const std::uint64_t days = whole / 86400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "",
                     whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

namespace {

// As sinfo prints limits: "30:00", "2:00:00", "1-00:00:00"; "infinite", and whatever else it may
// say, binds nobody.
double partition_limit(std::string_view text) {
  double days = 0, seconds = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    days = plain_digits(text.substr(0, dash)).value_or(kLongestLimit);
    text.remove_prefix(dash + 1);
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    const std::optional<double> number = plain_digits(text.substr(start, end - start));
    if (!number) return std::numeric_limits<double>::infinity();
    seconds = 60 * seconds + *number;
    start = end + 1;
  }
  return days * kDay + seconds;
}

void add_node(Partition& partition, std::string count) {
  const bool some_have_more = count.ends_with('+');
  if (some_have_more) count.pop_back();
  const std::optional<std::uint64_t> number = parse_integer(count);
  if (!number || *number == 0) return;
  const std::uint64_t most = some_have_more ? std::numeric_limits<std::uint64_t>::max() : *number;
  partition.fewest = partition.fewest == 0 ? *number : std::min(partition.fewest, *number);
  partition.most = std::max(partition.most, most);
}

std::string names_of(const std::vector<Partition>& partitions) {
  std::vector<std::string> names;
  for (const Partition& one : partitions) names.push_back(one.name);
  return join(names, ", ");
}

std::vector<Partition> those_up(std::vector<Partition> partitions) {
  std::erase_if(partitions, [](const Partition& one) { return !one.up; });
  return partitions;
}

}  // namespace

std::vector<Partition> read_partitions(const std::string& lines) {
  std::vector<Partition> partitions;
  std::istringstream stream(lines);
  std::string name, state, limit, count;
  while (stream >> name >> state >> limit >> count) {
    const bool is_default = name.ends_with('*');
    if (is_default) name.pop_back();
    auto found = std::find_if(partitions.begin(), partitions.end(),
                              [&](const Partition& one) { return one.name == name; });
    if (found == partitions.end())
      found = partitions.insert(partitions.end(),
                                {name, is_default, state == "up", partition_limit(limit)});
    add_node(*found, count);
  }
  return partitions;
}

std::vector<Partition> partitions_named(const std::vector<Partition>& all,
                                        const std::string& names) {
  std::vector<Partition> named;
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Partition& one) { return one.name == name; });
    if (found == all.end())
      throw Error(
          {"", "--partition", "'" + name + "', of which there is none", "one of " + names_of(all)});
    named.push_back(*found);
  }
  for (const Partition& one : all)
    if (names.empty() && one.is_default) named.push_back(one);
  const std::vector<Partition> up = those_up(named);
  if (!named.empty() && up.empty())
    throw Error({"", "--partition", "'" + names_of(named) + "', which takes no jobs now",
                 those_up(all).empty() ? "one that is up; none is"
                                       : "one that is up: " + names_of(those_up(all))});
  return up;
}

void require_possible(const std::vector<Partition>& partitions, const JobRequest& request) {
  if (partitions.empty()) return;
  const std::string where = ", as the partition " + names_of(partitions) + " has it";
  double longest = 0;
  std::uint64_t most = 0;
  for (const Partition& one : partitions) longest = std::max(longest, one.limit);
  // A quality of service may lift a partition's limit.
  const bool lifted =
      std::any_of(request.more.begin(), request.more.end(),
                  [](const std::string& option) { return option.starts_with("--qos"); });
  if (lifted) longest = std::numeric_limits<double>::infinity();
  if (request.limit > longest)
    throw Error(
        {"", "--time", slurm_time(request.limit), "at most " + slurm_time(longest) + where});
  for (const Partition& one : partitions) {
    if (one.limit < request.limit && !lifted) continue;
    if (one.most == 0) return;
    most = std::max(most, one.most);
  }
  if (request.cores > most)
    throw Error(
        {"", "--cores", fmt::format("{}", request.cores),
         fmt::format("at most {}, as a node of the partition {} has", most, names_of(partitions))});
}

WorkEstimate estimate_work(const StudyPlan& plan, const std::vector<double>& seconds) {
  WorkEstimate work;
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  work.longest_replication =
      seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
  if (!searches_first(plan)) {
    work.study = plan.study.replications * all;
    work.replications = std::uint64_t{plan.study.replications} * plan.cells.size();
    return work;
  }
  const std::uint64_t lists = search_choices(plan).size();
  work.replications = std::max(std::uint64_t{plan.study.search->replications} * plan.cells.size(),
                               std::uint64_t{plan.study.replications} * lists);
  work.search = plan.study.search->replications * all;
  // Which cell of a list the search will choose nobody knows yet: it counts as their mean.
  for (const std::vector<std::uint32_t>& choices : search_choices(plan)) {
    double sum = 0;
    for (const std::uint32_t cell : choices) sum += seconds[cell];
    work.study += plan.study.replications * sum / static_cast<double>(choices.size());
  }
  return work;
}

std::uint32_t choose_shards(const WorkEstimate& work, const JobRequest& request) {
  if (work.longest_replication > request.limit)
    throw Error({"", "--time", slurm_time(request.limit),
                 fmt::format("more than one replication takes by the estimate: about {}, which no "
                             "two cores can share; --time {} would do",
                             core_time(work.longest_replication),
                             rough_time(2 * work.longest_replication))});
  const double larger = std::max(work.search, work.study);
  const double fits = request.limit / 2 * request.cores;
  const double needed = std::max(std::ceil(larger / fits), 1.0);
  if (needed > kMostTasks)
    throw Error({"", "estimated work", core_time(larger),
                 fmt::format("at most {} shards that take half of --time {} each on {}; --time {} "
                             "would do, or --cores {}",
                             kMostTasks, slurm_time(request.limit), counted(request.cores, "core"),
                             rough_time(2 * larger / kMostTasks / request.cores),
                             std::ceil(2 * larger / kMostTasks / request.limit))});
  const auto most =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(work.replications, 1, kMostTasks));
  const auto least = std::min(std::max(static_cast<std::uint32_t>(needed), request.nodes), most);
  const std::uint32_t even = (least + request.nodes - 1) / request.nodes * request.nodes;
  const bool worth_it = larger / even / request.cores >= kShortestShard;
  return even <= most && worth_it ? even : least;
}

// --- What is submitted ---------------------------------------------------------------------------

namespace {

constexpr std::pair<JobKind, const char*> kKindNames[] = {{JobKind::kSearchShards, "search-shards"},
                                                          {JobKind::kSearchMerge, "search-merge"},
                                                          {JobKind::kShards, "shards"},
                                                          {JobKind::kMerge, "merge"}};

JobKind named_kind(const JsonField& field) {
  for (const auto& [kind, name] : kKindNames)
    if (field.text() == name) return kind;
  field.fail("one of search-shards, search-merge, shards, merge");
}

bool is_job_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool computes_shards(JobKind kind) {
  return kind == JobKind::kSearchShards || kind == JobKind::kShards;
}

std::string kind_name(JobKind kind) {
  for (const auto& [one, name] : kKindNames)
    if (one == kind) return name;
  ARMATURE_CHECK(false, "every kind has a name");
  return "";
}

std::string job_record_path(const std::string& directory) {
  return directory + "/job/submitted.json";
}

JobRecord job_record_in(const std::string& directory) {
  const std::string path = job_record_path(directory);
  // What cannot even be asked for is not there.
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? read_job_record(read_file(path), path)
                                                : JobRecord{};
}

std::string write_job_record(const JobRecord& record) {
  nlohmann::ordered_json json;
  json["shards"] = record.shards;
  json["jobs"] = nlohmann::ordered_json::array();
  for (const SubmittedJob& job : record.jobs)
    json["jobs"].push_back({{"id", job.id}, {"kind", kind_name(job.kind)}});
  return json.dump(1) + "\n";
}

JobRecord read_job_record(const std::string& json, const std::string& source) {
  const nlohmann::ordered_json parsed = parsed_json(json, source);
  try {
    const JsonField root(parsed);
    root.only({"shards", "jobs"});
    JobRecord record;
    const std::uint64_t shards = root.at("shards").whole_number();
    if (shards < 1 || shards > kMostShards)  // more than submit makes: as they were begun by hand
      root.at("shards").fail(fmt::format("a whole number from 1 to {}", kMostShards));
    record.shards = static_cast<std::uint32_t>(shards);
    const JsonField jobs = root.at("jobs");
    for (std::size_t i = 0; i < jobs.list_size(); ++i) {
      const JsonField job = jobs.at(i);
      job.only({"id", "kind"});
      if (!is_job_number(job.at("id").text())) job.at("id").fail("the number of a job, as text");
      record.jobs.push_back({job.at("id").text(), named_kind(job.at("kind"))});
    }
    return record;
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

std::vector<QueuedTask> read_queue(const std::string& lines) {
  std::vector<QueuedTask> queue;
  std::istringstream stream(lines);
  std::string job, task;
  while (stream >> job >> task)
    queue.push_back({job, is_job_number(task)
                              ? static_cast<std::uint32_t>(parse_integer(task).value_or(0))
                              : 0});
  return queue;
}

JobChain plan_jobs(const JobSituation& situation) {
  const JobKind due = situation.searches ? JobKind::kSearchShards : JobKind::kShards;
  JobChain chain;
  std::set<std::uint32_t> queued;
  std::set<std::string> waits_for, followers, others;
  for (const SubmittedJob& job : situation.record.jobs)
    for (const QueuedTask& task : situation.queue) {
      if (task.job != job.id) continue;
      if (job.kind == due) {
        queued.insert(task.task);
        waits_for.insert(job.id);
      } else {
        (job.kind > due ? followers : others).insert(job.id);
      }
    }
  const auto at_work = [&](std::uint32_t shard) {
    return shard <= situation.at_work.size() && situation.at_work[shard - 1];
  };
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t shard = 1; shard <= situation.shards; ++shard) {
    chain.at_work += at_work(shard) ? 1 : 0;
    chain.waiting += queued.contains(shard) && !at_work(shard) ? 1 : 0;
    if (situation.wanted[shard - 1] && !queued.contains(shard)) tasks.push_back(shard);
  }
  // What follows is in the queue already and will find all it needs.
  if (tasks.empty() && !followers.empty()) return chain;

  chain.waits_for.assign(waits_for.begin(), waits_for.end());
  chain.replaced.assign(followers.begin(), followers.end());
  chain.living = chain.waits_for;
  chain.living.insert(chain.living.end(), others.begin(), others.end());
  if (!tasks.empty()) {
    // Each of those in the queue may have a node at any time.
    chain.shards_wait = queued.size() >= situation.nodes;
    const auto taken = static_cast<std::uint32_t>(chain.shards_wait ? 0 : queued.size());
    chain.steps.push_back({due, tasks, situation.nodes - taken});
  }
  if (situation.searches) {
    std::vector<std::uint32_t> all(situation.shards);
    std::iota(all.begin(), all.end(), 1);
    chain.steps.push_back({JobKind::kSearchMerge});
    chain.steps.push_back({JobKind::kShards, all, situation.nodes});
  }
  chain.steps.push_back({JobKind::kMerge});
  return chain;
}

// --- Scripts -------------------------------------------------------------------------------------

namespace {

// In Slurm's own lines a path stands in double quotes, and % begins what Slurm fills in.
std::string log_path(const JobPlaces& places, const std::string& name) {
  std::string path;
  for (const char c : places.logs) path += c == '%' ? std::string("%%") : std::string(1, c);
  return "\"" + path + "/" + name + ".log\"";
}

// In the queue's list everybody sees it: nothing but what a name is made of.
std::string queue_name(const std::string& name) {
  std::string plain;
  for (const char c : name) plain += is_name(std::string_view(&c, 1)) || c == '.' ? c : '-';
  return plain;
}

std::string comment(const std::string& line) { return line.empty() ? "#\n" : "# " + line + "\n"; }

std::string shards_commands(std::uint32_t shards, const JobPlaces& places) {
  return fmt::format(
      "# This task's shard. What is there of it already is kept: after a failure the same again\n"
      "# goes on from there.\n"
      "echo \"shard $SLURM_ARRAY_TASK_ID of {0} on $(uname -n), $(date)\"\n"
      "exec {1} run {2} \\\n"
      "  --shard \"$SLURM_ARRAY_TASK_ID/{0}\" --out {3} \\\n"
      "  --threads \"$SLURM_CPUS_PER_TASK\" --yes --quiet\n",
      shards, shell_word(places.command), shell_word(places.study), shell_word(places.directory));
}

std::string merge_commands(JobKind kind, const JobPlaces& places) {
  std::string text = fmt::format(
      "# Says which shards are missing, if some did not come through; armature submit then\n"
      "# submits those again.\n"
      "{} merge {}\n",
      shell_word(places.command), shell_word(places.directory));
  if (kind == JobKind::kMerge)
    text += fmt::format("{} report {}\n", shell_word(places.command), shell_word(places.directory));
  return text;
}

}  // namespace

std::string shell_word(const std::string& text) {
  const auto harmless = [](char c) {
    return is_name(std::string_view(&c, 1)) || c == '/' || c == '.' || c == '=' || c == ',';
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), harmless)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string task_list(const std::vector<std::uint32_t>& tasks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t end = i + 1;
    while (end < tasks.size() && tasks[end] == tasks[end - 1] + 1) ++end;
    // "3,4" is as short as "3-4".
    if (end - i > 2) {
      parts.push_back(fmt::format("{}-{}", tasks[i], tasks[end - 1]));
    } else {
      for (std::size_t j = i; j < end; ++j) parts.push_back(fmt::format("{}", tasks[j]));
    }
    i = end;
  }
  return join(parts, ",");
}

void require_plain_paths(const JobPlaces& places) {
  for (const std::string* path : {&places.directory, &places.command, &places.study})
    for (const char c : *path)
      if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ')
        throw Error({"", "path", "'" + *path + "'",
                     "one without double quotes, backslashes and line breaks, which Slurm's lines "
                     "of a script cannot hold"});
}

void require_sbatch_option(const std::string& text) {
  const auto refuse = [&](const std::string& expected) {
    throw Error({"", "--sbatch", "'" + shown(text, 100) + "'", expected});
  };
  if (text.size() < 3 || !text.starts_with("--") || text[2] < 'a' || text[2] > 'z')
    refuse("a long option of sbatch: --mem=8G");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') refuse("one line");
  const std::string name = text.substr(2, text.find_first_of(" =") - 2);
  for (const char* own : {"array", "nodes", "ntasks", "cpus-per-task", "time", "partition",
                          "account", "job-name", "output", "dependency", "parsable", "wrap"})
    if (name == own)
      refuse("an option that armature submit does not set itself, as it does --" + name);
}

std::string job_script(const JobStep& step, std::uint32_t shards, const JobRequest& request,
                       const JobPlaces& places, const std::string& name,
                       const std::vector<std::string>& words) {
  const bool computes = computes_shards(step.kind);
  std::string text = "#!/bin/bash\n";
  for (const std::string& line : words) text += comment(line);
  const auto option = [&](const std::string& words_of_it) {
    text += "#SBATCH --" + words_of_it + "\n";
  };
  option("job-name=" + queue_name("armature-" + name + "-" + kind_name(step.kind)));
  if (computes) option(fmt::format("array={}%{}", task_list(step.tasks), step.at_a_time));
  option("nodes=1");
  option("ntasks=1");
  option(fmt::format("cpus-per-task={}", computes ? request.cores : 1));
  option("time=" + slurm_time(request.limit));
  if (!request.partition.empty()) option("partition=" + request.partition);
  if (!request.account.empty()) option("account=" + request.account);
  option("output=" + log_path(places, kind_name(step.kind) + (computes ? "-%A_%a" : "-%j")));
  for (const std::string& line : request.more) text += "#SBATCH " + line + "\n";
  if (computes) {
    // A node that fails costs a task what it had at work, no more.
    option("requeue");
    option("open-mode=append");
  }
  text += "\nset -euo pipefail\n";
  text += computes ? shards_commands(shards, places) : merge_commands(step.kind, places);
  return text;
}

StudyCopy copy_study(const Study& study) {
  namespace fs = std::filesystem;
  int deepest = 0;  // below the folder, by how many levels paths lead upwards
  for (const auto& [path, content] : study.files) {
    if (fs::path(path).is_absolute()) continue;
    int level = 0;
    for (const fs::path& part : fs::path(path)) {
      if (part == "..")
        deepest = std::max(deepest, -(--level));
      else if (part != "." && !part.empty())
        ++level;
    }
  }
  std::string folder;
  for (int level = 1; level <= deepest; ++level) folder += fmt::format("level-{}/", level);
  StudyCopy copy;
  copy.study = folder + "study.toml";
  copy.files.emplace_back(copy.study, write_study(study));
  for (const auto& [path, content] : study.files)
    if (!fs::path(path).is_absolute()) copy.files.emplace_back(folder + path, content);
  return copy;
}

}  // namespace armature
