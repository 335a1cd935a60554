# SPDX-License-Identifier: BSD-3-Clause
"""One call, measured; and a place for calls of which the program is to notice nothing."""

from __future__ import annotations

import io
import os
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass
class Usage:
    """What a call took."""

    seconds: float
    memory: float  # bytes at the peak above those at the beginning; NaN where no system tells it


def measured(call: Callable[[], Any]) -> tuple[Any, Usage]:
    """The answer of a call, and what it took."""
    before = _reset_peak()
    start = time.perf_counter()
    answer = call()
    seconds = time.perf_counter() - start
    return answer, Usage(seconds, max(_peak() - before, 0.0) if before == before else np.nan)


def _reset_peak() -> float:
    """Resident bytes now, from which a new peak is counted; NaN but on Linux."""
    try:
        Path("/proc/self/clear_refs").write_text("5", "ascii")
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return float(pages * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, AttributeError):
        return np.nan


def _peak() -> float:
    status = Path("/proc/self/status").read_text("ascii", errors="replace")
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return float(line.split()[1]) * 1024.0


class _OtherThreads(io.TextIOBase):
    """A stream that shows what other threads write; what this one writes is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._owner = stream, threading.get_ident()

    def write(self, text: str) -> int:
        if threading.get_ident() != self._owner and self._stream is not None:
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep from a program what is drawn, printed, warned of and set inside.

    Global random states and numpy's handling of errors are put back. Warnings are dropped by a
    filter in front of the program's, whose list is changed in place: `warnings.catch_warnings`
    would have Python forget which warnings the program has seen, and show them again.
    """
    states = np.random.get_state(), random.getstate()  # noqa: NPY002
    drop = ("ignore", None, Warning, None, 0)
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, drop)
    out, error = (_OtherThreads(stream) for stream in (sys.stdout, sys.stderr))
    try:
        with np.errstate(all="ignore"), redirect_stdout(out), redirect_stderr(error):
            yield
    finally:
        if drop in filters:
            filters.remove(drop)
        np.random.set_state(states[0])  # noqa: NPY002
        random.setstate(states[1])
