"""Our worlds for agents of others: an environment with `reset` and `step`, as gymnasium has them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from armature import _engine
from armature._arguments import MOST_ROUNDS, InstanceLike, instance_source, whole


class Discrete:
    """The whole numbers from 0 to n − 1, as gymnasium.spaces.Discrete: n, sample(), contains().

    >>> import armature
    >>> armature.Discrete(3).contains(2), 3 in armature.Discrete(3)
    (True, False)
    """

    def __init__(self, n: int, seed: Optional[int] = None) -> None:
        self.n = n
        self.start = 0
        self.shape: tuple[int, ...] = ()
        self.dtype = np.dtype(np.int64)
        self._random = np.random.default_rng(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        self._random = np.random.default_rng(seed)

    def sample(self) -> int:
        return int(self._random.integers(self.n))

    def contains(self, x: object) -> bool:
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)):
            return False
        return 0 <= int(x) < self.n

    __contains__ = contains

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and other.n == self.n

    def __hash__(self) -> int:
        return hash(self.n)

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


class Environment:
    """An instance as an environment: an action in, the context it led to and a reward out.

    An episode is a replication: the first one meets the luck that replication 0 of `simulate` with
    the same seed and horizon meets, the next one that of replication 1. The observation is the
    context that came with the last action; before the first one it is `contexts`, a number no
    context has. Episodes never terminate; they are truncated at the horizon. `info` has the round,
    the regret so far and the action's gap, which no agent should look at.

    >>> import armature
    >>> world = armature.Environment("hidden-arm:actions=4", seed=1, horizon=100)
    >>> observation, info = world.reset()
    >>> truncated = False
    >>> while not truncated:
    ...     observation, reward, terminated, truncated, info = world.step(world.action_space.sample())
    >>> info["round"]
    100
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None

    def __init__(self, instance: InstanceLike, seed: int = 1, horizon: float = 1000) -> None:
        text, files = instance_source(instance)
        self._files = files
        self._text = text
        self.horizon = whole("horizon", horizon, 1, MOST_ROUNDS)
        self._begin_anew(whole("seed", seed, 0, 2**64 - 1))
        self.actions: int = self._world.actions
        self.contexts: int = self._world.contexts
        self.action_space = Discrete(self.actions, seed=self.seed)
        self.observation_space = Discrete(self.contexts + 1, seed=self.seed)

    @property
    def unwrapped(self) -> Environment:
        return self

    @property
    def marginals(self) -> Optional[NDArray[np.float64]]:
        """What policies are told: the law of the context, one row per action; None if unknown."""
        told: Optional[NDArray[np.float64]] = self._world.problem["marginals"]
        return told

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[int, dict[str, Any]]:
        """Begins the next episode; with a seed, the first one of that seed."""
        if seed is not None:
            self._begin_anew(whole("seed", seed, 0, 2**64 - 1))
        self._world.begin(self._episode)
        self._episode += 1
        self._round = 0
        self._regret = 0.0
        self._gaps = self._world.gaps
        return self.contexts, {"round": 0, "regret": 0.0}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Plays one round: (observation, reward, terminated, truncated, info)."""
        if self._episode == 0 or self._round >= self.horizon:
            raise RuntimeError("the episode is over: reset() begins the next one")
        context, reward = self._world.play(action)
        self._round += 1
        gap = float(self._gaps[int(action)])
        self._regret += gap
        info = {"round": self._round, "regret": self._regret, "gap": gap}
        return context, reward, False, self._round == self.horizon, info

    def render(self) -> None:
        """There is nothing to see."""

    def close(self) -> None:
        """There is nothing to close."""

    def _begin_anew(self, seed: int) -> None:
        self.seed = seed
        self._world = _engine.PlayedWorld(self._text, self._files, self.horizon, seed)
        self._episode = 0
        self._round = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_world"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the episode was: the luck of a round does not depend on earlier actions."""
        vars(self).update(state)
        self._world = _engine.PlayedWorld(self._text, self._files, self.horizon, self.seed)
        if self._episode > 0:
            self._world.begin(self._episode - 1)
        for _ in range(self._round):
            self._world.play(0)

    def __repr__(self) -> str:
        return f"Environment({self._world.text!r}, seed={self.seed}, horizon={self.horizon})"
