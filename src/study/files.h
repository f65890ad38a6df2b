// The files that a study's instances name: instance files, graphs and their tables. A study keeps
// their content, so that what is stored or published of it does not depend on them.
#pragma once

#include "armature/error.h"
#include "armature/study.h"

namespace armature {

/// Reads what the study's instances name and it does not keep yet. Throws Error naming instance and
/// file.
void keep_files(Study& study, const Files& files);

/// An Error about a file that an instance names, told as one of the study: the file becomes part of
/// the field, and the study's own can be named in front of it.
Error in_study(const Error& error);

}  // namespace armature
