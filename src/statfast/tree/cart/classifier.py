# SPDX-License-Identifier: BSD-3-Clause
"""Classification trees."""

import numpy as np

from statfast._estimator import Classifier
from statfast._validation import as_choice, as_real
from statfast.tree.cart.model import CartModel
from statfast.tree.growing.arguments import (
    CLASSIFICATION,
    class_targets,
    growth_rules,
    row_weights,
    rows_to_fit,
)


class DecisionTreeClassifier(Classifier, CartModel):
    """Classify rows by a tree of questions about single columns.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        Impurity of a node: Gini's index, entropy in bits (two names), or the share of the classes
        other than the largest.
    splitter : {"best", "random"}, default="best"
        The best split of each column, or one drawn between its extremes in the node.
    max_depth : int, optional
        Most splits above a leaf; None does not limit them.
    min_samples_split : int or float, default=2
        Nodes of fewer rows are leaves; a float is a share of the rows.
    min_samples_leaf : int or float, default=1
        No split leaves fewer rows on a side; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        No split leaves a smaller share of the weight on a side.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns looked at for a split, drawn anew at each node; a float is a share, None is all. If
        none of them varies in the node, more are drawn until one does.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the draws; without draws (all columns, best splits) nothing depends on it.
    max_leaf_nodes : int, optional
        Grow the tree by the split that gains most, until it has so many leaves.
    min_impurity_decrease : float, default=0.0
        No split gains less, of the impurity by the node's share of the weight.
    class_weight : dict, "balanced", list of dict, or None, default=None
        Weights of classes, times those of rows; "balanced" is n / (K n_k). A list has one entry for
        each output.
    ccp_alpha : float, default=0.0
        Penalty for a leaf: branches that are worth no more are pruned.
    monotonic_cst : array-like of shape (p,), optional
        For each column 1 (the prediction may not fall with it), -1 (may not rise) or 0.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,), or list of them
        The labels, ascending; of each output if there are several.
    n_classes_ : int, or ndarray of int
        How many.
    tree_ : TreeStructure
        The nodes, as arrays.
    max_features_ : int
        Columns looked at for a split.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (p,)
        The share of each column in the decrease of impurity.
    n_features_in_ : int
        Number of columns, p.
    feature_names_in_ : ndarray of shape (p,)
        Column names, if fitted on a data frame whose names are all strings.

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

    Random numbers depend on `random_state` and the place of a node in the tree, so the tree is the
    same for any number of threads.

    Cost: O(p n log n) to rank the columns, then some nanoseconds for each row and column at each
    level of the tree. Memory: 5 bytes a value of X, and some 100 bytes a row.

    References
    ----------
    .. [1] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984). Classification and
       Regression Trees. Wadsworth. doi:10.1201/9781315139470
    .. [2] F. Provost and P. Domingos (2003). Tree induction for probability-based ranking. Machine
       Learning 52, 199-215. doi:10.1023/A:1024099825458

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(data.data, data.target)
    >>> model.score(data.data, data.target)
    0.96
    >>> model.tree_.feature.tolist()
    [2, -2, 3, -2, -2]
    >>> model.predict_proba(data.data[60:61], smoothing="laplace").round(3)
    array([[0.018, 0.877, 0.105]])
    """

    def __init__(
        self, *, criterion="gini", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features=None, random_state=None,
        max_leaf_nodes=None, min_impurity_decrease=0.0, class_weight=None, ccp_alpha=0.0,
        monotonic_cst=None, n_jobs=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows; NaN is a missing value. float64, float32 and uint8 are not converted.
        y : array-like of shape (n,) or (n, outputs)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of rows; those of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds an infinity, y is not one label (or one for each output) for each row, or a
            parameter is out of its range.
        TypeError
            If X is not made of numbers, or a parameter is of the wrong type.
        """
        rows, weights, rules, targets, fitted = self._parts(X, y, sample_weight)
        return self._publish(X, tree_=self._grow(rows, weights, rules, **targets), **fitted)

    def _parts(self, X, y, sample_weight):
        """What is checked: rows, weights, rules, targets, and attributes that a fit has."""
        rows = rows_to_fit(X)
        n, p = rows.shape
        targets = class_targets(y, n)
        weights = row_weights(sample_weight, n, self.class_weight, targets)
        rules = growth_rules(
            self, CLASSIFICATION, n, p, weights.total, classes=max(targets.counts),
            outputs=len(targets.classes),
        )  # fmt: skip
        rules = self._splitter(rules, p)
        fitted = {
            "max_features_": rules.max_features,
            "n_outputs_": len(targets.classes),
            "classes_": targets.classes[0] if targets.flat else targets.classes,
            "n_classes_": targets.counts[0] if targets.flat else np.array(targets.counts),
        }
        return rows, weights, rules, {"label": targets.label, "classes": targets.counts}, fitted

    def predict(self, X):
        """The most frequent class of the leaf that each row falls into, the lowest of equals.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m,) or (m, outputs), dtype of `classes_`
        """
        best = self._values(X).argmax(axis=2)
        if self._is_flat():
            return self.classes_.take(best[:, 0])
        found = [classes.take(best[:, k]) for k, classes in enumerate(self.classes_)]
        return np.column_stack(found)

    def predict_proba(self, X, *, smoothing=None, m=2.0):
        """The share of each class in the leaf that each row falls into.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.
        smoothing : {"laplace", "m"}, optional
            Estimate shares from counts n_k of n: None is n_k / n, "laplace" is
            (n_k + 1) / (n + K), "m" is (n_k + m f_k) / (n + m) with the share f_k of the class
            among all rows. Weights count as rows do.
        m : float, default=2.0
            Rows that the prior counts for, with "m".

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
        """
        as_choice(smoothing, "smoothing", (None, "laplace", "m"))
        shares = self._values(X)
        if smoothing is not None:
            shares = self._smoothed(X, shares, smoothing, m)
        if self._is_flat():
            return shares[:, 0]
        return [shares[:, k, : len(classes)] for k, classes in enumerate(self.classes_)]

    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (m, p)

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
            -inf for classes that the leaf has not.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self._is_flat() else [np.log(share) for share in shares]

    def leaf_counts(self):
        """The weight of each class in each leaf: what scores of a scoring tree are made of.

        Returns
        -------
        leaves : ndarray of int64, shape (L,)
            Nodes that are leaves.
        counts : ndarray of shape (L, K), or (L, outputs, K)
        """
        tree = self._fitted_tree()
        leaves = np.flatnonzero(tree.children_left < 0)
        counts = tree.value[leaves] * tree.weighted_n_node_samples[leaves, None, None]
        return leaves, counts[:, 0] if self._is_flat() else counts

    def rank_leaves(self, label=None, *, smoothing="laplace", m=2.0):
        """The leaves in the order of their share of a class, the largest first: a ranking tree.

        Parameters
        ----------
        label : object, optional
            The class; None is the last of `classes_`.
        smoothing : {"laplace", "m"} or None, default="laplace"
            As in `predict_proba`: small leaves are drawn to the middle.
        m : float, default=2.0

        Returns
        -------
        leaves : ndarray of int64, shape (L,)
            Of equals, the first node comes first.
        scores : ndarray of shape (L,)

        Raises
        ------
        ValueError
            If there are several outputs, or `label` is no class.
        """
        leaves, counts = self.leaf_counts()
        if not self._is_flat():
            raise ValueError(
                "rank_leaves ranks by one output; y had several. Fit one tree for each."
            )
        known = self.classes_.tolist()
        if label is not None and label not in known:
            raise ValueError(f"label must be one of {known}; got {label!r}.")
        at = len(known) - 1 if label is None else known.index(label)
        as_choice(smoothing, "smoothing", (None, "laplace", "m"))
        mass = counts.sum(axis=1, keepdims=True)
        scores = self._estimates(counts / mass, mass, smoothing, m)[:, at]
        order = np.argsort(-scores, kind="stable")
        return leaves[order], scores[order]

    def _is_flat(self):
        return not isinstance(self.classes_, list)

    def _estimates(self, shares, mass, smoothing, m, output=0):
        if smoothing is None:
            return shares
        if smoothing == "laplace":
            return (shares * mass + 1) / (mass + shares.shape[-1])
        rows = as_real(m, "m", 0.0)
        prior = self.tree_.value[0, output, : shares.shape[-1]]
        return (shares * mass + rows * prior) / (mass + rows)

    def _smoothed(self, X, shares, smoothing, m):
        mass = self.tree_.weighted_n_node_samples[self.apply(X), None]
        for output, count in enumerate(np.atleast_1d(self.n_classes_)):
            own = shares[:, output, :count]
            shares[:, output, :count] = self._estimates(own, mass, smoothing, m, output)
        return shares
