#include "service/postgres/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "service/postgres/stored_text.h"
#include "service/postgres/tables.h"

namespace armature::service::postgres {
namespace {

using Integers = std::vector<std::int64_t>;
using OptionalIntegers = std::vector<std::optional<std::int64_t>>;
using OptionalReals = std::vector<std::optional<double>>;
using OptionalTexts = std::vector<std::optional<std::string>>;
using WrittenTo = std::map<ExperimentId, Written>;

// Put together of the parts that the batch needs: each is a part of WITH and has its parameters.
// All of them are done, or none: behind the gate.
class Statement {
 public:
  /// The next so many places: $4, $5, $6.
  std::string places(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{}${}", i > 0 ? ", " : "", ++places_);
    return text;
  }
  void add(const std::string& part) { parts_ += (parts_.empty() ? "WITH " : ",\n") + part; }
  std::string text(const std::string& end) const { return parts_ + "\n" + end; }
  Parameters parameters;

 private:
  int places_ = 0;
  std::string parts_;
};

template <class Number>
std::optional<std::int64_t> integer_of(const std::optional<Number>& number) {
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}
std::string json_of(const std::vector<std::string>& texts) { return nlohmann::json(texts).dump(); }

// Each experiment of the batch must be this one's in that epoch. Who holds the row for share keeps
// whoever wants it waiting until this statement has ended, one way or the other; whoever has just
// taken it, or is about to, is not waited for: then it is not ours any more. And events follow each
// other: a database that was put back to an earlier day lacks what this one remembers.
void add_gate(Statement& statement, const Batch& batch, const Held& held) {
  Integers experiments;
  Integers epochs;
  for (const auto& [experiment, epoch] : held) {
    experiments.push_back(experiment);
    epochs.push_back(epoch);
  }
  Integers written;
  Integers last;
  for (const auto& [experiment, one] : batch.of)
    if (!one.events.empty() && one.events.front().seq > 1 && !batch.archived.contains(experiment)) {
      written.push_back(experiment);
      last.push_back(bits(one.events.front().seq - 1));
    }
  statement.add(fmt::format("asked AS (SELECT * FROM unnest({}) AS a(experiment, epoch))",
                            statement.places(2)));
  statement.parameters.add(experiments).add(epochs);
  statement.add(
      "held AS (SELECT o.experiment FROM armature.owners o JOIN asked a ON o.experiment = "
      "a.experiment AND o.epoch = a.epoch ORDER BY o.experiment FOR SHARE OF o SKIP LOCKED)");
  statement.add(fmt::format(
      "preceded AS (SELECT count(*) AS number FROM unnest({}) AS b(experiment, seq) WHERE EXISTS "
      "(SELECT 1 FROM armature.events e WHERE e.experiment = b.experiment AND e.seq = b.seq))",
      statement.places(2)));
  statement.parameters.add(written).add(last);
  statement.add(fmt::format(
      "gate AS (SELECT 1 WHERE ((SELECT count(*) FROM held), (SELECT number FROM preceded)) = "
      "({}))",
      statement.places(2)));
  statement.parameters.add(static_cast<std::int64_t>(held.size()))
      .add(static_cast<std::int64_t>(written.size()));
}

void add_created(Statement& statement, const std::vector<StoredExperiment>& created,
                 const std::string& node) {
  if (created.empty()) return;
  Integers ids;
  Integers seeds;
  Integers times;
  OptionalTexts names;
  OptionalTexts tenants;
  OptionalTexts settings;
  for (const StoredExperiment& one : created) {
    ids.push_back(one.id);
    names.emplace_back(one.facts.name);
    tenants.emplace_back(stored_text(one.facts.tenant));
    seeds.push_back(bits(one.facts.seed));
    settings.emplace_back(write_settings(one.facts.settings));
    times.push_back(one.facts.created);
  }
  statement.add(fmt::format(
      "created AS (INSERT INTO armature.experiments(id, name, tenant, seed, settings, created) "
      "SELECT c.* FROM gate, unnest({}) AS c RETURNING id)",
      statement.places(6)));
  statement.parameters.add(ids).add_texts(names).add_texts(tenants).add(seeds).add_texts(settings);
  statement.parameters.add(times);
  statement.add(fmt::format(
      "owned AS (INSERT INTO armature.owners(experiment, node, epoch) SELECT id, nullif({}, ''), 1 "
      "FROM created)",
      statement.places(1)));
  statement.parameters.add_text(node);
}

void add_events(Statement& statement, const WrittenTo& written) {
  Integers experiments;
  Integers seqs;
  Integers kinds;
  OptionalIntegers decisions;
  OptionalTexts keys;
  Integers times;
  Integers epochs;
  OptionalIntegers actions;
  OptionalIntegers tickets;
  OptionalIntegers positions;
  OptionalReals propensities;
  OptionalIntegers contexts;
  OptionalReals rewards;
  OptionalTexts notes;
  for (const auto& [experiment, one] : written)
    for (const Event& event : one.events) {
      experiments.push_back(experiment);
      seqs.push_back(bits(event.seq));
      kinds.push_back(static_cast<std::int64_t>(event.kind));
      decisions.push_back(integer_of(event.decision));
      keys.push_back(event.key.empty() ? std::nullopt : std::optional(event.key));
      times.push_back(event.time);
      epochs.push_back(static_cast<std::int64_t>(event.epoch));
      actions.push_back(integer_of(event.action));
      tickets.push_back(integer_of(event.ticket));
      positions.push_back(integer_of(event.position));
      propensities.push_back(event.propensity);
      contexts.push_back(integer_of(event.context));
      rewards.push_back(event.reward);
      notes.push_back(event.note.empty() ? std::nullopt : std::optional(stored_text(event.note)));
    }
  if (experiments.empty()) return;
  statement.add(fmt::format(
      "events AS (INSERT INTO armature.events(experiment, seq, kind, decision, key, time, epoch, "
      "action, ticket, position, propensity, context, reward, note) SELECT e.* FROM gate, "
      "unnest({}) AS e)",
      statement.places(14)));
  statement.parameters.add(experiments).add(seqs).add(kinds).add(decisions).add_many_bytes(keys);
  statement.parameters.add(times).add(epochs).add(actions).add(tickets).add(positions);
  statement.parameters.add(propensities).add(contexts).add(rewards).add_texts(notes);
}

void add_closings(Statement& statement, const WrittenTo& written) {
  Integers experiments;
  Integers decisions;
  Integers seqs;
  OptionalIntegers lates;
  for (const auto& [experiment, one] : written)
    for (const auto& [decision, closing] : one.closings) {
      experiments.push_back(experiment);
      decisions.push_back(bits(decision));
      seqs.push_back(bits(closing.seq));
      lates.push_back(integer_of(closing.late));
    }
  if (experiments.empty()) return;
  statement.add(fmt::format(
      "closed AS (INSERT INTO armature.closed(experiment, decision, seq, late) SELECT c.* FROM "
      "gate, unnest({}) AS c ON CONFLICT (experiment, decision) DO UPDATE SET late = "
      "excluded.late)",
      statement.places(4)));
  statement.parameters.add(experiments).add(decisions).add(seqs).add(lates);
}

void add_epochs(Statement& statement, const Batch& batch) {
  std::vector<std::pair<ExperimentId, const Epoch*>> opened;
  for (const auto& [experiment, epochs] : batch.archived)
    for (const auto& epoch : epochs) opened.emplace_back(experiment, epoch.get());
  for (const auto& [experiment, one] : batch.of)
    for (const Event& event : one.events)
      if (event.opened) opened.emplace_back(experiment, event.opened.get());
  if (opened.empty()) return;
  Integers experiments;
  Integers numbers;
  Integers firsts;
  OptionalTexts problems;
  OptionalTexts policies;
  OptionalTexts texts;
  Integers starts;
  Integers sinces;
  OptionalTexts reasons;
  OptionalTexts builds;
  for (const auto& [experiment, epoch] : opened) {
    experiments.push_back(experiment);
    numbers.push_back(static_cast<std::int64_t>(epoch->number));
    firsts.push_back(bits(epoch->first));
    problems.emplace_back(write_problem(epoch->problem));
    policies.emplace_back(stored_text(epoch->policy));
    texts.emplace_back(stored_text(epoch->written));
    starts.push_back(static_cast<std::int64_t>(epoch->start));
    sinces.push_back(bits(epoch->since));
    reasons.emplace_back(stored_text(epoch->reason));
    builds.emplace_back(epoch->build);
  }
  statement.add(fmt::format(
      "epochs AS (INSERT INTO armature.epochs(experiment, epoch, first_seq, problem, policy, "
      "written, start, since, reason, build) SELECT e.* FROM gate, unnest({}) AS e)",
      statement.places(10)));
  statement.parameters.add(experiments).add(numbers).add(firsts).add_texts(problems);
  statement.parameters.add_texts(policies).add_texts(texts).add(starts).add(sinces);
  statement.parameters.add_texts(reasons).add_texts(builds);
}

// Of those that are no anchors the two newest stay. A statement does not see what it adds itself:
// what is there and what comes are counted together.
void add_snapshots(Statement& statement, const WrittenTo& written) {
  Integers experiments;
  Integers seqs;
  Integers anchors;
  Integers digests;
  OptionalTexts states;
  for (const auto& [experiment, one] : written)
    for (const auto& [seq, snapshot] : one.snapshots) {
      experiments.push_back(experiment);
      seqs.push_back(bits(seq));
      anchors.push_back(snapshot.anchor ? 1 : 0);
      digests.push_back(bits(snapshot.digest));
      states.emplace_back(snapshot.state);
    }
  if (experiments.empty()) return;
  statement.add(fmt::format(
      "kept AS (SELECT experiment, seq, anchor = 1 AS anchor, digest, state FROM unnest({}) AS "
      "k(experiment, seq, anchor, digest, state))",
      statement.places(5)));
  statement.parameters.add(experiments).add(seqs).add(anchors).add(digests).add_many_bytes(states);
  statement.add(
      "snapshots AS (INSERT INTO armature.snapshots(experiment, seq, anchor, digest, state) SELECT "
      "k.* FROM gate, kept k ON CONFLICT (experiment, seq) DO UPDATE SET anchor = excluded.anchor, "
      "digest = excluded.digest, state = excluded.state)");
  statement.add(
      "there AS (SELECT s.experiment, s.seq FROM armature.snapshots s WHERE NOT s.anchor AND "
      "s.experiment IN (SELECT experiment FROM kept) AND (s.experiment, s.seq) NOT IN (SELECT "
      "experiment, seq FROM kept)), outdated AS (DELETE FROM armature.snapshots s USING gate, "
      "there t WHERE s.experiment = t.experiment AND s.seq = t.seq AND 2 <= (SELECT count(*) FROM "
      "(SELECT experiment, seq FROM there UNION ALL SELECT experiment, seq FROM kept WHERE NOT "
      "anchor) newer WHERE newer.experiment = t.experiment AND newer.seq > t.seq))");
}

void add_tokens(Statement& statement, const std::vector<Token>& before,
                const std::vector<Token>& after) {
  const auto is_in = [](const Token& token, const std::vector<Token>& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Token& one) { return one.hash == token.hash; });
  };
  OptionalTexts gone;
  for (const Token& token : before)
    if (!is_in(token, after)) gone.emplace_back(token.hash);
  OptionalTexts hashes;
  OptionalTexts names;
  OptionalTexts tenants;
  OptionalTexts roles;
  OptionalTexts experiments;
  Integers created;
  OptionalIntegers expires;
  for (const Token& token : after) {
    if (is_in(token, before)) continue;
    hashes.emplace_back(token.hash);
    names.emplace_back(stored_text(token.name));
    tenants.emplace_back(stored_text(token.tenant));
    roles.emplace_back(json_of(token.roles));
    experiments.emplace_back(json_of(token.experiments));
    created.push_back(token.created);
    expires.push_back(integer_of(token.expires));
  }
  statement.add(
      fmt::format("revoked AS (DELETE FROM armature.tokens t USING gate WHERE t.hash = ANY({}))",
                  statement.places(1)));
  statement.parameters.add_texts(gone);
  statement.add(fmt::format(
      "tokens AS (INSERT INTO armature.tokens(hash, name, tenant, roles, experiments, created, "
      "expires) SELECT t.* FROM gate, unnest({}) AS t)",
      statement.places(7)));
  statement.parameters.add_texts(hashes).add_texts(names).add_texts(tenants).add_texts(roles);
  statement.parameters.add_texts(experiments).add(created).add(expires);
}

}  // namespace

Sent send(Connection& connection, const Batch& batch, const Held& held, const std::string& node) {
  Statement statement;
  add_gate(statement, batch, held);
  add_created(statement, batch.created, node);
  add_events(statement, batch.of);
  add_closings(statement, batch.of);
  add_epochs(statement, batch);
  add_snapshots(statement, batch.of);
  if (batch.tokens) add_tokens(statement, batch.tokens_before, *batch.tokens);
  const bool is_news = batch.tokens || !batch.created.empty();
  const Rows rows = connection.execute(
      statement.text(fmt::format("SELECT (SELECT count(*) FROM gate), h.experiment{} FROM (VALUES "
                                 "(1)) v LEFT JOIN held h ON true",
                                 is_news ? ", pg_notify('armature', '')::text" : "")),
      statement.parameters);
  Sent sent{rows.integer(0, 0) == 1};
  if (sent.done) return sent;
  for (const auto& [experiment, epoch] : held) sent.lost.insert(experiment);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (!rows.is_null(row, 1)) sent.lost.erase(rows.integer(row, 1));
  return sent;
}

}  // namespace armature::service::postgres
