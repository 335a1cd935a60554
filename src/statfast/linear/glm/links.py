# SPDX-License-Identifier: BSD-3-Clause
"""Link functions: how the linear predictor eta is made of the mean mu, a line each.

McCullagh & Nelder 1989, section 2.2.3, doi:10.1007/978-1-4899-3242-6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_real, shown, wrong_type

EPSILON = np.finfo(float).eps
ROOT_OF_TURN = np.sqrt(2 * np.pi)
MAX_PREDICTOR = 1e15  # A linear predictor of this size counts as unbounded.


@dataclass(frozen=True)
class Link:
    """A link: ``eta = link(mu)``, ``mu = mean(eta)``, ``slope(eta, mu)`` = d mu / d eta.

    ``bend(eta, mu)`` is d^2 mu / d eta^2 over d mu / d eta.
    """

    name: str
    link: Callable
    mean: Callable
    slope: Callable
    bend: Callable


def _special(name: str) -> Any:
    import scipy.special

    return getattr(scipy.special, name)


def _share(mu: Array | float) -> Array | float:
    """Means of shares, kept off the ends that rounding would take them to, as R does."""
    return np.clip(mu, EPSILON, 1 - EPSILON)


def _normal(eta: Array | float) -> Array | float:
    return _share(_special("ndtr")(eta))


def _density(eta: Array) -> Array:
    return np.exp(-0.5 * eta**2) / ROOT_OF_TURN


def _logistic(eta: Array | float) -> Array | float:
    return _share(_special("expit")(eta))


LINKS = {
    link.name: link
    for link in (
        Link(
            "identity",
            lambda mu: mu,
            lambda eta: eta,
            lambda eta, mu: np.ones_like(eta),
            lambda eta, mu: 0.0,
        ),
        Link(
            "log",
            np.log,
            lambda eta: np.maximum(np.exp(eta), 1e-300),
            lambda eta, mu: mu,
            lambda eta, mu: 1.0,
        ),
        Link(
            "logit",
            lambda mu: _special("logit")(mu),
            _logistic,
            lambda eta, mu: _logistic(eta) * _logistic(-eta),
            lambda eta, mu: -np.tanh(0.5 * eta),
        ),
        Link(
            "probit",
            lambda mu: _special("ndtri")(mu),
            _normal,
            lambda eta, mu: _density(eta),
            lambda eta, mu: -eta,
        ),
        Link(
            "cloglog",
            lambda mu: np.log(-np.log1p(-mu)),
            lambda eta: _share(-np.expm1(-np.exp(eta))),
            lambda eta, mu: np.exp(eta - np.exp(eta)),
            lambda eta, mu: -np.expm1(eta),
        ),
        Link(
            "cauchit",
            lambda mu: np.tan(np.pi * (mu - 0.5)),
            lambda eta: 0.5 + np.arctan(eta) / np.pi,
            lambda eta, mu: 1 / (np.pi * (1 + eta**2)),
            lambda eta, mu: -2 * eta / (1 + eta**2),
        ),
        Link(
            "inverse",
            lambda mu: 1 / mu,
            lambda eta: 1 / eta,
            lambda eta, mu: -(mu**2),
            lambda eta, mu: -2 * mu,
        ),
        Link(
            "sqrt",
            np.sqrt,
            lambda eta: eta**2,
            lambda eta, mu: 2 * eta,
            lambda eta, mu: 1 / eta,
        ),
    )
}


def power(exponent: float) -> Link:
    """The link ``eta = mu^exponent``; that of exponent 0 is the logarithm."""
    if exponent == 0:
        return LINKS["log"]
    # Otherwise the name has all digits, as predictions take the link from its name.
    short = f"{exponent:g}"
    return Link(
        f"power({short if float(short) == exponent else repr(exponent)})",
        lambda mu: mu**exponent,
        lambda eta: eta ** (1 / exponent),
        lambda eta, mu: mu / (exponent * eta),
        lambda eta, mu: (1 / exponent - 1) / eta,
    )


def bounds_of(link: Any, family: Any) -> tuple[list[float], list[float]]:
    """Ends (low, high) of the linear predictor's range, and the means there: infinite and NaN where
    it has none."""
    ends, means = [-np.inf, np.inf], [np.nan, np.nan]
    with np.errstate(all="ignore"):
        for mean in (family.lowest, family.highest):
            end = float(link.link(np.float64(mean)))
            for side, sign in enumerate((-1.0, 1.0)):
                beyond = link.mean(np.float64(end + sign * 1e-3))
                within = link.mean(np.float64(end - sign * 1e-3))
                if abs(end) < MAX_PREDICTOR and family.inside(within) and not family.inside(beyond):
                    ends[side], means[side] = end, mean
    return ends, means


def as_link(value: Any, name: str = "link") -> Link:
    """Check the parameter `link`: a name, or a number for a power."""
    if isinstance(value, str):
        if value in LINKS:
            return LINKS[value]
        if value == "inverse_squared":
            return power(-2)
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, LINKS))}, 'inverse_squared' or a number "
            f"for a power of the mean; got {shown(value)}."
        )
    if isinstance(value, Real) and not isinstance(value, bool):
        return power(as_real(value, name))
    raise wrong_type(name, "a name, or a number for a power of the mean", value)
