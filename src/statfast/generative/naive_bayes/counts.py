# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial naive Bayes, and its complement: the counts of words in documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import array, fitted, flag, jobs, nothing, one_of, param
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Seed
from statfast._validation import as_count, require_counts
from statfast.generative.naive_bayes.density import (
    Density,
    SparseBlock,
    Sums,
    block_of,
    cut_pieces,
    log_of,
)
from statfast.generative.naive_bayes.linear import (
    FittedLinear,
    as_alpha,
    column_sums,
    flat_table,
    nonzeros,
    table_of,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.generative.naive_bayes.priors import CountPriors


class CountDensity(Density):
    """Shares of the columns in what a row counts; `alpha` is added to the counts of a class."""

    sparse = True

    def __init__(self, alpha: Array | float) -> None:
        self.alpha = alpha

    def check(self, rows: Matrix) -> None:
        require_counts(rows)

    def statistics(
        self, rows: SparseBlock | Array, codes: Array, weights: Array | None, n_classes: int
    ) -> Sums:
        return Sums((column_sums(rows, codes, weights, n_classes),))

    def solve(self, statistics: Sums, class_counts: Array) -> FittedCounts:
        return FittedCounts(finite_counts(statistics), self.alpha)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        table = statistics.tables[0]
        alpha = np.broadcast_to(self.alpha, len(table))
        out = np.empty((rows.shape[0], len(class_counts)))
        fitted, totals = self.solve(statistics, class_counts), table.sum(axis=0)
        for where in cut_pieces(rows, 64 if rows.ndim == 2 else 1):
            block, code = block_of(rows, where), codes[where]
            row, column, value = nonzeros(block)
            w = np.ones(len(code)) if weights is None else weights[where]
            out[where] = fitted.scores(block, np.zeros(len(class_counts)))
            counts = table[column, code[row]] - w[row] * value
            length = np.bincount(row, value, len(code))
            rest = (totals[code] - w * length).clip(0.0) + alpha.sum()
            terms = np.where(value > 0.0, value * log_of(counts.clip(0.0) + alpha[column]), 0.0)
            row_terms = np.bincount(row, np.where(np.isneginf(terms), 0.0, terms), len(code))
            row_terms -= np.where(
                length > 0.0, length * np.where(rest > 0.0, log_of(rest), 0.0), 0.0
            )
            row_terms[np.bincount(row, np.isneginf(terms), len(code)) > 0] = -np.inf
            out[np.arange(where.start, where.stop), code] = row_terms
        return out


def finite_counts(statistics: Sums) -> Array:
    """The counts of all columns, if their sums are finite."""
    with np.errstate(over="ignore"):
        total = statistics.tables[0].sum()
    if not np.isfinite(total):
        raise OverflowError
    return statistics.tables[0]


class FittedCounts(FittedLinear):
    """Log shares of the columns in each class."""

    def __init__(self, counts: Array, alpha: Any) -> None:
        self.counts = counts
        flat = flat_table(*counts.shape)
        smoothed = table_of(flat, counts.shape[1])
        np.add(counts, np.reshape(alpha, (-1, 1)), out=smoothed)
        totals = smoothed.sum(axis=0)
        with np.errstate(divide="ignore"):
            np.log(smoothed, out=smoothed)
        smoothed -= np.log(np.where(totals > 0.0, totals, 1.0))
        super().__init__(flat, counts.shape[1])

    def attributes(self) -> dict[str, Array]:
        return {"feature_count_": self.counts.T, "feature_log_prob_": self.table.T}

    def draw(self, codes: Array, rng: np.random.Generator, length: int = 100) -> Array:
        shares = np.exp(self.table.T)
        out = np.empty((len(codes), len(self.table)))
        for k in np.unique(codes):
            members = codes == k
            out[members] = rng.multinomial(length, shares[k] / shares[k].sum(), members.sum())
        return out


class ComplementDensity(CountDensity):
    """Shares of the columns in what the rows of all other classes count."""

    def __init__(self, alpha: Any, norm: bool) -> None:
        super().__init__(alpha)
        self.norm = norm

    def solve(self, statistics: Sums, class_counts: Array) -> FittedComplement:
        return FittedComplement(finite_counts(statistics), self.alpha, self.norm)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        table = statistics.tables[0]
        alpha = np.broadcast_to(self.alpha, len(table))
        if self.norm or len(class_counts) < 2 or not (alpha > 0.0).all():
            return None
        row_weights = np.ones(len(codes)) if weights is None else weights
        if (class_counts[codes] - row_weights <= 1e-12 * class_counts[codes]).any():
            return None  # The class is lost, which changes the complements of the others.
        rest = table.sum(axis=1, keepdims=True) - table + alpha[:, None]
        totals = rest.sum(axis=0)
        out = np.empty((rows.shape[0], len(class_counts)))
        for where in cut_pieces(rows, 64 * len(class_counts)):
            code, w = codes[where], row_weights[where]
            row, column, value = nonzeros(block_of(rows, where))
            length = np.bincount(row, value, len(code))
            for k in range(len(class_counts)):
                less = np.where(code == k, 0.0, w)
                terms = value * np.log(rest[column, k] - less[row] * value)
                log_rest = np.log(totals[k] - less * length)
                out[where, k] = length * log_rest - np.bincount(row, terms, len(code))
        return out


class FittedComplement(FittedLinear):
    """Weights of the columns: less the log shares in the other classes."""

    def __init__(self, counts: Array, alpha: Any, norm: bool) -> None:
        self.counts = counts
        every = counts.sum(axis=1, keepdims=True)
        complement = every - counts + np.reshape(alpha, (-1, 1))
        totals = complement.sum(axis=0)
        shares = log_of(complement) - np.log(np.where(totals > 0.0, totals, 1.0))
        if counts.shape[1] == 1 and not (totals > 0.0).all():
            shares = np.zeros_like(shares)  # Without other classes, no word speaks for a class.
        # The weight of a word that no other class has is infinite, and is bounded here.
        shares = np.maximum(shares, -1e300)
        flat = flat_table(*shares.shape)
        by = shares.sum(axis=0) if norm else np.full(len(totals), -1.0)
        np.divide(shares, np.where(by == 0.0, 1.0, by), out=table_of(flat, len(totals)))
        super().__init__(flat, len(totals))

    def attributes(self) -> dict[str, Array]:
        return {
            "feature_count_": self.counts.T,
            "feature_all_": self.counts.sum(axis=1),
            "feature_log_prob_": self.table.T,
        }


class MultinomialNB(CountPriors, NaiveBayesModel):
    """Multinomial naive Bayes for counts, such as those of words.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Additive smoothing: what is added to the count of each column in each class. 1 is Laplace's
        rule, 0 maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities; False takes them as equal.
    class_prior : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. "laplace" are those of one more sample of
        each class.
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
        What each class counts in each column, without smoothing.
    feature_log_prob_ : ndarray of shape (K, d)
        Logarithms of the smoothed proportions of the columns; -inf for none, with ``alpha=0``.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    ComplementNB : More stable where classes differ much in size.
    statfast.text.CountVectorizer : Counts the words of documents.

    Notes
    -----
    scikit-learn's estimator, with its defaults. A row without counts has the class probabilities.
    `predict_joint_log_proba` leaves out the multinomial coefficient, which all classes share. With
    ``alpha=0`` a class cannot have what it was never seen to have; a row that no class can have
    has the class probabilities. Negative counts are refused; fractions are taken. Counts are
    summed in float64. **Ties** between classes go to the lowest label.

    Cost: fit the number of nonzeros, prediction K times that; K d numbers of memory.

    References
    ----------
    .. [1] McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text
       classification. AAAI-98 workshop on learning for text categorization, 41-48.
    .. [2] Manning, C. D., Raghavan, P. and Schütze, H. (2008). Introduction to Information
       Retrieval, chapter 13. https://doi.org/10.1017/CBO9780511809071

    Examples
    --------
    >>> from statfast import MultinomialNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 2], [0, 0, 1]]
    >>> model = MultinomialNB().fit(X, ["sport", "sport", "music", "music"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['sport', 'music']
    >>> model.predict_proba([[1, 0, 0]]).round(3)
    array([[0.2, 0.8]])
    """

    _joint: Any = fitted()

    alpha: ArrayLike = param(array, default=1.0)
    force_alpha: bool = param(flag, default=True)
    fit_prior: bool = param(flag, default=True)
    class_prior: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_log_prior_: Array = fitted()
    feature_count_: Array = fitted()
    feature_log_prob_: Array = fitted()

    _solve_parameters = ("alpha", "force_alpha", "fit_prior", "class_prior")
    _samples_as_weights = True  # The bootstrap weights samples, which is quicker than refits.

    def _density(self, d: int) -> CountDensity:
        params = self._checked()
        return CountDensity(as_alpha(params.alpha, params.force_alpha, d))

    def sample(
        self, n_samples: int = 1, *, length: int = 100, random_state: Seed = None
    ) -> tuple[Array, Array]:
        """Draw samples from the fitted joint distribution: a class, then what it counts.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        length : int, default=100
            The sum of each row.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        X : ndarray of shape (n_samples, d)
        y : ndarray of shape (n_samples,)
            Their classes.
        """
        length = as_count(length, "length", low=0)
        rng, codes = self._drawn_classes(n_samples, random_state)
        return self._joint[0].draw(codes, rng, length), self.classes_[codes]


class ComplementNB(CountPriors, NaiveBayesModel):
    """Complement naive Bayes for counts of imbalanced classes.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Additive smoothing: what is added to the count of each column in each complement.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities, which `class_log_prior_` shows; they are not used unless
        there is one class.
    class_prior : array-like of shape (K,) or "laplace", optional
        Class probabilities; not used either.
    norm : bool, default=False
        Divide the weights of each class by their sum: the paper's second normalization.
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
        What each class counts in each column, without smoothing.
    feature_all_ : ndarray of shape (d,)
        The same of all classes.
    feature_log_prob_ : ndarray of shape (K, d)
        Weights of the columns.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultinomialNB : Shares of the columns in the classes themselves.

    Notes
    -----
    scikit-learn's estimator, with its defaults. It is a linear rule, not a model of the rows: its
    "probabilities" are a softmax of scores, and it has no `sample`. A class that `partial_fit` has
    not met yet has probability 0. With ``alpha=0``, a column that no other class counts has the
    weight 1e300 in place of infinity. **Ties** between classes go to the lowest label.

    Cost: fit the number of nonzeros, prediction K times that; K d numbers of memory.

    References
    ----------
    .. [1] Rennie, J. D. M., Shih, L., Teevan, J. and Karger, D. R. (2003). Tackling the poor
       assumptions of naive Bayes text classifiers. ICML 20, 616-623.

    Examples
    --------
    >>> from statfast import ComplementNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 2], [0, 0, 1]]
    >>> model = ComplementNB().fit(X, ["sport", "sport", "music", "music"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['sport', 'music']
    """

    alpha: ArrayLike = param(array, default=1.0)
    force_alpha: bool = param(flag, default=True)
    fit_prior: bool = param(flag, default=True)
    class_prior: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    norm: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_log_prior_: Array = fitted()
    feature_count_: Array = fitted()
    feature_all_: Array = fitted()
    feature_log_prob_: Array = fitted()

    _solve_parameters = ("alpha", "force_alpha", "fit_prior", "class_prior", "norm")
    _samples_as_weights = True  # The bootstrap weights samples, which is quicker than refits.

    sample = property(doc="There is none: this is not a model of the rows.")

    def _density(self, d: int) -> ComplementDensity:
        params = self._checked()
        return ComplementDensity(as_alpha(params.alpha, params.force_alpha, d), params.norm)

    def _joint_priors(self, log_priors: Array) -> Array:
        return log_priors if len(log_priors) == 1 else np.zeros_like(log_priors)
