"""Policies on an instance, replication by replication: `simulate`."""

from __future__ import annotations

import copy
import inspect
import json
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from armature import _engine
from armature._arguments import (
    MOST_ROUNDS,
    InstanceLike,
    also_at_rounds,
    delay_text,
    file_name,
    instance_source,
    problem_json,
    real,
    reals,
    refuse,
    refuse_found,
    text_of,
    whole,
)
from armature._listening import ProgressLike, progress_of, stopping
from armature.results import Result

PolicyLike = Any
"""A text form, or a policy of your own: a class, a function that makes one, or an object."""


MOST_LOGGED = 2**25  # rounds, of 32 bytes each


@dataclass(frozen=True)
class KnownProblem:
    """What a policy of your own is told: sizes, names, the horizon and the marginals, no rewards.

    >>> import armature
    >>> class Greedy:
    ...     def __init__(self, problem, random):
    ...         self.plays, self.rewards = [1] * problem.actions, [1.0] * problem.actions
    ...     def choose(self):
    ...         means = [reward / plays for reward, plays in zip(self.rewards, self.plays)]
    ...         return means.index(max(means))
    ...     def observe(self, arm, context, reward):
    ...         self.plays[arm] += 1
    ...         self.rewards[arm] += reward
    >>> result = armature.simulate("hidden-arm:actions=3", ["ucb", Greedy], 200, 4, progress=False)
    >>> result.policies
    ['ucb', 'Greedy']
    """

    action_names: Sequence[str]
    context_names: Sequence[str]
    horizon: Optional[int]
    marginals: Optional[NDArray[np.float64]]
    epsilon: Optional[float]

    @property
    def actions(self) -> int:
        return len(self.action_names)

    @property
    def contexts(self) -> int:
        return len(self.context_names)


def simulate(
    instance: InstanceLike,
    policies: Union[PolicyLike, Sequence[PolicyLike], Mapping[str, PolicyLike]],
    horizon: float,
    replications: float = 100,
    seed: int = 1,
    *,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: ProgressLike = True,
    checkpoints: int = 32,
    at: Sequence[float] = (),
    delay: Union[None, int, str] = None,
    batch: int = 1,
    loss: float = 0.0,
    given: Any = None,
    log: bool = False,
    leap_tolerance: float = 1e-9,
    max_events: float = 1e9,
) -> Result:
    """Runs policies on an instance and returns their regret.

    The same numbers as `armature simulate` with the same options, to the last bit.

    >>> import armature
    >>> result = armature.simulate("bilodeau-confounded:actions=4", ["ucb", "c-ucb"],
    ...                            horizon=1000, replications=8, seed=1, progress=False)
    >>> result.policies
    ['ucb', 'c-ucb']
    >>> result.regret("ucb").shape   # replications × checkpoints
    (8, 29)

    Args:
        instance: A family's text form ("hidden-arm:actions=20"), the path of an instance file, its
            JSON as text or dictionary, an Instance, or an environment of your own (below).
        policies: One policy, a list, or a dictionary from labels to policies. A policy is a text
            form ("sentry", "ucb:delta=0.1", "oracle") or one of your own (below).
        horizon: Rounds; 1e6 is fine.
        replications: Independent repetitions.
        seed: Same seed, same bits.
        engine: "auto", "step" (every round) or "leap" (the same law up to a stated error).
        threads: None: one per core. Results do not depend on it.
        progress: A bar where somebody looks (tqdm if there is one), or a function that is called
            with (replications done, of how many).
        checkpoints: How many log-spaced rounds to note regret at.
        at: Further rounds to note regret at.
        delay: Late outcomes: a number of rounds, "fixed:N" or "geometric:mean=N".
        batch: Outcomes arrive only after every so many rounds.
        loss: The probability that an outcome never arrives.
        given: What policies are told instead of the instance's own marginals: a problem.
        log: Keep every round, for `Result.log`: stepped, by one thread, at most 2^25 rounds in all.
        leap_tolerance: Leap: total variation by which a replication may be off.
        max_events: Leap: give up beyond so many events in a replication.

    The GIL is released. Ctrl-C ends the run with what is finished: the result has `complete` False,
    and a RuntimeWarning says so. If nothing was finished, and at a second Ctrl-C, KeyboardInterrupt
    is raised.

    **A policy of your own** is anything with `choose()`, which answers an arm, and
    `observe(arm, context, reward)`. Give its class, or a function that makes one: it is called once
    a replication with `problem` (KnownProblem) and `random` (numpy Generator), if it has parameters
    of these names; what else has no default is given them in this order. An object is copied deeply
    for each replication. Optional: `forget(arm)`, where an outcome is lost, `diagnostics()` (a
    dictionary), and `probabilities()` of the next choice, which a log notes. Where `choose()`
    answers an object with `.arm`, that object is what `observe` gets back.

    **An environment of your own** is anything with `play(arm)`, which answers (context, reward),
    and the attributes `actions` and `contexts` (counts or names), `means` (the true mean reward of
    each action, by which regret is measured) and, if policies may know them, `marginals`. A class
    or function is called with `random`, in the same way.

    Parts written in Python are slow: some tenths of a microsecond a round to call them, besides what
    they do themselves, and one thread plays everything: not the one that called, which hears of
    Ctrl-C meanwhile (a debugger stops in that other thread). The first Ctrl-C lets a part end its
    round; the second is raised in it as KeyboardInterrupt at its next step in Python. Policies of
    your own meet the same luck on our instances as ours do.
    """
    rounds = whole("horizon", horizon, 1, MOST_ROUNDS)
    number = whole("seed", seed, 0, 2**64 - 1)
    named = _named_policies(policies)
    own: dict[str, Callable[[dict[str, Any], int], Any]] = {}
    texts = []
    for label, policy in named.items():
        text_of("policies", label)
        if isinstance(policy, str):
            texts.append(text_of("policies", policy))
        else:
            texts.append(_own_name(label, own))
            own[texts[-1]] = _policy_maker(policy, number)
    environment: Optional[Callable[[int], Any]] = None
    if _is_own_environment(instance):
        text, files, environment = _own_world(instance, number)
    else:
        text, files = instance_source(instance)

    asked = {
        "instance": text,
        "files": files,
        "policies": texts,
        "horizon": rounds,
        "replications": whole("replications", replications, 1, 10**9),
        "seed": number,
        "checkpoints": whole("checkpoints", checkpoints, 1, 100_000),
        "also_at": also_at_rounds(at, rounds),
        "delay": delay_text(delay),
        "batch": whole("batch", batch, 1, 10**9),
        "loss": real("loss", loss),
        "given": problem_json(given),
        "engine": text_of("engine", engine, "auto, step or leap"),
        "leap_tolerance": real("leap_tolerance", leap_tolerance),
        "max_events": whole("max_events", max_events, 1, 10**18),
    }
    if log:
        _prepare_log(asked)
    crew = 0 if threads is None else whole("threads", threads, 0, 4096)
    with stopping() as stop, progress_of(progress) as tell:
        finished = _engine.simulate(asked, list(named), own, environment, bool(log), crew, stop, tell)
    if stop.asked:
        if finished.replications_done == 0:
            raise KeyboardInterrupt("interrupted before the first replication was finished")
        if not finished.complete:
            warnings.warn("interrupted; this is what was finished", RuntimeWarning, stacklevel=2)
    return Result(finished, list(named), theory=environment is None, logged=bool(log))


def _prepare_log(asked: dict[str, Any]) -> None:
    """A log is of rounds, one by one."""
    if asked["engine"] in ("leap", "cuda"):
        refuse("log", True, 'engine="step", which plays every round')
    asked["engine"] = "step"
    rounds = asked["horizon"] * asked["replications"] * len(asked["policies"])
    if rounds > MOST_LOGGED:
        refuse_found("log", f"{rounds} rounds", f"at most {MOST_LOGGED} to be kept in memory")


def _named_policies(policies: Any) -> dict[str, PolicyLike]:
    """By label, in order."""
    if isinstance(policies, Mapping):
        named = {str(label): policy for label, policy in policies.items()}
    else:
        listed = list(policies) if isinstance(policies, (list, tuple)) else [policies]
        named = {}
        for policy in listed:
            label = policy if isinstance(policy, str) else _label_of(policy)
            if label in named:
                refuse("policies", label, "different ones; a dictionary gives each a label")
            named[label] = policy
    for label, policy in named.items():
        if not isinstance(policy, str) and not callable(policy) and not _plays(policy):
            refuse(f"policy {label!r}", policy, "a text form, or choose() and observe()")
    if not named:
        refuse("policies", policies, "at least one")
    return named


def _plays(policy: object) -> bool:
    return callable(getattr(policy, "choose", None)) and callable(getattr(policy, "observe", None))


def _label_of(part: Any) -> str:
    name = getattr(part, "__name__", None)
    return name if isinstance(name, str) else type(part).__name__


def _own_name(label: str, taken: Mapping[str, object]) -> str:
    """What the engine calls a policy of the caller's own: a text form no policy of ours has."""
    plain = file_name(label).replace(" ", "-").replace("+", "-") or "own"
    name, copies = f"python:policy={plain}", 1
    while name in taken:
        copies += 1
        name = f"python:policy={plain}-{copies}"
    return name


def _made(part: Any, method: str, **offered: Any) -> Any:
    """A part for one replication: a copy of an object that has the method, or made by a class or function."""
    if hasattr(part, method) and not inspect.isclass(part):
        return copy.deepcopy(part)
    arguments = _taken(part, offered)
    return part(*arguments.args, **arguments.kwargs)


def _taken(maker: Callable[..., Any], offered: dict[str, Any]) -> inspect.BoundArguments:
    """What it takes of what is offered: by name, and then, in order, what else it cannot do without.

    A parameter with a default and a name of its own is the maker's business, and so is what a
    functools.partial has fixed.
    """
    arguments = inspect.signature(maker).bind_partial()
    left = {
        name: value
        for name, value in offered.items()
        if name not in getattr(maker, "keywords", {})
    }
    parameters = arguments.signature.parameters
    for name in set(left) & set(parameters):
        arguments.arguments[name] = left.pop(name)
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments.arguments[name] = tuple(left.values())
            break
        needed = parameter.default is parameter.empty and parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        )
        if needed and left and name not in arguments.arguments:
            arguments.arguments[name] = left.pop(next(iter(left)))
    return arguments


def _random(seed: int, replication: int, purpose: int) -> np.random.Generator:
    """Luck of its own for each replication, and for policy and environment."""
    return np.random.default_rng([seed, replication, purpose])


def _policy_maker(policy: PolicyLike, seed: int) -> Callable[[dict[str, Any], int], Any]:
    def make(known: dict[str, Any], replication: int) -> Any:
        random = _random(seed, replication, 0)
        made = _made(policy, "choose", problem=KnownProblem(**known), random=random)
        if not _plays(made):
            refuse("policy", made, "an object with choose() and observe()")
        return made

    return make


def _is_own_environment(instance: object) -> bool:
    """A world that is played, and no text, file, or Instance (which samples but does not play)."""
    if isinstance(instance, (str, Mapping)) or any(
        hasattr(instance, name) for name in ("to_json", "_text_form")
    ):
        return False
    return hasattr(instance, "play") or callable(instance)


def _own_world(
    environment: Any, seed: int
) -> tuple[str, dict[str, str], Callable[[int], Any]]:
    """An instance that stands in for it: its sizes, what policies are told, and the means."""

    def make(replication: int) -> Any:
        return _made(environment, "play", random=_random(seed, replication, 1))

    first = make(0)
    label = _label_of(environment)
    for attribute in ("play", "actions", "contexts", "means"):
        if not hasattr(first, attribute):
            refuse_found(
                f"environment {label}",
                f"one without {attribute}",
                "play(arm), and the attributes actions, contexts and means (the true mean reward "
                "of each action, by which regret is measured)",
            )
    actions, contexts = _names("a", first.actions), _names("z", first.contexts)
    means = reals(f"{label}.means", first.means, len(actions))
    marginals = getattr(first, "marginals", None)
    rows = None if marginals is None else np.asarray(marginals, dtype=float)
    if rows is not None and rows.shape != (len(actions), len(contexts)):
        refuse_found(
            f"{label}.marginals",
            f"an array of shape {rows.shape}",
            f"shape ({len(actions)}, {len(contexts)})",
        )
    given: dict[str, Any] = {
        "format": "armature-problem",
        "version": 1,
        "actions": actions,
        "contexts": contexts,
    }
    if rows is not None:
        given["marginals"] = rows.tolist()
    stand_in = {
        "format": "armature-instance",
        "version": 1,
        "name": label,
        "actions": actions,
        "contexts": contexts,
        "marginals": (
            [[1 / len(contexts)] * len(contexts)] * len(actions) if rows is None else rows.tolist()
        ),
        "rewards": {"given_action_and_context": [[{"point": m}] * len(contexts) for m in means]},
        "given": given,
    }
    name = f"{file_name(label)}.json"
    return name, {name: json.dumps(stand_in)}, make


def _names(prefix: str, count_or_names: Any) -> list[str]:
    if isinstance(count_or_names, (list, tuple)):
        return [str(name) for name in count_or_names]
    count = whole("actions" if prefix == "a" else "contexts", count_or_names, 1, 10**6)
    return [f"{prefix}{i}" for i in range(count)]
