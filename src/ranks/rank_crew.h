// Rank 0's side of a run on many ranks: hands out blocks, longest first, takes results as they
// come, computes too on the cores it was given. It alone knows the directory, the store and the
// terminal.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "ranks/hands.h"
#include "ranks/transport.h"

namespace armature::ranks {

struct CrewOptions {
  unsigned threads = 0;    // per rank; 0: the cores that each was given
  std::string shard = {};  // --shard of this rank (Hello::shard)
  /// Who has not been heard of for so long is taken for dead.
  std::chrono::milliseconds silence = std::chrono::minutes(5);
  /// Set from outside when the job is told to end (SIGTERM): see RankCrew::compute.
  const std::atomic<bool>* told_to_end = nullptr;
  /// Set from outside when something has happened (SIGCONT): all ranks are called, and who does not
  /// answer is told to `notice`, in words. Open MPI's mpirun gives this sign, and a second to live,
  /// when a rank has died.
  std::atomic<bool>* call_the_roll = nullptr;
  std::function<void(const std::string&)> notice = {};
  /// How long answers and farewells are waited for: launchers kill for good a second after they
  /// have asked.
  std::chrono::milliseconds patience{300};
  /// How rank 0 itself computes a block of a cell; benchmarks pretend.
  std::function<BlockResult(const Cell&, ReplicationRange, const std::atomic<bool>&)> compute =
      run_block;
};

/// A rank has died, or the job was told to end. What was stored is there; all ranks are ending. The
/// message is empty where everything was said already (CrewOptions::notice).
class JobEnded : public std::exception {
 public:
  JobEnded(std::string message, bool told) : message_(std::move(message)), told_(told) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// From outside, and nobody had died.
  bool told() const { return told_; }

 private:
  std::string message_;
  bool told_;
};

class RankCrew final : public Crew {
 public:
  /// Waits for the first word of every rank. Throws Error if one is of another build, or was
  /// given another --shard.
  RankCrew(Transport& transport, CrewOptions options);
  /// Sends all ranks home, if dismiss() has not.
  ~RankCrew() override;
  /// Sends all ranks home and takes their last words, so that nothing is under way when the job
  /// closes. False if some do not come.
  bool dismiss();

  unsigned hands() const override;
  void announce(const std::string& stage) override;
  /// Throws JobEnded, naming rank and block, if a rank has died: seen by its silence, or, where
  /// whatever started the job ends all others when one dies, by who does not say farewell.
  void compute(const std::vector<Cell>& cells, const std::vector<BlockTask>& tasks,
               const std::atomic<bool>& stop, const BlocksFinished& finished) override;

  /// "4 ranks on 2 hosts, 8 threads"
  std::string describe() const;

 private:
  class Handout;
  using Clock = std::chrono::steady_clock;
  struct Rank {
    Hello hello;
    unsigned threads = 1;
    std::vector<std::uint32_t> blocks = {};  // that it has not handed back
    Clock::time_point heard;
    bool answered = true;  // since the roll was last called
    bool farewell = false;
    bool gone = false;
  };

  void hear_hellos();
  /// Of those that have not said farewell.
  std::vector<int> unheard_since(Clock::time_point time) const;
  std::vector<int> without_an_answer() const;
  void call();
  void share_cores();
  void send(int rank, const Message& message);
  void send_to_all(const Message& message);
  /// The next message, with who sent it.
  std::optional<std::pair<int, Message>> receive();
  void stay_alive();
  std::string name_of(int rank) const;
  [[noreturn]] void end_for_the_dead(const std::vector<int>& dead, const Handout& handout);
  void look_for_the_dead(const Handout& handout);
  void call_the_roll();
  /// `listened`: all that had come by then has been read.
  void judge_the_roll(const Handout& handout, Clock::time_point listened);
  std::string work_of(int rank, const Handout& handout) const;
  [[noreturn]] void end_as_told(Handout& handout, const BlocksFinished& finished);

  Transport& transport_;
  CrewOptions options_;
  std::vector<Rank> ranks_;  // by number
  Clock::time_point spoken_, looked_;
  std::optional<Clock::time_point> called_;  // until all have had time to answer
  std::optional<Clock::time_point> all_answered_;
  bool told_of_the_dead_ = false;  // and they have not answered since
  bool dismissed_ = false;
  std::uint32_t stage_ = 0;
};

/// How many threads each rank should have: a core that several ranks of a host may use is divided
/// between them; each has at least one.
std::vector<unsigned> threads_by_rank(const std::vector<Hello>& ranks);

}  // namespace armature::ranks
