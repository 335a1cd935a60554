# SPDX-License-Identifier: BSD-3-Clause
"""Approximate nearest neighbors by locality-sensitive hashing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from statfast._distance import FLOAT32_SCALE, Float32Frame, extent_of, with_contiguous_rows
from statfast._estimator import (
    Estimator,
    count,
    fitted,
    jobs,
    nothing,
    one_of,
    param,
    randomness,
    real,
)
from statfast._typing import Array, Jobs, Rows, Seed
from statfast._validation import (
    as_count,
    as_generator,
    as_rows,
    not_fitted,
    refuse_large,
    rows_for,
)
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.magnitude import require_size, width_of
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.hashing.hashes import FAMILIES, MAX_PARTS
from statfast.neighbors.hashing.tables import HashTables
from statfast.neighbors.hashing.tuning import MAX_TABLES, Sample, Wish, choose
from statfast.neighbors.search.search import MAX_ROWS, NATIVE_DTYPES, finite

METRICS = ("euclidean", "cosine")
SAMPLE_ROWS = 128  # rows that hashes are tuned on, and as many others on which recall is measured
MAX_MISSED_SHARE = 0.3  # of the neighbors that may be missed: those that tuning plans to miss
MAX_TRIES = 8  # times that probes are raised while the measured recall is too low


class LSHNeighbors(Estimator):
    """Approximate nearest neighbors by locality-sensitive hashing (LSH).

    The distances returned are exact; **which rows are returned is approximate**: a fraction of
    about `recall` of them are the true nearest neighbors. `NearestNeighbors` is exact, and for
    fewer than about 100 000 rows often as fast.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each row, k.
    metric : {"euclidean", "cosine"}, default="euclidean"
        The distance: that of the samples, or 1 - cos of the angle between them.
    hash : {"auto", "p_stable", "hyperplane"}, default="auto"
        What a table hashes by: whole parts of random projections [1]_, or signs of random
        projections [2]_, which see directions from the mean of the rows (from the origin, for
        "cosine"). "auto" takes the one that is cheapest at the target.
    recall : float, default=0.9
        Fraction of the true neighbors to find, on average over queries like the fitted samples;
        between 0 and 1, both excluded. fit chooses the parameters below, where they are None, to
        reach it at the least cost on a sample of the fitted samples.
    n_tables : int, optional
        Hash tables, at most 32 if chosen by fit.
    hash_length : int, optional
        Projections (p_stable) or planes (hyperplane) of a table's hash, at most 64.
    width : float, optional
        Width of the intervals of p_stable hashes, in the units of the data.
    n_probes : int, optional
        Buckets that a query looks into in each table, nearest first [3]_.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the hashes and samples; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    recall_ : float
        Recall measured on up to 128 fitted samples, each excluding itself, that took no part in the
        choice of the hashes. With fewer than 256 samples all took part in both.
    hash_ : str
        The family used.
    n_tables_, hash_length_, n_probes_ : int
        What was chosen, or given.
    width_ : float or None
        As `width`; None if hashes have none.
    n_samples_fit_ : int
        Number of fitted samples, n.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.
    nbytes_ : int
        Memory of the tables.

    Notes
    -----
    A query looks into `n_probes_` buckets of each table. The distances of the rows found are
    float64 sums of squared differences, and neighbors are ordered by (distance, index): **among
    the rows found, ties go to the lowest index**. For "cosine" the rows are first scaled to length
    1 in float64, and half the squared distance is returned.

    A query that finds fewer than k rows looks into at least four times as many buckets, and if
    that does not suffice it is answered by brute force, exactly. A row equal to the query shares
    all its buckets, so it is always found (unless there are more than k). Asking `kneighbors` for
    more neighbors than `n_neighbors` may find a smaller fraction.

    Where no setting reaches the target, that of the largest recall is kept; look at `recall_`.
    Results are the same bits for any number of threads. Hashes are made in float32, so another
    instruction set may find other rows.

    float64, float32 and uint8 rows are kept by reference: do not modify the fitted array. For
    "cosine" a float64 copy is kept.

    Cost: fit O(n d L h + n L log n) for L tables of h projections, and the tuning: 256 queries by
    brute force, O(256 n d), and a fixed number of trials. A query O(L h d), and O(d) for each row
    compared; with many rows equal or nearly so, up to n. Memory: about 16 L n bytes of tables and
    4 n of norms, and while searching n bytes a thread.

    References
    ----------
    .. [1] M. Datar, N. Immorlica, P. Indyk, V. S. Mirrokni. "Locality-sensitive hashing scheme
       based on p-stable distributions". SoCG 2004. doi:10.1145/997817.997857
    .. [2] M. S. Charikar. "Similarity estimation techniques from rounding algorithms". STOC 2002.
       doi:10.1145/509907.509965
    .. [3] Q. Lv, W. Josephson, Z. Wang, M. Charikar, K. Li. "Multi-probe LSH: efficient indexing
       for high-dimensional similarity search". VLDB 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import LSHNeighbors
    >>> X = np.random.default_rng(0).standard_normal((1000, 8))
    >>> search = LSHNeighbors(n_neighbors=3, recall=0.9, random_state=0).fit(X)
    >>> distances, ids = search.kneighbors(X[:5])
    >>> ids[:, 0]
    array([0, 1, 2, 3, 4])
    """

    _metric: Any = fitted()
    _index: Any = fitted()

    n_neighbors: int = param(count(), default=5, kw_only=False)
    metric: Literal["euclidean", "cosine"] = param(one_of(*METRICS), default="euclidean")
    hash: Literal["auto", "p_stable", "hyperplane"] = param(
        one_of("auto", *FAMILIES), default="auto"
    )
    recall: float = param(real(0, 1, open_low=True, open_high=True), default=0.9)
    n_tables: int | None = param(nothing | count(high=1000), default=None)
    hash_length: int | None = param(nothing | count(high=MAX_PARTS), default=None)
    width: float | None = param(nothing | real(0, open_low=True), default=None)
    n_probes: int | None = param(nothing | count(high=100_000), default=None)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    recall_: float = fitted()
    hash_: str = fitted()
    n_tables_: int = fitted()
    hash_length_: int = fitted()
    n_probes_: int = fitted()
    width_: Any = fitted()
    n_samples_fit_: int = fitted()
    nbytes_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Choose the hashes, and hash the training samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite. float64, float32 and uint8 arrays are kept by reference.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : LSHNeighbors

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if it has 2^31 rows or more,
            if a parameter is out of its range, or if `metric` is "cosine" and a row is zero.
        TypeError
            If X is sparse, or a parameter is of the wrong type.
        MemoryError
            If the tables would take more than half the free memory.
        """
        rows = as_rows(X, keep=NATIVE_DTYPES)
        if len(rows) > MAX_ROWS:
            raise ValueError(
                f"X must have at most {MAX_ROWS} rows (2^31 - 1); got {len(rows)}. Search it in "
                "parts and merge the neighbors found in each."
            )
        params = self._checked()
        metric = params.metric
        wish = Wish(
            FAMILIES if params.hash == "auto" else (params.hash,),
            params.n_tables,
            params.hash_length,
            params.width,
            params.n_probes,
        )
        rng = as_generator(self.random_state)
        if metric == "euclidean":
            require_size(width_of(rows))
        refuse_large(
            (16 * (wish.tables or MAX_TABLES) + 4) * len(rows),
            "An index of that many tables and rows", "Lower n_tables.",
        )  # fmt: skip
        index = _fitted(
            _prepared(rows, metric, "X"), metric, params.n_neighbors, params.recall, wish, rng,
            self.n_jobs,
        )  # fmt: skip
        return self._publish(X, **index)

    def kneighbors(
        self, X: Rows | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return approximate nearest neighbors of each query.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query samples. None takes the fitted samples, each of them excluding itself (by its
            own index: another sample with the same values is a neighbor at distance 0).
        n_neighbors : int, optional
            Neighbors of each row; None takes the estimator's own.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (m, n_neighbors), float64
            Exact distances to the samples returned, ascending; only if `return_distance`.
        ids : ndarray of shape (m, n_neighbors), intp
            Indices of the fitted samples, ordered by (distance, index).

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, if `n_neighbors` is not between
            1 and the number of rows to choose from, if a squared distance overflows, or if the
            metric is "cosine" and a row is zero.
        MemoryError
            If the two results would take more than half the free memory.
        """
        if X is not None:
            rows = _prepared(rows_for(self, X, keep=NATIVE_DTYPES), self._metric, "X")
        elif self.__sklearn_is_fitted__():
            rows = self._index.rows
        else:
            raise not_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        most, limit = self.n_samples_fit_, "the number of fitted rows"
        if X is None:
            most, limit = most - 1, limit + " besides the row itself"
        k = as_count(k, "n_neighbors", 1, most, limit=limit)
        refuse_large(16 * len(rows) * k, "The table of neighbors", "Pass the rows of X in parts.")
        d2, ids = self._index.query(rows, k + (X is None), self.n_jobs)
        finite(d2, d2[:, -1])
        if X is None:
            d2, ids = without_self(d2, ids, np.arange(len(rows)))
        if not return_distance:
            return ids
        return (d2 / 2 if self._metric == "cosine" else np.sqrt(d2, out=d2)), ids


# ------------------------------------------------------------------ the steps of a fit
def _prepared(rows: Array, metric: str, name: str) -> Array:
    """Rows whose Euclidean distances have the order of the metric."""
    if metric == "euclidean":
        return with_contiguous_rows(rows)
    refuse_large(16 * rows.size, f"{name} scaled to length 1", "Pass fewer rows at a time.")
    largest = np.abs(rows).max(axis=1).astype(np.float64)
    if not largest.all():
        raise ValueError(
            f"{name} has a row of zeros, row {int(largest.argmin())}, which has no direction. Drop "
            "it, or use metric='euclidean'."
        )
    unit = np.divide(rows, largest[:, None], order="C")
    unit /= np.sqrt(np.einsum("ij,ij->i", unit, unit))[:, None]
    return unit


def _frame(rows: Array, metric: str, n_jobs: Jobs) -> Float32Frame:
    if metric == "cosine":
        return Float32Frame(np.zeros(rows.shape[1], np.float32), 1.0)
    frame = Float32Frame.from_extent(extent_of(rows, n_jobs))
    return replace(frame, scale=min(frame.scale, FLOAT32_SCALE))


def _fitted(
    rows: Array,
    metric: str,
    k: int,
    recall: float,
    wish: Wish,
    rng: np.random.Generator,
    n_jobs: Jobs,
) -> dict[str, Any]:
    """Tune, build and measure the tables; returns the fitted attributes."""
    n, row_bytes = len(rows), rows.shape[1] * rows.itemsize
    frame = _frame(rows, metric, n_jobs)
    brute = BruteIndex.build(rows, n_jobs)
    k = max(1, min(k, n - 1))
    sampled = np.sort(rng.choice(n, min(n, 2 * SAMPLE_ROWS), replace=False))
    least = np.finfo(np.float64).tiny / frame.scale
    if wish.width is not None and wish.width < least:
        raise ValueError(
            f"width must be at least {least:.3g} for rows that lie as far apart as those of X; got "
            f"{wish.width}. Raise width, or leave it out."
        )
    exact = _without_self(
        brute.query(np.ascontiguousarray(rows[sampled]), min(n, k + 1), n_jobs), sampled
    )
    finite(exact[0], exact[0][:, -1])
    tuning = slice(0, None, 2) if n >= 2 * SAMPLE_ROWS else slice(None)
    held_out = slice(1, None, 2) if n >= 2 * SAMPLE_ROWS else slice(None)
    goal = recall + MAX_MISSED_SHARE * (1 - recall)
    sample = Sample.draw(rows, sampled[tuning], exact[1][tuning], exact[0][tuning], rng)
    plan = choose(sample, frame, wish, goal, row_bytes, rng, n_jobs)
    brute = replace(
        brute, bytes=None
    )  # it answers only the few queries for which hashes find too few rows
    index = HashTables.build(brute, plan.hashes, plan.probes, n_jobs)

    def measure_recall(index: HashTables, subset: slice) -> float:
        """The recall on a subset of the sampled rows."""
        if n == 1:
            return 1.0
        d2, _ = _without_self(
            index.query(np.ascontiguousarray(rows[sampled[subset]]), k + 1, n_jobs), sampled[subset]
        )
        return float((d2 <= exact[0][subset, -1:]).mean())

    measured_recall = measure_recall(index, held_out)
    for _ in range(MAX_TRIES if wish.probes is None else 0):
        if measured_recall >= recall:
            break
        index = replace(index, probes=1 + index.probes * 3 // 2)
        measured_recall = measure_recall(index, held_out)
    hashes = index.hashes
    return {
        "recall_": measured_recall,
        "hash_": hashes.family,
        "n_tables_": hashes.tables,
        "hash_length_": hashes.length,
        "width_": hashes.width if hashes.family == "p_stable" else None,
        "n_probes_": index.probes,
        "n_samples_fit_": n,
        "nbytes_": index.nbytes,
        "_metric": metric,
        "_index": index,
    }


def _without_self(neighbors: tuple[Array, Array], self_ids: Array) -> tuple[Array, Array]:
    """Neighbors without the rows themselves, unless there is a single row."""
    d2, ids = neighbors
    return without_self(d2, ids, self_ids) if d2.shape[1] > 1 else neighbors
