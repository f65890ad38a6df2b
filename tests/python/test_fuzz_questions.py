"""Bad input to theory, graphs and logs: an exception that says what is wrong, never a crash, never another one."""

import math
import random

import numpy as np
import pytest

import armature

# What says what is wrong: ours are ValueErrors, Python's own of a wrong type or a missing key count too.
SAID = (ValueError, TypeError, KeyError, OSError, OverflowError)
STRANGE = [
    None, True, False, 0, 1, 2, -1, 3, 7, 10**6, 2**63, 2**64, -(2**70), 0.0, 0.5, -0.5, 1e6, 1e300, math.inf,
    -math.inf, math.nan, "", "a", "x", "action", "\ud800", "ä" * 300, "\x00", b"a", [], [1], ["a"], ["a", "b"], [None],
    {}, {"a": 1}, (), (0, 1), (1, 0), object(), np.int8(3), np.uint64(2**63), np.float32(0.25), np.bool_(True),
    np.array([]), np.eye(2), np.ones((2, 3)) / 3, np.array(["a", "b"]), np.array([None]), np.zeros((0, 2)), 1j,
    range(3), print,
]


def attempt(call, *arguments, **named):
    """True if it was answered, False if it was refused in words."""
    try:
        call(*arguments, **named)
    except SAID as error:
        assert str(error)
        return False
    return True


def some(chance, keys):
    return {key: chance.choice(STRANGE) for key in keys if chance.random() < 0.4}


def test_settings():
    chance = random.Random(1)
    answered = 0
    keys = ["delta", "rank", "gap", "epsilon", "r2", "delay", "instance", "seed"]
    for _ in range(4000):
        sizes = [chance.choice([2, 3, 20, chance.choice(STRANGE)]) for _ in range(3)]
        answered += attempt(armature.bounds, *sizes, **some(chance, keys if chance.random() < 0.5 else keys[:1]))
        points = chance.choice([2, chance.choice(STRANGE)])
        attempt(armature.frontier, *sizes, points=points, **some(chance, ["r1", "r2"]))
    assert answered > 50


def test_advice_is_refused_before_it_simulates():
    chance = random.Random(2)
    for _ in range(1000):
        named = some(chance, ["epsilon", "gap", "given", "leaning", "delay", "instance", "threads"])
        sizes = [chance.choice(STRANGE), chance.choice(STRANGE), chance.choice([0, -1, math.nan, "x", None])]
        attempt(armature.advise, *sizes, **named)


def test_matrices():
    chance = random.Random(3)
    for _ in range(1500):
        ends = [1e308, 1e-308, 5e-324, -1e308, 1.0, 0.0]  # of the range, where squares are infinite or nothing
        extreme = np.array([[chance.choice(ends) for _ in range(3)] for _ in range(chance.randrange(1, 5))])
        rows = chance.choice(STRANGE + [extreme] * 9 + [np.random.default_rng(chance.randrange(99)).random((4, 3)) for _ in range(9)])
        attempt(armature.design, rows, **some(chance, ["iterations", "tolerance", "horizon", "seed"]))


def test_objects_that_were_never_initialised():
    for kind in (armature.Problem, armature.Instance):
        empty = kind.__new__(kind)
        for ask in (lambda: armature.advise(horizon=100, given=empty), lambda: armature.bounds(horizon=100, instance=empty),
                    lambda: armature.design(empty), lambda: armature.audit({"action": [1]}, given=empty)):
            assert not attempt(ask)
    with pytest.raises(TypeError, match="__init__"):
        armature._engine.CausalGraph.__new__(armature._engine.CausalGraph).dot()
    with pytest.raises(AttributeError):
        armature.Graph.__new__(armature.Graph).nodes


def test_graph_texts():
    chance = random.Random(4)
    texts = ["dag { x -> z -> y  x <-> y }", "digraph { a -> b; b -> c [style=dashed] }",
             "network n {} variable a { type discrete [2] { yes, no }; } probability (a) { table 0.5, 0.5; }"]
    parsed = 0
    for _ in range(3000):
        text = list(chance.choice(texts))
        for _ in range(chance.randrange(4)):
            text[chance.randrange(len(text))] = chance.choice(list("{}[]();->< \"\\\n,ax0ä\x00"))
        parsed += attempt(armature.Graph.parse, "".join(text), chance.choice([None, None, "", "{}", "[1"]))
    assert parsed > 300
    for strange in STRANGE:
        attempt(armature.Graph.parse, strange)
        attempt(armature.Graph.read, strange)


def test_questions_to_graphs():
    chance = random.Random(5)
    graph = armature.Graph.parse("dag { x [exposure] z y [outcome] x -> z -> y x -> w }")
    asked = [graph.separation, graph.verdict, graph.separators, graph.marginals, graph.instance, graph.svg,
             graph.with_latent, graph.table, graph.parents]
    answered = 0
    for _ in range(4000):
        call = chance.choice(asked)
        pool = STRANGE + ["x", "y", "z", "w", ["x", "z"], ["w"]]
        arguments = [chance.choice(pool) for _ in range(chance.randrange(4))]
        answered += attempt(call, *arguments, **some(chance, ["empty", "single"] if chance.random() < 0.2 else []))
    assert answered > 50


def test_networks():
    networkx = pytest.importorskip("networkx")
    chance = random.Random(6)
    for _ in range(1000):
        graph = networkx.DiGraph()
        for name in chance.sample(["a", "b", "c", 1, ("t", 1), ""], 3):
            graph.add_node(name, **{key: value for key, value in
                                    some(chance, ["states", "table", "position", "latent", "exposure"]).items()
                                    if value is not None and not isinstance(value, np.ndarray) or key == "table"})
        names = list(graph)
        for _ in range(chance.randrange(4)):
            graph.add_edge(chance.choice(names), chance.choice(names))
        attempt(armature.Graph.from_networkx, graph)


def column(chance, length):
    kinds = [
        lambda: [chance.choice(["a", "b", "c"]) for _ in range(length)],
        lambda: [chance.choice([0, 1]) for _ in range(length)],
        lambda: [chance.random() for _ in range(length)],
        lambda: np.array([chance.choice([0.0, 1.0, math.nan, math.inf]) for _ in range(length)]),
        lambda: [chance.choice([None, "a", 1, 0.5, True, "", "ä", math.nan]) for _ in range(length)],
        lambda: np.array([chance.choice([True, False]) for _ in range(length)]),
        lambda: np.full(length, 2**63, np.uint64),
        lambda: np.array(["2020-01-01"] * length, "datetime64[D]"),
        lambda: chance.choice(STRANGE),
    ]
    return chance.choice(kinds[:2] if chance.random() < 0.6 else kinds)()


def test_logs():
    chance = random.Random(7)
    answered = 0
    keys = ["weight", "time", "decision", "bins", "edges", "scale", "given", "level", "violation", "horizon", "seed"]
    for _ in range(3000):
        length = chance.choice([0, 1, 2, 20, 40])
        names = ["action", "context", "reward", "propensity"][:chance.randrange(3, 5)]
        log = {name: column(chance, length) for name in names}
        options = some(chance, keys) if chance.random() < 0.3 else {}
        answered += attempt(armature.audit, log, advice=False, skip_bad=True, **options)
        if chance.random() < 0.3:
            policies = chance.choice(["ucb", ["ucb", "sentry"], chance.choice(STRANGE)])
            more = some(chance, ["always", "method", "level"])
            attempt(armature.replay, log, policies, uniform=True, skip_bad=True, **more)
    assert answered > 50
    for strange in STRANGE:
        attempt(armature.audit, strange, advice=False)
