# SPDX-License-Identifier: BSD-3-Clause
"""The motions of images: shape, smoothing, and distances between tangent spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt
from numbers import Integral

import numpy as np

from statfast._core.neighbors import tangent
from statfast._engine import each
from statfast._typing import Array
from statfast._validation import as_real, refuse_large, shown, wrong_type

FLOP_PER_CALL = 5e7  # flop of a kernel call: tens of milliseconds in plain C
# The penalty on moving by 1 along a tangent of length 1. It is so small that it hardly changes the
# answer (MNIST has about the same errors from 1e-6 to 1e-2), and so large that tangents which
# coincide do no harm.
RIDGE = 1e-3


@dataclass(frozen=True)
class Motion:
    """The motions of images: their shape, their smoothing, and whether both of a pair move."""

    shape: tuple[int, int]
    taps: np.ndarray  # (2 radius + 1,) weights of the smoothing, which sum to 1
    both: bool

    @classmethod
    def checked(cls, shape: tuple[int, int], sigma: float, two_sided: bool) -> Motion:
        """The motions with checked parameters; the shape has been checked."""
        sigma = as_real(sigma, "sigma", 0.0, float(max(shape)))
        if not isinstance(two_sided, bool | np.bool_):
            raise wrong_type("two_sided", "True or False", two_sided)
        around = 6.0 * sigma  # the kernel puts a frame about the image
        frame = 24.0 * (shape[0] + around) * (shape[1] + around)
        refuse_large(frame, "Smoothing an image", "Lower sigma.")
        return cls(shape, gaussian_taps(sigma), bool(two_sided))

    def squared(
        self, Q: Array, X: Array, ids: np.ndarray, n_jobs: int | None, name: str = "X"
    ) -> np.ndarray:
        """Squared distances (m, c) of the images Q to the rows `ids` (m, c) of X."""
        m, c = ids.shape
        height, width = self.shape
        flop = height * width * ((230.0 if self.both else 40.0) + 4.0 * len(self.taps))
        pairs = max(1, int(FLOP_PER_CALL / flop))
        rows, columns = max(1, pairs // c), min(c, pairs)
        out = np.empty((m, c))

        def measure(task: tuple[slice, slice]) -> None:
            part, columns_of_task = task
            q = np.ascontiguousarray(Q[part], np.float64)
            where, squares = ids[part, columns_of_task], out[part, columns_of_task]
            tangent.squared(q, X, where, height, width, self.taps, self.both, RIDGE, squares)

        tasks = [
            (slice(i, min(m, i + rows)), slice(j, min(c, j + columns)))
            for i in range(0, m, rows)
            for j in range(0, c, columns)
        ]
        each(measure, tasks, n_jobs=n_jobs, effort=m * c * flop)
        require_range(out, name)
        return out


def gaussian_taps(sigma: float) -> np.ndarray:
    """Weights of a Gaussian within three standard deviations; they sum to 1."""
    radius = ceil(3.0 * sigma)
    if radius == 0:
        return np.ones(1)
    with np.errstate(over="ignore"):  # where sigma is tiny
        weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return weights / weights.sum()


def as_shape(image_shape: tuple[int, int] | None, d: int, name: str = "X") -> tuple[int, int]:
    """Check the shape of images of d pixels, the columns of the argument `name`."""
    if image_shape is None:
        side = isqrt(d)
        if side * side != d:
            raise ValueError(
                f"{name} has {d} columns, which make no square image. Pass image_shape=(rows, "
                "columns) of an image, or (1, -1) for signals."
            )
        return side, side
    if isinstance(image_shape, str) or not isinstance(image_shape, Sequence):
        raise wrong_type("image_shape", "two integers, rows and columns", image_shape)
    whole = [isinstance(side, Integral) and not isinstance(side, bool) for side in image_shape]
    if len(image_shape) != 2 or not all(whole):
        raise wrong_type("image_shape", "two integers, rows and columns", image_shape)
    height, width = (int(side) for side in image_shape)
    if height == -1 and width > 0:
        height = d // width
    elif width == -1 and height > 0:
        width = d // height
    if height < 1 or width < 1 or height * width != d:
        raise ValueError(
            f"image_shape must be the rows and columns of an image of {d} pixels, the columns of "
            f"{name}; got {shown(image_shape)}. One of them may be -1."
        )
    return height, width


def require_range(squared: np.ndarray, name: str) -> None:
    """Refuse squared distances that overflow."""
    if not squared.max() < np.inf:  # written so that NaN fails too
        raise ValueError(
            f"{name} holds an image so far from others that their squared distance overflows "
            "float64 (1.8e308). Divide all images by a common scale first."
        )
