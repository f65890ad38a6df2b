// What simulations and studies share: how a run is listened to, and parts written in Python.
#pragma once

#include <atomic>
#include <functional>

#include "bindings.h"

namespace armature::python {

/// Ends a run early with what is finished. Python holds one per run and sets it on Ctrl-C.
struct Stop {
  std::atomic<bool> asked{false};
  std::atomic<unsigned long> worker{0};  // the thread of the run, as Python numbers threads

  /// Ends it without anything, also where a part written in Python never answers: it is raised a
  /// KeyboardInterrupt, at its next step in Python. Asked by a thread that holds the GIL.
  void interrupt() {
    asked = true;
    PyThreadState_SetAsyncExc(worker, PyExc_KeyboardInterrupt);
  }
};

/// How a run is listened to; `progress` is None or called with (replications done, of how many).
struct Listener {
  unsigned threads = 0;
  Stop& stop;
  py::object progress;
};

/// Runs `work` in a thread of its own without the GIL, while this one hears of signals and tells of
/// progress. An exception of a signal handler or of `progress` stops the run and is thrown here.
void run_beside(const Listener& listener, const std::function<void(const RunHooks&)>& work);

/// A policy and an environment written in Python. `make` is called once a replication and answers
/// the object. What they make takes the GIL by itself and holds it until it is destroyed, so it
/// must be used and destroyed by one thread, last made first. The makers themselves may be copied
/// without the GIL; the last copy needs it to end.
PolicyMaker python_policy(std::string text, py::function make);
EnvironmentMaker python_environment(py::function make, std::uint32_t contexts);

void bind_studies(py::module_& module);
void bind_own_parts(py::module_& module);

}  // namespace armature::python
