# SPDX-License-Identifier: BSD-3-Clause
"""Bisecting k-means: clusters are split in two until there are enough of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    count,
    fitted,
    jobs,
    one_of,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, Jobs, Rows, Seed, Weights
from statfast._validation import as_generator
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.block_passes import inertia, joined, sweep
from statfast.cluster.kmeans.data import (
    KMeansData,
    require_enough,
    require_spread,
    survey_rows,
)
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.init import INIT, N_INIT, runs_of, start_of
from statfast.cluster.kmeans.lloyd import iterate, iterate_in_one_call, tolerance
from statfast.cluster.kmeans.model import Centers, rows_in_any_order, warn_empty

STRATEGIES = ("biggest_inertia", "largest_cluster")
ADVICE = "Pass a memory map, or use KMeans."


class BisectingKMeans(Centers):
    """Bisecting k-means: clusters are split in two by k-means until there are k.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"random", "k-means++", "k-means||"} or callable, default="random"
        Initialization of each split: distinct samples drawn at random, greedy k-means++, k-means||,
        or a function of (X, k, random_state).
    n_init : int, default=1
        Starts of each split; the one of least inertia is kept, the first such on ties.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    max_iter : int, default=300
        Maximum number of iterations of one run.
    verbose : int or bool, default=0
        If not 0, each split prints a line.
    tol : float, default=1e-4
        Relative tolerance of each k-means run: it ends when the squared shift of the centers is at
        most `tol` times the mean variance of the features.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is split next: that of greatest inertia, or that of most rows. Ties go to the
        first from the left.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centers, from left to right in the tree of splits; float32 if X is float32, else
        float64.
    labels_ : ndarray of shape (n,), int32
        The cluster of each row: what ``predict(X)`` returns.
    inertia_ : float
        Sum of weight * squared distance to the center of the sample's cluster.
    children_ : ndarray of shape (k - 1, 2), int32
        The splits in the order in which they were made: the two parts of each, as the number of
        the split that parts them further, or -1 - c for cluster c.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    KMeans : all centers at once: less inertia, more work where k is large.

    Notes
    -----
    The cluster of a row is found by going down the tree: at each split to the nearer of its two
    centers, by float64 differences, the first on ties. That need not be the nearest of all
    ``cluster_centers_``; ``transform`` and ``score`` go by the nearest of all, and by the
    row's own.

    A cluster whose rows are all alike cannot be split: its second part stays empty, and a
    ConvergenceWarning says so. Rows of weight 0 do not count for that.

    Cost: O(n d log k) for each iteration if the splits are even, and a copy of the rows split.
    Memory: as `KMeans` for n rows, and the largest cluster a second time.

    References
    ----------
    Steinbach, M., Karypis, G. and Kumar, V. (2000). A comparison of document clustering
    techniques. KDD Workshop on Text Mining. Technical report 00-034, University of Minnesota.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import BisectingKMeans
    >>> X = np.array([[1.0, 1], [2, 1], [1, 2], [9, 9], [10, 9], [30, 1], [31, 1]])
    >>> model = BisectingKMeans(n_clusters=3, random_state=0).fit(X)
    >>> groups = model.labels_
    >>> [len(set(groups[part])) for part in (slice(0, 3), slice(3, 5), slice(5, 7))]
    [1, 1, 1]
    >>> round(model.inertia_, 3)
    2.333
    """

    _splits: Any = fitted()

    n_clusters: int = param(count(), default=8, kw_only=False)
    init: Literal["random", "k-means++", "k-means||"] | Callable[..., Any] = param(
        INIT, default="random"
    )
    n_init: int = param(N_INIT, default=1)
    random_state: Seed = param(randomness, default=None)
    max_iter: int = param(count(), default=300)
    verbose: int | bool = param(verbosity, default=0)
    tol: float = param(real(0), default=1e-4)
    bisecting_strategy: Literal["biggest_inertia", "largest_cluster"] = param(
        one_of(*STRATEGIES), default="biggest_inertia"
    )
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    children_: Array = fitted()

    _takes_sparse = True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit by successive splits.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : BisectingKMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances
            would overflow or vanish, if `n_clusters` is greater than the number of rows (of
            positive weight), or if a parameter is out of its range.
        TypeError
            If X comes in chunks, if `init` is an array, or a parameter has the wrong type.
        """
        params = self._checked()
        k, max_iter, tol = params.n_clusters, params.max_iter, params.tol
        strategy = params.bisecting_strategy
        if not isinstance(self.init, str) and not callable(self.init):
            raise TypeError(
                "init must be 'random', 'k-means++', 'k-means||' or a callable: each split has a "
                f"start of its own; got {type(self.init).__name__}."
            )
        runs = runs_of(params)
        rng = as_generator(self.random_state)
        data = survey_rows(rows_in_any_order(X, ADVICE), sample_weight, self.n_jobs)
        require_enough(data, k)
        require_spread(data, k)

        tree = Tree(data)
        while len(tree.leaves) < k:
            place = tree.next_leaf(strategy)
            part = tree.subset(place)
            if tree.is_one_place(place, part):
                continue
            best: Any = None
            for seed in rng.integers(2**32, size=runs):
                centers, nearest = start_of(self.init, part, 2, int(seed))
                stop: Any = {"tol": tolerance(part, tol), "max_iter": max_iter}
                run = iterate_in_one_call(part, centers, **stop)
                run = run or iterate(Assignment(part, centers, nearest), **stop)
                if best is None or run.inertia < best.inertia:
                    best = run
            if self.verbose:
                before = tree.leaves[place].inertia
                print(f"split {len(tree.splits)}: inertia {before:.6g}, now {best.inertia:.6g}")
            tree.split(place, part, best.centers, best.labels)

        labels, children = tree.numbered()
        centers = np.array([leaf.center for leaf in tree.leaves])
        warn_empty(np.bincount(labels, minlength=k))
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            cluster_centers_=centers.astype(data.dtype),
            labels_=labels,
            inertia_=float(sum(leaf.inertia for leaf in tree.leaves)),
            children_=children,
            _prepared=DenseRows.frame(centers),
            _splits=np.array(tree.splits).reshape(-1, 2, data.shape[1]),
        )

    def predict(self, X: Rows) -> Array:
        """Predict the cluster of each sample, going down the tree of splits.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Finite samples.

        Returns
        -------
        labels : ndarray of shape (n,), int32
            At each split the nearer center, the first on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        rows = self._rows(X)
        splits, children = self._splits, self.children_
        frames = [rows.frame(pair) for pair in splits]

        def partial(where: slice, X: Any) -> list[Array]:
            labels = np.zeros(X.shape[0], np.int32)
            pending = [(0, np.arange(X.shape[0]))] if len(splits) else []
            while pending:
                number, rows = pending.pop()
                side = np.empty(len(rows), np.int32)
                X[rows].step(frames[number], side)
                for branch in (0, 1):
                    child, branch_rows = children[number, branch], rows[side == branch]
                    if child < 0:
                        labels[branch_rows] = -1 - child
                    elif len(branch_rows):
                        pending.append((child, branch_rows))
            return [labels]

        size = self.cluster_centers_.size
        return np.concatenate(sweep(partial, rows, merge=joined, size=size, n_jobs=self.n_jobs))


@dataclass(frozen=True)
class Leaf:
    """A cluster that has not been split."""

    rows: np.ndarray  # indices of its rows
    center: np.ndarray  # (d,)
    inertia: float
    count: int  # how many of the rows have weight
    split: int  # the number of the split it comes from; -1 if none
    side: int  # which of the two parts of that split


class Tree:
    """The clusters, from left to right, and the splits of the tree."""

    def __init__(self, data):
        self.data = data
        self.splits: list[Any] = []
        self._children: list[Any] = []
        self._one_place: set[Any] = set()  # (split, side) of leaves that cannot be split
        every = np.zeros(data.shape[0], np.int32)
        center = data.rounded(data.center()[None])
        total = inertia(data.rows, data.weights, data.rows.frame(center), every, data.n_jobs)
        rows = np.arange(data.shape[0], dtype=np.int32)
        count = data.shape[0] if data.weights is None else np.count_nonzero(data.weights)
        self.leaves = [Leaf(rows, center[0], total, count, -1, 0)]

    def next_leaf(self, strategy: str) -> int:
        """The place of the leaf to split, of those that have two rows of positive weight.

        A leaf whose rows are all equal is split only if there is no other.
        """
        by_rows = strategy == "largest_cluster"
        sizes = [len(leaf.rows) if by_rows else leaf.inertia for leaf in self.leaves]
        splittable = np.array([leaf.count > 1 for leaf in self.leaves])
        able = splittable & [(leaf.split, leaf.side) not in self._one_place for leaf in self.leaves]
        return int(np.where(able if able.any() else splittable, sizes, -1.0).argmax())

    def is_one_place(self, place: int, part: KMeansData) -> bool:
        """Whether all rows of a leaf are equal, and this was not known yet."""
        leaf = self.leaves[place]
        seen = (leaf.split, leaf.side) in self._one_place
        if seen or (part.low < part.high).any():
            return False
        self._one_place.add((leaf.split, leaf.side))
        return True

    def subset(self, place: int) -> KMeansData:
        """The data of a leaf."""
        data, rows = self.data, self.leaves[place].rows
        if len(rows) == data.shape[0]:
            return data
        weights = None if data.weights is None else data.weights[rows]
        return survey_rows(data.rows[rows], weights, data.n_jobs)

    def split(self, place, part, centers, labels):
        """Put two leaves in place of one."""
        leaf, number = self.leaves[place], len(self.splits)
        if leaf.split >= 0:
            self._children[leaf.split][leaf.side] = number
        d2 = part.rows.contiguous().distances_to_labels(part.rows.frame(centers), labels)
        weights = np.ones(len(labels)) if part.weights is None else part.weights
        halves = []
        for side in (0, 1):
            members = labels == side
            rows, count = leaf.rows[members], np.count_nonzero(weights[members])
            cost = float((d2[members] * weights[members]).sum())
            halves.append(Leaf(rows, centers[side], cost, count, number, side))
        self.leaves[place : place + 1] = halves
        self.splits.append(centers)
        self._children.append([0, 0])

    def numbered(self) -> tuple[Array, Array]:
        """The labels of the rows, and the children of the splits."""
        labels = np.empty(self.data.shape[0], np.int32)
        for c, leaf in enumerate(self.leaves):
            labels[leaf.rows] = c
            if leaf.split >= 0:
                self._children[leaf.split][leaf.side] = -1 - c
        return labels, np.array(self._children, np.int32).reshape(-1, 2)
