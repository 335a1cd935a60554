# SPDX-License-Identifier: BSD-3-Clause
"""Families of distributions: variance, deviance and likelihood as functions of the mean.

McCullagh & Nelder 1989, chapter 2, doi:10.1007/978-1-4899-3242-6; R's ``family`` objects, whose
conventions for AIC (the dispersion counts as a parameter, and is the deviance over the sum of
weights) are followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_real, either, shown, warn_user, wrong_type


def _special(name: str) -> Any:
    import scipy.special

    return getattr(scipy.special, name)


def _xlogy(x: Array, y: Array) -> Array:
    return _special("xlogy")(x, y)


def _lgamma(x: Array | float) -> Array | float:
    return _special("gammaln")(x)


@dataclass(frozen=True)
class Family:
    """A family; y, mu and the prior weights a are arrays of one shape.

    Attributes
    ----------
    name, link : str
        Its own name, and that of its usual link.
    variance : callable
        ``variance(mu)``: the variance of y, except for the dispersion and the weight.
    growth : callable
        ``growth(mu)``: d log variance / d mu.
    deviance : callable
        ``deviance(y, mu)``: the unit deviances, twice what the log-likelihood falls short.
    start : callable
        ``start(y)``: means inside the range, near the responses.
    lowest, highest : float
        Where means lie between; the ends are not means.
    likelihood : callable or None
        ``likelihood(y, mu, a, dispersion)``: the log-likelihoods. None: there is none ("quasi").
    dispersion : float
        1 where the family fixes it; NaN where it is estimated.
    kernel_name : str
        The family whose vector code serves this one.
    label : str
        What summaries call it, if not by its name.
    theta : float
        Of negative binomial counts, whose variance is ``mu + mu^2 / theta``.
    """

    name: str
    link: str
    variance: Callable
    growth: Callable
    deviance: Callable
    start: Callable
    lowest: float = -np.inf
    highest: float = np.inf
    likelihood: Callable | None = None
    dispersion: float = np.nan
    kernel_name: str = ""
    label: str = ""
    theta: float = np.inf

    def inside(self, mu: Array | float) -> bool:
        """Whether all of these are means."""
        return bool(np.all((mu > self.lowest) & (mu < self.highest)))


def _binomial_deviance(y: Array, mu: Array | float) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * (_xlogy(y, y / mu) + _xlogy(1 - y, (1 - y) / (1 - mu)))


def _poisson_deviance(y: Array, mu: Array | float) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * (_xlogy(y, y / mu) - (y - mu))


def _gamma_deviance(y: Array, mu: Array | float) -> Array:
    return 2 * ((y - mu) / mu - np.log(y / mu))


def _gaussian_likelihood(y: Array, mu: Array, a: Array | float, dispersion: float) -> Array:
    with np.errstate(divide="ignore"):
        return 0.5 * (np.log(a) - a * (y - mu) ** 2 / dispersion - np.log(2 * np.pi * dispersion))


def _binomial_likelihood(y: Any, mu: Any, a: Any, dispersion: float) -> Any:
    """Of a trials, of which the share y succeeded; of single trials if a is 1."""
    successes = y * a
    choices = _lgamma(a + 1) - _lgamma(successes + 1) - _lgamma(a - successes + 1)
    return choices + _xlogy(successes, mu) + _special("xlog1py")(a - successes, -mu)


def _poisson_likelihood(y: Array, mu: Array, a: Array | float, dispersion: float) -> Array:
    return a * (_xlogy(y, mu) - mu - _lgamma(y + 1))


def _gamma_likelihood(y: Array, mu: Array, a: Array | float, dispersion: float) -> Array:
    shape = 1 / dispersion
    scaled = shape * y / mu
    return a * (shape * np.log(scaled) - scaled - np.log(y) - _lgamma(shape))


def _inverse_gaussian_likelihood(y: Array, mu: Array, a: float, dispersion: float) -> Array:
    deviance = (y - mu) ** 2 / (y * mu**2)
    return a * -0.5 * (np.log(2 * np.pi * dispersion * y**3) + deviance / dispersion)


def negative_binomial(theta: float) -> Family:
    """The family of counts with variance ``mu + mu^2 / theta``; of an infinite theta, Poisson's.

    Terms that grow with theta cancel, and are not computed: differences from Poisson's are left.
    """
    if theta == np.inf:
        return replace(FAMILIES["poisson"], name="negative_binomial")

    def deviance(y: Any, mu: Any) -> Any:
        return 2 * (_xlogy(y, y / mu) - (y + theta) * np.log1p((y - mu) / (mu + theta)))

    def likelihood(y: Any, mu: Any, a: Any, dispersion: float) -> Any:
        # For few counts, the factors log(1 + 0 / theta) ... log(1 + (y - 1) / theta) are summed:
        above = y + theta
        if theta < MIN_THETA_OF_SERIES:
            rising = _lgamma(above) - _lgamma(theta) - y * np.log(theta)
        else:  # for large counts, Stirling's series is used.
            rising = (above - 0.5) * np.log1p(y / theta) - y - y / (12 * theta * above)
        excess = above * np.log1p(mu / theta)
        return a * (rising + _xlogy(y, mu) - excess - _lgamma(y + 1))

    return Family(
        "negative_binomial",
        "log",
        lambda mu: mu + mu**2 / theta,
        lambda mu: 1 / mu + 1 / (theta + mu),
        deviance,
        lambda y: y + (y == 0) / 6,
        0.0,
        likelihood=likelihood,
        dispersion=1.0,
        theta=theta,
    )


def tweedie(exponent: Any) -> Family:
    """The family with the variance ``mu^exponent``, of which no likelihood is taken."""
    label, link = f"tweedie, power {exponent:g}", "log" if exponent > 0 else "identity"
    if exponent in (0.0, 1.0, 2.0):
        twin = FAMILIES[("quasi", "quasipoisson", "gamma")[int(exponent)]]
        return replace(twin, name="tweedie", link=link, likelihood=None, label=label)
    first, second = 1.0 - exponent, 2.0 - exponent

    def deviance(y: Array, mu: Array | float) -> Array:
        with np.errstate(divide="ignore"):
            # Where the power is below 0, responses may be below 0, and means are not.
            of_y = np.maximum(y, 0.0) ** second / (first * second)
        of_mean = mu**second / second - y * mu**first / first
        return np.maximum(2 * (of_y + of_mean), 0.0)  # Rounding can leave less than 0.

    return Family(
        "tweedie",
        link,
        lambda mu: mu**exponent,
        lambda mu: exponent / mu,
        deviance,
        lambda y: np.maximum(0.5 * (y + y.mean()), 0.1 * np.abs(y).mean()),
        0.0,
        label=label,
    )


_GAUSSIAN = Family(
    "gaussian",
    "identity",
    np.ones_like,
    np.zeros_like,
    lambda y, mu: (y - mu) ** 2,
    lambda y: y,
    likelihood=_gaussian_likelihood,
    kernel_name="gaussian",
)
_BINOMIAL = Family(
    "binomial",
    "logit",
    lambda mu: mu * (1 - mu),
    lambda mu: 1 / mu - 1 / (1 - mu),
    _binomial_deviance,
    lambda y: (y + 0.5) / 2,
    0.0,
    1.0,
    _binomial_likelihood,
    1.0,
    "binomial",
)
_POISSON = Family(
    "poisson",
    "log",
    lambda mu: mu,
    lambda mu: 1 / mu,
    _poisson_deviance,
    lambda y: y + 0.1,
    0.0,
    np.inf,
    _poisson_likelihood,
    1.0,
    "poisson",
)
FAMILIES = {
    family.name: family
    for family in (
        _GAUSSIAN,
        _BINOMIAL,
        _POISSON,
        Family(
            "gamma",
            "inverse",
            lambda mu: mu**2,
            lambda mu: 2 / mu,
            _gamma_deviance,
            lambda y: y,
            0.0,
            np.inf,
            _gamma_likelihood,
            kernel_name="gamma",
        ),
        Family(
            "inverse_gaussian",
            "inverse_squared",
            lambda mu: mu**3,
            lambda mu: 3 / mu,
            lambda y, mu: (y - mu) ** 2 / (y * mu**2),
            lambda y: y,
            0.0,
            np.inf,
            _inverse_gaussian_likelihood,
        ),
        negative_binomial(1.0),
        replace(_GAUSSIAN, name="quasi", likelihood=None),
        replace(_BINOMIAL, name="quasibinomial", likelihood=None, dispersion=np.nan),
        replace(_POISSON, name="quasipoisson", likelihood=None, dispersion=np.nan),
    )
}
FAMILIES["tweedie"] = tweedie(1.5)
COUNTS = ("poisson", "negative_binomial")
POSITIVE = ("gamma", "inverse_gaussian")
# The largest power of a response that is taken, and the reciprocal of the least.
MAX_POWER_OF_RESPONSE = 1e150
SHARES = ("binomial", "quasibinomial")
MIN_THETA_OF_SERIES = 1e3  # differences of gamma functions are computed by their series.


def as_family(value: Any, name: Any = "family") -> Family:
    """Check the parameter `family`."""
    if not isinstance(value, str):
        raise wrong_type(name, either(FAMILIES), value)
    if value not in FAMILIES:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, FAMILIES))}; got {shown(value)}."
        )
    return FAMILIES[value]


def as_power(value: float, name: str = "power") -> float:
    """Check the exponent of the variance of the family "tweedie"."""
    power = as_real(value, name)
    if 0.0 < power < 1.0:
        raise ValueError(
            f"{name} must not lie between 0 and 1, where no distribution has such a variance; got "
            f"{power:g}. Pass 1.5 for amounts of which some are 0."
        )
    return power


# What the models of some powers of the variance are called.
TWEEDIE_NAMES = {
    1.0: "Poisson model",
    2.0: "gamma model",
    3.0: "model of inverse Gaussian responses",
}


def require_responses(
    family: Family, y: Array, weights: Array | None, power: float | None = None
) -> None:
    """Raise ValueError where y cannot come from the family, a Tweedie family of that power; warn of
    counts that are none."""
    used = y if weights is None else y[weights > 0]
    name = family.name

    def first(wrong: Array) -> str:
        return f"{float(used[wrong.argmax()])!r}"

    if name == "tweedie" and power and power > 0:
        sign = "positive" if power >= 2 else "not negative"
        model = TWEEDIE_NAMES.get(power, f"Tweedie model of power {power:g}")
        wrong = used <= 0 if power >= 2 else used < 0
        if wrong.any():
            raise ValueError(
                f"y must be {sign} in a {model}; got {first(wrong)}. Leave such rows out, or take "
                "a model of any numbers, such as LinearRegression."
            )
        if not used.any():
            raise ValueError("y must not be 0 for all rows; the family 'tweedie' has means above.")
    if name in POSITIVE and (used <= 0).any():
        raise ValueError(
            f"y must be positive for the family {name!r}; got {first(used <= 0)}. Model zeros "
            "apart, or choose another family."
        )
    if name == "inverse_gaussian":
        power = 3.0
    if power is not None and (power > 2 or power < 0):
        high = MAX_POWER_OF_RESPONSE ** (1 / max(power, 2 - power))
        low = 1 / high if power > 0 else -high
        if not (used.min() >= low and used.max() <= high):
            raise ValueError(
                f"y must be between {low:g} and {high:g} for the family {name!r}, so that its "
                f"powers are numbers; got {used.min():g} to {used.max():g}. Multiply or divide it."
            )
    if name in (*COUNTS, "quasipoisson") and (used < 0).any():
        raise ValueError(f"y must not be negative for the family {name!r}; got {first(used < 0)}.")
    if name in SHARES and ((used < 0) | (used > 1)).any():
        raise ValueError(
            f"y must lie between 0 and 1 for the family {name!r}; got "
            f"{first((used < 0) | (used > 1))}. Divide successes by trials, and pass the trials as "
            "sample_weight."
        )
    if name in COUNTS and (used != np.floor(used)).any():
        warn_user(
            f"y holds values that are not integers ({first(used != np.floor(used))}), which the "
            f"family {name!r} gives no probability. Choose 'quasipoisson', or check y."
        )
    if name == "binomial":
        counts = used if weights is None else used * weights[weights > 0]
        if (np.abs(counts - np.round(counts)) > 1e-3).any():
            warn_user(
                "y times sample_weight holds numbers of successes that are not integers, which the "
                "family 'binomial' gives no probability. Choose 'quasibinomial', or check them."
            )
