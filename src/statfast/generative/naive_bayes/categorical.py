# SPDX-License-Identifier: BSD-3-Clause
"""Categorical naive Bayes: columns of categories, coded 0, 1, 2 and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._core.generative.count_tables import add_counts
from statfast._core.generative.count_tables import scores as table_scores
from statfast._estimator import array, count, fitted, flag, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs
from statfast._validation import (
    refuse_large,
    shown,
    to_array,
    warn_user,
    wrong_type,
)
from statfast.generative.naive_bayes.density import Density, FittedDensity, log_of
from statfast.generative.naive_bayes.linear import (
    MAX_SMOOTHING,
    flat_table,
    require_no_infinity,
    table_of,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.generative.naive_bayes.priors import CountPriors

MAX_CATEGORIES = 2**31 - 1  # The categories of all columns are numbered in 32 bits.


@dataclass(frozen=True)
class CategoryCounts:
    """Weights of each category of each column in each class: a table (categories, K) a column."""

    tables: tuple[NDArray[np.float64], ...]

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        pairs = zip(self.tables, other.tables, strict=True)
        return CategoryCounts(tuple(_padded(a, len(b)) + _padded(b, len(a)) for a, b in pairs))

    def of_classes(self, kept: Any) -> CategoryCounts:
        return CategoryCounts(tuple(table[:, kept] for table in self.tables))


def _padded(table: Array, n: int) -> Array:
    room = np.zeros((max(n, len(table)), table.shape[1]))
    room[: len(table)] = table
    return room


def place_categories(rows: Array, first: Array) -> tuple[Array, Array]:
    """Rows as sparse ones, of the numbers of their categories; what is missing is left out."""
    n, d = rows.shape
    if rows.dtype.kind == "f" and np.isnan(rows).any():
        here = ~np.isnan(rows)
        column = np.where(here, rows, 0.0).astype(np.int64) + first
        start = np.concatenate([[0], np.cumsum(here.sum(axis=1))]).astype(np.intp)
        return start, column[here].astype(np.int32)
    column = (rows.astype(np.int64) + first).astype(np.int32)
    return np.arange(0, n * d + 1, d, dtype=np.intp), column.reshape(-1)


class CategoryDensity(Density):
    """Chances of the categories of each column; `alpha` is added to their counts."""

    def __init__(self, alpha: float, least: int, unseen: str) -> None:
        self.alpha, self.least, self.unseen = alpha, least, unseen

    def check(self, rows: Array) -> None:
        if rows.dtype.kind == "u":
            return
        require_no_infinity(rows)
        with np.errstate(invalid="ignore"):
            wrong = (
                (rows < 0) | (rows != np.floor(rows)) & (rows == rows) | (rows >= MAX_CATEGORIES)
            )
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"X must hold the numbers of categories, 0, 1, 2 and so on; got "
                f"{rows[row, column]} at row {row}, column {column}. Negative values in data and "
                "fractions are not categories: code them first."
            )

    def statistics(
        self, rows: Array, codes: Array, weights: Array | None, n_classes: int
    ) -> CategoryCounts:
        if weights is not None and not weights.all():  # Rows without weight count as absent.
            weighted = weights > 0.0
            rows, codes, weights = rows[weighted], codes[weighted], weights[weighted]
        if not len(rows):
            return CategoryCounts((np.zeros((0, n_classes)),) * rows.shape[1])
        with np.errstate(invalid="ignore"):
            most = np.fmax.reduce(rows, axis=0).astype(np.float64)
        sizes = np.nan_to_num(most, nan=-1.0).astype(np.int64) + 1
        refuse_large(
            24 * int(sizes.sum()) * n_classes, "X, tables of its categories,",
            "Number the categories without gaps.",
        )  # fmt: skip
        first = np.concatenate([[0], np.cumsum(sizes)])
        table = np.zeros((int(first[-1]), n_classes))
        start, column = place_categories(rows, first[:-1])
        add_counts(start, column, None, codes, weights, table)
        return CategoryCounts(tuple(np.split(table, first[1:-1])))

    def solve(self, statistics: CategoryCounts, class_counts: Array) -> FittedCategories:
        least = np.broadcast_to(self.least, len(statistics.tables))
        tables = [_padded(t, n) for t, n in zip(statistics.tables, least, strict=True)]
        return FittedCategories(tables, self.alpha, self.unseen)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        if rows.dtype.kind == "f" and np.isnan(rows).any():
            return None
        row_weights = np.ones(len(codes)) if weights is None else weights
        fitted = self.solve(statistics, class_counts)
        out = fitted.scores(rows, np.zeros(len(class_counts)))
        here, log_density = np.arange(len(codes)), np.zeros(len(codes))
        for j, table in enumerate(fitted.counts):
            last = len(table) - 1
            at = rows[:, j].astype(np.int64)
            seen = table.sum(axis=1)
            tops = (at == last) & (seen[last] - row_weights <= 1e-12 * seen[last])
            if tops.any() and last >= np.broadcast_to(self.least, len(fitted.counts))[j]:
                return None  # A refit without the row would know one category less.
            count = (table[at, codes] - row_weights).clip(0.0) + self.alpha
            total = (table.sum(axis=0)[codes] - row_weights).clip(0.0) + self.alpha * len(table)
            log_density += log_of(count) - np.log(np.where(total > 0.0, total, 1.0))
        out[here, codes] = log_density
        return out


class FittedCategories(FittedDensity):
    """Log chances of the categories of each column."""

    def __init__(self, counts: list[Array], alpha: float, unseen: str) -> None:
        self.counts, self.unseen = counts, unseen
        self.sizes = np.array([len(table) for table in counts])
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        self.logs = []
        for table in counts:
            total = (table + alpha).sum(axis=0)
            # A column without values has the same probability for all categories.
            even = np.full(table.shape, -np.log(max(1, len(table))))
            known = log_of(table + alpha) - np.log(np.where(total > 0.0, total, 1.0))
            self.logs.append(np.where(total > 0.0, known, even))
        classes = counts[0].shape[1]
        self.flat = flat_table(int(self.first[-1]), classes)
        np.concatenate(self.logs, out=table_of(self.flat, classes))

    def attributes(self) -> dict[str, Any]:
        return {
            "category_count_": [table.T for table in self.counts],
            "feature_log_prob_": [table.T for table in self.logs],
            "n_categories_": self.sizes,
        }

    def require_known(self, rows: Array) -> Array:
        """Rows of known categories: others are refused, or missing."""
        with np.errstate(invalid="ignore"):
            strange = rows >= self.sizes
        if not strange.any():
            return rows
        row, column = np.argwhere(strange)[0]
        if self.unseen == "error":
            raise ValueError(
                f"X holds the category {rows[row, column]:g} at row {row}, column {column}, which "
                f"fit has not seen (it has {self.sizes[column]}). Raise min_categories, or pass "
                "unseen='ignore'."
            )
        return np.where(strange, np.nan, rows)

    def scores(self, rows: Array, begin: Array) -> Array:
        start, column = place_categories(self.require_known(rows), self.first[:-1])
        out = np.empty((rows.shape[0], len(begin)))
        table_scores(start, column, None, self.flat, begin, False, out)
        return out

    def terms(self, rows: Any) -> Any:
        rows = self.require_known(rows)
        gone = np.isnan(rows) if rows.dtype.kind == "f" else np.zeros(rows.shape, dtype=bool)
        at = np.where(gone, 0, rows).astype(np.int64)
        terms = np.stack([self.logs[j][at[:, j]] for j in range(rows.shape[1])], axis=2)
        return np.where(gone[:, None, :], 0.0, terms)

    def draw(self, codes: Array, rng: np.random.Generator) -> Array:
        out = np.empty((len(codes), len(self.logs)))
        for j, table in enumerate(self.logs):
            for k in np.unique(codes):
                members, chances = codes == k, np.exp(table[:, k])
                out[members, j] = rng.choice(len(table), members.sum(), p=chances / chances.sum())
        return out


class CategoricalNB(CountPriors, NaiveBayesModel):
    """Categorical naive Bayes: categorical features, independent within each class.

    Parameters
    ----------
    alpha : float, default=1.0
        Additive smoothing: what is added to the count of each category. 1 is Laplace's rule, 0
        maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities; False takes them as equal.
    class_prior : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. "laplace" are those of one more sample of
        each class.
    min_categories : int or array-like of shape (d,), optional
        How many categories each column has at least, be they seen or not.
    unseen : {"error", "ignore"}, default="error"
        What becomes of a category that was not there at fit: it is refused, or the row is judged
        by its other columns.
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
    category_count_ : list of d ndarray of shape (K, categories)
        Counts of the categories of each column, without smoothing.
    feature_log_prob_ : list of d ndarray of shape (K, categories)
        Logarithms of their smoothed chances; -inf for one not seen, with ``alpha=0``.
    n_categories_ : ndarray of shape (d,)
        Categories of each column: one more than the largest number.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MixedNB : Takes columns of strings, among others.

    Notes
    -----
    scikit-learn's estimator, with its defaults. Categories are whole numbers from 0; fractions,
    which scikit-learn cuts off, are refused. With ``alpha=0`` what a class was never seen to have
    is impossible in it; a row that no class can have has the class probabilities. -0.0 is the
    category 0. **Ties** between classes go to the lowest label.

    Cost: fit n d, prediction of m rows m d K; memory the number of categories times K.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., section 6.6.3. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast import CategoricalNB
    >>> X = [[0, 1], [0, 0], [1, 2], [1, 1]]
    >>> model = CategoricalNB().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict_proba([[0, 1]]).round(3)
    array([[0.75, 0.25]])
    """

    alpha: float = param(real(0, MAX_SMOOTHING), default=1.0)
    force_alpha: bool = param(flag, default=True)
    fit_prior: bool = param(flag, default=True)
    class_prior: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    min_categories: ArrayLike | None = param(
        nothing | count(high=MAX_CATEGORIES) | array, default=None
    )
    unseen: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_log_prior_: Array = fitted()
    category_count_: Any = fitted()
    feature_log_prob_: Any = fitted()
    n_categories_: Array = fitted()

    _allow_sparse = False
    _solve_parameters = ("alpha", "force_alpha", "fit_prior", "class_prior", "min_categories")

    def _density(self, d: int) -> CategoryDensity:
        params = self._checked()
        alpha = params.alpha
        if not params.force_alpha and alpha < 1e-10:
            warn_user("alpha is raised to 1e-10; force_alpha=True leaves it as it is.")
            alpha = 1e-10
        return CategoryDensity(alpha, as_min_categories(params.min_categories, d), params.unseen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


def as_min_categories(least: int | list[float | list[float]] | None, d: int) -> Any:
    """Fewest categories: of each column, or one number for all."""
    if least is None:
        return 0
    if isinstance(least, int) and not isinstance(least, bool):
        return least
    wanted = "None, an integer, or one for each column"
    values = to_array(least, "min_categories", wanted)
    if values.ndim == 0 or not values.size:
        raise wrong_type("min_categories", wanted, least)
    if values.dtype.kind not in "iu":
        raise TypeError(f"min_categories must be integers; got {shown(least)}.")
    if values.ndim != 1 or (d and len(values) != d) or (values < 1).any():
        raise ValueError(
            f"min_categories must be positive, one for each of the {d} columns; got {shown(least)}."
        )
    return values.astype(np.int64)
