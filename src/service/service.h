// The decision service without its network: experiments in one store, one thread that writes, and
// whoever asks. HTTP, the command line and tests talk to this.
//   Service service(open_sqlite_log("DIR"), {});
//   service.submit(Decide{"mail", "visitor-8812", ""}, [](Answer answer) { … });
// Nothing is answered before it is stored: when a reply comes, no crash takes it back.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "service/log.h"
#include "service/options.h"
#include "service/requests.h"
#include "service/summary.h"

namespace armature::service {

/// Numbers of the service as a whole, for metrics and health.
struct Health {
  bool ready = false;        // recovered, able to write, and with room for more
  std::string trouble;       // why not
  std::uint64_t events = 0;  // stored since the start
  std::uint64_t commits = 0;
  std::uint64_t refusals = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t replay_mismatches = 0;
  std::uint64_t queued = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t store_bytes = 0;  // of the log on disk, write-ahead part included
  std::uint64_t ahead_bytes = 0;  // of them in the write-ahead log: a reader that stays keeps it
  std::uint64_t free_bytes = 0;
  /// Commits by how many events they held and how long they took: upper ends are 2^i events and
  /// 2^i · 100 µs.
  std::array<std::uint64_t, 16> batch_sizes{};
  std::array<std::uint64_t, 16> commit_times{};
  double commit_seconds = 0;  // added up
  std::vector<std::string> quarantined;
  std::string durability;  // what a commit means, in the store's words
  // Of several nodes on one store:
  std::uint64_t owned = 0;   // experiments, here
  std::uint64_t taken = 0;   // since the start
  std::uint64_t fenced = 0;  // batches of which another node had taken a part
};

class Service {
 public:
  /// Called exactly once per request: after the commit, on the writer's thread (do little there,
  /// and never wait), or at once on the caller's if the queue is full or the service is stopping.
  using Reply = std::function<void(Answer)>;
  using Replies = std::function<void(std::vector<Answer>)>;

  /// Recovers every experiment, checking each decision of the tail against the log, and begins to
  /// write. Throws Error if the store cannot be read.
  Service(std::unique_ptr<Log> log, Options options);
  ~Service();  // stop()
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // --- Asking. Any thread. ---
  void submit(Request request, Reply reply);
  /// All or none of them are queued; answers in the order of requests. Between them others may
  /// come, and they may be stored in more than one commit: each answer stands for itself.
  void submit_all(std::vector<Request> requests, Replies replies);
  /// Waits. Never on the writer's thread.
  Answer ask(Request request);

  // --- Looking. Any thread, without waiting for the writer. ---
  std::shared_ptr<const Summary> summary(const std::string& experiment) const;  // null: none
  std::vector<std::shared_ptr<const Summary>> summaries() const;                // by name
  std::shared_ptr<const std::vector<Token>> tokens() const;
  Health health() const;
  /// Calls back, on the writer's thread, after new summaries were published. For event streams.
  void on_publish(std::function<void()> wake);

  /// Committed events from `from` on, at most so many: a page of the log. Reads by a connection of
  /// its own. Throws Refusal (kNoExperiment).
  std::vector<Event> events(const std::string& experiment, Sequence from, std::size_t most) const;
  std::vector<std::shared_ptr<const Epoch>> epochs(const std::string& experiment) const;
  /// The probability of the action of a decision, where none was logged: by replay up to it and so
  /// many trials. Takes as long as the replay does. Throws Refusal: kBusy while another is found,
  /// kStopping when the service stops meanwhile.
  struct Propensity {
    double probability = 0;
    double error = 0;  // its standard error is at most this
  };
  Propensity propensity(const std::string& experiment, const std::string& decision,
                        std::uint64_t draws) const;
  /// For exports (transfer.h): a connection of its own, which sees what is committed. Throws Error.
  std::unique_ptr<LogReader> reader() const;

  // --- Several nodes on one store (SharedLog). ---
  /// Takes what is free of these, and lets go of those, between two batches; whoever asks meanwhile
  /// is refused (kNotHere). Then calls back, on the writer's thread; where the service is stopping,
  /// at once, on the caller's.
  void change_hands(std::vector<ExperimentId> take, std::vector<ExperimentId> leave,
                    std::function<void()> done);
  /// What this one owns; null: all there is.
  std::shared_ptr<const std::set<ExperimentId>> owned() const;
  /// Shown from now on, as this one's own are: what another node's experiment has come to. Of one
  /// that is this one's by now nothing is taken.
  void show(ExperimentId experiment, Summary summary);
  /// As another node has changed them.
  void take_tokens(std::vector<Token> tokens);

  /// Finishes what is queued, keeps snapshots, closes the store: one plain file is left. What comes
  /// afterwards is refused (kStopping).
  void stop();

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace armature::service
