# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows on threads that Ctrl-C ends, data in chunks, and long calls of libraries."""

from statfast._engine.blocks import (
    checkpoint,
    each,
    grid,
    reduce,
    report,
    set_progress,
    usable_threads,
)
from statfast._engine.chunks import Chunks
from statfast._engine.side_thread import aside
from statfast._engine.team import Team
from statfast._engine.text_bar import progress_bar

__all__ = [
    "Chunks",
    "Team",
    "aside",
    "checkpoint",
    "each",
    "grid",
    "progress_bar",
    "reduce",
    "report",
    "set_progress",
    "usable_threads",
]
