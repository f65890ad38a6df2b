"""The progress bar: on a terminal and nowhere else."""

import os
import pty
import subprocess
import sys

import pytest

PROGRAM = """
import sys
if sys.argv[1] == "plain":
    sys.modules["tqdm"] = None
import armature, armature._listening
armature._listening.PATIENCE_SECONDS = 0
armature.simulate("hidden-arm", "ucb", 1e6, 10, threads=1)
"""


def shown(kind, terminal):
    """What a child writes to its standard error."""
    if not terminal:
        command = [sys.executable, "-c", PROGRAM, kind]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, kind], stderr=theirs)
    os.close(theirs)
    told = b""
    try:
        while piece := os.read(ours, 4096):
            told += piece
    except OSError:
        pass  # the child has closed its end
    os.close(ours)
    assert child.wait() == 0
    return told.decode()


def test_a_plain_line_on_a_terminal():
    told = shown("plain", terminal=True)
    assert "of 10 replications (" in told
    assert told.endswith("\r\x1b[K")  # wiped at the end


def test_tqdm_where_there_is_one():
    pytest.importorskip("tqdm")
    assert "replications" in shown("tqdm", terminal=True)


def test_nothing_in_a_pipe():
    assert shown("plain", terminal=False) == ""
    assert shown("tqdm", terminal=False) == ""
