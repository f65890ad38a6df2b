// Of several nodes the one that can: a request is carried out where it belongs, here or by another
// node that is asked for it. At most one hop: what came from a node is not handed on.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "service/cluster/places.h"
#include "service/http/guard.h"
#include "service/http/journal.h"
#include "service/http/message.h"
#include "service/http/metrics.h"
#include "service/http/peers.h"
#include "service/http/routes.h"
#include "service/service.h"

namespace armature::service::http {

/// The URL of the node that an experiment belongs to: clients may go straight to it.
inline constexpr const char* kOwnerHeader = "Armature-Owner";

/// A request that is to be brought to its node.
struct Errand {
  std::shared_ptr<const HttpRequest> request;
  const Route* route = nullptr;
  std::string experiment;  // also one that is to be created
  Caller caller;
  /// Carries it out here: at its owner, or (kUnknown) where nobody has heard of the experiment.
  /// Throws nothing, and sees to the answer.
  std::function<void(const Place&)> here;
  std::function<void(HttpReply)> done;

  // How far it has come.
  bool looked = false;                        // at the store, before anybody was asked
  bool tried_again = false;                   // after somebody was asked in vain
  std::string asked = {};                     // URL
  std::optional<HttpReply> turned_away = {};  // by who was asked
};

class Forwarder : public std::enable_shared_from_this<Forwarder> {
 public:
  /// Places may call back after the forwarder's end; the others outlive it.
  Forwarder(const Service& service, Places& places, Peers& peers, RequestCounts& counts,
            Journal* journal)
      : service_(service), places_(places), peers_(peers), counts_(counts), journal_(journal) {}

  /// Where it is done, as far as this node knows. Of what any node answers: kHere.
  Place place_of(Where where, const std::string& experiment) const;
  /// May that caller be told who owns it? Whoever has seen something of it, and who may see all.
  bool may_learn_owner(const Caller& caller, const std::string& experiment,
                       const HttpReply& reply) const;
  /// Is it certain that this caller may not see that experiment? Nobody needs to be asked then.
  bool hidden(const Caller& caller, const std::string& experiment) const;

  /// Calls `here` or `done`, exactly one of them and once, on any thread, now or later.
  void bring(std::shared_ptr<Errand> errand);
  /// Whoever waits for a look at the store is refused; nothing is under way afterwards but what is
  /// with Peers, which end before.
  void stop();

 private:
  using Held = std::shared_ptr<Errand>;
  void look(const Held& errand);
  void looked(std::uint64_t number);
  void ask(const Held& errand, const Place& place);
  void answered(const Held& errand, const Place& place, PeerAnswer answer);
  /// Perhaps it has changed hands: once.
  void try_again(const Held& errand, const Place& place);
  void give_up(const Held& errand, const Place& place);
  void refuse(const Held& errand, const Place& place, const std::string& why) const;
  static void refuse_busy(const Held& errand, const std::string& why);

  const Service& service_;
  Places& places_;
  Peers& peers_;
  RequestCounts& counts_;
  Journal* const journal_;
  std::mutex mutex_;
  std::condition_variable idle_;
  struct Looking {
    Held errand;
    Budget::Share share;
  };
  Budget room_{std::uint64_t{64} << 20};  // for those: a look may take as long as the store does
  std::map<std::uint64_t, Looking> looking_;  // who waits for a look at the store
  std::uint64_t looks_ = 0;
  std::size_t running_ = 0;  // of those that were called back
  bool stopped_ = false;
};

}  // namespace armature::service::http
