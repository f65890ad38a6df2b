#include "graph/bif.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "base/text.h"
#include "graph/read_names.h"
#include "graph/scanner.h"
#include "graph/tables.h"

namespace armature::graph {
namespace {

// A line of a probability block, as it stands: words and numbers are pieces of two long lists.
struct Row {
  enum class Kind { kTable, kDefault, kByStates };
  Kind kind;
  std::size_t at;
  std::size_t first_state = 0;
  std::size_t states = 0;
  std::size_t first_number = 0;
  std::size_t numbers = 0;
};

struct Block {
  Word child;
  std::vector<Word> parents;
  std::vector<Row> rows;
  bool function = false;  // noisy-max and its kin: the rows are parameters of something else
};

bool ends_word(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') ||
         std::string_view("{}()[],;|\"").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// `position = (73, 165)`, where JavaBayes draws a node.
std::optional<Position> position_property(std::string_view text) {
  if (!text.starts_with("position")) return std::nullopt;
  const std::size_t open = text.find('(');
  const std::size_t comma = text.find(',', std::min(open, text.size()));
  if (comma == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const auto x = parse_real(trimmed(text.substr(open + 1, comma - open - 1)));
  const auto y = parse_real(trimmed(text.substr(comma + 1, text.size() - comma - 2)));
  if (!x || !y) return std::nullopt;
  return Position{*x, *y};
}

// `function`, `function max`, `function = "noisy-or"`; not `functional`.
bool names_a_function(std::string_view property) {
  constexpr std::string_view kFunction = "function";
  if (!property.starts_with(kFunction)) return false;
  const std::string_view rest = property.substr(kFunction.size());
  return rest.empty() || std::string_view(" \t\r\n=:(\"").find(rest[0]) != std::string_view::npos;
}

// Of a number that no double holds: is it too small, not too large? Where its first digit stands
// says it.
bool is_below_one(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, mark);
  const std::string_view exponent = number.substr(std::min(mark + 1, number.size()));
  const auto first = static_cast<double>(digits.find_first_of("123456789"));
  const auto point = static_cast<double>(std::min(digits.find('.'), digits.size()));
  if (exponent.empty()) return point < first;
  double shift = exponent.starts_with('-') ? -1e300 : 1e300;  // unless it can be counted
  std::from_chars(exponent.data() + exponent.starts_with('+'), exponent.data() + exponent.size(),
                  shift);
  return point + shift < first;
}

class BifReader {
 public:
  BifReader(std::string_view text, const std::string& source)
      : scanner_(text, source, {}), names_(parts_.variables) {}

  CausalGraph::Parts read() {
    scanner_.skip();
    while (!scanner_.at_end()) read_block();
    if (parts_.variables.empty())
      throw Error({scanner_.source(), "", "a network without variables", "at least one"});
    connect();
    fill_tables();
    return std::move(parts_);
  }

 private:
  // ---- pass one: what the file says. The scanner always stands at the beginning of a piece. ----

  void read_block();
  void read_network();
  void read_variable();
  void read_type(Variable& variable);
  void read_probability();
  void read_row(Block& block);
  void read_numbers(Row& row);
  std::string_view read_property();
  void use_property(Variable& variable, std::string_view text);

  Word word(const char* what);
  std::vector<Word> word_list(char end, const char* what);
  void expect(char c, const char* where);
  bool take(char c);
  double number(const Word& word) const;

  // ---- pass two: what it means ----

  void connect();
  Node known(const Word& name) const;
  void fill_tables();
  void fill_table(Node node, const Block& block);
  std::optional<std::string> obstacle(Node node, const Block* block) const;
  void fill_row(Node node, const Row& row, std::size_t index, std::size_t stride,
                std::size_t offset);
  std::size_t row_index(Node node, const Row& row) const;
  void fail_row(const Row& row, const std::string& found, const std::string& expected) const {
    scanner_.fail(row.at, found, expected);
  }

  Scanner scanner_;
  CausalGraph::Parts parts_;
  NodeNames names_;
  std::vector<Block> blocks_;
  std::vector<const Block*> block_of_;  // per node; null: none
  std::vector<std::vector<Node>> parents_;
  std::vector<Word> states_;     // of all rows
  std::vector<double> numbers_;  // of all rows
  std::vector<std::unordered_map<std::string_view, std::size_t>> state_index_;
  std::size_t numbers_in_tables_ = 0;
  RowSums sums_;
};

// ---- pass one -----------------------------------------------------------------------------------

void BifReader::read_block() {
  const Word keyword = word("'network', 'variable' or 'probability'");
  if (keyword.text == "network" && !keyword.quoted) return read_network();
  if (keyword.text == "variable" && !keyword.quoted) return read_variable();
  if (keyword.text == "probability" && !keyword.quoted) return read_probability();
  scanner_.fail(keyword.at, "'network', 'variable' or 'probability'" +
                                did_you_mean(keyword.text, {"network", "variable", "probability"}));
}

void BifReader::read_network() {
  if (scanner_.peek() != '{') {
    const Word name = word("the network's name");
    if (!name.text.empty()) scanner_.require_name(name, "name");
    if (name.text != "unknown") parts_.name = name.text;  // what programs write for no name
  }
  expect('{', "to begin the network's properties");
  while (!take('}')) {
    const Word keyword = word("'property' or '}'");
    if (keyword.text != "property") scanner_.fail(keyword.at, "'property' or '}'");
    read_property();
  }
  take(';');
}

void BifReader::read_variable() {
  const Word name = word("a variable's name");
  scanner_.require_name(name, "name");
  if (names_.find(name.text))
    scanner_.fail(name.at, fmt::format("variable '{}' again", name.text), "every variable once");
  Variable& variable = parts_.variables[names_.get(name.text)];
  expect('{', "to begin the variable");
  while (!take('}')) {
    const Word keyword = word("'type', 'property' or '}'");
    if (keyword.text == "property") {
      use_property(variable, read_property());
    } else if (keyword.text == "type") {
      if (!variable.states.empty()) scanner_.fail(keyword.at, "one type of a variable");
      read_type(variable);
    } else {
      scanner_.fail(keyword.at,
                    "'type', 'property' or '}'" + did_you_mean(keyword.text, {"type", "property"}));
    }
  }
  take(';');
}

void BifReader::read_type(Variable& variable) {
  const Word kind = word("'discrete'");
  if (kind.text != "discrete")
    scanner_.fail(kind.at, "'discrete': only variables with finitely many states are read");
  expect('[', "and the number of states");
  const Word count = word("the number of states");
  expect(']', "after the number of states");
  expect('{', "to begin the states");
  const std::vector<Word> states = word_list('}', "a state");
  take(';');
  if (parse_integer(count.text) != states.size() || states.empty())
    scanner_.fail(count.at, fmt::format("{}, the number of states that follow", states.size()));
  std::unordered_map<std::string_view, std::size_t> seen;
  for (const Word& state : states) {
    scanner_.require_name(state, "state");
    if (!seen.emplace(state.text, 0).second)
      scanner_.fail(state.at, fmt::format("state '{}' again", state.text), "every state once");
    variable.states.emplace_back(state.text);
  }
}

void BifReader::use_property(Variable& variable, std::string_view text) {
  if (text == "latent") variable.latent = true;
  if (text == "exposure") variable.exposure = true;
  if (text == "outcome") variable.outcome = true;
  if (text == "adjusted") variable.adjusted = true;
  if (text == "selected") variable.selected = true;
  if (const auto position = position_property(text)) variable.position = position;
}

void BifReader::read_probability() {
  Block block;
  expect('(', "and the names of a variable and its parents");
  block.child = word("a variable's name");
  take('|') || take(',');
  block.parents = word_list(')', "a parent's name");
  expect('{', "to begin the table");
  while (!take('}')) read_row(block);
  take(';');
  blocks_.push_back(std::move(block));
}

void BifReader::read_row(Block& block) {
  constexpr const char* kStart =
      "'(' and the parents' states, 'table', 'default', 'property' or '}'";
  Row row{Row::Kind::kByStates, scanner_.at()};
  if (take('(')) {
    row.first_state = states_.size();
    const std::vector<Word> states = word_list(')', "a parent's state");
    states_.insert(states_.end(), states.begin(), states.end());
    row.states = states.size();
  } else {
    const Word keyword = word(kStart);
    if (keyword.text == "property" || keyword.text == "function") {
      const std::string_view text = read_property();
      if (keyword.text == "function" || names_a_function(text)) block.function = true;
      return;
    }
    if (keyword.text != "table" && keyword.text != "default")
      scanner_.fail(keyword.at, kStart + did_you_mean(keyword.text, {"table", "default"}));
    row.kind = keyword.text == "table" ? Row::Kind::kTable : Row::Kind::kDefault;
  }
  read_numbers(row);
  block.rows.push_back(row);
}

void BifReader::read_numbers(Row& row) {
  row.first_number = numbers_.size();
  while (!take(';')) {
    if (take(',')) continue;
    numbers_.push_back(number(word("a number, ',' or ';'")));
  }
  row.numbers = numbers_.size() - row.first_number;
}

// Anything up to the next ';' that is not between quotes; a quotation ends on its line.
std::string_view BifReader::read_property() {
  const std::size_t begin = scanner_.at();
  const std::string_view text = scanner_.text();
  bool quoted = false;
  std::size_t end = begin;
  for (; end < text.size() && (quoted || text[end] != ';'); ++end) {
    if (text[end] != '"') continue;
    const std::size_t next = quoted ? text.npos : text.find_first_of("\"\n", end + 1);
    quoted = next != text.npos && text[next] == '"';
  }
  if (end == text.size()) scanner_.fail(begin, "a property without an end", "';' after it");
  scanner_.go_to(end + 1);
  scanner_.skip();
  std::string_view property = trimmed(text.substr(begin, end - begin));
  if (property.size() > 1 && property.starts_with('"') && property.ends_with('"'))
    property = trimmed(property.substr(1, property.size() - 2));
  return property;
}

Word BifReader::word(const char* what) {
  if (scanner_.peek() == '"') {
    const Word quoted = scanner_.quoted_word();
    scanner_.skip();
    return quoted;
  }
  const std::size_t begin = scanner_.at();
  while (!scanner_.at_end() && !ends_word(scanner_.peek())) {
    if (scanner_.looking_at("//") || scanner_.looking_at("/*")) break;
    const Scanner::Letter letter = scanner_.letter(scanner_.at());
    if (letter.bytes > 1 && !is_foreign_letter(letter.code)) break;
    scanner_.advance(letter.bytes);
  }
  if (scanner_.at() == begin) scanner_.fail(begin, what);
  const std::string_view text = scanner_.text().substr(begin, scanner_.at() - begin);
  scanner_.skip();
  return {text, begin, false};
}

std::vector<Word> BifReader::word_list(char end, const char* what) {
  std::vector<Word> words;
  while (!take(end))
    if (!take(',')) words.push_back(word(what));
  return words;
}

void BifReader::expect(char c, const char* where) {
  if (!take(c)) scanner_.fail(scanner_.at(), fmt::format("'{}' {}", c, where));
}

bool BifReader::take(char c) {
  if (!scanner_.take(c)) return false;
  scanner_.skip();
  return true;
}

double BifReader::number(const Word& word) const {
  const std::string_view text = word.text;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error != std::errc::invalid_argument && end == text.data() + text.size();
  const bool tiny = error == std::errc::result_out_of_range && is_below_one(text);
  const bool huge = error == std::errc::result_out_of_range && !tiny;
  if (!whole || huge || word.quoted || !std::isfinite(value))
    scanner_.fail(word.at, in_quotes(text), "a number, ',' or ';'");
  if ((value < 0 && value != -1) || (tiny && text.starts_with('-')))
    scanner_.fail(word.at, in_quotes(text), "a probability, or -1 for one that is not known");
  return value == 0 ? 0 : value;  // -0 is written in no other format
}

// ---- pass two -----------------------------------------------------------------------------------

Node BifReader::known(const Word& name) const {
  if (const auto node = names_.find(name.text)) return *node;
  std::vector<std::string> all;
  for (const Variable& variable : parts_.variables) all.push_back(variable.name);
  scanner_.fail(name.at, in_quotes(name.text),
                "the name of a variable" + did_you_mean(name.text, all));
}

void BifReader::connect() {
  block_of_.assign(parts_.variables.size(), nullptr);
  parents_.resize(parts_.variables.size());
  std::vector<std::optional<Node>> last_child(parts_.variables.size());  // by parent
  for (const Block& block : blocks_) {
    const Node child = known(block.child);
    if (block_of_[child] != nullptr)
      scanner_.fail(block.child.at, fmt::format("probabilities of '{}' again", block.child.text),
                    "those of every variable once");
    block_of_[child] = &block;
    for (const Word& name : block.parents) {
      const Node parent = known(name);
      if (parent == child)
        scanner_.fail(name.at, fmt::format("'{}' as its own parent", name.text),
                      "another variable: the graph is acyclic");
      if (last_child[parent] == child)
        scanner_.fail(name.at, fmt::format("parent '{}' again", name.text), "every parent once");
      last_child[parent] = child;
      parents_[child].push_back(parent);
    }
  }
  for (Node child = 0; child < parents_.size(); ++child)
    for (const Node parent : parents_[child]) parts_.directed.push_back({parent, child});
}

void BifReader::fill_tables() {
  for (const Variable& variable : parts_.variables) {
    auto& index = state_index_.emplace_back();
    for (std::size_t s = 0; s < variable.states.size(); ++s) index.emplace(variable.states[s], s);
  }
  parts_.tables.resize(parts_.variables.size());
  for (Node node = 0; node < parts_.variables.size(); ++node) {
    const Block* block = block_of_[node];
    const auto reason = obstacle(node, block);
    if (!reason)
      fill_table(node, *block);
    else if (parts_.why_no_tables.empty())
      parts_.why_no_tables = *reason;
  }
  if (!parts_.why_no_tables.empty())
    parts_.tables.clear();
  else
    sums_.warn(parts_.warnings);
}

// Why the block of a node cannot be read as a table at all.
std::optional<std::string> BifReader::obstacle(Node node, const Block* block) const {
  const std::string& name = parts_.variables[node].name;
  if (block == nullptr) return fmt::format("the file has no probabilities of '{}'", name);
  if (block->function)
    return fmt::format("the probabilities of '{}' are given as a function, not as a table", name);
  std::vector<Node> all = parents_[node];
  all.push_back(node);
  for (const Node other : all)
    if (parts_.variables[other].states.empty())
      return fmt::format("the file has no states of '{}'", parts_.variables[other].name);
  return std::nullopt;
}

void BifReader::fill_table(Node node, const Block& block) {
  const Variable& variable = parts_.variables[node];
  const std::size_t width = variable.states.size();
  const std::size_t rows = row_count(parts_.variables, parents_[node]);
  const auto give_up = [&](const std::string& why) {
    if (parts_.why_no_tables.empty()) parts_.why_no_tables = why;
  };
  const Row* fallback = nullptr;
  bool whole = false;
  for (const Row& row : block.rows) {
    const bool table = row.kind == Row::Kind::kTable;
    const std::size_t wanted = table ? rows * width : width;
    if (row.numbers != wanted)
      fail_row(row, counted(row.numbers, "number"),
               table ? fmt::format("{} for '{}': {} for each of its {} states",
                                   rows > kMostNumbers ? "more than 2^24 numbers"
                                                       : counted(wanted, "number"),
                                   variable.name, rows_text(rows), width)
                     : fmt::format("{}, one for each state of '{}'", counted(wanted, "number"),
                                   variable.name));
    if (row.kind == Row::Kind::kDefault && fallback != nullptr)
      fail_row(row, "'default' again", "one default");
    if (row.kind == Row::Kind::kDefault) fallback = &row;
    whole = whole || table;
  }
  const std::size_t listed = block.rows.size();
  const bool complete = whole || fallback != nullptr || listed >= rows;
  const bool fits = rows <= (kMostNumbers - numbers_in_tables_) / width;
  if (!complete || !fits) {
    for (const Row& row : block.rows) row_index(node, row);  // its mistakes are told all the same
    return give_up(
        fits || !complete
            ? fmt::format("the file has {} of the {} rows of '{}'", listed, rows_text(rows),
                          variable.name)
            : fmt::format("the tables up to '{}' have more than 2^24 numbers", variable.name));
  }
  numbers_in_tables_ += rows * width;
  std::vector<double>& table = parts_.tables[node];
  table.assign(rows * width, 0);
  std::vector<bool> filled(rows);
  const auto fill = [&](std::size_t index, const Row& row, std::size_t stride, std::size_t offset) {
    if (filled[index])
      fail_row(row,
               fmt::format(
                   "the row of '{}' for {} again", variable.name,
                   rows == 1 ? "no parents" : row_words(parts_.variables, parents_[node], index)),
               "every row once");
    filled[index] = true;
    fill_row(node, row, index, stride, offset);
  };
  for (const Row& row : block.rows) {
    if (row.kind == Row::Kind::kByStates) fill(row_index(node, row), row, 1, 0);
    // The child is the most significant index, the last parent the least.
    if (row.kind == Row::Kind::kTable)
      for (std::size_t i = 0; i < rows; ++i) fill(i, row, rows, i);
  }
  const auto missing = std::count(filled.begin(), filled.end(), false);
  if (missing > 0 && fallback == nullptr)
    return give_up(
        fmt::format("the file has {} of the {} rows of '{}'", rows - missing, rows, variable.name));
  for (std::size_t i = 0; i < rows; ++i)
    if (!filled[i]) fill(i, *fallback, 1, 0);
}

// Which row of the table these states are.
std::size_t BifReader::row_index(Node node, const Row& row) const {
  if (row.kind != Row::Kind::kByStates) return 0;
  const std::vector<Node>& parents = parents_[node];
  if (row.states != parents.size())
    fail_row(row, counted(row.states, "state"),
             fmt::format("{}, one for each parent of '{}'", parents.size(),
                         parts_.variables[node].name));
  std::size_t index = 0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Word& state = states_[row.first_state + i];
    const auto found = state_index_[parents[i]].find(state.text);
    const Variable& parent = parts_.variables[parents[i]];
    if (found == state_index_[parents[i]].end())
      scanner_.fail(state.at, in_quotes(state.text),
                    fmt::format("a state of '{}': {}{}", parent.name, join(parent.states, ", "),
                                did_you_mean(state.text, parent.states)));
    index = index * parent.states.size() + found->second;
  }
  return index;
}

void BifReader::fill_row(Node node, const Row& row, std::size_t index, std::size_t stride,
                         std::size_t offset) {
  const Variable& variable = parts_.variables[node];
  const std::size_t width = variable.states.size();
  const std::span<double> target(parts_.tables[node].data() + index * width, width);
  for (std::size_t s = 0; s < width; ++s) {
    target[s] = numbers_[row.first_number + offset + s * stride];
    if (target[s] == -1) {
      if (parts_.why_no_tables.empty())
        parts_.why_no_tables =
            fmt::format("probabilities of '{}' are -1: yet to be learnt", variable.name);
      return;
    }
  }
  const double sum = row_sum(target);
  const auto whose = [&] {
    const std::string states = row_words(parts_.variables, parents_[node], index);
    return fmt::format("'{}'{}{}", variable.name, states.empty() ? "" : " given ", states);
  };
  if (!RowSums::acceptable(sum))
    fail_row(row, fmt::format("a row of {} that sums to {:.6g}", whose(), sum),
             "probabilities that sum to 1 within 1e-3");
  sums_.scale(target, sum, whose);
}

}  // namespace

CausalGraph::Parts read_bif(std::string_view text, const std::string& source) {
  return BifReader(text, source).read();
}

}  // namespace armature::graph
