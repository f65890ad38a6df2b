#include "advice/worlds.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/text.h"
#include "families/family.h"
#include "families/random_worlds.h"
#include "linear/rank.h"

namespace armature {
namespace {

constexpr double kMostGap = 0.25;  // the most that every one of the worlds can have

double gap_of(const AdviceQuestion& question) {
  // An instance's own gap is that of its closest rivals: nothing to build other worlds with.
  const bool asked = question.setting.gap && question.instance.empty();
  return std::min(asked ? *question.setting.gap : kTypicalGap, kMostGap);
}

WorldSource family_world(const std::string& text, Round horizon, const AdviceQuestion& question) {
  return world_source(InstanceSource(text, horizon, question.seed), horizon);
}

// --- Worlds of a size: families, so that anyone can play them again ------------------------------

TypicalWorld of_family(const AdviceQuestion& question, const std::string& kind,
                       const std::string& description, std::string text) {
  const double epsilon = question.setting.epsilon.value_or(0);
  if (epsilon > 0 && question.marginals_known) text += ",epsilon=" + print_real(epsilon);
  return {{.kind = kind, .text = text, .description = description, .costs = {}},
          [text, question](Round horizon) { return family_world(text, horizon, question); }};
}

std::vector<TypicalWorld> worlds_of_size(const AdviceQuestion& question) {
  const std::string gap = print_real(gap_of(question));
  const std::string sizes = fmt::format("actions={:.0f},contexts={:.0f}", question.setting.actions,
                                        question.setting.contexts);
  std::vector<TypicalWorld> worlds;
  worlds.push_back(of_family(question, "benign", "Z carries the whole effect; drawn at random",
                             "random-benign:" + sizes));
  worlds.push_back(of_family(question, "hidden",
                             fmt::format("one action is better by {}, and Z does not show it", gap),
                             "hidden-arm:" + sizes + ",gap=" + gap));
  if (question.setting.contexts >= 2)  // one context ranks nothing
    worlds.push_back(
        of_family(question, "confounded",
                  fmt::format("Z ranks all actions backwards; {} from worst to best", gap),
                  "reversed:" + sizes + ",gap=" + gap));
  return worlds;
}

// --- Worlds on marginals that are given ----------------------------------------------------------

enum class Effect { kBenign, kHidden, kConfounded };

// What the contexts say of each action.
std::vector<double> context_values(const Matrix& marginals, const std::vector<double>& means) {
  std::vector<double> values;
  for (std::size_t a = 0; a < marginals.rows(); ++a) {
    double value = 0;
    for (std::size_t z = 0; z < marginals.columns(); ++z) value += marginals.row(a)[z] * means[z];
    values.push_back(value);
  }
  return values;
}

// How much each action pays in every context beside what the context pays.
std::vector<double> direct_effects(Effect effect, const std::vector<double>& values, double gap,
                                   Stream& stream) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::vector<double> effects(values.size(), 0.0);
  if (effect == Effect::kConfounded)
    for (std::size_t a = 0; a < values.size(); ++a) effects[a] = *least + *most - 2 * values[a];
  if (effect == Effect::kHidden) {
    const auto best = static_cast<std::uint32_t>(most - values.begin());
    std::uint32_t hidden = uniform_index(stream, static_cast<std::uint32_t>(values.size() - 1));
    if (hidden >= best) ++hidden;
    effects[hidden] = *most + gap - values[hidden];
  }
  return effects;
}

// Context means are drawn from the middle, so that no effect leads out of [0,1]: twice the room for
// effects that turn everything round, and the gap on top.
Instance built_on(const Problem& told, Effect effect, double epsilon, double gap, StreamKey key) {
  Stream stream(key);
  Matrix marginals = *told.marginals;
  if (epsilon > 0) marginals = random_marginals_within(marginals, epsilon, stream);
  const double room = effect == Effect::kBenign ? 1.0 : (1 - gap) / 3;
  const double from = effect == Effect::kBenign ? 0.0 : room;
  std::vector<double> means = uniform_means(stream, marginals.columns());
  for (double& mean : means) mean = from + room * mean;
  const std::vector<double> effects =
      direct_effects(effect, context_values(marginals, means), gap, stream);
  std::vector<RewardLaw> laws;
  for (std::size_t a = 0; a < marginals.rows(); ++a)
    for (const double mean : means)
      laws.push_back(RewardLaw::bernoulli(std::clamp(mean + effects[a], 0.0, 1.0)));
  Instance::Parts parts = Instance::general("given", std::move(marginals), laws);
  parts.given = told;
  return Instance(std::move(parts));
}

TypicalWorld on_given(const AdviceQuestion& question, const Problem& told, Effect effect,
                      const std::string& kind, const std::string& description) {
  const double epsilon = question.setting.epsilon.value_or(0);
  const double gap = gap_of(question);
  return {{.kind = kind, .text = "", .description = description, .costs = {}},
          [=, seed = question.seed](Round horizon) -> WorldSource {
            return [=](std::uint32_t replication) {
              return std::make_shared<const World>(
                  std::make_shared<const Instance>(built_on(
                      told, effect, epsilon, gap, {seed, replication, Purpose::kInstance})),
                  horizon);
            };
          }};
}

std::vector<TypicalWorld> worlds_on_given(const AdviceQuestion& question, Problem told) {
  told.horizon.reset();
  const std::string gap = print_real(gap_of(question));
  std::vector<TypicalWorld> worlds;
  worlds.push_back(on_given(question, told, Effect::kBenign, "benign",
                            "these marginals; Z carries the whole effect"));
  worlds.push_back(
      on_given(question, told, Effect::kHidden, "hidden",
               fmt::format("one action is better by {} than Z says of the best", gap)));
  if (question.setting.contexts >= 2)
    worlds.push_back(on_given(question, told, Effect::kConfounded, "confounded",
                              "Z ranks all actions backwards"));
  return worlds;
}

// --- The instance itself -------------------------------------------------------------------------

TypicalWorld the_instance(const AdviceQuestion& question) {
  return {{.kind = "instance",
           .text = question.instance,
           .description = "the world you gave",
           .decides = question.leaning != Leaning::kDistrust,
           .costs = {}},
          [question](Round horizon) { return family_world(question.instance, horizon, question); }};
}

// Rows of its marginals that no world can be built on exactly are built on as policies are told.
std::vector<TypicalWorld> worlds_around_instance(const AdviceQuestion& question) {
  std::vector<TypicalWorld> worlds{the_instance(question)};
  const InstanceSource source(question.instance, static_cast<Round>(question.setting.horizon),
                              question.seed);
  Problem told = source.instance(0)->problem(std::nullopt);
  if (!told.marginals)
    told.marginals = std::make_shared<const Matrix>(source.instance(0)->marginals());
  for (TypicalWorld& world : worlds_on_given(question, told)) {
    if (world.shown.kind == "benign") continue;  // the instance speaks of the contexts' own case
    world.shown.decides = question.leaning == Leaning::kDistrust;
    worlds.push_back(std::move(world));
  }
  return worlds;
}

void require(bool holds, const std::string& field, double value, const std::string& expected) {
  if (!holds) throw Error({"", field, fmt::format("{:.10g}", value), expected});
}

}  // namespace

std::vector<TypicalWorld> typical_worlds(const AdviceQuestion& question) {
  if (!question.instance.empty()) return worlds_around_instance(question);
  std::vector<TypicalWorld> worlds =
      question.given ? worlds_on_given(question, *question.given) : worlds_of_size(question);
  for (TypicalWorld& world : worlds)
    world.shown.decides = question.leaning == Leaning::kBalanced ||
                          (world.shown.kind == "benign") == (question.leaning == Leaning::kTrust);
  return worlds;
}

AdviceQuestion filled_in(AdviceQuestion question) {
  Setting& setting = question.setting;
  require(setting.horizon >= 1, "horizon", setting.horizon, "at least 1");
  if (!question.instance.empty()) {
    const auto instance =
        InstanceSource(question.instance, static_cast<Round>(setting.horizon), question.seed)
            .instance(0);
    const Problem told = instance->problem(std::nullopt);
    const Matrix& marginals = told.marginals ? *told.marginals : instance->marginals();
    setting.actions = instance->actions();
    setting.contexts = instance->contexts();
    if (!setting.rank) setting.rank = static_cast<double>(numerical_rank(marginals).rank);
    if (!setting.gap) setting.gap = instance->smallest_gap();
    if (!setting.epsilon) setting.epsilon = instance->distance_to(marginals);
    if (!told.marginals) question.marginals_known = false;
    setting.benign = instance->benign_verdict().benign();
  } else if (question.given) {
    question.given->validate();
    setting.actions = question.given->actions();
    setting.contexts = question.given->contexts();
    if (!question.given->marginals)
      question.marginals_known = false;
    else if (!setting.rank)
      setting.rank = static_cast<double>(numerical_rank(*question.given->marginals).rank);
    if (!setting.epsilon) setting.epsilon = question.given->epsilon;
    if (!question.marginals_known) question.given.reset();
  }
  require(setting.actions >= 2, "actions", setting.actions,
          "at least 2: with one there is nothing to choose");
  setting.validate();
  return question;
}

}  // namespace armature
