# %% [markdown]
# # From a data frame of past decisions to a policy
#
# Eight campaigns were mailed at random (`p` is the probability of each), and each row says whether the mail was opened,
# whether it was clicked, and whether something was bought. The mails were made up, by armature's own simulator.

# %%
import armature
import pandas

mails = pandas.read_csv("../logs/mail.csv")
mails.head(3)

# %% [markdown]
# ## Can the context be trusted?
#
# If what happens to the mail carries the whole effect of the campaign, then given opened and clicked it does not matter
# which campaign it was. The audit tests that, and says what it would have missed.

# %%
columns = dict(action="campaign", context=["opened", "clicked"], reward="bought", propensity="p")
audit = armature.audit(mails, **columns, horizon=20_000, advice=False)
audit.verdict, round(audit.p_value, 4)

# %%
for sentence in audit.words()[:2]:
    print(sentence)

# %%
audit.to_pandas().pivot(index="action", columns="context", values="mean").round(3)

# %% [markdown]
# ## What would a policy have earned?
#
# Because the campaigns were drawn with known probabilities, a policy can be run on the part of the log where it agrees
# with it, without bias.

# %%
replay = armature.replay(mails, ["sentry", "ucb"], always="coupon", **columns)
replay.to_pandas()[["policy", "method", "value", "low", "high", "rounds"]].round(3)

# %% [markdown]
# ## Start where the log ends
#
# What the audit knows of names and marginals is a `Problem`, from which policies are built. This one first learns from
# all 16,000 mails, then decides.

# %%
policy = armature.Policy("sentry", problem=audit.problem, seed=1)
joint = "opened=" + mails["opened"] + " clicked=" + mails["clicked"]
policy.warm_start(mails.assign(context=joint), action="campaign", reward="bought")
print(policy.explain()["sentence"])

# %%
decisions = policy.choose(5)
decisions.action

# %% [markdown]
# It can be saved with what is outstanding, and goes on bit for bit.

# %%
import pickle

again = pickle.loads(pickle.dumps(policy))
again.digest == policy.digest, again.outstanding_count
