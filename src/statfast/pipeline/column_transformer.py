# SPDX-License-Identifier: BSD-3-Clause
"""Transformers side by side, each for some of the columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    fitted,
    flag,
    jobs,
    nothing,
    param,
    real,
    take_columns,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_weights,
    column_names,
    compare_names,
    is_sparse,
    not_fitted,
    shape_of,
    shown,
)
from statfast.pipeline.columns import as_container, places_of
from statfast.pipeline.hstack import (
    KEYWORDS,
    SideBySide,
    as_factors,
    as_style,
    as_transformer,
    is_word,
)
from statfast.pipeline.step_arguments import (
    arguments_of_steps,
    arguments_of_transforms,
    calls_of_transformer,
)
from statfast.pipeline.steps import numbered_names
from statfast.pipeline.sum_pipeline import MergedColumns


class ColumnTransformer(SideBySide, MergedColumns, NamedEstimators, Transformer, Estimator):
    """Apply transformers to features, and concatenate the results.

    Parameters
    ----------
    transformers : list of (str, transformer, columns)
        Names, transformers ("drop" leaves columns out, "passthrough" keeps them) and columns:
        names, places, a slice (of names with its end), a mask, or a callable that gets X and gives
        one of these. One name or place alone gives its transformer a 1-d column, of texts say.
    remainder : {"drop", "passthrough"} or transformer, default="drop"
        For columns that no transformer gets.
    sparse_threshold : float, default=0.3
        If results are sparse, give a sparse matrix where the fraction of values stored is less.
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
    transformers_ : list of (str, transformer, columns)
        The fitted copies, and where columns remain, "remainder".
    named_transformers_ : dict of str to transformer
        The same by name.
    sparse_output_ : bool
        Whether the result is sparse.
    output_indices_ : dict of str to slice
        Where in the result that of each transformer stands.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if names repeat or hold "__", or X has no such columns.
    TypeError
        By ``fit``: if something is not a transformer.

    See Also
    --------
    make_column_transformer : Names made of the classes.
    statfast.pipeline.Pipeline : Transformers one after another.

    Notes
    -----
    Fitted are copies, so that `transformers` stay as they were given. In a data frame columns are
    found by the names they had at fit, wherever they stand; others may be there. Weights reach each
    transformer that takes them.

    Where all transformers are `StandardScaler` or "passthrough", and the last step of a pipeline
    that begins so is a model of merged statistics, cross-validation merges those of the pipeline.

    References
    ----------
    L. Buitinck et al. (2013), "API design for machine learning software: experiences from the
    scikit-learn project". arXiv:1309.0238

    Examples
    --------
    >>> from statfast.pipeline import ColumnTransformer
    >>> from statfast.preprocessing import OneHotEncoder, StandardScaler
    >>> table = ColumnTransformer(
    ...     [("size", StandardScaler(), [0]), ("color", OneHotEncoder(), [1])], sparse_threshold=0
    ... )
    >>> table.fit_transform([[1.0, "red"], [3.0, "blue"]])
    array([[-1.,  0.,  1.],
           [ 1.,  1.,  0.]])
    >>> table.get_feature_names_out(["x", "c"]).tolist()
    ['size__x', 'color__c_blue', 'color__c_red']
    """

    _plan: Any = fitted()

    _listed = "transformers"

    transformers: list[Any] | None = param(by_fit, default=None, kw_only=False)
    remainder: Any = param(checked_by(as_transformer, *KEYWORDS), default="drop")
    sparse_threshold: float = param(real(0, 1), default=0.3)
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
    output_indices_: dict[str, slice] = fitted()

    # ------------------------------------------------------------ fit
    def fit(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Self:
        """Fit each transformer to its features.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            ``name__argument``: arguments of ``fit`` of a transformer.

        Returns
        -------
        self : ColumnTransformer
        """
        self._fit_all(X, y, sample_weight, params)
        return self

    def fit_transform(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> Any:
        """Fit, and transform the same samples.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            ``name__argument``: arguments of ``fit`` of a transformer.

        Returns
        -------
        ndarray or csr_array of shape (n, columns)
            Or the table asked for by `set_output`.
        """
        table, parts = self._fit_all(X, y, sample_weight, params)
        return self._side_by_side(parts, table)

    def _fit_all(
        self, X: Any, y: Any, sample_weight: Weights, params: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        entries = self._checked_entries()
        table = as_container(X)
        as_weights(sample_weight, table.shape[0])
        planned = self._planned(entries, table)
        steps = [
            (name, step, partial(take_columns, table, places, alone))
            for name, step, _, places, alone in planned
            if places
        ]
        arguments = arguments_of_steps(
            self, "fit", [step[:2] for step in steps], sample_weight, params
        )
        models, parts = self._fit_each(steps, y, arguments)
        model_of = dict(zip([name for name, *_ in steps], models, strict=True))
        fitted = [(name, model_of.get(name, step), columns) for name, step, columns, *_ in planned]
        widths = {name: part.shape[1] for name, part in parts.items()}
        sparse = self._is_sparse(parts.values())
        names = column_names(X)
        self._become(fitted, planned, widths, sparse, int(table.shape[1]), names)
        return table, parts

    def _become(
        self,
        fitted: list[Any],
        planned: list[Any],
        widths: dict[str, int],
        sparse: bool,
        n_features: int,
        names: Array | None,
    ) -> Self:
        """Publish the fitted transformers and the columns of the result that each gives."""
        slices, start = {name: slice(0, 0) for name, *_ in [*planned, ("remainder",)]}, 0
        for name, width in widths.items():
            slices[name] = slice(start, start := start + width)
        return self._publish(
            None,
            transformers_=fitted,
            sparse_output_=sparse,
            output_indices_=slices,
            n_features_in_=n_features,
            **({} if names is None else {"feature_names_in_": names}),
            _plan={name: (places, alone) for name, _, _, places, alone in planned},
            _n_features_out=start,
        )

    def _checked_entries(self) -> list[Any]:
        """The list of transformers, after a check of it and of the other parameters."""
        entries = self.transformers
        if not isinstance(entries, list | tuple) or not len(entries):
            raise TypeError(
                "transformers must be a list of triples (name, transformer, columns); got "
                f"{shown(entries)}."
            )
        for entry in entries:
            if (
                not isinstance(entry, list | tuple)
                or len(entry) != 3
                or not isinstance(entry[0], str)
            ):
                raise TypeError(
                    "transformers must hold triples (name, transformer, columns); got "
                    f"{shown(entry)}."
                )
        self._check_names([name for name, *_ in entries], Estimator.get_params(self, deep=False))
        for name, step, _ in entries:
            as_transformer(step, f"transformers: {name!r}")
        self._checked()
        return entries

    def _planned(self, entries: list[Any], table: Any) -> list[Any]:
        """For each transformer (name, transformer, columns, places of the columns, whether a single
        column was named, which is passed as a 1-d array)."""
        planned, used = [], set()
        for name, step, columns in entries:
            columns = columns(table) if callable(columns) else columns
            places, alone = places_of(columns, table)
            planned.append((name, step, columns, places, alone))
            used.update(places)
        rest = [j for j in range(table.shape[1]) if j not in used]
        if rest:
            names = column_names(table)
            by_name = all(_are_names(columns) for _, _, columns, _, _ in planned)
            columns = names[rest].tolist() if names is not None and by_name else rest
            planned.append(("remainder", self.remainder, columns, rest, False))
        return planned

    # ------------------------------------------------------------ rows
    def transform(self, X: Rows, **params: Any) -> Any:
        """Transform the features, each by its transformer.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (m, d)
            Samples to transform.
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
            If X lacks columns of the fitted one, and for other arguments without routing.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        table = as_container(X)
        order, arguments = self._order(table), arguments_of_transforms(self, params)
        parts = {}
        for name, step, _ in self.transformers_:
            places, alone = self._plan[name]
            if not places or (isinstance(step, str) and step == "drop"):
                continue
            rows = take_columns(table, [order[j] for j in places], alone)
            if not isinstance(step, str):
                rows = step.transform(rows, **arguments.get(name, {}))
            parts[name] = rows
        return self._side_by_side(parts, table)

    def _order(self, table: Any) -> list[int]:
        """For each column of the table of the fit its place in this table; -1 where it is missing
        and not needed."""
        d = self.n_features_in_
        seen, names = self.__dict__.get("feature_names_in_"), column_names(table)
        if seen is not None and names is not None:
            place_of_name = {name: j for j, name in reversed(list(enumerate(names)))}
            used = {j for name, step, _ in self.transformers_ if not is_word(step, "drop")
                    for j in self._plan[name][0]}  # fmt: skip
            missing = [
                name for j, name in enumerate(seen) if j in used and name not in place_of_name
            ]
            if missing:
                raise ValueError(f"columns are missing: X lacks {shown(missing)}.")
            return [place_of_name.get(name, -1) for name in seen]
        compare_names(self, table)
        if table.shape[1] != d:
            raise ValueError(
                f"X has {table.shape[1]} features, but {type(self).__name__} is expecting {d} "
                "features as input."
            )
        return list(range(d))

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
        steps = [entry[1] for entry in self.transformers or ()] + [self.remainder]
        for step in steps + [entry[1] for entry in self.__dict__.get("transformers_", ())]:
            if hasattr(step, "set_output"):
                step.set_output(transform=transform)
        return self

    def _named(self, names: Any) -> list[str]:
        names, named = np.asarray(names, dtype=object), []
        for name, step, _ in self.transformers_:
            places, _alone = self._plan[name]
            if not places or is_word(step, "drop"):
                continue
            features = names[places]
            if not isinstance(step, str):
                features = step.get_feature_names_out(features)
            named += [(name, feature) for feature in features]
        return self._styled(named)

    def _is_sparse(self, parts: Any) -> bool:
        stored = sum(part.nnz if is_sparse(part) else float(np.prod(part.shape)) for part in parts)
        total = sum(float(np.prod(part.shape)) for part in parts)
        threshold = self._checked_value("sparse_threshold")
        return any(is_sparse(part) for part in parts) and stored / total < threshold

    def _routes(self) -> list[Route]:
        routes = []
        for name, step in [*self._pairs(), ("remainder", self.remainder)]:
            if not isinstance(step, str):
                routes.append(Route(name, step, calls_of_transformer(step)))
        return routes

    # ------------------------------------------------------------ the fitted ones
    @property
    def named_transformers_(self) -> Any:
        """The fitted transformers by their names."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return ByName((name, step) for name, step, _ in self.transformers_)

    def __getitem__(self, name: str) -> Any:
        if not self.__sklearn_is_fitted__():
            raise TypeError("ColumnTransformer is subscriptable after it is fitted")
        return self.named_transformers_[name]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        steps = [step for _, step in self._pairs()]
        input_tags = [
            s.__sklearn_tags__().input_tags for s in steps if hasattr(s, "__sklearn_tags__")
        ]
        tags.input_tags.sparse = all(tag.sparse for tag in input_tags)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in input_tags)
        return tags


def make_column_transformer(
    *transformers: Any,
    remainder: Any = "drop",
    sparse_threshold: float = 0.3,
    n_jobs: int | None = None,
    verbose: bool = False,
    verbose_feature_names_out: bool | str | Callable[..., Any] = True,
) -> ColumnTransformer:
    """Make a `ColumnTransformer` whose transformers have the lowercase names of their classes.

    Parameters
    ----------
    *transformers : (transformer, columns)
        Of several of one class, each name ends with its number: "scaler-1", "scaler-2".
    remainder : {"drop", "passthrough"} or transformer, default="drop"
        For columns that no transformer gets.
    sparse_threshold : float, default=0.3
        If results are sparse, give a sparse matrix where the fraction of values stored is less.
    n_jobs : int, optional
        Kept for scikit-learn's sake: transformers have threads of their own.
    verbose : bool, default=False
        Print the seconds that each transformer takes.
    verbose_feature_names_out : bool, str or callable, default=True
        Names as ``transformer__name``; as they are; as a format with {transformer_name} and
        {feature_name}; or what a function of both gives.

    Returns
    -------
    ColumnTransformer

    Examples
    --------
    >>> from statfast.pipeline import make_column_transformer
    >>> from statfast.preprocessing import OneHotEncoder, StandardScaler
    >>> made = make_column_transformer((StandardScaler(), [0]), (OneHotEncoder(), [1]))
    >>> [name for name, _, _ in made.transformers]
    ['standardscaler', 'onehotencoder']
    """
    for pair in transformers:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(
                f"transformers must be pairs (transformer, columns); got {shown(pair)}."
            )
    names = numbered_names([step for step, _ in transformers])
    return ColumnTransformer(
        [(name, *pair) for name, pair in zip(names, transformers, strict=True)],
        remainder=remainder,
        sparse_threshold=sparse_threshold,
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )


def _are_names(columns: list[int]) -> bool:
    columns = [columns] if isinstance(columns, str) else columns
    return not isinstance(columns, slice) and len(shape_of(columns)) == 1 and all(
        isinstance(column, str) for column in columns
    )  # fmt: skip
