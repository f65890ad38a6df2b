#include "lab/instance_setting.h"

#include <fmt/format.h>

#include "armature/error.h"
#include "linear/rank.h"

namespace armature {
namespace {

double agreed_size(const std::string& field, double given, double actual) {
  if (given != 0 && given != actual)
    throw Error({"", field, fmt::format("{}", given),
                 fmt::format("{}, the instance's own number, or none", actual)});
  return actual;
}

// What is said explicitly wins over the instance, and a note says so.
std::optional<double> overruled(std::vector<std::string>& notes, const std::string& field,
                                std::optional<double> given, std::optional<double> actual) {
  if (!given) return actual;
  if (actual && *actual != *given)
    notes.push_back(
        fmt::format("{} {:.6g} is used; the instance has {:.6g}", field, *given, *actual));
  return given;
}

}  // namespace

void agree_on_sizes(Setting& setting, const Instance& instance, FieldName called) {
  setting.actions = agreed_size(called("actions"), setting.actions, instance.actions());
  setting.contexts = agreed_size(called("contexts"), setting.contexts, instance.contexts());
}

void fill_from_instance(Setting& setting, const Instance& instance, const std::string& text,
                        FieldName called, std::vector<std::string>& notes) {
  const Problem told = instance.problem(std::nullopt);
  const Matrix& marginals = told.marginals ? *told.marginals : instance.marginals();
  setting.rank = overruled(notes, called("rank"), setting.rank,
                           static_cast<double>(numerical_rank(marginals).rank));
  setting.gap = overruled(notes, called("gap"), setting.gap, instance.smallest_gap());
  setting.epsilon =
      overruled(notes, called("epsilon"), setting.epsilon, instance.distance_to(marginals));
  setting.benign = instance.benign_verdict().benign();
  notes.push_back(fmt::format(
      "{}: {}, {}", text, *setting.benign ? "benign" : "not benign",
      told.marginals ? "rank and ε of the marginals that policies are told" : "no marginals told"));
}

}  // namespace armature
