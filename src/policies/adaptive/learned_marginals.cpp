#include "policies/adaptive/learned_marginals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/extend.h"
#include "base/mathematics.h"
#include "base/text.h"
#include "policies/balancing/base_learners.h"
#include "policies/tools/insights.h"

namespace armature {
namespace {

constexpr std::size_t kReserved = 64;  // outcomes base has yet to hear of, before the list grows
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 62;  // more than anyone plays

std::string base_text(const Arguments& arguments) {
  const std::vector<std::string> parts = split_list(arguments.word("base"));
  if (parts.size() != 1) arguments.reject("base", "one policy, in parentheses if it has keys");
  return without_floor(parts.front(), arguments);
}

std::uint64_t plays_of(const Evidence& evidence, Arm arm) {
  std::uint64_t plays = 0;
  for (Context z = 0; z < evidence.contexts(); ++z) plays += evidence.plays(arm, z);
  return plays;
}

Matrix learned_marginals(const Evidence& evidence, double prior) {
  Matrix marginals(evidence.actions(), evidence.contexts());
  const double uniform = prior / evidence.contexts();
  for (Arm a = 0; a < evidence.actions(); ++a) {
    const double total = static_cast<double>(plays_of(evidence, a)) + prior;
    for (Context z = 0; z < evidence.contexts(); ++z)
      marginals(a, z) = (static_cast<double>(evidence.plays(a, z)) + uniform) / total;
  }
  return marginals;
}

double learned_epsilon(const Evidence& evidence, double prior, double delta) {
  double epsilon = 0;
  for (Arm a = 0; a < evidence.actions(); ++a) {
    const auto n = static_cast<double>(plays_of(evidence, a));
    if (n == 0) return 2;
    const double log_term =
        evidence.contexts() * portable::log(2) +
        portable::log(static_cast<double>(evidence.actions()) * n * (n + 1) / delta);
    epsilon = std::max(epsilon, std::sqrt(2 * log_term / n) + 2 * prior / (n + prior));
  }
  return std::min(2.0, epsilon);
}

// Bytes as whole numbers, the first of them how many bytes there are: a saved state within another
// one, which can be printed.
std::vector<std::uint64_t> words_of(const std::string& bytes) {
  std::vector<std::uint64_t> words(1 + (bytes.size() + 7) / 8);
  words.front() = bytes.size();
  std::memcpy(words.data() + 1, bytes.data(), bytes.size());
  return words;
}
std::string bytes_of(const std::vector<std::uint64_t>& words, const StateVisitor& visitor) {
  visitor.require(!words.empty() && words.front() <= 8 * (words.size() - 1), "base");
  std::string bytes(words.front(), '\0');
  std::memcpy(bytes.data(), words.data() + 1, bytes.size());
  return bytes;
}

}  // namespace

PolicyFacts LearnedMarginals::facts() {
  return {
      .name = "learned-marginals",
      .summary = "a causal policy on marginals that are learned from the outcomes",
      .text =
          "For problems whose marginals nobody knows; given ones are ignored, so that it can be set "
          "beside the same policy with the exact matrix. Counts which action led to which context, "
          "and plays base on these frequencies and on how far they may be off. Base is built anew, "
          "and taught all outcomes so far, whenever their number has doubled; what it counts of its "
          "own decisions (sentry's explorations) then starts anew. Actions played fewer than "
          "sqrt(t/|A|) times are played first, which costs at most |A| + sqrt(|A|·t) rounds if no "
          "outcome is lost. A new base does not know which plays are still out. In the "
          "worst case nothing is gained over ucb: without marginals no policy is below order "
          "sqrt(|A|·T) in all benign worlds (docs/theory.md, Theorem 5.2). Base must be able to "
          "learn from others' decisions.",
      .section = "§7, paper Thm 5.2",
      .parameters = {
          Parameter::text("base", "a policy, in parentheses if it has keys")
              .defaults_to("sentry")
              .written_as(canonical_policies)
              .help("what plays; epsilon or misspecification is handed down if it has none", "§7"),
          Parameter::real("prior").defaults_to("1").closed(1e-6, 1e6).help(
              "outcomes that the uniform row counts as", "§7"),
          Parameter::real("delta").defaults_to("0.05").open(0, 1).help(
              "δ: how often the marginals may be further off than ε", "§7")}};
}

LearnedMarginals::LearnedMarginals(const Problem& problem, const Arguments& arguments)
    : problem_(problem),
      text_(base_text(arguments)),
      prior_(arguments.real("prior")),
      delta_(arguments.real("delta")),
      evidence_(problem),
      fitted_(problem),
      in_flight_(problem.actions()),
      plays_(problem.actions()),
      least_(problem.actions()) {
  problem_.marginals.reset();
  problem_.epsilon.reset();
  const auto base = untaught_base();  // one on the prior alone: what is wrong shows now
  if (const std::string instead = base->witness_obstacle(); !instead.empty())
    throw Error({"", arguments.owner() + ": base",
                 fmt::format("'{}', which cannot learn from others' decisions", text_),
                 "a policy that can, for it is taught anew again and again"});
  tosses_coins_ = armature::tosses_coins(*base);
  due_.reserve(kReserved);
  rebuild();
}

// --- The base

// How often the number of outcomes has doubled since it was |A|, the first time included.
std::uint64_t LearnedMarginals::generation_due() const {
  std::uint64_t generation = generation_;
  while (evidence_.outcomes() >> generation >= problem_.actions()) ++generation;
  return generation;
}

InnerPolicy LearnedMarginals::untaught_base() const {
  Problem learned = problem_;
  learned.marginals = std::make_shared<const Matrix>(learned_marginals(fitted_, prior_));
  learned.epsilon = learned_epsilon(fitted_, prior_, delta_);
  return InnerPolicy(make_policy(
      handed_down(text_, {{"epsilon", *learned.epsilon}, {"misspecification", *learned.epsilon}}),
      learned));
}

// Anew and with all there is to learn, or with what it has not heard yet.
void LearnedMarginals::bring_base_up_to_date(Stream& stream) {
  if (generation_due() > generation_) {
    generation_ = generation_due();
    fitted_ = evidence_;
    base_ = untaught_base();
    for (const Tally& tally : evidence_.tallies()) base_->witness(tally, stream);
  } else {
    for (const Tally& tally : due_) base_->witness(tally, stream);
  }
  due_.clear();
}

// --- Rounds

// Is the next play that of the least played action, whatever base would say?
bool LearnedMarginals::plays_the_least() const {
  const double least = -least_.best_value();
  return !base_ || least == 0 || least * least * problem_.actions() < static_cast<double>(rounds_);
}

Decision LearnedMarginals::choose(Stream& stream) {
  if (!base_is_current()) bring_base_up_to_date(stream);
  Decision decision{least_.best(), 0};
  if (plays_the_least()) {
    ++forced_;
  } else {
    const Decision own = base_->choose(stream);
    ARMATURE_CHECK(own.arm < problem_.actions(), "base chooses one of the problem's arms");
    ARMATURE_CHECK(own.ticket >> (64 - kGenerationBits) == 0,
                   "base's ticket leaves room for its number");
    decision = {own.arm, own.ticket << kGenerationBits | generation_};
  }
  ++rounds_;
  ++in_flight_[decision.arm];
  update_least(decision.arm);
  return decision;
}

void LearnedMarginals::observe(Decision decision, Outcome outcome, Stream& stream) {
  land(decision);
  outcome.reward = tossed(outcome.reward, stream);
  const Tally tally{decision.arm, outcome.context, 1, outcome.reward};
  learn(tally);
  if (base_ && generation_of(decision) == generation_)
    base_->observe(own_decision(decision), outcome, stream);
  else
    teach_later(tally);
}

void LearnedMarginals::forget(Decision decision) {
  land(decision);
  update_least(decision.arm);
  if (base_ && generation_of(decision) == generation_) base_->forget(own_decision(decision));
}

void LearnedMarginals::witness(const Tally& tally, Stream& stream) {
  Tally heard = tally;
  if (tally.plays == 1) heard.rewards = tossed(tally.rewards, stream);
  ARMATURE_CHECK(!tosses_coins_ || heard.rewards == std::floor(heard.rewards),
                 "rewards added up for a base that tosses coins are 0 and 1");
  learn(heard);
  teach_later(heard);
}

LearnedMarginals LearnedMarginals::up_to_date() const {
  LearnedMarginals next(*this);
  Stream unused({0, 0, Purpose::kEstimate});  // what is kept of outcomes needs no coin
  next.bring_base_up_to_date(unused);
  return next;
}

bool LearnedMarginals::probabilities(std::span<double> out) const {
  if (!base_is_current()) return up_to_date().probabilities(out);
  if (!plays_the_least()) return base_->probabilities(out);
  std::fill(out.begin(), out.end(), 0.0);
  out[least_.best()] = 1;
  return true;
}

// Its base's, as far as the base is the one who decides; there is none before the first outcomes.
Insights LearnedMarginals::explain() const {
  if (!base_is_current()) return up_to_date().explain();
  Insights insights;
  if (base_) insights = base_->explain();
  if (plays_the_least()) tell_whether(insights, "by_index", false);
  return insights;
}

// A base that tosses coins would toss others each time it is taught: what came up is kept.
double LearnedMarginals::tossed(double reward, Stream& stream) const {
  if (!tosses_coins_ || reward == 0 || reward == 1) return reward;
  return bernoulli(stream, reward) ? 1 : 0;
}

void LearnedMarginals::learn(const Tally& tally) {
  evidence_.add(tally);
  plays_[tally.arm] += tally.plays;
  update_least(tally.arm);
}

void LearnedMarginals::teach_later(const Tally& tally) {
  if (!base_ || tally.plays == 0) return;  // the first base will hear of everything
  const auto place = std::lower_bound(due_.begin(), due_.end(), tally, before);
  if (place == due_.end() || before(tally, *place)) {
    due_.insert(place, tally);
  } else {
    place->plays += tally.plays;
    place->rewards += tally.rewards;
  }
}

void LearnedMarginals::land(Decision decision) {
  ARMATURE_CHECK(in_flight_[decision.arm] > 0,
                 "a decision is outstanding when its outcome comes or is given up");
  --in_flight_[decision.arm];
}

void LearnedMarginals::update_least(Arm arm) {
  least_.set(arm, -static_cast<double>(plays_[arm] + in_flight_[arm]));
}

// --- State

void LearnedMarginals::visit_state(StateVisitor& visitor) {
  evidence_.visit_state(visitor);
  fitted_.visit_state(visitor, "fitted");
  visitor.rare("in_flight", in_flight_);
  visitor.field("rounds", rounds_);
  visitor.field("forced", forced_);
  visitor.field("generation", generation_);
  visitor.require(rounds_ <= kMostRounds, "rounds");
  visitor.require(forced_ <= rounds_, "forced");
  visitor.require(
      generation_ == 0 || (generation_ < 1u << kGenerationBits &&
                           evidence_.outcomes() >> (generation_ - 1) >= problem_.actions()),
      "generation");
  for (const std::uint64_t waiting : in_flight_) visitor.require(waiting <= rounds_, "in_flight");
  visitor.require(!tosses_coins_ || evidence_.whole(), "evidence_whole");
  visit_base(visitor);
  visit_tallies(visitor, "due", due_, problem_.actions(), problem_.contexts());
  visitor.require(base_ || due_.empty(), "due");
  for (const Tally& tally : due_)
    visitor.require(!tosses_coins_ || tally.rewards == std::floor(tally.rewards), "due_rewards");
  if (visitor.reading()) rebuild();
}

// Its fields are as many as its marginals ask for, so they are saved as one whole.
void LearnedMarginals::visit_base(StateVisitor& visitor) {
  std::vector<std::uint64_t> state = base_ ? words_of(base_->save()) : std::vector<std::uint64_t>();
  visitor.list("base", state);
  if (!visitor.reading()) return;
  visitor.require(state.empty() == (generation_ == 0), "base");
  base_ = InnerPolicy();
  if (state.empty()) return;
  base_ = untaught_base();
  base_->load(bytes_of(state, visitor));
}

void LearnedMarginals::rebuild() {
  for (Arm a = 0; a < problem_.actions(); ++a) {
    plays_[a] = plays_of(evidence_, a);
    update_least(a);
  }
}

Diagnostics LearnedMarginals::diagnostics() const {
  Diagnostics diagnostics{{"rebuilds", static_cast<double>(generation_)},
                          {"forced_plays", static_cast<double>(forced_)},
                          {"learned_epsilon", learned_epsilon(fitted_, prior_, delta_)}};
  if (base_)
    for (Diagnostic& diagnostic : base_->diagnostics())
      diagnostics.push_back(std::move(diagnostic));
  return diagnostics;
}

}  // namespace armature
