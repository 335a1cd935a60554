# SPDX-License-Identifier: BSD-3-Clause
"""Forests that classify: random forests, and extremely randomized trees."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import Classifier, by_fit, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import shown
from statfast.ensemble.forest.model import ForestModel, output_slices
from statfast.tree.cart.classifier import DecisionTreeClassifier
from statfast.tree.growing.arguments import CLASSIFICATION, class_targets, weighted_targets


class ClassForest(Classifier, ForestModel):
    """Mixin: forests whose trees predict shares of classes, which are averaged."""

    _counts: Any = fitted()

    criterion: Literal["gini", "entropy", "log_loss", "error"] = param(
        one_of(*CLASSIFICATION), default="gini"
    )
    max_features: float | Literal["sqrt", "log2"] | None = param(by_fit, default="sqrt")
    class_weight: (
        Literal["balanced", "balanced_subsample"] | dict[Any, Any] | list[dict[str, Any]] | None
    ) = param(by_fit, default=None)

    classes_: Any = fitted()
    n_classes_: Any = fitted()
    oob_decision_function_: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Rows; NaN is a missing value. float64, float32 and uint8 are not converted; sparse
            rows stay sparse.
            Categories may be of any type that can be sorted.
        y : array-like of shape (n,) or (n, outputs)
            Labels.
        sample_weight : array-like of shape (n,), optional
            With a bootstrap, chances to be drawn; else weights.

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
        rows, column_attributes = self._rows(X)
        per_sample = (
            isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        )
        if per_sample and not self.bootstrap:
            per_sample, weight = False, "balanced"
        else:
            weight = None if per_sample else self.class_weight
        targets, weights = weighted_targets(y, len(rows), sample_weight, weight)
        grown = self._fit(
            rows, weights,
            {"label": targets.label, "classes": targets.counts}, column_attributes,
            balanced=targets.label if per_sample else None, labels=targets.classes,
        )  # fmt: skip
        flat = targets.flat
        fitted = {
            **grown, "n_outputs_": len(targets.classes),
            "classes_": targets.classes[0] if flat else targets.classes,
            "n_classes_": targets.counts[0] if flat else np.array(targets.counts),
            "_counts": targets.counts, "_packed": {},
        }  # fmt: skip
        if not self.oob_score:
            return self._publish(X, **fitted)
        model = type(self)(**self.get_params(deep=False))._publish(X, **fitted)
        return self._publish(X, **fitted, **model._scored(rows, targets, weights.has_weight))

    def _scored(self, rows: Array, targets: Any, counts: Array | bool) -> dict[str, Any]:
        """Out-of-bag shares, and their score on rows with weight."""
        shares = self._left_out_means(rows)
        judged = ~np.isnan(shares[:, 0]) & counts
        parts = [shares[:, part] for part in output_slices(self._counts)]
        best = np.column_stack(
            [np.where(judged, np.nan_to_num(part).argmax(axis=1), -1) for part in parts]
        )
        if callable(self.oob_score):
            predicted = [c.take(best[judged, k]) for k, c in enumerate(targets.classes)]
            true = [c.take(targets.label[judged, k]) for k, c in enumerate(targets.classes)]
            pair = [a[0] if len(a) == 1 else np.column_stack(a) for a in (true, predicted)]
            score = self.oob_score(*pair)
        else:
            score = float((best == targets.label)[judged].mean()) if judged.any() else float("nan")
        table = shares
        if len(parts) > 1:
            table = np.zeros((len(rows), max(self._counts), len(parts)))
            for k, part in enumerate(parts):
                table[:, : part.shape[1], k] = part
        return {"oob_decision_function_": table, "oob_score_": score}

    def predict(self, X: Rows) -> Array:
        """The class with the largest mean share, the lowest of equals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m,) or (m, outputs), dtype of `classes_`

        Raises
        ------
        ValueError
            If X has another width than at fit, or holds an infinity.
        """
        means = self._means(X)
        if not isinstance(self.classes_, list):
            return self.classes_.take(means.argmax(axis=1))
        parts = output_slices(self._counts)
        labels = [
            classes.take(means[:, part].argmax(axis=1))
            for classes, part in zip(self.classes_, parts, strict=True)
        ]
        return np.column_stack(labels)

    def predict_proba(self, X: Rows) -> Any:
        """Return class probabilities: the mean class proportions over the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
        """
        means = self._means(X)
        if not isinstance(self.classes_, list):
            return means
        return [means[:, part] for part in output_slices(self._counts)]

    def predict_log_proba(self, X: Rows) -> Any:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.

        Returns
        -------
        ndarray of float64, shape (m, K), or a list of one for each output
            -inf for classes that no tree gives a share.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(shares, list):
                return [np.log(share) for share in shares]
            return np.log(shares)

    def unbiased_importances(self, X: Rows, y: ArrayLike) -> Array:
        """Out-of-bag impurity importances, which do not favor features of many values.

        What the splits on a column add to the covariance of shares and classes, for rows that the
        tree has not seen: 0 in the mean for columns that have nothing to do with y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            The rows of the fit.
        y : array-like of shape (n,)
            Their labels.

        Returns
        -------
        ndarray of shape (p,)
            In units of Gini's index; may be negative.

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
        codes = self._truth(y, len(rows))
        Y = [np.eye(count)[codes[:, k]] for k, count in enumerate(self._counts)]
        return self._unbiased(rows, np.ascontiguousarray(np.concatenate(Y, axis=1)))

    def _truth(self, y: Any, n: int) -> Array:
        """Codes of labels among the classes of the fit, (n, outputs)."""
        self._fitted_trees()
        targets = class_targets(y, n)
        classes = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        if len(classes) != len(targets.classes):
            raise ValueError(f"y must have {len(classes)} output(s), as at fit.")
        codes = np.empty(targets.label.shape, np.int64)
        for k, (fitted_classes, new_classes) in enumerate(
            zip(classes, targets.classes, strict=True)
        ):
            number = {label: code for code, label in enumerate(fitted_classes.tolist())}
            places = np.array([number.get(label, -1) for label in new_classes.tolist()])
            if places.min() < 0:
                unseen = new_classes.tolist()[places.argmin()]
                raise ValueError(
                    f"y holds {shown(unseen)}, which the fit has not seen. Leave its rows out."
                )
            codes[:, k] = places[targets.label[:, k]]
        return codes

    def _loss(self, shares: Array, codes: Array) -> float:
        wrong = [
            shares[:, part].argmax(axis=1) != codes[:, k]
            for k, part in enumerate(output_slices(self._counts))
        ]
        return float(np.mean(wrong))

    @property
    def estimator_(self) -> Any:
        """A tree with the parameters of the forest, not fitted."""
        return self._as_tree(DecisionTreeClassifier)

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as `DecisionTreeClassifier`."""
        return self._as_trees(DecisionTreeClassifier, classes_=self.classes_,
                              n_classes_=self.n_classes_, n_outputs_=self.n_outputs_)  # fmt: skip
