"""Worlds to play in, and the families of them.

>>> import armature
>>> world = armature.Instance(marginals=[[0.5, 0.5], [0.1, 0.9]], means=[0.2, 0.6])
>>> world.means.round(6).tolist(), world.is_benign
([0.4, 0.56], True)
>>> contexts, rewards = world.sample("a1", 1000, seed=1)
"""

from __future__ import annotations

from typing import NamedTuple, Tuple

from armature import _engine
from armature._engine import Instance, Problem, RewardLaw
from armature.policy import Catalogue, ParameterFacts, page

__all__ = ["FamilyFacts", "Instance", "Problem", "RewardLaw", "describe_family", "families"]


class FamilyFacts(NamedTuple):
    """What the registry knows of a family of instances."""

    name: str
    summary: str
    text: str
    section: str
    random: bool
    parameters: Tuple[ParameterFacts, ...]


def families() -> Catalogue[FamilyFacts]:
    """All families of instances: a list that shows itself as a table.

    >>> import armature
    >>> "hidden-arm" in [facts.name for facts in armature.families()]
    True
    """
    return Catalogue(
        FamilyFacts(*row[:-1], tuple(ParameterFacts(*one) for one in row[-1]))
        for row in _engine.family_facts()
    )


def describe_family(name: str) -> str:
    """All about one family: what it is for, and its parameters.

    >>> import armature
    >>> print(armature.describe_family("hidden-arm"))  # doctest: +ELLIPSIS
    hidden-arm: ...
    """
    found = _engine.find_family(name)
    facts = next(facts for facts in families() if facts.name == found)
    return page(f"{facts.name}: {facts.summary}", facts.text, [], facts.parameters)
