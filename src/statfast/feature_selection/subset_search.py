# SPDX-License-Identifier: BSD-3-Clause
"""Best subsets: of all sets of each number of columns, the one that leaves the fewest squares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._core.linalg.best_subsets import Search
from statfast._engine import checkpoint, interruptible
from statfast._estimator import (
    MERGED,
    CoefficientTable,
    FoldTask,
    LongTabled,
    take_columns,
    take_rows,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_count, as_flag, column_names
from statfast.feature_selection.column_subsets import subset_sums
from statfast.feature_selection.subset_scores import SizeScores, choose_size
from statfast.linear.least_squares.linear_regression import LinearRegression
from statfast.linear.least_squares.qr import independent_columns
from statfast.linear.least_squares.triangles import StackedFactor
from statfast.model_selection.evaluation.scoring import as_plan

MAX_COLUMNS = 64  # A set is a word of so many bits.
MULTIPLICATIONS_OF_CALL = 20_000_000  # So that Ctrl-C is looked for each tenth of a second.
CRITERIA = ("bic", "aic", "cp", "adjusted_r_squared", "min", "1se")


@dataclass(frozen=True, repr=False)
class BestSubsets(LongTabled):
    """Result of `best_subset`.

    Attributes
    ----------
    sets : list of ndarray of int
        Columns of each set, ascending; sets ascend by size and, within a size, by what they leave.
    sizes : ndarray of int, shape (S,)
        Numbers of columns, 0 for the intercept alone.
    rss : ndarray of shape (S,)
        Weighted sums of squares that the sets leave.
    r_squared, adjusted_r_squared : ndarray of shape (S,)
        Share of the variance of y that is explained (of y's squares without an intercept), and
        the same with both sums of squares over their degrees of freedom.
    cp : ndarray of shape (S,)
        Mallows' criterion, with the error variance of all columns; NaN where these leave no degree
        of freedom.
    aic, bic : ndarray of shape (S,)
        n log(rss / n) plus 2 or log(n) for each coefficient, n the total weight.
    names : list of str
        Of all columns.
    n_nodes : int
        Sets that the search looked into.
    size_scores : SizeScores or None
        Scores on rows held out by the number of columns, with `cv`: in each fold, the best sets
        are searched without them.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.feature_selection import best_subset
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> result = best_subset(X, width)
    >>> print(result)
                      RSS  R-squared  Adj. R-squared       Cp      AIC      BIC
    0: none        86.570     0.0000          0.0000  2201.17   -80.45   -77.44
    1: x2           6.310     0.9271          0.9266    25.23  -471.27  -465.25
    2: x1, x2       6.082     0.9297          0.9288    21.04  -474.80  -465.77
    3: x0, x1, x2   5.380     0.9379          0.9366     4.00  -491.18  -479.14
    >>> result.columns(1), result.choose("bic")
    (array([2]), array([0, 1, 2]))
    """

    sets: list[NDArray[np.intp]]
    sizes: NDArray[np.intp]
    rss: NDArray[np.float64]
    r_squared: NDArray[np.float64]
    adjusted_r_squared: NDArray[np.float64]
    cp: NDArray[np.float64]
    aic: NDArray[np.float64]
    bic: NDArray[np.float64]
    names: list[str]
    n_nodes: int
    size_scores: SizeScores | None = None

    _nothing = "no sets"

    def __len__(self) -> int:
        return len(self.sets)

    def __getitem__(self, key: slice) -> BestSubsets:
        return replace(self, **{name: getattr(self, name)[key] for name in _OF_SETS})

    def columns(self, size: int, rank: int = 0) -> NDArray[np.intp]:
        """Return the columns of the best set of a size, or of the next ones.

        Parameters
        ----------
        size : int
            Number of columns.
        rank : int, default=0
            0 is the best set of this size, 1 the next.

        Returns
        -------
        ndarray of int, shape (size,)
            Ascending.

        Raises
        ------
        ValueError
            If there is no such set.
        """
        places = np.flatnonzero(self.sizes == as_count(size, "size", 0))
        rank = as_count(rank, "rank", 0)
        if rank >= len(places):
            raise ValueError(
                f"size and rank must name one of the sets; got {size} and {rank}, where "
                f"{len(places)} are known. Raise max_features or n_best."
            )
        return self.sets[int(places[rank])]

    def choose(
        self,
        criterion: Literal["bic", "aic", "cp", "adjusted_r_squared", "min", "1se"] = "bic",
    ) -> NDArray[np.intp]:
        """Return the columns of the set that a criterion prefers, of equals the smallest.

        Parameters
        ----------
        criterion : {"bic", "aic", "cp", "adjusted_r_squared", "min", "1se"}, default="bic"
            "min" and "1se" take the number of columns of the highest score on rows held out, or
            the least within a standard error of it; they need `cv`.

        Returns
        -------
        ndarray of int
            Ascending.

        Raises
        ------
        ValueError
            If `criterion` is "min" or "1se" and there are no scores.
        """
        as_choice(criterion, "criterion", CRITERIA)
        if criterion in ("min", "1se"):
            if self.size_scores is None:
                raise ValueError(
                    f"criterion={criterion!r} needs scores on rows held out. Pass cv to "
                    "best_subset, or choose by another criterion."
                )
            of_rule = self.size_scores
            return self.columns(of_rule.best if criterion == "min" else of_rule.within_error)
        values = getattr(self, criterion) * (-1.0 if criterion == "adjusted_r_squared" else 1.0)
        return self.sets[int(np.argmin(np.where(np.isnan(values), np.inf, values)))]

    def table(self) -> CoefficientTable:
        """Return a row for each set.

        Returns
        -------
        CoefficientTable
        """
        names = [
            f"{len(columns)}: " + (", ".join(self.names[j] for j in columns) or "none")
            for columns in self.sets
        ]
        return CoefficientTable(names, {
            "RSS": self.rss, "R-squared": self.r_squared,
            "Adj. R-squared": self.adjusted_r_squared, "Cp": self.cp, "AIC": self.aic,
            "BIC": self.bic,
        })  # fmt: skip


_OF_SETS = ("sets", "sizes", "rss", "r_squared", "adjusted_r_squared", "cp", "aic", "bic")


def best_subset(
    X: Rows,
    y: ArrayLike,
    sample_weight: Weights = None,
    *,
    max_features: int | None = None,
    n_best: int = 1,
    fit_intercept: bool = True,
    cv: Any = None,
    groups: ArrayLike | None = None,
) -> BestSubsets:
    """The best sets of columns of each size for least squares, of all that there are.

    Parameters
    ----------
    X : array-like of shape (n, d), or data frame
        Samples, of at most 64 columns that do not depend on each other.
    y : array-like of shape (n,)
        Target values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    max_features : int, optional
        The most columns of a set; None is all of them. Fewer are found faster.
    n_best : int, default=1
        How many sets of each size to give.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is in every set.
    cv : int, splitter or iterable of (train, test), optional
        Folds in which the search is repeated, for R squared on rows held out by the number of
        columns. None holds out no rows.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together.

    Returns
    -------
    BestSubsets
        It prints as a table; ``choose()`` gives the columns that a criterion prefers.

    Raises
    ------
    ValueError
        If X and y are not finite numbers of matching shapes, y has several columns, there are more
        than 64 independent columns, or a parameter is out of its range.
    TypeError
        If X is sparse, or a parameter is of the wrong type.

    See Also
    --------
    SequentialFeatureSelector : Looks at few of the sets, of any number of columns.

    Notes
    -----
    One pass over the rows gives the triangular factor of the columns, a second is not made: the
    search is that of branch and bound [1]_ [2]_, exact except for sets whose sums of squares differ
    by less than 1e-12 of them, which rounding may exchange. Its time is exponential in d in the
    worst case, where many columns say nearly the same or nothing; 40 columns take a fraction of a
    second where some of them matter. Columns that depend on those before them are in no set.
    Memory: d^3 numbers.

    R squared of the best of many sets is too high for it; scores with `cv` are of rows that had no
    part in the search.

    References
    ----------
    .. [1] Furnival, G. M. and Wilson, R. W. (1974). Regressions by leaps and bounds. Technometrics
       16, 499-511. https://doi.org/10.1080/00401706.1974.10489231
    .. [2] Gatu, C. and Kontoghiorghes, E. J. (2006). Branch-and-bound algorithms for computing the
       best-subset regression models. Journal of Computational and Graphical Statistics 15, 139-156.
       https://doi.org/10.1198/106186006X100290

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.feature_selection import best_subset
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=100)
    >>> result = best_subset(X, y, cv=5)
    >>> result.columns(1), result.choose("bic"), result.choose("1se")
    (array([1]), array([1, 3, 4]), array([1, 4]))
    >>> result.size_scores.means.round(2)[:3]
    array([0.61, 0.91, 0.91])
    """
    model = LinearRegression(fit_intercept=as_flag(fit_intercept, "fit_intercept"))
    columns, state = model._prepare(X, y, sample_weight)
    if not model._adds_up(columns):
        raise TypeError(
            "X must be dense here, as the search needs the factor of all columns; got sparse rows. "
            "Pass X.toarray()."
        )
    if not state.more[1]:
        raise ValueError(
            f"y must be one target; got {columns[1].shape[1]} columns. Pass them one by one."
        )
    d, n_best = state.n_features, as_count(n_best, "n_best")
    limit = d
    if max_features is not None:
        limit = as_count(max_features, "max_features", 1, d, limit="the number of columns")
    factor = model._total(columns, state)
    found, n_nodes = search(factor, fit_intercept, limit, n_best)
    named = column_names(X)
    names = [f"x{j}" for j in range(d)] if named is None else [str(name) for name in named]
    scores = None
    if cv is not None:
        scores = _scores_by_size(model, X, y, sample_weight, cv, groups, limit)
    return _measured(found, factor, fit_intercept, names, n_nodes, scores)


def search(
    factor: StackedFactor, intercept: bool, limit: int, n_best: int
) -> tuple[list[NDArray[np.intp]], int]:
    """The best sets of each size up to a limit, ascending, and the number of nodes looked into."""
    p, first = factor.p, int(intercept)
    R: Array = factor.R if intercept else factor.R_without_ones
    kept = independent_columns(R[:, : p + first], LinearRegression().tol)
    columns = kept[first:] - first
    if len(columns) > MAX_COLUMNS:
        raise ValueError(
            f"X must have at most {MAX_COLUMNS} independent columns, whose sets are searched; got "
            f"{len(columns)}. Select some by SequentialFeatureSelector first."
        )
    limit = min(limit, len(columns))
    sets = [np.zeros(0, dtype=np.intp)]
    if len(columns) < 2:
        return [*sets, columns][: 1 + limit], 0
    inner = R[first:, first:]
    table = np.column_stack([inner[:, columns], inner[:, -1]])
    scale = np.sqrt((table**2).sum(axis=0))
    R = interruptible(np.linalg.qr, table / np.where(scale > 0.0, scale, 1.0), mode="r")
    k = len(columns)
    root = np.linalg.inv(R[:k, :k])
    inverse, slopes = root @ root.T, root @ R[:k, k]
    # The column without which most is lost comes first.
    order = np.argsort(-(slopes**2) / inverse.diagonal(), kind="stable")
    B, b = np.zeros((k, k, k)), np.zeros((k, k))
    B[0], b[0] = inverse[np.ix_(order, order)], slopes[order]
    best, members = np.full((limit + 1, n_best), np.inf), np.zeros((limit + 1, n_best), np.uint64)
    squares = np.full(k, float((R[k:, k] ** 2).sum()))
    nodes = Search(
        B, b, np.zeros((k, k)), np.zeros((k, k), np.intp), np.zeros((2, k), np.intp), squares,
        best, members,
    )  # fmt: skip
    while not nodes.run(MULTIPLICATIONS_OF_CALL):
        checkpoint()
    for size in range(1, limit + 1):
        for left, word in zip(best[size].tolist(), members[size].tolist(), strict=True):
            if left < np.inf:
                places = np.flatnonzero([int(word) >> j & 1 for j in range(k)])
                sets.append(np.sort(columns[order[places]]))
    return sets, nodes.n_nodes


def _measured(
    sets: list[Array],
    factor: StackedFactor,
    intercept: bool,
    names: list[str],
    n_nodes: int,
    scores: SizeScores | None,
) -> BestSubsets:
    """The criteria of sets, by the factor of each."""

    def squares_left(columns: Array) -> float:
        cut = factor.of_columns(columns)
        R = cut.R if intercept else cut.R_without_ones
        return float((R[len(columns) + intercept :, -1] ** 2).sum())

    sizes = np.array([len(columns) for columns in sets], dtype=np.intp)
    rss = np.array([squares_left(columns) for columns in sets])
    n, whole = factor.total_weight, rss[0]
    q = sizes + int(intercept)
    rank = len(independent_columns(factor.R if intercept else factor.R_without_ones, 1e-11)) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        free = n - q
        variance = squares_left(np.arange(factor.p)) / (n - rank) if n > rank else np.nan
        log_likelihood = n * np.log(rss / n)
        share = 1.0 - rss / whole
        adjusted = np.where(free > 0, 1.0 - (rss / free) / (whole / (n - int(intercept))), np.nan)
        return BestSubsets(
            sets, sizes, rss, share, adjusted, rss / variance - n + 2.0 * q,
            log_likelihood + 2.0 * q, log_likelihood + np.log(n) * q, names, n_nodes, scores,
        )  # fmt: skip


def _scores_by_size(
    model: Any, X: Any, y: Any, weights: Any, cv: Any, groups: Any, limit: int
) -> SizeScores:
    """R squared on the rows held out of each fold by the best sets in the rows that it fits."""
    folds = as_plan(model, X, y, cv, groups, weights)
    task = FoldTask(folds, methods=frozenset({"score"}))
    sums = subset_sums(model, task)
    if sums is None:
        raise ValueError(
            "cv must give folds that hold out rows which others fit, each row once. Pass an "
            "integer, or a splitter such as KFold."
        )
    by_fold = []
    for k, (_, test) in enumerate(folds.pairs):
        (_, *sets), _ = search(sums.fitted[k], model.fit_intercept, limit, 1)
        rows, target = take_rows(sums.X, test), take_rows(folds.y, test)
        share = None if folds.weights is None else folds.weights[test]
        by_fold.append([
            sums.model(k, columns).score(take_columns(rows, columns.tolist()), target, share)
            for columns in sets
        ])  # fmt: skip
    sizes = 1 + np.arange(min(map(len, by_fold)), dtype=np.intp)
    if not len(sizes):
        raise ValueError("X must have a column that varies in the rows of each fold. Pass others.")
    scores = np.array([values[: len(sizes)] for values in by_fold]).T
    best, within = choose_size(sizes, scores, 1.0)
    return SizeScores(sizes, scores, best, within, best, MERGED)
