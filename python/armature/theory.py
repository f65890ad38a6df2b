"""What can be promised, and which policy to play: bounds, the frontier, advice, designs.

>>> import armature
>>> armature.bounds(actions=20, contexts=2, horizon=1e6)["ucb"].unit
'regret'
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Iterator, Mapping, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from armature import _engine
from armature._answers import Answer, data_frame, error_of, html_sentences, html_table
from armature._engine import Instance, Problem

Floats = npt.NDArray[np.float64]
#: A family's text form, an Instance, its file, its JSON, or a dictionary like it (docs/formats.md).
World = Union[str, "os.PathLike[str]", Instance, Mapping[str, Any]]
#: A Problem, its file, its JSON, or a dictionary like it (docs/formats.md).
GivenProblem = Union[Problem, str, "os.PathLike[str]", Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Bound:
    """One bound: its number, when it holds, and where it is proved."""

    name: str
    value: float | None
    kind: str  #: "explicit" or "rate" (universal constants set to 1)
    validity: str  #: "holds", "vacuous" or "outside", then ": why"
    source: str
    group: str  #: "upper", "lower" or "zones"
    world: str  #: "benign" or "any"
    unit: str
    failure: float | None  #: the probability that an explicit upper bound fails

    @property
    def holds(self) -> bool:
        """Whether the bound says something here."""
        return self.value is not None and self.validity.startswith("holds")


class Bounds(Answer, Sequence[Bound]):
    """Every bound at a setting; by name or by number.

    >>> b = bounds(actions=20, contexts=2, horizon=1e6)
    >>> b["c-ucb"].world
    'benign'
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.actions: int = fields["actions"]
        self.contexts: int = fields["contexts"]
        self.horizon: int = fields["horizon"]
        self.delta: float = fields["delta"]
        self.rank: int = fields["rank"]
        self.r2: float = fields["r2"]
        self.gap: float | None = fields.get("gap")
        self.epsilon: float | None = fields.get("epsilon")
        self.delay: int | None = fields.get("delay")
        self.notes: list[str] = list(fields["notes"])
        absent: dict[str, Any] = {"value": None, "failure": None}
        self._bounds = [Bound(**{**absent, **row}) for row in fields["bounds"]]
        self._by_name = {bound.name: bound for bound in self._bounds}

    def __len__(self) -> int:
        return len(self._bounds)

    @overload
    def __getitem__(self, key: str | int) -> Bound: ...
    @overload
    def __getitem__(self, key: slice) -> list[Bound]: ...
    def __getitem__(self, key: str | int | slice) -> Bound | list[Bound]:
        if isinstance(key, str):
            if key not in self._by_name:
                raise KeyError(f"got '{key}', expected one of {', '.join(self._by_name)}")
            return self._by_name[key]
        return self._bounds[key]

    def __iter__(self) -> Iterator[Bound]:
        return iter(self._bounds)

    @property
    def names(self) -> list[str]:
        """In order: upper, lower, zones."""
        return list(self._by_name)

    def to_pandas(self) -> Any:
        """A DataFrame with a row per bound."""
        return data_frame([dataclasses.asdict(bound) for bound in self._bounds])

    def __repr__(self) -> str:
        known = sum(bound.holds for bound in self._bounds)
        return (f"Bounds(actions={self.actions}, contexts={self.contexts}, horizon={self.horizon}: "
                f"{len(self)} bounds, {known} hold)")

    def _repr_html_(self) -> str:
        return html_table(
            ["bound", "value", "world", "kind", "unit", "source"],
            ([b.name, b.value, b.world, b.kind, b.unit, b.source] for b in self._bounds if b.holds),
            most=100,
        )


def bounds(
    actions: float | None = None,
    contexts: float | None = None,
    horizon: float | None = None,
    *,
    delta: float | None = None,
    rank: float | None = None,
    gap: float | None = None,
    epsilon: float | None = None,
    r2: float | None = None,
    delay: float | None = None,
    instance: World | None = None,
    seed: int = 1,
) -> Bounds:
    """What can be promised: every upper and lower bound as a number, as ``armature bounds``.

    Sizes, or an instance that knows its own sizes, rank, gap and ε; what is given explicitly wins.

    >>> round(bounds(actions=20, contexts=2, horizon=1e6)["ucb"].value)
    70790
    """
    return Bounds(_engine.ask_bounds(_setting(locals())))


@dataclasses.dataclass(frozen=True)
class FrontierPoint:
    """A pair of benign regret r1 and worst-case regret r2."""

    series: str  #: frontier, lower, or the name of a policy
    kind: str
    policy: str | None
    r1: float
    r2: float
    log_r1: float | None  #: log r1 / log horizon
    log_r2: float | None


@dataclasses.dataclass(frozen=True)
class PairVerdict:
    """Can this pair of regrets be had?"""

    verdict: str  #: achievable, excluded, between the bounds, not reasonable
    because: str
    policy: str | None = None
    kind: str | None = None


class Frontier(Answer):
    """The Pareto frontier of benign and worst-case regret, and who is where on it."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.actions: int = fields["actions"]
        self.contexts: int = fields["contexts"]
        self.horizon: int = fields["horizon"]
        self.product: float = fields["product"]
        self.lower_bound_until: float | None = fields.get("lower_bound_until")
        self.notes: list[str] = list(fields["notes"])
        self.pair: PairVerdict | None = PairVerdict(**fields["pair"]) if "pair" in fields else None
        absent: dict[str, Any] = {"policy": None, "log_r1": None, "log_r2": None}
        self.points: list[FrontierPoint] = [FrontierPoint(**{**absent, **p}) for p in fields["points"]]

    @property
    def series(self) -> list[str]:
        """The curves and policies, in order."""
        return list(dict.fromkeys(point.series for point in self.points))

    def curve(self, series: str) -> tuple[Floats, Floats]:
        """r1 and r2 of one series.

        >>> r1, r2 = frontier(actions=20, contexts=2, horizon=1e6).curve("frontier")
        >>> len(r1) == len(r2)
        True
        """
        if series not in self.series:
            raise error_of("series", f"'{series}'", f"one of {', '.join(self.series)}")
        chosen = [point for point in self.points if point.series == series]
        return np.array([p.r1 for p in chosen], float), np.array([p.r2 for p in chosen], float)

    def to_pandas(self) -> Any:
        """A DataFrame with a row per point."""
        return data_frame([dataclasses.asdict(point) for point in self.points])

    def plot(self, ax: Any = None) -> Any:
        """Benign against worst-case regret with matplotlib; returns the axes. Rates, constants set to 1, are hollow."""
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise ImportError("plot() needs matplotlib: apt install python3-matplotlib") from error
            ax = pyplot.subplots()[1]
        for place, series in enumerate(self.series):
            for kind in ("explicit", "rate"):
                chosen = [point for point in self.points if (point.series, point.kind) == (series, kind)]
                if not chosen:
                    continue
                curve = all(point.policy is None for point in chosen)
                ax.plot([p.r1 for p in chosen], [p.r2 for p in chosen], "-" if curve else "o", color=f"C{place}",
                        markersize=4, markerfacecolor="none" if kind == "rate" else f"C{place}",
                        label=f"{series} (rate)" if kind == "rate" else series)
        ax.set(xscale="log", yscale="log", xlabel="benign regret $R_1$", ylabel="worst-case regret $R_2$")
        ax.legend(frameon=False, fontsize="small", bbox_to_anchor=(1, 1), loc="upper left")
        ax.figure.tight_layout()
        return ax

    def __repr__(self) -> str:
        return (f"Frontier(actions={self.actions}, contexts={self.contexts}, horizon={self.horizon}: "
                f"{len(self.points)} points of {', '.join(self.series)})")

    def _repr_html_(self) -> str:
        pair = html_sentences([f"{self.pair.verdict}: {self.pair.because}"]) if self.pair else ""
        return pair + html_table(
            ["series", "kind", "R_1 benign", "R_2 any", "policy"],
            ([p.series, p.kind, p.r1, p.r2, p.policy] for p in self.points),
        )


def frontier(
    actions: float | None = None,
    contexts: float | None = None,
    horizon: float | None = None,
    *,
    points: int = 17,
    r1: float | None = None,
    r2: float | None = None,
    instance: World | None = None,
    seed: int = 1,
) -> Frontier:
    """Benign regret against worst-case regret, as ``armature frontier``; r1 and r2 ask about a pair.

    >>> frontier(actions=20, contexts=2, horizon=1e6, r1=3e4, r2=2e5).pair.verdict
    'achievable'
    """
    setting = _setting(locals())
    for name in ("points", "r1", "r2"):
        setting.pop(name, None)
    return Frontier(_engine.ask_frontier(setting, points, r1, r2))


@dataclasses.dataclass(frozen=True)
class AdviceWorld:
    """A typical world and what each policy costs in it: mean regret and its standard error."""

    kind: str
    description: str
    decides: bool
    instance: str | None
    means: Floats
    standard_errors: Floats
    horizons: npt.NDArray[np.uint64]


@dataclasses.dataclass(frozen=True)
class AdviceWarning:
    """Where the recommended policy loses to another."""

    kind: str
    policy: str
    times: float
    text: str


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What is proved about one question."""

    topic: str
    conclusion: str
    because: list[str]


class Advice(Answer):
    """One policy, and what it is expected to cost beside what one would play otherwise."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.question: dict[str, Any] = dict(fields["question"])
        self.policy: str = fields["policy"]
        self.because: str = fields["because"]
        self.replications: int = fields["replications"]
        self.notes: list[str] = list(fields["notes"])
        self.watch: list[str] = list(fields["watch"])
        self.commands: list[str] = list(fields["commands"])
        self.warnings: list[AdviceWarning] = [AdviceWarning(**w) for w in fields["warnings"]]
        self.theory: list[Explanation] = [Explanation(**item) for item in fields["theory"]]
        worlds = fields["worlds"]
        self.policies: list[str] = [cost["policy"] for cost in worlds[0]["costs"]] if worlds else []
        self.worlds: list[AdviceWorld] = [
            AdviceWorld(
                world["kind"], world["description"], world["decides"], world.get("instance"),
                np.array([cost["mean"] for cost in world["costs"]], float),
                np.array([cost["standard_error"] for cost in world["costs"]], float),
                np.array([cost["horizon"] for cost in world["costs"]], np.uint64),
            )
            for world in worlds
        ]

    def words(self) -> list[str]:
        """The answer in sentences, the first says it all."""
        return ([f"Play {self.policy}: {self.because}"] + self.notes
                + [warning.text for warning in self.warnings] + self.watch)

    def to_pandas(self) -> Any:
        """A DataFrame with a row per world and policy."""
        return data_frame([
            {"world": world["kind"], **cost} for world in self._fields["worlds"] for cost in world["costs"]
        ])

    def __repr__(self) -> str:
        return f"Advice({self.policy!r}: {self.because})"

    def _repr_html_(self) -> str:
        rows = [[w.kind] + [f"{m:.4g} ± {e:.2g}" for m, e in zip(w.means, w.standard_errors)] for w in self.worlds]
        return html_sentences(self.words()) + html_table(["world", *self.policies], rows)


def advise(
    actions: float | None = None,
    contexts: float | None = None,
    horizon: float | None = None,
    *,
    epsilon: float | None = None,
    gap: float | None = None,
    given: GivenProblem | None = None,
    marginals_known: bool = True,
    horizon_known: bool = True,
    leaning: str = "balanced",
    delay: float | str | None = None,
    instance: str | "os.PathLike[str]" | None = None,
    seed: int = 1,
    threads: int | None = None,
) -> Advice:
    """Which policy to play and what it is expected to cost, by simulation, as ``armature advise``.

    >>> advise(actions=5, contexts=2, horizon=1000).policy.split(":")[0] in ("sentry", "ucb", "moss", "warden")
    True
    """
    setting = {name: value for name, value in (
        ("actions", actions), ("contexts", contexts), ("horizon", horizon), ("epsilon", epsilon),
        ("gap", gap), ("instance", instance), ("seed", seed)) if value is not None}
    late = "none" if delay is None else str(delay)
    return Advice(_engine.ask_advice(setting, horizon_known, marginals_known, leaning, late, given,
                                     0 if threads is None else threads))


class Design(Answer):
    """Weights on rows that keep the largest leverage small, with the leverage as certificate."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.rank: int = fields["rank"]
        self.largest_leverage: float = fields["largest_leverage"]
        self.iterations: int = fields["iterations"]
        self.converged: bool = fields["converged"]
        self.support: npt.NDArray[np.intp] = np.array([row["index"] for row in fields["support"]], np.intp)
        self.weights: Floats = np.array([row["weight"] for row in fields["support"]], float)
        self.actions: list[str] = [row["action"] for row in fields["support"]]

    def __repr__(self) -> str:
        return (f"Design(rank={self.rank}, support={len(self.support)} rows, "
                f"largest_leverage={self.largest_leverage:.6g})")

    def _repr_html_(self) -> str:
        return html_table(["action", "index", "weight"],
                          zip(self.actions, self.support.tolist(), self.weights.tolist()))


def design(
    source: npt.ArrayLike | World,
    *,
    exact: bool = False,
    iterations: int = 2_000_000,
    tolerance: float | None = None,
    horizon: float | None = None,
    seed: int = 1,
) -> Design:
    """A G-optimal design on the rows of a matrix, or on an instance's given marginals.

    >>> import numpy
    >>> design(numpy.eye(3)).weights.tolist()
    [0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    return Design(_engine.ask_design(source, exact, iterations, tolerance, horizon, seed))


def _setting(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
