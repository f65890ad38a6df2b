#include "graph/read_arrows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "graph/names.h"
#include "graph/read_names.h"
#include "graph/scanner.h"

namespace armature::graph {
namespace {

constexpr const char* kNoCircles =
    "'->', '<-' or '<->': circle marks belong to partial ancestral graphs, which are not read";
constexpr std::size_t kMostArrows = std::size_t{1} << 25U;  // groups multiply

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

// `-?(.5|1|1.5)`, what DOT takes for a number.
bool is_dot_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool digits = std::any_of(text.begin(), text.end(), is_digit);
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto fits = [](char c) { return is_digit(c) || c == '.'; };
  return digits && points <= 1 && std::all_of(text.begin(), text.end(), fits);
}

// What a word in brackets makes of a node. The short forms are dagitty's.
struct Role {
  const char* name;
  bool Variable::*flag;
  std::array<const char*, 4> short_forms;
};
constexpr std::array<Role, 5> kRoles = {{
    {"exposure", &Variable::exposure, {"e", "source"}},
    {"outcome", &Variable::outcome, {"o", "target"}},
    {"latent", &Variable::latent, {"l", "u", "unobserved"}},
    {"adjusted", &Variable::adjusted, {"a"}},
    {"selected", &Variable::selected, {"s"}},
}};

const Role* find_role(std::string_view word) {
  for (const Role& role : kRoles) {
    if (word == role.name) return &role;
    for (const char* form : role.short_forms)
      if (form != nullptr && word == form) return &role;
  }
  return nullptr;
}

std::optional<bool> yes_or_no(std::string_view word) {
  const std::string small = small_letters(word);
  if (small == "yes" || small == "true" || small == "1") return true;
  if (small == "no" || small == "false" || small == "0") return false;
  return std::nullopt;
}

// "0.1, -2"; DOT files add a '!' or a third number.
std::optional<Position> parse_position(std::string_view text, bool only_two) {
  std::array<double, 2> numbers{};
  for (double& number : numbers) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    if (&number == &numbers[0]) {
      if (!text.starts_with(',')) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (only_two && !text.empty()) return std::nullopt;
  return Position{numbers[0], numbers[1]};
}

enum class LinkMark { kForward, kBackward, kBoth };

// How DOT draws an arrow, as far as it says what the arrow is.
struct ArrowLooks {
  std::string_view direction;  // dir=
  std::string_view head;       // arrowhead=
  std::string_view tail;       // arrowtail=
  std::string_view style;
};

// Nodes side by side in the list of mentions: one name, or all of a group.
struct Operand {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Link {
  Operand left;
  Operand right;
  LinkMark mark;
  std::size_t at;
};

// The body of the file, or a group in it, with the statement that is being read there.
struct Level {
  std::size_t opened_at;
  std::size_t first_mention;  // what is mentioned in it stands from here on
  std::size_t first_link;
  ArrowLooks looks;  // `edge [...]` so far
  std::optional<Operand> operand;
  std::optional<Node> node;  // the operand, if the statement is one name so far
  std::optional<LinkMark> mark;
  std::size_t mark_at = 0;
};

struct SideBySide {
  Node left;
  Node right;
  std::size_t at;
};

class ArrowReader {
 public:
  ArrowReader(std::string_view text, const std::string& source)
      : scanner_(text, source, {true, true, false}), names_(parts_.variables) {}

  CausalGraph::Parts read() {
    scanner_.skip();
    const std::size_t brace = read_header();
    open_level(brace);
    while (read_piece()) {
    }
    finish();
    return std::move(parts_);
  }

 private:
  // ---- the header ----

  std::size_t read_header();
  void refuse_type(const Word& type) const;
  void refuse_misspelt_header(const Word& first);

  // ---- statements: the scanner always stands at the beginning of a piece ----

  bool read_piece();
  void read_name();
  void read_after_operand();
  bool read_default(const Word& word);
  bool read_graph_option(const Word& word);
  bool enter_subgraph(const Word& word);
  void pass_ports();
  void open_level(std::size_t at);
  void close_level();
  void take_operand(Operand operand, std::optional<Node> node);
  void end_statement(const ArrowLooks& looks);
  void end_statement() { end_statement(levels_.back().looks); }
  void expand(const Link& link, const ArrowLooks& looks);
  LinkMark drawn_mark(const Link& link, const ArrowLooks& looks) const;
  std::string link_text(const Link& link) const;

  // ---- words and marks ----

  bool at_word() const;
  Word word();
  Word bare_word();
  Word html_word();
  void require_node_name(const Word& name) const;
  LinkMark take_mark();
  [[noreturn]] void refuse_hyphen(const Word& before) const;
  [[noreturn]] void fail_here(const std::string& expected) const;
  std::string advice(std::size_t at) const;
  bool at_circle(const Word& word) const;

  // ---- options ----

  template <class Use>
  void read_options(Use&& use);
  void use_node_option(Node node, const Word& key, const std::optional<Word>& value);
  void use_arrow_option(ArrowLooks& looks, const Word& key, const std::optional<Word>& value);
  void set_position(Node node, const Word& value);

  void finish();
  void warn(std::size_t at, const std::string& what) {
    constexpr std::size_t kMost = 20;
    if (parts_.warnings.size() < kMost)
      parts_.warnings.push_back(scanner_.line(at) + ": " + what);
    else
      ++warnings_left_out_;
  }

  Scanner scanner_;
  CausalGraph::Parts parts_;
  NodeNames names_;
  bool has_header_ = false;
  bool options_seen_ = false;
  bool dot_ = false;           // strict DOT's own rules: words, ports, semicolons
  bool dagitty_seen_ = false;  // …but written by somebody who knows dagitty
  std::vector<Level> levels_;
  std::vector<Node> mentions_;
  std::vector<Link> links_;
  Word last_name_;  // the piece before, if it was a name
  bool last_touches_mark_ = false;
  std::vector<SideBySide> side_by_side_;
  std::size_t warnings_left_out_ = 0;
};

// ---- the header ---------------------------------------------------------------------------------

const std::vector<std::string>& types() {
  static const std::vector<std::string> all = {"dag", "digraph", "graph", "pdag", "mag", "pag"};
  return all;
}

bool is_type(const Word& word) {
  return !word.quoted && std::count(types().begin(), types().end(), small_letters(word.text)) > 0;
}

// strict? TYPE NAME? { — or none of it. Where its brace stands, or the text begins.
std::size_t ArrowReader::read_header() {
  const std::size_t start = scanner_.at();
  const auto no_header = [&] {
    scanner_.go_to(start);
    dot_ = false;
    return start;
  };
  if (!at_word() || scanner_.peek() == '"') return start;
  dot_ = true;  // names of graphs may be anything DOT allows
  const Word first = word();
  const bool strict = small_letters(first.text) == "strict" && at_word();
  const Word type = strict ? word() : first;
  if (!is_type(type) && !strict) {
    refuse_misspelt_header(first);
    return no_header();
  }
  const std::string kind = small_letters(type.text);
  const bool bracket = scanner_.peek() == '[' && kind == "digraph";  // for a brace
  const bool goes_on = at_word() || scanner_.peek() == '{' || scanner_.at_end() || bracket;
  if (!goes_on && !strict) return no_header();  // `dag -> x`, `graph [bb="…"]`
  if (at_word()) parts_.name = word().text;
  if (scanner_.peek() != '{')
    fail_here(fmt::format("'{{' to begin the graph, as in {} {{ a -> b }}", kind));
  refuse_type(type);
  dot_ = strict || kind == "digraph";
  scanner_.set_rules({!dot_, true, dot_});
  has_header_ = true;
  const std::size_t brace = scanner_.at();
  scanner_.advance();
  scanner_.skip();
  return brace;
}

void ArrowReader::refuse_type(const Word& type) const {
  const std::string kind = small_letters(type.text);
  const auto refuse = [&](const char* what) {
    scanner_.fail(type.at, fmt::format("'{}', {}", type.text, what),
                  "a directed acyclic graph: dag { … } or digraph { … }");
  };
  if (kind == "graph") refuse("an undirected graph");
  if (kind == "pdag") refuse("a partially directed graph, in which some directions are unknown");
  if (kind == "mag") refuse("a maximal ancestral graph, in which an arrow is no direct cause");
  if (kind == "pag") refuse("a partial ancestral graph, in which an arrow is no direct cause");
  if (kind != "dag" && kind != "digraph")
    scanner_.fail(type.at, "'dag' or 'digraph'" + did_you_mean(kind, types()));
}

// `diagraph { a -> b }` would be a node more for dagitty, and so would `my dag { … }`.
void ArrowReader::refuse_misspelt_header(const Word& first) {
  if (scanner_.peek() != '{' && at_word()) word();
  if (scanner_.peek() == '{')
    scanner_.fail(first.at, "a header, dag { … } or digraph { … }" +
                                did_you_mean(small_letters(first.text), {"dag", "digraph"}));
}

// ---- statements ---------------------------------------------------------------------------------

bool ArrowReader::read_piece() {
  Level& level = levels_.back();
  if (scanner_.at_end()) {
    if (levels_.size() > 1 || has_header_)
      scanner_.fail(scanner_.at(),
                    fmt::format("'}}' for the '{{' of {}", scanner_.line(level.opened_at)));
    if (level.mark) fail_here("a node or a group after the mark");
    end_statement();
    return false;
  }
  const char c = scanner_.peek();
  const bool wants_operand = level.mark || !level.operand;
  if (c == '}') {
    if (level.mark) fail_here("a node or a group after the mark");
    end_statement();
    if (levels_.size() == 1) {
      if (!has_header_) fail_here("a '{' before it");
      scanner_.advance();
      scanner_.skip();
      if (dot_)
        while (scanner_.take(';')) scanner_.skip();
      if (!scanner_.at_end()) fail_here("nothing after the last '}': a file has one graph");
      return false;
    }
    close_level();
  } else if (c == ';' && dot_) {
    if (level.mark) fail_here("a node or a group after the mark");
    end_statement();
    scanner_.advance();
    scanner_.skip();
    last_name_ = {};
  } else if (!wants_operand) {
    read_after_operand();
  } else if (c == '{') {
    scanner_.advance();
    open_level(scanner_.at() - 1);
    scanner_.skip();
  } else if (at_word()) {
    read_name();
  } else {
    fail_here(level.mark ? "a node or a group after the mark" : "a node, a group or '}'");
  }
  return true;
}

void ArrowReader::read_after_operand() {
  Level& level = levels_.back();
  const char c = scanner_.peek();
  const bool same_line = !scanner_.skipped_break();
  if (c == '[') {
    if (level.node) {
      const Node node = *level.node;
      read_options([&](const Word& key, const std::optional<Word>& value) {
        use_node_option(node, key, value);
      });
      end_statement();
    } else if (links_.size() > level.first_link) {
      ArrowLooks looks = level.looks;
      read_options([&](const Word& key, const std::optional<Word>& value) {
        use_arrow_option(looks, key, value);
      });
      end_statement(looks);
    } else {
      fail_here("options after a node or after an arrow: those of a group stand at its nodes");
    }
    if (std::string_view("-<@").find(scanner_.peek()) != std::string_view::npos &&
        !scanner_.at_end() && !at_word())
      fail_here("a new statement: options end one; write 'x [latent]' apart from 'x -> y'");
  } else if (c == '-' && (is_word_byte(scanner_.peek(1))) && same_line) {
    refuse_hyphen(last_name_);
  } else if (c == '{') {
    if (same_line && !last_name_.text.empty())
      fail_here("a mark before the group, as in a -> {b c}");
    end_statement();
  } else if (at_word()) {
    end_statement();
  } else {
    level.mark_at = scanner_.at();
    level.mark = take_mark();
    last_name_ = {};
  }
}

void ArrowReader::read_name() {
  const Word before = last_name_;
  const bool same_line = !scanner_.skipped_break() && !before.text.empty();
  const bool touches_mark = scanner_.skipped_nothing() && levels_.back().mark.has_value();
  const Word name = word();
  if (!levels_.back().mark) {
    if (read_default(name) || read_graph_option(name)) {
      last_name_ = {};
      return;
    }
    if (same_line && at_circle(name)) scanner_.fail(name.at, kNoCircles);
    if (same_line && last_touches_mark_ && before.text == "o" && !before.quoted)
      scanner_.fail(before.at, kNoCircles);
  }
  if (enter_subgraph(name)) {
    last_name_ = {};
    return;
  }
  require_node_name(name);
  if (dot_) pass_ports();
  const Node node = names_.get(name.text);
  if (same_line && !levels_.back().mark && levels_.size() == 1 && !name.quoted && !before.quoted)
    side_by_side_.push_back({*names_.find(before.text), node, before.at});
  if (levels_.size() == 1 && !levels_.back().mark) mentions_.clear();
  mentions_.push_back(node);
  take_operand({mentions_.size() - 1, mentions_.size()}, node);
  last_name_ = name;
  last_touches_mark_ = touches_mark;
}

// `graph [...]`, `node [...]`, `edge [...]`: how things look unless told otherwise.
bool ArrowReader::read_default(const Word& word) {
  if (scanner_.peek() != '[' || (word.quoted && dot_)) return false;
  const std::string keyword = dot_ ? small_letters(word.text) : std::string(word.text);
  if (keyword == "graph") {
    read_options([](const Word&, const std::optional<Word>&) {});
    return true;
  }
  if (keyword == "node") {
    read_options([&](const Word& key, const std::optional<Word>&) {
      if (find_role(key.text) != nullptr || key.text == "observed")
        scanner_.fail(key.at, "the looks of nodes: a role stands at each node that has it");
    });
    return true;
  }
  if (keyword != "edge" || word.quoted) return false;
  // In dagitty `edge` is a name like others, and an exported file lists every node.
  const Scanner::Place start = scanner_.place();
  bool as_node = false;
  ArrowLooks looks = levels_.back().looks;
  read_options([&](const Word& key, const std::optional<Word>& value) {
    if (!dot_ && (find_role(key.text) != nullptr || key.text == "pos")) as_node = true;
    if (!as_node) use_arrow_option(looks, key, value);
  });
  if (as_node) {
    scanner_.go_back(start);
    return false;
  }
  levels_.back().looks = looks;
  return true;
}

// Any `key=value` is about the graph.
bool ArrowReader::read_graph_option(const Word& key) {
  if (scanner_.peek() != '=' || scanner_.peek(1) == '>') return false;
  scanner_.advance();
  scanner_.skip();
  if (!at_word()) fail_here("the value of an option");
  const Word value = word();
  static const std::vector<std::string> kKnown = {"bb", "pos", "label", "name", "title", "size"};
  if (!dot_ && std::count(kKnown.begin(), kKnown.end(), key.text) == 0)
    warn(key.at, fmt::format("'{}={}' is read as an option of the graph; an arrow is written "
                             "{} -> {}",
                             key.text, value.text, value.text, key.text));
  return true;
}

// `subgraph NAME? {`: a group. The scanner then stands at its brace.
bool ArrowReader::enter_subgraph(const Word& keyword) {
  if (keyword.quoted ||
      (dot_ ? small_letters(keyword.text) : std::string(keyword.text)) != "subgraph")
    return false;
  if (scanner_.peek() == '{') return true;
  const Scanner::Place start = scanner_.place();
  if (at_word()) {
    word();
    if (scanner_.peek() == '{') return true;
  }
  if (dot_) fail_here("'{' after 'subgraph'");
  scanner_.go_back(start);  // dagitty: a node of that name
  return false;
}

void ArrowReader::pass_ports() {
  for (int ports = 0; ports < 2 && scanner_.take(':'); ++ports) {
    scanner_.skip();
    if (!at_word()) fail_here("a port after ':'; a name with a colon is quoted");
    word();
  }
}

void ArrowReader::open_level(std::size_t at) {
  const ArrowLooks looks = levels_.empty() ? ArrowLooks{} : levels_.back().looks;
  levels_.push_back({at, mentions_.size(), links_.size(), looks, {}, {}, {}, 0});
  last_name_ = {};
}

void ArrowReader::close_level() {
  const std::size_t first = levels_.back().first_mention;
  levels_.pop_back();
  scanner_.advance();
  scanner_.skip();
  last_name_ = {};
  take_operand({first, mentions_.size()}, std::nullopt);
}

void ArrowReader::take_operand(Operand operand, std::optional<Node> node) {
  Level& level = levels_.back();
  if (level.mark) {
    links_.push_back({*level.operand, operand, *level.mark, level.mark_at});
    level.mark.reset();
    node.reset();
  }
  level.operand = operand;
  level.node = node;
}

// Only now is known how the arrows of a chain are drawn: options come last.
void ArrowReader::end_statement(const ArrowLooks& looks) {
  Level& level = levels_.back();
  for (std::size_t i = level.first_link; i < links_.size(); ++i) expand(links_[i], looks);
  links_.resize(level.first_link);
  level.operand.reset();
  level.node.reset();
}

void ArrowReader::expand(const Link& link, const ArrowLooks& looks) {
  const std::size_t pairs = (link.left.end - link.left.begin) * (link.right.end - link.right.begin);
  if (pairs + parts_.directed.size() + parts_.bidirected.size() > kMostArrows)
    scanner_.fail(link.at, "a graph with more than 2^25 arrows", "fewer; groups multiply");
  const LinkMark mark = drawn_mark(link, looks);
  for (std::size_t l = link.left.begin; l < link.left.end; ++l)
    for (std::size_t r = link.right.begin; r < link.right.end; ++r) {
      const Node left = mentions_[l];
      const Node right = mentions_[r];
      if (left == right)
        scanner_.fail(link.at,
                      fmt::format("an arrow from '{}' to itself", parts_.variables[left].name),
                      "an arrow between two nodes: the graph is acyclic");
      if (mark == LinkMark::kForward) parts_.directed.push_back({left, right});
      if (mark == LinkMark::kBackward) parts_.directed.push_back({right, left});
      if (mark == LinkMark::kBoth)
        parts_.bidirected.push_back({std::min(left, right), std::max(left, right)});
    }
}

std::string ArrowReader::link_text(const Link& link) const {
  const auto name = [&](const Operand& operand) {
    return operand.begin == operand.end ? "{}" : parts_.variables[mentions_[operand.begin]].name;
  };
  return fmt::format("'{} -> {}'", name(link.left), name(link.right));
}

// What a DOT arrow is once it is drawn: its ends may be bare, or the other way round.
LinkMark ArrowReader::drawn_mark(const Link& link, const ArrowLooks& looks) const {
  if (link.mark != LinkMark::kForward) return link.mark;
  if (looks.style.find("invis") != std::string_view::npos)
    scanner_.fail(link.at, link_text(link) + ", drawn invisible",
                  "arrows that one can see: is it a cause, or is it there for the layout?");
  const bool both = looks.direction == "both";
  const bool head = looks.head != "none" && looks.direction != "none" && looks.direction != "back";
  const bool tail = (both || looks.direction == "back") && looks.tail != "none";
  if (head && tail) return LinkMark::kBoth;
  if (head) return LinkMark::kForward;
  if (tail)
    scanner_.fail(link.at, link_text(link) + ", drawn with its head at the other end",
                  "an arrow written from cause to effect");
  scanner_.fail(link.at, link_text(link) + ", drawn without a head",
                "an arrow: an undirected edge is no part of a causal graph");
}

// ---- words and marks ----------------------------------------------------------------------------

bool ArrowReader::at_word() const {
  if (scanner_.at_end()) return false;
  const char c = scanner_.peek();
  if (is_word_byte(c) || c == '"') return true;
  if (c == '-') return is_word_byte(scanner_.peek(1));
  if (c == '<') return dot_ && scanner_.peek(1) != '-';
  return static_cast<unsigned char>(c) >= 0x80 &&
         is_foreign_letter(scanner_.letter(scanner_.at()).code);
}

// Passes what comes after it, too.
Word ArrowReader::word() {
  if (scanner_.peek() == '<') return html_word();
  if (scanner_.peek() != '"') return bare_word();
  Word whole = scanner_.quoted_word();
  scanner_.skip();
  if (scanner_.peek() != '+') return whole;
  std::string joined(whole.text);
  while (scanner_.take('+')) {
    scanner_.skip();
    if (scanner_.peek() != '"') fail_here("a text in double quotes after '+'");
    joined += scanner_.quoted_word().text;
    scanner_.skip();
  }
  whole.text = scanner_.keep(std::move(joined));
  return whole;
}

Word ArrowReader::bare_word() {
  const std::size_t begin = scanner_.at();
  scanner_.take('-');
  while (!scanner_.at_end()) {
    const char c = scanner_.peek();
    if (is_word_byte(c)) {
      scanner_.advance();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const Scanner::Letter letter = scanner_.letter(scanner_.at());
      if (!is_foreign_letter(letter.code)) break;
      scanner_.advance(letter.bytes);
    } else {
      break;
    }
  }
  const std::string_view text = scanner_.text().substr(begin, scanner_.at() - begin);
  scanner_.skip();
  return {text, begin, false};
}

// <…>, with brackets in it that match.
Word ArrowReader::html_word() {
  const std::size_t begin = scanner_.at();
  int depth = 0;
  do {
    if (scanner_.at_end()) scanner_.fail(begin, "a '<' without an end", "a '>' for it");
    if (scanner_.peek() == '<') ++depth;
    if (scanner_.peek() == '>') --depth;
    scanner_.advance();
  } while (depth > 0);
  const std::string_view text = scanner_.text().substr(begin + 1, scanner_.at() - begin - 2);
  scanner_.skip();
  return {text, begin, true};
}

void ArrowReader::require_node_name(const Word& name) const {
  scanner_.require_name(name, "name");
  if (!dot_) {
    if (name.text == "graph" || name.text == "node")
      scanner_.fail(name.at, "another name: 'graph' and 'node' are reserved in dagitty's language");
    return;
  }
  if (name.quoted) return;
  if (is_dot_keyword(name.text))
    scanner_.fail(name.at,
                  fmt::format("a node; the keyword as a name is quoted: \"{}\"", name.text));
  const bool number_like = is_digit(name.text[0]) || name.text[0] == '-' || name.text[0] == '.';
  if (number_like && !is_dot_number(name.text))
    scanner_.fail(name.at,
                  fmt::format("a name or a number; in DOT this one is quoted: \"{}\"", name.text));
}

// `a o-o b`, `a o-> b`: nodes called o for dagitty.
bool ArrowReader::at_circle(const Word& word) const {
  if (word.text != "o" || word.quoted || !scanner_.skipped_nothing()) return false;
  return scanner_.peek() == '-';
}

void ArrowReader::refuse_hyphen(const Word& before) const {
  const std::size_t at = scanner_.at();
  std::size_t end = at + 1;
  while (end < scanner_.text().size() &&
         (is_word_byte(scanner_.text()[end]) || scanner_.text()[end] == '-'))
    ++end;
  const std::string_view rest = scanner_.text().substr(at, end - at);
  if (scanner_.skipped_nothing() && !before.text.empty() && !before.quoted)
    scanner_.fail(at, in_quotes(rest),
                  fmt::format("a mark or the next statement; names with a hyphen are quoted: "
                              "\"{}{}\"",
                              before.text, rest));
  scanner_.fail(at, in_quotes(rest), "a mark, '->', '<-' or '<->'; names with a hyphen are quoted");
}

LinkMark ArrowReader::take_mark() {
  enum class Kind { kForward, kBackward, kBoth, kUndirected, kCircle };
  struct Known {
    std::string_view text;
    Kind kind;
  };
  static constexpr std::array<Known, 9> kMarks = {{{"<->", Kind::kBoth},
                                                   {"<-@", Kind::kCircle},
                                                   {"<-", Kind::kBackward},
                                                   {"->", Kind::kForward},
                                                   {"@-@", Kind::kCircle},
                                                   {"@->", Kind::kCircle},
                                                   {"@--", Kind::kCircle},
                                                   {"--@", Kind::kCircle},
                                                   {"--", Kind::kUndirected}}};
  const std::size_t begin = scanner_.at();
  for (const Known& known : kMarks) {
    if (!scanner_.looking_at(known.text)) continue;
    const char next = scanner_.peek(known.text.size());
    const bool negative = next == '-' && is_digit(scanner_.peek(known.text.size() + 1));
    if (std::string_view("-<>=~@").find(next) != std::string_view::npos && next != '\0' &&
        !negative)
      break;  // `-->`, `<-->`
    if (known.kind == Kind::kCircle) scanner_.fail(begin, kNoCircles);
    if (known.kind == Kind::kUndirected)
      scanner_.fail(begin, in_quotes(known.text),
                    "'->', '<-' or '<->': an undirected edge is no part of a causal graph");
    scanner_.advance(known.text.size());
    scanner_.skip();
    if (known.kind == Kind::kForward) return LinkMark::kForward;
    dagitty_seen_ = true;
    return known.kind == Kind::kBoth ? LinkMark::kBoth : LinkMark::kBackward;
  }
  fail_here(levels_.size() > 1 || has_header_
                ? "'->', '<-' or '<->', options in '[', the next statement or '}'"
                : "'->', '<-' or '<->', options in '[' or the next statement");
}

void ArrowReader::fail_here(const std::string& expected) const {
  scanner_.fail(scanner_.at(), expected + advice(scanner_.at()));
}

// For what people write in place of what is meant.
std::string ArrowReader::advice(std::size_t at) const {
  if (at >= scanner_.text().size()) return "";
  switch (scanner_.text()[at]) {
    case '\'':
      return "; names are quoted by double quotes";
    case ',':
      return "; several nodes stand in braces: {a b} -> c";
    case ':':
      return "; a name with a colon is quoted";
    case '~':
      return "; y ~ x is written x -> y";
    default:
      break;
  }
  const std::string_view rest = scanner_.text().substr(at);
  if (rest.starts_with("--") || rest.starts_with("<--") || rest.starts_with("=>") ||
      rest.starts_with("- "))
    return "; an arrow is written ->";
  if (static_cast<unsigned char>(rest[0]) < 0x80) return "";
  const char32_t letter = scanner_.letter(at).code;
  if (is_foreign_letter(letter)) return "";
  const bool quotation = letter < 0xAC || letter == 0xBB || (letter >= 0x2018 && letter <= 0x201F);
  return quotation ? "; quotation marks are plain ones: \"" : "; arrows are written -> and <->";
}

// ---- options ------------------------------------------------------------------------------------

template <class Use>
void ArrowReader::read_options(Use&& use) {
  while (scanner_.peek() == '[') {  // DOT: several lists in a row
    const std::size_t begin = scanner_.at();
    scanner_.advance();
    scanner_.skip();
    while (!scanner_.take(']')) {
      if (scanner_.at_end())
        scanner_.fail(scanner_.at(), "']' for the '[' of " + scanner_.line(begin));
      if (scanner_.take(',') || scanner_.take(';')) {
        scanner_.skip();
        continue;
      }
      if (!at_word()) fail_here("an option, ',' or ']'");
      const Word key = word();
      std::optional<Word> value;
      if (scanner_.take('=')) {
        scanner_.skip();
        if (!at_word()) fail_here(fmt::format("a value for '{}'", key.text));
        value = word();
      }
      use(key, value);
    }
    scanner_.skip();
  }
  last_name_ = {};
}

void ArrowReader::use_node_option(Node node, const Word& key, const std::optional<Word>& value) {
  options_seen_ = true;
  Variable& variable = parts_.variables[node];
  if (!value) {
    dagitty_seen_ = true;
    if (const Role* role = find_role(key.text)) {
      variable.*role->flag = true;
      return;
    }
    std::vector<std::string> names;
    for (const Role& role : kRoles) names.emplace_back(role.name);
    warn(key.at, fmt::format("the option '{}' of '{}' means nothing here{}", key.text,
                             variable.name, did_you_mean(small_letters(key.text), names)));
    return;
  }
  if (key.text == "pos") return set_position(node, *value);
  const bool observed = key.text == "observed";
  const Role* role = observed ? find_role("latent") : find_role(key.text);
  if (role == nullptr || (dot_ && !observed && key.text != role->name)) return;
  const auto said = yes_or_no(value->text);
  if (!said) scanner_.fail(value->at, in_quotes(value->text), "yes or no");
  variable.*role->flag = *said != observed;
}

void ArrowReader::set_position(Node node, const Word& value) {
  const auto position = parse_position(value.text, !dot_);
  if (!position && !dot_) scanner_.fail(value.at, in_quotes(value.text), "a position, pos=\"x,y\"");
  if (position) parts_.variables[node].position = position;
}

void ArrowReader::use_arrow_option(ArrowLooks& looks, const Word& key,
                                   const std::optional<Word>& value) {
  if (!value) dagitty_seen_ = true;
  if (find_role(key.text) != nullptr && (!value || !dot_) && key.text.size() > 1)
    warn(key.at, fmt::format("'{}' stands at an arrow and means nothing there; that of a node "
                             "stands apart: x [{}]",
                             key.text, key.text));
  if (!value) return;
  if (key.text == "dir") {
    static const std::vector<std::string> kKnown = {"forward", "back", "both", "none"};
    if (std::count(kKnown.begin(), kKnown.end(), value->text) == 0)
      scanner_.fail(value->at, in_quotes(value->text), "forward, back, both or none");
    looks.direction = value->text;
  }
  if (key.text == "arrowhead") looks.head = value->text;
  if (key.text == "arrowtail") looks.tail = value->text;
  if (key.text == "style") looks.style = value->text;
}

// ---- the end ------------------------------------------------------------------------------------

void ArrowReader::finish() {
  if (parts_.variables.empty())
    throw Error({scanner_.source(), "", "a graph without nodes", "at least one"});
  if (!has_header_ && !options_seen_ && parts_.directed.empty() && parts_.bidirected.empty())
    throw Error({scanner_.source(), "", "words without an arrow",
                 "arrows, as in x -> y, or a header: dag { … }"});
  keep_once(parts_.variables.size(), parts_.directed);
  keep_once(parts_.variables.size(), parts_.bidirected);
  std::vector<bool> connected(parts_.variables.size());
  for (const auto* arrows : {&parts_.directed, &parts_.bidirected})
    for (const Arrow& arrow : *arrows) connected[arrow.from] = connected[arrow.to] = true;
  for (const SideBySide& pair : side_by_side_)
    if (!connected[pair.left] || !connected[pair.right])
      warn(pair.at,
           fmt::format("'{0}' and '{1}' are read as two nodes; a name with a blank is "
                       "quoted: \"{0} {1}\"",
                       parts_.variables[pair.left].name, parts_.variables[pair.right].name));
  if (warnings_left_out_ > 0)
    parts_.warnings.push_back(fmt::format("and {} more like these", warnings_left_out_));
  if (dot_ && !dagitty_seen_)  // DOT counts upwards, dagitty downwards
    for (Variable& variable : parts_.variables)
      if (variable.position) variable.position->y = -variable.position->y;
  parts_.why_no_tables = "the file has none";
}

}  // namespace

CausalGraph::Parts read_arrows(std::string_view text, const std::string& source) {
  return ArrowReader(text, source).read();
}

void keep_once(std::size_t nodes, std::vector<Arrow>& arrows) {
  // Sorted into boxes by where they lead; within a box the last one to see a `from` marks it.
  std::vector<std::uint32_t> begin(nodes + 1);
  for (const Arrow& arrow : arrows) ++begin[arrow.to + 1];
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
  std::vector<std::uint32_t> boxed(arrows.size());
  for (std::size_t i = 0; i < arrows.size(); ++i)
    boxed[begin[arrows[i].to]++] = static_cast<std::uint32_t>(i);
  constexpr Node kNobody = UINT32_MAX;
  std::vector<Node> seen_by(nodes, kNobody);
  std::vector<bool> again(arrows.size());
  for (const std::uint32_t i : boxed) {
    again[i] = seen_by[arrows[i].from] == arrows[i].to;
    seen_by[arrows[i].from] = arrows[i].to;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < arrows.size(); ++i)
    if (!again[i]) arrows[kept++] = arrows[i];
  arrows.resize(kept);
}

}  // namespace armature::graph
