#include "support/postgres_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/file.h"

namespace armature::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestFolder = 60;  // a socket's whole path has 107 bytes at most

// The newest one that is installed; Debian has a folder for each version.
fs::path newest_installation() {
  fs::path newest;
  int version = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const int number = std::atoi(entry.path().filename().c_str());
    if (number > version && fs::exists(entry.path() / "bin/postgres")) {
      version = number;
      newest = entry.path();
    }
  }
  if (newest.empty())
    throw std::runtime_error("no PostgreSQL in /usr/lib/postgresql: install postgresql");
  return newest;
}

// Its state as /proc has it (R, S, T, Z …) and its parent; '-': there is no such process.
struct Standing {
  char state = '-';
  pid_t parent = 0;
};
Standing standing_of(pid_t process) {
  const int file = open(fmt::format("/proc/{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char bytes[1024];
  const ssize_t size = read(file, bytes, sizeof bytes);  // fails if it has just gone
  close(file);
  const std::string line(bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = line.rfind(')');  // a name may hold anything, blanks too
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  Standing standing;
  rest >> standing.state >> standing.parent;
  return standing;
}
bool is_gone(pid_t process) {
  const char state = standing_of(process).state;
  return state == '-' || state == 'Z' || state == 'X';
}

void run_to_end(const ProgramStart& start, const std::string& journal) {
  if (wait_for_end(begin_program(start)) != 0)
    throw std::runtime_error(start.arguments[0] + " failed:\n" + read_file(journal));
}

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

Result ask(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, CloseConnection> connection(PQconnectdb(url.c_str()));
  if (PQstatus(connection.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  Result result(PQexec(connection.get(), sql.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()) + sql);
  return result;
}

}  // namespace

PostgresServer::PostgresServer(Settings settings) : settings_(std::move(settings)) {
  binaries_ = newest_installation() / "bin";
  if (geteuid() == 0) user_ = "postgres";  // PostgreSQL refuses to be root's
  try {
    make_directory();
    start();
  } catch (...) {
    if (running()) kill();
    std::error_code ignored;
    if (!directory_.empty()) fs::remove_all(directory_, ignored);
    throw;
  }
}

PostgresServer::~PostgresServer() {
  if (running())
    end(SIGQUIT);
  else
    forget_shared_memory();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

// initdb takes a second or two, a copy of what it made a hundredth of that: the first one of a
// build makes a template, and renames it into place, so that others see all of it or nothing.
void PostgresServer::make_directory() {
  fs::path folder = fs::temp_directory_path();
  if (folder.string().size() > kLongestFolder) folder = "/tmp";
  std::string pattern = folder / "armature-pg-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = pattern;
  // Stopped processes die of SIGQUIT, too: the postmaster kills its own after five seconds.
  will_ = std::make_unique<LastWill>(fmt::format(
      "cd / && pid=$(head -n 1 '{0}/data/postmaster.pid') && grep -q '{0}' /proc/$pid/cmdline && "
      "kill -QUIT $pid && kill -CONT $pid && for i in $(seq 100); do\n"
      "  grep -q '{0}' /proc/$pid/cmdline || break; sleep 0.1\ndone\nrm -rf '{0}'",
      directory_));
  const passwd* owner = user_.empty() ? nullptr : getpwnam(user_.c_str());
  if (owner != nullptr && chown(directory_.c_str(), owner->pw_uid, owner->pw_gid) != 0)
    fail("chown");

  const std::string data = directory_ + "/data";
  const fs::path shelf = ARMATURE_BUILD_DIR;
  const fs::path version = fs::path(binaries_).parent_path().filename();
  const fs::path model =
      shelf / fmt::format("postgres-template-{}-{}", version.string(), geteuid());
  ProgramStart program;
  const int journal =
      open((directory_ + "/journal").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  program.output = journal;
  program.error = journal;
  const auto copy = [&](const fs::path& from, const fs::path& to) {
    program.user.clear();
    program.arguments = {"/bin/cp", "-a", "--reflink=auto", from, to};
    run_to_end(program, directory_ + "/journal");
  };
  if (fs::exists(model)) {
    copy(model, data);
  } else {
    program.user = user_;
    program.directory = directory_;
    program.arguments = {
        binaries_ + "/initdb", "-D",       data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C",          "--no-sync"};
    run_to_end(program, directory_ + "/journal");
    // For the next one. Where nothing can be written, each makes its own.
    const fs::path ours = model.string() + fmt::format(".{}", getpid());
    std::error_code another_was_first;
    if (access(shelf.c_str(), W_OK) == 0) {
      copy(data, ours);
      fs::rename(ours, model, another_was_first);
      if (another_was_first) fs::remove_all(ours, another_was_first);
    }
  }
  close(journal);
}

std::string PostgresServer::url(const std::string& database) const {
  return fmt::format("postgresql:///{}?host={}&port=5432&user=postgres", database, directory_);
}

std::string PostgresServer::url_through(unsigned short port, const std::string& database) {
  return fmt::format("postgresql://postgres@127.0.0.1:{}/{}?sslmode=disable", port, database);
}

std::string PostgresServer::new_database(const std::string& name) {
  execute("CREATE DATABASE \"" + name + "\"");
  return url(name);
}

void PostgresServer::start() {
  if (running()) return;
  begin();
  wait_until_it_answers();
}

void PostgresServer::begin() {
  Settings all = {{"listen_addresses", ""},
                  {"port", "5432"},  // whatever PGPORT says
                  {"unix_socket_directories", directory_},
                  {"fsync", "on"},
                  {"synchronous_commit", "on"},
                  {"max_connections", "200"},
                  {"shared_buffers", "32MB"},
                  // In its own directory, where nothing is left of a killed one.
                  {"dynamic_shared_memory_type", "mmap"}};
  for (const auto& [name, value] : settings_) all[name] = value;
  ProgramStart program;
  program.arguments = {binaries_ + "/postgres", "-D", directory_ + "/data"};
  for (const auto& [name, value] : all) {
    program.arguments.push_back("-c");
    program.arguments.push_back(name + "=" + value);
  }
  program.user = user_;
  program.directory = directory_;
  const int journal = open((directory_ + "/journal").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  program.output = journal;
  program.error = journal;
  postmaster_ = begin_program(program);
  close(journal);
}

void PostgresServer::wait_until_it_answers() {
  int status = 0;
  bool ended = false;
  const bool answers = comes_true([&] {
    ended = has_ended(postmaster_, status);
    return ended || PQping(url().c_str()) == PQPING_OK;
  });
  if (ended) postmaster_ = -1;
  if (ended || !answers) fail("PostgreSQL did not start");
}

// Each has a session of its own, so no signal reaches them all: they are found by their parent.
std::vector<pid_t> PostgresServer::children() const {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && standing_of(process).parent == postmaster_) found.push_back(process);
  }
  return found;
}

// The postmaster stands still: no other process comes, and it mourns nobody. False: it had ended.
bool PostgresServer::halt() {
  ::kill(postmaster_, SIGSTOP);
  int status = 0;
  while (waitpid(postmaster_, &status, WUNTRACED) < 0)
    if (errno != EINTR) fail("waitpid");
  if (WIFSTOPPED(status)) return true;
  postmaster_ = -1;
  paused_ = false;
  return false;
}

void PostgresServer::kill() {
  if (!running() || (!paused_ && !halt())) return;
  const std::vector<pid_t> all = children();
  for (const pid_t child : all) ::kill(child, SIGKILL);
  ::kill(postmaster_, SIGKILL);
  wait_for_end(postmaster_);
  postmaster_ = -1;
  paused_ = false;
  for (const pid_t child : all)
    if (!comes_true([&] { return is_gone(child); })) fail("a killed process is still there");
}

void PostgresServer::stop_immediately() { end(SIGQUIT); }
void PostgresServer::stop() { end(SIGINT); }

void PostgresServer::end(int signal) {
  if (!running()) return;
  resume();
  ::kill(postmaster_, signal);
  wait_for_end(postmaster_);
  postmaster_ = -1;
}

void PostgresServer::pause() {
  if (!running() || paused_ || !halt()) return;
  paused_ = true;
  const std::vector<pid_t> all = children();
  for (const pid_t child : all) ::kill(child, SIGSTOP);
  for (const pid_t child : all)
    if (!comes_true([&] { return standing_of(child).state == 'T' || is_gone(child); }))
      fail("a process does not stand still");
}

void PostgresServer::resume() {
  if (!running() || !paused_) return;
  paused_ = false;
  for (const pid_t child : children()) ::kill(child, SIGCONT);
  ::kill(postmaster_, SIGCONT);
}

// A killed one leaves a small segment of System V's behind, which the next start would find and
// take over. There is none; so many tests later there would be no segments left.
void PostgresServer::forget_shared_memory() const {
  std::ifstream file(directory_ + "/data/postmaster.pid");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number != 7) continue;
    std::istringstream words(line);
    unsigned long key = 0;
    int id = 0;
    if (words >> key >> id) shmctl(id, IPC_RMID, nullptr);
  }
}

void PostgresServer::execute(const std::string& sql, const std::string& database) const {
  ask(url(database), sql);
}

std::string PostgresServer::value(const std::string& sql, const std::string& database) const {
  return value_at(url(database), sql);
}

std::string PostgresServer::value_at(const std::string& url, const std::string& sql) {
  const Result result = ask(url, sql);
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

std::string PostgresServer::journal() const { return read_file(directory_ + "/journal"); }

void PostgresServer::fail(const std::string& what) const {
  throw std::runtime_error(what + ":\n" + journal());
}

}  // namespace armature::test
