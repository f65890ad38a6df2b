// One name, one type: two definitions of the same armature type outside anonymous namespaces break
// the one-definition rule, and no compiler is bound to say so.
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <sstream>

#include "house/source_tree.h"

namespace armature {
namespace {

using test::SourceFile;

// The file as code: without comments, preprocessor lines and what stands between quotes.
std::string code_of(const SourceFile& file) {
  std::string code;
  for (const std::string& line : file.lines) {
    if (line.find_first_not_of(' ') != std::string::npos &&
        line[line.find_first_not_of(' ')] == '#')
      continue;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == '\\') ++i;
        if (c == quote) quote = 0;
        continue;
      }
      if (line.compare(i, 2, "//") == 0) break;
      const bool digit_separator =
          c == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(line[i - 1])) != 0;
      if ((c == '"' || c == '\'') && !digit_separator)
        quote = c;
      else
        code += c;
    }
    code += '\n';
  }
  return code;
}

// The words of a statement up to its opening brace, template parameters left out.
std::vector<std::string> words_of(const std::string& statement) {
  std::string spaced;
  int depth = 0;
  for (const char c : statement) {
    if (c == '<') ++depth;
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (depth == 0) spaced += word ? std::string(1, c) : std::string(" ") + c + " ";
    if (c == '>' && --depth < 0) depth = 0;
  }
  std::istringstream stream(spaced);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!words.empty() && words.front() == "template") words.erase(words.begin());
  return words;
}

// The name of the type that a statement before '{' defines, or nothing.
std::string defined_type(const std::string& statement) {
  const auto words = words_of(statement);
  std::size_t at = 0;
  if (words.size() > at && words[at] == "enum") ++at;
  const bool key =
      words.size() > at && (words[at] == "class" || words[at] == "struct" || words[at] == "union");
  if (!key && at == 0) return "";
  if (key) ++at;
  if (words.size() <= at || std::isalpha(static_cast<unsigned char>(words[at][0])) == 0) return "";
  std::string name = words[at];
  for (; at + 3 < words.size() && words[at + 1] == ":" && words[at + 2] == ":"; at += 3)
    name += "::" + words[at + 3];  // a member defined outside its class
  return name;
}

constexpr const char* kNobody = "?";  // a scope that is no namespace, or one without a name

// "name::of::a" for `namespace name::of::a`, kNobody for one without a name, nothing for the rest.
std::string opened_namespace(const std::string& statement) {
  const auto words = words_of(statement);
  std::size_t at = 0;
  if (words.size() > at && words[at] == "inline") ++at;
  if (words.size() <= at || words[at] != "namespace") return "";
  std::string name;
  for (++at; at < words.size(); ++at) name += words[at];
  return name.empty() ? kNobody : name;
}

// Types defined at the level of named namespaces, by their full names.
std::vector<std::string> types_in(const SourceFile& file) {
  std::vector<std::string> types;
  std::vector<std::string> scopes;
  std::string statement;
  for (const char c : code_of(file)) {
    if (c == '{') {
      const std::string type = defined_type(statement);
      const bool named = std::find(scopes.begin(), scopes.end(), kNobody) == scopes.end();
      std::string full;
      for (const std::string& scope : scopes) full += scope + "::";
      if (!type.empty() && named) types.push_back(full + type);
      const std::string opened = opened_namespace(statement);
      scopes.push_back(opened.empty() ? kNobody : opened);
    }
    if (c == '}' && !scopes.empty()) scopes.pop_back();
    statement = c == '{' || c == '}' || c == ';' ? "" : statement + c;
  }
  return types;
}

std::vector<std::string> doubled_types(const std::vector<SourceFile>& files) {
  std::map<std::string, std::string> first_place;
  std::vector<std::string> doubled;
  for (const SourceFile& file : files)
    for (const std::string& type : types_in(file)) {
      const auto [known, is_new] = first_place.emplace(type, file.path);
      if (!is_new) doubled.push_back(type + " in " + known->second + " and in " + file.path);
    }
  return doubled;
}

TEST(Names, EveryTypeIsDefinedOnce) {
  std::vector<SourceFile> files = test::files_under("src", {".h", ".cpp", ".cu"});
  for (SourceFile& header : test::files_under("include", {".h"}))
    files.push_back(std::move(header));
  std::size_t found = 0;
  for (const SourceFile& file : files) found += types_in(file).size();
  EXPECT_GT(found, 100u);  // blind eyes would pass everything
  for (const std::string& doubled : doubled_types(files)) ADD_FAILURE() << doubled;
}

TEST(Names, ADoubledTypeWouldBeNoticed) {
  const SourceFile one{"one.h", {"namespace armature {", "struct Bound { int x; };", "}"}};
  const SourceFile other{"other.h",
                         {"namespace armature {", "enum class Bound", "{ kUpper };", "}"}};
  EXPECT_EQ(doubled_types({one, other}).size(), 1u);
}

TEST(Names, WhatIsNotTheSameTypeIsLeftAlone) {
  const std::vector<SourceFile> files = {
      {"a", {"namespace armature {", "namespace {", "struct Row {};", "}", "}"}},
      {"b", {"namespace armature {", "struct Table { struct Row {}; };", "}"}},
      {"c", {"namespace armature::cli {", "struct Row {};", "}"}},
      {"d",
       {"namespace armature {", "struct Row;", "void f(Row&) { struct Row { int x; }; }",
        "struct Row::Cell : public Base {};", "}"}},
      {"e",
       {"namespace armature {", "// struct Row {", "const char* s = \"struct Row {\";",
        "template <class Row> void g() {}", "int n = 1'000;", "struct Row {};", "}"}}};
  EXPECT_TRUE(doubled_types(files).empty());
  EXPECT_EQ(types_in(files[4]), std::vector<std::string>{"armature::Row"});
}

}  // namespace
}  // namespace armature
