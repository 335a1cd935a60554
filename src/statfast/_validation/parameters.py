# SPDX-License-Identifier: BSD-3-Clause
"""Parameters: counts, numbers, choices, generators and flags, with a sentence for what is none."""

from __future__ import annotations

from collections.abc import Collection
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from statfast._validation.errors import did_you_mean, either, shown, wrong_type

MAX_INTEGER = 2**63 - 1  # The largest integer of numpy and of kernels.
MAX_POWER = 2**31 - 1  # The largest power, which kernels take as a C integer.
MAX_DIGITS = 1000  # The most decimals of a printed number: a float has no more but zeros.
MAX_REPEATS = 10**6  # The most runs, resamples, grid points and the like of one call.


# ------------------------------------------------------------------ parameters
def as_count(
    value: Any, name: str, low: float = 1, high: float | None = None, *, limit: str | None = None
) -> int:
    """Check an integer parameter; ``limit`` says in words what ``high`` (or `MAX_INTEGER`) is."""
    plain = type(value) is int  # most are: asking for `Integral` takes much longer
    if not plain and (isinstance(value, bool) or not isinstance(value, Integral)):
        raise wrong_type(name, "an integer", value)
    most, count = MAX_INTEGER if high is None else high, int(value)
    if count < low or count > most:
        wanted = f"between {low} and {f'{limit} ({most})' if limit else most}"
        if count < low and (high is None or (most >= MAX_REPEATS and not limit)):
            wanted = f"at least {low}"
        fix = "Raise" if count < low else "Lower"
        raise ValueError(f"{name} must be {wanted}; got {count}. {fix} {name}.")
    return count


def as_real(
    value: Any,
    name: str,
    low: float | None = None,
    high: float | None = None,
    *,
    open_low: bool = False,
    open_high: bool = False,
    infinite: bool = False,
) -> float:
    """Check a real parameter between ``low`` and ``high``, ends included unless open.

    It is finite, or may be infinity as well.
    """
    plain = type(value) is float
    if not plain and (isinstance(value, bool) or not isinstance(value, Real)):
        raise wrong_type(name, "a number", value)
    # A bound may be beyond the type of a float of numpy.
    number: Any = float(value) if isinstance(value, np.floating) else value
    small = low is not None and (number <= low if open_low else number < low)
    large = high is not None and (number >= high if open_high else number > high)
    if small:
        wanted, fix = f"{'greater than' if open_low else 'at least'} {low}", f"Raise {name}."
    elif large:
        wanted, fix = f"{'less than' if open_high else 'at most'} {high}", f"Lower {name}."
    elif not _is_finite(number) and not (infinite and number == inf):
        wanted, fix, number = "finite", "Give a finite number.", shown(number)
    else:
        return float(number)
    raise ValueError(f"{name} must be {wanted}; got {number}. {fix}")


def _is_finite(value: Real) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # The integer is larger than any float.
        return False


def as_pair(
    value: Any, name: str, low: float | None = None, high: float | None = None, **ends: bool
) -> tuple[float, float]:
    """Check two finite real numbers, each as `as_real`."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise wrong_type(name, "a pair of numbers", value)
    first, second = (as_real(number, name, low, high, **ends) for number in value)
    return first, second


def as_digits(value: Any, name: str) -> int:
    """Check how many decimals of numbers are printed."""
    return as_count(value, name, low=0, high=MAX_DIGITS)


def as_choice(value: Any, name: str, choices: Collection[str | None]) -> Any:
    """Check a parameter that is one of a few strings (or None)."""
    if (value is None or isinstance(value, str)) and value in choices:
        return value
    wanted = either(choices)
    if isinstance(value, str):
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name} must be {wanted}; got {shown(value)}.{hint}")
    raise wrong_type(name, wanted, value)


def require_random_state(random_state: Any, *, name: str = "random_state") -> None:
    """Refuse what is no None, int, Generator, RandomState or SeedSequence."""
    if isinstance(random_state, Integral):
        as_count(random_state, name, low=0, high=inf)
    elif not isinstance(
        random_state,
        np.random.Generator | np.random.RandomState | np.random.SeedSequence | None,
    ):
        raise wrong_type(name, "None, an integer or a numpy.random.Generator", random_state)


def as_generator(random_state: Any, *, name: str = "random_state") -> np.random.Generator:
    """``random_state`` (None, int, Generator, RandomState, SeedSequence) as a numpy Generator."""
    require_random_state(random_state, name=name)
    if isinstance(random_state, np.random.RandomState):
        # Each call draws a new seed.
        random_state = random_state.randint(2**32, size=4, dtype=np.uint32)
    elif isinstance(random_state, Integral):
        random_state = int(random_state)
    return np.random.default_rng(random_state)


def as_estimator(
    estimator: Any, name: str = "estimator", *, method: str = "fit", wanted: str = "an estimator"
) -> Any:
    """Check what must be an estimator, not its class, that has some method."""
    if isinstance(estimator, type) or not callable(getattr(estimator, method, None)):
        raise TypeError(
            f"{name} must be {wanted} with {method}; got {shown(estimator)}. Pass an instance, "
            "such as LinearRegression()."
        )
    return estimator


# ------------------------------------------------------------------ Flags
def as_flag(value: Any, name: str) -> bool:
    """Check a parameter that is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise wrong_type(name, "True or False", value)
    return bool(value)
