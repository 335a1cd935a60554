# SPDX-License-Identifier: BSD-3-Clause
"""What a naive Bayes model asks of a density, and the rows, whole or in blocks, that it is given.

A `Density` says how columns are distributed within a class: its `statistics` of a block of rows add
up, and `solve` turns their sum into a `FittedDensity`, which scores rows. Models of several kinds
of columns (`MixedNB`) are several of them side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, checkpoint, each, grid, reduce
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse

NUMBERS_OF_PIECE = 4e6  # One step of numpy on so many numbers takes some milliseconds.
# A block of fewer numbers would take less time than the calls that it costs.
MIN_ROWS_OF_BLOCK, MIN_NUMBERS_OF_BLOCK = 256, 32_768


class Density:
    """A distribution of columns within classes, with its parameters checked."""

    partial = False  # Whether more rows may come, so that too few are no error.
    sparse = False  # Whether `statistics` and scores take sparse blocks as they are.

    def check(self, rows: Any) -> None:
        """Refuse values that have no density; `rows` is an array or a CSR array."""

    def statistics(self, rows: Any, codes: Array, weights: Array | None, n_classes: int) -> Any:
        """Statistics of a block of rows: they have `+`, and `of(kept)` for some of the classes."""
        raise NotImplementedError

    def solve(self, statistics: Any, class_counts: Array) -> Any:
        """The fitted density."""
        raise NotImplementedError

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> None:
        """Log densities (n, K) of each row when it is left out of the sums; None if unknown."""
        return None


class FittedDensity:
    """A density with parameters for each of K classes and d columns."""

    def attributes(self) -> Any:
        """FittedDensity attributes of the estimator."""
        raise NotImplementedError

    def scores(self, rows: Array, begin: Array) -> Array:
        """``begin`` (K,) plus the log densities of a block of rows, (m, K)."""
        return begin + self.terms(rows).sum(axis=2)

    def posteriors(self, rows: Array, begin: Array, out: Array) -> bool:
        """Fill `out` with posteriors; returns whether this could be done at once."""
        return False

    def terms(self, rows: Any) -> Any:
        """Log densities of each column of dense rows, (m, K, d)."""
        raise NotImplementedError

    def common(self, rows: Array) -> float:
        """The part of the log densities that all classes share and `scores` leave out: (m, 1)."""
        return 0.0

    def draw(self, codes: Array, rng: Any) -> Any:
        """A row of each of these classes."""
        raise NotImplementedError


@dataclass(frozen=True)
class Sums:
    """Plain sums, tables whose last axis are the classes."""

    tables: tuple[NDArray[np.float64], ...]

    def __add__(self, other: Sums) -> Sums:
        return Sums(tuple(a + b for a, b in zip(self.tables, other.tables, strict=True)))

    def of_classes(self, kept: Any) -> Sums:
        return Sums(tuple(table[..., kept] for table in self.tables))


@dataclass(frozen=True)
class BayesSums:
    """What a naive Bayes model is fitted from: the weight of each class, and its density's sums."""

    class_counts: NDArray[np.float64]  # (K,)
    columns: Any

    def __add__(self, other: BayesSums) -> BayesSums:
        return BayesSums(self.class_counts + other.class_counts, self.columns + other.columns)

    def of_columns(self, columns: NDArray[np.intp]) -> BayesSums:
        """That of some of the columns, whose density can be cut."""
        return BayesSums(self.class_counts, self.columns.of_columns(columns))


@dataclass(frozen=True)
class State:
    """What else a fit needs: the checked parameters, and what the columns are called."""

    classes: NDArray[Any]
    density: Density
    n_features: int
    names: NDArray[Any] | None
    unseen: bool = False  # Whether blocks are still to be checked, as those of chunks are.
    keep_absent: bool = False  # Whether a class without rows stays among the classes.

    def with_width(self, width: int) -> State:
        return State(self.classes, self.density, width, self.names, True, self.keep_absent)


# ------------------------------------------------------------------ rows


@dataclass(frozen=True)
class SparseBlock:
    """The parts of some rows of a CSR array, which scipy would look at for longer than we do."""

    data: NDArray[np.float64]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]
    ndim = 2

    @property
    def nnz(self) -> Any:
        return len(self.data)

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    def toarray(self) -> Array:
        """The rows as a dense array."""
        out = np.zeros(self.shape)
        out[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.data
        return out


def block_of(rows: Any, where: slice) -> Any:
    """Some consecutive rows, without a copy."""
    if not is_sparse(rows):
        return rows[where]
    start = rows.indptr[where.start : where.stop + 1]
    part = slice(start[0], start[-1])
    shape = len(start) - 1, rows.shape[1]
    return SparseBlock(rows.data[part], rows.indices[part], start - start[0], shape)


def cut_pieces(rows: Any, effort: int) -> list[slice]:
    """Slices of rows whose work, `effort` numbers a row, is that of a `NUMBERS_OF_PIECE` each."""
    n = rows.shape[0]
    step = max(1, int(NUMBERS_OF_PIECE / max(1.0, effort)))
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]


def class_statistics(columns: tuple[Any, Array, Array | None], state: State) -> BayesSums:
    """The statistics of a block: its rows, the codes of their classes, and their weights."""
    rows, codes, weights = columns
    density, n_classes = state.density, len(state.classes)
    codes = np.ascontiguousarray(codes)
    total: BayesSums | None = None
    wide = is_sparse(rows) and not density.sparse
    for where in cut_pieces(rows, rows.shape[1] if wide or not is_sparse(rows) else 64):
        checkpoint()
        piece = block_of(rows, where)
        piece = piece.toarray() if wide else piece
        if isinstance(piece, np.ndarray):
            piece = np.ascontiguousarray(piece)
        if state.unseen:
            density.check(piece)
        share = None if weights is None else np.ascontiguousarray(weights[where])
        class_counts = np.bincount(codes[where], share, n_classes).astype(np.float64)
        sums = density.statistics(piece, codes[where], share, n_classes)
        more = BayesSums(class_counts, sums)
        total = more if total is None else total + more
    assert total is not None
    return total


def sum_statistics(
    columns: tuple[Any | Matrix, Array, Array | None], state: State, n_jobs: Jobs
) -> BayesSums:
    """Statistics of all rows, block by block over threads."""
    rows, codes, weights = columns
    if isinstance(rows, Chunks):
        return reduce(
            lambda _, *block: class_statistics(block, state.with_width(block[0].shape[1])),
            rows, codes, weights, merge=_plus, n_jobs=n_jobs,
        )  # fmt: skip
    n, d = rows.shape
    filled = float(rows.nnz) if is_sparse(rows) and state.density.sparse else float(n) * d
    table = d * len(state.classes)
    # Sums of a block are a table that is cleared and added: the block should be worth more.
    worth = int(4.0 * table * n / max(filled, 1.0)) if is_sparse(rows) else 0
    least = max(MIN_ROWS_OF_BLOCK, MIN_NUMBERS_OF_BLOCK * n // max(int(filled), 1), worth)

    def partial(
        where: slice, _: Array, codes_of_block: Array, weights_of_block: Array | None
    ) -> BayesSums:
        return class_statistics((block_of(rows, where), codes_of_block, weights_of_block), state)

    return reduce(
        partial, np.broadcast_to(np.int8(0), (n, 1)), codes, weights,
        merge=_plus, n_jobs=n_jobs, effort=8.0 * filled, least=least,
    )  # fmt: skip


def _plus(total: BayesSums, more: BayesSums) -> BayesSums:
    return total + more


# ------------------------------------------------------------------ scores


def fill_answers(
    fitted: FittedDensity,
    rows: Any,
    begin: Array,
    out: Array,
    what: str,
    *,
    sparse: bool,
    n_jobs: Jobs,
) -> None:
    """Fill `out` with joint log densities, log posteriors or posteriors of all rows, by blocks.

    A row that no class can have, each with a density of 0, has the class probabilities alone.
    """
    n, d = rows.shape
    wide = is_sparse(rows) and not sparse

    def work(block: slice) -> None:
        part = block_of(rows, block)
        for where in cut_pieces(part, d * len(begin) if wide or not is_sparse(rows) else 64):
            checkpoint()
            piece = block_of(part, where)
            piece = piece.toarray() if wide else piece
            if isinstance(piece, np.ndarray):
                piece = np.ascontiguousarray(piece)
            here = out[block.start + where.start : block.start + where.stop]
            if what != "proba" or not fitted.posteriors(piece, begin, here):
                scores = fitted.scores(piece, begin)
                if what == "joint":
                    scores = scores + fitted.common(piece)
                answers = normalize_scores(scores, begin, what)
                if out.dtype == np.float32 and what == "log":
                    answers[answers >= -(2.0**-25)] = 0.0  # The posterior in float32 is 1.
                here[...] = answers

    size = rows.nnz if is_sparse(rows) and sparse else n * d
    least = 1024 if is_sparse(rows) else max(MIN_ROWS_OF_BLOCK, MIN_NUMBERS_OF_BLOCK // d)
    blocks = grid(n, least)
    each(work, blocks, n_jobs=n_jobs, effort=float(size) * 3.0 * len(begin))


def normalize_scores(scores: Array, begin: Array, what: str) -> Array:
    """Joint log densities as they are, or as scores, log posteriors or posteriors; `begin` are the
    log priors."""
    if what == "joint" or (what == "scores" and np.isfinite(scores).all()):
        return scores
    top = scores.max(axis=1, keepdims=True)
    lost = ~(top[:, 0] > -np.inf)
    if lost.any():  # Densities are 0, or squares beyond float64.
        scores[lost] = begin
        top[lost] = begin.max()
    if what == "scores":
        return scores
    scores -= top
    if what == "proba":
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
    else:
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


def log_of(values: Array) -> Array:
    """Logarithms, of which that of 0 is -inf and no warning."""
    with np.errstate(divide="ignore"):
        return np.log(values)
