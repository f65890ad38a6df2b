#include "bindings.h"

PYBIND11_MODULE(_engine, module) {
  using namespace armature::python;
  module.doc() = "The compiled part of armature; `import armature` is the way in.";
  module.attr("__version__") = armature::version();
  bind_errors(module);
  bind_problems(module);
  bind_policies(module);
  bind_simulation(module);
  bind_theory(module);
  bind_graphs(module);
  bind_logs(module);
  guard_classes(module);
}
