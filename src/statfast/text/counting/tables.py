# SPDX-License-Identifier: BSD-3-Clause
"""Counts of the terms of many documents: by the kernel over threads, or by a loop in Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.text.terms import TermTable, sort_rows
from statfast._engine import checkpoint, each
from statfast.text.counting.analysis import letters, stems

_BLOCK = 4_000_000  # characters of a block of documents, which has a table of terms of its own
_CALL = 500_000  # characters that one call of the kernel takes: some milliseconds


@dataclass(frozen=True)
class TermCounts:
    """What documents count: numbers of terms, and how often, one document after another."""

    ends: NDArray[np.int64]  # (n,)
    terms: NDArray[np.int32]
    counts: NDArray[np.int32]
    n_terms: int
    names: Any  # numbers of terms -> list of their strings
    order: Any  # numbers of terms -> the same in the order of their strings

    def rows(self, rank, n_columns, n_jobs):
        """Starts, columns, in order, and counts as a CSR matrix has them; rank -1 drops a term."""
        ends, terms, counts = self.ends, self.terms, self.counts
        if len(rank) and rank.min() < 0:
            kept = rank[terms] >= 0
            below = np.concatenate([[0], np.cumsum(kept)])
            ends, terms, counts = below[ends], terms[kept], counts[kept]
        place = np.empty(len(terms), np.int64)
        n, step = len(ends), max(1, len(ends) // 16)

        def work(first):
            checkpoint()
            sort_rows(ends, terms, counts, rank, place, first, min(n, first + step))

        each(work, range(0, n, step), n_jobs=n_jobs, effort=50.0 * len(terms))
        start = np.concatenate([[0], ends])
        return start, (place >> 32).astype(np.int32), (place & 0x7FFFFFFF).astype(np.int32)


def counted(analysis, documents, n_jobs):
    """Counts of all documents, an iterable."""
    documents = list(documents)
    if not analysis.by_kernel:
        return counted_in_python(analysis.terms, documents)
    texts, lowercase = analysis.for_kernel(documents)
    sizes = np.array([len(t) if isinstance(t, str) else sum(map(len, t)) for t in texts], np.int64)
    aliases = []
    if analysis.analyzer == "word":
        aliases = [(word, None) for word in analysis.stop_words]
        if analysis.stemmer is not None:
            aliases += stem_pairs(analysis, texts, lowercase, sizes, aliases, n_jobs)
    ngrams = analysis.low, analysis.high
    return in_blocks(analysis, texts, lowercase, sizes, aliases, ngrams, n_jobs)


def stem_pairs(analysis, texts, lowercase, sizes, aliases, n_jobs):
    """Each distinct word, and what it is counted as."""
    found = in_blocks(analysis, texts, lowercase, sizes, aliases, (1, 1), n_jobs)
    words = found.names(np.unique(found.terms))
    return [(word, (stems(analysis.stemmer, [word]) or [None])[0]) for word in words]


def in_blocks(analysis, texts, lowercase, sizes, aliases, ngrams, n_jobs):
    """Blocks of documents, each with a table of its own; then one table for all."""
    total = int(sizes.sum())
    block = np.minimum((np.cumsum(sizes) - sizes) // _BLOCK, max(0, total // _BLOCK - 1))
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(block)) + 1, [len(texts)]])
    parts = [slice(a, b) for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]

    def work(part):
        table = TermTable(letters(lowercase))
        for word, other in aliases:
            number = table.word(word)
            table.alias(number, -1 if other is None else table.word(other))
        upto = np.cumsum(sizes[part]) // _CALL
        stops = np.concatenate([[0], np.flatnonzero(np.diff(upto)) + 1, [part.stop - part.start]])
        for a, b in zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True):
            checkpoint()
            some = texts[part.start + a : part.start + b]
            if analysis.analyzer == "word":
                table.count_words(some, analysis.least, *ngrams)
            elif analysis.analyzer == "char":
                table.count_characters(some, *ngrams)
            else:
                table.count_padded_words(some, *ngrams)
        return table

    return merged(each(work, parts, n_jobs=n_jobs, effort=20.0 * total))


def merged(tables):
    """The counts of all tables, with the numbers that terms have in the first."""
    first = tables[0]
    ends, terms, counts = [], [], []
    below = 0
    for table in tables:
        end, term, count = (
            np.frombuffer(raw, dtype)
            for raw, dtype in zip(table.counts(), (np.int64, np.int32, np.int32), strict=True)
        )
        if table is not first:
            checkpoint()
            term = np.frombuffer(first.terms_of(table), np.int32)[term]
        ends.append(end + below)
        below += len(term)
        terms.append(term)
        counts.append(count)

    def ordered(numbers):
        numbers = np.array(numbers, np.int32)
        if first.all_words(numbers):
            first.sort_words(numbers)
            return numbers
        names = first.names(numbers)
        return numbers[np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)]

    return TermCounts(
        np.concatenate(ends), np.concatenate(terms), np.concatenate(counts),
        len(first), first.names, ordered,
    )  # fmt: skip


def counted_in_python(terms_of, documents):
    """The same, one document after another, whatever makes their terms."""
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
    known = list(number)

    def names(numbers):
        return [known[k] for k in np.asarray(numbers).tolist()]

    def ordered(numbers):
        return np.array(sorted(np.asarray(numbers).tolist(), key=known.__getitem__), np.int32)

    return TermCounts(
        np.array(ends, np.int64), np.array(terms, np.int32), np.array(counts, np.int32),
        len(known), names, ordered,
    )  # fmt: skip
