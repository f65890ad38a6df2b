#include "ranks/rank_crew.h"

// The main thread of rank 0 does all talking and all handing over, and never computes: a rank that
// asks for more is answered within a poll, whatever is being computed here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "base/text.h"
#include "ranks/worker.h"

namespace armature::ranks {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestPoll = 50us;
constexpr auto kLongestPoll =
    3200us;  // short beside blocks; short blocks have others waiting behind them
constexpr auto kHeartbeat = 5s;
constexpr auto kLastWords = 60s;  // of ranks whose blocks must first look whether they are stopped
constexpr auto kSuspended = 1s;
constexpr auto kAnsweredLately = 5s;
// Work that every thread has waiting for it: as much as storing what has come may take. Blocks that
// are longer are handed out one by one, or some thread would be left with two at the end.
constexpr double kAheadSeconds = 0.1;
constexpr double kMostAhead = 1000;

}  // namespace

// Which blocks are with whom.
class RankCrew::Handout {
 public:
  Handout(const std::vector<Cell>& cells, const std::vector<BlockTask>& tasks, unsigned hands)
      : cells_(cells), tasks_(tasks), hands_(hands) {}

  bool anything_left() const { return next_ < tasks_.size(); }
  bool anything_out() const { return out_ > 0; }

  /// More blocks for a rank, or none as long as it has enough.
  std::vector<Order> more_for(Rank& rank) {
    const double left = static_cast<double>(tasks_.size() - next_);
    // Towards the end less and less, so that all end at about the same time.
    const double ahead =
        std::floor(std::min({rank.threads * kAheadSeconds / std::max(block_seconds_, 1e-9),
                             rank.threads * kMostAhead, rank.threads * left / (2.0 * hands_)}));
    const auto wanted = rank.threads + static_cast<std::size_t>(block_seconds_ > 0 ? ahead : 0);
    std::vector<Order> orders;
    // Many short blocks at once and not one by one, but never later than when a thread is free.
    if (rank.blocks.size() >=
        std::max<std::size_t>(rank.threads, wanted - (wanted - rank.threads) / 2))
      return orders;
    while (rank.blocks.size() < wanted && anything_left()) {
      const auto number = static_cast<std::uint32_t>(next_++);
      const BlockTask& task = tasks_[number];
      orders.push_back({number, static_cast<std::uint32_t>(task.cell), task.range});
      rank.blocks.push_back(number);
      ++out_;
    }
    return orders;
  }
  void give_up_the_rest() { next_ = tasks_.size(); }

  FinishedBlock came_back(Rank& rank, Computed block) {
    take_back(rank, block.number);
    // What was measured lately: later blocks are shorter than the first.
    block_seconds_ = block_seconds_ == 0 ? block.result.seconds
                                         : 0.9 * block_seconds_ + 0.1 * block.result.seconds;
    block_seconds_ = std::max(block_seconds_, 1e-6);
    return {tasks_[block.number], std::move(block.result)};
  }
  void take_back(Rank& rank, std::uint32_t number) {
    const auto found = std::find(rank.blocks.begin(), rank.blocks.end(), number);
    if (found == rank.blocks.end())
      throw Error({"", "message between ranks", fmt::format("block {}", number),
                   "one that was handed out to that rank"});
    rank.blocks.erase(found);
    --out_;
  }
  void take_back_all(Rank& rank) {
    out_ -= rank.blocks.size();
    rank.blocks.clear();
  }

  std::string describe(std::uint32_t number) const {
    const BlockTask& task = tasks_[number];
    const Cell& cell = cells_[task.cell];
    return fmt::format("cell {} ({}, T = {}), replications {} to {}", task.cell, cell.policy,
                       cell.horizon, task.range.first, task.range.first + task.range.count - 1);
  }

 private:
  const std::vector<Cell>& cells_;
  const std::vector<BlockTask>& tasks_;
  unsigned hands_;
  std::size_t next_ = 0;
  std::size_t out_ = 0;
  double block_seconds_ = 0;  // 0: not known yet
};

std::vector<unsigned> threads_by_rank(const std::vector<Hello>& ranks) {
  std::map<std::string, std::vector<std::size_t>> hosts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) hosts[ranks[rank].host].push_back(rank);
  std::vector<unsigned> threads(ranks.size(), 1);
  for (const auto& [host, here] : hosts) {
    std::map<int, double> users;  // of each core
    for (const std::size_t rank : here)
      for (const int core : ranks[rank].cores) users[core] += 1;
    double shared = 0;
    for (const std::size_t rank : here) {
      double share = 0;
      for (const int core : ranks[rank].cores) share += 1 / users[core];
      // A quota below the cores is that of the whole container.
      if (ranks[rank].quota < ranks[rank].cores.size())
        share = std::min(share,
                         static_cast<double>(ranks[rank].quota) / static_cast<double>(here.size()));
      // Rounded so that together they have all: 8 cores make 3, 3 and 2 threads for three ranks.
      const double before = std::floor(shared + 1e-6);
      shared += share;
      threads[rank] = static_cast<unsigned>(std::max(1.0, std::floor(shared + 1e-6) - before));
    }
  }
  return threads;
}

RankCrew::RankCrew(Transport& transport, CrewOptions options)
    : transport_(transport), options_(std::move(options)), spoken_(Clock::now()) {
  ranks_.resize(static_cast<std::size_t>(transport.size()));
  hear_hellos();
  share_cores();
}

bool RankCrew::dismiss() {
  dismissed_ = true;
  send_to_all(End{});
  // A rank's messages come in their order: whoever has said its last word has nothing under way.
  const auto end = Clock::now() + kLastWords;
  const auto all_gone = [&] {
    return std::all_of(ranks_.begin() + 1, ranks_.end(),
                       [](const Rank& rank) { return rank.gone; });
  };
  while (!all_gone() && Clock::now() < end)
    if (!receive()) std::this_thread::sleep_for(kLongestPoll);
  return all_gone();
}

RankCrew::~RankCrew() {
  if (dismissed_) return;
  try {
    send_to_all(End{});
  } catch (const std::exception&) {  // a line that is gone: whoever is there notices by himself
  }
}

unsigned RankCrew::hands() const {
  unsigned hands = 0;
  for (const Rank& rank : ranks_) hands += rank.threads;
  return hands;
}

std::string RankCrew::describe() const {
  std::set<std::string> hosts;
  for (const Rank& rank : ranks_) hosts.insert(rank.hello.host);
  return fmt::format("{} on {}, {}", counted(ranks_.size(), "rank"), counted(hosts.size(), "host"),
                     counted(hands(), "thread"));
}

void RankCrew::hear_hellos() {
  ranks_[0].hello = hello_of_this_process();
  const auto begin = Clock::now();
  std::size_t heard = 1;
  while (heard < ranks_.size()) {
    if (auto received = receive()) {
      if (auto* hello = std::get_if<Hello>(&received->second)) {
        ranks_[static_cast<std::size_t>(received->first)].hello = std::move(*hello);
        ++heard;
      }
      continue;
    }
    if (Clock::now() - begin > options_.silence)
      throw Error({"", "ranks", fmt::format("the first word of {} of {}", heard, ranks_.size()),
                   "all; does every host have the same armature?"});
    std::this_thread::sleep_for(kLongestPoll);
  }
  for (int rank = 1; rank < transport_.size(); ++rank) {
    const Hello& hello = ranks_[static_cast<std::size_t>(rank)].hello;
    if (hello.build != ranks_[0].hello.build)
      throw Error({name_of(rank), "build of armature", hello.build,
                   fmt::format("{}, as rank 0 on {}: one build for all", ranks_[0].hello.build,
                               ranks_[0].hello.host)});
    // Tasks that were to compute a shard each, and a launcher that makes one job of them.
    const auto words = [](const std::string& shard) { return shard.empty() ? "none" : shard; };
    if (hello.shard != options_.shard)
      throw Error({name_of(rank), "--shard", words(hello.shard),
                   words(options_.shard) + ", as rank 0; srun --mpi=none for a shard per task"});
  }
}

void RankCrew::share_cores() {
  std::vector<Hello> hellos;
  for (const Rank& rank : ranks_) hellos.push_back(rank.hello);
  const std::vector<unsigned> threads = threads_by_rank(hellos);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    ranks_[rank].threads = options_.threads > 0 ? options_.threads : threads[rank];
}

void RankCrew::send(int rank, const Message& message) {
  transport_.send(rank, write_message(message));
}

void RankCrew::send_to_all(const Message& message) {
  for (int rank = 1; rank < transport_.size(); ++rank) send(rank, message);
  spoken_ = Clock::now();
}

std::optional<std::pair<int, Message>> RankCrew::receive() {
  const auto received = transport_.receive();
  if (!received) return std::nullopt;
  Rank& rank = ranks_[static_cast<std::size_t>(received->from)];
  rank.heard = Clock::now();
  rank.answered = true;
  Message message;
  try {
    message = read_message(received->message);
  } catch (const Error& error) {
    throw Error({fmt::format("rank {}", received->from), error.report().field, error.report().value,
                 error.report().expected});
  }
  if (std::holds_alternative<Farewell>(message)) rank.farewell = true;
  if (std::holds_alternative<Gone>(message)) rank.gone = true;
  return std::pair{received->from, std::move(message)};
}

void RankCrew::announce(const std::string& stage) {
  ++stage_;
  for (int rank = 1; rank < transport_.size(); ++rank)
    send(rank, Stage{stage_, stage, ranks_[static_cast<std::size_t>(rank)].threads});
}

void RankCrew::stay_alive() {
  if (Clock::now() - spoken_ > kHeartbeat) send_to_all(Alive{});
}

std::string RankCrew::name_of(int rank) const {
  const Hello& hello = ranks_[static_cast<std::size_t>(rank)].hello;
  return fmt::format("rank {} on {} (process {})", rank, hello.host, hello.process);
}

std::string RankCrew::work_of(int rank, const Handout& handout) const {
  const std::vector<std::uint32_t>& blocks = ranks_[static_cast<std::size_t>(rank)].blocks;
  if (blocks.empty()) return "";
  std::string words = "; it was computing " + handout.describe(blocks.front());
  if (blocks.size() > 1) words += fmt::format(" and {} more", counted(blocks.size() - 1, "block"));
  return words;
}

void RankCrew::end_for_the_dead(const std::vector<int>& dead, const Handout& handout) {
  std::vector<std::string> words;
  for (const int rank : dead) words.push_back(name_of(rank) + " has died" + work_of(rank, handout));
  throw JobEnded(join(words, "; "), /*told=*/false);
}

std::vector<int> RankCrew::unheard_since(Clock::time_point time) const {
  std::vector<int> unheard;
  for (int rank = 1; rank < transport_.size(); ++rank) {
    const Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (!one.farewell && one.heard < time) unheard.push_back(rank);
  }
  return unheard;
}

std::vector<int> RankCrew::without_an_answer() const {
  std::vector<int> silent;
  for (int rank = 1; rank < transport_.size(); ++rank) {
    const Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (!one.farewell && !one.answered) silent.push_back(rank);
  }
  return silent;
}

void RankCrew::call() {
  for (Rank& rank : ranks_) rank.answered = false;
  send_to_all(Call{});
}

void RankCrew::call_the_roll() {
  if (!options_.call_the_roll || !options_.call_the_roll->exchange(false)) return;
  called_ = Clock::now();
  call();
}

void RankCrew::judge_the_roll(const Handout& handout, Clock::time_point listened) {
  const auto tell = [&](const std::string& words) {
    if (options_.notice) options_.notice(words);
  };
  if (!called_ && !told_of_the_dead_) return;
  const std::vector<int> silent = without_an_answer();
  if (silent.empty()) {
    all_answered_ = Clock::now();
    called_.reset();
    if (std::exchange(told_of_the_dead_, false)) tell("all ranks have answered after all");
  }
  if (!called_ || listened - *called_ < options_.patience) return;
  // Only said: on a slow line an answer may come late, and then all goes on.
  for (const int rank : silent) {
    tell(name_of(rank) + " does not answer" + work_of(rank, handout) +
         "; should the job end by this, nothing stored is lost, and the same command goes on from "
         "here");
    told_of_the_dead_ = true;
  }
  called_.reset();
}

void RankCrew::look_for_the_dead(const Handout& handout) {
  // Time in which this process did not run itself (a job that was suspended) is nobody's silence.
  const auto now = Clock::now();
  if (now - looked_ > kSuspended)
    for (Rank& rank : ranks_) rank.heard = std::min(rank.heard + (now - looked_), now);
  looked_ = now;
  const std::vector<int> dead = unheard_since(now - options_.silence);
  if (!dead.empty()) end_for_the_dead(dead, handout);
}

void RankCrew::compute(const std::vector<Cell>& cells, const std::vector<BlockTask>& tasks,
                       const std::atomic<bool>& stop, const BlocksFinished& finished) {
  Handout handout(cells, tasks, hands());
  Hands own(ranks_[0].threads, [&](const Order& order, const std::atomic<bool>& own_stop) {
    return options_.compute(cells[order.cell], order.range, own_stop);
  });
  looked_ = Clock::now();
  for (Rank& rank : ranks_) {
    rank.blocks.clear();
    rank.heard = looked_;
  }
  std::vector<FinishedBlock> came;
  std::exception_ptr failure;
  const auto fail = [&](std::exception_ptr why) {
    if (!failure) failure = std::move(why);
    handout.give_up_the_rest();
  };
  const auto take = [&](int number, Message message) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    if (auto* results = std::get_if<Results>(&message); results && results->stage == stage_)
      for (Computed& block : results->blocks)
        came.push_back(handout.came_back(rank, std::move(block)));
    if (auto* failed = std::get_if<Failed>(&message); failed && failed->stage == stage_) {
      if (failed->number)
        handout.take_back(rank, *failed->number);
      else  // it never began: there will be no word of any block
        handout.take_back_all(rank);
      ErrorReport report = failed->report;
      report.file = report.file.empty() ? name_of(number) : name_of(number) + ": " + report.file;
      fail(std::make_exception_ptr(Error(report)));
    }
  };
  bool stopping = false;
  auto poll = kShortestPoll;
  for (;;) {
    bool moved = false;
    // What had come by now is read before anybody is missed, however long storing takes.
    const auto listened = Clock::now();
    while (auto received = receive()) {
      moved = true;
      take(received->first, std::move(received->second));
    }
    // Now, when nothing is unread: whatever comes is taken for an answer, from whoever lived.
    call_the_roll();
    Hands::Done done = own.take();
    moved = moved || !done.nothing();
    for (Computed& block : done.blocks)
      came.push_back(handout.came_back(ranks_[0], std::move(block)));
    for (const Hands::Failure& failed : done.failures) {
      handout.take_back(ranks_[0], failed.order.number);
      fail(failed.why);
    }
    if (stop && !stopping) {
      stopping = true;
      handout.give_up_the_rest();
      own.stop();
      send_to_all(Stop{});
    }
    // First what keeps others busy, then what keeps results.
    for (int rank = 0; rank < transport_.size(); ++rank)
      if (auto orders = handout.more_for(ranks_[static_cast<std::size_t>(rank)]); !orders.empty()) {
        if (rank == 0)
          own.give(orders);
        else
          send(rank, Blocks{stage_, std::move(orders)});
      }
    if (!came.empty()) finished(std::exchange(came, {}));
    if (!handout.anything_left() && !handout.anything_out()) break;
    stay_alive();
    judge_the_roll(handout, listened);
    const bool somebody_left =
        std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.farewell; });
    if (somebody_left || (options_.told_to_end && *options_.told_to_end))
      end_as_told(handout, finished);
    look_for_the_dead(handout);
    if (moved) {
      poll = kShortestPoll;
      continue;
    }
    own.wait(poll);
    poll = std::min(2 * poll, kLongestPoll);
  }
  send_to_all(Pause{});
  if (failure) std::rethrow_exception(failure);
}

void RankCrew::end_as_told(Handout& handout, const BlocksFinished& finished) {
  std::vector<FinishedBlock> came;
  const auto begin = Clock::now();
  // There may be no time for another call: the one of a moment ago will do.
  const bool just_answered =
      told_of_the_dead_ || (all_answered_ && begin - *all_answered_ < kAnsweredLately);
  const auto silent = [&] { return just_answered ? std::vector<int>() : without_an_answer(); };
  const auto hear = [&] {
    auto received = receive();
    if (!received) return false;
    if (auto* results = std::get_if<Results>(&received->second);
        results && results->stage == stage_)
      for (Computed& block : results->blocks)
        came.push_back(
            handout.came_back(ranks_[static_cast<std::size_t>(received->first)], std::move(block)));
    return true;
  };
  // What was said before the call is no answer to it.
  while (hear()) {
  }
  if (!just_answered) call();
  while (!silent().empty()) {
    const auto listened = Clock::now();
    if (hear()) continue;
    if (listened - begin >= options_.patience) break;
    std::this_thread::sleep_for(kShortestPoll);
  }
  if (!came.empty()) finished(std::move(came));
  if (told_of_the_dead_) throw JobEnded("", /*told=*/false);
  if (const std::vector<int> dead = silent(); !dead.empty()) end_for_the_dead(dead, handout);
  if (options_.told_to_end && *options_.told_to_end) throw JobEnded("told to end", /*told=*/true);
  for (int rank = 1; rank < transport_.size(); ++rank)
    if (ranks_[static_cast<std::size_t>(rank)].farewell)
      throw JobEnded(name_of(rank) + " was told to end", /*told=*/true);
  throw JobEnded("told to end", /*told=*/true);
}

}  // namespace armature::ranks
