"""Logs from Python: the command's answers, and data frames under the rules of files."""

import doctest
import json
import pathlib
import signal
import subprocess

import numpy as np
import pytest

import armature
import armature._answers
import armature.logs

pandas = pytest.importorskip("pandas")
LOGS = pathlib.Path(__file__).parents[2] / "examples" / "logs"
MAIL = dict(action="campaign", context=["opened", "clicked"], reward="bought")
MAIL_OPTIONS = ["--action", "campaign", "--context", "opened,clicked", "--reward", "bought"]


def answer_of(command, *arguments):
    done = subprocess.run([command, *arguments, "--format", "json", "--quiet"], capture_output=True)
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def without_source(answer):
    """What does not say where rows came from."""
    fields = answer.to_dict()
    log = fields.pop("log")
    return fields, {key: value for key, value in log.items() if key.startswith("rows")}


def test_docstrings():
    assert doctest.testmod(armature.logs).failed == 0
    assert doctest.testmod(armature._answers).failed == 0


@pytest.mark.parametrize("file", ["mail.csv", "mail-benign.csv"])
def test_audit_as_the_command(command, file):
    path = str(LOGS / file)
    told = answer_of(command, "audit", path, *MAIL_OPTIONS, "--no-advice", "--horizon", "1e5")
    audit = armature.audit(path, **MAIL, horizon=1e5, advice=False)
    assert audit.to_dict() == told
    assert audit.words() == told["words"]
    assert np.array_equal(audit.counts, told["counts"]) and audit.counts.sum() == audit.rows_used
    assert audit.intervals["means_fixed"].shape == audit.means.shape + (2,)


def test_scale_and_all_breaks_as_the_command(command, tmp_path):
    file = tmp_path / "log.csv"
    rows = [(a, z, 100 * ((a + z) % 2)) for a in range(12) for z in range(12) for _ in range(20)]
    file.write_text("action,context,reward\n" + "".join(f"a{a},z{z},{r}\n" for a, z, r in rows))
    told = answer_of(command, "audit", str(file), "--scale", "0,100", "--no-advice")
    audit = armature.audit(file, scale=(0, 100), advice=False)
    assert audit.to_dict() == told
    assert audit.log["scale"] == [0, 100]
    assert audit.breaks_found > len(audit.breaks) > 0
    replayed = answer_of(command, "replay", str(file), "--scale", "0,100", "--uniform", "--always", "a1")
    assert armature.replay(file, scale=(0, 100), uniform=True, always="a1").to_dict() == replayed


def test_audit_with_advice_as_the_command(command):
    path = str(LOGS / "uniform.csv")
    told = answer_of(command, "audit", path, "--horizon", "1000", "-j", "1")
    assert armature.audit(path, horizon=1000, threads=1).to_dict() == told


def test_the_problem_is_that_of_write(command, tmp_path):
    file = tmp_path / "problem.json"
    answer_of(command, "audit", str(LOGS / "mail.csv"), *MAIL_OPTIONS, "--no-advice", "--write", str(file))
    audit = armature.audit(LOGS / "mail.csv", **MAIL, advice=False)
    assert audit.problem.to_json() == file.read_text()


@pytest.mark.parametrize("options", [
    MAIL,
    dict(MAIL, propensity="p"),
    dict(MAIL, context="clicked"),
])
def test_a_data_frame_is_its_file(options):
    frame = pandas.read_csv(LOGS / "mail.csv")
    assert without_source(armature.audit(frame, **options, advice=False)) == \
        without_source(armature.audit(LOGS / "mail.csv", **options, advice=False))


def test_every_kind_of_column_is_its_text():
    frame = pandas.read_csv(LOGS / "mail.csv")
    told = without_source(armature.audit(frame, **MAIL, advice=False))
    frame["campaign"] = frame["campaign"].astype("category")
    frame["opened"] = frame["opened"].astype("string")
    frame["bought"] = frame["bought"].astype(bool)
    assert without_source(armature.audit(frame, **MAIL, advice=False)) == told
    frame["bought"] = frame["bought"].astype("Int64")
    assert without_source(armature.audit(frame, **MAIL, advice=False)) == told
    frame["bought"] = frame["bought"].astype("float32")
    assert without_source(armature.audit(frame, **MAIL, advice=False)) == told
    columns = {name: frame[name].tolist() for name in frame.columns}
    assert without_source(armature.audit(columns, **MAIL, advice=False)) == told
    arrays = {name: np.array(values) for name, values in columns.items()}
    assert without_source(armature.audit(arrays, **MAIL, advice=False)) == told


def test_a_data_frame_in_pieces_is_read_where_it_lies():
    frame = pandas.read_csv(LOGS / "mail.csv")
    told = without_source(armature.audit(frame, **MAIL, advice=False))
    twice = frame.loc[frame.index.repeat(2)]
    assert without_source(armature.audit(twice.iloc[::2], **MAIL, advice=False)) == told


def test_missing_values_are_counted_as_in_files(tmp_path):
    frame = pandas.read_csv(LOGS / "mail.csv").head(3000)
    frame["bought"] = frame["bought"].astype(float)
    frame.loc[5, "bought"] = np.nan
    frame.loc[7, "campaign"] = None
    frame.loc[9, "clicked"] = np.nan
    frame.loc[11, "bought"] = 7
    file = tmp_path / "log.csv"
    frame.to_csv(file, index=False)
    of_frame, of_file = (armature.audit(log, **MAIL, advice=False) for log in (frame, file))
    assert of_frame.rows_skipped == of_file.rows_skipped == 4
    assert without_source(of_frame) == without_source(of_file)
    reasons = [(bad["reason"], bad["column"], bad["rows"]) for bad in of_frame.log["bad"]]
    assert reasons == [(bad["reason"], bad["column"], bad["rows"]) for bad in of_file.log["bad"]]
    assert [bad["first_line"] for bad in of_frame.log["bad"]] == [6, 8, 10, 12]


def test_masked_values_are_missing():
    chance = np.random.default_rng(1)
    rewards = chance.integers(2, size=400)
    plain = {"action": ["a", "b"] * 200, "context": ["x", "x", "y", "y"] * 100, "reward": rewards}
    missing = np.arange(400) % 200 == 7
    masked = dict(plain, reward=np.ma.array(rewards, mask=missing))
    holes = dict(plain, reward=np.where(missing, np.nan, rewards))
    told = armature.audit(masked, advice=False)
    assert told.rows_skipped == 2 and told.log["bad"][0]["first_line"] == 8
    assert without_source(told) == without_source(armature.audit(holes, advice=False))
    named = dict(plain, context=np.ma.array(plain["context"], mask=missing))
    assert armature.audit(named, advice=False).rows_skipped == 2
    real = dict(plain, reward=np.ma.array(rewards, float, mask=missing))
    assert without_source(armature.audit(real, advice=False)) == without_source(told)


def test_bins_edges_scale_and_names_as_in_files(tmp_path):
    frame = pandas.read_csv(LOGS / "mail.csv").head(4000)
    frame["age"] = np.random.default_rng(1).integers(18, 80, len(frame))
    frame["bought"] = frame["bought"] * 100
    file = tmp_path / "log.csv"
    frame.to_csv(file, index=False)
    for more in (dict(bins={"age": 4}), dict(edges={"age": [30, 50.5]})):
        options = dict(action="campaign", context="age", reward="bought", scale=(0, 100), advice=False, **more)
        of_frame, of_file = (armature.audit(log, **options) for log in (frame, file))
        assert of_frame.contexts == of_file.contexts
        assert without_source(of_frame) == without_source(of_file)


def test_replay_as_the_command(command):
    path = str(LOGS / "campaigns.csv")
    told = answer_of(command, "replay", path, "--policy", "sentry", "--policy", "ucb", "--always", "spring",
                     "--bootstrap", "100")
    replay = armature.replay(path, ["sentry", "ucb"], always="spring", bootstrap=100)
    assert replay.to_dict() == told
    assert replay["ucb"].value == told["values"][1]["value"] and len(replay) == 3
    of_frame = armature.replay(pandas.read_csv(path, comment="#"), ["sentry", "ucb"], always="spring", bootstrap=100)
    assert without_source(of_frame) == without_source(replay)


def test_replay_in_words_and_tables():
    replay = armature.replay(LOGS / "campaigns.csv", "ucb", always=["spring", "winter"])
    assert len(replay.to_pandas()) == 3 and "ucb" in replay._repr_html_()
    assert "per round" in replay.words()[0]
    assert any("--" in note for note in replay.notes) and not any("--" in sentence for sentence in replay.words())
    with pytest.raises(KeyError, match="nobody"):
        replay["nobody"]


@pytest.mark.parametrize("ask, says", [
    (lambda f: armature.audit(f, action="campain", context="opened", reward="bought"), "campaign"),
    (lambda f: armature.audit(f), "action with one of its columns"),
    (lambda f: armature.audit(f, **MAIL, level=0), "level: got 0"),
    (lambda f: armature.audit(f, **MAIL, bins={"opened": 1}), "bins: got 1"),
    (lambda f: armature.audit(f, **MAIL, edges={"opened": [2, 1]}), "ascending"),
    (lambda f: armature.audit(f, **MAIL, scale=(1, 0)), "scale: got (1, 0)"),
    (lambda f: armature.audit(f, action=3), "action: got 3"),
    (lambda f: armature.audit(f.assign(bought=7), **MAIL), "scale LOW,HIGH"),
    (lambda f: armature.audit(f.head(0), **MAIL), "rows"),
    (lambda f: armature.audit(7, **MAIL), "log: got int"),
    (lambda f: armature.audit({"action": [1, 2], "context": [1], "reward": [0, 1]}), "1 values"),
    (lambda f: armature.replay(f, **MAIL), "policies"),
    (lambda f: armature.replay(f, "ucbb", **MAIL), "ucb"),
    (lambda f: armature.replay(f, "ucb", **MAIL, method="magic"), "magic"),
    (lambda f: armature.replay(f, "ucb", **MAIL, uniform=True, bootstrap=3), "bootstrap: got 3"),
    (lambda f: armature.audit("nowhere.csv"), "nowhere.csv"),
    (lambda f: armature.audit(f, **MAIL, bins=3), "bins: got 3"),
    (lambda f: armature.audit(f, **MAIL, edges=[1, 2]), "edges: got [1, 2]"),
    (lambda f: armature.audit(pandas.concat([f, f[["opened"]]], axis=1), **MAIL), "two named 'opened'"),
    (lambda f: armature.audit({1: [1, 2], "1": [1, 2]}), "two named '1'"),
    (lambda f: armature.audit({"action": ["a", "b"], "context": [[1], [2, 3]], "reward": [0, 1]}), "'context'"),
    (lambda f: armature.audit({"action": ["a", "b"], "context": [[1], [2]], "reward": [0, 1]}), "shape (2, 1)"),
    (lambda f: armature.audit(f, action="campaign", context=3), "names: got 3"),
    (lambda f: armature.replay(f, 3, **MAIL), "names: got 3"),
    (lambda f: armature.replay(f, "ucb", **MAIL, method=3), "method: got 3"),
    (lambda f: armature.audit(f.assign(opened=[[1]] * len(f)), **MAIL), "a column of lists"),
    (lambda f: armature.audit(f.assign(opened="\ud800"), **MAIL), "half characters"),
    (lambda f: armature.audit({"\ud800": [1]}), "half characters"),
])
def test_mistakes_are_named(ask, says):
    with pytest.raises(armature.Error) as error:
        ask(pandas.read_csv(LOGS / "mail.csv").head(500))
    assert says in str(error.value)
    assert "--" not in str(error.value)


class Interrupted(Exception):
    """What the handler of a signal raises, as KeyboardInterrupt is."""


def test_a_signal_ends_an_audit():
    def interrupt(*_):
        raise Interrupted

    chance = np.random.default_rng(1)
    rows = 3_000_000
    log = {"action": chance.integers(50, size=rows), "context": chance.integers(20, size=rows),
           "reward": chance.random(rows)}
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for ask in (lambda: armature.audit(log, advice=False), lambda: armature.replay(log, "sentry", uniform=True)):
            with pytest.raises(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, 0.02)  # of a second or more of reading
                ask()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
