"""Studies: many worlds, policies and horizons in one file, run into a directory that can be resumed."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from armature import _engine
from armature._arguments import MOST_COLUMNS, path_of, refuse, text_of, whole
from armature._listening import ProgressLike, progress_of, stopping
from armature.results import Figure, pandas_module

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, "os.PathLike[str]"]


def run_study(
    study: Union[PathLike, Mapping[str, Any]],
    out: Optional[PathLike] = None,
    *,
    threads: Optional[int] = None,
    progress: ProgressLike = True,
    **replaced: Any,
) -> Store:
    """Runs what is missing of a study into a directory and opens it; as `armature run` does.

    >>> import armature, tempfile
    >>> store = armature.run_study(
    ...     {"title": "Two policies", "replications": 4, "horizons": [100, 1000],
    ...      "instances": [{"instance": "hidden-arm", "actions": [5, 10]}],
    ...      "policies": [{"policy": "ucb"}, {"policy": "sentry"}]},
    ...     out=tempfile.mkdtemp() + "/two", progress=False)
    >>> store.complete, len(store.cells)
    (True, 8)

    Args:
        study: The path of a study file (TOML, docs/studies.md), or a dictionary of its keys.
        out: The directory; "runs/" and the file's stem if there is none. A dictionary needs one.
        threads: None: one per core.
        progress: As in `simulate`.
        replaced: Top-level values instead of the file's: replications=20, horizons=[1e4, 1e5].

    Ctrl-C ends it with what is stored (`complete` is False, and a RuntimeWarning says so); the same
    call goes on from there.
    """
    if isinstance(study, Mapping):
        if out is None:
            refuse("out", out, "a directory for a study that is given as a dictionary")
        path, text = "", text_of("study", toml_text(study))
    else:
        path, text = path_of("study", study), ""
    if out is None:
        out = os.path.join("runs", os.path.splitext(os.path.basename(path))[0])
    directory = path_of("out", out)
    overrides = [text_of("study", f"{key}={_toml_value(value)}") for key, value in replaced.items()]
    crew = 0 if threads is None else whole("threads", threads, 0, 4096)
    with stopping() as stop, progress_of(progress) as tell:
        complete, _ = _engine.run_study(path, text, overrides, directory, crew, stop, tell)
    if not complete:
        warnings.warn("interrupted; the same call goes on from here", RuntimeWarning, stacklevel=2)
    return Store(directory)


def open_store(directory: PathLike) -> Store:
    """What `run_study` or `armature run` has left in a directory, as data frames.

    May be opened while a run is at work: it shows what was there at the first look.

    >>> import armature, tempfile
    >>> folder = tempfile.mkdtemp() + "/one"
    >>> study = {"title": "One", "replications": 3, "horizons": 50,
    ...          "instances": [{"instance": "hidden-arm"}], "policies": [{"policy": "moss"}]}
    >>> _ = armature.run_study(study, folder, progress=False)
    >>> armature.open_store(folder).replications.shape[0]
    3
    """
    return Store(directory)


class Store:
    """A study's results. Tables are data frames (docs/formats.md has their columns); they need pandas."""

    def __init__(self, directory: PathLike) -> None:
        self.directory = path_of("directory", directory)
        self._result = _engine.read_results(self.directory)
        self._tables: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.directory,)  # opened again: it lies in its directory

    @property
    def title(self) -> str:
        return str(self._result.title)

    @property
    def complete(self) -> bool:
        return bool(self._result.complete)

    @property
    def toml(self) -> str:
        """The study with all its defaults spelt out."""
        return str(self._result.toml)

    @property
    def cells(self) -> pandas.DataFrame:
        """One row per instance, horizon, condition and policy: names and sizes."""
        return self._table("cells")

    @property
    def final(self) -> pandas.DataFrame:
        """One row per cell: regret at its horizon, with its error, interval and quantiles."""
        curves = self.curves
        return curves[curves["round"] == curves["horizon"]].reset_index(drop=True)

    @property
    def replications(self) -> pandas.DataFrame:
        """One row per replication of each cell."""
        return self._table("replications")

    @property
    def curves(self) -> pandas.DataFrame:
        """One row per cell and checkpoint."""
        return self._table("curves")

    @property
    def replication_curves(self) -> pandas.DataFrame:
        """One row per replication and checkpoint: many."""
        return self._table("replication_curves")

    @property
    def differences(self) -> pandas.DataFrame:
        """The best policy of each instance and horizon against each other one, paired."""
        return self._table("differences")

    @property
    def pulls(self) -> pandas.DataFrame:
        """Mean plays of each arm in each cell."""
        return self._table("pulls")

    @property
    def diagnostics(self) -> pandas.DataFrame:
        """What policies tell of themselves."""
        return self._table("diagnostics")

    @property
    def verdicts(self) -> pandas.DataFrame:
        """The study's questions and what the data say to them."""
        frame: pandas.DataFrame = pandas_module().DataFrame(self._result.verdicts())
        return frame

    def figures(self) -> list[Figure]:
        """The figures of the report, as Vega-Lite."""
        return [
            Figure(one["title"], one["caption"], one["spec"], one["name"])
            for one in self._result.figures()
        ]

    def report(self, to: Optional[PathLike] = None) -> str:
        """Writes report.html and its figures, into the study's directory if no other is named; returns the page's path."""
        page, note = self._result.report(self.directory if to is None else path_of("to", to))
        if note:
            warnings.warn(note, RuntimeWarning, stacklevel=2)
        return str(page)

    def answer(self, columns: int = 100) -> str:
        """Worlds × policies and one sentence, as `armature show` prints them."""
        return str(self._result.answer(whole("columns", columns, 0, MOST_COLUMNS)))

    def table(self, columns: int = 100) -> str:
        """Final regrets, the best of each row marked."""
        return str(self._result.table(whole("columns", columns, 0, MOST_COLUMNS)))

    def words(self) -> str:
        """Who wins, by how much, how sure."""
        return str(self._result.words())

    def to_latex(self) -> str:
        return str(self._result.latex())

    def to_markdown(self) -> str:
        return str(self._result.markdown())

    def __repr__(self) -> str:
        done, total = self._result.replications_done, self._result.replications_total
        return f"<Store {self.directory!r}: {self.title!r}, {done} of {total} replications>"

    def _table(self, name: str) -> Any:
        """As `armature export --csv` writes it; numbers are read back to the bit."""
        if name not in self._tables:
            pandas = pandas_module()
            with tempfile.TemporaryDirectory() as folder:
                _engine.export_csv(self.directory, folder, name == "replication_curves")
                for file in os.listdir(folder):
                    table = os.path.splitext(file)[0]
                    if table not in self._tables:
                        self._tables[table] = pandas.read_csv(
                            os.path.join(folder, file),
                            float_precision="round_trip",
                            keep_default_na=False,  # a label may well be "NA"
                            na_values=[""],
                        )
        return self._tables[name].copy()  # what callers do to it is theirs


def toml_text(values: Mapping[str, Any]) -> str:
    """A dictionary as TOML: every table inside is written in line."""
    return "".join(f"{_toml_key(key)} = {_toml_value(value)}\n" for key, value in values.items())


def _toml_key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_toml_key(k)} = {_toml_value(v)}" for k, v in value.items())
        return f"{{{inside}}}"
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return _toml_value(value.tolist())
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**63 else repr(value)
    refuse("study", value, "numbers, texts, lists and dictionaries")
