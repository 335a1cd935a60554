# SPDX-License-Identifier: BSD-3-Clause
"""Gamma naive Bayes: columns of positive amounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.column_moments import class_moments
from statfast._estimator import array, fitted, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs
from statfast._validation import require_counts
from statfast.generative.naive_bayes.density import Density, FittedDensity, cut_pieces
from statfast.generative.naive_bayes.linear import gaps_of, require_no_infinity
from statfast.generative.naive_bayes.model import NaiveBayesModel

MAX_NEWTON_STEPS = 60  # Newton's method for the shape takes four or five steps.
# The shape is the inverse of the squared coefficient of variation: at most 1e9.
MIN_SQUARED_VARIATION = 1e-9


@dataclass(frozen=True)
class GammaMoments:
    """Weight, mean, and w log(mean) less the sum of w log x, of each column and class, (K, d)."""

    class_counts: NDArray[np.float64]
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]

    def __add__(self, other: GammaMoments) -> GammaMoments:
        class_counts = self.class_counts + other.class_counts
        share = np.divide(
            other.class_counts,
            class_counts,
            out=np.zeros_like(class_counts),
            where=class_counts > 0.0,
        )
        with np.errstate(over="ignore", invalid="ignore"):
            means = self.means + share * (other.means - self.means)
            gaps = self.gaps + other.gaps
            for part in (self, other):
                positive = (part.class_counts > 0.0) & (part.means > 0.0)
                ratio = np.divide(
                    means - part.means, part.means, out=np.zeros_like(means), where=positive
                )
                gaps = gaps + part.class_counts * np.log1p(ratio)
        return GammaMoments(class_counts, means, gaps)

    def of_classes(self, kept: Any) -> GammaMoments:
        return GammaMoments(self.class_counts[kept], self.means[kept], self.gaps[kept])


class GammaDensity(Density):
    """Shapes and scales by maximum likelihood."""

    def __init__(self, smallest: float | None) -> None:
        self.smallest = smallest

    def check(self, rows: Array) -> None:
        require_no_infinity(rows)
        require_counts(rows)
        if self.smallest is None and (rows == 0).any():
            row, column = np.argwhere(rows == 0)[0]
            raise ValueError(
                f"X must be positive; got 0 at row {row}, column {column}. Give smallest, the "
                "amount that a 0 may stand for, or drop those rows."
            )

    def raise_to_smallest(self, rows: Array) -> Array:
        rows = np.asarray(rows, dtype=np.float64)
        return rows if self.smallest is None else np.maximum(rows, self.smallest)

    def statistics(
        self, rows: Array, codes: Array, weights: Array | None, n_classes: int
    ) -> GammaMoments:
        rows, gone = self.raise_to_smallest(rows), gaps_of(rows)
        shape = n_classes, rows.shape[1]
        nothing, class_counts = np.zeros(shape), np.zeros(n_classes)
        sums, gaps, seen = np.zeros(shape), np.zeros(shape), None
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if gone is not None:
                seen = np.zeros(shape)
                here = (~gone).astype(np.float64)
                class_moments(here, codes, weights, nothing, class_counts, seen, None)
                class_counts[:], rows = 0.0, np.where(gone, 0.0, rows)
            class_moments(rows, codes, weights, nothing, class_counts, sums, None)
            seen = np.tile(class_counts[:, None], shape[1]) if seen is None else seen
            means = np.divide(sums, seen, out=np.ones(shape), where=seen > 0.0)
            about = means[codes]
            rows = rows if gone is None else np.where(gone, about, rows)
            offset = np.log1p((rows - about) / about)
        class_moments(offset, codes, weights, nothing, class_counts, gaps, None)
        return GammaMoments(seen, means, (-gaps).clip(0.0))

    def solve(self, statistics: GammaMoments, class_counts: Array) -> FittedGamma:
        if not (np.isfinite(statistics.means).all() and np.isfinite(statistics.gaps).all()):
            raise OverflowError
        shape, scale = shapes(statistics.class_counts, statistics.means, statistics.gaps)
        return FittedGamma(shape, scale, self)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        if gaps_of(rows) is not None:
            return None
        rows = self.raise_to_smallest(rows)
        fitted = self.solve(statistics, class_counts)
        out = fitted.scores(rows, np.zeros(len(class_counts)))
        for where in cut_pieces(rows, 64 * rows.shape[1]):
            x, code = rows[where], codes[where]
            w = (np.ones(len(code)) if weights is None else weights[where])[:, None]
            n, mean, gap = (
                a[code] for a in (statistics.class_counts, statistics.means, statistics.gaps)
            )
            remaining = n - w
            remaining = np.where(remaining <= 1e-12 * n, 0.0, remaining)
            ratio = np.divide(w, remaining, out=np.zeros_like(remaining), where=remaining > 0.0)
            less = mean - ratio * (x - mean)
            if (remaining > 0.0).all(axis=1).sum() == 0:
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                moved = np.log1p((less - mean) / mean)
                rest = gap + remaining * moved + w * np.log(x / mean)
            present = remaining > 0.0
            if (present & ~(rest > 1e-6 * gap) & (gap > 0.0)).any():
                # The row makes up all of the spread, which has to be summed anew without it.
                return None
            shape, scale = shapes(
                remaining, np.where(present, less, 1.0), np.where(present, rest, 0.0).clip(0.0)
            )
            terms = log_gamma_terms(x, shape, scale)
            out[np.arange(where.start, where.stop), code] = terms.sum(axis=1)
        return out


def shapes(class_counts: Array, means: Array, gaps: Array) -> tuple[Array, Array]:
    """Maximum-likelihood shapes and scales: log a - digamma(a) = log of the mean - mean log.

    Newton's method in 1 / a, from a start within 2 percent (Minka 2002): four or five steps.
    """
    from scipy.special import digamma, polygamma

    s = np.divide(gaps, class_counts, out=np.ones_like(gaps), where=class_counts > 0.0)
    s = np.maximum(s, MIN_SQUARED_VARIATION / 2.0)
    a = (3.0 - s + np.sqrt((s - 3.0) ** 2 + 24.0 * s)) / (12.0 * s)
    with np.errstate(over="ignore"):
        for _ in range(MAX_NEWTON_STEPS):
            # For large a the difference of logarithm and digamma is computed by its series.
            large = a > 1e4
            series = 0.5 / a + 1.0 / (12.0 * a * a)
            f = np.where(large, series, np.log(a) - digamma(a)) - s
            slope = np.where(
                large,
                -0.5 / a**2 - 1.0 / (6.0 * a**3),
                1.0 / a - polygamma(1, np.where(large, 1, a)),
            )
            new = 1.0 / (1.0 / a + f / (a * a * slope))
            new = np.where(new > 0.0, new, a / 2.0)
            done = np.abs(new - a) <= 1e-15 * a
            a = new
            if done.all():
                break
    return a, np.where(class_counts > 0.0, means, 1.0) / a


def log_gamma_terms(rows: Array, shape: Array, scale: Array) -> Array:
    """Log densities of columns."""
    from scipy.special import gammaln

    # (a - 1) log x - x / s - a log s - log Gamma(a), about the mean: large shapes keep digits
    z = rows / (shape * scale)
    with np.errstate(divide="ignore"):
        log_z = np.log(z)
    peak = shape * np.log(shape) - shape - gammaln(shape)
    return peak - shape * (z - 1.0 - log_z) - np.log(rows)


class FittedGamma(FittedDensity):
    """Shapes and scales of the columns in each class."""

    def __init__(self, shape: Array, scale: Array, density: GammaDensity) -> None:
        self.shape, self.scale, self.density = shape, scale, density

    def attributes(self) -> dict[str, Array]:
        return {"shape_": self.shape, "scale_": self.scale}

    def terms(self, rows: Array) -> Array:
        rows = self.density.raise_to_smallest(rows)[:, None, :]
        return np.where(np.isnan(rows), 0.0, log_gamma_terms(rows, self.shape, self.scale))

    def draw(self, codes: Array, rng: np.random.Generator) -> Array:
        return rng.gamma(self.shape[codes], self.scale[codes])


class GammaNB(NaiveBayesModel):
    """Gamma naive Bayes: positive features, independent within each class.

    Parameters
    ----------
    smallest : float, optional
        What smaller values, 0 among them, are taken for: half of the last digit that was recorded,
        say. None refuses 0, which has no gamma density.
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
    shape_ : ndarray of shape (K, d)
        Shapes; the mean is shape times scale.
    scale_ : ndarray of shape (K, d)
        Scales.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    GaussianNB : Columns that may be negative.

    Notes
    -----
    Shapes are those of maximum likelihood, by Newton's method; the mean of the logarithms is taken
    about the logarithm of the mean, so that columns that vary little lose no digits. A column that
    does not vary within a class has the shape 1e9. **Ties** between classes go to the lowest label.

    Cost: fit n d logarithms, prediction m d K; K d numbers of memory.

    References
    ----------
    .. [1] Minka, T. P. (2002). Estimating a Gamma distribution. Microsoft Research.
    .. [2] Choi, S. C. and Wette, R. (1969). Maximum likelihood estimation of the parameters of the
       gamma distribution and their bias. Technometrics 11, 683-690.
       https://doi.org/10.1080/00401706.1969.10490731

    Examples
    --------
    >>> from statfast import GammaNB
    >>> model = GammaNB().fit([[1.0], [2.0], [3.0], [20.0], [30.0]], ["a", "a", "a", "b", "b"])
    >>> model.predict([[2.5], [12.0]]).tolist()
    ['a', 'b']
    >>> (model.shape_ * model.scale_).ravel().round(6).tolist()
    [2.0, 25.0]
    """

    smallest: float | None = param(nothing | real(0, open_low=True), default=None)
    priors: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_prior_: Array = fitted()
    shape_: Array = fitted()
    scale_: Array = fitted()

    _allow_sparse = False

    def _density(self, d: int) -> GammaDensity:
        return GammaDensity(self._checked().smallest)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
