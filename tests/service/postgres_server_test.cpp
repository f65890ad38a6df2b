// The PostgreSQL server that other tests stand on does what they ask of it.
#include "support/postgres_server.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

using namespace std::chrono_literals;

TEST(PostgresServer, AnswersAndHasDatabases) {
  PostgresServer server(PostgresServer::Settings{{"work_mem", "8MB"}});
  EXPECT_EQ(server.value("SHOW fsync"), "on");
  EXPECT_EQ(server.value("SHOW synchronous_commit"), "on");
  EXPECT_EQ(server.value("SHOW listen_addresses"), "");
  EXPECT_EQ(server.value("SHOW work_mem"), "8MB");
  EXPECT_EQ(server.value("SELECT current_setting('server_encoding')"), "UTF8");
  const std::string url = server.new_database("first");
  EXPECT_NE(url.find("/first?"), std::string::npos) << url;
  server.execute("CREATE TABLE here (a int)", "first");
  EXPECT_EQ(server.value("SELECT count(*) FROM here", "first"), "0");
  EXPECT_EQ(server.value("SELECT a FROM here", "first"), "");
  EXPECT_THROW(server.execute("SELECT * FROM here"), std::runtime_error);
}

TEST(PostgresServer, KeepsWhatWasCommittedHoweverItEnds) {
  PostgresServer server;
  server.execute("CREATE TABLE kept (a int)");
  const auto end = [&](void (PostgresServer::*how)(), int number) {
    server.execute("INSERT INTO kept VALUES (" + std::to_string(number) + ")");
    // A session under way, and what it has not committed.
    auto other = std::async(std::launch::async, [&] {
      EXPECT_THROW(server.execute("BEGIN; INSERT INTO kept VALUES (1000); SELECT pg_sleep(600)"),
                   std::runtime_error);
    });
    while (server.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") ==
           "0")
      std::this_thread::sleep_for(1ms);
    const pid_t postmaster = server.pid();
    (server.*how)();
    other.get();
    EXPECT_FALSE(server.running());
    EXPECT_EQ(::kill(postmaster, 0), -1);
    EXPECT_THROW(server.value("SELECT 1"), std::runtime_error);
    server.start();
    EXPECT_EQ(server.value("SELECT count(*) FROM kept"), std::to_string(number));
    EXPECT_EQ(server.value("SELECT max(a) FROM kept"), std::to_string(number));
  };
  end(&PostgresServer::kill, 1);
  end(&PostgresServer::stop_immediately, 2);
  end(&PostgresServer::stop, 3);
  end(&PostgresServer::kill, 4);
}

TEST(PostgresServer, StandsStillAndGoesOn) {
  PostgresServer server;
  server.pause();
  auto answer = std::async(std::launch::async, [&] { return server.value("SELECT 7"); });
  EXPECT_EQ(answer.wait_for(200ms), std::future_status::timeout);
  server.resume();
  EXPECT_EQ(answer.get(), "7");
  server.pause();
  server.kill();
  server.start();
  server.pause();
  server.stop();
  server.start();
  server.pause();  // and ends from there
}

TEST(PostgresServer, LeavesNothing) {
  std::string directory;
  for (const bool killed : {false, true}) {
    PostgresServer server;
    directory = std::filesystem::path(server.socket()).parent_path();
    EXPECT_TRUE(std::filesystem::exists(directory));
    if (killed) server.kill();
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

// Restarted in a thread that has ended, which is no reason to die.
TEST(PostgresServer, OutlivesTheThreadThatStartedIt) {
  PostgresServer server;
  std::thread([&] {
    server.kill();
    server.start();
  }).join();
  EXPECT_EQ(server.value("SELECT 1"), "1");
}

// A test that is killed itself leaves no server behind, and no files.
TEST(PostgresServer, GoesWithAKilledTest) {
  const TemporaryDirectory scratch;
  const pid_t child = fork();
  if (child == 0) {
    const auto* server = new PostgresServer;
    write_file(scratch.file("where"),
               std::to_string(server->pid()) + " " +
                   std::filesystem::path(server->socket()).parent_path().string());
    raise(SIGKILL);
  }
  wait_for_end(child);
  const std::string where = read_file(scratch.file("where"));
  const std::string directory = where.substr(where.find(' ') + 1);
  const std::string process = "/proc/" + where.substr(0, where.find(' ')) + "/cmdline";
  for (int i = 0; i < 10'000 && std::filesystem::exists(directory); ++i)
    std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(std::filesystem::exists(directory));
  // Whoever has its number now is somebody else; a zombie has no command line.
  if (std::filesystem::exists(process)) {
    EXPECT_EQ(read_file(process).find(directory), std::string::npos);
  }
}

TEST(PostgresServer, SaysWhyItDoesNotStart) {
  try {
    PostgresServer server(PostgresServer::Settings{{"no_such_setting", "1"}});
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_setting"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace armature::test
