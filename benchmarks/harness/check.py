# SPDX-License-Identifier: BSD-3-Clause
"""What all checks have in common: an answer is whole before its errors are measured.

A check is a slow twin in plain numpy, in float64: made from a problem's data it works out what is
right, and called with a library's answer it gives the answer's errors. `Tolerances` bound them:
strictly for statfast always and for a peer on float64 problems, loosely for peers on float32
problems, whose arithmetic cannot meet the strict bounds.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

BLOCK = 4_000_000  # elements in a temporary array
MALFORMED = {"malformed": 1.0}  # no error with a bound is in it, so that no verdict can be good


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


def row_blocks(n, width):
    """Slices of n rows, each of as many as make a temporary array of that width."""
    step = max(1, BLOCK // max(1, width))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


@dataclass(frozen=True)
class Tolerances:
    """The largest error of each name that an answer may have."""

    strict: dict[str, float]  # ours always, and peers on float64 problems
    float32: dict[str, float] | None = None  # float32 results are rounded; None: as strict
    loose: dict[str, float] | None = None  # peers on float32 problems; None: as float32
    ours: dict[str, float] = field(default_factory=dict)  # asked of ours besides

    def of(self, dtype: str, *, ours: bool) -> dict[str, float]:
        small = dtype == "float32" or (dtype == "uint8" and not ours)
        rounded = self.strict if self.float32 is None else self.float32
        if ours:
            return (rounded if small else self.strict) | self.ours
        if not small:
            return self.strict
        return rounded if self.loose is None else self.loose
