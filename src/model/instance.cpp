#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "armature/error.h"
#include "armature/model.h"
#include "armature/state.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr double kSumTolerance = 1e-9;
// Means that should be equal may differ by the rounding of their sums; no such gap is a real one.
constexpr double kRoundingGap = 1e-13;

void validate_marginals(const Matrix& marginals) {
  for (std::size_t a = 0; a < marginals.rows(); ++a) {
    double sum = 0;
    for (std::size_t z = 0; z < marginals.columns(); ++z) {
      const double p = marginals(a, z);
      if (!(p >= 0 && p <= 1))
        throw Error(
            {"", fmt::format("marginals[{}][{}]", a, z), print_real(p), "a probability in [0,1]"});
      sum += p;
    }
    if (std::abs(sum - 1) > kSumTolerance)
      throw Error({"", fmt::format("marginals[{}]", a), fmt::format("a row that sums to {}", sum),
                   "a sum of 1 within 1e-9"});
  }
}

void validate_names(const std::vector<std::string>& names, const char* field) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw Error({"", field, fmt::format("'{}' twice", *twice), "names that differ"});
}

void require_size(std::size_t size, const char* field) {
  if (size == 0) throw Error({"", field, "0", "at least 1"});
  if (size >= std::size_t{1} << 31)
    throw Error({"", field, fmt::format("{}", size), "fewer than 2^31"});
}

void require_names(const std::vector<std::string>& names, std::size_t count, const char* field) {
  if (names.size() != count)
    throw Error({"", field, fmt::format("{} names", names.size()), fmt::format("{}", count)});
  validate_names(names, field);
}

}  // namespace

std::vector<std::string> numbered_names(char prefix, std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

FormulaVariables Problem::formula_variables() const {
  FormulaVariables variables;
  variables.actions = actions();
  variables.contexts = contexts();
  if (horizon) variables.horizon = static_cast<double>(*horizon);
  return variables;
}

void Problem::validate() const {
  require_size(action_names.size(), "actions");
  require_size(context_names.size(), "contexts");
  validate_names(action_names, "actions");
  validate_names(context_names, "contexts");
  if (horizon && *horizon < 1) throw Error({"", "horizon", "0", "at least 1"});
  if (marginals) {
    if (marginals->rows() != actions() || marginals->columns() != contexts())
      throw Error({"", "marginals",
                   fmt::format("{}×{} numbers", marginals->rows(), marginals->columns()),
                   fmt::format("{} actions × {} contexts", actions(), contexts())});
    validate_marginals(*marginals);
  }
  if (epsilon && !(*epsilon >= 0 && *epsilon <= 2))
    throw Error({"", "epsilon", print_real(*epsilon), "a number in [0,2]"});
}

std::uint64_t Problem::fingerprint() const {
  Fingerprint hash;
  const std::uint64_t sizes[] = {actions(), contexts(), horizon.value_or(0), marginals ? 1u : 0u};
  hash.add(sizes, sizeof sizes);
  const double told_epsilon = epsilon.value_or(-1);
  hash.add(&told_epsilon, sizeof told_epsilon);
  for (const auto* names : {&action_names, &context_names})
    for (const std::string& name : *names) {
      hash.add(name);
      hash.add(std::string_view("\0", 1));  // "ab", "c" are not "a", "bc"
    }
  if (marginals)
    for (std::size_t a = 0; a < marginals->rows(); ++a)
      hash.add(marginals->row(a).data(), marginals->columns() * sizeof(double));
  return hash.value();
}

Instance::Parts Instance::benign(std::string name, Matrix marginals,
                                 std::vector<RewardLaw> law_of_context) {
  Parts parts;
  parts.name = std::move(name);
  parts.law_of.reserve(marginals.rows() * marginals.columns());
  for (std::size_t a = 0; a < marginals.rows(); ++a)
    for (std::uint32_t z = 0; z < marginals.columns(); ++z) parts.law_of.push_back(z);
  parts.marginals = std::move(marginals);
  parts.laws = std::move(law_of_context);
  return parts;
}

Instance::Parts Instance::general(std::string name, Matrix marginals,
                                  const std::vector<RewardLaw>& law_of_cell) {
  Parts parts;
  parts.name = std::move(name);
  parts.marginals = std::move(marginals);
  // Equal laws are stored once. Bernoulli means are the common case and get the fast look-up.
  std::map<double, std::uint32_t> bernoulli_index;
  for (const RewardLaw& law : law_of_cell) {
    const auto next = static_cast<std::uint32_t>(parts.laws.size());
    const std::uint32_t index =
        law.kind() == RewardLaw::Kind::kBernoulli
            ? bernoulli_index.try_emplace(law.mean(), next).first->second
            : static_cast<std::uint32_t>(std::find(parts.laws.begin(), parts.laws.end(), law) -
                                         parts.laws.begin());
    if (index == next) parts.laws.push_back(law);
    parts.law_of.push_back(index);
  }
  return parts;
}

Instance::Instance(Parts parts) : parts_(std::move(parts)) {
  require_size(parts_.marginals.rows(), "actions");
  require_size(parts_.marginals.columns(), "contexts");
  validate_marginals(parts_.marginals);
  if (parts_.action_names.empty()) parts_.action_names = numbered_names('a', actions());
  if (parts_.context_names.empty()) parts_.context_names = numbered_names('z', contexts());
  require_names(parts_.action_names, actions(), "actions");
  require_names(parts_.context_names, contexts(), "contexts");
  const std::size_t cells = std::size_t{actions()} * contexts();
  if (parts_.law_of.size() != cells)
    throw Error({"", "rewards", fmt::format("{} cells", parts_.law_of.size()),
                 fmt::format("{} actions × {} contexts", actions(), contexts())});
  for (const std::uint32_t index : parts_.law_of)
    if (index >= parts_.laws.size())
      throw Error({"", "rewards", fmt::format("law {} of {}", index, parts_.laws.size()),
                   "a law for every cell"});

  means_.resize(actions());
  for (Arm a = 0; a < actions(); ++a) {
    double mean = 0;
    for (Context z = 0; z < contexts(); ++z) mean += marginals()(a, z) * law(a, z).mean();
    means_[a] = mean;
    if (mean > means_[best_]) best_ = a;
  }
  exact_marginals_ = std::make_shared<const Matrix>(parts_.marginals);
  const Problem told = problem(std::nullopt);
  if (told.actions() != actions() || told.contexts() != contexts())
    throw Error({"", "given",
                 fmt::format("{} actions × {} contexts", told.actions(), told.contexts()),
                 fmt::format("the instance's {} × {}", actions(), contexts())});
  told.validate();
}

std::optional<double> Instance::smallest_gap() const {
  std::optional<double> smallest;
  for (Arm a = 0; a < actions(); ++a)
    if (gap(a) > kRoundingGap && (!smallest || gap(a) < *smallest)) smallest = gap(a);
  return smallest;
}

BenignVerdict Instance::benign_verdict() const {
  for (Context z = 0; z < contexts(); ++z) {
    std::optional<Arm> first;  // the first action that can reach z; all others are compared with it
    for (Arm a = 0; a < actions(); ++a) {
      if (marginals()(a, z) <= 0) continue;
      if (!first) first = a;
      if (law_index(a, z) != law_index(*first, z) && !law(a, z).same_law(law(*first, z)))
        return {BenignVerdict::Witness{z, *first, a}};
    }
  }
  return {};
}

Problem Instance::problem(std::optional<Round> horizon) const {
  Problem problem;
  if (parts_.given) {
    problem = *parts_.given;
  } else {
    problem.action_names = parts_.action_names;
    problem.context_names = parts_.context_names;
    problem.marginals = exact_marginals_;
    problem.epsilon = 0;
  }
  if (horizon) problem.horizon = horizon;
  return problem;
}

double Instance::distance_to(const Matrix& given_marginals) const {
  ARMATURE_CHECK(given_marginals.rows() == actions() && given_marginals.columns() == contexts(),
                 "given marginals are as many as the true ones");
  double largest = 0;
  for (Arm a = 0; a < actions(); ++a) {
    double distance = 0;
    for (Context z = 0; z < contexts(); ++z)
      distance += std::abs(given_marginals(a, z) - marginals()(a, z));
    largest = std::max(largest, distance);
  }
  return largest;
}

}  // namespace armature
