#include "service/http/page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "armature/error.h"
#include "base/resource.h"
#include "base/sha256.h"

ARMATURE_RESOURCE(live_html, ARMATURE_WEB "/live/live.html");
ARMATURE_RESOURCE(live_script, ARMATURE_WEB "/live/live.js");
ARMATURE_RESOURCE(live_style, ARMATURE_WEB "/live/live.css");
ARMATURE_RESOURCE(live_base_style, ARMATURE_WEB "/page.css");  // what it has of reports

namespace armature::service::http {
namespace {

// 'sha256-…', as a browser works it out of what stands between the tags.
std::string source_of(std::string_view text) {
  const Sha256 hash = sha256(text);
  std::string digits(4 * ((hash.size() + 2) / 3) + 1, '\0');
  digits.resize(
      static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(digits.data()),
                                               hash.data(), static_cast<int>(hash.size()))));
  return "'sha256-" + digits + "'";
}

void put(std::string& html, const std::string& tag, const std::string& text) {
  ARMATURE_CHECK(text.find("</" + tag) == std::string::npos, "it would end where it says so");
  const std::string mark = "<!-- " + tag + " -->";
  const std::size_t place = html.find(mark);
  ARMATURE_CHECK(place != std::string::npos, "the page has a place for it");
  html.replace(place, mark.size(), fmt::format("<{0}>{1}</{0}>", tag, text));
}

LivePage assembled() {
  std::string style(ARMATURE_VIEW(live_base_style));
  style += ARMATURE_VIEW(live_style);
  const std::string script(ARMATURE_VIEW(live_script));
  LivePage page{
      std::string(ARMATURE_VIEW(live_html)),
      fmt::format("default-src 'none'; script-src {}; style-src {}; connect-src 'self'; "
                  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                  source_of(script), source_of(style))};
  put(page.html, "style", style);
  put(page.html, "script", script);
  return page;
}

}  // namespace

const LivePage& live_page() {
  static const LivePage page = assembled();
  return page;
}

}  // namespace armature::service::http
