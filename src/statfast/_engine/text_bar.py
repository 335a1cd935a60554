# SPDX-License-Identifier: BSD-3-Clause
"""A text progress bar for long calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from statfast._engine import blocks
from statfast._validation import wrong_type

BAR_WIDTH = 40  # characters of the bar
SECONDS_BETWEEN_WRITES = 0.1  # seconds between two updates of the bar


@contextmanager
def progress_bar(file: Any = None) -> Iterator[None]:
    """Context manager that shows a progress bar for long calls.

    Parameters
    ----------
    file : text file, optional
        What the bar is written to; None is ``sys.stderr``.

    Yields
    ------
    None

    Raises
    ------
    TypeError
        If `file` cannot be written to.

    See Also
    --------
    set_progress : hand the counts to a function of your own.

    Notes
    -----
    A call is one or more passes over its work, and the bar starts over with each. It is written at
    most ten times a second, and the hook that was set before is set again at the end of the block.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from statfast import KMeans, progress_bar
    >>> X = np.random.default_rng(0).random((50_000, 8))
    >>> with progress_bar(io.StringIO()):
    ...     model = KMeans(3, n_init=1, random_state=0).fit(X)
    """
    out = sys.stderr if file is None else file
    if not all(callable(getattr(out, name, None)) for name in ("write", "flush")):
        raise wrong_type("file", "a text file", file)
    last, longest = -SECONDS_BETWEEN_WRITES, 0

    def show(done: int, total: int | None) -> None:
        nonlocal last, longest
        now = monotonic()
        if now - last < SECONDS_BETWEEN_WRITES and done != total:
            return
        last = now
        filled = BAR_WIDTH * done // total if total else 0
        line = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total or '?'}"
        longest = max(longest, len(line))
        out.write("\r" + line.ljust(longest))
        out.flush()

    before = blocks._progress
    blocks.set_progress(show)
    try:
        yield
    finally:
        blocks.set_progress(before)
        if longest:
            out.write("\n")
