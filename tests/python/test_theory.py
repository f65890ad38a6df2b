"""Theory from Python: the same numbers as the command, and mistakes that are named."""

import doctest
import json
import math
import signal
import subprocess

import numpy as np
import pytest

import armature
import armature.theory


def answer_of(command, *arguments):
    return json.loads(subprocess.run([command, *arguments, "--format", "json"], capture_output=True, check=True).stdout)


def test_docstrings():
    assert doctest.testmod(armature.theory).failed == 0


def test_bounds_as_the_command(command):
    told = answer_of(command, "bounds", "-A", "20", "-Z", "2", "-T", "1e6", "--gap", "0.1", "--delay", "10")
    assert armature.bounds(20, 2, 1e6, gap=0.1, delay=10).to_dict() == told


def test_bounds_of_an_instance_as_the_command(command):
    told = answer_of(command, "bounds", "--instance", "random-benign:actions=7", "-T", "1e5", "--seed", "3")
    assert armature.bounds(horizon=1e5, instance="random-benign:actions=7", seed=3).to_dict() == told


def test_bounds_by_name_and_number():
    bounds = armature.bounds(20, 2, 10**6)
    assert bounds["ucb"] is bounds[bounds.names.index("ucb")]
    assert len(list(bounds)) == len(bounds) > 50
    assert bounds["ucb"].holds and bounds["ucb"].failure == 1e-6
    with pytest.raises(KeyError, match="ucbb"):
        bounds["ucbb"]
    assert list(bounds.to_pandas()["name"]) == bounds.names
    assert "ucb" in bounds._repr_html_()


def test_frontier_as_the_command(command):
    told = answer_of(command, "frontier", "-A", "20", "-Z", "2", "-T", "1e6", "--r1", "3e4", "--r2", "2e5", "-n", "5")
    frontier = armature.frontier(20, 2, 1e6, r1=3e4, r2=2e5, points=5)
    assert frontier.to_dict() == told
    assert frontier.pair.verdict == "achievable"
    r1, r2 = frontier.curve("frontier")
    assert r1.shape == r2.shape and (np.diff(r1) * np.diff(r2) <= 0).all()


def test_advice_as_the_command(command):
    told = answer_of(command, "advise", "-A", "5", "-Z", "2", "-T", "1000", "--leaning", "distrust", "-j", "1")
    advice = armature.advise(5, 2, 1000, leaning="distrust", threads=1)
    assert advice.to_dict() == told
    assert advice.policy in advice.policies
    assert all(len(world.means) == len(advice.policies) for world in advice.worlds)


def test_advice_on_a_given_problem():
    log = {"action": ["a", "b"] * 200, "context": ["x", "x", "y", "y"] * 100, "reward": [1, 0, 0, 1] * 100}
    given = armature.audit(log, advice=False).problem
    advice = armature.advise(horizon=1000, given=given, threads=1)
    assert (advice.question["actions"], advice.question["contexts"]) == (2, 2)
    with pytest.raises(ValueError, match="the given problem's own number"):
        armature.advise(3, horizon=1000, given=given)


def test_design_as_the_command(command, tmp_path):
    rows = np.random.default_rng(1).random((30, 4))
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(",".join(map(repr, row)) for row in rows.tolist()) + "\n")
    assert armature.design(rows, exact=True).to_dict() == answer_of(command, "design", str(file), "--exact")
    told = answer_of(command, "design", "random-benign:actions=40,contexts=6")
    assert armature.design("random-benign:actions=40,contexts=6").to_dict() == told


def test_a_design_keeps_its_certificate():
    rows = np.random.default_rng(2).random((50, 5))
    design = armature.design(rows, exact=True)
    moment = (rows[design.support] * design.weights[:, None]).T @ rows[design.support]
    leverages = np.einsum("ij,jk,ik->i", rows, np.linalg.inv(moment), rows)
    assert leverages.max() == pytest.approx(design.largest_leverage, rel=1e-6)
    assert design.largest_leverage <= design.rank * (1 + 1e-6)
    assert design.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("wrong, says", [
    (dict(actions=0, contexts=2, horizon=10), "actions: got 0"),
    (dict(actions=2.5, contexts=2, horizon=10), "actions: got 2.5"),
    (dict(actions=True, contexts=2, horizon=10), "actions: got True"),
    (dict(actions=np.bool_(True), contexts=2, horizon=10), "actions: got True"),
    (dict(actions="2", contexts=2, horizon=10), "actions: got '2'"),
    (dict(actions=2, horizon=10), "contexts: got nothing"),
    (dict(actions=2, contexts=2), "horizon: got None"),
    (dict(actions=2, contexts=2, horizon=math.nan), "horizon: got nan"),
    (dict(actions=2, contexts=2, horizon=10, gap=2), "gap: got 2"),
    (dict(actions=2, contexts=2, horizon=10, delta=math.inf), "delta: got inf"),
    (dict(horizon=10, instance="pareto-bening"), "pareto-benign"),
    (dict(horizon=10, instance=3), "instance: got 3"),
    (dict(actions=3, horizon=10, instance="pareto-benign"), "the instance's own number"),
])
def test_mistakes_in_a_setting_are_named(wrong, says):
    with pytest.raises(ValueError) as error:
        armature.bounds(**wrong)
    assert says in str(error.value)


def test_numbers_of_numpy_are_numbers():
    plain = armature.bounds(20, 2, 1000, gap=0.5).to_dict()
    assert armature.bounds(np.int32(20), np.uint8(2), np.float32(1000), gap=np.float32(0.5)).to_dict() == plain


@pytest.mark.parametrize("wrong, says", [
    (np.zeros((2, 2)), "nothing but zeros"),
    (np.ones(3), "shape (3,)"),
    (np.ones((0, 3)), "shape (0, 3)"),
    (np.array([[1.0, math.nan]]), "matrix[0, 1]: got nan"),
    (np.array([["a", "b"]]), "<U1"),
    (np.array([[True, False]]), "bool"),
    ([[1, 2], [3]], "matrix"),
    (None, "object"),
])
def test_mistakes_in_a_matrix_are_named(wrong, says):
    with pytest.raises(ValueError) as error:
        armature.design(wrong)
    assert says in str(error.value)


def test_the_frontier_is_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    frontier = armature.frontier(20, 2, 1e6, points=5)
    axes = frontier.plot()
    drawn = sum(len(line.get_xdata()) for line in axes.get_lines())
    assert drawn == len(frontier.points)
    names = {label.split(" ")[0] for label in axes.get_legend_handles_labels()[1]}
    assert names == set(frontier.series)


class Interrupted(Exception):
    """What the handler of a signal raises, as KeyboardInterrupt is."""


def test_a_signal_ends_advice():
    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 0.05)  # of some minutes of simulation
            armature.advise(2000, 5, 1e7)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert armature.advise(5, 2, 100, threads=1).policy


def test_instances_and_problems_in_every_form(tmp_path):
    instance = armature.Instance(marginals=[[0.5, 0.5], [0.2, 0.8]], means=[0.1, 0.9])
    file = tmp_path / "world.json"
    file.write_text(instance.to_json())
    plain = armature.bounds(horizon=1000, instance=instance).to_dict()
    for form in (instance.to_json(), json.loads(instance.to_json()), file, str(file)):
        told = armature.bounds(horizon=1000, instance=form).to_dict()
        assert told["bounds"] == plain["bounds"]
        assert armature.design(form).to_dict() == armature.design(instance).to_dict()
    problem = instance.problem()
    file.write_text(problem.to_json())
    log = {"action": ["a0", "a1"] * 50, "context": ["z0", "z0", "z1", "z1"] * 25, "reward": [1, 0, 0, 1] * 25}
    plain = armature.audit(log, given=problem, advice=False).to_dict()
    for form in (problem.to_json(), json.loads(problem.to_json()), file, str(file)):
        assert armature.audit(log, given=form, advice=False).to_dict() == plain
    with pytest.raises(armature.Error, match="given"):
        armature.audit(log, given={"actions": object()}, advice=False)
    with pytest.raises(armature.Error, match="instance"):
        armature.bounds(horizon=1000, instance={"actions": 3})


def test_numbers_at_the_ends_of_the_range():
    for size in (1e308, 1e-308):
        assert armature.design([[size, 0], [0, size]]).rank == 2
        assert armature.design([[size] * 2] * 2).rank == 1
