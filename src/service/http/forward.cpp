#include "service/http/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "service/http/complaint.h"

namespace armature::service::http {
namespace {

constexpr std::size_t kEachBytes = 1'024;  // of a request beside its body, for the budget
constexpr const char* kLater = "the same again, a little later";

// Asked twice it does what it did when asked once, and says so. A decide does with a key: another
// one in its body is not looked for here, and such a decide is simply not repeated.
bool may_be_repeated(const Route& route, const HttpRequest& request) {
  switch (route.verb) {
    case Verb::kOutcome:
    case Verb::kOutcomeBatch:
    case Verb::kForget:
    case Verb::kLook:
      return true;
    case Verb::kDecide:
      return request.idempotency_key && !request.idempotency_key->empty();
    default:
      return false;
  }
}

// One commit of the writer's, or one look at what it has in memory.
bool is_short(const Route& route, const HttpRequest& request) {
  switch (route.verb) {
    case Verb::kDecide:
    case Verb::kDecideBatch:
    case Verb::kOutcome:
    case Verb::kOutcomeBatch:
    case Verb::kForget:
      return true;
    case Verb::kLook:
      return request.target.find('?') == std::string::npos;  // an exact propensity is a replay
    default:
      return false;
  }
}

// It says that it is not the one, and has done nothing.
bool turns_away(const HttpReply& reply) {
  const std::string kind = complaint_kind(reply);
  return (reply.status == 503 && (kind == "not-here" || kind == "stopping")) ||
         (reply.status == 403 && kind == "peer");
}

std::string shown_name(const Errand& errand) {
  return errand.route->where == Where::kTokens ? "tokens" : "'" + errand.experiment + "'";
}

}  // namespace

Place Forwarder::place_of(Where where, const std::string& experiment) const {
  switch (where) {
    case Where::kAnywhere:
      return {Place::Kind::kHere};
    case Where::kShown:
    case Where::kOwner:
      return places_.of_experiment(experiment);
    case Where::kCreator: {
      Place place = places_.of_experiment(experiment);
      return place.kind == Place::Kind::kUnknown ? places_.of_new(experiment) : place;
    }
    case Where::kTokens:
      return places_.of_tokens();
  }
  return {};
}

bool Forwarder::may_learn_owner(const Caller& caller, const std::string& experiment,
                                const HttpReply& reply) const {
  if (caller.unlimited() || reply.status < 300) return true;
  const auto summary = service_.summary(experiment);
  return summary && caller.may_see(summary->facts);
}

bool Forwarder::hidden(const Caller& caller, const std::string& experiment) const {
  if (caller.unlimited()) return false;
  if (const auto summary = service_.summary(experiment)) return !caller.may_see(summary->facts);
  return !caller.may_create(experiment, caller.token->tenant);  // whatever its tenant is
}

void Forwarder::bring(Held errand) {
  const Where where = errand->route->where;
  const Place place = place_of(where, errand->experiment);
  if (where == Where::kShown) {
    if (service_.summary(errand->experiment)) return errand->here({Place::Kind::kHere});
    if (!std::exchange(errand->looked, true)) return look(errand);
    if (place.kind == Place::Kind::kUnknown) return errand->here(place);
    return refuse(errand, place, "not shown here yet");
  }
  switch (place.kind) {
    case Place::Kind::kHere:
      return errand->here(place);
    case Place::Kind::kUnknown:
      if (!errand->asked.empty()) return give_up(errand, place);
      if (!std::exchange(errand->looked, true)) return look(errand);
      // Who asked for somebody has heard of it.
      if (errand->caller.by_peer) return refuse(errand, place, "not this node's");
      return errand->here(place);
    case Place::Kind::kNobody:
      return refuse(errand, place, "changing hands");
    case Place::Kind::kPeer:
      if (errand->caller.by_peer) return refuse(errand, place, "not this node's");
      if (errand->asked == place.url) return give_up(errand, place);
      return ask(errand, place);
  }
}

// What waits stands here, not with Places: those may keep what they were given for longer than
// there is anybody to answer to.
void Forwarder::look(const Held& errand) {
  Budget::Share share = room_.take(kEachBytes + errand->request->body.size());
  if (!share) return refuse_busy(errand, "more wait for the store than there is room for");
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      number = ++looks_;
      looking_.emplace(number, Looking{errand, std::move(share)});
    }
  }
  if (number == 0) return give_up(errand, {});
  places_.look_again([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->looked(number);
  });
}

void Forwarder::looked(std::uint64_t number) {
  Held errand;
  {
    const std::lock_guard lock(mutex_);
    const auto found = looking_.find(number);
    if (found == looking_.end()) return;
    errand = std::move(found->second.errand);
    looking_.erase(found);
    ++running_;
  }
  bring(std::move(errand));
  const std::lock_guard lock(mutex_);
  --running_;
  idle_.notify_all();
}

void Forwarder::stop() {
  std::map<std::uint64_t, Looking> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting.swap(looking_);
  }
  for (const auto& [number, one] : waiting) give_up(one.errand, {});
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return running_ == 0; });
}

void Forwarder::ask(const Held& errand, const Place& place) {
  errand->asked = place.url;
  errand->turned_away.reset();
  const PeerOptions& options = peers_.options();
  peers_.send(place.url, errand->request, may_be_repeated(*errand->route, *errand->request),
              is_short(*errand->route, *errand->request) ? options.short_time : options.long_time,
              [self = shared_from_this(), errand, place](PeerAnswer answer) {
                self->answered(errand, place, std::move(answer));
              });
}

void Forwarder::answered(const Held& errand, const Place& place, PeerAnswer answer) {
  const auto note = [&](const std::string& what) {
    if (journal_ != nullptr) journal_->note("peer", place.url + ": " + what);
  };
  switch (answer.kind) {
    case PeerAnswer::Kind::kAnswered:
      counts_.forwarded_answered.fetch_add(1);
      if (!turns_away(answer.reply)) return errand->done(std::move(answer.reply));
      if (answer.reply.status == 403)
        note("it does not take this node for one");
      else
        errand->turned_away = std::move(answer.reply);
      return try_again(errand, place);
    case PeerAnswer::Kind::kUnsent:
      counts_.forwarded_unsent.fetch_add(1);
      note(answer.trouble);
      return try_again(errand, place);
    case PeerAnswer::Kind::kBusy:
      counts_.forwarded_unsent.fetch_add(1);
      return refuse_busy(errand, answer.trouble);
    case PeerAnswer::Kind::kUnknown:
      counts_.forwarded_unknown.fetch_add(1);
      note(answer.trouble);
      // As of a store that has not said whether it stored.
      return errand->done(
          complaint_reply({503,
                           "store",
                           {"", "request", "one that nobody knows whether it was done",
                            "the same again, with the same key where it has one"}}));
  }
}

void Forwarder::try_again(const Held& errand, const Place& place) {
  if (std::exchange(errand->tried_again, true)) return give_up(errand, place);
  look(errand);
}

// In the words of who turned it away for its own reasons: it stops.
void Forwarder::give_up(const Held& errand, const Place& place) {
  if (errand->turned_away && complaint_kind(*errand->turned_away) != "not-here")
    return errand->done(std::move(*errand->turned_away));
  refuse(errand, place, errand->turned_away ? "changing hands" : "whose node does not answer");
}

void Forwarder::refuse_busy(const Held& errand, const std::string& why) {
  errand->done(complaint_reply({503, "busy", {"", "request", why, kLater}}));
}

void Forwarder::refuse(const Held& errand, const Place& place, const std::string& why) const {
  const bool tokens = errand->route->where == Where::kTokens;
  HttpReply reply = complaint_reply(
      {503,
       "not-here",
       {"", tokens ? "tokens" : "experiment", shown_name(*errand) + ", " + why, kLater}});
  if (!tokens && place.kind == Place::Kind::kPeer && !place.url.empty() &&
      may_learn_owner(errand->caller, errand->experiment, reply))
    reply.headers.emplace_back(kOwnerHeader, place.url);
  errand->done(std::move(reply));
}

}  // namespace armature::service::http
