// `armature serve` as a process that dies, under clients that do not: killed at any moment, started
// again, and again. Whatever was acknowledged is there in the end, once, as it was acknowledged.
// (A kill cannot show a missing sync, as the machine lives on: tests/fault cuts the power.)
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "armature/random.h"
#include "base/file.h"
#include "service/crowd.h"
#include "service/http_serving.h"
#include "service/promises.h"
#include "service/stand.h"
#include "service/stoppable_reader.h"
#include "support/serve_process.h"

namespace armature::service::test {
namespace {

#ifdef NDEBUG
constexpr int kKills = 20;  // in each of five runs
#else
constexpr int kKills = 4;  // not optimised, or under sanitizers
#endif
constexpr int kClients = 3;

// Ten times as much by `make test-long`.
int times(int few) { return std::getenv("ARMATURE_LONG") != nullptr ? 10 * few : few; }

using armature::test::ServeProcess;

std::unique_ptr<ServeProcess> serve(const std::string& directory) {
  return std::make_unique<ServeProcess>(std::vector<std::string>{directory});
}

// Where the server is: who is let down by one waits for the next.
class Whereabouts {
 public:
  explicit Whereabouts(unsigned short port) : port_(port) {}
  void serve_at(unsigned short port) {
    {
      const std::lock_guard lock(mutex_);
      port_ = port;
      ++number_;
    }
    moved_.notify_all();
  }
  /// A client of its own, which stays with its connection.
  Insist visitor() {
    struct Visit {
      std::unique_ptr<Client> client;
      int number = 0;  // of the server
    };
    return [this, visit = std::make_shared<Visit>()](const auto& target, const auto& body,
                                                     const auto& headers) {
      for (;;) {
        if (!visit->client) {
          const std::lock_guard lock(mutex_);
          visit->number = number_;
          visit->client = std::make_unique<Client>(port_);
        }
        try {
          Reply reply = visit->client->post(target, body, headers);
          if (reply.status != 503) return reply;
        } catch (const Disconnected&) {
        }
        visit->client.reset();
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [&] { return number_ != visit->number; });
      }
    };
  }

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  unsigned short port_;
  int number_ = 0;
};

Crowd crowd_at(Whereabouts& place, std::uint32_t run) {
  return Crowd(run * kClients, kClients, {"mail"}, [&](std::uint32_t) { return place.visitor(); });
}

// Every promise holds, and there is nothing beside them: each client asked until it was answered.
void expect_kept(const std::string& directory, const Promises& promises) {
  const auto checked = check_log(*read_sqlite_log(directory));
  ASSERT_EQ(checked.size(), 1u);
  EXPECT_EQ(checked[0].trouble, "");
  EXPECT_EQ(checked[0].decisions, promises.size());
  Service service(open_sqlite_log(directory), {});
  EXPECT_EQ(promises.broken("mail", [&](const Request& request) { return service.ask(request); }),
            0u);
}

void create_in(unsigned short port) {
  Client client(port);
  create_mail(client);
}

class HttpKills : public testing::TestWithParam<std::uint32_t> {};

TEST_P(HttpKills, LoseAndDoubleNothing) {
  const armature::test::TemporaryDirectory directory;
  Stream luck({32, GetParam(), Purpose::kTest});
  auto server = serve(directory.path());
  ASSERT_NE(server->port(), 0) << server->journal();
  create_in(server->port());
  Whereabouts place(server->port());
  Crowd crowd = crowd_at(place, GetParam());
  const int kills = times(kKills);
  for (int kill = 0; kill < kills; ++kill) {
    crowd.wait_for(10 + luck.next_u64() % 60);
    EXPECT_TRUE(WIFSIGNALED(server->end(SIGKILL)));
    server = serve(directory.path());
    ASSERT_NE(server->port(), 0) << server->journal();
    place.serve_at(server->port());
  }
  crowd.wait_for(20);
  crowd.stop();
  server->end(SIGKILL);
  EXPECT_GT(crowd.promises.size(), static_cast<std::size_t>(kills) * 3);
  expect_kept(directory.path(), crowd.promises);
}

INSTANTIATE_TEST_SUITE_P(Runs, HttpKills, testing::Range(0u, 5u));

// Asked to stop under load: what is under way is answered, and one plain file is left.
TEST(HttpStop, AnswersWhatWasAsked) {
  const armature::test::TemporaryDirectory directory;
  auto server = serve(directory.path());
  create_in(server->port());
  Whereabouts place(server->port());
  Crowd crowd = crowd_at(place, 100);
  for (int i = 0; i < 5; ++i) {
    crowd.wait_for(30);
    const int status = server->end(SIGTERM);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_FALSE(std::filesystem::exists(directory.file("service.sqlite-wal")));
    server = serve(directory.path());
    place.serve_at(server->port());
  }
  crowd.wait_for(10);
  crowd.stop();
  EXPECT_EQ(server->end(SIGTERM), 0);
  expect_kept(directory.path(), crowd.promises);
}

// Asked twice: at once, and nothing acknowledged is lost by that either.
TEST(HttpStop, AtOnceIfAskedTwice) {
  const armature::test::TemporaryDirectory directory;
  auto server = serve(directory.path());
  create_in(server->port());
  Whereabouts place(server->port());
  Crowd crowd = crowd_at(place, 200);
  for (int i = 0; i < times(20); ++i) {
    crowd.wait_for(20);
    server->signal(SIGTERM);
    const int status = server->end(SIGTERM);
    EXPECT_TRUE(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) << status;
    server = serve(directory.path());
    place.serve_at(server->port());
  }
  crowd.wait_for(10);
  crowd.stop();
  EXPECT_EQ(server->end(SIGTERM), 0);
  expect_kept(directory.path(), crowd.promises);
}

// Idle connections and live streams do not hold it up.
TEST(HttpStop, WaitsForNobodyWhoOnlyListens) {
  Serving serving;
  Client client(serving.port());
  create_mail(client);
  Client idle(serving.port());
  idle.connect();
  Client half(serving.port());
  half.write("POST /v1/experiments/mail/decide HTTP/1.1\r\n");
  Client page(serving.port());
  page.write(page.request("GET", "/v1/experiments/mail/live", ""));
  page.read_start();
  page.read_chunk();
  serving.stop();
  EXPECT_TRUE(idle.ends());
  EXPECT_TRUE(half.ends());
  EXPECT_TRUE(page.ends());
  EXPECT_THROW(client.get("/healthz"), Disconnected);
}

// Nor does a download that nobody reads: it is cut, and does not look whole.
TEST(HttpStop, WaitsForNobodyWhoDoesNotRead) {
  http::HostOptions options;
  options.drain = std::chrono::milliseconds(1);
  Serving serving(options);
  Client client(serving.port());
  create_mail(client);
  decide_often(serving.service());
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(std::make_unique<Client>(serving.port()));
    slow.back()->read_slowly();
    slow.back()->write(client.request("GET", "/v1/experiments/mail/log", ""));
    EXPECT_EQ(slow.back()->read_start().status, 200);
  }
  serving.stop();
  for (const auto& one : slow) EXPECT_THROW(while (one->read_chunk()) continue, Disconnected);
}

// What comes when it has ended is not done, and harms nobody.
TEST(HttpStop, LeavesWorkAside) {
  http::Aside aside(2);
  std::promise<void> done;
  aside.run([&] { done.set_value(); });
  done.get_future().wait();
  aside.stop();
  aside.run([] { ADD_FAILURE() << "done after the end"; });
  aside.stop();
}

// A queue of long work is bounded: what does not fit is said to whoever asked.
TEST(HttpStop, HasRoomForSoMuchAside) {
  std::promise<void> begun;  // they outlive the work
  std::promise<void> go_on;
  http::Aside aside(1, 2);
  EXPECT_TRUE(aside.run([&] {
    begun.set_value();
    go_on.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(aside.run([] {}));
  EXPECT_TRUE(aside.run([] {}));
  EXPECT_FALSE(aside.run([] { ADD_FAILURE() << "there was no room for it"; }));
  go_on.set_value();
}

// What takes as long as the log is ends with the service.
TEST(HttpStop, EndsWhatIsBeingPrepared) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  for (int i = 0; i < 100; ++i) stand.report(stand.decide("mail"), "opened", 1);
  std::atomic<bool> stop{false};
  std::uint64_t walked = 0;
  stand.memory->on_walk = [&](const Event& event) {
    ++walked;
    if (event.seq == 20) stop = true;
  };
  StoppableReader reader(stand.log->reader(), stop);
  Request request = OpenEpoch{"mail", {}, "ts", Start::kReplay, 0, ""};
  EXPECT_THROW(prepare(request, reader), Refusal);
  EXPECT_LT(walked, 30u);
  // Nor has a shadow failed by it, for ever: stopped on the second way through the log, which is
  // its.
  stand.must<Done>(AddShadow{"mail", "ts"});
  stop = false;
  int ways = 0;
  stand.memory->on_walk = [&](const Event& event) {
    if (event.seq == 20 && ++ways == 2) stop = true;
  };
  Request with_shadow = OpenEpoch{"mail", {}, "ucb", Start::kFresh, 0, ""};
  StoppableReader later(stand.log->reader(), stop);
  EXPECT_THROW(prepare(with_shadow, later), Refusal);
  EXPECT_EQ(std::get<OpenEpoch>(with_shadow).taught, nullptr);
  EXPECT_EQ(ways, 2);
}

// One long question does not keep the others waiting.
TEST(HttpStop, WorksAsideOnSeveralThings) {
  std::promise<void> go_on;  // they outlive the work
  std::promise<void> done;
  http::Aside aside(2);
  aside.run([&] { go_on.get_future().wait(); });
  aside.run([&] { done.set_value(); });
  done.get_future().wait();
  go_on.set_value();
}

// Whatever was refused is told of, however early, and whose token it was that changed something.
TEST(HttpJournal, TellsOfAllThatWasRefused) {
  armature::test::TemporaryDirectory directory;
  std::FILE* out = std::fopen(directory.file("journal").c_str(), "w");
  {
    http::Journal journal(out, http::Journal::Requests::kNotable);
    http::HostOptions options;
    options.journal = &journal;
    Serving serving(options);
    Client client(serving.port());
    create_mail(client);
    const Reply made = client.post("/v1/tokens", R"({"name": "boss", "roles": ["admin"]})");
    EXPECT_NE(made.headers.at("x-request-id"), "");
    EXPECT_NE(made.headers.at("date").find(" GMT"), std::string::npos);
    Client stranger(serving.port());
    EXPECT_EQ(stranger.post("/v1/experiments", std::string(30'000, ' ')).status, 401);
    Client lost(serving.port());
    lost.write("PUT /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n");
    const Reply reply = lost.read_start();
    EXPECT_TRUE(reply.status == 405 || reply.status == 413) << reply.status;
    Client noise(serving.port());
    noise.write("what is this?\r\n\r\n");
    EXPECT_EQ(noise.read_start().status, 400);
    Client boss(serving.port(), made.json().at("token"));
    EXPECT_EQ(boss.post("/v1/experiments/mail/pause").status, 200);
  }
  std::fclose(out);
  const std::string told = read_file(directory.file("journal"));
  for (const char* part : {"\"status\":401", "\"kind\":\"unauthorized\"", "\"method\":\"PUT\"",
                           "\"kind\":\"malformed\"", "\"token\":\"boss\""})
    EXPECT_NE(told.find(part), std::string::npos) << part << " in\n" << told;
}

// Who does not read what the service has to say does not stop it.
TEST(HttpJournal, WaitsForNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE* out = fdopen(ends[1], "w");
  {
    http::Journal journal(out, http::Journal::Requests::kAll);
    for (int i = 0; i < 5'000; ++i) journal.note("something", std::string(100, 'x'));
    // Once somebody reads again, it says how much is missing.
    std::string text;
    char bytes[4096];
    while (text.find("\"dropped\"") == std::string::npos) {
      const ssize_t count = ::read(ends[0], bytes, sizeof bytes);
      ASSERT_GT(count, 0);
      text.append(bytes, static_cast<std::size_t>(count));
      journal.note("something else");
    }
    for (int i = 0; i < 5'000; ++i) journal.note("something", std::string(100, 'x'));
  }  // its end waits a second at most
  std::fclose(out);
  close(ends[0]);
}

}  // namespace
}  // namespace armature::service::test
