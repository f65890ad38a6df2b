// Several nodes on PostgreSQL: durable events beside what PostgreSQL itself can commit (pgbench)
// and beside one node on SQLite, over 1, 2 and 4 nodes, and what it costs to ask the wrong one.
// Whatever is compared is measured in turns, so that all meet the same minute. `make bench` prints
// it; docs/performance.md keeps what was expected and what was found.
//   bench_service_nodes ARMATURE     the command; everything is written to the temporary directory
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "disk.h"
#include "http_load.h"
#include "service/postgres/postgres_log.h"
#include "service/postgres/schema.h"
#include "service/service.h"
#include "support/postgres_server.h"
#include "writer_load.h"

namespace bench {
namespace {

using armature::test::PostgresServer;
using namespace std::chrono_literals;

constexpr int kPgbenchSeconds = 2;
constexpr int kExperiments = 32;

std::string load_average() {
  std::ifstream file("/proc/loadavg");
  std::string one, five;
  file >> one >> five;
  return one + " over a minute, " + five + " over five";
}

// --- What PostgreSQL can do ----------------------------------------------------------------------

// One row of an event's width a transaction, into a table with an event's columns and indexes.
class Pgbench {
 public:
  Pgbench(PostgresServer& server, const std::string& directory)
      : server_(server), script_(directory + "/insert.sql"), said_(directory + "/pgbench") {
    armature::service::postgres::migrate(server.new_database("raw"));
    server.execute("CREATE TABLE raw(LIKE armature.events INCLUDING ALL)", "raw");
    armature::write_file(script_,
                         "\\set seq :seq + 1\n"
                         "INSERT INTO raw VALUES (:client_id, :seq, 1, NULL, NULL, "
                         "1700000000000000, 1, 3, 17, 12345, 0.5, NULL, NULL, NULL);\n");
  }
  /// Transactions a second; none: it did not say.
  double rate(int clients) const {
    std::string said;
    // Its time begins before its clients are connected, and on a busy machine that may take all.
    for (int seconds = kPgbenchSeconds; seconds <= 32; seconds *= 2) {
      server_.execute("TRUNCATE raw", "raw");
      const std::string command = fmt::format(
          "'{}' -n -M prepared -D seq=0 -f '{}' -c {} -j 2 -T {} '{}' >'{}' 2>&1",
          server_.program("pgbench"), script_, clients, seconds, server_.url("raw"), said_);
      const int status = std::system(command.c_str());
      said = armature::read_file(said_);
      const std::size_t at = said.find("tps = ");
      if (status == 0 && at != std::string::npos)
        if (const double rate = std::atof(said.c_str() + at + 6); rate > 0) return rate;
    }
    fmt::print(stderr, "{}\n", said);
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  PostgresServer& server_;
  std::string script_;
  std::string said_;
};

// --- Nodes ---------------------------------------------------------------------------------------

// So many nodes on a database of their own, with experiments that they share out.
class Nodes {
 public:
  Nodes(PostgresServer& server, const std::string& command, std::size_t count, int experiments)
      : database_(fmt::format("nodes{}x{}", count, experiments)) {
    const std::string url = server.new_database(database_);
    armature::service::postgres::migrate(url);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned short port = free_port();
      ports.push_back(port);
      nodes_.push_back(std::make_unique<ServerProcess>(
          std::vector<std::string>{command, "serve", "--store", url, "--node",
                                   fmt::format("n{}", i), "--listen",
                                   fmt::format("127.0.0.1:{}", port), "--log", "none"},
          port));
    }
    // Until they know of each other the first ones would own everything.
    await(server, "SELECT count(*)::text FROM armature.nodes WHERE accepts", std::to_string(count));
    std::this_thread::sleep_for(1s);
    for (int i = 0; i < experiments; ++i) {
      experiments_.push_back(experiments == 1 ? "mail" : fmt::format("mail-{}", i));
      for (int tries = 0; create(ports[0], experiments_.back()) / 100 != 2; ++tries) {
        if (tries == 100) {
          fmt::print(stderr, "no experiment could be made\n");
          std::exit(1);
        }
        std::this_thread::sleep_for(100ms);
      }
    }
    shares = server.value(
        "SELECT string_agg(n::text, '/') FROM (SELECT count(*) AS n FROM armature.owners WHERE "
        "experiment > 0 GROUP BY node ORDER BY node) AS each",
        database_);
  }

  std::vector<BenchClient> clients(std::size_t count, Asks asks) const {
    std::vector<BenchClient> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all.emplace_back(ports, experiments_[i % experiments_.size()], asks, i + 1);
    return all;
  }
  double cpu() const {
    double seconds = 0;
    for (const auto& node : nodes_) seconds += node->cpu();
    return seconds;
  }

  std::vector<unsigned short> ports;
  std::string shares;  // how many experiments each has

 private:
  void await(PostgresServer& server, const std::string& sql, const std::string& value) const {
    for (int tries = 0; tries < 300 && server.value(sql, database_) != value; ++tries)
      std::this_thread::sleep_for(100ms);
  }

  std::string database_;
  std::vector<std::unique_ptr<ServerProcess>> nodes_;
  std::vector<std::string> experiments_;
};

// What a load costs, in microseconds of the processor an event.
struct Cost {
  double nodes = 0;
  double postgres = 0;
  double clients = 0;
};
struct Measured {
  Load load;
  Cost cost;
};

template <class NodesCpu>
Measured measured(std::vector<BenchClient> clients, const PostgresServer& postgres,
                  const NodesCpu& nodes_cpu) {
  const Cost before{nodes_cpu(), cpu_of_family(postgres.pid()), cpu_seconds()};
  Measured result;
  result.load = load(clients);
  const double each = 1e6 / result.load.count;
  result.cost.nodes = each * (nodes_cpu() - before.nodes);
  result.cost.postgres = each * (cpu_of_family(postgres.pid()) - before.postgres);
  result.cost.clients = each * (cpu_seconds() - before.clients);
  return result;
}

template <class Value>
double middle(const std::vector<Measured>& turns, const Value& value) {
  std::vector<double> values;
  for (const Measured& one : turns) values.push_back(value(one));
  return median(values);
}

// --- One node ------------------------------------------------------------------------------------

void one_node(PostgresServer& postgres, const std::string& command, const std::string& directory) {
  namespace service = armature::service;
  const Pgbench pgbench(postgres, directory);
  const Nodes node(postgres, command, 1, 1);
  const unsigned short port = free_port();
  const ServerProcess sqlite({command, "serve", directory + "/sqlite", "--listen",
                              fmt::format("127.0.0.1:{}", port), "--log", "none"},
                             port);
  if (create(port, "mail") / 100 != 2) std::exit(1);
  const std::string url = postgres.new_database("writer");
  service::postgres::migrate(url);
  service::Service writer(service::open_postgres_log({url, "writer"}), {});
  service::Creation pairs = service::bench::creation("pairs", "sentry");
  pairs.facts.settings.most_open = 5'000'000;
  writer.ask(service::Create{pairs});

  fmt::print("one node, load {}\n", load_average());
  fmt::print("{:22} {:>7} {:>9} {:>10} {:>9} {:>9} {:>7} {:>7}   {:>7} {:>9} {:>8}\n", "",
             "clients", "events/s", "/ pgbench", "/ SQLite", "/ sync", "p50 ms", "p99 ms",
             "us node", "us pg", "us client");
  for (const int clients : {1, 16, 256}) {
    std::vector<double> raw, rows, writer_events, writer_p50, writer_p99, writer_cpu;
    std::vector<Measured> on_postgres, on_sqlite;
    for (int turn = 0; turn < kTurns; ++turn) {
      raw.push_back(raw_syncs(directory));
      rows.push_back(pgbench.rate(clients));
      const service::bench::Load alone = service::bench::closed_loop(writer, clients, true);
      writer_events.push_back(alone.events);
      writer_p50.push_back(alone.p50);
      writer_p99.push_back(alone.p99);
      writer_cpu.push_back(alone.cpu);
      const auto count = static_cast<std::size_t>(clients);
      on_postgres.push_back(
          measured(node.clients(count, Asks::kOne), postgres, [&] { return node.cpu(); }));
      std::vector<BenchClient> to_sqlite;
      to_sqlite.reserve(count);
      for (std::size_t i = 0; i < count; ++i)
        to_sqlite.emplace_back(std::vector{port}, "mail", Asks::kOne, i);
      on_sqlite.push_back(measured(std::move(to_sqlite), postgres, [&] { return sqlite.cpu(); }));
    }
    const double unit = median(rows);
    const double sync = median(raw);
    const auto rate = [](const Measured& one) { return one.load.events; };
    const double beside = middle(on_sqlite, rate);
    fmt::print("{:22} {:7} {:9.0f} {:10.2f} {:9} {:9.2f}\n", "pgbench, a row each", clients, unit,
               1.0, "", unit / sync);
    fmt::print(
        "{:22} {:7} {:9.0f} {:10.2f} {:9} {:9.2f} {:7.2f} {:7.2f}   {:7.1f} (threads "
        "included)\n",
        "writer, no HTTP", clients, median(writer_events), median(writer_events) / unit, "",
        median(writer_events) / sync, median(writer_p50), median(writer_p99), median(writer_cpu));
    for (const auto& [name, turns] : {std::pair("node on PostgreSQL", &on_postgres),
                                      std::pair("serve DIR (SQLite)", &on_sqlite)})
      fmt::print(
          "{:22} {:7} {:9.0f} {:10.2f} {:9.2f} {:9.2f} {:7.2f} {:7.2f}   {:7.1f} {:9.1f} {:8.1f}\n",
          name, clients, middle(*turns, rate), middle(*turns, rate) / unit,
          middle(*turns, rate) / beside, middle(*turns, rate) / sync,
          middle(*turns, [](const Measured& one) { return one.load.p50; }),
          middle(*turns, [](const Measured& one) { return one.load.p99; }),
          middle(*turns, [](const Measured& one) { return one.cost.nodes; }),
          middle(*turns, [](const Measured& one) { return one.cost.postgres; }),
          middle(*turns, [](const Measured& one) { return one.cost.clients; }));
    std::fflush(stdout);
  }
}

// --- Several nodes -------------------------------------------------------------------------------

struct Case {
  const Nodes* nodes;
  Asks asks;
  std::vector<Measured> turns = {};
};

void several_nodes(PostgresServer& postgres, const std::vector<std::unique_ptr<Nodes>>& all) {
  fmt::print("\n{} experiments on 1, 2 and 4 nodes, load {}\n", kExperiments, load_average());
  for (const auto& nodes : all) fmt::print("{} nodes own {}\n", nodes->ports.size(), nodes->shares);
  fmt::print("{:5} {:7} {:8} {:>9} {:>8} {:>9} {:>8} {:>7} {:>7}   {:>7} {:>7} {:>9} {:>10}\n",
             "nodes", "clients", "ask", "events/s", "/ 1 node", "forwarded", "refused", "p50 ms",
             "p99 ms", "us node", "us pg", "us client", "cores used");
  for (const std::size_t clients : {std::size_t{64}, std::size_t{256}}) {
    std::vector<Case> cases;
    for (const Asks asks : {Asks::kAny, Asks::kOwner})
      for (const auto& nodes : all) cases.push_back({nodes.get(), asks});
    for (int turn = 0; turn < kTurns; ++turn)
      for (Case& one : cases)
        one.turns.push_back(measured(one.nodes->clients(clients, one.asks), postgres,
                                     [&] { return one.nodes->cpu(); }));
    double of_one = 0;
    for (const Case& one : cases) {
      const double rate = middle(one.turns, [](const Measured& at) { return at.load.events; });
      if (one.nodes->ports.size() == 1) of_one = rate;
      const Cost cost{middle(one.turns, [](const Measured& at) { return at.cost.nodes; }),
                      middle(one.turns, [](const Measured& at) { return at.cost.postgres; }),
                      middle(one.turns, [](const Measured& at) { return at.cost.clients; })};
      fmt::print(
          "{:5} {:7} {:8} {:9.0f} {:8.2f} {:8.0f}% {:7.2f}% {:7.2f} {:7.2f}   {:7.1f} {:7.1f} "
          "{:9.1f} {:10.2f}\n",
          one.nodes->ports.size(), clients, one.asks == Asks::kAny ? "any" : "owner", rate,
          rate / of_one,
          100 * middle(one.turns, [](const Measured& at) { return at.load.forwarded; }),
          100 * middle(one.turns, [](const Measured& at) { return at.load.refused; }),
          middle(one.turns, [](const Measured& at) { return at.load.p50; }),
          middle(one.turns, [](const Measured& at) { return at.load.p99; }), cost.nodes,
          cost.postgres, cost.clients, 1e-6 * rate * (cost.nodes + cost.postgres + cost.clients));
    }
    std::fflush(stdout);
  }
}

// One client with one experiment, by way of its owner and by way of the other node.
void hop(PostgresServer& postgres, const Nodes& two) {
  std::vector<std::vector<Measured>> ways(2);
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t first = 0; first < 2; ++first) {
      std::vector<BenchClient> one;
      one.emplace_back(std::vector{two.ports[first]}, "mail-0", Asks::kOne, 1);
      ways[first].push_back(measured(std::move(one), postgres, [&] { return two.cpu(); }));
    }
  const auto forwarded = [](const Measured& one) { return one.load.forwarded; };
  if (middle(ways[0], forwarded) > 0.5) std::swap(ways[0], ways[1]);
  fmt::print("\none client, load {}\n", load_average());
  fmt::print("{:18} {:>9} {:>7} {:>7} {:>8} {:>9}\n", "asks", "forwarded", "p50 ms", "p99 ms",
             "us nodes", "us pg");
  for (std::size_t i = 0; i < 2; ++i)
    fmt::print("{:18} {:8.0f}% {:7.2f} {:7.2f} {:8.0f} {:9.0f}\n",
               i == 0 ? "the owner" : "the other node", 100 * middle(ways[i], forwarded),
               middle(ways[i], [](const Measured& one) { return one.load.p50; }),
               middle(ways[i], [](const Measured& one) { return one.load.p99; }),
               middle(ways[i], [](const Measured& one) { return one.cost.nodes; }),
               middle(ways[i], [](const Measured& one) { return one.cost.postgres; }));
}

// Each client has a connection to each node.
void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace bench

int main(int count, char** arguments) {
  using namespace bench;
  if (count != 2) {
    fmt::print(stderr, "bench_service_nodes ARMATURE\n");
    return 2;
  }
  allow_many_files();
  std::string directory = std::filesystem::temp_directory_path() / "armature-bench-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return 2;
  {
    PostgresServer postgres({{"max_connections", "300"},  // pgbench's clients, and the nodes'
                             {"shared_buffers", "256MB"},
                             {"max_wal_size", "4GB"}});
    fmt::print("PostgreSQL {}, {} connections at most, fsync and synchronous_commit on; {} cores\n",
               postgres.value("SHOW server_version"), postgres.value("SHOW max_connections"),
               std::thread::hardware_concurrency());
    one_node(postgres, arguments[1], directory);
    std::vector<std::unique_ptr<Nodes>> all;
    for (const std::size_t nodes : {1, 2, 4})
      all.push_back(std::make_unique<Nodes>(postgres, arguments[1], nodes, kExperiments));
    several_nodes(postgres, all);
    hop(postgres, *all[1]);
  }
  std::filesystem::remove_all(directory);
  return 0;
}
