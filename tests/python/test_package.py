"""The package: what the wheel holds, and that it works in a clean virtual environment without a network."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_optional_packages_are_not_imported():
    code = ("import sys, armature; "
            "print([name for name in ('pandas', 'matplotlib', 'networkx', 'tqdm', 'IPython') if name in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_version_is_the_commands(command):
    import armature

    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert armature.__version__ in told.split()


def test_a_wheel_in_a_clean_environment(tmp_path):
    if "ARMATURE_BUILD" not in os.environ:
        pytest.skip("needs ARMATURE_BUILD, the folder of a build to take the module from")
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CMakeLists.txt"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=tmp_path,
                              env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", "clean")
    python = tmp_path / "clean" / "bin" / "python"
    run(python, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "-w", "wheels",
        source)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    held = {pathlib.PurePath(name).name for name in zipfile.ZipFile(wheel).namelist()}
    ours = {path.name for path in (ROOT / "python" / "armature").glob("*.py*") if path.is_file()}
    assert ours | {"py.typed", "_engine.pyi"} <= held
    assert any(name.startswith("_engine.") and name.endswith(".so") for name in held)
    run(python, "-m", "pip", "install", "--quiet", "--no-index", wheel)
    where = run(python, "-c", "import armature; print(armature.__file__, armature.bounds(20, 2, 1e6)['ucb'].holds)")
    assert str(tmp_path / "clean") in where and where.endswith("True\n")
