// Which kind of file a text is, by what stands in it, and off to its reader.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "armature/error.h"
#include "armature/graph.h"
#include "graph/bif.h"
#include "graph/read_arrows.h"
#include "graph/scanner.h"

namespace armature::graph {
namespace {

constexpr const char* kKnown =
    "a graph: BIF (network … { … }), DOT (digraph { a -> b }) or dagitty (dag { a -> b }, or the "
    "arrows alone)";

// The first words and brackets of the text, comments left out.
struct Beginning {
  std::size_t at = 0;
  std::array<std::string, 4> pieces;  // small letters
};

// A quotation, a bracket, or what stands before the next of these or a blank. Its beginning is all
// that matters.
void pass_piece(Scanner& scanner) {
  constexpr std::string_view kBrackets = "{}()[]<>,|:";
  const std::size_t from = scanner.at();
  if (scanner.take('"')) {
    while (!scanner.at_end() && !scanner.take('"')) scanner.advance(scanner.peek() == '\\' ? 2 : 1);
    return;
  }
  while (!scanner.at_end() && scanner.at() - from < 40) {
    const char c = scanner.peek();
    const bool bracket = kBrackets.find(c) != std::string_view::npos;
    if (c == ' ' || (c >= '\t' && c <= '\r') || c == ';' || c == '"') return;
    if (bracket && scanner.at() > from) return;
    scanner.advance();
    if (bracket) return;
  }
}

Beginning beginning_of(const std::string& text, const std::string& source) {
  Scanner scanner(text, source, {true, true, true});
  Beginning beginning;
  for (std::string& piece : beginning.pieces) {
    scanner.skip();
    if (piece.data() == beginning.pieces[0].data()) beginning.at = scanner.at();
    const std::size_t from = scanner.at();
    pass_piece(scanner);
    piece = small_letters(std::string_view(text).substr(from, scanner.at() - from));
  }
  return beginning;
}

bool contains(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

// Formats that are near, but not ours: what they are called, and what to do. Empty: none of them.
struct Neighbour {
  std::string name;
  std::string advice;
};

Neighbour markup(const std::string& text) {
  const std::string start = small_letters(std::string_view(text).substr(0, 2000));
  if (contains(start, "<bif")) return {"XMLBIF", "BIF as text; most programs write both"};
  if (contains(start, "<graphml")) return {"GraphML", kKnown};
  if (contains(start, "<smile")) return {"XDSL, GeNIe's format", kKnown};
  if (contains(start, "<html") || contains(start, "<!doctype html"))
    return {"a web page", "the text of the graph alone"};
  if (contains(start, "<?xml")) return {"XML", kKnown};
  return {};
}

Neighbour json(const std::string& text) {
  if (contains(text, "armature-tables"))
    return {"tables of a graph", "the graph itself; its tables stand beside it"};
  return {"JSON", kKnown};
}

// library(dagitty), g <- dagitty("…"), g = ggdag::dagify(…). A good file may speak of dagitty( too,
// in a comment or a name.
bool begins_like_r(const Beginning& beginning) {
  const auto& [first, second, third, fourth] = beginning.pieces;
  if (first == "probability") return false;  // ( of BIF
  std::string rest = second + third + fourth;
  if (rest.starts_with("(") || rest.starts_with("::")) return true;
  rest.erase(0, rest.starts_with("<-") ? 2 : rest.starts_with("=") ? 1 : 0);
  return rest.starts_with("dagitty") || rest.starts_with("dagify") || rest.starts_with("ggdag");
}

Neighbour neighbour_of(const std::string& text, const Beginning& beginning) {
  const auto& [first, second, third, fourth] = beginning.pieces;
  if (first == "<") return markup(text);
  if (first == "{" && second.starts_with('"') && contains(text, ":")) {
    const std::size_t end = text.find('"', text.find('"') + 1);
    const std::size_t after = text.find_first_not_of(" \t\r\n", end + 1);
    if (end != std::string::npos && after != std::string::npos && text[after] == ':')
      return json(text);
  }
  if (first == "net" && second == "{") return {"Hugin's format", kKnown};
  if ((first == "node" || first == "class") && third == "{") return {"Hugin's format", kKnown};
  if (first == "belief" && second == "network") return {"DSC, the format of MSBN", kKnown};
  const bool number = !second.empty() && second[0] >= '0' && second[0] <= '9';
  if ((first == "bayes" || first == "markov") && number) return {"the UAI format", kKnown};
  if (first == "graph" && second == "[" && (third == "directed" || third == "node"))
    return {"GML", kKnown};
  if ((first == "graph" || first == "flowchart") &&
      (second == "td" || second == "tb" || second == "lr" || second == "rl" || second == "bt"))
    return {"Mermaid", kKnown};
  if (first == "[" && contains(text, "][")) return {"a model string of bnlearn's", kKnown};
  if (begins_like_r(beginning) && (contains(text, "dagitty(") || contains(text, "dagify(")))
    return {"a program in R", "the text of the graph alone: what stands between its quotes"};
  return {};
}

bool is_bif(const Beginning& beginning) {
  const std::string& first = beginning.pieces[0];
  const std::string& second = beginning.pieces[1];
  if (first != "network" && first != "variable" && first != "probability") return false;
  return !second.empty() && std::string_view("-<@[").find(second[0]) == std::string_view::npos;
}

bool has_anything_of_arrows(const std::string& text) {
  const auto pieces = {"->", "<-", "-", "=>", "~", "→", "[", "{"};
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const char* piece) { return contains(text, piece); });
}

}  // namespace

FileKind file_kind(const std::string& text, const std::string& source) {
  require_utf8(text, source);
  const Beginning beginning = beginning_of(text, source);
  if (beginning.at == text.size()) throw Error({source, "", "an empty text", kKnown});
  const Neighbour neighbour = neighbour_of(text, beginning);
  if (!neighbour.name.empty()) throw Error({source, "", neighbour.name, neighbour.advice});
  if (is_bif(beginning)) return FileKind::kBif;
  const std::string& first = beginning.pieces[0];
  if (first == "digraph" || first == "strict") return FileKind::kDot;
  if (first == "dag") return FileKind::kDagitty;
  if (!is_old_dagitty(text) && !has_anything_of_arrows(text))
    Scanner(text, source, {}).fail(beginning.at, kKnown);
  return FileKind::kDagitty;
}

CausalGraph read_graph(const std::string& text, const std::string& source) {
  const FileKind kind = file_kind(text, source);
  CausalGraph::Parts parts = kind == FileKind::kBif ? read_bif(text, source)
                             : is_old_dagitty(text) ? read_old_dagitty(text, source)
                                                    : read_arrows(text, source);
  try {
    return CausalGraph(std::move(parts));
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

}  // namespace armature::graph
