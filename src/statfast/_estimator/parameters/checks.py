# SPDX-License-Identifier: BSD-3-Clause
"""Checks of parameters, as declarations of them name them: `param(count(2) | nothing)`.

A check is called with a value and the name of its parameter. It returns the value as it is
computed with, or raises the sentence of `_validation`. Checks are made without the data: limits
that come from rows and classes are checked by ``fit``. Each check also knows a few values that it
accepts (`levels`) and some that it refuses (`refused`), which the tests enumerate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, TypeAlias

import numpy as np

from statfast._engine import usable_threads
from statfast._validation import (
    as_choice,
    as_count,
    as_estimator,
    as_flag,
    as_pair,
    as_real,
    either,
    wrong_type,
)

Levels: TypeAlias = tuple[Any, ...]


class Check:
    """A check of one kind of value; ``a | b`` takes what either takes."""

    wanted: ClassVar[str] = ""  # The kind of value, in the words of error messages.

    def __call__(self, value: Any, name: str) -> Any:
        raise NotImplementedError

    def __or__(self, other: Check) -> Check:
        return Either((*_alternatives(self), *_alternatives(other)))

    def matches(self, value: Any) -> bool:
        """Whether a value is of this kind, so that its check says what is wrong with it."""
        raise NotImplementedError

    def levels(self, default: Any = None) -> Levels:
        """Values that are accepted, some of them near the default."""
        return ()

    def refused(self) -> Levels:
        """Values of this kind that are not accepted."""
        return ()


def _alternatives(check: Check) -> tuple[Check, ...]:
    return check.either if isinstance(check, Either) else (check,)


@dataclass(frozen=True)
class Either(Check):
    """The first alternative of the kind of a value checks it."""

    either: tuple[Check, ...]

    def __call__(self, value: Any, name: str) -> Any:
        for check in self.either:
            if check.matches(value):
                return check(value, name)
        raise wrong_type(name, self.wanted, value)

    @property
    def wanted(self) -> str:
        """All kinds, None as the last."""
        kinds = [check.wanted for check in self.either if check is not nothing]
        kinds += ["None"] if nothing in self.either else []
        return " or ".join(kinds)

    def matches(self, value: Any) -> bool:
        return any(check.matches(value) for check in self.either)

    def levels(self, default: Any = None) -> Levels:
        return tuple(level for check in self.either for level in check.levels(default))

    def refused(self) -> Levels:
        """What one alternative refuses and no other is to judge."""
        return tuple(
            value
            for check in self.either
            for value in check.refused()
            if next(branch for branch in self.either if branch.matches(value)) is check
        )


@dataclass(frozen=True)
class _Nothing(Check):
    wanted = "None"

    def __call__(self, value: Any, name: str) -> Any:
        if value is not None:
            raise wrong_type(name, "None", value)

    def matches(self, value: Any) -> bool:
        return value is None

    def levels(self, default: Any = None) -> Levels:
        return (None,)


@dataclass(frozen=True)
class _Count(Check):
    wanted: ClassVar[str] = "an integer"
    low: int
    high: int | None
    limit: str | None

    def __call__(self, value: Any, name: str) -> Any:
        return as_count(value, name, self.low, self.high, limit=self.limit)

    def matches(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool)

    def levels(self, default: Any = None) -> Levels:
        near = default if self.matches(default) else self.low + 1
        most = inf if self.high is None else self.high
        return tuple(k for k in dict.fromkeys((near, self.low, self.low + 2)) if k <= most)

    def refused(self) -> Levels:
        return (self.low - 1, -(2**70), *(() if self.high is None else (self.high + 1,)))


@dataclass(frozen=True)
class _Real(Check):
    wanted: ClassVar[str] = "a number"
    low: float | None
    high: float | None
    open_low: bool
    open_high: bool
    infinite: bool

    def __call__(self, value: Any, name: str) -> Any:
        return as_real(
            value, name, self.low, self.high,
            open_low=self.open_low, open_high=self.open_high, infinite=self.infinite,
        )  # fmt: skip

    def matches(self, value: Any) -> bool:
        return isinstance(value, Real) and not isinstance(value, bool)

    def levels(self, default: Any = None) -> Levels:
        near = float(default) if self.matches(default) and 0 < abs(default) < inf else 1.0
        low = () if self.low is None or self.open_low else (float(self.low),)
        high = () if self.high is None or self.open_high else (float(self.high),)
        wanted = (near, near / 2, 2 * near, *low, *high, *((inf,) if self.infinite else ()))
        return tuple(x for x in dict.fromkeys(wanted) if self._within(x))

    def _within(self, x: float) -> bool:
        small = self.low is not None and (x <= self.low if self.open_low else x < self.low)
        large = self.high is not None and (x >= self.high if self.open_high else x > self.high)
        return not small and not large

    def _above(self) -> float:
        return 0.0 if self.high is None else self.high + max(1.0, abs(self.high))

    def refused(self) -> Levels:
        below = () if self.low is None else (self.low if self.open_low else self.low - 1.0,)
        above = () if self.high is None else (self.high if self.open_high else self._above(),)
        return (*below, *above, -inf, float("nan"), *(() if self.infinite else (inf,)))


@dataclass(frozen=True)
class _OneOf(Check):
    choices: tuple[Any, ...]

    @property
    def wanted(self) -> str:
        """The words."""
        return either(self.choices)

    def __call__(self, value: Any, name: str) -> Any:
        return as_choice(value, name, self.choices)

    def matches(self, value: Any) -> bool:
        return isinstance(value, str) or (value is None and None in self.choices)

    def levels(self, default: Any = None) -> Levels:
        return self.choices

    def refused(self) -> Levels:
        return ("nonsense", "")


@dataclass(frozen=True)
class _Flag(Check):
    wanted = "True or False"

    def __call__(self, value: Any, name: str) -> Any:
        return as_flag(value, name)

    def matches(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def levels(self, default: Any = None) -> Levels:
        return (False, True)


@dataclass(frozen=True)
class _Pair(Check):
    wanted: ClassVar[str] = "a pair of numbers"
    low: float | None
    high: float | None

    def __call__(self, value: Any, name: str) -> Any:
        return as_pair(value, name, self.low, self.high)

    def matches(self, value: Any) -> bool:
        return isinstance(value, list | tuple | np.ndarray)


@dataclass(frozen=True)
class _Callable(Check):
    wanted = "a function"

    def __call__(self, value: Any, name: str) -> Any:
        if not callable(value):
            raise wrong_type(name, self.wanted, value)
        return value

    def matches(self, value: Any) -> bool:
        return callable(value)


@dataclass(frozen=True)
class _Learner(Check):
    method: str
    description: str

    @property
    def wanted(self) -> str:
        """What the object is."""
        return self.description

    def __call__(self, value: Any, name: str) -> Any:
        return as_estimator(value, name, method=self.method, wanted=self.wanted)

    def matches(self, value: Any) -> bool:
        return hasattr(value, self.method)


@dataclass(frozen=True)
class _Jobs(Check):
    def __call__(self, value: Any, name: str) -> Any:
        if value is not None:
            usable_threads(value)
        return value

    def matches(self, value: Any) -> bool:
        return True

    def levels(self, default: Any = None) -> Levels:
        return (None, 1, 2)

    def refused(self) -> Levels:
        return (0, "n")


@dataclass(frozen=True)
class _AnyValue(Check):
    """Whatever a parameter is, ``fit`` says what is wrong with it."""

    def __call__(self, value: Any, name: str) -> Any:
        return value

    def matches(self, value: Any) -> bool:
        return True


@dataclass(frozen=True)
class _Array(_AnyValue):
    """Numbers, or a mapping: what has no end without the data. Of what kind, ``fit`` checks."""

    wanted = "an array"

    def matches(self, value: Any) -> bool:
        return not isinstance(value, str | None)


nothing = _Nothing()
flag = _Flag()
callable_ = _Callable()
array = _Array()
by_fit = _AnyValue()
jobs = _Jobs()
verbosity = _Count(0, None, None) | flag
randomness = by_fit  # a generator must not be drawn from before the fit that uses it


def count(low: int = 1, high: int | None = None, *, limit: str | None = None) -> Check:
    """An integer in a range; ``limit`` says in words what ``high`` is."""
    return _Count(low, high, limit)


def real(
    low: float | None = None,
    high: float | None = None,
    *,
    open_low: bool = False,
    open_high: bool = False,
    infinite: bool = False,
) -> Check:
    """A number in a range, whose ends are included unless they are open."""
    return _Real(low, high, open_low, open_high, infinite)


def one_of(*choices: str | None) -> Check:
    """One of a few words."""
    return _OneOf(choices)


def pair(low: float | None = None, high: float | None = None) -> Check:
    """Two numbers, each in a range."""
    return _Pair(low, high)


def estimator(method: str = "fit", wanted: str = "an estimator") -> Check:
    """An object, not a class, that has some method."""
    return _Learner(method, wanted)


@dataclass(frozen=True)
class _Checked(_AnyValue):
    function: Callable[[Any, str], Any]
    known_levels: Levels

    def __call__(self, value: Any, name: str) -> Any:
        return self.function(value, name)

    def levels(self, default: Any = None) -> Levels:
        return self.known_levels


def checked_by(function: Callable[..., Any], *levels: Any, **settings: Any) -> Check:
    """A check by a function of the value and its name, which accepts some values for sure."""
    return _Checked(partial(function, **settings) if settings else function, levels)
