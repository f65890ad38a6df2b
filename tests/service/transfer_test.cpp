#include "service/transfer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/refusal.h"
#include "base/text.h"
#include "service/export.h"
#include "service/stand.h"

namespace armature::service::test {
namespace {

using armature::test::refusal;

std::vector<std::string> json_lines(Stand& stand) {
  std::vector<std::string> lines;
  for (const StoredExperiment& experiment : stand.log->experiments())
    export_json_lines(*stand.log, experiment,
                      [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

std::vector<CheckedExperiment> import_all(Stand& stand, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  return import_json_lines(
      *stand.log,
      [&]() -> std::optional<std::string> {
        return at < lines.size() ? std::optional(lines[at++]) : std::nullopt;
      },
      "log.jsonl");
}

// The first trouble there was, if any.
std::string refusal_of(Stand& stand, const std::vector<std::string>& lines) {
  for (const CheckedExperiment& one : import_all(stand, lines))
    if (!one.trouble.empty()) return one.trouble;
  return "";
}

// Something of everything.
void live(Stand& stand) {
  Creation creation = rich_creation("ts");
  creation.facts.settings.floor = 0.1;
  creation.facts.settings.deadline = kHour;
  stand.create(creation);
  creation = small_creation("other", "ucb");
  creation.facts.settings.silence = Silence{"ignored", 0.1};
  stand.create(creation);
  for (const char* name : {"mail", "other"}) {
    std::vector<Decided> made;
    for (int i = 0; i < 30; ++i) {
      stand.clock.pass(kSecond);
      made.push_back(stand.decide(name, i % 3 == 0 ? std::to_string(i) : ""));
    }
    for (std::size_t i = 0; i < made.size(); i += 2)
      stand.report(made[i], "opened", 1.0 / static_cast<double>(i + 3));
    stand.report(made[1], "opened", std::nullopt);
    stand.must<Received>(Forget{name, made[3].decision});
    stand.report(made[3], "opened", 1);
    stand.must<Done>(AddShadow{name, "uniform"});
  }
  stand.must<Done>(Pause{"mail", "\"quoted\", Grüße"});
  stand.decide("mail");
  stand.must<Done>(OpenEpoch{"mail", {}, "ucb", Start::kReplay, 0, "better"});
}

TEST(Transfer, WhatIsImportedIsWhatWasExported) {
  Stand stand;
  live(stand);
  const std::vector<std::string> lines = json_lines(stand);
  Stand other;
  const auto imported = import_all(other, lines);
  ASSERT_EQ(imported.size(), 2u);
  for (const CheckedExperiment& one : imported) {
    EXPECT_EQ(one.digest, stand.fold(one.name).digest());
    EXPECT_EQ(one.events, stand.fold(one.name).last_seq());
  }
  EXPECT_EQ(json_lines(other), lines);
  other.crash();  // reads what was stored
  for (const char* name : {"mail", "other"})
    EXPECT_EQ(other.fold(name).digest(), stand.fold(name).digest());
  const Decided one = stand.decide("other");
  EXPECT_EQ(other.decide("other").decision, one.decision);
}

TEST(Transfer, WhatWasTamperedWithIsRefusedAndLeavesNothing) {
  Stand stand;
  live(stand);
  const std::vector<std::string> lines = json_lines(stand);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    Stand other;
    std::string message;
    try {
      for (const CheckedExperiment& one : import_all(other, changed))
        if (!one.trouble.empty()) message = one.trouble;
      // The other one went in, if it was not handed the events of this.
      const bool was_header = lines[i].starts_with("{\"format\"");
      EXPECT_EQ(other.log->experiments().size(), was_header ? 0u : 1u) << i;
    } catch (const Error& error) {
      message = error.what();
      EXPECT_TRUE(other.log->experiments().empty());
    }
    EXPECT_TRUE(message.starts_with("log.jsonl: line ")) << i << ": " << message;
  }
  for (const char* bad : {"{", "[]", "{\"seq\": 1}", "{\"format\": \"x\"}", "7"}) {
    Stand other;
    EXPECT_NE(refusal_of(other, {lines[0], bad}), "") << bad;
    EXPECT_TRUE(other.log->experiments().empty());
    EXPECT_NE(refusal([&] { import_all(other, {"7", bad}); }), "(accepted)") << bad;
  }
  EXPECT_NE(refusal_of(stand, lines), "");  // the names are taken
}

// What could not be created is not taken from a file, either.
TEST(Transfer, FactsOfAFileAreChecked) {
  Stand stand;
  stand.create(small_creation("mail", "ucb"));
  const Decided open = stand.decide("mail");
  const std::vector<std::string> lines = json_lines(stand);
  const auto changed = [&](std::size_t line, const std::string& from, const std::string& to) {
    std::vector<std::string> other = lines;
    const std::size_t at = other[line].find(from);
    EXPECT_NE(at, std::string::npos) << other[line];
    other[line].replace(at, from.size(), to);
    return other;
  };
  const std::string fallback = "\"fallback\":null";
  for (const auto& bad : {std::vector{lines[0]}, changed(0, "\"mail\"", "\"a b/c\""),
                          changed(0, "\"events\":\"2\"", "\"events\":\"3\""),
                          changed(0, fallback, "\"fallback\":\"nobody\""),
                          changed(1, "\"number\":1", "\"number\":4294967297"),
                          changed(1, "[\"plain\",\"coupon\",\"call\"]", "10000000")}) {
    Stand other;
    EXPECT_NE(refusal_of(other, bad), "") << bad[0];
    EXPECT_TRUE(other.log->experiments().empty());
    other.crash();
  }
  // A late report on a decision that is open.
  std::vector<std::string> late = changed(0, "\"events\":\"2\"", "\"events\":\"3\"");
  late.push_back("{\"seq\":\"3\",\"kind\":\"late\",\"decision\":\"2\",\"time\":\"" +
                 std::to_string(stand.clock.wall_now) +
                 "\",\"epoch\":1,\"position\":\"0\",\"reward\":1}");
  Stand other;
  EXPECT_NE(refusal_of(other, late).find("late report"), std::string::npos)
      << refusal_of(other, late);
  EXPECT_EQ(refusal_of(other, lines), "");
}

TEST(Transfer, TimesBefore1970ComeBack) {
  Stand stand;
  stand.clock.wall_now = -5;
  stand.create(small_creation("mail", "ucb"));
  stand.decide("mail");
  const std::vector<std::string> lines = json_lines(stand);
  Stand other;
  EXPECT_EQ(refusal_of(other, lines), "");
  EXPECT_EQ(json_lines(other), lines);
}

TEST(Transfer, TablesHaveOneRowPerDecision) {
  Stand stand;
  live(stand);
  LogExport pieces(stand.log->reader(), "mail", ExportFormat::kCsv, 1);
  std::string text;
  while (pieces.next(text)) continue;
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 3 + 1 + 31u);  // remarks, names, decisions
  EXPECT_TRUE(rows[0].starts_with("# armature service log of experiment mail, seed 7"));
  EXPECT_EQ(rows[3],
            "decision,time,action,propensity,context,reward,status,learned_seq,epoch,policy,"
            "amended");
  const auto row_of = [&](std::size_t decision) { return rows[4 + decision]; };
  EXPECT_NE(row_of(0).find(",opened,0.3333333333333333,learned,"), std::string::npos) << row_of(0);
  EXPECT_NE(row_of(1).find(",opened,,waiting,,"), std::string::npos) << row_of(1);
  EXPECT_NE(row_of(3).find(",opened,1,late,"), std::string::npos) << row_of(3);
  EXPECT_NE(row_of(5).find(",,,open,,1,"), std::string::npos) << row_of(5);
  EXPECT_TRUE(row_of(30).ends_with(",1,fallback,")) << row_of(30);
  EXPECT_TRUE(row_of(0).starts_with(decision_id("mail", 2) + ",2023-11-14T22:13:21.000000Z,"));
}

}  // namespace
}  // namespace armature::service::test
