#include "report/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "armature/error.h"
#include "base/text.h"
#include "families/graph_world.h"
#include "graph/drawing.h"
#include "graph/names.h"
#include "lab/planned_cell.h"
#include "report/html.h"
#include "report/table.h"

namespace armature {
namespace {

constexpr std::size_t kMostNodes = 150;  // beyond that nobody sees anything in a picture
constexpr std::size_t kMostActions = 8;  // rows; the best and the worst say enough
constexpr std::size_t kMostSets = 100;   // separators looked at for the smallest

std::string picture_html(const GraphWorld& world, const graph::Verdict& verdict,
                         std::size_t number) {
  const graph::CausalGraph& graph = world.graph;
  if (graph.size() > kMostNodes)
    return fmt::format("<p>{} nodes: too many for a picture here.</p>\n", graph.size());
  const graph::Roles roles{world.question.actions.targets,
                           world.question.contexts,
                           {world.question.reward},
                           verdict.witness};
  // On a narrow page smaller by a quarter at most: below that names cannot be read, and it scrolls.
  return html_scrolling(
      "", "Causal graph " + std::to_string(number),
      fmt::format("<div class=\"picture\" style=\"min-width: {:.0f}px\">{}</div>",
                  0.75 * graph::layout(graph).width,
                  graph::picture(graph, roles, fmt::format("graph-{}-", number))));
}

// A set that would do where the contexts do not: the one with the fewest joint values.
std::string instead(const GraphWorld& world) {
  graph::SeparatorSearch search;
  search.most_sets = kMostSets;
  const graph::Separators found =
      graph::separators(world.graph, world.question.actions, world.question.reward, search);
  if (!found.exists) return "Nothing that can be observed would do.";
  if (found.sets.front().empty()) return "Observing nothing would do.";
  return "Would do: " + graph::names_of(world.graph, found.sets.front()) + ".";
}

// What the graph says; where it says no, what would do; where the tables say otherwise, that too.
std::string verdict_html(const GraphWorld& world, const graph::Verdict& verdict, bool by_tables) {
  std::string html = fmt::format("<p class=\"verdict\">{}</p>\n", html_escaped(verdict.words));
  const std::string why = graph::disagreement(verdict, by_tables, world.reward);
  if (!why.empty()) html += fmt::format("<p>{}</p>\n", why);
  if (!verdict.benign) html += fmt::format("<p>{}</p>\n", html_escaped(instead(world)));
  return html;
}

// The best first; of many the worst last, and how many are between.
std::string means_html(const Instance& instance) {
  std::vector<Arm> order(instance.actions());
  std::iota(order.begin(), order.end(), Arm{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Arm one, Arm other) { return instance.mean(one) > instance.mean(other); });
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.size() > kMostActions && i == kMostActions - 2) {
      rows.push_back({{fmt::format("… {} between", order.size() - kMostActions + 1), ""}, false});
      i = order.size() - 1;
    }
    rows.push_back(
        {{instance.parts().action_names[order[i]], fmt::format("{:.4g}", instance.mean(order[i]))},
         instance.mean(order[i]) == instance.mean(order[0])});
  }
  return html_table("Mean reward of every action", {"action", "mean reward"}, rows);
}

// The best are bold; after a search nobody is, as each policy was measured where it was worst.
std::string regret_table(const Contest& contest, bool searched, const std::string& condition) {
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < contest.rivals.size(); ++i) {
    const CellSummary& rival = *contest.rivals[i];
    rows.push_back({{rival.cell.policy_label, mean_text(rival.final_regret())},
                    !searched && among_the_best(contest, i)});
  }
  const std::string when =
      fmt::format("regret at T = {}{}", grouped(static_cast<double>(contest.horizon)), condition);
  return html_table("Mean " + when, {"policy", when}, rows);
}

// At the longest horizon of this world, under every condition; tables have the others.
std::string regret_html(const std::string& instance, const std::vector<Contest>& contests,
                        bool searched) {
  std::vector<const Contest*> longest;
  for (const Contest& contest : contests) {
    if (contest.rivals[0]->cell.instance != instance) continue;
    if (!longest.empty() && contest.horizon > longest[0]->horizon) longest.clear();
    if (longest.empty() || contest.horizon == longest[0]->horizon) longest.push_back(&contest);
  }
  std::string html;
  for (const Contest* contest : longest) {
    std::string condition;
    if (longest.size() > 1)
      for (const auto& [key, value] : contest->rivals[0]->cell.instance_name.conditions)
        condition += fmt::format(", {} {}", key, value);
    html += regret_table(*contest, searched, condition);
  }
  if (searched && !html.empty())
    html += "<p>Found by a search: a policy that is missing here was worse elsewhere.</p>\n";
  return html;
}

// Where it came from, and who is who.
std::string caption_html(const GraphWorld& world, bool red) {
  const graph::Actions& actions = world.question.actions;
  return fmt::format(
      "<figcaption>From <code>{}</code>. Actions set {}{}{}; observed after acting: {}; the reward "
      "is {}.{}</figcaption>\n",
      html_escaped(world.file), html_escaped(graph::names_of(world.graph, actions.targets)),
      actions.single ? ", one at a time" : "", actions.empty ? ", or nothing" : "",
      html_escaped(graph::names_of(world.graph, world.question.contexts)),
      html_escaped(world.graph.name(world.question.reward)),
      red ? " In red: a path that the contexts leave open." : "");
}

// Numbers beside a picture are of the graph that was played, or there is no picture.
std::shared_ptr<const Instance> played_instance(const PlannedCell& cell, const Study& study,
                                                const Files& files) {
  const InstanceSource source(cell.instance, cell.horizon, study.seed, files);
  if (planned_world(source, cell.horizon).fingerprint != cell.fingerprint)
    throw Error({"", "file", "another content than was played", "the one that was played"});
  return source.instance(0);
}

// Without the conditions, which its tables of regret have.
std::string title_of(const PlannedCell& cell) {
  PlannedName name = cell.instance_name;
  name.conditions.clear();
  return name.full();
}

std::string card(const PlannedCell& cell, const GraphWorld& world, const Instance& instance,
                 const std::string& regret, std::size_t number) {
  const graph::Verdict verdict = graph::verdict(world.graph, world.question);
  return fmt::format(
      "<figure class=\"causal\" id=\"graph-{}\">\n<h3>{}</h3>\n<div class=\"beside\">\n"
      "<div>\n{}{}</div>\n<div>\n{}{}{}</div>\n</div>\n</figure>\n",
      number, html_escaped(title_of(cell)), picture_html(world, verdict, number),
      caption_html(world, verdict.witness.has_value()), verdict_html(world, verdict, cell.benign),
      regret, means_html(instance));
}

}  // namespace

std::string graphs_html(const StudyResult& result, const std::vector<Contest>& contests) {
  const Files files = Files::only(result.plan.study.files);
  std::set<std::string> seen;
  std::string cards;
  for (const PlannedCell& cell : result.plan.cells) {
    if (!seen.insert(cell.instance).second) continue;
    // What was stored before files were kept has no graph to show; its numbers are still worth a
    // page.
    try {
      if (const auto world = graph_world(cell.instance, files))
        cards += card(cell, *world, *played_instance(cell, result.plan.study, files),
                      regret_html(cell.instance, contests, result.plan.study.search.has_value()),
                      seen.size());
    } catch (const Error& error) {
      cards += fmt::format("<p class=\"warning\">No picture of {}: {}</p>\n",
                           html_escaped(title_of(cell)), html_escaped(error.what()));
    }
  }
  return cards.empty()
             ? ""
             : "<section id=\"graphs\">\n<h2>Causal graphs</h2>\n" + cards + "</section>\n";
}

}  // namespace armature
