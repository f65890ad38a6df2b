"""What the tests of the Python module share. Run with PYTHONPATH at the built module."""

import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def command():
    """The path of the built command, for tests that compare with it."""
    named = os.environ.get("ARMATURE_COMMAND")
    places = [named] if named else [ROOT / "build" / kind / "bin/armature" for kind in ("release", "quick")]
    for place in places:
        if os.access(place, os.X_OK):
            return str(place)
    pytest.fail(f"no command at {places}: build it, or name it by ARMATURE_COMMAND")


@pytest.fixture
def marginals():
    """Four actions, three contexts, all rows different."""
    return np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5], [0.1, 0.1, 0.8]])
