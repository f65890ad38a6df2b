"""Pictures of results: by matplotlib, as HTML and as Vega-Lite."""

import json
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import armature

pytest.importorskip("matplotlib").use("agg")
import matplotlib.colors  # noqa: E402
import matplotlib.pyplot as pyplot  # noqa: E402


@pytest.fixture(scope="module")
def result():
    return armature.simulate(
        "bilodeau-confounded:actions=4",
        {"<ucb>": "ucb", "c-ucb": "c-ucb", "oracle": "oracle"},
        2000,
        6,
        progress=False,
    )


@pytest.mark.parametrize("scale", ["log-log", "log-x", "linear"])
def test_lines_are_the_means_in_the_looks_of_reports(result, scale):
    ax = result.plot(scale=scale)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert "oracle" not in lines  # its 0 goes without saying
    for policy in ("<ucb>", "c-ucb"):
        line = lines[policy]
        assert (line.get_xdata() == result.checkpoints).all()
        assert line.get_ydata() == pytest.approx(result.regret(policy).mean(axis=0))
        assert matplotlib.colors.to_hex(line.get_color()).upper() == result.looks()[policy][0]
    assert {text.get_text() for text in ax.texts} >= {"<ucb>", "c-ucb"}
    assert (ax.get_xscale(), ax.get_yscale()) == {
        "log-log": ("log", "log"),
        "log-x": ("log", "linear"),
        "linear": ("linear", "linear"),
    }[scale]
    # Everything measured at the end has its place.
    assert ax.get_ylim()[1] >= max(result.regret(p)[:, -1].mean() for p in result.policies)
    pyplot.close(ax.figure)


def test_on_axes_of_ones_own(result):
    figure, axes = pyplot.subplots(1, 2)
    assert result.plot(axes[1], title="mine") is axes[1]
    assert axes[1].get_title(loc="left") == "mine" and not axes[0].lines
    pyplot.close(figure)
    with pytest.raises(ValueError, match="scale.*'log'.*log-log"):
        result.plot(scale="log")


def test_names_keep_apart():
    policies = {f"ucb {i}": f"ucb:scale={1 + i / 100}" for i in range(12)}
    ax = armature.simulate("hidden-arm", policies, 500, 3, progress=False).plot()
    heights = sorted(text.xyann[1] for text in ax.texts if text.get_text() in policies)
    assert len(heights) == 12 and min(np.diff(heights)) > 0.04 and heights[-1] <= 1.001
    pyplot.close(ax.figure)


def test_one_replication_and_no_regret_at_all():
    one = armature.simulate("hidden-arm", ["ucb"], 100, 1, progress=False)
    pyplot.close(one.plot().figure)
    none = armature.simulate("hidden-arm", ["oracle"], 100, 2, progress=False)
    pyplot.close(none.plot().figure)
    assert "<svg" in one._repr_html_() and "<svg" not in none._repr_html_()
    with pytest.raises(ValueError, match="oracle"):
        none.figure()


def test_html_is_small_and_escaped(result):
    before = pyplot.get_fignums()
    text = result._repr_html_()
    assert pyplot.get_fignums() == before
    assert len(text) < 60_000
    assert "&lt;ucb&gt;" in text and "<ucb>" not in text
    xml.etree.ElementTree.fromstring(text)  # well formed: nothing left open
    assert text == result._repr_html_()


def test_vega_lite(result, tmp_path):
    bundle = result._repr_mimebundle_()
    spec = bundle["application/vnd.vegalite.v5+json"]
    assert spec == result.figure().spec
    assert "vega-lite/v5" in spec["$schema"]
    means = json.dumps(spec)
    assert "c-ucb" in means and "<ucb>" in means
    assert "text/html" in bundle and "mean regret" in bundle["text/plain"]
    result.figure("linear").save(tmp_path / "figure.vl.json")
    assert json.loads((tmp_path / "figure.vl.json").read_text())["$schema"] == spec["$schema"]
    result.figure().save(tmp_path / "figure.html")
    page = (tmp_path / "figure.html").read_text()
    assert "vegaEmbed" in page and "http" not in page.split("<script>")[0]


def test_without_matplotlib_and_pandas():
    # In a child whose imports of both fail.
    program = """
import sys
sys.modules["matplotlib"] = sys.modules["pandas"] = sys.modules["tqdm"] = None
import armature
result = armature.simulate("hidden-arm", ["ucb", "moss"], 200, 3)
rows = result.summary()
assert [row["policy"] for row in rows] == ["ucb", "moss"] and rows[0]["mean_regret"] > 0
assert "<table>" in result._repr_html_() and "<svg" not in result._repr_html_()
for ask, name in ((result.plot, "matplotlib"), (result.to_pandas, "pandas")):
    try:
        ask()
    except ImportError as error:
        assert f"install {name}" in str(error)
    else:
        raise AssertionError(name)
print("fine")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == "fine", run.stderr
