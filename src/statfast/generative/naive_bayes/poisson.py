# SPDX-License-Identifier: BSD-3-Clause
"""Poisson naive Bayes: columns of counts."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._estimator import array, fitted, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs, Matrix
from statfast._validation import is_sparse, require_counts
from statfast.generative.naive_bayes.density import Density, Sums, cut_pieces, log_of
from statfast.generative.naive_bayes.linear import (
    MAX_SMOOTHING,
    FittedLinear,
    column_sums,
    flat_table,
    gaps_of,
    require_no_infinity,
    table_of,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel

MAX_RATE_DRAWN = 9.2e18  # Integers of numpy's draws have 64 bits.


class PoissonDensity(Density):
    """Rates of counts, drawn to those of all classes by the weight of `alpha` rows."""

    sparse = True

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def check(self, rows: Matrix) -> None:
        require_no_infinity(rows)
        require_counts(rows)

    def statistics(self, rows, codes, weights, n_classes):
        gone = gaps_of(rows)
        class_counts = np.bincount(codes, weights, n_classes).astype(np.float64)
        seen = np.tile(class_counts, (rows.shape[1], 1))
        if gone is not None:
            seen -= column_sums(gone.astype(np.float64), codes, weights, n_classes)
            rows = np.where(gone, 0.0, rows)
        return Sums((column_sums(rows, codes, weights, n_classes), seen))

    def rates(self, counts: Array, seen: Array, total: Array, every: Array) -> Array:
        """Rates of classes from their counts, and those of all."""
        pool = np.divide(total, every, out=np.zeros_like(total), where=every > 0.0)
        below = seen + self.alpha
        rates = np.divide(
            counts + self.alpha * pool, below, out=np.zeros_like(counts), where=below > 0.0
        )
        return np.where(below > 0.0, rates, pool)

    def solve(self, statistics: Sums, class_counts: Array) -> FittedPoisson:
        counts, seen = statistics.tables
        with np.errstate(over="ignore"):
            if not np.isfinite(counts.sum(axis=1)).all():
                raise OverflowError
        total, every = counts.sum(axis=1, keepdims=True), seen.sum(axis=1, keepdims=True)
        return FittedPoisson(self.rates(counts, seen, total, every))

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        if is_sparse(rows) or gaps_of(rows) is not None:
            return None
        counts, seen = statistics.tables
        total, every = counts.sum(axis=1), seen.sum(axis=1)
        out = np.empty((rows.shape[0], len(class_counts)))
        for where in cut_pieces(rows, 8 * rows.shape[1]):
            x, code = rows[where].astype(np.float64), codes[where]
            w = np.ones(len(code)) if weights is None else weights[where]
            wx, w = w[:, None] * x, w[:, None]
            for k in range(len(class_counts)):
                of_class = (code == k)[:, None]
                rates = self.rates(
                    (counts[:, k] - of_class * wx).clip(0.0), (seen[:, k] - of_class * w).clip(0.0),
                    (total - wx).clip(0.0), (every - w).clip(0.0),
                )  # fmt: skip
                with np.errstate(invalid="ignore"):
                    terms = np.where(x > 0.0, x * log_of(rates), 0.0) - rates
                out[where, k] = terms.sum(axis=1)
        return out


class FittedPoisson(FittedLinear):
    """Rates of the columns in each class."""

    def __init__(self, rates: Array) -> None:
        self.rates = rates
        flat = flat_table(*rates.shape)
        with np.errstate(divide="ignore"):
            np.log(rates, out=table_of(flat, rates.shape[1]))
        super().__init__(flat, rates.shape[1], -rates.T)

    def attributes(self) -> dict[str, Array]:
        return {"rate_": self.rates.T}

    def scores(self, rows, begin):
        gone = gaps_of(rows)
        if gone is None:
            return super().scores(rows, begin)
        return super().scores(np.where(gone, 0.0, rows), begin) + gone @ self.rates

    def posteriors(self, rows: Any, begin: Array, out: Array) -> int:
        return gaps_of(rows) is None and super().posteriors(rows, begin, out)

    def terms(self, rows: Array) -> Array:
        gone = gaps_of(rows)
        if gone is None:
            return super().terms(rows)
        terms = super().terms(np.where(gone, 0.0, rows))
        return np.where(gone[:, None, :], 0.0, terms)

    def common(self, rows: Array) -> Array:
        from scipy.special import gammaln

        if is_sparse(rows):
            row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
            return -np.bincount(row, gammaln(rows.data + 1.0), rows.shape[0])[:, None]
        return -np.nan_to_num(gammaln(rows + 1.0), posinf=np.inf).sum(axis=1, keepdims=True)

    def draw(self, codes: Array, rng: np.random.Generator) -> Array:
        if self.rates.max() > MAX_RATE_DRAWN:
            raise ValueError(
                f"sample needs rates of at most {MAX_RATE_DRAWN:g}; the largest of the fit is "
                f"{self.rates.max():g}. Divide the columns of X."
            )
        return rng.poisson(self.rates.T[codes]).astype(np.float64)


class PoissonNB(NaiveBayesModel):
    """Poisson naive Bayes: counts, independent within each class.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing: the rate of a column in a class is that of its rows and of `alpha` more, which
        have the rate of all classes together. 0 is maximum likelihood.
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
    rate_ : ndarray of shape (K, d)
        Rates.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultinomialNB : Only the shares of the counts matter, not how many there are.

    Notes
    -----
    Fractions are taken, with the gamma function for the factorial; negative values are refused. A
    column that is 0 in all rows has the rate 0: a row with a count there is impossible in every
    class, and has the class probabilities. **Ties** between classes go to the lowest label.

    Cost: fit n d or the number of nonzeros, prediction K times that; K d numbers of memory.

    References
    ----------
    .. [1] Kim, S.-B., Han, K.-S., Rim, H.-C. and Myaeng, S. H. (2006). Some effective techniques
       for naive Bayes text classification. IEEE Transactions on Knowledge and Data Engineering
       18, 1457-1466. https://doi.org/10.1109/TKDE.2006.180

    Examples
    --------
    >>> from statfast import PoissonNB
    >>> model = PoissonNB(alpha=0.0).fit([[1], [3], [8], [12]], ["few", "few", "many", "many"])
    >>> model.rate_.ravel().tolist()
    [2.0, 10.0]
    >>> model.predict([[4], [6]]).tolist()
    ['few', 'many']
    """

    alpha: float = param(real(0, MAX_SMOOTHING), default=1.0)
    priors: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_prior_: Array = fitted()
    rate_: Array = fitted()

    _solve_parameters = ("alpha", "priors")

    def _density(self, d: int) -> PoissonDensity:
        return PoissonDensity(self._checked().alpha)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
