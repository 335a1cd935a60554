# SPDX-License-Identifier: BSD-3-Clause
"""Partial dependence: predictions of a model when one or more columns are set to values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, each
from statfast._estimator import CoefficientTable, Display, Tabled, picture
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_estimator,
    as_real,
    as_weights,
    is_missing,
    not_fitted,
    refuse_large,
    shown,
    wrong_type,
)
from statfast.inspection.row_table import RowTable

ROWS_PER_CALL = 1 << 18  # rows that a model predicts at a time, about


@dataclass(frozen=True, repr=False)
class PartialDependence(Tabled):
    """Result of `partial_dependence`.

    Attributes
    ----------
    grid_values : list of ndarray
        Values of each column.
    average : ndarray of shape (outputs, len(values_0), len(values_1), ...), or None
        Mean predictions.
    individual : ndarray of shape (outputs, n, len(values_0), len(values_1), ...), or None
        Those of each row (individual conditional expectation).
    names : list of str
        Of the columns.
    labels : list
        Of the outputs: classes of a classifier (the second of two), or None.
    method : str
        "brute" or "recursion".
    response : str
        What is averaged: "predict", "predict_proba" or "decision_function"; "raw" of recursion, raw
        predictions less what they began with.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.inspection import partial_dependence
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = LinearRegression().fit(X, [1.0, 3.0, 5.0, 7.0])
    >>> result = partial_dependence(model, X, 0, percentiles=(0, 1), grid_resolution=4)
    >>> result.grid_values[0], result.average[0].round(6)
    (array([0., 1., 2., 3.]), array([1., 3., 5., 7.]))
    """

    grid_values: list
    average: NDArray[np.float64] | None
    individual: NDArray[np.float64] | None
    names: list
    labels: list
    method: str
    response: str

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def table(self) -> CoefficientTable:
        """Mean predictions of each output, a row for each point of the grid.

        Returns
        -------
        CoefficientTable
        """
        average = self.average
        if average is None:
            average = np.asarray(self.individual).mean(axis=1)
        points = list(product(*self.grid_values))
        names = [
            ", ".join(
                f"{n}={v:.4g}" if isinstance(v, float) else f"{n}={v}"
                for n, v in zip(self.names, point, strict=True)
            )
            for point in points
        ]
        alone = "Raw average" if self.response == "raw" else "Average"
        heads = [alone if label is None else str(label) for label in self.labels]
        columns = average.reshape(len(average), -1)
        return CoefficientTable(names, dict(zip(heads, columns, strict=True)))

    def plot(self, **style: Any) -> Display:
        """Draw it: `statfast.plot.partial_dependence`.

        Parameters
        ----------
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("partial_dependence")(self, **style)


def partial_dependence(
    estimator: Any,
    X: Rows,
    features: int | str | Sequence[Any],
    *,
    sample_weight: Weights = None,
    categorical_features: ArrayLike | None = None,
    response_method: Literal["auto", "predict_proba", "decision_function", "predict"] = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: dict[Any, Any] | None = None,
    method: Literal["auto", "brute", "recursion"] = "auto",
    kind: Literal["average", "individual", "both"] = "average",
    n_jobs: int | None = None,
) -> PartialDependence:
    """Partial dependence: the average prediction with features set to given values.

    Parameters
    ----------
    estimator : estimator
        Fitted: anything with ``predict``, ``predict_proba`` or ``decision_function``.
    X : array-like of shape (n, d)
        Rows to average over. A data frame stays one.
    features : int, str, or sequence of them
        One column or more, by number or name.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    categorical_features : array-like of bool, int or str, optional
        Columns whose distinct values are the grid, in whatever number.
    response_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What is asked: "auto" is ``predict_proba``, or without it ``decision_function``, or without
        that ``predict``. Of two classes it is of the second.
    percentiles : tuple of float, default=(0.05, 0.95)
        Where a grid begins and ends, unless a column has fewer distinct values than
        `grid_resolution`: these are the grid then.
    grid_resolution : int, default=100
        Evenly spaced values of a column.
    custom_values : dict, optional
        The grid of columns, by number or name.
    method : {"auto", "brute", "recursion"}, default="auto"
        "brute" asks about each row with each value of the grid. "recursion", for trees that offer
        it, takes from the rows of the fit how many go which way where other columns are asked
        about, and is of the raw prediction less what it began with. "auto" is "recursion" where it
        is offered, for averages without weights.
    kind : {"average", "individual", "both"}, default="average"
        The average, the curve of each sample (ICE), or both.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    PartialDependence

    Raises
    ------
    ValueError
        If a column is not there, the grid is empty, or a method is not offered.

    Notes
    -----
    The averages of "brute" are exact: no row or value is left out. Rows of values that the data do
    not have are asked about where columns depend on each other [2]_.

    Cost: n predictions for each point of the grid. Memory: a copy of the rows for each thread.

    References
    ----------
    .. [1] Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine.
       Annals of Statistics 29, 1189-1232. https://doi.org/10.1214/aos/1013203451
    .. [2] Goldstein, A., Kapelner, A., Bleich, J. and Pitkin, E. (2015). Peeking inside the black
       box. Journal of Computational and Graphical Statistics 24, 44-65.
       https://doi.org/10.1080/10618600.2014.907095

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearRegression
    >>> from statfast.inspection import partial_dependence
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = LinearRegression().fit(X, X @ [2.0, -1.0])
    >>> result = partial_dependence(model, X, 0, grid_resolution=3)
    >>> (np.diff(result.average[0]) / np.diff(result.grid_values[0])).round(6)
    array([2., 2.])
    """
    if isinstance(estimator, type):
        raise wrong_type("estimator", "a fitted estimator", estimator)
    if getattr(estimator, "__sklearn_is_fitted__", lambda: True)() is False:
        raise not_fitted(estimator)
    table = RowTable(X)
    columns = _columns(table, features)
    kind = as_choice(kind, "kind", ("average", "individual", "both"))
    weights = as_weights(sample_weight, table.shape[0])
    method = as_choice(method, "method", ("auto", "brute", "recursion"))
    wanted = as_choice(response_method, "response_method", ("auto", *RESPONSES))
    categorical = _flags(table, categorical_features)
    counted = table if weights is None else table.part(np.flatnonzero(weights))
    values = [
        _grid(counted, j, custom_values, categorical, percentiles, grid_resolution) for j in columns
    ]
    points = _product(values)
    recursion: Any = getattr(estimator, "_compute_partial_dependence_recursion", None)
    plain = kind == "average" and weights is None and callable(recursion)
    if method == "auto":
        method = "recursion" if plain and wanted in ("auto", "decision_function") else "brute"
    names = [table.name(j) for j in columns]
    shape = tuple(len(v) for v in values)
    if method == "recursion":
        if not plain or wanted not in ("auto", "decision_function"):
            raise ValueError(
                "method='recursion' is for averages of raw predictions without weights, of "
                f"estimators that offer it; {type(estimator).__name__} with kind={kind!r} and "
                f"response_method={wanted!r} is not. Choose 'brute'."
            )
        average = np.asarray(recursion(_as_grid(points), np.array(columns, np.intp)))
        labels = _labels(estimator, average.shape[0])
        return PartialDependence(
            values, average.reshape(-1, *shape), None, names, labels, "recursion", "raw"
        )
    response = _response(estimator, wanted)
    average, individual = _brute(estimator, table, columns, points, response, weights, kind, n_jobs)
    labels = _labels(estimator, (individual if average is None else average).shape[0])
    return PartialDependence(
        values,
        None if average is None else average.reshape(-1, *shape),
        None if individual is None else individual.reshape(*individual.shape[:2], *shape),
        names,
        labels,
        "brute",
        response,
    )


RESPONSES = ("predict_proba", "decision_function", "predict")


def _as_grid(points: Any) -> Any:
    """Points as numbers, or as objects where columns hold categories."""
    try:
        return np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(points, dtype=object)


def _brute(
    estimator: Any,
    table: RowTable,
    columns: list[int],
    points: list[tuple[float]],
    response: str,
    weights: Array | None,
    kind: str,
    n_jobs: Jobs,
) -> Any:
    predict = _predictor(estimator, response)
    n = table.shape[0]
    if kind != "average":
        refuse_large(8.0 * n * len(points), "Predictions of all rows", "Pass fewer rows.")

    def work(points: list[tuple[float]]) -> list[tuple[Array, None]]:
        changed, answers = table.copy(), []
        for point in points:
            for j, value in zip(columns, point, strict=True):
                changed.set(j, value)
            predictions = predict(changed.values)
            mean = np.average(predictions, axis=0, weights=weights)
            answers.append((mean, predictions if kind != "average" else None))
            checkpoint()
        return answers

    step = max(1, min(16, ROWS_PER_CALL // n))
    runs = [points[i : i + step] for i in range(0, len(points), step)]
    answers = [answer for run in each(work, runs, n_jobs=n_jobs) for answer in run]
    average = np.array([mean for mean, _ in answers]).T if kind != "individual" else None
    individual = None
    if kind != "average":
        individual = np.array([predictions for _, predictions in answers]).transpose(2, 1, 0)
    return average, individual


def _response(estimator: Any, wanted: str) -> str:
    """The name of the method of the estimator that predicts."""
    offered = [name for name in RESPONSES if callable(getattr(estimator, name, None))]
    if not offered:
        as_estimator(estimator, method="predict", wanted="a fitted estimator")
    names = [wanted] if wanted != "auto" else offered
    if not names or names[0] not in offered:
        raise ValueError(
            f"response_method must be a method of {type(estimator).__name__}, which has "
            f"{offered}; got {wanted!r}."
        )
    return names[0]


def _predictor(estimator: Any, name: str) -> Callable[..., Any]:
    """A function from rows to the predictions of the model, (n, outputs)."""

    def predict(X: Array) -> Array:
        predictions = np.asarray(getattr(estimator, name)(X))
        if predictions.dtype.kind not in "fiub":
            raise ValueError(
                "response_method='predict' gives labels that are not numbers of X. Choose "
                "'predict_proba' or 'decision_function'."
            )
        predictions = predictions.astype(np.float64)
        if predictions.ndim == 1:
            return predictions[:, None]
        return (
            predictions[:, 1:]
            if name == "predict_proba" and predictions.shape[1] == 2
            else predictions
        )

    return predict


def _labels(estimator: Any, outputs: int) -> list[float | None]:
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return [None] * outputs
    classes = np.asarray(classes).tolist()
    return classes if len(classes) == outputs else classes[-1:] * outputs


# ---------------------------------------------------------------- grids
def _columns(table: RowTable, features: Any) -> list[int]:
    if isinstance(features, str | int | np.integer):
        features = [features]
    try:
        listed = list(features)
    except TypeError as error:
        raise wrong_type("features", "columns of X by number or name", features) from error
    if not listed:
        raise ValueError("features must name a column of X; got none.")
    columns = [table.place(column, "features") for column in listed]
    if len(set(columns)) < len(columns):
        raise ValueError(f"features must be different columns of X; got {shown(listed)}.")
    return columns


def _flags(table: RowTable, categorical: Any) -> Array:
    flags = np.zeros(table.shape[1], dtype=bool)
    if categorical is None:
        return flags
    if isinstance(categorical, str) or not hasattr(categorical, "__iter__"):
        raise wrong_type("categorical_features", "a list of columns, or of flags", categorical)
    categorical = list(categorical)
    if categorical and all(isinstance(column, bool | np.bool_) for column in categorical):
        if len(categorical) != len(flags):
            raise ValueError(
                f"categorical_features must have a flag for each column of X ({len(flags)}); got "
                f"{len(categorical)}."
            )
        return np.array(categorical, dtype=bool)
    for column in categorical:
        flags[table.place(column, "categorical_features")] = True
    return flags


def _grid(table, j, custom, categorical, percentiles, resolution):
    if custom is not None:
        if not isinstance(custom, Mapping):
            raise wrong_type("custom_values", "a dict of values by column", custom)
        for key, values in custom.items():
            if table.place(key, "custom_values") == j:
                values = np.asarray(values)
                if values.ndim != 1 or not len(values):
                    raise ValueError(
                        f"custom_values must be 1d and not empty for column {j} of X; got shape "
                        f"{values.shape}."
                    )
                return values
    column = table.column(j)
    numbers = column.dtype.kind in "fiub"
    present = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    if not numbers:
        present = np.array(sorted({v for v in present.tolist() if not is_missing(v)}), object)
    distinct = np.unique(present) if numbers else present
    if not len(distinct):
        raise ValueError(f"X must have values in column {j}; got missing ones alone.")
    if categorical[j] or table.is_categorical(j) or column.dtype.kind == "b" or not numbers:
        return distinct
    n_points = as_count(resolution, "grid_resolution", 2)
    low, high = _ends(percentiles)
    if len(distinct) < n_points:
        return distinct.astype(np.float64)
    ends = _quantiles(present.astype(np.float64), (low, high))
    if np.allclose(*ends):
        raise ValueError(
            f"percentiles are too close to each other for column {j} of X, whose values are "
            f"{shown(float(ends[0]))} at both. Spread them."
        )
    return np.linspace(*ends, num=n_points)


def _ends(percentiles: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(percentiles, list | tuple) or len(percentiles) != 2:
        raise wrong_type("percentiles", "a pair of numbers", percentiles)
    low, high = (as_real(p, "percentiles", 0.0, 1.0) for p in percentiles)
    if low >= high:
        raise ValueError(f"percentiles must rise; got {low} and {high}.")
    return low, high


def _quantiles(values: Array, shares: tuple[float, float]) -> list[float]:
    """Quantiles about unbiased for the median (Cunnane 1978): plotting positions (i-.4)/(n+.2)."""
    values, n = np.sort(values), len(values)
    positions = [n * p + 0.4 + 0.2 * p for p in shares]
    floor = [int(min(max(a, 1), n - 1)) for a in positions]
    part = [min(max(a - k, 0.0), 1.0) for a, k in zip(positions, floor, strict=True)]
    return [
        (1 - g) * values[k - 1] + g * values[min(k, n - 1)]
        for k, g in zip(floor, part, strict=True)
    ]


def _product(values: list[Array]) -> Any:
    """All combinations, the last column fastest, as tuples."""
    points = [()]
    for column in values:
        points = [(*point, value) for point in points for value in column.tolist()]
    return points
