#include "service/http/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace armature::service::http {
namespace {

constexpr std::array<int, 21> kStatusOf = {200, 201, 400, 401, 403, 404, 405, 408, 409, 410, 413,
                                           415, 422, 429, 431, 500, 501, 503, 507, 100, 0};
constexpr std::size_t kMostExperiments = 100;

class MetricsText {
 public:
  void family(const char* name, const char* kind, const char* help) {
    add("# HELP armature_{} {}\n# TYPE armature_{} {}\n", name, help, name, kind);
  }
  template <class Value>
  void sample(const char* name, const std::string& labels, const Value& value) {
    add("armature_{}{} {}\n", name, labels.empty() ? "" : "{" + labels + "}", value);
  }
  template <class Value>
  void one(const char* name, const char* kind, const char* help, const Value& value) {
    family(name, kind, help);
    sample(name, "", value);
  }
  /// Buckets whose upper ends double.
  template <std::size_t Size>
  void histogram(const char* name, const char* help, const std::array<std::uint64_t, Size>& buckets,
                 double first_end, double sum) {
    family(name, "histogram", help);
    std::uint64_t below = 0;
    double end = first_end;
    for (std::size_t i = 0; i < Size; ++i, end *= 2) {
      below += buckets[i];
      const std::string label = i + 1 < Size ? fmt::format("{}", end) : "+Inf";
      add("armature_{}_bucket{{le=\"{}\"}} {}\n", name, label, below);
    }
    add("armature_{}_sum {}\narmature_{}_count {}\n", name, sum, name, below);
  }
  std::string take() { return std::move(out_); }
  std::string& text() { return out_; }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> pattern, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), pattern, std::forward<Values>(values)...);
  }
  std::string out_;
};

double seconds(Time time) { return static_cast<double>(time) / kSecond; }

void add_experiments(MetricsText& out, const Service& service, Time now, const Caller& caller) {
  auto summaries = service.summaries();
  std::erase_if(summaries, [&](const auto& one) { return !caller.may_see(one->facts); });
  if (summaries.size() > kMostExperiments) summaries.resize(kMostExperiments);
  const auto each = [&](const char* name, const char* kind, const char* help, const auto& value) {
    out.family(name, kind, help);
    for (const auto& summary : summaries)
      out.sample(name, fmt::format("experiment=\"{}\"", summary->facts.name), value(*summary));
  };
  out.family("decisions", "gauge", "Decisions by where they are in their life.");
  for (const auto& summary : summaries) {
    const std::pair<Status, std::uint64_t> statuses[] = {{Status::kOpen, summary->open},
                                                         {Status::kWaiting, summary->waiting},
                                                         {Status::kLearned, summary->learned},
                                                         {Status::kForgotten, summary->forgotten},
                                                         {Status::kLate, summary->late}};
    for (const auto& [status, count] : statuses)
      out.sample(
          "decisions",
          fmt::format("experiment=\"{}\",status=\"{}\"", summary->facts.name, status_name(status)),
          count);
  }
  each("decided_total", "counter", "Decisions made.",
       [](const Summary& one) { return one.decisions; });
  each("fallbacks_total", "counter", "Decisions made without the policy.",
       [](const Summary& one) { return one.fallbacks; });
  each("rewards_sum", "counter", "Rewards learned, added up.", [](const Summary& one) {
    double sum = 0;
    for (const ActionSummary& action : one.actions) sum += action.outcomes.rewards;
    return sum;
  });
  each("oldest_open_seconds", "gauge", "Age of the oldest decision without an outcome.",
       [&](const Summary& one) {
         return one.oldest_open ? std::max(0.0, seconds(now - *one.oldest_open)) : 0.0;
       });
  each("events_since_snapshot", "gauge", "Events a restart would replay.",
       [](const Summary& one) { return one.seq - one.snapshot.value_or(0); });
  each("experiment_running", "gauge", "1 while the policy decides.",
       [](const Summary& one) { return one.state == ExperimentState::kRunning ? 1 : 0; });
}

}  // namespace

RequestCounts::RequestCounts() : rows_(std::make_unique<Row[]>(routes().size() + 1)) {}

void RequestCounts::count(const Route* route, int status) {
  const auto row =
      route == nullptr ? routes().size() : static_cast<std::size_t>(route - routes().data());
  const auto column = static_cast<std::size_t>(
      std::find(kStatusOf.begin(), kStatusOf.end() - 1, status) - kStatusOf.begin());
  rows_[row].by_status[column].fetch_add(1, std::memory_order_relaxed);
}

void RequestCounts::write(std::string& out) const {
  MetricsText text;
  text.family("requests_total", "counter", "Requests answered, by route and status.");
  for (std::size_t row = 0; row <= routes().size(); ++row)
    for (std::size_t column = 0; column < kStatuses; ++column) {
      const std::uint64_t number = rows_[row].by_status[column].load(std::memory_order_relaxed);
      if (number == 0) continue;
      const bool known = row < routes().size();
      text.sample(
          "requests_total",
          fmt::format("method=\"{}\",path=\"{}\",status=\"{}\"", known ? routes()[row].method : "",
                      known ? routes()[row].path : "", kStatusOf[column]),
          number);
    }
  text.one("connections", "gauge", "Connections that are open.", connections.load());
  text.one("connections_total", "counter", "Connections accepted.", accepted.load());
  text.one("connections_refused_total", "counter", "Connections beyond the limit.",
           turned_away.load());
  text.one("connections_timed_out_total", "counter", "Connections closed for their slowness.",
           timed_out.load());
  text.one("peer_connections", "gauge", "Connections to other nodes that are open.",
           peer_connections.load());
  text.family("forwarded_total", "counter", "Requests handed to other nodes, by what came of it.");
  text.sample("forwarded_total", "outcome=\"answered\"", forwarded_answered.load());
  text.sample("forwarded_total", "outcome=\"unreachable\"", forwarded_unsent.load());
  text.sample("forwarded_total", "outcome=\"unknown\"", forwarded_unknown.load());
  text.one("exports", "gauge", "Exports that are open.", exports.load());
  text.one("live_streams", "gauge", "Live streams that are open.", live.load());
  text.one("body_bytes", "gauge", "Of larger requests that are being read.", bodies.used());
  text.one("answer_bytes", "gauge", "Of larger answers that are being sent.", answers.used());
  out += text.take();
}

std::string metrics_text(const Service& service, const RequestCounts& counts, Time now,
                         const Caller& caller) {
  const Health health = service.health();
  MetricsText out;
  out.one("ready", "gauge", "1 while decisions can be made and stored.", health.ready ? 1 : 0);
  out.one("events_total", "counter", "Events stored since the start.", health.events);
  out.one("refusals_total", "counter", "Requests the service refused.", health.refusals);
  out.one("queued_requests", "gauge", "Requests that wait for the writer.", health.queued);
  out.one("queued_bytes", "gauge", "What they hold in memory.", health.queued_bytes);
  out.one("snapshots_total", "counter", "Snapshots kept since the start.", health.snapshots);
  out.one("replay_mismatches_total", "counter", "Replays that gave something else than the log.",
          health.replay_mismatches);
  out.one("store_bytes", "gauge", "The log on disk, its write-ahead part included.",
          health.store_bytes);
  out.one("store_ahead_bytes", "gauge", "Its write-ahead part: a reader that stays keeps it.",
          health.ahead_bytes);
  out.one("disk_free_bytes", "gauge", "Room left where the store is.", health.free_bytes);
  out.one("experiments_owned", "gauge", "Experiments that this process writes to.", health.owned);
  out.one("taken_over_total", "counter", "Experiments taken from other nodes, or nobody.",
          health.taken);
  out.one("fenced_total", "counter", "Batches of which another node had taken a part.",
          health.fenced);
  out.one("experiments_quarantined", "gauge", "Experiments that do not replay.",
          health.quarantined.size());
  out.histogram("commit_events", "Events in one commit.", health.batch_sizes, 1,
                static_cast<double>(health.events));
  out.histogram("commit_seconds", "How long a commit took.", health.commit_times, 1e-4,
                health.commit_seconds);
  add_experiments(out, service, now, caller);
  counts.write(out.text());
  return out.take();
}

}  // namespace armature::service::http
