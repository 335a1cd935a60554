# SPDX-License-Identifier: BSD-3-Clause
"""k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

from statfast._engine import Parts
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
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import as_generator
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.data import require_enough, require_spread, survey_rows
from statfast.cluster.kmeans.init import INIT, N_INIT, best_run, runs_of
from statfast.cluster.kmeans.model import Centers, as_any_rows, warn_empty
from statfast.cluster.kmeans.part_assignment import PartsAssignment
from statfast.cluster.kmeans.part_data import survey_parts

ALGORITHMS = ("auto", "lloyd", "elkan", "hamerly", "yinyang")


class KMeans(Centers):
    """k-means clustering: centers of least total squared distance, by Lloyd's algorithm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "k-means||", "random"}, array-like (k, d) or callable, default="k-means++"
        Initialization. "k-means++" spreads the centers out, drawing each as the best of 2 +
        floor(log k) samples drawn in proportion to weight * squared distance from the centers so
        far, for which it reads the samples k times; "k-means||" draws about 2 k samples at a time,
        and the centers from those, reading the samples a dozen times in all: for memory maps,
        `Chunks`, and more than 64 clusters of samples in parts; "random" draws k samples in
        proportion to weight; a callable is called as ``init(X, n_clusters,
        random_state=RandomState)`` with the checked samples and returns the centers.
    n_init : "auto" or int, default="auto"
        Number of starts; the run of lowest inertia is kept, the first such on ties. "auto" is 1
        for "k-means++", "k-means||" and an array, 10 for "random" and for a callable.
    max_iter : int, default=300
        Maximum number of iterations of one run.
    tol : float, default=1e-4
        A run ends once the squared distance by which all centers moved is at most `tol` times
        the mean (weighted) variance of the columns. It ends in any case when no row changes
        its cluster.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    algorithm : {"auto", "lloyd", "elkan", "hamerly", "yinyang"}, default="auto"
        How distances are pruned; all give the same labels. "lloyd" computes all of them;
        "hamerly" carries two bounds for each row from one iteration to the next; "yinyang" has
        bounds for groups of centers and panels of rows, which are sorted for that: those of arrays
        that are kept (see Notes), for others it is "hamerly". "auto" is "yinyang" where that pays,
        with many centers, else "hamerly". "elkan", a name of scikit-learn's, is "auto": the labels
        are the same.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centers; float32 if X is float32, else float64.
    labels_ : ndarray of shape (n,), int32
        The nearest center of each row: what ``predict(X)`` returns.
    inertia_ : float
        Sum of weight * squared distance to the nearest center.
    n_iter_ : int
        Iterations of the run that was kept.
    converged_ : bool
        Whether the iterations converged: no center moved, or all by less than `tol`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.MiniBatchKMeans : an approximation, by samples of the rows.
    statfast.cluster.BisectingKMeans : a tree of splits in two.
    statfast.cluster.KMeansStatistics : the statistics of one iteration, for rows in many places.

    Notes
    -----
    **Exact**: each row goes to the center nearest to it by float64 arithmetic on differences,
    sum_j (x_j - c_j)^2, and sums are float64 whatever the dtype of X. **Ties go to the lowest
    index.** Shortcuts change no label: float32 scores decide where their rounding cannot matter,
    and bounds on the distances (Hamerly 2010; with many centers those of Ding et al. 2015) spare
    rows a look. The result is the same for any number of threads; a memory map or `statfast.Chunks`
    of the same rows give the same up to the rounding of sums.

    **Empty clusters**: a cluster that loses all its rows takes the row farthest from its own
    center (unweighted distance, rows of weight 0 left out); several such clusters, in order of
    index, take the farthest rows in order of (distance, index). Where there are fewer distinct
    rows than clusters some stay empty, and a ConvergenceWarning says so.

    **Weights**: a weight of 2 counts like a row given twice, and a weight of 0 like a row left
    out, except for the draws of init="random".

    **Sparse rows** of any of scipy's formats are taken as float64 CSR, and never made dense;
    centers are dense. Distances to them are ``|x|^2 - 2 x.c + |c|^2`` in float64, and by
    differences where that is lost in rounding.

    An array of float64, float32 or uint8 is read as it is, a block at a time. The rows of an array
    or a memory map (not of `Chunks`) are kept as float32 besides, for the time of the fit, while
    that takes at most 256 MB; with many centers, about k (d + 5) > 6600, a second time, sorted.
    Many wide rows and few centers are compared in float16, and again in float64 where that leaves
    the nearest center open.

    Cost: O(n d k) an iteration, less as they converge; O(n d k log k) for the start by
    k-means++. Memory: O(k d), and for each row 12 bytes of label and bounds, and 4 (d + 1) if rows
    are kept; if they are sorted twice that, 12 and k / 50 bytes, and 20 more while they are being
    sorted; while k-means++ draws, 50 bytes more (where vectors are short some more) and, in 24
    columns or more, 168; or without kept rows 16, and 8 for each of the 2 + floor(log k) candidates
    while all of those fit in 256 MB.

    References
    ----------
    Lloyd, S. P. (1982). Least squares quantization in PCM. IEEE Transactions on Information
    Theory 28, 129-137. doi:10.1109/TIT.1982.1056489

    Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. SODA
    2007, 1027-1035. doi:10.5555/1283383.1283494

    Bahmani, B., Moseley, B., Vattani, A., Kumar, R. and Vassilvitskii, S. (2012). Scalable
    k-means++. Proceedings of the VLDB Endowment 5, 622-633. doi:10.14778/2180912.2180915

    Hamerly, G. (2010). Making k-means even faster. SDM 2010, 130-140.
    doi:10.1137/1.9781611972801.12

    Ding, Y., Zhao, Y., Shen, X., Musuvathi, M. and Mytkowicz, T. (2015). Yinyang k-means: a drop-in
    replacement of the classic k-means with consistent speedup. ICML 2015, 579-587.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import KMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> km = KMeans(n_clusters=2, init=X[[0, 3]]).fit(X)
    >>> km.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> km.cluster_centers_
    array([[ 1.,  2.],
           [10.,  2.]])
    >>> km.predict([[0, 0], [12, 3]])
    array([0, 1], dtype=int32)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    init: ArrayLike | Callable[..., Any] = param(INIT, default="k-means++")
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    max_iter: int = param(count(), default=300)
    tol: float = param(real(0), default=1e-4)
    verbose: int | bool = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    algorithm: Literal["auto", "lloyd", "elkan", "hamerly", "yinyang"] = param(
        one_of(*ALGORITHMS), default="auto"
    )
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    _takes_sparse = True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the cluster centers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Finite samples. A memory map or `Chunks` may be larger than memory.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : KMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances
            would overflow or vanish, if `n_clusters` is greater than the number of rows (of
            positive weight), if `init` has the wrong shape, or if a parameter is out of its range.
        TypeError
            If a parameter has the wrong type.
        """
        return self._fit_source(as_any_rows(X), X, sample_weight)

    def _fit_source(self, source: Any, X: Any, sample_weight: Any = None) -> Self:
        """Fit rows in memory, or in parts: there each pass is a round, and labels stay with the
        rows."""
        data: Any
        assignment: Any
        params = self._checked()
        k, runs = params.n_clusters, runs_of(params)
        rng = as_generator(self.random_state)
        algorithm = "auto" if params.algorithm == "elkan" else params.algorithm
        if isinstance(source, Parts):
            data, assignment = survey_parts(source, algorithm), PartsAssignment
        else:
            data = survey_rows(source, sample_weight, self.n_jobs, algorithm)
            assignment = Assignment
        require_enough(data, k)
        require_spread(data, k)

        seeds = rng.integers(2**32, size=runs)
        best = best_run(self, data, assignment, seeds)
        warn_empty(best.sizes)
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            cluster_centers_=best.centers.astype(data.dtype),
            labels_=best.labels,
            inertia_=best.inertia,
            n_iter_=best.n_iter,
            converged_=best.converged,
            _prepared=data.frame(best.centers),
        )
