# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees."""

from __future__ import annotations

from typing import Any, Self

from statfast._estimator import Regressor, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast.tree.cart.model import CartModel
from statfast.tree.growing.arguments import (
    REGRESSION,
    category_counts,
    growth_rules,
    number_targets,
    published_columns,
    require_dense,
    require_range,
    row_weights,
    rows_with_categories,
)


class DecisionTreeRegressor(Regressor, CartModel):
    """Decision tree for regression (CART), with exact splits.

    Parameters
    ----------
    criterion : str, default="squared_error"
        What splits make small: "squared_error" and "friedman_mse" (which orders splits the same
        way) the squares about the mean, "absolute_error" the distances from the median,
        "poisson" half the Poisson deviance, for y that is not negative.
    splitter : {"best", "random"}, default="best"
        The best split of each column, or one drawn: between its extremes in the node, or two sets
        of its categories there.
    missing : {"learned", "surrogate"}, default="learned"
        What becomes of missing values. "learned": both sides are tried for them at each split.
        "surrogate": splits are chosen by the rows whose value is known, and the others follow the
        columns that send rows most nearly as the split does, as in R's rpart; those whose
        surrogates are missing, too, go to the side with more weight. Slower, by about a sort of
        each column at each node. Not with ``splitter="random"``, which draws the side of missing
        values, nor with ``criterion="absolute_error"``.
    max_surrogates : int, default=5
        Most surrogates of a node.
    max_depth : int, optional
        Most splits above a leaf; None does not limit them.
    min_samples_split : int or float, default=2
        Nodes of fewer samples are leaves; a float is a fraction of the samples.
    min_samples_leaf : int or float, default=1
        No split leaves fewer rows on a side; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        No split leaves a smaller fraction of the weight on a side.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns looked at for a split, drawn afresh at each node; a float is a share, None is all.
        If none of them varies in the node, more are drawn until one does.
    max_leaf_nodes : int, optional
        Grow the tree by the split that gains most, until it has so many leaves.
    min_impurity_decrease : float, default=0.0
        No split gains less, of the impurity by the node's fraction of the weight.
    ccp_alpha : float, default=0.0
        Penalty for a leaf: branches that are worth no more are pruned.
    monotonic_cst : array-like of shape (p,), optional
        For each column 1 (the prediction may not fall with it), -1 (may not rise) or 0; of one
        output, and not with ``criterion="absolute_error"``.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories, split into two sets of them: by a mask, numbers, or names;
        "from_dtype" takes those that a data frame declares as such. At most 1024 categories a
        column. None for none.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws; an integer makes the result reproducible. Without draws (all
        columns, best splits) nothing depends on it.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    tree_ : TreeStructure
        The nodes, as arrays.
    max_features_ : int
        Columns looked at for a split.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (p,)
        The fraction of each column in the decrease of impurity.
    is_categorical_ : ndarray of bool, shape (p,), or None
        Which columns hold categories; None if none does.
    categories_ : list, or None
        For each column its categories, ascending, or None.
    n_features_in_ : int
        Number of columns, p.
    feature_names_in_ : ndarray of shape (p,)
        Feature names, if fitted on a data frame whose names are all strings.

    Notes
    -----
    Splits are exact in float64: any two distinct numbers can be parted, and a row is sent to the
    left if its value is at most the threshold, the middle of two neighboring values of the node.
    (scikit-learn rounds X to float32 and does not part values within 1e-7.) **Of splits that gain
    the same, the one on the first column wins, and of these the lowest threshold**, where
    scikit-learn draws; apart from such ties, trees are the same, node for node. Columns drawn at
    random are looked at in the order of the draw, and the first wins. NaN is a missing value: both
    sides are tried for it at each split, and where a node saw none, it goes with the larger side.
    Infinity is refused.

    With one target, the best two sets of categories are found, exactly, in the order of their means
    (`min_samples_leaf` rules out prefixes of the order). With several outputs, all pairs of sets
    are tried for up to 10 categories in a node, and beyond them the prefixes of the order along the
    first principal component of the means (Coppersmith, Hong and Hosking 1999). A missing category
    is one more category. Where missing values go at a node, there go categories that it has not
    seen, and those that the fit has not.

    Random numbers depend on `random_state` and the place of a node in the tree, so the tree is the
    same for any number of threads.

    Cost: O(p n log n) to rank the columns, then some nanoseconds for each row and column at each
    level of the tree. Memory: 5 to 9 bytes a value of X (24 a stored value of sparse X), and
    some 100 bytes a row.

    Within a node, targets less their mean enter as integers of 61 - log2(m) bits (m its rows), so
    that sums are exact and do not depend on an order; y that are integers are kept exactly.
    Absolute errors cost O(n log n) for each column and level.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984). Classification and Regression
    Trees. Wadsworth. doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.tree import DecisionTreeRegressor
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> model = DecisionTreeRegressor(max_depth=1).fit(X, [1.0, 2.0, 3.0, 8.0, 10.0])
    >>> float(model.tree_.threshold[0])
    6.5
    >>> model.predict([[0.0], [20.0]])
    array([2., 9.])
    """

    _flat: Any = fitted()

    criterion: str = param(one_of(*REGRESSION), default="squared_error")

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows; NaN is a missing value. float64, float32 and uint8 are not converted; sparse
            rows stay sparse.
            Categories may be of any type that can be sorted.
        y : array-like of shape (n,) or (n, outputs)
            Finite numbers.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds an infinity, y is not a finite number (or one for each output) for each row,
            its weighted squares overflow or vanish, or a parameter is out of its range.
        TypeError
            If X is not made of numbers, or a parameter is of the wrong type.
        """
        rows, weights, rules, targets, fitted = self._parts(X, y, sample_weight)
        categories = category_counts(fitted)
        tree = self._grow(rows, weights, rules, categories=categories, **targets)
        return self._publish(X, tree_=tree, n_features_in_=rows.shape[1], **fitted)

    def _parts(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Check the arguments of a fit; returns rows, weights, rules, targets, and fitted
        attributes."""
        rows, columns, missing = rows_with_categories(X, self.categorical_features)
        if self.missing == "surrogate":
            require_dense(X, "missing='surrogate'")
        n, p = rows.shape
        targets, flat = number_targets(y, n, self.criterion)
        weights = row_weights(sample_weight, n)
        require_range(targets, self.criterion, weights)
        rules = growth_rules(self, n, p, weights.total, outputs=targets.shape[1])
        rules = self._splitter(rules, p, columns)
        fitted = {
            "max_features_": rules.max_features,
            "n_outputs_": targets.shape[1],
            "_flat": flat,
            **published_columns(columns, missing),
        }
        return rows, weights, rules, {"y": targets}, fitted

    def predict(self, X: Rows) -> Array:
        """Predict the mean (for absolute error, the median) of the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m,) or (m, outputs)
        """
        values = self._values(X)[:, :, 0]
        return values[:, 0] if self._flat else values
