#include "cli/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "armature/error.h"
#include "base/machine.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "ranks/launch.h"
#include "ranks/worker.h"

namespace armature::cli {
namespace {

constexpr int kDied = 1;
constexpr int kBadInput = 2;
constexpr int kTerminated = 128 + SIGTERM;

std::atomic<bool> told_to_end{false}, something_happened{false};

// How launchers end all ranks when one has died: there is a moment to say which. A second SIGTERM
// ends at once. Open MPI gives a sign a second before (CrewOptions::call_the_roll).
void listen_for_the_end() {
  struct sigaction action = {};
  action.sa_handler = [](int) { something_happened.store(true); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
  action.sa_handler = [](int) { told_to_end.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGTERM, &action, nullptr);
}

// Where nobody looks at the flags.
void listen_no_more() {
  std::signal(SIGCONT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void complain_of_loss(const std::string& what) {
  complain(what + "; nothing stored is lost, and the same command goes on from here");
}

// What is wrong with all ranks one of them says: its end is the end of the others, before they have
// waited so long. Where it is wrong with some alone, they say it.
constexpr std::chrono::seconds kOthersTurn{3};

std::unique_ptr<ranks::Transport> ranks_of_this_job(bool tasks_apart) {
  const ranks::Launch launch = ranks::launch_of_this_process();
  if (tasks_apart && launch.kind == ranks::Launch::Kind::kSlurmTasks) return nullptr;
  try {
    return ranks::ranks_of_this_job();
  } catch (const Error& error) {
    if (launch.rank == 0) throw;
    if (launch.kind == ranks::Launch::Kind::kSlurmTasks) throw ExitStatus{2};
    std::this_thread::sleep_for(kOthersTurn);
    throw error.in_file(fmt::format("rank {} on {}", launch.rank, host_name()));
  }
}

[[noreturn]] void compute_for_rank_zero(ranks::Transport& transport, const std::string& shard) {
  ranks::WorkerOptions options;
  options.told_to_end = &told_to_end;
  ranks::Hello hello = ranks::hello_of_this_process();
  hello.shard = shard;
  switch (ranks::work_for_rank_zero(transport, hello, options)) {
    case ranks::WorkerEnd::kSentHome:
      transport.close();
      throw ExitStatus{0};
    case ranks::WorkerEnd::kToldToEnd:
      // Not by the ordinary way out, where MPI would wait for ranks that are no more.
      std::_Exit(kTerminated);
    case ranks::WorkerEnd::kRankZeroSilent:
      complain(
          fmt::format("rank {}: rank 0 has not been heard of for a long time", transport.rank()));
      transport.abort(kDied);
      std::_Exit(kDied);
  }
  std::_Exit(kDied);
}

}  // namespace

Job::Job(const std::string& shard)
    : shard_(shard), transport_(ranks_of_this_job(!shard.empty() && shard != "slurm")) {
  if (!transport_ || transport_->rank() == 0) return;
  listen_for_the_end();
  compute_for_rank_zero(*transport_, shard_);
}

void Job::gather(unsigned threads, bool quiet) {
  if (!transport_) return;
  ranks::CrewOptions options;
  options.threads = threads;
  options.shard = shard_;
  options.told_to_end = &told_to_end;
  options.call_the_roll = &something_happened;
  options.notice = complain;
  try {
    crew_ = std::make_unique<ranks::RankCrew>(*transport_, options);
  } catch (const Error& error) {
    // Whoever is of another build may not understand a farewell either.
    complain(error.what());
    std::fflush(nullptr);
    transport_->abort(kBadInput);
    std::_Exit(kBadInput);
  }
  if (!quiet) fmt::print(stderr, "{}\n", crew_->describe());
}

void Job::listen() {
  if (transport_) listen_for_the_end();
}

Job::~Job() {
  try {
    end();
  } catch (const std::exception& error) {  // the lines between ranks are gone
    complain_of_loss(error.what());
    transport_->abort(kDied);
  }
}

void Job::end() {
  if (!transport_) return;
  listen_no_more();
  // Without a crew nobody has been heard of yet: this rank has failed before it began, and said
  // why.
  if (!crew_ || !crew_->dismiss()) {
    if (crew_) complain_of_loss("some ranks do not end, and the job is ended for them");
    std::fflush(nullptr);
    transport_->abort(kBadInput);
    std::_Exit(kBadInput);
  }
  crew_.reset();
  transport_->close();
  transport_.reset();
}

void Job::complain_before_the_end(const Error& error) {
  if (!transport_) throw;
  complain(error.what());
  throw ExitStatus{kBadInput};
}

void Job::lines_failed(const std::exception& error) {
  if (!transport_) throw;
  complain_of_loss(error.what());
  std::fflush(nullptr);
  transport_->abort(kDied);
  std::_Exit(kDied);
}

void Job::ended(const ranks::JobEnded& how) {
  if (*how.what() != '\0') complain_of_loss(how.what());
  std::fflush(nullptr);
  const int status = how.told() ? kTerminated : kDied;
  // Where this rank was told itself, all others were.
  if (!told_to_end) transport_->abort(status);
  std::_Exit(status);
}

}  // namespace armature::cli
