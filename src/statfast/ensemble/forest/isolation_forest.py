# SPDX-License-Identifier: BSD-3-Clause
"""Isolation forests: outliers are the rows that few random splits set apart from all others."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from math import ceil, log2
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    Estimator,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    CategoryColumns,
    as_count,
    as_generator,
    as_weights,
    not_fitted,
    refuse_large,
    warn_user,
)
from statfast.ensemble.forest.bootstrap import tree_keys
from statfast.tree.cart.regressor import DecisionTreeRegressor
from statfast.tree.growing.arguments import (
    category_counts,
    published_columns,
    rows_to_answer,
    rows_with_categories,
    scaled_weights,
)
from statfast.tree.growing.columns import ranked_columns
from statfast.tree.growing.grow_tree import TreeProblem, TreeRules, grown_packed, tree_problem
from statfast.tree.structure.additive_trees import AdditiveTrees
from statfast.tree.structure.non_numeric_splits import COLUMN
from statfast.tree.structure.predictor import TreePredictor
from statfast.tree.structure.tree_arrays import TreeStructure

MAX_DEFAULT_SAMPLES = 256  # of a tree, as in the paper
MIN_DRAWS_PER_ROW = 4  # of rows whose columns are ranked once for all trees


def mean_path_length(counts: ArrayLike) -> Array:
    """The mean number of splits that isolate a row among `counts` rows, by random splits.

    That of an unsuccessful search in a binary search tree, 2 (H(n - 1) - (n - 1) / n) with the
    harmonic number taken as log(n - 1) and Euler's constant; 1 for two rows, 0 for one.
    """
    n = np.asarray(counts, dtype=np.float64)
    large = np.maximum(n, 3.0)
    length = 2.0 * (np.log(large - 1.0) + np.euler_gamma) - 2.0 * (large - 1.0) / large
    return np.where(n > 2.0, length, np.where(n > 1.0, 1.0, 0.0))


@dataclass(frozen=True)
class IsolationDraws:
    """The rows and columns of each tree, which are functions of its key."""

    rows: np.ndarray  # that can be drawn
    share: np.ndarray | None  # their chances; None if all are equal
    n_rows: int
    p: int
    n_columns: int
    bootstrap: bool

    def of_key(self, key: int) -> tuple[Array, Array]:
        """(rows, columns) of a tree, ascending."""
        generator = np.random.Generator(np.random.SFC64(key))
        rows = generator.choice(
            len(self.rows), self.n_rows, replace=self.bootstrap, p=self.share, shuffle=False
        )
        columns = generator.choice(self.p, self.n_columns, replace=False, shuffle=False)
        return self.rows[np.sort(rows)], np.sort(columns)


@dataclass(frozen=True)
class IsolationTree:
    """A tree: its nodes for walks among all columns, and its structure among its own."""

    nodes: np.ndarray
    lengths: np.ndarray  # (L, 1) path lengths of leaves
    structure: TreeStructure
    sets: np.ndarray | None
    rows: np.ndarray  # the sample
    columns: np.ndarray


class IsolationForest(Estimator):
    """Isolation forest: outliers are set apart from all other rows by few random splits.

    Each tree splits a sample of the rows, on a column and at a threshold drawn at random, until
    rows are alone or the depth is log2 of the size of the sample. The score of a row is
    ``-2 ** (-d / c)`` with its mean depth d and the mean depth c that such a sample has: -1 for
    outliers, -0.5 and more for regular rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    max_samples : "auto", int or float, default="auto"
        Samples drawn for a tree; a float is a fraction of the samples with weight. "auto" is 256,
        or all samples if there are fewer.
    contamination : "auto" or float, default="auto"
        The share of the fitted samples that are outliers, above 0 and at most 0.5: `offset_` is
        that quantile of their scores. "auto" is an offset of -0.5.
    max_features : int or float, default=1.0
        Columns drawn for a tree; a float is a fraction of the columns.
    bootstrap : bool, default=False
        Draw the samples of a tree with replacement.
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        Columns that hold categories: a mask, or columns by number or name. "from_dtype" takes
        those that a data frame declares as such; None takes none.
    warm_start : bool, default=False
        Keep the trees of the last fit, and add to them.
    verbose : int, default=0
        Above 0, ``fit`` shows a progress bar (see `statfast.progress_bar`).
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws and splits; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees, whose splits are drawn. What they predict has no meaning.
    estimator_ : DecisionTreeRegressor
        A tree of this kind, not fitted.
    estimators_samples_ : list of ndarray of int
        Samples drawn for each tree, ascending, repeated as drawn.
    estimators_features_ : list of ndarray of int
        Columns drawn for each tree, ascending.
    max_samples_ : int
        Samples drawn for a tree.
    offset_ : float
        Samples whose score is less are outliers.
    is_categorical_ : ndarray of bool, shape (p,), or None
        Which columns hold categories; None if none does.
    categories_ : list, or None
        For each column its categories, ascending, or None.
    n_features_in_ : int
        Number of columns, p.
    feature_names_in_ : ndarray of shape (p,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.neighbors.LocalOutlierFactor : Outliers by the density around a row.
    statfast.svm.OneClassSVM : Outliers by a kernel.

    Notes
    -----
    A column that does not vary in a node is never split; thresholds are uniform between its least
    and its largest value there. A missing value goes to a side drawn at random; categories are
    split into two sets, drawn at random. A leaf of several rows counts as deep as the splits that
    it would take to isolate one of them.

    Weights are chances to be drawn; rows of weight 0 are left out. For a quantile that
    `contamination` asks for, a weight of 2 counts as the row twice.

    Draws and splits are functions of `random_state` and the number of the tree: **the same bits for
    any number of threads**.

    Cost: about half a millisecond for each tree of 256 rows, whatever n; about 10 nanoseconds for
    each row scored and tree, on one core. Memory: 100 bytes a node.

    References
    ----------
    F. T. Liu, K. M. Ting and Z.-H. Zhou (2008). Isolation forest. IEEE International Conference on
    Data Mining, 413-422. doi:10.1109/ICDM.2008.17

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.ensemble import IsolationForest
    >>> X = np.array([[-1.0], [-0.9], [-1.1], [-1.0], [30.0]])
    >>> model = IsolationForest(random_state=0).fit(X)
    >>> model.predict([[-1.0], [28.0]])
    array([ 1, -1])
    >>> model.score_samples(X).argmin()
    np.int64(4)
    """

    n_estimators: int = param(count(), default=100, kw_only=False)
    max_samples: float | Literal["auto"] = param(
        one_of("auto") | count() | real(0, 1, open_low=True), default="auto"
    )
    contamination: float | Literal["auto"] = param(
        one_of("auto") | real(0, 0.5, open_low=True), default="auto"
    )
    max_features: float = param(count() | real(0, 1, open_low=True), default=1.0)
    bootstrap: bool = param(flag, default=False)
    categorical_features: ArrayLike | None = param(by_fit, default="from_dtype")
    warm_start: bool = param(flag, default=False)
    verbose: int = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    max_samples_: int = fitted()
    offset_: float = fitted()
    is_categorical_: Any = fitted()
    categories_: Any = fitted()
    _trees: list[IsolationTree] = fitted()
    _generator: Any = fitted()
    _predictor: TreePredictor = fitted()

    _columns = None  # the columns that hold categories
    _saw_missing = False

    def _reports_by_bar(self) -> bool:
        return True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows; NaN is a missing value. Categories may be of any type that can be sorted.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Chances of the rows to be drawn.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds an infinity, or a parameter is out of its range.
        TypeError
            If X is not made of numbers, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If `max_samples` is more than there are samples, all of which are then drawn.
        """
        params = self._checked()
        rows, columns, missing = rows_with_categories(X, self.categorical_features)
        n, p = rows.shape
        weight, total = as_weights(sample_weight, n), params.n_estimators
        refuse_large(200 * total, f"n_estimators={total}", "Lower it.")
        draws = self._planned_draws(params, n, p, weight)
        attributes = published_columns(columns, missing)
        generator, trees = as_generator(self.random_state), []
        if params.warm_start and self.__sklearn_is_fitted__():
            trees, generator = self._trees_before(p, total), deepcopy(self._generator)
        depth = ceil(log2(max(draws.n_rows, 2)))
        levels = category_counts(attributes)

        keys = tree_keys(generator, total - len(trees)).tolist()
        shared = None  # Categories count as known to a tree if its own sample has them.
        few = n * MIN_DRAWS_PER_ROW <= draws.n_rows * len(keys)
        if few and draws.n_columns == p and levels is None:
            shared = isolation_problem(rows, None, depth, self.n_jobs)

        def grow(key: int) -> IsolationTree:
            checkpoint()
            return grown_tree(rows, shared, draws, levels, depth, key)

        trees = trees + each(grow, keys, n_jobs=self.n_jobs)
        fitted_attributes = {
            "_trees": trees, "_generator": generator, "max_samples_": draws.n_rows,
            "_predictor": predictor_of(trees), "n_features_in_": p, **attributes,
        }  # fmt: skip
        if isinstance(params.contamination, str):
            return self._publish(X, offset_=-0.5, **fitted_attributes)
        model = type(self)(**self.get_params(deep=False))._publish(X, **fitted_attributes)
        offset = quantile(model._scores(rows), weight, params.contamination)
        return self._publish(X, offset_=offset, **fitted_attributes)

    def _planned_draws(self, params: Any, n: int, p: int, weight: Array | None) -> IsolationDraws:
        drawable = np.arange(n) if weight is None else np.flatnonzero(weight)
        size = params.max_samples
        if isinstance(size, str):
            size = min(MAX_DEFAULT_SAMPLES, len(drawable))
        elif isinstance(size, float):
            size = max(1, int(size * len(drawable)))
        elif size > len(drawable):
            warn_user(
                f"max_samples is {size}, and X has {len(drawable)} rows to draw: all are taken. "
                "Lower max_samples."
            )
            size = len(drawable)
        columns = params.max_features
        if isinstance(columns, float):
            columns = max(1, int(columns * p))
        as_count(columns, "max_features", high=p, limit="the columns of X")
        share = None
        if weight is not None and np.ptp(weight[drawable]) > 0:
            share = weight[drawable] / weight[drawable].sum()
        return IsolationDraws(drawable, share, size, p, columns, params.bootstrap)

    def _trees_before(self, p: int, total: int) -> list[IsolationTree]:
        """The trees that a warm start keeps."""
        if p != self.n_features_in_:
            raise ValueError(
                f"X must have the {self.n_features_in_} columns of the fit before with warm_start; "
                f"got {p}. Set warm_start=False."
            )
        if total < len(self._trees):
            raise ValueError(
                f"n_estimators must be at least {len(self._trees)}, the trees there are, with "
                f"warm_start; got {total}. Raise n_estimators."
            )
        if total == len(self._trees):
            warn_user("warm_start: n_estimators has not grown, so no trees are added.")
        return self._trees

    # ------------------------------------------------------------ answers
    def _scores(self, rows: Any) -> Array:
        depth = self._predictor.sums(rows, n_jobs=self.n_jobs)[:, 0] / len(self._trees)
        typical = float(mean_path_length(self.max_samples_))
        return -np.exp2(-depth / typical) if typical > 0 else np.full(len(depth), -0.5)

    def _additive_trees(self) -> AdditiveTrees:
        """The mean depth of rows, of which scores are a function, as a sum of trees."""
        structures = [tree.structure for tree in self._fitted_trees()]
        return AdditiveTrees(
            self._predictor,
            [tree.weighted_n_node_samples[tree.packed[1]] for tree in structures],
            first=np.zeros(1),
            rows_of=partial(rows_to_answer, self),
            response="depth",
            scale=1.0 / len(structures),
        )

    def score_samples(self, X: Rows) -> Array:
        """Return the scores of the rows, the lower the more they are outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m,)
            From -1 to 0.

        Raises
        ------
        ValueError
            If X has another width than at fit, or holds an infinity.
        """
        rows = rows_to_answer(self, X)
        return self._scores(rows)

    def decision_function(self, X: Rows) -> Array:
        """Return the scores less `offset_`, negative for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Rows) -> Array:
        """Return +1 for regular rows and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m,), of integers
        """
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def fit_predict(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Array:
        """Fit, and return +1 for regular rows and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows, as for `fit`.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Chances of the rows to be drawn.

        Returns
        -------
        ndarray of shape (n,), of integers
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    # ------------------------------------------------------------ the trees
    def _fitted_trees(self) -> list[IsolationTree]:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self._trees

    @property
    def estimators_samples_(self) -> list[Array]:
        """Samples drawn for each tree, ascending, repeated as drawn."""
        return [tree.rows for tree in self._fitted_trees()]

    @property
    def estimators_features_(self) -> list[Array]:
        """Columns drawn for each tree, ascending."""
        return [tree.columns for tree in self._fitted_trees()]

    @property
    def estimator_(self) -> DecisionTreeRegressor:
        """A tree of this kind, not fitted."""
        self._fitted_trees()
        depth = ceil(log2(max(self.max_samples_, 2)))
        return DecisionTreeRegressor(splitter="random", max_features=1, max_depth=depth)

    @property
    def estimators_(self) -> list[DecisionTreeRegressor]:
        """The trees, each of the columns drawn for it."""
        trees = []
        for tree in self._fitted_trees():
            levels = None
            if self._columns is not None:
                levels = CategoryColumns(tuple(self._columns.categories[j] for j in tree.columns))
                levels = levels if levels.mask is not None else None
            names = {}
            if "feature_names_in_" in vars(self):
                names["feature_names_in_"] = self.feature_names_in_[tree.columns]
            trees.append(
                self.estimator_._publish(
                    None, tree_=tree.structure, n_features_in_=len(tree.columns), max_features_=1,
                    n_outputs_=1, _flat=True, **names,
                    **published_columns(levels, self._saw_missing),
                )
            )  # fmt: skip
        return trees

    _estimator_type = "outlier_detector"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def isolation_problem(rows: Any, levels: Array | None, depth: int, n_jobs: Jobs) -> TreeProblem:
    """Ranked columns and rules of random splits. Targets only keep nodes from being pure."""
    n = rows.shape[0]
    rules = TreeRules("squared_error", max_features=1, max_depth=depth, randomized=True)
    ranked = ranked_columns(rows, n_jobs, levels)
    targets = np.arange(n, dtype=np.float64)[:, None]
    return tree_problem(ranked, rules, y=targets, total=float(n), n_jobs=1)


def grown_tree(
    rows: Any,
    shared: TreeProblem | None,
    draws: IsolationDraws,
    levels: Array | None,
    depth: int,
    key: int,
) -> IsolationTree:
    """A tree of a sample of the rows; `shared` has the ranks of all rows, if these are few."""
    drawn, columns = draws.of_key(key)
    if shared is not None:
        problem, counts = shared, np.bincount(drawn, minlength=rows.shape[0])
    else:
        distinct, counts = np.unique(drawn, return_counts=True)
        sample = rows[distinct]
        if len(columns) < draws.p:
            sample = sample[:, columns]
            levels = None if levels is None or not levels[columns].any() else levels[columns]
        problem = isolation_problem(sample, levels, depth, 1)
    weights = scaled_weights(counts.astype(np.float64), len(counts))
    *_, tree, sets = grown_packed(problem, weights, key, keep=True)
    packed, leaf_nodes = tree.packed
    nodes = among_all_columns(packed, columns)
    length = tree.depth[leaf_nodes] + mean_path_length(tree.weighted_n_node_samples[leaf_nodes])
    return IsolationTree(nodes, length[:, None], tree, sets, drawn, columns)


def among_all_columns(packed: Array, columns: Array) -> Array:
    """Packed nodes of a tree of some columns, with the places of these among all."""
    nodes = packed.copy()
    inner = np.flatnonzero((nodes[:, 0] >> np.uint64(48)) != 0x7FF8)
    own = (nodes[inner, 1] >> np.uint64(32)).astype(np.int64) & COLUMN
    nodes[inner, 1] += (columns[own] - own).astype(np.uint64) << np.uint64(32)
    return nodes


def predictor_of(trees: list[IsolationTree]) -> TreePredictor:
    """All trees in one predictor of path lengths."""
    sets: Any = [tree.sets for tree in trees]
    words = max((part.shape[2] for part in sets if part is not None), default=0)
    if words:
        sets = [wider_sets(part, words) for part in sets]
    return TreePredictor.join_trees(
        [tree.nodes for tree in trees], [tree.lengths for tree in trees],
        sets=sets if words else None,
    )  # fmt: skip


def wider_sets(sets: Array | None, words: int) -> Array:
    """Sets of categories with room for those of all trees."""
    if sets is None:
        return np.zeros((0, 2, words), np.uint64)
    return np.pad(sets, ((0, 0), (0, 0), (0, words - sets.shape[2])))


def quantile(scores: Array, weight: Array | None, share: float) -> float:
    """The quantile of scores, linear between them, as if rows were there `weight` times."""
    if weight is None:
        return float(np.percentile(scores, 100.0 * share))
    order = np.argsort(scores, kind="stable")
    order = order[weight[order] > 0]
    end = np.cumsum(weight[order])
    place = share * max(end[-1] - 1.0, 0.0)
    low = scores[order[np.searchsorted(end, np.floor(place), side="right")]]
    high = scores[order[min(np.searchsorted(end, np.floor(place) + 1, "right"), len(order) - 1)]]
    return float(low + (high - low) * (place - np.floor(place)))
