#include "service/http/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "armature/version.h"
#include "base/text.h"
#include "service/experiment.h"
#include "service/export.h"
#include "service/http/complaint.h"
#include "service/http/json_text.h"
#include "service/http/page.h"
#include "service/http/views.h"
#include "service/stoppable_reader.h"

namespace armature::service::http {
namespace {

constexpr std::size_t kLongestKey = 128;
constexpr int kMostPreparations = 10;  // each has only what came while the last one was made
constexpr std::size_t kManyCells = 10'000;
constexpr Sequence kTail = 200;                     // events at the end of a log that are no export
constexpr std::uint64_t kPropensityDraws = 10'000;  // a standard error of 0.005 at most

// A stream that is counted while it lives, and lives while its token does.
class Counted final : public Pieces {
 public:
  /// Throws HttpRefusal if there are as many as may be.
  Counted(std::atomic<std::uint64_t>& count, std::uint64_t most) : count_(count) {
    if (count_.fetch_add(1) >= most) {
      count_.fetch_sub(1);
      throw HttpRefusal(
          503, "busy",
          {"", "stream", fmt::format("{} at work", most), "the same again, a little later"});
    }
  }
  ~Counted() override { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  /// What is not allowed any more breaks off; without the question it ends by itself.
  void hold(std::shared_ptr<Pieces> inner, std::function<bool()> allowed = {}) {
    inner_ = std::move(inner);
    allowed_ = std::move(allowed);
  }
  void take_seat(std::shared_ptr<void> seat) { seat_ = std::move(seat); }
  void next(Ready ready) override {
    if (allowed_ && !allowed_()) return ready({Piece::Kind::kBroken});
    inner_->next(std::move(ready));
  }

 private:
  std::atomic<std::uint64_t>& count_;
  std::shared_ptr<void> seat_;
  std::shared_ptr<Pieces> inner_;
  std::function<bool()> allowed_;
};

class ExportPieces final : public Pieces, public std::enable_shared_from_this<ExportPieces> {
 public:
  ExportPieces(std::unique_ptr<LogExport> log, std::function<void(std::function<void()>)> aside)
      : log_(std::move(log)), aside_(std::move(aside)) {}

  void next(Ready ready) override {
    aside_([self = shared_from_this(), ready = std::move(ready)] {
      std::string text;
      try {
        if (!self->log_->next(text)) return ready({Piece::Kind::kEnd});
      } catch (const std::exception&) {
        return ready({Piece::Kind::kBroken});
      }
      // An empty piece would read as the end. Others have their turn before it is looked further.
      if (text.empty()) return self->next(ready);
      ready({Piece::Kind::kMore, std::make_shared<const std::string>(std::move(text))});
    });
  }

 private:
  std::unique_ptr<LogExport> log_;
  std::function<void(std::function<void()>)> aside_;
};

// A snapshot as its digits, a piece at a time: all at once would be four times as much.
class SnapshotPieces final : public Pieces, public std::enable_shared_from_this<SnapshotPieces> {
 public:
  SnapshotPieces(const std::string& experiment, Snapshot snapshot, Budget::Share share,
                 std::function<void(std::function<void()>)> aside)
      : head_(snapshot_head(experiment, snapshot)),
        state_(std::move(snapshot.state)),
        share_(std::move(share)),
        aside_(std::move(aside)) {}

  void next(Ready ready) override {
    aside_([self = shared_from_this(), ready = std::move(ready)] { ready(self->piece()); });
  }

 private:
  Piece piece() {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    if (ended_) return {Piece::Kind::kEnd};
    std::string text = std::exchange(head_, "");
    const std::size_t end = std::min(state_.size(), at_ + kPiece);
    for (; at_ < end; ++at_) {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(state_[at_]);
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    if (at_ == state_.size()) {
      text += "\"}";
      ended_ = true;
    }
    return {Piece::Kind::kMore, std::make_shared<const std::string>(std::move(text))};
  }

  std::string head_;
  std::string state_;
  Budget::Share share_;
  std::function<void(std::function<void()>)> aside_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

// In the header or in the body; not two that differ.
std::string key_of(const HttpRequest& request, const FieldValues& fields) {
  const bool in_body = fields.has("key");
  const std::string in_header = request.idempotency_key.value_or("");
  std::string key = in_body ? fields.text("key") : in_header;
  const char* field = in_body ? "key" : "Idempotency-Key";
  if (in_body && request.idempotency_key && in_header != key)
    throw Error({"", "key", "'" + key + "'", "what the header Idempotency-Key says"});
  if ((in_body || request.idempotency_key) && key.empty())
    throw Error({"", field, "an empty text", "a key, or none"});
  if (key.size() > kLongestKey)
    throw Error({"", field, fmt::format("{} bytes", key.size()),
                 fmt::format("at most {} bytes", kLongestKey)});
  return key;
}

std::string results_text(const std::vector<Answer>& answers) {
  std::string text = "{\"results\":[";
  for (const Answer& answer : answers) {
    if (!text.ends_with('[')) text += ',';
    text += batch_item(answer);
  }
  return text + "]}";
}

bool is_not_here(const Answer& answer) {
  const auto* refusal = std::get_if<Refusal>(&answer);
  return refusal != nullptr && refusal->kind() == RefusalKind::kNotHere;
}

// Who changes the course of an experiment is told of.
bool changes_course(const Route& route) {
  return route.role == Role::kAdmin && std::string_view(route.method) != "GET";
}

std::string path_of(const HttpRequest& request) {
  return request.target.substr(0, request.target.find('?'));
}

}  // namespace

// Who has how much of something: what one token, or one experiment, takes leaves room for others.
class Seats : public std::enable_shared_from_this<Seats> {
 public:
  explicit Seats(const char* what) : what_(what) {}
  /// Held while it is used. Throws HttpRefusal.
  std::shared_ptr<void> take(const std::string& who, std::uint64_t amount, std::uint64_t most) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& taken = taken_[who];
    if (taken + amount > most) {
      if (taken == 0) taken_.erase(who);
      throw HttpRefusal(503, "busy",
                        {"", what_, fmt::format("{} at work, {} more", taken, amount),
                         fmt::format("at most {}; the same again, a little later", most)});
    }
    taken += amount;
    return {nullptr, [self = shared_from_this(), who, amount](void*) {
              const std::lock_guard freeing(self->mutex_);
              if ((self->taken_[who] -= amount) == 0) self->taken_.erase(who);
            }};
  }

 private:
  const char* what_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> taken_;
};

Api::Api(Service& service, RequestCounts& counts, Options options)
    : service_(service),
      counts_(counts),
      options_(std::move(options)),
      guard_(service, options_.guard),
      live_(std::make_shared<Live>(service, counts.answers, options_.aside)),
      export_seats_(std::make_shared<Seats>("stream")),
      live_seats_(std::make_shared<Seats>("stream")),
      body_seats_(std::make_shared<Seats>("body")),
      long_seats_(std::make_shared<Seats>("long request")),
      change_seats_(std::make_shared<Seats>("change that is being prepared")) {
  if (options_.places != nullptr)
    forwarder_ = std::make_shared<Forwarder>(service, *options_.places, *options_.peers, counts,
                                             options_.journal);
}

Api::Welcome Api::welcome_body(const HttpRequest& head, std::uint64_t bytes) {
  Welcome welcome;
  try {
    const Caller caller = guard_.identify(head, match_route(head.method, head.target).route->role);
    // First of all, so that one token's do not take the room of others.
    if (caller.token)
      welcome.seat =
          body_seats_->take(caller.token->hash, bytes, std::max(counts_.bodies.most / 4, bytes));
    welcome.share = counts_.bodies.take(bytes);
    if (!welcome.share)
      throw HttpRefusal(503, "busy", {"", "body", "more than there is room for", "a little later"});
  } catch (const std::exception& error) {
    welcome.seat.reset();
    welcome.refusal = complain(error);
  }
  return welcome;
}

void Api::refused(const HttpRequest& head, HttpReply& reply) {
  const std::uint64_t number = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
  reply.headers.emplace_back("X-Request-Id", std::to_string(number));
  counts_.count(nullptr, reply.status);
  if (options_.journal != nullptr && options_.journal->tells_of(true))
    options_.journal->answered(
        {head.method, path_of(head), reply.status, 0, true, number, complaint_kind(reply), ""});
}

std::function<bool()> Api::allowed(const Call& call) const {
  return [this, caller = call.caller] { return guard_.still_admits(caller); };
}

void Api::begin_stop() {
  stopping_ = true;
  live_->stop();
}

void Api::handle(HttpRequest request, Done done) {
  Call call{std::move(request), {}, {}, {}};
  const Time begin = options_.guard.clock->monotonic();
  const std::uint64_t number = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Every way a request ends leads through here.
  const auto finish = [this, begin, number, method = call.request.method,
                       path = path_of(call.request), done = std::move(done)](
                          const Route* route, const std::string& who, HttpReply reply) {
    counts_.count(route, reply.status);
    const bool notable = reply.status >= 400 || (route != nullptr && changes_course(*route));
    if (options_.journal != nullptr && options_.journal->tells_of(notable))
      options_.journal->answered({method, path, reply.status,
                                  options_.guard.clock->monotonic() - begin, notable, number,
                                  complaint_kind(reply), who});
    reply.headers.emplace_back("X-Request-Id", std::to_string(number));
    done(std::move(reply));
  };
  std::string who;
  try {
    call.match = match_route(call.request.method, call.request.target);
    const Route* route = call.match.route;
    call.caller = guard_.admit(call.request, route->role);
    if (call.caller.token) who = call.caller.token->name;
    call.done = [finish, route, who](HttpReply reply) { finish(route, who, std::move(reply)); };
    if (!forwarder_ || route->where == Where::kAnywhere) return carry_out(call);
    bring(call);
  } catch (const std::exception& error) {
    finish(call.match.route, who, complain(error));
  }
}

HttpReply Api::complain(const std::exception& error) const {
  const Complaint complaint = complaint_about(error);
  HttpReply reply = complaint_reply(complaint);
  if (complaint.status == 405) reply.headers.emplace_back("Allow", complaint.report.expected);
  if (complaint.ours() && options_.journal != nullptr)
    options_.journal->note("mistake", error.what());
  return reply;
}

void Api::end_forwarding() {
  if (forwarder_) forwarder_->stop();
}

// Most of what is asked is this node's: it is done at once, as if there were no others.
void Api::bring(Call& call) {
  const Where where = call.match.route->where;
  const std::string name = where == Where::kCreator
                               ? read_creation(call.request.body, "").facts.name
                               : call.experiment();
  if (where == Where::kShown && service_.summary(name)) return carry_out(call);
  if ((where == Where::kShown || where == Where::kOwner) && forwarder_->hidden(call.caller, name))
    return carry_out(call);
  const Place place = forwarder_->place_of(where, name);
  if (place.kind == Place::Kind::kHere && where != Where::kShown)
    return carry_out_at(call, place, name);
  const auto held = std::make_shared<Call>(std::move(call));
  auto errand = std::make_shared<Errand>();
  errand->request = {held, &held->request};
  errand->route = held->match.route;
  errand->experiment = name;
  errand->caller = held->caller;
  errand->done = [held](HttpReply reply) { held->done(std::move(reply)); };
  errand->here = [this, held, name](const Place& found) {
    const Done done = held->done;
    try {
      carry_out_at(*held, found, name);
    } catch (const std::exception& error) {
      done(complain(error));
    }
  };
  forwarder_->bring(std::move(errand));
}

// Who was answered something by the owner is told who that is.
void Api::carry_out_at(Call& call, const Place& place, const std::string& name) {
  const Where where = call.match.route->where;
  call.unknown = place.kind == Place::Kind::kUnknown;
  if (!call.unknown && (where == Where::kOwner || where == Where::kCreator))
    call.done = [this, done = std::move(call.done), caller = call.caller, name,
                 url = place.url](HttpReply reply) {
      if (complaint_kind(reply) != "not-here" && forwarder_->may_learn_owner(caller, name, reply))
        reply.headers.emplace_back(kOwnerHeader, url);
      done(std::move(reply));
    };
  try {
    carry_out(call);
  } catch (const std::exception& error) {
    if (!call.done) throw;
    call.done(complain(error));
  }
}

// Whatever is thrown here is thrown before the service was asked.
void Api::carry_out(Call& call) {
  if (call.match.route->query.empty() && !call.match.query.empty()) call.query();
  switch (call.match.route->verb) {
    case Verb::kCreate:
      return create(call);
    case Verb::kList:
      return list(call);
    case Verb::kShow:
      return show(call);
    case Verb::kDecide:
      return decide(call);
    case Verb::kDecideBatch:
      return decide_batch(call);
    case Verb::kOutcome:
      return outcome(call);
    case Verb::kOutcomeBatch:
      return outcome_batch(call);
    case Verb::kForget:
      call.fields();
      return submit(call, Forget{call.experiment(), call.match.item});
    case Verb::kLook:
      return look(call);
    case Verb::kPause:
      return submit(call, Pause{call.experiment(), call.fields().text("reason")});
    case Verb::kResume:
      return submit(call, Resume{call.experiment(), call.fields().text("reason")});
    case Verb::kFinish:
      return submit(call, Finish{call.experiment(), call.fields().text("reason")});
    case Verb::kEpoch:
      return epoch(call);
    case Verb::kAmend:
      return amend(call);
    case Verb::kShadows:
      return call.reply(shadows_view(*summary(call)));
    case Verb::kAddShadow:
      return submit_taught(call, AddShadow{call.experiment(), call.fields().text("policy")});
    case Verb::kRemoveShadow:
      return submit(call, RemoveShadow{call.experiment(), call.query().text("policy")});
    case Verb::kLog:
      return export_log(call);
    case Verb::kSnapshot:
      return snapshot(call);
    case Verb::kLive:
      return follow(call);
    case Verb::kTokens:
      return tokens(call);
    case Verb::kAddToken:
      return add_token(call);
    case Verb::kRemoveToken:
      return remove_token(call);
    case Verb::kPage:
      return call.done({200,
                        "text/html; charset=utf-8",
                        live_page().html,
                        {{"Content-Security-Policy", live_page().content_policy},
                         {"Referrer-Policy", "no-referrer"}}});
    case Verb::kOpenApi:
      return call.reply(openapi_document());
    case Verb::kMetrics:
      return call.done(
          {200, "text/plain; version=0.0.4; charset=utf-8",
           metrics_text(service_, counts_, options_.guard.clock->wall(), call.caller)});
    case Verb::kHealth:
      return call.done({200, "text/plain; charset=utf-8", "alive\n"});
    case Verb::kReady:
      return ready(call);
    case Verb::kVersion:
      return call.reply(std::move(JsonObject()
                                      .text("program", "armature")
                                      .text("version", version())
                                      .text("build", this_build()))
                            .end());
  }
}

// --- Whom it is about ----------------------------------------------------------------------------

std::shared_ptr<const Summary> Api::summary(const Call& call) const {
  auto found = service_.summary(call.experiment());
  // Who may not see it is told what somebody is told who asks for one that is not there.
  if (call.unknown || !found || !call.caller.may_see(found->facts))
    throw Refusal(RefusalKind::kNoExperiment,
                  {"", "experiment", "'" + call.experiment() + "'", "one that was created"});
  return found;
}

void Api::require_scope(const Call& call) const {
  if (call.unknown || !call.caller.unlimited()) summary(call);
}

void Api::submit(Call& call, Request request) {
  if (!call.experiment().empty()) require_scope(call);
  service_.submit(std::move(request),
                  [done = std::move(call.done)](const Answer& answer) { done(reply_to(answer)); });
}

// Work as long as the log is: few at a time, few of one token, and not when the service stops.
void Api::run_long(const Caller& caller, std::function<void()> work) {
  std::shared_ptr<void> seat;
  if (caller.token) seat = long_seats_->take(caller.token->hash, 1, options_.most_long_each);
  if (!options_.long_aside([seat, work = std::move(work)] { work(); }))
    throw HttpRefusal(
        503, "busy", {"", "long request", "as many as may wait", "the same again, a little later"});
}

std::unique_ptr<LogReader> Api::stoppable_reader() const {
  return std::make_unique<StoppableReader>(service_.reader(), stopping_);
}

// Whoever learns all that the log has does so aside; the writer only teaches what has come since,
// and if that is too much (another change came in between) it is prepared again. One change of an
// experiment at a time.
void Api::submit_taught(Call& call, Request request) {
  require_scope(call);
  auto seat = change_seats_->take(call.experiment(), 1, 1);
  auto change = std::make_shared<Change>();
  change->request = std::move(request);
  change->done = std::move(call.done);
  change->caller = call.caller;
  change->seat = std::move(seat);
  try {
    run_long(call.caller, [this, change] { prepare_change(change); });
  } catch (...) {
    call.done = std::move(change->done);
    throw;
  }
}

void Api::prepare_change(const std::shared_ptr<Change>& change) {
  // Whoever is answered may ask for the next change: the seat is free before it hears of this one.
  const auto finish = [change](HttpReply reply) {
    change->seat.reset();
    change->done(std::move(reply));
  };
  try {
    prepare(change->request, *stoppable_reader());
  } catch (const std::exception& error) {
    return finish(complain(error));
  }
  service_.submit(change->request, [this, change, finish](const Answer& answer) {
    const auto* refusal = std::get_if<Refusal>(&answer);
    if (refusal == nullptr || refusal->kind() != RefusalKind::kUnprepared ||
        ++change->tries >= kMostPreparations)
      return finish(reply_to(answer));
    try {
      run_long(change->caller, [this, change] { prepare_change(change); });
    } catch (const std::exception& error) {
      finish(complain(error));
    }
  });
}

void Api::submit_all(Call& call, std::vector<Request> requests) {
  require_scope(call);
  if (requests.empty()) return call.reply(results_text({}));
  service_.submit_all(
      std::move(requests), [done = std::move(call.done)](const std::vector<Answer>& answers) {
        // Turned away whole: the client's next step is the same for all of them.
        const auto* first = std::get_if<Refusal>(&answers.front());
        if (first != nullptr &&
            (first->kind() == RefusalKind::kBusy || first->kind() == RefusalKind::kStopping ||
             std::all_of(answers.begin(), answers.end(), is_not_here)))
          return done(complaint_reply(complaint_about(*first)));
        done({200, "application/json", results_text(answers)});
      });
}

// --- Experiments ---------------------------------------------------------------------------------

void Api::create(Call& call) {
  Creation creation = read_creation(call.request.body, "");
  if (call.caller.token && creation.facts.tenant.empty())
    creation.facts.tenant = call.caller.token->tenant;
  if (!call.caller.may_create(creation.facts.name, creation.facts.tenant))
    throw HttpRefusal(403, "forbidden",
                      {"", "name", "'" + creation.facts.name + "'",
                       "an experiment and a tenant that the token is for"});
  submit(call, Create{std::move(creation)});
}

void Api::list(Call& call) {
  std::string text = "{\"experiments\":[";
  for (const auto& one : service_.summaries()) {
    if (!call.caller.may_see(one->facts)) continue;
    if (!text.ends_with('[')) text += ',';
    text += experiment_line(*one);
  }
  call.reply(text + "]}");
}

// With many cells it takes a while to write: no connection is kept waiting meanwhile.
void Api::show(Call& call) {
  auto found = summary(call);
  if (found->actions.size() * found->contexts.size() < kManyCells)
    return call.reply(experiment_view(*found));
  options_.aside([done = std::move(call.done), found = std::move(found)] {
    done({200, "application/json", experiment_view(*found)});
  });
}

void Api::epoch(Call& call) {
  const FieldValues fields = call.fields();
  OpenEpoch request;
  request.experiment = call.experiment();
  if (fields.has("problem")) request.problem = read_experiment_problem(fields.text("problem"));
  if (fields.has("policy")) request.policy = fields.text("policy");
  const std::string start = fields.has("start") ? fields.text("start") : "replay";
  if (start != "replay" && start != "fresh" && start != "since")
    throw Error({"", "start", "'" + start + "'", "replay, fresh or since"});
  request.start = start == "fresh"   ? Start::kFresh
                  : start == "since" ? Start::kSince
                                     : Start::kReplay;
  if (fields.has("since") != (start == "since"))
    throw Error({"", "since", fields.has("since") ? "a seq" : "nothing",
                 "a seq with start=since, and only there"});
  request.since = fields.at("since").whole;
  request.reason = fields.text("reason");
  submit_taught(call, std::move(request));
}

void Api::amend(Call& call) {
  const FieldValues fields = call.fields();
  const bool corrects = fields.has("context") || fields.has("reward");
  if (corrects == fields.at("withdraw").flag)
    throw Error({"", "withdraw", corrects ? "true beside a correction" : "nothing",
                 "true, or what context and reward should have been"});
  submit(call, Amend{call.experiment(), fields.text("decision"), fields.named("context"),
                     fields.number("reward"), fields.text("reason")});
}

// --- Decisions -----------------------------------------------------------------------------------

Decide Api::decide_of(const Call& call, const FieldValues& fields) {
  return {call.experiment(), key_of(call.request, fields), fields.text("about"),
          fields.named("action"), fields.number("propensity")};
}

void Api::decide(Call& call) {
  const FieldValues fields = call.fields();
  submit(call, decide_of(call, fields));
}

void Api::decide_batch(Call& call) {
  if (call.request.idempotency_key)
    throw Error({"", "Idempotency-Key", "one for a batch", "a key in each item"});
  const FieldValues fields = call.fields();
  std::vector<Request> requests;
  for (const FieldValues& item : fields.items("decides")) requests.push_back(decide_of(call, item));
  submit_all(call, std::move(requests));
}

void Api::outcome(Call& call) {
  const FieldValues fields = call.fields();
  submit(call, Report{call.experiment(), call.match.item, fields.named("context"),
                      fields.number("reward")});
}

void Api::outcome_batch(Call& call) {
  const FieldValues fields = call.fields();
  std::vector<Request> requests;
  for (const FieldValues& item : fields.items("outcomes")) {
    if (!item.at("forget").flag) {
      requests.push_back(Report{call.experiment(), item.text("decision"), item.named("context"),
                                item.number("reward")});
      continue;
    }
    if (item.has("context") || item.has("reward"))
      throw Error({"", fmt::format("outcomes[{}].forget", requests.size()),
                   "true beside an outcome", "one of the two"});
    requests.push_back(Forget{call.experiment(), item.text("decision")});
  }
  submit_all(call, std::move(requests));
}

// An exact propensity takes as long as a replay does: it is found aside, and put into the answer.
void Api::look(Call& call) {
  const FieldValues query = call.query();
  Look request{call.experiment(), call.match.item};
  if (!query.has("propensity")) return submit(call, std::move(request));
  if (query.text("propensity") != "exact")
    throw Error({"", "propensity", "'" + query.text("propensity") + "'", "exact"});
  require_scope(call);
  service_.submit(request, [this, done = std::move(call.done), caller = call.caller,
                            request](const Answer& answer) {
    const auto* view = std::get_if<DecisionView>(&answer);
    if (view == nullptr || view->propensity) return done(reply_to(answer));
    const auto find = [this, done, request, found_so_far = reply_to(answer)] {
      HttpReply reply = found_so_far;
      try {
        const Service::Propensity found =
            service_.propensity(request.experiment, request.decision, kPropensityDraws);
        reply.body.pop_back();
        reply.body += fmt::format(",\"propensity\":{},\"propensity_error\":{}}}", found.probability,
                                  found.error);
      } catch (const std::exception& error) {
        reply = complain(error);
      }
      done(std::move(reply));
    };
    try {
      run_long(caller, find);
    } catch (const std::exception& error) {
      done(complain(error));
    }
  });
}

// --- Tokens --------------------------------------------------------------------------------------

namespace {

void require_unlimited(const Caller& caller) {
  if (!caller.unlimited())
    throw HttpRefusal(403, "forbidden",
                      {"", "Authorization", "a token for some experiments", "one for all of them"});
}

}  // namespace

void Api::tokens(Call& call) {
  require_unlimited(call.caller);
  std::string text = "{\"tokens\":[";
  for (const Token& token : *service_.tokens()) {
    if (!text.ends_with('[')) text += ',';
    text += token_view(token);
  }
  call.reply(text + "]}");
}

void Api::add_token(Call& call) {
  require_unlimited(call.caller);
  const FieldValues fields = call.fields();
  const Time now = options_.guard.clock->wall();
  Token token;
  token.name = fields.text("name");
  token.tenant = fields.text("tenant");
  token.roles = fields.at("roles").texts;
  token.experiments = fields.at("experiments").texts;
  token.created = now;
  if (fields.has("expires")) {
    const std::optional<Time> lasts = parse_duration(fields.text("expires"), "expires");
    if (lasts) token.expires = now + *lasts;
  }
  check_token(token);
  const auto there = service_.tokens();
  for (const Token& other : *there)
    if (other.name == token.name)
      throw HttpRefusal(409, "conflict", {"", "name", "'" + token.name + "'", "a new name"});
  // From the first token on nobody gets in without one: it must be able to make others.
  if (there->empty() && !rules_all(token))
    throw Error({"", "roles", join(token.roles, ", "),
                 "admin, for all experiments and without an end, in the first token"});
  const std::string secret = new_secret();
  token.hash = secret_hash(secret);
  service_.submit(AddToken{token},
                  [done = std::move(call.done), token, secret](const Answer& answer) {
                    if (std::holds_alternative<Refusal>(answer)) return done(reply_to(answer));
                    std::string text = token_view(token);
                    text.pop_back();
                    text += ",\"token\":";
                    append_json_text(text, secret);
                    done({201, "application/json", text + "}"});
                  });
}

void Api::remove_token(Call& call) {
  require_unlimited(call.caller);
  const auto there = service_.tokens();
  const auto found = std::find_if(there->begin(), there->end(), [&](const Token& token) {
    return token_id(token) == call.match.item;
  });
  if (found == there->end())
    throw HttpRefusal(404, "no-token",
                      {"", "token", "'" + call.match.item + "'", "an id that /v1/tokens lists"});
  submit(call, RemoveToken{found->hash});
}

// --- Streams, and what else is read --------------------------------------------------------------

void Api::export_log(Call& call) {
  const FieldValues query = call.query();
  const ExportFormat format =
      export_format_named(query.has("format") ? query.text("format") : "jsonl", "format");
  const Sequence from = query.at("from").whole;
  // A page's look at the end of the log waits for no download.
  if (summary(call)->seq < from + kTail) return export_tail(call, format, from);
  auto counted = std::make_shared<Counted>(counts_.exports, options_.most_exports);
  if (const auto& token = call.caller.token)
    counted->take_seat(export_seats_->take(token->hash, 1, options_.most_exports_each));
  // Opening waits for the disk, too.
  options_.aside([this, done = std::move(call.done), counted, format, from,
                  experiment = call.experiment(), allowed = allowed(call)] {
    try {
      counted->hold(std::make_shared<ExportPieces>(
                        std::make_unique<LogExport>(options_.open_log(), experiment, format, from),
                        options_.aside),
                    allowed);
      done({200, media_type(format), "", {}, counted});
    } catch (const std::exception& error) {
      done(complain(error));
    }
  });
}

// So short that it is one answer, and the log is not held open for a slow reader.
void Api::export_tail(Call& call, ExportFormat format, Sequence from) {
  options_.aside([this, done = std::move(call.done), format, from, experiment = call.experiment()] {
    try {
      LogExport log(options_.open_log(), experiment, format, from);
      std::string text;
      while (log.next(text)) continue;
      done({200, media_type(format), std::move(text)});
    } catch (const std::exception& error) {
      done(complain(error));
    }
  });
}

void Api::snapshot(Call& call) {
  summary(call);
  auto counted = std::make_shared<Counted>(counts_.exports, options_.most_exports);
  if (const auto& token = call.caller.token)
    counted->take_seat(export_seats_->take(token->hash, 1, options_.most_exports_each));
  auto done = std::make_shared<Done>(std::move(call.done));
  const auto work = [this, done, counted, experiment = call.experiment(), allowed = allowed(call)] {
    try {
      const auto log = stoppable_reader();
      for (const StoredExperiment& one : log->experiments()) {
        if (one.facts.name != experiment) continue;
        const std::vector<Sequence> kept = log->snapshots(one.id);
        auto newest = kept.empty() ? std::nullopt : log->snapshot(one.id, kept.front());
        if (!newest) break;
        if (newest->state.size() > counts_.answers.most)
          throw HttpRefusal(413, "too-large",
                            {"", "snapshot", fmt::format("{} bytes", newest->state.size()),
                             "a smaller one, or a copy of the store: armature service backup"});
        Budget::Share share = counts_.answers.take(newest->state.size());
        if (!share)
          throw HttpRefusal(503, "busy",
                            {"", "snapshot", "more than there is room for", "a little later"});
        counted->hold(std::make_shared<SnapshotPieces>(experiment, std::move(*newest),
                                                       std::move(share), options_.aside),
                      allowed);
        return (*done)({200, "application/json", "", {}, counted});
      }
      throw HttpRefusal(404, "no-snapshot", {"", "snapshot", "none yet", "one, a little later"});
    } catch (const std::exception& error) {
      (*done)(complain(error));
    }
  };
  try {
    run_long(call.caller, work);
  } catch (...) {
    call.done = std::move(*done);
    throw;
  }
}

void Api::follow(Call& call) {
  summary(call);
  const std::string& id = call.request.last_event_id;
  const std::optional<std::uint64_t> last = live_->number_in(id);
  if (!last) throw Error({"", "Last-Event-ID", "'" + id + "'", "the id of an earlier message"});
  auto counted = std::make_shared<Counted>(counts_.live, options_.most_live);
  if (const auto& token = call.caller.token)
    counted->take_seat(live_seats_->take(token->hash, 1, options_.most_live_each));
  counted->hold(live_->follow(call.experiment(), *last, allowed(call)));
  call.done({200, "text/event-stream", "", {}, counted});
}

void Api::ready(Call& call) {
  const Health health = service_.health();
  const std::string alone = options_.node_trouble ? options_.node_trouble() : "";
  const bool good = health.ready && alone.empty() && !stopping_;
  JsonObject json;
  json.flag("ready", good);
  if (!good) json.text("trouble", stopping_ ? "stopping" : health.ready ? alone : health.trouble);
  if (!options_.node.empty()) json.text("node", options_.node);
  json.text("durability", health.durability);
  std::string quarantined = "[";
  for (const std::string& name : health.quarantined) {
    if (quarantined.size() > 1) quarantined += ',';
    append_json_text(quarantined, name);
  }
  json.json("quarantined", quarantined + "]");
  call.done({good ? 200 : 503, "application/json", std::move(json).end()});
}

}  // namespace armature::service::http
