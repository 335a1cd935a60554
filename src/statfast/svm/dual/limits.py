# SPDX-License-Identifier: BSD-3-Clause
"""The solver with the limits of one fit: tolerance, steps, time and callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from math import inf
from numbers import Integral
from typing import Any, NamedTuple

from statfast._typing import Array
from statfast._validation import as_count, free_memory
from statfast.svm.dual.solver import DualSolution, solve

MAX_DEFAULT_CACHE = 2**32  # Bytes that rows may take where cache_size is None.


class Progress(NamedTuple):
    """Progress of a fit.

    Attributes
    ----------
    machine, machines : int
        Which of the machines is being trained, from 1, and of how many.
    n_iter : int
        Steps so far on this machine.
    gap : float
        By how much the optimality conditions are violated; at `tol` it is done.
    seconds : float
        Since the fit began.

    Examples
    --------
    >>> from statfast import SVC
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> states = []
    >>> model = SVC(callback=states.append).fit(iris.data, iris.target)
    >>> states[-1].machine, states[-1].machines
    (3, 3)
    """

    machine: int
    machines: int
    n_iter: int
    gap: float
    seconds: float


class Run:
    """Calls the solver on a kernel matrix until time is up."""

    def __init__(self, params: Any, gram: Any) -> None:
        """`params` are the checked parameters of the estimator."""
        self.gram, self.tol, self.max_iter = gram, params.tol, params.max_iter
        self.begin = time.monotonic()
        self.end = self.begin + (inf if params.time_limit is None else params.time_limit)
        self.tell = params.callback
        self.machine, self.machines = 0, 1
        self.validates = False  # whether the machines are those of a cross-validation
        self.held_short = 0  # How many of those machines were stopped by a limit.

    def __call__(self, linear: Array, sign: Array, upper: Array, **more: Any) -> DualSolution:
        time_left = None if self.end == inf else max(0.0, self.end - time.monotonic())
        more = {"tol": self.tol, **more}
        return solve(
            self.gram, linear, sign, upper, max_iter=self.max_iter, time_limit=time_left,
            callback=None if self.tell is None else self._hear, **more,
        )  # fmt: skip

    def counted(self, tasks: list[tuple[Array, Array]]) -> Iterator[tuple[Array, Array]]:
        """The tasks, one machine each."""
        self.machines = len(tasks)
        for self.machine, task in enumerate(tasks, 1):
            yield task

    def _hear(self, n_iter: int, gap: float) -> bool:
        """Whether the user wants the fit to end."""
        seconds = time.monotonic() - self.begin
        return self.tell(Progress(self.machine, self.machines, n_iter, gap, seconds)) is True


def as_steps(max_iter: int, name: str) -> int | None:
    """Most steps of the solver on a machine; None for -1: as many as are taken unasked."""
    if max_iter is None or (isinstance(max_iter, Integral) and max_iter == -1):
        return None
    return as_count(max_iter, name)


def cache_room(cache_size: Any) -> float:
    """Bytes for rows of a kernel matrix: of so many megabytes, or a share of what is free."""
    if cache_size is not None:
        return min(cache_size * 2**20, sys.maxsize)
    return min((free_memory() or 2**32) / 4, MAX_DEFAULT_CACHE)
