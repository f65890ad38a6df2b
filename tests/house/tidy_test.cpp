// Properties of the source that are not behaviour: checked here because nobody remembers them.
#include <gtest/gtest.h>

#include <string>

#include "house/source_tree.h"
#include "support/program.h"

namespace armature {
namespace {

using test::SourceFile;

constexpr std::size_t kLongestLine = 120;

// Characters, not bytes: formulas are written in Greek.
std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Words are put together from halves so that this file does not remind of anything itself.
bool has_reminder(const std::string& line) {
  for (const char* half : {"TO|DO", "FIX|ME", "XX|X", "HA|CK", "W|IP"}) {
    std::string word = half;
    word.erase(word.find('|'), 1);
    if (test::has_word(line, word)) return true;
  }
  return false;
}

// A path of somebody's machine: at the start of a word, so that addresses on the web pass.
bool has_machine_path(const std::string& line) {
  for (const char* folder : {"home", "work", "root", "Users"}) {
    const std::string path = "/" + std::string(folder) + "/";
    for (std::size_t at = line.find(path); at != std::string::npos; at = line.find(path, at + 1))
      if (at == 0 || std::string(" \t\"'`(=:").find(line[at - 1]) != std::string::npos) return true;
  }
  return false;
}

// Functions whose last bit is the C library's own choice.
constexpr const char* kUnportable[] = {
    "log",   "log1p", "log2",  "log10", "exp",  "exp2",   "expm1",  "pow",  "cbrt", "hypot",
    "sin",   "cos",   "tan",   "asin",  "acos", "atan",   "atan2",  "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "erf",   "erfc", "lgamma", "tgamma", "fma"};

bool has_unportable_function(const std::string& line) {
  return std::any_of(std::begin(kUnportable), std::end(kUnportable), [&](const char* name) {
    return test::has_word(line, std::string("std::") + name);
  });
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

void expect_no_match(const std::vector<SourceFile>& files, bool (*has)(const std::string&),
                     const std::string& what) {
  EXPECT_GT(files.size(), 50u);
  for (const SourceFile& file : files)
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (has(file.lines[i])) ADD_FAILURE() << remark(file, i, what);
}

TEST(Tidy, NoReminders) {
  expect_no_match(code(), has_reminder, "a reminder: do it, or open an issue");
}

TEST(Tidy, NoMachinePaths) {
  expect_no_match(code_and_words(), has_machine_path, "a path of one machine");
}

// Results are the same bytes on every machine (docs/exactness.md).
TEST(Tidy, MathematicsIsOurOwn) {
  std::vector<SourceFile> files = test::files_under("src", {".h", ".cpp", ".cu"});
  for (SourceFile& file : test::files_under("include", {".h"})) files.push_back(std::move(file));
  expect_no_match(files, has_unportable_function, "base/mathematics.h has it");
}

// What the sources do not show: calls from other people's headers, and names without std::. toml++,
// which study/read.cpp includes, computes the width of a text with log10.
bool excused(const std::string& line) {
  return line.find(":read.cpp.o:") != std::string::npos && line.ends_with(" U log10");
}

TEST(Tidy, TheLibraryCallsNoUnportableFunction) {
  const auto build = std::filesystem::path(ARMATURE_COMMAND).parent_path().parent_path();
  const test::ProgramResult names = test::run_shell(
      "nm -A --undefined-only libarmature_core.a libarmature_lab.a", build.string());
  ASSERT_EQ(names.status, 0) << names.err;
  ASSERT_NE(names.out.find(" U sqrt"), std::string::npos) << "symbols of the C library";
  for (const std::string& line : test::lines_of(names.out))
    for (const char* name : kUnportable)
      for (const char* precision : {"", "f", "l"})  // of double, of float, of long double
        EXPECT_FALSE(line.ends_with(std::string(" U ") + name + precision) && !excused(line))
            << line;
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
  EXPECT_TRUE(has_reminder(std::string("// TO") + "DO: later"));
  EXPECT_FALSE(has_reminder("path + \".partial-XXXXXX\""));
  EXPECT_TRUE(has_machine_path(std::string("cd /ho") + "me/someone/x"));
  EXPECT_TRUE(has_machine_path(std::string("/wo") + "rk/x"));
  EXPECT_FALSE(
      has_machine_path("https://example.org/wor"
                       "k/x"));
  EXPECT_TRUE(has_unportable_function(std::string("x = std::") + "log(y)"));
  EXPECT_FALSE(has_unportable_function("portable::log(y), std::logic_error"));
  EXPECT_EQ(characters("μ̂ ± δ"), 6u);  // μ, a combining hat, blank, ±, blank, δ
}

// What docs/embedding.md shows is the example that the package test builds and runs.
TEST(Docs, TheEmbeddingPageShowsTheExample) {
  const std::string folder = ARMATURE_SOURCE_DIR;
  const std::string page = read_file(folder + "/docs/embedding.md");
  const std::string example = read_file(folder + "/examples/embed/embed.cpp");
  const std::size_t start = page.find("```cpp\n") + 7;
  const auto shown = test::lines_of(page.substr(start, page.find("```", start) - start));
  EXPECT_GT(shown.size(), 10u);
  for (const std::string& line : shown)
    EXPECT_TRUE(line.empty() || example.find("  " + line + "\n") != std::string::npos) << line;
}

}  // namespace
}  // namespace armature
