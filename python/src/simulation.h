// What simulations and studies share: how a run is listened to, and parts written in Python.
#pragma once

#include <atomic>
#include <functional>

#include "bindings.h"

namespace armature::python {

/// Ends a run early with what is finished. Python holds one per run and sets it on Ctrl-C.
struct Stop {
  std::atomic<bool> asked{false};
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
/// The same in this thread, with the GIL: for runs that call Python in every round.
void run_here(const Listener& listener, const std::function<void(const RunHooks&)>& work);

/// A policy and an environment written in Python. `make` is called once a replication and answers
/// the object. Both must be used by a thread that holds the GIL: run_here.
PolicyMaker python_policy(std::string text, py::function make);
EnvironmentMaker python_environment(py::function make, std::uint32_t contexts);

void bind_studies(py::module_& module);
void bind_own_parts(py::module_& module);

}  // namespace armature::python
