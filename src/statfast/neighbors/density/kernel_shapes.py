# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of density estimates: their integrals over space, and draws from them.

A kernel is a function K(r) of the distance over the bandwidth, in the p-norm of d columns.
"""

from __future__ import annotations

from math import inf, isinf, lgamma, log, pi

import numpy as np

from statfast._typing import Array

SHAPES = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
INFINITE_SHAPES = ("gaussian", "exponential")  # positive everywhere
EXTRA_QUADRATURE_NODES = 24  # beside those for r^(d - 1): the cosine to rounding


def log_integral(shape: str, d: int, p: float) -> float:
    """The logarithm of the integral of K(|x|) over the d columns, with the p-norm."""
    return log(d) + log_unit_ball(d, p) + _log_radial_integral(shape, d)


def log_unit_ball(d: int, p: float) -> float:
    """The logarithm of the volume of the unit ball of the p-norm."""
    if isinf(p):
        return d * log(2.0)
    return d * (log(2.0) + lgamma(1.0 + 1.0 / p)) - lgamma(1.0 + d / p)


def _log_radial_integral(shape: str, d: int) -> float:
    """The logarithm of the integral of K(r) r^(d - 1)."""
    if shape == "gaussian":
        return (0.5 * d - 1.0) * log(2.0) + lgamma(0.5 * d)
    if shape == "exponential":
        return lgamma(d)
    if shape == "cosine":
        places, weights = np.polynomial.legendre.leggauss(d // 2 + EXTRA_QUADRATURE_NODES)
        r = 0.5 * (places + 1.0)
        return log(0.5 * float(weights @ (np.cos(0.5 * pi * r) * r ** (d - 1))))
    return -log({"tophat": d, "epanechnikov": 0.5 * d * (d + 2), "linear": d * (d + 1)}[shape])


def draw_offsets(shape: str, n: int, d: int, p: float, rng: np.random.Generator) -> Array:
    """n draws (n, d) from the density proportional to K(|x|)."""
    if shape == "gaussian" and p == 2.0:
        return rng.standard_normal((n, d))
    return _draw_directions(n, d, p, rng) * _draw_radii(shape, n, d, rng)[:, None]


def _draw_directions(n: int, d: int, p: float, rng: np.random.Generator) -> Array:
    """Points of the unit sphere at which rays from a uniform point of the unit ball leave it."""
    if p == 2.0:
        out = rng.standard_normal((n, d))
    elif p == inf:
        out = rng.uniform(-1.0, 1.0, (n, d))
    else:
        out = rng.standard_gamma(1.0 / p, (n, d)) ** (1.0 / p)
        out *= rng.choice([-1.0, 1.0], (n, d))
    size = np.linalg.norm(out, ord=p, axis=1)
    out[size == 0.0, 0], size[size == 0.0] = 1.0, 1.0
    return out / size[:, None]


def _draw_radii(shape: str, n: int, d: int, rng: np.random.Generator) -> Array:
    """Radii of density proportional to K(r) r^(d - 1)."""
    if shape == "gaussian":
        return np.sqrt(2.0 * rng.standard_gamma(0.5 * d, n))
    if shape == "exponential":
        return rng.standard_gamma(d, n)
    if shape == "linear":
        return rng.beta(d, 2.0, n)
    if shape == "tophat":
        return rng.random(n) ** (1.0 / d)
    radii = np.sqrt(rng.beta(0.5 * d, 2.0, n))
    if shape == "cosine":  # which lies below 1 - r^2, and above pi / 4 of it
        undecided = np.arange(n)
        while len(undecided):
            r = radii[undecided]
            accepted = rng.random(len(r)) * (1.0 - r**2) <= np.cos(0.5 * pi * r)
            undecided = undecided[~accepted]
            radii[undecided] = np.sqrt(rng.beta(0.5 * d, 2.0, len(undecided)))
    return radii
