"""armature.simulate: the numbers of the command to the last bit, arrays, and what is refused."""

import copy
import doctest
import json
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import armature
import armature.environments
import armature.results
import armature.simulation
import armature.studies


def told_by(command, *options):
    run = subprocess.run(
        [command, "simulate", "--quiet", *options], capture_output=True, text=True, check=True
    )
    return run.stdout


def without_seconds(text):
    told = json.loads(text)
    for result in told["results"]:
        result.pop("seconds", None)  # computing time: the one thing that differs from run to run
    return told


@pytest.mark.parametrize(
    "instance, policies, options, arguments",
    [
        ("bilodeau-confounded:actions=6", ["ucb", "db", "oracle"], [], {}),
        ("semi-benign:actions=5,shift=0.3", ["sentry", "ts"], ["--at", "77,500"], {"at": [77, 500]}),
        (
            "hidden-arm:gap=1/4",
            ["ucb:delta=1/T^2", "c-ucb"],
            ["--delay", "geometric:mean=20", "--batch", "5", "--loss", "0.1"],
            {"delay": "geometric:mean=20", "batch": 5, "loss": 0.1},
        ),
        ("hidden-arm", ["moss"], ["--delay", "30"], {"delay": 30}),
        ("pareto-benign:gap=0.1", ["ucb"], ["--engine", "leap"], {"engine": "leap"}),
    ],
)
def test_the_same_bits_as_the_command(command, instance, policies, options, arguments):
    sizes = ["--instance", instance, "--horizon", "1e3", "--replications", "7", "--seed", "5"]
    named = [part for policy in policies for part in ("--policy", policy)]
    result = armature.simulate(instance, policies, 1e3, 7, 5, progress=False, **arguments)
    theirs = told_by(command, *sizes, *named, *options, "--format", "json")
    assert without_seconds(result.to_json()) == without_seconds(theirs)
    assert result.to_csv() == told_by(command, *sizes, *named, *options, "--format", "csv")


def test_replications_as_arrays():
    result = armature.simulate("hidden-arm", ["ucb", "uniform"], 500, 6, 2, progress=False)
    assert result.complete and result.policies == ["ucb", "uniform"]
    assert result.checkpoints[-1] == 500
    regret = result.regret("ucb")
    assert regret.shape == (6, len(result.checkpoints)) and regret.dtype == np.float64
    assert (np.diff(regret, axis=1) >= 0).all()
    assert result.replications("ucb").tolist() == list(range(6))
    told = json.loads(result.to_json())["results"][0]["checkpoints"]
    assert regret.mean(axis=0) == pytest.approx([point["mean"] for point in told], rel=1e-12)
    assert np.median(regret, axis=0) == pytest.approx([point["median"] for point in told])
    assert result.pulls("uniform").sum() == pytest.approx(500)
    with pytest.raises(ValueError, match="'sentry'.*'ucb'"):
        result.regret("sentry")


def test_threads_leave_no_trace():
    one, three = (
        armature.simulate("hidden-arm", ["ts", "db"], 800, 9, 4, threads=n, progress=False)
        for n in (1, 3)
    )
    assert without_seconds(one.to_json()) == without_seconds(three.to_json())


def test_instances_as_file_text_and_dictionary(tmp_path, command):
    world = {
        "format": "armature-instance",
        "version": 1,
        "name": "mail: a/b",
        "actions": ["plain", "coupon"],
        "contexts": 2,
        "marginals": [[0.7, 0.3], [0.5, 0.5]],
        "rewards": {"given_context": [0.01, {"beta": [2, 5]}]},
    }
    path = tmp_path / "mail.json"
    path.write_text(json.dumps(world))
    theirs = without_seconds(
        told_by(command, "-i", str(path), "-p", "c-ucb", "-T", "300", "-m", "4", "-f", "json")
    )["results"]
    for given in (path, str(path), json.dumps(world), world):
        result = armature.simulate(given, "c-ucb", 300, 4, progress=False)
        assert without_seconds(result.to_json())["results"] == theirs
    assert result.instance == "mail- a-b.json"
    with pytest.raises(ValueError, match="marginals"):
        armature.simulate({**world, "marginals": [[1, 1], [0, 1]]}, "ucb", 10)


def test_given_marginals_are_what_policies_are_told(command, tmp_path):
    given = {
        "format": "armature-problem",
        "version": 1,
        "actions": 4,
        "contexts": 2,
        "marginals": [[0.9, 0.1], [0.1, 0.9], [0.5, 0.5], [0.2, 0.8]],
    }
    path = tmp_path / "given.json"
    path.write_text(json.dumps(given))
    asked = ("-i", "hidden-arm:actions=4,contexts=2", "-p", "c-ucb", "-T", "400", "-m", "3")
    theirs = told_by(command, *asked, "-f", "json", "--given", str(path))
    for form in (given, path, json.dumps(given)):
        result = armature.simulate(asked[1], "c-ucb", 400, 3, given=form, progress=False)
        assert without_seconds(result.to_json()) == without_seconds(theirs)


def test_labels():
    asked = {"optimist": "ucb", "ours": "sentry"}
    result = armature.simulate("hidden-arm:actions=3", asked, 400, 5, progress=False)
    assert result.policies == ["optimist", "ours"]
    assert (result.regret("optimist") == result.regret("ucb")).all()
    assert {pair[side] for pair in result.differences() for side in ("first", "second")} == set(asked)
    assert "optimist" in repr(result)
    assert "exploration_rounds" in result.diagnostics("ours")


def test_shares_of_a_balancer():
    result = armature.simulate("hidden-arm", "db", 400, 3, progress=False)
    shares = result.shares("db")
    assert set(shares) == {"c-ucb", "ucb"}
    assert sum(shares.values()) == pytest.approx(np.ones(len(result.checkpoints)))


def test_frames():
    pandas = pytest.importorskip("pandas")
    result = armature.simulate("hidden-arm", ["ucb", "moss"], 300, 5, progress=False)
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 2 * len(result.checkpoints)
    last = frame[(frame.policy == "moss") & (frame["round"] == 300)]
    assert last["mean"].item() == result.summary().loc["moss", "mean_regret"]
    every = result.replications_to_pandas()
    assert len(every) == 2 * 5 * len(result.checkpoints)
    finals = every[(every.policy == "ucb") & (every["round"] == 300)].regret.to_numpy()
    assert (finals == result.final_regret("ucb")).all()


def test_a_log_is_the_commands(command, tmp_path):
    pandas = pytest.importorskip("pandas")
    asked = ["-i", "hidden-arm:actions=3", "-T", "200", "-m", "2", "-s", "6", "-p", "uniform", "-p", "ts"]
    told_by(command, *asked, "--log", str(tmp_path / "log.csv"))
    theirs = pandas.read_csv(tmp_path / "log.csv", comment="#", float_precision="round_trip")
    options = {"replications": 2, "seed": 6, "log": True, "progress": False}
    result = armature.simulate("hidden-arm:actions=3", ["uniform", "ts"], 200, **options)
    ours = result.log()
    assert list(ours.columns) == list(theirs.columns)
    for column in theirs:
        pandas.testing.assert_series_equal(
            ours[column].astype(theirs[column].dtype), theirs[column], check_exact=True
        )
    with pytest.raises(ValueError, match="log.*step"):
        armature.simulate("hidden-arm", "ucb", 100, log=True, engine="leap")
    with pytest.raises(ValueError, match="log.*rounds"):
        armature.simulate("hidden-arm", "ucb", 1e8, log=True)
    with pytest.raises(ValueError, match="log=True"):
        armature.simulate("hidden-arm", "ucb", 100, 2, progress=False).log()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"horizon": 0}, "horizon.*0"),
        ({"horizon": 1.5}, "horizon.*1.5"),
        ({"horizon": float("nan")}, "horizon.*nan"),
        ({"horizon": True}, "horizon.*True"),
        ({"horizon": "1e3"}, "horizon.*'1e3'"),
        ({"horizon": 1e30}, "horizon.*1e\\+30"),
        ({"replications": -1}, "replications.*-1"),
        ({"seed": -1}, "seed.*-1"),
        ({"seed": 2**64}, "seed"),
        ({"loss": 1.0}, "loss"),
        ({"loss": float("nan")}, "loss.*nan"),
        ({"delay": -3}, "delay.*-3"),
        ({"delay": "never"}, "delay.*never"),
        ({"batch": 0}, "batch.*0"),
        ({"engine": "fast"}, "fast.*auto"),
        ({"checkpoints": 0}, "checkpoints"),
        ({"at": [2000]}, "at.*2000"),
        ({"leap_tolerance": 2}, "leap_tolerance"),
        ({"threads": -1}, "threads"),
        ({"policies": "sentri"}, "sentri.*sentry"),
        ({"policies": ["ucb", "ucb"]}, "ucb.*label"),
        ({"policies": []}, "policies"),
        ({"policies": [3]}, "3"),
        ({"policies": "ucb:delta=7"}, "delta.*7"),
        ({"instance": "hiden-arm"}, "hiden-arm.*hidden-arm"),
        ({"instance": 7}, "instance.*7"),
        ({"instance": "{"}, "instance"),
        ({"instance": "nowhere/to-be.json"}, "nowhere"),
        ({"given": 3}, "given.*3"),
        ({"engine": 3}, "engine: got 3, expected auto"),
        ({"at": 5}, "at: got 5, expected a list"),
        ({"instance": "\ud800"}, "instance: got '.ud800'"),
        ({"instance": '{"\ud800'}, "instance"),
        ({"instance": {"name": {1}}}, "instance.*JSON"),
        ({"policies": "\ud800"}, "policies"),
        ({"policies": {"\ud800": "ucb"}}, "policies"),
        ({"delay": "\ud800"}, "delay"),
        ({"given": "{\ud800"}, "given"),
        ({"engine": "\ud800"}, "engine"),
        ({"at": "5"}, "at: got '5', expected a list"),
        ({"policies": 3}, "got 3, expected a text form"),
        ({"horizon": [1] * 500}, "horizon: got .{120}, expected"),
        ({"replications": 10**7, "checkpoints": 1000, "horizon": 10**6}, "in memory"),
    ],
)
def test_what_is_refused(arguments, words):
    asked = {"instance": "hidden-arm", "policies": "ucb", "horizon": 1000, "replications": 2}
    with pytest.raises(armature.Error, match=words) as caught:
        armature.simulate(**{**asked, **arguments, "progress": False})
    assert "C++" not in str(caught.value) and "--" not in str(caught.value)


def test_a_refusal_has_its_parts():
    with pytest.raises(armature.Error) as caught:
        armature.simulate("hidden-arm", "ucb", "long", progress=False)
    error = caught.value
    assert (error.field, error.value) == ("horizon", "'long'")
    assert str(error) == f"horizon: got 'long', expected {error.expected}"


@pytest.mark.parametrize("columns", [-1, 2**70, "x", None, 1.5])
def test_columns_that_are_none(columns):
    result = armature.simulate("hidden-arm", "ucb", 10, 1, progress=False)
    with pytest.raises(armature.Error, match="columns: got"):
        result.table(columns)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_result_says_what_to_keep(protocol):
    result = armature.simulate("hidden-arm", "ucb", 100, 3, progress=False)
    with pytest.raises(TypeError, match="to_json"):
        pickle.dumps(result, protocol)
    with pytest.raises(TypeError, match="Finished"):  # 0 and 1 ended the process
        pickle.dumps(result._finished, protocol)
    instance = armature.Instance("hidden-arm")
    assert pickle.loads(pickle.dumps(instance, protocol)).to_json() == instance.to_json()
    assert copy.deepcopy([result])[0] is result


def test_numbers_of_numpy():
    plain = armature.simulate("hidden-arm", "ucb", 100, 3, 2, loss=0.5, progress=False)
    numpys = armature.simulate(
        "hidden-arm", "ucb", np.int32(100), np.float64(3), np.uint64(2), loss=np.float32(0.5),
        progress=False,
    )
    assert (plain.regret("ucb") == numpys.regret("ucb")).all()


class Own:
    def choose(self):
        return 0

    def observe(self, arm, context, reward):
        pass


@pytest.mark.parametrize(
    "policies, horizon", [("ucb", 1e6), ([Own, "ucb"], 4e5)], ids=["ours", "beside an own policy"]
)
def test_other_threads_run_meanwhile(policies, horizon):
    # Nobody is made to hand over the GIL, so a thread that gives it away after every step comes
    # around only while the engine does without: else once per call of `progress`, at most.
    going, told, steps = threading.Event(), [], 0

    def walk():
        nonlocal steps
        while going.is_set():
            steps += 1
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        going.set()
        walker = threading.Thread(target=walk)
        walker.start()
        before = steps
        armature.simulate(
            "hidden-arm", policies, horizon, 10, threads=1, progress=lambda *now: told.append(now)
        )
        during = steps - before
    finally:
        going.clear()
        sys.setswitchinterval(interval)
    walker.join()
    assert during > 5 * len(told)
    assert told[-1][0] == told[-1][1]


def test_simulations_side_by_side():
    # Several at once from threads of Python, each the same as alone.
    seeds = range(4)
    alone = [armature.simulate("hidden-arm", "ts", 2000, 3, s, progress=False) for s in seeds]
    together = [None] * len(seeds)

    def run(seed):
        together[seed] = armature.simulate("hidden-arm", "ts", 2000, 3, seed, progress=False)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together):
        assert (one.regret("ts") == other.regret("ts")).all()


def test_an_exception_of_the_progress_function_ends_the_run():
    def complain(done, total):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        armature.simulate("hidden-arm", "ucb", 1e5, 3, progress=complain)


@pytest.mark.parametrize(
    "module",
    [armature.environments, armature.results, armature.simulation, armature.studies],
    ids=lambda module: module.__name__,
)
def test_examples_in_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0
