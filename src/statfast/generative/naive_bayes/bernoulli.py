# SPDX-License-Identifier: BSD-3-Clause
"""Bernoulli naive Bayes: columns that are there or not."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._estimator import array, fitted, flag, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs, Matrix
from statfast._validation import is_sparse, shown
from statfast.generative.naive_bayes.density import Density, SparseBlock, Sums, log_of
from statfast.generative.naive_bayes.linear import (
    FittedLinear,
    as_alpha,
    column_sums,
    flat_table,
    nonzeros,
    require_no_infinity,
    table_of,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.generative.naive_bayes.priors import CountPriors


class PresenceDensity(Density):
    """Chances of the columns to exceed a threshold; `alpha` is added to both their counts."""

    sparse = True

    def __init__(self, alpha: Array | float, threshold: float | None) -> None:
        self.alpha, self.threshold = alpha, threshold

    def check(self, rows: Matrix) -> None:
        require_no_infinity(rows)
        values = rows.data if is_sparse(rows) else rows
        if (
            self.threshold is None
            and not ((values == 0) | (values == 1) | (values != values)).all()
        ):
            wrong = values[(values != 0) & (values != 1) & (values == values)]
            raise ValueError(
                f"X must hold 0 and 1 where binarize is None; got {shown(wrong.flat[0])}. Give "
                "binarize a threshold."
            )

    def statistics(
        self, rows: SparseBlock | Array, codes: Array, weights: Array | None, n_classes: int
    ) -> Sums:
        gone = missing_places(rows)
        class_counts = np.bincount(codes, weights, n_classes).astype(np.float64)
        counts = column_sums(binary(rows, self.threshold), codes, weights, n_classes)
        seen = np.tile(class_counts, (rows.shape[1], 1))
        if gone is not None:
            seen -= column_sums(gone, codes, weights, n_classes)
        return Sums((counts, seen))

    def solve(self, statistics, class_counts):
        return FittedPresence(*statistics.tables, self.alpha, self.threshold)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Any, statistics: Any, class_counts: Array
    ) -> Any:
        counts = statistics.tables[0]
        alpha = np.broadcast_to(self.alpha, len(counts))
        if missing_places(rows) is not None or not (alpha > 0.0).all():
            return None
        n = rows.shape[0]
        row_weights = np.ones(n) if weights is None else weights
        out = self.solve(statistics, class_counts).scores(rows, np.zeros(len(class_counts)))
        row, column, _ = nonzeros(binary(rows, self.threshold))
        keys, place = np.unique(np.stack([codes, row_weights], axis=1), axis=0, return_inverse=True)
        absent = np.empty(len(keys))
        for key, (k, w) in enumerate(keys):
            remaining = max(0.0, class_counts[int(k)] - w)
            gaps = (remaining - counts[:, int(k)]).clip(0.0)
            absent[key] = np.log((gaps + alpha) / (remaining + 2.0 * alpha)).sum()
        code, w = codes[row], row_weights[row]
        there = (counts[column, code] - w).clip(0.0) + alpha[column]
        without = (class_counts[code] - w - counts[column, code]).clip(0.0) + alpha[column]
        own_scores = absent[np.asarray(place).reshape(-1)]
        own_scores = own_scores + np.bincount(row, np.log(there / without), n)
        out[np.arange(n), codes] = own_scores
        return out


def missing_places(rows: Any) -> Array | None:
    """Ones where values are missing, or None."""
    if is_sparse(rows) or rows.dtype.kind != "f":
        return None
    gone = np.isnan(rows)
    return gone.astype(np.float64) if gone.any() else None


def binary(rows: Any, threshold: Any) -> SparseBlock | Array:
    """Zeros and ones: a missing value is a 0."""
    if is_sparse(rows):
        if threshold is None:
            return rows
        ones = (rows.data > threshold).astype(np.float64)
        return SparseBlock(ones, rows.indices, rows.indptr, rows.shape)
    if threshold is None and missing_places(rows) is None:
        return rows
    return (rows > (0.0 if threshold is None else threshold)).astype(np.float64)


class FittedPresence(FittedLinear):
    """Log chances of ones and zeros."""

    def __init__(self, counts: Any, seen: Array, alpha: float, threshold: float) -> None:
        self.counts, self.threshold = counts, threshold
        alpha = np.reshape(alpha, (-1, 1))
        total = seen + 2.0 * alpha
        safe = np.where(total > 0.0, total, 1.0)
        self.ones = np.where(total > 0.0, log_of(counts + alpha) - np.log(safe), -np.log(2.0))
        gaps = (seen - counts).clip(0.0) + alpha
        self.zeros = np.where(total > 0.0, log_of(gaps) - np.log(safe), -np.log(2.0))
        self.plain = np.isfinite(self.ones).all() and np.isfinite(self.zeros).all()
        if self.plain:
            flat = flat_table(*self.ones.shape)
            np.subtract(self.ones, self.zeros, out=table_of(flat, counts.shape[1]))
            super().__init__(flat, counts.shape[1], self.zeros.T)

    def attributes(self) -> dict[str, Array]:
        return {"feature_count_": self.counts.T, "feature_log_prob_": self.ones.T}

    def prepared(self, rows: SparseBlock | Array) -> SparseBlock | Array:
        return binary(rows, self.threshold)

    def scores(self, rows: SparseBlock | Array, begin: Array) -> Array:
        if self.plain and missing_places(rows) is None:
            return super().scores(rows, begin)
        rows = rows.toarray() if is_sparse(rows) else rows
        return begin + self.terms(rows).sum(axis=2)

    def posteriors(self, rows: SparseBlock | Array, begin: Array, out: Array) -> int:
        if self.plain and missing_places(rows) is None:
            return super().posteriors(rows, begin, out)
        return False

    def terms(self, rows):
        ones = binary(rows, self.threshold)[:, None, :] > 0.0
        terms = np.where(ones, self.ones.T, self.zeros.T)
        gone = missing_places(rows)
        return terms if gone is None else np.where(gone[:, None, :] > 0.0, 0.0, terms)

    def draw(self, codes: Array, rng: np.random.Generator) -> Array:
        chances = np.exp(self.ones.T)[codes]
        drawn = (rng.random(chances.shape) < chances).astype(np.float64)
        return drawn if self.threshold is None else np.where(drawn > 0, self.threshold + 1.0, 0.0)


class BernoulliNB(CountPriors, NaiveBayesModel):
    """Bernoulli naive Bayes: binary features, independent within each class.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Additive smoothing: the chance of a one is (count + alpha) / (samples + 2 alpha). 1 is
        Laplace's rule, 0 maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    binarize : float or None, default=0.0
        Values above it are ones, others zeros. None takes X as it is, of zeros and ones.
    fit_prior : bool, default=True
        Learn the class probabilities; False takes them as equal.
    class_prior : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. "laplace" are those of one more sample of
        each class.
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
    class_log_prior_ : ndarray of shape (K,)
        Logarithms of the class probabilities; -inf for a class without samples so far.
    feature_count_ : ndarray of shape (K, d)
        Ones of each column in each class, without smoothing.
    feature_log_prob_ : ndarray of shape (K, d)
        Logarithms of the smoothed chances of a one; -inf for none, with ``alpha=0``.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultinomialNB : How often, not whether.

    Notes
    -----
    scikit-learn's estimator, with its defaults; the logarithm of the chance of a zero is made from
    its own count, which keeps digits where the chance of a one is near 1. With ``alpha=0`` what a
    class was never seen to have, or to lack, is impossible in it; a row that no class can have has
    the class probabilities. **Ties** between classes go to the lowest label.

    Cost: fit the number of nonzeros, prediction K times that; K d numbers of memory.

    References
    ----------
    .. [1] McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text
       classification. AAAI-98 workshop on learning for text categorization, 41-48.

    Examples
    --------
    >>> from statfast import BernoulliNB
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> model = BernoulliNB().fit(X, ["ham", "ham", "spam", "spam"])
    >>> model.predict_proba([[1, 0, 0], [0, 1, 1]]).round(3)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """

    alpha: ArrayLike = param(array, default=1.0)
    force_alpha: bool = param(flag, default=True)
    binarize: float | None = param(nothing | real(0), default=0.0)
    fit_prior: bool = param(flag, default=True)
    class_prior: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_log_prior_: Array = fitted()
    feature_count_: Array = fitted()
    feature_log_prob_: Array = fitted()

    _solve_parameters = ("alpha", "force_alpha", "fit_prior", "class_prior")
    _samples_as_weights = True  # The bootstrap weights samples, which is quicker than refits.

    def _density(self, d: int) -> PresenceDensity:
        params = self._checked()
        return PresenceDensity(as_alpha(params.alpha, params.force_alpha, d), params.binarize)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags
