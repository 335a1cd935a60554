#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The steps of ``.ci/run`` by name, each in an environment of its own: ``nox -s lint tests``."""

import platform
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
BUILD = ["setuptools>=77", "Cython>=3.2"]
CONTRACT = (
    "bits or one_row or dtype or modified or repeated or degenerate"  # on an emulated machine
)
TOUR = ["python", "-m", "statfast"]
CONTRACT_AND_KERNELS = ["tests/contract/test_contract.py", "tests/core"]
ROOT = Path(__file__).parent
PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.14t"]
CONVERTED = ["1.4.2", "1.5.0", "1.6.0", "1.7.0", "1.8.0", "1.9.0"]  # scikit-learn, from NumPy 2 on


def groups(session, *names):
    """Install dependency groups without the package."""
    session.install(*nox.project.dependency_groups(nox.project.load_toml(), *names))


@nox.session
def lint(session):
    """Style, spelling and types."""
    groups(session, "lint")
    session.install("numpy>=2.0,<2.5")  # the stubs of 2.5 refuse argmin() without arguments
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("cython-lint", "src")
    session.run("codespell")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session):
    """The tests, on the installed package; arguments after ``--`` go to pytest."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


def recorded(session, name, *commands, **options):
    """Run commands, and leave for docs/support.rst how they ended; see ``.ci/record.py``."""
    words = [word for command in commands for word in ("--", *command)]
    session.run("python", str(ROOT / ".ci/record.py"), name, *words, **options)


@nox.session(default=False, python="3.11")
def oldest(session):
    """The tour, the contract, the tests of kernels and of Dask on the least versions declared."""
    session.install("uv")
    session.run("uv", "pip", "install", "--resolution", "lowest-direct", ".[test]")
    tests = ["-m", "not once", *CONTRACT_AND_KERNELS, "tests/engine/test_dask.py"]
    recorded(session, "oldest", TOUR, ["pytest", "-q", *(session.posargs or tests)])


@nox.session(default=False)
def newest(session):
    """The same on the newest versions there are, pre-releases among them."""
    session.install("uv")
    session.run("uv", "pip", "install", "--upgrade", "--prerelease", "allow", ".[test]")
    recorded(session, "newest", TOUR, ["pytest", "-q", *(session.posargs or CONTRACT_AND_KERNELS)])


@nox.session(default=False, python="3.11")
@nox.parametrize("least", CONVERTED)
def converters(session, least):
    """Models from and to scikit-learn, of each of its versions (the last correction there is)."""
    tests = session.posargs or ["tests/interchange/test_scikit_learn_models.py"]
    session.install("hypothesis>=6.140", "pandas>=2.2.2", "pytest>=8", f"scikit-learn~={least}")
    session.install(".")
    recorded(session, f"scikit-learn-{least.rpartition('.')[0]}", ["pytest", "-q", *tests])


@nox.session(default=False, python=PYTHONS)
def wheel(session):
    """The wheel in ``dist/``, with numpy, scipy and pytest alone, and no compiler."""
    session.install("pytest>=8", "numpy", "scipy")
    threads = session.python.endswith("t")
    tag = f"cp{session.python.replace('.', '')}" if threads else "abi3"
    session.install("--no-index", "--no-deps", *map(str, ROOT.glob(f"dist/statfast-*-{tag}-*.whl")))
    system = f"{platform.system().lower()}-{platform.machine()}"
    tests = ["pytest", "-q", "-m", "wheel", *session.posargs]
    recorded(session, f"wheel-{session.python}-{system}", TOUR, tests)


@nox.session(default=False)
def cross(session):
    """All C compiled for other machines: what is written by hand, then what Cython wrote of it."""
    session.install("ziglang", *BUILD)
    script = ["python", ".ci/cross.py"]
    recorded(session, "cross", [*script, *session.posargs], [*script, "--written"])


@nox.session(default=False)
def clang(session):
    """The kernels' tests and the tour of a build by clang (Debian: ``apt-get install clang``)."""
    if not shutil.which("clang"):
        session.error("clang is missing: apt-get install clang")
    tree = Path(session.create_tmp(), "tree")  # with no object file of another compiler
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"):
        tree.mkdir(exist_ok=True)
        shutil.copy2(name, tree)
    shutil.copytree("src", tree / "src", ignore=shutil.ignore_patterns("*.so"))
    session.install(f"{tree}[test]", env={"CC": "clang", "LDSHARED": "clang -shared"})
    recorded(session, "clang", TOUR, ["pytest", "-q", *(session.posargs or ["tests/core"])])


@nox.session(default=False)
def aarch64(session):
    """The tour, the kernels' tests and much of the contract on an emulated 64-bit ARM, in an hour.

    ``.ci/aarch64.py`` says what it needs; arguments after ``--`` go to pytest instead.
    """
    session.install("ziglang", "uv", *BUILD)
    session.run("python", ".ci/aarch64.py")
    session.chdir("build/aarch64/tree")
    brief = {"HYPOTHESIS_PROFILE": "brief", "STATFAST_NUM_THREADS": "1"}
    pytest = ["../python", "-m", "pytest", "-p", "no:cacheprovider"]
    if session.posargs:
        session.run(*pytest, *session.posargs, external=True, env=brief)
        return
    commands = (
        ["../python", "-m", "statfast"],
        [*pytest, "-m", "not once", "tests/core"],
        # Of every estimator: the same answers in any run, on any threads, from any container.
        [*pytest, "-k", CONTRACT, "tests/contract/test_contract.py"],
    )
    recorded(session, "aarch64", *commands, env=brief)


@nox.session(default=False)
def tour(session):
    """``python -m statfast`` from another folder."""
    session.install(".")
    session.chdir(session.create_tmp())
    session.run("python", "-m", "statfast")


@nox.session(default=False)
def docs(session):
    """The site, in ``site/``; warnings are errors."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "docs", "site")


@nox.session(default=False)
def bench(session):
    """Benchmarks against all peers: ``nox -s bench -- kmeans --quick``."""
    session.install(".")
    groups(session, "bench")
    session.run("python", "-m", "benchmarks.harness.run", *session.posargs)


@nox.session(default=False)
def dist(session):
    """The source distribution and the wheel, in ``dist/``, with their metadata checked."""
    session.install("build", "twine")
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", "dist/*", external=False)


@nox.session(default=False)
def gate(session):
    """Everything that must hold before a change is merged."""
    session.run(".ci/run", external=True)


if __name__ == "__main__":
    nox.main()
