// What a reader must know of a study whose cells were chosen by a search.
#pragma once

#include <string>

#include "armature/study.h"

namespace armature {

/// How many worlds there were to choose from, and how it was chosen; empty for other studies.
std::string search_words(const Study& study);

}  // namespace armature
