# SPDX-License-Identifier: BSD-3-Clause
"""Counts of the terms of documents, by the kernel in several threads or by a loop in Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.text.terms import TermTable, sort_rows
from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs
from statfast.text.counting.analysis import letters, stems

BLOCK_LENGTH = 4_000_000  # characters of a block of documents, which has its own table of terms
CALL_LENGTH = 500_000  # characters of a kernel call: some milliseconds
COUNTS_PER_SORT = 200_000  # counts that one call puts in order: some milliseconds


@dataclass(frozen=True)
class BlockCounts:
    """The counts of a block of documents: numbers of terms, and how often each occurs."""

    ends: NDArray[np.int64]  # (n,)
    terms: NDArray[np.int32]
    counts: NDArray[np.int32]
    number: NDArray[np.int32]  # the number, among all terms, of each term of the block

    def ranked(self, rank: Array) -> BlockCounts:
        """The counts with terms numbered by ranks; terms of rank -1 are dropped."""
        rank = rank[self.number]
        if not len(rank) or rank.min() >= 0:
            return BlockCounts(self.ends, self.terms, self.counts, rank)
        kept = rank[self.terms] >= 0
        below = np.concatenate([[0], np.cumsum(kept)])
        return BlockCounts(below[self.ends], self.terms[kept], self.counts[kept], rank)


@dataclass(frozen=True)
class TermCounts:
    """The counts of documents, in blocks."""

    blocks: list[BlockCounts]
    n_terms: int
    names: Any  # a function from numbers of terms to their strings
    order: Any  # a function that sorts numbers of terms by their strings

    def totals(self, binary: bool) -> Array:
        """How often each term occurs, or (binary) in how many documents."""
        total = np.zeros(self.n_terms, np.int64)
        for block in self.blocks:
            weights = None if binary else block.counts
            block_totals = np.bincount(block.terms, weights, len(block.number))
            total[block.number] += block_totals.astype(np.int64)
        return total

    def rows(self, rank: Array, n_jobs: Jobs) -> tuple[Array, Array, Array]:
        """The arrays of a CSR matrix, whose columns are ranks; terms of rank -1 are dropped."""
        effort = 20.0 * sum(len(block.terms) for block in self.blocks)
        blocks = each(lambda b: b.ranked(rank), self.blocks, n_jobs=n_jobs, effort=effort)
        start = np.concatenate([[0], *(b.ends for b in blocks)])
        low = np.cumsum([0, *(len(b.terms) for b in blocks)])
        done = np.cumsum([1, *(len(b.ends) for b in blocks)])
        column, count = np.empty(low[-1], np.int32), np.empty(low[-1], np.int64)
        n_ranks = int(rank.max(initial=0)) + 1
        tasks = []
        for b, block in enumerate(blocks):
            start[done[b] : done[b + 1]] += low[b]
            cuts = np.searchsorted(block.ends, np.arange(0, len(block.terms), COUNTS_PER_SORT))
            cuts = np.unique(np.append(cuts, len(block.ends))).tolist()
            tasks += [(b, *cut) for cut in pairwise(cuts)]

        def work(task: tuple[int, int, int]) -> None:
            checkpoint()
            b, first, stop = task
            block, to = blocks[b], slice(low[b], low[b + 1])
            sort_rows(
                block.ends, block.terms, block.counts, block.number, n_ranks, first, stop,
                column[to], count[to],
            )  # fmt: skip

        each(work, tasks, n_jobs=n_jobs, effort=effort)
        return start, column, count


def counted(analysis, documents, n_jobs):
    """The counts of all documents, an iterable."""
    documents = list(documents)
    if not analysis.by_kernel:
        return counted_in_python(analysis.terms, documents)
    texts, lowercase = analysis.for_kernel(documents)
    plain = not texts or isinstance(texts[0], str)
    sizes = list(map(len, texts)) if plain else [sum(map(len, words)) for words in texts]
    sizes = np.array(sizes, np.int64)
    aliases = []
    if analysis.analyzer == "word":
        aliases = [(word, None) for word in analysis.stop_words]
        if analysis.stemmer is not None:
            aliases += stem_pairs(analysis, texts, lowercase, sizes, aliases, n_jobs)
    most = int(sizes.max(initial=0)) + 1  # no document has so many words
    ngrams = min(analysis.low, most), min(analysis.high, most)
    return in_blocks(analysis, texts, lowercase, sizes, aliases, ngrams, n_jobs)


def stem_pairs(analysis, texts, lowercase, sizes, aliases, n_jobs):
    """Pairs of each distinct word and its stem, or None."""
    counts = in_blocks(analysis, texts, lowercase, sizes, aliases, (1, 1), n_jobs)
    words = counts.names(np.flatnonzero(counts.totals(True)).astype(np.int32))
    return [(word, (stems(analysis.stemmer, [word]) or [None])[0]) for word in words]


def in_blocks(
    analysis: Any,
    texts: Any,
    lowercase: bool,
    sizes: Array,
    aliases: Any,
    ngrams: tuple[int, int],
    n_jobs: Any,
) -> TermCounts:
    """Count blocks of documents, each in its own table, and merge the tables."""
    total = int(sizes.sum())
    block = np.minimum(
        (np.cumsum(sizes) - sizes) // BLOCK_LENGTH,
        max(0, total // BLOCK_LENGTH - 1),
    )
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(block)) + 1, [len(texts)]])
    parts = [slice(a, b) for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]

    def work(part: slice) -> Any:
        table = TermTable(letters(lowercase))
        for word, stem in aliases:
            number = table.word(word)
            table.alias(number, -1 if stem is None else table.word(stem))
        upto = np.cumsum(sizes[part]) // CALL_LENGTH
        stops = np.concatenate([[0], np.flatnonzero(np.diff(upto)) + 1, [part.stop - part.start]])
        for a, b in zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True):
            checkpoint()
            texts_of_call = texts[part.start + a : part.start + b]
            if analysis.analyzer == "word":
                table.count_words(texts_of_call, analysis.least, *ngrams)
            elif analysis.analyzer == "char":
                table.count_characters(texts_of_call, *ngrams)
            else:
                table.count_padded_words(texts_of_call, *ngrams)
        return table

    return merged(each(work, parts, n_jobs=n_jobs, effort=20.0 * total))


def merged(tables: list[Any]) -> TermCounts:
    """The counts of all tables, with terms numbered as in the first."""
    first, blocks = tables[0], []
    for table in tables:
        end, term, count = (
            np.frombuffer(raw, dtype)
            for raw, dtype in zip(table.counts(), (np.int64, np.int32, np.int32), strict=True)
        )
        checkpoint()
        number = np.arange(len(first), dtype=np.int32)
        if table is not first:
            number = np.frombuffer(first.terms_of(table), np.int32)
        blocks.append(BlockCounts(end, term, count, number))

    def ordered(numbers: Array) -> Array:
        numbers = np.array(numbers, np.int32)
        if first.all_words(numbers):
            first.sort_words(numbers)
            return numbers
        names = first.names(numbers)
        return numbers[np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)]

    return TermCounts(blocks, len(first), first.names, ordered)


def counted_in_python(terms_of, documents):
    """The counts of documents, one after another, whose terms a Python function returns."""
    number: dict = {}
    ends, terms, counts = [], [], []
    for document in documents:
        checkpoint()
        here: dict = {}
        for term in terms_of(document):
            try:
                k = number.setdefault(term, len(number))
            except TypeError as error:
                raise TypeError(f"analyzer must give terms that can be hashed; {error}.") from error
            here[k] = here.get(k, 0) + 1
        terms += here
        counts += here.values()
        ends.append(len(terms))
    names_by_number = list(number)

    def names(numbers: Array) -> list[str]:
        return [names_by_number[k] for k in np.asarray(numbers).tolist()]

    def ordered(numbers: Array) -> Array:
        return np.array(
            sorted(np.asarray(numbers).tolist(), key=names_by_number.__getitem__), np.int32
        )

    number32 = np.arange(len(names_by_number), dtype=np.int32)
    block = BlockCounts(
        np.array(ends, np.int64), np.array(terms, np.int32), np.array(counts, np.int32), number32
    )
    return TermCounts([block], len(names_by_number), names, ordered)
