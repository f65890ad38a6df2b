// The HTTP interface without a network: a request in, a reply out. Routes, roles and fields are
// those of the table (routes.h); what they do is done by the Service.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "service/export.h"
#include "service/http/forward.h"
#include "service/http/guard.h"
#include "service/http/journal.h"
#include "service/http/live.h"
#include "service/http/message.h"
#include "service/http/metrics.h"
#include "service/http/routes.h"
#include "service/service.h"

namespace armature::service::http {

class Seats;

class Api {
 public:
  struct Options {
    Guard::Options guard;
    /// A reader of its own for every export. Null: there is nothing to export.
    std::function<std::unique_ptr<LogReader>()> open_log;
    /// Runs what may wait for the disk.
    std::function<void(std::function<void()>)> aside;
    /// Runs what takes as long as the log is. False: as many as may wait are waiting.
    std::function<bool(std::function<void()>)> long_aside;
    std::uint64_t most_long_each = 2;  // of one token
    std::uint64_t most_exports = 16;
    std::uint64_t most_exports_each = 4;  // of one token
    std::uint64_t most_live = 1'000;
    std::uint64_t most_live_each = 100;  // of one token
    Journal* journal = nullptr;
    /// Of several nodes: where what belongs, and how to ask there; both or none. None: all of it is
    /// here.
    Places* places = nullptr;
    Peers* peers = nullptr;
    std::string node = {};  // this one's name
    /// Why it can do nothing at the moment; empty: it can. Null: there is only this one.
    std::function<std::string()> node_trouble = {};
  };
  using Done = std::function<void(HttpReply)>;

  /// Streams count themselves while they live: the counts outlive them.
  Api(Service& service, RequestCounts& counts, Options options);

  /// Calls back exactly once, on any thread, now or later. Throws nothing.
  void handle(HttpRequest request, Done done);

  /// Once a request's header has come: the room for its body, or why it need not be read.
  struct Welcome {
    std::optional<HttpReply> refusal;
    Budget::Share share;
    std::shared_ptr<void> seat;
  };
  Welcome welcome_body(const HttpRequest& head, std::uint64_t bytes);
  /// A request was refused before it was whole: told of like all others.
  void refused(const HttpRequest& head, HttpReply& reply);

  /// Once a second, for live streams.
  void tick() { live_->tick(); }
  /// Not ready any more; live streams end.
  void begin_stop();
  /// Whoever still waits to be brought to another node is refused. After the peers have stopped.
  void end_forwarding();

 private:
  /// A request on its way.
  struct Call {
    HttpRequest request;
    Match match;
    Caller caller;
    Done done;
    bool unknown = false;  // of several nodes none has heard of the experiment

    const std::string& experiment() const { return match.experiment; }
    FieldValues fields() { return read_fields(request.body, match.route->fields); }
    FieldValues query() const { return read_query(match.query, match.route->query); }
    void reply(std::string json) { done({200, "application/json", std::move(json)}); }
  };

  /// To the node that can carry it out.
  void bring(Call& call);
  void carry_out_at(Call& call, const Place& place, const std::string& name);
  void carry_out(Call& call);
  /// Tells the journal, too, of what is no client's fault.
  HttpReply complain(const std::exception& error) const;
  void submit(Call& call, Request request);
  /// A change of an experiment's course that somebody must learn the log for.
  struct Change {
    Request request;
    Done done;
    Caller caller;
    std::shared_ptr<void> seat;
    int tries = 0;
  };
  void submit_taught(Call& call, Request request);
  void prepare_change(const std::shared_ptr<Change>& change);
  void run_long(const Caller& caller, std::function<void()> work);
  std::unique_ptr<LogReader> stoppable_reader() const;
  void submit_all(Call& call, std::vector<Request> requests);
  /// Throws Refusal: there is none, or none that this caller may know of.
  std::shared_ptr<const Summary> summary(const Call& call) const;
  void require_scope(const Call& call) const;

  void create(Call& call);
  void list(Call& call);
  void show(Call& call);
  static Decide decide_of(const Call& call, const FieldValues& fields);
  void decide(Call& call);
  void decide_batch(Call& call);
  void outcome(Call& call);
  void outcome_batch(Call& call);
  void look(Call& call);
  void epoch(Call& call);
  void amend(Call& call);
  void tokens(Call& call);
  void add_token(Call& call);
  void remove_token(Call& call);
  void export_log(Call& call);
  /// May that caller still see what is streamed to it?
  std::function<bool()> allowed(const Call& call) const;
  void export_tail(Call& call, ExportFormat format, Sequence from);
  void snapshot(Call& call);
  void follow(Call& call);
  void ready(Call& call);

  Service& service_;
  RequestCounts& counts_;
  Options options_;
  Guard guard_;
  std::shared_ptr<Forwarder> forwarder_;  // null: there are no other nodes
  std::shared_ptr<Live> live_;
  std::shared_ptr<Seats> export_seats_;  // by token
  std::shared_ptr<Seats> live_seats_;
  std::shared_ptr<Seats> body_seats_;  // bytes
  std::shared_ptr<Seats> long_seats_;
  std::shared_ptr<Seats> change_seats_;  // by experiment
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> requests_{0};
};

}  // namespace armature::service::http
