#include <fmt/format.h>

#include "armature/log.h"
#include "audit/bins.h"
#include "base/text.h"

namespace armature {
namespace {

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", grouped(static_cast<double>(count)), what, count == 1 ? "" : "s");
}

std::string separator_name(char separator) {
  return separator == ','   ? "comma"
         : separator == ';' ? "semicolon"
         : separator == '|' ? "bar"
                            : "tab";
}

std::string columns_sentence(const LogFacts& facts) {
  std::string text = fmt::format("Columns: action '{}', context '{}', reward '{}'", facts.action,
                                 join(facts.contexts, "' and '"), facts.reward);
  const auto add = [&](const char* role, const std::string& column) {
    if (!column.empty()) text += fmt::format(", {} '{}'", role, column);
  };
  add("propensity", facts.propensity);
  add("weight", facts.weight);
  add("time", facts.time);
  add("decision", facts.decision);
  return text + ".";
}

std::string bad_sentence(const LogFacts& facts) {
  std::vector<std::string> reasons;
  for (const LogFacts::Bad& bad : facts.bad)
    reasons.push_back(
        fmt::format("{} {}{} (first in line {}{})", grouped(static_cast<double>(bad.rows)),
                    bad.reason, bad.column.empty() ? "" : " in '" + bad.column + "'",
                    bad.first_line, bad.value.empty() ? "" : ": '" + shown(bad.value, 40) + "'"));
  return fmt::format("{} could not be used: {}.", counted(facts.rows_bad(), "row"),
                     join(reasons, "; "));
}

}  // namespace

std::uint64_t LogFacts::rows_bad() const {
  std::uint64_t rows = 0;
  for (const Bad& one : bad) rows += one.rows;
  return rows;
}

std::vector<std::string> log_sentences(const LogFacts& facts) {
  std::vector<std::string> sentences;
  std::string kind = facts.format;
  if (facts.separator != 0) kind += ", separator " + separator_name(facts.separator);
  if (facts.packed) kind += ", gzip";
  sentences.push_back(fmt::format("{} ({}): {} read, {} used.", facts.file, kind,
                                  counted(facts.rows_read, "row"),
                                  grouped(static_cast<double>(facts.rows_used))));
  sentences.push_back(columns_sentence(facts));
  if (!facts.policy.empty())
    sentences.push_back(fmt::format("Decided by {}, which {}.", facts.policy,
                                    facts.adaptive ? "learns" : "does not learn"));
  for (const LogFacts::Binned& binned : facts.bins)
    sentences.push_back(fmt::format(
        "'{}' in {} bins: {}{}.", binned.column, binned.edges.size() + 1,
        join(bin_names(binned.edges), ", "),
        binned.sampled ? fmt::format(" (edges by a sample of about {} rows)",
                                     grouped(static_cast<double>(FrequencyEdges::kKept)))
                       : ""));
  if (facts.scale)
    sentences.push_back(fmt::format(
        "Rewards from {} to {} became 0 to 1, and all that is said of rewards is on that "
        "scale.",
        print_real(facts.scale->first), print_real(facts.scale->second)));
  if (facts.rows_set_aside > 0)
    sentences.push_back(fmt::format("{} without a learned outcome set aside.",
                                    counted(facts.rows_set_aside, "row")));
  if (facts.rows_bad() > 0) sentences.push_back(bad_sentence(facts));
  if (facts.with_propensity > 0 && !facts.has_propensities())
    sentences.push_back(fmt::format("{} of the used have no propensity.",
                                    counted(facts.rows_used - facts.with_propensity, "row")));
  if (facts.out_of_order > 0)
    sentences.push_back(
        fmt::format("{} earlier than the one before: this log is not in order of its decisions.",
                    counted(facts.out_of_order, "row")));
  if (facts.unchecked_ids > 0)
    sentences.push_back(fmt::format("{} could not be checked for a decision that was there before.",
                                    counted(facts.unchecked_ids, "row")));
  return sentences;
}

}  // namespace armature
