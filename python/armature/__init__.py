"""armature: causal bandits. Policies, simulation, studies, theory, graphs and logs, at the speed of C++."""

from armature import errors, instances, policy
from armature._engine import __version__
from armature.environments import Discrete, Environment
from armature.errors import *
from armature.graphs import Graph, GraphMarginals, GraphVerdict, Separation, Separators
from armature.instances import *
from armature.logs import Audit, Replay, ReplayValue, audit, replay
from armature.policy import *
from armature.results import Figure, Result
from armature.simulation import KnownProblem, simulate
from armature.studies import Store, open_store, run_study
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

__all__: list[str] = [
    "__version__",
    # Policies, instances and what can go wrong with them.
    *errors.__all__, *instances.__all__, *policy.__all__,
    # Simulation and studies.
    "Discrete", "Environment", "Figure", "KnownProblem", "Result", "Store", "open_store", "run_study", "simulate",
    # Theory, graphs and logs.
    "Advice", "Audit", "Bound", "Bounds", "Design", "Frontier", "FrontierPoint", "Graph", "GraphMarginals",
    "GraphVerdict", "PairVerdict", "Replay", "ReplayValue", "Separation", "Separators", "advise", "audit", "bounds",
    "design", "frontier", "replay",
]
