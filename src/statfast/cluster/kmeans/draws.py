# SPDX-License-Identifier: BSD-3-Clause
"""Rows drawn one after the other, and the distances of all rows to those drawn so far.

Distances are kept from pass to pass. For rows in memory they are an array. For rows in parts they
are soft state, which stays with each part, and is computed again from the drawn rows if it is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Any

import numpy as np

from statfast._engine import Work, borrowed, has_weight
from statfast._typing import Array
from statfast.cluster.kmeans.block_passes import sweep
from statfast.cluster.kmeans.data import KMeansData
from statfast.cluster.kmeans.part_data import PartsData


class Closest:
    """Squared distances of rows to the nearest of the centers drawn so far."""

    def __init__(self, n: int) -> None:
        self.squares, self.potential, self._joined = np.full(n, np.inf), np.inf, 0

    def join(self, data: KMeansData, drawn: list[Array]) -> None:
        """Add the new centers of a list of arrays."""
        for centers in drawn[self._joined :]:
            self.potential = approach(data, centers, self.squares)
            self._joined += 1

    def chances(self, weights: Array | None) -> Array:
        """Weight * squared distance."""
        return self.squares if weights is None else self.squares * weights


class LocalDraws:
    """Draws among rows that this process reads."""

    def __init__(self, data: KMeansData) -> None:
        self.data, self._closest = data, Closest(data.shape[0])

    def total(
        self, function: Callable[..., Any], drawn: list[Array], *state: Any, nothing: Any = None
    ) -> Any:
        """``function(data, closest, start, *state)``, `start` being the number of the first row."""
        self._closest.join(self.data, drawn)
        return function(self.data, self._closest, 0, *state)


class PartDraws:
    """Draws among rows in parts: a round for each pass, whose statistics add up."""

    def __init__(self, data: PartsData) -> None:
        self.data = data.with_memory()

    def total(self, function: Any, drawn: list, *state: Any, nothing: Any = None) -> Any:
        """See `LocalDraws.total`; parts without weight give `nothing`."""
        work = Work(_on_part, numbered=True, empty=True)
        return self.data.total(work, function, drawn, state, nothing)


def draws_of(data: Any) -> LocalDraws | PartDraws:
    """Draws among rows wherever they lie."""
    return PartDraws(data) if isinstance(data, PartsData) else LocalDraws(data)


def _on_part(columns: Any, sent_state: Any, number: Any) -> Any:
    data, function, drawn, state, nothing = sent_state
    if not (len(columns[0]) and has_weight(columns[2])):
        return nothing
    rows = data.of_part(columns)
    with borrowed(data.fit, columns[0], lambda: Closest(rows.shape[0])) as closest:
        closest.join(rows, drawn)
        return function(rows, closest, data.starts[number], *state)


def approach(data: KMeansData, centers: Array, closest: Array) -> float:
    """Lower the squared distances by new centers; returns the potential after that."""
    frame = data.rows.frame(centers, data.origin, data.scale)

    def partial(where: slice, X: Any, weights: Array | None, closest: Array) -> float:
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        np.minimum(closest, X.distances_to_labels(frame, labels), out=closest)
        return float((closest if weights is None else closest * weights).sum())

    return sweep(
        partial, data.rows, data.weights, closest,
        merge=add, size=centers.size, n_jobs=data.n_jobs,
    )  # fmt: skip
