// Who may include whom (HACKING.md, "Rooms"): the directions between rooms, read off the #include
// lines.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "house/source_tree.h"

namespace armature {
namespace {

using test::SourceFile;
using Rooms = std::set<std::string>;

// Each room and the rooms right below it. What is below those is below it too.
const std::map<std::string, Rooms> kBelow = {
    {"base", {}},
    {"linear", {"base"}},
    {"theory", {"linear"}},
    {"model", {"linear"}},
    {"graph", {"model"}},
    {"families", {"graph", "model"}},
    {"policies", {"theory", "linear", "model"}},
    {"simulate", {"policies", "model"}},
    {"figures", {"theory"}},
    {"audit", {"model", "theory", "policies"}},
    {"lab", {"simulate", "families", "theory"}},
    {"advice", {"lab", "families", "theory"}},
    {"study", {"lab", "theory"}},
    {"report", {"study", "figures", "audit", "advice"}},
    {"service", {"policies", "audit"}},
    {"ranks", {"study"}},
    {"cuda", {"simulate"}},
    {"options", {"lab", "families", "theory"}},
    {"browser", {"options", "report", "lab", "graph", "figures"}},
    {"cli", {"options", "report", "lab", "advice", "service", "audit", "graph", "ranks", "cuda"}},
};

// The public door has no folders: which room each of its headers belongs to.
const std::map<std::string, std::string> kRoomOfHeader = {
    {"error.h", "base"},
    {"files.h", "base"},
    {"random.h", "base"},
    {"matrix.h", "base"},
    {"parameters.h", "base"},
    {"state.h", "base"},
    {"version.h", "base"},
    {"model.h", "model"},
    {"environment.h", "model"},
    {"graph.h", "graph"},
    {"families.h", "families"},
    {"policy.h", "policies"},
    {"leap.h", "policies"},
    {"simulate.h", "simulate"},
    {"conformance.h", "simulate"},
    {"lab.h", "lab"},
    {"advice.h", "advice"},
    {"interval.h", "audit"},
    {"log.h", "audit"},
    {"audit.h", "audit"},
    {"replay.h", "audit"},
    {"study.h", "study"},
    {"report.h", "report"},
    {"theory.h", "theory"},
    {"evidence.h", "policies"},
    {"extend.h", "policies"},
    {"policy_session.h", "policies"},
    {"decision_book.h", "policies"},
    {"open_decisions.h", "policies"},
};
constexpr const char* kUmbrella = "include/armature/armature.h";

Rooms may_include(const std::string& room) {
  Rooms allowed{room};
  for (const std::string& below : kBelow.at(room)) allowed.merge(may_include(below));
  return allowed;
}

// The room of a file of the tree, or of what an #include "…" names; empty if there is none.
std::string room_of(const std::string& path) {
  std::string rest = path;
  for (const char* prefix : {"include/", "src/"})
    if (rest.starts_with(prefix)) rest = rest.substr(std::string(prefix).size());
  if (rest.starts_with("armature/")) {
    const auto found = kRoomOfHeader.find(rest.substr(std::string("armature/").size()));
    return found == kRoomOfHeader.end() ? "" : found->second;
  }
  const std::string folder = rest.substr(0, rest.find('/'));
  return kBelow.contains(folder) && folder != rest ? folder : "";
}

struct Include {
  std::string name;
  bool angled;  // <…>
};

// What an #include line names; blanks may stand around the #.
std::optional<Include> included_by(const std::string& line) {
  std::string dense;
  for (const char c : line)
    if (c != ' ' && c != '\t') dense += c;
  const std::string start = "#include";
  if (!dense.starts_with(start) || dense.size() == start.size()) return std::nullopt;
  const bool angled = dense[start.size()] == '<';
  if (!angled && dense[start.size()] != '"') return std::nullopt;  // a file the build makes
  const std::string rest = dense.substr(start.size() + 1);
  return Include{rest.substr(0, rest.find(angled ? '>' : '"')), angled};
}

// Whose a header in angle brackets is: "" for the standard library's, "system" for the machine's.
std::string library_of(const std::string& header) {
  for (const char* library : {"fmt", "Eigen", "nlohmann", "toml++", "CLI", "boost", "openssl"})
    if (header.starts_with(std::string(library) + "/")) return library;
  if (header == "sqlite3.h") return "SQLite";
  if (header == "simdjson.h") return "simdjson";
  if (header == "libpq-fe.h") return "libpq";
  if (header == "mpi.h") return "mpi";
  if (header.find('/') == std::string::npos && !header.ends_with(".h")) return "";
  const bool ours = header.starts_with("sys/") || header.starts_with("arpa/");
  return ours || header.find('/') == std::string::npos ? "system" : header;
}

// Which libraries a room may lean on beside the standard one. Files, locks, processes and SQLite
// are behind doors of base; toml++ is behind study/toml.h, which mends it.
const std::map<std::string, std::set<std::string>> kLibraries = {
    {"base", {"fmt", "nlohmann", "SQLite", "system"}},
    {"linear", {"Eigen"}},
    {"theory", {"fmt"}},
    {"model", {"fmt", "nlohmann"}},
    {"graph", {"fmt", "nlohmann"}},
    {"families", {"fmt"}},
    {"policies", {"fmt", "Eigen"}},
    {"simulate", {"fmt"}},
    {"figures", {"fmt", "nlohmann"}},
    {"audit", {"fmt", "Eigen", "nlohmann"}},
    {"lab", {"fmt"}},
    {"advice", {"fmt"}},
    {"study", {"fmt", "nlohmann"}},
    {"report", {"fmt", "nlohmann"}},
    {"service", {"fmt", "nlohmann", "SQLite", "system", "boost", "openssl", "simdjson", "libpq"}},
    {"ranks", {"fmt", "system", "mpi"}},
    {"cuda", {"fmt", "system"}},
    {"options", {"fmt"}},
    {"browser", {"fmt", "nlohmann", "system"}},
    {"cli", {"fmt", "nlohmann", "CLI", "system"}},
};
constexpr const char* kTomlDoor = "src/study/toml.h";

// Public headers ask nothing of who includes them but the standard library.
bool may_use(const SourceFile& file, const std::string& library) {
  if (library.empty()) return true;
  if (file.path.starts_with("include/")) return false;
  if (library == "toml++") return file.path == kTomlDoor;
  return kLibraries.at(room_of(file.path)).contains(library);
}

std::string wrong_include(const SourceFile& file, const Include& include) {
  if (include.angled && !include.name.starts_with("armature/")) {
    const std::string library = library_of(include.name);
    return may_use(file, library) ? "" : "no place for " + library + " (" + include.name + ")";
  }
  const std::string room = room_of(file.path);
  const std::string other = room_of(include.name);
  if (other.empty()) return include.name + " belongs to no room";
  if (may_include(room).contains(other)) return "";
  return room + " must not include " + other + " (" + include.name + ")";
}

std::vector<std::string> wrong_includes(const SourceFile& file) {
  if (room_of(file.path).empty()) return {file.path + " belongs to no room"};
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (const auto include = included_by(file.lines[i]))
      if (const std::string why = wrong_include(file, *include); !why.empty())
        wrong.push_back(remark(file, i, why));
  return wrong;
}

std::vector<SourceFile> all_sources() {
  std::vector<SourceFile> files = test::files_under("src", {".h", ".cpp", ".cu"});
  for (SourceFile& header : test::files_under("include", {".h"}))
    if (header.path != kUmbrella) files.push_back(std::move(header));
  return files;
}

TEST(Includes, TheTreeIsFound) {
  EXPECT_GT(all_sources().size(), 50u);  // an empty tree would pass every test below
}

TEST(Includes, GoDownOnly) {
  for (const SourceFile& file : all_sources())
    for (const std::string& wrong : wrong_includes(file)) ADD_FAILURE() << wrong;
}

TEST(Includes, TheUmbrellaCoversEveryPublicHeader) {
  const auto umbrella = test::files_under("include", {"armature.h"});
  ASSERT_EQ(umbrella.size(), 1u);
  for (const auto& [header, room] : kRoomOfHeader)
    EXPECT_EQ(std::count(umbrella[0].lines.begin(), umbrella[0].lines.end(),
                         "#include \"armature/" + header + "\""),
              1)
        << header;
}

TEST(Includes, PublicHeadersIncludePublicHeadersOnly) {
  for (const SourceFile& file : test::files_under("include", {".h"}))
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (const auto include = included_by(file.lines[i]))
        EXPECT_TRUE(include->angled ? library_of(include->name).empty()
                                    : include->name.starts_with("armature/"))
            << remark(file, i, "not for whoever includes this: " + include->name);
}

TEST(Includes, EveryHeaderGuardsItself) {
  for (const SourceFile& file : all_sources()) {
    if (!file.path.ends_with(".h")) continue;
    EXPECT_EQ(std::count(file.lines.begin(), file.lines.end(), "#pragma once"), 1) << file.path;
  }
}

// The rules themselves, on made-up files.
TEST(IncludeRules, CatchWhatIsForbidden) {
  EXPECT_EQ(
      wrong_includes({"src/policies/index/x.cpp", {"#include \"simulate/feedback.h\""}}).size(),
      1u);
  EXPECT_EQ(wrong_includes({"src/base/x.h", {"#include \"armature/model.h\""}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/lab/x.cpp", {"  # include \"report/table.h\""}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/policies/x.cpp", {"#include \"families/family.h\""}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/lab/x.cpp", {"#include \"service/door.h\""}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/lab/x.cpp", {"#include \"somewhere/else.h\""}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/attic/x.cpp", {}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"src/base/x.h", {"#include <armature/model.h>"}}).size(), 1u);
  for (const char* line :
       {"#include <sqlite3.h>", "#include <toml++/toml.h>", "#include <CLI/CLI.hpp>",
        "#include <Eigen/Dense>", " # include < nlohmann/json.hpp >", "#include <unistd.h>",
        "#include <sys/stat.h>", "#include <boost/any.hpp>"})
    EXPECT_EQ(wrong_includes({"src/lab/x.cpp", {line}}).size(), 1u) << line;
  EXPECT_EQ(wrong_includes({"src/study/read.cpp", {"#include <toml++/toml.h>"}}).size(), 1u);
  EXPECT_EQ(wrong_includes({"include/armature/lab.h", {"#include <fmt/format.h>"}}).size(), 1u);
}

TEST(IncludeRules, AllowWhatIsBelow) {
  EXPECT_TRUE(wrong_includes(
                  {"src/lab/x.cpp",
                   {"#include <vector>", "#include <fmt/format.h>", "#include <armature/model.h>",
                    "#include \"lab/summary.h\"", "#include \"base/text.h\"",
                    "#include \"armature/policy.h\"", "#include \"families/family.h\""}})
                  .empty());
}

// --- Policies never see the truth ----------------------------------------------------------------

// Code without its // comments; good enough for a house where nobody writes /* */.
std::string code_of(const std::string& line) { return line.substr(0, line.find("//")); }

constexpr const char* kTypedLoop = "include/armature/policy.h";  // may speak of an Environment

std::vector<std::string> mentions_of_the_truth(const SourceFile& file) {
  std::vector<std::string> mentions;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    for (const char* truth : {"Instance", "InstanceSource", "Family", "RewardLaw", "World",
                              "OutcomeTables", "Environment"}) {
      if (file.path == kTypedLoop && std::string(truth) == "Environment") continue;
      if (test::has_word(code_of(file.lines[i]), truth))
        mentions.push_back(
            remark(file, i, "a policy is built from a Problem and sees nothing else"));
    }
  return mentions;
}

TEST(Policies, NeverMentionAnInstance) {
  auto sources = test::files_under("src/policies", {".h", ".cpp"});
  EXPECT_GT(sources.size(), 10u);
  for (SourceFile& header : test::files_under("include", {".h"}))
    if (room_of(header.path) == "policies") sources.push_back(std::move(header));
  for (const SourceFile& file : sources)
    for (const std::string& mention : mentions_of_the_truth(file)) ADD_FAILURE() << mention;
}

TEST(Policies, AMentionWouldBeNoticed) {
  EXPECT_EQ(mentions_of_the_truth({"x", {"void f(const Instance& instance);"}}).size(), 1u);
  EXPECT_EQ(mentions_of_the_truth({"x", {"Family f;", "OutcomeTables t;"}}).size(), 2u);
  EXPECT_EQ(mentions_of_the_truth({"x", {"void play(Environment&);"}}).size(), 1u);
  EXPECT_TRUE(mentions_of_the_truth({kTypedLoop, {"void play(Environment&);"}}).empty());
  EXPECT_TRUE(
      mentions_of_the_truth({"x", {"int x;  // of each Instance", "int instance;"}}).empty());
}

}  // namespace
}  // namespace armature
