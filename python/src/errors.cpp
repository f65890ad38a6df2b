#include "errors.h"

namespace armature::python {
namespace {

// The classes live as long as the interpreter does.
PyObject* error_class = nullptr;           // armature.Error, a ValueError
PyObject* decision_error_class = nullptr;  // armature.DecisionError, an Error

// One class per mistake, in the order of DecisionMistake.
struct MistakeClass {
  DecisionMistake mistake;
  const char* name;
  const char* text;
  PyObject* object = nullptr;
};
MistakeClass mistake_classes[] = {
    {DecisionMistake::kUnknown, "UnknownDecision", "No such decision was ever made."},
    {DecisionMistake::kRepeated, "RepeatedOutcome",
     "The decision was told just this before: to go on as if it were the first time is safe."},
    {DecisionMistake::kObserved, "OutcomeConflict",
     "The decision already has its outcome, or that part of it, and this is another one."},
    {DecisionMistake::kForgotten, "ForgottenDecision", "The decision was forgotten."},
    {DecisionMistake::kClosed, "ClosedDecision",
     "The decision was observed or forgotten too long ago to say which."},
    {DecisionMistake::kAction, "UnknownAction", "The problem has no such action."},
    {DecisionMistake::kArm, "WrongArm", "The decision was made for another action."},
    {DecisionMistake::kContext, "UnknownContext", "The problem has no such context."},
    {DecisionMistake::kReward, "InvalidReward", "The reward is not a number in [0, 1]."},
    {DecisionMistake::kWitness, "CannotWitness",
     "The policy cannot learn from decisions it did not make; the message says what to do."},
};

PyObject* class_of(DecisionMistake mistake) {
  for (const MistakeClass& row : mistake_classes)
    if (row.mistake == mistake) return row.object;
  return decision_error_class;
}

// The parts of the report stay apart, for whoever shows them in their own way.
void set_error(PyObject* type, const Error& error) {
  const auto made = py::reinterpret_steal<py::object>(PyObject_CallFunction(
      type, "N", PyUnicode_DecodeUTF8(error.what(), strlen(error.what()), "replace")));
  if (!made) return;  // Python has said why
  const auto& [file, field, value, expected] = error.report();
  const auto set = [&](const char* name, const std::string& text) {
    const auto held = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    PyObject_SetAttrString(made.ptr(), name, held.ptr());
  };
  set("file", file);
  set("field", field);
  set("value", value);
  set("expected", expected);
  PyErr_SetObject(type, made.ptr());
}

PyObject* new_class(py::module_& module, const char* name, const char* text, PyObject* base) {
  PyObject* made =
      PyErr_NewExceptionWithDoc((std::string("armature.") + name).c_str(), text, base, nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.attr(name) = py::reinterpret_borrow<py::object>(made);
  return made;
}

}  // namespace

void set_python_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const DecisionError& error) {
    set_error(class_of(error.mistake()), error);
  } catch (const Error& error) {
    set_error(error_class, error);
  } catch (const CheckFailure& failure) {
    PyErr_Format(PyExc_RuntimeError,
                 "a mistake in armature, not in what it was given: please report it. %s",
                 failure.what());
  }
}

void bind_errors(py::module_& module) {
  error_class = new_class(module, "Error",
                          "What was wrong with an input: where (file, field), what was found "
                          "(value), what was expected. A ValueError.",
                          PyExc_ValueError);
  for (const char* part : {"file", "field", "value", "expected"})
    PyObject_SetAttrString(error_class, part, py::str("").ptr());
  decision_error_class =
      new_class(module, "DecisionError",
                "What a policy was told of a decision cannot be. The policy is as it was before.",
                error_class);
  for (MistakeClass& row : mistake_classes)
    row.object = new_class(module, row.name, row.text, decision_error_class);
  py::register_exception_translator([](std::exception_ptr thrown) {
    if (thrown) set_python_error(thrown);
  });
}

}  // namespace armature::python
