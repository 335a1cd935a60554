# SPDX-License-Identifier: BSD-3-Clause
"""Words of annotations that several families use. Docstrings say more: shapes and dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Sparse(Protocol):
    """A sparse matrix or array of scipy."""

    @property
    def nnz(self) -> Any: ...

    def tocsr(self) -> Any: ...


class RowChunks(Protocol):
    """`Chunks`, which stand above the words of annotations."""

    shape: tuple[int, int] | None
    dtype: np.dtype | None

    def __iter__(self) -> Iterator[np.ndarray]: ...


Array: TypeAlias = NDArray[Any]
Jobs: TypeAlias = int | None
Weights: TypeAlias = ArrayLike | None
ClassWeight: TypeAlias = dict[Any, Any] | Literal["balanced"] | None
Texts: TypeAlias = Iterable[Any]  # strings, or lists of their words
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from scipy.sparse import csc_array, csr_array, csr_matrix

    Rows: TypeAlias = ArrayLike | Sparse | RowChunks
    # Checked rows: an array, or a sparse one, whose types scipy does not tell.
    Matrix: TypeAlias = csr_array
else:  # Names that are loaded on use are known to type checkers alone.
    Axes = DataFrame = Matrix = csc_array = csr_array = csr_matrix = Any
    Rows = ArrayLike | Sparse
