# SPDX-License-Identifier: BSD-3-Clause
"""Functions of formulas beside those of formulaic: moments that pass over missing values, and R's
natural splines.

What a fit has found (centers, scales, knots) is its state, which new data take over. Natural
splines: de Boor 2001, A Practical Guide to Splines, chapter IX; Hastie, Tibshirani & Friedman 2009,
section 5.2.1, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_count


@cache
def formula_functions() -> Any:
    """By their names in formulas."""
    from formulaic.transforms import stateful_transform

    @stateful_transform
    def scale(
        data: Any, center: bool = True, scale: bool = True, ddof: Any = 1, _state: Any = None
    ) -> Any:
        values = _numbers(data)
        for name, wanted, moment in (("center", center, _mean), ("scale", scale, _spread)):
            if name not in _state:
                if isinstance(wanted, bool | np.bool_):
                    _state[name] = moment(values, ddof) if wanted else None
                else:
                    _state[name] = np.asarray(wanted)
            if _state[name] is not None:
                values = values - _state[name] if name == "center" else values / _state[name]
        return values

    @stateful_transform
    def center(data: Any, _state: Any = None) -> Any:
        return scale(data, scale=False, _state=_state)

    @stateful_transform
    def standardize(
        x: Any, center: bool = True, rescale: bool = True, ddof: Any = 0, _state: Any = None
    ) -> Any:
        return scale(x, center=center, scale=rescale, ddof=ddof, _state=_state)

    @stateful_transform
    def ns(x: Any, df: Any = None, knots: Any = None, _state: Any = None) -> Any:
        values = _numbers(x)
        if "knots" not in _state:
            _state["knots"] = _knots(values, df, knots)
        columns = natural_splines(values, *_state["knots"])
        return {k + 1: column for k, column in enumerate(columns.T)}

    ours = {"scale": scale, "center": center, "standardize": standardize, "ns": ns}
    return {"offset": _itself, **ours}


def natural_splines(x: Any, knots: Any, ends: Array) -> Any:
    """Cubic splines with these inner knots that are straight beyond the ends: (n, knots + 1).

    The B-splines but the first are turned, as R does, so that two of them hold all of the second
    derivatives at the ends; those are left out.
    """
    from scipy.interpolate import BSpline
    from scipy.linalg import qr

    places = np.concatenate([[ends[0]] * 4, knots, [ends[1]] * 4])
    splines = BSpline(places, np.eye(len(places) - 4)[:, 1:], 3)
    inside = np.clip(x, *ends)
    values = splines(inside) + splines(inside, 1) * (x - inside)[:, None]
    turn = qr(splines(np.array(ends), 2).T)[0]
    return values @ turn[:, 2:]


def _knots(x: Any, df: Any, knots: Any) -> Any:
    """Inner knots, at quantiles where they are not given, and the ends of the values."""
    there = x[~np.isnan(x)]
    if there.ndim != 1 or len(np.unique(there)) < 2:
        raise ValueError("ns takes a column of at least two different values.")
    if knots is None:
        count = as_count(1 if df is None else df, "df of ns", 1)
        knots = np.quantile(there, np.arange(1, count) / count)
    ends = float(there.min()), float(there.max())
    knots = np.sort(np.atleast_1d(np.asarray(knots, dtype=float)))
    if not ((knots > ends[0]) & (knots < ends[1])).all():
        raise ValueError(f"knots of ns must lie inside {ends[0]:g} and {ends[1]:g}; got {knots}.")
    return knots, ends


def _itself(values: Array) -> Any:
    return values


def _numbers(data: Any) -> Any:
    """Numbers of a column, or of columns, NaN where they are missing."""
    if hasattr(data, "to_numpy"):
        return data.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(data, dtype=float)


def _mean(values: Array, ddof: Any) -> Any:
    return np.nanmean(values, axis=0)


def _spread(values: Array, ddof: Any) -> Any:
    """The root of the mean square, as R's ``scale``."""
    count = (~np.isnan(values)).sum(axis=0)
    return np.sqrt(np.nansum(values**2, axis=0) / (count - ddof))
