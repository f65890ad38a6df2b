// A PostgreSQL server of the tests' own: fresh, reachable through a socket in its own directory
// alone, killed and started again as a test likes, and gone with it. The machine's own cluster is
// never touched.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace armature::test {

class PostgresServer {
 public:
  using Settings = std::map<std::string, std::string>;  // as in postgresql.conf

  /// Starts, and waits until it answers. Commits are synced, as they must be where promises are
  /// tested, unless the settings say otherwise.
  explicit PostgresServer(Settings settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  std::string url(const std::string& database = "postgres") const;
  /// The same through something that listens at a port of this machine (cutting_proxy.h) and
  /// forwards to `socket()`.
  static std::string url_through(unsigned short port, const std::string& database = "postgres");
  std::string socket() const { return directory_ + "/.s.PGSQL.5432"; }
  /// The URL of a new, empty database.
  std::string new_database(const std::string& name);

  /// All its processes at once, as by a power cut of that machine; its page cache survives.
  void kill();
  /// Without a checkpoint, so that the next start recovers; sessions are cut.
  void stop_immediately();
  /// Sessions are cut, everything is written.
  void stop();
  /// Waits until it answers.
  void start();
  /// Nothing is closed, nothing is answered: for whoever asks, a machine that has stopped.
  void pause();
  void resume();

  /// The path of one of the programs that came with it: pgbench, psql.
  std::string program(const std::string& name) const { return binaries_ + "/" + name; }
  bool running() const { return postmaster_ > 0; }
  pid_t pid() const { return postmaster_; }
  /// From the next start on.
  void set(const std::string& name, const std::string& value) { settings_[name] = value; }

  /// In a session of its own. Throws what the server says.
  void execute(const std::string& sql, const std::string& database = "postgres") const;
  /// The first column of the first row; empty where there is none, or it is null.
  std::string value(const std::string& sql, const std::string& database = "postgres") const;
  /// The same at any URL, through a proxy for one.
  static std::string value_at(const std::string& url, const std::string& sql);
  /// What it had to say.
  std::string journal() const;

 private:
  void make_directory();
  void begin();
  void wait_until_it_answers();
  void end(int signal);
  std::vector<pid_t> children() const;
  bool halt();
  void forget_shared_memory() const;
  [[noreturn]] void fail(const std::string& what) const;

  Settings settings_;
  std::string user_;       // whose the server is; empty: ours
  std::string binaries_;   // the folder of its programs
  std::string directory_;  // data, socket and journal
  std::unique_ptr<LastWill> will_;
  pid_t postmaster_ = -1;
  bool paused_ = false;
};

}  // namespace armature::test
