# SPDX-License-Identifier: BSD-3-Clause
"""What a family found, and tables of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Finding:
    """What a family found, to be shown and judged."""

    title: str
    lines: list[str]
    agrees: bool  # Whether the answer is the known one.
    seconds: float


def cross_table(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How often each pair of codes occurs."""
    table = np.zeros((rows.max() + 1, columns.max() + 1), dtype=int)
    np.add.at(table, (rows, columns), 1)
    return table


def in_order_of_appearance(labels: np.ndarray) -> np.ndarray:
    """Clusters numbered in the order in which the rows come to them."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[codes]


def beside(rows: str, names: Sequence[str], columns: str, ours: Any, known: Any) -> list[str]:
    """Our table of counts and the known one, side by side."""
    width = max(map(len, [rows, *names]))
    wide = 5 * len(ours[0])
    lines = [f"{rows:<{width}}{columns:>{wide + 3}}{'known':>{wide + 3}}"]
    for name, counts_here, counts_known in zip(names, ours, known, strict=True):
        counts = ["".join(f"{count:5d}" for count in part) for part in (counts_here, counts_known)]
        lines.append(f"{name:<{width}}   {counts[0]}   {counts[1]}")
    return lines
