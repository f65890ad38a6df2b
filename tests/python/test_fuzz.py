"""10^5 random bad inputs: each is refused by a proper exception, and the policy is as it was."""

import random

import armature
import numpy as np
import pytest
from armature import Decision, Decisions, Instance, Policy, Problem, RewardLaw

REFUSALS = (ValueError, TypeError, IndexError)


class Liar:
    """Answers every question of Python with something unfit."""

    def __init__(self, random_numbers):
        self.answers = [random_numbers.choice(
            [None, "x", -1, 2**80, 1.5, float("nan"), [1], TypeError("a lie"), b"", ...])
            for _ in range(6)]

    def answer(self, which):
        answer = self.answers[which]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __index__(self):
        return self.answer(0)

    def __float__(self):
        return self.answer(1)

    def __len__(self):
        return self.answer(2)

    def __array__(self, dtype=None):
        return self.answer(3)

    def __repr__(self):
        return self.answer(4)

    def __fspath__(self):
        return self.answer(5)

    __iter__ = __getitem__ = None


SCALARS = [
    None, True, False, 0, 1, 2, 3, -1, 2**31, 2**32, 2**63, 2**64, -(2**70), 10**30, 0.0, 0.5, 1.0,
    -0.0, 1.5, float("nan"), float("inf"), -float("inf"), 1e308, 1e6, 5e-324, 1j, "", "z0", "a1", "Z0",
    "a\0", "\ud800", "é" * 300, "ucb", "ucb:scale=0.5", "{", "{}", b"", b"z0", bytearray(b"x"), object(),
    Ellipsis, NotImplemented, int, len, np.nan, np.bool_(True), np.int8(-3), np.uint64(2**64 - 1),
    np.float16(0.5), np.float32("nan"), np.longdouble(0.25), np.datetime64("2020-01-01"),
    np.str_("z1"), Decision(1, 0), Decision(3, 1), Decision(7, 9), Decision(0, 0), RewardLaw.point(0.5),
    range(3), slice(None), {}, {"id": 1}, set(), frozenset([1]), memoryview(b"ab"),
    np.ma.masked, np.ma.array([1, 0], mask=[False, True]),
] + [kind.__new__(kind) for kind in (Instance, Policy, Problem, RewardLaw, Decisions)]  # never made
TYPES = ["bool", "i1", "u1", "i4", ">i4", "u8", "i8", "f2", "f4", "f8", ">f8", "c16", "U3", "S3", "O", "M8[s]",
         "m8[s]", [("x", "i4")]]


def junk(draw, depth=0):
    """A random value: a scalar, a list of such, an array of any type and shape, a liar."""
    kind = draw.random()
    if kind < 0.5 or depth > 2:
        return draw.choice(SCALARS)
    if kind < 0.7:
        items = [junk(draw, depth + 1) for _ in range(draw.randrange(5))]
        return draw.choice([list, tuple])(items)
    if kind < 0.95:
        shape = tuple(draw.randrange(5) for _ in range(draw.choice([0, 1, 1, 1, 2, 3])))
        array = np.zeros(shape, dtype=draw.choice(TYPES))
        if array.dtype.kind in "iufc":
            array += np.array(draw.choice([0, 1, 2, 3])).astype(array.dtype)
        if array.dtype == object and array.size:
            array.ravel()[0] = draw.choice(SCALARS)
        return array[::-1] if array.ndim and draw.random() < 0.3 else array
    return Liar(draw)


def new_policy(draw):
    text = draw.choice(["ucb", "sentry", "ts", "c-ucb", "pe", "corral"])
    policy = Policy(text, marginals=[[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]], horizon=1000,
                    seed=draw.randrange(100))
    for t in range(6):
        policy.observe(policy.choose(), t % 2, t % 3 / 2)
    policy.forget(policy.choose())
    waiting = policy.choose(3)
    policy.observe(waiting[0], context=1)
    return policy


def fuzz_policy(draw, calls):
    """How many calls were refused, and how many accepted."""
    refused = accepted = 0
    for i in range(calls):
        if i % 100 == 0:
            policy = new_policy(draw)
            state = policy.state_dict()
        before = policy.digest
        a, b, c = (junk(draw) for _ in range(3))
        few = a if not isinstance(a, (int, float, np.number)) else draw.choice([-1, True, 1.5, 10**12, "n"])
        call = draw.choice([
            lambda: policy.observe(a, b, c), lambda: policy.observe(policy.outstanding[0], b, c),
            lambda: policy.observe(a, 0, 1.0), lambda: policy.observe(8, b, 1.0),
            lambda: policy.observe(8, 0, c), lambda: policy.observe([8, 9], b, c),
            lambda: policy.observe(np.array([8, 9]), [0, 1], c),
            lambda: policy.observe(policy.outstanding, b, c), lambda: policy.forget(a),
            lambda: policy.witness(a, b, c), lambda: policy.witness([0, 1], b, c),
            lambda: policy.choose(few), lambda: policy.action_index(a),
            lambda: policy.estimate_probabilities(few),
            lambda: policy.warm_start(a), lambda: policy.warm_start({"action": a, "context": b, "reward": c}),
            lambda: policy.load_state_dict(a), lambda: policy.load_state_dict({**state, "book": a}),
            lambda: policy.add_arm(a, b), lambda: policy.remove_arm(a),
            lambda: policy.extend(a, marginals=b), lambda: policy.tell(a, context=b),
        ])
        try:
            call()
            accepted += 1
        except REFUSALS:
            refused += 1
            assert policy.digest == before
    return refused, accepted


@pytest.mark.parametrize("seed", range(8))
def test_policies_stand_bad_inputs(seed):
    refused, accepted = fuzz_policy(random.Random(seed), 10_000)
    assert refused > 8_000 and accepted > 10


def test_constructors_stand_bad_inputs():
    draw = random.Random(21)
    refused = 0
    for _ in range(20_000):
        a, b, c, d = (junk(draw) for _ in range(4))
        few = [value for value in (a, b) if not isinstance(value, (int, np.integer)) or value < 100]
        sizes = few[0] if few else 3
        call = draw.choice([
            lambda: Problem(sizes, 2, c, d), lambda: Problem(3, 2, marginals=c), lambda: Problem(2, 2, None, d, c),
            lambda: Problem.from_json(a), lambda: Problem.read(a), lambda: Instance(a),
            lambda: Instance(marginals=b, means=c), lambda: Instance(marginals=[[0.5, 0.5]], means=c),
            lambda: Instance(marginals=[[0.5, 0.5]], laws=c), lambda: Instance.from_json(a),
            lambda: Instance("hidden-arm", seed=b, replication=c),
            lambda: Instance("hidden-arm").sample(a, sizes), lambda: Instance("hidden-arm").problem(a),
            lambda: Policy(a, actions=2), lambda: Policy("ucb", actions=sizes, contexts=2),
            lambda: Policy("ucb", actions=2, seed=b), lambda: Policy("ucb", actions=2, scale=c),
            lambda: Policy("c-ucb", marginals=c, epsilon=d), lambda: Decision(a, b, c, d),
            lambda: RewardLaw.bernoulli(a), lambda: RewardLaw.beta(a, b), lambda: RewardLaw.table(b, c),
            lambda: Policy("ucb", actions=2).choose(3)[a], lambda: armature.describe(a),
            lambda: Policy.from_state_dict(a),
        ])
        try:
            call()
        except REFUSALS + (OSError,):
            refused += 1
    assert refused > 15_000


def test_a_value_that_calls_back():
    """What Python runs while its values are looked at may do anything to the policy."""
    policy = Policy("ucb", actions=3, contexts=2)
    state = policy.state_dict()

    class Meddler:
        def __index__(self):
            policy.choose(100)
            policy.load_state_dict(state)
            policy.choose(2)
            return 1

        def __float__(self):
            policy.load_state_dict(state)
            policy.choose()
            return 0.5

        def __repr__(self):
            policy.load_state_dict(state)
            return "Meddler()"

    for _ in range(100):
        policy.observe(Meddler(), Meddler(), Meddler())
        with pytest.raises(ValueError, match="Meddler"):
            policy.observe([1], [Meddler()], [[Meddler()]])
        with pytest.raises(ValueError):
            policy.witness([Meddler(), "x"], [0, 1], [0.5, 0.5])
    policy.load_state_dict(state)
    assert policy.choose().id == 1
