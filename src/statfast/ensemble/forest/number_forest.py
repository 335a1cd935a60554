# SPDX-License-Identifier: BSD-3-Clause
"""Forests that predict numbers: random forests, and extremely randomized trees."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._core.cart.walk import leaf_weights
from statfast._engine import checkpoint, each, grid
from statfast._estimator import (
    RankRule,
    Regressor,
    by_fit,
    fitted,
    flag,
    one_of,
    param,
    rows_needed,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_real, warn_user
from statfast.ensemble.forest.model import ForestModel
from statfast.tree.cart.regressor import DecisionTreeRegressor
from statfast.tree.growing.arguments import (
    REGRESSION,
    number_targets,
    require_range,
    row_weights,
    rows_to_answer,
)


class NumberForest(Regressor, ForestModel):
    """Mixin: forests whose trees predict numbers, which are averaged."""

    # What subclasses declare, or a fit sets.
    _members: Any = fitted()

    _packed: Any = fitted()
    _trees: Any = fitted()
    _flat: Any = fitted()

    criterion: str = param(one_of(*REGRESSION), default="squared_error")
    max_features: float | Literal["sqrt", "log2"] | None = param(by_fit, default=1.0)
    store_leaves: bool = param(flag, default=False)

    oob_prediction_: Any = fitted()
    _left_out_errors: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows; NaN is a missing value. float64, float32 and uint8 are not converted; sparse
            rows stay sparse.
            Categories may be of any type that can be sorted.
        y : array-like of shape (n,) or (n, outputs)
            Finite numbers.
        sample_weight : array-like of shape (n,), optional
            With a bootstrap, chances to be drawn; else weights.

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
        rows, column_attributes = self._rows(X)
        targets, flat = number_targets(y, len(rows), self.criterion)
        weights = row_weights(sample_weight, len(rows))
        require_range(targets, self.criterion, weights)
        keep = self._checked_value("store_leaves")
        grown = self._fit(rows, weights, {"y": targets}, column_attributes)
        fitted = {**grown, "n_outputs_": targets.shape[1], "_flat": flat, "_packed": {}}
        model = type(self)(**self.get_params(deep=False))._publish(X, **fitted)
        if keep:
            leaves = model._predictor.leaves(rows, n_jobs=self.n_jobs)
            fitted["_members"] = leaves.astype(np.int32), targets.copy()
        if self.oob_score:
            fitted |= model._scored(rows, targets, weights.has_weight)
            fitted["_left_out_errors"] = _errors_of_rows(
                targets, fitted["oob_prediction_"], weights
            )
        return self._publish(X, **fitted)

    def _scored(self, rows: Array, targets: Array, counts: Array | bool) -> dict[str, Any]:
        """Out-of-bag predictions, and their score on rows with weight."""
        predicted = self._left_out_means(rows)
        judged = ~np.isnan(predicted[:, 0]) & counts
        pair = [a[judged, 0] if self._flat else a[judged] for a in (targets, predicted)]
        if callable(self.oob_score):
            score = self.oob_score(*pair)
        elif judged.any():
            spread = ((targets[judged] - targets[judged].mean(axis=0)) ** 2).sum(axis=0)
            residual = ((targets - predicted)[judged] ** 2).sum(axis=0)
            share = np.where(spread > 0, residual / np.where(spread > 0, spread, 1), residual > 0)
            score = float(np.mean(1 - share))
        else:
            score = float("nan")
        return {
            "oob_prediction_": predicted[:, 0] if self._flat else predicted,
            "oob_score_": score,
        }

    def predict(
        self,
        X: Rows,
        *,
        interval: Literal["conformal"] | None = None,
        level: float = 0.9,
    ) -> Any:
        """The mean over trees of what they predict.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.
        interval : {None, "conformal"}, default=None
            Also return intervals of new targets, as wide as the out-of-bag errors: those of
            `oob_prediction_`, of a fit with ``oob_score=True`` to one output. They hold as often as
            `level` says where there are many rows; `ConformalRegressor` has those of few.
        level : float, default=0.9
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        means : ndarray of float64, shape (m,) or (m, outputs)
        ends : ndarray of float64, shape (m, 2)
            Only with an interval; infinite, with a warning, where there are too few rows.

        Raises
        ------
        ValueError
            If X has another width than at fit, or holds an infinity, or an interval is asked for
            without out-of-bag predictions.

        References
        ----------
        H. Zhang, J. Zimmerman, D. Nettleton & D. J. Nordman (2020), "Random forest prediction
        intervals". doi:10.1080/00031305.2019.1585288
        """
        as_choice(interval, "interval", (None, "conformal"))
        means = self._means(X)
        ends = self._packed.get("ends")
        if ends is None:  # rounding may put the mean of far values beyond them
            values = [tree.values for tree in self._trees]
            low, high = (
                np.array([end(tree_values, axis=0) for tree_values in values])
                for end in (np.min, np.max)
            )
            ends = self._packed["ends"] = low.min(axis=0), high.max(axis=0)
        means = np.clip(means, *ends)
        means = means[:, 0] if self._flat else means
        return means if interval is None else (means, self._ends_by_errors(means, level))

    def _ends_by_errors(self, means: Array, level: float) -> Array:
        """Intervals (m, 2) about the means, as wide as a rank of the out-of-bag errors."""
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        if not self._flat or self.__dict__.get("_left_out_errors") is None:
            raise ValueError(
                "interval='conformal' needs out-of-bag predictions of one output. Fit with "
                "oob_score=True."
            )
        errors, weights = self._left_out_errors
        bound = RankRule(level, weights).bound(errors, len(means))
        if np.isinf(bound).any():
            warn_user(
                f"level={level:g} needs at least {rows_needed(level)} out-of-bag rows; there are "
                f"{len(errors)}: intervals are infinite. Lower level."
            )
        return np.column_stack([means - bound, means + bound])

    def _answers_of_members(self, rows: Any) -> Array | None:
        if not self._flat:
            return None
        leaves = self._predictor.leaves(rows_to_answer(self, rows), n_jobs=self.n_jobs)
        out = np.empty(leaves.shape)
        for t, tree in enumerate(self._trees):
            out[:, t] = tree.values[leaves[:, t], 0]
        return out

    def predict_quantiles(self, X: Rows, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> Array:
        """Predict conditional quantiles (quantile regression forest).

        A fitted row weighs the mean over trees of 1 / (rows in its leaf) where it is in the leaf of
        the row; the quantile is the least target up to which the weights reach it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.
        quantiles : array-like of shape (q,), default=(0.05, 0.5, 0.95)
            Between 0 and 1, ascending.

        Returns
        -------
        ndarray of shape (m, q)

        Raises
        ------
        ValueError
            If the fit had not `store_leaves=True` and one output, or quantiles are not ascending
            numbers between 0 and 1.

        References
        ----------
        N. Meinshausen (2006). Quantile regression forests. Journal of Machine Learning Research 7,
        983-999.
        """
        rows = rows_to_answer(self, X)
        if "_members" not in vars(self) or self.n_outputs_ > 1:
            raise ValueError(
                "predict_quantiles needs a fit with store_leaves=True on one output. Fit again."
            )
        q = np.array([as_real(x, "quantiles", 0.0, 1.0) for x in np.atleast_1d(quantiles).tolist()])
        if (np.diff(q) < 0).any():
            raise ValueError(f"quantiles must ascend; got {q.tolist()}. Sort them.")
        member, begin, offset, ascending = self._leaf_members()
        out = np.empty((len(rows), len(q)))

        def work(part: Any) -> None:
            leaves = (self._predictor.leaves(rows[part], n_jobs=1) + offset).astype(np.int32)
            weight = np.zeros(len(ascending))
            for i, leaf in enumerate(leaves):
                leaf_weights.quantiles(
                    leaf, begin, member, ascending, q, weight, out[part.start + i]
                )
                checkpoint()

        each(work, grid(len(rows), 64, 1024), n_jobs=self.n_jobs)
        return out

    def _leaf_members(self) -> Any:
        """The ranks of the targets in each leaf of all trees, computed when first needed."""
        members = self._packed.get("members")
        if members is None:
            leaves, targets = self._members
            order = np.argsort(targets[:, 0], kind="stable")
            counts = [len(tree.values) for tree in self._trees]
            offset = np.concatenate([[0], np.cumsum(counts)[:-1]])
            members_of_tree = [np.argsort(column, kind="stable") for column in leaves[order].T]
            sizes = [np.bincount(c, minlength=k) for c, k in zip(leaves.T, counts, strict=True)]
            begin = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
            member = np.concatenate(members_of_tree).astype(np.int32)
            members = self._packed["members"] = member, begin, offset, targets[order, 0].copy()
        return members

    def unbiased_importances(self, X: Rows, y: ArrayLike) -> Array:
        """Out-of-bag impurity importances, which do not favor features of many values.

        What the splits on a column add to the covariance of predictions and targets, for rows that
        the tree has not seen: 0 in the mean for columns that have nothing to do with y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            The rows of the fit.
        y : array-like of shape (n,) or (n, outputs)
            Their targets.

        Returns
        -------
        ndarray of shape (p,)
            In units of y squared; may be negative.

        Raises
        ------
        ValueError
            If `bootstrap` is False, or X has another shape than at fit.

        References
        ----------
        X. Li, Y. Wang, S. Basu, K. Kumbier and B. Yu (2019). A debiased MDI feature importance
        measure for random forests. Advances in Neural Information Processing Systems 32.
        """
        rows = self._rows_of_fit(X)
        targets = self._truth(y, len(rows))
        return self._unbiased(rows, targets - targets.mean(axis=0))

    def _truth(self, y: Any, n: int) -> Array:
        self._fitted_trees()
        targets, _ = number_targets(y, n, self.criterion)
        if targets.shape[1] != self.n_outputs_:
            raise ValueError(
                f"y must have {self.n_outputs_} output(s), as at fit; got {targets.shape[1]}. Pass "
                "the targets of the fit."
            )
        return targets

    def _loss(self, predicted: Array, truth: Array) -> float:
        with np.errstate(over="ignore"):
            loss = float(((predicted - truth) ** 2).mean())
        if not loss < np.inf:
            raise ValueError("y holds values so large that squared errors overflow. Rescale y.")
        return loss

    @property
    def estimator_(self) -> Any:
        """A tree with the parameters of the forest, not fitted."""
        return self._as_tree(DecisionTreeRegressor)

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as `DecisionTreeRegressor`."""
        return self._as_trees(DecisionTreeRegressor, n_outputs_=self.n_outputs_, _flat=self._flat)


def _errors_of_rows(targets: Array, predicted: Array, weights: Any) -> Any:
    """Out-of-bag errors of one output, and the weights of their rows; None for several outputs."""
    if targets.shape[1] != 1:
        return None
    errors = np.abs(targets[:, 0] - predicted.reshape(-1))
    judged = ~np.isnan(errors) & weights.has_weight
    return errors[judged], None if weights.weight is None else weights.as_passed[judged]
