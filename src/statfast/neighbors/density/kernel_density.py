# SPDX-License-Identifier: BSD-3-Clause
"""Kernel density estimates."""

from __future__ import annotations

from dataclasses import replace
from math import frexp
from typing import Any, Literal, Self

import numpy as np

from statfast._distance import Metric
from statfast._estimator import (
    CoefficientTable,
    Estimator,
    by_fit,
    count,
    fitted,
    jobs,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_generator,
    as_rows,
    as_weights,
    not_fitted,
    refuse_large,
    rows_for,
    shown,
)
from statfast.neighbors.brute.magnitude import width_of
from statfast.neighbors.density.bandwidths import (
    BandwidthGrid,
    as_grid,
    choose_bandwidth,
    default_grid,
    leave_one_out,
    rule_of_thumb,
)
from statfast.neighbors.density.kernel_shapes import SHAPES, draw_offsets, log_integral
from statfast.neighbors.density.norms import as_norm, log_volume_of_unit, restored
from statfast.neighbors.density.weighted_tree import WeightedTree

NATIVE_DTYPES = (np.float64, np.float32, np.uint8)
MAX_ROWS = 2**31 - 8  # row numbers of trees are int32
BANDWIDTH = one_of("scott", "silverman", "cv") | real(0.0, open_low=True)
# Beyond these powers of two, rows are scaled by one before squares are made of them.
MAX_POWER_UNSCALED = 300
MAX_POWER_OF_ROWS = 1020


class KernelDensity(Estimator):
    """Kernel density estimate: the mean of kernels about the samples.

    The density at x is the sum of w K(r / h) over the samples, divided by W c: w is the weight of a
    sample, r its distance from x, W the sum of all weights, h the bandwidth, and c what makes the
    integral 1.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman", "cv"}, default=1.0
        The distance h over which a sample is spread. With W samples of d columns, "scott" is
        W^(-1/(d+4)) and "silverman" (W (d+2) / 4)^(-1/(d+4)): rules for columns whose standard
        deviation is 1. "cv" takes the largest leave-one-out likelihood over `bandwidths`.
    kernel : str, default="gaussian"
        K as a function of r, the distance over h: "gaussian" exp(-r^2 / 2), "exponential" exp(-r),
        and, 0 for r >= 1, "tophat" 1, "epanechnikov" 1 - r^2, "linear" 1 - r, and "cosine"
        cos(pi r / 2).
    metric : str, default="euclidean"
        The distance: "euclidean", "manhattan", "chebyshev", "minkowski", "seuclidean" or
        "mahalanobis", and their other names in `NearestNeighbors`.
    metric_params : dict, optional
        Further parameters of the metric: "p", "w", "V" or "VI", as in `NearestNeighbors`. Without
        "V" and "VI", "seuclidean" and "mahalanobis" take those of the samples, which then have no
        weights.
    atol : float, default=0
        Absolute error that densities may have.
    rtol : float, default=0
        Relative error that densities may have: they differ from the exact ones by at most atol +
        rtol times themselves. With both 0 they are exact up to rounding.
    bandwidths : array-like of shape (B,), optional
        Bandwidths for "cv". None tries 17 from 1/8 to 2 times Scott's, which is scaled by the
        standard deviation of the columns, and more beyond an end that is best (see Notes).
    leaf_size : int, optional
        Rows of a leaf of the tree; None takes the tree's own choice. Changes the time, and
        approximate densities within their tolerance.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth used.
    bandwidth_scores_ : CoefficientTable
        Bandwidths that "cv" tried and the leave-one-out log-likelihood of each: the sum over the
        samples, by weight, of the log density in the estimate from all others. Only of "cv".
    n_samples_fit_ : int
        Samples of positive weight.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    neighbors_density : The density from the distance of the k-th nearest neighbor.
    statfast.mixture.GaussianMixture : A density of few parameters.
    statfast.generative.KernelDensityNB : Naive Bayes with an estimate for each column.
    statfast.decision.BayesClassifier : A density for each class, of which this may be one.

    Notes
    -----
    Sums run over a k-d tree [1]_. A query goes to the nearest samples first. A node is taken as one
    point where its weight times the range of the kernel in its box, or a bound by the second moment
    about its center, is within its share of the tolerance; so far nodes cost nothing, and nodes
    that lie inside a "tophat" or "epanechnikov" kernel as a whole are exact without a look at their
    samples. Everything else is summed, eight kernels at a time. With `atol` and `rtol` 0 the
    tolerance is what rounding would lose, 2^-54 of the sum; log densities are as exact as float64
    has their exponents.

    Where all kernels underflow, they are summed relative to that of the nearest sample, so that log
    densities are finite however far a query lies (of "gaussian" and "exponential"; of the others
    the density is 0 there, its logarithm -inf).

    The integral is 1 for each metric: c is the integral over the norm's balls (scikit-learn takes
    the Euclidean one for all).

    **Weights**: a weight of 2 counts like a sample given twice; a sample of weight 0 is not there.
    For "cv" a sample is left out with its whole weight. **Ties** of likelihoods go to the largest
    bandwidth.

    Samples that repeat, as of rounded values, favor ever smaller bandwidths. Where there are some,
    bandwidths that are tried without `bandwidths` are at least half the step of the values in the
    column where that is largest.

    Cost: fit d n log n; "cv" a sum for each sample and bandwidth. A density takes a kernel for each
    sample that is within reach of h, at most n; where d is above 10 or so, that is all of them.
    Memory: a copy of the rows, and a third more for the nodes.

    References
    ----------
    .. [1] Gray, A. G. and Moore, A. W. (2003). Nonparametric density estimation: toward
       computational tractability. Proceedings of the SIAM International Conference on Data Mining,
       203-211. https://doi.org/10.1137/1.9781611972733.19
    .. [2] Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman
       and Hall. https://doi.org/10.1201/9781315140919
    .. [3] Habbema, J. D. F., Hermans, J. and van den Broek, K. (1974). A stepwise discriminant
       analysis program using density estimation. COMPSTAT 1974, 101-110.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import KernelDensity
    >>> X = np.random.default_rng(0).standard_normal((500, 1))
    >>> model = KernelDensity(bandwidth="cv").fit(X)
    >>> round(model.bandwidth_, 2)
    0.29
    >>> np.exp(model.score_samples([[0.0], [2.0]])).round(3)  # the truth: 0.399 and 0.054
    array([0.366, 0.057])
    """

    bandwidth: float | Literal["scott", "silverman", "cv"] = param(BANDWIDTH, default=1.0)
    kernel: Literal[
        "gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"
    ] = param(one_of(*SHAPES), default="gaussian")  # fmt: skip
    metric: str = param(by_fit, default="euclidean")
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    atol: float = param(real(0), default=0)
    rtol: float = param(real(0), default=0)
    bandwidths: ArrayLike | None = param(by_fit, default=None)
    leaf_size: int | None = param(nothing | count(), default=None)
    n_jobs: Jobs = param(jobs, default=None)

    bandwidth_: float = fitted()
    bandwidth_scores_: CoefficientTable = fitted()
    n_samples_fit_: int = fitted()
    n_features_in_: int = fitted()
    _tree: WeightedTree = fitted()
    _weights: Array | None = fitted()  # (n_samples_fit_,)
    _log_volume: float = fitted()  # of the metric's unit of space, in that of the rows

    _estimator_type = "density_estimator"

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Index the samples, and choose the bandwidth.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : KernelDensity

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, a parameter is out of its range, the metric is not a
            norm or cannot take these rows, or, for "cv", all samples are equal, or every bandwidth
            leaves some sample beyond the kernels of all others.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If the best bandwidth of "cv" is the smallest or the largest that was tried.
        """
        checked = self._checked()
        grid = as_grid(self.bandwidths)
        if grid is not None and checked.bandwidth != "cv":
            raise ValueError(
                f"bandwidths are for bandwidth='cv'; got bandwidth={shown(self.bandwidth)}. Leave "
                "them out."
            )
        rows = as_rows(X, keep=NATIVE_DTYPES)
        weights = as_weights(sample_weight, rows.shape[0])
        if weights is not None and not weights.all():
            rows, weights = rows[weights > 0.0], weights[weights > 0.0]
        if len(rows) > MAX_ROWS:
            raise ValueError(
                f"X must have at most {MAX_ROWS} rows; got {len(rows)}. Fit a sample of them."
            )
        d, total = rows.shape[1], float(len(rows) if weights is None else weights.sum())
        metric = as_norm(self.metric, self.metric_params, rows, weights)
        h = checked.bandwidth
        if h in ("scott", "silverman"):
            h = rule_of_thumb(h, total, d)
        size = h if grid is None else grid[0]
        metric = _in_scale(metric, rows, width_of(rows) if size == "cv" else float(size))
        prepared = metric.prepare(rows, n_jobs=self.n_jobs)
        tree = WeightedTree.build(prepared, weights, metric, checked.leaf_size, self.n_jobs)
        found = {}
        if h == "cv":
            if grid is None:
                tried = default_grid(prepared, tree.total, _spread(tree))
            else:
                tried = BandwidthGrid(grid * metric.scale)
            choice = choose_bandwidth(
                tree, weights, checked.kernel, tried, metric.scale, self.n_jobs
            )
            h, found = choice.bandwidth / metric.scale, {"bandwidth_scores_": choice.scores}
        return self._publish(
            X, n_features_in_=d, n_samples_fit_=len(rows), bandwidth_=float(h), _tree=tree,
            _weights=weights, _log_volume=log_volume_of_unit(metric), **found,
        )  # fmt: skip

    # ------------------------------------------------------------ density

    def score_samples(self, X: Rows) -> Array:
        """Return the log density at each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        log_densities : ndarray of shape (m,)
            float32 for float32 X, else float64; -inf where the density is 0.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = rows_for(self, X, keep=NATIVE_DTYPES)
        checked, tree, metric = self._checked(), self._tree, self._tree.index.metric
        d, h = rows.shape[1], self.bandwidth_ * metric.scale
        log_norm = np.log(tree.total) + log_integral(checked.kernel, d, metric.p) + d * np.log(h)
        with np.errstate(over="ignore"):
            atol = checked.atol * float(np.exp(min(log_norm - self._log_volume, 600.0)))
        out = tree.log_sums(
            metric.prepare(rows, n_jobs=self.n_jobs), checked.kernel, h, self.n_jobs,
            rtol=checked.rtol, atol=atol,
        )  # fmt: skip
        out -= log_norm - self._log_volume
        return out.astype(np.float32) if rows.dtype == np.float32 else out

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return the log-likelihood of samples: the sum of their log densities, by weight.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
            -inf if a sample of positive weight has density 0.

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        logs = self.score_samples(X).astype(np.float64)
        weights = as_weights(sample_weight, len(logs))
        if weights is None:
            return float(logs.sum())
        return float((logs[weights > 0.0] * weights[weights > 0.0]).sum())

    def leave_one_out(self) -> Array:
        """Return the log density of each fitted sample in the estimate from all others.

        Returns
        -------
        log_densities : ndarray of shape (n,), float64
            Of the samples of positive weight, in their order, with a relative error of at most 1e-9
            of the density; -inf beyond the kernels of all others.

        Raises
        ------
        ValueError
            If there is one sample alone.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if self.n_samples_fit_ < 2:
            raise ValueError(
                "X must have had two rows with weight or more, so that some are left without one; "
                "got 1. Fit more rows."
            )
        tree, scale = self._tree, self._tree.index.metric.scale
        nearest = tree.index.self_query(1, self.n_jobs)[0][:, 0]
        logs = leave_one_out(
            tree, self._weights, self._checked_value("kernel"), self.bandwidth_ * scale,
            self.n_jobs, nearest,
        )  # fmt: skip
        return logs + self._log_volume

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Array:
        """Draw samples: a fitted one by its weight, moved by a draw from the kernel.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        X : ndarray of shape (n_samples, d), float64

        Raises
        ------
        ValueError
            If `n_samples` is not positive.
        MemoryError
            If the samples would take more than half of the free memory.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        n, d = as_count(n_samples, "n_samples"), self.n_features_in_
        refuse_large(24 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        rng = as_generator(random_state)
        tree, index = self._tree, self._tree.index
        metric, arrays = index.metric, index.arrays
        if tree.weights is None:
            places = rng.integers(arrays.n, size=n)
        else:
            ends = np.cumsum(tree.weights[: arrays.n])
            places = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
            places = np.minimum(places, arrays.n - 1)
        leaf = arrays.blocks.shape[2]
        rows = arrays.blocks[places // leaf, :, places % leaf].astype(np.float64)
        offsets = draw_offsets(self._checked_value("kernel"), n, d, metric.p, rng)
        return restored(metric, rows, offsets * (self.bandwidth_ * metric.scale))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags


def _in_scale(metric: Metric, rows: Array, size: float) -> Metric:
    """The metric, with rows scaled by a power of two if bandwidths have squares beyond float64.

    `size` is the bandwidth, or the range of the rows.
    """
    power = frexp(size)[1]
    if abs(power) <= MAX_POWER_UNSCALED:
        return metric
    power_of_rows = frexp(max(float(rows.max()), -float(rows.min())))[1]
    scale = 2.0 ** max(-MAX_POWER_OF_ROWS, min(-power, MAX_POWER_OF_ROWS - power_of_rows))
    if not 1e-150 < size * scale < 1e150:
        raise ValueError(
            f"bandwidth must not be so small beside the rows of X that no float64 has their ratio; "
            f"got {size:g}. Raise it."
        )
    factor = np.full(rows.shape[1], scale) if metric.factor is None else metric.factor * scale
    return replace(metric, factor=factor, scale=scale)


def _spread(tree: WeightedTree) -> float:
    """The root of the mean variance of the columns of prepared rows."""
    group = int(tree.index.arrays.first[-1])
    node_weights, center = tree.node_weights[group], tree.center[group]
    mean = (center * node_weights).sum(axis=1) / node_weights.sum()
    squares = (
        tree.moment[group].sum()
        + (node_weights * ((center - mean[:, None]) ** 2).sum(axis=0)).sum()
    )
    return float(np.sqrt(squares / tree.total / len(mean)))
