#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The steps of ``.ci/run`` by name, each in an environment of its own: ``nox -s lint tests``."""

import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
BUILD = ["setuptools>=77", "Cython>=3.2"]
CONTRACT = (
    "bits or one_row or dtype or modified or repeated or degenerate"  # on an emulated machine
)
PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.14t"]


def groups(session, *names):
    """Install dependency groups without the package."""
    session.install(*nox.project.dependency_groups(nox.project.load_toml(), *names))


@nox.session
def lint(session):
    """Style, spelling and types."""
    groups(session, "lint")
    session.install("numpy>=2.0")
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


@nox.session(default=False)
def oldest(session):
    """The tour, the contract and the kernels' tests on the least versions that are declared."""
    session.install("uv")
    session.run("uv", "pip", "install", "--resolution", "lowest-direct", ".[test]")
    session.run("python", "-m", "statfast")
    session.run("pytest", "tests/test_contract.py", "tests/core", *session.posargs)


@nox.session(default=False)
def cross(session):
    """All C compiled for other machines: what is written by hand, then what Cython wrote of it."""
    session.install("ziglang", *BUILD)
    session.run("python", ".ci/cross.py", *session.posargs)
    session.run("python", ".ci/cross.py", "--written", *session.posargs)


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
    session.run("python", "-m", "statfast")
    session.run("pytest", *(session.posargs or ["tests/core"]))


@nox.session(default=False)
def aarch64(session):
    """The tour, the kernels' tests and much of the contract on an emulated 64-bit ARM, in an hour.

    ``.ci/aarch64.py`` says what it needs; arguments after ``--`` go to pytest instead.
    """
    session.install("ziglang", "uv", *BUILD)
    session.run("python", ".ci/aarch64.py")
    session.chdir("build/aarch64/tree")
    python, brief = "../python", {"HYPOTHESIS_PROFILE": "brief", "STATFAST_NUM_THREADS": "1"}
    session.run(python, "-m", "statfast", external=True)
    pytest = [python, "-m", "pytest", "-p", "no:cacheprovider"]
    if session.posargs:
        session.run(*pytest, *session.posargs, external=True, env=brief)
        return
    session.run(*pytest, "-m", "not once", "tests/core", external=True, env=brief)
    session.run(*pytest, "tests/core/tile/test_levels.py", external=True, env=brief)
    # Of every estimator: the same answers in any run, on any threads, from any container.
    session.run(*pytest, "-k", CONTRACT, "tests/test_contract.py", external=True, env=brief)


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
