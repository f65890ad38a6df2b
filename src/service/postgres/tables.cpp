#include "service/postgres/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "service/postgres/stored_text.h"

namespace armature::service::postgres {
namespace {

constexpr std::int64_t kPage = 4'096;  // rows that are read at a time

constexpr const char* kEventColumns =
    "seq, kind::bigint, decision, key, time, epoch, action, ticket, position, propensity, context, "
    "reward, note";

// What stands in a row, or that it makes no sense.
template <class Read>
auto legible(const Read& read) {
  try {
    return read();
  } catch (const Failure&) {
    throw;
  } catch (const Error& error) {
    throw Unreadable(error.report());
  }
}

template <class Number>
Number whole_number(const Rows& rows, std::size_t row, int column) {
  const std::int64_t value = rows.integer(row, column);
  if (sizeof(Number) < sizeof value && !std::in_range<Number>(value))
    throw Error({"", fmt::format("column {}", column), fmt::format("{}", value),
                 fmt::format("a whole number up to {}", std::numeric_limits<Number>::max())});
  return static_cast<Number>(value);
}
template <class Number>
std::optional<Number> number_of(const Rows& rows, std::size_t row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return whole_number<Number>(rows, row, column);
}
std::optional<double> real_of(const Rows& rows, std::size_t row, int column) {
  return rows.is_null(row, column) ? std::nullopt : std::optional(rows.real(row, column));
}

Event read_event(const Rows& rows, std::size_t row) {
  Event event;
  event.seq = whole(rows.integer(row, 0));
  event.kind = event_kind(rows.integer(row, 1));
  event.decision = number_of<Sequence>(rows, row, 2);
  event.key = rows.bytes(row, 3);
  event.time = rows.integer(row, 4);
  event.epoch = whole_number<EpochNumber>(rows, row, 5);
  event.action = number_of<Arm>(rows, row, 6);
  event.ticket = number_of<std::uint64_t>(rows, row, 7);
  event.position = number_of<std::uint64_t>(rows, row, 8);
  event.propensity = real_of(rows, row, 9);
  event.context = number_of<Context>(rows, row, 10);
  event.reward = real_of(rows, row, 11);
  event.note = text_of(rows.text(row, 12));
  return event;
}

std::shared_ptr<const Epoch> read_epoch(const Rows& rows, std::size_t row,
                                        const std::string& path) {
  auto epoch = std::make_shared<Epoch>();
  epoch->number = whole_number<EpochNumber>(rows, row, 0);
  epoch->first = whole(rows.integer(row, 1));
  epoch->problem = read_problem(rows.text(row, 2), path);
  epoch->policy = text_of(rows.text(row, 3));
  epoch->written = text_of(rows.text(row, 4));
  const std::int64_t start = rows.integer(row, 5);
  if (start < 0 || start > static_cast<std::int64_t>(Start::kSince))
    throw Error({path, "start", fmt::format("{}", start), "one this program knows"});
  epoch->start = static_cast<Start>(start);
  epoch->since = whole(rows.integer(row, 6));
  epoch->reason = text_of(rows.text(row, 7));
  epoch->build = rows.text(row, 8);
  return epoch;
}

std::vector<std::string> texts_of(const std::string& json) {
  return nlohmann::json::parse(json).get<std::vector<std::string>>();
}

constexpr const char* kTokenRows =
    "SELECT hash, name, tenant, roles, experiments, created, expires FROM armature.tokens ORDER BY "
    "created, hash";
std::vector<Token> tokens_of(const Rows& rows) {
  std::vector<Token> tokens;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Token token{
        rows.text(row, 0),    text_of(rows.text(row, 1)),   text_of(rows.text(row, 2)), {}, {},
        rows.integer(row, 5), number_of<Time>(rows, row, 6)};
    // One that makes no sense is there, and may do nothing.
    try {
      token.experiments = texts_of(rows.text(row, 4));
      token.roles = texts_of(rows.text(row, 3));
    } catch (const nlohmann::json::exception&) {
      token.roles.clear();
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace

std::vector<StoredExperiment> Tables::experiments(const std::set<ExperimentId>* only) {
  std::string statement =
      "SELECT id, name, tenant, seed, settings, created FROM "
      "armature.experiments";
  Parameters which;
  if (only != nullptr) {
    statement += " WHERE id = ANY($1)";
    which.add(std::vector<std::int64_t>(only->begin(), only->end()));
  }
  const Rows rows = line_.ask(statement + " ORDER BY id", which);
  std::vector<StoredExperiment> experiments;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    StoredExperiment one;
    one.id = rows.integer(row, 0);
    one.facts.name = rows.text(row, 1);
    one.facts.tenant = text_of(rows.text(row, 2));
    one.facts.seed = whole(rows.integer(row, 3));
    try {
      one.facts.settings = read_settings(rows.text(row, 4), line_.shown());
      one.facts.created = rows.integer(row, 5);
    } catch (const Error& error) {  // of this one: the others are none the worse for it
      one.damage = error.what();
    }
    experiments.push_back(std::move(one));
  }
  return experiments;
}

std::vector<std::shared_ptr<const Epoch>> Tables::epochs(ExperimentId experiment) {
  const Rows rows = line_.ask(
      "SELECT epoch, first_seq, problem, policy, written, start::bigint, since, reason, build "
      "FROM armature.epochs WHERE experiment = $1 ORDER BY epoch",
      Parameters().add(experiment));
  std::vector<std::shared_ptr<const Epoch>> epochs;
  for (std::size_t row = 0; row < rows.size(); ++row)
    epochs.push_back(legible([&] { return read_epoch(rows, row, line_.shown()); }));
  return epochs;
}

Sequence Tables::first(ExperimentId experiment) {
  return seq_or_none("SELECT min(seq) FROM armature.events WHERE experiment = $1", experiment);
}
Sequence Tables::last(ExperimentId experiment) {
  return seq_or_none("SELECT max(seq) FROM armature.events WHERE experiment = $1", experiment);
}

std::optional<Event> Tables::event(ExperimentId experiment, Sequence seq) {
  static const std::string kStatement = fmt::format(
      "SELECT {} FROM armature.events WHERE experiment = $1 AND seq = $2", kEventColumns);
  const Rows rows = line_.ask(kStatement, Parameters().add(experiment).add(bits(seq)));
  if (rows.size() == 0) return std::nullopt;
  return event_of(experiment, rows, 0);
}

// A page at a time: no transaction stays open for a slow visitor, and what is there stays.
void Tables::walk(ExperimentId experiment, Sequence from, Sequence before,
                  const LogReader::Visit& visit) {
  static const std::string kStatement = fmt::format(
      "SELECT {} FROM armature.events WHERE experiment = $1 AND seq >= $2 AND seq < $3 ORDER BY "
      "seq LIMIT $4",
      kEventColumns);
  const auto limit = std::min<Sequence>(before, std::numeric_limits<std::int64_t>::max());
  while (from < limit) {
    const Rows rows = line_.ask(
        kStatement, Parameters().add(experiment).add(bits(from)).add(bits(limit)).add(kPage));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Event event = event_of(experiment, rows, row);
      from = event.seq + 1;
      visit(event);
    }
    if (rows.size() < static_cast<std::size_t>(kPage)) return;
  }
}

void Tables::walk_keys(ExperimentId experiment, Sequence last,
                       const std::function<bool(const KeyedDecision&)>& visit) {
  for (;;) {
    const Rows rows = line_.ask(
        "SELECT key, seq, time FROM armature.events WHERE experiment = $1 AND seq <= $2 AND key "
        "IS NOT NULL ORDER BY seq DESC LIMIT $3",
        Parameters().add(experiment).add(bits(last)).add(kPage));
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (!visit({rows.bytes(row, 0), whole(rows.integer(row, 1)), rows.integer(row, 2)})) return;
    if (rows.size() < static_cast<std::size_t>(kPage)) return;
    last = whole(rows.integer(rows.size() - 1, 1)) - 1;
  }
}

std::optional<Closing> Tables::closing(ExperimentId experiment, Sequence decision) {
  const Rows rows =
      line_.ask("SELECT seq, late FROM armature.closed WHERE experiment = $1 AND decision = $2",
                Parameters().add(experiment).add(bits(decision)));
  if (rows.size() == 0) return std::nullopt;
  return Closing{whole(rows.integer(0, 0)), number_of<Sequence>(rows, 0, 1)};
}

std::vector<Sequence> Tables::snapshots(ExperimentId experiment) {
  const Rows rows =
      line_.ask("SELECT seq FROM armature.snapshots WHERE experiment = $1 ORDER BY seq DESC",
                Parameters().add(experiment));
  std::vector<Sequence> snapshots;
  for (std::size_t row = 0; row < rows.size(); ++row)
    snapshots.push_back(whole(rows.integer(row, 0)));
  return snapshots;
}

std::optional<Snapshot> Tables::snapshot(ExperimentId experiment, Sequence seq) {
  const Rows rows = line_.ask(
      "SELECT seq, digest, anchor, state FROM armature.snapshots WHERE experiment = $1 AND seq = "
      "$2",
      Parameters().add(experiment).add(bits(seq)));
  if (rows.size() == 0) return std::nullopt;
  return Snapshot{whole(rows.integer(0, 0)), whole(rows.integer(0, 1)), rows.flag(0, 2),
                  rows.bytes(0, 3)};
}

std::vector<Token> Tables::tokens() { return tokens_of(line_.ask(kTokenRows)); }

std::vector<Token> tokens_in(Connection& connection) {
  return tokens_of(connection.execute(kTokenRows));
}

Sequence Tables::seq_or_none(const char* statement, ExperimentId experiment) {
  const Rows rows = line_.ask(statement, Parameters().add(experiment));
  return rows.is_null(0, 0) ? 0 : whole(rows.integer(0, 0));
}

Event Tables::event_of(ExperimentId experiment, const Rows& rows, std::size_t row) {
  Event event = legible([&] { return read_event(rows, row); });
  if (event.kind != EventKind::kEpoch) return event;
  const auto all = epochs(experiment);
  const auto opened = std::find_if(all.begin(), all.end(),
                                   [&](const auto& epoch) { return epoch->first == event.seq; });
  if (opened == all.end())
    throw Unreadable({line_.shown(), fmt::format("event {}", event.seq), "an epoch without its row",
                      "one that is there"});
  event.opened = *opened;
  return event;
}

}  // namespace armature::service::postgres
