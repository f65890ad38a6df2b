// dagitty's format before version 3, still found in supplements of papers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "graph/read_arrows.h"
#include "graph/read_names.h"
#include "graph/scanner.h"

namespace armature::graph {
namespace {

struct Line {
  std::vector<Word> words;
  std::size_t at;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    Line line{{}, at};
    while (at < end) {
      const std::size_t begin = std::min(text.find_first_not_of(" \t", at), end);
      at = std::min(text.find_first_of(" \t", begin), end);
      if (at > begin) line.words.push_back({text.substr(begin, at - begin), begin, false});
    }
    lines.push_back(std::move(line));
    at = end + 1;
    if (text.substr(std::min(end, text.size())).starts_with("\r\n")) ++at;
  }
  return lines;
}

bool is_flag(std::string_view word) {
  return word.size() == 1 && std::string_view("EOAU1").find(word[0]) != std::string_view::npos;
}

// Words of the name, then what it is, then perhaps where it is drawn.
struct NodeLine {
  std::size_t name_words;
  char flag;
  std::optional<std::string_view> position;  // "x,y"
};

std::optional<NodeLine> node_line(const Line& line) {
  std::size_t words = line.words.size();
  NodeLine node{};
  if (words > 0 && line.words[words - 1].text.starts_with('@'))
    node.position = line.words[--words].text.substr(1);
  if (words < 2 || !is_flag(line.words[words - 1].text)) return std::nullopt;
  node.flag = line.words[words - 1].text[0];
  node.name_words = words - 1;
  return node;
}

// my%20node: signs that would end a name were written by their code.
std::string decoded_name(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr ==
            text.data() + i + 3) {
      name += static_cast<char>(code);
      i += 2;
    } else {
      name += text[i];
    }
  }
  return name;
}

class OldReader {
 public:
  OldReader(std::string_view text, const std::string& source)
      : scanner_(text, source, {}), names_(parts_.variables), lines_(lines_of(text)) {}

  CausalGraph::Parts read() {
    std::size_t i = 0;
    while (i < lines_.size() && lines_[i].words.empty()) ++i;
    for (; i < lines_.size() && !lines_[i].words.empty(); ++i) read_node(lines_[i]);
    for (; i < lines_.size(); ++i) read_children(lines_[i]);
    keep_once(parts_.variables.size(), parts_.directed);
    parts_.warnings.push_back(
        "read as dagitty's format before version 3: nodes, an empty line, then "
        "every node with its children");
    parts_.why_no_tables = "the file has none";
    return std::move(parts_);
  }

 private:
  std::string_view name_of(const Word& word, std::string_view text) {
    const Word name{scanner_.keep(decoded_name(text)), word.at, false};
    scanner_.require_name(name, "name");
    try {
      require_utf8(name.text, scanner_.source());
    } catch (const Error&) {
      scanner_.fail(word.at, "a name whose %-codes are no UTF-8");
    }
    return name.text;
  }

  void read_node(const Line& line) {
    const auto node = node_line(line);
    if (!node)
      scanner_.fail(line.at,
                    "a node and what it is: E, O, A, U or 1, or an empty line before the "
                    "children");
    const Word& last = line.words[node->name_words - 1];
    const std::size_t begin = line.words[0].at;
    const std::string_view name =
        name_of(line.words[0], scanner_.text().substr(begin, last.at + last.text.size() - begin));
    if (names_.find(name)) scanner_.fail(begin, fmt::format("'{}' again", name), "every node once");
    Variable& variable = parts_.variables[names_.get(name)];
    variable.exposure = node->flag == 'E';
    variable.outcome = node->flag == 'O';
    variable.adjusted = node->flag == 'A';
    variable.latent = node->flag == 'U';
    if (node->position) variable.position = position(line.words.back());
  }

  Position position(const Word& word) const {
    const std::string_view text = word.text.substr(1);
    const std::size_t comma = text.find(',');
    const auto x = parse_real(text.substr(0, comma));
    const auto y =
        parse_real(comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1));
    if (!x || !y) scanner_.fail(word.at, "a position, @x,y");
    return {*x, *y};
  }

  Node known(const Word& word) {
    const std::string_view name = name_of(word, word.text);
    if (const auto node = names_.find(name)) return *node;
    std::vector<std::string> all;
    for (const Variable& variable : parts_.variables) all.push_back(variable.name);
    scanner_.fail(word.at, "a node of the list above" + did_you_mean(name, all));
  }

  void read_children(const Line& line) {
    std::optional<Node> parent;
    for (const Word& word : line.words) {
      if (word.text.starts_with('@') || word.text == "*") continue;  // where an arrow bends
      const Node node = known(word);
      if (!parent) {
        parent = node;
        continue;
      }
      if (node == *parent)
        scanner_.fail(word.at,
                      fmt::format("an arrow from '{}' to itself", parts_.variables[node].name),
                      "an arrow between two nodes: the graph is acyclic");
      parts_.directed.push_back({*parent, node});
    }
  }

  Scanner scanner_;
  CausalGraph::Parts parts_;
  NodeNames names_;
  std::vector<Line> lines_;
};

}  // namespace

bool is_old_dagitty(std::string_view text) {
  if (text.find_first_of("{}[];=\"<>") != std::string_view::npos) return false;
  std::size_t nodes = 0;
  for (const Line& line : lines_of(text)) {
    if (line.words.empty() && nodes == 0) continue;
    if (line.words.empty()) break;
    if (!node_line(line)) return false;
    ++nodes;
  }
  return nodes > 0;
}

CausalGraph::Parts read_old_dagitty(std::string_view text, const std::string& source) {
  return OldReader(text, source).read();
}

}  // namespace armature::graph
