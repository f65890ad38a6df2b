#include "policies/balancing/corral.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "policies/tools/insights.h"
#include "policies/tools/tickets.h"
#include "policies/tools/ties.h"

namespace armature {
namespace {

constexpr double kLeastProbability = 1e-8;  // as in the published script, against rounding
constexpr double kLeastWeight = 1e-30;      // a probability, or one smoothed by 1/T

// sqrt(4ρ·log t/n) + (4/3)·ρ·log t/n, n floored at 1.
double bonus(double range, double log_round, std::uint64_t count) {
  const double n = count == 0 ? 1.0 : static_cast<double>(count);
  return std::sqrt(4 * range * log_round / n) + 4.0 / 3 * range * log_round / n;
}

double mean(double sum, std::uint64_t count) {
  return sum / (count == 0 ? 1.0 : static_cast<double>(count));
}

double upper(double sum, std::uint64_t count, double range, double log_round) {
  return mean(sum, count) + bonus(range, log_round, count);
}

double log_of(std::uint64_t round) { return portable::log(static_cast<double>(round)); }

// Of one of the two learners, with a weight one can divide by.
template <class Item>
bool all_sound(const std::vector<Item>& items) {
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    return item.learner <= 1 && item.weight >= kLeastWeight && item.weight <= 1;
  });
}

}  // namespace

PolicyFacts Corral::facts() {
  return {.name = "corral",
          .summary = "mirror descent over c-ucb and ucb on importance-weighted rewards",
          .text =
              "Draws one of two learners in every round, with probabilities moved by log-barrier "
              "mirror descent on their losses, and feeds it importance-weighted rewards. The "
              "classic way to hedge between learners, and a slow one: its learning rate and its "
              "bonuses are so cautious that below millions of rounds it hardly moves. "
              "variant=published keeps the smoothing mistake of the published script.",
          .section = "§5",
          .needs_horizon = true,
          .needs_marginals = true,
          .parameters = {
              Parameter::choice("variant", {"corrected", "published"})
                  .help("p̄ = (1-γ)p + γ/2 and weights 1/p̄, or (1-γ)p·γ/2 and weights 1/p", "§5")}};
}

Corral::Corral(const Problem& problem, const Arguments& arguments)
    : published_(arguments.is_word("variant", "published")),
      rows_(std::make_shared<const MarginalRows>(*problem.marginals)),
      actions_(problem.actions()),
      causal_scores_(*rows_),
      action_indices_(problem.actions()),
      uppers_(problem.contexts()) {
  const double horizon = std::max(2.0, static_cast<double>(problem.horizon.value()));
  const double log_horizon = portable::log(horizon);
  smoothing_ = 1 / horizon;
  growth_ = portable::exp(1 / log_horizon);
  learned_.visits.resize(problem.contexts());
  learned_.plays.resize(problem.actions());
  learned_.context_sums.resize(problem.contexts());
  learned_.action_sums.resize(problem.actions());
  learned_.rate = 1 / (240 * std::sqrt(2 * horizon) * portable::pow(log_horizon, 1.5));
  open_.reserve(kReservedTickets);
  due_.reserve(kReservedTickets);
  follow_all();
}

Arm Corral::plain_causal_choice(const Learned& learned, double log_round) const {
  std::vector<double> uppers(rows_->contexts()), sums(rows_->rows());
  for (Context z = 0; z < uppers.size(); ++z)
    uppers[z] = upper(learned.context_sums[z], learned.visits[z], learned.causal_range, log_round);
  rows_->sums(uppers, sums);
  return rows_->action(first_largest(sums));
}

Arm Corral::plain_action_choice(const Learned& learned, double log_round) const {
  return lowest_argmax(actions_, [&](Arm a) {
    return upper(learned.action_sums[a], learned.plays[a], learned.action_range, log_round);
  });
}

// The same choices in less work.
Arm Corral::causal_choice(double log_round) {
  const double level = learned_.causal_range * log_round;
  bool worked_out = false;
  const auto uppers = [&]() -> std::span<const double> {
    for (Context z = 0; z < uppers_.size() && !worked_out; ++z)
      uppers_[z] =
          upper(learned_.context_sums[z], learned_.visits[z], learned_.causal_range, log_round);
    worked_out = true;
    return uppers_;
  };
  return rows_->action(causal_scores_.best_row(
      {1, 2 * std::sqrt(level), 4.0 / 3 * level},
      [&](std::uint32_t row) { return rows_->sum(row, uppers()); },
      [&](std::span<double> out) { rows_->sums(uppers(), out); }));
}

Arm Corral::action_choice(double log_round) {
  return action_indices_.best(learned_.action_range * log_round, [&](Arm a) {
    return upper(learned_.action_sums[a], learned_.plays[a], learned_.action_range, log_round);
  });
}

BlendedScores<3>::Parts Corral::parts_of(Context z) const {
  const double inverse = 1 / std::max(1.0, static_cast<double>(learned_.visits[z]));
  return {mean(learned_.context_sums[z], learned_.visits[z]), std::sqrt(inverse), inverse};
}

// After an outcome was worked in.
void Corral::follow(const Due& due) {
  if (due.learner == kCausal)
    causal_scores_.set(due.context, parts_of(due.context));
  else
    action_indices_.set(due.arm, mean(learned_.action_sums[due.arm], learned_.plays[due.arm]),
                        learned_.plays[due.arm]);
}

void Corral::follow_all() {
  causal_scores_.reset([this](Context z) { return parts_of(z); });
  action_indices_ = RisingIndices(actions_);
  for (Arm a = 0; a < actions_; ++a)
    if (learned_.plays[a] > 0)
      action_indices_.set(a, mean(learned_.action_sums[a], learned_.plays[a]), learned_.plays[a]);
}

Decision Corral::choose(Stream& stream) {
  for (const Due& due : due_) {
    work_in(due, learned_);
    follow(due);
  }
  due_.clear();

  ++rounds_;
  const bool causal = bernoulli(stream, learned_.smoothed);
  causal_rounds_ += causal ? 1 : 0;
  // What weights divide by.
  const double p = published_ ? learned_.probability : learned_.smoothed;
  open_.push_back({rounds_, causal ? kCausal : kActions, causal ? p : 1 - p});
  const double log_round = log_of(rounds_);
  return {causal ? causal_choice(log_round) : action_choice(log_round), rounds_};
}

// Outcomes that are due are worked in on a copy: choose will do the same.
Corral::Learned Corral::learned_next() const {
  Learned learned = learned_;
  for (const Due& due : due_) work_in(due, learned);
  return learned;
}

bool Corral::probabilities(std::span<double> out) const {
  const Learned learned = learned_next();
  const double log_round = log_of(rounds_ + 1);
  std::fill(out.begin(), out.end(), 0.0);
  out[plain_causal_choice(learned, log_round)] += learned.smoothed;
  out[plain_action_choice(learned, log_round)] += 1 - learned.smoothed;
  return true;
}

// Learners are c-ucb and ucb, in this order.
Insights Corral::explain() const {
  const Learned learned = learned_next();
  const auto causal = static_cast<double>(causal_rounds_);
  return {
      {"learner_probability", Insight::Of::kLearners, {learned.smoothed, 1 - learned.smoothed}},
      {"learner_range", Insight::Of::kLearners, {learned.causal_range, learned.action_range}},
      {"learner_plays", Insight::Of::kLearners, {causal, static_cast<double>(rounds_) - causal}},
      {"rate", Insight::Of::kPolicy, {learned.rate}}};
}

void Corral::observe(Decision decision, Outcome outcome, Stream&) {
  const Open open = close_ticket(open_, decision);
  due_.insert(place_of(due_, decision.ticket), {open.ticket, open.learner, decision.arm,
                                                outcome.context, open.weight, outcome.reward});
}

void Corral::forget(Decision decision) { close_ticket(open_, decision); }

void Corral::work_in(const Due& due, Learned& learned) const {
  const double weighted = due.reward / due.weight;
  const double loss = (1 - due.reward) / due.weight;
  if (due.learner == kCausal) {
    ++learned.visits[due.context];
    learned.context_sums[due.context] += weighted;
    descend(loss, 0, learned);
  } else {
    ++learned.plays[due.arm];
    learned.action_sums[due.arm] += weighted;
    descend(0, loss, learned);
  }
}

// The log-barrier step: 1/p'_i = 1/p_i + η(ℓ_i − λ) with λ such that both sum to 1. For two
// learners, with D the difference of 1/p_i + η·ℓ_i, that is p' = 2/(2 + D + sqrt(D² + 4)).
void Corral::descend(double causal_loss, double action_loss, Learned& learned) const {
  double& p = learned.probability;
  // Without a loss p stays, to the last bit: else rounding would decide between actions that tie.
  if (causal_loss != action_loss) {
    const double difference =
        1 / p + learned.rate * causal_loss - (1 / (1 - p) + learned.rate * action_loss);
    p = 2 / (2 + difference + std::sqrt(difference * difference + 4));
    p = std::clamp(p, kLeastProbability, 1 - kLeastProbability);
  }
  const double smoothed =
      published_ ? (1 - smoothing_) * p * smoothing_ / 2 : (1 - smoothing_) * p + smoothing_ / 2;
  learned.smoothed = smoothed;
  if (1 / smoothed > learned.causal_range) {
    learned.causal_range = 2 / smoothed;
    learned.rate *= growth_;
  }
  if (1 / (1 - smoothed) > learned.action_range) {
    learned.action_range = 2 / (1 - smoothed);
    learned.rate *= growth_;
  }
}

void Corral::visit_state(StateVisitor& visitor) {
  visitor.field("visits", learned_.visits);
  visitor.field("plays", learned_.plays);
  visitor.field("context_sums", learned_.context_sums);
  visitor.field("action_sums", learned_.action_sums);
  visitor.field("probability", learned_.probability);
  visitor.field("smoothed", learned_.smoothed);
  visitor.field("causal_range", learned_.causal_range);
  visitor.field("action_range", learned_.action_range);
  visitor.field("rate", learned_.rate);
  visitor.field("rounds", rounds_);
  visitor.field("causal_rounds", causal_rounds_);
  visitor.list("open", open_, [](ItemVisitor& part, Open& open) {
    part.field("ticket", open.ticket);
    part.field("learner", open.learner);
    part.field("weight", open.weight);
  });
  visitor.list("due", due_, [](ItemVisitor& part, Due& due) {
    part.field("ticket", due.ticket);
    part.field("learner", due.learner);
    part.field("arm", due.arm);
    part.field("context", due.context);
    part.field("weight", due.weight);
    part.field("reward", due.reward);
  });
  if (!visitor.reading()) return;
  require_sound(visitor);
  follow_all();
}

// What descend and choose rely on.
void Corral::require_sound(const StateVisitor& visitor) const {
  constexpr double kMostRange = 2 / kLeastWeight;
  // A round is counted once at most, so that no count ever overflows.
  const auto require_counts = [&](std::string_view name, std::span<const std::uint64_t> counts) {
    for (const std::uint64_t count : counts) visitor.require(count <= rounds_, name);
  };
  // So many rewards divided by their weights, give or take the rounding.
  const auto require_sums = [&](std::string_view name, std::span<const double> sums,
                                std::span<const std::uint64_t> counts) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      visitor.require_within(0, static_cast<double>(counts[i]) * kMostRange, name,
                             sums.subspan(i, 1));
  };
  visitor.require(rounds_ <= kMostTickets, "rounds");
  require_counts("visits", learned_.visits);
  require_counts("plays", learned_.plays);
  require_sums("context_sums", learned_.context_sums, learned_.visits);
  require_sums("action_sums", learned_.action_sums, learned_.plays);
  visitor.require(
      learned_.probability >= kLeastProbability && learned_.probability <= 1 - kLeastProbability,
      "probability");
  visitor.require(learned_.smoothed >= kLeastWeight && learned_.smoothed < 1, "smoothed");
  visitor.require(learned_.causal_range >= 1 && learned_.causal_range <= kMostRange,
                  "causal_range");
  visitor.require(learned_.action_range >= 1 && learned_.action_range <= kMostRange,
                  "action_range");
  visitor.require(learned_.rate > 0 && learned_.rate <= 1, "rate");
  visitor.require(causal_rounds_ <= rounds_, "causal_rounds");
  visitor.require(ascend_to(open_, rounds_) && all_sound(open_), "open");
  visitor.require(ascend_to(due_, rounds_) && all_sound(due_), "due");
  for (const Due& due : due_)
    visitor.require(due.arm < actions_ && due.context < learned_.visits.size() && due.reward >= 0 &&
                        due.reward <= 1,
                    "due");
}

Diagnostics Corral::diagnostics() const {
  const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
  return {{"share(c-ucb)", static_cast<double>(causal_rounds_) / rounds},
          {"probability(c-ucb)", learned_.probability}};
}

}  // namespace armature
