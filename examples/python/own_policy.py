# %% [markdown]
# # Your own policy against Sentry
#
# An idea is a class with `choose()` and `observe()`: here a greedy policy that believes the contexts, and now and then
# plays something else.

# %%
import armature
import numpy as np


class Greedy:
    """Plays the action whose contexts have paid best so far; with probability 0.1 any action."""

    def __init__(self, problem, random):
        self.marginals, self.random = problem.marginals, random
        self.plays = np.zeros(problem.contexts)
        self.rewards = np.zeros(problem.contexts)

    def choose(self):
        if self.random.random() < 0.1:
            return self.random.integers(len(self.marginals))
        values = (self.rewards + 1) / (self.plays + 1)
        return int(np.argmax(self.marginals @ values))

    def observe(self, arm, context, reward):
        self.plays[context] += 1
        self.rewards[context] += reward


# %% [markdown]
# It is told what our policies are told: sizes, names, marginals, a horizon if there is one; never a reward. It runs in the
# same loop as ours and meets the same luck. Parts written in Python are slow (microseconds a round instead of
# nanoseconds), so the horizon is short.

# %%
policies = {"mine": Greedy, "sentry": "sentry", "ucb": "ucb"}
worlds = {"benign": "bilodeau-benign:actions=10", "hidden arm": "hidden-arm:actions=10,gap=0.3"}
results = {name: armature.simulate(world, policies, horizon=20_000, replications=5, progress=False)
           for name, world in worlds.items()}
for name, result in results.items():
    print(name, {policy: round(float(result.final_regret(policy).mean()), 1) for policy in result.policies})

# %% [markdown]
# The benign world is kind to it. In the other one its regret grows with every round: the action that is best hides from
# the contexts, and a policy that learns about contexts alone never finds it. Sentry finds out, but that takes rounds: at a
# horizon of 5,000 it is behind `ucb` there (try it).

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), dpi=72)
for axis, (name, result) in zip(axes, results.items()):
    result.plot(axis, theory=False, title=name)
figure.tight_layout()

# %% [markdown]
# Differences replication by replication: mean and 95% interval of the best against the others.

# %%
for pair in results["hidden arm"].differences():
    print(pair["first"], "−", pair["second"], [round(pair[key], 1) for key in ("mean", "low95", "high95")])

# %% [markdown]
# ## Your own world
#
# A world is a class with `play(arm)`. It says its true means, by which regret is measured.


# %%
class Drifting:
    """Two actions; what the second pays rises while the first is played. No table says that."""

    actions, contexts = 2, 2
    means = [0.5, 0.6]
    marginals = [[0.5, 0.5], [0.4, 0.6]]

    def __init__(self, random):
        self.random, self.rounds = random, 0

    def play(self, arm):
        self.rounds += 1
        context = int(self.random.random() < self.marginals[arm][1])
        late = min(1.0, self.rounds / 1000)
        return context, float(self.random.random() < (0.5 if arm == 0 else 0.4 + 0.2 * late))


drift = armature.simulate(Drifting, ["ucb", "sentry"], horizon=2_000, replications=5, progress=False)
drift.summary()[["mean_regret"]].round(1)

# %% [markdown]
# ## An agent of others in our worlds
#
# `Environment` has `reset` and `step`, as gymnasium has them.

# %%
world = armature.Environment("hidden-arm:actions=4", seed=1, horizon=200)
observation, info = world.reset()
truncated = False
while not truncated:
    observation, reward, terminated, truncated, info = world.step(info.get("round", 0) % 4)
info["round"], round(info["regret"], 1)
