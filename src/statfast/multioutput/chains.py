# SPDX-License-Identifier: BSD-3-Clause
"""Chains: each estimator takes, beside the features, the outputs of those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    by_fit,
    checked_by,
    copied,
    count_rows,
    delegated,
    fitted,
    handed,
    handed_for,
    param,
    randomness,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import as_choice, as_generator, as_rows, is_sparse, shown
from statfast.model_selection.evaluation.scoring import as_plan
from statfast.model_selection.evaluation.validate import held_out_answers, require_partition
from statfast.multioutput.outputs import (
    OutputModel,
    Outputs,
    SeveralLabels,
    SeveralNumbers,
    answer_of,
    columns_of_labels,
    second_of_two,
)

# A model, its columns and its output: what it answers, and a column for those after it.
Ask: TypeAlias = Callable[[Any, Any, int], tuple[Array, Array]]
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def as_methods(methods: Any, name: str) -> tuple[str, ...]:
    """What estimators of a chain are asked: a method, or several of which the first is taken."""
    if isinstance(methods, list | tuple) and methods:
        return tuple(as_choice(method, name, METHODS) for method in methods)
    return (as_choice(methods, name, METHODS),)


class Chain(OutputModel):
    """Base of both: the order of the outputs, and the columns that each estimator takes."""

    order: Any = param(by_fit, default=None)
    cv: Any = param(by_fit, default=None)
    random_state: Seed = param(randomness, default=None)

    order_: Array = fitted()

    def _ordered(self, n_outputs: int) -> Array:
        """The outputs in the order of the chain."""
        rng = as_generator(self.random_state)
        if self.order is None:
            return np.arange(n_outputs)
        if isinstance(self.order, str):
            as_choice(self.order, "order", ("random",))
            return rng.permutation(n_outputs)
        order = np.asarray(self.order)
        if order.ndim != 1 or order.dtype.kind not in "iu" or (
            np.sort(order).tolist() != list(range(n_outputs))
        ):  # fmt: skip
            raise ValueError(
                f"order must hold each of the {n_outputs} outputs of y once, counted from 0; got "
                f"{shown(self.order)}: invalid order. Pass 'random', or None."
            )
        return order

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of the estimator to each output, in the order of the chain.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n, T)
            A column for each output.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimators, which have to take it.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If y has not two dimensions and a row for each of X, `order` is not a permutation of the
            outputs, the folds do not hold out each row once, or the estimator refuses the rows.
        TypeError
            If the estimator has no ``fit`` and ``predict``, or none of the methods of a
            `chain_method`, or weights are passed that it does not take.
        """
        self._checked()
        estimator = self._checked_estimator(sample_weight)
        rows = handed(X)
        outputs = self._outputs(y, count_rows(rows), sample_weight)
        method = self._method_of(estimator)
        rows, order = as_numbers(rows), self._ordered(len(outputs.columns))
        models: list[Any] = []
        features: list[Array] = []
        for output in order:
            checkpoint()
            columns, target = with_columns(rows, features), outputs.columns[output]
            models.append(copied(estimator).fit(columns, target, **outputs.fit_arguments))
            if len(models) == len(order):
                break
            answers = target
            if self.cv is not None:
                folds = as_plan(estimator, columns, target, self.cv, None, outputs.weights)
                require_partition(folds, type(self).__name__)
                answers, _ = held_out_answers(copied(estimator), folds, method)
            asked = "predict" if self.cv is None else method
            features.append(self._feature(answers, asked, outputs, output))
        return self._publish(
            X, estimators_=models, order_=order, n_features_in_=rows.shape[1], **outputs.fitted,
            **self._published_method(method),
        )  # fmt: skip

    def _method_of(self, estimator: Any) -> str:
        """The method whose answers are passed on."""
        return "predict"

    def _published_method(self, method: str) -> dict[str, Any]:
        return {}

    def _feature(self, answers: Array, method: str, outputs: Outputs, output: int) -> Array:
        """What an estimator answers to a method as a column for those after it."""
        return np.asarray(answers, dtype=np.float64).reshape(len(answers))

    def _chain(self, X: Any, ask: Ask) -> list[Array]:
        """``ask(model, columns, output)`` of each estimator, in the order of the outputs; it gives
        an answer, and a column for those after it."""
        rows = as_numbers(handed_for(self, X))
        answers: list[Any] = [None] * len(self.order_)
        features: list[Array] = []
        for model, output in zip(self.estimators_, self.order_, strict=True):
            checkpoint()
            answers[output], feature = ask(model, with_columns(rows, features), output)
            features.append(feature)
        return answers


class ClassifierChain(SeveralLabels, Chain):
    """Classifier chain: each classifier takes the labels of those before it as features.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict``. It is copied, not fitted itself. Its parameters
        are parameters of this one: ``estimator__C``.
    chain_method : str or list of str, default="predict"
        What is passed on: "predict", "predict_proba", "predict_log_proba" or "decision_function";
        of a list the first that the estimator has. All but "predict" are for two classes.
    order : array-like of shape (T,) or "random", optional
        The outputs in the order of the chain, counted from 0. None is that of the columns of y.
    cv : int, splitter or iterable, optional
        Folds, so that classifiers are fitted to what those before them answer of rows held out;
        None has them fitted to the true labels.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of a random order; an integer makes the result reproducible.

    Attributes
    ----------
    classes_ : list of ndarray of shape (K_t,)
        The labels of each output, ascending.
    estimators_ : list of estimators
        The fitted classifiers, in the order of the chain.
    order_ : ndarray of shape (T,)
        The outputs in the order of the chain.
    chain_method_ : str
        What is passed on.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultiOutputClassifier : Classifiers that know nothing of one another.

    Notes
    -----
    Labels that are numbers are passed on as they are, others as their places in `classes_`.
    **Ties** are the estimator's. X has to be numbers, dense or sparse. Folds are made by the
    strategies of `cross_val_predict`, without refits where the estimator's fit is a sum.

    Cost: T fits, of d to d + T - 1 columns, and T - 1 cross-validations. Memory: X with T more
    columns.

    References
    ----------
    .. [1] Read, J., Pfahringer, B., Holmes, G. and Frank, E. (2011). Classifier chains for
       multi-label classification. Machine Learning 85, 333-359. doi:10.1007/s10994-011-5256-5

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import DecisionTreeClassifier
    >>> from statfast.multioutput import ClassifierChain, MultiOutputClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> first = X[:, 0] + 0.3 * rng.normal(size=400) > 0
    >>> y = np.column_stack([first, first ^ (X[:, 1] > 0.0)]).astype(int)
    >>> for cls in (MultiOutputClassifier, ClassifierChain):
    ...     print(round(cls(DecisionTreeClassifier(max_depth=3)).fit(X, y).score(X, y), 2))
    0.86
    0.93
    """

    chain_method: str | list[str] = param(checked_by(as_methods, *METHODS), default="predict")

    chain_method_: str = fitted()

    def _method_of(self, estimator: Any) -> str:
        methods = self._checked().chain_method
        method = next((name for name in methods if hasattr(estimator, name)), None)
        if method is None:
            raise TypeError(
                f"chain_method asks for {' or '.join(methods)}; {type(estimator).__name__} has "
                "none. Choose another."
            )
        return method

    def _published_method(self, method: str) -> dict[str, Any]:
        return {"chain_method_": method}

    def _feature(self, answers: Array, method: str, outputs: Outputs, output: int) -> Array:
        if method != "predict":
            return second_of_two(answers, method, output)
        assert outputs.classes is not None
        return numbers_of(answers, outputs.classes[output])

    def _passed_on(self, model: Any, columns: Any, output: int) -> Array:
        """What a fitted classifier passes on."""
        if self.chain_method_ == "predict":
            return numbers_of(model.predict(columns), self.classes_[output])
        return answer_of(model, self.chain_method_, columns, output)

    def _answers(self, X: Any, method: str) -> Array:
        """A number for each row and output."""

        def ask(model: Any, columns: Any, output: int) -> tuple[Array, Array]:
            answers = answer_of(model, method, columns, output)
            if method == self.chain_method_:
                return answers, answers
            return answers, self._passed_on(model, columns, output)

        return np.column_stack(self._chain(X, ask))

    def predict(self, X: Rows) -> Array:
        """Predict the labels of each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m, T)
        """

        def ask(model: Any, columns: Any, output: int) -> tuple[Array, Array]:
            labels = np.asarray(model.predict(columns))
            if self.chain_method_ == "predict":
                return labels, numbers_of(labels, self.classes_[output])
            return labels, self._passed_on(model, columns, output)

        return columns_of_labels(self._chain(X, ask))

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of the second class of each output, if the estimator has it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, T)
        """
        return self._answers(X, "predict_proba")

    @delegated("predict_proba")
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the probability of the second class of each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, T)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @delegated("decision_function")
    def decision_function(self, X: Rows) -> Array:
        """Return the decision values of each output, if the estimator has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, T)
        """
        return self._answers(X, "decision_function")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class RegressorChain(SeveralNumbers, Chain):
    """Regressor chain: each regressor takes the outputs of those before it as features.

    Parameters
    ----------
    estimator : estimator
        A regressor with ``fit`` and ``predict``. It is copied, not fitted itself. Its parameters
        are parameters of this one: ``estimator__alpha``.
    order : array-like of shape (T,) or "random", optional
        The outputs in the order of the chain, counted from 0. None is that of the columns of y.
    cv : int, splitter or iterable, optional
        Folds, so that regressors are fitted to what those before them predict of rows held out;
        None has them fitted to the true targets.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of a random order; an integer makes the result reproducible.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted regressors, in the order of the chain.
    order_ : ndarray of shape (T,)
        The outputs in the order of the chain.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultiOutputRegressor : Regressors that know nothing of one another.

    Notes
    -----
    X has to be numbers, dense or sparse. Least squares gains nothing: without folds a chain of it
    predicts what one by one does. Cost and memory are those of `ClassifierChain`.

    References
    ----------
    .. [1] Spyromitros-Xioufis, E., Tsoumakas, G., Groves, W. and Vlahavas, I. (2016). Multi-target
       regression via input space expansion. Machine Learning 104, 55-98.
       doi:10.1007/s10994-016-5546-z

    Examples
    --------
    >>> from statfast import DecisionTreeRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.multioutput import RegressorChain
    >>> X, y = load_iris().data[:, :2], load_iris().data[:, 2:]
    >>> model = RegressorChain(DecisionTreeRegressor(max_depth=3), order=[1, 0], cv=5).fit(X, y)
    >>> model.predict(X[:1]).shape, model.order_.tolist()
    ((1, 2), [1, 0])
    """

    def predict(self, X: Rows) -> Array:
        """Predict each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, T)
        """

        def ask(model: Any, columns: Any, output: int) -> tuple[Array, Array]:
            numbers = np.asarray(model.predict(columns))
            numbers = numbers.reshape(len(numbers))
            return numbers, numbers

        return np.column_stack(self._chain(X, ask))


def as_numbers(rows: Any) -> Any:
    """Rows that columns can be put beside: an array, or a sparse matrix."""
    return rows if is_sparse(rows) else as_rows(rows, finite=False)


def with_columns(rows: Any, features: list[Array]) -> Any:
    """Rows with more columns."""
    if not features:
        return rows
    columns = np.column_stack(features).astype(np.float64)
    if is_sparse(rows):
        from scipy import sparse

        return sparse.hstack([rows, columns], format="csr")
    return np.hstack([rows, columns])


def numbers_of(labels: Any, classes: Array) -> Array:
    """Labels that are numbers as they are, others as their places among the classes."""
    labels = np.asarray(labels)
    if labels.dtype.kind in "biuf":
        return labels.astype(np.float64)
    places = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([places[label] for label in labels.tolist()], dtype=np.float64)
