#include "service/postgres/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>

#include "service/facts.h"
#include "service/postgres/schema.h"
#include "service/postgres/tables.h"
#include "service/summary_json.h"

namespace armature::service::postgres {
namespace {

// Stamps of summaries are handed out before they are committed, so that a smaller one may come
// after a larger one: so many are looked at again.
constexpr std::int64_t kStampsBack = 1'000;
constexpr const char* kHands = "armature";
constexpr const char* kSummaries = "armature_summaries";

std::int64_t random_run() {
  std::random_device device;
  return static_cast<std::int64_t>((std::uint64_t{device()} << 31) ^ device());
}

}  // namespace

Registry::Registry(Options options) : options_(std::move(options)), run_(random_run()) {}

// Leases and summaries need no sync: whoever loses them to a power cut takes new ones.
Connection& Registry::connected() {
  if (connection_ && !connection_->lost()) return *connection_;
  connection_.reset();
  auto next = std::make_unique<Connection>(
      options_.store,
      Connection::Options{.patience = std::max(options_.lease, std::chrono::milliseconds(2'000)),
                          .settings = {"synchronous_commit = off"}});
  require_tables(*next);
  next->execute(fmt::format("LISTEN {}", kHands));
  next->execute(fmt::format("LISTEN {}", kSummaries));
  connection_ = std::move(next);
  return *connection_;
}

void Registry::enter() {
  const double lease = static_cast<double>(options_.lease.count()) / 1000;
  std::string until;
  for (;;) {
    const Rows entered = connected().execute(
        fmt::format("WITH mine AS (INSERT INTO armature.nodes AS n (name, run, url, accepts, "
                    "build, lease_until) VALUES ($1, $2, $3, true, $4, clock_timestamp() + "
                    "interval '{} seconds') ON CONFLICT (name) DO UPDATE SET run = excluded.run, "
                    "url = excluded.url, accepts = true, build = excluded.build, lease_until = "
                    "excluded.lease_until WHERE n.lease_until < clock_timestamp() OR n.url = "
                    "excluded.url RETURNING 1) SELECT pg_notify('{}', '')::text FROM mine",
                    lease, kHands),
        Parameters()
            .add_text(options_.node)
            .add(run_)
            .add_text(options_.url)
            .add_text(this_build()));
    if (entered.size() > 0) break;
    const Rows other = connected().execute(
        "SELECT url, lease_until::text FROM armature.nodes WHERE name = $1 AND lease_until > "
        "clock_timestamp()",
        Parameters().add_text(options_.node));
    if (other.size() > 0) {
      if (!until.empty() && other.text(0, 1) != until)
        throw Error({shown_url(options_.store), "--node", "'" + options_.node + "'",
                     "a name of its own: one of this name is at work at " + other.text(0, 0)});
      until = other.text(0, 1);
    }
    std::this_thread::sleep_for(std::min(options_.lease / 8, std::chrono::milliseconds(500)));
  }
  // Names that nobody will hear of again; what they owned is anybody's.
  connected().execute(
      "DELETE FROM armature.nodes WHERE lease_until < clock_timestamp() - interval '1 day'");
}

bool Registry::renew(bool accepts) {
  // What others should know at once is said; that all is as it was they see when they look.
  const Rows rows = connected().execute(
      fmt::format("WITH before AS (SELECT accepts FROM armature.nodes WHERE name = $1 AND run = "
                  "$2), renewed AS (UPDATE armature.nodes SET accepts = $3, lease_until = "
                  "clock_timestamp() + interval '{} seconds' WHERE name = $1 AND run = $2 "
                  "RETURNING 1) SELECT CASE WHEN b.accepts <> $3 THEN pg_notify('{}', '')::text "
                  "END FROM renewed, before b",
                  static_cast<double>(options_.lease.count()) / 1000, kHands),
      Parameters().add_text(options_.node).add(run_).add(accepts));
  return rows.size() > 0;
}

void Registry::disown_all() {
  connected().execute(
      fmt::format(
          "WITH freed AS (UPDATE armature.owners SET node = NULL WHERE node = $1 AND EXISTS "
          "(SELECT 1 FROM armature.nodes WHERE name = $1 AND run = $2) RETURNING 1) SELECT "
          "pg_notify('{}', '')::text FROM freed",
          kHands),
      Parameters().add_text(options_.node).add(run_));
}

void Registry::leave() {
  connected().execute(
      fmt::format("WITH gone AS (DELETE FROM armature.nodes WHERE name = $1 AND run = $2 RETURNING "
                  "1) SELECT pg_notify('{}', '')::text FROM gone",
                  kHands),
      Parameters().add_text(options_.node).add(run_));
}

ClusterView Registry::view() {
  ClusterView view;
  const Rows nodes = connected().execute(
      "SELECT name, url, lease_until > clock_timestamp(), accepts FROM armature.nodes ORDER BY "
      "name");
  for (std::size_t row = 0; row < nodes.size(); ++row)
    view.nodes.push_back(
        {nodes.text(row, 0), nodes.text(row, 1), nodes.flag(row, 2), nodes.flag(row, 3)});
  const Rows owners = connected().execute(
      "SELECT o.experiment, e.name, o.node FROM armature.owners o LEFT JOIN armature.experiments e "
      "ON e.id = o.experiment ORDER BY o.experiment");
  for (std::size_t row = 0; row < owners.size(); ++row)
    view.experiments.push_back({owners.integer(row, 0), owners.text(row, 1), owners.text(row, 2)});
  return view;
}

std::vector<Token> Registry::tokens() { return tokens_in(connected()); }

void Registry::show(const std::vector<std::shared_ptr<const Summary>>& summaries) {
  if (summaries.empty()) return;
  std::vector<std::optional<std::string>> names;
  std::vector<std::optional<std::string>> texts;
  std::vector<std::int64_t> seqs;
  for (const auto& summary : summaries) {
    names.emplace_back(summary->facts.name);
    seqs.push_back(static_cast<std::int64_t>(summary->seq));
    texts.emplace_back(write_summary(*summary));
  }
  const Rows rows = connected().execute(
      fmt::format(
          "WITH shown AS (INSERT INTO armature.summaries AS s (experiment, seq, stamp, "
          "summary) SELECT e.id, n.seq, nextval('armature.summary_stamps'), n.summary FROM "
          "unnest($1, $2, $3) AS n(name, seq, summary) JOIN armature.experiments e ON "
          "e.name = n.name ON CONFLICT (experiment) DO UPDATE SET seq = excluded.seq, "
          "stamp = excluded.stamp, summary = excluded.summary WHERE excluded.seq >= s.seq "
          "RETURNING experiment, stamp) SELECT experiment, stamp, pg_notify('{}', '')::text FROM "
          "shown",
          kSummaries),
      Parameters().add_texts(names).add(seqs).add_texts(texts));
  for (std::size_t row = 0; row < rows.size(); ++row)
    own_[rows.integer(row, 0)] = rows.integer(row, 1);
}

std::vector<std::pair<ExperimentId, Summary>> Registry::shown() {
  std::int64_t newest = 0;
  for (const auto& [experiment, stamp] : seen_) newest = std::max(newest, stamp);
  const Rows stamps =
      connected().execute("SELECT experiment, stamp FROM armature.summaries WHERE stamp > $1",
                          Parameters().add(newest - kStampsBack));
  std::vector<std::int64_t> changed;
  for (std::size_t row = 0; row < stamps.size(); ++row) {
    const ExperimentId experiment = stamps.integer(row, 0);
    const std::int64_t stamp = stamps.integer(row, 1);
    const auto own = own_.find(experiment);
    const bool is_own = own != own_.end() && own->second == stamp;
    const auto known = seen_.find(experiment);
    if ((known == seen_.end() || known->second != stamp) && !is_own) changed.push_back(experiment);
  }
  const Rows rows = connected().execute(
      "SELECT experiment, summary FROM armature.summaries WHERE experiment = ANY($1)",
      Parameters().add(changed));
  for (std::size_t row = 0; row < stamps.size(); ++row)
    seen_[stamps.integer(row, 0)] = stamps.integer(row, 1);
  std::vector<std::pair<ExperimentId, Summary>> news;
  for (std::size_t row = 0; row < rows.size(); ++row) try {
      news.emplace_back(rows.integer(row, 0), read_summary(rows.text(row, 1), "summary"));
    } catch (const Error&) {  // of another version, perhaps: its owner will show a new one
    }
  return news;
}

Registry::News Registry::news() {
  const std::set<std::string> channels = connected().notified();
  return {channels.contains(kHands), channels.contains(kSummaries)};
}

void Registry::wait(std::chrono::milliseconds most, int descriptor) {
  connected().wait(most, descriptor);
}

std::string peer_secret_of(const std::string& url) {
  Connection connection(url, {});
  require_tables(connection);
  return peer_secret(connection);
}

}  // namespace armature::service::postgres
