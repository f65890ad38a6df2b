"""What a round costs from Python, at 20 actions and 5 contexts, beside plain numpy in the same run.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_policies.py

Times are computing time of this thread, the least of several passes, for others may use the machine.
Ratios are to ucb through Python, one round at a time. In batches the caller's own work, picking the
rewards of the actions by numpy, is part of the time (about 20 ns a round).
"""

import time

import armature
import numpy as np

ACTIONS, CONTEXTS, ROUNDS, PASSES = 20, 5, 20_000, 7


def rewards_of_all():
    """The reward of each action in each round, and its context: the same for everyone."""
    luck = np.random.default_rng(1)
    means = np.linspace(0.3, 0.7, ACTIONS)
    paid = (luck.random((ROUNDS, ACTIONS)) < means).tolist()
    # Two objects for all rewards: fetching others from memory would cost everyone as much again.
    rewards = [[1.0 if one else 0.0 for one in row] for row in paid]
    return rewards, luck.integers(0, CONTEXTS, ROUNDS).tolist()


REWARDS, SEEN = rewards_of_all()
REWARD_ARRAY, SEEN_ARRAY = np.array(REWARDS), np.array(SEEN)


def policy_of(text, propensities=True):
    marginals = np.random.default_rng(2).dirichlet(np.ones(CONTEXTS), ACTIONS)
    return armature.Policy(text, marginals=marginals, horizon=10**6, propensities=propensities)


def one_by_one(text, propensities=True):
    policy = policy_of(text, propensities)
    choose, observe = policy.choose, policy.observe
    for rewards, context in zip(REWARDS, SEEN):
        decision = choose()
        observe(decision, context, rewards[decision.arm])


def in_batches(text, size=1000):
    policy = policy_of(text)
    places = np.arange(size)
    for first in range(0, ROUNDS, size):
        decisions = policy.choose(size)
        rewards = REWARD_ARRAY[first : first + size][places, decisions.arm]
        policy.observe(decisions, SEEN_ARRAY[first : first + size], rewards)


def numpy_arrays():
    """ucb as one writes it with numpy: indices of all actions at once."""
    counts, sums = np.zeros(ACTIONS), np.zeros(ACTIONS)
    for t, rewards in enumerate(REWARDS):
        if t < ACTIONS:
            arm = t
        else:
            arm = int(np.argmax(sums / counts + np.sqrt(2 * np.log(t) / counts)))
        counts[arm] += 1
        sums[arm] += rewards[arm]


def fit_and_predict():
    """ucb in the shape of libraries with fit and predict: arms in dictionaries, batches of one."""
    arms = list(range(ACTIONS))
    counts = dict.fromkeys(arms, 0)
    sums = dict.fromkeys(arms, 0.0)
    means = dict.fromkeys(arms, 0.0)
    indices = dict.fromkeys(arms, 0.0)

    def partial_fit(decisions, rewards):
        for arm in arms:
            mine = rewards[decisions == arm]
            if mine.size:
                counts[arm] += mine.size
                sums[arm] += mine.sum()
                means[arm] = sums[arm] / counts[arm]
        total = sum(counts.values())
        for arm in arms:
            if counts[arm]:
                indices[arm] = means[arm] + np.sqrt(2 * np.log(total) / counts[arm])

    def predict(t):
        return t if t < ACTIONS else max(indices, key=indices.get)

    for t, rewards in enumerate(REWARDS[: ROUNDS // 10]):
        arm = predict(t)
        partial_fit(np.array([arm]), np.array([rewards[arm]]))


def nanoseconds(work, rounds=ROUNDS, passes=PASSES):
    least = float("inf")
    for _ in range(passes):
        before = time.thread_time()
        work()
        least = min(least, time.thread_time() - before)
    return 1e9 * least / rounds


def main():
    ours = nanoseconds(lambda: one_by_one("ucb"))
    rows = [
        ("ucb, choose and observe", ours),
        ("ucb, without propensities", nanoseconds(lambda: one_by_one("ucb", False))),
        ("ucb, choose(1000) and arrays", nanoseconds(lambda: in_batches("ucb"))),
        ("sentry, choose and observe", nanoseconds(lambda: one_by_one("sentry"))),
        ("sentry, choose(1000) and arrays", nanoseconds(lambda: in_batches("sentry"))),
        ("ts, choose and observe", nanoseconds(lambda: one_by_one("ts"), passes=2)),
        ("numpy arrays, ucb", nanoseconds(numpy_arrays, passes=3)),
        ("numpy, fit and predict, ucb", nanoseconds(fit_and_predict, ROUNDS // 10, passes=3)),
    ]
    print(f"{'|A| = 20, |Z| = 5':<34}{'ns a round':>12}{'ratio':>10}")
    for name, cost in rows:
        print(f"{name:<34}{cost:>12.0f}{cost / ours:>10.2f}")


if __name__ == "__main__":
    main()
