# SPDX-License-Identifier: BSD-3-Clause
"""Baskets as the search reads them: lists of items, tables of zeros and ones, sparse matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from statfast._core.patterns.baskets import (
    count_ones,
    list_ones,
    set_bits,
    transpose,
    weigh_vector,
)
from statfast._engine import checkpoint, each, fold, grid
from statfast._typing import Array, Jobs
from statfast._validation import (
    as_sparse,
    as_weights,
    is_iterable,
    is_missing,
    is_sparse,
    nonfinite,
    refuse_distributed,
    refuse_large,
    require_shape,
    shown,
    to_array,
    to_numbers,
    wrong_type,
)

ENTRIES_OF_CALL = 1 << 20  # items of baskets that a kernel moves between two looks for Ctrl-C
MAX_BASKETS = 2**31 - 1  # as their numbers are 32 bits wide
# A word of 64 baskets is intersected in about the time in which a quarter of an item is read.
WORDS_PER_ITEM_READ = 4
NUMBERS_OF_BLOCK = 1 << 20  # of a table that a kernel reads between two looks for Ctrl-C
BYTES_PER_ENTRY = 8  # of baskets as lists: an item and a basket
WANTED = (
    "baskets, each a list of items, or a table of zeros and ones with a row for each basket and a "
    "column for each item"
)


@dataclass(frozen=True)
class Baskets:
    """Baskets that count, as a table (n, d), or as lists one after another, and their weights."""

    names: list[Any]  # of the d items
    n: int
    table: Array | None  # (n, d) of any numbers, 0 and 1
    start: Array  # (n + 1,), empty of a table
    items: Array  # columns, int32
    weights: Array | None  # (n,)
    unit: float  # the weight of each basket where there are no weights

    @property
    def d(self) -> int:
        """The number of items, frequent or not."""
        return len(self.names)

    @property
    def total(self) -> float:
        """The weight of all baskets."""
        return self.n * self.unit if self.weights is None else float(self.weights.sum())


@dataclass(frozen=True)
class FrequentItems:
    """Frequent items, the rarest first, and their baskets: as lists, or as bits."""

    column: Array  # (m,) the column of each item
    counts: Array  # (m,) int32, baskets of each
    masses: Array | None  # (m,) their weights
    lists: tuple[Array, Array, Array, Array] | None
    vectors: Array | None  # (m, words)
    longest: int  # items of the longest basket, at most
    words: float  # about how many words the search counts for pairs


# ------------------------------------------------------------------ what callers pass
def as_baskets(X: Any, feature_names: Any, sample_weight: Any) -> Baskets:
    """Check baskets of any kind; those of weight 0 are left out."""
    refuse_distributed(X, "X")
    if isinstance(X, str | bytes | dict | set) or X is None:
        raise wrong_type("X", WANTED, X)
    table: Any = None
    if is_sparse(X) or _is_sparse_frame(X):
        names = _column_names(X)
        start, items, d = _of_sparse(X if is_sparse(X) else X.sparse.to_coo())
    elif hasattr(X, "shape") and len(X.shape) != 1:
        names = _column_names(X)
        table, start = _as_table(X), np.zeros(0, np.intp)
        (_, d), items = table.shape, np.zeros(0, np.int32)
    else:
        names, start, items = _of_lists(X, feature_names)
        d = len(names)
    n = len(start) - 1 if table is None else len(table)
    if n > MAX_BASKETS:
        raise ValueError(f"X must have at most {MAX_BASKETS} baskets; got {n}. Pass a sample.")
    names = _names(feature_names, names, d)
    weights, unit = as_weights(sample_weight, n), 1.0
    if weights is not None:
        counted = weights > 0
        if not counted.all():
            weights = weights[counted]
            if table is None:
                start, items = _without(start, items, counted)
            else:
                table = table[counted]
        if (weights == weights[0]).all():
            unit, weights = float(weights[0]), None
        n = int(np.count_nonzero(counted))
    return Baskets(names, n, table, start, items, weights, unit)


def _is_sparse_frame(X: Any) -> bool:
    """Whether X is a pandas data frame with sparse columns alone."""
    is_pandas = hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2
    kinds = [type(kind).__name__ for kind in X.dtypes] if is_pandas else []
    return set(kinds) == {"SparseDtype"}


def _column_names(X: Any) -> list[Any] | None:
    names = getattr(X, "column_names", None)  # pyarrow, whose `columns` are the data
    names = getattr(X, "columns", None) if names is None else names
    return None if names is None or isinstance(X, np.ndarray) else list(names)


def _names(feature_names: Any, names: list[Any] | None, d: int) -> list[Any]:
    """Names of items: those that are passed, else the columns', else their numbers."""
    if feature_names is None:
        return list(range(d)) if names is None else names
    if isinstance(feature_names, str) or not is_iterable(feature_names):
        raise wrong_type("feature_names", "a list of names", feature_names)
    passed = list(feature_names)
    if len(passed) != d:
        raise ValueError(
            f"feature_names must name the {d} columns of X; got {len(passed)} names. Pass one for "
            "each column."
        )
    try:
        distinct = len(set(passed))
    except TypeError as error:
        raise wrong_type("feature_names", "a list of hashable names", feature_names) from error
    if distinct < d:
        raise ValueError(
            f"feature_names must be distinct; got {d - distinct} that stand there twice. Rename "
            "them."
        )
    return passed


def _as_table(X: Any) -> Array:
    """An array (n, d) of numbers, checked to be zeros and ones."""
    table = to_array(X, "X", WANTED, numbers=True)
    require_shape(table, "X")
    if table.dtype.kind not in "biuf":
        table = to_numbers(table, "X", (np.float64,))
    if table.dtype.kind != "b":
        each(lambda rows: _require_binary(table, rows), grid(len(table)), effort=table.size)
    return table


def _require_binary(table: Array, rows: slice) -> None:
    block = table[rows]
    good = (block == 0) | (block == 1)
    if not good.all():
        row, column = np.argwhere(~good)[0]
        if not np.isfinite(block[row, column]):
            raise nonfinite(block[row, column], "X", rows.start + row, column)
        raise _not_binary(block[row, column], rows.start + row, column)


def _not_binary(value: Any, row: Any, column: Any) -> ValueError:
    return ValueError(
        f"X must hold True and False, or 1 and 0; got {value} at row {row}, column {column}. Make "
        "each item a column of its own, or pass X > 0."
    )


def _of_sparse(X: Any) -> tuple[Array, Array, int]:
    rows = as_sparse(X)
    if rows.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {rows.dtype}.")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    values = rows.data
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        at = int(wrong.argmax())
        row, column = int(np.searchsorted(rows.indptr, at, "right")) - 1, rows.indices[at]
        if not np.isfinite(values[at]):
            raise nonfinite(values[at], "X", row, column)
        raise _not_binary(values[at], row, column)
    if not values.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows.indptr.astype(np.intp), rows.indices.astype(np.int32), rows.shape[1]


def _of_lists(X: Any, feature_names: Any) -> tuple[list[Any], Array, Array]:
    """Items by their order, or where they have none by their first occurrence; a set has each
    once."""
    if feature_names is not None:
        raise ValueError(
            "feature_names are for tables; got names beside lists of items, which name "
            "themselves. Leave them out."
        )
    if not isinstance(X, Iterable) or getattr(X, "shape", (1,)) == ():
        raise wrong_type("X", WANTED, X)
    listed = [*X]
    if not set(map(type, listed)) <= {list, tuple, set, frozenset}:
        listed = [_as_basket(basket, number) for number, basket in enumerate(listed)]
    if not listed:
        raise ValueError("X must have at least one basket; got none. Pass some.")
    flat = list(chain.from_iterable(listed))
    try:
        names = list(dict.fromkeys(flat))
    except TypeError as error:
        wrong = next(item for item in flat if not _is_hashable(item))
        raise TypeError(
            f"Items must be hashable, such as strings and numbers; got {shown(wrong)} "
            f"({type(wrong).__name__}). Make it a tuple or a string."
        ) from error
    if not names:
        raise ValueError(f"X has no items: all of its {len(listed)} baskets are empty. Pass some.")
    missing = [name for name in names if is_missing(name)]
    if missing:
        raise ValueError(
            f"X has a missing item, {missing[0]!r}. Leave missing items out of the baskets."
        )
    with suppress(TypeError):  # Items of several types have no order but that of their occurrence.
        names = sorted(names)
    number_of = dict(zip(names, range(len(names)), strict=True))
    items = np.fromiter(map(number_of.__getitem__, flat), np.int32, len(flat))
    start = np.zeros(len(listed) + 1, np.intp)
    np.cumsum(np.fromiter(map(len, listed), np.intp, len(listed)), out=start[1:])
    return names, start, items


def _as_basket(basket: Any, number: int) -> list[Any]:
    if isinstance(basket, str | bytes) or not is_iterable(basket):
        raise TypeError(
            f"X must be {WANTED}; got {shown(basket)} for basket {number}. Put the items of a "
            "basket into a list."
        )
    return [*basket]


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _without(start: Array, items: Array, counted: Array) -> tuple[Array, Array]:
    """The lists of those baskets that count."""
    lengths = np.diff(start)
    kept = np.zeros(int(np.count_nonzero(counted)) + 1, np.intp)
    np.cumsum(lengths[counted], out=kept[1:])
    return kept, items[np.repeat(counted, lengths)]


# ------------------------------------------------------------------ the baskets of frequent items
def frequent_items(
    baskets: Baskets, is_frequent: Callable[[Array, Array | None], Array], n_jobs: Jobs
) -> FrequentItems:
    """Number the frequent items, the rarest first, and collect the baskets of each.

    Ties go to the first column. Lists or bits, whichever pairs of items are counted faster by, and
    bits where lists would take more memory than the table.
    """
    if baskets.table is None:
        return _of_rows(baskets, is_frequent)
    counts, lengths = _count_table(baskets.table, n_jobs)
    some = counts if baskets.weights is None else np.full(baskets.d, np.inf)
    kept = np.flatnonzero(is_frequent(counts, None if baskets.weights is None else some))
    squares = float(np.square(lengths, dtype=float).sum())
    words, reading = _efforts(len(kept), baskets.n, squares)
    if reading < words and BYTES_PER_ENTRY * float(counts.sum()) <= baskets.table.nbytes:
        start, items = _list_table(baskets.table, lengths, counts, n_jobs)
        return _of_rows(replace(baskets, table=None, start=start, items=items), is_frequent)
    vectors = _pack_table(baskets.table, kept, n_jobs)
    masses: Any = None
    if baskets.weights is not None:
        weighed = _weigh(vectors, baskets.weights)
        frequent = is_frequent(counts[kept], weighed)
        kept, vectors, masses = kept[frequent], vectors[frequent], weighed[frequent]
    order = np.argsort(counts[kept], kind="stable")
    longest = min(int(lengths.max(initial=0)), len(kept))
    return FrequentItems(
        kept[order], counts[kept[order]].astype(np.int32),
        None if masses is None else masses[order], None, vectors[order], longest, words,
    )  # fmt: skip


def _blocks(lines: Array) -> list[slice]:
    """Blocks of lines of some hundred thousand numbers, whatever the threads."""
    step = max(1, NUMBERS_OF_BLOCK // max(1, lines.shape[1]))
    return [slice(first, first + step) for first in range(0, len(lines), step)]


def _lines(table: Array) -> tuple[Array, bool]:
    """The table by rows, or by columns if these lie in a row; and whether by columns."""
    by_columns = table.strides[0] < table.strides[1]
    return (table.T if by_columns else table), by_columns


def _bytes(block: Array) -> Array:
    """A block of zeros and ones as bytes that lie side by side."""
    ones = block if block.dtype == bool else block != 0
    return np.ascontiguousarray(ones).view(np.uint8)


def _count_table(table: Array, n_jobs: Jobs) -> tuple[Array, Array]:
    """Baskets of each item, and items of each basket."""
    lines, by_columns = _lines(table)
    of_lines = np.empty(len(lines), np.intp)

    def count(block: slice) -> Array:
        of_columns = np.zeros(lines.shape[1], np.intp)
        count_ones(_bytes(lines[block]), of_lines[block], of_columns)
        return of_columns

    of_columns = fold(count, _blocks(lines), merge=np.add, n_jobs=n_jobs, effort=table.size)
    return (of_lines, of_columns) if by_columns else (of_columns, of_lines)


def _list_table(table: Array, lengths: Array, counts: Array, n_jobs: Jobs) -> tuple[Array, Array]:
    """The items of each basket, one list after another."""
    lines, by_columns = _lines(table)
    start = _ends(counts if by_columns else lengths)
    entries = np.empty(start[-1], np.int32)

    def enter(block: slice) -> None:
        list_ones(_bytes(lines[block]), start[:-1][block], entries)

    each(enter, _blocks(lines), n_jobs=n_jobs, effort=table.size)
    ends = _ends(lengths)
    return ends, _transposed(start, entries, None, ends) if by_columns else entries


def _pack_table(table: Array, kept: Array, n_jobs: Jobs) -> Array:
    """The baskets of some items as bits."""
    vectors = _empty_vectors(len(kept), len(table))
    packed = vectors.view(np.uint8)

    def pack(rows: slice) -> None:
        block = np.ascontiguousarray(table[rows][:, kept].T)
        bits = np.packbits(block != 0, axis=1, bitorder="little")
        packed[:, rows.start // 8 : rows.start // 8 + bits.shape[1]] = bits

    each(pack, grid(len(table)), n_jobs=n_jobs, effort=table.size)
    return vectors


def _efforts(m: int, n: int, squares: float) -> tuple[float, float]:
    """About how many words are counted for pairs of items, as bits and as lists."""
    return 0.5 * m * m * (n / 64), squares * WORDS_PER_ITEM_READ


def _empty_vectors(m: int, n: int) -> Array:
    """Bits of n baskets for each of m items; the first basket is the lowest bit of a word."""
    words = (n + 63) // 64
    refuse_large(8.0 * m * words, "The table of baskets as bits", "Raise min_support.")
    return np.zeros((m, words), np.uint64)


def _weigh(vectors: Array, weights: Array) -> Array:
    """The weights of items, added in the order of baskets, as for all other sets."""
    masses = np.empty(len(vectors))
    for item in range(len(vectors)):
        masses[item] = weigh_vector(vectors[item], weights)
        checkpoint()
    return masses


def _rarest_first(counts: Array, frequent: Array) -> Array:
    column = np.flatnonzero(frequent)
    return column[np.argsort(counts[column], kind="stable")]


def _of_rows(baskets: Baskets, is_frequent: Callable[[Array, Array | None], Array]) -> Any:
    start, items, n, d = baskets.start, baskets.items, baskets.n, baskets.d
    while True:
        counts = np.bincount(items, minlength=d)
        masses = None
        if baskets.weights is not None:
            of_each = np.repeat(baskets.weights, np.diff(start))
            masses = np.bincount(items, weights=of_each, minlength=d)
        column = _rarest_first(counts, is_frequent(counts, masses))
        number = np.full(d, -1, np.int32)
        number[column] = np.arange(len(column))
        item_start = _ends(counts[column])
        tids = _transposed(start, items, number, item_start)
        again = np.flatnonzero(tids[1:] == tids[:-1]) + 1
        if not len(np.setdiff1d(again, item_start)):
            break
        start, items = _distinct(start, items, d)
    row_start = _ends(np.bincount(tids, minlength=n))
    row_items = _transposed(item_start, tids, None, row_start)
    lengths = np.diff(row_start)
    words, reading = _efforts(len(column), n, float(np.square(lengths, dtype=float).sum()))
    lists: Any = (row_start, row_items, item_start, tids)
    vectors = None
    memory = 8.0 * len(column) * ((n + 63) // 64)
    if words < reading and memory <= BYTES_PER_ENTRY * max(len(tids), 1):
        vectors = _empty_vectors(len(column), n)
        for first, stop in _slices(item_start):
            set_bits(item_start, tids, first, stop, vectors)
            checkpoint()
        lists = None
    return FrequentItems(
        column, counts[column].astype(np.int32), None if masses is None else masses[column],
        lists, vectors, int(lengths.max(initial=0)), min(words, reading),
    )  # fmt: skip


def _ends(lengths: Array) -> Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


def _slices(start: Array) -> list[tuple[int, int]]:
    """Lists in a row that have some million entries, or one that has more."""
    cuts = np.searchsorted(start, np.arange(0, start[-1], ENTRIES_OF_CALL), "left")
    cuts = np.unique([0, *cuts.tolist(), len(start) - 1])
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _transposed(start: Array, entries: Array, number: Array | None, ends: Array) -> Array:
    lines = np.empty(ends[-1], np.int32)
    place = ends[:-1].copy()
    for first, stop in _slices(start):
        transpose(start, entries, number, first, stop, place, lines)
        checkpoint()
    return lines


def _distinct(start: Array, items: Array, d: int) -> tuple[Array, Array]:
    """Baskets without items that they have already."""
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    row, column = np.divmod(np.unique(row * np.intp(d) + items), d)
    return _ends(np.bincount(row, minlength=len(start) - 1)), column.astype(np.int32)
