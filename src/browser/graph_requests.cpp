#include "browser/graph_requests.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/text.h"
#include "graph/answers.h"
#include "graph/drawing.h"
#include "graph/open.h"
#include "graph/regime.h"

namespace armature::browser {
namespace {

using graph::CausalGraph;
using Json = nlohmann::json;

// The fields of one request, complaints by the names of options.
class Fields {
 public:
  Fields(const Json& request, const std::vector<std::string>& known) : request_(request) {
    for (const auto& [name, value] : request.items())
      if (name != "command" && std::find(known.begin(), known.end(), name) == known.end())
        throw Error({"", "request", fmt::format("'{}'", name),
                     "one of " + join(known, ", ") + did_you_mean(name, known)});
  }
  // Empty where it is not there: nothing that can be given means something by an empty text.
  std::string text(const std::string& name) const {
    const auto found = request_.find(name);
    if (found == request_.end()) return "";
    if (!found->is_string())
      throw Error({"", "--" + name, found->dump(), "a text, as on a command line"});
    if (found->get_ref<const std::string&>().empty())
      throw Error({"", "--" + name, "an empty text", "a value"});
    return *found;
  }
  std::string one_of(const std::string& name, const std::vector<std::string>& words) const {
    const std::string word = text(name);
    if (word.empty()) return words.front();
    if (std::find(words.begin(), words.end(), word) == words.end())
      throw Error({"", "--" + name, fmt::format("'{}'", word),
                   "one of " + join(words, ", ") + did_you_mean(word, words)});
    return word;
  }
  bool flag(const std::string& name) const {
    const auto found = request_.find(name);
    if (found == request_.end()) return false;
    if (!found->is_boolean()) throw Error({"", "--" + name, found->dump(), "true or false"});
    return *found;
  }

 private:
  const Json& request_;
};

const std::vector<std::string> kOfEvery = {"text",  "file",   "action", "reward",
                                           "empty", "single", "latent"};

std::vector<std::string> and_these(std::initializer_list<const char*> more) {
  std::vector<std::string> names = kOfEvery;
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

graph::Wanted wanted_of(const Fields& fields) {
  graph::Wanted wanted;
  wanted.source = fields.text("file");
  wanted.action = fields.text("action");
  wanted.context = fields.text("context");
  wanted.reward = fields.text("reward");
  wanted.empty = fields.flag("empty");
  wanted.single = fields.flag("single");
  return wanted;
}

CausalGraph graph_of(const Json& request, const Fields& fields) {
  // An empty diagram is a diagram: its reader says what is wrong with it.
  const auto text = request.find("text");
  if (text == request.end() || !text->is_string())
    throw Error({"", "text", text == request.end() ? "nothing" : text->dump(),
                 "a diagram: BIF, DOT or dagitty text"});
  CausalGraph graph = graph::read_graph(*text, fields.text("file"));
  const std::string latent = fields.text("latent");
  if (latent.empty()) return graph;
  return graph.with_latent(graph::parse_nodes(graph, latent, "--latent"));
}

// Complaints about what was asked name the diagram that it was asked of.
template <class Answer>
std::string about_the_diagram(const Json& request, Answer answer) {
  try {
    return answer();
  } catch (const Error& error) {
    const auto file = request.find("file");
    if (!error.report().file.empty() || file == request.end() || !file->is_string()) throw;
    throw error.in_file(*file);
  }
}

}  // namespace

std::string answer_graph_check(const Json& request) {
  return about_the_diagram(request, [&] {
    const Fields fields(request, and_these({"context"}));
    const CausalGraph graph = graph_of(request, fields);
    // What would be said on standard error has no place in the answer.
    return graph::check_json(graph,
                             graph::check(graph, graph::wanted_question(graph, wanted_of(fields)),
                                          [](const std::string&) {}));
  });
}

std::string answer_graph_separators(const Json& request) {
  return about_the_diagram(request, [&] {
    const Fields fields(request, and_these({"under", "contains", "avoid"}));
    const CausalGraph graph = graph_of(request, fields);
    const graph::Wanted wanted = wanted_of(fields);
    graph::SeparatorSearch search;
    search.under_interventions =
        fields.one_of("under", {"interventions", "graph"}) == "interventions";
    search.contains = graph::parse_nodes(graph, fields.text("contains"), "--contains");
    search.avoid = graph::parse_nodes(graph, fields.text("avoid"), "--avoid");
    return graph::separators_json(
        graph, graph::separators(graph, graph::wanted_actions(graph, wanted),
                                 graph::wanted_reward(graph, wanted).node, search));
  });
}

std::string answer_graph_show(const Json& request) {
  return about_the_diagram(request, [&] {
    const Fields fields(request, and_these({"context", "format"}));
    const std::string format = fields.one_of("format", {"json", "svg", "dot", "dagitty"});
    const CausalGraph graph = graph_of(request, fields);
    const graph::Roles roles = graph::wanted_roles(graph, wanted_of(fields));
    if (format == "dot") return graph::write_dot(graph);
    if (format == "dagitty") return graph::write_dagitty(graph);
    if (format == "json")
      return graph::show_json(graph, graph::role_warnings(graph, roles.contexts));
    graph::require_drawable(graph);
    return graph::picture(graph, roles);
  });
}

}  // namespace armature::browser
