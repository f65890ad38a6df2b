#include "fault/cluster.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "service/postgres/postgres_log.h"
#include "service/postgres/schema.h"

namespace armature::service::test {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// An experiment that is out of service for good says so in the same way: no fault of the world
// around it is a reason for that.
bool may_be_asked_again(const Reply& reply) {
  return reply.status == 503 && reply.headers.contains("retry-after") &&
         reply.body.find("quarantined") == std::string::npos;
}

}  // namespace

Cluster::Cluster(std::size_t nodes, std::vector<std::string> experiments, std::string lease)
    : experiments_(std::move(experiments)), lease_(std::move(lease)) {
  postgres::migrate(database_.new_database(kDatabase));
  for (std::size_t i = 0; i < nodes; ++i) nodes_.push_back(std::make_unique<Node>(database_));
  for (std::size_t i = 0; i < nodes; ++i) start(i);
  for (const std::string& experiment : experiments_) {
    const Reply reply = any_node(*this, 0)("/v1/experiments", mail_named(experiment), "");
    // Asked again after an answer that was lost it is there already.
    EXPECT_TRUE(reply.status == 201 || reply.status == 409) << reply.body;
  }
}

void Cluster::start(std::size_t node, const Environment& environment) {
  Node& one = *nodes_[node];
  std::vector<std::string> arguments = {
      "--store",   PostgresServer::url_through(one.to_store.port(), kDatabase),
      "--log",     "none",
      "--node",    name(node),
      "--listen",  fmt::format("127.0.0.1:{}", one.port.number()),
      "--address", fmt::format("127.0.0.1:{}", one.from_others.port())};
  if (!lease_.empty()) arguments.insert(arguments.end(), {"--lease", lease_});
  const auto late = Steady::now() + kPatience;
  do {
    one.process = std::make_unique<ServeProcess>(arguments, environment);
    if (one.process->port() != 0) {
      ++one.lives;
      return;
    }
  } while (Steady::now() < late);
  ADD_FAILURE() << "node " << name(node) << " does not start: " << one.process->journal();
}

int Cluster::end(std::size_t node, int signal) {
  if (nodes_[node]->process->running()) ++nodes_[node]->lives;
  return nodes_[node]->process->end(signal);
}

std::optional<int> Cluster::life(std::size_t node) const {
  const int lives = nodes_[node]->lives;
  return lives % 2 == 1 ? std::optional(lives) : std::nullopt;
}

std::optional<std::size_t> Cluster::owner(const std::string& experiment) const {
  const std::string node = value(
      "SELECT o.node FROM armature.owners o JOIN armature.experiments e ON e.id = o.experiment "
      "WHERE e.name = '" +
      experiment + "'");
  if (node.empty()) return {};
  return static_cast<std::size_t>(node[0] - 'a');
}

std::optional<std::size_t> Cluster::node_at(const std::string& url) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (url == fmt::format("http://127.0.0.1:{}", nodes_[i]->from_others.port())) return i;
  return {};
}

bool Cluster::settle(Promises& promises) {
  ++settled_;
  for (const std::string& experiment : experiments_)
    if (!decides_everywhere(experiment, promises)) {
      ADD_FAILURE() << experiment << " does not settle";
      for (std::size_t i = 0; i < size(); ++i)
        ADD_FAILURE() << "node " << name(i) << ": " << journal(i);
      return false;
    }
  return true;
}

std::string Cluster::decide(std::size_t node, const std::string& experiment, const std::string& key,
                            Promises& promises) const {
  for (const auto late = Steady::now() + kPatience; Steady::now() < late;) {
    try {
      Client client(port(node), "", kClientPatience);
      const Reply reply =
          client.post("/v1/experiments/" + experiment + "/decide", "{\"key\": \"" + key + "\"}");
      if (reply.status == 200) {
        promises.decided(reply.json().at("decision"), reply.json().at("action"), key);
        return reply.headers.at("armature-owner");
      }
      if (!may_be_asked_again(reply)) {
        ADD_FAILURE() << reply.status << " " << reply.body;
        return "";
      }
    } catch (const Disconnected&) {
    }
    std::this_thread::sleep_for(kPause);
  }
  ADD_FAILURE() << name(node) << " does not decide " << experiment;
  return "";
}

bool Cluster::decides_everywhere(const std::string& experiment, Promises& promises) const {
  const auto late = Steady::now() + kPatience;
  for (int round = 0; Steady::now() < late; ++round) {
    std::set<std::string> owners;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::string key = fmt::format("settled-{}-{}-{}", settled_, round, name(i));
      owners.insert(decide(i, experiment, key, promises));
    }
    if (owners.contains("")) return false;
    if (owners.size() == 1) return true;
  }
  return false;
}

void Cluster::stop() {
  for (std::size_t i = 0; i < size(); ++i) {
    const int status = end(i, SIGTERM);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "node " << name(i) << ": " << status << " " << journal(i);
  }
}

std::vector<std::string> Cluster::wrong(const Promises& promises) const {
  std::vector<std::string> wrong;
  // By the rows themselves, before anything of ours has read them.
  const std::pair<const char*, const char*> none[] = {
      {"SELECT count(*) FROM (SELECT 1 FROM armature.events GROUP BY experiment, seq HAVING "
       "count(*) > 1) d",
       "events that are there twice"},
      {"SELECT count(*) FROM (SELECT 1 FROM armature.events GROUP BY experiment HAVING max(seq) <> "
       "count(DISTINCT seq)) g",
       "histories with gaps"},
      {"SELECT count(*) FROM (SELECT 1 FROM armature.events WHERE key IS NOT NULL GROUP BY "
       "experiment, substring(key, 1, 16) HAVING count(*) > 1) k",
       "keys with two decisions"},
      {"SELECT count(*) FROM armature.experiments e LEFT JOIN armature.owners o ON o.experiment = "
       "e.id WHERE o.epoch IS NULL OR o.node IS NOT NULL",
       "experiments that nobody has let go of"},
      {"SELECT count(*) FROM armature.nodes", "nodes that have not left"}};
  for (const auto& [query, what] : none)
    if (const std::string count = value(query); count != "0") wrong.push_back(count + " " + what);
  const auto log = read_postgres_log(url());
  std::size_t experiments = 0;
  for (const CheckedExperiment& one : check_log(*log)) {
    ++experiments;
    if (!one.trouble.empty()) wrong.push_back(one.name + ": " + one.trouble);
    if (!one.before.empty()) wrong.push_back(one.name + ", before: " + one.before);
  }
  if (experiments != experiments_.size())
    wrong.push_back(fmt::format("{} experiments", experiments));
  for (const std::string& line : promises.broken_in(*log)) wrong.push_back(line);
  return wrong;
}

Insist any_node(const Cluster& cluster, std::uint32_t number, bool polite) {
  struct Line {
    std::unique_ptr<Client> client;
    std::optional<int> life;  // of the node, when it began
  };
  struct Way {
    Way(const Cluster& cluster, std::uint32_t number)
        : luck({51, number, Purpose::kTest}), lines(cluster.size()) {}
    Stream luck;
    std::vector<Line> lines;          // one to each node
    std::optional<std::size_t> next;  // one that was recommended
  };
  return [&cluster, polite, way = std::make_shared<Way>(cluster, number)](
             const auto& target, const auto& body, const auto& headers) -> Reply {
    for (const auto late = Steady::now() + kPatience; Steady::now() < late;) {
      const std::size_t node = way->next.value_or(way->luck.next_u64() % cluster.size());
      way->next.reset();
      Line& line = way->lines[node];
      if (!line.client)
        line = {
            std::make_unique<Client>(cluster.port(node), "", polite ? kPatience : kClientPatience),
            cluster.life(node)};
      try {
        Reply reply = line.client->post(target, body, headers);
        if (reply.headers.contains("armature-owner") && way->luck.open_uniform() < 0.3)
          way->next = cluster.node_at(reply.headers.at("armature-owner"));
        if (!may_be_asked_again(reply)) return reply;
      } catch (const Disconnected&) {
        if (polite && line.life && line.life == cluster.life(node))
          throw std::runtime_error(target + ": cut off by " + Cluster::name(node));
        line.client.reset();
      }
      std::this_thread::sleep_for(kPause);
    }
    throw std::runtime_error(target + ": nobody answers");
  };
}

}  // namespace armature::service::test
