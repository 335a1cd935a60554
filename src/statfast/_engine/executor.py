# SPDX-License-Identifier: BSD-3-Clause
"""Parts that the workers of a ``concurrent.futures`` executor read: processes, MPI, and others.

An executor keeps no data: each task names the places of its rows, and a worker loads them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from itertools import pairwise
from typing import Any

from statfast._engine.local_engine import HereEngine, Mapped, whoami
from statfast._engine.row_source import Work
from statfast._engine.tree_reduce import Served, merged, serve
from statfast._validation import as_count, wrong_type


class ExecutorEngine:
    """Tasks of runs of parts, one for each worker; see `Engine`.

    A worker that dies ends a pool of processes, which is raised as an error.
    """

    def __init__(self, executor: Any, workers: int | None = None) -> None:
        if not hasattr(executor, "submit"):
            raise wrong_type("executor", "a concurrent.futures.Executor", executor)
        self.executor = executor
        default_workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.workers = default_workers if workers is None else as_count(workers, "workers")

    def adopt(self, columns: Sequence[Any]) -> list[Any]:
        return HereEngine().adopt(columns)

    def places(self, refs: list[Any]) -> list[list[int]]:
        n, n_shares = len(refs), min(len(refs), self.workers)
        cuts = [n * w // n_shares for w in range(n_shares + 1)]
        return [list(range(a, b)) for a, b in pairwise(cuts)]

    def round(self, refs: list[Any], work: Work, state: Any) -> Served:
        shards = [[(number, refs[number]) for number in numbers] for numbers in self.places(refs)]
        futures, total = [], Served(len(refs), {})
        try:
            futures = [
                self.executor.submit(serve, work, state, shard, len(refs)) for shard in shards
            ]
            for future in as_completed(futures):
                total = merged([total, future.result()])
        except BrokenExecutor as error:
            raise RuntimeError(
                f"A worker of the executor died ({error}). Make a new one and fit again, or raise "
                "the workers' memory or the number of parts."
            ) from error
        finally:
            for future in futures:
                future.cancel()
        return total

    def keep(self, refs: list[Any], work: Callable[..., Any], state: Any) -> list[Any]:
        return [Mapped(ref, work, state) for ref in refs]

    def forget(self, fit: str) -> None:
        """Workers that load their parts remember nothing."""

    def whoami(self) -> list[dict[str, Any]]:
        return [self.executor.submit(whoami).result()]
