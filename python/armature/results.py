"""What a simulation leaves: `Result`, and `Figure`, which shows itself in notebooks."""

from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, Optional, Union

import numpy as np
from numpy.typing import NDArray

from armature import _engine
from armature._arguments import MOST_COLUMNS, refuse, refuse_found, whole

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

VEGA_LITE = "application/vnd.vegalite.v5+json"


def pandas_module() -> Any:
    """pandas, or an ImportError that says what to install."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "data frames need pandas: apt install python3-pandas, or pip install pandas"
        ) from error
    return pandas


class Figure:
    """A figure of a report: a Vega-Lite specification with its data, title and caption.

    Notebooks that know Vega-Lite draw it; `save` writes it as a page that needs no network, or as
    the specification itself.

    >>> import armature
    >>> result = armature.simulate("hidden-arm", "ucb", 500, 4, progress=False)
    >>> result.figure().spec["$schema"]
    'https://vega.github.io/schema/vega-lite/v5.json'
    """

    def __init__(self, title: str, caption: str, spec: str, name: str = "regret") -> None:
        self.name = name
        self.title = title
        self.caption = caption
        self._spec = spec

    @property
    def spec(self) -> dict[str, Any]:
        """The specification, for altair.Chart.from_dict and the like."""
        loaded: dict[str, Any] = json.loads(self._spec)
        return loaded

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a page (PATH.html) or the specification (any other ending)."""
        text = self._page() if os.fspath(path).endswith(".html") else self._spec
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _page(self) -> str:
        bundle = _engine.web_bundle()
        if bundle is None:
            raise ImportError("this module was built without the bundle that draws pages")
        # In a script element only "</" could end it early.
        spec = self._spec.replace("</", "<\\/")
        return (
            f'<!doctype html><meta charset="utf-8"><title>{html.escape(self.title)}</title>\n'
            f'<div id="figure"></div>\n<p style="max-width:60em">{html.escape(self.caption)}</p>\n'
            f"<script>{bundle}</script>\n"
            f'<script>vegaEmbed("#figure", {spec}, {{actions: false}})</script>\n'
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"


class Result:
    """What came of a simulation: summaries, every replication, tables and figures.

    >>> import armature
    >>> result = armature.simulate("hidden-arm:actions=5", {"optimist": "ucb", "random": "uniform"},
    ...                            horizon=1000, replications=10, seed=1, progress=False)
    >>> result.complete, result.policies
    (True, ['optimist', 'random'])
    >>> bool(result.final_regret("optimist").mean() < result.final_regret("random").mean())
    True
    """

    def __init__(
        self, finished: _engine.Finished, labels: list[str], theory: bool, logged: bool
    ) -> None:
        self._finished = finished
        self._logged = logged
        self._labels = labels
        self._theory = theory
        self._json = finished.json()
        self._told: dict[str, Any] = json.loads(self._json)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Result is not pickled: keep what you need of it, as to_json(), regrets, to_pandas() "
            "or replications_to_pandas(), or run it again: same seed, same numbers"
        )

    def __copy__(self) -> Result:
        return self  # nothing changes it

    def __deepcopy__(self, _: Any) -> Result:
        return self

    # --- What was asked, and whether all of it is there -------------------------------------------

    @property
    def complete(self) -> bool:
        """False after Ctrl-C: then some replications are missing."""
        return bool(self._finished.complete)

    @property
    def policies(self) -> list[str]:
        """What the policies are called: the labels of the dictionary, or the texts as they were written."""
        return list(self._labels)

    @property
    def instance(self) -> str:
        """The instance's canonical text form, or the name of its file."""
        return str(self._told["instance"])

    @property
    def horizon(self) -> int:
        return int(self._told["horizon"])

    @property
    def seed(self) -> int:
        return int(self._told["seed"])

    @property
    def conditions(self) -> str:
        """How outcomes came: "prompt", or "delay=fixed:10 loss=0.1"."""
        return str(self._told["conditions"])

    # --- Every replication ------------------------------------------------------------------------

    @property
    def checkpoints(self) -> NDArray[np.uint64]:
        """The rounds at which regret was noted; the last is the horizon."""
        rounds: NDArray[np.uint64] = self._finished.checkpoints
        return rounds

    def regret(self, policy: str) -> NDArray[np.float64]:
        """Regret of one policy: one row per finished replication, one column per checkpoint."""
        regrets: NDArray[np.float64] = self._finished.regrets(self._place(policy))
        return regrets

    @property
    def regrets(self) -> Mapping[str, NDArray[np.float64]]:
        """The same of all policies."""
        return {label: self.regret(label) for label in self._labels}

    def final_regret(self, policy: str) -> NDArray[np.float64]:
        """Regret at the horizon, one number per finished replication."""
        last: NDArray[np.float64] = self.regret(policy)[:, -1]
        return last

    def replications(self, policy: str) -> NDArray[np.uint32]:
        """The numbers of the finished replications: those of the rows of `regret`."""
        numbers: NDArray[np.uint32] = self._finished.replications(self._place(policy))
        return numbers

    def log(self) -> pandas.DataFrame:
        """Every round, of a simulation with `log=True`: the columns of `armature simulate --log`.

        `audit` and `replay` read it. `propensity` is NaN where the policy has no closed form.
        """
        if not self._logged:
            refuse_found("log", "none that was kept", "simulate(…, log=True)")
        tables = pandas_module()
        rounds = self._finished.rounds()
        named = tables.Categorical.from_codes
        frame: pandas.DataFrame = tables.DataFrame(
            {
                "decision": np.arange(1, len(rounds["action"]) + 1),
                "action": named(rounds["action"], rounds["actions"]),
                "propensity": rounds["propensity"],
                "context": named(rounds["context"], rounds["contexts"]),
                "reward": rounds["reward"],
                "policy": named(rounds["policy"], self._labels),
                "replication": rounds["replication"],
            }
        )
        return frame

    # --- Summaries --------------------------------------------------------------------------------

    def summary(self) -> Any:
        """One row per policy: regret at the horizon. A data frame, or a list of dictionaries without pandas."""
        rows = [
            {
                "policy": label,
                **{key: told[key] for key in _SUMMARY if key in told},
                **{key: last[key] for key in _SPREAD if key in last},
            }
            for label, told in zip(self._labels, self._told["results"])
            for last in [told["checkpoints"][-1] if "checkpoints" in told else {}]
        ]
        try:
            pandas = pandas_module()
        except ImportError:
            return rows
        return pandas.DataFrame(rows).set_index("policy")

    def to_rows(self) -> dict[str, list[dict[str, Any]]]:
        """By policy: one dictionary per checkpoint, as in the JSON."""
        return {
            label: list(told.get("checkpoints", []))
            for label, told in zip(self._labels, self._told["results"])
        }

    def to_pandas(self) -> pandas.DataFrame:
        """One row per policy and checkpoint: round, mean regret, its error, interval and quantiles."""
        rows = [
            {"policy": label, "text": told["policy"], "replications": told["replications"], **point}
            for label, told in zip(self._labels, self._told["results"])
            for point in told.get("checkpoints", [])
        ]
        frame: pandas.DataFrame = pandas_module().DataFrame(rows)
        return frame

    def replications_to_pandas(self) -> pandas.DataFrame:
        """One row per policy, replication and checkpoint: the regret itself."""
        tables = pandas_module()
        rounds = self.checkpoints
        frames = []
        for label in self._labels:
            regrets = self.regret(label)
            frames.append(
                tables.DataFrame(
                    {
                        "policy": label,
                        "replication": np.repeat(self.replications(label), len(rounds)),
                        "round": np.tile(rounds, len(regrets)),
                        "regret": regrets.ravel(),
                    }
                )
            )
        joined: pandas.DataFrame = tables.concat(frames, ignore_index=True)
        return joined

    def differences(self) -> list[dict[str, Any]]:
        """The best policy against each other, replication by replication: mean and 95% interval of first − second."""
        names = {
            told["policy"]: label for label, told in zip(self._labels, self._told["results"])
        }
        return [
            {**pair, "first": names[pair["first"]], "second": names[pair["second"]]}
            for pair in self._told["differences"]
        ]

    def diagnostics(self, policy: str) -> dict[str, Any]:
        """What the policy tells of itself, over replications: means of amounts, counts of names."""
        told: dict[str, Any] = self._told["results"][self._place(policy)].get("diagnostics", {})
        return told

    def shares(self, policy: str) -> dict[str, NDArray[np.float64]]:
        """Of a balancing policy: the share of plays each base learner had up to each checkpoint."""
        told = self._told["results"][self._place(policy)].get("shares", {})
        return {learner: np.array(share) for learner, share in told.items()}

    def pulls(self, policy: str) -> NDArray[np.float64]:
        """Mean number of plays of each arm."""
        return np.array(self._told["results"][self._place(policy)].get("pulls", []), dtype=float)

    def bound(self, policy: str) -> NDArray[np.float64]:
        """What is proved for the policy in this world at each checkpoint; NaN where nothing is."""
        if not self._theory:
            return np.full(len(self.checkpoints), np.nan)
        bounds: NDArray[np.float64] = self._finished.bound(self._place(policy))
        return bounds

    # --- As text ----------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The JSON that `armature simulate --format json` prints (docs/formats.md)."""
        return str(self._json)

    def to_csv(self) -> str:
        """The CSV that `armature simulate --format csv` prints."""
        return str(self._finished.csv())

    def table(self, columns: int = 100) -> str:
        """The table that `armature simulate` prints, with diagnostics and who won."""
        return str(self._finished.table(whole("columns", columns, 0, MOST_COLUMNS)))

    def __repr__(self) -> str:
        return self.table()

    # --- As pictures ------------------------------------------------------------------------------

    def plot(
        self,
        ax: Optional[matplotlib.axes.Axes] = None,
        *,
        scale: str = "log-log",
        theory: bool = True,
        title: Optional[str] = None,
    ) -> matplotlib.axes.Axes:
        """Mean regret over rounds with its 95% interval, in the looks of reports. Needs matplotlib.

        Args:
            ax: Where to draw; None makes a figure.
            scale: "log-log", "log-x" or "linear".
            theory: Thin dashes: the bounds that are proved for the policies here.
            title: None: the instance.
        """
        from armature.plotting import plot_regret

        return plot_regret(self, ax, scale=scale, theory=theory, title=title)

    def figure(self, scale: str = "log-log", theory: bool = True) -> Figure:
        """The regret figure of reports, as Vega-Lite: interactive in notebooks, `save` writes a page."""
        if scale not in ("log-log", "log-x", "linear"):
            refuse("scale", scale, "one of log-log, log-x, linear")
        drawn = self._finished.figure(scale, theory and self._theory)
        return Figure(drawn["title"], drawn["caption"], drawn["spec"])

    def looks(self) -> dict[str, tuple[str, list[int], str]]:
        """Colour, dash and shape of each policy, the same in every figure."""
        return dict(zip(self._labels, self._finished.looks()))

    def _repr_html_(self) -> str:
        """A small table, and the curves as a drawing that any page shows."""
        return f"<div>{self._html_table()}{self._drawing()}</div>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/html": self._repr_html_(), "text/plain": repr(self)}
        if self._drawable():
            bundle[VEGA_LITE] = self.figure().spec
        return bundle

    def _html_table(self) -> str:
        rows = []
        looks = self.looks()
        for place, (label, told) in enumerate(zip(self._labels, self._told["results"])):
            name = f'<b style="color:{looks[label][0]}">{html.escape(label)}</b>'
            cells = [name, self._finished.mean(place) or "not finished"]
            cells += [f"{told[key]:,.1f}" if key in told else "" for key in ("median", "q95")]
            cells.append(f"{told['replications']:,}")
            rows.append("<tr><td>" + "</td><td>".join(cells) + "</td></tr>")
        head = "".join(
            f"<th>{name}</th>"
            for name in ("policy", "mean regret", "median", "95%", "replications")
        )
        note = "" if self.complete else " · interrupted: this is what was finished"
        return (
            f"<table><caption>{html.escape(self.instance)}, T = {self.horizon:,}, "
            f"seed {self.seed}{note}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )

    def _drawable(self) -> bool:
        return any(
            told["policy"] != "oracle" and "checkpoints" in told for told in self._told["results"]
        )

    def _drawing(self) -> str:
        """A drawing of some 30 kB, or nothing without matplotlib: a bundle of scripts is twenty times as much."""
        if not self._drawable():
            return ""
        try:
            from armature.plotting import regret_svg
        except ImportError:
            return ""
        return regret_svg(self)

    def _place(self, policy: str) -> int:
        if policy in self._labels:
            return self._labels.index(policy)
        texts = [told["policy"] for told in self._told["results"]]
        if policy in texts:
            return texts.index(policy)
        refuse("policy", policy, f"one of {', '.join(map(repr, self._labels))}")


_SUMMARY = ("replications", "mean_regret")
_SPREAD = ("standard_error", "low95", "high95", "median", "q05", "q95")
