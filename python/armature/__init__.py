"""armature: causal bandits. Policies, simulation, studies, theory, graphs and logs, at the speed of C++."""

from armature._engine import __version__

__all__ = ["__version__"]
