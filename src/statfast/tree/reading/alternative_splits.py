# SPDX-License-Identifier: BSD-3-Clause
"""Alternatives to the splits of a tree: competitors and surrogates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from statfast._core.cart.grow import grow
from statfast._engine import checkpoint
from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import ArrayLike, DataFrame, Rows, Weights
from statfast._validation import as_count, not_fitted, wrong_type
from statfast.tree.cart.model import CartModel
from statfast.tree.growing.arguments import category_counts, require_dense
from statfast.tree.growing.columns import ranked_columns
from statfast.tree.growing.grow_tree import CRITERIA, tree_problem
from statfast.tree.structure.non_numeric_splits import SURROGATE, Routes
from statfast.tree.structure.tree_arrays import TreeStructure

if TYPE_CHECKING:
    from statfast.tree.cart.classifier import DecisionTreeClassifier
    from statfast.tree.cart.regressor import DecisionTreeRegressor


MIN_IMPROVEMENT = 1e-10  # of the best split: competitors below are left out


@dataclass(frozen=True, repr=False)
class SplitTable(Tabled):
    """Primary, competing and surrogate splits of each node, as rpart's `splits`.

    Attributes
    ----------
    node : ndarray of int64, shape (rows,)
        Ascending; of each node first its split, then competitors, then surrogates, the best first.
    role : ndarray of str, shape (rows,)
        "primary", "competitor" or "surrogate".
    feature : ndarray of int64, shape (rows,)
        Feature of each split.
    count : ndarray of int64, shape (rows,)
        Rows whose value is known; of a surrogate, rows that it sends because the split and the
        surrogates before it cannot.
    improve : ndarray of shape (rows,)
        The decrease of impurity times weight; of a regression, as a share of the impurity of the
        node; of a surrogate, the share of the weight that it sends as the split does.
    threshold : ndarray of shape (rows,)
        NaN where categories are split.
    direction : ndarray of int64, shape (rows,)
        -1: values up to the threshold go to the left. 1: to the right. 0: categories are split.
    adjusted : ndarray of shape (rows,)
        Of a surrogate, its agreement beyond that of always going to the larger side, as a share of
        what is possible.
    sets : list
        Of a split of categories, those that go left and those that go right; else None.
    importances : ndarray of shape (p,)
        For each column the sum of the improvements of its splits, and of those for which it is a
        surrogate, times `adjusted`; of a regression, in units of y squared.

    Examples
    --------
    >>> from statfast import DecisionTreeClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import split_table
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> splits = split_table(model, iris.data, iris.target, max_competitors=1, max_surrogates=1)
    >>> print(splits)
                  feature  count  improve  threshold  direction  adjusted
    0 primary           2    150   50.000     2.4500         -1         0
    0 competitor        3    150   50.000     0.8000         -1         0
    0 surrogate         3      0    1.000     0.8000         -1         1
    >>> splits.threshold[splits.role == "surrogate"]
    array([0.8])
    """

    node: np.ndarray
    role: np.ndarray
    feature: np.ndarray
    count: np.ndarray
    improve: np.ndarray
    threshold: np.ndarray
    direction: np.ndarray
    adjusted: np.ndarray
    sets: list[Any]
    importances: np.ndarray

    def table(self) -> CoefficientTable:
        """The numbers of each split; its categories are in `sets`.

        Returns
        -------
        CoefficientTable
        """
        heads = ("feature", "count", "improve", "threshold", "direction", "adjusted")
        names = [f"{node} {role}" for node, role in zip(self.node, self.role, strict=True)]
        return CoefficientTable(names, {head: getattr(self, head) for head in heads})

    def to_frame(self) -> DataFrame:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        names = ("node", "role", "feature", "count", "improve", "threshold", "direction",
                 "adjusted", "sets")  # fmt: skip
        return pandas.DataFrame({name: getattr(self, name) for name in names})


def split_table(
    decision_tree: DecisionTreeClassifier | DecisionTreeRegressor,
    X: Rows,
    y: ArrayLike,
    sample_weight: Weights = None,
    *,
    max_competitors: int = 4,
    max_surrogates: int = 5,
) -> SplitTable:
    """Primary, competing and surrogate splits of each node.

    A competitor is the best split of another column. A surrogate sends rows most nearly as the
    split does, whatever that gains (see `missing="surrogate"` of the trees).

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted, on one output, by best splits.
    X : array-like of shape (n, p)
        The rows of the fit. Missing values need `missing="surrogate"`.
    y : array-like of shape (n,)
        Their targets.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    max_competitors : int, default=4
        Most competitors of a node.
    max_surrogates : int, default=5
        Most surrogates of a node.

    Returns
    -------
    SplitTable

    Raises
    ------
    NotFittedError
        If the tree is not fitted.
    TypeError
        If it is not a tree.
    ValueError
        If X are not the rows of the fit, have missing values whose side was learned, or the tree
        has several outputs, random splits, absolute errors or monotone constraints.

    Notes
    -----
    Cost: at each node, two searches of each column, and for surrogates a sort of it.

    References
    ----------
    T. M. Therneau and E. J. Atkinson (1997). An introduction to recursive partitioning using the
    rpart routines. Mayo Foundation, Technical Report 61.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier, split_table
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(data.data, data.target)
    >>> table = split_table(model, data.data, data.target, max_competitors=1, max_surrogates=1)
    >>> table.role.tolist(), table.feature.tolist()
    (['primary', 'competitor', 'surrogate'], [2, 3, 3])
    >>> table.improve.round(2).tolist()
    [50.0, 50.0, 1.0]
    """
    if not isinstance(decision_tree, CartModel):
        raise wrong_type(
            "decision_tree", "a DecisionTreeClassifier or DecisionTreeRegressor", decision_tree
        )
    if not decision_tree.__sklearn_is_fitted__():
        raise not_fitted(decision_tree)
    rivals = as_count(max_competitors, "max_competitors", low=0)
    most = as_count(max_surrogates, "max_surrogates", low=0)
    require_dense(X, "split_table")
    rows, weights, rules, targets, fitted = decision_tree._parts(X, y, sample_weight)
    tree = decision_tree.tree_
    _require_table(tree, rows, weights, rules, fitted)
    columns = ranked_columns(rows, decision_tree.n_jobs, category_counts(fitted))
    rules = replace(
        rules, known_only=True, surrogates=most, max_features=rows.shape[1], in_order=True,
        min_decrease=0.0, max_leaves=0,
    )  # fmt: skip
    search = _NodeSearch(columns, rules, weights, targets)
    splits, importances = [], np.zeros(rows.shape[1])
    for node, node_rows in _rows_of_nodes(tree, rows, weights.rows):
        checkpoint()
        node_splits, earned = search.splits(node, node_rows, int(tree.feature[node]), rivals)
        splits += node_splits
        importances += earned
    return _table(splits, importances)


def _require_table(tree: TreeStructure, rows: Any, weights: Any, rules: Any, fitted: Any) -> None:
    p, n = rows.shape[1], int(tree.n_node_samples[0])
    if (p, len(weights.rows)) != (tree.n_features, n):
        raise ValueError(
            f"X must be the rows of the fit ({n} with weight, {tree.n_features} columns); got "
            f"{len(weights.rows)}, {p} columns."
        )
    if fitted["n_outputs_"] > 1:
        raise ValueError("decision_tree must have one output for a table. Fit a tree for each.")
    if rules.randomized or rules.monotone is not None or rules.criterion == "absolute_error":
        raise ValueError(
            "decision_tree must have best splits, no absolute errors and no monotone constraints "
            "for a table; got one that has."
        )
    if not rules.known_only and rows.dtype.kind == "f" and np.isnan(rows).any():
        raise ValueError(
            "X must have no missing values, whose side this tree has learned. Fit it with "
            "missing='surrogate'."
        )


def _rows_of_nodes(tree: TreeStructure, rows: Any, used: Any) -> Iterator[Any]:
    """Yield the split nodes, in order, with the rows of the fit in each."""
    leaves = tree.packed[1][tree.predictor.leaves(rows[used])[:, 0]]
    order = np.empty(tree.node_count, np.int32)
    left, right = (a.astype(np.int32) for a in (tree.children_left, tree.children_right))
    grow.preorder(left, right, order)
    place = np.empty_like(order)
    place[order] = np.arange(tree.node_count, dtype=np.int32)
    by_place = np.argsort(place[leaves], kind="stable")
    sorted_place = place[leaves][by_place]
    end = np.arange(1, tree.node_count + 1)  # in preorder: the end of the nodes below each
    for node in order[::-1]:
        if left[node] >= 0:
            end[place[node]] = end[place[right[node]]]
    for node in np.flatnonzero(left >= 0).tolist():
        low, high = np.searchsorted(sorted_place, (place[node], end[place[node]]))
        yield node, np.sort(used[by_place[low:high]]).astype(np.int32)


class _NodeSearch:
    """A search for the splits of nodes, column by column."""

    def __init__(self, columns: Any, rules: Any, weights: Any, targets: Any) -> None:
        self.columns, self.weights, self.criterion = columns, weights, CRITERIA[rules.criterion]
        self.label, self.y = targets.get("label"), targets.get("y")
        self.classes = targets.get("classes")
        fixed = {
            "total": weights.total, "table": weights.table, "cases": weights.cases, **targets,
        }  # fmt: skip
        self.primary = tree_problem(columns, rules, **fixed)
        self.rival_problem = tree_problem(columns, replace(rules, surrogates=0), **fixed)
        self.workspace = grow.Workspace(self.primary.kernel, len(weights.rows))

    def splits(self, node: int, node_rows: Any, feature: Any, most: Any) -> Any:
        """Rows of the table for a node, and the importances of its columns."""
        impurity = self._impurity(node_rows)
        splits = {}
        for j in range(len(self.columns.shift)):
            problem = self.primary if j == feature else self.rival_problem
            split = self._best(node_rows, j, problem, impurity)
            if split is not None:
                splits[j] = split
        if feature not in splits:
            raise ValueError("X and y must be those of the fit; the tree's splits do not fit them.")
        primary = splits.pop(feature)
        best = max([primary["improve"], *(split["improve"] for split in splits.values())])
        # The sort is stable, so that ties are in the order of columns.
        rivals = sorted(splits.values(), key=lambda split: -split["gain"])
        rivals = [split for split in rivals if split["improve"] > MIN_IMPROVEMENT * best][:most]
        scale = impurity if self.label is None else 1.0
        earned = np.zeros(len(self.columns.shift))
        earned[feature] += primary["improve"] * scale
        rows = [{**primary, "role": "primary"}, *({**s, "role": "competitor"} for s in rivals)]
        for surrogate in primary["surrogates"]:
            earned[surrogate["column"]] += primary["improve"] * scale * surrogate["adjusted"]
            sets = primary["routes"].codes(surrogate["threshold"]) if surrogate["of_sets"] else None
            rows.append({
                "role": "surrogate", "feature": int(surrogate["column"]),
                "count": int(surrogate["sent"]), "improve": surrogate["agree"],
                "adjusted": surrogate["adjusted"], "sets": sets,
                "threshold": np.nan if surrogate["of_sets"] else surrogate["threshold"],
                "direction": 0 if surrogate["of_sets"] else 1 if surrogate["reversed"] else -1,
            })  # fmt: skip
        return [{"node": node, "adjusted": 0.0, **row} for row in rows], earned

    def _best(self, node_rows: Any, j: int, problem: Any, impurity: Any) -> Any:
        """The best split of a column, or None."""
        rows = node_rows.copy()
        grower = grow.Grower(
            problem.kernel,
            rows,
            self.weights.weight,
            self.weights.integral,
            len(node_rows),
            0,
            None,
        )
        grower.add_task(0, len(node_rows), 0, -1, 0, 0, -inf, inf)
        if grower.open() is None:
            return None
        _, _, *split = grower.search(self.workspace, j, -inf, False)
        if split[1] < 0:
            return None
        grower.split(*split)
        links, numbers, _ = grower.nodes()
        routes = Routes.collect(links, self.columns.categories, grower.sets(), grower.surrogates())
        rank = self.columns.ranks[j][node_rows].astype(np.int64)
        present = rank != self.columns.missing[j]
        number = numbers[0, 0]
        sets = routes.codes(number) if routes.of_sets[0] else None
        left = present & (np.isin(rank, sets[0]) if sets is not None else rank <= split[3])
        parts = node_rows[present], node_rows[left], node_rows[present & ~left]
        total, *sides = (self._impurity(part) for part in parts)
        improve = total - sum(sides)
        return {
            "feature": j, "count": int(present.sum()), "gain": split[0], "sets": sets,
            "improve": improve / impurity if self.label is None else improve,
            "threshold": np.nan if sets is not None else number,
            "direction": 0 if sets is not None else -1, "routes": routes,
            "surrogates": routes.surrogates if problem is self.primary else SURROGATE,
        }  # fmt: skip

    def _impurity(self, rows: Any) -> Any:
        """The impurity of rows times their weight."""
        weight, unit = self.weights.weight, self.weights.unit
        w = np.full(len(rows), unit) if weight is None else weight[rows] * unit
        total_weight = w.sum()
        if self.label is None:
            y = self.y[rows, 0]
            mean = (w @ y) / total_weight
            if self.criterion == CRITERIA["poisson"]:
                relative = (y - mean) / mean
                logs = np.log1p(np.where(y > 0, relative, 0.0))
                return float(mean * (w @ ((1.0 + relative) * logs - relative)))
            return float(w @ (y - mean) ** 2)
        share = np.bincount(self.label[rows, 0], w, self.classes[0]) / total_weight
        if self.criterion == CRITERIA["gini"]:
            return float(total_weight * (1 - (share**2).sum()))
        if self.criterion == CRITERIA["entropy"]:
            return float(-total_weight * (share * np.log2(np.where(share > 0, share, 1.0))).sum())
        return float(total_weight * (1 - share.max()))


def _table(splits: Any, importances: Any) -> Any:
    kinds = {
        "node": np.int64, "role": str, "feature": np.int64, "count": np.int64, "improve": float,
        "threshold": float, "direction": np.int64, "adjusted": float,
    }  # fmt: skip
    arrays: Any = {
        name: np.array([row[name] for row in splits], kind) for name, kind in kinds.items()
    }
    return SplitTable(**arrays, sets=[row["sets"] for row in splits], importances=importances)
