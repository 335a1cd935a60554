# SPDX-License-Identifier: BSD-3-Clause
"""Threads that stay awake through the many short steps of a kernel.

To hand a task to another thread takes the engine about 0.1 ms, and both need Python for it. Some
kernels take steps as short as that, each of which needs the one before. They are called by one
thread, and a `Team` does the parts of each step: its threads wait awake for the next, without
Python.
"""

import numpy as np

from statfast._core.threads import spin_wait as kernel
from statfast._engine import blocks

AWAKE_SECONDS = 1e-3  # seconds a thread waits for the next step before it goes


class Team:
    """The memory that kernels know a team by, and the threads that serve it.

    Parameters
    ----------
    n_jobs : int, optional
        As in `each`.
    effort : float
        Floating-point operations of all steps, about; few are left to the caller alone.

    Attributes
    ----------
    state : ndarray of int64
        What a kernel takes.
    """

    def __init__(self, n_jobs: int | None, effort: float) -> None:
        self.state = np.zeros(kernel.team_numbers(), np.int64)
        small = effort < blocks.MIN_FLOP_FOR_THREADS
        self._helpers = 0 if small else blocks.usable_threads(n_jobs) - 1
        self._calls = 0
        self._gone: list[None] = []  # one for each thread that has left: no lock is needed

    def gather(self) -> None:
        """Have threads come that are not here; before each call of a kernel.

        They take 0.1 ms, in which the caller does not wait for them.
        """
        blocks.checkpoint()
        kernel.leave(self.state, False)
        while self._calls - len(self._gone) < self._helpers:
            self._calls += 1
            blocks.invite(self._serve, self._helpers)

    def release(self) -> None:
        """Let all go: something else is to be done."""
        kernel.leave(self.state, True)

    def _serve(self) -> None:
        try:
            kernel.serve(self.state, AWAKE_SECONDS)
        finally:
            self._gone.append(None)
