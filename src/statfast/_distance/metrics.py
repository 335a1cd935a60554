# SPDX-License-Identifier: BSD-3-Clause
"""The table of metrics: their names, their parameters, and the kernels that compute them.

It is a foundation, because neighbors, k-medoids and linkage all need it, and it is built on the
engine, as covariances are sums over blocks of rows.

Few metrics have a kernel of their own, which `Metric.kind` names. The others become one of those by
preparing the rows: a weight is a factor of its column, Mahalanobis distance is Euclidean distance
after whitening, and cosine distance is half the squared distance between normalized rows. Distances
are computed from float64 differences between prepared rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, isinf, pi
from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._distance.blockwise import TABLES, minkowski
from statfast._distance.gower import GowerColumns
from statfast._distance.parameters import variances, vector, whitening
from statfast._distance.precision import extent_of
from statfast._engine import each, grid
from statfast._typing import Array
from statfast._validation import as_real, did_you_mean, shown, wrong_type

# What kernels switch on: the numbers of _core/tile/metric.pxd.
EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, HAVERSINE, HAMMING, JACCARD = range(7)
CALLABLE = 9
BLOCKWISE = 10  # tables of blocks of rows, by numpy and scipy: no kernel

# name -> (kind, names of the parameters it takes)
TABLE: dict[str, tuple[int, tuple[str, ...]]] = {
    "euclidean": (EUCLIDEAN, ("w",)),
    "sqeuclidean": (EUCLIDEAN, ("w",)),
    "manhattan": (MANHATTAN, ("w",)),
    "chebyshev": (CHEBYSHEV, ("w",)),
    "minkowski": (MINKOWSKI, ("p", "w")),
    "seuclidean": (EUCLIDEAN, ("V",)),
    "mahalanobis": (EUCLIDEAN, ("V", "VI")),
    "cosine": (EUCLIDEAN, ()),
    "correlation": (EUCLIDEAN, ()),
    "haversine": (HAVERSINE, ()),
    "hamming": (HAMMING, ()),
    "jaccard": (JACCARD, ()),
    "canberra": (BLOCKWISE, ("w",)),
    "braycurtis": (BLOCKWISE, ("w",)),
    "nan_euclidean": (BLOCKWISE, ()),
    "jensenshannon": (BLOCKWISE, ("base",)),
    **dict.fromkeys(
        ("dice", "yule", "russellrao", "rogerstanimoto", "sokalmichener", "sokalsneath"),
        (BLOCKWISE, ()),
    ),
    "gower": (BLOCKWISE, ("kinds", "ranges", "w")),
}
ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "p": "minkowski",
    "matching": "hamming",
}
SPECIAL = {1.0: "manhattan", 2.0: "euclidean", inf: "chebyshev"}  # Minkowski's p
POLE = pi / 2 * (1 + 1e-12)  # radians; rounding may put a place a little beyond it
HALVED = ("cosine", "correlation")  # half the squared distance of normalized rows

# Units in the last place: by fewer than these, a power and its root miss each other.
MAX_ULPS_OF_GUESS = 1 << 18


@dataclass(frozen=True, eq=False)
class Metric:
    """A distance between rows: the kind that kernels compute, and how rows are prepared."""

    name: str
    kind: int
    p: float = 2.0  # the exponent, of kind MINKOWSKI
    # Of two float64 rows, or of two blocks of rows if the kind is BLOCKWISE.
    function: Callable[..., Any] | None = None
    origin: np.ndarray | None = None  # (d,) is subtracted from rows before they are scaled
    factor: np.ndarray | None = None  # (d,) factors of columns; or (d, d), x becomes x @ factor
    scale: float = 1.0  # of the factor; distances are divided by it again
    columns: Any = None  # GowerColumns of the metric "gower"; else None

    @property
    def prepares(self) -> bool:
        """Whether `prepare` changes rows."""
        return self.factor is not None or self.name in HALVED

    def prepare(
        self, rows: np.ndarray, *, name: str = "X", n_jobs: int | None = None
    ) -> np.ndarray:
        """Rows between which the kernels' metric is this one; a row's image depends on it alone.

        Parameters
        ----------
        rows : ndarray of shape (n, d)
            Checked rows. Returned as they are where nothing has to be done.
        name : str
            What the caller's argument is called.
        n_jobs : int, optional
            Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
            for any number.

        Returns
        -------
        ndarray of shape (n, d), float64 if it is a new one.

        Raises
        ------
        ValueError
            For cosine if a row is zero, for correlation if its values are all equal: the distance
            is 0 / 0. For haversine if a latitude is beyond a pole. If a number overflows.
        """
        if self.kind == HAVERSINE:
            _require_places(rows, name)
        if not self.prepares:
            return rows
        n, d = rows.shape
        out = np.empty((n, d))

        def fill(block: slice) -> None:
            prepared = np.array(rows[block], np.float64, order="C")
            if self.name in HALVED:
                normalize(prepared, self.name, name, block.start)
                out[block] = prepared
            else:
                self._scale(prepared, out[block])

        whitens = self.factor is not None and self.factor.ndim == 2
        most = max(64, (1 << 24) // (d * d)) if whitens else max(64, (1 << 20) // d)
        each(fill, grid(n, most=most), n_jobs=n_jobs, effort=n * d * (2.0 * d if whitens else 8.0))
        return out

    def _scale(self, rows: Array, out: Array) -> None:
        assert self.factor is not None
        with np.errstate(over="ignore", invalid="ignore"):
            if self.origin is not None:
                rows -= self.origin
            if self.factor.ndim == 1:
                np.multiply(rows, self.factor, out=out)
            else:  # the tiles sum in one order, however many rows there are; BLAS may not
                no_origin = np.zeros(rows.shape[1], np.float32)
                columns = np.ascontiguousarray(self.factor.T)
                pairwise.matrix("product", rows, columns, no_origin, 0.0, out)
        if not np.isfinite(out).all():
            raise ValueError(
                f"Rows of X overflow where they are scaled for the metric {self.name!r}. "
                "Scale them down, or the metric's parameters up or down."
            )

    def finish(self, reduced: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The distances of reduced ones, perhaps written to `out` (which may be `reduced`)."""
        if self.name in HALVED:
            return np.multiply(reduced, 0.5, out=out)
        if self.kind == EUCLIDEAN and self.name != "sqeuclidean":
            distances = np.sqrt(reduced, out=out)
        elif self.kind == MINKOWSKI:
            distances = np.power(reduced, 1 / self.p, out=out)
        else:  # a squared distance has the scale twice
            distances = np.multiply(reduced, 1.0 / self.scale, out=out)
        return distances if self.scale == 1.0 else np.multiply(distances, 1.0 / self.scale, out=out)

    def reduce(self, distance: Any) -> Array:
        """The reduced distances of distances; for radii see `reduce_radii`."""
        if self.name in HALVED:
            return np.multiply(distance, 2.0)
        distance = np.multiply(distance, self.scale, dtype=np.float64)
        if self.kind == EUCLIDEAN and self.name != "sqeuclidean":
            return np.square(distance, dtype=np.float64)
        if self.kind == MINKOWSKI:
            return np.power(distance, self.p, dtype=np.float64)
        return np.multiply(distance, self.scale)

    def reduce_radii(self, radii: Any) -> Array:
        """The largest reduced distances whose distances are within the radii.

        Where rounding lets several reduced distances have one distance, all of them are as near:
        a row at distance sqrt(3) is within sqrt(3), whose square is less than 3.
        """
        radii = np.asarray(radii, np.float64)
        # Numbers that are not negative are ordered as their bits, so that bits can be bisected.
        with np.errstate(over="ignore", under="ignore"):
            guess = np.minimum(self.reduce(radii), np.finfo(np.float64).max).view(np.int64)
            most = np.finfo(np.float64).max.view(np.int64)
            low, high = (
                np.maximum(guess - MAX_ULPS_OF_GUESS, 0),
                np.minimum(guess + MAX_ULPS_OF_GUESS, most),
            )
            while (low < high).any():
                middle = high - (high - low) // 2
                within = self.finish(middle.view(np.float64)) <= radii
                low, high = np.where(within, middle, low), np.where(within, high, middle - 1)
        return low.view(np.float64)


PLAIN = Metric("euclidean", EUCLIDEAN)


def as_metric(
    metric: Any, *, p: float = 2, metric_params: dict[str, Any] | None = None, d: int,
    X: np.ndarray | None = None,
) -> Metric:  # fmt: skip
    """Check a metric and its parameters.

    Parameters
    ----------
    metric : str, callable or Metric
        A name of TABLE or ALIASES, or a function of two float64 rows of shape (d,).
    p : float
        Exponent of "minkowski", above 0 or infinite; 1, 2 and inf are the special metrics, and
        below 1 it is none, which is of kind BLOCKWISE.
    metric_params : dict, optional
        "w": weights (d,) of the features, of the Minkowski family: sum w |a - b|^p; "p";
        "base" of the logarithms of "jensenshannon";
        "kinds" and "ranges" of "gower", see gower.py;
        "V": variances (d,) for "seuclidean", covariance (d, d) for "mahalanobis", or "VI", its
        inverse; for a callable its keyword arguments.
    d : int
        Columns of the rows.
    X : ndarray of shape (n, d), optional
        The fitted rows: their variances or covariance (divided by n - 1) take the place of a
        missing V, and their mean that of the origin, which keeps digits far from it. For "gower"
        any table, of which the kinds and the ranges of its columns are taken.

    Returns
    -------
    Metric

    Raises
    ------
    ValueError
        If the name is unknown, a parameter is missing, out of range, of the wrong shape or not
        the metric's, or a covariance is singular.
    TypeError
        If metric is neither a string nor callable, or a parameter is not a number.
    """
    if isinstance(metric, Metric):
        return metric
    params = _as_params(metric_params)
    if callable(metric):
        return Metric("callable", CALLABLE, function=_with(metric, params))
    name = _name_of(metric)
    kind, takes = TABLE[name]
    for key in params:
        if key not in takes:
            wanted = " and ".join(map(repr, takes)) or "nothing"
            raise ValueError(
                f"metric_params of the metric {name!r} may hold {wanted}; got {shown(key)}. "
                "Leave it out."
            )
    if name == "haversine" and d != 2:
        raise ValueError(
            f"The metric 'haversine' takes 2 columns, latitude and longitude in radians; "
            f"X has {d}. Choose those columns."
        )
    if name == "gower":
        columns = GowerColumns.from_table(X, params)
        return Metric(name, kind, function=columns.table, columns=columns)
    p = _exponent(params.get("p", p))
    steep = name == "minkowski" and p < 1.0  # no metric, and no tree or kernel serves it
    if kind == BLOCKWISE or steep:
        arguments: dict[str, Any] = {"weights": params.get("w")}
        if arguments["weights"] is not None:
            arguments["weights"] = vector(params["w"], "metric_params['w']", d, zero=True)
        if steep:
            table = partial(minkowski, p=p, **arguments)
            return Metric(name, BLOCKWISE, p, function=table)
        if params.get("base") is not None:
            base = as_real(params["base"], "metric_params['base']", 1, open_low=True)
            arguments["base"] = base
        return Metric(name, kind, function=partial(TABLES[name], **arguments))
    if name == "minkowski":
        name = SPECIAL.get(p, name)
        kind = TABLE[name][0]
    power = {MANHATTAN: 1.0, CHEBYSHEV: inf, MINKOWSKI: float(p)}.get(kind, 2.0)
    factor = None
    if params.get("w") is not None:
        weights = vector(params["w"], "metric_params['w']", d, zero=True)
        factor = (weights > 0) * 1.0 if isinf(power) else weights ** (1 / power)
    elif name == "seuclidean":
        factor = 1 / np.sqrt(variances(params.get("V"), d, X))
    elif name == "mahalanobis":
        factor = whitening(params.get("V"), params.get("VI"), d, X)
    origin = None
    if factor is not None and X is not None:
        origin = extent_of(X).mean
    return Metric(name, kind, power, None, origin, factor)


def measured(value: Any, where: str, *rows: int, finite: bool = True) -> float:
    """The distance that a user's function returned, checked; `where` names the rows in messages."""
    try:
        distance = float("" if isinstance(value, str | bytes) else value)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"The function given as metric must return a number; got {shown(value)} for "
            f"{where.format(*rows)}."
        ) from error
    if not distance >= 0 or (finite and distance == inf):  # written so that NaN fails too
        raise ValueError(
            f"The function given as metric must return {'finite ' * finite}numbers that are not "
            f"negative; got {distance} for {where.format(*rows)}. Correct it, or leave such rows "
            "out."
        )
    return distance


def normalize(rows: Array, metric: str, name: str, first: int) -> None:
    """Bring rows to length 1 in place, less their means for "correlation".

    They are scaled by powers of two before, so that no square over- or underflows.
    """
    if metric == "correlation":
        empty, what = rows.max(axis=1) == rows.min(axis=1), "of equal values"
    else:
        empty, what = np.asarray(~rows.any(axis=1)), "of zeros"
    refuse_empty(empty, what, metric, name, first)
    for _ in range(2 if metric == "correlation" else 1):
        np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1], out=rows)
        if metric == "correlation":
            rows -= rows.mean(axis=1, keepdims=True)
    # Squares are summed in the order of all distances, which sparse rows follow too.
    squares = np.empty(len(rows))
    pairwise.distances(np.zeros(rows.shape[1]), rows, EUCLIDEAN, 2.0, squares)
    rows /= np.sqrt(squares)[:, None]


def refuse_empty(empty: Array, what: str, metric: str, name: str, first: int = 0) -> None:
    """Refuse the first row that is marked as empty, whose direction is not defined."""
    if empty.any():
        raise ValueError(
            f"{name} has a row {what} (row {first + empty.argmax()}), whose {metric} distance to "
            "others is not defined (0 / 0). Drop such rows, or choose another metric."
        )


def _as_params(metric_params: Any) -> dict[Any, Any]:
    if metric_params is None:
        return {}
    if not isinstance(metric_params, dict):
        raise wrong_type("metric_params", "a dict or None", metric_params)
    return metric_params


def _with(function: Callable[..., Any], arguments: dict[Any, Any]) -> Callable[..., Any]:
    if not arguments:
        return function
    if not all(isinstance(key, str) for key in arguments):
        raise wrong_type("metric_params", "a dict of keyword arguments", arguments)
    return partial(function, **arguments)


def _name_of(metric: Any) -> str:
    name = ALIASES.get(metric, metric) if isinstance(metric, str) else None
    if name in TABLE:
        return name
    wanted = f"one of {', '.join(map(repr, TABLE))}, or a function of two rows"
    if isinstance(metric, str):
        hint = did_you_mean(metric, (*TABLE, *ALIASES))
        raise ValueError(f"metric must be {wanted}; got {shown(metric)}.{hint}")
    raise wrong_type("metric", wanted, metric)


def _exponent(p: Any) -> float:
    if isinstance(p, float | np.floating) and p == inf:
        return inf
    return as_real(p, "p", 0, open_low=True)


def _require_places(rows: Array, name: str) -> None:
    for block in grid(len(rows)):
        wrong = np.abs(rows[block, 0]) > POLE
        if wrong.any():
            row = block.start + wrong.argmax()
            raise ValueError(
                f"{name} has a latitude beyond a pole: {rows[row, 0]} in row {row}. The metric "
                "'haversine' takes latitude and longitude in radians: use np.radians."
            )
