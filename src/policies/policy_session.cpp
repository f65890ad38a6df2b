#include "armature/policy_session.h"

#include <limits>

namespace armature {
namespace {

constexpr const char* kOwner = "session";

// What is saved; the policy's own state is the last field.
struct Saved {
  std::string policy;
  std::uint64_t seed = 0;
  std::uint64_t replication = 0;
  std::uint64_t round = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t position = 0;
  std::string state;

  StateVisit fields() {
    return [this](StateVisitor& visitor) {
      visitor.field("policy", policy);
      visitor.field("seed", seed);
      visitor.field("replication", replication);
      visitor.require(replication <= std::numeric_limits<std::uint32_t>::max(), "replication");
      visitor.field("round", round);
      visitor.field("outstanding", outstanding);
      visitor.require(outstanding <= round, "outstanding");
      visitor.field("position", position);
      visitor.field("state", state);
    };
  }
};

}  // namespace

PolicySession::PolicySession(const std::string& policy, const Problem& problem, std::uint64_t seed,
                             std::uint32_t replication)
    : problem_(problem),
      seed_(seed),
      replication_(replication),
      policy_(make_policy(policy, problem_)),
      stream_({seed, replication, Purpose::kPolicy}) {}

Decision PolicySession::choose() {
  const Decision decision = at_work().choose(stream_);
  ARMATURE_CHECK(decision.arm < problem_.actions(), "a policy chooses one of the problem's arms");
  ++round_;
  ++outstanding_;
  return decision;
}

void PolicySession::observe(Decision decision, Outcome outcome) {
  with_one_outstanding().observe(decision, outcome, stream_);
  --outstanding_;
}

void PolicySession::forget(Decision decision) {
  with_one_outstanding().forget(decision);
  --outstanding_;
}

std::string PolicySession::save() const {
  Saved saved{.policy = at_work().text(),
              .seed = seed_,
              .replication = replication_,
              .round = round_,
              .outstanding = outstanding_,
              .position = stream_.position(),
              .state = policy_->save()};
  return save_state(kOwner, saved.fields());
}

PolicySession PolicySession::load(std::string_view bytes, const Problem& problem) {
  Saved saved;
  load_state(kOwner, bytes, saved.fields());
  PolicySession session(saved.policy, problem, saved.seed,
                        static_cast<std::uint32_t>(saved.replication));
  session.policy_->load(saved.state);
  session.stream_.seek(saved.position);
  session.round_ = saved.round;
  session.outstanding_ = saved.outstanding;
  return session;
}

}  // namespace armature
