# SPDX-License-Identifier: BSD-3-Clause
"""The suites, found by looking into the folders: every `Suite` of a module in benchmarks.suites."""

import pkgutil
from importlib import import_module

from benchmarks import suites
from benchmarks.harness.suite import Suite


def modules() -> list[str]:
    walk = pkgutil.walk_packages(suites.__path__, f"{suites.__name__}.")
    return [module.name for module in walk if not module.ispkg]


def suites_of(module: str) -> list[Suite]:
    return [value for value in vars(import_module(module)).values() if isinstance(value, Suite)]


SUITES: dict[str, Suite] = {
    suite.name: suite for module in modules() for suite in suites_of(module)
}
LIBRARIES = sorted({name for suite in SUITES.values() for name in suite.libraries})
