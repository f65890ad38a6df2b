// Outcomes on their way: late, in batches, or lost (spec §2, late feedback).
#pragma once

#include <queue>

#include "armature/simulate.h"

namespace armature {

class FeedbackQueue {
 public:
  FeedbackQueue(const Feedback& feedback, std::uint64_t seed, std::uint32_t replication)
      : feedback_(feedback), key_{seed, replication, Purpose::kFeedback} {}

  /// The outcome of `round`, sent off. Its delay and loss depend on the round, not on the arm.
  void send(Round round, Decision decision, Outcome outcome);
  /// Hands over everything due after `round`: to observe, or to forget if it was lost.
  void deliver(Round round, AnyPolicy& policy, Stream& stream);

 private:
  struct Letter {
    Round due;  // delivered after this round
    Round sent;
    bool lost;
    Decision decision;
    Outcome outcome;
    bool operator>(const Letter& other) const {
      return due != other.due ? due > other.due : sent > other.sent;
    }
  };
  Round delay(Stream& stream) const;

  Feedback feedback_;
  StreamKey key_;
  std::priority_queue<Letter, std::vector<Letter>, std::greater<>> letters_;
};

}  // namespace armature
