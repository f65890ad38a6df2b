"""Every notebook is what its source makes when it is run again: same cells, same words and numbers."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "examples" / "python").glob("*.py"))
for needed in ("nbconvert", "ipykernel", "matplotlib", "pandas"):
    pytest.importorskip(needed)


def test_there_are_notebooks():
    assert NAMES == ["first_steps", "from_a_data_frame", "own_policy"]


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_fresh(name):
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "notebooks"), "--check", name],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_notebooks_are_small():
    for name in NAMES:
        assert (ROOT / "examples" / "python" / f"{name}.ipynb").stat().st_size < 300_000, name
