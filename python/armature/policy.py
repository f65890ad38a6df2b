"""Policies behind ask and tell, and the registry of them.

>>> import armature
>>> policy = armature.Policy("ucb", actions=["mail", "call"], seed=1)
>>> decision = policy.choose()
>>> decision.action
'mail'
>>> policy.observe(decision, reward=1.0)
>>> policy.round, policy.outstanding_count
(1, 0)
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from armature import _engine
from armature._engine import Decision, Decisions, Problem

__all__ = [
    "Decision",
    "Decisions",
    "ParameterFacts",
    "Policy",
    "PolicyFacts",
    "describe",
    "policies",
]


class ParameterFacts(NamedTuple):
    """A parameter of a policy or of a family."""

    name: str
    expects: str
    default: str
    automatic: bool
    help: str
    section: str


class PolicyFacts(NamedTuple):
    """What the registry knows of a policy."""

    name: str
    summary: str
    text: str
    section: str
    needs_horizon: bool
    needs_marginals: bool
    witnesses: bool
    parameters: Tuple[ParameterFacts, ...]


Facts = TypeVar("Facts", bound=Any)


class Catalogue(List[Facts]):
    """A list that shows itself as a table of names and summaries."""

    def __repr__(self) -> str:
        width = max((len(facts.name) for facts in self), default=0)
        return "\n".join(f"{facts.name:<{width}}  {facts.summary}" for facts in self)


def _parameters(rows: Sequence[Tuple[str, str, str, bool, str, str]]) -> Tuple[ParameterFacts, ...]:
    return tuple(ParameterFacts(*row) for row in rows)


def policies() -> Catalogue[PolicyFacts]:
    """All policies: a list that shows itself as a table; ``pandas.DataFrame`` takes it too.

    >>> import armature
    >>> [facts.name for facts in armature.policies()][:2]
    ['ucb', 'c-ucb']
    """
    return Catalogue(
        PolicyFacts(*row[:-1], _parameters(row[-1])) for row in _engine.policy_facts()
    )


def page(title: str, text: str, needs: Sequence[str], parameters: Sequence[ParameterFacts]) -> str:
    """All about one policy or family, as help shows it."""
    lines = [title, "", text]
    if needs:
        lines += ["", "Needs " + " and ".join(needs) + "."]
    if parameters:
        lines += ["", "Parameters"]
    for parameter in parameters:
        automatic = "automatic: " if parameter.automatic else ""
        lines.append(f"  {parameter.name}: {parameter.help}")
        lines.append(f"      {parameter.expects}; default {automatic}{parameter.default}")
    return "\n".join(lines)


def describe(name: str) -> str:
    """All about one policy: what it promises, what it needs, its parameters.

    >>> import armature
    >>> print(armature.describe("sentry"))  # doctest: +ELLIPSIS
    sentry: ...
    """
    found = _engine.find_policy(name)
    facts = next(facts for facts in policies() if facts.name == found)
    needs = ["a horizon"] * facts.needs_horizon + ["given marginals"] * facts.needs_marginals
    return page(f"{facts.name}: {facts.summary}", facts.text, needs, facts.parameters)


def _value_text(value: Any) -> str:
    """A parameter's value in a text form: numbers, texts, and lists of policies."""
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"parameter: got {value}, expected a number or a text ('on', 'off')")
    if isinstance(value, (list, tuple)):
        return "+".join(f"({part})" if ":" in str(part) else str(part) for part in value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def _policy_text(text: str, parameters: Mapping[str, Any], replace: bool = False) -> str:
    if not isinstance(text, str):
        raise ValueError(f"policy: got {text!r}, expected a text form such as 'ucb:scale=0.5'")
    return _engine.policy_text(
        text, [(name, _value_text(value)) for name, value in parameters.items()], replace
    )


def _own_parameters(text: str) -> List[str]:
    name = text.split(":", 1)[0]
    return [parameter.name for facts in policies() if facts.name == name
            for parameter in facts.parameters]


def _whose_epsilon(
    text: str, epsilon: Optional[float], parameters: Dict[str, Any]
) -> Tuple[Optional[float], Dict[str, Any]]:
    """The problem's epsilon and the policy's parameters: its own, where it has one of that name."""
    if epsilon is None or not isinstance(text, str) or "epsilon" not in _own_parameters(text):
        return epsilon, parameters
    return None, {**parameters, "epsilon": epsilon}


class Policy(_engine.Policy):
    """A policy that is asked for decisions and told what came of them.

    ``Policy("sentry", actions=20, contexts=5, marginals=array, seed=1)``: the first argument is a
    name or a text form (``"ucb:scale=0.5"``), further keywords are parameters of the policy.
    ``actions`` and ``contexts`` are counts or lists of names, and names are accepted wherever a
    number is; ``marginals`` has a row per action. ``Policy(text, problem=...)`` takes a Problem, or
    the path of a problem file, instead. ``epsilon`` is how far the marginals may be from the truth;
    where the policy has a parameter of that name, it is that parameter.

    Each decision says how probable it was (``propensity``); ``propensities=False`` does without,
    which is faster. Several threads may use one policy: their calls take turns. Batches give up the
    interpreter's lock, so that other policies are at work meanwhile.

    >>> import armature
    >>> policy = armature.Policy("c-ucb", marginals=[[0.5, 0.5], [0.1, 0.9]])
    >>> decision = policy.choose()
    >>> policy.observe(decision, context=1, reward=0.5)
    >>> several = policy.choose(3)
    >>> policy.observe(several, context=[0, 1, 1], reward=[0.0, 1.0, 1.0])
    >>> policy.round
    4
    """

    def __init__(
        self,
        policy: str,
        *,
        actions: Union[int, Sequence[str], None] = None,
        contexts: Union[int, Sequence[str], None] = None,
        marginals: Any = None,
        horizon: Optional[float] = None,
        epsilon: Optional[float] = None,
        problem: Union[Problem, str, "os.PathLike[str]", None] = None,
        seed: int = 1,
        propensities: bool = True,
        **parameters: Any,
    ) -> None:
        epsilon, parameters = _whose_epsilon(policy, epsilon, parameters)
        if problem is None:
            problem = Problem(actions, contexts, marginals, horizon, epsilon)
        elif any(part is not None for part in (actions, contexts, marginals, horizon, epsilon)):
            raise ValueError("problem: got a problem and parts of one, expected one of them")
        elif not isinstance(problem, Problem):
            problem = Problem.read(problem)
        super().__init__(_policy_text(policy, parameters), problem, seed, bool(propensities))

    @classmethod
    def _loaded(cls, book: bytes, problem: Problem) -> "Policy":
        policy = cls.__new__(cls)
        _engine.Policy.__init__(policy, book, problem)
        return policy

    def __repr__(self) -> str:
        problem = self.problem
        return (
            f"Policy({self.text!r}, actions={problem.actions}, contexts={problem.contexts}, "
            f"round={self.round}, outstanding={self.outstanding_count})"
        )

    # Saving and loading

    def state_dict(self) -> Dict[str, Any]:
        """All of it, decisions outstanding and half told included: it goes on bit for bit.

        >>> import armature
        >>> one = armature.Policy("ucb", actions=3)
        >>> other = armature.Policy.from_state_dict(one.state_dict())
        >>> one.digest == other.digest
        True
        """
        return {"policy": self.text, "problem": self.problem.to_json(), "book": self._save()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Becomes what was saved, by the same policy on the same problem."""
        book, problem = _parts_of_state(state)
        if problem != self.problem:
            raise ValueError("state: got one of another problem, expected one of this problem")
        self._restore(book)

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any]) -> "Policy":
        """A new policy from what ``state_dict`` gave."""
        return cls._loaded(*_parts_of_state(state))

    def __reduce__(self) -> Tuple[Any, ...]:
        own = {key: value for key, value in vars(self).items()}
        return (_restored, (type(self), self.state_dict()), own or None)

    # Others' decisions

    def warm_start(
        self,
        frame: Any,
        *,
        action: str = "action",
        context: Optional[str] = None,
        reward: str = "reward",
    ) -> "Policy":
        """Learns from a frame (or a dict of arrays) of others' decisions, a row each.

        ``action``, ``context`` and ``reward`` name its columns; that of contexts is "context",
        and need not be there where there is one context. All rows are learned from, or none if one
        of them is a mistake. Returns the policy.

        >>> import armature
        >>> past = {"action": ["a0", "a1", "a1"], "reward": [0, 1, 1]}
        >>> armature.Policy("ucb", actions=2).warm_start(past).evidence["plays"].tolist()
        [[1], [2]]
        """
        contexts = None
        if context is not None or self.problem.contexts > 1 or _has_column(frame, "context"):
            contexts = _column(frame, "context" if context is None else context)
        self.witness(_column(frame, action), contexts, _column(frame, reward))
        return self

    partial_fit = warm_start

    # When the problem changes

    def extend(
        self,
        policy: Optional[str] = None,
        *,
        problem: Optional[Problem] = None,
        actions: Union[int, Sequence[str], None] = None,
        contexts: Union[int, Sequence[str], None] = None,
        marginals: Any = None,
        horizon: Optional[float] = None,
        epsilon: Optional[float] = None,
        **parameters: Any,
    ) -> "Policy":
        """A new policy, with another text or problem, that knows what this one has heard.

        What is left out stays as it is; marginals do not, if actions or contexts change. Further
        keywords are parameters of the policy: of this one's they change those they name.
        ``epsilon`` is whose it is in ``Policy(...)``. Actions and contexts are known by name.
        Decisions outstanding are known to the new policy by their old ids: tell it their outcomes,
        and it witnesses them. This policy is as it was.

        >>> import armature
        >>> old = armature.Policy("ucb", actions=["mail", "call"])
        >>> late = old.choose()
        >>> new = old.extend(actions=["mail", "call", "visit"])
        >>> new.observe(late, reward=1.0)
        >>> new.evidence["plays"].ravel().tolist(), new.choose().id
        ([1, 0, 0], 2)
        """
        text = self.text if policy is None else policy
        epsilon, parameters = _whose_epsilon(text, epsilon, parameters)
        parts = (actions, contexts, marginals, horizon, epsilon)
        known = self.problem
        if problem is None:
            if marginals is None and actions is None and contexts is None:
                marginals = known.marginals
            problem = Problem(
                known.action_names if actions is None else actions,
                known.context_names if contexts is None else contexts,
                marginals,
                known.horizon if horizon is None else horizon,
                known.epsilon if epsilon is None and marginals is not None else epsilon,
            )
        elif any(part is not None for part in parts):
            raise ValueError("problem: got a problem and parts of one, expected one of them")
        text = _policy_text(text, parameters, replace=policy is None)
        return self._loaded(self._extended(text, problem), problem)

    def add_arm(self, name: str, marginals: Any = None) -> "Policy":
        """A new policy with one more action; ``marginals`` is its row, where they are known.

        >>> import armature
        >>> armature.Policy("ucb", actions=["mail", "call"]).add_arm("visit").problem.action_names
        ['mail', 'call', 'visit']
        """
        known = self.problem
        if not isinstance(name, str) or name in known.action_names:
            raise ValueError(f"name: got {name!r}, expected the name of a new action")
        if (known.marginals is None) != (marginals is None):
            what = "a row" if marginals is not None else "no row"
            wants = "one: the others have theirs" if marginals is None else "none: none are known"
            raise ValueError(f"marginals: got {what}, expected {wants}")
        rows = None
        if known.marginals is not None:
            row = np.asarray(marginals)
            if row.shape != (known.contexts,):
                raise ValueError(
                    f"marginals: got an array with shape {row.shape}, "
                    f"expected {(known.contexts,)}, one number per context"
                )
            rows = np.vstack([known.marginals, row])
        return self._with_actions([*known.action_names, name], rows)

    def remove_arm(self, action: Union[int, str]) -> "Policy":
        """A new policy without one of the actions; what comes late of it is heard and dropped.

        >>> import armature
        >>> armature.Policy("ucb", actions=["mail", "call"]).remove_arm("call").problem.action_names
        ['mail']
        """
        known = self.problem
        place = self.action_index(action)
        rows = None if known.marginals is None else np.delete(known.marginals, place, axis=0)
        names = [name for i, name in enumerate(known.action_names) if i != place]
        return self._with_actions(names, rows)

    def _with_actions(self, names: Sequence[str], marginals: Any) -> "Policy":
        known = self.problem
        epsilon = known.epsilon if marginals is not None else None
        problem = Problem(names, known.context_names, marginals, known.horizon, epsilon)
        return self.extend(problem=problem)

    # Looking at it

    def explain(self) -> Dict[str, Any]:
        """What it knows and what it would do next, as arrays, and in a sentence.

        ``plays`` and ``means`` are of actions, ``context_plays`` and ``context_means`` of contexts
        (NaN where nothing was observed), ``probabilities`` are those of the next choice (None where
        there is no closed form); ``diagnostics`` and ``state`` are what the policy has of its own.

        Beside them stands what the next choice goes by, exactly as the choice computes it, as far as
        the algorithm knows such things: ``index``, ``mean``, ``width`` and ``candidate`` of actions,
        ``context_index`` and the like of contexts, ``active`` and ``learner_plays`` of learners (in
        the order of ``base``), a ``bar``, a ``phase``. The largest ``index`` is played, the first of
        equals, unless ``by_index`` is there and False: then something else decides this time.

        >>> import armature
        >>> policy = armature.Policy("ucb", actions=2, horizon=8)
        >>> print(policy.explain()["sentence"])
        ucb has made 0 decisions, 0 outstanding, and heard 0 outcomes; the largest index is 1.665, \
of 'a0', with a width of 1.665; it would play 'a0' next.
        >>> policy.explain()["index"].round(3)
        array([1.665, 1.665])
        """
        evidence = self.evidence
        plays, rewards = evidence["plays"], evidence["rewards"]
        probabilities = self.probabilities()
        insights = self.insights
        return {
            **insights,
            "policy": self.text,
            "round": self.round,
            "outstanding": self.outstanding_count,
            "actions": self.problem.action_names,
            "contexts": self.problem.context_names,
            "plays": plays.sum(axis=1),
            "means": _ratio(rewards.sum(axis=1), plays.sum(axis=1)),
            "context_plays": plays.sum(axis=0),
            "context_means": _ratio(rewards.sum(axis=0), plays.sum(axis=0)),
            "probabilities": probabilities,
            "diagnostics": self.diagnostics(),
            "state": self.state,
            "sentence": self._sentence(plays, rewards, probabilities, insights),
        }

    def _sentence(
        self, plays: Any, rewards: Any, probabilities: Any, insights: Mapping[str, Any]
    ) -> str:
        names = self.problem.action_names
        text = (
            f"{self.text} has made {self.round} decisions, {self.outstanding_count} outstanding, "
            f"and heard {plays.sum()} outcomes"
        )
        if plays.any():
            means = _ratio(rewards.sum(axis=1), plays.sum(axis=1))
            best = int(np.nanargmax(means))
            text += (
                f"; the best mean so far is {means[best]:.4g}, of '{names[best]}' "
                f"after {plays.sum(axis=1)[best]}"
            )
        if "index" in insights:
            leader = int(np.argmax(insights["index"]))
            text += f"; the largest index is {insights['index'][leader]:.4g}, of '{names[leader]}'"
            if "width" in insights:
                text += f", with a width of {insights['width'][leader]:.4g}"
        if probabilities is None:
            return text + "; it draws what to play next."
        chosen = int(np.argmax(probabilities))
        share = probabilities[chosen]
        odds = "" if share == 1 else f" with probability {share:.4g}"
        return f"{text}; it would play '{names[chosen]}' next{odds}."


def _restored(cls: Any, state: Mapping[str, Any]) -> Policy:
    policy: Policy = cls.from_state_dict(state)
    return policy


def _parts_of_state(state: Mapping[str, Any]) -> Tuple[bytes, Problem]:
    try:
        book, problem = state["book"], state["problem"]
    except (TypeError, KeyError, IndexError):
        raise ValueError("state: got something else, expected what state_dict() gave") from None
    if not isinstance(book, bytes) or not isinstance(problem, str):
        raise ValueError("state: got something else, expected what state_dict() gave")
    return book, Problem.from_json(problem)


def _has_column(frame: Any, name: str) -> bool:
    try:
        frame[name]
    except (KeyError, TypeError, IndexError, ValueError):
        return False
    return True


def _column(frame: Any, name: str) -> Any:
    """A column as the engine takes it: a list, an array of numbers, an array of names."""
    if not _has_column(frame, name):
        raise ValueError(f"frame: got none of the name {name!r}, expected that column")
    column = frame[name]
    # Extension types of pandas (categories, texts, whole numbers with gaps) become plain arrays.
    return column if isinstance(column, (list, tuple, np.ndarray)) else np.asarray(column)


def _ratio(sums: Any, counts: Any) -> Any:
    return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)


def _add_policies_to_help() -> None:
    """``help(armature.Policy)`` ends in the policies there are."""
    summaries = "\n".join(f"    - {facts.name}: {facts.summary}" for facts in policies())
    Policy.__doc__ = (
        (Policy.__doc__ or "").rstrip()
        + "\n\n    The policies, explained by ``armature.describe(name)``:\n\n"
        + summaries
        + "\n"
    )


_add_policies_to_help()
