"""Ctrl-C in a child process. Signals are sent when the child says that it is ready, never after some time."""

import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


class Child:
    """A Python program that is talked to by lines."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def expect(self, line):
        assert self.process.stdout.readline().strip() == line, self.process.stderr.read()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        rest, errors = self.process.communicate(timeout=60)
        return self.process.returncode, rest, errors


LONG = """
    import armature

    told = False
    def progress(done, total):
        global told
        if done > 0 and not told:
            told = True
            print("going", flush=True)
"""


def test_a_simulation_ends_with_what_is_finished():
    # Minutes of work in 256 blocks of some tenths of a second.
    child = Child(
        LONG
        + """
    result = armature.simulate("hidden-arm", ["ucb"], 1e5, 30_000, threads=2, progress=progress)
    finished = len(result.regret("ucb"))
    assert finished == len(result.replications("ucb")) and 0 < finished < 30_000
    whole = armature.simulate("hidden-arm", ["ucb"], 1e5, 2, progress=False)
    assert (whole.regret("ucb") == result.regret("ucb")[:2]).all()
    import signal
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(result.complete, "interrupted" in result._repr_html_(), "done)" in repr(result))
    """
    )
    child.expect("going")
    child.interrupt()
    code, rest, errors = child.end()
    assert rest.split() == ["False", "True", "True"], errors
    assert code == 0 and "RuntimeWarning: interrupted; this is what was finished" in errors


def test_a_study_ends_with_what_is_stored(tmp_path):
    child = Child(
        LONG
        + f"""
    study = {{"title": "long", "replications": 30_000, "horizons": 100_000, "engine": "step",
             "instances": [{{"instance": "hidden-arm"}}], "policies": [{{"policy": "ucb"}}]}}
    store = armature.run_study(study, {str(tmp_path / "long")!r}, progress=progress)
    print(store.complete, 0 < len(store.replications) < 30_000)
    """
    )
    child.expect("going")
    child.interrupt()
    code, rest, errors = child.end()
    assert rest.split() == ["False", "True"], errors
    assert code == 0 and "the same call goes on from here" in errors


# A policy that waits for the first Ctrl-C: Python's own handler is then back.
WAITING = """
    import armature, signal, time

    class Waiting:
        def choose(self):
            print("ready", flush=True)
            while signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
                time.sleep(0.001)
            return self.asked()
        def observe(self, arm, context, reward):
            pass
"""


def test_nothing_finished_is_an_interrupt():
    child = Child(
        WAITING
        + """
        def asked(self):
            return 0
    try:
        armature.simulate("hidden-arm", Waiting, 10_000, 1)
    except KeyboardInterrupt as interrupt:
        print("raised:", interrupt)
    """
    )
    child.expect("ready")
    child.interrupt()
    while child.process.stdout.readline().strip() == "ready":
        pass
    code, _, errors = child.end()
    assert code == 0, errors


def test_a_second_one_raises():
    child = Child(
        WAITING
        + """
        def asked(self):
            print("asked", flush=True)
            while True:
                time.sleep(0.001)
    try:
        armature.simulate("hidden-arm", Waiting, 10_000, 1)
    except KeyboardInterrupt:
        print("raised")
    """
    )
    child.expect("ready")
    child.interrupt()
    child.expect("asked")
    child.interrupt()
    code, rest, errors = child.end()
    assert (code, rest.strip()) == (0, "raised"), errors


OWN = """
    class Own:
        def choose(self):
            return 0
        def observe(self, arm, context, reward):
            pass
"""


def test_a_mixed_simulation_ends_too():
    # The policy of ours is played first, minutes without a word of Python: somebody must listen
    # meanwhile, to tell of progress and to hear of Ctrl-C.
    child = Child(
        """
    import armature
    told = []
    def progress(done, total):
        if not told:
            print("going", flush=True)
        told.append(done)
    """
        + OWN
        + """
    try:
        armature.simulate("hidden-arm", ["ucb", Own], 1e10, 1, engine="step", progress=progress)
    except KeyboardInterrupt as interrupt:
        print(set(told), interrupt)
    """
    )
    child.expect("going")
    child.interrupt()
    code, rest, errors = child.end()
    assert (code, rest.strip()) == (
        0, "{0} interrupted before the first replication was finished"
    ), errors


@pytest.mark.parametrize("policies", ["'ucb'", "['ucb', Own]"])
def test_python_ends_while_a_daemon_thread_simulates(policies):
    child = Child(
        LONG
        + OWN
        + f"""
    import threading
    going = threading.Event()
    def run():
        armature.simulate("hidden-arm", {policies}, 1e5, 30_000, progress=lambda *_: going.set())
    threading.Thread(target=run, daemon=True).start()
    going.wait()
    print("ends", flush=True)
    """
    )
    code, rest, errors = child.end()
    assert (code, rest.strip()) == (0, "ends"), errors
    assert "Fatal" not in errors and "terminate" not in errors


def test_python_ends_while_a_part_never_answers():
    child = Child(
        """
    import armature, threading
    going = threading.Event()
    class Stuck:
        def choose(self):
            going.set()
            while True:
                pass
        def observe(self, arm, context, reward):
            pass
    run = lambda: armature.simulate("hidden-arm", Stuck, 10, 1)
    threading.Thread(target=run, daemon=True).start()
    going.wait()
    print("ends", flush=True)
    """
    )
    code, rest, errors = child.end()
    assert (code, rest.strip()) == (0, "ends"), errors


def test_a_forked_child_ends_by_itself():
    child = Child(
        """
    import armature, os, sys, threading
    going = threading.Event()
    run = lambda: armature.simulate("hidden-arm", "ucb", 1e5, 30_000, progress=lambda *_: going.set())
    threading.Thread(target=run, daemon=True).start()
    going.wait()
    pid = os.fork()
    if pid == 0:
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    """
    )
    code, rest, errors = child.end()
    assert (code, rest.strip()) == (0, "7"), errors
