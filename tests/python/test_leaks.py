"""Memory stays flat over a million calls, mistakes included."""

import gc
import os
import sys

import numpy as np
import pytest
from armature import Decision, Instance, Policy


def resident():
    gc.collect()
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(work, calls, warm=0.2):
    """Bytes by which the process grows over the calls after the first ones."""
    work(int(calls * warm))
    before = resident()
    work(calls)
    return resident() - before


MISTAKES = [(9**9, 0, 1.0), (1, "nowhere", 1.0), (1, 0, float("nan")), (True, 0, 1.0),
            ([1, 2], [0], [1.0]), (object(), 0, 1.0), (1, 0, 1.0)]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
@pytest.mark.parametrize("kind", ["rounds", "batches", "mistakes", "looks", "copies", "instances"])
def test_memory_is_flat(kind, marginals):
    """One object leaked a call would be 3 MB or more of each; 2 MB are allowed for the heap."""
    # Anytime widths would fill a table that all policies share, up to 64 MB.
    policy = Policy("sentry:confidence=paper", marginals=marginals, horizon=10**7, seed=1)
    policy.observe(policy.choose(), 0, 1.0)

    def rounds(n):
        for _ in range(n // 2):
            policy.observe(policy.choose(), 1, 1.0)

    def batches(n):
        contexts, rewards = np.ones(100, dtype=int), np.ones(100)
        for _ in range(n // 200):
            policy.observe(policy.choose(100), contexts, rewards)

    def mistakes(n):
        for i in range(n):
            try:
                policy.observe(*MISTAKES[i % len(MISTAKES)])
            except ValueError:
                continue
            raise AssertionError("a mistake was accepted")

    def looks(n):
        for _ in range(n):
            policy.probabilities()
            policy.evidence
            policy.outstanding
            Decision(1, 2, 0.5, "x") == Decision(1, 2)
            list(policy.choose(0))

    def copies(n):
        for _ in range(n):
            Policy.from_state_dict(policy.state_dict()).explain()

    def instances(n):
        world = Instance("hidden-arm")
        for _ in range(n):
            Instance(marginals=marginals, means=[0.1, 0.2, 0.3]).means
            world.sample(0, 10)
            world.marginals

    work, calls = {"rounds": (rounds, 1_000_000), "batches": (batches, 1_000_000),
                   "mistakes": (mistakes, 200_000), "looks": (looks, 50_000),
                   "copies": (copies, 1_500), "instances": (instances, 30_000)}[kind]
    assert grows(work, calls) < 2_000_000


def test_references_are_given_back(marginals):
    policy = Policy("ucb", marginals=marginals)
    name = policy.choose().action
    watched = [name, None, True, Policy, Decision]
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(1000):
        decision = policy.choose()
        decision.action, decision.propensity, tuple(decision), hash(decision), repr(decision)
        policy.observe(decision, 0, True)
        for mistake in MISTAKES:
            with pytest.raises(ValueError):
                policy.observe(*mistake)
                policy.observe(*mistake)
    del decision
    after = [sys.getrefcount(one) for one in watched]
    assert all(abs(b - a) < 100 for a, b in zip(before, after)), (before, after)
