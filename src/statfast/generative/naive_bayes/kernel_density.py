# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes with kernel density estimates: columns of any distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import array, fitted, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs
from statfast.generative.naive_bayes.density import Density, FittedDensity, log_of
from statfast.generative.naive_bayes.linear import (
    MAX_SMOOTHING,
    require_no_infinity,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel

KERNELS_OF_STEP = 2_000_000  # One step evaluates so many kernels in some ten milliseconds.
# Exponents of kernels are not below this; smaller ones all give the density 0.
MIN_EXPONENT = -1e300
MIN_BANDWIDTH = 1e-4  # The least bandwidth, in standard deviations of the column over all classes.


BANDWIDTH = one_of("scott", "silverman") | real(0.0, MAX_SMOOTHING, open_low=True)


@dataclass(frozen=True)
class WeightedValues:
    """The distinct values, ascending, and their weights, of each class (outer) and column."""

    parts: tuple[tuple[Any, ...], ...]

    def __add__(self, other: WeightedValues) -> WeightedValues:
        return WeightedValues(
            tuple(
                tuple(_distinct(*(np.concatenate(pair) for pair in zip(a, b, strict=True)))
                      for a, b in zip(first, second, strict=True))
                for first, second in zip(self.parts, other.parts, strict=True)
            )
        )  # fmt: skip

    def of_classes(self, kept: Any) -> WeightedValues:
        return WeightedValues(tuple(self.parts[k] for k in kept))


def _distinct(values: Array, weights: Array) -> tuple[Array, Array]:
    distinct, place = np.unique(values, return_inverse=True)
    return distinct, np.bincount(place, weights, len(distinct))


class ColumnKernels(Density):
    """Normal kernels about the values of a class."""

    def __init__(self, bandwidth: float | str) -> None:
        self.bandwidth = bandwidth

    def check(self, rows: Array) -> None:
        require_no_infinity(rows)

    def statistics(
        self, rows: Array, codes: Array, weights: Array | None, n_classes: int
    ) -> WeightedValues:
        row_weights = np.ones(len(codes)) if weights is None else weights
        parts = []
        for k in range(n_classes):
            members = np.flatnonzero((codes == k) & (row_weights > 0.0))
            columns = []
            for j in range(rows.shape[1]):
                # Adding 0.0 turns -0.0 into 0.0.
                values = rows[members, j].astype(np.float64) + 0.0
                here = values == values
                columns.append(_distinct(values[here], row_weights[members][here]))
            parts.append(tuple(columns))
        return WeightedValues(tuple(parts))

    def solve(self, statistics: WeightedValues, class_counts: Array) -> FittedKernels:
        with np.errstate(over="ignore", invalid="ignore"):
            widths = self.widths(statistics.parts)
        if not np.isfinite(widths).all():
            raise OverflowError
        return FittedKernels(statistics.parts, widths, class_counts)

    def widths(self, parts: tuple[Any, ...]) -> Array:
        """Bandwidths (K, d)."""
        shape = len(parts), len(parts[0])
        if not isinstance(self.bandwidth, str):
            return np.full(shape, self.bandwidth)
        widths = np.empty(shape)
        for j in range(shape[1]):
            every = _distinct(*(np.concatenate([p[j][i] for p in parts]) for i in (0, 1)))
            least = MIN_BANDWIDTH * _spread(*every)
            for k, part in enumerate(parts):
                widths[k, j] = max(rule_of_thumb(self.bandwidth, *part[j]), least) or 1.0
        return widths

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        if isinstance(self.bandwidth, str) or (rows.dtype.kind == "f" and np.isnan(rows).any()):
            return None  # Without a row, the bandwidths would change.
        fitted = self.solve(statistics, class_counts)
        row_weights = np.ones(len(codes)) if weights is None else weights
        return fitted.terms(np.asarray(rows, dtype=np.float64), (codes, row_weights)).sum(axis=2)


def _spread(values: Array, weights: Array) -> float:
    """Standard deviation with divisor n - 1."""
    total = weights.sum()
    if len(values) < 2:
        return 0.0
    mean = values[0] + (weights * (values - values[0])).sum() / total
    squares = (weights * (values - mean) ** 2).sum()
    return float(np.sqrt(squares / (total - 1.0 if total > 1.0 else total)))


def rule_of_thumb(name: str, values: Array, weights: Array) -> float:
    """R's ``bw.nrd`` without its quartiles ("scott"), or ``bw.nrd0`` ("silverman")."""
    if len(values) < 2:
        return 0.0
    n, spread = weights.sum(), _spread(values, weights)
    if name == "scott":
        return 1.06 * spread * n**-0.2
    low, high = (quantile(values, weights, q) for q in (0.25, 0.75))
    return 0.9 * (min(spread, (high - low) / 1.34) or spread) * n**-0.2


def quantile(values: Array, weights: Array, q: float) -> float:
    """R's type 7 of rows repeated by their weights."""
    ends = np.cumsum(weights)
    place = q * max(ends[-1] - 1.0, 0.0)
    low = np.floor(place)
    at = np.searchsorted(ends, [low, low + 1.0], side="right").clip(0, len(values) - 1)
    return values[at[0]] + (place - low) * (values[at[1]] - values[at[0]])


class FittedKernels(FittedDensity):
    """Values, weights and bandwidths of the columns in each class."""

    def __init__(self, parts: tuple[Any, ...], widths: Array, class_counts: Array) -> None:
        self.parts, self.widths, self.class_counts = parts, widths, class_counts

    def attributes(self) -> dict[str, Array]:
        return {"bandwidth_": self.widths}

    def terms(self, rows: Array, left_out: Any = None) -> Array:
        """Log densities; `left_out` are the class and weight of each row, to be taken out."""
        out = np.zeros((rows.shape[0], len(self.parts), rows.shape[1]))
        for k, part in enumerate(self.parts):
            for j, (values, weights) in enumerate(part):
                row_weights = None
                if left_out is not None:
                    row_weights = np.where(left_out[0] == k, left_out[1], 0.0)
                x = rows[:, j].astype(np.float64)
                out[:, k, j] = self.column(x, values, weights, self.widths[k, j], row_weights)
        return out

    def column(
        self, x: Array, values: Array, weights: Array, width: float, row_weights: Any
    ) -> Array:
        out = np.zeros(len(x))
        if not len(values):
            return out  # A column without any value contributes nothing.
        total, scale = weights.sum(), np.log(width) + 0.5 * np.log(2.0 * np.pi)
        step = max(1, KERNELS_OF_STEP // len(values))
        for start in range(0, len(x), step):
            checkpoint()
            where = slice(start, start + step)
            with np.errstate(over="ignore"):
                a = np.maximum(-0.5 * ((x[where, None] - values) / width) ** 2, MIN_EXPONENT)
            if row_weights is None:
                a += np.log(weights)
                rest = total
            else:
                at = np.searchsorted(values, x[where]).clip(0, len(values) - 1)
                w = np.tile(weights, (len(a), 1))
                w[np.arange(len(a)), at] -= row_weights[where]
                a += log_of(np.where(w <= 1e-12 * weights, 0.0, w))
                rest = total - row_weights[where]
                rest = np.where(rest <= 1e-12 * total, 1.0, rest)
            top = a.max(axis=1)
            safe = np.where(np.isfinite(top), top, 0.0)
            with np.errstate(invalid="ignore"):
                sums = np.exp(a - safe[:, None]).sum(axis=1)
                summed = np.log(sums) if row_weights is None else log_of(sums)
            out[where] = safe + np.where(np.isfinite(top), summed, -np.inf) - np.log(rest) - scale
        return np.where(np.isnan(x), 0.0, out)

    def draw(self, codes: Array, rng: np.random.Generator) -> Array:
        out = np.zeros((len(codes), self.widths.shape[1]))
        for k in np.unique(codes):
            members = np.flatnonzero(codes == k)
            for j, (values, weights) in enumerate(self.parts[k]):
                if len(values):
                    drawn = rng.choice(values, len(members), p=weights / weights.sum())
                    out[members, j] = drawn + self.widths[k, j] * rng.standard_normal(len(members))
        return out


class KernelDensityNB(NaiveBayesModel):
    """Naive Bayes with a kernel density estimate for each feature in each class.

    Parameters
    ----------
    bandwidth : {"scott", "silverman"} or float, default="silverman"
        Standard deviation of the normal kernels. With s the standard deviation and n the weight of
        a class: "scott" is 1.06 s n^(-1/5), "silverman" 0.9 min(s, interquartile range / 1.34)
        n^(-1/5), R's ``bw.nrd0``.
    priors : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. None takes the proportions of the classes
        in the training samples, "laplace" those of one more sample of each class.
    missing : {"error", "ignore"}, default="error"
        What becomes of NaN: it is refused, or counts for nothing: at fit the column has that row
        less, in prediction the row that column.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_count_ : ndarray of shape (K,)
        Samples of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (K,)
        Class probabilities.
    bandwidth_ : ndarray of shape (K, d)
        Bandwidths.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    GaussianNB : One normal density in place of many.
    statfast.neighbors.KernelDensity : An estimate of all columns at once.

    Notes
    -----
    The estimate is exact, and its logarithm is finite however far a row lies. Equal values are
    kept once, with the sum of their weights. A bandwidth by rule is at least 1e-4 standard
    deviations of the column over all rows, and 1 for a column that does not vary at all. **Ties**
    between classes go to the lowest label.

    Cost: fit n d log n, prediction of m rows m d times the number of distinct values; memory those
    values.

    References
    ----------
    .. [1] John, G. H. and Langley, P. (1995). Estimating continuous distributions in Bayesian
       classifiers. UAI 11, 338-345. https://arxiv.org/abs/1302.4964
    .. [2] Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis, section
       3.4. https://doi.org/10.1201/9781315140919

    Examples
    --------
    >>> from statfast import KernelDensityNB
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> model = KernelDensityNB().fit(iris.data, iris.target)
    >>> int((model.predict(iris.data) == iris.target).sum())
    144
    """

    bandwidth: Literal["scott", "silverman"] | float = param(
        BANDWIDTH, default="silverman", kw_only=False
    )
    priors: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_prior_: Array = fitted()
    bandwidth_: Array = fitted()

    _allow_sparse = False
    _solve_parameters = ("bandwidth", "priors")

    def _density(self, d: int) -> ColumnKernels:
        return ColumnKernels(self._checked().bandwidth)
