"""Curves of regret by matplotlib, in the looks of reports."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from armature._arguments import refuse

try:
    import matplotlib
    import matplotlib.figure
    import matplotlib.ticker
except ImportError as error:
    raise ImportError(
        "plots need matplotlib: apt install python3-matplotlib, or pip install matplotlib"
    ) from error

if TYPE_CHECKING:
    import matplotlib.axes

    from armature.results import Result

GREY = "#767676"
BAND = 0.15
NAME_GAP = 0.052  # between names at the ends of lines, in parts of the panel's height


def plot_regret(
    result: Result,
    ax: Optional[matplotlib.axes.Axes] = None,
    *,
    scale: str = "log-log",
    theory: bool = True,
    title: Optional[str] = None,
) -> matplotlib.axes.Axes:
    """See `Result.plot`."""
    if scale not in ("log-log", "log-x", "linear"):
        refuse("scale", scale, "one of log-log, log-x, linear")
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.subplots(figsize=(7.5, 4.4), layout="constrained")[1]
    above = _draw(result, ax, scale, theory)
    counts = {len(result.replications(label)) for label in result.policies}
    words = f"mean of {max(counts):,} replications" if max(counts) > 1 else "one replication"
    if min(counts) != max(counts):
        words = f"interrupted: means of {min(counts):,} to {max(counts):,} replications"
    if max(counts) > 1:
        words += ", band: its 95% interval"
    heading = ax.set_title(
        result.instance if title is None else title,
        loc="left",
        fontsize=11,
        fontweight="semibold",
        pad=20,
    )
    ax.annotate(
        "; ".join([words, *above]),
        xy=(0, 1),
        xytext=(0, 7),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=8.5,
        color=GREY,
    )
    heading.set_wrap(True)
    return ax


def regret_svg(result: Result) -> str:
    """The same as the text of an SVG element; no state of pyplot is touched."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "armature"}):
        figure = matplotlib.figure.Figure(figsize=(7.5, 4.2), layout="constrained")
        plot_regret(result, figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def _draw(result: Result, ax: Any, scale: str, theory: bool) -> list[str]:
    """The curves; returns what is said of bounds that have no place among them."""
    rounds = result.checkpoints.astype(float)
    told = result.to_rows()
    ends: list[tuple[str, float, str]] = []
    least, most = np.inf, 0.0
    for label, (colour, dash, _) in result.looks().items():
        points = told[label]
        if not points or all(point["mean"] == 0 for point in points):
            continue  # the oracle's 0 goes without saying
        mean = np.array([point["mean"] for point in points])
        low = np.array([point.get("low95", point["mean"]) for point in points])
        high = np.array([point.get("high95", point["mean"]) for point in points])
        least, most = min(least, mean[mean > 0].min()), max(most, high.max())
        ax.fill_between(rounds, low, high, color=colour, alpha=BAND, linewidth=0)
        style = (0, [length / 1.6 for length in dash]) if dash else "-"
        ax.plot(rounds, mean, color=colour, linestyle=style, linewidth=1.9, label=label)
        ends.append((label, float(mean[-1]), colour))
    if scale != "linear":
        ax.set_xscale("log")
    if scale == "log-log" and np.isfinite(least):
        ax.set_yscale("log")
        ax.set_ylim(_floor(told, least), 1.3 * most)
    else:
        ax.set_ylim(0, 1.04 * most or 1)
    ax.set_xlim(rounds[0] if scale != "linear" else 0, rounds[-1])
    _dress(ax)
    above = _draw_bounds(result, ax, [(name, colour) for name, _, colour in ends]) if theory else []
    _name_ends(ax, ends)
    return above


def _draw_bounds(result: Result, ax: Any, drawn: list[tuple[str, str]]) -> list[str]:
    """Thin dashes where a bound falls among what was measured: bounds never stretch the axis."""
    rounds, top = result.checkpoints.astype(float), ax.get_ylim()[1]
    above = []
    for label, colour in drawn:
        bound = result.bound(label)
        if np.isnan(bound).all():
            continue
        if np.nanmin(bound) <= top:
            ax.plot(rounds, bound, color=colour, linestyle=(0, (2, 3)), linewidth=0.9, zorder=1.5)
        else:
            above.append(f"bound of {label}: {bound[-1]:,.4g}, above")
    return above


def _floor(told: dict[str, list[dict[str, Any]]], least: float) -> float:
    """The lowest tenth of what is drawn may rise from below the edge: first rounds are all noise."""
    means = [point["mean"] for points in told.values() for point in points if point["mean"] > 0]
    return max(least, float(np.quantile(means, 0.1)) / 2)


def _dress(ax: Any) -> None:
    ax.set_xlabel("round t", color=GREY)
    ax.set_ylabel("mean regret", color=GREY)
    ax.grid(True, which="major", color=GREY, alpha=0.18, linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(GREY)
        ax.spines[side].set_alpha(0.5)
    ax.tick_params(colors=GREY, which="both", length=3)


def _name_ends(ax: Any, ends: list[tuple[str, float, str]]) -> None:
    """Names at the ends of their lines, kept apart: no legend to look up."""
    to_axes = ax.transData + ax.transAxes.inverted()
    right = ax.get_xlim()[1]
    lines = sorted((to_axes.transform((right, value))[1], name, colour) for name, value, colour in ends)
    heights = [place for place, _, _ in lines]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + NAME_GAP)
    heights[-1:] = [min(height, 1.0) for height in heights[-1:]]
    for i in reversed(range(len(heights) - 1)):  # back down, where they rose beyond the panel
        heights[i] = min(heights[i], heights[i + 1] - NAME_GAP)
    for (place, name, colour), at in zip(lines, heights):
        ax.annotate(
            name,
            xy=(1, place),
            xytext=(1.03, at),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=colour,
            va="center",
            fontsize=9.5,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "alpha": 0.6},
        )
