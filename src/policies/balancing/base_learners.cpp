#include "policies/balancing/base_learners.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/leap.h"
#include "base/formula.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::size_t kMostLearners = 16;

}  // namespace

std::string handed_down(const std::string& text,
                        std::initializer_list<std::pair<const char*, double>> values) {
  TextForm form = TextForm::parse(text);
  const PolicyFacts& facts = find_policy(form.name).facts;
  for (const auto& [key, value] : values) {
    const bool takes =
        std::any_of(facts.parameters.begin(), facts.parameters.end(),
                    [key = key](const Parameter& parameter) { return parameter.name() == key; });
    const bool has = std::any_of(form.values.begin(), form.values.end(),
                                 [key = key](const auto& given) { return given.first == key; });
    if (takes && !has) form.values.emplace_back(key, print_real(value));
  }
  return form.print();
}

std::vector<double> number_list(const Arguments& arguments, const std::string& name,
                                std::size_t count) {
  std::vector<double> numbers;
  for (const std::string& part : split_list(arguments.word(name))) {
    const auto number = parse_real(part);
    if (!number ||
        !(*number >= 1e-30 && *number <= 1e30))  // cubes of them must not over- or underflow
      arguments.reject(
          name, "positive numbers (1e-30 to 1e30) or formulas in parentheses, joined by '+'");
    numbers.push_back(*number);
  }
  if (numbers.size() != count)
    arguments.reject(name, fmt::format("{} numbers, one per learner", count));
  return numbers;
}

std::string canonical_numbers(const std::string& list, const FormulaVariables& variables) {
  std::vector<std::string> parts;
  for (const std::string& part : split_list(list)) {
    try {
      parts.push_back(print_real(real_value(part, variables)));
    } catch (const Error&) {
      return list;  // what is no number, or not yet, stays as it was written: parentheses and all
    }
  }
  return join(parts, "+");
}

std::string canonical_policies(const std::string& list, const FormulaVariables& variables) {
  std::vector<std::string> parts;
  for (const std::string& part : split_list(list)) {
    const std::string text = canonical_policy(part, variables);
    parts.push_back(text.find(':') == std::string::npos ? text : "(" + text + ")");
  }
  return join(parts, "+");
}

std::string without_floor(const std::string& text, const Arguments& arguments) {
  if (TextForm::parse(text).name == "floor")
    arguments.reject("base",
                     "policies without a floor of their own; a floor goes around all of it");
  return text;
}

Parameter BaseLearners::base_parameter() {
  return Parameter::text("base", "policies joined by '+', those with keys in parentheses")
      .defaults_to("c-ucb+ucb")
      .written_as(canonical_policies)
      .help("the base learners; delta and scale are handed down to them", "§4");
}

BaseLearners::BaseLearners(const Problem& problem, const Arguments& arguments, double delta) {
  const std::vector<std::string> texts = split_list(arguments.word("base"));
  if (texts.size() < 2 || texts.size() > kMostLearners)
    arguments.reject("base", fmt::format("2 to {} policies joined by '+'", kMostLearners));
  for (const std::string& text : texts) {
    Learner learner;
    learner.full_text = handed_down(without_floor(text, arguments),
                                    {{"delta", delta}, {"scale", arguments.real("scale")}});
    learner.policy = InnerPolicy(make_policy(learner.full_text, problem));
    learner.name = canonical_policy(text);
    const auto same_text =
        std::count_if(learners_.begin(), learners_.end(), [&](const Learner& other) {
          return other.name.substr(0, other.name.find('#')) == learner.name;
        });
    if (same_text > 0) learner.name += fmt::format("#{}", same_text + 1);
    learners_.push_back(std::move(learner));
  }
}

double BaseLearners::proved_coefficient(std::size_t i, const Problem& problem,
                                        const Arguments& arguments) const {
  const auto known = policy_coefficient(learners_[i].full_text, problem);
  if (!known)
    throw Error(
        {"", arguments.owner() + ": base",
         fmt::format("'{}', for which no coefficient is proved", learners_[i].name),
         "policies with one (ucb, c-ucb, pe; confidence=paper), or d= with a number per learner"});
  return *known;
}

Decision BaseLearners::choose(std::size_t i, Stream& stream) {
  const Decision own = learners_[i].policy->choose(stream);
  ARMATURE_CHECK(own.ticket >> (64 - kLearnerBits) == 0,
                 "a learner's ticket leaves room for its number");
  return {own.arm, own.ticket << kLearnerBits | i};
}

void BaseLearners::observe(Decision decision, Outcome outcome, Stream& stream) {
  learners_[learner_of(decision)].policy->observe(own_decision(decision), outcome, stream);
}

void BaseLearners::forget(Decision decision) {
  learners_[learner_of(decision)].policy->forget(own_decision(decision));
}

void BaseLearners::witness(const Tally& tally, Stream& stream) {
  for (Learner& learner : learners_) learner.policy->witness(tally, stream);
}

std::string BaseLearners::witness_obstacle() const {
  for (const Learner& learner : learners_)
    if (const std::string instead = learner.policy->witness_obstacle(); !instead.empty())
      return fmt::format("{} (because of its learner {})", instead, learner.name);
  return {};
}

std::string BaseLearners::leap_obstacle() const {
  for (const Learner& learner : learners_) {
    leap::Leaper* const leaper = learner.policy->leaper();
    if (leaper && leaper->balancer())
      return fmt::format("its learner {} is itself a balancer", learner.name);
    if (const std::string why = leap::obstacle(*learner.policy); !why.empty())
      return fmt::format("its learner {}: {}", learner.name, why);
  }
  return {};
}

void BaseLearners::visit_state(StateVisitor& visitor) {
  for (Learner& learner : learners_) learner.policy->visit_state(visitor);
}

}  // namespace armature
