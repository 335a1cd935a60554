# SPDX-License-Identifier: BSD-3-Clause
"""Transformers side by side, each of all of the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    ByName,
    Estimator,
    NamedEstimators,
    Route,
    Transformer,
    by_fit,
    checked_by,
    count_rows,
    fitted,
    flag,
    handed,
    handed_for,
    jobs,
    nothing,
    param,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import as_weights, column_names, is_sparse, not_fitted, shape_of, shown
from statfast.pipeline.hstack import SideBySide, as_factors, as_style, as_transformer, is_word
from statfast.pipeline.step_arguments import (
    arguments_of_steps,
    arguments_of_transforms,
    calls_of_transformer,
)
from statfast.pipeline.steps import numbered_names


class FeatureUnion(SideBySide, NamedEstimators, Transformer, Estimator):
    """Apply several transformers to the same input, and concatenate the results.

    Parameters
    ----------
    transformer_list : list of (str, transformer)
        Names and transformers; "drop" leaves a result out, "passthrough" is the input.
    n_jobs : int, optional
        Kept for scikit-learn's sake: transformers have threads of their own.
    transformer_weights : dict of str to float, optional
        Numbers by which results are multiplied.
    verbose : bool, default=False
        Print the seconds that each transformer takes.
    verbose_feature_names_out : bool, str or callable, default=True
        Names as ``transformer__name``; as they are; as a format with {transformer_name} and
        {feature_name}; or what a function of both gives.

    Attributes
    ----------
    transformers_ : list of (str, transformer)
        The fitted copies.
    sparse_output_ : bool
        Whether the result is sparse: that of some transformer is.
    n_features_in_ : int
        Number of features, d, if the input has columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if names repeat or hold "__", or `transformer_weights` names others.
    TypeError
        By ``fit``: if something is not a transformer.

    See Also
    --------
    make_union : Names made of the classes.
    statfast.pipeline.ColumnTransformer : Each transformer gets some of the columns.

    Notes
    -----
    Fitted are copies, so that `transformer_list` stays as it was given; ``named_transformers``
    gives the fitted ones after ``fit``. Weights reach each transformer that takes them. Input need
    not be a table: texts reach each vectorizer as they are.

    References
    ----------
    L. Buitinck et al. (2013), "API design for machine learning software: experiences from the
    scikit-learn project". arXiv:1309.0238

    Examples
    --------
    >>> from statfast import PCA, StandardScaler
    >>> from statfast.datasets import load_iris
    >>> from statfast.pipeline import FeatureUnion
    >>> union = FeatureUnion([("scaled", StandardScaler()), ("pca", PCA(n_components=1))])
    >>> union.fit_transform(load_iris().data).shape
    (150, 5)
    >>> union.get_feature_names_out(["a", "b", "c", "d"]).tolist()
    ['scaled__a', 'scaled__b', 'scaled__c', 'scaled__d', 'pca__pca0']
    """

    _listed = "transformer_list"

    transformer_list: list[Any] | None = param(by_fit, default=None, kw_only=False)
    n_jobs: Jobs = param(jobs, default=None)
    transformer_weights: dict[str, float] | None = param(
        nothing | checked_by(as_factors), default=None
    )
    verbose: bool = param(flag, default=False)
    verbose_feature_names_out: bool | str | Callable[..., Any] = param(
        checked_by(as_style, True, False, "{transformer_name}_{feature_name}"), default=True
    )

    transformers_: list[Any] = fitted()
    sparse_output_: bool = fitted()

    def fit(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Self:
        """Fit each transformer.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples, or what the transformers take.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Passed to each transformer that takes it.
        **params : object
            ``name__argument``: arguments of ``fit`` of a transformer.

        Returns
        -------
        self : FeatureUnion
        """
        self._fit_all(X, y, sample_weight, params)
        return self

    def fit_transform(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Any:
        """Fit, and transform the same samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples, or what the transformers take.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Passed to each transformer that takes it.
        **params : object
            ``name__argument``: arguments of ``fit`` of a transformer.

        Returns
        -------
        ndarray or csr_array of shape (n, columns)
            Or the table asked for by `set_output`.
        """
        parts = self._fit_all(X, y, sample_weight, params)
        return self._side_by_side(parts, X)

    def _fit_all(
        self, X: Any, y: Any, sample_weight: Weights, params: dict[str, Any]
    ) -> dict[str, Any]:
        entries = self._checked_entries()
        arguments = arguments_of_steps(self, "fit", entries, sample_weight, params)
        rows = handed(X)
        as_weights(sample_weight, count_rows(rows))
        steps = [(name, step, lambda: rows) for name, step in entries]
        models, parts = self._fit_each(steps, y, arguments)
        shape, names = shape_of(rows), column_names(X)
        self._publish(
            None,
            transformers_=[(name, model) for (name, _), model in zip(entries, models, strict=True)],
            sparse_output_=any(is_sparse(part) for part in parts.values()),
            n_features_in_=int(shape[1]) if len(shape) == 2 else None,
            **({} if names is None else {"feature_names_in_": names}),
            _n_features_out=sum(part.shape[1] for part in parts.values()),
        )
        return parts

    def _checked_entries(self) -> list[tuple[str, Any]]:
        """The list of transformers, after a check of it and of the other parameters."""
        entries = self.transformer_list
        if not isinstance(entries, list | tuple) or not len(entries):
            raise TypeError(
                "transformer_list must be a list of pairs (name, transformer); got "
                f"{shown(entries)}. Use make_union(...) for names made of the classes."
            )
        for entry in entries:
            if (
                not isinstance(entry, list | tuple)
                or len(entry) != 2
                or not isinstance(entry[0], str)
            ):
                raise TypeError(
                    f"transformer_list must hold pairs (name, transformer); got {shown(entry)}."
                )
        names = [name for name, _ in entries]
        self._check_names(names, Estimator.get_params(self, deep=False))
        for name, step in entries:
            as_transformer(step, f"transformer_list: {name!r}")
        unknown = sorted(set(self._checked().transformer_weights or ()) - set(names))
        if unknown:
            raise ValueError(
                f"transformer_weights must name transformers of transformer_list ({names}); got "
                f"{shown(unknown)}."
            )
        return [(name, step) for name, step in entries]

    def transform(self, X: Rows, **params: Any) -> Any:
        """Transform the input by each transformer.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform, or what the transformers take.
        **params : object
            Arguments of ``transform`` that the transformers request, where scikit-learn's metadata
            routing is enabled.

        Returns
        -------
        ndarray or csr_array of shape (m, columns)
            Or the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For other arguments without routing.
        """
        rows = handed_for(self, X)
        arguments = arguments_of_transforms(self, params)
        parts = {
            name: rows
            if is_word(step, "passthrough")
            else step.transform(rows, **arguments.get(name, {}))
            for name, step in self.transformers_
            if not is_word(step, "drop")
        }
        return self._side_by_side(parts, X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
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
        named = []
        for name, step in self.transformers_:
            if is_word(step, "drop"):
                continue
            features: Any = input_features
            if not isinstance(step, str):
                features = step.get_feature_names_out(input_features)
            elif features is None:
                features = self._names_in()
            named += [(name, str(feature)) for feature in features]
        return np.asarray(self._styled(named), dtype=object)

    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Set the output container of ``transform``, for each transformer too.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            Container of the output: an array or sparse matrix, or a data frame.

        Returns
        -------
        self
        """
        super().set_output(transform=transform)
        for _, step in [*self._pairs(), *self.__dict__.get("transformers_", ())]:
            if hasattr(step, "set_output"):
                step.set_output(transform=transform)
        return self

    @property
    def named_transformers(self) -> Any:
        """The transformers by their names, as entries and attributes; fitted ones after ``fit``."""
        return ByName(self.__dict__.get("transformers_", self._pairs()))

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise KeyError("Only string keys are supported")
        return self.named_transformers[name]

    def _routes(self) -> list[Route]:
        return [
            Route(name, step, calls_of_transformer(step))
            for name, step in self._pairs()
            if not isinstance(step, str)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        steps = [step for _, step in self._pairs() if hasattr(step, "__sklearn_tags__")]
        input_tags = [step.__sklearn_tags__().input_tags for step in steps]
        tags.input_tags.sparse = all(tag.sparse for tag in input_tags)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in input_tags)
        return tags


def make_union(
    *transformers: Any,
    n_jobs: int | None = None,
    verbose: bool = False,
    verbose_feature_names_out: bool | str | Callable[..., Any] = True,
) -> FeatureUnion:
    """Make a `FeatureUnion` whose transformers have the lowercase names of their classes.

    Parameters
    ----------
    *transformers : transformer
        Of several of one class, each name ends with its number: "pca-1", "pca-2".
    n_jobs : int, optional
        Kept for scikit-learn's sake: transformers have threads of their own.
    verbose : bool, default=False
        Print the seconds that each transformer takes.
    verbose_feature_names_out : bool, str or callable, default=True
        Names as ``transformer__name``; as they are; as a format with {transformer_name} and
        {feature_name}; or what a function of both gives.

    Returns
    -------
    FeatureUnion

    Examples
    --------
    >>> from statfast import PCA, StandardScaler
    >>> from statfast.pipeline import make_union
    >>> [name for name, _ in make_union(PCA(), StandardScaler()).transformer_list]
    ['pca', 'standardscaler']
    """
    return FeatureUnion(
        list(zip(numbered_names(transformers), transformers, strict=True)),
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )
