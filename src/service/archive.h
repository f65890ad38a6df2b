// What is old moves out of the store into files, one per experiment and month: JSON lines as an
// export writes them (transfer.h). The store then begins at an anchor, a snapshot made by replay
// and checked; with the archive before it, it can be imported as a whole again. Nothing is deleted
// that has not been written, synced, read again and found equal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/log.h"

namespace armature::service {

/// The answer to whoever asks for a decision made before `first`, the first event in the store.
Refusal archived_decision(const std::string& experiment, Sequence decision, Sequence first);

/// The beginning of a day as `2026-10-01`, in UTC. Throws Error naming the field.
Time parse_date(const std::string& text, const std::string& field);

struct ArchiveOptions {
  std::string folder;  // made if need be
  Time before = 0;     // only events older than this
  bool dry_run = false;
  /// Long work: what is done now, the event it has come to, and the last one. Also called between
  /// steps ("file complete", "files complete", "rows removed"), for tests that stop it there.
  std::function<void(const char* doing, Sequence at, Sequence last)> progress;
};

/// What was moved of one experiment, or would be.
struct Archived {
  Sequence first = 0;  // of what was moved, up to `last`; below `first`: nothing
  Sequence last = 0;
  std::vector<std::string> files;  // each holds a month's events, maybe others from before
  std::string held_back;           // why not everything older than the date; empty: it was
  std::uint64_t digest = 0;        // of the fold at the end, before and after
  std::string trouble;             // it does not replay, so nothing was moved
};

/// Moves events up to the last one that is older than the date, and before which
///  - no decision is open and no key is known: both are asked for in `events`;
///  - nothing is needed to replay what stays: an epoch or a shadow was taught from events before
///    it.
/// The last event stays, so that the next one has its number. Stopped anywhere, the rows are still
/// there or the files are complete, and a second run goes on. A month's file that is there is
/// continued if it is this experiment's and fits, and otherwise left alone: Error.
Archived archive_experiment(Log& log, const StoredExperiment& experiment,
                            const ArchiveOptions& options);

}  // namespace armature::service
