#include "cli/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "armature/error.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "ranks/launch.h"
#include "ranks/worker.h"

namespace armature::cli {
namespace {

constexpr int kDied = 1;
constexpr int kTerminated = 128 + SIGTERM;

std::atomic<bool> told_to_end{false}, something_happened{false};

// How launchers end all ranks when one has died: there is a moment to say which. A second SIGTERM
// ends at once.
void listen_for_the_end() {
  struct sigaction action = {};
  action.sa_handler = [](int) { something_happened.store(true); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
  action.sa_handler = [](int) { told_to_end.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGTERM, &action, nullptr);
}

void complain_of_loss(const std::string& what) {
  complain(what + "; nothing stored is lost, and the same command goes on from here");
}

std::unique_ptr<ranks::Transport> ranks_or_silence() {
  try {
    return ranks::ranks_of_this_job();
  } catch (const Error&) {
    // What is wrong with all of them one of them says.
    if (ranks::launch_of_this_process().rank > 0) throw ExitStatus{2};
    throw;
  }
}

[[noreturn]] void compute_for_rank_zero(ranks::Transport& transport) {
  ranks::WorkerOptions options;
  options.told_to_end = &told_to_end;
  switch (ranks::work_for_rank_zero(transport, ranks::hello_of_this_process(), options)) {
    case ranks::WorkerEnd::kSentHome:
      transport.close();
      throw ExitStatus{0};
    case ranks::WorkerEnd::kToldToEnd:
      // Not by the ordinary way out, where MPI would wait for ranks that are no more.
      std::_Exit(kTerminated);
    case ranks::WorkerEnd::kRankZeroSilent:
      complain(
          fmt::format("rank {}: rank 0 has not been heard of for a long time", transport.rank()));
      transport.abort();
      std::_Exit(kDied);
  }
  std::_Exit(kDied);
}

}  // namespace

Job::Job(unsigned threads, bool quiet) : transport_(ranks_or_silence()) {
  if (!transport_) return;
  listen_for_the_end();
  if (transport_->rank() > 0) compute_for_rank_zero(*transport_);
  ranks::CrewOptions options;
  options.threads = threads;
  options.told_to_end = &told_to_end;
  options.call_the_roll = &something_happened;
  options.notice = complain_of_loss;
  try {
    crew_ = std::make_unique<ranks::RankCrew>(*transport_, options);
  } catch (const Error&) {
    transport_->close();
    throw;
  }
  // mpirun hands every rank a terminal of its own, wherever its output goes: nobody can tell.
  setenv("NO_COLOR", "1", /*overwrite=*/0);
  if (!quiet) fmt::print(stderr, "{}\n", crew_->describe());
}

Job::~Job() { end(); }

void Job::end() {
  if (!crew_) return;
  crew_.reset();
  transport_->close();
}

void Job::ended(const ranks::JobEnded& how) {
  complain_of_loss(how.what());
  std::fflush(nullptr);
  if (!how.told()) transport_->abort();
  std::_Exit(how.told() ? kTerminated : kDied);
}

}  // namespace armature::cli
