// One function per command that pages may ask for. Errors are thrown and caught in `answer`.
#pragma once

#include <string>

#include "browser/answer.h"
#include "browser/request.h"

namespace armature::browser {

std::string simulate(const Request& request, const Progress& progress);
std::string bounds(const Request& request, const Progress& progress);
std::string frontier(const Request& request, const Progress& progress);
std::string families(const Request& request, const Progress& progress);
std::string policies(const Request& request, const Progress& progress);
/// How reports draw policies: colour, dash and shape of each; of all there are, or of `policy`.
std::string looks(const Request& request, const Progress& progress);
std::string version(const Request& request, const Progress& progress);

}  // namespace armature::browser
