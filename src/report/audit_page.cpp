#include "report/audit_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "armature/version.h"
#include "base/text.h"
#include "figures/audit.h"
#include "report/document.h"
#include "report/html.h"

namespace armature {
namespace {

// Beyond these a figure is a wall: the rest is in the tables of --format json.
constexpr std::size_t kMostPanels = 9;
constexpr std::size_t kMostActions = 24;

// The numbers of those that come first, in their own order.
template <class Before>
std::vector<std::size_t> first_of(std::size_t count, std::size_t most, const Before& before) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::stable_sort(numbers.begin(), numbers.end(), before);
  if (numbers.size() > most) numbers.resize(most);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string left_out(std::size_t all, std::size_t shown, const char* what) {
  return all > shown
             ? fmt::format(" Shown are {} of {} {}, those with most rows and those that differ.",
                           shown, all, what)
             : "";
}

bool is_odd(const AuditAnswer& answer, std::size_t a, std::size_t z) {
  return std::any_of(answer.breaks.begin(), answer.breaks.end(), [&](const AuditBreak& broken) {
    return broken.action == a && broken.context == z;
  });
}

std::vector<figures::Figure> figures_of(const AuditAnswer& answer) {
  // An action that breaks the rule is shown, however rarely it was played.
  std::vector<std::size_t> actions =
      first_of(answer.actions.size(), kMostActions, [&](std::size_t a, std::size_t b) {
        return answer.of_actions[a].rows > answer.of_actions[b].rows;
      });
  for (const AuditBreak& broken : answer.breaks)
    if (std::find(actions.begin(), actions.end(), broken.action) == actions.end())
      actions.push_back(broken.action);
  std::sort(actions.begin(), actions.end());
  const std::vector<std::size_t> contexts = contexts_shown(answer, kMostPanels);
  std::vector<figures::ContextPanel> panels;
  std::vector<figures::MarginalCell> marginals;
  for (const std::size_t z : contexts) {
    figures::ContextPanel panel{answer.contexts[z], answer.of_contexts[z].mean, {}};
    for (const std::size_t a : actions) {
      const AuditCellAnswer& cell = answer.cell(a, z);
      if (!cell.mean) continue;
      const Interval& interval = answer.adaptive ? cell.mean_anytime : cell.mean_fixed;
      panel.actions.push_back({answer.actions[a], *cell.mean, interval.low, interval.high,
                               static_cast<double>(cell.rows), is_odd(answer, a, z)});
    }
    if (!panel.actions.empty()) panels.push_back(std::move(panel));
  }
  for (const std::size_t a : actions)
    for (const std::size_t z : contexts)
      marginals.push_back({answer.actions[a], answer.contexts[z], answer.cell(a, z).marginal,
                           static_cast<double>(answer.cell(a, z).rows)});
  std::vector<figures::PowerCurvePoint> power;
  for (const PowerPoint& point : answer.power) power.push_back({point.violation, point.power});
  const std::string shown = left_out(answer.actions.size(), actions.size(), "actions") +
                            left_out(answer.contexts.size(), contexts.size(), "contexts");
  return {
      figures::audit_means_figure(
          panels,
          fmt::format("If Z separates, all dots of a context stand on one line but for noise. Mean "
                      "reward of every action with its {:g}% interval{}; each interval speaks for "
                      "itself.{}",
                      100 * (1 - answer.question.delta),
                      answer.adaptive ? ", which holds at any time" : "", shown)),
      figures::audit_marginals_figure(
          marginals,
          fmt::format("The marginals: how often each action led to each context.{}", shown)),
      figures::audit_power_figure(
          power, answer.smallest.value_or(2),
          "The probability that a shift of one action's rewards, the same in every context, "
          "would have been found in a log of these sizes; for the action in the middle. What "
          "is left of the curve may be there, found or not.")};
}

std::string tests_table(const AuditAnswer& answer) {
  std::vector<HtmlRow> rows;
  for (std::size_t z = 0; z < answer.contexts.size(); ++z) {
    const AuditContextAnswer& context = answer.of_contexts[z];
    const bool tested = context.method != "none";
    rows.push_back({{answer.contexts[z], grouped(static_cast<double>(context.rows)),
                     fmt::format("{}", context.actions), fmt::format("{:.4g}", context.mean),
                     context.smallest ? fmt::format("{:.2g}", *context.smallest) : "–",
                     context.method, tested ? fmt::format("{:.2g}", context.p_value) : "–",
                     tested ? fmt::format("{:.2g}", context.adjusted) : "–"},
                    tested && context.adjusted <= answer.question.level});
  }
  return html_table("Tests context by context",
                    {"context", "rows", "actions", "mean reward", "shift that would show", "test",
                     "p", "Holm's p"},
                    rows);
}

std::string breaks_list(const AuditAnswer& answer) {
  if (answer.breaks.empty()) return "";
  std::string html = "<h3>Where it breaks</h3>\n<ul>\n";
  for (const AuditBreak& broken : answer.breaks)
    html += fmt::format("<li>{} (Holm's p {:.2g})</li>\n",
                        html_escaped(break_words(answer, broken)), broken.adjusted);
  return html + "</ul>\n";
}

}  // namespace

std::vector<std::size_t> contexts_shown(const AuditAnswer& answer, std::size_t most) {
  // However rare: a context that broke the rule is what the reader came for.
  std::vector<std::size_t> break_of(answer.contexts.size(), answer.breaks.size());
  for (std::size_t i = answer.breaks.size(); i-- > 0;) break_of[answer.breaks[i].context] = i;
  const auto rank = [&](std::size_t z) {
    const AuditContextAnswer& context = answer.of_contexts[z];
    const double p = context.adjusted <= answer.question.level ? context.adjusted : 1;
    return std::tuple(break_of[z], p, UINT64_MAX - context.rows);
  };
  return first_of(answer.contexts.size(), most,
                  [&](std::size_t y, std::size_t z) { return rank(y) < rank(z); });
}

void require_audit_page() { require_bundle(); }

std::string audit_page(const AuditPage& page) {
  const AuditAnswer& answer = page.answer;
  const std::vector<std::string> words = audit_words(answer);
  std::string body = fmt::format(
      "<header>\n<h1>Can the contexts of {} be trusted?</h1>\n<p class=\"facts\">{} rows{}, {} "
      "actions, {} contexts; {}</p>\n</header>\n",
      html_escaped(page.source), grouped(static_cast<double>(answer.rows)),
      page.rows_skipped > 0
          ? fmt::format(" ({} skipped)", grouped(static_cast<double>(page.rows_skipped)))
          : "",
      answer.actions.size(), answer.contexts.size(), html_escaped(answer.rests_on));
  body += fmt::format(
      "<section id=\"answer\">\n<h2>Answer: {}</h2>\n<p class=\"answer\">{}</p>\n<ul>\n",
      html_escaped(verdict_name(answer.verdict)), html_escaped(words.front()));
  for (std::size_t i = 1; i < words.size(); ++i)
    body += fmt::format("<li>{}</li>\n", html_escaped(words[i]));
  body += "</ul>\n";
  for (const std::string& warning : answer.warnings)
    body += fmt::format("<p class=\"warning\">{}</p>\n", html_escaped(warning));
  if (!page.policy.empty())
    body += fmt::format("<p>Start with <code>{}</code>. {}</p>\n", html_escaped(page.policy),
                        html_escaped(page.because));
  body += "</section>\n<section id=\"figures\">\n<h2>Figures</h2>\n" +
          html_figures(figures_of(answer)) + "</section>\n";
  body += "<section id=\"tables\">\n<h2>Tests, context by context</h2>\n" + tests_table(answer) +
          breaks_list(answer) + "</section>\n";
  body += fmt::format(
      "<section id=\"reproduce\">\n<h2>What was asked</h2>\n<p>Does the expected reward, given the "
      "context, depend on the action? A separator is rejected by mistake with probability "
      "{} {:g}; intervals miss with probability {}{:g} each, those of differences all together. "
      "Seed {}. What each test assumes: docs/audit.md of armature.</p>\n<p>{}</p>\n"
      "<footer class=\"facts\"><p>Made with armature {}.</p></footer>\n</section>\n",
      answer.weighted ? "about" : "at most", answer.question.level, answer.weighted ? "about " : "",
      answer.question.delta, answer.question.seed, html_escaped(join(page.reading, " ")),
      html_escaped(version()));
  return html_document("Audit of " + page.source,
                       {{"answer", "Answer"},
                        {"figures", "Figures"},
                        {"tables", "Tests"},
                        {"reproduce", "Question"}},
                       body);
}

}  // namespace armature
