# SPDX-License-Identifier: BSD-3-Clause
"""Rows that come in pieces, for data larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from statfast._validation import FLOATS, as_rows, is_iterable, wrong_type


class Chunks:
    """Out-of-core data: a re-iterable sequence of blocks of samples.

    They are read in order, by the caller's thread. How long each is shows in the rounding of sums.
    Rows that come with labels or weights, as tuples, are `Parts`.

    Parameters
    ----------
    make : callable, or iterable, of array-likes of shape (m, d)
        A function that returns an iterator over the chunks, called again for each pass that a
        method makes, or a list of them (of memory maps, say). An iterator will do where one pass is
        enough. Lengths m may differ; float64, float32 and uint8 stay as they are.

    Attributes
    ----------
    shape, dtype : tuple of int (n, d), and numpy.dtype
        Those of all samples; None until a pass is complete.

    Raises
    ------
    ValueError
        During a pass: if a chunk is not a 2-d array of finite numbers (looked at in the first
        pass), is a tuple of several, or differs from the first in columns or dtype; if there are no
        rows, or not as many as before; if an iterator is to be read again.

    See Also
    --------
    statfast.Parts : Tuples (X, y, sample_weight), or functions that read them.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Chunks
    >>> rows = Chunks(lambda: (np.full((4, 2), i) for i in range(3)))
    >>> [chunk.shape for chunk in rows]
    [(4, 2), (4, 2), (4, 2)]
    >>> rows.shape, rows.dtype
    ((12, 2), dtype('float64'))
    """

    def __init__(self, make: Callable[[], Iterable[Any]] | Iterable[Any]) -> None:
        if not callable(make) and not is_iterable(make):
            raise wrong_type("make", "a list of arrays, or a function that returns one", make)
        self._make, self._spent = make, False
        self.shape: tuple[int, int] | None = None
        self.dtype: np.dtype | None = None
        self._lengths: list[int] | None = None

    def __iter__(self) -> Iterator[np.ndarray]:
        """Make a pass: yield the chunks, checked."""
        if self._spent:
            raise ValueError(
                "X is an iterator of chunks, which can be read once, and a second pass is needed. "
                "Pass a list of arrays, or a function that returns a new iterator."
            )
        self._spent = isinstance(self._make, Iterator)
        first: Any = None
        lengths = []
        for number, chunk in enumerate(self._make() if callable(self._make) else self._make):
            name, first_pass = f"chunk {number} of X", self.shape is None
            if isinstance(chunk, tuple) and getattr(chunk[0] if chunk else None, "ndim", 0) == 2:
                raise ValueError(
                    f"{name} must be one array of rows; got a tuple of {len(chunk)}. Pass "
                    "statfast.Parts of tuples (X, y, sample_weight) where labels or weights come "
                    "with the rows."
                )
            chunk = as_rows(chunk, name=name, keep=(*FLOATS, np.uint8), n_min=0, finite=first_pass)
            here = chunk.shape[1], chunk.dtype
            first = first or here
            if here != first:
                raise ValueError(f"{name} has columns and dtype {here}, the first chunk {first}.")
            lengths.append(len(chunk))
            yield chunk
        n = sum(lengths)
        if n == 0:
            raise ValueError("X has 0 sample(s) in its chunks while a minimum of 1 is required.")
        if self.shape not in (None, (n, first[0])):
            raise ValueError(
                f"X had shape {self.shape} before, and has {(n, first[0])} now. Its function must "
                "return the same rows every time."
            )
        self.shape, self.dtype, self._lengths = (n, first[0]), first[1], lengths
