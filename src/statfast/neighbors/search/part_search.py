# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors among rows in parts.

Each part is searched where it lies, by an index of its own that stays there, and the k nearest are
merged by distance and row number.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from uuid import uuid4
from weakref import finalize

import numpy as np

from statfast._engine import Work, remembered
from statfast._estimator import copied, first_round
from statfast._validation import as_count, as_rows, refuse_large, require_finite, require_width

METRICS = (
    "euclidean", "l2", "sqeuclidean", "manhattan", "l1", "cityblock", "chebyshev", "minkowski",
    "cosine", "hamming", "canberra", "braycurtis", "haversine",
)  # fmt: skip


@dataclass(frozen=True)
class PartIndex:
    """The parts, and the number of the first row of each."""

    parts: object
    fit: str
    starts: tuple
    dtype: np.dtype

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "Neighbors of rows in parts cannot be pickled: the rows are not here. Fit again."
        )


def index_of_parts(model: Any, parts: Any) -> Any:
    """The fitted attributes of a search among parts, whose rows a first round counts."""
    if model.metric not in METRICS:
        raise ValueError(
            f"metric must be one of {', '.join(METRICS)} for rows in parts; got {model.metric!r}, "
            "which asks for all rows at once."
        )
    first = first_round(parts, False)
    starts = (0, *accumulate(first.lengths))
    index = PartIndex(parts, uuid4().hex, starts, first.X.dtype)
    finalize(index, parts.engine.forget, index.fit).atexit = False
    return {
        "n_samples_fit_": starts[-1],
        "n_features_in_": first.X.shape[1],
        "_parts": index,
    }


def neighbors_in_parts(model: Any, X: Any, n_neighbors: int | None) -> Any:
    """Distances and row numbers (m, k)."""
    index = model._parts
    if X is None:
        raise ValueError("X must be given for rows in parts; got None. Pass the queries.")
    rows = np.array(as_rows(X, keep=(np.float64, np.float32, np.uint8)))
    require_width(model, rows)
    k = model.n_neighbors if n_neighbors is None else n_neighbors
    k = as_count(k, "n_neighbors", 1, model.n_samples_fit_, limit="the number of fitted rows")
    refuse_large(24 * len(rows) * k, "The table of neighbors", "Pass the rows of X in parts.")
    params = copied(model).set_params(n_neighbors=1)
    nearest = index.parts.total(
        Work(_near, numbered=True, empty=True), (params, index.fit, rows, k, index.starts)
    )
    return nearest.distances, nearest.ids


class _Near:
    """The k nearest of one or more parts, by distance, reduced distance and row number."""

    def __init__(self, distances: Any, reduced: Any, ids: Any, k: int) -> None:
        self.distances, self.reduced, self.ids, self.k = distances, reduced, ids, k

    def __add__(self, other):
        both = [
            np.hstack([getattr(self, name), getattr(other, name)])
            for name in ("distances", "reduced", "ids")
        ]
        order = np.lexsort((both[2], both[1], both[0]))[:, : self.k]
        return _Near(*(np.take_along_axis(part, order, axis=1) for part in both), self.k)


def _near(columns: Any, sent_state: Any, number: Any) -> Any:
    params, fit, queries, k, starts = sent_state
    X = columns[0]
    if not len(X):
        return None

    def make() -> Any:
        require_finite(X)
        return copied(params).fit(X)

    model = remembered(fit, X, make)
    reduced, ids = model._nearest(model._queries(queries), min(k, len(X)))
    distances = model._metric.finish(reduced.copy(), out=np.empty_like(reduced))
    return _Near(distances, reduced, ids + starts[number], k)
