// The service with the simulator's delays learns what the simulator learns: the same decisions, and
// in the end a policy of the same digest.
#include <gtest/gtest.h>

#include <cctype>
#include <map>

#include "armature/families.h"
#include "service/stand.h"
#include "simulate/feedback.h"

namespace armature::service::test {
namespace {

// The service's epoch 1 draws as replication 1 does.
constexpr std::uint64_t kSeed = 7;
constexpr std::uint32_t kReplication = 1;

// Takes what the queue delivers to the service. Tickets are rounds here.
class Courier final : public AnyPolicy {
 public:
  Courier(Stand& stand, const Problem& problem) : AnyPolicy("courier", problem), stand_(stand) {}

  void observe(Decision decision, Outcome outcome, Stream&) override {
    Report report{"mail", made[decision.ticket].decision, {}, outcome.reward};
    report.context = Named(std::uint64_t{outcome.context});
    EXPECT_EQ(stand_.must<Received>(report).status, Status::kLearned);
  }
  void forget(Decision decision) override {
    stand_.must<Received>(Forget{"mail", made[decision.ticket].decision});
  }
  Decision choose(Stream&) override { return {0, 0}; }
  void visit_state(StateVisitor&) override {}
  Diagnostics diagnostics() const override { return {}; }
  void play(Environment&, Round, Stream&, std::span<std::uint64_t>) override {}

  std::map<Round, Decided> made;

 private:
  Stand& stand_;
};

class Delays : public testing::TestWithParam<const char*> {};

TEST_P(Delays, GiveTheDigestOfTheSimulation) {
  const InstanceSource source("hidden-arm:actions=5", 2'000, kSeed);
  const Instance& instance = *source.instance(kReplication);
  const OutcomeTables tables(instance);
  const Problem problem = instance.problem(2'000);
  Feedback feedback = Feedback::parse_delay("geometric:mean=20");
  feedback.loss = 0.1;
  constexpr Round kRounds = 2'000;

  const auto policy = make_policy(GetParam(), problem);
  Stream stream({kSeed, kReplication, Purpose::kPolicy});
  Environment world(tables, kSeed, kReplication);
  FeedbackQueue queue(feedback, kSeed, kReplication);

  Stand stand;
  Creation creation = small_creation("mail", GetParam());
  creation.problem = problem;
  stand.create(creation);
  Environment same_world(tables, kSeed, kReplication);
  FeedbackQueue same_queue(feedback, kSeed, kReplication);
  Courier courier(stand, problem);

  for (Round round = 1; round <= kRounds; ++round) {
    const Decision decision = policy->choose(stream);
    queue.send(round, decision, world.play(decision.arm));
    queue.deliver(round, *policy, stream);

    const Decided decided = stand.decide("mail");
    ASSERT_EQ(decided.action_number, decision.arm) << "round " << round;
    courier.made[round] = decided;
    same_queue.send(round, {decided.action_number, round}, same_world.play(decided.action_number));
    same_queue.deliver(round, courier, stream);
    if (round == kRounds / 2) stand.crash();
  }
  const PolicySession& session = *stand.fold("mail").session();
  EXPECT_EQ(session.policy().digest(), policy->digest());
  EXPECT_EQ(session.position(), stream.position());
}

INSTANTIATE_TEST_SUITE_P(Service, Delays,
                         testing::Values("ucb", "sentry", "warden", "ts", "cl-ts", "pe", "corral",
                                         "floor:base=ts"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace armature::service::test
