"""What can go wrong, as exceptions with names.

All of them are ``ValueError``; ``Error`` carries ``file``, ``field``, ``value`` and ``expected``.

>>> import armature
>>> policy = armature.Policy("ucb", actions=2)
>>> try:
...     policy.observe(7, context=0, reward=1.0)
... except armature.UnknownDecision as error:
...     print(error)
decision: got 7, an unknown decision, expected a decision whose outcome is outstanding
"""

from armature._engine import (
    CannotWitness,
    ClosedDecision,
    DecisionError,
    Error,
    ForgottenDecision,
    InvalidReward,
    OutcomeConflict,
    RepeatedOutcome,
    UnknownAction,
    UnknownContext,
    UnknownDecision,
    WrongArm,
)

__all__ = [
    "CannotWitness",
    "ClosedDecision",
    "DecisionError",
    "Error",
    "ForgottenDecision",
    "InvalidReward",
    "OutcomeConflict",
    "RepeatedOutcome",
    "UnknownAction",
    "UnknownContext",
    "UnknownDecision",
    "WrongArm",
]
