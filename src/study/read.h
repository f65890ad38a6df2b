// Studies as they are stored.
#pragma once

#include <string>

#include "armature/study.h"

namespace armature {

/// Below 2^60, up to which leaps can draw counts, and below 2^63, where the integers of TOML and
/// SQLite end.
inline constexpr std::uint64_t kLongestHorizon = 1'000'000'000'000'000'000;

/// What a store holds was accepted when it was begun, perhaps by another version: keys of figures
/// and verdicts that are of no use today are passed over, so that no result is locked in behind
/// them.
/// `files` are those kept beside it.
Study read_stored_study(const std::string& toml, const std::string& source, FileTable files = {});

}  // namespace armature
