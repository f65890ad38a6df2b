// The log of an experiment for others: every event as JSON lines (transfer.h), a row per decision
// as CSV for pandas, R and audits, or decision-service JSON for Vowpal Wabbit.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/log.h"

namespace armature::service {

enum class ExportFormat { kJsonLines, kCsv, kDsjson };
/// jsonl, csv, dsjson. Throws Error naming the field.
ExportFormat export_format_named(const std::string& name, const std::string& field);
const char* media_type(ExportFormat format);

/// 2026-11-16T14:30:37.000250Z
std::string print_time(Time time);

/// Piece by piece, so that a log of any length passes through little memory. It ends with the last
/// event there was when it began.
class LogExport {
 public:
  /// `from`: the first event, or the first decision, that is wanted. Throws Refusal
  /// (kNoExperiment).
  LogExport(std::unique_ptr<LogReader> log, const std::string& experiment, ExportFormat format,
            Sequence from);

  /// Adds the next lines, or none yet; false: there are no more.
  bool next(std::string& piece);

 private:
  struct Reported {
    std::optional<Context> context;
    std::optional<double> reward;
  };
  /// What events say of a decision beside those that made and ended it.
  struct Later {
    Reported reported;
    bool late = false;
    std::optional<Reported> amended;  // both none: withdrawn
  };
  const Problem& sound(const Event& event) const;
  const Epoch& epoch_of(Sequence decision) const;
  std::string header() const;
  std::string line(const Event& event);
  std::string decision_row(const Event& decided);
  void look_ahead(const Event& event);

  std::unique_ptr<LogReader> log_;
  StoredExperiment experiment_;
  ExportFormat format_;
  std::vector<std::shared_ptr<const Epoch>> epochs_;
  Sequence next_;
  Sequence last_;
  bool begun_ = false;
  /// A row says how its decision ended, and that comes later in the log: it is walked once for this
  /// before the rows are written. As many as are waiting, late or amended.
  Sequence looked_;
  std::map<Sequence, Later> later_;
};

}  // namespace armature::service
