// What an instance knows of the setting of a question: for whoever asks theory about a world.
#pragma once

#include <string>
#include <vector>

#include "armature/model.h"
#include "armature/theory.h"

namespace armature {

/// How the asker's fields are called in errors and notes: "--rank" on a command line, "rank" in a
/// function.
using FieldName = std::string (*)(const std::string& field);

/// Sizes that are not 0 must be the instance's own, else Error.
void agree_on_sizes(Setting& setting, const Instance& instance, FieldName called);
/// Rank, gap, ε and whether it is benign. Of those what the setting has already wins; notes say so,
/// and `text` is what they call the instance.
void fill_from_instance(Setting& setting, const Instance& instance, const std::string& text,
                        FieldName called, std::vector<std::string>& notes);

}  // namespace armature
