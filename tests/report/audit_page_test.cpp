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

}  // namespace
}  // namespace armature
