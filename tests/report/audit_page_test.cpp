#include "report/audit_page.h"

#include <gtest/gtest.h>

#include "audit/simulated_log.h"
#include "report/resources.h"

namespace armature {
namespace {

// Names of a log may be anything: nothing of them is taken for markup.
TEST(AuditPage, EscapesNames) {
  if (!web_bundle()) GTEST_SKIP() << "built without the bundle";
  std::vector<LogRow> rows(400);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].action = static_cast<std::uint32_t>(i % 2);
    rows[i].context = static_cast<std::uint32_t>(i / 2 % 2);
    rows[i].reward = rows[i].action == 1 ? 1 : 0;
  }
  test::VectorSource log(rows, {"<script>alert(1)</script>", "b & c"}, {"x\"y", "</title>"});
  const AuditAnswer answer = audit(log, {});
  EXPECT_EQ(answer.verdict, AuditVerdict::kRejected);
  const std::string page = audit_page({.answer = answer,
                                       .source = "<b>.csv",
                                       .rows_skipped = 7,
                                       .reading = {"<i>.csv was read."},
                                       .policy = "ucb",
                                       .because = "a<b"});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("</title>\"", page.find("</head>")), std::string::npos);
  EXPECT_NE(page.find("b &amp; c pays"), std::string::npos);
  EXPECT_NE(page.find("&lt;i&gt;.csv was read."), std::string::npos);
  EXPECT_NE(page.find("(7 skipped)"), std::string::npos);
  EXPECT_NE(page.find("<code>ucb</code>"), std::string::npos);
}

// Ten contexts with many rows each in which nothing differs, and a rare one in which an action
// does.
AuditAnswer broken_in_the_rarest() {
  std::vector<LogRow> rows;
  std::vector<std::string> contexts;
  const auto add = [&](std::uint32_t context, std::uint32_t count, std::uint32_t odd) {
    contexts.push_back("z" + std::to_string(context));
    for (std::uint32_t i = 0; i < count; ++i) {
      LogRow row;
      row.action = i % 2;
      row.context = context;
      row.reward = row.action == 1 && i % 20 < odd ? 1 : i / 2 % 2;
      rows.push_back(row);
    }
  };
  for (std::uint32_t z = 0; z < 13; ++z) add(z, 400 - 10 * z, 0);
  add(13, 200, 20);
  test::VectorSource log(rows, {"a", "b"}, contexts);
  return audit(log, {});
}

TEST(AuditPage, ShowsTheContextThatBreaksHoweverRare) {
  const AuditAnswer answer = broken_in_the_rarest();
  ASSERT_EQ(answer.verdict, AuditVerdict::kRejected);
  ASSERT_FALSE(answer.breaks.empty());
  EXPECT_EQ(answer.breaks.front().context, 13u);
  EXPECT_EQ(contexts_shown(answer, 3), (std::vector<std::size_t>{0, 1, 13}));
  EXPECT_EQ(contexts_shown(answer, 20).size(), 14u);
  AuditAnswer unbroken = answer;  // rejected there, though no action stands out
  unbroken.breaks.clear();
  EXPECT_EQ(contexts_shown(unbroken, 3), (std::vector<std::size_t>{0, 1, 13}));
  if (!web_bundle()) GTEST_SKIP() << "built without the bundle";
  const std::string page = audit_page(
      {.answer = answer, .source = "log.csv", .reading = {}, .policy = "", .because = ""});
  const std::size_t figures = page.find("id=\"figures\""), tables = page.find("id=\"tables\"");
  EXPECT_NE(page.substr(figures, tables - figures).find("\"z13\""), std::string::npos);
}

}  // namespace
}  // namespace armature
