# SPDX-License-Identifier: BSD-3-Clause
"""Decisions that look at no feature: of class priors, or of the distribution of the target alone.

They stand beside the Bayes rule, as they are what it decides where nothing is observed: the class
of the largest prior errs least, the mean has the least squared, the median the least absolute
error, and a quantile the least loss where errors of one side cost more than those of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    Regressor,
    accuracy,
    by_fit,
    count_rows,
    fitted,
    handed,
    handed_for,
    nothing,
    one_of,
    param,
    r_squared,
    randomness,
    real,
    weighted_labels,
    width_of,
)
from statfast._typing import Array, ArrayLike, Seed, Weights
from statfast._validation import (
    as_flag,
    as_generator,
    as_targets,
    as_vector,
    as_weights,
    label_columns,
    not_fitted,
    require_random_state,
    shown,
    to_array,
    warn_column_vector,
)

DRAWN = ("stratified", "uniform")  # strategies whose labels are drawn


class Baseline(Estimator):
    """Base of both: X says how many rows there are, and nothing else."""

    def _count(self, X: Any, y: Any = None) -> Any:
        """How many rows are to be predicted; of the targets where X is None."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return len(y) if X is None and y is not None else count_rows(handed_for(self, as_column(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.target_tags.multi_output = True
        return tags


class DummyClassifier(Classifier, Baseline):
    """Baseline classifier, which looks at the labels alone: what a model has to beat.

    Parameters
    ----------
    strategy : {"most_frequent", "prior", "stratified", "uniform", "constant"}, default="prior"
        "prior" and "most_frequent" predict the class with most rows; probabilities are the shares
        of the classes, or 1 for that class. "stratified" draws labels by these shares, "uniform"
        draws all classes alike, and "constant" predicts `constant`.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of labels that are drawn; an integer makes the result reproducible. With
        an integer each call draws the same.
    constant : label or array-like of shape (T,), optional
        A class of y for "constant", or one for each output.

    Attributes
    ----------
    classes_ : ndarray of shape (K,), or list of T such
        The labels, ascending; of each output if there are several.
    n_classes_ : int, or list of T such
        How many.
    class_prior_ : ndarray of shape (K,), or list of T such
        The share of each class, by weight.
    n_outputs_ : int
        Outputs, T.
    sparse_output_ : bool
        False: predictions are arrays.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.metrics.no_information_rate : The error of a classifier whose labels are permuted.
    DummyRegressor : The same for numbers.

    Notes
    -----
    **Ties** of "prior" and "most_frequent" go to the lowest label. X may hold anything that has
    rows. Without features, "most_frequent" is the Bayes rule: its error is the share of all other
    classes, and that of "stratified" is the Gini impurity, which is never less.

    Cost: O(n). Memory: that of the answer.

    References
    ----------
    .. [1] Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition,
       section 2.1. Wiley.

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.decision import DummyClassifier
    >>> wine = load_wine()
    >>> model = DummyClassifier().fit(wine.data, wine.target)
    >>> model.class_prior_.round(2), int(model.predict(wine.data)[0])
    (array([0.33, 0.4 , 0.27]), 1)
    >>> round(model.score(wine.data, wine.target), 2)
    0.4
    """

    strategy: Literal["most_frequent", "prior", "stratified", "uniform", "constant"] = param(
        one_of("most_frequent", "prior", "stratified", "uniform", "constant"), default="prior"
    )
    random_state: Seed = param(randomness, default=None)
    constant: Any = param(by_fit, default=None)

    classes_: Any = fitted()
    n_classes_: Any = fitted()
    class_prior_: Any = fitted()
    n_outputs_: int = fitted()
    sparse_output_: bool = fitted()
    _outputs: list[tuple[Array, Array, int]] = fitted()

    def fit(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Count the labels.

        Parameters
        ----------
        X : anything that has rows
            Training samples, which are not looked at.
        y : array-like of shape (n,) or (n, T)
            Labels, of one output or of several.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : DummyClassifier

        Raises
        ------
        ValueError
            If `constant` is missing for its strategy or is not a class of y, or shapes differ.
        """
        params = self._checked()
        require_random_state(self.random_state)
        rows = handed(as_column(X))
        columns = label_columns(y)
        targets = [
            weighted_labels(column, count_rows(rows), sample_weight)
            for column in ([y] if columns is None else columns)
        ]
        constants = self._constants([classes for classes, _, _ in targets], params.strategy)
        outputs = []
        for (classes, codes, weights), constant in zip(targets, constants, strict=True):
            sizes = np.bincount(codes, weights, len(classes))
            outputs.append((classes, sizes / sizes.sum(), constant))

        def of_each(values: Any) -> Any:
            return values[0] if columns is None else values

        return self._publish(
            X,
            classes_=of_each([classes for classes, _, _ in outputs]),
            n_classes_=of_each([len(classes) for classes, _, _ in outputs]),
            class_prior_=of_each([shares for _, shares, _ in outputs]),
            n_outputs_=len(outputs), sparse_output_=False, _outputs=outputs,
            n_features_in_=width_of(rows, None),
        )  # fmt: skip

    def _constants(self, classes: Any, strategy: Any) -> Any:
        """The place of the constant among the classes of each output."""
        if self.constant is None:
            if strategy == "constant":
                raise ValueError(
                    "constant has to be specified when the constant strategy is used; got None. "
                    "Pass a class of y."
                )
            return [0] * len(classes)
        constants = values_of(self.constant).tolist()
        if len(constants) != len(classes):
            raise ValueError(
                f"constant must be one class for each of {len(classes)} outputs of y; got "
                f"{shown(self.constant)}."
            )
        for constant, labels in zip(constants, classes, strict=True):
            if constant not in labels.tolist():
                raise ValueError(
                    f"constant must be present in the training data: a class of y, "
                    f"{shown(labels.tolist())}; got {shown(constant)}."
                )
        return [c.tolist().index(constant) for constant, c in zip(constants, classes, strict=True)]

    def _codes(self, n: Any) -> Iterator[Any]:
        """The places of the predicted classes of each output: (n,) of each."""
        strategy, rng = self._checked_value("strategy"), as_generator(self.random_state)
        for classes, shares, constant in self._outputs:
            if strategy == "stratified":
                yield rng.choice(len(classes), n, p=shares)
            elif strategy == "uniform":
                yield rng.integers(len(classes), size=n)
            else:
                place = constant if strategy == "constant" else int(shares.argmax())
                yield np.full(n, place)

    def _labels(self, n: Any) -> Any:
        labels = [out[0][codes] for out, codes in zip(self._outputs, self._codes(n), strict=True)]
        return labels[0] if self.n_outputs_ == 1 else np.column_stack(labels)

    def predict(self, X: Any) -> Array:
        """Predict labels by the strategy.

        Parameters
        ----------
        X : anything that has rows
            Samples, of which only the number counts.

        Returns
        -------
        labels : ndarray of shape (m,) or (m, T)
        """
        return self._labels(self._count(X))

    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities by the strategy.

        Parameters
        ----------
        X : anything that has rows
            Samples, of which only the number counts.

        Returns
        -------
        probabilities : ndarray of shape (m, K), or list of T such
            The shares of the classes for "prior", equal ones for "uniform"; else 1 for the label
            that is predicted, of "stratified" that which is drawn.
        """
        n, strategy = self._count(X), self._checked_value("strategy")
        tables = []
        for (classes, shares, _), codes in zip(self._outputs, self._codes(n), strict=True):
            if strategy == "prior":
                tables.append(np.tile(shares, (n, 1)))
            elif strategy == "uniform":
                tables.append(np.full((n, len(classes)), 1.0 / len(classes)))
            else:
                tables.append(np.eye(len(classes))[codes])
        return tables[0] if self.n_outputs_ == 1 else tables

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the class probabilities; -inf where they are 0.

        Parameters
        ----------
        X : anything that has rows
            Samples, of which only the number counts.

        Returns
        -------
        ndarray of shape (m, K), or list of T such
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(s) for s in shares] if isinstance(shares, list) else np.log(shares)

    def score(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the (weighted) accuracy.

        Parameters
        ----------
        X : anything that has rows, or None
            Test samples; None is as many as there are labels.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        if X is not None:
            return super().score(X, y, sample_weight)
        return accuracy(self._labels(self._count(None, y)), y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class DummyRegressor(Regressor, Baseline):
    """Baseline regressor, which looks at the targets alone: what a model has to beat.

    Parameters
    ----------
    strategy : {"mean", "median", "quantile", "constant"}, default="mean"
        What is predicted for all rows.
    constant : float or array-like of shape (T,), optional
        For "constant": a number, or one for each output.
    quantile : float, optional
        For "quantile": between 0, the least, and 1, the largest.

    Attributes
    ----------
    constant_ : ndarray of shape (1, T)
        What is predicted, of each output.
    n_outputs_ : int
        Outputs, T.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    DummyClassifier : The same for labels.

    Notes
    -----
    The mean has the least squared error of all constants (its R squared is 0), the median the least
    absolute error, and a quantile q the least mean of q r for residuals r > 0 and (q - 1) r for
    others. X may hold anything that has rows.

    Medians and quantiles are those of R's type 7, interpolated between two rows; with weights,
    those of rows that are repeated so often. Cost: O(n), and O(n log n) for quantiles with weights.

    References
    ----------
    .. [1] Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46, 33-50.
       doi:10.2307/1913643
    .. [2] Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The American
       Statistician 50, 361-365. doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> from statfast.decision import DummyRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 10.0]
    >>> model = DummyRegressor().fit(X, y)
    >>> model.predict(X[:2]), model.score(X, y)
    (array([4., 4.]), 0.0)
    >>> DummyRegressor(strategy="quantile", quantile=0.9).fit(X, y).predict(X[:1]).round(6)
    array([7.9])
    """

    _multi_output = True

    strategy: Literal["mean", "median", "quantile", "constant"] = param(
        one_of("mean", "median", "quantile", "constant"), default="mean"
    )
    constant: ArrayLike | None = param(by_fit, default=None)
    quantile: float | None = param(nothing | real(0.0, 1.0), default=None)

    constant_: Array = fitted()
    n_outputs_: int = fitted()
    _flat: bool = fitted()

    def fit(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Find the constant.

        Parameters
        ----------
        X : anything that has rows
            Training samples, which are not looked at.
        y : array-like of shape (n,) or (n, T)
            Target values, of one output or of several.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : DummyRegressor

        Raises
        ------
        ValueError
            If `constant` or `quantile` is missing for its strategy, `constant` has not one number
            for each output, or shapes differ.
        """
        params = self._checked()
        rows = handed(as_column(X))
        n = count_rows(rows)
        targets, flat = as_targets(y, n)
        if not flat and targets.shape[1] == 1:
            warn_column_vector("y")
            flat = True
        weights = as_weights(sample_weight, n)
        constant = self._constant(targets.shape[1], params.strategy)
        if params.strategy == "mean":
            constant = np.average(targets, axis=0, weights=weights)
        elif params.strategy != "constant":
            if params.strategy == "quantile" and params.quantile is None:
                raise ValueError(
                    "quantile has to be specified when strategy='quantile'; got None. Pass a "
                    "number between 0 and 1."
                )
            share = 0.5 if params.strategy == "median" else params.quantile
            constant = np.array([quantile_of(column, share, weights) for column in targets.T])
        return self._publish(
            X, constant_=constant[None], n_outputs_=targets.shape[1], _flat=flat,
            n_features_in_=width_of(rows, None),
        )  # fmt: skip

    def _constant(self, n_outputs: Any, strategy: Any) -> Any:
        """The user's constant of each output, if there is one."""
        if self.constant is None:
            if strategy == "constant":
                raise ValueError(
                    "constant has to be specified when the constant strategy is used; got None. "
                    "Pass a number."
                )
            return None
        constant = as_vector(values_of(self.constant), "constant", n_min=0)
        if len(constant) != n_outputs:
            raise ValueError(
                f"constant must have shape ({n_outputs},), a number for each output of y; got "
                f"{shown(self.constant)}."
            )
        return constant

    def _numbers(self, n: Any) -> Any:
        """The constant, repeated."""
        numbers = np.tile(self.constant_, (n, 1))
        return numbers[:, 0] if self._flat else numbers

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the constant.

        Parameters
        ----------
        X : anything that has rows
            Samples, of which only the number counts.
        return_std : bool, default=False
            Also return a standard deviation for each prediction, which is 0.

        Returns
        -------
        ndarray of shape (m,) or (m, T), or a pair of them
        """
        numbers = self._numbers(self._count(X))
        return (numbers, np.zeros_like(numbers)) if as_flag(return_std, "return_std") else numbers

    def score(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the coefficient of determination, R squared: 0 of the mean, and less of others.

        Parameters
        ----------
        X : anything that has rows, or None
            Test samples; None is as many as there are targets.
        y : array-like of shape (n,) or (n, T)
            True targets.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        if X is not None:
            return super().score(X, y, sample_weight)
        return r_squared(y, self._numbers(self._count(None, y)), sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def as_column(X: Any) -> Any:
    """Rows that are single numbers as rows of one column; all else as it is."""
    numbers = np.asarray(X) if isinstance(X, list) and X and np.isscalar(X[0]) else X
    if isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype.kind in "biuf":
        return numbers[:, None]
    return X


def quantile_of(values: Any, share: Any, weights: Any) -> Any:
    """R's quantile of type 7; with weights, of values that are repeated so often."""
    if weights is None:
        return float(np.quantile(values, share))
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    place = max(share * (ends[-1] - 1.0), 0.0)
    below = np.floor(place)
    values = values[order]
    last = len(values) - 1
    at_place, after = (
        values[min(int(np.searchsorted(ends, k, side="right")), last)] for k in (below, below + 1.0)
    )
    return float(at_place + (place - below) * (after - at_place))


def values_of(constant: Any) -> Array:
    """One value, or one for each output, as a column."""
    if np.isscalar(constant):
        return np.array([constant])
    return np.atleast_1d(to_array(constant, "constant", "a value, or one for each output"))
