# SPDX-License-Identifier: BSD-3-Clause
"""Threads that stay awake through the many short steps of a kernel.

Handing a task to another thread takes the engine about 0.1 ms, and both need Python for it. Some
kernels take steps as short as that, each of which needs the one before. One thread calls such a
kernel, and the threads of a `Team` do the parts of each step: they wait awake for the next one,
without Python.
"""

from __future__ import annotations

import numpy as np

from statfast._core.threads import spin_wait as kernel
from statfast._engine import blocks

AWAKE_SECONDS = 1e-3  # seconds a thread waits for the next step before it leaves


class Team:
    """The shared memory of a team, by which kernels know it, and its threads.

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
        self._gone: list[None] = []  # one entry for each thread that left: append needs no lock

    def gather(self) -> None:
        """Call the missing threads; to be done before each call of a kernel.

        They take 0.1 ms to come, for which the caller does not wait.
        """
        blocks.checkpoint()
        kernel.leave(self.state, False)
        while self._calls - len(self._gone) < self._helpers:
            self._calls += 1
            blocks.invite(self._serve, self._helpers)

    def release(self) -> None:
        """Let all threads go, as the caller does something else."""
        kernel.leave(self.state, True)

    def _serve(self) -> None:
        try:
            kernel.serve(self.state, AWAKE_SECONDS)
        finally:
            self._gone.append(None)
