"""Studies by Python and by the command: the same files, byte by byte."""

import copy
import filecmp
import os
import pickle
import subprocess
import tomllib

import numpy as np
import pytest

import armature
from armature.studies import toml_text

pandas = pytest.importorskip("pandas")

STUDY = {
    "title": 'Two "policies"\tin two worlds',
    "seed": 3,
    "replications": 6,
    "horizons": [100, 1e3],
    "delay": [0, 10],
    "figures": ["regret"],
    "instances": [
        {"instance": "hidden-arm", "actions": [4, 8], "label": "hidden"},
        {"instance": "semi-benign", "actions": 4, "shift": 0.25},
    ],
    "policies": [{"policy": "ucb"}, {"policy": "db", "dial": [0.25, "1/2"]}],
    "verdicts": [
        {
            "name": "a round of delay costs ucb at most |A|",
            "rule": "delay-slope",
            "policy": "ucb",
            "high": "A",
        }
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studies")


@pytest.fixture(scope="module")
def store(folder):
    return armature.run_study(STUDY, folder / "ours", progress=False)


@pytest.fixture(scope="module")
def theirs(folder, command):
    """The same study, run by the command."""
    (folder / "study.toml").write_text(toml_text(STUDY), encoding="utf-8")
    directory = folder / "theirs"
    subprocess.run([command, "run", folder / "study.toml", "-o", directory, "-q"], check=True)
    return directory


def exported(command, directory):
    subprocess.run(
        [command, "export", directory, "--csv", "--replications"], check=True, capture_output=True
    )
    return os.path.join(directory, "csv")


def test_dictionaries_become_toml():
    read = tomllib.loads(toml_text({**STUDY, "text": "a\\b\x7f\n“é”", "n": np.float64(0.1)}))
    assert read == {**STUDY, "text": "a\\b\x7f\n“é”", "n": 0.1}
    with pytest.raises(ValueError, match="study.*None"):
        toml_text({"title": None})


def test_the_same_bytes_as_the_command(store, theirs, command):
    ours, others = exported(command, store.directory), exported(command, theirs)
    files = sorted(os.listdir(others))
    assert "cells.csv" in files and "replication_curves.csv" in files
    assert filecmp.cmpfiles(ours, others, files, shallow=False) == (files, [], [])
    assert armature.open_store(theirs).answer() == store.answer()


def test_frames(store):
    assert store.complete and store.title == STUDY["title"]
    cells = store.cells
    assert len(cells) == 3 * 2 * 2 * 3  # instances, horizons, delays, policies
    assert len(store.replications) == len(cells) * 6
    assert len(store.replication_curves) > len(store.curves) > len(cells)
    assert len(store.differences) == 3 * 2 * 2 * 2
    assert not store.pulls.empty and not store.diagnostics.empty
    assert len(store.final) == len(cells) and (store.final["mean"] > 0).all()
    verdict = store.verdicts.iloc[0]
    assert len(store.verdicts) == 1 and verdict.question == STUDY["verdicts"][0]["name"]
    assert verdict.low95 < verdict["value"] < verdict.high95


def test_numbers_are_those_of_simulate(store):
    result = armature.simulate("hidden-arm:actions=8", "ucb", 1000, 6, 3, delay=10, progress=False)
    finals = store.replications
    row = store.cells.query("instance == 'hidden-arm:actions=8' and policy == 'ucb'")
    row = row[(row.horizon == 1000) & (row.delay == "fixed:10")]
    assert len(row) == 1
    ours = finals[finals.cell == row.cell.item()].regret.to_numpy()
    assert (ours == result.final_regret("ucb")).all()


def test_a_file_with_other_values(folder, theirs, monkeypatch):
    monkeypatch.chdir(folder)
    told = []
    again = armature.run_study(
        "study.toml", replications=2, horizons=[1e2], progress=lambda *now: told.append(now)
    )
    assert again.directory == os.path.join("runs", "study")
    assert len(again.replications) == 3 * 2 * 3 * 2
    assert told[-1] == (36, 36)


def test_a_finished_study_is_not_run_again(store):
    told = []
    again = armature.run_study(STUDY, store.directory, progress=lambda *now: told.append(now))
    assert again.complete and all(done == 0 for done, _ in told)
    with pytest.raises(ValueError, match="ours"):
        armature.run_study({**STUDY, "seed": 4}, store.directory, progress=False)


def test_the_report(store, tmp_path):
    page = store.report(tmp_path / "report")
    text = open(page, encoding="utf-8").read()
    assert "<html" in text and "hidden" in text
    assert {figure.name for figure in store.figures()} >= {"regret"}
    assert "ucb" in store.table() and "ucb" in store.words()
    assert "tabular" in store.to_latex() and "|" in store.to_markdown()


@pytest.mark.parametrize(
    "study, words",
    [
        ({**STUDY, "policies": [{"policy": "sentri"}]}, "sentri.*sentry"),
        ({**STUDY, "replicas": 3}, "replicas"),
        ({**STUDY, "horizons": []}, "horizons"),
        ("nowhere.toml", "nowhere"),
    ],
)
def test_what_is_refused(study, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        armature.run_study(study, tmp_path / "none", progress=False)


def test_places_that_are_none(tmp_path):
    with pytest.raises(ValueError, match="out"):
        armature.run_study(STUDY)
    with pytest.raises(ValueError, match="empty"):
        armature.open_store(tmp_path / "empty")


def test_tables_are_the_callers(store):
    before = store.cells
    before["mine"] = 1
    before.iloc[0, 0] = 99
    assert "mine" not in store.cells and store.cells.iloc[0, 0] != 99


def test_a_store_is_its_directory(store):
    for again in (pickle.loads(pickle.dumps(store)), copy.deepcopy(store)):
        assert again.directory == store.directory and again.final.equals(store.final)


@pytest.mark.parametrize("bad", [3, None, "\ud800"])
def test_paths_that_are_none(bad, store):
    for call in (armature.open_store, armature.run_study, lambda to: armature.run_study(STUDY, to)):
        with pytest.raises(armature.Error, match="got"):
            call(bad)
    with pytest.raises(armature.Error, match="study"):
        armature.run_study({**STUDY, "title": "\ud800"}, "never-made")
    with pytest.raises(armature.Error, match="columns"):
        store.table("x")
