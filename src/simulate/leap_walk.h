// One leaping policy on its way: it goes as many rounds at a time as a certificate covers, and
// round by round where none covers enough (docs/leap.md).
#pragma once

#include <deque>

#include "simulate/leap_boxes.h"
#include "simulate/leap_resources.h"

namespace armature::leap {

/// Where a walk is written down. It decides what a walk may do: where the order of plays counts,
/// plans that do not tell it are of no use.
class Journal {
 public:
  virtual ~Journal() = default;

  virtual bool keeps_order() const = 0;
  /// A share has been played.
  virtual void add(const Share& share, double sum,
                   const std::vector<std::uint64_t>& value_counts) = 0;
  /// Plays single rounds and writes them down.
  virtual void play(AnyPolicy& policy, Round rounds, Resources& resources) = 0;
};

/// How often each arm was played: all that a policy by itself leaves.
class PullCounts final : public Journal {
 public:
  explicit PullCounts(std::span<std::uint64_t> pulls) : pulls_(pulls) {}

  bool keeps_order() const override { return false; }
  void add(const Share& share, double, const std::vector<std::uint64_t>&) override {
    pulls_[share.arm] += share.plays;
  }
  void play(AnyPolicy& policy, Round rounds, Resources& resources) override {
    policy.play(resources.environment, rounds, resources.policy_stream, pulls_);
  }

 private:
  std::span<std::uint64_t> pulls_;
};

/// The walk piece by piece, in the order of play: a base learner's history, which its balancer will
/// take and cut where it needs to.
class SegmentList final : public Journal {
 public:
  explicit SegmentList(std::deque<Segment>& segments) : segments_(segments) {}

  bool keeps_order() const override { return true; }
  void add(const Share& share, double sum,
           const std::vector<std::uint64_t>& value_counts) override {
    segments_.push_back({share.arm, share.plays, sum, value_counts});
  }
  void play(AnyPolicy& policy, Round rounds, Resources& resources) override;

 private:
  std::deque<Segment>& segments_;
};

class PeakSearch;

class PolicyWalk {
 public:
  /// A leap shorter than this costs more than its rounds.
  static constexpr Round kShortestLeap = 24;

  /// A policy whose leaper is a planner.
  PolicyWalk(AnyPolicy& policy, Resources& resources);
  PolicyWalk(PolicyWalk&&) noexcept;
  ~PolicyWalk();

  /// Goes on by at most `limit` rounds (at least one), writes them down, and returns how many
  /// rounds it went.
  Round advance(Round limit, Journal& journal);
  /// Nothing follows: what the policy has to tell must not depend on anything left open.
  void finish();

 private:
  bool certify(Round limit);
  bool certified(Round rounds);
  bool plan_holds();
  Round play_plan(Journal& journal);
  void play_share(const Share& share, Detail detail, Journal& journal);
  double draw_by_context(const Share& share);
  Certain drawn(const AtRandom& plan);
  Round step(Round limit, Journal& journal);

  AnyPolicy& policy_;
  Planner& planner_;
  Resources& resources_;
  Boxes boxes_;
  std::unique_ptr<PeakSearch> peak_search_;  // if the policy remembers a peak
  std::vector<Round> guess_;                 // how far the last certificate reached, by leading arm
  Round patience_;                           // rounds to step after a failed try
  Plan plan_;

  // Scratch, of the share just played.
  std::vector<std::uint64_t> visits_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> value_counts_;
  std::vector<std::uint64_t> context_values_;  // of one context of it
};

}  // namespace armature::leap
