"""Builds the Python package: setuptools drives CMake, which builds the library and the module.

`ARMATURE_BUILD` names a build folder to take up; what is built there is not built again.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(armature VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    """The one extension is CMake's target armature_python."""

    def build_extension(self, extension: Extension) -> None:
        given = os.environ.get("ARMATURE_BUILD")
        build = pathlib.Path(given or ROOT / "build" / "package").resolve()
        if not given:
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                            "-DARMATURE_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "armature_python", "--parallel"], check=True)

        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        made = build / "python" / "armature" / target.name
        if not made.exists():
            raise SystemExit(f"{made} was not built: pybind11 2.10, numpy and the headers of this Python "
                             f"({sys.executable}) are needed")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, target)


setup(
    version=VERSION,
    packages=["armature"],
    package_dir={"": "python"},
    package_data={"armature": ["*.pyi", "py.typed"]},
    ext_modules=[Extension("armature._engine", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    zip_safe=False,
)
