# SPDX-License-Identifier: BSD-3-Clause
"""k-means."""

import numpy as np

from statfast._base import Clusterer, Estimator, Transformer
from statfast._chunks import Chunks
from statfast._core import lloyd as kernel
from statfast._errors import ConvergenceWarning, not_fitted, warn_user
from statfast._validation import (
    as_choice,
    as_count,
    as_generator,
    as_real,
    as_rows,
    as_weights,
    refuse_large,
    rows_for,
)
from statfast.cluster.lloyd import iterate, tolerance
from statfast.cluster.passes import distances, nearest, potential
from statfast.cluster.seeding import plus_plus, random_rows
from statfast.cluster.survey import KEPT, frame_of, require_range, survey

STARTS = {"k-means++": plus_plus, "random": random_rows}
RUNS = {"k-means++": 1, "random": 10}  # n_init="auto"

FEW = 1 << 21  # multiply-adds: up to here predict calls the kernel at once


class KMeans(Transformer, Clusterer, Estimator):
    """k-means clustering: centres of least total squared distance, by Lloyd's algorithm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "random"}, array-like of shape (k, d) or callable, default="k-means++"
        The start. "k-means++" spreads the centres out, drawing each as the best of
        2 + floor(log k) rows drawn in proportion to weight * squared distance from the centres
        so far; "random" draws k rows in proportion to weight; a callable is called as
        ``init(X, n_clusters, random_state=RandomState)`` with the checked rows and returns the
        centres.
    n_init : "auto" or int, default="auto"
        Number of starts; the run of lowest inertia is kept, the first such on ties. "auto" is 1
        for "k-means++" and for an array, 10 for "random" and for a callable.
    max_iter : int, default=300
        Most iterations of one run.
    tol : float, default=1e-4
        A run ends once the squared distance by which all centres moved is at most `tol` times
        the mean (weighted) variance of the columns. It ends in any case when no row changes
        its cluster.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    random_state : int, numpy.random.Generator, RandomState or SeedSequence, optional
        Source of the draws. An int gives the same result each time.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centres; float32 if X is float32, else float64.
    labels_ : ndarray of shape (n,), int32
        The nearest centre of each row: what ``predict(X)`` returns.
    inertia_ : float
        Sum of weight * squared distance to the nearest centre.
    n_iter_ : int
        Iterations of the run that was kept.
    n_features_in_ : int
        Number of columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.LloydStep : the statistics of one iteration, for rows kept in many places.

    Notes
    -----
    **Exact**: each row goes to the centre nearest to it by float64 arithmetic on differences,
    sum_j (x_j - c_j)^2, and sums are float64 whatever the dtype of X. **Ties go to the lowest
    index.** Shortcuts change no label: float32 scores decide where their rounding cannot matter,
    and bounds on the distances (Hamerly 2010; with many centres those of Ding et al. 2015) spare
    rows a look. The result is the same for any number of threads; a memory map or `statfast.Chunks`
    of the same rows give the same up to the rounding of sums.

    **Empty clusters**: a cluster that loses all its rows takes the row farthest from its own
    centre (unweighted distance, rows of weight 0 left out); several such clusters, in order of
    index, take the farthest rows in order of (distance, index). Where there are fewer distinct
    rows than clusters some stay empty, and a ConvergenceWarning says so.

    **Weights**: a weight of 2 counts like a row given twice, and a weight of 0 like a row left
    out, except for the draws of init="random".

    An array of float64, float32 or uint8 is read as it is, a block at a time. Rows in memory (not
    memory maps, not `Chunks`) are kept as float32 besides, for the time of the fit, while that
    takes at most 256 MB; with many centres, about k (d + 5) > 6600, a second time, sorted.

    Cost: O(n d k) an iteration, less as the centres come to rest; O(n d k log k) for the start by
    k-means++. Memory: O(k d), and for each row 12 bytes of label and bounds, and 4 (d + 1) if rows
    are kept; if they are sorted twice that, 12 and k / 50 bytes, and 20 more while they are being
    sorted; while k-means++ draws, 8 bytes more, and 8 for each of the 2 + floor(log k) candidates
    while all of those fit in 256 MB.

    References
    ----------
    Lloyd, S. P. (1982). Least squares quantization in PCM. IEEE Transactions on Information
    Theory 28, 129-137. doi:10.1109/TIT.1982.1056489

    Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. SODA
    2007, 1027-1035. doi:10.5555/1283383.1283494

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

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like of shape (n, d), or statfast.Chunks
            Finite rows. A memory map or `Chunks` may be larger than memory.
        y : ignored
            Present for the estimator protocol.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative; None gives each row weight 1.

        Returns
        -------
        self : KMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances
            would overflow, if `n_clusters` is greater than the number of rows (of positive
            weight), if `init` has the wrong shape, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        """
        k = as_count(self.n_clusters, "n_clusters")
        max_iter = as_count(self.max_iter, "max_iter")
        tol = as_real(self.tol, "tol", low=0)
        if not isinstance(self.verbose, bool):
            as_count(self.verbose, "verbose", low=0)
        runs = self._runs()
        rng = as_generator(self.random_state)
        rows = X if isinstance(X, Chunks) else as_rows(X, keep=KEPT, finite=False)
        data = survey(rows, sample_weight, self.n_jobs)
        if data.weights is None:
            as_count(k, "n_clusters", high=data.shape[0], limit="the number of rows")
        else:
            some = np.count_nonzero(data.weights)
            as_count(k, "n_clusters", high=some, limit="the number of rows of positive weight")

        best = None
        tol = tolerance(data, tol)
        for seed in rng.integers(2**32, size=runs):
            start = self._start(data, k, int(seed))
            run = iterate(
                data, start, tol=tol, max_iter=max_iter, report=print if self.verbose else None
            )
            if best is None or run[2] < best[2]:
                best = run
        centers, labels, total, n_iter = best

        found = np.count_nonzero(np.bincount(labels, minlength=k))
        if found < k:
            warn_user(
                f"Only {found} of {k} clusters hold any row. Lower n_clusters if X has fewer "
                "distinct rows than that, else raise max_iter.",
                ConvergenceWarning,
            )
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            cluster_centers_=centers.astype(data.dtype),
            labels_=labels,
            inertia_=total,
            n_iter_=n_iter,
            _prepared=(centers, data.frame(centers)),
        )

    def predict(self, X):
        """Find the nearest centre of each row.

        Parameters
        ----------
        X : array-like of shape (n, d), or statfast.Chunks
            Finite rows.

        Returns
        -------
        labels : ndarray of shape (n,), int32
            Index of the nearest centre, the lowest on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        rows = self._rows(X)
        centers, frame = self._model()
        if isinstance(rows, np.ndarray) and rows.shape[0] * centers.size <= FEW:
            labels = np.empty(rows.shape[0], np.int32)
            kernel.step(np.ascontiguousarray(rows), None, centers, frame, labels, None, None)
            return labels
        return nearest(rows, centers, frame, self.n_jobs)

    def transform(self, X):
        """Compute the Euclidean distance of each row to each centre.

        Parameters
        ----------
        X : array-like of shape (n, d), or statfast.Chunks
            Finite rows.

        Returns
        -------
        distances : ndarray of shape (n, k)
            float32 if X is float32, else float64.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        MemoryError
            If the distances would take more than half the free memory.
        """
        rows = self._rows(X)
        centers, _ = self._model()
        if isinstance(rows, np.ndarray):
            # Twice: the blocks of distances, and the whole they are put together to.
            nbytes = 16 * rows.shape[0] * len(centers)
            refuse_large(nbytes, "The distances to the centres", "Transform fewer rows at a time.")
        return distances(rows, centers, self.n_jobs)

    def score(self, X, y=None, sample_weight=None):
        """Compute minus the inertia of these rows: higher is better.

        Parameters
        ----------
        X : array-like of shape (n, d), or statfast.Chunks
            Finite rows.
        y : ignored
            Present for the estimator protocol.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative; None gives each row weight 1.

        Returns
        -------
        score : float
            Minus the sum of weight * squared distance to the nearest centre.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, or the weights do not match it.
        """
        rows = self._rows(X)
        if sample_weight is not None:
            n = len(sample_weight) if isinstance(X, Chunks) else rows.shape[0]
            sample_weight = as_weights(sample_weight, n)
        centers, frame = self._model()
        return -potential(rows, sample_weight, centers, frame, self.n_jobs)

    def _runs(self):
        """How many starts to run from."""
        if not isinstance(self.n_init, str):
            runs = as_count(self.n_init, "n_init")
        else:
            as_choice(self.n_init, "n_init", ("auto",))
            runs = RUNS.get(self.init, 10) if isinstance(self.init, str) else 10
        if isinstance(self.init, str):
            as_choice(self.init, "init", tuple(STARTS))
        elif not callable(self.init):
            if runs > 1 and self.n_init != "auto":
                warn_user(
                    f"init is an array, from which n_init={runs} runs would all be the same: "
                    'one is made. Leave n_init at "auto".'
                )
            runs = 1
        return runs

    def _start(self, data, k, seed):
        """The centres a run starts from, (k, d) float64."""
        if isinstance(self.init, str):
            return STARTS[self.init](data, k, np.random.default_rng(seed))
        start = self.init
        if callable(start):
            # RandomState, for which init functions are written elsewhere too.
            start = start(data.rows, k, random_state=np.random.RandomState(seed))
        start = as_rows(start, name="init")
        if start.shape != (k, data.shape[1]):
            raise ValueError(
                f"init must have shape ({k}, {data.shape[1]}), a row for each of n_clusters and "
                f"a column for each of X; got {start.shape}."
            )
        start = data.rounded(np.array(start, dtype=np.float64, order="C"))
        low = np.minimum(data.low, start.min(axis=0))
        high = np.maximum(data.high, start.max(axis=0))
        require_range(low, high, data.mass, "init")
        return start

    def _rows(self, X):
        """The rows for a fitted estimator, checked or, if they come in chunks, checked as read."""
        if not isinstance(X, Chunks):
            return rows_for(self, X, keep=KEPT)
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return Chunks(rows_for(self, chunk, keep=KEPT, n_min=0) for chunk in X)

    def _model(self):
        """The centres as float64 and their frame, made anew if the user changed the centres."""
        centers, frame = self.__dict__.get("_prepared", (None, None))
        if not np.array_equal(self.cluster_centers_, centers):
            centers = np.array(self.cluster_centers_, dtype=np.float64, order="C")
            frame = frame_of(centers)
            self._prepared = centers, frame
        return centers, frame

    def __getstate__(self):
        # A frame is laid out for this machine's instruction set; who unpickles makes another.
        state = super().__getstate__()
        state.pop("_prepared", None)
        return state

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)
