# SPDX-License-Identifier: BSD-3-Clause
"""k-means by halves: clusters are split in two until there are enough of them."""

from dataclasses import dataclass

import numpy as np

from statfast._validation import as_choice, as_count, as_generator, as_real, as_rows
from statfast.cluster.centers import Centers, warn_empty
from statfast.cluster.lloyd import iterate, tolerance
from statfast.cluster.passes import inertia, nearest
from statfast.cluster.starts import runs_of, start_of
from statfast.cluster.survey import KEPT, frame_of, require_enough, survey

STRATEGIES = ("biggest_inertia", "largest_cluster")


class BisectingKMeans(Centers):
    """Bisecting k-means: start from one cluster, and split one in two by k-means until k are left.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"random", "k-means++"} or callable, default="random"
        The start of each split: see `KMeans`.
    n_init : int, default=1
        Starts of each split; the one of least inertia is kept, the first such on ties.
    random_state : int, numpy.random.Generator, RandomState or SeedSequence, optional
        Source of the draws. An int gives the same result each time.
    max_iter : int, default=300
        Most iterations of one run of k-means.
    verbose : int or bool, default=0
        If not 0, each split prints a line.
    tol : float, default=1e-4
        Tolerance of each run of k-means, relative to the rows that are split: see `KMeans`.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is split next: that of greatest inertia, or that of most rows. Ties go to the
        first from the left.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centres, from left to right in the tree of splits; float32 if X is float32, else
        float64. Each is the weighted mean of its rows.
    labels_ : ndarray of shape (n,), int32
        The cluster of each row: what ``predict(X)`` returns.
    inertia_ : float
        Sum of weight * squared distance to the centre of the row's cluster.
    children_ : ndarray of shape (k - 1, 2), int32
        The splits in the order in which they were made: the two parts of each, as the number of
        the split that parts them further, or -1 - c for cluster c.
    n_features_in_ : int
        Number of columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    KMeans : all centres at once: less inertia, more work where k is large.

    Notes
    -----
    The cluster of a row is found by going down the tree: at each split to the nearer of its two
    centres, by float64 differences, the first on ties. That need not be the nearest of all
    ``cluster_centers_``; ``transform`` and ``score`` go by the nearest of all, and by the
    row's own.

    A cluster whose rows are all alike cannot be split: its second part stays empty, and a
    ConvergenceWarning says so. Clusters without weight are not split.

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

    def __init__(
        self,
        n_clusters=8,
        *,
        init="random",
        n_init=1,
        random_state=None,
        max_iter=300,
        verbose=0,
        tol=1e-4,
        bisecting_strategy="biggest_inertia",
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.verbose = verbose
        self.tol = tol
        self.bisecting_strategy = bisecting_strategy
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Split the rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Finite rows.
        y : ignored
            Present for the estimator protocol.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative; None gives each row weight 1.

        Returns
        -------
        self : BisectingKMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances
            would overflow, if `n_clusters` is greater than the number of rows (of positive
            weight), or if a parameter is out of its range.
        TypeError
            If X is sparse or comes in chunks, if `init` is an array, or a parameter has the wrong
            type.
        """
        k = as_count(self.n_clusters, "n_clusters")
        max_iter = as_count(self.max_iter, "max_iter")
        tol = as_real(self.tol, "tol", low=0)
        strategy = as_choice(self.bisecting_strategy, "bisecting_strategy", STRATEGIES)
        if not isinstance(self.verbose, bool):
            as_count(self.verbose, "verbose", low=0)
        if not isinstance(self.init, str) and not callable(self.init):
            raise TypeError(
                "init must be 'random', 'k-means++' or a callable: each split has a start of its "
                f"own; got {type(self.init).__name__}."
            )
        runs = runs_of(self.init, self.n_init)
        rng = as_generator(self.random_state)
        data = survey(as_rows(X, keep=KEPT, finite=False), sample_weight, self.n_jobs)
        require_enough(data, k)

        whole = np.arange(data.shape[0], dtype=np.int32)
        center = data.rounded(data.center()[None])
        total = inertia(data.rows, data.weights, center, np.zeros_like(whole), self.n_jobs)
        leaves, splits = [Leaf(whole, center[0], total, float(data.mass), -1, 0)], []
        while len(leaves) < k:
            place = chosen(leaves, strategy)
            best = None
            for seed in rng.integers(2**32, size=runs):
                part = subset(data, leaves[place].rows)
                start = start_of(self.init, part, 2, int(seed))
                run = iterate(part, start, tol=tolerance(part, tol), max_iter=max_iter)
                if best is None or run[2] < best[2]:
                    best = run
            if self.verbose:
                print(f"split {len(splits) + 1}: inertia {leaves[place].inertia:.6g}, {best[2]:.6g}")
            leaves[place : place + 1] = halves(part, leaves[place].rows, best, len(splits))
            splits.append(best[0])

        labels = np.empty(data.shape[0], np.int32)
        children = np.empty((k - 1, 2), np.int32)
        for c, leaf in enumerate(leaves):
            labels[leaf.rows] = c
            number, side = leaf.split, leaf.side
            if number >= 0:
                children[number, side] = -1 - c
        for number, (parent, side) in enumerate(parents(splits)):
            pass
        warn_empty(labels, k)
        return self._publish(X)
