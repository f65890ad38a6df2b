// Fails to compile, link or run if the installed package is incomplete.
#include <armature/armature.h>

int main() {
  armature::Simulation simulation;
  simulation.instance = "hidden-arm";
  simulation.policies = {"oracle"};
  simulation.horizon = 100;
  simulation.replications = 3;
  return armature::simulate(simulation).policies.at(0).mean_regret == 0 ? 0 : 1;
}
