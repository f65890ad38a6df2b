// Properties of the source that are not behaviour: checked here because nobody remembers them.
#include <gtest/gtest.h>

#include <regex>

#include "house/source_tree.h"

namespace armature {
namespace {

using test::SourceFile;

constexpr std::size_t kLongestLine = 120;

// Characters, not bytes: formulas are written in Greek.
std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Put together from halves so that this file does not remind of anything itself.
const std::regex& reminder() {
  static const std::regex pattern(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X|HA" + "CK|W" +
                                  "IP)\\b");
  return pattern;
}

// A path of somebody's machine: at the start of a word, so that addresses on the web pass.
const std::regex& machine_path() {
  static const std::regex pattern(std::string("(^|[\\s\"'`(=])/(ho") + "me|wo" + "rk|ro" + "ot|Us" +
                                  "ers)/");
  return pattern;
}

std::vector<SourceFile> code() {
  std::vector<SourceFile> files;
  for (const char* folder : {"src", "include", "tests", "examples", "bench"})
    for (SourceFile& file : test::files_under(folder, {".h", ".cpp", ".cu", "CMakeLists.txt"}))
      files.push_back(std::move(file));
  return files;
}

std::vector<SourceFile> code_and_words() {
  std::vector<SourceFile> files = code();
  for (const char* folder : {"docs", "scripts", "cmake", ".ci", "tests/cli", "tests/consumer"})
    for (SourceFile& file : test::files_under(folder, {""})) files.push_back(std::move(file));
  for (const char* name : {"README.md", "HACKING.md", "CHANGELOG.md", "Makefile", "CMakeLists.txt",
                           "CMakePresets.json", "CITATION.cff"}) {
    const auto path = std::filesystem::path(ARMATURE_SOURCE_DIR) / name;
    if (std::filesystem::exists(path))
      files.push_back({name, test::lines_of(read_file(path.string()))});
  }
  return files;
}

void expect_no_match(const std::vector<SourceFile>& files, const std::regex& pattern,
                     const std::string& what) {
  EXPECT_GT(files.size(), 50u);
  for (const SourceFile& file : files)
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (std::regex_search(file.lines[i], pattern)) ADD_FAILURE() << remark(file, i, what);
}

TEST(Tidy, NoReminders) {
  expect_no_match(code(), reminder(), "a reminder: do it, or open an issue");
}

TEST(Tidy, NoMachinePaths) {
  expect_no_match(code_and_words(), machine_path(), "a path of one machine");
}

TEST(Tidy, NoLongLines) {
  for (const SourceFile& file : test::files_under("src", {".h", ".cpp"}))
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      EXPECT_LE(characters(file.lines[i]), kLongestLine) << remark(file, i, "a long line");
}

TEST(Tidy, NoTabsAndNoTrailingBlanks) {
  for (const SourceFile& file : test::files_under("src", {".h", ".cpp"}))
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_EQ(file.lines[i].find('\t'), std::string::npos) << remark(file, i, "a tab");
      EXPECT_FALSE(file.lines[i].ends_with(' ')) << remark(file, i, "a blank at the end");
    }
}

TEST(Tidy, EverySourceFileIsCode) {
  for (const SourceFile& file : test::files_under("src", {""}))
    EXPECT_TRUE(file.path.ends_with(".h") || file.path.ends_with(".cpp") ||
                file.path.ends_with(".cu"))
        << file.path << " is neither header nor source";
}

TEST(Tidy, ThePatternsCatchWhatTheyAreFor) {
  EXPECT_TRUE(std::regex_search(std::string("// TO") + "DO: later", reminder()));
  EXPECT_FALSE(std::regex_search(std::string("path + \".partial-XXXXXX\""), reminder()));
  EXPECT_TRUE(std::regex_search(std::string("cd /ho") + "me/someone/x", machine_path()));
  EXPECT_FALSE(std::regex_search(std::string("https://example.org/wo") + "rk/x", machine_path()));
  EXPECT_EQ(characters("μ̂ ± δ"), 6u);  // μ, a combining hat, blank, ±, blank, δ
}

}  // namespace
}  // namespace armature
