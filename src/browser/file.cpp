// base/file.h of a page: there is no disk, so nothing is found on it. What texts name comes with
// the request (Simulation::files).
#ifdef __EMSCRIPTEN__

#include "base/file.h"

#include "armature/error.h"

namespace armature {

std::string read_file(const std::string& path) {
  throw Error({path, "open", "No such file or directory", "a readable file"});
}
std::string read_text_file(const std::string& path) { return read_file(path); }

}  // namespace armature

#endif
