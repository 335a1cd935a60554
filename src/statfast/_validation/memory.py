# SPDX-License-Identifier: BSD-3-Clause
"""Allocations that would not fit into memory are refused before they are made."""

from __future__ import annotations

from pathlib import Path

# ------------------------------------------------------------------ memory
_CGROUP = Path("/sys/fs/cgroup")


def refuse_large(nbytes: float, what: str, instead: str) -> None:
    """Raise MemoryError if ``what`` would take more than half the free memory."""
    if takes_too_much(nbytes):
        raise MemoryError(
            f"{what} needs {nbytes / 2**30:.1f} GiB, more than half of the "
            f"{(free_memory() or 0) / 2**30:.1f} GiB of free memory. {instead}"
        )


def takes_too_much(nbytes: float) -> bool:
    """Whether so many bytes are more than half the free memory."""
    free = free_memory() if nbytes > 1 << 26 else None
    return free is not None and nbytes > free / 2


def free_memory() -> int | None:
    """Bytes the process may still take, where Linux says so; None elsewhere."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration):
        return None
    try:
        limit, used = (int((_CGROUP / f"memory.{end}").read_text()) for end in ("max", "current"))
    # There is no such file, or no limit, in which case it contains "max".
    except (OSError, ValueError):
        return free
    return max(0, min(free, limit - used))
