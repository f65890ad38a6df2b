// The door for whoever asks from outside: decisions have ids, outcomes come back by id, and every
// mistake (an id that was never given, an outcome told twice, a reward that is none) is an Error
// with a kind, after which the book is as it was before. Python and the service stand on this;
// simulation does not pay for it.
//
// When the problem changes, `DecisionBook next = book.extend("sentry", wider)` goes on from what
// was learned, and its ids go on too: outcomes that are still outstanding are told to the new book
// by their old ids, and its policy witnesses them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/extend.h"
#include "armature/open_decisions.h"
#include "armature/policy_session.h"

namespace armature {

/// What can be wrong with what a book is told.
enum class DecisionMistake {
  kUnknown,    // no such decision was ever made
  kRepeated,   // it was told just this before: answering as if it were the first time is safe
  kObserved,   // it already has its outcome, and this is another one
  kForgotten,  // it was forgotten
  kClosed,     // it was observed or forgotten too long ago to say which
  kAction,     // no such action
  kArm,        // the decision was made for another action
  kContext,    // no such context
  kReward,     // not a number in [0,1]
  kWitness,    // its policy cannot learn from others' decisions
};
const char* mistake_name(DecisionMistake mistake);  // unknown, repeated, observed, …

class DecisionError : public Error {
 public:
  DecisionError(DecisionMistake mistake, ErrorReport report)
      : Error(std::move(report)), mistake_(mistake) {}
  DecisionMistake mistake() const { return mistake_; }

 private:
  DecisionMistake mistake_;
};

class DecisionBook {
  template <class T>
  static constexpr bool kNoName = std::is_integral_v<T> || std::is_null_pointer_v<T>;

 public:
  using Id = std::uint64_t;

  /// A decision as the outside sees it. Its id is the round it was made in: ids ascend.
  struct Made {
    Id id;
    Arm arm;
    std::optional<double> probability;  // that it was this arm, where the book tells probabilities
    std::uint64_t ticket = 0;           // the policy's own note (Decision), for logs
  };
  struct Waiting {
    Id id;
    Arm arm;                 // as it was made
    Round age;               // decisions made since
    std::optional<Arm> now;  // the action's number in this problem; none: it is gone (extend)
  };

  /// What a decision came to, or the part of it that is known first.
  struct Told {
    Id id;
    std::optional<Context> context = {};
    std::optional<double> reward = {};
    std::optional<Arm> arm = {};  // whoever says for which action it was made is checked
  };

  /// Does it say of each decision how probable it was? For judging other policies by the log. It
  /// costs a pass over the actions a decision, and is none where the policy has no closed form; of
  /// a floor around such a policy it is AnyPolicy::last_probability.
  enum class Probabilities : bool { kUntold, kTold };

  /// How it ended is kept for the last `remembered` decisions that were closed; of earlier ones the
  /// book only knows that they are closed. Throws Error if the session has decisions outstanding:
  /// the book has no ids for them, so that nobody could ever close them.
  explicit DecisionBook(PolicySession session, std::size_t remembered = 1024,
                        Probabilities told = Probabilities::kUntold);

  Made choose();
  /// Throws DecisionError, and then nothing has changed.
  void observe(Id id, Outcome outcome);
  void observe(Id id, std::string_view context, double reward);  // the context by its name
  /// By its index. Without this 0 would be a null pointer, and so a name.
  void observe(Id id, std::integral auto context, double reward) {
    const bool fits = std::in_range<Context>(context);
    observe(id, Outcome{fits ? static_cast<Context>(context) : kNoContext, reward});
  }
  void observe(Id id, std::nullptr_t context, double reward) = delete;
  /// In one step or in two: what is told first is kept, and learned from when the rest has come.
  void observe(const Told& told);
  void forget(Id id);
  /// All of them, or none if one of them is a mistake.
  void observe_all(std::span<const Told> all);
  void forget_all(std::span<const Told> all);  // of which only ids and arms matter
  void witness_all(std::span<const Logged> all);
  /// Learns from a decision that is not in the book. Throws DecisionError, and then nothing has
  /// changed.
  void witness(Arm arm, Outcome outcome);
  void witness(std::string_view action, std::string_view context, double reward);  // by name
  /// By index it is witness(arm, {context, reward}): here a 0 would be a null pointer, and so a
  /// name.
  template <class Action, class Named>
  std::enable_if_t<kNoName<Action> || kNoName<Named>> witness(Action, Named, double) = delete;

  std::vector<Waiting> outstanding() const;  // by id
  std::size_t outstanding_count() const { return open_.size() + inherited_.size(); }
  std::vector<Told> half_told() const;  // what is known of those of which only a part is, by id
  const PolicySession& session() const { return session_; }

  /// A book for another problem or with another policy (PolicySession::extend). What is outstanding
  /// or half told here is so there too, under its id and by the names of actions and contexts; of
  /// an action that is gone the outcome is heard and dropped. This book is as it was.
  DecisionBook extend(const std::string& policy, const Problem& problem) const;

  /// As PolicySession: whole, with decisions outstanding; refused if damaged.
  std::string save() const;
  static DecisionBook load(std::string_view saved, const Problem& problem);

 private:
  /// Of a reward or a context, or of both.
  struct Part {
    std::optional<Context> context;
    std::optional<double> reward;
    bool whole() const { return context && reward; }
  };
  /// How a decision ended.
  struct Closed {
    Id id;
    std::uint32_t forgotten;  // 1, or 0: observed
    Outcome outcome;          // if observed

    bool says(const Part& part) const;  // was it observed, and is that a part of it?
  };
  /// Made by the book that this one extends: its policy witnesses what comes of it.
  struct Inherited {
    Arm made;  // in the problem it was made in
    Arm now;   // here; kGone: nothing of that name
  };
  struct Saved;
  static constexpr Context kNoContext = std::numeric_limits<Context>::max();
  static constexpr Arm kGone = std::numeric_limits<Arm>::max();

  DecisionBook(PolicySession session, const Saved& saved);

  Id last_id() const { return base_ + session_.round(); }
  void check_outcome(const Part& part) const;
  void check_witness(const Logged& entry) const;
  void check_can_witness() const;
  Arm made_arm(Id id, const Part* part) const;
  void check_arm(const Told& told, const Part* part) const;
  void check(const Told& told) const;
  Part known_with(const Told& told) const;
  void take_in(const Told& told);
  Context context_of(std::string_view name) const;
  [[noreturn]] void refuse(Id id, const Part* part) const;
  void end(Id id, const Outcome* outcome);
  bool holds_together() const;

  PolicySession session_;
  Id first_;     // of this book: the session may have been at work before
  Id base_ = 0;  // ids above it are rounds of this session
  std::size_t remembered_;
  Probabilities told_;
  std::vector<double> probabilities_;  // scratch, where they are told
  OpenDecisions open_;
  std::map<Id, Inherited> inherited_;
  std::map<Id, Part> parts_;    // of what is half told
  std::vector<Closed> closed_;  // the last ones, a ring…
  std::size_t oldest_ = 0;      // …whose oldest is here once it is full
};

}  // namespace armature
