#include "armature/policy_session.h"

#include <limits>

#include "armature/extend.h"

namespace armature {
namespace {

constexpr const char* kOwner = "session";

// What is saved; the evidence's and the policy's own states are the last fields.
struct Saved {
  std::string policy;
  std::uint64_t seed = 0;
  std::uint64_t replication = 0;
  std::uint64_t round = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t position = 0;
  std::string evidence;
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
      visitor.field("evidence", evidence);
      visitor.field("state", state);
    };
  }
};

constexpr const char* kEvidenceOwner = "evidence";

StateVisit fields_of(Evidence& evidence) {
  return [&evidence](StateVisitor& visitor) { evidence.visit_state(visitor); };
}

}  // namespace

PolicySession::PolicySession(const std::string& policy, const Problem& problem, std::uint64_t seed,
                             std::uint32_t replication)
    : problem_(problem),
      seed_(seed),
      replication_(replication),
      policy_(make_policy(policy, problem_)),
      stream_({seed, replication, Purpose::kPolicy}),
      evidence_(problem_) {}

Decision PolicySession::choose() {
  const Decision decision = at_work().choose(stream_);
  ARMATURE_CHECK(decision.arm < problem_.actions(), "a policy chooses one of the problem's arms");
  ++round_;
  ++outstanding_;
  return decision;
}

void PolicySession::observe(Decision decision, Outcome outcome) {
  with_one_outstanding().observe(decision, outcome, stream_);
  evidence_.add(decision.arm, outcome);
  --outstanding_;
}

void PolicySession::forget(Decision decision) {
  with_one_outstanding().forget(decision);
  --outstanding_;
}

void PolicySession::witness(Arm arm, Outcome outcome) {
  at_work().witness(arm, outcome, stream_);
  evidence_.add(arm, outcome);
}

std::optional<std::vector<double>> PolicySession::probabilities() const {
  std::vector<double> probabilities(problem_.actions());
  if (!at_work().probabilities(probabilities)) return std::nullopt;
  return probabilities;
}

ProbabilityEstimate PolicySession::estimate_probabilities(std::uint64_t draws) const {
  Stream luck = Stream::within_round({seed_, replication_, Purpose::kEstimate}, round_);
  return at_work().estimate_probabilities(draws, luck.next_u64());
}

PolicySession PolicySession::extend(const std::string& policy, const Problem& problem) const {
  at_work();
  Fingerprint luck;  // nobody else's, but the same every time
  const std::uint64_t origin[] = {seed_, replication_, round_, evidence_.outcomes()};
  luck.add(origin, sizeof origin);
  luck.add(policy);
  const std::uint64_t into[] = {problem.fingerprint(), policy_->digest()};
  luck.add(into, sizeof into);
  PolicySession next(policy, problem, luck.value());
  next.policy_ = armature::extend(policy, problem, evidence_, problem_, next.stream_);
  next.evidence_ = evidence_.renamed(problem_, problem);
  return next;
}

std::string PolicySession::save() const {
  Evidence evidence = evidence_;
  Saved saved{.policy = at_work().text(),
              .seed = seed_,
              .replication = replication_,
              .round = round_,
              .outstanding = outstanding_,
              .position = stream_.position(),
              .evidence = save_state(kEvidenceOwner, fields_of(evidence)),
              .state = policy_->save()};
  return save_state(kOwner, saved.fields());
}

PolicySession PolicySession::load(std::string_view bytes, const Problem& problem) {
  Saved saved;
  load_state(kOwner, bytes, saved.fields());
  PolicySession session(saved.policy, problem, saved.seed,
                        static_cast<std::uint32_t>(saved.replication));
  session.policy_->load(saved.state);
  load_state(kEvidenceOwner, saved.evidence, fields_of(session.evidence_));
  session.stream_.seek(saved.position);
  session.round_ = saved.round;
  session.outstanding_ = saved.outstanding;
  return session;
}

}  // namespace armature
