# SPDX-License-Identifier: BSD-3-Clause
"""What a suite is: problems, who solves them and how, the check, its tolerances, and the bars.

Nothing is imported before an adapter is prepared: a library that is not installed is reported as
absent, a class that is missing as failed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem

OURS = "statfast"


@dataclass(frozen=True)
class Library:
    """How a library does the tasks of a suite."""

    adapters: dict[str, Callable[[], Adapter]]  # by task
    packages: tuple[str, ...] = ()  # distributions, where they have another name than the library
    not_a_peer: str = ""  # why it is shown but cannot be "the fastest peer"
    rate: bool = False  # it gives the time alone: there is no answer
    limit: bool = False  # its time is the hardware limit under the same clock
    dtypes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # task -> served; or all


@dataclass(frozen=True)
class Suite:
    """A file of `benchmarks/suites` has one or more."""

    name: str
    title: str  # of its table on the page of benchmarks
    problems: list[Problem]
    quick: list[Problem]  # the same tasks on small shapes: a smoke test, no figures to quote
    libraries: dict[str, Library]
    checks: dict[str, Callable[[dict], Check]]  # by task; made from a problem's data
    tolerances: dict[str, Tolerances]  # by task
    bars: dict[str, list[Bar]]  # by group; without any the page has a line for each problem
    family: str = ""  # its line in the README, which suites of one family share
    threads: int | None = None  # for everyone, where it is not the user's choice
    sizes: bool = False  # whether the sizes of the packages are told

    def find(self, *, quick: bool = False) -> list[Problem]:
        return self.quick if quick else self.problems

    def entrants(self, problem: Problem) -> list[str]:
        """The libraries that do a problem's task in its dtype."""
        return [
            name
            for name, library in self.libraries.items()
            if problem.task in library.adapters
            and problem.dtype in library.dtypes.get(problem.task, (problem.dtype,))
        ]

    def adapter(self, library: str, problem: Problem) -> Adapter:
        return self.libraries[library].adapters[problem.task]()

    def checker(self, problem: Problem, data: dict) -> Check:
        """A function answer -> {error name: size}."""
        return self.checks[problem.task](data)

    def bounds(self, problem: Problem, *, ours: bool) -> dict[str, float]:
        """The largest error of each name that an answer may have."""
        return self.tolerances[problem.task].limits(problem.dtype, ours=ours)

    def verdict(self, problem: Problem, errors: dict, *, ours: bool) -> bool:
        """Whether each error that has a bound is there and within it; NaN is within none."""
        bounds = self.bounds(problem, ours=ours)
        return all(name in errors and errors[name] <= bound for name, bound in bounds.items())

    def is_peer(self, library: str) -> bool:
        return library != OURS and not self._library(library).not_a_peer

    def is_limit(self, library: str) -> bool:
        return self._library(library).limit

    def _library(self, library):
        return self.libraries.get(library, Library({}))

    def packages(self) -> set[str]:
        """The distributions whose versions are told; "a library (its solver)" is of the library."""
        every = self.libraries.items()
        return {p for name, one in every for p in one.packages or (name.partition(" (")[0],)}
