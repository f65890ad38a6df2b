#include "audit/replay_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/policy_session.h"
#include "audit/replay_intervals.h"
#include "audit/replay_model.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr double kFewRows = 100;           // too few to rely on
constexpr double kHeavyShare = 0.05;       // of all weights on one row
constexpr double kWeightLevel = 1 - 1e-6;  // of the interval that the mean weight must lie in

// A candidate as it goes on its way.
struct Traveller {
  std::string label;  // for people
  std::string text;   // of the policy
  ReplayMethod method;
  bool learns;
  Problem problem;  // that it is told, with a horizon
};

Traveller traveller(const ReplayCandidate& candidate, const ReplaySetting& setting) {
  const bool learns = !plays_one_law(candidate);
  const ReplayMethod method =
      setting.question.method.value_or(learns ? ReplayMethod::kRejection : ReplayMethod::kDr);
  Problem problem = setting.problem;
  problem.horizon = told_horizon(setting, method);
  if (candidate.action.empty())
    return {canonical_policy(candidate.policy, problem.formula_variables()), candidate.policy,
            method, learns, std::move(problem)};
  const std::vector<std::string>& names = setting.log.actions;
  const auto found = std::find(names.begin(), names.end(), candidate.action);
  if (found == names.end())
    throw Error({setting.question.source, "action", "'" + candidate.action + "'",
                 (names.size() <= 20 ? "one of " + join(names, ", ") : "an action of the log") +
                     did_you_mean(candidate.action, names)});
  return {"always '" + candidate.action + "'", fmt::format("fixed:arm={}", found - names.begin()),
          method, learns, std::move(problem)};
}

std::string unseen_names(const ReplaySetting& setting) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < setting.log.actions.size(); ++a)
    if (!setting.log.seen(a)) names.push_back("'" + setting.log.actions[a] + "'");
  constexpr std::size_t kMost = 5;
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

// --- Rejection -----------------------------------------------------------------------------------

// The policy decides once and waits for a row that was played so; such a row is kept with
// probability c/p, c below every propensity. A row is then kept with probability c whatever was
// decided, so the kept rows are a run of the policy as if it had been at work, and how many they
// are tells nothing about them (Li, Chu, Langford and Wang 2011 for uniform logs).
class Rejection : public ReplayEvaluation {
 public:
  Rejection(const Traveller& who, const ReplaySetting& setting)
      : setting_(setting),
        label_(who.label),
        horizon_(*who.problem.horizon),
        session_(who.text, who.problem, setting.question.seed),
        plays_(setting.log.actions.size()) {
    if (setting.question.resamples > 0)
      bootstrap_.emplace(setting.question.resamples, setting.question.seed);
  }

  void take(const LogRow& row, std::uint64_t number) override {
    const bool kept = rounds_ < horizon_ && keeps(row, number);
    if (bootstrap_) bootstrap_->add(kept ? row.reward : 0, kept ? 1 : 0, row.reward);
    if (!kept) return;
    session_.observe(*waiting_, {row.context, row.reward});
    waiting_.reset();
    ++plays_[row.action];
    ++rounds_;
    rewards_.add(row.reward);
  }

  ReplayValue finish(const LogEarnings& earned) override {
    ReplayValue value;
    value.policy = label_;
    value.method = ReplayMethod::kRejection;
    value.rounds = rounds_;
    value.horizon = horizon_;
    value.effective_rows = static_cast<double>(rounds_);
    for (const std::uint64_t plays : plays_)
      value.shares.push_back(rounds_ > 0 ? static_cast<double>(plays) / static_cast<double>(rounds_)
                                         : 0);
    value.value = rounds_ > 0 ? rewards_.mean() : std::numeric_limits<double>::quiet_NaN();
    value.difference = value.value - earned.value;
    intervals(value, earned);
    warn(value);
    return value;
  }

 private:
  bool keeps(const LogRow& row, std::uint64_t number) {
    if (!waiting_) waiting_ = session_.choose();
    if (waiting_->arm != row.action) return false;
    const double kept = setting_.smallest / row.propensity;
    if (kept >= 1) return true;
    // Another replication than the bootstrap's, so that the two share no luck.
    Stream coin = Stream::within_round({setting_.question.seed, 1, Purpose::kReplay}, number);
    return bernoulli(coin, kept);
  }

  void intervals(ReplayValue& value, const LogEarnings& earned) const {
    const double level = setting_.question.level;
    if (bootstrap_ && rounds_ > 0) {
      value.interval = within(bootstrap_->ratio(level, 1), 0, 1);
      value.difference_interval = within(bootstrap_->difference(level, 1), -1, 1);
      return;
    }
    value.interval = within(rewards_.interval(level), 0, 1);
    // Each of the two at half the error.
    const Interval own = within(rewards_.interval(1 - (1 - level) / 2), 0, 1);
    value.difference_interval = {own.low - earned.half_interval.high,
                                 own.high - earned.half_interval.low};
  }

  void warn(ReplayValue& value) const {
    if (rounds_ == 0)
      value.warnings.push_back("no row could be kept: nothing is known of it");
    else if (value.effective_rows < kFewRows)
      value.warnings.push_back(fmt::format(
          "only {} rounds: what it does once it has learned is not seen here", rounds_));
    if (rounds_ > 0 && setting_.question.horizon && rounds_ < horizon_)
      value.warnings.push_back(fmt::format("the log ended after {} of its {} rounds",
                                           grouped(static_cast<double>(rounds_)),
                                           grouped(static_cast<double>(horizon_))));
  }

  const ReplaySetting& setting_;
  std::string label_;
  Round horizon_;
  PolicySession session_;
  std::optional<Decision> waiting_;
  std::vector<std::uint64_t> plays_;
  Round rounds_ = 0;
  MartingaleMean rewards_ = MartingaleMean::of_rewards();
  std::optional<PoissonBootstrap> bootstrap_;
};

// --- Weighting -----------------------------------------------------------------------------------

// Row i is worth x_i = q(π_i) + w_i·(y_i − q(a_i)), w_i = π_i(a_i)/p_i, with π_i the candidate's
// law and q the model, both from the rows before i: given those, the mean of x_i is Σ_a
// π_i(a)·μ(a). q = 0 is ips. snips divides Σ w·y by Σ w; its interval is that of x with q its value
// so far, which varies as snips does.
class Weighting : public ReplayEvaluation {
 public:
  Weighting(const Traveller& who, const ReplaySetting& setting)
      : setting_(setting),
        label_(who.label),
        method_(who.method),
        learns_(who.learns),
        horizon_(*who.problem.horizon),
        policy_(make_policy(who.text, who.problem)),
        stream_({setting.question.seed, 0, Purpose::kPolicy}),
        law_(setting.log.actions.size()),
        shares_(law_.size()),
        model_(model_kind(), law_.size(), setting.log.contexts.size(),
               setting.question.given ? setting.question.given->marginals : nullptr),
        most_((decide(), most_weight())),
        // A worth lies w·(y − q(a)) from q(π): at most `most_` either way. That of ips is not
        // negative, and its centre at most 1.
        values_(method_ == ReplayMethod::kIps ? 1 : most_, most_, most_),
        differences_(method_ == ReplayMethod::kIps ? 2 : most_ + 1, most_ + 1, most_),
        weight_mean_(1, most_, most_) {
    if (learns_ && !policy_->witness_obstacle().empty())
      throw Error({"", "--method", replay_method_name(method_),
                   fmt::format("rejection: {} learns only from what it chose itself", who.text)});
    if (setting.question.resamples > 0)
      bootstrap_.emplace(setting.question.resamples, setting.question.seed);
  }

  void take(const LogRow& row, std::uint64_t) override {
    if (learns_) decide();
    const double weight = law_[row.action] / row.propensity;
    const double expected = model_.over(law_, setting_.log.plays);
    const double worth = expected + weight * (row.reward - model_.at(row.action));
    const double centre = method_ == ReplayMethod::kIps ? values_.guess() : expected;
    differences_.add(worth - row.reward, centre - rewards_.guess(), row.weight);
    values_.add(worth, centre, row.weight);
    rewards_.add(row.reward, rewards_.guess(), row.weight);
    note(row, weight);
    if (bootstrap_) {
      const bool ratio = method_ == ReplayMethod::kSnips;
      bootstrap_->add(ratio ? weight * row.reward : worth, ratio ? weight : 1, row.reward);
    }
    if (learns_) policy_->witness(row.action, {row.context, row.reward}, stream_);
    model_.learn(row, weight * row.weight);
  }

  ReplayValue finish(const LogEarnings& earned) override {
    const double rows = setting_.log.weight;
    ReplayValue value;
    value.policy = label_;
    value.method = method_;
    value.rounds = setting_.log.rows;
    if (learns_) value.horizon = horizon_;
    for (const double share : shares_) value.shares.push_back(share / rows);
    for (std::size_t a = 0; a < shares_.size(); ++a)
      if (!setting_.log.seen(a)) value.unseen += value.shares[a];
    value.effective_rows = squares_ > 0 ? weights_ * weights_ / squares_ : 0;
    value.largest_weight = largest_;
    value.value = weights_ <= 0                     ? std::numeric_limits<double>::quiet_NaN()
                  : method_ == ReplayMethod::kSnips ? (1 - value.unseen) * worth_ / weights_
                                                    : values_.mean();
    value.difference = value.value - earned.value;
    intervals(value);
    warn(value);
    return value;
  }

 private:
  RewardModel::Kind model_kind() const {
    if (method_ == ReplayMethod::kIps) return RewardModel::Kind::kNone;
    if (method_ == ReplayMethod::kSnips) return RewardModel::Kind::kConstant;
    return setting_.question.benign ? RewardModel::Kind::kContexts : RewardModel::Kind::kActions;
  }

  // Its law over the next action; of one without a closed form the action that it draws.
  void decide() {
    if (policy_->probabilities(law_)) return;
    const Decision decision = policy_->choose(stream_);
    policy_->forget(decision);
    std::fill(law_.begin(), law_.end(), 0.0);
    law_[decision.arm] = 1;
  }

  // That a row may have, by what is known before the first one.
  double most_weight() const {
    double most = 0;
    for (std::size_t a = 0; a < law_.size(); ++a)
      if (setting_.log.seen(a))
        most = std::max(most, (learns_ ? 1 : law_[a]) / setting_.least_propensity[a]);
    return std::max(most, 1e-9);  // a range needs a width
  }

  void note(const LogRow& row, double weight) {
    for (std::size_t a = 0; a < law_.size(); ++a) shares_[a] += row.weight * law_[a];
    weight_mean_.add(weight, weight_mean_.guess(), row.weight);
    weights_ += row.weight * weight;
    squares_ += row.weight * weight * weight;
    worth_ += row.weight * weight * row.reward;
    largest_ = std::max(largest_, weight);
  }

  // Of what is played where the log has nothing, anything may be true.
  void intervals(ReplayValue& value) const {
    const double level = setting_.question.level;
    const double factor = method_ == ReplayMethod::kSnips ? 1 - value.unseen : 1;
    Interval own = bootstrap_ ? bootstrap_->ratio(level, factor) : values_.interval(level);
    Interval difference =
        bootstrap_ ? bootstrap_->difference(level, factor) : differences_.interval(level);
    own.high += value.unseen;
    difference.high += value.unseen;
    value.interval = weights_ > 0 ? within(own, 0, 1) : Interval{0, 1};
    value.difference_interval = within(difference, -1, 1);
  }

  void warn(ReplayValue& value) const {
    if (value.unseen > 1e-12)
      value.warnings.push_back(
          fmt::format("{} of its decisions are actions that the log never has ({}): nothing is "
                      "known of them, and the interval allows everything there",
                      percent(value.unseen), unseen_names(setting_)));
    if (weights_ <= 0) return;
    const double should = 1 - value.unseen;
    const Interval likely = weight_mean_.interval(kWeightLevel);
    if (should < likely.low - 1e-9 || should > likely.high + 1e-9)
      value.warnings.push_back(fmt::format(
          "weights average {:.3g} where they should average {:.3g}: the propensities are not those "
          "that the actions were chosen with, and this number is wrong",
          weight_mean_.mean(), should));
    if (value.effective_rows < kFewRows)
      value.warnings.push_back(fmt::format("as good as {:.3g} rows of its own: too few to rely on",
                                           value.effective_rows));
    else if (largest_ > kHeavyShare * weights_)
      value.warnings.push_back(
          fmt::format("one row alone carries {} of all weight", percent(largest_ / weights_)));
  }

  const ReplaySetting& setting_;
  std::string label_;
  ReplayMethod method_;
  bool learns_;
  Round horizon_;
  std::unique_ptr<AnyPolicy> policy_;
  Stream stream_;
  std::vector<double> law_;
  std::vector<double> shares_;
  RewardModel model_;
  double most_;
  MartingaleMean values_, differences_, weight_mean_;
  MartingaleMean rewards_ = MartingaleMean::of_rewards();  // of the log, so far
  double weights_ = 0, squares_ = 0, worth_ = 0, largest_ = 0;
  std::optional<PoissonBootstrap> bootstrap_;
};

// --- Which of the two ----------------------------------------------------------------------------

void refuse_weights(const ReplaySetting& setting, const std::string& what,
                    const std::string& instead) {
  if (setting.log.weighted)
    throw Error({setting.question.source, "weight", "rows that stand for several",
                 fmt::format("rows of weight 1 for {}, which goes by the order of decisions{}",
                             what, instead)});
}

}  // namespace

Round told_horizon(const ReplaySetting& setting, ReplayMethod method) {
  if (setting.question.horizon) return *setting.question.horizon;
  if (setting.problem.horizon) return *setting.problem.horizon;
  if (method != ReplayMethod::kRejection) return setting.log.rows;
  const double kept = static_cast<double>(setting.log.rows) * setting.smallest;
  return std::max<Round>(1, static_cast<Round>(std::floor(kept + 1e-6)));
}

bool plays_one_law(const ReplayCandidate& candidate) {
  if (!candidate.action.empty()) return true;
  const std::string name = candidate.policy.substr(0, candidate.policy.find(':'));
  return name == "uniform" || name == "fixed";
}

std::unique_ptr<ReplayEvaluation> evaluation_of(const ReplayCandidate& candidate,
                                                const ReplaySetting& setting) {
  const Traveller who = traveller(candidate, setting);
  if (setting.question.resamples > 0) refuse_weights(setting, "a bootstrap", "");
  if (who.method != ReplayMethod::kIps || who.learns)
    refuse_weights(setting, who.label + " by " + replay_method_name(who.method),
                   who.learns ? "" : "; ips can do without");
  if (who.method != ReplayMethod::kRejection) return std::make_unique<Weighting>(who, setting);
  const std::string unseen = unseen_names(setting);
  if (!unseen.empty())
    throw Error({setting.question.source, "actions", "no row of " + unseen,
                 "rows of every action that the policy may choose, or a given problem without it"});
  return std::make_unique<Rejection>(who, setting);
}

}  // namespace armature
