# SPDX-License-Identifier: BSD-3-Clause
"""Work on blocks of rows: interruptible threads, data in chunks and in parts, long library
calls."""

from statfast._engine.bars import (
    close_call,
    count_steps,
    named_call,
    open_call,
    progress_bar,
)
from statfast._engine.blocks import (
    checkpoint,
    each,
    fold,
    granted,
    grid,
    hook,
    reduce,
    report,
    set_progress,
    usable_threads,
)
from statfast._engine.cache_lines import aligned
from statfast._engine.chunks import Chunks
from statfast._engine.coerce import as_documents, as_pairs, as_parts, is_distributed
from statfast._engine.parts import Parts, end_fits, new_fit
from statfast._engine.row_source import (
    InMemory,
    RowSource,
    Work,
    has_weight,
    rows_at,
    source_of,
)
from statfast._engine.side_thread import interruptible
from statfast._engine.team import Team
from statfast._engine.tree_reduce import Stacked
from statfast._engine.worker_cache import borrowed, parts_stay, remembered

__all__ = [
    "Chunks",
    "InMemory",
    "Parts",
    "RowSource",
    "Stacked",
    "Team",
    "Work",
    "aligned",
    "as_documents",
    "as_pairs",
    "as_parts",
    "borrowed",
    "checkpoint",
    "close_call",
    "count_steps",
    "each",
    "end_fits",
    "fold",
    "granted",
    "grid",
    "has_weight",
    "hook",
    "interruptible",
    "is_distributed",
    "named_call",
    "new_fit",
    "open_call",
    "parts_stay",
    "progress_bar",
    "reduce",
    "remembered",
    "report",
    "rows_at",
    "set_progress",
    "source_of",
    "usable_threads",
]
