# SPDX-License-Identifier: BSD-3-Clause
"""Pruning by cross-validation: rpart's table of complexities."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from math import frexp, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import Columned, Display, picture
from statfast._typing import Array, ArrayLike, Axes, DataFrame, Rows, Seed, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_generator,
    as_real,
    column_names,
    shape_of,
    wrong_type,
)
from statfast.tree.growing.arguments import category_counts
from statfast.tree.growing.columns import ranked_columns
from statfast.tree.pruning.weakest_link import cut_at
from statfast.tree.structure.tree_arrays import TreeStructure

if TYPE_CHECKING:
    from statfast.tree.cart.classifier import DecisionTreeClassifier
    from statfast.tree.cart.regressor import DecisionTreeRegressor


CLOSE = 1e-9  # of the root's risk: closer complexities are taken as equal


@dataclass(frozen=True, repr=False)
class PruningTable(Columned):
    """Cost-complexity pruning table with cross-validated errors, as rpart's `cptable`.

    Errors are shares of the root's: misclassified weight (with priors and costs, expected cost), or
    sums of squares.

    Attributes
    ----------
    cp : ndarray of shape (trees,)
        The penalty of a leaf, as a share of the root's error, from which on a tree is the best.
    n_splits : ndarray of int64, shape (trees,)
        Splits of each tree.
    rel_error : ndarray of shape (trees,)
        On the rows of the fit.
    xerror : ndarray of shape (trees,)
        On rows held out.
    xstd : ndarray of shape (trees,)
        Standard errors of `xerror`.
    best : int
        The row with the least `xerror`, the smallest tree of equals.
    one_standard_error : int
        The smallest tree whose `xerror` is within a standard error of the best.

    Examples
    --------
    >>> from statfast import DecisionTreeClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import pruning_table
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier()
    >>> table = pruning_table(tree, iris.data, iris.target, cv=10, random_state=0)
    >>> table.n_splits
    array([0, 1, 2, 3])
    >>> table.rel_error.round(2)
    array([1.  , 0.5 , 0.06, 0.04])
    """

    cp: np.ndarray
    n_splits: np.ndarray
    rel_error: np.ndarray
    xerror: np.ndarray
    xstd: np.ndarray
    best: int
    one_standard_error: int
    _grown: Any = field(init=False, repr=False, default=None)

    def pruned(self, row: Literal["1se", "best"] | int = "1se") -> Any:
        """Return the pruned tree of a row.

        Parameters
        ----------
        row : {"1se", "best"} or int, default="1se"
            Which: `one_standard_error`, `best`, or its number.

        Returns
        -------
        DecisionTreeClassifier or DecisionTreeRegressor
        """
        if isinstance(row, str):
            as_choice(row, "row", ("1se", "best"))
            row = self.one_standard_error if row == "1se" else self.best
        row = as_count(row, "row", low=0, high=len(self.cp) - 1)
        tree, alpha, model, fitted = self._grown
        small = cut_at(tree, alpha <= self.cp[row] + CLOSE)
        return copy(model)._publish(None, tree_=small, **fitted)

    def to_frame(self) -> DataFrame:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        names = ("cp", "n_splits", "rel_error", "xerror", "xstd")
        return pandas.DataFrame({name: getattr(self, name) for name in names})

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw the errors: `statfast.plot.pruning`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("pruning")(self, ax=ax, **style)

    def _cells(self) -> list[list[str]]:
        cells = [["cp", "splits", "rel error", "xerror", "xstd", ""]]
        columns = zip(self.cp, self.n_splits, self.rel_error, self.xerror, self.xstd, strict=True)
        for row, (cp, splits, *errors) in enumerate(columns):
            mark = " best" if row == self.best else ""
            mark += ("  1 se" if mark else " 1 se") if row == self.one_standard_error else ""
            cells.append([f"{cp:.6f}", str(splits), *(f"{value:.4f}" for value in errors), mark])
        return cells

    def _widths(self) -> list[int]:
        return [10, 7, 10, 8, 8, 0]


def pruning_table(
    estimator: DecisionTreeClassifier | DecisionTreeRegressor,
    X: Rows,
    y: ArrayLike,
    sample_weight: Weights = None,
    *,
    cp: float = 0.01,
    cv: ArrayLike = 10,
    random_state: Seed = None,
) -> PruningTable:
    """Cost-complexity pruning with cross-validated errors, as rpart's ``cptable``.

    The tree is grown with the estimator's parameters (its `ccp_alpha` is not looked at), then on
    all folds but one, for each of them; ranks of columns are shared. Each row of the table is
    judged at the geometric mean of its complexity and the one before, as rpart does.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        Not changed. One output.
    X : array-like or sparse matrix of shape (n, p)
        Samples.
    y : array-like of shape (n,)
        Class labels or target values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    cp : float, default=0.01
        Splits that lower the error by a smaller share of the root's are not in the table.
    cv : int or array-like of int, shape (n,), default=10
        Number of folds, drawn at random, or the fold of each row.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the folds; an integer makes the result reproducible.

    Returns
    -------
    PruningTable

    Raises
    ------
    ValueError
        If there are several outputs, fewer than two folds, or a fold has all the weight.
    TypeError
        If `estimator` is not a tree, or a parameter is of the wrong type.

    References
    ----------
    T. M. Therneau and E. J. Atkinson (1997). An introduction to recursive partitioning using the
    rpart routines. Mayo Foundation, Technical Report 61.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier, pruning_table
    >>> data = load_iris()
    >>> table = pruning_table(
    ...     DecisionTreeClassifier(), data.data, data.target, cv=np.arange(150) % 10
    ... )
    >>> table.n_splits
    array([0, 1, 2, 3])
    >>> table.xerror.round(2).tolist()
    [1.0, 0.5, 0.1, 0.1]
    >>> table.pruned().get_n_leaves()
    3
    """
    if isinstance(estimator, type) or not hasattr(estimator, "cost_complexity_pruning_path"):
        wanted = "a DecisionTreeClassifier or DecisionTreeRegressor"
        raise wrong_type("estimator", wanted, estimator)
    model = type(estimator)(**{**estimator.get_params(deep=False), "ccp_alpha": 0.0})
    rows, weights, rules, targets, fitted = model._parts(X, y, sample_weight)
    if fitted["n_outputs_"] > 1:
        raise ValueError("y must be one output for a table. Fit a tree for each.")
    share = as_real(cp, "cp", 0.0)
    fold = _folds(cv, len(rows), random_state)
    columns = ranked_columns(rows, model.n_jobs, category_counts(fitted))
    priors = fitted.get("_class_priors")
    case = _case_weights(weights, priors, targets, len(rows))
    full = model._grow(rows, weights, rules, columns, **targets)
    units = _power(case.sum()), _power(full.impurity[0])
    case = case / units[0]
    total = case.sum()
    risk = _risks(full, targets, priors, units)
    root = float(risk[0]) if risk[0] > 0 else 1.0
    alpha = complexities(full, risk, share * risk[0]) / root
    parent = full.parents()
    above = np.where(parent >= 0, alpha[parent], np.inf)
    steps = _distinct(alpha[alpha > share + CLOSE])
    cps = np.append(steps, share)
    limits = np.concatenate([[np.inf], np.sqrt(cps[1:] * cps[:-1])])

    def fold_errors(number: int) -> Array:
        checkpoint()
        out = fold == number
        train_weights = weights.without(out)
        if not train_weights.total > 0:
            raise ValueError(f"cv puts all rows with weight into fold {number}. Use more folds.")
        tree = model._grow(rows, train_weights, rules, columns, **targets)
        risks = _risks(tree, targets, priors, units)
        scale = root * case[~out].sum() / total
        loss = _losses(tree, targets, priors, out, units[1])
        return _judge(tree, risks, rows[out], loss, case[out], limits * scale, share * scale)

    tasks = np.unique(fold).tolist()
    errors = np.sum(each(fold_errors, tasks, n_jobs=model.n_jobs), axis=0)
    xerror = errors[0] / root
    xstd = np.sqrt(np.maximum(errors[1] - errors[0] ** 2 / total, 0)) / root / sqrt(units[0])
    best = int(np.flatnonzero(xerror <= xerror.min() * (1 + 1e-12))[0])
    chosen = int(np.flatnonzero(xerror <= xerror[best] + xstd[best])[0])
    table = PruningTable(
        cps, np.array([np.count_nonzero(alpha > c + CLOSE) for c in cps]),
        np.array([risk[(alpha <= c + CLOSE) & (above > c + CLOSE)].sum() / root for c in cps]),
        xerror, xstd, best, chosen,
    )  # fmt: skip
    fitted["n_features_in_"] = rows.shape[1]
    if (names := column_names(X)) is not None:
        fitted["feature_names_in_"] = names
    object.__setattr__(table, "_grown", (full, alpha, model, fitted))
    return table


def _case_weights(weights: Any, priors: Any, targets: dict[str, Any], n: int) -> Array:
    """The weights of n rows, divided by the factors of class priors by which the tree was grown."""
    passed = np.full(n, weights.unit) if weights.weight is None else weights.as_passed
    return passed if priors is None else passed / priors.grown[targets["label"][:, 0]]


def complexities(tree: TreeStructure, risk: Array, least: float) -> Array:
    """The penalty at which rpart makes each node a leaf; -inf for leaves.

    What a node's branch earns a split, where sons that would go before it count as leaves; no more
    than those above. Branches that earn `least` or less are not there. (This is rpart's rule. Where
    a son goes first, it can be below that of Breiman et al., which `ccp_alpha` follows.)
    """
    node_risk, n = np.asarray(risk), tree.node_count
    penalty, total, splits = np.zeros(n), node_risk.copy(), np.zeros(n)
    for nodes in (levels := _levels(tree))[::-1]:  # children first
        left, right = tree.children_left[nodes], tree.children_right[nodes]
        left_first = penalty[left] < penalty[right]
        # The child that collapses first is the first.
        sons = np.where(left_first, left, right), np.where(left_first, right, left)
        cost, count = [total[son] for son in sons], [splits[son] for son in sons]
        worth = (node_risk[nodes] - (cost[0] + cost[1])) / (count[0] + count[1] + 1)
        collapses = True
        for k, son in enumerate(sons):
            collapses = collapses & (worth > penalty[son])
            cost[k], count[k] = (
                np.where(collapses, node_risk[son], cost[k]),
                np.where(collapses, 0, count[k]),
            )
            worth = (node_risk[nodes] - (cost[0] + cost[1])) / (count[0] + count[1] + 1)
        penalty[nodes] = worth
        kept = worth > least
        total[nodes[kept]] = (cost[0] + cost[1])[kept]
        splits[nodes[kept]] = (count[0] + count[1] + 1)[kept]
    alpha = np.where((tree.children_left < 0) | (penalty <= least), -np.inf, penalty)
    for nodes in levels:
        for son in (tree.children_left[nodes], tree.children_right[nodes]):
            alpha[son] = np.minimum(alpha[son], alpha[nodes])
    return alpha


def _levels(tree: TreeStructure) -> list[Array]:
    """The split nodes of each depth, from the root on."""
    inner = np.flatnonzero(tree.children_left >= 0)
    inner = inner[np.argsort(tree.depth[inner], kind="stable")]
    return np.split(inner, np.cumsum(np.bincount(tree.depth[inner]))[:-1]) if len(inner) else []


def _folds(cv: Any, n: int, random_state: Seed) -> Array:
    if shape_of(cv):
        fold = np.asarray(cv)
        if fold.shape != (n,) or fold.dtype.kind not in "iu":
            raise ValueError(f"cv must be a count, or the fold of each of {n} rows, an integer.")
        if len(np.unique(fold)) < 2:
            raise ValueError("cv must have two folds or more; got one.")
        return fold
    count = as_count(cv, "cv", low=2, high=n, limit="the number of rows")
    return as_generator(random_state).permutation(np.arange(n) % count)


def _power(number: float) -> float:
    """The power of two next to a number, by which division is exact."""
    return 2.0 ** frexp(number)[1] if number > 0 else 1.0


def _risks(
    tree: TreeStructure, targets: dict[str, Any], priors: Any, units: tuple[float, float]
) -> Array:
    """The risk of each node as a leaf, in units of weight and of impurity."""
    node_weights = tree.weighted_n_node_samples / units[0]
    if priors is not None:
        return (priors.masses(tree.value[:, 0], node_weights) @ priors.cost).min(axis=1)
    if "classes" in targets:
        return node_weights * (1 - tree.value[:, 0].max(axis=1))
    return node_weights * (tree.impurity / units[1])


def _losses(
    tree: TreeStructure, targets: dict[str, Any], priors: Any, rows: Array, unit: float
) -> Callable[..., Any]:
    """A function of nodes and of numbers among `rows` (a mask), which returns the losses of the
    rows by the nodes; squares are in units of `unit`."""
    if "classes" not in targets:
        y = targets["y"][rows, 0]
        return lambda nodes, where: (y[where] - tree.value[nodes, 0, 0]) ** 2 / unit
    label = targets["label"][rows, 0]
    if priors is None:
        predicted = tree.value[:, 0].argmax(axis=1)
        return lambda nodes, where: (predicted[nodes] != label[where]).astype(float)
    predicted = priors.decisions(tree.value[:, 0])
    cost = priors.plain[:, None] * priors.cost
    return lambda nodes, where: cost[label[where], predicted[nodes]]


def _distinct(alphas: Array) -> Array:
    """Distinct values in descending order; those that differ by rounding are one."""
    values = np.sort(alphas)[::-1]
    return values[np.append(True, values[:-1] - values[1:] > CLOSE)] if len(values) else values


def _judge(
    tree: TreeStructure,
    risk: Array,
    rows: Array,
    loss_of: Callable[..., Any],
    weight: Array,
    limits: Array,
    least: float,
) -> Array:
    """Sums over rows of loss and of its square, of the tree pruned at each of `limits`."""
    alpha = complexities(tree, risk, least)
    parent = tree.parents()
    above = np.where(parent >= 0, alpha[parent], np.inf)
    sums = np.zeros((2, tree.node_count))
    nodes = tree.packed[1][tree.predictor.leaves(rows, n_jobs=1)[:, 0]]
    row_numbers = np.arange(len(nodes))
    while len(nodes):
        loss = loss_of(nodes, row_numbers)
        for k, power in enumerate((loss, loss**2)):
            sums[k] += np.bincount(nodes, weight[row_numbers] * power, tree.node_count)
        nodes = parent[nodes]
        row_numbers, nodes = row_numbers[nodes >= 0], nodes[nodes >= 0]
    # A node is a leaf at limits from its own complexity up to that of its parent.
    order = np.argsort(limits, kind="stable")
    low = np.searchsorted(limits[order], alpha, side="left")
    high = np.searchsorted(limits[order], above, side="left")
    high[0] = len(limits)
    change = np.zeros((2, len(limits) + 1))
    used = low < high
    for k in range(2):
        np.add.at(change[k], low[used], sums[k][used])
        np.add.at(change[k], high[used], -sums[k][used])
    out = np.empty((2, len(limits)))
    out[:, order] = np.cumsum(change, axis=1)[:, :-1]
    return out
