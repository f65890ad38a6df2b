"""Causal graphs: from a diagram to separation, a verdict, marginals and an instance.

>>> import armature
>>> g = armature.Graph.parse("dag { x -> z -> y }")
>>> bool(g.separation("x", "y", given="z"))
True
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Iterable, Union

import numpy as np
import numpy.typing as npt

from armature import _engine
from armature._answers import Answer, error_of, html_table, one_or_more, plain_text
from armature._engine import Instance

Floats = npt.NDArray[np.float64]
#: One node or several.
Nodes = Union[str, Iterable[str]]


class Separation(Answer):
    """Whether two sets are d-separated; true as a bool, with a path in words where they are not."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.separated: bool = fields["separated"]
        self.witness: list[str] = list(fields["witness"])  #: nodes and arrows of a shortest open path
        self._words: str = fields["words"]

    def words(self) -> str:
        """Why, as one sentence."""
        return self._words

    def __bool__(self) -> bool:
        return self.separated

    def __repr__(self) -> str:
        return f"Separation({self.separated}: {self._words})"


class GraphVerdict(Answer):
    """Whether contexts carry the whole effect of actions on the reward; true as a bool."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.benign: bool = fields["benign"]
        self.witness: list[str] = list(fields["witness"])
        self.criteria: dict[str, bool | None] = dict(fields["criteria"])
        self.criteria_words: dict[str, str] = dict(fields["criteria_words"])
        self.benign_by_tables: bool | None = fields.get("benign_by_tables")
        self.tables_words: str | None = fields.get("tables_words")
        self.suggestions: list[list[str]] = [list(nodes) for nodes in fields["suggestions"]]
        self.suggestions_words: str = fields["suggestions_words"]
        self.warnings: list[str] = list(fields["warnings"])

    def words(self) -> str:
        """The verdict and why."""
        return str(self._fields["words"])

    def __bool__(self) -> bool:
        return self.benign

    def __repr__(self) -> str:
        return f"GraphVerdict({self.benign}: {self.words()})"


class Separators(Answer):
    """Minimal sets of nodes that separate actions from the reward, the smallest first."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.exists: bool = fields["exists"]
        self.sets: list[list[str]] = [list(nodes) for nodes in fields["separators"]]
        self.complete: bool = fields["complete"]

    def words(self) -> str:
        """How many there are, or why there is none."""
        return str(self._fields["words"])

    def __bool__(self) -> bool:
        return self.exists

    def __len__(self) -> int:
        return len(self.sets)

    def __getitem__(self, place: int) -> list[str]:
        return self.sets[place]

    def __repr__(self) -> str:
        return f"Separators({self.words()})"


@dataclasses.dataclass(frozen=True)
class GraphMarginals:
    """What actions do to contexts and reward, exactly. Rows are actions, columns contexts."""

    actions: list[dict[str, str]]
    contexts: list[dict[str, str]]
    marginals: Floats  #: ν_a(z)
    means: Floats  #: of the reward; NaN where ν_a(z) = 0
    mean_reward: Floats  #: per action
    action_names: list[str]
    context_names: list[str]

    def to_dict(self) -> dict[str, Any]:
        """As ``armature graph marginals --format json``."""
        means = [[None if np.isnan(mean) else mean for mean in row] for row in self.means.tolist()]
        return {"actions": self.actions, "contexts": self.contexts, "marginals": self.marginals.tolist(),
                "means": means, "mean_reward": self.mean_reward.tolist()}

    def to_pandas(self) -> Any:
        """Marginals as a DataFrame, actions by contexts."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: apt install python3-pandas") from error
        return pandas.DataFrame(self.marginals, index=self.action_names, columns=self.context_names)

    def _repr_html_(self) -> str:
        rows = [[name, *row, mean] for name, row, mean in
                zip(self.action_names, self.marginals.tolist(), self.mean_reward.tolist())]
        return html_table(["action", *self.context_names, "mean reward"], rows)


class Graph:
    """A causal diagram, with tables if its file has them: BIF, DOT or dagitty text.

    >>> g = Graph.parse("dag { smoke [exposure] tar cancer [outcome] smoke -> tar -> cancer }")
    >>> g.verdict(context="tar").benign
    True
    """

    def __init__(self, engine: _engine.CausalGraph, stem: str = "") -> None:
        self._engine = engine
        self._stem = stem  # of its file, which instances are called by
        self._parts: dict[str, Any] = engine.parts()

    @classmethod
    def read(cls, path: str | os.PathLike[str], tables: str | os.PathLike[str] | None = None) -> Graph:
        """A graph file, and its tables: those named, or NAME.tables.json beside it."""
        engine = _engine.CausalGraph.read(path, tables)
        return cls(engine, os.path.splitext(os.path.basename(os.fspath(path)))[0])

    @classmethod
    def parse(cls, text: str, tables: str | None = None) -> Graph:
        """The same from texts.

        >>> Graph.parse("digraph { a -> b }").nodes
        ['a', 'b']
        """
        return cls(_engine.CausalGraph.parse(text, tables))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its parts; an engine's own object cannot be."""
        return _graph_of_parts, (type(self), self._parts, self._stem)

    @property
    def name(self) -> str:
        """As the file has it."""
        return str(self._parts["name"])

    @property
    def nodes(self) -> list[str]:
        """In the order of the file."""
        return [node["name"] for node in self._parts["nodes"]]

    @property
    def arrows(self) -> list[tuple[str, str]]:
        """From cause to consequence."""
        return list(self._parts["directed"])

    @property
    def bidirected(self) -> list[tuple[str, str]]:
        """Pairs with a common cause that nobody drew."""
        return list(self._parts["bidirected"])

    @property
    def states(self) -> dict[str, list[str]]:
        """Of the nodes whose states are known."""
        return {node["name"]: list(node["states"]) for node in self._parts["nodes"] if node["states"]}

    def _with(self, role: str) -> list[str]:
        return [node["name"] for node in self._parts["nodes"] if node[role]]

    @property
    def latent(self) -> list[str]:
        """Nodes that nobody can observe."""
        return self._with("latent")

    @property
    def exposure(self) -> list[str]:
        """The file's actions: the default of ``action``."""
        return self._with("exposure")

    @property
    def outcome(self) -> list[str]:
        """The file's rewards: the default of ``reward``, if there is one."""
        return self._with("outcome")

    @property
    def has_tables(self) -> bool:
        """Whether there are numbers, or structure only."""
        return all("table" in node for node in self._parts["nodes"]) and bool(self.nodes)

    @property
    def warnings(self) -> list[str]:
        """What a reader of the file should know."""
        return list(self._parts["warnings"])

    def table(self, node: str) -> Floats:
        """P(node | parents): a row per joint state of the parents (the last runs fastest)."""
        for fields in self._parts["nodes"]:
            if isinstance(node, str) and fields["name"] == node and "table" in fields:
                rows: Floats = fields["table"].copy()
                return rows
        raise error_of("table", f"'{node}'", "a node of a graph with tables")

    def parents(self, node: str) -> list[str]:
        """In the order of the tables."""
        if not isinstance(node, str) or node not in self.nodes:
            raise error_of("node", f"'{node}'", f"one of {', '.join(self.nodes[:20])}")
        return [cause for cause, effect in self.arrows if effect == node]

    def with_latent(self, nodes: Nodes) -> Graph:
        """The same graph with these nodes latent too."""
        return Graph(self._engine.with_latent(one_or_more(nodes)), self._stem)

    def separation(self, first: Nodes, second: Nodes, given: Nodes | None = None) -> Separation:
        """Are the two sets d-separated given the third? As ``armature graph dsep``.

        >>> Graph.parse("dag { a -> c <- b }").separation("a", "b", given="c").witness
        ['a', '->', 'c', '<-', 'b']
        """
        return Separation(self._engine.separation(one_or_more(first), one_or_more(second), one_or_more(given)))

    def verdict(
        self, action: Nodes | None = None, context: Nodes | None = None, reward: str | None = None, *,
        empty: bool = False, single: bool = False,
    ) -> GraphVerdict:
        """Does the context carry the whole effect of the actions? As ``armature graph check``."""
        return GraphVerdict(self._engine.verdict(*_asked(action, context, reward), empty, single))

    def separators(
        self, action: Nodes | None = None, reward: str | None = None, *, contains: Nodes | None = None,
        avoid: Nodes | None = None, most: int | None = None, under: str = "interventions",
        empty: bool = False, single: bool = False,
    ) -> Separators:
        """Minimal sets that would do as context, as ``armature graph separators``.

        >>> Graph.parse("dag { x -> a -> y  x -> b -> y }").separators("x", "y").sets
        [['a', 'b']]
        """
        if under not in ("interventions", "graph"):
            raise error_of("under", repr(under), "'interventions' or 'graph'")
        return Separators(self._engine.separators(
            None if action is None else one_or_more(action), reward, one_or_more(contains),
            one_or_more(avoid), under == "interventions", most, empty, single))

    def marginals(
        self, action: Nodes | None = None, context: Nodes | None = None, reward: str | None = None, *,
        empty: bool = False, single: bool = False,
    ) -> GraphMarginals:
        """ν and mean rewards, exactly, from the tables. As ``armature graph marginals``."""
        return GraphMarginals(**self._engine.marginals(*_asked(action, context, reward), empty, single))

    def instance(
        self, action: Nodes | None = None, context: Nodes | None = None, reward: str | None = None, *,
        empty: bool = False, single: bool = False, name: str | None = None,
    ) -> Instance:
        """The bandit that a graph with tables is, to simulate and to play."""
        return self._engine.instance(*_asked(action, context, reward), empty, single,
                                     self._stem or self.name or "graph" if name is None else name)

    def to_bif(self) -> str:
        """As BIF, which needs tables."""
        return self._engine.bif()

    def to_dot(self) -> str:
        """As Graphviz' DOT."""
        return self._engine.dot()

    def to_dagitty(self) -> str:
        """As dagitty text."""
        return self._engine.dagitty()

    def to_tables(self) -> str:
        """States and tables as JSON, for beside a file of structure."""
        return self._engine.tables()

    def to_networkx(self) -> Any:
        """A networkx DiGraph: roles, states and tables are attributes of its nodes.

        An arrow ``a <-> b`` becomes a latent node with an arrow to both.
        """
        networkx = _networkx()
        graph = networkx.DiGraph(name=self.name)
        for fields in self._parts["nodes"]:
            kept = {key: value for key, value in fields.items()
                    if key != "name" and value is not None and value is not False and _len_or_one(value)}
            graph.add_node(fields["name"], **kept)
        graph.add_edges_from(self.arrows)
        for place, (one, other) in enumerate(self.bidirected):
            hidden = f"hidden {place + 1}: {one} <-> {other}"
            graph.add_node(hidden, latent=True)
            graph.add_edges_from([(hidden, one), (hidden, other)])
        return graph

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """From a networkx DiGraph. Node attributes that count: latent, exposure, outcome, states, table, position.

        Parents stand in the order in which the arrows were added; tables go by it.
        """
        _networkx()
        if not (hasattr(graph, "is_directed") and graph.is_directed()) or graph.is_multigraph():
            raise error_of("graph", type(graph).__name__, "a networkx DiGraph")
        nodes = []
        for name, data in graph.nodes(data=True):
            nodes.append({
                "name": plain_text(name), "states": [plain_text(state) for state in data.get("states", [])],
                "position": _position(data.get("position")), "table": data.get("table"),
                **{role: bool(data.get(role, False))
                   for role in ("latent", "exposure", "outcome", "adjusted", "selected")},
            })
        return cls(_engine.CausalGraph.from_parts({
            "name": plain_text(graph.graph.get("name", "")), "nodes": nodes,
            "directed": [(plain_text(parent), plain_text(child))
                         for child in graph.nodes for parent in graph.predecessors(child)],
            "bidirected": []}))

    def svg(self, action: Nodes | None = None, context: Nodes | None = None, reward: str | None = None) -> str:
        """A drawing, roles coloured; what makes a context wrong is highlighted."""
        return self._engine.svg(*_asked(action, context, reward))

    def __repr__(self) -> str:
        tables = "with tables" if self.has_tables else "structure only"
        return f"Graph({len(self.nodes)} nodes, {len(self.arrows)} arrows, {tables})"

    def _repr_svg_(self) -> str:
        return self.svg()


def _graph_of_parts(kind: type[Graph], parts: dict[str, Any], stem: str) -> Graph:
    return kind(_engine.CausalGraph.from_parts(parts), stem)


def _asked(
    action: Nodes | None, context: Nodes | None, reward: str | None
) -> tuple[list[str] | None, list[str], str | None]:
    return None if action is None else one_or_more(action), one_or_more(context), reward


def _len_or_one(value: Any) -> int:
    """Lists of nothing are left out of attributes."""
    return len(value) if hasattr(value, "__len__") else 1


def _position(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    x, y = value
    return float(x), float(y)


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ImportError("this needs networkx: apt install python3-networkx, or pip install networkx") from error
    return networkx
