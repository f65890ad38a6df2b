#include "report/resources.h"

// The assembler copies the files; the compiler never sees their bytes. CMakeLists.txt names the
// paths and makes this file depend on them.
#define ARMATURE_RESOURCE(name, path)            \
  extern "C" const char armature_##name[];       \
  extern "C" const char armature_##name##_end[]; \
  __asm__(                                       \
      ".pushsection .rodata\n"                   \
      "armature_" #name                          \
      ":\n"                                      \
      ".incbin \"" path                          \
      "\"\n"                                     \
      "armature_" #name                          \
      "_end:\n"                                  \
      ".byte 0\n"                                \
      ".popsection\n")

// The zero byte behind each file is no part of its view.
#define ARMATURE_VIEW(name)         \
  std::string_view(armature_##name, \
                   static_cast<std::size_t>(armature_##name##_end - armature_##name))

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
