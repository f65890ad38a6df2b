// The table of families, and the text form that leads to one of them or to a file.
#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/text.h"
#include "families/family.h"
#include "families/graph_world.h"

namespace armature {
namespace {

// Every family can hand out wrong marginals.
Family with_epsilon(Family family) {
  family.parameters.push_back(Parameter::real("epsilon").defaults_to("0").half_open(0, 2).help(
      "policies are given marginals at this L1 distance, per action", "§1, §8"));
  family.parameters.push_back(
      Parameter::choice("perturbation", {"random", "adversarial"})
          .help("in which direction epsilon moves them: any, or to mislead", "§8"));
  return family;
}

bool is_family(const std::string& name) {
  return std::any_of(families().begin(), families().end(),
                     [&](const Family& family) { return family.name == name; });
}

// |A| or |Z| as written or by default: a number, or a formula in what is known already.
double size_of(const TextForm& form, const Family& family, const std::string& key,
               const FormulaVariables& known) {
  for (const Parameter& parameter : family.parameters) {
    if (parameter.name() != key) continue;
    std::string text = parameter.default_text();
    for (const auto& [written_key, value] : form.values)
      if (written_key == key) text = value;
    return *parse_real(parameter.canonical(text, "family " + family.name, known));
  }
  return 2;  // families with two contexts by nature have no key for them
}

// Formulas speak of |A| and |Z|, which may be formulas themselves: first these two, then the rest.
Arguments family_arguments(const TextForm& form, const Family& family,
                           std::optional<Round> horizon) {
  FormulaVariables variables;
  if (horizon) variables.horizon = static_cast<double>(*horizon);
  variables.actions = size_of(form, family, "actions", variables);
  variables.contexts = size_of(form, family, "contexts", variables);
  return {"family " + family.name, form, family.parameters, variables};
}

// What policies are told, at distance ε from what they would have been told.
Problem disturbed(const Instance& instance, const Arguments& arguments, const StreamKey& key) {
  const double epsilon = arguments.real("epsilon");
  Problem told = instance.problem(std::nullopt);
  Stream stream(key);
  told.marginals = std::make_shared<const Matrix>(
      arguments.is_word("perturbation", "adversarial")
          ? adversarial_perturbation(instance, *told.marginals, epsilon)
          : random_perturbation(*told.marginals, epsilon, stream));
  told.epsilon = instance.distance_to(*told.marginals);
  return told;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table = {
      with_epsilon(pareto_benign_family()),   with_epsilon(pareto_confounded_family()),
      with_epsilon(agnostic_family()),        with_epsilon(pe_trap_family()),
      with_epsilon(bilodeau_benign_family()), with_epsilon(bilodeau_confounded_family()),
      with_epsilon(hidden_arm_family()),      with_epsilon(random_benign_family()),
      with_epsilon(semi_benign_family()),     with_epsilon(near_tie_family()),
      with_epsilon(rare_context_family()),    with_epsilon(nearly_benign_family()),
      with_epsilon(reversed_family()),        with_epsilon(many_hidden_family()),
      with_epsilon(all_confounded_family()),  with_epsilon(lone_leader_family()),
  };
  return table;
}

const Family& find_family(const std::string& name) {
  std::vector<std::string> names;
  for (const Family& family : families()) {
    if (family.name == name) return family;
    names.push_back(family.name);
  }
  throw Error(
      {"", "instance", fmt::format("'{}'", name),
       "a family (" + join(names, ", ") + ") or an instance file" + did_you_mean(name, names)});
}

bool names_instance_file(const std::string& text, const Files& files) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (is_family(name) || name == kGraph) return false;
  if (files.has(text)) return true;
  const bool like_a_family = colon != std::string::npos && is_name(name);
  return !like_a_family && (text.ends_with(".json") || text.find('/') != std::string::npos);
}

InstanceSource::InstanceSource(const std::string& text, std::optional<Round> horizon,
                               std::uint64_t seed, const Files& files)
    : text_(text), horizon_(horizon), seed_(seed) {
  if (names_instance_file(text, files)) {
    fixed_ =
        std::make_shared<const Instance>(read_instance(files.read_text(text), files.where(text)));
    return;
  }
  const TextForm form = TextForm::parse(text);
  if (form.name == kGraph) {
    const Arguments arguments("graph", form, graph_parameters());
    text_ = arguments.canonical();
    fixed_ = std::make_shared<const Instance>(graph_world(arguments, files).instance());
    return;
  }
  family_ = &find_family(form.name);
  arguments_.emplace(family_arguments(form, *family_, horizon));
  text_ = arguments_->canonical();
  const bool random_epsilon =
      arguments_->real("epsilon") > 0 && arguments_->is_word("perturbation", "random");
  auto first =
      std::make_shared<const Instance>(build(0));  // finds errors now rather than in a thread
  if (!family_->random && !random_epsilon) fixed_ = std::move(first);
}

void InstanceSource::tell(Problem given) {
  // All instances of a source have one size: what does not fit the first is refused now.
  Instance::Parts parts = instance(0)->parts();
  parts.given = given;
  auto first = std::make_shared<const Instance>(std::move(parts));
  if (fixed_) fixed_ = std::move(first);
  given_ = std::move(given);
}

std::shared_ptr<const Instance> InstanceSource::instance(std::uint32_t replication) const {
  return fixed_ ? fixed_ : std::make_shared<const Instance>(build(replication));
}

Instance InstanceSource::build(std::uint32_t replication) const {
  Stream stream({seed_, replication, Purpose::kInstance});
  Instance::Parts parts = family_->build({*arguments_, horizon_, stream});
  if (arguments_->real("epsilon") > 0)
    parts.given =
        disturbed(Instance(parts), *arguments_, {seed_, replication, Purpose::kPerturbation});
  if (given_) parts.given = given_;
  return Instance(std::move(parts));
}

}  // namespace armature
