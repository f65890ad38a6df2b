"""Causal graphs from Python: the command's answers, and networkx in and out."""

import copy
import doctest
import json
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import armature
import armature.graphs

GRAPHS = pathlib.Path(__file__).parents[2] / "examples" / "graphs"


def answer_of(command, *arguments):
    done = subprocess.run([command, "graph", *arguments, "--format", "json"], capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_docstrings():
    assert doctest.testmod(armature.graphs).failed == 0


@pytest.mark.parametrize("file, action, context, reward", [
    ("asia.bif", "smoke", ["lung", "bronc"], "dysp=yes"),
    ("asia.bif", "smoke", ["lung"], "dysp=yes"),
    ("front-door.dag", None, ["tar"], None),
    ("m-bias.dag", None, [], None),
])
def test_verdict_as_the_command(command, file, action, context, reward):
    path = str(GRAPHS / file)
    options = [path] + (["-a", action] if action else []) + (["-c", ",".join(context)] if context else [])
    told = answer_of(command, "check", *options, *(["-r", reward] if reward else []))
    verdict = armature.Graph.read(path).verdict(action, context, reward)
    assert verdict.to_dict() == told
    assert bool(verdict) == told["benign"] and verdict.words() == told["words"]


def test_separation_as_the_command(command):
    graph = armature.Graph.read(GRAPHS / "asia.bif")
    for given in ([], ["either"], ["xray"], ["lung", "bronc"]):
        told = answer_of(command, "dsep", str(GRAPHS / "asia.bif"), "--from", "smoke,asia", "--to", "xray",
                         *(["--given", ",".join(given)] if given and "xray" not in given else []))
        if "xray" in given:
            with pytest.raises(ValueError, match="xray"):
                graph.separation(["smoke", "asia"], "xray", given)
        else:
            assert graph.separation(["smoke", "asia"], "xray", given).to_dict() == told


def test_separators_as_the_command(command):
    path = str(GRAPHS / "asia.bif")
    told = answer_of(command, "separators", path, "-a", "smoke", "-r", "dysp", "--avoid", "either", "--most", "2")
    found = armature.Graph.read(path).separators("smoke", "dysp", avoid="either", most=2)
    assert found.to_dict() == told and len(found) == len(told["separators"])


def test_marginals_as_the_command(command):
    path = str(GRAPHS / "asia.bif")
    told = answer_of(command, "marginals", path, "-a", "smoke,asia", "-c", "either,bronc", "-r", "dysp=yes", "--empty")
    numbers = armature.Graph.read(path).marginals(["smoke", "asia"], ["either", "bronc"], "dysp=yes", empty=True)
    assert numbers.to_dict() == told
    assert numbers.marginals.shape == (5, 4)
    assert np.allclose(numbers.marginals.sum(axis=1), 1)
    assert list(numbers.to_pandas().index) == numbers.action_names


def test_the_instance_is_the_graph(command):
    graph = armature.Graph.read(GRAPHS / "asia.bif")
    told = subprocess.run([command, "graph", "instance", str(GRAPHS / "asia.bif"), "-a", "smoke", "-c", "lung,bronc",
                           "-r", "dysp=yes"], capture_output=True, text=True, check=True).stdout
    assert graph.instance("smoke", ["lung", "bronc"], "dysp=yes").to_json() == told
    numbers = graph.marginals("smoke", ["lung", "bronc"], "dysp=yes")
    instance = graph.instance("smoke", ["lung", "bronc"], "dysp=yes")
    assert np.array_equal(instance.marginals, numbers.marginals)
    assert np.array_equal(instance.means, numbers.mean_reward)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_copies_and_pickles_are_the_graph(again):
    asia = armature.Graph.read(GRAPHS / "asia.bif")
    question = ("smoke", ["lung", "bronc"], "dysp=yes")
    assert again(asia).to_bif() == asia.to_bif()
    assert again(asia).instance(*question).to_json() == asia.instance(*question).to_json()
    drawn = armature.Graph.parse("dag { x [exposure] u [latent] y [outcome] x -> z -> y  x <-> y  u -> z }")
    assert again(drawn).to_dagitty() == drawn.to_dagitty()
    assert again(drawn).verdict(context="z").to_dict() == drawn.verdict(context="z").to_dict()


def test_networkx_and_back():
    networkx = pytest.importorskip("networkx")
    graph = armature.Graph.read(GRAPHS / "asia.bif")
    again = armature.Graph.from_networkx(graph.to_networkx())
    assert again.nodes == graph.nodes and sorted(again.arrows) == sorted(graph.arrows)
    assert again.has_tables
    question = ("smoke", ["lung", "bronc"], "dysp=yes")
    assert again.marginals(*question).to_dict() == graph.marginals(*question).to_dict()
    with pytest.raises(ValueError, match="DiGraph"):
        armature.Graph.from_networkx(networkx.Graph([(1, 2)]))
    with pytest.raises(ValueError, match="cycle"):
        armature.Graph.from_networkx(networkx.DiGraph([(1, 2), (2, 1)]))


def test_hidden_causes_survive_networkx():
    graph = armature.Graph.parse("dag { x -> z -> y  x <-> y }")
    again = armature.Graph.from_networkx(graph.to_networkx())
    assert bool(again.separation("x", "y", "z")) is bool(graph.separation("x", "y", "z")) is False
    assert len(again.latent) == 1


def test_texts_read_back():
    graph = armature.Graph.read(GRAPHS / "asia.bif")
    assert armature.Graph.parse(graph.to_bif()).to_bif() == graph.to_bif()
    again = armature.Graph.parse(graph.to_dagitty(), graph.to_tables())
    assert again.has_tables and np.array_equal(again.table("dysp"), graph.table("dysp"))
    assert armature.Graph.parse(graph.to_dot()).nodes == graph.nodes
    assert graph.svg("smoke", ["lung"], "dysp").startswith("<svg")


@pytest.mark.parametrize("ask, says", [
    (lambda g: g.separation("smok", "xray"), "smoke"),
    (lambda g: g.separation([], "xray"), "at least one node"),
    (lambda g: g.separation("smoke", ["xray", "smoke"]), "'smoke' in the first and in the second set"),
    (lambda g: g.separation("smoke", "xray", "smoke"), "in the first set and among the given"),
    (lambda g: g.verdict("smoke", "dysp", "dysp"), "dysp"),
    (lambda g: g.verdict(context="lung", reward="dysp"), "action: got nothing"),
    (lambda g: g.marginals("smoke", "lung", "dysp=maybe"), "maybe"),
    (lambda g: g.separators("smoke", "dysp", most=-1), "most"),
    (lambda g: g.separators("smoke", "dysp", under="water"), "water"),
    (lambda g: g.parents("nobody"), "nobody"),
    (lambda g: armature.Graph.parse("digraph {"), "text"),
    (lambda g: armature.Graph.read("nowhere.bif"), "nowhere.bif"),
])
def test_mistakes_are_named(ask, says):
    with pytest.raises(ValueError) as error:
        ask(armature.Graph.read(GRAPHS / "asia.bif"))
    assert says in str(error.value)
    assert "--" not in str(error.value)
