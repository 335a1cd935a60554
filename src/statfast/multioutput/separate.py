# SPDX-License-Identifier: BSD-3-Clause
"""An estimator for each output, none of which knows the others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    copied,
    count_rows,
    delegated,
    handed,
    handed_for,
    jobs,
    param,
    width_of,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast.multioutput.outputs import (
    OutputModel,
    SeveralLabels,
    SeveralNumbers,
    columns_of_labels,
)


class SeparateOutputs(OutputModel):
    """Base of both: a copy of the estimator for each output."""

    n_jobs: Jobs = param(jobs, default=None)

    def _threads(self) -> int:
        """Threads among which outputs are shared out: one, unless more are asked for."""
        return 1 if self.n_jobs is None else self.n_jobs

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of the estimator to each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
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
            If y has not two dimensions and a row for each of X, or the estimator refuses the rows.
        TypeError
            If the estimator has no ``fit`` and ``predict``, or weights are passed that it does not
            take.
        """
        self._checked()
        estimator = self._checked_estimator(sample_weight)
        rows = handed(X)
        outputs = self._outputs(y, count_rows(rows), sample_weight)

        def work(target: Array) -> Any:
            checkpoint()
            return copied(estimator).fit(rows, target, **outputs.fit_arguments)

        models = each(work, outputs.columns, n_jobs=self._threads())
        return self._publish_models(X, rows, models, **outputs.fitted)

    def _update(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """Fit copies of the estimators that have also seen the rows of a batch."""
        self._checked()
        estimator = self._checked_estimator(sample_weight)
        rows = handed_for(self, X) if self.__sklearn_is_fitted__() else handed(X)
        outputs = self._outputs(y, count_rows(rows), sample_weight)
        targets = outputs.columns
        before = self.__dict__.get("estimators_") or [copied(estimator) for _ in targets]
        if len(before) != len(targets):
            raise ValueError(
                f"y must have {len(before)} outputs, as in the first batch; got {len(targets)}."
            )
        if classes is not None and len(classes) != len(targets):
            raise ValueError(
                f"classes must hold the labels of each of {len(targets)} outputs; got "
                f"{len(classes)}."
            )
        models = []
        for place, (model, target) in enumerate(zip(before, targets, strict=True)):
            known = {} if classes is None else {"classes": classes[place]}
            arguments = {**known, **outputs.fit_arguments}
            models.append(copy.deepcopy(model).partial_fit(rows, target, **arguments))
        if outputs.classes is None:
            return self._publish_models(X, rows, models)
        known_classes = [np.asarray(model.classes_) for model in models]
        return self._publish_models(X, rows, models, classes_=known_classes)

    def _publish_models(self, X: Any, rows: Any, models: list[Any], **published: Any) -> Self:
        width = width_of(rows, models[0])
        return self._publish(X, estimators_=models, n_features_in_=width, **published)

    def _answers(self, X: Any, ask: Callable[[Any, Any], Array]) -> list[Array]:
        """What each estimator answers, in the order of the outputs."""
        rows = handed_for(self, X)

        def work(model: Any) -> Array:
            checkpoint()
            return ask(model, rows)

        effort = 1e3 * count_rows(rows) * len(self.estimators_)
        return each(work, self.estimators_, n_jobs=self._threads(), effort=effort)


class MultiOutputClassifier(SeveralLabels, SeparateOutputs):
    """Multi-output classification: a classifier for each output.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict``. It is copied, not fitted itself. Its parameters
        are parameters of this one: ``estimator__C``.
    n_jobs : int, optional
        Threads, among which the outputs are shared out. None fits one after the other, each with
        threads of its own.

    Attributes
    ----------
    classes_ : list of ndarray of shape (K_t,)
        The labels of each output, ascending.
    estimators_ : list of estimators
        The fitted classifiers.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    ClassifierChain : Each classifier knows the labels of those before it.
    OneVsRestClassifier : The same for labels that rows have or not.

    Notes
    -----
    Outputs are predicted as if they knew nothing of one another; **ties** are the estimator's. An
    output of one class is refused where the estimator refuses it. Cost: T fits.

    References
    ----------
    .. [1] Tsoumakas, G. and Katakis, I. (2007). Multi-label classification: an overview.
       International Journal of Data Warehousing and Mining 3, 1-13. doi:10.4018/jdwm.2007070101

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.multioutput import MultiOutputClassifier
    >>> iris = load_iris()
    >>> X, large = iris.data[:, :2], np.where(iris.data[:, 3] > 1.0, "wide", "narrow")
    >>> y = np.column_stack([iris.target.astype(str), large])
    >>> model = MultiOutputClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict(X[:2]).tolist()
    [['0', 'narrow'], ['0', 'narrow']]
    >>> [shares.shape for shares in model.predict_proba(X)]
    [(150, 3), (150, 2)]
    """

    @delegated("partial_fit")
    def partial_fit(
        self,
        X: Rows,
        y: ArrayLike,
        classes: list[ArrayLike] | None = None,
        sample_weight: Weights = None,
    ) -> Self:
        """Update the classifiers with more samples, if the estimator has ``partial_fit``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n, T)
            Labels of each output.
        classes : list of array-like of shape (K_t,), optional
            All labels of each output that will ever come; needed by the first call.
        sample_weight : array-like of shape (n,), optional
            Passed to the classifiers, which have to take it.

        Returns
        -------
        self : MultiOutputClassifier
        """
        return self._update(X, y, sample_weight, classes)

    def predict(self, X: Rows) -> Array:
        """Predict the labels of each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m, T)
        """
        return columns_of_labels(
            self._answers(X, lambda model, rows: np.asarray(model.predict(rows)))
        )

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> list[Array]:
        """Return the class probabilities of each output, if the estimator has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        list of ndarray of shape (m, K_t)
        """
        return self._answers(X, lambda model, rows: np.asarray(model.predict_proba(rows)))


class MultiOutputRegressor(SeveralNumbers, SeparateOutputs):
    """Multi-output regression: a regressor for each output.

    Parameters
    ----------
    estimator : estimator
        A regressor with ``fit`` and ``predict``. It is copied, not fitted itself. Its parameters
        are parameters of this one: ``estimator__alpha``.
    n_jobs : int, optional
        Threads, among which the outputs are shared out. None fits one after the other, each with
        threads of its own.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted regressors.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RegressorChain : Each regressor knows the targets of those before it.

    Notes
    -----
    Linear regression, trees and neighbors take several outputs themselves, in less time. Cost: T
    fits.

    References
    ----------
    .. [1] Borchani, H., Varando, G., Bielza, C. and Larranaga, P. (2015). A survey on multi-output
       regression. WIREs Data Mining and Knowledge Discovery 5, 216-233. doi:10.1002/widm.1157

    Examples
    --------
    >>> from statfast import HuberRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.multioutput import MultiOutputRegressor
    >>> X, y = load_iris().data[:, :2], load_iris().data[:, 2:]
    >>> model = MultiOutputRegressor(HuberRegressor()).fit(X, y)
    >>> model.predict(X[:1]).shape, len(model.estimators_)
    ((1, 2), 2)
    """

    @delegated("partial_fit")
    def partial_fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Update the regressors with more samples, if the estimator has ``partial_fit``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n, T)
            Targets of each output.
        sample_weight : array-like of shape (n,), optional
            Passed to the regressors, which have to take it.

        Returns
        -------
        self : MultiOutputRegressor
        """
        return self._update(X, y, sample_weight)

    def predict(self, X: Rows) -> Array:
        """Predict each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, T)
        """
        answers = self._answers(X, lambda model, rows: np.asarray(model.predict(rows)))
        n = len(answers[0])
        return np.column_stack([answer.reshape(n) for answer in answers])
