// The log in and out of a store as JSON lines (docs/formats.md), which are all of it. Piece by
// piece and in other formats it is export.h that writes it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "service/log.h"

namespace armature::service {

using WriteLine = std::function<void(const std::string& line)>;  // without its end
using NextLine = std::function<std::optional<std::string>()>;    // none: that was all

/// One experiment: a line that says what it is, then an event a line. Numbers of 64 bits are texts.
void export_json_lines(LogReader& log, const StoredExperiment& experiment, const WriteLine& write);
/// The first line, which may say with which event the log ends; and one event as in the others.
std::string experiment_json(const ExperimentFacts& facts, std::optional<Sequence> events = {});
std::string event_json(const Event& event);
/// Throws Error.
Event event_of_json(const std::string& line);

/// Rebuilds experiments from their JSON lines, replaying every event from the first one on: what is
/// imported is what was exported, with the same digest. Where one was archived, the files of its
/// months come first, in order, and then the rest; the line that says what it is may be repeated.
/// What does not replay is left out, and its `trouble` names `source` and the line; the others of
/// the file go in, each in a commit of its own. Throws Error if the file begins with something
/// else.
std::vector<CheckedExperiment> import_json_lines(Log& log, const NextLine& next,
                                                 const std::string& source);

}  // namespace armature::service
