// The door of the WebAssembly module: one function for JavaScript (web/playground/worker.js).
#ifdef __EMSCRIPTEN__

#include <emscripten.h>

#include "browser/answer.h"

EM_JS(void, tell_progress, (const char* answer), { Module['progress'](UTF8ToString(answer)); });

/// The answer stays until the next one is asked for.
extern "C" EMSCRIPTEN_KEEPALIVE const char* answer_request(const char* request) {
  static std::string kept;
  kept = armature::browser::answer(request,
                                   [](const std::string& part) { tell_progress(part.c_str()); });
  return kept.c_str();
}

#endif
