# SPDX-License-Identifier: BSD-3-Clause
"""Classification trees."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import Classifier, by_fit, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_real
from statfast.tree.cart.model import CartModel
from statfast.tree.cart.priors import TreePriors, class_priors
from statfast.tree.growing.arguments import (
    CLASSIFICATION,
    altered_weights,
    category_counts,
    growth_rules,
    published_columns,
    require_dense,
    rows_with_categories,
    weighted_targets,
)
from statfast.tree.growing.grow_tree import TreeRules


class DecisionTreeClassifier(Classifier, CartModel):
    """Decision tree for classification (CART), with exact splits.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        Impurity of a node: Gini's index, entropy in bits (two names), or the fraction of the
        classes other than the largest.
    class_weight : dict, "balanced", list of dict, or None, default=None
        Weights of classes, times those of rows; "balanced" is n / (K n_k). A list has one entry for
        each output.
    priors : array-like of shape (K,), "uniform", or None, default=None
        Probabilities of the classes, positive, in the order of `classes_`. None takes their
        proportions of the weight. With priors or cost, y is one output and `class_weight` None.
    cost : array-like of shape (K, K), optional
        Cost of each decision (column) for each true class (row), 0 on the diagonal. Splits are
        chosen with the priors altered by it [1]_ (section 4.4: a class counts by its prior times
        the sum of its row), and a leaf says the class of the least expected cost. None is 1 for
        every error.
    splitter : {"best", "random"}, default="best"
        The best split of each column, or one drawn: between its extremes in the node, or two sets
        of its categories there.
    missing : {"learned", "surrogate"}, default="learned"
        What becomes of missing values. "learned": both sides are tried for them at each split.
        "surrogate": splits are chosen by the rows whose value is known, and the others follow the
        columns that send rows most nearly as the split does, as in R's rpart; those whose
        surrogates are missing, too, go to the side with more weight. Slower, by about a sort of
        each column at each node. Not with ``splitter="random"``, which draws the side of missing
        values.
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
        For each column 1 (the prediction may not fall with it), -1 (may not rise) or 0.
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

    With two classes or one target, the best two sets of categories are found, exactly, in the order
    of their means (`min_samples_leaf` rules out prefixes of the order). With more classes or
    outputs, all pairs of sets are tried for up to 10 categories in a node, and beyond them the
    prefixes of the order along the first principal component of the shares of the classes [3]_. A
    missing category is one more category. Where missing values go at a node, there go categories
    that it has not seen, and those that the fit has not.

    Random numbers depend on `random_state` and the place of a node in the tree, so the tree is the
    same for any number of threads.

    Cost: O(p n log n) to rank the columns, then some nanoseconds for each row and column at each
    level of the tree. Memory: 5 to 9 bytes a value of X (24 a stored value of sparse X), and
    some 100 bytes a row.

    References
    ----------
    .. [1] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984). Classification and
       Regression Trees. Wadsworth. doi:10.1201/9781315139470
    .. [2] F. Provost and P. Domingos (2003). Tree induction for probability-based ranking. Machine
       Learning 52, 199-215. doi:10.1023/A:1024099825458
    .. [3] D. Coppersmith, S. J. Hong and J. R. M. Hosking (1999). Partitioning nominal attributes
       in decision trees. Data Mining and Knowledge Discovery 3, 197-217.
       doi:10.1023/A:1009869804967

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

    criterion: Literal["gini", "entropy", "log_loss", "error"] = param(
        one_of(*CLASSIFICATION), default="gini"
    )
    class_weight: dict[Any, Any] | Literal["balanced"] | list[dict[str, Any]] | None = param(
        by_fit, default=None
    )
    priors: ArrayLike | None = param(by_fit, default=None)
    cost: ArrayLike | None = param(by_fit, default=None)

    classes_: Any = fitted()
    n_classes_: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows; NaN is a missing value. float64, float32 and uint8 are not converted; sparse
            rows stay sparse.
            Categories may be of any type that can be sorted.
        y : array-like of shape (n,) or (n, outputs)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out.

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
        categories = category_counts(fitted)
        tree = self._grow(rows, weights, rules, categories=categories, **targets)
        return self._publish(X, tree_=tree, n_features_in_=rows.shape[1], **fitted)

    def _parts(
        self, X: Any, y: Any, sample_weight: Weights
    ) -> tuple[Array, Any, TreeRules, dict[str, Any], dict[str, Any]]:
        """Check the arguments of a fit; returns rows, weights, rules, targets, and fitted
        attributes."""
        rows, columns, missing = rows_with_categories(X, self.categorical_features)
        if self.missing == "surrogate":
            require_dense(X, "missing='surrogate'")
        n, p = rows.shape
        targets, weights = weighted_targets(y, n, sample_weight, self.class_weight)
        priors = self._priors(targets, weights.weight)
        if priors is not None:
            weights = altered_weights(weights, priors.grown[targets.label[:, 0]])
        rules = growth_rules(
            self, n, p, weights.total, classes=max(targets.counts),
            outputs=len(targets.classes),
        )  # fmt: skip
        rules = self._splitter(rules, p, columns)
        fitted = {
            "max_features_": rules.max_features,
            "n_outputs_": len(targets.classes),
            "classes_": targets.classes[0] if targets.flat else targets.classes,
            "n_classes_": targets.counts[0] if targets.flat else np.array(targets.counts),
            "_class_priors": priors,
            **published_columns(columns, missing),
        }
        return rows, weights, rules, {"label": targets.label, "classes": targets.counts}, fitted

    def predict(self, X: Rows) -> Array:
        """Predict the majority class of the leaf of each sample, the lowest of equals.

        With `cost`, the class of the least expected cost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m,) or (m, outputs), dtype of `classes_`
        """
        best = self._decided(self._values(X))
        if self._is_flat():
            return self.classes_.take(best[:, 0])
        labels = [classes.take(best[:, k]) for k, classes in enumerate(self.classes_)]
        return np.column_stack(labels)

    def predict_proba(
        self, X: Rows, *, smoothing: Literal["laplace", "m"] | None = None, m: float = 2.0
    ) -> Any:
        """Return class probabilities: the class proportions of the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.
        smoothing : {"laplace", "m"}, optional
            Estimate shares from counts n_k of n: None is n_k / n, "laplace" is (n_k + 1) / (n + K),
            "m" is (n_k + m f_k) / (n + m) with the share f_k of the class among all samples.
            Weights count as samples do.
        m : float, default=2.0
            Samples that the prior counts for, with "m".

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
        """
        as_choice(smoothing, "smoothing", (None, "laplace", "m"))
        shares = self._values(X)
        if smoothing is not None:
            shares = self._smoothed(X, shares, smoothing, m)
        elif self._class_priors is not None:
            shares[:, 0] = self._class_priors.shares(shares[:, 0])
        if self._is_flat():
            return shares[:, 0]
        return [shares[:, k, : len(classes)] for k, classes in enumerate(self.classes_)]

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
            -inf for classes that the leaf has not.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self._is_flat() else [np.log(share) for share in shares]

    def leaf_counts(self) -> tuple[Array, Array]:
        """Return the class counts of each leaf, as a scoring tree needs them.

        Returns
        -------
        leaves : ndarray of int64, shape (L,)
            Nodes that are leaves.
        counts : ndarray of shape (L, K), or (L, outputs, K)
        """
        tree = self._fitted_tree()
        leaves = np.flatnonzero(tree.children_left < 0)
        return leaves, self.node_counts()[leaves]

    def node_classes(self) -> Array:
        """Return the predicted class of each node.

        Returns
        -------
        ndarray of shape (node_count,) or (node_count, outputs), dtype of `classes_`
            The most frequent class, the lowest of equals; with `cost`, that of the least cost.
        """
        best = self._decided(self._fitted_tree().value)
        if self._is_flat():
            return self.classes_.take(best[:, 0])
        labels = [classes.take(best[:, k]) for k, classes in enumerate(self.classes_)]
        return np.column_stack(labels)

    def node_counts(self) -> Array:
        """Return the class counts of each node, reweighted by `priors` if given.

        Returns
        -------
        ndarray of shape (node_count, K), or (node_count, outputs, K)
        """
        tree = self._fitted_tree()
        node_weights = tree.weighted_n_node_samples
        if self._class_priors is not None:
            return self._class_priors.masses(tree.value[:, 0], node_weights)
        counts = tree.value * node_weights[:, None, None]
        return counts[:, 0] if self._is_flat() else counts

    def rank_leaves(
        self,
        label: Any = None,
        *,
        smoothing: Literal["laplace", "m"] | None = "laplace",
        m: float = 2.0,
    ) -> tuple[Array, Array]:
        """Ranking tree: the leaves by the proportion of a class, descending.

        Parameters
        ----------
        label : object, optional
            The class; None is the last of `classes_`.
        smoothing : {"laplace", "m"} or None, default="laplace"
            Estimate shares from counts n_k of n: None is n_k / n, "laplace" is (n_k + 1) / (n + K),
            "m" is (n_k + m f_k) / (n + m) with the share f_k of the class among all samples.
            Weights count as samples do.
        m : float, default=2.0
            Samples that the prior counts for, with "m".

        Returns
        -------
        leaves : ndarray of int64, shape (L,)
            Of equals, the first node comes first.
        scores : ndarray of shape (L,)

        Raises
        ------
        ValueError
            If there are several outputs, or `label` is not a class.
        """
        leaves, counts = self.leaf_counts()
        if not self._is_flat():
            raise ValueError(
                "rank_leaves ranks by one output; y had several. Fit one tree for each."
            )
        labels = self.classes_.tolist()
        if label is not None and label not in labels:
            raise ValueError(f"label must be one of {labels}; got {label!r}.")
        k = len(labels) - 1 if label is None else labels.index(label)
        as_choice(smoothing, "smoothing", (None, "laplace", "m"))
        leaf_weights = counts.sum(axis=1, keepdims=True)
        scores = self._estimates(counts / leaf_weights, leaf_weights, smoothing, m)[:, k]
        order = np.argsort(-scores, kind="stable")
        return leaves[order], scores[order]

    def _is_flat(self) -> bool:
        return not isinstance(self.classes_, list)

    def _priors(self, targets: Any, weight: Array | None) -> TreePriors | None:
        """Priors and costs, checked; None without them."""
        if self.priors is None and self.cost is None:
            return None
        if len(targets.classes) > 1:
            raise ValueError("priors and cost speak of one output; y has several. Pass None.")
        if self.class_weight is not None:
            raise ValueError("class_weight must be None with priors or cost, which weigh classes.")
        label = targets.label[:, 0]
        return class_priors(self.priors, self.cost, targets.classes[0], label, weight)

    def _decided(self, shares: Array) -> Array:
        """The codes of the predicted classes (m, outputs), from shares (m, outputs, K) of
        leaves."""
        if self._class_priors is None:
            return shares.argmax(axis=2)
        return self._class_priors.decisions(shares[:, 0])[:, None]

    def _estimates(
        self, shares: Array, total_weight: Array, smoothing: Any, m: float, output: int = 0
    ) -> Array:
        if smoothing is None:
            return shares
        if smoothing == "laplace":
            return (shares * total_weight + 1) / (total_weight + shares.shape[-1])
        rows = as_real(m, "m", 0.0)
        prior = self.tree_.value[0, output, : shares.shape[-1]]
        if self._class_priors is not None:
            prior = self._class_priors.shares(prior[None])[0]
        return (shares * total_weight + rows * prior) / (total_weight + rows)

    def _smoothed(self, X: Any, shares: Array, smoothing: Any, m: Any) -> Any:
        leaf_weights = self.tree_.weighted_n_node_samples[self.apply(X), None]
        if self._class_priors is not None:
            class_weights = self._class_priors.masses(shares[:, 0], leaf_weights[:, 0])
            leaf_weights = class_weights.sum(axis=1, keepdims=True)
            shares[:, 0] = class_weights / leaf_weights
        for output, k in enumerate(np.atleast_1d(self.n_classes_)):
            output_shares = shares[:, output, :k]
            shares[:, output, :k] = self._estimates(
                output_shares, leaf_weights, smoothing, m, output
            )
        return shares
