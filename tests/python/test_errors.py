"""Every mistake has its exception, says what was found and what was expected, and changes nothing."""

import inspect
import pickle

import armature
import numpy as np
import pytest
from armature import Decision, Policy, _engine


@pytest.fixture
def policy(marginals):
    policy = Policy("sentry", marginals=marginals, horizon=100)
    policy.observe(policy.choose(), 0, 1.0)  # 1 is observed
    policy.forget(policy.choose())  # 2 is forgotten
    policy.choose(3)  # 3, 4 and 5 are outstanding…
    policy.observe(5, context=1)  # …and 5 is half told
    return policy


NAN = float("nan")
MISTAKES = [
    (armature.UnknownDecision, (9, 0, 1.0), "9, an unknown decision"),
    (armature.UnknownDecision, (0, 0, 1.0), "0, an unknown decision"),
    (armature.UnknownDecision, (-1, 0, 1.0), "-1"),
    (armature.UnknownDecision, (2**70, 0, 1.0), "a Decision or its id"),
    (armature.UnknownDecision, (True, 0, 1.0), "True"),
    (armature.UnknownDecision, ("3", 0, 1.0), "'3'"),
    (armature.UnknownDecision, (None, 0, 1.0), "None"),
    (armature.UnknownDecision, (3.0, 0, 1.0), "3.0"),
    (armature.RepeatedOutcome, (1, 0, 1.0), "already has its outcome"),
    (armature.RepeatedOutcome, (5, 1, None), "of which this is known"),
    (armature.OutcomeConflict, (1, 0, 0.5), "already has its outcome"),
    (armature.OutcomeConflict, (5, 0, 0.5), "already has its context"),
    (armature.ForgottenDecision, (2, 0, 1.0), "was forgotten"),
    (armature.WrongArm, (Decision(3, 99), 0, 1.0), "action 99"),
    (armature.UnknownContext, (3, 3, 1.0), "a context from 0 to 2"),
    (armature.UnknownContext, (3, -1, 1.0), "-1"),
    (armature.UnknownContext, (3, 2**80, 1.0), "from 0 to 2"),
    (armature.UnknownContext, (3, "Z1", 1.0), "did you mean 'z1'"),
    (armature.UnknownContext, (3, "\ud800", 1.0), "context"),
    (armature.UnknownContext, (3, 1.0, 1.0), "1.0"),
    (armature.UnknownContext, (3, True, 1.0), "True"),
    (armature.UnknownContext, (3, None, None), "neither context nor reward"),
    (armature.InvalidReward, (3, 0, 1.5), "1.5"),
    (armature.InvalidReward, (3, 0, -0.1), "-0.1"),
    (armature.InvalidReward, (3, 0, NAN), "nan"),
    (armature.InvalidReward, (3, 0, float("inf")), "inf"),
    (armature.InvalidReward, (3, 0, "1"), "'1'"),
    (armature.InvalidReward, (3, 0, 1j), "1j"),
    (armature.InvalidReward, (3, 0, 10**400), r"\[0,1\]"),
    (ValueError, ([3, 4], [0, 1], [1.0, NAN]), "nan"),
    (ValueError, ([3, 4], [0, 1], [1.0]), "1 of them, expected 2"),
    (ValueError, ([3, 4], [0], [1.0, 1.0]), "1 of them, expected 2"),
    (ValueError, ([3, 4], 0, [1.0, 1.0]), "one per decision"),
    (ValueError, ([3, 4], [0, 1], 1.0), "one per decision"),
    (ValueError, ([3, 4], np.array([0.0, 1.0]), [1.0, 1.0]), "array of float64 with shape 2"),
    (ValueError, ([3, 4], [0, 1], np.ones((2, 1))), "shape 2×1"),
    (ValueError, ([3, 4], np.array([[0, 1]]), [1.0, 1.0]), "shape 1×2"),
    (ValueError, ([3, 4], np.array([True, False]), [1.0, 1.0]), "array of bool"),
    (ValueError, ([3, 4], [0, 1], ["a", "b"]), "<U1"),
    (ValueError, (np.array([3.0, 4.0]), [0, 1], [1.0, 1.0]), "float64"),
    (armature.UnknownDecision, (np.array([3, -4]), [0, 1], [1.0, 1.0]), "-4"),
    (armature.UnknownDecision, ([3, 9], [0, 1], [1.0, 1.0]), "9"),
    (armature.RepeatedOutcome, ([3, 3], [0, 1], [1.0, 1.0]), "twice"),
    (armature.UnknownContext, ([3, 4], [0, 7], [1.0, 1.0]), "7"),
    (armature.UnknownContext, ([3, 4], np.array([0, -7]), [1.0, 1.0]), "from 0 to 2"),
    (armature.UnknownContext, ([3, 4], ["z0", "y"], [1.0, 1.0]), "'y'"),
]


@pytest.mark.parametrize("kind, arguments, says", MISTAKES)
def test_mistakes_change_nothing(policy, kind, arguments, says):
    before = policy.digest
    with pytest.raises(kind, match=says) as caught:
        policy.observe(*arguments)
    assert isinstance(caught.value, ValueError)
    assert policy.digest == before
    policy.observe(3, 0, 1.0)  # and it goes on


def test_closed_long_ago(policy):
    for _ in range(1100):
        policy.observe(policy.choose(), 0, 1.0)
    with pytest.raises(armature.ClosedDecision):
        policy.observe(1, 0, 1.0)


def test_forgetting(policy):
    before = policy.digest
    for kind, what in ((armature.UnknownDecision, 9), (armature.RepeatedOutcome, 2),
                       (armature.OutcomeConflict, 1), (armature.UnknownDecision, "x"),
                       (armature.RepeatedOutcome, [3, 4, 3]), (armature.UnknownDecision, [3, 9]),
                       (armature.WrongArm, Decision(3, 99))):
        with pytest.raises(kind):
            policy.forget(what)
        assert policy.digest == before


def test_witnessing(policy):
    before = policy.digest
    for arguments in ((4, 0, 1.0), ("b", 0, 1.0), (0, 3, 1.0), (0, 0, 2.0), (None, 0, 1.0),
                      ([0, 1], [0, 1], [1.0, 2.0]), ([0, 1], [0, 1], None), ([0, 1], None, [1, 1]),
                      ([0, 1], [0], [1, 1])):
        with pytest.raises(ValueError):
            policy.witness(*arguments)
        assert policy.digest == before


def test_choosing(policy):
    before = policy.digest
    for count in (-1, 1.5, True, "many", float("nan"), 10**7 + 1, 10**12, [3]):
        with pytest.raises(ValueError, match="n: got"):
            policy.choose(count)
        assert policy.digest == before
    assert len(policy.choose(0)) == 0 and policy.digest == before
    assert len(policy.choose(1e2)) == 100


def test_calls_that_are_none(policy):
    before = policy.digest
    for call in (lambda: policy.choose(1, 2), lambda: policy.choose(m=1), lambda: policy.observe(),
                 lambda: policy.observe(3, 0, 1.0, 4), lambda: policy.observe(3, 0, contxt=1),
                 lambda: policy.observe(3, decision=3), lambda: Policy(), lambda: Decision(),
                 lambda: Policy.__new__(Policy).choose()):
        with pytest.raises(TypeError):
            call()
        assert policy.digest == before


def test_what_is_no_policy(marginals):
    for arguments, keywords, says in (
        (("ucbb",), dict(actions=2), "did you mean 'ucb'"),
        (("ucb",), {}, "actions"),
        (("ucb",), dict(actions=0), "actions"),
        (("ucb",), dict(actions=-3), "-3"),
        (("ucb",), dict(actions=True), "True"),
        (("ucb",), dict(actions=2.5), "2.5"),
        (("ucb",), dict(actions=10**30), "actions"),
        (("ucb",), dict(actions="two"), "two"),
        (("ucb",), dict(actions=["a", "a"]), "a"),
        (("ucb",), dict(actions=["a", 1]), "1"),
        (("ucb",), dict(actions=2, contexts=0), "contexts"),
        (("ucb",), dict(actions=2, horizon=0), "horizon"),
        (("ucb",), dict(actions=2, horizon=NAN), "horizon"),
        (("ucb",), dict(actions=2, horizon=True), "horizon"),
        (("ucb",), dict(actions=2, seed=-1), "seed"),
        (("ucb",), dict(actions=2, seed=1.0), "seed"),
        (("ucb",), dict(actions=2, seed=2**64), "seed"),
        (("c-ucb",), dict(actions=2), "marginals"),
        (("pe",), dict(marginals=marginals), "horizon"),
        (("c-ucb",), dict(actions=3, marginals=marginals), "marginals"),
        (("c-ucb",), dict(marginals=marginals, epsilon=NAN), "epsilon"),
        (("c-ucb",), dict(marginals=marginals, epsilon="much"), "epsilon"),
        (("c-ucb",), dict(marginals=marginals * NAN), "marginals"),
        ((7,), dict(actions=2), "7"),
    ):
        with pytest.raises(ValueError, match=says):
            Policy(*arguments, **keywords)


def test_errors_carry_their_parts(policy):
    with pytest.raises(armature.DecisionError) as caught:
        policy.observe(3, 0, 1.5)
    error = caught.value
    assert isinstance(error, armature.InvalidReward) and isinstance(error, armature.Error)
    assert (error.field, error.value, error.expected) == ("reward", "1.5", "a number in [0,1]")
    assert str(error) == "reward: got 1.5, expected a number in [0,1]"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is armature.InvalidReward and str(again) == str(error)


def test_every_exception_is_exported():
    names = [name for name in armature.errors.__all__]
    assert len(names) == 12
    for name in names:
        assert issubclass(getattr(armature, name), ValueError) and name in armature.__all__
        assert getattr(armature, name).__doc__


BOUND = [thing for thing in vars(_engine).values() if type(thing).__name__ == "pybind11_type"]


@pytest.mark.parametrize("kind", BOUND, ids=lambda kind: kind.__name__)
def test_objects_that_were_never_made(kind):
    """They are good for nothing, and the process lives on."""
    unmade = kind.__new__(kind)
    calls = [repr, len, iter, lambda it: it[0], lambda it: it.__reduce__(), pickle.dumps]
    for name in set(dir(kind)) - set(dir(object)):
        if isinstance(inspect.getattr_static(kind, name), property):
            with pytest.raises(TypeError, match="was not called"):
                getattr(unmade, name)
        elif callable(getattr(kind, name)):
            calls += [lambda it, name=name, n=n: getattr(it, name)(*[0] * n) for n in range(4)]
    for call in calls:
        try:
            call(unmade)
        except (TypeError, ValueError):
            pass
