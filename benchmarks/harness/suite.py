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
EIGHTFOLD = 8  # how much larger the larger problem of a growth is


@dataclass(frozen=True)
class Library:
    """How a library does the tasks of a suite."""

    adapters: dict[str, Callable[[], Adapter]]  # by task
    # The distributions, where their names differ from the library's.
    packages: tuple[str, ...] = ()
    not_a_peer: str = ""  # The reason why it is shown, but cannot be "the fastest peer".
    rate: bool = False  # Whether it gives a time only, and no answer.
    limit: bool = False  # Whether its time is the hardware limit, measured by the same clock.
    dtypes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # task -> served; or all


@dataclass(frozen=True)
class Growth:
    """A suite's largest problem as one of its number of rows, or of what else grows in it."""

    n: int
    problem: Callable[[int], Problem]
    power: int = 1  # of n, with which the plain algorithm grows

    def pair(self) -> tuple[Problem, Problem]:
        """An eighth of the problem, and the problem."""
        return self.problem(self.n // EIGHTFOLD), self.problem(self.n)


@dataclass(frozen=True)
class Suite:
    """A file of `benchmarks/suites` has one or more."""

    name: str
    title: str  # The title of its table on the page of benchmarks.
    problems: list[Problem]
    # The same tasks on small shapes: a smoke test, whose figures mean nothing.
    quick: list[Problem]
    libraries: dict[str, Library]
    checks: dict[str, Callable[[dict], Check]]  # by task; made from a problem's data
    tolerances: dict[str, Tolerances]  # by task
    bars: dict[str, list[Bar]]  # by group; without any the page has a line for each problem
    growth: Growth | None = None  # None where no problem has a size.
    family: str = ""  # The line of the README that it belongs to, which suites of a family share.
    # The number of threads of all libraries, where it is not the user's choice.
    threads: int | None = None
    sizes: bool = False  # Whether the sizes of the packages are shown.

    def find(self, *, quick: bool = False) -> list[Problem]:
        return self.quick if quick else self.problems

    def named(self, name: str, *, quick: bool = False) -> Problem:
        """A problem by its name, the eighth of the largest one too."""
        grown = self.growth.pair() if self.growth else ()
        return next(p for p in (*self.find(quick=quick), *grown) if p.name == name)

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
        return {
            p for name, library in every for p in library.packages or (name.partition(" (")[0],)
        }
