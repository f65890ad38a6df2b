#include "base/sqlite.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::TemporaryDirectory;

class Sqlite : public testing::Test {
 protected:
  Database open(Database::Mode mode = Database::Mode::kCreate) {
    return {directory_.file("x.sqlite"), mode};
  }
  std::int64_t rows(Database& database) {
    Statement count(database, "SELECT count(*) FROM t");
    EXPECT_TRUE(count.step());
    return count.integer(0);
  }
  TemporaryDirectory directory_;
};

TEST_F(Sqlite, ValuesComeBackBitForBit) {
  Database database = open();
  database.execute("CREATE TABLE t(i INTEGER, r REAL, s TEXT, n TEXT)");
  const double real = 0.1 + 0.2;
  const std::string text("μ \0 '; DROP", 12);
  Statement insert(database, "INSERT INTO t VALUES (?,?,?,?)");
  insert.bind(1, std::numeric_limits<std::int64_t>::min()).bind(2, real).bind(3, text);
  insert.bind_null(4).run();
  Statement row(database, "SELECT * FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(row.real(1), real);
  EXPECT_EQ(row.text(2), text);
  EXPECT_TRUE(row.is_null(3));
  EXPECT_EQ(row.text(3), "");
  EXPECT_FALSE(row.step());
}

TEST_F(Sqlite, AStatementServesAgainAfterItsLastRow) {
  Database database = open();
  database.execute("CREATE TABLE t(i INTEGER); INSERT INTO t VALUES (1), (2), (3)");
  Statement above(database, "SELECT i FROM t WHERE i > ? ORDER BY i");
  for (const std::int64_t bound : {0, 2, 3}) {
    above.bind(1, bound);
    std::int64_t found = 0;
    while (above.step()) ++found;
    EXPECT_EQ(found, 3 - bound);
  }
}

TEST_F(Sqlite, ATransactionIsAllOrNothing) {
  Database database = open();
  database.execute("CREATE TABLE t(i INTEGER PRIMARY KEY)");
  {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(rows(database), 0);
  EXPECT_THROW(
      {
        Transaction transaction(database);
        database.execute("INSERT INTO t VALUES (1)");
        Statement(database, "INSERT INTO t VALUES (1)").run();
      },
      Error);
  EXPECT_EQ(rows(database), 0);
  Transaction transaction(database);
  database.execute("INSERT INTO t VALUES (1)");
  transaction.commit();
  EXPECT_EQ(rows(database), 1);
}

TEST_F(Sqlite, AFailedStepLeavesAStatementThatWorks) {
  Database database = open();
  database.execute("CREATE TABLE t(i INTEGER PRIMARY KEY)");
  Statement insert(database, "INSERT INTO t VALUES (?)");
  insert.bind(1, std::int64_t{1}).run();
  const std::string message = refusal([&] { insert.bind(1, std::int64_t{1}).run(); });
  EXPECT_TRUE(contains(message, "x.sqlite: write or read: got UNIQUE constraint failed: t.i"))
      << message;
  insert.bind(1, std::int64_t{2}).run();
  EXPECT_EQ(rows(database), 2);
}

TEST_F(Sqlite, MistakesNameTheFile) {
  EXPECT_TRUE(contains(refusal([&] { open(Database::Mode::kReadWrite); }), "x.sqlite: open: got "));
  Database database = open();
  EXPECT_TRUE(contains(refusal([&] { database.execute("SELECT"); }), "x.sqlite: execute: got "));
  EXPECT_EQ(refusal([&] { Statement(database, "SELECT * FROM nowhere"); }),
            directory_.file("x.sqlite") +
                ": prepare: got no such table: nowhere, expected a SQLite database that can be "
                "read and written");
  Statement one(database, "SELECT ?");
  EXPECT_TRUE(contains(refusal([&] { one.bind(2, 0.5); }), "x.sqlite: bind: got "));
}

TEST_F(Sqlite, AFileOfAnotherKindIsSaidToBeOne) {
  write_file(directory_.file("x.sqlite"), std::string(4096, 'x'));
  Database database = open();
  EXPECT_TRUE(contains(refusal([&] { Statement(database, "SELECT * FROM sqlite_master").run(); }),
                       "got file is not a database, expected a SQLite database"));
}

}  // namespace
}  // namespace armature
