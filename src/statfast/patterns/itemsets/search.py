# SPDX-License-Identifier: BSD-3-Clause
"""Frequent item sets, closed and maximal ones: the search, and the order of what it finds."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from threading import Lock
from typing import Any

import numpy as np

from statfast._core.patterns import eclat
from statfast._engine import checkpoint, each, interruptible, usable_threads
from statfast._typing import Array, Jobs, Rows, Weights
from statfast._validation import (
    as_count,
    as_flag,
    as_real,
    free_memory,
    refuse_large,
)
from statfast.patterns.itemsets.baskets import (
    Baskets,
    FrequentItems,
    as_baskets,
    frequent_items,
)
from statfast.patterns.itemsets.table import FrequentItemsets

WORDS_OF_CALL = 2e7  # that a call of the kernel counts: about 10 ms
ITEMS_OF_CALL, SETS_OF_CALL = 1 << 16, 1 << 14  # that a call finds at most
MAX_TASKS = 1024  # into which first items are divided
WORDS_OF_TASK = 1e5  # that are counted for pairs of items in a task, at least: some 0.1 ms
WORD_BYTES = 8
MIN_BYTES_TO_LIMIT = 1 << 26  # bytes of the vectors of a first item that memory is looked at for
FLOP_PER_WORD = 2
# The sets of the threads, their copy in one array, and the numbers by which they are sorted.
COPIES_OF_SETS = 3
WORD_BITS = 62  # of an integer that columns of a sorted table are packed into
SLACK = 1e-12  # by which a sum of weights may fall short of the least, as it is rounded
FIX = "Raise min_support, set max_length, or ask for closed=True or maximal=True."


def frequent_itemsets(
    X: Rows,
    min_support: float = 0.5,
    *,
    max_length: int | None = None,
    closed: bool = False,
    maximal: bool = False,
    feature_names: Any = None,
    sample_weight: Weights = None,
    n_jobs: Jobs = None,
) -> FrequentItemsets:
    """Find all sets of items that many baskets have in common.

    Parameters
    ----------
    X : list of baskets, or array-like or sparse matrix of shape (n, d)
        The baskets. A list (or any other iterable, such as a pandas series) holds a basket for each
        entry, and a basket is a list, tuple or set of hashable items; an item that a basket has
        twice counts once. An array, a data frame or a sparse matrix has a row for each basket and a
        column for each item, and holds True and False or 1 and 0. A list of lists is always one of
        baskets, also if it holds numbers.
    min_support : float or int, default=0.5
        A float is the least share of the baskets, greater than 0 and at most 1, that have all items
        of a set; an int, at least 1, the least number of baskets, or with weights their least
        weight. So 1.0 is all baskets, and 1 is one basket.
    max_length : int, optional
        Most items of a set; None sets no limit. It leaves out longer sets, and does not change
        which sets are closed or maximal.
    closed : bool, default=False
        Only sets that no larger set has the same baskets as. The support of every frequent set is
        that of the smallest closed set that it is part of.
    maximal : bool, default=False
        Only sets that are part of no larger frequent set.
    feature_names : sequence of shape (d,), optional
        Names of the columns, which must differ; by default those of a data frame, or numbers from
        0. The items of lists name themselves.
    sample_weight : array-like of shape (n,), optional
        Weights of the baskets: a support is then a share of their sum, and a weight of 2 is the
        basket twice. A basket of weight 0 does not count.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    FrequentItemsets
        With `supports`, `counts` and `itemsets`; ``print`` shows the first, and ``to_frame`` is a
        data frame.

    Raises
    ------
    ValueError
        If there are no baskets or no items, a table holds anything but zeros and ones, or an item
        is missing; if `min_support` is out of range; if both `closed` and `maximal` are set; if
        `feature_names` do not fit the columns, or weights the baskets.
    TypeError
        If X is not a collection of baskets, a basket is a string or not a collection, an item is
        not hashable, or an argument is of the wrong type.
    MemoryError
        If the sets found so far, or bits of baskets, take more than half the free memory.

    See Also
    --------
    association_rules : Rules from these sets.

    Notes
    -----
    A set is frequent if its number of baskets, divided by that of all, is at least `min_support`
    when both are float64; a sum of weights may fall short by a relative 1e-12, as it is rounded.
    Sets are ordered by support, the greatest first, then by length, then by the order of their
    items: that of the columns, and of lists that of Python's ``sorted`` or, where items of several
    types cannot be compared, of their first occurrence. The empty set is left out.

    Method: Eclat [1]_ on vectors of bits, the items ordered from the rarest to the most frequent;
    closed sets by extensions that preserve the prefix [2]_, without a look at those found before.
    Cost: for each set and each item that may extend it a pass over the baskets of the set, 64 in a
    word. Memory: 8 bytes for each item of a basket, or a bit for each basket and frequent item,
    whichever is faster to search; for each thread at most as many bits again and a third more;
    and the result, 4 bytes for each item of a set and some 40 for the set. It can be larger than
    any memory, as n items that all baskets have make :math:`2^n - 1` sets: it is refused once it
    takes half of what is free.

    References
    ----------
    .. [1] Zaki, M. J. (2000). Scalable algorithms for association mining. IEEE Transactions on
       Knowledge and Data Engineering 12, 372-390. https://doi.org/10.1109/69.846291
    .. [2] Uno, T. et al. (2004). An efficient algorithm for enumerating closed patterns in
       transaction databases. Discovery Science, 16-31.
       https://doi.org/10.1007/978-3-540-30214-8_2

    Examples
    --------
    >>> from statfast import frequent_itemsets
    >>> baskets = [
    ...     ["bread", "milk"],
    ...     ["bread", "butter", "eggs"],
    ...     ["bread", "butter", "milk"],
    ...     ["bread", "butter", "milk", "eggs"],
    ... ]
    >>> sets = frequent_itemsets(baskets, 0.5)
    >>> print(sets)
                         Support  Count
    bread                 1.0000      4
    butter                0.7500      3
    milk                  0.7500      3
    bread, butter         0.7500      3
    bread, milk           0.7500      3
    eggs                  0.5000      2
    bread, eggs           0.5000      2
    butter, eggs          0.5000      2
    butter, milk          0.5000      2
    bread, butter, eggs   0.5000      2
    bread, butter, milk   0.5000      2

    Five of these say it all: the others are in the same baskets as one of them.

    >>> print(frequent_itemsets(baskets, 0.5, closed=True))
                         Support  Count
    bread                 1.0000      4
    bread, butter         0.7500      3
    bread, milk           0.7500      3
    bread, butter, eggs   0.5000      2
    bread, butter, milk   0.5000      2
    """
    if as_flag(closed, "closed") + as_flag(maximal, "maximal") == 2:
        raise ValueError(
            "closed and maximal must not both be True; got both. Maximal sets are closed: pass "
            "maximal=True alone."
        )
    kind = eclat.CLOSED if closed else eclat.MAXIMAL if maximal else eclat.FREQUENT
    length = None if max_length is None else as_count(max_length, "max_length")
    share = _as_min_support(min_support)
    usable_threads(n_jobs)
    baskets = as_baskets(X, feature_names, sample_weight)
    return _find_sets(baskets, share, kind, length, n_jobs)


def _as_min_support(min_support: Any) -> int | float:
    """A share of baskets as a float, or a number of them as an int."""
    if isinstance(min_support, Integral) and not isinstance(min_support, bool):
        return as_count(min_support, "min_support")
    try:
        return as_real(min_support, "min_support", 0.0, 1.0, open_low=True)
    except ValueError as error:
        raise ValueError(
            f"min_support must be a share of the baskets, greater than 0 and at most 1, or an "
            f"integer number of baskets; got {min_support}. Pass 0.01 for one in a hundred."
        ) from error


def _find_sets(
    baskets: Baskets, min_support: int | float, kind: int, max_length: int | None, n_jobs: Jobs
) -> FrequentItemsets:
    least, least_mass = _minimum(baskets, min_support)

    def is_frequent(counts: Array, masses: Array | None) -> Array:
        return counts >= least if masses is None else (masses >= least_mass) & (counts > 0)

    items = frequent_items(baskets, is_frequent, n_jobs)
    names = {eclat.FREQUENT: "frequent", eclat.CLOSED: "closed", eclat.MAXIMAL: "maximal"}
    sets = _search(items, baskets, kind, (least, least_mass), max_length, n_jobs)
    start, members, counts, masses = interruptible(_in_order, *sets, items.column)
    weights = masses if masses is not None else counts * baskets.unit
    total = baskets.total
    return FrequentItemsets(
        supports=weights / total,
        counts=counts.astype(np.int64) if baskets.unit == 1 and masses is None else weights,
        start=start,
        items=members,
        names=baskets.names,
        total=int(total) if baskets.unit == 1 and masses is None else total,
        kind=names[kind],
        max_length=max_length,
    )


def _minimum(baskets: Baskets, min_support: int | float) -> tuple[int, float]:
    """The least number of baskets, and the least weight."""
    if baskets.weights is not None:
        share = min_support if isinstance(min_support, int) else min_support * baskets.total
        return 1, share * (1 - SLACK)
    n = baskets.n
    if isinstance(min_support, int):
        return max(1, ceil(min_support / baskets.unit * (1 - SLACK))), 0.0
    least = max(1, min(n, ceil(min_support * n)))
    while least > 1 and (least - 1) / n >= min_support:  # The product was rounded.
        least -= 1
    while least / n < min_support:
        least += 1
    return least, 0.0


def _search(
    items: FrequentItems,
    baskets: Baskets,
    kind: int,
    minimum: tuple[int, float],
    max_length: int | None,
    n_jobs: Jobs,
) -> tuple[Array, Array, Array, Array | None]:
    """Items, lengths, counts and weights of all sets, in the order of their first items."""
    m = len(items.column)
    step = -(-max(m, 1) // max(1, min(MAX_TASKS, int(items.words / WORDS_OF_TASK))))
    tasks = [(first, min(first + step, m)) for first in range(0, m, step)]
    words = (int(items.counts.max(initial=0)) + 63) // 64
    free = free_memory() if WORD_BYTES * words * m > MIN_BYTES_TO_LIMIT else None
    limit = 1 << 62 if free is None else free // 2 // usable_threads(n_jobs)
    found, lock = [0, 0], Lock()
    weights, masses = baskets.weights, items.masses

    def work(task: tuple[int, int]) -> list[tuple[Array, ...]]:
        search = eclat.Search(
            items.lists, items.vectors, items.counts, weights, masses, kind, minimum,
            items.longest if max_length is None else min(max_length, items.longest),
            (baskets.n, items.longest), task, limit,
        )  # fmt: skip
        n_sets = SETS_OF_CALL
        room = (
            np.empty(max(ITEMS_OF_CALL, m + 2), np.int32), np.empty(n_sets, np.int32),
            np.empty(n_sets, np.int32), None if weights is None else np.empty(n_sets),
        )  # fmt: skip
        pieces = []
        while True:
            status, n_sets, n_items = search.run(WORDS_OF_CALL, *room)
            sizes = (n_items, n_sets, n_sets, n_sets)
            piece = [
                part[:size].copy()
                for part, size in zip(room, sizes, strict=True)
                if part is not None
            ]
            pieces.append(tuple(piece))
            with lock:
                found[0] += n_sets
                found[1] += sum(part.nbytes for part in piece)
            refuse_large(COPIES_OF_SETS * found[1], f"A table of {found[0]} item sets or more", FIX)
            if status == eclat.TOO_LARGE:
                raise MemoryError(
                    f"The search needs {search.wanted / 2**30:.3g} GiB for each thread, more than "
                    f"its share of the free memory, {limit / 2**30:.3g} GiB. {FIX}"
                )
            if status == eclat.DONE:
                return pieces
            checkpoint()

    effort = FLOP_PER_WORD * items.words
    pieces = [piece for task in each(work, tasks, n_jobs=n_jobs, effort=effort) for piece in task]
    n_parts = 3 if weights is None else 4
    empty = [np.zeros(0, np.int32)] * 3 + [np.zeros(0)]
    parts = [
        np.concatenate([piece[k] for piece in pieces]) if pieces else empty[k]
        for k in range(n_parts)
    ]
    return parts[0], parts[1], parts[2], parts[3] if n_parts == 4 else None


def _in_order(
    members: Array, lengths: Array, counts: Array, masses: Array | None, column: Array
) -> tuple[Array, Array, Array, Array | None]:
    """Sets by support, the greatest first, then by length, then by their items.

    Sets of one length are a matrix, whose rows are sorted.
    """
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    bits = max(1, int(column.max(initial=0)).bit_length())
    columns = column.astype(np.int16 if bits < 16 else np.int32)
    groups = []
    for length in np.unique(lengths).tolist():
        sets = np.flatnonzero(lengths == length)
        rows = np.sort(columns[members[start[sets, None] + np.arange(length)]], axis=1)
        order = _lexicographic(rows, bits)
        groups.append((sets[order], rows[order]))
    by_length = np.concatenate([sets for sets, _ in groups]) if groups else np.zeros(0, np.intp)
    if masses is None:
        order = np.argsort(-counts[by_length], kind="stable")
    else:
        order = np.argsort(-masses[by_length], kind="stable")
    sorted_sets = by_length[order]
    sizes = lengths[sorted_sets]
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    flat = np.concatenate([rows.ravel() for _, rows in groups]) if groups else np.zeros(0)
    flat = flat.astype(np.int32)
    # Where the items of each set begin among those that are sorted by length.
    begin = np.concatenate([[0], np.cumsum(lengths[by_length])])[:-1][order]
    place = np.repeat(begin - ends[:-1], sizes) + np.arange(len(flat))
    return (
        ends, flat[place], counts[sorted_sets], None if masses is None else masses[sorted_sets]
    )  # fmt: skip


def _lexicographic(rows: Array, bits: int) -> Array:
    """The order of rows of numbers of so many bits, of which no two are equal.

    As many columns as a word has room for are one number.
    """
    per_word = WORD_BITS // bits
    words = []
    for first in range(0, rows.shape[1], per_word):
        word = np.zeros(len(rows), np.int64)
        for column in rows[:, first : first + per_word].T:
            word = word << bits | column
        words.append(word)
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
