// Questions to a causal graph: is it separated, is it benign, what would separate, what are the
// numbers. Exit status 0: yes or done, 1: no, 2: bad input. With --format json nothing but JSON is
// on standard output.
#include "armature/graph.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "base/display.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "graph/answers.h"
#include "graph/names.h"
#include "graph/open.h"
#include "graph/regime.h"
#include "report/table.h"

namespace armature::cli {
namespace {

using graph::CausalGraph;
using graph::Node;
using Json = nlohmann::ordered_json;

constexpr int kNo = 1;  // exit status

struct Options {
  graph::Wanted wanted;  // its source is the file
  std::string tables;
  std::string from, to, given;
  std::string latent;
  std::string contains, avoid, under = "interventions";
  std::string most;
  std::string format = "table";
  std::optional<std::string> output;
  bool json() const { return format == "json"; }
};

CausalGraph open(const Options& options) {
  CausalGraph graph = graph::open_graph(options.wanted.source, options.tables);
  if (options.latent.empty()) return graph;
  return graph.with_latent(graph::parse_nodes(graph, options.latent, "--latent"));
}

// ---- in words ---------------------------------------------------------------------------------

Json assignment_json(const CausalGraph& graph, const graph::Assignment& assignment) {
  Json object = Json::object();
  for (const auto& [node, state] : assignment)
    object[graph.name(node)] = graph.variable(node).states[state];
  return object;
}

// A label, and prose beside it that wraps under itself.
std::string line(const std::string& label, const std::string& words) {
  constexpr std::size_t kLabel = 12;
  const std::string name = visible(label);
  const std::size_t width = display_width(name);
  return wrapped(visible(words), prose_columns(screen()),
                 name + std::string(width < kLabel ? kLabel - width : 1, ' '),
                 std::string(kLabel, ' ')) +
         "\n";
}

std::string graph_text(const CausalGraph& graph) {
  const auto& parts = graph.parts();
  std::string text = counted(graph.size(), "node") + ", " + counted(parts.directed.size(), "arrow");
  if (!parts.bidirected.empty()) text += fmt::format(", {} <->", parts.bidirected.size());
  const std::size_t latent = graph::with_role(graph, &graph::Variable::latent).size();
  if (latent > 0) text += fmt::format(", {} latent", latent);
  return text + (graph.has_tables() ? ", with tables" : ", structure only");
}

std::string number_text(double count) { return fmt::format("{:.10g}", count); }

// 0 where states are not known.
double known_joint_values(const CausalGraph& graph, const std::vector<Node>& nodes) {
  double values = 1;
  for (const Node node : nodes) values *= static_cast<double>(graph.variable(node).states.size());
  return values;
}

// Of hundreds of nodes the first are enough for the eye; --format json has them all.
std::string set_text(const CausalGraph& graph, const std::vector<Node>& set) {
  constexpr std::size_t kShown = 20;
  const double values = known_joint_values(graph, set);
  const std::vector<Node> shown(
      set.begin(), set.begin() + static_cast<std::ptrdiff_t>(std::min(set.size(), kShown)));
  return names_of(graph, shown) +
         (set.size() > kShown ? fmt::format(", … ({} nodes)", set.size()) : "") +
         (values > 0
              ? fmt::format("  ({} joint value{})", number_text(values), values == 1 ? "" : "s")
              : "");
}

void warn(const CausalGraph& graph, const std::vector<std::string>& more = {}) {
  for (const auto* list : {&graph.parts().warnings, &more})
    for (const std::string& warning : *list) complain("warning: " + warning);
}

// ---- dsep --------------------------------------------------------------------------------------

void dsep(const Options& options) {
  const CausalGraph graph = open(options);
  const auto from = graph::parse_nodes(graph, options.from, "--from");
  const auto to = graph::parse_nodes(graph, options.to, "--to");
  const auto given = graph::parse_nodes(graph, options.given, "--given");
  if (from.empty() || to.empty())
    throw Error({"", from.empty() ? "--from" : "--to", "nothing", "at least one node"});
  const graph::Separation found = graph::d_separation(graph, from, to, given);
  const std::string words =
      found.separated()
          ? fmt::format("{} and {} are d-separated given {}: every path between them is closed",
                        names_of(graph, from), names_of(graph, to), names_of(graph, given))
          : found.words;
  if (options.json())
    emit(options.output, graph::dsep_json(graph, found, words));
  else
    emit(options.output,
         line("separated", found.separated() ? "yes" : "no") + line("because", words));
  warn(graph, graph::role_warnings(graph, given));
  if (!found.separated()) throw ExitStatus{kNo};
}

// ---- check -------------------------------------------------------------------------------------

std::string criterion_text(const graph::Criterion& criterion) {
  return (!criterion.applies ? "says nothing: "
          : criterion.holds  ? "yes: "
                             : "no: ") +
         criterion.words;
}

void check(const Options& options) {
  const CausalGraph graph = open(options);
  const graph::Asked what = graph::wanted_question(graph, options.wanted);
  const graph::Check checked = graph::check(graph, what, complain);
  const graph::Verdict& verdict = checked.verdict;
  if (options.json()) {
    emit(options.output, graph::check_json(graph, checked));
  } else {
    std::string out =
        line("graph", fmt::format("{}: {}", options.wanted.source, graph_text(graph)));
    out += line("actions", fmt::format("{}{}{}", names_of(graph, what.question.actions.targets),
                                       what.question.actions.single ? ", one at a time" : "",
                                       what.question.actions.empty ? ", or nothing at all" : ""));
    out += line("contexts", set_text(graph, what.question.contexts));
    out += line("reward", graph.name(what.reward.node)) + "\n";
    out += line("verdict", verdict.words);
    const std::string& why = checked.tables_words;
    if (checked.by_tables)
      out +=
          line("by tables", (*checked.by_tables ? "yes" : "no") + (why.empty() ? "" : ". " + why));
    out += "\n" + line("as drawn", criterion_text(verdict.graph));
    out += line("after cuts", criterion_text(verdict.surgery));
    out += line("front door", criterion_text(verdict.front_door)) + "\n";
    const graph::Separators& found = checked.separators;
    const auto& suggestions = checked.suggestions;
    const bool in_words = suggestions.empty() || suggestions[0].empty();  // none, or none is needed
    out += line("would do", in_words ? found.words : set_text(graph, suggestions[0]));
    for (std::size_t i = 1; i < suggestions.size(); ++i)
      out += line("", set_text(graph, suggestions[i]));
    if (found.sets.size() > suggestions.size())
      out += line("", fmt::format("… and {}{} more: armature graph separators",
                                  found.complete ? "" : "at least ",
                                  found.sets.size() - suggestions.size()));
    emit(options.output, out);
  }
  warn(graph, verdict.warnings);
  if (!verdict.benign) throw ExitStatus{kNo};
}

// ---- separators --------------------------------------------------------------------------------

void list_separators(const Options& options) {
  const CausalGraph graph = open(options);
  graph::SeparatorSearch search;
  search.under_interventions = options.under == "interventions";
  search.contains = graph::parse_nodes(graph, options.contains, "--contains");
  search.avoid = graph::parse_nodes(graph, options.avoid, "--avoid");
  if (!options.most.empty())
    search.most_nodes = whole_number("--most", options.most, 0, UINT32_MAX);
  const graph::Question question = graph::wanted_question(graph, options.wanted).question;
  const graph::Separators found =
      graph::separators(graph, question.actions, question.reward, search);
  if (options.json()) {
    emit(options.output, graph::separators_json(graph, found));
  } else {
    std::string out = prose(found.words, screen());
    for (const auto& set : found.sets) out += "  " + set_text(graph, set) + "\n";
    emit(options.output, out);
  }
  warn(graph, graph::role_warnings(graph, search.contains));
  if (!found.exists) throw ExitStatus{kNo};
}

// ---- numbers -----------------------------------------------------------------------------------

struct Numbers {
  graph::DoMarginals law;
  Matrix means;                     // 0 where ν = 0: not to be shown
  std::vector<double> mean_reward;  // per action
};

Numbers numbers_of(const CausalGraph& graph, const graph::Asked& what) {
  Numbers numbers;
  numbers.law = graph::told_marginals(graph, what.question, complain);
  const Instance instance = graph::graph_instance(graph, numbers.law, what.reward, "");
  numbers.means = Matrix(numbers.law.actions.size(), numbers.law.contexts.size());
  for (Arm a = 0; a < numbers.law.actions.size(); ++a) {
    for (Context z = 0; z < numbers.law.contexts.size(); ++z)
      if (numbers.law.marginal(a, z) > 0) numbers.means(a, z) = instance.law(a, z).mean();
    numbers.mean_reward.push_back(instance.mean(a));
  }
  return numbers;
}

std::string numbers_json(const CausalGraph& graph, const Numbers& numbers) {
  Json json = {{"actions", Json::array()},
               {"contexts", Json::array()},
               {"marginals", Json::array()},
               {"means", Json::array()},
               {"mean_reward", numbers.mean_reward}};
  for (const auto& action : numbers.law.actions)
    json["actions"].push_back(assignment_json(graph, action));
  for (std::size_t z = 0; z < numbers.law.contexts.size(); ++z)
    json["contexts"].push_back(assignment_json(graph, numbers.law.contexts[z]));
  for (std::size_t a = 0; a < numbers.law.actions.size(); ++a) {
    Json marginals = Json::array();
    Json means = Json::array();
    for (std::size_t z = 0; z < numbers.law.contexts.size(); ++z) {
      marginals.push_back(numbers.law.marginal(a, z));
      means.push_back(numbers.law.marginal(a, z) > 0 ? Json(numbers.means(a, z)) : Json(nullptr));
    }
    json["marginals"].push_back(std::move(marginals));
    json["means"].push_back(std::move(means));
  }
  return json.dump(2) + "\n";
}

std::string numbers_csv(const CausalGraph& graph, const Numbers& numbers) {
  std::string csv = "action,context,marginal,mean\n";
  for (std::size_t a = 0; a < numbers.law.actions.size(); ++a)
    for (std::size_t z = 0; z < numbers.law.contexts.size(); ++z)
      csv += fmt::format("{},{},{},{}\n",
                         csv_field(graph::assignment_text(graph, numbers.law.actions[a])),
                         csv_field(graph::assignment_text(graph, numbers.law.contexts[z])),
                         numbers.law.marginal(a, z),
                         numbers.law.marginal(a, z) > 0 ? print_real(numbers.means(a, z)) : "");
  return csv;
}

// Contexts down, actions across would be wide: one row per cell that can happen.
std::string numbers_table(const CausalGraph& graph, const Numbers& numbers) {
  constexpr std::size_t kShown = 200;
  TextTable actions({"action", "mean reward"});
  for (std::size_t a = 0; a < std::min(kShown, numbers.law.actions.size()); ++a)
    actions.add({graph::assignment_text(graph, numbers.law.actions[a]),
                 fmt::format("{:.6g}", numbers.mean_reward[a])});
  TextTable cells({"action", "context", "ν", "mean"});
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (std::size_t a = 0; a < numbers.law.actions.size(); ++a)
    for (std::size_t z = 0; z < numbers.law.contexts.size(); ++z) {
      if (numbers.law.marginal(a, z) <= 0) continue;
      if (++shown > kShown) {
        ++left_out;
        continue;
      }
      cells.add({graph::assignment_text(graph, numbers.law.actions[a]),
                 graph::assignment_text(graph, numbers.law.contexts[z]),
                 fmt::format("{:.6g}", numbers.law.marginal(a, z)),
                 fmt::format("{:.6g}", numbers.means(a, z))});
    }
  return actions.print(screen()) + "\n" + cells.words(1).print(screen()) +
         (left_out > 0 ? fmt::format("… and {} more cells: --format csv or json\n", left_out) : "");
}

void marginals(const Options& options) {
  const CausalGraph graph = open(options);
  const graph::Asked what = graph::wanted_question(graph, options.wanted);
  const Numbers numbers = numbers_of(graph, what);
  emit(options.output, options.json()            ? numbers_json(graph, numbers)
                       : options.format == "csv" ? numbers_csv(graph, numbers)
                                                 : numbers_table(graph, numbers));
  warn(graph, graph::role_warnings(graph, what.question.contexts));
}

void write_graph_instance(const Options& options) {
  const CausalGraph graph = open(options);
  const graph::Asked what = graph::wanted_question(graph, options.wanted);
  const std::string name = std::filesystem::path(options.wanted.source).stem().string();
  emit(options.output,
       write_instance(graph::graph_instance(
           graph, graph::told_marginals(graph, what.question, complain), what.reward, name)));
  warn(graph, graph::role_warnings(graph, what.question.contexts));
}

// ---- show --------------------------------------------------------------------------------------

std::string show_text(const CausalGraph& graph, const std::string& file) {
  const auto& parts = graph.parts();
  std::string out = line("graph", fmt::format("{}: {}", file, graph_text(graph))) + "\n";
  for (Node node = 0; node < graph.size(); ++node) {
    const graph::Variable& variable = graph.variable(node);
    std::vector<std::string> facts;
    if (!variable.states.empty()) facts.push_back(join(variable.states, " | "));
    for (const auto& [is, word] : {std::pair{variable.latent, "latent"},
                                   {variable.exposure, "exposure"},
                                   {variable.outcome, "outcome"},
                                   {variable.adjusted, "adjusted"},
                                   {variable.selected, "selected"}})
      if (is) facts.push_back(word);
    std::vector<std::string> parents;
    for (const Node parent : graph.dag().parents(node))
      if (parent < graph.size()) parents.push_back(graph.name(parent));
    std::string prose = parents.empty() ? "" : "← " + join(parents, ", ");
    if (!facts.empty())
      prose += (prose.empty() ? "" : "   ") + fmt::format("({})", join(facts, "; "));
    out += line(variable.name + (variable.name.size() > 11 ? " " : ""), prose);
  }
  for (const graph::Arrow& arrow : parts.bidirected)
    out += fmt::format("{} ↔ {}\n", graph.name(arrow.from), graph.name(arrow.to));
  return out;
}

void show(const Options& options) {
  const CausalGraph graph = open(options);
  const graph::Roles roles = graph::wanted_roles(graph, options.wanted);
  const auto warnings = graph::role_warnings(graph, roles.contexts);
  emit(options.output, options.format == "json"      ? graph::show_json(graph, warnings)
                       : options.format == "dot"     ? graph::write_dot(graph)
                       : options.format == "dagitty" ? graph::write_dagitty(graph)
                       : options.format == "svg"     ? graph::drawn_svg(graph, roles)
                                                     : show_text(graph, options.wanted.source));
  warn(graph, warnings);
}

// ---- options -----------------------------------------------------------------------------------

CLI::App* add_command(CLI::App& parent, const char* name, const char* help,
                      const std::shared_ptr<Options>& options,
                      const std::vector<std::string>& formats) {
  CLI::App* command = parent.add_subcommand(name, help);
  command
      ->add_option("FILE", options->wanted.source,
                   "a graph: BIF, DOT or dagitty text; - is standard input")
      ->required()
      ->transform([](const std::string& file) { return file == "-" ? "/dev/stdin" : file; });
  command->add_option("--tables", options->tables,
                      "conditional tables as JSON (default: FILE's name with .tables.json)");
  options->format = formats.front();
  command->add_option("--format,-f", options->format, join(formats, ", "))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "write here instead of to the terminal");
  return command;
}

void add_action_options(CLI::App& command, Options& options) {
  command.add_option("--action,-a", options.wanted.action,
                     "nodes that actions set, with commas (default: the file's exposures)");
  command.add_option("--reward,-r", options.wanted.reward,
                     "dysp=yes, sales:low=0,mid=0.4,high=1, or a node (default: the outcome)");
  command.add_flag("--empty", options.wanted.empty, "doing nothing is an action too");
  command.add_flag("--single", options.wanted.single, "one node at a time, not joint values");
  command.add_option("--latent,-l", options.latent, "nodes that nobody can observe");
}

void add_context_option(CLI::App& command, Options& options) {
  command.add_option("--context,-c", options.wanted.context,
                     "nodes observed after acting, with commas (default: none)");
}

// Complaints about what was asked name the graph that it was asked of.
void about_the_file(const Options& options, void (*command)(const Options&)) {
  try {
    command(options);
  } catch (const Error& error) {
    throw error.report().file.empty() ? error.in_file(options.wanted.source) : error;
  }
}

}  // namespace

void add_graph(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("graph", "from a causal graph to a verdict, to marginals, to an instance");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  armature graph check examples/graphs/asia.bif -a smoke -c lung,bronc -r dysp\n"
      "  armature graph show examples/graphs/m-bias.dag");
  const std::vector<std::string> two{"table", "json"};
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub =
        add_command(*command, "check", "does the context carry the whole effect?", options, two);
    add_action_options(*sub, *options);
    add_context_option(*sub, *options);
    sub->footer(
        "Exit status: 0 benign, 1 not, 2 bad input.\n\n"
        "Examples:\n"
        "  armature graph check examples/graphs/asia.bif -a smoke -c lung,bronc -r dysp\n"
        "  armature graph check examples/graphs/front-door.dag -c tar --format json");
    sub->callback([options] { about_the_file(*options, check); });
  }
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub =
        add_command(*command, "dsep", "are two sets of nodes d-separated?", options, two);
    sub->add_option("--from", options->from, "nodes, with commas")->required();
    sub->add_option("--to", options->to, "nodes, with commas")->required();
    sub->add_option("--given", options->given, "observed nodes, with commas");
    sub->footer(
        "Exit status: 0 separated, 1 not, 2 bad input.\n\n"
        "Examples:\n"
        "  armature graph dsep examples/graphs/asia.bif --from asia --to smoke\n"
        "  armature graph dsep examples/graphs/asia.bif --from smoke --to xray \\\n"
        "                 --given either");
    sub->callback([options] { about_the_file(*options, dsep); });
  }
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub =
        add_command(*command, "separators",
                    "minimal sets to observe that would carry the whole effect", options, two);
    add_action_options(*sub, *options);
    sub->add_option("--under", options->under, "the graph as drawn, or the one actions leave")
        ->check(CLI::IsMember({"graph", "interventions"}))
        ->capture_default_str();
    sub->add_option("--contains", options->contains, "nodes that must be in");
    sub->add_option("--avoid", options->avoid, "nodes that may not be in");
    sub->add_option("--most", options->most, "at most so many nodes in a set");
    sub->footer(
        "Latent nodes and the actions themselves are never offered.\n\n"
        "Examples:\n"
        "  armature graph separators examples/graphs/asia.bif -a smoke -r dysp\n"
        "  armature graph separators examples/graphs/asia.bif -a smoke -r dysp \\\n"
        "                 --avoid lung --most 2");
    sub->callback([options] { about_the_file(*options, list_separators); });
  }
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub = add_command(*command, "marginals", "exact marginals and means of every action",
                                options, {"table", "csv", "json"});
    add_action_options(*sub, *options);
    add_context_option(*sub, *options);
    sub->footer(
        "Examples:\n"
        "  armature graph marginals examples/graphs/front-door.dag -c tar -r cancer=no\n"
        "  armature graph marginals examples/graphs/lu-parallel.bif -a X1,X2,X3,X4 \\\n"
        "                 --single --empty -c Z1,Z2 -r Y=1 --format csv");
    sub->callback([options] { about_the_file(*options, marginals); });
  }
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub = add_command(*command, "instance", "write the instance for simulate and studies",
                                options, {"json"});
    add_action_options(*sub, *options);
    add_context_option(*sub, *options);
    sub->footer(
        "Examples:\n"
        "  armature graph instance examples/graphs/front-door.dag -c tar -r cancer=no\n"
        "  armature graph instance examples/graphs/lu-email.bif \\\n"
        "                 -a product,purpose,sent -c subject,template,read \\\n"
        "                 -r clicked=yes -o email.json");
    sub->callback([options] { about_the_file(*options, write_graph_instance); });
  }
  {
    auto options = std::make_shared<Options>();
    CLI::App* sub = add_command(*command, "show", "the graph as text, data or a picture", options,
                                {"text", "json", "dot", "dagitty", "svg"});
    add_action_options(*sub, *options);
    add_context_option(*sub, *options);
    sub->footer(
        "With an action and a reward the path that makes the context wrong is drawn in\n"
        "red.\n\n"
        "Examples:\n"
        "  armature graph show examples/graphs/m-bias.dag\n"
        "  armature graph show examples/graphs/asia.bif -a smoke -c bronc -r dysp \\\n"
        "                 --format svg -o asia.svg");
    sub->callback([options] { about_the_file(*options, show); });
  }
}

}  // namespace armature::cli
