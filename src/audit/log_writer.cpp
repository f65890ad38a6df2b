#include "audit/log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/display.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::size_t kPiece = 1 << 16;

// Blanks around a field that is not quoted are no part of it.
std::string field(const std::string& name) {
  const bool blank = name.empty() || name.front() == ' ' || name.front() == '\t' ||
                     name.back() == ' ' || name.back() == '\t';
  return blank ? "\"" + name + "\"" : csv_field(name);
}

std::vector<std::string> fields(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(field(name));
  return result;
}

}  // namespace

bool policy_learns(const std::string& policy) {
  const std::string name = policy.substr(0, policy.find(':'));
  return name != "uniform" && name != "round-robin" && name != "fixed" && name != "oracle";
}

LogWriter::LogWriter(const std::string& path, const Origin& origin)
    : file_(path),
      policies_(fields(origin.policies)),
      actions_(fields(origin.actions)),
      contexts_(fields(origin.contexts)) {
  if (path.ends_with(".gz")) packer_.emplace();
  const bool learns = std::any_of(origin.policies.begin(), origin.policies.end(), policy_learns);
  piece_ = fmt::format(
      "# armature-log 1\n# written by armature simulate\n# instance: {}\n# policy: {}\n"
      "# learns: {}\n# seed: {}\n# outcomes: {}\n"
      "decision,action,propensity,context,reward,policy,replication\n",
      visible(origin.instance), visible(join(origin.policies, ", ")), learns ? "yes" : "no",
      origin.seed, origin.conditions);
}

void LogWriter::add(const Row& row) {
  auto out = std::back_inserter(piece_);
  fmt::format_to(out, "{},{},", ++decisions_, actions_[row.action]);
  if (row.propensity) fmt::format_to(out, "{}", *row.propensity);
  fmt::format_to(out, ",{},{},{},{}\n", contexts_[row.context], row.reward, policies_[row.policy],
                 row.replication);
  if (piece_.size() >= kPiece) write_piece();
}

void LogWriter::write_piece() {
  file_.write(packer_ ? packer_->pack(piece_) : piece_);
  piece_.clear();
}

void LogWriter::commit() {
  write_piece();
  if (packer_) file_.write(packer_->finish());
  file_.commit();
}

}  // namespace armature
