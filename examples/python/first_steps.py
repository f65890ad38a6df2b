# %% [markdown]
# # First steps
#
# A shop sends one of several e-mail campaigns to each visitor, sees what the visitor does with the mail (**ignored**,
# **opened** or **clicked**: the *context*), and whether something is bought (the *reward*). If a campaign works only
# through what happens to the mail, three numbers explain everything. If not, whoever believes so is wrong for ever.
# armature has policies that ignore the context, that trust it, and that test it.

# %%
import armature
import numpy as np

armature.__version__

# %% [markdown]
# ## Ask and tell
#
# A policy is asked for a decision and told what came of it. How often each campaign is ignored, opened or clicked is
# known here, so it is told to the policy as `marginals`.

# %%
campaigns = ["spring", "summer", "autumn", "winter"]
marginals = np.array([[0.70, 0.20, 0.10], [0.60, 0.25, 0.15], [0.50, 0.30, 0.20], [0.65, 0.25, 0.10]])
policy = armature.Policy("sentry", actions=campaigns, contexts=["ignored", "opened", "clicked"],
                         marginals=marginals, seed=1)
decision = policy.choose()
decision

# %%
policy.observe(decision, context="opened", reward=1.0)
print(policy.explain()["sentence"])

# %% [markdown]
# Decisions are remembered by their ids: outcomes may come late, in any order, or never (`forget`). A mistake has a name
# and changes nothing.

# %%
try:
    policy.observe(decision, context="clicked", reward=0.0)
except armature.DecisionError as error:
    print(type(error).__name__, "-", error)

# %% [markdown]
# ## A world to play in
#
# An instance is the truth. In this one the context carries the whole effect: it is *benign*.

# %%
world = armature.Instance(marginals=marginals, means=[0.02, 0.1, 0.4])
world.means.round(4), world.gaps.round(4), world.is_benign

# %% [markdown]
# ## Simulate
#
# All policies meet the same luck; the same seed gives the same numbers, on any machine and with any number of threads.

# %%
benign = armature.simulate("bilodeau-benign:actions=20", ["ucb", "c-ucb", "sentry"], horizon=20_000, replications=20,
                           progress=False)
benign.summary()[["mean_regret", "standard_error"]].round(1)

# %% [markdown]
# Where the contexts can be trusted, `c-ucb` (which trusts them) and `sentry` (which tests them) are ahead of `ucb`, which
# ignores them. Now a world in which one action is better in a way that no context shows:

# %%
hidden = armature.simulate("hidden-arm:actions=20", ["ucb", "c-ucb", "sentry"], horizon=20_000, replications=20,
                           progress=False)
hidden.summary()[["mean_regret", "standard_error"]].round(1)

# %% [markdown]
# `c-ucb` is wrong for ever: its regret grows with every round. `sentry` finds out, in most replications before the end, and
# pays for it; `ucb` never relied on anything. That price, and what it buys in the other world, is what armature is about.

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), dpi=72)
benign.plot(axes[0], theory=False)
hidden.plot(axes[1], theory=False)
figure.tight_layout()

# %% [markdown]
# ## Which policy for me?
#
# One recommendation by simulation in typical worlds of your size, and what anyone can promise.

# %%
advice = armature.advise(actions=20, contexts=3, horizon=5_000)
print(advice.policy)
print(advice.because)

# %%
bounds = armature.bounds(actions=20, contexts=3, horizon=1e6)
{name: round(bounds[name].value) for name in ("ucb", "c-ucb", "sentry-first-any", "minimax-any")}
