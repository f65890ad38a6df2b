#include "report/resources.h"

#include "base/resource.h"

ARMATURE_RESOURCE(page_style, ARMATURE_WEB "/page.css");
ARMATURE_RESOURCE(page_script, ARMATURE_WEB "/page.js");
ARMATURE_RESOURCE(theme_script, ARMATURE_WEB "/theme.js");
ARMATURE_RESOURCE(render_script, ARMATURE_WEB "/render.js");
ARMATURE_RESOURCE(headline_study, ARMATURE_STUDIES "/headline.toml");
// Built without npm and network the command still runs studies; only pages need the bundle.
#ifdef ARMATURE_HAS_BUNDLE
ARMATURE_RESOURCE(web_bundle, ARMATURE_WEB "/dist/bundle.js");
#endif

namespace armature {

std::optional<std::string_view> web_bundle() {
#ifdef ARMATURE_HAS_BUNDLE
  return ARMATURE_VIEW(web_bundle);
#else
  return std::nullopt;
#endif
}

std::string_view page_style() { return ARMATURE_VIEW(page_style); }
std::string_view page_script() { return ARMATURE_VIEW(page_script); }
std::string_view theme_script() { return ARMATURE_VIEW(theme_script); }
std::string_view render_script() { return ARMATURE_VIEW(render_script); }
std::string_view headline_study() { return ARMATURE_VIEW(headline_study); }

}  // namespace armature
