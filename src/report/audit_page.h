// The page of an audit: one file to send to a colleague.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/audit.h"

namespace armature {

struct AuditPage {
  const AuditAnswer& answer;
  std::string source;  // the log's name
  std::uint64_t rows_skipped = 0;
  std::vector<std::string> reading;  // how the log was read, in sentences
  std::string policy, because;       // recommended; empty: nobody asked
};

/// The contexts to show where there is room for so many: those where it breaks, the surest first,
/// then those rejected, then those with most rows; in their own order.
std::vector<std::size_t> contexts_shown(const AuditAnswer& answer, std::size_t most);

/// Throws Error if this program was built without `make bundle`: to be asked before long work.
void require_audit_page();
std::string audit_page(const AuditPage& page);

}  // namespace armature
