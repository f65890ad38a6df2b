"""armature: causal bandits. Policies, simulation, studies, theory, graphs and logs, at the speed of C++."""

from armature._engine import __version__

__all__: list[str] = ["__version__"]

# Theory, graphs and logs.
from armature.graphs import Graph, GraphMarginals, GraphVerdict, Separation, Separators
from armature.logs import Audit, Replay, ReplayValue, audit, replay
from armature.theory import (
    Advice,
    Bound,
    Bounds,
    Design,
    Frontier,
    FrontierPoint,
    PairVerdict,
    advise,
    bounds,
    design,
    frontier,
)

__all__ += [
    "Advice", "Audit", "Bound", "Bounds", "Design", "Frontier", "FrontierPoint", "Graph", "GraphMarginals",
    "GraphVerdict", "PairVerdict", "Replay", "ReplayValue", "Separation", "Separators", "advise", "audit", "bounds",
    "design", "frontier", "replay",
]
from armature import errors, instances, policy
from armature.errors import *
from armature.instances import *
from armature.policy import *

__all__ += errors.__all__ + instances.__all__ + policy.__all__
# Simulation and studies
from armature.environments import Discrete, Environment
from armature.results import Figure, Result
from armature.simulation import KnownProblem, simulate
from armature.studies import Store, open_store, run_study

__all__ += ["Discrete", "Environment", "Figure", "KnownProblem", "Result", "Store"]
__all__ += ["open_store", "run_study", "simulate"]
