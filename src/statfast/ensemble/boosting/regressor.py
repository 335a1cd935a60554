# SPDX-License-Identifier: BSD-3-Clause
"""Regression by gradient boosting of trees on histograms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

from statfast._estimator import Regressor, by_fit, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_real, as_targets, warn_column_vector
from statfast.ensemble.boosting.losses import REGRESSION, BoostingLoss
from statfast.ensemble.boosting.model import HistBoosting


class HistGradientBoostingRegressor(Regressor, HistBoosting):
    """Histogram-based gradient boosting of trees, for regression.

    Trees are added one round after the other, each a Newton step down the loss of the predictions
    so far [1]_ [2]_.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, \
            default="squared_error"
        "gamma" (positive y) and "poisson" (y of 0 or more) are deviances with the log link [3]_.
        The leaves of "absolute_error" and "quantile" are medians and quantiles of residuals.
    quantile : float, default=None
        For ``loss="quantile"``: the level, 0 to 1.
    learning_rate : float, default=0.1
        Factor of the values of all leaves; 1 for no shrinkage.
    max_iter : int, default=100
        Maximum number of rounds, each of one tree.
    max_leaf_nodes : int or None, default=31
        Leaves of a tree at most, 2 or more; None for no limit.
    max_depth : int or None, default=None
        Edges from the root to a leaf at most; None for no limit.
    min_samples_leaf : int, default=20
        The least number of rows in a leaf. Lower it for a few hundred rows or less.
    l2_regularization : float, default=0.0
        Added to the sum of hessians of a leaf, whose value it draws to 0.
    max_features : float, default=1.0
        Fraction of the columns, of those that `interaction_cst` allows, drawn for each node.
    max_bins : int, default=255
        Codes of a column at most, besides that of missing values; 2 to 255.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories: by a mask, numbers, or names; "from_dtype" takes those that a data
        frame declares as such. At most `max_bins` categories a column. None for none; sparse X has
        none.
    monotonic_cst : array-like of int of shape (d,), or dict, default=None
        For each column, or by name, 1 if predictions must not fall with it, -1 if they must not
        rise, 0 for no constraint.
    interaction_cst : {"pairwise", "no_interactions"} or sequence of groups of int, default=None
        Groups of columns that may meet on a path from the root to a leaf. Columns in no group make
        one of their own. "pairwise" is all pairs, "no_interactions" each column alone.
    warm_start : bool, default=False
        Keep the trees of the last fit, to the same samples, and add to them.
    early_stopping : "auto" or bool, default="auto"
        Whether to stop when scores no longer improve; "auto" does for more than 10 000 samples, or
        if `X_val` is passed.
    scoring : str, callable or None, default="loss"
        What decides whether rounds improve: "loss" (less of it), a name that
        `statfast.metrics.get_scorer` knows, None (R squared), or a callable of (estimator, X, y),
        larger for better.
    validation_fraction : int, float or None, default=0.1
        Rows, or their share, held out for early stopping. None scores the rows of the fit.
    n_iter_no_change : int, default=10
        Stop if none of the last so many scores is better than the one before them.
    tol : float, default=1e-7
        By how much a score must be better to count as an improvement.
    verbose : int, default=0
        1 prints a summary, 2 a line for each round.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the rows for quantiles (above 200 000), rows held out, and columns; an
        integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    do_early_stopping_ : bool
        Whether rounds could end early.
    n_iter_ : int
        Rounds.
    n_trees_per_iteration_ : int
        1.
    train_score_, validation_score_ : ndarray of shape (`n_iter_` + 1,)
        Scores before the first round and after each, of the rows of the fit (at most 10 000 of
        them, unless `scoring` is "loss") and of those held out; empty without early stopping.
    is_categorical_ : ndarray of bool, shape (d,), or None
        Columns of categories; None if there are none.
    feature_importances_ : ndarray of shape (d,)
        Fraction of each column in the fall of the loss by all splits.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    HistGradientBoostingClassifier : The same for classes.

    Notes
    -----
    A column becomes a code of 8 bits: with at most `max_bins` distinct values, cuts lie midway
    between neighbors and splits are exact; else they lie at `max_bins` - 1 quantiles, averaged
    where two values fit, of all rows or, above 200 000, of as many drawn with replacement. A tree
    grows by the leaf whose best split lowers the loss most; only the smaller child of a split has
    its histograms filled, that of the other is a difference. **Missing values** (NaN) go where the
    loss falls more; without any in the fit, later ones go where most rows went. Infinite values
    are numbers like others. Categories are ordered by gradient over hessian + that of 10
    mean rows at each node, those with fewer than ten rows go right, and ones unseen by the fit are
    missing.

    Gradients and hessians are summed as 64-bit integers, multiples of units that are powers of
    two: for n rows 2^-(62 - log2 n) and 2^-(62 - 2 log2 n) of the largest. Sums are exact in any
    order, so that neither threads nor the order of rows change a bit of a tree.

    **Steps**: a leaf adds its Newton step v times the learning rate. For the deviances that is
    log(1 + abs(v)) at most, or 2 if that is more: as curvature grows by a factor of at most e^s
    over a step s, the least loss lies no nearer. So a leaf of few events, where the
    curvature is next to nothing, does not go where no later round could correct it. Children
    need a sum of hessians of 0.001, times the mean weight and, for Poisson, the mean of y.

    Medians and quantiles are the lowest value with that share of the weight at or below it, or
    the middle of it and the next one where the share is met exactly, so that a weight of 2 is the
    row twice. Monotone constraints bound them as they bound other leaves.

    **Ties** between splits go to the lowest column, the lowest cut, and missing values to the
    right. Splits that gain no more than the rounding of sums are not made.

    **Weights** have no unit, except for `l2_regularization`, which counts rows. A row of weight 0
    is not there; `min_samples_leaf` counts rows, whatever their weight.

    Cost: O(n d) a level of a tree, O(256 d) a node. Memory: 2 n d + 32 n bytes, and 4 kB a column
    for each leaf.

    **Sparse rows** give the trees of the dense array, bit for bit. What lies in the bin of 0 is not
    stored: its sums are those of the node less all others. For s values stored the cost is O(s) a
    level and O(b) a node, with b bins in all columns, at most s + 2 d. Memory: 9 s + 32 n bytes,
    and 16 b for each leaf; while columns are coded, some 40 s. Rows of which more than about two in
    nine values are stored are coded as dense ones, in 2 n d bytes.

    References
    ----------
    .. [1] Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine.
       Annals of Statistics 29, 1189-1232. https://doi.org/10.1214/aos/1013203451
    .. [2] Chen, T. and Guestrin, C. (2016). XGBoost: a scalable tree boosting system. KDD,
       785-794. https://doi.org/10.1145/2939672.2939785
    .. [3] Friedman, J., Hastie, T. and Tibshirani, R. (2000). Additive logistic regression: a
       statistical view of boosting. Annals of Statistics 28, 337-407.
       https://doi.org/10.1214/aos/1016218223
    .. [4] Fisher, W. D. (1958). On grouping for maximum homogeneity. Journal of the American
       Statistical Association 53, 789-798. https://doi.org/10.1080/01621459.1958.10501479

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.ensemble import HistGradientBoostingRegressor
    >>> X = np.linspace(0.0, 6.0, 300)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = HistGradientBoostingRegressor().fit(X, y)
    >>> model.predict([[1.5], [4.7]]).round(2)
    array([ 1., -1.])
    """

    _boosted: Any = fitted()

    loss: Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"] = param(
        one_of(*REGRESSION), default="squared_error", kw_only=False
    )
    quantile: float | None = param(by_fit, default=None)

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        X_val: Rows | None = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Fit the boosted trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            NaN is a missing value; sparse rows stay sparse.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        X_val, y_val, sample_weight_val : array-like, optional
            Rows for early stopping, in place of rows held out; `X_val` may be sparse.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If X is sparse and `categorical_features` names columns.
        ValueError
            If a parameter is out of range, shapes differ, a column has more than `max_bins`
            categories, y is beyond the domain of the loss, or `X_val` comes without `y_val` or with
            ``early_stopping=False``.
        """
        return self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val))

    def _targets(
        self, y: Any, n: int, weights: Any
    ) -> tuple[Array, dict[Any, Any], BoostingLoss, Array | None]:
        self._checked_value("loss")
        level = 0.5
        if self.quantile is not None:
            level = as_real(self.quantile, "quantile", 0.0, 1.0)
        elif self.loss == "quantile":
            raise ValueError("quantile must be given for loss='quantile'; got None. Say which.")
        loss = REGRESSION[self.loss](quantile=level if self.loss == "quantile" else 0.5)
        y = _one_target(y, n, "y")
        loss.check(y)
        return y, {}, loss, weights

    def _later_targets(self, y: Array, n: int, published: dict[Any, Any]) -> Array:
        return _one_target(y, n, "y_val")

    def _predicted(self, raw: Array, loss: Any) -> Array:
        return loss.mean(raw[:, 0])

    def predict(self, X: Rows) -> Array:
        """Predict the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (n,)
        """
        raw = self._raw(X)
        return self._predicted(raw, self._boosted.loss)

    def staged_predict(self, X: Rows) -> Iterator[Array]:
        """`predict` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Samples to predict.

        Yields
        ------
        ndarray of shape (n,)
        """
        for raw in self._staged_raw(X):
            yield self._predicted(raw, self._boosted.loss)


def _one_target(y: Any, n: int, name: str) -> Array:
    targets, flat = as_targets(y, n, name=name)
    if targets.shape[1] != 1:
        raise ValueError(
            f"{name} should be a 1d array, got {targets.shape[1]} outputs. Fit one model for each."
        )
    if not flat:
        warn_column_vector(name)
    return targets[:, 0].copy()
