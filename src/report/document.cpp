#include "report/document.h"

#include <fmt/format.h>

#include <optional>

#include "armature/error.h"
#include "report/html.h"
#include "report/resources.h"

namespace armature {
namespace {

std::string head(const std::string& title) {
  // Words of files are escaped; should one slip through, Content-Security-Policy keeps it from
  // reaching the network. `unsafe-eval` is for vega, which compiles its expressions.
  // What the page may do is said to the browser too: run what is in it, load nothing.
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: "
      "blob:\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      html_escaped(title), page_style());
}

// Links to the sections that are there.
std::string contents(const PageSections& sections, const std::string& body) {
  std::string html = "<nav aria-label=\"Contents\">\n<ul>\n";
  for (const auto& [id, name] : sections)
    if (body.find(fmt::format("<section id=\"{}\">", id)) != std::string::npos)
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, name);
  return html + "</ul>\n</nav>\n";
}

}  // namespace

void require_bundle() {
  if (!web_bundle())
    throw Error({"", "report", "a program built without what reports inline",
                 "`make bundle`, and then `make build` again"});
}

std::string html_document(const std::string& title, const PageSections& sections,
                          const std::string& body) {
  require_bundle();
  std::string html = head(title) + contents(sections, body) + "<main>\n" + body + "</main>\n";
  // Last in the body, when the figures' places exist; the bundle first, as the others call it.
  for (const std::string_view script : {*web_bundle(), theme_script(), page_script()})
    html += fmt::format("<script>\n{}\n</script>\n", script);
  return html + "</body>\n</html>\n";
}

std::string html_figures(const std::vector<figures::Figure>& figures) {
  std::string html;
  for (std::size_t i = 0; i < figures.size(); ++i)
    html += fmt::format(
        "<figure class=\"plot\" id=\"{}\">\n<div class=\"drawing\"></div>\n"
        "<script type=\"application/json\">\n{}\n</script>\n"
        "<figcaption><b>Figure {}.</b> {}</figcaption>\n</figure>\n",
        html_escaped(figures[i].name), html_json(figures[i].spec), i + 1,
        html_escaped(figures[i].caption));
  return html;
}

}  // namespace armature
