// The log on a real PostgreSQL: what several writers may do to each other, and what a server that
// dies, stalls or is cut off in the middle of an answer leaves behind.
#include "service/postgres/postgres_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

#include "service/fold.h"
#include "service/postgres/schema.h"
#include "service/postgres/stored_text.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "service/store.h"
#include "support/cutting_proxy.h"
#include "support/postgres_server.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::CuttingProxy;
using armature::test::PostgresServer;
using armature::test::TemporaryDirectory;

// One server for all of them, and a database for each.
class PostgresLogTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    static int number = 0;
    name_ = fmt::format("store{}", ++number);
    url_ = server_->new_database(name_);
    postgres::migrate(url_);
  }

  std::unique_ptr<SharedLog> open(const std::string& node,
                                  std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    return open_postgres_log({url_, node, patience});
  }
  void sql(const std::string& text) { server_->execute(text, name_); }
  std::string value(const std::string& text) { return server_->value(text, name_); }

  // A node of its own: a shard that owns whatever is free.
  std::unique_ptr<Stand> stand(const std::string& node, const std::string& url = "") {
    return std::make_unique<Stand>([this, node, url]() -> std::unique_ptr<Log> {
      auto log = open_postgres_log({url.empty() ? url_ : url, node});
      take_all(*log);
      return log;
    });
  }
  static void take_all(SharedLog& log) {
    std::vector<ExperimentId> all{kTokens};
    for (const StoredExperiment& one : log.reader()->experiments()) all.push_back(one.id);
    log.take(all);
  }
  void let_die(const std::string& node) {
    sql("INSERT INTO armature.nodes VALUES ('" + node +
        "', 1, '', true, '', now() - interval '1 hour') ON CONFLICT (name) DO UPDATE SET "
        "lease_until = now() - interval '1 hour'");
  }
  void let_live(const std::string& node) {
    sql("INSERT INTO armature.nodes VALUES ('" + node +
        "', 1, '', true, '', now() + interval '1 hour') ON CONFLICT (name) DO UPDATE SET "
        "lease_until = now() + interval '1 hour'");
  }

  static std::unique_ptr<PostgresServer> server_;
  std::string name_;
  std::string url_;
};
std::unique_ptr<PostgresServer> PostgresLogTest::server_;

TEST_F(PostgresLogTest, SurvivesItsWriter) {
  auto a = stand("a");
  a->create(rich_creation("sentry:share=0.05"));
  const Decided first = a->decide("mail", "k1");
  a->report(first, "opened", 1);
  const Decided open = a->decide("mail", "k2");
  const std::uint64_t digest = a->fold("mail").digest();
  a->crash();
  EXPECT_EQ(a->fold("mail").digest(), digest);
  EXPECT_TRUE(a->decide("mail", "k2").repeated);
  EXPECT_EQ(a->decide("mail", "k2").decision, open.decision);
  EXPECT_EQ(a->look(first).status, Status::kLearned);
  for (const CheckedExperiment& one : check_log(*read_postgres_log(url_)))
    EXPECT_EQ(one.trouble, "");
}

// The same decision is asked for twice in a batch, a late report has parts: what is not sent yet is
// seen, too.
TEST_F(PostgresLogTest, SeesItsOwnBatch) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  const Request twice[] = {Decide{"mail", "k", ""}, Decide{"mail", "k", ""}};
  const auto answers = a->shard->process(twice);
  EXPECT_EQ(std::get<Decided>(answers[0]).decision, std::get<Decided>(answers[1]).decision);
  const Decided decided = std::get<Decided>(answers[0]);
  const Request ended[] = {
      Forget{"mail", decided.decision}, Stand::reporting(decided, "opened", std::nullopt),
      Stand::reporting(decided, std::nullopt, 1), Look{"mail", decided.decision}};
  const auto told = a->shard->process(ended);
  const auto view = std::get<DecisionView>(told[3]);
  EXPECT_EQ(view.status, Status::kLate);
  EXPECT_EQ(view.context, "opened");
  EXPECT_EQ(view.reward, 1);
  a->crash();
  EXPECT_EQ(a->look(decided).reward, 1);
}

TEST_F(PostgresLogTest, WhoWasOvertakenStoresNothing) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  a->create(small_creation("news", "ucb"));
  a->decide("mail", "before");
  let_die("a");
  auto b = stand("b");
  const Decided there = b->decide("mail", "after");
  // What a still believes to own is refused; what nobody took from it goes on in the same batch.
  auto& own = dynamic_cast<SharedLog&>(*b->log);
  own.release({2});
  b->shard->let_go({2});
  const auto before = value("SELECT max(seq) FROM armature.events WHERE experiment = 1");
  EXPECT_EQ(a->refused(Decide{"mail", "mine", ""}), RefusalKind::kNotHere);
  EXPECT_EQ(a->refused(Look{"mail", there.decision}), RefusalKind::kNotHere);
  EXPECT_EQ(value("SELECT max(seq) FROM armature.events WHERE experiment = 1"), before);
  EXPECT_EQ(b->decide("mail", "after").decision, there.decision);
}

TEST_F(PostgresLogTest, OthersOfTheBatchGoOn) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  a->create(small_creation("news", "ucb"));
  const auto digest = a->fold("news").digest();
  sql("UPDATE armature.owners SET node = 'b', epoch = epoch + 1 WHERE experiment = 1");
  const Request batch[] = {Decide{"mail", "x", ""}, Decide{"news", "y", ""}};
  const auto answers = a->shard->process(batch);
  EXPECT_EQ(std::get<Refusal>(answers[0]).kind(), RefusalKind::kNotHere);
  EXPECT_EQ(std::get<Decided>(answers[1]).seq, 2u);
  EXPECT_NE(a->fold("news").digest(), digest);
  EXPECT_EQ(value("SELECT count(*) FROM armature.events"), "3");
}

// Looking, too, rests on being the owner: an answer that another writer has made untrue is none.
TEST_F(PostgresLogTest, WhoOnlyLooksMustBeTheOwner) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  const Decided decided = a->decide("mail");
  sql("UPDATE armature.owners SET epoch = epoch + 1 WHERE experiment = 1");
  EXPECT_EQ(a->refused(Look{"mail", decided.decision}), RefusalKind::kNotHere);
}

TEST_F(PostgresLogTest, TakesOnlyWhatIsFree) {
  auto a = open("a");
  auto b = open("b");
  let_live("a");
  let_live("b");
  EXPECT_EQ(a->take({kTokens}), std::vector<ExperimentId>{kTokens});
  EXPECT_TRUE(b->take({kTokens}).empty());
  let_die("a");
  EXPECT_EQ(b->take({kTokens}), std::vector<ExperimentId>{kTokens});
  b->release({kTokens});
  EXPECT_FALSE(b->owns(kTokens));
  EXPECT_EQ(a->take({kTokens}).size(), 1u);
  EXPECT_TRUE(a->take({77}).empty());
}

// A second history is refused by the primary key, even if owners were wrong.
TEST_F(PostgresLogTest, OneHistoryWithoutFencing) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  auto b = stand("b");  // sees a as one that was never heard of, and takes it
  b->decide("mail", "b1");
  sql("UPDATE armature.owners SET epoch = 1");  // nobody is fenced
  EXPECT_EQ(a->refused(Decide{"mail", "a1", ""}), RefusalKind::kStore);
  EXPECT_EQ(value("SELECT count(*) FROM armature.events"), "2");
}

TEST_F(PostgresLogTest, NoGaps) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  a->decide("mail");
  a->decide("mail");
  sql("DELETE FROM armature.events WHERE seq = 3");  // put back to an earlier day
  EXPECT_EQ(a->refused(Decide{"mail", "", ""}), RefusalKind::kStore);
  EXPECT_EQ(a->decide("mail").seq, 3u);  // it goes on with what is there
}

// Sent, and the answer never came: the log is read again, and says what happened. While the server
// is still at work on what was sent, the experiment is nobody's: it is taken when that has ended,
// as the keeper does.
TEST_F(PostgresLogTest, LostAnswers) {
  CuttingProxy proxy(server_->socket());
  auto a = stand("a", PostgresServer::url_through(proxy.port(), name_));
  a->create(rich_creation("sentry:share=0.05"));
  const auto ask_as_owner = [&](const std::string& key) {
    for (;;) {
      const Answer answer = a->ask(Decide{"mail", key, ""});
      const auto* refusal = std::get_if<Refusal>(&answer);
      if (refusal == nullptr) return std::get<Decided>(answer);
      if (refusal->kind() != RefusalKind::kNotHere) throw std::runtime_error(refusal->what());
      if (dynamic_cast<SharedLog&>(*a->log).take({1}).empty())
        std::this_thread::yield();
      else
        a->shard->adopt({1});
    }
  };
  int stored = 0;
  int not_stored = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string key = fmt::format("k{}", i);
    if (i % 3 == 0) proxy.cut_after(CuttingProxy::Way::kFromServer, 0, CuttingProxy::Times::kOnce);
    if (i % 3 == 1)
      proxy.cut_after(CuttingProxy::Way::kToServer, static_cast<std::uint64_t>(i) * 37,
                      CuttingProxy::Times::kOnce);
    const Answer answer = a->ask(Decide{"mail", key, ""});
    proxy.cut_no_more();
    const Decided again = ask_as_owner(key);
    EXPECT_EQ(again.seq, static_cast<std::uint64_t>(i) + 2);  // asked for twice, decided once
    EXPECT_EQ(value("SELECT max(seq) FROM armature.events"), std::to_string(again.seq));
    if (const auto* decided = std::get_if<Decided>(&answer)) {
      EXPECT_TRUE(again.repeated);
      EXPECT_EQ(decided->decision, again.decision);
    } else {
      (again.repeated ? stored : not_stored)++;
    }
  }
  EXPECT_GT(stored, 5);
  EXPECT_GT(not_stored, 5);
  EXPECT_EQ(a->shard->replay_mismatches(), 0u);
  EXPECT_EQ(check_log(*read_postgres_log(url_)).front().trouble, "");
}

// A statement that its sender has given up on, and that still waits in the server, must not be
// stored behind the back of who has read the log meanwhile. It may wait before it has its owner's
// row, and is shut out; or holding it, and then whoever wants to read waits for it.
class OnItsWay : public PostgresLogTest, public testing::WithParamInterface<bool> {};

TEST_P(OnItsWay, IsStoredBeforeTheLogIsReadOrNever) {
  const bool holds_the_row = GetParam();
  auto log = open("a", std::chrono::milliseconds(400));
  Options options;
  HandClock clock;
  options.clock = &clock;
  Shard shard(*log, options, [](auto) {});
  const Request create = Create{small_creation("mail", "ucb")};
  ASSERT_TRUE(std::holds_alternative<Created>(shard.process({&create, 1}).front()));
  const Request decide = Decide{"mail", "k", ""};
  ASSERT_TRUE(std::holds_alternative<Decided>(shard.process({&decide, 1}).front()));

  postgres::Connection holder(url_, {});
  holder.execute("BEGIN");
  holder.execute(holds_the_row ? "INSERT INTO armature.events(experiment, seq, kind, time, epoch) "
                                 "VALUES (1, 3, 2, 0, 1)"
                               : "LOCK TABLE armature.closed IN ACCESS EXCLUSIVE MODE");
  Decided decided;
  decided.decision = decision_id("mail", 2);
  const Request report = Stand::reporting(decided, "opened", 1);
  const Answer unknown = shard.process({&report, 1}).front();
  EXPECT_EQ(std::get<Refusal>(unknown).kind(), RefusalKind::kStore);
  EXPECT_FALSE(shard.behind());
  EXPECT_EQ(log->owns(1), !holds_the_row);  // what a statement holds is nobody's until it ends
  EXPECT_EQ(log->take({1}).empty(), holds_the_row);
  holder.execute("ROLLBACK");
  while (value("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
               "'%armature%' AND datname = current_database() AND pid <> pg_backend_pid()") != "0")
    std::this_thread::yield();
  EXPECT_EQ(log->take({1}).size(), 1u);  // as the keeper does
  shard.adopt({1});
  // Whatever became of it, it is what is known here.
  EXPECT_EQ(value("SELECT max(seq) FROM armature.events"), holds_the_row ? "3" : "2");
  EXPECT_EQ(shard.find("mail")->fold().last_seq(), holds_the_row ? 3u : 2u);
  const Answer again = shard.process({&report, 1}).front();
  EXPECT_EQ(std::get<Received>(again).status, Status::kLearned);
  EXPECT_EQ(std::get<Received>(again).repeated, holds_the_row);
  EXPECT_EQ(value("SELECT count(*) FROM armature.events"), "3");
}

INSTANTIATE_TEST_SUITE_P(PostgresLog, OnItsWay, testing::Bool());

TEST_F(PostgresLogTest, ServerThatDies) {
  auto a = stand("a");
  a->create(small_creation("mail", "ts"));
  for (int i = 0; i < 3; ++i) {
    const std::string key = fmt::format("k{}", i);
    const Decided before = a->decide("mail", key);
    if (i % 3 == 0)
      server_->kill();
    else if (i % 3 == 1)
      server_->stop_immediately();
    else
      server_->stop();
    EXPECT_EQ(a->refused(Decide{"mail", "while it is away", ""}), RefusalKind::kStore);
    server_->start();
    EXPECT_EQ(a->decide("mail", key).decision, before.decision);
  }
  EXPECT_EQ(check_log(*read_postgres_log(url_)).front().trouble, "");
}

// --- Tools ---------------------------------------------------------------------------------------

TEST_F(PostgresLogTest, ToolsTakeWhatTheyWriteTo) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  a->decide("mail");
  const auto tool = open_postgres_tool(url_);
  tool->hold(1);
  // While the tool is at work nobody waits for it: the owner has lost it, and cannot have it back.
  EXPECT_EQ(a->refused(Decide{"mail", "", ""}), RefusalKind::kNotHere);
  auto& log = dynamic_cast<SharedLog&>(*a->log);
  EXPECT_TRUE(log.take({1}).empty());
  tool->roll_back();
  EXPECT_EQ(log.take({1}).size(), 1u);
  a->shard->adopt();
  EXPECT_EQ(a->decide("mail").seq, 3u);
}

// From one to the other and back: whoever has it again knows what the other one wrote.
TEST_F(PostgresLogTest, ComesBackAsItIsByNow) {
  auto a = stand("a");
  a->create(small_creation("mail", "ucb"));
  a->decide("mail");
  const auto let_go = [](Stand& stand) {
    stand.shard->let_go({1});
    dynamic_cast<SharedLog&>(*stand.log).release({1});
  };
  const auto take = [](Stand& stand) {
    EXPECT_EQ(dynamic_cast<SharedLog&>(*stand.log).take({1}).size(), 1u);
    stand.shard->adopt({1});
  };
  let_go(*a);
  auto b = stand("b");
  const Decided there = b->decide("mail", "there");
  let_go(*b);
  take(*a);
  EXPECT_EQ(a->look(there).action, there.action);
  EXPECT_EQ(a->decide("mail").seq, there.seq + 1);
  EXPECT_EQ(a->shard->replay_mismatches(), 0u);
  // Taken while it was away, and taken again before anybody had asked it for anything.
  let_die("a");
  take(*b);
  const Decided later = b->decide("mail", "later");
  let_go(*b);
  take(*a);
  EXPECT_EQ(a->look(later).action, later.action);
  EXPECT_EQ(a->decide("mail", "later").decision, later.decision);
}

TEST_F(PostgresLogTest, TokensAreOneWriters) {
  auto a = stand("a");
  Token token{"aa", "boss\\\xff", "", {"admin"}, {}, 5, std::nullopt};
  a->must<Done>(AddToken{token});
  EXPECT_EQ(a->shard->tokens().size(), 1u);
  EXPECT_EQ(read_postgres_log(url_)->tokens().front().name, token.name);
  const auto tool = open_postgres_tool(url_);
  tool->begin();
  tool->add_token({"bb", "web", "", {"decide"}, {"mail"}, 6, 7});
  tool->commit();
  EXPECT_EQ(a->refused(RemoveToken{"bb"}), RefusalKind::kNotHere);
  dynamic_cast<SharedLog&>(*a->log).take({kTokens});
  a->shard->adopt();
  EXPECT_EQ(a->shard->tokens().size(), 2u);
  a->must<Done>(RemoveToken{"bb"});
  EXPECT_EQ(a->refused(RemoveToken{"aa"}), RefusalKind::kConflict);
  tool->begin();
  tool->remove_token("aa");
  tool->commit();
  ASSERT_EQ(tool->tokens().size(), 1u);
  EXPECT_EQ(tool->tokens().front().hash, "");  // where there were tokens none is never good enough
}

// From SQLite to PostgreSQL and back, row by row, also of what was archived and what has odd texts.
TEST_F(PostgresLogTest, CopiesAreTheSame) {
  const TemporaryDirectory directory;
  const std::string first = directory.path() + "/first";
  {
    Stand stand([&] { return open_sqlite_log(first, {.synchronous = "OFF"}); });
    stand.options.snapshot_events = 50;
    stand.create(rich_creation("sentry:share=0.05"));
    Creation odd = small_creation("odd", "ts");
    odd.facts.settings.fallback = "coupon";
    odd.problem.action_names[0] = "a \\ \"quoted\" näme";
    stand.create(odd);
    for (int i = 0; i < 200; ++i)
      for (const char* name : {"mail", "odd"}) {
        const Decided decided = stand.decide(name, fmt::format("{}", i));
        if (i % 5 > 0) stand.report(decided, i % 2 == 0 ? "opened" : "ignored", (i % 3) / 2.0);
        if (i % 40 == 7) stand.must<Done>(Pause{name, std::string("why\0 \\x not\xff", 13)});
        if (i % 40 == 8) stand.must<Done>(Resume{name, ""});
        if (i % 60 == 9)
          stand.must<Done>(OpenEpoch{name, {}, "ucb", Start::kFresh, 0, "a \\ new one"});
      }
    stand.must<Done>(AddToken{{"aa", "boss", "", {"admin"}, {}, 5, std::nullopt}});
    stand.shard->keep_all();
  }
  const auto lines = [](LogReader& log) {
    std::string text;
    for (const StoredExperiment& one : log.experiments()) {
      text += one.facts.name + "\n";
      log.walk(one.id, 1, 1'000'000, [&](const Event& event) {
        text += fmt::format("{} {} {} {} {}\n", event.seq, static_cast<int>(event.kind), event.time,
                            event.note, event.reward.value_or(-1));
      });
      for (const Sequence seq : log.snapshots(one.id))
        text += fmt::format("{} {:x} {}\n", seq, log.snapshot(one.id, seq)->digest,
                            log.snapshot(one.id, seq)->anchor);
    }
    return text + std::to_string(log.tokens().size());
  };
  const auto here = read_sqlite_log(first);
  for (const Copied& one : copy_store(*here, *open_postgres_tool(url_))) {
    EXPECT_EQ(one.trouble, "");
    EXPECT_GT(one.events, 300u);
  }
  const auto there = read_postgres_log(url_);
  EXPECT_EQ(lines(*there), lines(*here));
  EXPECT_THROW(copy_store(*here, *open_postgres_tool(url_)), Error);
  back_up_store(url_, directory.path() + "/second");
  EXPECT_EQ(lines(*read_sqlite_log(directory.path() + "/second")), lines(*here));
  for (const CheckedExperiment& one : check_log(*there)) EXPECT_EQ(one.trouble, "");
  // And a node goes on from there.
  auto a = stand("a");
  EXPECT_FALSE(a->decide("mail").repeated);
}

TEST_F(PostgresLogTest, RefusedServers) {
  const auto complaint = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string bare = server_->new_database(name_ + "bare");
  EXPECT_NE(complaint([&] { open_postgres_log({bare, "a"}); }).find("migrate"), std::string::npos);
  sql("ALTER DATABASE " + name_ + " SET synchronous_commit = off");
  EXPECT_NE(complaint([&] { open("a"); }).find("synchronous_commit"), std::string::npos);
  EXPECT_NE(complaint([&] { postgres::migrate(url_); }).find("synchronous_commit"),
            std::string::npos);
  sql("ALTER DATABASE " + name_ + " RESET synchronous_commit");
  sql("UPDATE armature.store SET version = 99");
  EXPECT_NE(complaint([&] { open("a"); }).find("99"), std::string::npos);
  EXPECT_NE(complaint([&] { postgres::migrate(url_); }).find("99"), std::string::npos);
  const std::string secret = "postgresql://someone:very%20secret@127.0.0.1:1/none?password=too";
  const std::string told = complaint([&] { open_postgres_log({secret, "a"}); });
  EXPECT_NE(told, "");
  EXPECT_EQ(told.find("secret"), std::string::npos) << told;
  EXPECT_EQ(told.find("too"), std::string::npos) << told;
  EXPECT_NE(complaint([&] { read_postgres_log("postgresql://[nonsense"); }), "");
}

TEST_F(PostgresLogTest, MigratesOnce) {
  const std::string bare = server_->new_database(name_ + "bare");
  std::vector<std::future<postgres::Migration>> several;
  for (int i = 0; i < 4; ++i)
    several.push_back(std::async(std::launch::async, [&] { return postgres::migrate(bare); }));
  int made = 0;
  for (auto& one : several) made += one.get().from == 0 ? 1 : 0;
  EXPECT_EQ(made, 1);
}

TEST(StoredText, ComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text :
       {std::string(), std::string("plain"), std::string("näme ☃"), all, std::string("\\x41\\0\\"),
        std::string("\\\\x\0", 4), std::string("\xf0\x9f\x92\xa9 \xf0\x9f")}) {
    const std::string stored = postgres::stored_text(text);
    EXPECT_EQ(stored.find('\0'), std::string::npos);
    EXPECT_EQ(postgres::text_of(stored), text);
  }
  EXPECT_EQ(postgres::stored_text("näme ☃"), "näme ☃");
}

}  // namespace
}  // namespace armature::service::test
