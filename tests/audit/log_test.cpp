// Logs as people have them: formats, columns, and every kind of row that cannot be used.
#include "armature/log.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/bins.h"
#include "base/byte_source.h"
#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::TemporaryDirectory;

// A log read to its end.
struct ReadLog {
  std::vector<LogRow> rows;
  std::vector<std::string> actions, contexts;
  LogFacts facts;
};

ReadLog read_all(Log& log) {
  ReadLog read;
  LogRow row;
  while (log.next(row)) read.rows.push_back(row);
  read.actions = log.actions();
  read.contexts = log.contexts();
  read.facts = log.facts();
  return read;
}

ReadLog read_text(const std::string& text, const LogOptions& options = {}) {
  const TemporaryDirectory directory;
  write_file(directory.file("log"), text);
  return read_all(*open_log(directory.file("log"), options));
}

std::string refused(const std::string& text, const LogOptions& options = {}) {
  return refusal([&] { read_text(text, options); });
}

LogOptions skipping() {
  LogOptions options;
  options.skip_bad = true;
  return options;
}

using Names = std::vector<std::string>;

TEST(Log, PlainTable) {
  const ReadLog read = read_text(
      "action,context,reward\n"
      "a,x,1\n"
      "b,x,0\n"
      "a,y,0.25\n");
  EXPECT_EQ(read.actions, (Names{"a", "b"}));
  EXPECT_EQ(read.contexts, (Names{"x", "y"}));
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_EQ(read.rows[2].action, 0u);
  EXPECT_EQ(read.rows[2].context, 1u);
  EXPECT_EQ(read.rows[2].reward, 0.25);
  EXPECT_EQ(read.rows[2].weight, 1);
  EXPECT_EQ(read.rows[2].line, 4u);
  EXPECT_TRUE(std::isnan(read.rows[2].propensity));
  EXPECT_EQ(read.facts.format, "CSV");
  EXPECT_EQ(read.facts.separator, ',');
  EXPECT_EQ(read.facts.rows_read, 3u);
  EXPECT_EQ(read.facts.rows_used, 3u);
  EXPECT_FALSE(read.facts.adaptive);
}

TEST(Log, EverySeparatorByteOrderMarkAndLineBreak) {
  for (const std::string separator : {",", ";", "\t", "|"})
    for (const std::string end : {"\n", "\r\n"})
      for (const std::string mark : {"", "\xEF\xBB\xBF"}) {
        const std::string text = mark + "# made by hand" + end + end + "action" + separator +
                                 "context" + separator + "reward" + end + "a" + separator + " x " +
                                 separator + "1" + end + end + "b" + separator + "y" + separator +
                                 "0";  // no break at the end
        const ReadLog read = read_text(text);
        EXPECT_EQ(read.facts.separator, separator[0]);
        EXPECT_EQ(read.contexts, (Names{"x", "y"})) << text;
        EXPECT_EQ(read.rows.size(), 2u);
        EXPECT_EQ(read.rows.at(1).line, 6u);
      }
}

TEST(Log, QuotedFieldsHoldSeparatorsQuotesAndLineBreaks) {
  const ReadLog read = read_text(
      "\"action\",context,reward\r\n"
      "\"a, or \"\"b\"\"\",\"two\r\nlines\",1\r\n"
      "5\" screen,\"\",0\r\n"
      "\" blank \",z,1\r\n",
      skipping());
  EXPECT_EQ(read.actions, (Names{"a, or \"b\"", " blank "}));
  EXPECT_EQ(read.contexts, (Names{"two\r\nlines", "z"}));
  EXPECT_EQ(read.rows.at(1).line, 5u);  // the first row has two lines
  ASSERT_EQ(read.facts.bad.size(), 1u);
  EXPECT_EQ(read.facts.bad[0].reason, "missing values");
  EXPECT_EQ(read.facts.bad[0].first_line, 4u);
}

TEST(Log, ColumnsByName) {
  LogOptions options;
  options.action = "campaign";
  options.contexts = {"opened", "clicked"};
  options.reward = "bought";
  options.propensity = "p";
  options.weight = "w";
  const ReadLog read = read_text(
      "p;bought;w;campaign;clicked;opened\n"
      "0.5;True;2;spring;no;yes\n"
      "0.25;false;1;spring;yes;yes\n",
      options);
  EXPECT_EQ(read.contexts, (Names{"opened=yes clicked=no", "opened=yes clicked=yes"}));
  EXPECT_EQ(read.rows.at(0).reward, 1);
  EXPECT_EQ(read.rows.at(0).weight, 2);
  EXPECT_EQ(read.rows.at(1).propensity, 0.25);
  EXPECT_TRUE(read.facts.has_propensities());
}

// The header alone does not tell: of two separators the one that finds the columns counts.
TEST(Log, TheSeparatorIsTheOneThatFindsTheColumns) {
  LogOptions options;
  options.action = "a";
  options.contexts = {"x,y,z"};
  options.reward = "r";
  EXPECT_EQ(read_text("a;x,y,z;r\n1;2;1\n", options).facts.separator, ';');
}

// Names may hold commas: what is a column is not cut.
TEST(Log, AContextIsCutAtCommasUnlessItIsAColumn) {
  LogOptions options;
  options.contexts = {"size, in cm,shop"};
  const std::string table = "action,\"size, in cm,shop\",shop,reward\na,x,y,1\n";
  EXPECT_EQ(read_text(table, options).facts.contexts, options.contexts);
  options.contexts = {"shop,colour"};
  EXPECT_EQ(read_text("action;shop;colour;reward\na;x;y;1\n", options).facts.contexts,
            (Names{"shop", "colour"}));
  EXPECT_TRUE(contains(refused(table, options), "'size, in cm,shop', 'shop'"));
  options.contexts = {"shop,,colour"};
  EXPECT_TRUE(contains(refused(table, options), "columns with one comma between two"));
}

TEST(Log, JointValuesThatDifferHaveNamesThatDiffer) {
  LogOptions options;
  options.contexts = {"x", "y"};
  const ReadLog read = read_text(
      "action,x,y,reward\n"
      "a,1 y=2,3,1\n"
      "a,1,2 y=3,0\n"
      "a,\"\"\"1\"\" y=2\",3,0\n"
      "a,1,2,0\n",
      options);
  EXPECT_EQ(read.contexts,
            (Names{"x=\"1 y=2\" y=3", "x=1 y=\"2 y=3\"", "x=\"\"\"1\"\" y=2\" y=3", "x=1 y=2"}));
  options.bins = {parse_edges("y:2")};  // names of bins are ours, and plain
  EXPECT_EQ(read_text("action,x,y,reward\na,1,2,1\n", options).contexts, Names{"x=1 y=<=2"});
  options = {};
  options.contexts = {"x"};  // one column alone cannot be mistaken
  EXPECT_EQ(read_text("action,x,reward\na,1 y=2,1\n", options).contexts, Names{"1 y=2"});
}

TEST(Log, WeightsAreWholeNumbers) {
  LogOptions options = skipping();
  options.weight = "w";
  const ReadLog read = read_text(
      "action,context,reward,w\na,x,1,2\na,x,1,1.5\na,x,1,0\na,x,1,1e16\na,x,1,\na,x,1,1e12\n",
      options);
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.rows[1].weight, 1e12);
  ASSERT_EQ(read.facts.bad.size(), 1u);
  EXPECT_EQ(read.facts.bad[0].rows, 4u);
  EXPECT_TRUE(contains(read.facts.bad[0].expected, "a whole number"));
}

TEST(Log, AColumnIsCutIntoBinsOnce) {
  LogOptions options;
  options.contexts = {"age"};
  options.bins = {parse_bins("age:2"), parse_edges("age:18")};
  EXPECT_TRUE(contains(refused("action,age,reward\na,1,1\n", options),
                       "--edges: got 'age' a second time, expected each column once"));
}

TEST(Log, MissingColumnsNameTheNearest) {
  LogOptions options;
  options.contexts = {"opend"};
  EXPECT_TRUE(contains(refused("action,opened,reward\na,x,1\n", options),
                       "--context: got 'opend', expected a column of this log ('action', "
                       "'opened', 'reward'); did you mean 'opened'?"));
  EXPECT_TRUE(contains(refused("campaign,context,reward\na,x,1\n"),
                       "column: got no 'action', expected --action with one of its columns "
                       "('campaign', 'context', 'reward')"));
  EXPECT_TRUE(contains(refused("action,action,context,reward\na,a,x,1\n"), "two columns 'action'"));
  options.contexts = {"action"};
  EXPECT_TRUE(contains(refused("action,context,reward\na,x,1\n", options), "a role already"));
}

TEST(Log, BadRowsAreCountedByReason) {
  const std::string table =
      "decision,action,context,reward,propensity\n"
      "1,a,x,1,0.5\n"
      "2,,x,1,0.5\n"         // 3: no action
      "3,a,,1,0.5\n"         // 4: no context
      "4,a,x,,0.5\n"         // 5: no reward
      "5,a,x,1.5,0.5\n"      // 6: reward above 1
      "6,a,x,many,0.5\n"     // 7: no number
      "7,a,x,1,0\n"          // 8: propensity 0
      "8,a,x,1,1.5\n"        // 9: above 1
      "9,a,x,1\n"            // 10: a field is missing
      "10;a;x;1;0.5\n"       // 11: another separator
      "1,a,x,1,0.5\n"        // 12: there before
      "11,\"a\"b,x,1,0.5\n"  // 13: text behind a quote
      "12,\xff,x,1,0.5\n"    // 14: no UTF-8
      "13,a,x,nan,0.5\n"     // 15: no number
      "14,c,y,1,\n"          // 16: no propensity, where others have one
      "15,a,y,1,1e-200\n"    // 17: none that a row could have
      "16,c,y,1,0.5\n"       // 18: fine
      "17,b";                // 19: cut off
  const ReadLog read = read_text(table, skipping());
  EXPECT_EQ(read.facts.rows_read, 18u);
  EXPECT_EQ(read.facts.rows_used, 2u);
  EXPECT_EQ(read.facts.rows_bad(), 16u);
  EXPECT_EQ(read.facts.with_propensity, 2u);
  EXPECT_TRUE(read.facts.has_propensities());
  EXPECT_EQ(read.actions, (Names{"a", "c"}));  // bad rows leave no name behind
  std::vector<std::string> found;
  for (const LogFacts::Bad& bad : read.facts.bad)
    found.push_back(std::to_string(bad.first_line) + " " + std::to_string(bad.rows) + " " +
                    bad.column + " " + bad.reason);
  EXPECT_EQ(
      found,
      (Names{"3 1 action missing values", "4 1 context missing values", "5 1 reward missing values",
             "6 1 reward values out of range", "7 2 reward values that are no numbers",
             "8 3 propensity values out of range", "10 1  a wrong number of fields",
             "11 1  another separator", "12 1 decision decisions that were there before",
             "13 1  text behind a closing quote", "14 1 action values that are no UTF-8",
             "16 1 propensity missing values", "19 1  a last line that was cut off"}));
  // Without --skip-bad it is refused, by the most frequent reason.
  EXPECT_TRUE(contains(refused(table),
                       "line 8, 'propensity': got '0' (16 of 18 rows cannot be "
                       "used, 3 for this reason), expected a probability from 1e-9"));
}

TEST(Log, OneBadRowInAHundredIsCarried) {
  std::string table = "action,context,reward\na,x,7\n";
  for (int i = 0; i < 98; ++i) table += "a,x,1\n";
  EXPECT_TRUE(contains(refused(table), "line 2, 'reward': got '7' (1 of 99 rows"));
  EXPECT_TRUE(contains(refused(table), "--scale"));
  EXPECT_EQ(read_text(table + "a,x,1\n").facts.rows_used, 99u);
}

TEST(Log, RewardsAreScaledOnRequest) {
  LogOptions options = skipping();
  options.scale = {-10, 10};
  const ReadLog read =
      read_text("action,context,reward\na,x,-10\na,x,5\na,x,10\na,x,11\n", options);
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_EQ(read.rows[0].reward, 0);
  EXPECT_EQ(read.rows[1].reward, 0.75);
  EXPECT_EQ(read.rows[2].reward, 1);
  EXPECT_EQ(read.facts.bad.at(0).first_line, 5u);
  // Whoever reads the answer must know.
  EXPECT_EQ(log_sentences(read.facts).at(2),
            "Rewards from -10 to 10 became 0 to 1, and all that is said of rewards is on that "
            "scale.");
}

TEST(Log, AGivenProblemFixesNamesAndTheirOrder) {
  LogOptions options = skipping();
  options.problem.emplace();
  options.problem->action_names = {"b", "a"};
  options.problem->context_names = {"y", "x"};
  const ReadLog read =
      read_text("action,context,reward\na,x,1\nb,x,0\nB,x,0\na,z,0\nb,y,1\n", options);
  EXPECT_EQ(read.actions, (Names{"b", "a"}));
  EXPECT_EQ(read.contexts, (Names{"y", "x"}));
  EXPECT_EQ(read.rows.at(0).action, 1u);
  EXPECT_EQ(read.rows.at(2).context, 0u);
  ASSERT_EQ(read.facts.bad.size(), 2u);
  EXPECT_TRUE(contains(read.facts.bad[0].expected, "did you mean 'b'?"));
  EXPECT_EQ(read.facts.bad[1].reason, "values that the problem does not have");
}

TEST(Log, AContinuousColumnIsNoAction) {
  std::string table = "action,context,reward\n";
  for (int i = 0; i < 10'001; ++i) table += std::to_string(i) + ".5,x,1\n";
  EXPECT_TRUE(contains(refused(table),
                       "line 10002, 'action': got more than 10,000 different values (the last: "
                       "'10000.5'), expected fewer; is this a continuous column"));
  table = "action,context,reward\n";
  for (int i = 0; i < 1'100; ++i) table += std::to_string(i) + "," + std::to_string(i) + ",1\n";
  EXPECT_TRUE(contains(refused(table), "actions × 1001 contexts"));
}

TEST(Log, NoTextIsRefused) {
  EXPECT_TRUE(contains(refused(""), "an empty file"));
  EXPECT_TRUE(contains(refused("# only a remark\n\n"), "an empty file"));
  EXPECT_TRUE(contains(refused("action,context,reward\n"), "none that can be used"));
  EXPECT_TRUE(contains(refused(std::string("a\0c\0t\0i\0", 8)), "line 1: got a NUL byte"));
  EXPECT_TRUE(contains(refused(std::string("action,context,reward\na,x,1\n\0\0", 30)),
                       "line 3: got a NUL byte"));
  EXPECT_TRUE(contains(refused("action,context,reward\na,x,1\n\"b,x,1\na,x,1\n"),
                       "line 3: got a quote that is not closed"));
  EXPECT_TRUE(contains(refused("action,context,reward\n\"" + std::string(3 << 20, 'x')),
                       "line 2: got a row of more than 1 MiB"));
  EXPECT_TRUE(contains(refused("{\"action\":\n"), "line 1: got no JSON"));
  EXPECT_TRUE(contains(refusal([] { open_log("/", {}); }), "a directory"));
  EXPECT_TRUE(contains(refusal([] { open_log("no such file", {}); }), "No such file"));
}

// A column in which everything is wrong is told long before the end of a long file.
TEST(Log, HopelessLogsAreGivenUpEarly) {
  std::string table = "action,context,reward\n";
  for (int i = 0; i < 200'000; ++i) table += "a,x,9\n";
  EXPECT_TRUE(contains(refused(table), "of 65,536 rows cannot be used"));
}

TEST(Log, JsonLinesByPath) {
  LogOptions options = skipping();
  options.action = "arm.name";
  options.contexts = {"seen.0"};
  options.reward = "sold";
  const ReadLog read = read_text(
      "{\"arm\": {\"name\": \"a\"}, \"seen\": [\"x\", 1], \"sold\": true}\n"
      "{\"sold\":0.5,\"seen\":[\"\\u00e4\\n\\ud83d\\ude00\"],\"arm\":{\"name\":\"b\",\"z\":{}}}\r\n"
      "\n"
      "{\"arm\": {\"name\": \"a\"}, \"seen\": [null], \"sold\": 1}\n"
      "{\"arm\": {\"name\": \"a\"}, \"seen\": [\"x\"], \"sold\": 1, \"sold\": 0}\n"
      "{\"arm\": {\"name\": \"a\"}, \"seen\": [\"x\"], \"sold\": yes}\n"
      "{\"arm\": {\"name\": \"a\"}, \"seen\": [\"x\"], \"so",
      options);
  EXPECT_EQ(read.facts.format, "JSON lines");
  EXPECT_EQ(read.actions, (Names{"a", "b"}));
  EXPECT_EQ(read.contexts, (Names{"x", "ä\n😀"}));
  EXPECT_EQ(read.rows.at(0).reward, 1);
  EXPECT_EQ(read.rows.at(1).reward, 0.5);
  EXPECT_EQ(read.rows.size(), 2u);
  Names found;
  for (const LogFacts::Bad& bad : read.facts.bad)
    found.push_back(std::to_string(bad.first_line) + " " + bad.reason);
  EXPECT_EQ(found, (Names{"4 missing values", "5 a key that stands twice", "6 no JSON",
                          "7 a last line that was cut off"}));
}

TEST(Log, AJsonColumnMayBeginInALaterRow) {
  LogOptions learning;
  learning.adaptive = true;  // where propensities may come and go
  const ReadLog read = read_text(
      "{\"action\": \"a\", \"context\": \"x\", \"reward\": 1}\n"
      "{\"action\": \"a\", \"context\": \"x\", \"reward\": 1, \"propensity\": 0.5}\n",
      learning);
  EXPECT_EQ(read.facts.propensity, "propensity");
  EXPECT_EQ(read.facts.with_propensity, 1u);
}

TEST(Log, DeepJsonIsNoRow) {
  const std::string fine = "{\"action\":\"a\",\"context\":\"x\",\"reward\":1}\n";
  const std::string deep = "{\"action\":" + std::string(100'000, '[') + "\n";
  EXPECT_EQ(read_text(fine + deep, skipping()).facts.bad.at(0).reason, "no JSON");
}

TEST(Log, DecisionsOfVowpalWabbit) {
  LogOptions options;
  options.contexts = {"o.0.v.seen"};
  const std::string row =
      "{\"_label_cost\":-1,\"_label_probability\":0.8,\"_label_Action\":2,\"_labelIndex\":1,"
      "\"o\":[{\"v\":{\"seen\":\"opened\"}}],\"EventId\":\"e1\",\"a\":[2,1],\"p\":[0.8,0.2],"
      "\"c\":{\"_multi\":[{},{}]},\"pdrop\":0.5}\n";
  const std::string skipped =
      "{\"_label_cost\":0,\"_label_probability\":0.2,\"_label_Action\":1,\"_skipLearn\":true,"
      "\"o\":[{\"v\":{\"seen\":\"opened\"}}],\"EventId\":\"e2\"}\n";
  const ReadLog read = read_text(row + skipped, options);
  EXPECT_EQ(read.facts.format, "dsjson");
  ASSERT_EQ(read.rows.size(), 1u);
  EXPECT_EQ(read.actions, Names{"2"});
  EXPECT_EQ(read.rows[0].reward, 1);
  EXPECT_EQ(read.rows[0].propensity, 0.8);
  EXPECT_EQ(read.rows[0].weight, 1);  // a fair sample of what happened, no copy
  EXPECT_TRUE(read.facts.adaptive);   // VW learns
  std::string other = row;
  other.replace(other.find("0.5}"), 3, "0.3").replace(other.find("e1"), 2, "e3");
  EXPECT_TRUE(contains(refused(row + other, options), "pdrop: got 0.3, and 0.5 before"));
  EXPECT_EQ(read.facts.rows_set_aside, 1u);
}

TEST(Log, OfTheServiceOnlyLearnedRowsAreUsed) {
  const ReadLog read = read_text(
      "# armature-service 1\n"
      "decision,time,action,propensity,context,reward,status,learned_seq,epoch,policy\n"
      "mail.1.9f2c,2026-01-01T00:00:00Z,plain,0.9,opened,1,learned,7,1,sentry\n"
      "mail.2.11aa,2026-01-01T00:00:01Z,plain,,,,open,,1,sentry\n"
      "mail.3.22bb,2026-01-01T00:00:02Z,plain,,ignored,,waiting,,1,sentry\n"
      "mail.4.33cc,2026-01-01T00:00:03Z,coupon,0.1,ignored,0,learned,8,1,sentry\n"
      "mail.5.44dd,2026-01-01T00:00:04Z,coupon,0.1,ignored,0,late,,1,sentry\n"
      "mail.6.55ee,2026-01-01T00:00:05Z,coupon,0.1,,,forgotten,,1,sentry\n");
  EXPECT_EQ(read.facts.format, "service export");
  EXPECT_EQ(read.facts.rows_used, 2u);
  EXPECT_EQ(read.facts.rows_set_aside, 4u);
  EXPECT_EQ(read.facts.rows_bad(), 0u);
  EXPECT_TRUE(read.facts.adaptive);  // a service learns
}

TEST(Log, RowsOutOfOrderAreSeen) {
  LogOptions options;
  options.time = "t";
  const auto earlier = [&](const std::string& times) {
    std::string table = "t,action,context,reward\n";
    for (std::size_t at = 0; at < times.size(); at = times.find(' ', at) + 1) {
      table += times.substr(at, times.find(' ', at) - at) + ",a,x,1\n";
      if (times.find(' ', at) == std::string::npos) break;
    }
    return read_text(table, options).facts.out_of_order;
  };
  EXPECT_EQ(earlier("9 10 11"), 0u);  // numbers, not texts
  EXPECT_EQ(earlier("9 10 9.5 11"), 1u);
  EXPECT_EQ(earlier("2026-01-01T10 2026-01-02T09 2026-01-01T11"), 1u);
}

TEST(Log, BinsOfEqualFrequencyAndAtEdges) {
  std::string table = "action,age,reward\n";
  for (int i = 1; i <= 100; ++i) table += "a," + std::to_string(i) + ",1\n";
  LogOptions options = skipping();
  options.contexts = {"age"};
  options.bins = {parse_bins("age:4")};
  ReadLog read = read_text(table, options);
  EXPECT_EQ(read.contexts, (Names{"<=25", "(25,50]", "(50,75]", ">75"}));
  std::vector<int> counts(4);
  for (const LogRow& row : read.rows) ++counts[row.context];
  EXPECT_EQ(counts, (std::vector<int>{25, 25, 25, 25}));
  EXPECT_FALSE(read.facts.bins.at(0).sampled);

  options.bins = {parse_edges("age:18,30.5")};
  read = read_text(table + "a,old,1\n", options);
  EXPECT_EQ(read.contexts, (Names{"<=18", "(18,30.5]", ">30.5"}));
  EXPECT_EQ(read.facts.bad.at(0).reason, "values that are no numbers");

  options.bins = {parse_bins("ages:4")};
  EXPECT_TRUE(contains(refused(table, options), "did you mean 'age'?"));
  options.contexts = {"action"};
  options.action = "reward";
  options.reward = "age";
  options.bins = {parse_bins("action:4")};
  EXPECT_TRUE(contains(refused(table, options), "no number in 'action'"));
}

TEST(Log, ASecondReadingIsTheSame) {
  const TemporaryDirectory directory;
  write_file(directory.file("log"),
             "decision,action,context,reward\n1,a,x,1\n2,b,y,0\n2,b,y,0\n3,a,x,9\n");
  const auto log = open_log(directory.file("log"), skipping());
  const ReadLog first = read_all(*log);
  log->rewind();
  const ReadLog second = read_all(*log);
  ASSERT_EQ(first.rows.size(), 2u);
  ASSERT_EQ(second.rows.size(), 2u);
  EXPECT_EQ(second.rows[1].action, first.rows[1].action);
  EXPECT_EQ(second.facts.rows_bad(), 2u);
  EXPECT_EQ(second.facts.rows_read, 4u);
}

TEST(Log, PackedFilesAreReadAsTheyAre) {
  std::string table = "action,context,reward\n";
  for (int i = 0; i < 50'000; ++i) table += i % 2 == 0 ? "a,x,1\n" : "b,y,0\n";
  const auto packed_text = [](const std::string& text) {
    Packer packer;
    std::string bytes = packer.pack(text);  // first this: operands of + have no order
    return bytes += packer.finish();
  };
  const std::string packed = packed_text(table);
  EXPECT_LT(packed.size(), table.size() / 20);
  const TemporaryDirectory directory;
  const auto facts = [&](const std::string& bytes) {
    write_file(directory.file("log"), bytes);  // no .gz in its name
    return read_all(*open_log(directory.file("log"), {})).facts;
  };
  EXPECT_EQ(facts(packed).rows_used, 50'000u);
  EXPECT_TRUE(facts(packed).packed);
  EXPECT_EQ(facts(packed + packed_text("c,z,1\n")).rows_used,
            50'001u);  // members one after the other
  EXPECT_TRUE(contains(refusal([&] { facts(packed.substr(0, packed.size() - 20)); }), "gzip"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  EXPECT_TRUE(contains(refusal([&] { facts(damaged); }), "gzip"));
}

TEST(Log, FactsInSentences) {
  LogFacts facts =
      read_text("decision;action;context;reward\n1;a;x;1\n1;a;x;1\n2;b;y;7\n", skipping()).facts;
  facts.file = "mail.csv";
  EXPECT_EQ(log_sentences(facts),
            (Names{"mail.csv (CSV, separator semicolon): 3 rows read, 1 used.",
                   "Columns: action 'action', context 'context', reward 'reward', decision "
                   "'decision'.",
                   "2 rows could not be used: 1 decisions that were there before in 'decision' "
                   "(first in line 3: '1'); 1 values out of range in 'reward' (first in line 4: "
                   "'7')."}));
}

// The first row decides whether they are known, unless the column was named: then a row without one
// is a bad row wherever it stands.
TEST(Log, ANamedPropensityIsMissedInEveryLine) {
  for (const std::string rows :
       {"a,x,1,\nb,x,1,0.5\nb,y,1,0.5\n", "a,x,1,0.5\nb,x,1,\nb,y,1,0.5\n"}) {
    const std::string table = "action,context,reward,propensity\n" + rows;
    LogOptions named = skipping();
    named.propensity = "propensity";
    const ReadLog read = read_text(table, named);
    EXPECT_EQ(read.facts.rows_used, 2u);
    EXPECT_EQ(read.facts.rows_bad(), 1u);
    EXPECT_EQ(read.facts.bad.at(0).reason, "missing values");
    EXPECT_TRUE(read.facts.has_propensities());
    named.skip_bad = false;
    EXPECT_TRUE(contains(refused(table, named), "a propensity in every row, as --propensity"));
  }
  EXPECT_TRUE(contains(refused("action,context,reward,propensity\na,x,1,\nb,x,1,0.5\n"),
                       "--propensity propensity --skip-bad leaves out rows without one"));
  EXPECT_EQ(read_text("action,context,reward,propensity\na,x,1,\nb,x,1,\n").facts.rows_used, 2u);
}

TEST(Log, PropensitiesInEveryRowOrInNone) {
  EXPECT_TRUE(contains(refused("action,context,reward,propensity\na,x,1,\nb,x,1,0.5\n"),
                       "line 3, 'propensity': got the first propensity, after rows without"));
  LogOptions learning;
  learning.adaptive = true;  // nothing is weighted there
  EXPECT_EQ(read_text("action,context,reward,propensity\na,x,1,\nb,x,1,0.5\n", learning)
                .facts.with_propensity,
            1u);
}

TEST(Log, ARowOfSeparatorsIsNoEmptyLine) {
  const ReadLog read = read_text("action\tcontext\treward\na\tx\t1\n\t\t\n\n \n", skipping());
  EXPECT_EQ(read.facts.rows_read, 2u);
  EXPECT_EQ(read.facts.rows_bad(), 1u);
}

TEST(Log, HeadersOfSpreadsheets) {
  LogOptions options;
  options.action = "the\naction";
  const std::string rows = "a;x;1\nb;y;0\n";
  const TemporaryDirectory directory;
  write_file(directory.file("log"), "\"the\naction\";context;reward\n" + rows);
  const auto log = open_log(directory.file("log"), options);
  EXPECT_EQ(read_all(*log).rows.size(), 2u);
  log->rewind();
  EXPECT_EQ(read_all(*log).rows.size(), 2u);
  const ReadLog told = read_text("sep=;\naction;context;reward\n" + rows);
  EXPECT_EQ(told.rows.size(), 2u);
  EXPECT_EQ(told.facts.separator, ';');
  EXPECT_EQ(told.rows[0].line, 3u);
  EXPECT_TRUE(contains(refused("action,context,reward\ra,x,1\rb,y,0\r"), "CR alone"));
  EXPECT_TRUE(contains(refused("\x89PNG\r\x1a\xff\xfe\n\x80\x81\n"), "bytes that are no text"));
  EXPECT_TRUE(contains(refused("\"action,context,reward\na,x,1\n"), "not closed"));
}

}  // namespace
}  // namespace armature
