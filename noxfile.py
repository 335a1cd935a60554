#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The steps of ``.ci/run`` by name, each in an environment of its own: ``nox -s lint tests``."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
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
