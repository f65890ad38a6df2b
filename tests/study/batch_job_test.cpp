// A study as jobs of a batch queue: the number of shards, what is submitted, and the scripts.
#include "study/batch_job.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

TEST(TimeLimit, AsPeopleAndSlurmWriteIt) {
  EXPECT_EQ(parse_time_limit("2h"), 7200);
  EXPECT_EQ(parse_time_limit("90min"), 5400);
  EXPECT_EQ(parse_time_limit("45m"), 2700);
  EXPECT_EQ(parse_time_limit("1d"), 86400);
  EXPECT_EQ(parse_time_limit("1d12h"), 129600);
  EXPECT_EQ(parse_time_limit("1.5h"), 5400);
  EXPECT_EQ(parse_time_limit("02:00:00"), 7200);
  EXPECT_EQ(parse_time_limit("48:30:01"), 174601);
  EXPECT_EQ(parse_time_limit("1-12:00:00"), 129600);
  EXPECT_EQ(parse_time_limit("1-12"), 129600);
}

TEST(TimeLimit, RefusesWhatMayMeanSomethingElse) {
  for (const char* text :
       {"", "x", "2", "120", "2x", "h", "2h3", "30s", "30:00", "1:2:3:4", "00:75:00", "-1h", "1e3h",
        "400d", "1-", "-12:00:00", "2 h", "nan", "infh"})
    EXPECT_TRUE(contains(refusal([&] { parse_time_limit(text); }), "--time: got ")) << text;
}

TEST(TimeLimit, IsWrittenAsSlurmReadsIt) {
  EXPECT_EQ(slurm_time(7200), "02:00:00");
  EXPECT_EQ(slurm_time(129601), "1-12:00:01");
  for (const double seconds : {60.0, 5400.0, 86399.0, 86400.0, 1e6})
    EXPECT_EQ(parse_time_limit(slurm_time(seconds)), seconds);
}

JobRequest request_of(std::uint32_t nodes, std::uint32_t cores, double limit) {
  JobRequest request;
  request.nodes = nodes;
  request.cores = cores;
  request.limit = limit;
  return request;
}

std::uint32_t shards_for(double seconds, const JobRequest& request) {
  return choose_shards({0, seconds, 0, 1'000'000}, request);
}

TEST(Partitions, AsSlurmTellsOfThem) {
  const std::vector<Partition> all = read_partitions(
      "short up 30:00 4\nall* up infinite 16\nall* up infinite 12\nlong up 7-01:00:01 8+\n"
      "closed down n/a 64\n");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].limit, 1800);
  EXPECT_EQ(all[1].fewest, 12u);
  EXPECT_EQ(all[1].most, 16u);
  EXPECT_TRUE(all[1].is_default);
  EXPECT_EQ(all[2].limit, 7 * 86400 + 3601);
  EXPECT_FALSE(all[3].up);
  ASSERT_EQ(partitions_named(all, "").size(), 1u);
  EXPECT_EQ(partitions_named(all, "")[0].name, "all");
  EXPECT_EQ(partitions_named(all, "closed,short").size(), 1u) << "those that are up";
  EXPECT_TRUE(contains(refusal([&] { partitions_named(all, "short,none"); }), "'none', of which"));
  EXPECT_TRUE(contains(refusal([&] { partitions_named(all, "closed"); }), "takes no jobs now"));
}

TEST(Partitions, MustBeAbleToGiveWhatIsAskedFor) {
  const std::vector<Partition> all =
      read_partitions("short up 30:00 64\nall* up 1-00:00:00 16\nlarge up infinite 8+\n");
  const auto asked = [&](const std::string& names, std::uint32_t cores, double limit) {
    return refusal(
        [&] { require_possible(partitions_named(all, names), request_of(1, cores, limit)); });
  };
  EXPECT_EQ(asked("short", 64, 1800), "(accepted)");
  EXPECT_TRUE(
      contains(asked("short", 64, 1801), "--time: got 00:30:01, expected at most 00:30:00"));
  EXPECT_TRUE(contains(asked("", 17, 1800), "--cores: got 17, expected at most 16"));
  JobRequest lifted = request_of(1, 64, 1801);
  lifted.more = {"--qos=long"};
  EXPECT_EQ(refusal([&] { require_possible(partitions_named(all, "short"), lifted); }),
            "(accepted)");
  EXPECT_EQ(asked("large", 1000, 1e7), "(accepted)") << "some have more, nobody says how many";
  EXPECT_EQ(asked("short,all", 64, 1800), "(accepted)");
  EXPECT_TRUE(contains(asked("short,all", 64, 3600), "--cores")) << "no one of both has both";
  EXPECT_EQ(refusal([&] { require_possible({}, request_of(1, 1000, 1e9)); }), "(accepted)");
}

// A shard of two cores has 7200 s for half of two hours.
TEST(ChooseShards, EachTakesHalfOfTheLimitAtMost) {
  const JobRequest request = request_of(4, 2, 7200);
  EXPECT_EQ(shards_for(0, request), 4u);
  EXPECT_EQ(shards_for(4 * 7200, request), 4u);
  EXPECT_EQ(shards_for(4 * 7200 + 1, request), 8u);
  EXPECT_EQ(shards_for(9.5 * 7200, request), 12u);
  EXPECT_EQ(choose_shards({9.5 * 7200, 1, 0, 1000}, request), 12u) << "the larger stage decides";
}

TEST(ChooseShards, AMultipleOfTheNodesWhereItCanBe) {
  EXPECT_EQ(shards_for(999.5 * 7200, request_of(4, 2, 7200)), 1000u);
  EXPECT_EQ(shards_for(999.5 * 7200, request_of(7, 2, 7200)), 1000u);  // 1001 would be too many
  EXPECT_EQ(shards_for(1, request_of(1000, 2, 7200)), 1000u);
}

TEST(ChooseShards, NoneWithoutAReplication) {
  const auto shards = [](double seconds, std::uint64_t replications, std::uint32_t nodes) {
    return choose_shards({0, seconds, 0, replications}, request_of(nodes, 2, 7200));
  };
  EXPECT_EQ(shards(3, 160, 1000), 160u);
  EXPECT_EQ(shards(3, 160, 2), 2u);
  EXPECT_EQ(shards(3, 1, 2), 1u);
  EXPECT_EQ(shards(9.5 * 7200, 11, 4), 10u) << "12 are too many";
  EXPECT_EQ(shards(20 * 7200, 11, 4), 11u);
}

// Half of a limit of a minute, on one core: 31 shards of 29 s, or 60 of 15 s.
TEST(ChooseShards, NoShortOnesForEvennessAlone) {
  EXPECT_EQ(shards_for(31 * 29, request_of(30, 1, 60)), 30u);
  EXPECT_EQ(shards_for(31 * 30, request_of(30, 1, 60)), 31u);
}

TEST(ChooseShards, SaysWhatWouldDo) {
  const JobRequest request = request_of(4, 2, 7200);
  const std::string refused = refusal([&] { shards_for(2500.0 * 7200, request); });
  EXPECT_TRUE(
      contains(refused, "estimated work: got 5000.0 hours of one core, expected at most 1000"))
      << refused;
  EXPECT_TRUE(contains(refused, "--time 5h would do, or --cores 5")) << refused;
  EXPECT_LE(shards_for(2500.0 * 7200, request_of(4, 2, 5 * 3600)), kMostTasks);
  EXPECT_LE(shards_for(2500.0 * 7200, request_of(4, 5, 7200)), kMostTasks);
  EXPECT_TRUE(contains(refusal([&] {
                         choose_shards({0, 1, 8000, 1000}, request);
                       }),
                       "more than one replication takes"));
}

TEST(EstimateWork, CountsBothStagesOfASearch) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const std::vector<double> seconds(plan.cells.size(), 2);
  const WorkEstimate work = estimate_work(plan, seconds);
  EXPECT_EQ(work.study, 2 * 6 * 18);
  EXPECT_EQ(work.search, 0);
  EXPECT_EQ(work.longest_replication, 2);
  EXPECT_EQ(work.replications, 6u * 18);
  const StudyPlan searching = plan_of("search = {replications = 3}\n" + std::string(kSmallStudy));
  const WorkEstimate two = estimate_work(searching, seconds);
  EXPECT_EQ(two.search, 2 * 3 * 18);
  EXPECT_EQ(two.replications,
            std::max<std::uint64_t>(3 * 18, 6 * search_choices(searching).size()));
  EXPECT_EQ(two.study, 2.0 * 6 * static_cast<double>(search_choices(searching).size()));
}

// --- What is submitted ---------------------------------------------------------------------------

std::string steps_of(const JobChain& chain) {
  std::string text;
  for (const JobStep& step : chain.steps)
    text += (text.empty() ? "" : " ") + kind_name(step.kind) +
            (step.tasks.empty() ? "" : ":" + task_list(step.tasks));
  return text;
}

JobSituation fresh(std::uint32_t shards, bool searches) {
  JobSituation situation;
  situation.shards = shards;
  situation.searches = searches;
  situation.wanted.assign(shards, true);
  situation.nodes = 4;
  return situation;
}

TEST(PlanJobs, ShardsThenMerge) {
  EXPECT_EQ(steps_of(plan_jobs(fresh(4, false))), "shards:1-4 merge");
  EXPECT_EQ(steps_of(plan_jobs(fresh(4, true))), "search-shards:1-4 search-merge shards:1-4 merge");
}

TEST(PlanJobs, OnlyWhatNobodyTakesCareOf) {
  JobSituation situation = fresh(9, false);
  situation.record = {9, {{"10", JobKind::kShards}, {"11", JobKind::kMerge}}};
  situation.wanted = {false, false, true, true, false, false, true, false, true};
  situation.queue = {{"10", 4}, {"11", 0}, {"99", 3}};  // the last one is none of ours
  const JobChain chain = plan_jobs(situation);
  EXPECT_EQ(steps_of(chain), "shards:3,7,9 merge");
  EXPECT_EQ(chain.waits_for, std::vector<std::string>{"10"});
  EXPECT_EQ(chain.replaced, std::vector<std::string>{"11"});
  EXPECT_EQ(chain.living, std::vector<std::string>{"10"});
  EXPECT_EQ(chain.waiting, 1u);
  EXPECT_EQ(chain.at_work, 0u);
  EXPECT_EQ(chain.steps[0].at_a_time, 3u);
  EXPECT_FALSE(chain.shards_wait);
}

// With those of earlier submissions never more than there are nodes.
TEST(PlanJobs, WaitsWhereEarlierTasksHaveAllNodes) {
  JobSituation situation = fresh(6, false);
  situation.record = {6, {{"10", JobKind::kShards}, {"11", JobKind::kMerge}}};
  situation.queue = {{"10", 1}, {"10", 2}, {"10", 3}, {"10", 4}, {"11", 0}};
  situation.at_work = {true, true, false, false, false, false};
  const JobChain chain = plan_jobs(situation);
  EXPECT_EQ(steps_of(chain), "shards:5,6 merge");
  EXPECT_TRUE(chain.shards_wait);
  EXPECT_EQ(chain.steps[0].at_a_time, 4u);
  EXPECT_EQ(chain.waiting, 2u) << "who is at work waits no more";
  EXPECT_EQ(chain.at_work, 2u);
}

TEST(PlanJobs, NothingWhereAllIsInTheQueue) {
  JobSituation situation = fresh(2, false);
  situation.record = {2, {{"10", JobKind::kShards}, {"11", JobKind::kMerge}}};
  situation.queue = {{"10", 1}, {"10", 2}, {"11", 0}};
  EXPECT_EQ(steps_of(plan_jobs(situation)), "");
  situation.wanted = {false, false};
  situation.queue = {{"11", 0}};
  EXPECT_EQ(steps_of(plan_jobs(situation)), "");
  situation.queue = {};
  EXPECT_EQ(steps_of(plan_jobs(situation)), "merge") << "the merge itself came to nothing";
}

// The second stage's shards in the queue are nothing that the search could wait for.
TEST(PlanJobs, ASearchThatFailedTakesItsFollowersAlong) {
  JobSituation situation = fresh(3, true);
  situation.record = {3,
                      {{"1", JobKind::kSearchShards},
                       {"2", JobKind::kSearchMerge},
                       {"3", JobKind::kShards},
                       {"4", JobKind::kMerge}}};
  situation.wanted = {false, true, true};
  situation.queue = {{"1", 3}, {"2", 0}, {"3", 1}, {"3", 2}, {"3", 3}, {"4", 0}};
  const JobChain chain = plan_jobs(situation);
  EXPECT_EQ(steps_of(chain), "search-shards:2 search-merge shards:1-3 merge");
  EXPECT_EQ(chain.waits_for, std::vector<std::string>{"1"});
  EXPECT_EQ(chain.replaced, (std::vector<std::string>{"2", "3", "4"}));
}

TEST(JobRecord, ReadsBack) {
  const JobRecord record{8, {{"17", JobKind::kSearchShards}, {"18", JobKind::kMerge}}};
  const JobRecord back = read_job_record(write_job_record(record), "r.json");
  EXPECT_EQ(write_job_record(back), write_job_record(record));
  // Shards that were begun by hand may be more than submit would make.
  EXPECT_EQ(read_job_record(write_job_record({2000, {}}), "r.json").shards, 2000u);
  for (const char* bad : {"{", "{\"shards\":0,\"jobs\":[]}", "{\"shards\":2}",
                          "{\"shards\":2,\"jobs\":[{\"id\":\"-a\",\"kind\":\"merge\"}]}",
                          "{\"shards\":2,\"jobs\":[{\"id\":\"1\",\"kind\":\"x\"}]}"})
    EXPECT_TRUE(contains(refusal([&] { read_job_record(bad, "r.json"); }), "r.json")) << bad;
}

TEST(JobQueue, TellsTasksFromJobs) {
  const std::vector<QueuedTask> queue = read_queue("10 3\n11 N/A\n");
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue[0].job, "10");
  EXPECT_EQ(queue[0].task, 3u);
  EXPECT_EQ(queue[1].task, 0u);
}

// --- Scripts -------------------------------------------------------------------------------------

TEST(JobScript, IsReadable) {
  JobRequest request = request_of(4, 16, 7200);
  request.partition = "short";
  request.account = "causal";
  const JobPlaces places{"/opt/armature", "/data/run/job/study/study.toml", "/data/run",
                         "/data/run/job/logs"};
  EXPECT_EQ(job_script({JobKind::kShards, {1, 2, 3, 4, 5, 6, 7, 8}, 4}, 8, request, places,
                       "my study", {"The study."}),
            R"script(#!/bin/bash
# The study.
#SBATCH --job-name=armature-my-study-shards
#SBATCH --array=1-8%4
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=02:00:00
#SBATCH --partition=short
#SBATCH --account=causal
#SBATCH --output="/data/run/job/logs/shards-%A_%a.log"
#SBATCH --requeue
#SBATCH --open-mode=append

set -euo pipefail
# This task's shard. What is there of it already is kept: after a failure the same again
# goes on from there.
echo "shard $SLURM_ARRAY_TASK_ID of 8 on $(uname -n), $(date)"
exec /opt/armature run /data/run/job/study/study.toml \
  --shard "$SLURM_ARRAY_TASK_ID/8" --out /data/run \
  --threads "$SLURM_CPUS_PER_TASK" --yes --quiet
)script");
  const std::string merge =
      job_script({JobKind::kMerge}, 8, request_of(4, 16, 7200), places, "s", {});
  EXPECT_TRUE(contains(merge, "/opt/armature merge /data/run\n/opt/armature report /data/run\n"));
  EXPECT_TRUE(contains(merge, "#SBATCH --cpus-per-task=1\n"));
  EXPECT_FALSE(contains(merge, "array"));
  EXPECT_FALSE(
      contains(job_script({JobKind::kSearchMerge}, 8, request, places, "s", {}), "report"));
}

TEST(JobScript, TakesMoreOptions) {
  JobRequest request = request_of(4, 16, 7200);
  request.more = {"--mem=8G", "--mail-type=END,FAIL"};
  for (const JobKind kind : {JobKind::kShards, JobKind::kMerge})
    EXPECT_TRUE(contains(job_script({kind, {1}, 1}, 1, request, {"/a", "/s", "/d", "/l"}, "s", {}),
                         "\n#SBATCH --mem=8G\n#SBATCH --mail-type=END,FAIL\n"));
  for (const char* good : {"--mem=8G", "--mem 8G", "--exclusive", "--constraint=\"a&b\""})
    EXPECT_EQ(refusal([&] { require_sbatch_option(good); }), "(accepted)") << good;
  for (const char* bad : {"", "mem=8G", "-p x", "--", "---", "-- mem", "--mem=8G\nrm -r /",
                          "--mem=8G\r", "--array=1-9", "--time 3", "--output=x"})
    EXPECT_TRUE(contains(refusal([&] { require_sbatch_option(bad); }), "--sbatch: got ")) << bad;
}

TEST(JobScript, KeepsWhatPathsHoldFromShellAndSlurm) {
  const std::string odd = "/data/it's $HOME 100% `x`; a&b";
  EXPECT_EQ(run_shell("printf %s " + shell_word(odd), "/").out, odd);
  EXPECT_EQ(shell_word("plain/path-1.toml"), "plain/path-1.toml");
  EXPECT_EQ(shell_word(""), "''");
  const std::string script = job_script({JobKind::kMerge}, 2, request_of(1, 1, 60),
                                        {"/a b/armature", odd, odd, odd + "/logs"}, "s", {});
  EXPECT_TRUE(contains(script, "--output=\"/data/it's $HOME 100%% `x`; a&b/logs/merge-%j.log\"\n"))
      << script;
  for (const char* bad : {"/a\"b", "/a\\b", "/a\nb"})
    EXPECT_TRUE(contains(refusal([&] {
                           require_plain_paths({"/armature", "/s", bad, "/l"});
                         }),
                         "without double quotes, backslashes and line breaks"));
}

TEST(TaskList, IsAsShortAsItCanBe) {
  EXPECT_EQ(task_list({1, 2, 3, 4}), "1-4");
  EXPECT_EQ(task_list({3, 7, 9}), "3,7,9");
  EXPECT_EQ(task_list({1, 2, 5, 6, 7, 9}), "1,2,5-7,9");
}

// --- The copy ------------------------------------------------------------------------------------

constexpr const char* kWorld = R"({"format": "armature-instance", "version": 1, "actions": 2,
  "contexts": 1, "marginals": [[1], [1]], "rewards": {"given_action_and_context": [[0.5], [0.2]]}})";

constexpr const char* kTables = R"({"format": "armature-tables", "version": 1, "nodes": {
  "dose": {"states": ["low", "high"], "rows": [0.5, 0.5]},
  "level": {"states": ["low", "high"], "parents": ["dose"],
            "rows": {"low": [0.8, 0.2], "high": [0.3, 0.7]}},
  "mood": {"states": ["bad", "good"], "parents": ["level"],
           "rows": {"low": [0.7, 0.3], "high": [0.4, 0.6]}}}})";

// Read from where it stands it is the same study with the same files, wherever its paths lead.
TEST(StudyCopy, KeepsWhatInstancesName) {
  const TemporaryDirectory directory;
  make_directory(directory.file("studies/deep/odd"));
  write_file(directory.file("studies/near.json"), kWorld);
  write_file(directory.file("studies/deep/far.json"), kWorld);
  write_file(directory.file("up.json"), kWorld);
  write_file(directory.file("absolute.json"), kWorld);
  write_file(directory.file("mood.dag"), "dag { dose -> level level -> mood }");
  write_file(directory.file("mood.tables.json"), kTables);
  write_file(directory.file("studies/study.toml"),
             "horizons = 50\nreplications = 2\npolicies = [\"ucb\"]\n"
             "instances = [\"near.json\", \"deep/odd/../far.json\", \"../up.json\", "
             "\"graph:file=../mood.dag,action=dose,context=level,reward=mood=good\", \"" +
                 directory.file("absolute.json") + "\"]\n");
  const Study study = plan_study(read_study_file(directory.file("studies/study.toml"))).study;
  const StudyCopy copy = copy_study(study);
  EXPECT_EQ(copy.study, "level-1/study.toml");

  const TemporaryDirectory elsewhere;
  for (const auto& [path, content] : copy.files) {
    make_directory(std::filesystem::path(elsewhere.file(path)).parent_path().string());
    write_file(elsewhere.file(path), content);
  }
  std::filesystem::remove_all(directory.file("studies"));
  for (const char* file : {"up.json", "mood.dag", "mood.tables.json"})
    std::filesystem::remove(directory.file(file));
  const Study back = plan_study(read_study_file(elsewhere.file(copy.study))).study;
  EXPECT_EQ(write_study(back), write_study(study));
  EXPECT_EQ(back.files, study.files);
}

}  // namespace
}  // namespace armature::test
