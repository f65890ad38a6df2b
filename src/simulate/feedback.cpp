#include "simulate/feedback.h"

// Luck of delivery has a stream of its own, keyed by round: a policy that plays otherwise, or
// another delay, leaves the luck of the outcomes alone.
#include <fmt/format.h>

#include <cmath>

#include "armature/error.h"
#include "base/formula.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {

Feedback Feedback::parse_delay(const std::string& text) {
  if (text == "none") return {};
  const auto refuse = [&](const std::string& expected) {
    throw Error({"", "delay", "'" + text + "'", expected});
  };
  const bool geometric = text.starts_with("geometric:mean=");
  const bool fixed = !geometric;
  const bool bare = fixed && !text.starts_with("fixed:");  // a number alone is a fixed delay
  if (bare && text.find_first_of("0123456789") == std::string::npos)
    refuse("none, a number of rounds, fixed:N or geometric:mean=N");
  const std::string number = bare ? text : text.substr(text.find(fixed ? ':' : '=') + 1);
  const std::string expected =
      std::string(fixed ? "fixed:N" : "geometric:mean=N") + " with N from 0 to 10^9 rounds";
  Feedback feedback;
  feedback.delay = fixed ? Delay::kFixed : Delay::kGeometric;
  // N may be a formula of constants; A, Z and T are not known here. The error is rewritten, so that
  // it names the delay as it was typed and not the number inside.
  try {
    feedback.rounds = fixed ? static_cast<double>(whole_value(number)) : real_value(number);
  } catch (const Error& error) {
    refuse(expected + ", or a formula: " + error.report().expected);
  }
  // Negated, so that a NaN is refused too.
  if (!(feedback.rounds >= 0 && feedback.rounds <= 1e9)) refuse(expected);
  return feedback.rounds == 0 ? Feedback{} : feedback;
}

std::string Feedback::delay_text() const {
  if (delay == Delay::kFixed) return fmt::format("fixed:{:.0f}", rounds);
  if (delay == Delay::kGeometric) return fmt::format("geometric:mean={}", rounds);
  return "none";
}

// Part of a cell's identity (PlannedCell::same_world): equal feedback must give equal words.
std::string Feedback::describe() const {
  if (prompt()) return "prompt";
  std::vector<std::string> parts;
  if (delay != Delay::kNone) parts.push_back("delay=" + delay_text());
  if (batch != 1) parts.push_back(fmt::format("batch={}", batch));
  if (loss != 0) parts.push_back(fmt::format("loss={}", loss));
  return join(parts, " ");
}

Round FeedbackQueue::delay(Stream& stream) const {
  if (feedback_.delay == Feedback::Delay::kFixed) return static_cast<Round>(feedback_.rounds);
  // A mean of 0 is no delay; the formula below would take the logarithm of 0.
  if (feedback_.delay == Feedback::Delay::kNone || feedback_.rounds == 0) return 0;
  // Geometric on 0, 1, 2, …: P(delay ≥ k) = (mean/(1+mean))^k.
  const double log_stay = portable::log(feedback_.rounds / (1 + feedback_.rounds));
  return static_cast<Round>(std::floor(portable::log(stream.open_uniform()) / log_stay));
}

void FeedbackQueue::send(Round round, Decision decision, Outcome outcome) {
  Stream stream = Stream::within_round(key_, round);
  // Loss is drawn before delay, and always: studies that vary one of them keep the luck of the
  // other.
  const bool lost = bernoulli(stream, feedback_.loss);
  const Round ready = round + delay(stream);
  // The next multiple of `batch` that is not before `ready`: batches are cut by round, not by
  // count.
  const Round due = (ready + feedback_.batch - 1) / feedback_.batch * feedback_.batch;
  letters_.push({due, round, lost, decision, outcome});
}

// By due round, then in the order of sending: a heap alone would leave ties to the library. A lost
// outcome is forgotten when it was due, as a caller cannot know before then that it will not come.
void FeedbackQueue::deliver(Round round, AnyPolicy& policy, Stream& stream) {
  while (!letters_.empty() && letters_.top().due <= round) {
    const Letter letter = letters_.top();
    letters_.pop();
    if (letter.lost)
      policy.forget(letter.decision);
    else
      policy.observe(letter.decision, letter.outcome, stream);
  }
}

}  // namespace armature
