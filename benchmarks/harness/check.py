# SPDX-License-Identifier: BSD-3-Clause
"""What all checks have in common: an answer is whole before its errors are measured.

A check is a slow twin in plain numpy, in float64: made from a problem's data it works out what is
right, and called with a library's answer it gives the answer's errors. `Tolerances` bound them:
strictly for statfast always and for a peer on float64 problems, loosely for peers on float32
problems, whose arithmetic cannot meet the strict bounds.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

ELEMENTS_PER_BLOCK = 4_000_000  # elements in a temporary array
MALFORMED = {"malformed": 1.0}  # No bounded error is in it, so that the verdict cannot be good.


class Check:
    """Errors of an answer: a function answer -> {error name: size}.

    A subclass sets `parts`, the shape of each array that an answer must have (None for any
    length), and `names`, for those that hold row numbers how many rows there are; it measures in
    `errors`. Arrays that are missing, of another shape (numpy would broadcast them), not finite
    or out of range are refused before.
    """

    parts: dict[str, tuple]
    names: ClassVar[dict[str, int]] = {}

    def __call__(self, answer) -> dict[str, float]:
        whole = all(
            name in answer and self._is_whole(name, np.asarray(answer[name])) for name in self.parts
        )
        return self.errors(answer) if whole else MALFORMED

    def _is_whole(self, name, array):
        shape = self.parts[name]
        if array.ndim != len(shape) or not np.isfinite(array).all():
            return False
        if any(want not in (None, size) for want, size in zip(shape, array.shape, strict=True)):
            return False
        if name not in self.names:
            return True
        return bool(array.size == 0 or (array.min() >= 0 and array.max() < self.names[name]))

    def errors(self, answer) -> dict[str, float]:
        raise NotImplementedError

    @staticmethod
    def of_twin(twin, errors):
        """A check that compares an answer with the arrays of ``twin(data)``, by the same names.

        ``errors`` has for each error a function of an array and of what is expected; the names of
        its arrays may follow, where it is not of all. The largest of their values is the error.
        """
        return partial(TwinCheck, twin, errors)


class Sample(NamedTuple):
    """What some of n rows of an array have to be."""

    n: int
    rows: np.ndarray | slice
    values: np.ndarray

    @property
    def shape(self):
        return (self.n, *self.values.shape[1:])


class TwinCheck(Check):
    """See `Check.of_twin`."""

    def __init__(self, twin, measures, data):
        self.expected, self.measures = twin(data), measures
        self.parts = {name: np.shape(array) for name, array in self.expected.items()}

    def errors(self, answer):
        return {error: self._largest(measure, answer) for error, measure in self.measures.items()}

    def _largest(self, measure, answer):
        measure, *names = measure if isinstance(measure, tuple) else (measure,)
        pairs = (self._pair(answer, name) for name in names or self.expected)
        return max(float(measure(*pair)) for pair in pairs)

    def _pair(self, answer, name):
        array, expected = np.asarray(answer[name]), self.expected[name]
        if isinstance(expected, Sample):
            return array[expected.rows], expected.values
        return array, expected


def difference(array, expected):
    """The largest absolute difference."""
    return np.abs(array - expected).max()


def relative_difference(array, expected):
    """The largest difference, each as a share of what is expected."""
    return np.abs(array / expected - 1).max()


def scaled_difference(array, expected):
    """The largest difference as a share of the largest of what is expected."""
    return np.abs(array - expected).max() / np.abs(expected).max()


def row_blocks(n, width):
    """Slices of n rows, each of as many as make a temporary array of that width."""
    step = max(1, ELEMENTS_PER_BLOCK // max(1, width))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


@dataclass(frozen=True)
class Tolerances:
    """The largest error of each name that an answer may have."""

    strict: dict[str, float]  # The bounds of statfast always, and of peers on float64 problems.
    # The bounds of statfast's float32 results, which are rounded; None for the strict ones.
    float32: dict[str, float] | None = None
    # The bounds of peers on float32 problems; None for those of `float32`.
    loose: dict[str, float] | None = None
    ours: dict[str, float] = field(default_factory=dict)  # More bounds, of statfast alone.

    def limits(self, dtype: str, *, ours: bool) -> dict[str, float]:
        small = dtype == "float32" or (dtype == "uint8" and not ours)
        rounded = self.strict if self.float32 is None else self.float32
        if ours:
            return (rounded if small else self.strict) | self.ours
        if not small:
            return self.strict
        return rounded if self.loose is None else self.loose
