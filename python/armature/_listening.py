"""While the engine runs: a progress bar, and Ctrl-C."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from typing import Any, Callable, Iterator, Optional, Union

from armature import _engine

ProgressLike = Union[bool, Callable[[int, int], object]]
"""True: a bar where somebody looks. False: nothing. Or a function of (replications done, of how many)."""

REDRAW_SECONDS = 0.1
PATIENCE_SECONDS = 0.5  # what ends sooner needs no bar


# Runs that go on, in daemon threads too. A thread in the engine that asks for the GIL of an
# interpreter that has ended takes the process down with it, so they are ended before.
_live: set[_engine.Stop] = set()
_leaving: Optional[threading.Thread] = None


def _end_runs() -> None:
    global _leaving
    _leaving = threading.current_thread()
    for stop in list(_live):
        stop.interrupt()
    while _live:
        time.sleep(0.001)


atexit.register(_end_runs)
os.register_at_fork(after_in_child=_live.clear)  # a child has none of its parent's threads


@contextlib.contextmanager
def stopping() -> Iterator[_engine.Stop]:
    """The first Ctrl-C asks the run to end with what is finished; the next one is Python's own again."""
    if _leaving not in (None, threading.current_thread()):
        raise RuntimeError("Python is about to end: nothing is begun any more")
    stop = _engine.Stop()
    _live.add(stop)
    try:
        with _interrupts_ask(stop):
            yield stop
    finally:
        _live.discard(stop)


@contextlib.contextmanager
def _interrupts_ask(stop: _engine.Stop) -> Iterator[None]:
    """Only the main thread hears of signals: elsewhere, and where a host has a handler that is not
    Python's, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def ask(number: int, frame: object) -> None:
        stop.ask()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def in_notebook() -> bool:
    """Is this a kernel, whose page shows what is printed?"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def progress_of(asked: ProgressLike) -> Iterator[Optional[Callable[[int, int], object]]]:
    """What the engine is to call: the caller's function, a tqdm bar, a plain line, or nothing."""
    if callable(asked):
        yield asked
    elif not asked or not (in_notebook() or sys.stderr.isatty()):
        yield None
    else:
        bar = _bar()
        try:
            yield bar.show
        finally:
            bar.close()


def _bar() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in notebooks without widgets tqdm falls back to text
            from tqdm.auto import tqdm
    except ImportError:
        return _PlainLine()
    return _TqdmBar(tqdm)


class _TqdmBar:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._start = time.monotonic()

    def show(self, done: int, total: int) -> None:
        if time.monotonic() - self._start < PATIENCE_SECONDS:
            return
        if self._bar is None or self._bar.total != total:  # a study's second stage counts anew
            self.close()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # What a kernel writes to stderr stays on the page, in red.
                file = sys.stdout if in_notebook() else sys.stderr
                self._bar = self._tqdm(total=total, unit=" replications", leave=False, file=file)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _PlainLine:
    """One line of a terminal, drawn over."""

    def __init__(self) -> None:
        self._drawn = float("-inf")

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if total and now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            share = 100 * done // total
            print(f"\r{done} of {total} replications ({share}%)", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._drawn > float("-inf"):
            print("\r\033[K", end="", file=sys.stderr, flush=True)
