# SPDX-License-Identifier: BSD-3-Clause
"""Power curves of Box and Cox and of Yeo and Johnson, and their most likely power.

The Box-Cox curve of u > 0 is (u^p - 1) / p, and log u for p = 0. That of Yeo and Johnson is the
same of 1 + x for x >= 0, and minus that of 1 - x with the power 2 - p below. The likelihood is
that of normal values whose mean and variance are free. It is log-concave in p, for both curves
(Kouider and Chen 1995; Marchand, Muzellec, Beguier, Ogier du Terrail and Andreux 2022), so that its
slope has one zero.

Where all u of a column are on one side, curves are measured from a value r of the column, in units
of the slope there: ((u / r)^p - 1) / p. It differs from the curve by a shift and a scale, which
change neither the likely power nor standardized values, and it neither overflows nor loses digits
where powers are large. Logarithms are divided by the largest one, s, and powers multiplied by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array

ROWS_AT_ONCE = 1 << 14  # whose numbers stay in the cache
Block: TypeAlias = tuple[Array, Array, Array, Array | None]
FLAT = 1e-4  # Products of power and logarithm below it: three terms of a series have all digits.
LARGE = 300.0  # Exponents beyond it are lowered, so that squares do not overflow.
TOLERANCE = 1e-13  # of a power, times the largest logarithm
MAX_DOUBLINGS = 60
MAX_POWER = 1e300  # Columns of the least numbers there are would have larger ones.


@dataclass(frozen=True)
class Curve:
    """The curve of a column, and how its values are standardized.

    `side` is 1 or -1 if it is measured from `reference`, in columns of that sign, and 0 if from 0.
    `offset` is what is added before the logarithm: 0 for Box-Cox, 1 for Yeo-Johnson.
    """

    power: float
    side: int
    offset: float
    reference: float
    narrow: bool
    center: float = 0.0
    spread: float = 1.0

    def __call__(self, column: Array) -> Array:
        """Values on the curve, standardized."""
        if self.side == 0:
            out = _two_sided(column, self.power)
        else:
            out = self.side * self._measured(self.side * column)
        return (out - self.center) / self.spread

    def inverse(self, values: Array) -> Array:
        """The values that come to lie on the curve; NaN for what is beyond its range."""
        heights = values * self.spread + self.center
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.side == 0:
                return _two_sided_inverse(heights, self.power)
            return self.side * self._measured_inverse(self.side * heights)

    # ------------------------------------------------------------ from a reference, x >= 0
    def _power_of_side(self) -> float:
        return 2.0 - self.power if self.side < 0 else self.power

    def _below(self) -> tuple[float, float]:
        """What turns the plain curve into the measured one: a factor, and a shift."""
        p = self._power_of_side()
        from_zero = -np.log1p(self.reference)
        return float(np.exp(p * from_zero)), float(_power(np.array(from_zero), p))

    def _measured(self, x: Array) -> Array:
        p, base = self._power_of_side(), self.reference + self.offset
        above = np.maximum(x, 0.0) if self.offset else x
        if self.narrow:
            logs = np.log1p((above - self.reference) / base)
        elif self.offset:
            logs = np.log1p(above) - np.log(base)
        else:
            logs = np.log(above) - np.log(base)
        out = _power(logs, p)
        if self.offset and (below := x < 0).any():
            factor, shift = self._below()
            out[below] = shift - factor * _power(np.log1p(-x[below]), 2.0 - p)
        return out

    def _measured_inverse(self, heights: Array) -> Array:
        p, base = self._power_of_side(), self.reference + self.offset
        out = self.reference + base * np.expm1(_log_of_power(heights, p))
        if self.offset:
            factor, shift = self._below()
            below = heights < shift
            if below.any():
                rest = (shift - heights[below]) / factor
                out[below] = -np.expm1(_log_of_power(rest, 2.0 - p))
        return out


def _power(logs: Array, p: float) -> Array:
    """(u^p - 1) / p of log u."""
    return logs if p == 0.0 else np.expm1(p * logs) / p


def _log_of_power(heights: Array, p: float) -> Array:
    return heights if p == 0.0 else np.log1p(p * heights) / p


def _two_sided(x: Array, power: float) -> Array:
    logs = np.log1p(np.abs(x))
    return np.where(x < 0, -_power(logs, 2.0 - power), _power(logs, power))


def _two_sided_inverse(heights: Array, power: float) -> Array:
    size = np.abs(heights)
    below = -np.expm1(_log_of_power(size, 2.0 - power))
    return np.where(heights < 0, below, np.expm1(_log_of_power(size, power)))


# ---------------------------------------------------------------- fits of a column
def fit_curve(
    column: Array, weights: Array | None, box_cox: bool, standardize: bool
) -> Curve | None:
    """The most likely curve of a column of numbers and NaN; None for one without values."""
    held = ~np.isnan(column)
    if weights is not None:
        held &= weights > 0
        weights = weights[held]
    x = column[held].astype(np.float64, copy=False)
    if not len(x):
        return None
    low, high = float(x.min()), float(x.max())
    side = 1 if low >= 0 else -1 if high <= 0 else 0
    offset = 0.0 if box_cox else 1.0
    if low == high:
        if not standardize:
            return _plain(1.0, box_cox)
        sign = 1 if low >= 0 else -1
        reference = sign * low
        return Curve(1.0, sign, offset, reference, True, 0.0, 1.0 / (reference + offset))
    if side == 0:
        power = _likely_power(_TwoSided(x, weights))
        curve = _plain(power, box_cox)
    else:
        x, low, high = (x, low, high) if side > 0 else (-x, -high, -low)
        narrow = high + offset <= 2.0 * (low + offset)
        logs = Curve(0.0, 1, offset, high, narrow)._measured(x)
        own = _likely_power(_OneSided(logs, weights))
        power = own if side > 0 else 2.0 - own
        curve = Curve(power, side, offset, high if own > 0 else low, narrow)
        x = side * x
    if not standardize:
        return _plain(power, box_cox)
    with np.errstate(over="ignore", invalid="ignore"):
        heights = curve(x)
        center = np.average(heights, weights=weights)
        apart = heights - center
        unit = np.abs(apart).max()
        spread = unit * np.sqrt(np.average((apart / unit) ** 2, weights=weights))
    if not np.isfinite(spread):
        raise ValueError(
            f"X holds values up to {max(-low, high):.3g} in a column whose likely power is "
            f"{power:.3g}, so that the transformed values overflow. Rescale it."
        )
    return Curve(
        power, curve.side, offset, curve.reference, curve.narrow, float(center),
        float(spread) or 1.0,
    )  # fmt: skip


def _plain(power: float, box_cox: bool) -> Curve:
    """The curve by its definition, neither shifted nor scaled."""
    return Curve(power, 1 if box_cox else 0, 0.0 if box_cox else 1.0, 1.0, False)


class _OneSided:
    """Logarithms of values of one side, up to 0: what the slope of the log-likelihood needs."""

    def __init__(self, logs: Array, weights: Array | None) -> None:
        self.scale = float(-logs.min())
        self.logs, self.weights = logs / self.scale, weights

    def blocks(self, p: float) -> Iterator[Block]:
        """Of some rows at a time: logarithms, heights of the curve, their slopes, weights."""
        for rows in _slices(len(self.logs)):
            # Measured from the largest value for positive powers, else from the least.
            logs = self.logs[rows] if p > 0 else self.logs[rows] + 1.0
            weights = None if self.weights is None else self.weights[rows]
            yield logs, *_power_and_slope(logs, p), weights


class _TwoSided:
    """The same for values of both signs: those of each sign together."""

    def __init__(self, x: Array, weights: Array | None) -> None:
        logs = np.log1p(np.abs(x))
        self.scale = float(logs.max())
        self.sides = [
            (sign, logs[side] / self.scale, None if weights is None else weights[side])
            for sign, side in ((1.0, x >= 0), (-1.0, x < 0))
        ]
        self.most = [logs.max() for _, logs, _ in self.sides]

    def blocks(self, p: float) -> Iterator[Block]:
        powers = p, 2.0 * self.scale - p
        exponent = max(power * most for power, most in zip(powers, self.most, strict=True))
        lowered = exponent if exponent > LARGE else 0.0
        for power, (sign, logs, weights) in zip(powers, self.sides, strict=True):
            for rows in _slices(len(logs)):
                heights, slopes = _power_and_slope(logs[rows], power, lowered)
                if sign < 0:
                    np.negative(heights, out=heights)
                yield sign * logs[rows], heights, slopes, None if weights is None else weights[rows]


def _slices(n: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, n, ROWS_AT_ONCE))


def _power_and_slope(logs: Array, p: float, lowered: float = 0.0) -> tuple[Array, Array]:
    """(u^p - 1) / p of log u, and its derivative by p, both times exp(-lowered)."""
    if abs(p) < FLAT and not lowered:
        square = logs * logs
        third = p * logs
        heights = logs + third * logs * (0.5 + third / 6.0)
        return heights, square * (0.5 + third * (1.0 / 3.0 + third / 8.0))
    if lowered:
        one = np.exp(-lowered)
        if abs(p) < FLAT:
            heights, slopes = _power_and_slope(logs, p)
            return heights * one, slopes * one
        heights = (np.exp(p * logs - lowered) - one) / p
        return heights, logs * heights + (logs * one - heights) / p
    heights = np.expm1(p * logs) / p
    return heights, logs * heights + (logs - heights) / p


def _slope(column: Any, p: float) -> float:
    """The derivative of the log-likelihood by the power, for a total weight of 1.

    Sums about the means of blocks of rows, merged.
    """
    checkpoint()
    weight, jacobian = 0.0, 0.0
    means, sums = np.zeros(2), np.zeros(2)
    for logs, heights, slopes, w in column.blocks(p):
        added = float(len(logs)) if w is None else float(w.sum())
        if w is None:
            center = np.array([heights.mean(), slopes.mean()])
        else:
            center = np.array([w @ heights, w @ slopes]) / added
        heights -= center[0]
        slopes -= center[1]
        weighted = heights if w is None else w * heights
        apart, share = center - means, added / (weight + added)
        sums += [weighted @ heights, weighted @ slopes] + weight * share * apart[0] * apart
        means += share * apart
        weight += added
        jacobian += float(logs.sum() if w is None else w @ logs)
    return jacobian / weight - sums[1] / sums[0]


def _likely_power(column: Any) -> float:
    """Where the slope vanishes: brackets grow from the power 1, then Brent's method."""
    from scipy.optimize import brentq

    unit = column.scale
    near, step = unit, max(0.5, 0.5 * unit)
    slope = _slope(column, near)
    if slope == 0.0:
        return 1.0
    sign = 1.0 if slope > 0 else -1.0
    for _ in range(MAX_DOUBLINGS):
        far = near + sign * step
        if sign * _slope(column, far) <= 0:
            break
        near, step = far, 2.0 * step
    power = brentq(lambda p: _slope(column, p), near, far, xtol=TOLERANCE, rtol=TOLERANCE)
    return sign * MAX_POWER if abs(power) > unit * MAX_POWER else power / unit
