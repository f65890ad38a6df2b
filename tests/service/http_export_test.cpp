// What is exported opens elsewhere, and comes back as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "armature/random.h"
#include "base/file.h"
#include "service/export.h"
#include "service/http/views.h"
#include "service/http_serving.h"
#include "service/stand.h"
#include "service/transfer.h"

namespace armature::service::test {
namespace {

using Json = nlohmann::json;

// A history with everything in it: keys, two-step and late reports, epochs, shadows, amendments.
void live_a_little(Client& client) {
  const std::string mail = "/v1/experiments/mail";
  const auto post = [&](const std::string& verb, const Json& body) {
    const Reply reply = client.post(mail + verb, body.dump());
    EXPECT_EQ(reply.status, 200) << verb << " " << reply.body;
    return reply.json();
  };
  create_mail(client);
  Stream luck({7, 0, Purpose::kTest});
  std::string learned;
  for (int round = 0; round < 10; ++round) {
    if (round == 2) post("/shadows", {{"policy", "ucb"}});
    if (round == 5) post("/amend", {{"decision", learned}, {"withdraw", true}});
    if (round == 6) post("/epochs", {{"policy", "ucb"}, {"reason", "a try"}});
    if (round == 7) post("/pause", Json::object());
    if (round == 8) post("/resume", Json::object());
    Json decides = Json::array();
    for (int i = 0; i < 30; ++i)
      decides.push_back(i % 3 == 0 ? Json{{"key", fmt::format("{}-{}", round, i)}}
                                   : Json::object());
    Json first = Json::array();
    Json second = Json::array();
    const Json answer = post("/decide:batch", {{"decides", decides}});
    for (const Json& made : answer.at("results")) {
      const std::string id = made.at("decision");
      const double u = luck.open_uniform();
      const double reward = luck.open_uniform();
      if (u < 0.1) continue;
      if (u < 0.2) {
        first.push_back({{"decision", id}, {"forget", true}});
        if (u < 0.15) second.push_back({{"decision", id}, {"context", "clicked"}, {"reward", 1}});
      } else if (u < 0.6) {
        first.push_back({{"decision", id}, {"context", "opened"}});
        if (u < 0.55) second.push_back({{"decision", id}, {"reward", reward}});
      } else {
        first.push_back({{"decision", id}, {"context", 0}, {"reward", reward}});
        learned = id;
      }
    }
    post("/outcomes:batch", {{"outcomes", first}});
    post("/outcomes:batch", {{"outcomes", second}});
  }
}

std::vector<CheckedExperiment> import_text(const std::string& text, Log& log) {
  std::istringstream stream(text);
  return import_json_lines(
      log,
      [&]() -> std::optional<std::string> {
        std::string line;
        return std::getline(stream, line) ? std::optional(line) : std::nullopt;
      },
      "mail.jsonl");
}

TEST(HttpExport, ComesBackWithTheSameDigest) {
  Serving serving;
  Client client(serving.port());
  live_a_little(client);
  const std::string lines = client.get("/v1/experiments/mail/log").body;
  const std::string digests = serving.digests();

  const armature::test::TemporaryDirectory elsewhere;
  const auto log = open_sqlite_log(elsewhere.path());
  const CheckedExperiment imported = import_text(lines, *log).at(0);
  EXPECT_EQ(
      "mail " + std::to_string(imported.events) + " " + std::to_string(imported.digest) + "\n",
      digests);
  // And goes out again as the same bytes.
  LogExport again(read_sqlite_log(elsewhere.path()), "mail", ExportFormat::kJsonLines, 1);
  std::string text;
  while (again.next(text)) continue;
  EXPECT_EQ(text, lines);
  EXPECT_NE(import_text(lines, *log).at(0).trouble.find("does not have yet"), std::string::npos);
}

TEST(HttpExport, OneRowPerDecisionWithItsEnd) {
  Serving serving;
  Client client(serving.port());
  live_a_little(client);
  std::istringstream csv(client.get("/v1/experiments/mail/log?format=csv").body);
  std::map<std::string, std::uint64_t> statuses;
  std::string header;
  int amended = 0;
  for (std::string line; std::getline(csv, line);) {
    if (line.starts_with('#')) continue;
    if (header.empty()) {
      header = line;
      continue;
    }
    const std::string id = line.substr(0, line.find(','));
    // mail.2.dff4,2026-…Z,plain,0.995,opened,1,learned,5,1,"…",
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ++statuses[cells[6]];
    if (line.ends_with(",corrected") || line.ends_with(",withdrawn")) ++amended;
    if (statuses[cells[6]] % 10 != 1 || !line.ends_with(',')) continue;
    const auto view = client.get(path_of(id)).json();
    EXPECT_EQ(view.at("status"), cells[6]) << line;
    EXPECT_EQ(view.at("action"), cells[2]) << line;
    EXPECT_EQ(view.value("context", ""), cells[4]) << line;
    EXPECT_EQ(view.contains("reward"), !cells[5].empty()) << line;
    if (view.contains("reward")) EXPECT_EQ(view.at("reward").get<double>(), std::stod(cells[5]));
  }
  EXPECT_EQ(header,
            "decision,time,action,propensity,context,reward,status,learned_seq,epoch,policy,"
            "amended");
  EXPECT_EQ(amended, 1);
  const auto counts = client.get("/v1/experiments/mail").json().at("counts");
  for (const char* status : {"open", "waiting", "learned", "forgotten", "late"})
    EXPECT_EQ(counts.at(status), statuses[status]) << status;
}

TEST(HttpExport, OpensInPython) {
  Serving serving;
  Client client(serving.port());
  live_a_little(client);
  const armature::test::TemporaryDirectory folder;
  write_file(folder.file("mail.csv"), client.get("/v1/experiments/mail/log?format=csv").body);
  write_file(folder.file("mail.json"), client.get("/v1/experiments/mail/log?format=dsjson").body);
  const auto result = armature::test::run_shell(
      "python3 -c \"import csv, json; "
      "rows = list(csv.DictReader(l for l in open('mail.csv') if l[0] != '#')); "
      "told = [json.loads(l) for l in open('mail.json')]; "
      "learned = [r for r in rows if r['status'] == 'learned' and r['propensity'] and r['reward']]; "
      "print(len(rows), len(told) == len(learned), "
      "all(-t['_label_cost'] == float(r['reward']) and t['EventId'] == r['decision'] "
      "for t, r in zip(told, learned)))\"",
      folder.path());
  EXPECT_EQ(result.out, "300 True True\n") << result.err;
}

// --- Rows ----------------------------------------------------------------------------------------

std::string rows_of(LogExport&& log) {
  std::string text;
  while (log.next(text)) continue;
  return text.substr(text.find("\ndecision,") + 1);
}

// What comes while it is being read is not in it, nor half of it.
TEST(Exports, SayWhatWasKnownWhenTheyBegan) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided never = stand.decide("mail");
  const Decided in_parts = stand.decide("mail");
  for (const Decided& decided : {never, in_parts})
    stand.must<Received>(Forget{"mail", decided.decision});
  stand.report(in_parts, "opened", std::nullopt);
  LogExport log(stand.log->reader(), "mail", ExportFormat::kCsv, 1);
  stand.report(never, "opened", 1);
  stand.report(in_parts, std::nullopt, 1);
  const std::string rows = rows_of(std::move(log));
  EXPECT_NE(rows.find("plain,1,,,forgotten,,1,ucb,\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("plain,1,opened,,late,,1,ucb,\n"), std::string::npos) << rows;
  const std::string later = rows_of({stand.log->reader(), "mail", ExportFormat::kCsv, 1});
  EXPECT_EQ(later.find("forgotten"), std::string::npos) << later;
}

TEST(Exports, ShowWhatWasAmended) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided corrected = stand.decide("mail");
  const Decided withdrawn = stand.decide("mail");
  for (const Decided& decided : {corrected, withdrawn}) stand.report(decided, "opened", 1);
  stand.must<Received>(Amend{"mail", corrected.decision, {}, 0.25, "a typing mistake"});
  stand.must<Received>(Amend{"mail", withdrawn.decision, {}, {}, "a robot"});
  const std::string rows = rows_of({stand.log->reader(), "mail", ExportFormat::kCsv, 1});
  EXPECT_NE(rows.find(",opened,0.25,learned,4,1,ucb,corrected\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find(",,,learned,5,1,ucb,withdrawn\n"), std::string::npos) << rows;
}

// pandas is told that `#` begins a remark: not in quotes.
TEST(Exports, QuoteWhatWouldBeARemark) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.problem.action_names[0] = "plan #1";
  stand.create(creation);
  stand.decide("mail");
  const std::string rows = rows_of({stand.log->reader(), "mail", ExportFormat::kCsv, 1});
  EXPECT_NE(rows.find(",\"plan #1\",1,"), std::string::npos) << rows;
}

// Of two that were silent one is late by now: what was learned of it was learned nevertheless.
TEST(Views, MeansAreOverAllThatWasLearned) {
  Stand stand;
  Creation creation = small_creation("mail", "ucb");
  creation.facts.settings.silence = service::Silence{"ignored", 0.5};
  stand.create(creation);
  const Decided late = stand.decide("mail");
  stand.decide("mail");
  stand.clock.pass(25 * kHour);
  stand.shard->process({});
  EXPECT_EQ(stand.report(late, "opened", 1).status, Status::kLate);
  const auto line = Json::parse(http::experiment_line(stand.fold("mail").summary()));
  EXPECT_EQ(line.at("mean_reward"), 0.5);
}

}  // namespace
}  // namespace armature::service::test
