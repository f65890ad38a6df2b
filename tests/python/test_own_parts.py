"""Policies and environments written in Python, and our worlds for agents of others."""

import copy
import functools
import gc
import pickle
import weakref

import numpy as np
import pytest

import armature
from armature import _engine

WORLD = "pareto-benign:actions=5,gap=0.1"


class RoundRobin:
    def __init__(self, problem):
        self.actions, self.next = problem.actions, -1

    def choose(self):
        self.next = (self.next + 1) % self.actions
        return self.next

    def observe(self, arm, context, reward):
        assert arm == self.next


class Coin:
    """Two actions, two contexts, of which the second comes with rewards."""

    actions, contexts, means = 2, ["none", "some"], [0.2, 0.6]

    def __init__(self, random):
        self.random = random

    def play(self, arm):
        reward = float(self.random.random() < self.means[arm])
        return int(reward), reward


def test_a_policy_beside_ours_meets_the_same_luck():
    result = armature.simulate(
        WORLD, {"mine": RoundRobin, "ours": "round-robin"}, 1000, 4, progress=False
    )
    assert (result.regret("mine") == result.regret("ours")).all()
    assert result.differences()[0]["same_luck"]
    assert "python:policy=mine" in result.to_json()


def test_the_outcomes_are_the_engines():
    seen = []

    class Noting(RoundRobin):
        def observe(self, arm, context, reward):
            seen.append((arm, context, reward))

    armature.simulate(WORLD, Noting, 300, 2, seed=7, progress=False)
    world = armature.Environment(WORLD, seed=7, horizon=300)
    expected = []
    for _ in range(2):
        world.reset()
        for t in range(300):
            context, reward, *_ = world.step(t % 5)
            expected.append((t % 5, context, reward))
    assert seen == expected


def test_our_worlds_as_an_environment_of_ones_own():
    # The engine's own outcomes by way of Python: then regrets are the engine's too.
    class Wrapped:
        def __init__(self):
            self.world = armature.Environment(WORLD, seed=3, horizon=500)
            self.world.reset()
            self.actions, self.contexts = self.world.actions, self.world.contexts
            self.means = 0.5 - self.world._gaps
            self.marginals = self.world.marginals

        def play(self, arm):
            context, reward, *_ = self.world.step(arm)
            return context, reward

    policies = ["sentry", "ucb", "oracle"]
    own = armature.simulate(Wrapped, policies, 500, 1, seed=3, progress=False)
    ours = armature.simulate(WORLD, policies, 500, 1, seed=3, progress=False)
    for policy in policies:
        assert own.regret(policy) == pytest.approx(ours.regret(policy), abs=1e-9)
    assert own.regret("oracle")[0, -1] == 0
    assert np.isnan(own.bound("ucb")).all()  # theorems are about worlds we know


def test_both_parts_of_ones_own():
    class Second:
        def choose(self):
            return 1

        def observe(self, arm, context, reward):
            assert context == reward

    result = armature.simulate(Coin, [Second, "fixed:arm=0"], 200, 3, progress=False)
    assert (result.final_regret("Second") == 0).all()
    assert result.final_regret("fixed:arm=0") == pytest.approx([80] * 3)
    assert result.instance == "Coin.json"
    made = armature.simulate(lambda random: Coin(random), Second, 200, 3, progress=False)
    assert made.final_regret("Second").tolist() == [0, 0, 0]


def test_what_choose_answers_comes_back():
    class Ticket:
        def __init__(self, arm, number):
            self.arm, self.number = arm, number

    class Ticketed:
        made, seen, lost = 0, [], []

        def choose(self):
            self.made += 1
            return Ticket(np.int64(self.made % 3), self.made)

        def observe(self, ticket, context, reward):
            self.seen.append(ticket.number)

        def forget(self, ticket):
            self.lost.append(ticket.number)

    armature.simulate("hidden-arm:actions=3", Ticketed, 100, 1, delay=4, loss=0.3, progress=False)
    assert 10 < len(Ticketed.lost) < 50  # 96 × 0.3; 1e-6 on either side
    # All but the last four came or were lost, each once.
    assert sorted(Ticketed.seen + Ticketed.lost) == list(range(1, 97))


def test_how_parts_are_made():
    offered = []

    def nothing():
        offered.append(())
        return RoundRobin(armature.KnownProblem(["a"], ["z"], None, None, None))

    def problem_alone(problem):
        offered.append((problem.actions, problem.contexts, problem.horizon))
        assert problem.marginals.shape == (problem.actions, problem.contexts)
        return RoundRobin(problem)

    def both(problem, random):
        offered.append(random.random())
        return RoundRobin(problem)

    for make in (nothing, problem_alone, both, functools.partial(both)):
        armature.simulate("hidden-arm:actions=4,contexts=3", make, 10, 2, progress=False)
    assert offered[:4] == [(), (), (4, 3, 10), (4, 3, 10)]
    assert offered[4:6] == offered[6:]  # the same luck in every run…
    assert offered[4] != offered[5]  # …and another in every replication


def test_parts_are_told_by_name():
    told = []

    def turned(random, problem):
        told.append((type(random).__name__, type(problem).__name__))
        return RoundRobin(problem)

    def renamed(p, rng):
        return turned(rng, p)

    def with_default(scale=0.5, random=None, *, problem):
        assert scale == 0.5
        return turned(random, problem)

    def fixed(problem, random):
        assert random == "mine"
        return turned(np.random.default_rng(1), problem)

    def many(*both):
        return renamed(*both)

    makers = (turned, renamed, with_default, functools.partial(fixed, random="mine"), many)
    for make in makers:
        armature.simulate(WORLD, make, 10, 1, progress=False)
    assert told == [("Generator", "KnownProblem")] * len(makers)

    class Biased(Coin):
        def __init__(self, bias=0.25, *, random):
            super().__init__(random)
            assert bias == 0.25

    armature.simulate(Biased, "ucb", 10, 1, progress=False)
    armature.simulate(type("Fair", (Coin,), {"__init__": lambda self, p=1: None,
                                             "play": lambda self, arm: (0, 0.5)}),
                      "ucb", 10, 1, progress=False)


def test_a_policy_of_ours_is_a_part_too():
    told = armature.Environment(WORLD).marginals
    ours = armature.Policy("round-robin", marginals=told)  # has `diagnostics`, which is no method
    result = armature.simulate(WORLD, {"own": ours, "ours": "round-robin"}, 50, 2, progress=False)
    assert (result.regret("own") == result.regret("ours")).all() and ours.round == 0


def test_an_object_is_copied_for_every_replication():
    class Counting:
        def __init__(self):
            self.rounds = 0

        def choose(self):
            return 0

        def observe(self, arm, context, reward):
            self.rounds += 1

        def diagnostics(self):
            return {"rounds": self.rounds, "mood": "good"}

    policy = Counting()
    result = armature.simulate("hidden-arm", policy, 50, 3, progress=False)
    assert policy.rounds == 0
    told = result.diagnostics("Counting")
    assert told["rounds"] == {"mean": 50.0, "replications": 3}
    assert told["mood"]["counts"] == {"good": 3}


def test_a_log_notes_probabilities():
    pytest.importorskip("pandas")

    class Tossing:
        def __init__(self, problem, random):
            self.random = random

        def choose(self):
            return int(self.random.random() < 0.75)

        def probabilities(self):
            return [0.25, 0.75]

        def observe(self, arm, context, reward):
            pass

    log = armature.simulate(Coin, Tossing, 100, 2, log=True, progress=False).log()
    assert len(log) == 200 and set(log.context) == {"none", "some"}
    assert (log.propensity == log.action.map({"a0": 0.25, "a1": 0.75}).astype(float)).all()
    assert ((log.context == "some") == (log.reward == 1)).all()
    Tossing.probabilities = lambda self: [1.0]
    with pytest.raises(ValueError, match=r"Tossing.probabilities\(\).*1 numbers.*2"):
        armature.simulate(Coin, Tossing, 100, 2, log=True, progress=False)


def test_parts_are_let_go():
    made = []

    class Kept(RoundRobin):
        def __init__(self, problem):
            super().__init__(problem)
            made.append(weakref.ref(self))

        def observe(self, arm, context, reward):
            pass

    class World(Coin):
        def __init__(self, random):
            super().__init__(random)
            made.append(weakref.ref(self))

    result = armature.simulate(World, [Kept, "ucb"], 50, 3, delay=5, progress=False)
    assert result.complete and len(made) == 3 + 1 + 6  # one world for its sizes, one for each run
    gc.collect()
    assert all(part() is None for part in made)


def answering(arm):
    class Stubborn:
        def choose(self):
            return arm

        def observe(self, *_):
            pass

    return Stubborn


class Unreadable:
    """Every way to read it fails."""

    def fail(self, *_):
        raise KeyError("not mine")

    __index__ = __float__ = __repr__ = __len__ = __getitem__ = fail


@pytest.mark.parametrize(
    "arm",
    [5, -1, 2**70, -(2**70), True, np.bool_(True), 1.0, None, "0", [0], np.array([1]),
     np.array([1, 2]), np.array(1.0), np.array(True), Unreadable(), float("nan")],
    ids=lambda arm: type(arm).__name__,
)
def test_arms_that_are_none(arm):
    with pytest.raises(ValueError, match=r"Stubborn.choose\(\).*an arm from 0 to 4"):
        armature.simulate(WORLD, answering(arm), 10, 1, progress=False)


@pytest.mark.parametrize(
    "answer, words",
    [
        ((2, 0.5), "a context from 0 to 1"),
        ((-1, 0.5), "a context"),
        ((0, 1.5), r"a reward in \[0,1\]"),
        ((0, float("nan")), "a reward"),
        ((0, "1"), "a reward"),
        ((np.bool_(False), 1.0), "a context"),
        ((np.array([0]), 1.0), "a context"),
        ((Unreadable(), 1.0), "a context"),
        ((0, Unreadable()), "a reward"),
        ((0, np.array([0.5, 0.5])), "a reward"),
        ((0,), "a pair"),
        (0.5, "a pair"),
        (None, "a pair"),
    ],
)
def test_outcomes_that_are_none(answer, words):
    class Broken(Coin):
        def play(self, arm):
            return answer

    with pytest.raises(ValueError, match=rf"Broken.play\(\).*{words}"):
        armature.simulate(Broken, "ucb", 10, 1, progress=False)


def test_exceptions_of_parts_are_the_callers():
    class Failing(RoundRobin):
        def observe(self, arm, context, reward):
            raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        armature.simulate(WORLD, ["ucb", Failing], 10, 2, progress=False)


@pytest.mark.parametrize("wish", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("where", ["observe", "choose", "index"])
def test_who_wants_out_gets_out(wish, where):
    class Index:
        def __index__(self):
            raise wish("out")

    class Leaving(RoundRobin):
        def choose(self):
            if where == "choose":
                raise wish("out")
            return Index() if where == "index" else 0

        def observe(self, arm, context, reward):
            raise wish("out")

    with pytest.raises(wish, match="out"):
        armature.simulate(WORLD, ["ucb", Leaving], 10, 2, progress=False)


def test_random_answers_are_refused_or_played():
    # 400 of each kind; whatever comes back is a number or an Error, never anything else.
    random = np.random.default_rng(1)
    kinds = [
        lambda: int(random.integers(-3, 9)), lambda: float(random.normal()), lambda: None,
        lambda: np.array(random.integers(0, 4, random.integers(0, 3))), lambda: Unreadable(),
        lambda: np.bool_(random.random() < 0.5), lambda: "a1", lambda: b"1", lambda: (0, 0.5),
        lambda: np.float32(0.5), lambda: np.int8(1), lambda: 2**80, lambda: {}, lambda: object(),
        lambda: [0, 1.0], lambda: np.array([0, 1]), lambda: slice(1), lambda: 1j,
    ]

    def some():
        return kinds[random.integers(len(kinds))]()

    class Wild(Coin):
        def play(self, arm):
            return some() if random.random() < 0.3 else (some(), some())

    class Agent:
        def choose(self):
            return some()

        def observe(self, *_):
            pass

        def probabilities(self):
            return some()

        def diagnostics(self):
            return some()

    world = armature.Environment("hidden-arm:actions=4", horizon=1000)
    world.reset()
    for _ in range(400):
        for run in (
            lambda: armature.simulate(WORLD, Agent, 1, 1, progress=False),
            lambda: armature.simulate(Wild, [Agent, "ucb"], 2, 1, log=True, progress=False),
            lambda: world.step(some()),
        ):
            try:
                run()
            except (armature.Error, KeyError):  # KeyError: a pair whose own items fail
                pass


@pytest.mark.parametrize(
    "told", [3, None, [("a", 1)], {"x": object()}, {"x": None}, {3: 1.0}, {"x": Unreadable()}],
    ids=lambda told: type(told).__name__,
)
def test_diagnostics_that_are_none(told):
    class Telling(RoundRobin):
        def diagnostics(self):
            return told

    with pytest.raises(armature.Error, match=r"Telling.diagnostics\(\): got") as caught:
        armature.simulate(WORLD, Telling, 10, 1, progress=False)
    assert "C++" not in str(caught.value)


@pytest.mark.parametrize(
    "told", [3, None, ["a"], "ab", [0.5, 1.5], [-0.5, 0.5], [float("nan"), 1], [0.5], Unreadable()],
    ids=lambda told: str(type(told)),
)
def test_probabilities_that_are_none(told):
    class Telling:
        def choose(self):
            return 0

        def observe(self, *_):
            pass

        def probabilities(self):
            return told

    with pytest.raises(armature.Error, match=r"Telling.probabilities\(\)") as caught:
        armature.simulate(Coin, Telling, 10, 1, log=True, progress=False)
    assert "C++" not in str(caught.value)


def test_an_arm_that_begins_another_episode_while_it_is_read():
    world = armature.Environment("hidden-arm:actions=4", horizon=10)
    world.reset()

    class Sly:
        def __index__(self):
            world._world.begin(5)
            return 1

        __int__ = __index__

    assert world._world.play(Sly())[1] in (0, 1)


def test_an_object_without_init_says_so():
    for kind in (_engine.PlayedWorld, _engine.Finished, _engine.StudyResult, _engine.Stop):
        bare = kind.__new__(kind)
        for name in dir(kind):
            if name.startswith("__"):
                continue
            for arguments in ((), (0,), ("log-log", True)):
                with pytest.raises(TypeError):
                    getattr(bare, name)(*arguments)


@pytest.mark.parametrize(
    "instance, policy, options, words",
    [
        (WORLD, object(), {}, "choose"),
        (WORLD, lambda: 3, {}, "choose"),
        (WORLD, RoundRobin, {"engine": "leap"}, "leap"),
        (type("Bare", (), {"play": lambda self, arm: (0, 0)}), "ucb", {}, "without actions"),
        (type("Off", (Coin,), {"means": [0.5]}), "ucb", {}, r"means.*\(1,\).*\(2,\)"),
        (type("Off", (Coin,), {"means": ["a", "b"]}), "ucb", {}, "means.*dtype|means.*array"),
        (type("Off", (Coin,), {"means": [0.5, 7]}), "ucb", {}, "7"),
        (type("Off", (Coin,), {"marginals": [[1.0]]}), "ucb", {}, r"marginals.*\(1, 1\).*\(2, 2\)"),
        (Coin, "c-ucb", {}, "marginals"),
    ],
)
def test_parts_that_do_not_fit(instance, policy, options, words):
    with pytest.raises(ValueError, match=words):
        armature.simulate(instance, policy, 10, 1, progress=False, **options)


def test_an_environment_has_episodes():
    world = armature.Environment("hidden-arm:actions=4,contexts=2", seed=5, horizon=20)
    assert (world.action_space.n, world.observation_space.n) == (4, 3)
    observation, info = world.reset()
    assert observation == 2 and observation in world.observation_space and info["regret"] == 0
    first = [world.step(t % 4) for t in range(20)]
    assert [truncated for *_, truncated, _ in first] == [False] * 19 + [True]
    assert not any(terminated for _, _, terminated, *_ in first)
    assert all(world.observation_space.contains(observation) for observation, *_ in first)
    with pytest.raises(RuntimeError, match="reset"):
        world.step(0)
    world.reset()
    second = [world.step(t % 4) for t in range(20)]
    assert [step[:2] for step in first] != [step[:2] for step in second]
    world.reset(seed=5)
    assert [world.step(t % 4) for t in range(20)] == first
    regret = armature.simulate(
        "hidden-arm:actions=4,contexts=2", RoundRobin, 20, 1, seed=5, progress=False
    ).final_regret("RoundRobin")
    assert first[-1][4]["regret"] == pytest.approx(regret[0])


@pytest.mark.parametrize(
    "action", [4, -1, 1.0, True, None, np.bool_(True), np.array([1]), Unreadable()],
    ids=lambda action: type(action).__name__,
)
def test_actions_that_are_none(action):
    world = armature.Environment("hidden-arm:actions=4", horizon=10)
    world.reset()
    assert not world.action_space.contains(action)
    with pytest.raises(ValueError, match="from 0 to 3"):
        world.step(action)
    assert world.step(np.int8(1))[4]["round"] == 1  # the refused one was no round


def test_before_the_first_reset():
    with pytest.raises(RuntimeError, match="reset"):
        armature.Environment("hidden-arm").step(0)


def test_an_environment_is_pickled_in_mid_episode():
    world = armature.Environment("random-benign:actions=4", seed=5, horizon=30)
    new = pickle.loads(pickle.dumps(world))
    world.reset(), new.reset()
    world.reset(), new.reset()
    for t in range(7):
        assert world.step(t % 4) == new.step(t % 4)
    for again in (pickle.loads(pickle.dumps(world)), copy.deepcopy(world)):
        fresh = copy.deepcopy(world)
        assert [again.step(t % 4) for t in range(23)] == [fresh.step(t % 4) for t in range(23)]
        again.reset(), fresh.reset()
        assert [again.step(0) for _ in range(30)] == [fresh.step(0) for _ in range(30)]
    whole = armature.Environment("random-benign:actions=4", seed=5, horizon=30)
    whole.reset(), whole.reset()
    steps = [whole.step(t % 4) for t in range(30)]
    assert [world.step(t % 4) for t in range(7, 30)] == steps[7:]
