# SPDX-License-Identifier: BSD-3-Clause
"""Extremely randomized trees, whose thresholds are drawn at random."""

from __future__ import annotations

from statfast._estimator import flag, param
from statfast.ensemble.forest.class_forest import ClassForest
from statfast.ensemble.forest.number_forest import NumberForest


class ExtraTreesClassifier(ClassForest):
    """Extremely randomized trees for classification (extra-trees).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        Impurity of a node: the Gini index, the entropy in bits (two names), or the fraction of the
        classes other than the largest.
    class_weight : {"balanced", "balanced_subsample"}, dict, list of dict or None, default=None
        Weights of classes, times those of rows; "balanced" is n / (K n_k),
        "balanced_subsample" the same within each sample.
    bootstrap : bool, default=False
        Grow each tree on samples drawn with replacement; else on all.
    max_samples : int or float, optional
        Samples drawn for a tree; a float is a fraction of the samples with weight. None draws as
        many as there are.
    oob_score : bool or callable, default=False
        Predict the out-of-bag samples and score that; a callable takes y and the
        predictions.
    warm_start : bool, default=False
        Keep the trees of the last fit, and add to them.
    verbose : int, default=0
        Above 0, ``fit`` shows a progress bar (see `statfast.progress_bar`).
    max_depth : int, optional
        Most splits above a leaf; None does not limit them.
    min_samples_split : int or float, default=2
        Nodes of fewer samples are leaves; a float is a fraction of the samples.
    min_samples_leaf : int or float, default=1
        No split leaves fewer rows on a side; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        No split leaves a smaller fraction of the weight on a side.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns looked at for a split, drawn afresh at each node; a float is a share, None is all.
    max_leaf_nodes : int, optional
        Grow trees by the split that gains most, until they have so many leaves.
    min_impurity_decrease : float, default=0.0
        No split gains less, of the impurity by the node's fraction of the weight.
    ccp_alpha : float, default=0.0
        Penalty for a leaf: branches that are worth no more are pruned.
    monotonic_cst : array-like of shape (p,), optional
        For each column 1 (the prediction may not fall with it), -1 (may not rise) or 0.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories, of which a random set goes to the left: by a mask, numbers, or names;
        "from_dtype" takes those that a data frame declares as such. At most 1024 categories a
        column. None for none.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the samples and draws; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,), or list of them
        The labels, ascending; of each output if there are several.
    n_classes_ : int, or ndarray of int
        How many.
    estimator_ : DecisionTreeClassifier
        A tree with the parameters of the forest, not fitted.
    estimators_ : list of DecisionTreeClassifier
        The trees; made when asked for. Statistics of inner nodes follow from those of the leaves.
    feature_importances_ : ndarray of shape (p,)
        The fraction of each column in the decrease of impurity: the mean over trees.
    tree_importances_ : ndarray of shape (n_estimators, p)
        The same of each tree.
    estimators_samples_ : list of ndarray of int64
        The samples drawn for each tree.
    max_features_ : int
        Columns looked at for a split.
    n_outputs_ : int
        Number of outputs.
    oob_score_ : float
        The score of rows by trees that have not seen them, with `oob_score`; rows that all trees
        have seen do not count, and it is NaN if there are no others.
    oob_decision_function_ : ndarray of shape (n, K), or (n, K, outputs)
        Proportions of classes by trees that have not seen the sample, with `oob_score`; NaN where
        all have.
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
    Trees are those of `DecisionTreeClassifier`: exact in float64, with missing values and columns
    of categories: each category of a node, a missing value among them, goes to either side with
    equal chance, but not all to the same. Random numbers depend on `random_state`, the number of
    the tree and the place of the node, and trees are summed in their order: **the same bits for any
    number of threads**. **Of classes with
    the same mean share, the lowest label wins.**
    With a bootstrap, `sample_weight` is the chance of a row to be drawn, and drawn rows count as
    often as they are drawn; without one it is the weight in all trees. A bootstrap holds about
    63.2 % of the rows. Rows that no tree has left out have NaN as their out-of-bag prediction.

    Cost: O(p n log n) once, and for each tree some nanoseconds for each row, level and column
    looked at. Memory: 5 to 9 bytes a value of X (24 a stored value of sparse X), 16 bytes a node
    (a split of categories as many again for each 64 of them), and 60 bytes a row and thread.

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel (2006). Extremely randomized trees. Machine Learning 63,
    3-42. doi:10.1007/s10994-006-6226-1

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.ensemble import ExtraTreesClassifier
    >>> data = load_iris()
    >>> model = ExtraTreesClassifier(50, random_state=0).fit(data.data[::2], data.target[::2])
    >>> round(model.score(data.data[1::2], data.target[1::2]), 2)
    0.95
    """

    bootstrap: bool = param(flag, default=False)

    _randomized = True


class ExtraTreesRegressor(NumberForest):
    """Extremely randomized trees for regression (extra-trees).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : str, default="squared_error"
        What splits minimize: "squared_error" and "friedman_mse" (which orders splits the same way)
        the squares about the mean, "absolute_error" the distances from the median, "poisson" half
        the Poisson deviance, for nonnegative y.
    store_leaves : bool, default=False
        Keep the leaf of each row in each tree (4 bytes each) and the targets, which
        `predict_quantiles` needs.
    bootstrap : bool, default=False
        Grow each tree on samples drawn with replacement; else on all.
    max_samples : int or float, optional
        Samples drawn for a tree; a float is a fraction of the samples with weight. None draws as
        many as there are.
    oob_score : bool or callable, default=False
        Predict the out-of-bag samples and score that; a callable takes y and the
        predictions.
    warm_start : bool, default=False
        Keep the trees of the last fit, and add to them.
    verbose : int, default=0
        Above 0, ``fit`` shows a progress bar (see `statfast.progress_bar`).
    max_depth : int, optional
        Most splits above a leaf; None does not limit them.
    min_samples_split : int or float, default=2
        Nodes of fewer samples are leaves; a float is a fraction of the samples.
    min_samples_leaf : int or float, default=1
        No split leaves fewer rows on a side; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        No split leaves a smaller fraction of the weight on a side.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        Columns looked at for a split, drawn afresh at each node; a float is a share, None is all.
    max_leaf_nodes : int, optional
        Grow trees by the split that gains most, until they have so many leaves.
    min_impurity_decrease : float, default=0.0
        No split gains less, of the impurity by the node's fraction of the weight.
    ccp_alpha : float, default=0.0
        Penalty for a leaf: branches that are worth no more are pruned.
    monotonic_cst : array-like of shape (p,), optional
        For each column 1 (the prediction may not fall with it), -1 (may not rise) or 0.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories, of which a random set goes to the left: by a mask, numbers, or names;
        "from_dtype" takes those that a data frame declares as such. At most 1024 categories a
        column. None for none.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the samples and draws; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    estimator_ : DecisionTreeRegressor
        A tree with the parameters of the forest, not fitted.
    estimators_ : list of DecisionTreeRegressor
        The trees; made when asked for. Statistics of inner nodes follow from those of the leaves.
    feature_importances_ : ndarray of shape (p,)
        The fraction of each column in the decrease of impurity: the mean over trees.
    tree_importances_ : ndarray of shape (n_estimators, p)
        The same of each tree.
    estimators_samples_ : list of ndarray of int64
        The samples drawn for each tree.
    max_features_ : int
        Columns looked at for a split.
    n_outputs_ : int
        Number of outputs.
    oob_score_ : float
        The score of rows by trees that have not seen them, with `oob_score`; rows that all trees
        have seen do not count, and it is NaN if there are no others.
    oob_prediction_ : ndarray of shape (n,) or (n, outputs)
        Predictions by trees that have not seen the sample, with `oob_score`; NaN where all have.
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
    Trees are those of `DecisionTreeRegressor`: exact in float64, with missing values and columns
    of categories: each category of a node, a missing value among them, goes to either side with
    equal chance, but not all to the same. Random numbers depend on `random_state`, the number of
    the tree and the place of the node, and trees are summed in their order: **the same bits for any
    number of threads**.
    With a bootstrap, `sample_weight` is the chance of a row to be drawn, and drawn rows count as
    often as they are drawn; without one it is the weight in all trees. A bootstrap holds about
    63.2 % of the rows. Rows that no tree has left out have NaN as their out-of-bag prediction.

    Cost: O(p n log n) once, and for each tree some nanoseconds for each row, level and column
    looked at. Memory: 5 to 9 bytes a value of X (24 a stored value of sparse X), 16 bytes a node
    (a split of categories as many again for each 64 of them), and 60 bytes a row and thread.

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel (2006). Extremely randomized trees. Machine Learning 63,
    3-42. doi:10.1007/s10994-006-6226-1

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.ensemble import ExtraTreesRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = ExtraTreesRegressor(50, random_state=0).fit(X, np.sin(X[:, 0] / 10))
    >>> print(f"{model.predict([[15.0]])[0]:.2f}, and the sine is {np.sin(1.5):.2f}")
    1.00, and the sine is 1.00
    """

    bootstrap: bool = param(flag, default=False)

    _randomized = True
