// What a policy may know (Problem) and the truth (Instance), from arrays, text forms and JSON.
#include <fmt/format.h>

#include "base/file.h"
#include "linear/rank.h"
#include "values.h"

namespace armature::python {
namespace {

// --- Reward laws

const char* kind_name(RewardLaw::Kind kind) {
  switch (kind) {
    case RewardLaw::Kind::kBernoulli:
      return "bernoulli";
    case RewardLaw::Kind::kPoint:
      return "point";
    case RewardLaw::Kind::kBeta:
      return "beta";
    case RewardLaw::Kind::kTable:
      return "table";
  }
  ARMATURE_CHECK(false, "every law has a name");
}

std::vector<double> reals_of(py::handle value, const char* field) {
  const py::array_t<double> array = real_array(value, field, 1);
  return {array.data(), array.data() + array.size()};
}

// What a pickle keeps of a law: its kind and its numbers.
py::tuple parts_of_law(const RewardLaw& law) {
  return py::make_tuple(kind_name(law.kind()), law.first(), law.second(), law.values(),
                        law.probabilities());
}

RewardLaw law_of_parts(const py::tuple& parts) {
  if (parts.size() != 5) throw Error({"", "pickle", "something else", "a RewardLaw"});
  const std::string kind = text_of(parts[0], "pickle");
  const double first = real_number(parts[1], "pickle");
  const double second = real_number(parts[2], "pickle");
  if (kind == "bernoulli") return RewardLaw::bernoulli(first);
  if (kind == "point") return RewardLaw::point(first);
  if (kind == "beta") return RewardLaw::beta(first, second);
  if (kind == "table")
    return RewardLaw::table(reals_of(parts[3], "pickle"), reals_of(parts[4], "pickle"));
  throw Error({"", "pickle", "'" + kind + "'", "a kind of RewardLaw"});
}

void bind_laws(py::module_& module) {
  py::class_<RewardLaw>(module, "RewardLaw",
                        "The law of a reward in [0, 1].\n\n"
                        ">>> RewardLaw.bernoulli(0.3).mean\n0.3\n")
      .def_static(
          "bernoulli",
          [](py::object mean) { return RewardLaw::bernoulli(real_number(mean, "mean")); },
          py::arg("mean"), "1 with this probability, else 0.")
      .def_static(
          "point", [](py::object value) { return RewardLaw::point(real_number(value, "value")); },
          py::arg("value"), "Always this.")
      .def_static(
          "beta",
          [](py::object alpha, py::object beta) {
            return RewardLaw::beta(real_number(alpha, "alpha"), real_number(beta, "beta"));
          },
          py::arg("alpha"), py::arg("beta"), "Beta(alpha, beta).")
      .def_static(
          "table",
          [](py::object values, py::object probabilities) {
            return RewardLaw::table(reals_of(values, "values"),
                                    reals_of(probabilities, "probabilities"));
          },
          py::arg("values"), py::arg("probabilities"), "These values with these probabilities.")
      .def_property_readonly("mean", &RewardLaw::mean)
      .def_property_readonly("kind", [](const RewardLaw& law) { return kind_name(law.kind()); })
      .def("__repr__", &RewardLaw::describe)
      .def("__eq__",
           [](const RewardLaw& law, py::object other) {
             return py::isinstance<RewardLaw>(other) && law == py::cast<const RewardLaw&>(other);
           })
      .def("__hash__",
           [](const RewardLaw& law) {
             Fingerprint fingerprint;
             fingerprint.add(law.describe());
             return static_cast<py::ssize_t>(fingerprint.value() >> 2);
           })
      .def(py::pickle(&parts_of_law, &law_of_parts));
}

// --- What a policy may know

// The matrix itself, read only; the array keeps its owner alive.
py::array view_of(const Matrix& matrix, py::handle owner) {
  const auto columns = static_cast<py::ssize_t>(matrix.columns());
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(double));
  py::array array(py::dtype::of<double>(), {static_cast<py::ssize_t>(matrix.rows()), columns},
                  {columns * kSize, kSize}, matrix.rows() == 0 ? nullptr : matrix.row(0).data(),
                  owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

Problem make_problem(py::object actions, py::object contexts, py::object marginals,
                     py::object horizon, py::object epsilon) {
  const ThrowingChecks checks;
  Problem problem;
  if (!marginals.is_none())
    problem.marginals = std::make_shared<const Matrix>(matrix_of(marginals, "marginals"));
  const auto names = [&](py::handle value, const char* field, char prefix, std::size_t otherwise) {
    return value.is_none() ? numbered_names(prefix, otherwise) : names_of(value, field, prefix);
  };
  if (actions.is_none() && !problem.marginals)
    throw Error({"", "actions", "None", "how many there are, their names, or marginals"});
  // Who says nothing of contexts has one, which tells nothing.
  problem.action_names =
      names(actions, "actions", 'a', problem.marginals ? problem.marginals->rows() : 0);
  problem.context_names =
      names(contexts, "contexts", 'z', problem.marginals ? problem.marginals->columns() : 1);
  problem.horizon = optional_horizon(horizon);
  if (!epsilon.is_none()) problem.epsilon = real_number(epsilon, "epsilon");
  problem.validate();
  return problem;
}

std::string described(const Problem& problem) {
  std::string text =
      fmt::format("Problem(actions={}, contexts={}", problem.actions(), problem.contexts());
  text += problem.marginals ? ", marginals=…" : "";
  if (problem.horizon) text += fmt::format(", horizon={}", *problem.horizon);
  if (problem.epsilon) text += fmt::format(", epsilon={}", *problem.epsilon);
  return text + ")";
}

void bind_problem(py::module_& module) {
  py::class_<Problem, std::shared_ptr<Problem>>(
      module, "Problem",
      "What a policy may know: sizes, names, perhaps marginals and a horizon.\n\n"
      "`actions` and `contexts` are counts or lists of names; `marginals` is an array with a row\n"
      "per action, the probabilities of the contexts; `epsilon` is how far it may be from the\n"
      "truth (L1, by row).\n\n"
      ">>> Problem(actions=[\"mail\", \"call\"], marginals=[[0.5, 0.5], [0.2, 0.8]])\n"
      "Problem(actions=2, contexts=2, marginals=…)\n")
      .def(py::init(&make_problem), py::arg("actions") = py::none(),
           py::arg("contexts") = py::none(), py::arg("marginals") = py::none(),
           py::arg("horizon") = py::none(), py::arg("epsilon") = py::none())
      .def_static(
          "from_json", [](const std::string& text) { return read_problem(text, "JSON"); },
          py::arg("text"), "From the text of a problem file (docs/formats.md).")
      .def_static(
          "read",
          [](py::object path) {
            const std::string file = path_of(path, "path");
            return read_problem(Files().read_text(file), file);
          },
          py::arg("path"), "From a problem file (docs/formats.md).")
      .def("to_json", &write_problem, "The text of a problem file.")
      .def(
          "write",
          [](const Problem& problem, py::object path) {
            write_file(path_of(path, "path"), write_problem(problem));
          },
          py::arg("path"), "Writes a problem file.")
      .def_property_readonly("actions", &Problem::actions, "How many actions there are.")
      .def_property_readonly("contexts", &Problem::contexts, "How many contexts there are.")
      .def_property_readonly("action_names", [](const Problem& p) { return p.action_names; })
      .def_property_readonly("context_names", [](const Problem& p) { return p.context_names; })
      .def_property_readonly(
          "marginals",
          [](py::object self) -> py::object {
            const auto& problem = py::cast<const Problem&>(self);
            if (!problem.marginals) return py::none();
            return view_of(*problem.marginals, self);
          },
          "A row per action; None if they are not known. Read only.")
      .def_property_readonly("horizon", [](const Problem& p) { return p.horizon; })
      .def_property_readonly("epsilon", [](const Problem& p) { return p.epsilon; })
      .def_property_readonly("fingerprint", &Problem::fingerprint,
                             "A hash of all of it: equal problems have equal ones.")
      .def("__eq__",
           [](const Problem& problem, py::object other) {
             return py::isinstance<Problem>(other) &&
                    problem.fingerprint() == py::cast<const Problem&>(other).fingerprint();
           })
      .def("__hash__",
           [](const Problem& p) { return static_cast<py::ssize_t>(p.fingerprint() >> 2); })
      .def("__repr__", &described)
      .def(py::pickle(
          [](const Problem& problem) { return py::str(write_problem(problem)); },
          [](const py::str& text) { return read_problem(py::cast<std::string>(text), "pickle"); }));
}

// --- The truth

std::shared_ptr<Instance> shared(Instance instance) {
  return std::make_shared<Instance>(std::move(instance));
}

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

std::shared_ptr<Instance> from_source(py::object source, py::object horizon, py::object seed,
                                      py::object replication) {
  if (py::isinstance<py::dict>(source)) {
    const auto text = py::module_::import("json").attr("dumps")(source);
    return shared(read_instance(py::cast<std::string>(text), "instance"));
  }
  const std::string text = path_of(source, "instance");
  if (is_json(text)) return shared(read_instance(text, "JSON"));
  if (!PyUnicode_Check(source.ptr())) return shared(read_instance(Files().read_text(text), text));
  const InstanceSource instances(text, optional_horizon(horizon), seed_of(seed));
  // Python knows no constant objects: nothing here changes an instance.
  return std::const_pointer_cast<Instance>(instances.instance(
      static_cast<std::uint32_t>(whole_number(replication, "replication", 0, UINT32_MAX))));
}

// Per context, whatever the action; or per action and context.
struct Cells {
  std::vector<RewardLaw> laws;
  bool benign;
};

Cells cells_of_means(py::handle means) {
  const auto number_of_dimensions = py::array::ensure(means);
  PyErr_Clear();
  const int dimensions = number_of_dimensions && number_of_dimensions.ndim() == 1 ? 1 : 2;
  const py::array_t<double> array = real_array(means, "means", dimensions);
  Cells cells{{}, dimensions == 1};
  for (py::ssize_t i = 0; i < array.size(); ++i)
    cells.laws.push_back(RewardLaw::bernoulli(array.data()[i]));
  return cells;
}

const RewardLaw& law_of(py::handle value) {
  if (!py::isinstance<RewardLaw>(value))
    throw Error({"", "laws", shown_value(value), "a RewardLaw"});
  return py::cast<const RewardLaw&>(value);
}

Cells cells_of_laws(py::handle laws, const Matrix& marginals) {
  if (!is_many(laws)) throw Error({"", "laws", shown_value(laws), "a list of RewardLaws"});
  Cells cells{{}, true};
  for (const py::handle row : py::iter(laws)) {
    if (!is_many(row)) {
      cells.laws.push_back(law_of(row));
      continue;
    }
    cells.benign = false;
    const std::size_t before = cells.laws.size();
    for (const py::handle law : py::iter(row)) cells.laws.push_back(law_of(law));
    if (cells.laws.size() - before != marginals.columns())
      throw Error({"", "laws", fmt::format("a row of {}", cells.laws.size() - before),
                   fmt::format("{}, one per context", marginals.columns())});
  }
  return cells;
}

std::shared_ptr<Instance> from_arrays(py::object marginals, py::object means, py::object laws,
                                      py::object actions, py::object contexts, py::object name) {
  if (marginals.is_none())
    throw Error({"", "marginals", "None",
                 "an array with a row per action (or a text form as the first argument)"});
  if (means.is_none() == laws.is_none())
    throw Error({"", "means and laws", means.is_none() ? "neither" : "both", "one of them"});
  Matrix rows = matrix_of(marginals, "marginals");
  const Cells cells = means.is_none() ? cells_of_laws(laws, rows) : cells_of_means(means);
  const std::size_t expected = cells.benign ? rows.columns() : rows.rows() * rows.columns();
  if (cells.laws.size() != expected)
    throw Error({"", means.is_none() ? "laws" : "means",
                 fmt::format("{} of them", cells.laws.size()),
                 fmt::format("{} (one per context) or {}×{} (one per action and context)",
                             rows.columns(), rows.rows(), rows.columns())});
  std::string title = name.is_none() ? "arrays" : text_of(name, "name");
  Instance::Parts parts = cells.benign
                              ? Instance::benign(std::move(title), std::move(rows), cells.laws)
                              : Instance::general(std::move(title), std::move(rows), cells.laws);
  if (!actions.is_none()) parts.action_names = names_of(actions, "actions", 'a');
  if (!contexts.is_none()) parts.context_names = names_of(contexts, "contexts", 'z');
  return shared(Instance(std::move(parts)));
}

std::shared_ptr<Instance> make_instance(py::object source, py::object marginals, py::object means,
                                        py::object laws, py::object actions, py::object contexts,
                                        py::object name, py::object horizon, py::object seed,
                                        py::object replication) {
  const ThrowingChecks checks;
  if (source.is_none()) return from_arrays(marginals, means, laws, actions, contexts, name);
  if (!marginals.is_none() || !means.is_none() || !laws.is_none())
    throw Error({"", "instance", "a text form and arrays", "one of them"});
  return from_source(source, horizon, seed, replication);
}

py::array_t<double> per_action(const Instance& instance, double (Instance::*value)(Arm) const) {
  py::array_t<double> array(instance.actions());
  for (Arm a = 0; a < instance.actions(); ++a) array.mutable_data()[a] = (instance.*value)(a);
  return array;
}

py::array_t<double> cell_means(const Instance& instance) {
  py::array_t<double> array({instance.actions(), instance.contexts()});
  double* out = array.mutable_data();
  for (Arm a = 0; a < instance.actions(); ++a)
    for (Context z = 0; z < instance.contexts(); ++z) *out++ = instance.law(a, z).mean();
  return array;
}

py::object benign_witness(const Instance& instance) {
  const BenignVerdict verdict = instance.benign_verdict();
  if (verdict.benign()) return py::none();
  const auto& names = instance.parts();
  return py::make_tuple(names.context_names[verdict.witness->context],
                        names.action_names[verdict.witness->action],
                        names.action_names[verdict.witness->other]);
}

py::tuple sample(const Instance& instance, py::object action, py::object count, py::object seed,
                 py::object replication) {
  const NameTable actions(instance.parts().action_names, "action", DecisionMistake::kAction);
  const Arm arm = actions.place(action);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  const auto n = static_cast<py::ssize_t>(whole_number(count, "n", 0, kMost, Floats::kIfWhole));
  const std::uint64_t luck = seed_of(seed);
  const auto number =
      static_cast<std::uint32_t>(whole_number(replication, "replication", 0, UINT32_MAX));
  py::array_t<std::int64_t> contexts(n);
  py::array_t<double> rewards(n);
  std::int64_t* context = contexts.mutable_data();
  double* reward = rewards.mutable_data();
  {
    const py::gil_scoped_release others_may_work;
    const OutcomeTables tables(instance);
    Environment environment(tables, luck, number);
    constexpr py::ssize_t kBetweenLooks = 65'536;
    for (py::ssize_t i = 0; i < n; ++i) {
      if (i % kBetweenLooks == kBetweenLooks - 1) look_at_signals();
      const Outcome outcome = environment.play(arm);
      context[i] = outcome.context;
      reward[i] = outcome.reward;
    }
  }
  return py::make_tuple(contexts, rewards);
}

std::string described_instance(const Instance& instance) {
  const auto& parts = instance.parts();
  return fmt::format("Instance('{}', actions={}, contexts={}, best='{}', {})", parts.name,
                     instance.actions(), instance.contexts(),
                     parts.action_names[instance.best_action()],
                     instance.benign_verdict().benign() ? "benign" : "not benign");
}

void bind_instance(py::module_& module) {
  py::class_<Instance, std::shared_ptr<Instance>>(
      module, "Instance",
      "A world: the law of the context under each action, and the law of the reward.\n\n"
      "From a text form, a path or JSON; or from arrays: `marginals` has a row per action, and\n"
      "`means` (rewards of 0 and 1) or `laws` have one entry per context, or one row per action.\n\n"
      ">>> Instance(\"hidden-arm:actions=20,gap=0.1\").gaps.max()  # doctest: +SKIP\n"
      ">>> Instance(marginals=[[0.5, 0.5], [0.1, 0.9]], means=[0.2, 0.6]).best\n1\n")
      .def(py::init(&make_instance), py::arg("source") = py::none(), py::kw_only(),
           py::arg("marginals") = py::none(), py::arg("means") = py::none(),
           py::arg("laws") = py::none(), py::arg("actions") = py::none(),
           py::arg("contexts") = py::none(), py::arg("name") = py::none(),
           py::arg("horizon") = py::none(), py::arg("seed") = 1, py::arg("replication") = 0)
      .def_static(
          "from_json", [](const std::string& text) { return shared(read_instance(text, "JSON")); },
          py::arg("text"), "From the text of an instance file (docs/formats.md).")
      .def_static(
          "read",
          [](py::object path) {
            const std::string file = path_of(path, "path");
            return shared(read_instance(Files().read_text(file), file));
          },
          py::arg("path"), "From an instance file (docs/formats.md).")
      .def("to_json", &write_instance, "The text of an instance file.")
      .def(
          "write",
          [](const Instance& instance, py::object path) {
            write_file(path_of(path, "path"), write_instance(instance));
          },
          py::arg("path"), "Writes an instance file.")
      .def_property_readonly("name", &Instance::name)
      .def_property_readonly("actions", &Instance::actions, "How many actions there are.")
      .def_property_readonly("contexts", &Instance::contexts, "How many contexts there are.")
      .def_property_readonly("action_names",
                             [](const Instance& i) { return i.parts().action_names; })
      .def_property_readonly("context_names",
                             [](const Instance& i) { return i.parts().context_names; })
      .def_property_readonly("notes", [](const Instance& i) { return i.parts().notes; })
      .def_property_readonly(
          "marginals",
          [](py::object self) {
            return view_of(py::cast<const Instance&>(self).marginals(), self);
          },
          "The probability of each context under each action, a row per action. Read only.")
      .def_property_readonly(
          "means", [](const Instance& i) { return per_action(i, &Instance::mean); },
          "The mean reward of each action.")
      .def_property_readonly(
          "gaps", [](const Instance& i) { return per_action(i, &Instance::gap); },
          "How much each action's mean reward is below the best one's.")
      .def_property_readonly("cell_means", &cell_means,
                             "The mean reward given the context, a row per action.")
      .def_property_readonly(
          "laws",
          [](const Instance& instance) {
            std::vector<std::vector<RewardLaw>> laws(instance.actions());
            for (Arm a = 0; a < instance.actions(); ++a)
              for (Context z = 0; z < instance.contexts(); ++z)
                laws[a].push_back(instance.law(a, z));
            return laws;
          },
          "The law of the reward in each cell, a list per action.")
      .def_property_readonly("best", &Instance::best_action,
                             "The best action; the first of several.")
      .def_property_readonly("smallest_gap", &Instance::smallest_gap,
                             "None if all actions are equally good.")
      .def_property_readonly(
          "rank", [](const Instance& i) { return numerical_rank(i.marginals()).rank; },
          "The numerical rank of the marginals.")
      .def_property_readonly(
          "is_benign", [](const Instance& i) { return i.benign_verdict().benign(); },
          "Is the law of the reward given the context the same for all actions?")
      .def_property_readonly("witness", &benign_witness,
                             "Why it is not benign: a context and two actions whose rewards differ "
                             "there, by name. None if it is.")
      .def(
          "problem",
          [](const Instance& instance, py::object horizon) {
            return instance.problem(optional_horizon(horizon));
          },
          py::arg("horizon") = py::none(), "What policies are told of it.")
      .def(
          "sample", &sample, py::arg("action"), py::arg("n"), py::arg("seed") = 1,
          py::arg("replication") = 0,
          "What comes of playing one action n times: an array of contexts and one of rewards. The\n"
          "luck is that of a simulation with the same seed and replication.")
      .def("__repr__", &described_instance)
      .def(py::pickle([](const Instance& instance) { return py::str(write_instance(instance)); },
                      [](const py::str& text) {
                        return shared(read_instance(py::cast<std::string>(text), "pickle"));
                      }));
}

}  // namespace

void bind_problems(py::module_& module) {
  bind_laws(module);
  bind_problem(module);
  bind_instance(module);
  module.def(
      "family_facts",
      [] {
        py::list facts;
        for (const Family& family : families())
          facts.append(py::make_tuple(family.name, family.summary, family.text, family.section,
                                      family.random, parameter_facts(family.parameters)));
        return facts;
      },
      "The registry of families, a tuple each.");
}

}  // namespace armature::python
