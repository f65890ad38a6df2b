"""Worlds from arrays, text forms and JSON: what they say of themselves, and their luck."""

import json
import pickle
import subprocess

import armature
import numpy as np
import pytest
from armature import Instance, RewardLaw

MARGINALS = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])


def test_from_means_per_context():
    world = Instance(marginals=MARGINALS, means=[0.2, 0.6], actions=["a", "b", "c"], name="mine")
    assert world.means == pytest.approx(MARGINALS @ [0.2, 0.6])
    assert world.gaps == pytest.approx(world.means.max() - world.means)
    assert world.best == 1 and world.smallest_gap == pytest.approx(0.1)
    assert world.is_benign and world.witness is None
    assert world.rank == 2 and (world.actions, world.contexts) == (3, 2)
    assert world.cell_means.tolist() == [[0.2, 0.6]] * 3
    assert world.action_names == ["a", "b", "c"] and world.name == "mine"
    assert "best='b'" in repr(world)


def test_from_means_per_cell():
    means = np.array([[0.2, 0.6], [0.2, 0.6], [0.9, 0.6]])
    world = Instance(marginals=MARGINALS, means=means)
    assert (world.cell_means == means).all()
    assert world.means == pytest.approx((MARGINALS * means).sum(axis=1))
    assert not world.is_benign and world.witness == ("z0", "a0", "a2")


def test_from_laws():
    laws = [RewardLaw.beta(2, 6), RewardLaw.table([0, 0.5, 1], [0.25, 0.5, 0.25])]
    world = Instance(marginals=MARGINALS, laws=laws)
    assert world.cell_means[0].tolist() == [0.25, 0.5]
    assert [law.kind for law in world.laws[2]] == ["beta", "table"]
    assert world.laws[0] == laws and world.is_benign
    cells = [[RewardLaw.point(0.5), RewardLaw.bernoulli(0.5)]] * 3
    assert Instance(marginals=MARGINALS, laws=cells).laws == cells


def test_marginals_are_shared_and_read_only():
    world = Instance("hidden-arm")
    array = world.marginals
    del world
    assert array.sum(axis=1) == pytest.approx(1)
    assert not array.flags.owndata
    with pytest.raises(ValueError):
        array[0, 0] = 1


@pytest.mark.parametrize(
    "wrong, says",
    [
        (dict(marginals=MARGINALS), "neither"),
        (dict(means=[0.5]), "marginals"),
        (dict(marginals=MARGINALS, means=[0.2]), "one per context"),
        (dict(marginals=MARGINALS, means=[0.2, 1.6]), r"1\.6"),
        (dict(marginals=MARGINALS, means=[0.2, np.nan]), "nan"),
        (dict(marginals=MARGINALS * 2, means=[0.2, 0.6]), "marginals"),
        (dict(marginals=[[0.5, 0.5], [1.0]], means=[0.2, 0.6]), "array of numbers with 2"),
        (dict(marginals=[0.5, 0.5], means=[0.2, 0.6]), "array of float64 with shape 2"),
        (dict(marginals=[["x", "y"]], means=[0.2, 0.6]), "<U1"),
        (dict(marginals=MARGINALS, laws=[0.2, 0.6]), "a RewardLaw"),
        (dict(marginals=MARGINALS, means=[0.2, 0.6], actions=["a", "b"]), "2"),
        (dict(marginals=MARGINALS, means=[0.2, 0.6], actions=[1, 2, 3]), "name"),
        (dict(source="hidden-arm", means=[0.2, 0.6]), "one of them"),
        (dict(source="hiden-arm"), "hidden-arm"),
        (dict(source="hidden-arm:actions=1.5"), "actions"),
        (dict(source="nowhere/world.json"), "nowhere"),
        (dict(source='{"actions": 3}'), "JSON"),
        (dict(source=7), "7"),
        (dict(source="hidden-arm", seed=-1), "-1"),
        (dict(source="hidden-arm", seed=True), "True"),
    ],
)
def test_what_is_wrong_is_said(wrong, says):
    with pytest.raises(ValueError, match=says):
        Instance(**wrong)


def test_text_forms_are_those_of_the_command(command, tmp_path):
    for text in ("hidden-arm:actions=20,gap=0.1", "random-benign:actions=6,contexts=4"):
        path = tmp_path / "world.json"
        subprocess.run([command, "instance", "write", text, str(path), "--seed", "5"], check=True)
        written = path.read_text()
        world = Instance(text, seed=5)
        assert world.to_json() == written
        for again in (Instance(str(path)), Instance(path), Instance(written), Instance.read(path),
                      Instance.from_json(written), Instance(json.loads(written)),
                      pickle.loads(pickle.dumps(world))):
            assert again.to_json() == written
        copied = tmp_path / "copy.json"
        world.write(copied)
        assert copied.read_text() == written
    assert Instance("random-benign", seed=1).to_json() != Instance("random-benign", seed=2).to_json()
    assert (Instance("random-benign", seed=1, replication=1).to_json()
            != Instance("random-benign", seed=1).to_json())


def test_samples_follow_the_laws():
    """Fixed seed; a deviation of 6 standard errors has probability below 1e-8 each (10 looks)."""
    laws = [RewardLaw.beta(2, 6), RewardLaw.table([0, 0.5, 1], [0.25, 0.5, 0.25])]
    world = Instance(marginals=MARGINALS, laws=laws)
    n = 40_000
    for arm in range(3):
        contexts, rewards = world.sample(arm, n, seed=11)
        assert contexts.dtype == np.int64 and rewards.dtype == np.float64
        assert len(contexts) == len(rewards) == n
        share = MARGINALS[arm, 1]
        assert abs(contexts.mean() - share) <= 6 * np.sqrt(share * (1 - share) / n)
        assert abs(rewards.mean() - world.means[arm]) <= 6 * 0.5 / np.sqrt(n)
    assert (world.sample("a1", 10)[0] == world.sample(1, 10)[0]).all()
    assert (world.sample(0, 50)[1] != world.sample(0, 50, seed=2)[1]).any()
    assert len(world.sample(0, 1e3)[0]) == 1000 and len(world.sample(0, 0)[0]) == 0
    for arm, count in ((3, 1), ("x", 1), (0, -1), (0, 1.5), (True, 1), (0, True), (0, "many")):
        with pytest.raises(ValueError):
            world.sample(arm, count)


def test_what_policies_are_told():
    world = Instance(marginals=MARGINALS, means=[0.2, 0.6])
    problem = world.problem(1e6)
    assert problem.horizon == 1_000_000 and (problem.marginals == MARGINALS).all()
    assert problem.epsilon == 0 and world.problem().horizon is None
    for bad in (0, -1, 1.5, True, "long", float("nan"), float("inf")):
        with pytest.raises(ValueError, match="horizon"):
            world.problem(bad)


def test_families(command):
    listed = json.loads(subprocess.run([command, "families", "--format", "json"], check=True,
                                       capture_output=True).stdout)
    table = armature.families()
    assert [facts.name for facts in table] == [row["name"] for row in listed]
    for facts in table:
        assert facts.summary in repr(table)
        assert facts.text in armature.describe_family(facts.name)


def test_laws():
    assert RewardLaw.bernoulli(0.3).mean == 0.3
    assert RewardLaw.bernoulli(0.3) == RewardLaw.bernoulli(0.3) != RewardLaw.point(0.3)
    assert len({RewardLaw.point(0.5), RewardLaw.point(0.5), RewardLaw.point(1)}) == 2
    for bad in (lambda: RewardLaw.bernoulli(1.5), lambda: RewardLaw.point(float("nan")),
                lambda: RewardLaw.beta(0, 1), lambda: RewardLaw.table([0, 1], [0.5, 0.6]),
                lambda: RewardLaw.table([0, 1], [1.0]), lambda: RewardLaw.bernoulli("half")):
        with pytest.raises(ValueError):
            bad()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "thing",
    [
        Instance("hidden-arm"),
        Instance(marginals=MARGINALS, means=[0.2, 0.6]).problem(100),
        RewardLaw.bernoulli(0.3),
        RewardLaw.point(0.3),
        RewardLaw.beta(2, 6),
        RewardLaw.table([0, 0.5, 1], [0.25, 0.5, 0.25]),
        armature.Policy("ucb", actions=2).choose(3),
        armature.Policy("ucb", actions=2).choose(),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_pickles_of_every_protocol(thing, protocol):
    again = pickle.loads(pickle.dumps(thing, protocol=protocol))
    assert type(again) is type(thing) and repr(again) == repr(thing)
    if isinstance(thing, RewardLaw):
        assert again == thing
    if isinstance(thing, Instance):
        assert again.to_json() == thing.to_json()


def test_a_subclass_is_pickled_as_such():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(OwnWorld("hidden-arm"), protocol=protocol))
        assert type(again) is OwnWorld and again.actions == Instance("hidden-arm").actions


class OwnWorld(Instance):
    pass
