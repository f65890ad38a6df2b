// The door for whoever asks from outside: decisions have ids, outcomes come back by id, and every
// mistake (an id that was never given, an outcome told twice, a reward that is none) is an Error
// with a kind, after which the book is as it was before. Python and the service stand on this;
// simulation does not pay for it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/policy_session.h"

namespace armature {

/// What can be wrong with an id or an outcome.
enum class DecisionMistake {
  kUnknown,    // no such decision was ever made
  kRepeated,   // it was told just this before: answering as if it were the first time is safe
  kObserved,   // it already has its outcome, and this is another one
  kForgotten,  // it was forgotten
  kClosed,     // it was observed or forgotten too long ago to say which
  kContext,    // no such context
  kReward,     // not a number in [0,1]
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
 public:
  using Id = std::uint64_t;

  /// A decision as the outside sees it. Its id is the round it was made in: ids ascend.
  struct Made {
    Id id;
    Arm arm;
  };
  struct Waiting {
    Id id;
    Arm arm;
    Round age;  // decisions made since
  };

  /// How it ended is kept for the last `remembered` decisions that were closed; of earlier ones the
  /// book only knows that they are closed. Throws Error if the session has decisions outstanding:
  /// the book has no ids for them, so that nobody could ever close them.
  explicit DecisionBook(PolicySession session, std::size_t remembered = 1024);

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
  Open::iterator find_open(const Closed& end);
  [[noreturn]] void refuse(const Closed& end) const;
  void close(Open::iterator open, const Closed& end);

  PolicySession session_;
  Id first_;  // of this book: the session may have been at work before
  std::size_t remembered_;
  Open open_;
  std::vector<Closed> closed_;  // the last ones, a ring…
  std::size_t oldest_ = 0;      // …whose oldest is here once it is full
};

}  // namespace armature
