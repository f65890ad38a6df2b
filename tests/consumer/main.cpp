// Fails to compile, link or run if the installed package is incomplete.
#include <armature/armature.h>

int main() {
  armature::Simulation simulation;
  simulation.instance = "hidden-arm";
  simulation.policies = {"oracle"};
  simulation.horizon = 100;
  simulation.replications = 3;
  return armature::simulate(simulation).cells.at(0).final_regret().mean == 0 ? 0 : 1;
}
