// The served process that other tests kill: where it is, what it says, how it ends.
#include "support/serve_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/file.h"
#include "service/http_client.h"

namespace armature::test {
namespace {

using service::test::Client;

TEST(ServeProcess, IsWhereItSaysUntilItIsTold) {
  const TemporaryDirectory directory;
  ServeProcess server({directory.path()});
  ASSERT_NE(server.port(), 0) << server.journal();
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_TRUE(server.running());
  EXPECT_EQ(Client(server.port()).get("/healthz").status, 200);
  EXPECT_EQ(server.end(SIGTERM), 0);
  EXPECT_FALSE(server.running());
  EXPECT_NE(server.journal().find("listening"), std::string::npos);
  EXPECT_NE(server.journal().find("stopped"), std::string::npos);
}

// The next one comes while the last one's connections are still ending…
TEST(ServeProcess, ComesBackAtTheSamePort) {
  const TemporaryDirectory directory;
  auto server = std::make_unique<ServeProcess>(std::vector<std::string>{directory.path()});
  const std::string address = "127.0.0.1:" + std::to_string(server->port());
  for (int i = 0; i < 5; ++i) {
    Client client(server->port());
    EXPECT_EQ(client.get("/healthz").status, 200);
    server->end(i % 2 == 0 ? SIGKILL : SIGTERM);
    server = std::make_unique<ServeProcess>(
        std::vector<std::string>{directory.path(), "--listen", address});
    ASSERT_EQ("http://" + address, server->url()) << server->journal();
  }
}

// … and another one while the port is still taken.
TEST(ServeProcess, WaitsForItsPort) {
  const TemporaryDirectory first;
  const TemporaryDirectory second;
  ServeProcess before({first.path()});
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    before.end(SIGTERM);
  });
  ServeProcess after({second.path(), "--listen", "127.0.0.1:" + std::to_string(before.port())});
  ending.join();
  EXPECT_EQ(after.port(), before.port()) << after.journal();
}

TEST(ServeProcess, HasWhatItIsGiven) {
  const TemporaryDirectory directory;
  ServeProcess server({directory.path(), "--log", "all"}, {{"ARMATURE_TESTED", "yes"}});
  ASSERT_NE(server.port(), 0) << server.journal();
  const std::string environment = read_file("/proc/" + std::to_string(server.pid()) + "/environ");
  EXPECT_NE(environment.find("ARMATURE_TESTED=yes"), std::string::npos);
  EXPECT_EQ(Client(server.port()).get("/healthz").status, 200);
  server.end(SIGTERM);  // the journal is written aside
  EXPECT_NE(server.journal().find("/healthz"), std::string::npos);
}

TEST(ServeProcess, SaysWhyItDoesNotServe) {
  ServeProcess server({"/proc/nowhere"});
  EXPECT_EQ(server.port(), 0);
  EXPECT_FALSE(server.running());
  const int status = server.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0);
  EXPECT_NE(server.journal().find("/proc/nowhere"), std::string::npos) << server.journal();
}

}  // namespace
}  // namespace armature::test
