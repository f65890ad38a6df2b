"""armature: causal bandits. Policies, simulation, studies, theory, graphs and logs, at the speed of C++."""

from armature._engine import __version__

__all__: list[str] = ["__version__"]

from armature import errors, instances, policy
from armature.errors import *
from armature.instances import *
from armature.policy import *

__all__ += errors.__all__ + instances.__all__ + policy.__all__
