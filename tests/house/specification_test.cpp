// Code and tests cite docs/specification.md by section: every section they name is there.
#include <gtest/gtest.h>

#include <set>

#include "house/source_tree.h"

namespace armature {
namespace {

using test::SourceFile;

// The numbers of the headings "## 3. Phased elimination".
std::set<std::string> sections(const SourceFile& page) {
  std::set<std::string> numbers;
  for (const std::string& line : page.lines)
    if (line.starts_with("## ") && line.find(". ") != std::string::npos)
      numbers.insert(line.substr(3, line.find(". ") - 3));
  return numbers;
}

// What follows each § of a line: "2", or "2.1" of the paper, which says so before it.
std::vector<std::string> cited_sections(const std::string& line) {
  const std::string mark = "§", papers = "paper ";
  std::vector<std::string> cited;
  for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
    if (at >= papers.size() && line.compare(at - papers.size(), papers.size(), papers) == 0)
      continue;
    const std::size_t start = at + mark.size();
    const std::size_t end = line.find_first_not_of("0123456789.", start);
    std::string number = line.substr(start, end == std::string::npos ? end : end - start);
    while (number.ends_with('.')) number.pop_back();
    if (!number.empty()) cited.push_back(number);
  }
  return cited;
}

SourceFile specification() {
  const auto pages = test::files_under("docs", {"specification.md"});
  return pages.empty() ? SourceFile{} : pages.front();
}

TEST(Specification, HasTheSectionsThatAreCited) {
  const std::set<std::string> known = sections(specification());
  EXPECT_EQ(known.size(), 9u);
  std::size_t citations = 0;
  for (const char* folder : {"src", "include", "tests", "bench", "examples"})
    for (const SourceFile& file : test::files_under(folder, {".h", ".cpp", ".cu"})) {
      if (file.path.starts_with("tests/house/")) continue;  // made-up lines below
      for (std::size_t i = 0; i < file.lines.size(); ++i)
        for (const std::string& number : cited_sections(file.lines[i])) {
          ++citations;
          EXPECT_TRUE(known.contains(number))
              << remark(file, i, "no section " + number + " in docs/specification.md");
        }
    }
  EXPECT_GT(citations, 100u);
}

TEST(Specification, CitationsAreFound) {
  using Numbers = std::vector<std::string>;
  EXPECT_EQ(cited_sections("// as in spec §2, §6."), (Numbers{"2", "6"}));
  EXPECT_EQ(cited_sections(".help(\"ε\", \"§12\")"), Numbers{"12"});
  EXPECT_EQ(cited_sections("\"paper §5.1, spec §7\""), Numbers{"7"});
  EXPECT_EQ(cited_sections("section marks (§) and spec §9.1"), Numbers{"9.1"});
  EXPECT_EQ(sections({"", {"# Page", "## 1. One", "## Others", "### 2. Below"}}),
            std::set<std::string>{"1"});
}

// A page for readers of the project stands on its own feet.
TEST(Specification, SpeaksOfNothingOutsideTheRepository) {
  const SourceFile page = specification();
  for (std::size_t i = 0; i < page.lines.size(); ++i)
    for (const char* outside : {"spec.md", "sentry-proof", ".tex", "to be proved", "prototype"})
      EXPECT_EQ(page.lines[i].find(outside), std::string::npos) << remark(page, i, outside);
}

}  // namespace
}  // namespace armature
