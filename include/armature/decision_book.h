// The door for whoever asks from outside: decisions have ids, outcomes come back by id, and every
// mistake (an id that was never given, an outcome told twice, a reward that is none) is an Error
// with a kind, after which the book is as it was before. Python and the service stand on this;
// simulation does not pay for it.
//
// When the problem changes, `DecisionBook next(book.session().extend("sentry", wider))` goes on
// from what was learned. Its ids begin at 1 again: keep the old book for what is outstanding there,
// and tell each late outcome to both, the old one by `observe` and the new one by `witness`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
  };
  struct Waiting {
    Id id;
    Arm arm;
    Round age;  // decisions made since
  };

  /// Does it say of each decision how probable it was? For judging other policies by the log. It
  /// costs a pass over the actions a decision, and is none where the policy has no closed form.
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
  void forget(Id id);
  /// Learns from a decision that is not in the book. Throws DecisionError, and then nothing has
  /// changed.
  void witness(Arm arm, Outcome outcome);
  void witness(std::string_view action, std::string_view context, double reward);  // by name
  /// By index it is witness(arm, {context, reward}): here a 0 would be a null pointer, and so a
  /// name.
  template <class Action, class Named>
  std::enable_if_t<kNoName<Action> || kNoName<Named>> witness(Action, Named, double) = delete;

  std::vector<Waiting> outstanding() const;  // by id
  std::size_t outstanding_count() const { return open_.size(); }
  const PolicySession& session() const { return session_; }

  /// As PolicySession: whole, with decisions outstanding; refused if damaged.
  std::string save() const;
  static DecisionBook load(std::string_view saved, const Problem& problem);

 private:
  /// How a decision ended.
  struct Closed {
    Id id;
    std::uint32_t forgotten;  // 1, or 0: observed
    Outcome outcome;          // if observed

    bool same_end(const Closed& other) const;
  };
  using Open = std::map<Id, Decision>;
  struct Saved;
  static constexpr Context kNoContext = std::numeric_limits<Context>::max();

  DecisionBook(PolicySession session, const Saved& saved);

  void check_outcome(Outcome outcome) const;
  Context context_of(std::string_view name) const;
  Open::iterator find_open(const Closed& end);
  [[noreturn]] void refuse(const Closed& end) const;
  void close(Open::iterator open, const Closed& end);

  PolicySession session_;
  Id first_;  // of this book: the session may have been at work before
  std::size_t remembered_;
  Probabilities told_;
  std::vector<double> probabilities_;  // scratch, where they are told
  Open open_;
  std::vector<Closed> closed_;  // the last ones, a ring…
  std::size_t oldest_ = 0;      // …whose oldest is here once it is full
};

}  // namespace armature
