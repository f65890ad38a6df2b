// Numbers for Prometheus, in its text form.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "service/http/budget.h"
#include "service/http/guard.h"
#include "service/http/routes.h"
#include "service/service.h"

namespace armature::service::http {

/// Requests by route and status, and what the server knows of its connections.
class RequestCounts {
 public:
  RequestCounts();
  /// `route`: null where there was none.
  void count(const Route* route, int status);
  void write(std::string& out) const;

  std::atomic<std::uint64_t> connections{0};  // open now
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> turned_away{0};  // beyond the most connections
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> peer_connections{0};    // to other nodes, open now
  std::atomic<std::uint64_t> forwarded_answered{0};  // requests that another node answered…
  std::atomic<std::uint64_t> forwarded_unsent{0};    // …that none could be given…
  std::atomic<std::uint64_t> forwarded_unknown{0};   // …and that none gave an answer to
  std::atomic<std::uint64_t> exports{0};             // open now
  std::atomic<std::uint64_t> live{0};                // streams, open now
  Budget bodies{std::uint64_t{128} << 20};           // of requests that are being read
  Budget answers{std::uint64_t{512} << 20};  // that are being sent; what is small is not counted

 private:
  static constexpr std::size_t kStatuses = 21;
  struct Row {
    std::array<std::atomic<std::uint64_t>, kStatuses> by_status{};
  };
  std::unique_ptr<Row[]> rows_;  // one per route, and one for none
};

/// All of it. Per experiment only of the first hundred by name that this caller may see: what is
/// scraped stays small.
std::string metrics_text(const Service& service, const RequestCounts& counts, Time now,
                         const Caller& caller);

}  // namespace armature::service::http
