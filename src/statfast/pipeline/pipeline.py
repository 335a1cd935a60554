# SPDX-License-Identifier: BSD-3-Clause
"""A chain of estimators, each but the last a transformer."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from time import perf_counter
from types import MappingProxyType
from typing import Any, Self

from statfast._estimator import (
    Estimator,
    Route,
    RoutesMetadata,
    by_fit,
    checked_by,
    copied,
    delegated,
    fitted,
    flag,
    nothing,
    param,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import column_names, not_fitted, shape_of, wrong_type
from statfast.pipeline.step_arguments import (
    StepArguments,
    arguments_of_answers,
    arguments_of_steps,
    fit_transformed,
    routes_of_pipeline,
)
from statfast.pipeline.steps import checked_steps, is_skipped, numbered_names
from statfast.pipeline.sum_pipeline import MergedSteps


class Passthrough:
    """Stands for a step that is skipped: a transformer that returns the rows as they are."""

    def transform(self, X: Any) -> Any:
        return X

    inverse_transform = transform


def as_memory(memory: Any, name: str) -> Any:
    """An object that caches functions, or None; of a folder it is ``joblib.Memory``."""
    if memory is None or callable(getattr(memory, "cache", None)):
        return memory
    if not isinstance(memory, str | PathLike):
        raise wrong_type(name, "None, a folder, or an object with cache, as joblib.Memory", memory)
    if not fspath(memory):
        raise ValueError(f"{name} must name a folder; got ''. Pass None to keep nothing.")
    try:
        from joblib import Memory
    except ImportError as error:
        raise ImportError(
            f"{name} as a folder needs joblib. pip install joblib, or pass an object with cache."
        ) from error
    return Memory(fspath(memory), verbose=0)


def as_argument_names(names: Any, name: str) -> list[str]:
    """Names of arguments, in a list."""
    listed = isinstance(names, list | tuple) and len(names) > 0
    if listed and all(isinstance(entry, str) for entry in names):
        return list(names)
    raise wrong_type(name, "a list of names of arguments, or None", names)


class Pipeline(MergedSteps, RoutesMetadata, Estimator):
    """Pipeline: a sequence of transformers and a final estimator.

    Within cross-validation each step is fitted to the rows of the training part alone.

    Parameters
    ----------
    steps : list of (str, estimator)
        Names and estimators, all but the last with ``fit`` and ``transform``; "passthrough" or
        None does nothing.
    transform_input : list of str, optional
        Arguments of ``fit`` that pass through the steps before the one that takes them, as rows
        for validation: ``pipeline.fit(X, y, model__X_val=X_val)``. A tuple of tables is transformed
        each by each.
    memory : str, path or object with the method ``cache``, optional
        Where fitted transformers and their results are kept, to be found again by a later ``fit``
        to the same rows: a folder (of ``joblib.Memory``, which joblib has), or such an object.
        Fits from merged statistics need none and use none.
    verbose : bool, default=False
        Print the seconds that each step takes.

    Attributes
    ----------
    steps_ : list of (str, estimator)
        The fitted steps: copies, so that `steps` stay as they were given.
    classes_ : ndarray
        Of the last step, if it has them.
    n_features_in_ : int
        Columns of the first step.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if names repeat, are not strings, hold "__" or are parameters of the pipeline.
    TypeError
        By ``fit``: if a step is not an estimator, or a step before the last is not a transformer.

    Notes
    -----
    The methods of the last step are those of the pipeline: ``hasattr(pipeline, "predict_proba")``
    says whether it has one. Parameters of steps are set as ``name__parameter``. ``pipeline[0]`` and
    ``pipeline["name"]`` give a step, the fitted one after ``fit``; ``pipeline[:-1]`` a pipeline of
    some.

    Where all steps before the last are `StandardScaler`, the first perhaps a `ColumnTransformer` of
    such, and the last is a model of merged statistics, cross-validation merges the pipeline's, on
    the scale of each fold's rows; all C of a kernel machine at the end share each fold's matrix.

    References
    ----------
    L. Buitinck et al. (2013), "API design for machine learning software: experiences from the
    scikit-learn project". arXiv:1309.0238

    Examples
    --------
    >>> from statfast import LogisticRegression
    >>> from statfast.datasets import load_wine
    >>> from statfast.pipeline import Pipeline
    >>> from statfast.preprocessing import StandardScaler
    >>> wine = load_wine()
    >>> model = Pipeline([("scale", StandardScaler()), ("logit", LogisticRegression(C=1.0))])
    >>> round(model.fit(wine.data, wine.target).score(wine.data, wine.target), 3)
    1.0
    """

    steps: Any = param(by_fit, default=None, kw_only=False)
    transform_input: list[str] | None = param(
        nothing | checked_by(as_argument_names, ["X_val"]), default=None
    )
    memory: Any = param(nothing | checked_by(as_memory), default=None)
    verbose: bool = param(flag, default=False)

    classes_: Array = fitted()

    steps_: list[Any] = fitted()

    def _routes(self) -> list[Route]:
        return routes_of_pipeline(self._pairs())

    # ------------------------------------------------------------ fit

    def fit(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Self:
        """Fit the steps in order.

        Parameters
        ----------
        X : array-like
            What the first step takes.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Passed to each step that takes it.
        **params : object
            ``name__argument``: arguments of ``fit`` of a step.

        Returns
        -------
        self : Pipeline
        """
        fitted, _ = self._fit_all(X, y, sample_weight, params, False)
        return self._published(X, fitted)

    @delegated("transform")
    def fit_transform(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Any:
        """Fit, and transform the same samples.

        Parameters
        ----------
        X : array-like
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            Parameters by name; those of parts as ``name__parameter``.

        Returns
        -------
        ndarray, or what the last step's ``transform`` gives
        """
        fitted, rows = self._fit_all(X, y, sample_weight, params, True, "fit_transform")
        self._published(X, fitted)
        return rows

    def fit_predict(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Array:
        """Fit, and predict the same samples.

        Parameters
        ----------
        X : array-like
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            Parameters of the steps' ``fit``, as ``step__parameter``.

        Returns
        -------
        ndarray
        """
        last = self._delegate()
        if not (last is None or hasattr(last, "predict") or hasattr(last, "fit_predict")):
            raise AttributeError(f"Pipeline cannot predict, as {type(last).__name__} cannot.")
        fitted, _ = self._fit_all(X, y, sample_weight, params, False, "fit_predict")
        model = copied(self)._published(X, fitted)
        labels = getattr(model._last(), "labels_", None)
        if labels is None:
            labels = model.predict(X)
        self._published(X, fitted)
        return labels

    def _fit_all(
        self, X: Any, y: Any, sample_weight: Weights, params: dict[Any, Any], to_rows: bool,
        method: str = "fit",
    ) -> tuple[list[tuple[Any, ...]], Any]:  # fmt: skip
        steps, own = checked_steps(self.steps), self._checked()
        arguments = arguments_of_steps(self, method, steps, sample_weight, params)
        fit_transform = fit_transformed
        if own.memory is not None:
            fit_transform = own.memory.cache(fit_transformed)
        fitted, rows = [], X
        for number, (name, step) in enumerate(steps):
            if is_skipped(step):
                fitted.append((name, step))
                continue
            model, start = copied(step), perf_counter()
            more = self._through(fitted, arguments[name], own.transform_input)
            if number == len(steps) - 1 and not to_rows:
                model.fit(rows, y, **more.fit)
            elif number == len(steps) - 1:
                model, rows = fit_transformed(model, rows, y, more)
            else:
                model, rows = fit_transform(model, rows, y, more)
            fitted.append((name, model))
            if own.verbose:
                print(
                    f"[{type(self).__name__}] ({number + 1} of {len(steps)}) {name}: "
                    f"{perf_counter() - start:.1f} s"
                )
        return fitted, rows

    @staticmethod
    def _through(fitted: list[Any], of_step: StepArguments, names: Any) -> StepArguments:
        """The arguments of a step, those of these names transformed as its rows are."""
        arguments = dict(of_step.fit)
        for name in arguments.keys() & set(names or ()):
            value = arguments[name]
            several = isinstance(value, tuple)
            parts = list(value) if several else [value]
            for _, step in fitted:
                if not is_skipped(step):
                    parts = [step.transform(part) for part in parts]
            arguments[name] = tuple(parts) if several else parts[0]
        return of_step._replace(fit=arguments)

    def _published(self, X: Any, fitted: list[Any]) -> Self:
        models = [model for _, model in fitted if not is_skipped(model)]
        attributes = {}
        if models:
            attributes["n_features_in_"] = getattr(models[0], "n_features_in_", None)
            if hasattr(models[-1], "classes_"):
                attributes["classes_"] = models[-1].classes_
        else:
            shape = shape_of(X)
            if len(shape) < 2:
                raise ValueError(f"Expected 2D array X, got shape {shape}. Reshape it.")
            attributes["n_features_in_"] = int(shape[1])
        return self._publish(X, steps_=fitted, **attributes)

    # ------------------------------------------------------------ the steps' methods

    def _before_last(self, X: Any, arguments: Any = MappingProxyType({})) -> Any:
        """Rows as the last step takes them; with arguments of ``transform`` of some steps."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        self._require_width(X)
        for name, step in self.steps_[:-1]:
            if not is_skipped(step):
                X = step.transform(X, **arguments.get(name, {}))
        return X

    def _require_width(self, X: Any) -> None:
        width, shape = self.n_features_in_, getattr(X, "shape", None)
        if width is None or (column_names(X) is not None and "feature_names_in_" in self.__dict__):
            return  # the first step compares names
        if shape is None and isinstance(X, list | tuple):
            try:
                shape = shape_of(X)
            except ValueError:
                return
        if shape is not None and len(shape) == 2 and shape[0] and shape[1] and shape[1] != width:
            raise ValueError(
                f"X has {shape[1]} features, but Pipeline is expecting {width} features as input."
            )

    def _delegate(self) -> Any:
        """The last step, or a `Passthrough` where it is skipped; None where the steps are
        invalid."""
        steps = self.__dict__.get("steps_") or self._pairs()
        if not steps:
            return None
        return Passthrough() if is_skipped(steps[-1][1]) else steps[-1][1]

    def _last(self) -> Estimator:
        """The last step, fitted."""
        return self.steps_[-1][1]

    @delegated("transform")
    def transform(self, X: Rows, **params: Any) -> Any:
        """Transform through all steps.

        Parameters
        ----------
        X : array-like
            Samples to transform.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray, or what the last step gives
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        of_steps, of_last = arguments_of_answers(self, "transform", params)
        rows = self._before_last(X, of_steps)
        last: Any = self._last()
        return rows if is_skipped(last) else last.transform(rows, **of_last)

    @delegated("inverse_transform")
    def inverse_transform(self, X: Rows, **params: Any) -> Any:
        """Invert the steps, from the last to the first.

        Parameters
        ----------
        X : array-like
            Transformed samples.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        arguments, of_last = arguments_of_answers(self, "inverse_transform", params)
        arguments = {**arguments, self.steps_[-1][0]: of_last}
        for name, step in reversed(self.steps_):
            if not is_skipped(step):
                X = self._of_step(step, "inverse_transform")(X, **arguments.get(name, {}))
        return X

    @delegated("predict")
    def predict(self, X: Rows, **params: Any) -> Array:
        """Predict with the last step.

        Parameters
        ----------
        X : array-like
            Samples to predict.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray
        """
        return self._before_last_then("predict", X, params)

    @delegated("predict_proba")
    def predict_proba(self, X: Rows, **params: Any) -> Array:
        """Return the class probabilities of the last step.

        Parameters
        ----------
        X : array-like
            Samples to predict.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray
        """
        return self._before_last_then("predict_proba", X, params)

    @delegated("predict_log_proba")
    def predict_log_proba(self, X: Rows, **params: Any) -> Array:
        """Return the log probabilities of the last step.

        Parameters
        ----------
        X : array-like
            Samples to predict.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray
        """
        return self._before_last_then("predict_log_proba", X, params)

    @delegated("decision_function")
    def decision_function(self, X: Rows, **params: Any) -> Array:
        """Return the decision values of the last step.

        Parameters
        ----------
        X : array-like
            Samples to predict.
        **params : object
            Arguments of the last step's method.

        Returns
        -------
        ndarray
        """
        return self._before_last_then("decision_function", X, params)

    @delegated("score_samples")
    def score_samples(self, X: Rows) -> Array:
        """Return the log densities or scores that the last step gives each row.

        Parameters
        ----------
        X : array-like
            Samples to score.

        Returns
        -------
        ndarray
        """
        rows = self._before_last(X)
        last: Any = self._last()
        return last.score_samples(rows)

    @delegated("score")
    def score(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> float:
        """Return the score of the last step.

        Parameters
        ----------
        X : array-like
            Test samples.
        y : array-like of shape (n,), optional
            True labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            Other arguments of the last step's method.

        Returns
        -------
        float
            nan where that of the last step is, as R^2 of one row.
        """
        if sample_weight is not None:
            params = params | {"sample_weight": sample_weight}
        return self._before_last_then("score", X, params, y)

    def _of_step(self, step: Any, method: str) -> Callable[..., Any]:
        """A method of a step, or an error that names the method and the step that lacks it."""
        if not hasattr(step, method):
            raise AttributeError(
                f"{method} of a pipeline needs steps that have it; {type(step).__name__} has none. "
                f"Call pipeline[:-1].{method} if that is the last step."
            )
        return getattr(step, method)

    def _before_last_then(
        self, method: str, X: Any, params: dict[str, Any], *targets: Any
    ) -> Any:  # fmt: skip
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        of_steps, of_last = arguments_of_answers(self, method, params)
        rows = self._before_last(X, of_steps)
        return getattr(self._last(), method)(rows, *targets, **of_last)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the output features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; None takes those of the fit.

        Returns
        -------
        ndarray of str
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        names = input_features
        for _, step in self.steps_:
            if not is_skipped(step):
                names = self._of_step(step, "get_feature_names_out")(names)
        return names

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the output container of ``transform`` for each step.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            Container of the output: an array or sparse matrix, or a data frame.

        Returns
        -------
        self
        """
        for steps in (self._pairs(), self.__dict__.get("steps_", [])):
            for _, step in steps:
                if hasattr(step, "set_output"):
                    step.set_output(transform=transform)
        return self


def make_pipeline(
    *steps: Any, memory: Any = None, transform_input: list[str] | None = None, verbose: bool = False
) -> Pipeline:
    """Make a `Pipeline` whose steps have the lowercase names of their classes.

    Parameters
    ----------
    *steps : estimator
        Of several of one class, each name ends with its number: "scaler-1", "scaler-2".
    memory : str, path or object with the method ``cache``, optional
        Where fitted transformers and their results are kept.
    transform_input : list of str, optional
        Arguments of ``fit`` that pass through the steps before the one that takes them.
    verbose : bool, default=False
        Print the seconds that each step takes.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis, StandardScaler, make_pipeline
    >>> [name for name, _ in make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).steps]
    ['standardscaler', 'lineardiscriminantanalysis']
    """
    return Pipeline(
        list(zip(numbered_names(steps), steps, strict=True)),
        transform_input=transform_input,
        memory=memory,
        verbose=verbose,
    )
