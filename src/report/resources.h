// Files compiled into the program: what a report's page is made of, and what draws its figures
// where there is a node. The bundle is there if `make bundle` was run before the build.
#pragma once

#include <optional>
#include <string_view>

namespace armature {

/// vega, vega-lite and vega-embed as one script; nothing if this program was built without them.
std::optional<std::string_view> web_bundle();
/// Views live as long as the program. A report thus needs no file beside the command, wherever that
/// was copied to.
std::string_view page_style();      // web/page.css
std::string_view page_script();     // web/page.js
std::string_view theme_script();    // web/theme.js: light and dark
std::string_view render_script();   // web/render.js
std::string_view headline_study();  // studies/headline.toml

}  // namespace armature
