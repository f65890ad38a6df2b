#include "simulate/feedback.h"

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
  const bool fixed = text.starts_with("fixed:");
  if (!fixed && !text.starts_with("geometric:mean=")) refuse("none, fixed:N or geometric:mean=N");
  const std::string number = text.substr(text.find(fixed ? ':' : '=') + 1);
  const std::string expected =
      std::string(fixed ? "fixed:N" : "geometric:mean=N") + " with N from 0 to 10^9 rounds";
  Feedback feedback;
  feedback.delay = fixed ? Delay::kFixed : Delay::kGeometric;
  try {
    feedback.rounds = fixed ? static_cast<double>(whole_value(number)) : real_value(number);
  } catch (const Error& error) {
    refuse(expected + ", or a formula: " + error.report().expected);
  }
  if (!(feedback.rounds >= 0 && feedback.rounds <= 1e9)) refuse(expected);
  return feedback;
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
