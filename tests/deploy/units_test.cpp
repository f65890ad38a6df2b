// The processes that the units of deploy/systemd describe, begun as systemd would begin them: they
// get ready, and end as they are told to.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "service/http_client.h"
#include "support/postgres_server.h"
#include "support/serve_process.h"

namespace armature::test {
namespace {

using Environment = std::map<std::string, std::string>;
using service::test::Client;
using service::test::Disconnected;

const std::string kUnits = ARMATURE_SOURCE_DIR "/deploy/systemd/";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Lines NAME=VALUE; others are remarks and headings.
std::vector<std::pair<std::string, std::string>> assignments_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::pair<std::string, std::string>> found;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    found.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return found;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

// A unit, on a machine whose /etc/armature and /var/lib are folders of the test.
class Unit {
 public:
  Unit(const std::string& file, const std::string& instance, const TemporaryDirectory& machine) {
    const std::string text = replaced(read_file(kUnits + file), "%i", instance);
    for (const auto& [key, value] : assignments_of(text)) {
      if (key == "Environment") add(value);
      if (key == "EnvironmentFile") add_file(value, machine.path());
      if (key == "StateDirectory") {
        environment_["STATE_DIRECTORY"] = machine.file(value);
        std::filesystem::create_directory(machine.file(value));
      }
      if (key == "KillSignal") kill_signal_ = value;
      if (key == "ExecStart") command_ = value;
    }
  }

  std::unique_ptr<ServeProcess> start() const {
    std::vector<std::string> words;
    for (const std::string& word : words_of(command_)) {
      if (word.starts_with("${") && word.ends_with("}"))
        words.push_back(value_of(word.substr(2, word.size() - 3)));
      else if (word.starts_with("$"))  // as many words as it has
        for (const std::string& part : words_of(value_of(word.substr(1)))) words.push_back(part);
      else
        words.push_back(word);
    }
    EXPECT_EQ(words.at(0), "/usr/bin/armature");
    EXPECT_EQ(words.at(1), "serve");
    words.erase(words.begin(), words.begin() + 2);
    return std::make_unique<ServeProcess>(words, environment_);
  }
  int kill_signal() const {
    EXPECT_EQ(kill_signal_, "SIGTERM");
    return SIGTERM;
  }

 private:
  void add(const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    environment_[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  void add_file(const std::string& written, const std::string& machine) {
    const bool optional = written.starts_with('-');
    const std::string path = replaced(written.substr(optional ? 1 : 0), "/etc/armature", machine);
    if (optional && !std::filesystem::exists(path)) return;
    for (const auto& [name, value] : assignments_of(read_file(path))) environment_[name] = value;
  }
  std::string value_of(const std::string& name) const {
    EXPECT_TRUE(environment_.contains(name)) << name << " is nowhere set";
    return environment_.contains(name) ? environment_.at(name) : "";
  }

  std::string command_;
  std::string kill_signal_;
  Environment environment_;
};

// A node may listen before it has what it needs.
void expect_ready(const ServeProcess& server) {
  ASSERT_NE(server.port(), 0) << server.journal();
  int status = 0;
  for (int i = 0; i < 3'000 && status != 200; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    try {
      status = Client(server.port()).get("/readyz").status;
    } catch (const Disconnected&) {
    }
  }
  EXPECT_EQ(status, 200) << server.journal();
}

TEST(SystemdUnits, TheServiceOfOneMachine) {
  const TemporaryDirectory machine;
  write_file(machine.file("service.env"), "ARMATURE_LISTEN=127.0.0.1:0\n");
  const Unit unit("armature-service.service", "", machine);
  for (int i = 0; i < 2; ++i) {  // the second finds what the first left
    const auto server = unit.start();
    expect_ready(*server);
    EXPECT_EQ(server->end(unit.kill_signal()), 0) << server->journal();
    EXPECT_EQ(machine.listing(), (std::vector<std::string>{"armature", "service.env"}));
    EXPECT_TRUE(std::filesystem::exists(machine.file("armature/service.sqlite")));
  }
}

// As the remarks in the unit say: tables and a token first, then the nodes.
TEST(SystemdUnits, NodesOfOneStore) {
  PostgresServer postgres;
  const std::string store = postgres.new_database("armature");
  const TemporaryDirectory machine;
  for (const std::string& command : {"service migrate '" + store + "'",
                                     "service token '" + store + "' --name admin --role admin"}) {
    const ProgramResult result = run_shell("armature " + command, machine.path());
    ASSERT_EQ(result.status, 0) << command << "\n" << result.err;
  }
  std::string shared;
  for (const auto& [name, value] : assignments_of(read_file(kUnits + "node.env")))
    shared += name + "=" + (name == "ARMATURE_STORE" ? store : value) + "\n";
  write_file(machine.file("node.env"), shared);
  const std::vector<std::string> names = {"berlin-1", "berlin-2"};
  std::vector<Unit> units;
  std::vector<std::unique_ptr<ServeProcess>> nodes;
  for (const std::string& name : names) {
    const unsigned short port = free_port();
    write_file(
        machine.file("node-" + name + ".env"),
        fmt::format("ARMATURE_LISTEN=127.0.0.1:{0}\nARMATURE_ADDRESS=127.0.0.1:{0}\n", port));
    units.emplace_back("armature-node@.service", name, machine);
    nodes.push_back(units.back().start());
    ASSERT_EQ(nodes.back()->port(), port) << nodes.back()->journal();
  }
  for (const auto& node : nodes) expect_ready(*node);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(nodes[i]->end(units[i].kill_signal()), 0) << nodes[i]->journal();
}

}  // namespace
}  // namespace armature::test
