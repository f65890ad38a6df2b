"""Ask and tell: decisions, outcomes in every form, saving, others' decisions, changed problems."""

import copy
import csv
import doctest
import inspect
import json
import pickle
import subprocess

import armature
import numpy as np
import pytest
from armature import Decision, Policy, Problem


def taught(marginals, rounds=50, text="sentry"):
    """A policy in the middle of its work, with decisions outstanding and half told."""
    policy = Policy(text, marginals=marginals, horizon=1000, seed=3)
    for t in range(rounds):
        policy.observe(policy.choose(), t % 3, (t % 5) / 4)
    waiting = policy.choose(3)
    policy.observe(waiting[0], context=1)
    policy.observe(waiting[2], reward=0.25)
    return policy


# --- Decisions


def test_a_decision_says_what_to_play(marginals):
    policy = Policy("ucb", actions=["mail", "call"], contexts=["ignored", "opened"])
    decision = policy.choose()
    assert (decision.id, decision.arm, decision.action, decision.propensity) == (1, 0, "mail", 1.0)
    number, arm = decision
    assert (number, arm) == (1, 0)
    assert decision == Decision(1, 0) != Decision(1, 1)
    assert decision in {Decision(1, 0)} and Decision(1, 1) < Decision(2, 0)
    assert pickle.loads(pickle.dumps(decision)).action == "mail"
    assert repr(decision) == "Decision(id=1, arm=0, propensity=1.0, action='mail')"


def test_propensities_are_those_of_the_draw(marginals):
    policy = Policy("epsilon-greedy", marginals=marginals, epsilon=0.4, seed=5)
    for _ in range(200):
        expected = policy.probabilities()
        decision = policy.choose()
        assert decision.propensity == expected[decision.arm]
        policy.observe(decision, 0, float(decision.arm == 1))
    assert Policy("ts", actions=2).choose().propensity is None
    assert Policy("ucb", actions=2, propensities=False).choose().propensity is None
    share, error = Policy("ts", actions=2).estimate_probabilities(400)
    assert share.sum() == pytest.approx(1) and error == 1 / 40


def test_many_at_once_are_what_one_by_one_are(marginals):
    one = Policy("c-ucb", marginals=marginals, seed=2)
    many = Policy("c-ucb", marginals=marginals, seed=2)
    contexts, rewards = np.arange(40) % 3, np.linspace(0, 1, 40)
    singles = [one.choose() for _ in range(40)]
    decisions = many.choose(40)
    assert list(decisions) == singles
    assert decisions.id.tolist() == list(range(1, 41))
    assert decisions.action == [d.action for d in singles]
    for decision, context, reward in zip(singles, contexts, rewards):
        one.observe(decision, context, reward)
    many.observe(decisions, contexts, rewards)
    assert one.digest == many.digest


def test_decisions_are_sliced_like_arrays(marginals):
    policy = Policy("ucb", marginals=marginals)
    decisions = policy.choose(6)
    assert len(decisions[1:4]) == 3 and decisions[1:4][0] == decisions[1] == list(decisions)[1]
    assert decisions[-1].id == 6
    assert decisions[np.array([0, 5])].id.tolist() == [1, 6]
    assert decisions[decisions.id > 4].id.tolist() == [5, 6]
    with pytest.raises(IndexError):
        decisions[6]
    policy.observe(decisions[::2], [0, 1, 2], [1.0, 0.0, 1.0])
    assert [d.id for d in policy.outstanding] == [2, 4, 6]
    policy.forget(decisions[1::2])
    assert policy.outstanding == [] and policy.outstanding_count == 0
    again = pickle.loads(pickle.dumps(decisions))
    assert list(again) == list(decisions)


@pytest.mark.parametrize("form", ["decision", "id", "numpy", "names", "keywords", "aliases"])
def test_every_way_to_tell_is_the_same(marginals, form):
    policy = Policy("sentry", marginals=marginals, horizon=100, seed=1)
    other = Policy("sentry", marginals=marginals, horizon=100, seed=1)
    for t in range(30):
        decision, same = policy.choose(), other.choose()
        context, reward = t % 3, t % 2
        policy.observe(decision, context, float(reward))
        if form == "decision":
            other.observe(same, context, bool(reward))
        elif form == "id":
            other.observe(same.id, context, reward)
        elif form == "numpy":
            other.observe(np.int64(same.id), np.uint8(context), np.float32(reward))
        elif form == "names":
            other.observe(same, f"z{context}", reward)
        elif form == "keywords":
            other.observe(reward=reward, context=context, decision=same)
        else:
            other.tell(same, context, reward)
    assert policy.digest == other.digest


@pytest.mark.parametrize(
    "contexts, rewards",
    [
        ([0, 1, 2], [1, 0, 1]),
        (["z0", "z1", "z2"], (1.0, 0.0, 1.0)),
        (np.array(["z0", "z1", "z2"]), np.array([True, False, True])),
        (np.array([0, 1, 2], dtype=np.uint8), np.array([1, 0, 1], dtype=np.float32)),
        (np.array([0, 9, 1, 9, 2])[::2], np.array([1.0, 9, 0, 9, 1])[::2]),
    ],
)
def test_arrays_of_every_kind(marginals, contexts, rewards):
    policy, other = (Policy("ucb", marginals=marginals) for _ in range(2))
    for t, decision in enumerate(policy.choose(3)):
        policy.observe(decision, t, 1 - t % 2)
    other.observe(other.choose(3), contexts, rewards)
    assert policy.digest == other.digest


def test_without_contexts_nobody_speaks_of_them():
    policy = Policy("ucb", actions=3)
    policy.observe(policy.choose(), reward=1)
    policy.observe(policy.choose(2), reward=[0, 1])
    policy.witness("a1", reward=0.5)
    policy.warm_start({"action": [0, 2], "reward": [0, 1]})
    policy.warm_start({"action": [0, 2], "context": [0, 0], "reward": [0, 1]})
    assert policy.evidence["plays"].sum() == 8
    before = policy.digest
    with pytest.raises(ValueError, match="'seen', expected that column"):
        policy.warm_start({"action": [0], "reward": [1]}, context="seen")
    with pytest.raises(armature.InvalidReward):
        policy.witness("a1")
    several = Policy("ucb", actions=3, contexts=2)
    with pytest.raises(ValueError, match="'context', expected that column"):
        several.warm_start({"action": [0], "reward": [1]})
    with pytest.raises(armature.UnknownContext):
        several.witness("a1", reward=0.5)
    assert policy.digest == before and several.evidence["plays"].sum() == 0


@pytest.mark.parametrize("kind", ["Float64", "Int64", "boolean", "float64", "object"])
def test_columns_of_every_type_of_pandas(kind):
    pandas = pytest.importorskip("pandas")
    policy, other = (Policy("ucb", actions=2) for _ in range(2))
    policy.observe(policy.choose(2), reward=[0, 1])
    other.observe(other.choose(2), reward=pandas.Series([0, 1], dtype=kind))
    assert policy.digest == other.digest
    waiting, before = other.choose(2), other.digest
    with pytest.raises(ValueError, match="reward"):
        other.observe(waiting, reward=pandas.Series([1, None], dtype=kind if kind != "object" else "Int8"))
    assert other.digest == before


def test_masked_entries_are_refused(marginals):
    policy = Policy("ucb", marginals=marginals)
    waiting = policy.choose(2)
    before = policy.digest
    masked = np.ma.array([1, 0], mask=[False, True])
    for wrong in (
        lambda: policy.observe(waiting, [0, 1], masked),
        lambda: policy.observe(waiting, [0, 1], masked.astype(object)),
        lambda: policy.observe(waiting, masked, [0, 1]),
        lambda: policy.observe(np.ma.array(waiting.id, mask=[True, False]), [0, 1], [0, 1]),
        lambda: policy.witness([0, 1], [0, 1], masked),
        lambda: policy.warm_start({"action": masked, "context": [0, 1], "reward": [0, 1]}),
        lambda: Policy("c-ucb", marginals=np.ma.array(marginals, mask=marginals == marginals.max())),
    ):
        with pytest.raises(ValueError):
            wrong()
        assert policy.digest == before
    policy.observe(waiting, np.ma.array([0, 1]), np.ma.array([1.0, 0.0]))  # nothing is masked
    assert policy.evidence["rewards"].sum() == 1


def test_two_steps_in_either_order(marginals):
    whole, halves = (Policy("sentry", marginals=marginals, horizon=100) for _ in range(2))
    for t in range(20):
        decision, half = whole.choose(), halves.choose()
        whole.observe(decision, t % 3, t % 2)
        if t % 2:
            halves.observe(half, context=t % 3)
            assert halves.half_told == {half.id: (t % 3, None)}
            halves.observe(half, reward=t % 2)
        else:
            halves.observe(half, reward=t % 2)
            halves.observe(half, context=f"z{t % 3}")
        assert halves.half_told == {}
    assert whole.digest == halves.digest
    decisions = halves.choose(2)
    halves.observe(decisions, context=[0, 1])
    assert halves.round - whole.round == 2 and len(halves.half_told) == 2
    halves.observe(decisions, reward=[1, 0])
    whole.observe(whole.choose(2), [0, 1], [1, 0])
    assert whole.digest == halves.digest


# --- The command plays the same


@pytest.mark.parametrize("text", ["ucb", "sentry", "ts", "db:base=c-ucb+ucb", "epsilon-greedy"])
def test_plays_what_the_command_plays(command, tmp_path, text):
    """The log of a simulation, round by round: action, context and reward."""
    world, rounds = "random-benign:actions=6,contexts=3", 400
    log = tmp_path / "log.csv"
    subprocess.run(
        [command, "simulate", "-i", world, "-p", text, "-T", str(rounds), "-m", "1", "-s", "7",
         "--log", str(log), "--quiet"], check=True, capture_output=True)
    with open(log) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == rounds
    instance = armature.Instance(world, horizon=rounds, seed=7)
    policy = Policy(text, problem=instance.problem(rounds), seed=7)
    # What would come of each action in each round: luck does not depend on the action.
    luck = [instance.sample(a, rounds, seed=7) for a in range(6)]
    for t, row in enumerate(rows):
        decision = policy.choose()
        contexts, rewards = luck[decision.arm]
        assert decision.action == row["action"]
        assert instance.context_names[contexts[t]] == row["context"]
        assert repr(float(row["reward"])) == repr(rewards[t])
        policy.observe(decision, contexts[t], rewards[t])


# --- Saving and loading


@pytest.mark.parametrize("text", ["sentry", "ts", "db:base=c-ucb+ucb", "corral", "pe"])
@pytest.mark.parametrize(
    "copied",
    [
        lambda p: pickle.loads(pickle.dumps(p)),
        copy.deepcopy,
        lambda p: Policy.from_state_dict(p.state_dict()),
    ],
    ids=["pickle", "deepcopy", "state_dict"],
)
def test_copies_go_on_bit_for_bit(marginals, text, copied):
    policy = taught(marginals, text=text)
    twin = copied(policy)
    assert twin.digest == policy.digest
    assert twin.outstanding == policy.outstanding and twin.half_told == policy.half_told
    assert len(policy.half_told) == 2 and policy.outstanding_count == 3
    for each in (policy, twin):
        first, second, third = each.outstanding
        each.observe(first, reward=1.0)
        each.forget(second)
        each.observe(third, context=2)
    assert twin.digest == policy.digest
    for t in range(100):
        one, other = policy.choose(), twin.choose()
        assert one == other
        policy.observe(one, t % 3, 0.5)
        twin.observe(other, t % 3, 0.5)
    assert twin.digest == policy.digest


def test_attributes_of_ones_own_survive(marginals):
    policy = taught(marginals)
    policy.note = "mine"
    assert pickle.loads(pickle.dumps(policy)).note == "mine"


def test_load_state_dict_goes_back(marginals):
    policy = taught(marginals)
    state = policy.state_dict()
    before = policy.digest
    policy.observe(policy.choose(), 0, 1)
    assert policy.digest != before
    policy.load_state_dict(state)
    assert policy.digest == before
    damaged = dict(state, book=state["book"][:-1] + b"\0")
    others = [damaged, {}, {"book": 1, "problem": 2}, None, dict(state, problem="{}"),
              taught(marginals, text="ucb").state_dict(),
              Policy("sentry", marginals=marginals[:2], horizon=5).state_dict()]
    for other in others:
        with pytest.raises(ValueError):
            policy.load_state_dict(other)
        assert policy.digest == before


# --- Others' decisions


def test_witness_and_warm_start(marginals):
    pandas = pytest.importorskip("pandas")
    columns = {"arm": ["a1", "a3", "a1"], "seen": [0, 2, 1], "gain": [1.0, 0.0, 0.5]}
    names = dict(action="arm", context="seen", reward="gain")
    expected = Policy("sentry", marginals=marginals, horizon=100)
    for row in zip(*columns.values()):
        expected.witness(*row)
    frames = [columns, {k: np.array(v) for k, v in columns.items()}, pandas.DataFrame(columns),
              pandas.DataFrame(columns).astype({"arm": "category", "seen": "Int64", "gain": "Float64"})]
    for frame in frames:
        policy = Policy("sentry", marginals=marginals, horizon=100).warm_start(frame, **names)
        assert policy.digest == expected.digest
        assert policy.round == 0
    assert Policy("sentry", marginals=marginals, horizon=100).partial_fit(
        columns, **names).digest == expected.digest


def test_a_bad_row_is_no_row(marginals):
    policy = taught(marginals)
    before = policy.digest
    good = {"action": ["a0", "a1"], "context": [0, 1], "reward": [1.0, 0.5]}
    for change in ({"reward": [1.0, np.nan]}, {"reward": [1.0, 1.5]}, {"context": [0, 3]},
                   {"action": ["a0", "b"]}, {"action": ["a0"]}, {"reward": [1.0, None]},
                   {"context": [0.0, 1.0]}, {"reward": ["1", "0"]}):
        with pytest.raises(ValueError):
            policy.warm_start({**good, **change})
        assert policy.digest == before
    with pytest.raises(ValueError, match="column"):
        policy.warm_start({"action": ["a0"]})
    with pytest.raises(armature.CannotWitness, match="replay"):
        Policy("pe", marginals=marginals, horizon=10).witness(0, 0, 1)


# --- Problems that change


def test_arms_come_and_go_with_late_outcomes(marginals):
    policy = Policy("sentry", marginals=marginals, seed=4)
    for t in range(30):
        policy.observe(policy.choose(), t % 3, (t % 4) / 4)
    late = policy.choose(8)
    policy.observe(late[0], context=2)
    wider = policy.add_arm("new", [0.2, 0.2, 0.6])
    assert wider.problem.action_names == ["a0", "a1", "a2", "a3", "new"]
    assert wider.problem.marginals.tolist()[4] == [0.2, 0.2, 0.6]
    assert wider.outstanding == policy.outstanding and wider.round == 0
    assert wider.choose().id == 39
    before = wider.evidence["plays"].copy()
    wider.observe(late[0], reward=1.0)  # half told to the old one
    wider.observe(late[1], 0, 0.5)
    added = wider.evidence["plays"] - before
    expected = np.zeros((5, 3), dtype=int)
    expected[late[0].arm, 2] += 1
    expected[late[1].arm, 0] += 1
    assert added.tolist() == expected.tolist()
    assert pickle.loads(pickle.dumps(wider)).digest == wider.digest
    # The action of a late outcome goes: it is heard and dropped.
    gone = late[2]
    narrower = wider.remove_arm(gone.action)
    assert gone.action not in narrower.problem.action_names
    sum_before = narrower.evidence["plays"].sum()
    narrower.observe(gone, 1, 1.0)
    assert narrower.evidence["plays"].sum() == sum_before
    with pytest.raises(armature.RepeatedOutcome):
        narrower.observe(gone, 1, 1.0)
    # The old one is as it was.
    assert policy.outstanding_count == 8
    policy.observe(late[1], 0, 0.5)


def test_extend_changes_text_and_problem(marginals):
    policy = taught(marginals)
    other = policy.extend("ucb", scale=0.5)
    assert other.text == "ucb:scale=0.5" and other.problem == policy.problem
    assert (other.evidence["plays"] == policy.evidence["plays"]).all()
    assert policy.extend(horizon=5000).problem.horizon == 5000
    assert other.extend(scale=0.25, ties="lowest").extend(scale=0.75).text.startswith("ucb:scale=0.75")
    with pytest.raises(ValueError, match="twice"):
        policy.extend("ucb:scale=0.5", scale=0.25)
    with pytest.raises(ValueError, match="unknown parameter 'sale'"):
        other.extend(sale=0.25)
    with pytest.raises(ValueError, match="biased sample"):
        policy.extend("ucb", contexts=["z0"])
    with pytest.raises(ValueError, match="new action"):
        policy.add_arm("a0", [1, 0, 0])
    with pytest.raises(ValueError, match="shape"):
        policy.add_arm("new", [1, 0])
    with pytest.raises(ValueError, match="no row"):
        policy.add_arm("new")
    with pytest.raises(armature.UnknownAction):
        policy.remove_arm("b")


def test_epsilon_in_extend_is_whose_it_is_in_the_constructor(marginals):
    for text in ("sentry", "epsilon-greedy", "ucb", "c-ucb"):
        whole = Policy(text, marginals=marginals, horizon=100, epsilon=0.25)
        later = Policy(text, marginals=marginals, horizon=100).extend(epsilon=0.25)
        assert (later.text, later.problem) == (whole.text, whole.problem)
        assert later.extend(epsilon=0.125).digest != later.extend(epsilon=0.5).digest


# --- Looking, and the registry


def test_a_policy_is_one_of_ones_own_in_simulate():
    world = armature.Instance("hidden-arm:actions=4,gap=0.2")
    problem = world.problem(200)
    result = armature.simulate(
        world, {"own": lambda: Policy("sentry", problem=problem), "ours": "sentry"}, 200, 3, progress=False)
    assert (result.regret("own") == result.regret("ours")).all()
    assert result.diagnostics("own") == result.diagnostics("ours") != {}


def test_explain(marginals):
    policy = taught(marginals)
    told = policy.explain()
    assert told["plays"].tolist() == policy.evidence["plays"].sum(axis=1).tolist()
    assert told["means"] == pytest.approx(
        policy.evidence["rewards"].sum(axis=1) / told["plays"])
    assert told["probabilities"].sum() == 1
    assert told["diagnostics"]["candidates"] == 4
    assert told["state"]["plays"].tolist() == told["plays"].tolist()
    assert told["candidate"].dtype == bool and told["candidate"].tolist() == [True] * 4
    assert told["upper"] == pytest.approx(told["mean"] + told["width"])
    assert told["context_index"] == pytest.approx(told["context_mean"] + told["context_width"])
    assert told["rejected"] is False and told["bar"] < 1
    assert "the largest index is" in told["sentence"] and "a width of" in told["sentence"]
    assert told["sentence"].startswith("sentry has made 53 decisions, 3 outstanding")
    learners = Policy("db", marginals=marginals, horizon=100, base=["c-ucb", "ucb:scale=0.5"])
    assert learners.text == "db:base=c-ucb+(ucb:scale=0.5)"
    assert learners.explain()["state"]["active"].tolist() == [1, 1]
    assert learners.explain()["active"].tolist() == [True, True]
    assert learners.explain()["learner_plays"].tolist() == [0, 0]
    assert "draws" in Policy("ts", actions=2).explain()["sentence"]


def test_the_largest_index_is_played(marginals):
    policy = Policy("ucb", marginals=marginals, horizon=100)
    for outcome in range(40):
        told = policy.explain()
        assert told["index"] == pytest.approx(told["mean"] + told["width"])
        digest = policy.digest
        assert (policy.explain()["index"] == told["index"]).all() and policy.digest == digest
        decision = policy.choose()
        assert decision.arm == np.argmax(told["index"])
        policy.observe(decision, 0, outcome % 3 == 0)
    assert "by_index" not in told
    assert Policy("floor", base="ucb", actions=2).explain()["by_index"] is False
    assert "index" not in Policy("uniform", actions=2).explain()


def test_every_policy_explains_itself_and_is_explained(command, marginals):
    listed = json.loads(subprocess.run([command, "policies", "--format", "json"], check=True,
                                       capture_output=True).stdout)
    table = armature.policies()
    assert [facts.name for facts in table] == [row["name"] for row in listed]
    for facts, row in zip(table, listed):
        assert [p.name for p in facts.parameters] == [p["name"] for p in row["parameters"]]
        assert facts.summary in repr(table) and facts.summary in Policy.__doc__
        page = armature.describe(facts.name)
        assert all(p.help in page for p in facts.parameters)
        policy = Policy(facts.name, marginals=marginals, horizon=100,
                        **({"arm": "1"} if facts.name == "fixed" else {}))
        policy.observe(policy.choose(), 0, 1)
        assert policy.explain()["round"] == 1
    with pytest.raises(ValueError, match="did you mean 'sentry'"):
        armature.describe("sentri")


def test_parameters(marginals):
    assert Policy("ucb", actions=2, scale=np.float64(0.5)).text == "ucb:scale=0.5"
    assert Policy("ucb:scale=0.5", actions=2, ties="random").text == "ucb:scale=0.5,ties=random"
    # epsilon is the policy's own where it has one, and the problem's where it has not.
    assert Policy("epsilon-greedy", actions=2, epsilon=0.25).text == "epsilon-greedy:epsilon=0.25"
    assert Policy("sentry", marginals=marginals, epsilon=0.1).text == "sentry:epsilon=0.1"
    assert Policy("c-ucb", marginals=marginals, epsilon=0.1).problem.epsilon == 0.1
    for bad in ({"scal": 1}, {"scale": "wide"}, {"scale": -1}, {"scale": True}, {"scale": None}):
        with pytest.raises(ValueError):
            Policy("ucb", actions=2, **bad)
    with pytest.raises(ValueError, match="scale"):
        Policy("ucb:scale=0.5", actions=2, scale=0.5)


def test_problems_from_everywhere(tmp_path, marginals):
    problem = Problem(["a", "b", "c", "d"], ["x", "y", "z"], marginals, 1e3, 0.1)
    assert problem.horizon == 1000 and isinstance(problem.horizon, int)
    path = tmp_path / "problem.json"
    problem.write(path)
    assert Problem.read(path) == problem == pickle.loads(pickle.dumps(problem))
    assert Problem.from_json(problem.to_json()) == problem
    for given in (problem, str(path), path):
        assert Policy("sentry", problem=given).problem == problem
    with pytest.raises(ValueError):
        Policy("sentry", problem=problem, actions=4)
    assert (problem.marginals == marginals).all() and not problem.marginals.flags.writeable
    # Nobody is changed by what happens to the array it came from.
    marginals[0, 0] = 7
    assert problem.marginals[0, 0] == 0.5


def test_signatures_are_known_to_help():
    assert str(inspect.signature(Policy.choose)) == "(self, /, n=None)"
    assert str(inspect.signature(Policy.observe)) == "(self, /, decision, context=None, reward=None)"


@pytest.mark.parametrize("module", ["policy", "instances", "errors"])
def test_examples_of_docstrings(module):
    found = doctest.testmod(getattr(armature, module))
    assert found.attempted > 2 and found.failed == 0
