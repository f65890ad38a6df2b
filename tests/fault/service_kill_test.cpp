// The service is killed again and again, at any moment, under load: what it had answered is there
// when it starts again, once, and replays. Its clients outlive it: what was not answered they ask
// again of the next one, with the same key, and one request in ten they send twice anyway. (A kill
// cannot show a missing sync: the page cache survives it. That is what the power cuts are for.)
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "service/promises.h"
#include "service/service.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::TemporaryDirectory;

constexpr int kClients = 8;

int kills() {
#ifdef NDEBUG
  return std::getenv("ARMATURE_LONG") != nullptr ? 1'000 : 100;
#else
  return 10;  // under sanitizers
#endif
}

// --- The service, in a process of its own --------------------------------------------------------

void say(int socket, const std::string& line) {
  const std::string whole = line + "\n";
  if (send(socket, whole.data(), whole.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(whole.size()))
    _exit(3);
}

// "decide KEY", or "report DECISION REWARD".
std::string answer_to(Service& service, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  std::string what;
  words >> verb >> what;
  if (verb == "decide") {
    const Answer answer = service.ask(Decide{"mail", what, ""});
    const auto* decided = std::get_if<Decided>(&answer);
    if (decided == nullptr) _exit(4);
    return fmt::format("{} {}", decided->decision, decided->action);
  }
  double reward = 0;
  words >> reward;
  const Answer answer = service.ask(Report{"mail", what, Named(std::string("opened")), reward});
  const auto* received = std::get_if<Received>(&answer);
  if (received == nullptr || received->status != Status::kLearned) _exit(5);
  return "learned";
}

// Lines of one client, one after the other.
void serve_one(Service& service, int socket) {
  std::string pending;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(socket, buffer, sizeof buffer)) > 0;) {
    pending.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end = 0; (end = pending.find('\n')) != std::string::npos;) {
      say(socket, answer_to(service, pending.substr(0, end)));
      pending.erase(0, end + 1);
    }
  }
}

// Snapshots every few batches, and the write-ahead log is moved every few commits: kills meet both.
[[noreturn]] void serve(const std::string& directory, const std::array<int, kClients>& sockets) {
  Options options;
  options.snapshot_events = 50;
  Service service(open_sqlite_log(directory, {.synchronous = "FULL", .pages_ahead = 30}), options);
  service.ask(Create{rich_creation("ts")});
  std::vector<std::thread> threads;
  for (const int socket : sockets)
    threads.emplace_back([&service, socket] { serve_one(service, socket); });
  for (std::thread& thread : threads) thread.join();
  _exit(0);
}

// --- Its clients ---------------------------------------------------------------------------------

class Client {
 public:
  Client(int number, Promises& promises) : number_(number), promises_(promises) { next(); }

  /// A new server: what it is to be asked first is what the last one did not answer.
  void connect(int socket) {
    socket_ = socket;
    pending_.clear();
    ask();
  }
  int socket() const { return socket_; }

  /// What came; how many answers that were. False in `open`: the server is gone.
  std::uint64_t receive(bool& open) {
    char buffer[4096];
    const ssize_t size = read(socket_, buffer, sizeof buffer);
    open = size > 0;
    if (!open) return 0;
    pending_.append(buffer, static_cast<std::size_t>(size));
    std::uint64_t answers = 0;
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos; ++answers) {
      const std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      if (--awaited_ == 0) answered(line);
    }
    return answers;
  }

 private:
  void ask() {
    awaited_ = asked_++ % 10 == 3 ? 2 : 1;
    std::string lines;
    for (int i = 0; i < awaited_; ++i) lines += question_ + "\n";
    // A server that is gone already is found out by who reads.
    const ssize_t sent = send(socket_, lines.data(), lines.size(), MSG_NOSIGNAL);
    (void)sent;
  }

  void answered(const std::string& line) {
    if (line == "learned") {
      promises_.learned(decision_, "opened", reward_);
      next();
    } else {
      std::istringstream words(line);
      std::string action;
      words >> decision_ >> action;
      promises_.decided(decision_, action, key_);
      reward_ = round_ % 2 == 0 ? 0.25 : 0.75;
      if (round_ % 3 == 0)
        question_ = fmt::format("report {} {}", decision_, reward_);
      else
        next();
    }
    ask();
  }

  void next() {
    key_ = fmt::format("{}-{}", number_, ++round_);
    question_ = "decide " + key_;
  }

  int number_;
  Promises& promises_;
  int socket_ = -1;
  std::string pending_;
  std::string question_;
  std::string key_;
  std::string decision_;
  double reward_ = 0;
  int round_ = 0;
  int asked_ = 0;
  int awaited_ = 0;
};

// Lets it live until it has acknowledged so many things, and kills it while all are asking. What it
// had said until then counts.
std::uint64_t live_and_die(const std::string& directory, std::vector<Client>& clients,
                           std::uint64_t acknowledgements) {
  std::array<int, kClients> theirs{};
  std::array<int, kClients> ours{};
  for (std::size_t i = 0; i < kClients; ++i) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ours[i] = ends[0];
    theirs[i] = ends[1];
  }
  const pid_t child = fork();
  if (child == 0) {
    for (const int socket : ours) close(socket);
    serve(directory, theirs);
  }
  for (const int socket : theirs) close(socket);
  std::vector<pollfd> waiting;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients[i].connect(ours[i]);
    waiting.push_back({ours[i], POLLIN, 0});
  }
  std::uint64_t answers = 0;
  bool killed = false;
  for (std::size_t open = kClients; open > 0;) {
    poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = 0; i < kClients; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      bool still = false;
      answers += clients[i].receive(still);
      if (!still) {
        waiting[i].fd = -1;
        --open;
      }
    }
    if (!killed && answers >= acknowledgements) {
      kill(child, SIGKILL);
      killed = true;
    }
  }
  for (const int socket : ours) close(socket);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "ended by itself with " << WEXITSTATUS(status);
  return answers;
}

// Five lives a store; the directory is as the last one left it.
void kill_again_and_again(int first, int most) {
  std::uint64_t acknowledged = 0;
  for (int killed = first; killed < first + most && !testing::Test::HasFailure();) {
    const TemporaryDirectory directory;
    Promises promises;
    std::vector<Client> clients;
    for (int i = 0; i < kClients; ++i) clients.emplace_back(i, promises);
    Stream luck({41, static_cast<std::uint32_t>(killed), Purpose::kTest});
    for (int life = 0; life < 5; ++life, ++killed)
      acknowledged += live_and_die(directory.path(), clients, 1 + luck.next_u64() % 200);
    Stand stand([&] { return open_sqlite_log(directory.path()); });
    EXPECT_EQ(promises.broken("mail", [&](const Request& request) { return stand.ask(request); }),
              0u)
        << "after kill " << killed;
    // A key that was asked with twice, by two lives even, has one decision.
    std::map<std::string, int> decisions;
    stand.log->walk(1, 1, 1'000'000, [&](const Event& event) {
      if (event.makes_decision()) ++decisions[event.key];
    });
    for (const auto& [key, count] : decisions) EXPECT_EQ(count, 1);
    EXPECT_EQ(check_log(*stand.log).at(0).before, "");
    EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
  }
  EXPECT_GT(acknowledged, static_cast<std::uint64_t>(most) * 20);
}

TEST(ServiceKill, LosesNothingThatWasAnswered) { kill_again_and_again(0, kills() / 2); }
TEST(ServiceKill, NorInTheSecondHalf) { kill_again_and_again(10'000, kills() / 2); }

}  // namespace
}  // namespace armature::service::test
