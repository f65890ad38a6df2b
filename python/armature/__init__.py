"""armature: causal bandits. Policies, simulation, studies, theory, graphs and logs, at the speed of C++."""

from armature._engine import __version__

__all__ = ["__version__"]

# Simulation and studies
from armature.environments import Discrete, Environment
from armature.results import Figure, Result
from armature.simulation import KnownProblem, simulate
from armature.studies import Store, open_store, run_study

__all__ += ["Discrete", "Environment", "Figure", "KnownProblem", "Result", "Store"]
__all__ += ["open_store", "run_study", "simulate"]
