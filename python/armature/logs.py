"""Logs of past decisions, from files or data frames: can contexts be trusted, what would a policy have earned.

>>> import armature
>>> log = {"action": ["a", "b"] * 50, "context": ["x", "x", "y", "y"] * 25, "reward": [1, 0, 0, 1] * 25}
>>> armature.audit(log, advice=False).verdict
'rejected'
"""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Iterable, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from armature import _engine
from armature._answers import (
    Answer, data_frame, error_of, html_sentences, html_table, in_arguments, one_or_more, whole_text,
)
from armature._engine import Problem
from armature.theory import GivenProblem

Floats = npt.NDArray[np.float64]
#: A data frame (pandas, or a dictionary of columns), or a file: CSV, JSON lines, a service's export, dsjson, also .gz.
LogData = Union[str, "os.PathLike[str]", Mapping[str, Any], Any]


class Audit(Answer):
    """Can the contexts of a log be trusted? The fields of ``armature audit --format json`` as attributes."""

    verdict: str  #: "not rejected", "rejected" or "too little data"
    p_value: float
    rests_on: str
    level: float
    rows_used: int
    rows_skipped: int
    weight: int
    adaptive: bool
    weighted: bool
    binary: bool
    actions: list[str]
    contexts: list[str]
    counts: npt.NDArray[np.uint64]  #: by action and context
    marginals: Floats
    means: Floats  #: NaN where nothing was seen
    intervals: dict[str, Any]  #: arrays of shape (actions, contexts, 2)
    smallest_p_value: float
    combined_p_value: float
    log_e_value: float
    log_e_value_now: float
    tests: list[dict[str, Any]]
    breaks: list[dict[str, Any]]  #: the surest
    breaks_found: int  #: with those not listed
    share_through_context: dict[str, Any] | None
    smallest_violation: float | None
    violation: float
    of_actions: list[dict[str, Any]]
    power: list[dict[str, float]]
    marginals_known: dict[str, Any]
    log: dict[str, Any]
    warnings: list[str]
    advice: dict[str, Any] | None

    problem: Problem  #: what a policy may be told: names, marginals and their ε

    def __init__(self, fields: dict[str, Any], problem: Problem) -> None:
        super().__init__(fields)
        arrays = {"counts": np.uint64, "marginals": float, "means": float}
        self.advice = None
        for name, value in self.to_dict().items():
            if name in arrays:
                setattr(self, name, np.array(value, arrays[name]))
            elif name == "intervals":
                self.intervals = {key: np.array(part, float) if isinstance(part, list) else part
                                  for key, part in value.items()}
            elif name != "words":
                setattr(self, name, value)
        self.problem = problem

    def words(self) -> list[str]:
        """The verdict in sentences: the first says it all."""
        return [in_arguments(sentence) for sentence in self._fields["words"]]

    def to_pandas(self) -> Any:
        """A DataFrame with a row per action and context."""
        return data_frame([
            {"action": action, "context": context, "rows": int(self.counts[a, z]),
             "marginal": float(self.marginals[a, z]), "mean": float(self.means[a, z])}
            for a, action in enumerate(self.actions) for z, context in enumerate(self.contexts)
        ])

    def __repr__(self) -> str:
        return f"Audit({self.verdict!r}: {self.words()[0]})"

    def _repr_html_(self) -> str:
        table = html_table(
            ["context", "rows", "actions", "mean", "p", "Holm's p", "test"],
            ([t["context"], t["rows"], t["actions"], t["mean"], t["p_value"], t["adjusted_p_value"], t["test"]]
             for t in self.tests))
        return html_sentences(self.words() + self.warnings) + table


def audit(
    log: LogData,
    *,
    action: str | None = None,
    context: str | Iterable[str] | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    decision: str | None = None,
    bins: Mapping[str, int] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    scale: tuple[float, float] | None = None,
    given: GivenProblem | None = None,
    adaptive: bool = False,
    skip_bad: bool = False,
    level: float = 0.05,
    violation: float | None = None,
    horizon: float | None = None,
    seed: int = 1,
    advice: bool = True,
    threads: int | None = None,
) -> Audit:
    """Audits a log: does the expected reward given the context depend on the action? As ``armature audit``.

    ``advice=False`` leaves out the recommendation, which is simulated.

    >>> log = {"action": ["a", "b"] * 50, "context": ["x", "x", "y", "y"] * 25, "reward": [1, 0, 0, 1] * 25}
    >>> audit(log, advice=False).means.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    columns = _columns(action, context, reward, propensity, weight, time, decision, bins, edges, scale, given,
                       adaptive, skip_bad)
    answer, problem = _engine.ask_audit(_source(log), columns, level, violation, horizon, seed, advice,
                                        0 if threads is None else threads)
    return Audit(json.loads(answer), problem)


@dataclasses.dataclass(frozen=True)
class ReplayValue:
    """What one policy would have earned: mean reward per round."""

    policy: str
    method: str
    value: float | None  #: None: the log tells nothing of it
    interval: tuple[float, float]
    difference: float | None  #: from what the log earned
    difference_interval: tuple[float, float]
    rounds: int
    effective_rows: float
    largest_weight: float
    unseen: float
    shares: Floats  #: of each action in its decisions
    horizon: int | None
    warnings: list[str]


class Replay(Answer):
    """What policies would have earned. The fields of ``armature replay --format json`` as attributes."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.rows: int = fields["rows"]
        self.weight: float = fields["weight"]
        self.actions: list[str] = list(fields["actions"])
        self.contexts: list[str] = list(fields["contexts"])
        self.adaptive: bool = fields["adaptive"]
        self.least_propensity: float = fields["least_propensity"]
        self.level: float = fields["level"]
        self.interval: str = fields["interval"]
        self.resamples: int = fields["resamples"]
        self.seed: int = fields["seed"]
        self.log_value: float = fields["log_value"]
        self.log_interval: tuple[float, float] = _ends(fields["log_interval"])
        self.log: dict[str, Any] = dict(fields["log"])
        self.notes: list[str] = list(fields["notes"])
        self.warnings: list[str] = list(fields["warnings"])
        self.values: list[ReplayValue] = [
            dataclasses.replace(
                ReplayValue(**value), interval=_ends(value["interval"]),
                difference_interval=_ends(value["difference_interval"]), shares=np.array(value["shares"], float))
            for value in fields["values"]
        ]

    def __getitem__(self, policy: int | str) -> ReplayValue:
        if isinstance(policy, int):
            return self.values[policy]
        for value in self.values:
            if policy in (value.policy, value.policy.split(":")[0]):
                return value
        raise KeyError(f"got '{policy}', expected one of {', '.join(v.policy for v in self.values)}")

    def __len__(self) -> int:
        return len(self.values)

    def words(self) -> list[str]:
        """What came out, in sentences."""
        said = []
        for value in self.values:
            if value.value is None:
                said.append(f"{value.policy}: the log tells nothing of it.")
                continue
            low, high = value.difference_interval
            beside = ("more than the log" if low > 0 else "less than the log" if high < 0
                      else "not told apart from the log by these rows")
            said.append(f"{value.policy} earns {value.value:.4g} per round "
                        f"({value.interval[0]:.4g} to {value.interval[1]:.4g}, {value.method}): {beside}.")
        rest = self.warnings + [warning for value in self.values for warning in value.warnings] + self.notes
        return said + [in_arguments(sentence) for sentence in rest]

    def to_pandas(self) -> Any:
        """A DataFrame with a row per policy."""
        return data_frame([
            {"policy": v.policy, "method": v.method, "value": v.value, "low": v.interval[0], "high": v.interval[1],
             "difference": v.difference, "difference_low": v.difference_interval[0],
             "difference_high": v.difference_interval[1], "rounds": v.rounds, "effective_rows": v.effective_rows}
            for v in self.values
        ])

    def __repr__(self) -> str:
        return f"Replay({'; '.join(self.words()[:len(self.values)])})"

    def _repr_html_(self) -> str:
        return html_table(
            ["policy", "method", "value", "low", "high", "against the log", "rounds"],
            ([v.policy, v.method, v.value, *v.interval, v.difference, v.rounds] for v in self.values),
        ) + html_sentences(self.words())


def replay(
    log: LogData,
    policies: str | Iterable[str] = (),
    *,
    always: str | Iterable[str] = (),
    method: str | None = None,
    uniform: bool = False,
    least_propensity: float | None = None,
    benign: bool = False,
    horizon: float | None = None,
    level: float = 0.95,
    bootstrap: int = 0,
    seed: int = 1,
    action: str | None = None,
    context: str | Iterable[str] | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    decision: str | None = None,
    bins: Mapping[str, int] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    scale: tuple[float, float] | None = None,
    given: GivenProblem | None = None,
    adaptive: bool = False,
    skip_bad: bool = False,
) -> Replay:
    """What policies would have earned, told from a log of another's decisions. As ``armature replay``.

    >>> log = {"action": ["a", "b"] * 500, "context": ["x"] * 500 + ["y"] * 500, "reward": [1, 0] * 500}
    >>> replay(log, always="a", uniform=True, method="snips")[0].value
    1.0
    """
    columns = _columns(action, context, reward, propensity, weight, time, decision, bins, edges, scale, given,
                       adaptive, skip_bad)
    if method is not None and not isinstance(method, str):
        raise error_of("method", ascii(method), "its name, or None")
    answer = _engine.ask_replay(_source(log), columns, one_or_more(policies), one_or_more(always), method, uniform,
                                least_propensity, benign, horizon, level, bootstrap, seed)
    return Replay(json.loads(answer))


def _ends(pair: list[float]) -> tuple[float, float]:
    low, high = pair
    return low, high


def _columns(
    action: str | None, context: str | Iterable[str] | None, reward: str | None, propensity: str | None,
    weight: str | None, time: str | None, decision: str | None, bins: Mapping[str, int] | None,
    edges: Mapping[str, Sequence[float]] | None, scale: tuple[float, float] | None, given: GivenProblem | None,
    adaptive: bool, skip_bad: bool,
) -> dict[str, Any]:
    return {
        "action": action, "context": one_or_more(context), "reward": reward, "propensity": propensity,
        "weight": weight, "time": time, "decision": decision,
        "bins": _by_column("bins", bins, "a dictionary from columns to how many bins"),
        "edges": {column: list(values) if isinstance(values, Iterable) else [values] for column, values in
                  _by_column("edges", edges, "a dictionary from columns to ascending numbers").items()},
        "scale": scale, "given": given, "adaptive": bool(adaptive), "skip_bad": bool(skip_bad),
    }


def _by_column(field: str, asked: Mapping[str, Any] | None, expected: str) -> dict[str, Any]:
    if asked is None:
        return {}
    if not isinstance(asked, Mapping):
        raise error_of(field, repr(asked), expected)
    return {str(column): value for column, value in asked.items()}


def _source(log: LogData) -> Any:
    """A path, or a table: names, number of rows, and a function from a name to its column."""
    if isinstance(log, (str, os.PathLike)):
        return os.fspath(log)
    if isinstance(log, Mapping):
        names = list(log)
        rows = len(log[names[0]]) if names else 0
    elif hasattr(log, "columns") and hasattr(log, "__getitem__"):
        names = list(log.columns)
        rows = len(log)
    else:
        raise error_of("log", type(log).__name__, "a data frame, a dictionary of columns or a path")
    by_text: dict[str, Any] = {}
    for name in names:
        text = whole_text(name, "columns")
        if text in by_text:
            raise error_of("columns", f"two named '{text}'", "a name of its own for each")
        by_text[text] = name
    return list(by_text), rows, lambda name: _column(log[by_text[name]], name)


def _column(values: Any, name: str) -> tuple[npt.NDArray[Any], list[str] | None]:
    """Numbers as they are; all else as numbers of texts, -1 where a value is missing."""
    if isinstance(values, np.ma.MaskedArray):  # what is masked is missing
        masked: Any = values  # numpy has no types for these
        values = masked.filled(np.nan) if masked.dtype.kind == "f" else np.array(masked.tolist(), object)
    array = values if isinstance(values, np.ndarray) else getattr(values, "values", None)
    if not isinstance(array, np.ndarray):
        array = None if hasattr(values, "factorize") else _array_of(values, name)
    if array is not None and array.ndim != 1:
        raise error_of(f"'{name}'", f"a column of shape {array.shape}", "a text or a number in each row")
    kind = "O" if array is None else array.dtype.kind
    if array is not None and kind == "f":
        return np.ascontiguousarray(array, np.float64), None
    if array is not None and (kind == "i" or kind == "u" and array.dtype.itemsize < 8):
        return np.ascontiguousarray(array, np.int64), None
    if array is not None and kind == "b":
        return np.ascontiguousarray(array, np.int64), ["False", "True"]
    places: dict[Any, int] = {}
    try:
        if hasattr(values, "factorize"):
            codes, levels = values.factorize()
            return np.ascontiguousarray(codes, np.int64), [whole_text(level, f"'{name}'") for level in levels]
        listed = [-1 if value is None or value != value else places.setdefault(value, len(places))
                  for value in np.asarray(array).tolist()]
    except TypeError as error:  # what has no hash: lists, dictionaries
        raise error_of(f"'{name}'", "a column of lists or the like", "a text or a number in each row") from error
    return np.array(listed, np.int64), [whole_text(level, f"'{name}'") for level in places]


def _array_of(values: Any, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # lists of several lengths
        raise error_of(f"'{name}'", "a column of lists", "a text or a number in each row") from error
