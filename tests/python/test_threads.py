"""Threads: different policies at once, one policy by turns, and batches that give up the GIL."""

import signal
import subprocess
import sys
import threading
import time

import armature
import numpy as np
import pytest
from armature import Policy


def together(count, work):
    """Runs work(i) in so many threads; what they raise is raised here."""
    failures = []
    start = threading.Barrier(count)

    def run(i):
        try:
            start.wait()
            work(i)
        except BaseException as failure:  # noqa: B902
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def at_work(policy, rounds=40):
    for t in range(rounds):
        decisions = policy.choose(100)
        policy.observe(decisions, (decisions.arm + t) % 3, decisions.arm / 4)
        one = policy.choose()
        policy.observe(one, t % 3, 0.5)
    return policy.digest


def test_other_policies_in_other_threads(marginals):
    def policy(i):
        return Policy(["sentry", "ucb", "ts", "c-ucb"][i % 4], marginals=marginals, seed=i)

    found = {}
    together(8, lambda i: found.update({i: at_work(policy(i))}))
    assert found == {i: at_work(policy(i)) for i in range(8)}


def test_one_policy_in_many_threads(marginals):
    """Calls take turns: no decision is lost or given twice, and every outcome is learned once."""
    policy = Policy("sentry", marginals=marginals, seed=1)
    ids = [[] for _ in range(6)]

    def work(i):
        for t in range(60):
            if i % 2:
                decisions = policy.choose(80)
                ids[i] += decisions.id.tolist()
                policy.observe(decisions, np.full(80, t % 3), np.ones(80))
            else:
                decision = policy.choose()
                ids[i].append(decision.id)
                policy.observe(decision, context=t % 3)
                policy.state_dict()
                policy.observe(decision, reward=1.0)
            policy.explain()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        together(6, work)
    finally:
        sys.setswitchinterval(interval)
    given = sorted(number for mine in ids for number in mine)
    assert given == list(range(1, 3 * 60 * 81 + 1))
    assert policy.outstanding_count == 0 and policy.half_told == {}
    assert policy.evidence["plays"].sum() == policy.evidence["rewards"].sum() == len(given)


def test_batches_give_up_the_lock_of_the_interpreter():
    """While one thread chooses many, another runs: it would else find the first one finished.

    Threads are switched only where the lock is given up, so a batch that kept it would be over.
    """
    policy = Policy("ts", actions=20)
    begun, finished = threading.Event(), []

    def work():
        begun.set()
        policy.choose(200_000)
        finished.append(True)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        seen = list(finished)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert seen == [] and finished == [True]


def test_a_batch_that_is_stopped_leaves_the_policy_as_it_was():
    """By a signal that comes within it: a handler sees that it does, as the policy is at work.

    What is at work cannot be asked by the handler, which would wait for ever.
    """
    policy = Policy("ts", actions=20)
    policy.choose(5)
    before = policy.digest

    def stop(*_):
        try:
            policy.round
        except armature.Error as error:  # else it came too early: there will be another one
            raise KeyboardInterrupt from error

    handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            policy.choose(10**7)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert "within a batch" in str(stopped.value.__cause__)
    assert policy.digest == before and policy.choose().id == 6


def test_samples_are_stopped():
    """After far less computing than all of it takes."""
    world = armature.Instance("hidden-arm")

    def computing(count):
        begun = time.process_time()
        try:
            world.sample(0, count)
        except KeyboardInterrupt:
            pass
        return time.process_time() - begun

    part = computing(10**6)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        stopped = computing(10**8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert stopped < 50 * part


LITTLE_MEMORY = """
import resource
import armature

policy = armature.Policy("ucb", actions=20)
policy.choose(5)
before = policy.digest
with open("/proc/self/statm") as pages:
    used = int(pages.read().split()[0]) * resource.getpagesize()
enough_for_the_answer = used + 330 * 2**20  # 240 of them, but not for the book
resource.setrlimit(resource.RLIMIT_AS, (enough_for_the_answer, resource.RLIM_INFINITY))
try:
    policy.choose(10**7)
except MemoryError:
    assert policy.digest == before and policy.choose().id == 6
    print("as it was")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_batch_without_memory_leaves_the_policy_as_it_was():
    ended = subprocess.run([sys.executable, "-c", LITTLE_MEMORY], capture_output=True, text=True)
    assert ended.stdout == "as it was\n", ended.stderr
