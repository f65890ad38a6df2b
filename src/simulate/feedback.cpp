#include "simulate/feedback.h"

#include <fmt/format.h>

#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {

Feedback Feedback::parse_delay(const std::string& text) {
  const auto fail = [&](const char* expected) -> Feedback {
    throw Error({"", "delay", "'" + text + "'", expected});
  };
  if (text == "none") return {};
  Feedback feedback;
  if (text.starts_with("fixed:")) {
    const auto rounds = parse_integer(text.substr(6));
    if (!rounds || *rounds > 1'000'000'000) return fail("fixed:N with N from 0 to 10^9 rounds");
    feedback.delay = Delay::kFixed;
    feedback.rounds = static_cast<double>(*rounds);
    return feedback;
  }
  if (text.starts_with("geometric:mean=")) {
    const auto mean = parse_real(text.substr(15));
    if (!mean || *mean < 0 || *mean > 1e9)
      return fail("geometric:mean=N with N from 0 to 10^9 rounds");
    feedback.delay = Delay::kGeometric;
    feedback.rounds = *mean;
    return feedback;
  }
  return fail("none, fixed:N or geometric:mean=N");
}

std::string Feedback::describe() const {
  if (prompt()) return "prompt";
  std::vector<std::string> parts;
  if (delay == Delay::kFixed) parts.push_back(fmt::format("delay=fixed:{:.0f}", rounds));
  if (delay == Delay::kGeometric) parts.push_back(fmt::format("delay=geometric:mean={}", rounds));
  if (batch != 1) parts.push_back(fmt::format("batch={}", batch));
  if (loss != 0) parts.push_back(fmt::format("loss={}", loss));
  return join(parts, " ");
}

Round FeedbackQueue::delay(Stream& stream) const {
  if (feedback_.delay == Feedback::Delay::kFixed) return static_cast<Round>(feedback_.rounds);
  if (feedback_.delay == Feedback::Delay::kNone || feedback_.rounds == 0) return 0;
  // Geometric on 0, 1, 2, …: P(delay ≥ k) = (mean/(1+mean))^k.
  const double log_stay = portable::log(feedback_.rounds / (1 + feedback_.rounds));
  return static_cast<Round>(std::floor(portable::log(stream.open_uniform()) / log_stay));
}

void FeedbackQueue::send(Round round, Decision decision, Outcome outcome) {
  Stream stream = Stream::within_round(key_, round);
  const bool lost = bernoulli(stream, feedback_.loss);
  const Round ready = round + delay(stream);
  const Round due = (ready + feedback_.batch - 1) / feedback_.batch * feedback_.batch;
  letters_.push({due, round, lost, decision, outcome});
}

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
