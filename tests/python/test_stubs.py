"""Types: the stub of the compiled part says what is there, and strict checks pass, ours and a user's."""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import armature
from armature import _engine

PACKAGE = pathlib.Path(__file__).parents[2] / "python" / "armature"
STUB = ast.parse((PACKAGE / "_engine.pyi").read_text())


def is_ours(name):
    return not name.startswith("_") or name == "__version__"


def stub_names(body):
    """Name → its definition; of an attribute its annotation."""
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return {name: node for name, node in found.items() if is_ours(name)}


def engine_names(owner):
    return {name for name in vars(owner) if is_ours(name)}


def parameters(function):
    """As pybind11 has written them into the docstring: one list per overload."""
    lists = []
    for line in (function.__doc__ or "").splitlines():
        found = re.match(rf"(?:\d+\. )?{re.escape(function.__name__)}\((.*)\) -> ", line)
        if not found:
            continue
        depth, names, word = 0, [], ""
        for letter in found[1] + ",":
            depth += (letter in "([{") - (letter in ")]}")
            if letter == "," and depth == 0:
                names.append(re.match(r"\s*(\**\w*)", word)[1])
                word = ""
            else:
                word += letter
        lists.append([name for name in names if name and name != "self" and not name.startswith("*")])
    return lists


def test_the_stub_has_every_name_and_no_other():
    told = stub_names(STUB.body)
    assert engine_names(_engine) == set(told)
    for name, node in told.items():
        if isinstance(node, ast.ClassDef):
            thing = getattr(_engine, name)
            if issubclass(thing, BaseException):
                continue
            assert engine_names(thing) == set(stub_names(node.body)), name


def test_the_stub_has_every_parameter():
    checked = 0
    for owner, body in [(_engine, STUB.body)] + [
            (getattr(_engine, node.name), node.body) for node in STUB.body if isinstance(node, ast.ClassDef)]:
        for name, node in stub_names(body).items():
            function = inspect.getattr_static(owner, name)
            function = getattr(function, "__func__", function)
            if not isinstance(node, ast.FunctionDef) or isinstance(function, property):
                continue
            lists = parameters(function)
            arguments = [argument.arg for argument in node.args.args + node.args.kwonlyargs if argument.arg != "self"]
            named = [names for names in lists if not any(re.fullmatch(r"arg\d+", one) for one in names)]
            if named:
                checked += 1
                assert arguments in named, f"{name}: the stub has {arguments}, the module {named}"
    assert checked > 10


def test_every_public_name_is_there_and_says_what_it_is():
    assert len(set(armature.__all__)) == len(armature.__all__)
    for name in armature.__all__:
        thing = getattr(armature, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert thing.__doc__, name


USER = """
import numpy as np
import armature

def total(audit: armature.Audit) -> int:
    return int(audit.counts.sum())

policy = armature.Policy("ucb", actions=["mail", "call"])
decision: armature.Decision = policy.choose()
policy.observe(decision, context=0, reward=1.0)
arms: list[str] = policy.choose(10).action
result = armature.simulate("hidden-arm", ["ucb"], horizon=1e3, replications=2)
final: np.ndarray[tuple[int], np.dtype[np.float64]] = result.final_regret("ucb")
world: armature.Instance = armature.Graph.parse("dag { a -> b }").instance("a", "b", "b")
bound: float | None = armature.bounds(20, 2, 1e6)["ucb"].value
weights = armature.design(np.eye(3)).weights
leverage: float = armature.design(np.eye(3), exact=True).largest_leverage
separated: bool = armature.Graph.parse("dag { a -> b }").separation("a", "b").separated
rows = total(armature.audit("log.csv", context=["opened", "clicked"]))
values: list[armature.ReplayValue] = armature.replay("log.csv", "ucb").values
"""

WRONG = """
import armature

armature.advise(actions="twenty")
armature.Graph.parse("dag { a -> b }").separation("a", "b").seperated
"""


def mypy(tmp_path, *arguments):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(PACKAGE.parents[1] / "pyproject.toml"),
         "--cache-dir", str(tmp_path / "cache"), *map(str, arguments)],
        capture_output=True, text=True, cwd=PACKAGE.parents[1], env=environment)


def test_strict_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(textwrap.dedent(USER))
    done = mypy(tmp_path, PACKAGE, tmp_path / "user.py")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "wrong.py").write_text(textwrap.dedent(WRONG))
    done = mypy(tmp_path, tmp_path / "wrong.py")
    assert len(re.findall(r"^.*wrong\.py:\d+: error", done.stdout, re.M)) == 2, done.stdout
