#include "service/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "service/replay_check.h"
#include "service/shard.h"
#include "service/stoppable_reader.h"

namespace armature::service {
namespace {

constexpr auto kCheckEvery = std::chrono::minutes(1);
constexpr Time kGatheringPart = 8;  // of the time that the last batch took…
constexpr Time kMostGathering = 1'000;

// Reports free memory; deciding and creating take it, and looking can wait for both.
bool frees(const Request& request) {
  return std::holds_alternative<Report>(request) || std::holds_alternative<Forget>(request);
}

std::size_t bytes_of(const std::string& text) { return text.size(); }
std::size_t bytes_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }
std::size_t bytes_of(const std::optional<Named>& named) {
  const auto* name = named ? std::get_if<std::string>(&*named) : nullptr;
  return name != nullptr ? name->size() : 0;
}
std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof(std::string) + text.size();
  return bytes;
}
std::size_t bytes_of(const Problem& problem) {
  std::size_t bytes = bytes_of(problem.action_names) + bytes_of(problem.context_names);
  if (problem.marginals)
    bytes += problem.marginals->rows() * problem.marginals->columns() * sizeof(double);
  return bytes;
}
std::size_t bytes_of(const std::optional<Problem>& problem) {
  return problem ? bytes_of(*problem) : 0;
}
template <class... Parts>
std::size_t bytes_of_all(const Parts&... parts) {
  return (std::size_t{0} + ... + bytes_of(parts));
}

// What each holds besides itself.
std::size_t held(const Create& one) {
  const Creation& creation = one.creation;
  const Settings& settings = creation.facts.settings;
  return bytes_of_all(creation.problem, creation.policy, creation.facts.name, creation.facts.tenant,
                      settings.fallback) +
         (settings.silence ? settings.silence->context.size() : 0);
}
std::size_t held(const Decide& one) {
  return bytes_of_all(one.experiment, one.key, one.body, one.action);
}
std::size_t held(const Report& one) {
  return bytes_of_all(one.experiment, one.decision, one.context);
}
std::size_t held(const Forget& one) { return bytes_of_all(one.experiment, one.decision); }
std::size_t held(const Look& one) { return bytes_of_all(one.experiment, one.decision); }
std::size_t held(const Pause& one) { return bytes_of_all(one.experiment, one.reason); }
std::size_t held(const Resume& one) { return bytes_of_all(one.experiment, one.reason); }
std::size_t held(const Finish& one) { return bytes_of_all(one.experiment, one.reason); }
std::size_t held(const OpenEpoch& one) {
  return bytes_of_all(one.experiment, one.problem, one.policy, one.reason);
}
std::size_t held(const Amend& one) {
  return bytes_of_all(one.experiment, one.decision, one.context, one.reason);
}
std::size_t held(const AddShadow& one) { return bytes_of_all(one.experiment, one.policy); }
std::size_t held(const RemoveShadow& one) { return bytes_of_all(one.experiment, one.policy); }
std::size_t held(const AddToken& one) {
  return bytes_of_all(one.token.hash, one.token.name, one.token.tenant, one.token.roles,
                      one.token.experiments);
}
std::size_t held(const RemoveToken& one) { return bytes_of(one.hash); }

// What a request holds in memory, roughly.
std::size_t bytes_of(const Request& request) {
  return sizeof(Request) + 64 + std::visit([](const auto& one) { return held(one); }, request);
}

template <std::size_t Size>
void count(std::array<std::uint64_t, Size>& buckets, std::uint64_t value) {
  const auto bucket = static_cast<std::size_t>(std::bit_width(value > 0 ? value - 1 : 0));
  ++buckets[std::min(bucket, Size - 1)];
}

}  // namespace

class Service::Inside {
 public:
  struct Hands {
    std::vector<ExperimentId> take;
    std::vector<ExperimentId> leave;
    std::function<void()> done;
  };

  Inside(std::unique_ptr<Log> log, Options options)
      : options_(std::move(options)),
        log_(std::move(log)),
        shared_(dynamic_cast<SharedLog*>(log_.get())),
        shard_(*log_, options_, [this](const std::shared_ptr<Summary>& summary) { take(summary); }),
        reader_(log_->reader()),
        tokens_(std::make_shared<const std::vector<Token>>(shard_.tokens())),
        replay_check_(log_->reader()) {
    if (shared_ != nullptr) {
      changes_ = shared_->changes();
      owned_ = std::make_shared<const std::set<ExperimentId>>(shared_->owned());
    }
    note_batch({}, 0, 0);
    writer_ = std::thread([this] { write(); });
    checker_ = std::thread([this] { check(); });
  }

  ~Inside() { stop(); }

  void submit_all(std::vector<Request> requests, Replies replies) {
    Entry entry{std::move(requests), std::move(replies), 0};
    for (const Request& request : entry.requests) entry.bytes += bytes_of(request);
    if (const auto refusal = queue(entry))
      entry.replies(std::vector<Answer>(entry.requests.size(), *refusal));
    else
      wake_.notify_one();
  }

  std::shared_ptr<const Summary> summary(const std::string& experiment) const {
    const std::lock_guard lock(published_mutex_);
    const auto found = summaries_.find(experiment);
    return found == summaries_.end() ? nullptr : found->second;
  }
  std::vector<std::shared_ptr<const Summary>> summaries() const {
    const std::lock_guard lock(published_mutex_);
    std::vector<std::shared_ptr<const Summary>> all;
    for (const auto& [name, summary] : summaries_) all.push_back(summary);
    return all;
  }
  std::shared_ptr<const std::vector<Token>> tokens() const {
    const std::lock_guard lock(published_mutex_);
    return tokens_;
  }
  Health health() const {
    Health health;
    {
      const std::lock_guard lock(published_mutex_);
      health = health_;
    }
    // Asked now: nobody may have written for long, and a disk fills and empties without us.
    if (options_.free_bytes) health.free_bytes = options_.free_bytes();
    if (health.ready && options_.free_bytes && health.free_bytes < options_.disk_floor) {
      health.ready = false;
      health.trouble = fmt::format("{} bytes left on the disk", health.free_bytes);
    }
    const std::lock_guard lock(mutex_);
    health.queued = queued_requests_;
    health.queued_bytes = queued_bytes_;
    return health;
  }
  void on_publish(std::function<void()> wake) {
    const std::lock_guard lock(published_mutex_);
    on_publish_ = std::move(wake);
  }

  std::unique_ptr<LogReader> reader() { return log_->reader(); }

  template <class Read>
  auto read(const std::string& experiment, const Read& work) {
    const auto published = summary(experiment);
    if (!published) refuse_unknown(experiment);
    const std::lock_guard lock(reader_mutex_);
    if (!reader_) refuse_stopping();
    if (!ids_.contains(experiment))
      for (const StoredExperiment& stored : reader_->experiments())
        ids_[stored.facts.name] = stored.id;
    return work(*reader_, StoredExperiment{ids_.at(experiment), published->facts});
  }

  // By a connection of its own, and one at a time: a replay takes as long as it takes, and nobody
  // who only reads a page waits for it.
  Propensity propensity(const std::string& experiment, const std::string& decision,
                        std::uint64_t draws) {
    const auto published = summary(experiment);
    if (!published) refuse_unknown(experiment);
    const std::unique_lock lock(replay_mutex_, std::try_to_lock);
    if (replays_end_) refuse_stopping();
    if (!lock.owns_lock())
      throw Refusal(RefusalKind::kBusy, {"", "propensity", "one that is being found",
                                         "the same again, a little later"});
    const Sequence seq = parse_decision_id(experiment, decision);
    const auto reader = std::make_unique<StoppableReader>(log_->reader(), replays_end_);
    for (const StoredExperiment& stored : reader->experiments()) {
      if (stored.facts.name != experiment) continue;
      const ProbabilityEstimate estimate =
          replayed_probabilities(stored.facts, *reader, stored.id, seq, draws);
      return {estimate.probabilities.at(reader->event(stored.id, seq)->action.value()),
              estimate.error};
    }
    refuse_unknown(experiment);
  }

  void change_hands(Hands hands) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) {
        hands_.push_back(std::move(hands));
        wake_.notify_one();
        return;
      }
    }
    if (hands.done) hands.done();
  }
  std::shared_ptr<const std::set<ExperimentId>> owned() const {
    const std::lock_guard lock(published_mutex_);
    return owned_;
  }
  void show(ExperimentId experiment, Summary summary) {
    std::function<void()> wake;
    {
      const std::lock_guard lock(published_mutex_);
      if (!owned_ || owned_->contains(experiment)) return;
      std::shared_ptr<const Summary>& known = summaries_[summary.facts.name];
      if (known && known->seq > summary.seq) return;
      summary.number = ++summary_number_;
      known = std::make_shared<const Summary>(std::move(summary));
      wake = on_publish_;
    }
    if (wake) wake();
  }
  void take_tokens(std::vector<Token> tokens) {
    const std::lock_guard lock(published_mutex_);
    if (owned_ && !owned_->contains(kTokens))
      tokens_ = std::make_shared<const std::vector<Token>>(std::move(tokens));
  }

  void stop() {
    replays_end_ = true;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
    }
    wake_.notify_one();
    end_checks_.notify_one();
    writer_.join();
    checker_.join();
    replay_check_.reset();
    try {
      if (shared_ != nullptr) leave_all();
      shard_.keep_all();
      {
        const std::lock_guard lock(reader_mutex_);
        reader_.reset();
      }
      const std::lock_guard nobody_reads(replay_mutex_);
      if (!shard_.broken()) log_->close();
    } catch (const StoreFailure&) {
      // Snapshots save time, and the write-ahead log is as good as the file: nothing is lost.
    }
  }

 private:
  [[noreturn]] static void refuse_unknown(const std::string& experiment) {
    throw Refusal(RefusalKind::kNoExperiment,
                  {"", "experiment", "'" + experiment + "'", "one that was created"});
  }
  [[noreturn]] static void refuse_stopping() {
    throw Refusal(RefusalKind::kStopping, {"", "service", "stopping", "a restart"});
  }

  struct Entry {
    std::vector<Request> requests;
    Replies replies;
    std::size_t bytes = 0;
  };
  struct Queued {
    std::uint64_t number;
    Entry entry;
  };

  // Takes the entry, or says why not and leaves it.
  std::optional<Refusal> queue(Entry& entry) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return Refusal(RefusalKind::kStopping, {"", "service", "stopping", "a restart"});
    if (queued_requests_ + entry.requests.size() > options_.queued_requests ||
        queued_bytes_ + entry.bytes > options_.queued_bytes)
      return Refusal(RefusalKind::kBusy,
                     {"", "service", fmt::format("{} waiting", queued_requests_),
                      "the same again, a little later"});
    queued_requests_ += entry.requests.size();
    queued_bytes_ += entry.bytes;
    const bool free = std::all_of(entry.requests.begin(), entry.requests.end(), frees);
    (free ? freeing_ : others_).push_back({next_++, std::move(entry)});
    return std::nullopt;
  }

  bool more_than_half_full() const {
    return queued_requests_ * 2 > options_.queued_requests ||
           queued_bytes_ * 2 > options_.queued_bytes;
  }

  // In the order they came; above half of what there is room for, those that free memory first.
  std::vector<Entry> next_batch() {
    std::vector<Entry> batch;
    std::size_t requests = 0;
    std::size_t bytes = 0;
    while (!freeing_.empty() || !others_.empty()) {
      const bool free_first =
          !freeing_.empty() && (others_.empty() || more_than_half_full() ||
                                freeing_.front().number < others_.front().number);
      std::deque<Queued>& from = free_first ? freeing_ : others_;
      const Entry& next = from.front().entry;
      if (!batch.empty() && (requests + next.requests.size() > options_.batch_events ||
                             bytes + next.bytes > options_.batch_bytes))
        break;
      requests += next.requests.size();
      bytes += next.bytes;
      queued_requests_ -= next.requests.size();
      queued_bytes_ -= next.bytes;
      batch.push_back(std::move(from.front().entry));
      from.pop_front();
    }
    return batch;
  }

  // Whoever was answered together asks again at about the same time, and the first of them must not
  // have a sync of its own while all others wait for it: a moment for half as many as last time.
  // One client alone never waits.
  void gather(std::unique_lock<std::mutex>& lock) {
    if (queued_requests_ == 0 || queued_requests_ * 2 >= last_requests_) return;
    const Time moment = std::min<Time>(last_took_ / kGatheringPart, kMostGathering);
    wake_.wait_for(lock, std::chrono::microseconds(moment),
                   [&] { return stopping_ || queued_requests_ >= last_requests_; });
  }

  // While one batch syncs the next one gathers.
  void write() {
    for (;;) {
      std::vector<Entry> batch;
      std::deque<Hands> hands;
      const std::optional<Time> due = shard_.next_wake();
      {
        std::unique_lock lock(mutex_);
        const auto something = [&] {
          return stopping_ || !freeing_.empty() || !others_.empty() || !hands_.empty();
        };
        if (due) {
          const Time wait = std::max<Time>(*due - options_.clock->monotonic(), 0);
          wake_.wait_for(lock, std::chrono::microseconds(std::min(wait, kMinute)), something);
        } else {
          wake_.wait(lock, something);
        }
        gather(lock);
        batch = next_batch();
        if (!hands_.empty()) {
          hands.push_back(std::move(hands_.front()));
          hands_.pop_front();
        }
        if (batch.empty() && hands.empty() && stopping_) return;
      }
      for (Hands& one : hands) change(std::move(one));
      write(std::move(batch));
    }
  }

  // One experiment is recovered, and then whoever has asked about others has a turn.
  void change(Hands hands) {
    if (!hands.leave.empty()) {
      shard_.let_go(hands.leave);
      attempt([&] { shared_->release(hands.leave); });
      hands.leave.clear();
    }
    if (!hands.take.empty()) {
      const ExperimentId next = hands.take.back();
      hands.take.pop_back();
      attempt([&] { take_over(next); });
    }
    note_hands();
    if (hands.take.empty()) {
      if (hands.done) hands.done();
      return;
    }
    const std::lock_guard lock(mutex_);
    hands_.push_front(std::move(hands));
  }
  void take_over(ExperimentId experiment) {
    // Who sees the list of owners may not have heard yet that it is here: just created, say.
    if (shared_->owns(experiment) || shared_->take({experiment}).empty()) return;
    try {
      shard_.adopt({experiment});
    } catch (const std::exception&) {
      shared_->release({experiment});  // another may have more luck
      throw;
    }
    ++taken_;
  }
  void leave_all() {
    const std::set<ExperimentId>& all = shared_->owned();
    change({{}, {all.begin(), all.end()}, {}});
  }
  // What cannot be done now is tried again by whoever wants it.
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const std::exception& failure) {
      if (options_.on_hands_trouble) options_.on_hands_trouble(failure.what());
    }
  }
  void note_hands() {
    if (shared_ == nullptr || changes_ == shared_->changes()) return;
    changes_ = shared_->changes();
    {
      const std::lock_guard lock(published_mutex_);
      owned_ = std::make_shared<const std::set<ExperimentId>>(shared_->owned());
      if (shared_->owns(kTokens))  // from now on they are what is known here
        tokens_ = std::make_shared<const std::vector<Token>>(shard_.tokens());
    }
    if (options_.on_hands_changed) options_.on_hands_changed();
  }

  void write(std::vector<Entry> batch) {
    std::vector<Request> requests;
    for (Entry& entry : batch)
      for (Request& request : entry.requests) requests.push_back(std::move(request));
    const std::uint64_t events_before = shard_.events();
    const Time begin = options_.clock->monotonic();
    std::vector<Answer> answers = shard_.process(requests);
    note_hands();
    const Time took = options_.clock->monotonic() - begin;
    last_requests_ = requests.size();
    last_took_ = took;
    note_batch(answers, shard_.events() - events_before, took);

    auto answer = answers.begin();
    for (Entry& entry : batch) {
      const auto end = answer + static_cast<std::ptrdiff_t>(entry.requests.size());
      entry.replies({std::make_move_iterator(answer), std::make_move_iterator(end)});
      entry.replies = nullptr;  // what hangs on it is nobody's any more
      answer = end;
    }
    shard_.tidy();
    wake_readers();
    if (shard_.broken() && !std::exchange(told_broken_, true) && options_.on_broken_store)
      options_.on_broken_store(shard_.trouble());
  }

  // Once a minute: from snapshot to snapshot, the log is replayed.
  void check() {
    const auto stopping = [&] {
      const std::lock_guard lock(mutex_);
      return stopping_;
    };
    const auto ours = [&](ExperimentId experiment) {
      const auto all = owned();
      return !all || all->contains(experiment);
    };
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (end_checks_.wait_for(lock, kCheckEvery, [&] { return stopping_; })) return;
      }
      for (const std::string& mismatch : replay_check_->pass(stopping, ours)) {
        if (options_.on_replay_mismatch) options_.on_replay_mismatch(mismatch);
        const std::lock_guard lock(published_mutex_);
        ++mismatches_;
        note_mismatches();
      }
    }
  }

  void note_batch(const std::vector<Answer>& answers, std::uint64_t events, Time took) {
    const std::uint64_t bytes = log_->bytes();
    const std::uint64_t ahead = log_->bytes_ahead();
    const std::lock_guard lock(published_mutex_);
    health_.store_bytes = bytes;
    health_.ahead_bytes = ahead;
    for (const Answer& answer : answers)
      health_.refusals += std::holds_alternative<Refusal>(answer) ? 1 : 0;
    if (events > 0) {
      ++health_.commits;
      count(health_.batch_sizes, events);
      count(health_.commit_times, static_cast<std::uint64_t>(took) / 100);
      health_.commit_seconds += static_cast<double>(took) / kSecond;
    }
    note_health();
    if (!log_->owns(kTokens)) return;  // others tell what they are (take_tokens)
    if (tokens_->size() != shard_.tokens().size() || tokens_changed(answers))
      tokens_ = std::make_shared<const std::vector<Token>>(shard_.tokens());
  }

  // A token may go as another comes.
  static bool tokens_changed(const std::vector<Answer>& answers) {
    return std::any_of(answers.begin(), answers.end(), [](const Answer& answer) {
      const auto* done = std::get_if<Done>(&answer);
      return done != nullptr && done->experiment.empty();
    });
  }

  void note_health() {
    health_.ready = !shard_.broken() && !shard_.behind();
    health_.trouble = shard_.behind() ? "the store cannot be read yet" : shard_.trouble();
    health_.events = shard_.events();
    health_.snapshots = shard_.snapshots();
    recovered_mismatches_ = shard_.replay_mismatches();
    note_mismatches();
    health_.quarantined = shard_.quarantined();
    health_.durability = log_->durability();
    health_.owned = shard_.size();
    health_.taken = taken_;
    health_.fenced = shard_.fenced();
  }

  void note_mismatches() { health_.replay_mismatches = recovered_mismatches_ + mismatches_; }

  void take(const std::shared_ptr<Summary>& summary) {
    {
      const std::lock_guard lock(published_mutex_);
      published_ = true;
      summary->number = ++summary_number_;
      summaries_[summary->facts.name] = summary;
    }
    if (options_.on_summary) options_.on_summary(summary);
  }

  void wake_readers() {
    std::function<void()> wake;
    {
      const std::lock_guard lock(published_mutex_);
      if (std::exchange(published_, false)) wake = on_publish_;
    }
    if (wake) wake();
  }

  const Options options_;

  // What has been published, for any thread. Before the shard: it publishes as it recovers.
  mutable std::mutex published_mutex_;
  std::map<std::string, std::shared_ptr<const Summary>> summaries_;
  Health health_;
  std::uint64_t recovered_mismatches_ = 0;  // at starts, and…
  std::uint64_t mismatches_ = 0;            // …while running
  std::function<void()> on_publish_;
  bool published_ = false;
  std::uint64_t summary_number_ = 0;
  std::shared_ptr<const std::set<ExperimentId>> owned_;

  // The writer's.
  std::unique_ptr<Log> log_;
  SharedLog* shared_;  // the same, if it is one
  std::uint64_t changes_ = 0;
  std::uint64_t taken_ = 0;
  Shard shard_;
  bool told_broken_ = false;
  std::uint64_t last_requests_ = 0;  // of the last batch
  Time last_took_ = 0;

  std::mutex replay_mutex_;
  std::atomic<bool> replays_end_ = false;

  std::mutex reader_mutex_;
  std::unique_ptr<LogReader> reader_;
  std::map<std::string, ExperimentId> ids_;
  std::shared_ptr<const std::vector<Token>> tokens_;  // published, too

  // The queue. Two lines with numbers from one counter.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Queued> freeing_;
  std::deque<Queued> others_;
  std::deque<Hands> hands_;
  std::uint64_t next_ = 0;
  std::uint64_t queued_requests_ = 0;
  std::uint64_t queued_bytes_ = 0;
  bool stopping_ = false;
  std::thread writer_;

  std::optional<ReplayCheck> replay_check_;
  std::condition_variable end_checks_;
  std::thread checker_;
};

Service::Service(std::unique_ptr<Log> log, Options options)
    : inside_(std::make_unique<Inside>(std::move(log), std::move(options))) {}
Service::~Service() = default;

void Service::submit(Request request, Reply reply) {
  std::vector<Request> one;
  one.push_back(std::move(request));
  inside_->submit_all(std::move(one), [reply = std::move(reply)](std::vector<Answer> answers) {
    reply(std::move(answers.front()));
  });
}

void Service::submit_all(std::vector<Request> requests, Replies replies) {
  inside_->submit_all(std::move(requests), std::move(replies));
}

Answer Service::ask(Request request) {
  std::promise<Answer> promise;
  std::future<Answer> answer = promise.get_future();
  submit(std::move(request), [&](Answer told) { promise.set_value(std::move(told)); });
  return answer.get();
}

std::shared_ptr<const Summary> Service::summary(const std::string& experiment) const {
  return inside_->summary(experiment);
}
std::vector<std::shared_ptr<const Summary>> Service::summaries() const {
  return inside_->summaries();
}
std::shared_ptr<const std::vector<Token>> Service::tokens() const { return inside_->tokens(); }
Health Service::health() const { return inside_->health(); }
void Service::on_publish(std::function<void()> wake) { inside_->on_publish(std::move(wake)); }

std::vector<Event> Service::events(const std::string& experiment, Sequence from,
                                   std::size_t most) const {
  return inside_->read(experiment, [&](LogReader& reader, const StoredExperiment& stored) {
    std::vector<Event> events;
    reader.walk(stored.id, from, from + most, [&](const Event& event) { events.push_back(event); });
    return events;
  });
}

std::vector<std::shared_ptr<const Epoch>> Service::epochs(const std::string& experiment) const {
  return inside_->read(experiment, [](LogReader& reader, const StoredExperiment& stored) {
    return reader.epochs(stored.id);
  });
}

Service::Propensity Service::propensity(const std::string& experiment, const std::string& decision,
                                        std::uint64_t draws) const {
  return inside_->propensity(experiment, decision, draws);
}

std::unique_ptr<LogReader> Service::reader() const { return inside_->reader(); }

void Service::change_hands(std::vector<ExperimentId> take, std::vector<ExperimentId> leave,
                           std::function<void()> done) {
  inside_->change_hands({std::move(take), std::move(leave), std::move(done)});
}
std::shared_ptr<const std::set<ExperimentId>> Service::owned() const { return inside_->owned(); }
void Service::show(ExperimentId experiment, Summary summary) {
  inside_->show(experiment, std::move(summary));
}
void Service::take_tokens(std::vector<Token> tokens) { inside_->take_tokens(std::move(tokens)); }

void Service::stop() { inside_->stop(); }

}  // namespace armature::service
