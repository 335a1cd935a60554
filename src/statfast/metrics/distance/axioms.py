# SPDX-License-Identifier: BSD-3-Clause
"""Is a function a metric? What the points at hand say; and balls about a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._distance import as_metric, is_callable, scaled
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import (
    as_real,
    as_rows,
    refuse_large,
    shown,
    to_array,
    wrong_type,
)

AXIOMS = ("nonnegative", "identity", "symmetry", "triangle")


@dataclass(frozen=True, eq=False, repr=False)
class MetricCheck:
    """Result of `metric_check`: true if no axiom is violated; prints as a sentence.

    Attributes
    ----------
    nonnegative : tuple of int (i, j), or None
        The pair with the most negative distance, if any is.
    identity : tuple of int (i, j), or None
        A point with a distance to itself (i = j), or two different points without one.
    symmetry : tuple of int (i, j), or None
        The pair whose two distances differ most.
    triangle : tuple of int (i, j, k), or None
        The triple with the largest excess d(i, k) - d(i, j) - d(j, k).
    excess : float
        That excess; negative or 0 where the inequality holds for all triples. Minus infinity of
        fewer than three points, of which there are no triples.
    distances : ndarray of shape (n, n)
        d(i, j), from point i to point j.

    Examples
    --------
    >>> from statfast.metrics import metric_check
    >>> points = [[0.0], [1.0], [3.0]]
    >>> check = metric_check(lambda a, b: float((a[0] - b[0]) ** 2), points)
    >>> check.triangle, check.excess, check.symmetry
    ((0, 1, 2), 4.0, None)
    >>> "a metric" if check else "no metric"
    'no metric'
    """

    nonnegative: tuple[int, int] | None
    identity: tuple[int, int] | None
    symmetry: tuple[int, int] | None
    triangle: tuple[int, int, int] | None
    excess: float
    distances: NDArray[np.float64]

    def __bool__(self) -> bool:
        return not any(getattr(self, axiom) for axiom in AXIOMS)

    def __str__(self) -> str:
        D = self.distances
        faults = []
        if self.nonnegative:
            i, j = self.nonnegative
            faults.append(f"d({i}, {j}) = {D[i, j]:.4g} is negative")
        if self.identity:
            i, j = self.identity
            what = "is not 0" if i == j else "is 0 though the points differ"
            faults.append(f"d({i}, {j}) = {D[i, j]:.4g} {what}")
        if self.symmetry:
            i, j = self.symmetry
            faults.append(f"d({i}, {j}) = {D[i, j]:.4g} but d({j}, {i}) = {D[j, i]:.4g}")
        if self.triangle:
            i, j, k = self.triangle
            faults.append(
                f"d({i}, {k}) = {D[i, k]:.4g} is more than d({i}, {j}) + d({j}, {k}) = "
                f"{D[i, j] + D[j, k]:.4g}"
            )
        if not faults:
            return f"A metric on these {len(D)} points."
        return f"No metric on these {len(D)} points: {'; '.join(faults)}."

    __repr__ = __str__


def metric_check(d: Any, X: Any, *, tol: float = 1e-10) -> MetricCheck:
    """Check the axioms of a metric on some points.

    Parameters
    ----------
    d : callable or str
        A function of two points (samples, or objects of any kind), called for each ordered pair; or
        the name of a metric of `NearestNeighbors`.
    X : array-like of shape (n, q), or sequence of n objects
        Points.
    tol : float, default=1e-10
        Fraction of the largest distance that counts as rounding.

    Returns
    -------
    MetricCheck

    Raises
    ------
    ValueError
        If d gives NaN, if there are no points, or if the name is unknown.
    TypeError
        If d is neither a name nor a function, or gives no number.

    Notes
    -----
    A yes holds for these points alone. Cost: n^2 calls of d and n^3 additions; memory 24 n^2 bytes.

    Examples
    --------
    >>> from statfast.metrics import metric_check
    >>> points = [[0.0], [1.0], [3.0]]
    >>> metric_check("euclidean", points)
    A metric on these 3 points.
    >>> metric_check(lambda a, b: float((a[0] - b[0]) ** 2), points)
    No metric on these 3 points: d(0, 2) = 9 is more than d(0, 1) + d(1, 2) = 5.
    """
    tol = as_real(tol, "tol", 0.0)
    points, D = _table(d, X)
    n = len(D)
    slack = tol * np.abs(D).max(initial=0.0)

    def worst(fault: Array) -> Any:
        i, j = np.unravel_index(int(fault.argmax()), fault.shape)
        return (int(i), int(j)) if fault[i, j] > slack else None

    excess, triple = -np.inf, None
    for j in range(n):
        checkpoint()
        over = D - (D[:, j, None] + D[j])
        over[j], over[:, j] = -np.inf, -np.inf
        np.fill_diagonal(over, -np.inf)
        place = int(over.argmax())
        if over.flat[place] > excess:
            excess = float(over.flat[place])
            triple = place // n, j, place % n
    return MetricCheck(
        worst(-D),
        _identity(D, points, slack),
        worst(np.abs(D - D.T)),
        triple if excess > slack else None,
        excess,
        D,
    )


def _identity(D: Array, points: Array, slack: float) -> Any:
    """A point away from itself, or two different points that are not apart."""
    diagonal = np.abs(D.diagonal())
    if (diagonal > slack).any():
        i = int(diagonal.argmax())
        return i, i
    for i, j in zip(*np.nonzero(np.triu(np.abs(D) == 0.0, 1)), strict=True):
        if not np.array_equal(points[i], points[j]):
            return int(i), int(j)
    return None


def _table(d: Any, X: Any) -> tuple[Array, Array]:
    """Points, and the distances of all ordered pairs."""
    if not callable(d) and not isinstance(d, str):
        raise wrong_type("d", "a function of two points, or the name of a metric", d)
    if isinstance(d, str):
        rows = as_rows(X)
        refuse_large(24 * len(rows) ** 2, f"The check of {len(rows)} points", "Pass fewer.")
        return rows, distances(rows, rows, d, None)
    points = X
    if hasattr(X, "ndim") or hasattr(X, "columns"):
        points = as_rows(X) if getattr(X, "ndim", 2) == 2 else to_array(X, "X", "points")
    elif isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        points = as_rows(X)
    known = hasattr(points, "__len__") and not isinstance(points, dict | set | str)
    n = 0 if not known or getattr(points, "ndim", 1) == 0 else len(points)
    if n == 0:
        raise ValueError(f"X must hold points; got {shown(X)}. Pass a list of them.")
    refuse_large(24 * n**2, f"The check of {n} points", "Pass fewer.")
    D = np.empty((n, n))
    for i in range(n):
        checkpoint()
        D[i] = [_number(d, points, i, j) for j in range(n)]
    return points, D


def _number(d: Callable[..., Any], points: Array, i: int, j: int) -> float:
    value = d(points[i], points[j])
    try:
        number = float("" if isinstance(value, str | bytes) else value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"d must give numbers; got {shown(value)} for points {i} and {j}."
        ) from error
    if isnan(number):
        raise ValueError(f"d must give numbers; got NaN for points {i} and {j}. Fix it.")
    return number


def open_ball(
    X: Any, center: Any, radius: float, *, metric: str | Callable = "euclidean",
    metric_params: dict | None = None,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return which samples lie in the open ball about a center.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    center : array-like of shape (d,)
        Center of the ball.
    radius : float
        Positive. Samples at this distance are not within.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, such as "minkowski" with ``metric_params={"p":
        3}`` or "mahalanobis" with ``{"V": covariance}``, or a function of two samples.
    metric_params : dict, optional
        Further parameters of the metric.

    Returns
    -------
    within : ndarray of shape (n,), bool

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, `center` is not one of its rows in kind, or `radius` is not
        positive, or the metric is unknown.

    Examples
    --------
    >>> from statfast.metrics import open_ball
    >>> points = [[8.0, 6.0], [3.0, 7.0], [4.0, 3.0]]
    >>> open_ball(points, [3.0, 2.0], 5.0).tolist()
    [False, False, True]
    >>> open_ball(points, [3.0, 2.0], 9.5, metric="manhattan").tolist()
    [True, True, True]
    """
    rows = as_rows(X)
    middle = to_array(center, "center", "a point")
    middle = as_rows(middle[None] if middle.ndim == 1 else middle, name="center")
    if middle.shape != (1, rows.shape[1]):
        raise ValueError(
            f"center must be one point of {rows.shape[1]} columns; got shape {middle.shape}."
        )
    radius = as_real(radius, "radius", 0.0, open_low=True)
    return distances(middle, rows, metric, metric_params)[0] < radius


def distances(queries, rows, metric, metric_params):
    """Distances from each of the queries to each of others, (m, n)."""
    rows, queries = rows.astype(np.float64), queries.astype(np.float64)
    chosen = as_metric(metric, metric_params=metric_params, d=rows.shape[1], X=rows)
    if is_callable(chosen):
        function = chosen.function
        return np.array([[float(function(a, b)) for b in rows] for a in queries])
    m = len(queries)
    made = scaled(np.vstack([queries, rows]), chosen)
    return made.between(np.arange(m), np.arange(m, m + len(rows)))
