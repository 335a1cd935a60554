# SPDX-License-Identifier: BSD-3-Clause
"""Searches for the best subgroups: of all conjunctions, or of a beam of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from statfast._core.patterns.subgroup_search import SubgroupSearch
from statfast._engine import checkpoint, each
from statfast._typing import Array
from statfast.patterns.subgroups.conditions_as_bits import ConditionBits
from statfast.patterns.subgroups.target import RowOrder

WORDS_OF_CALL = 20_000_000  # about, between two looks for Ctrl-C: some hundredths of a second


class Subgroup(NamedTuple):
    """A conjunction by its conditions, in the order of subgroups: the best is the least."""

    minus_quality: float
    length: int
    conditions: tuple[int, ...]
    rows: float


@dataclass(frozen=True)
class SubgroupProblem:
    """What is searched, and how.

    Attributes
    ----------
    bits : ConditionBits
        The conditions.
    order : RowOrder
        The rows.
    kind, exponent, scale : int, float, float
        The quality.
    both : bool
        Whether subgroups of lower shares or means count, too.
    total_weight : float
        Of all rows.
    most, max_depth, least_rows, least_quality, distinct
        Parameters of `SubgroupDiscovery`.
    """

    bits: ConditionBits
    order: RowOrder
    kind: int
    exponent: float
    scale: float
    both: bool
    total_weight: float
    most: int
    max_depth: int
    least_rows: int
    least_quality: float
    distinct: bool

    def search(self, *, most: int | None = None) -> SubgroupSearch:
        """A kernel's view of the problem."""
        counts = (
            self.order.split, self.max_depth, self.most if most is None else most, self.kind,
            self.both, self.distinct,
        )  # fmt: skip
        numbers = (
            self.total_weight, self.order.share, self.exponent, self.scale, self.least_rows,
            self.least_quality,
        )  # fmt: skip
        return SubgroupSearch(
            self.bits.bits, self.bits.groups, self.order.weight, self.order.deviation,
            np.array(counts, np.intp), np.array(numbers, np.float64),
        )  # fmt: skip

    def all_rows(self) -> Array:
        """The bits of all rows."""
        marks = np.zeros(64 * self.bits.bits.shape[1], bool)
        marks[self.order.place] = True
        return np.packbits(marks, bitorder="little").view("<u8").astype(np.uint64)

    def cover(self, conditions: Sequence[int]) -> Array:
        """The bits of the rows of a conjunction."""
        return np.bitwise_and.reduce(self.bits.bits[list(conditions)], axis=0)

    def merge(self, *lists: Sequence[Subgroup], most: int | None = None) -> list[Subgroup]:
        """The best of several lists, each subgroup once."""
        kept: list[Subgroup] = []
        for subgroup in sorted(set().union(*lists)):
            if not (self.distinct and self._has_rows_of(kept, subgroup)):
                kept.append(subgroup)
            if len(kept) == (self.most if most is None else most):
                break
        return kept

    def _has_rows_of(self, kept: Sequence[Subgroup], subgroup: Subgroup) -> bool:
        """Whether the last of those kept, of the same quality, have the rows of a subgroup."""
        for other in reversed(kept):
            if other.minus_quality != subgroup.minus_quality:
                return False
            if other.rows == subgroup.rows and np.array_equal(
                self.cover(other.conditions), self.cover(subgroup.conditions)
            ):
                return True
        return False


def _run(search: SubgroupSearch) -> None:
    while not search.run(WORDS_OF_CALL):
        checkpoint()


def _best(search: SubgroupSearch) -> list[Subgroup]:
    qualities, rows, conditions = search.best()
    return [
        Subgroup(-quality, len(chosen), chosen, covered)
        for quality, covered, chosen in zip(
            qualities.tolist(), rows.tolist(), conditions, strict=True
        )
    ]


NO_CONDITIONS = np.empty(0, np.int32)


def search_all(problem: SubgroupProblem, n_jobs: Any) -> list[Subgroup]:
    """The best of all conjunctions."""
    root = problem.search()
    root.refine(problem.all_rows(), NO_CONDITIONS, np.inf)
    _run(root)
    best, lock = _best(root), Lock()
    conditions, bounds, rows = root.refined()
    if problem.max_depth == 1:
        return best

    def below(first: int) -> None:
        nonlocal best
        search = problem.search()
        search.begin(conditions, bounds, rows, first)
        while True:
            if len(best) == problem.most:
                search.threshold = -best[-1].minus_quality
            if search.run(WORDS_OF_CALL):
                break
            checkpoint()
        own = _best(search)
        with lock:
            best = problem.merge(best, own)

    words = problem.bits.bits.shape[1]
    effort = 10.0 * words * len(conditions) ** 2
    each(below, range(1, len(conditions)), n_jobs=n_jobs, effort=effort)
    return best


def search_beam(problem: SubgroupProblem, width: int, n_jobs: Any) -> list[Subgroup]:
    """The best of the refinements of the best, level by level."""
    most = max(width, problem.most)
    best: list[Subgroup] = []
    beam: list[Subgroup] = [Subgroup(0.0, 0, (), np.inf)]
    for _ in range(problem.max_depth):

        def refined(parent: Subgroup) -> list[Subgroup]:
            search = problem.search(most=most)
            cover = problem.cover(parent.conditions) if parent.conditions else problem.all_rows()
            search.refine(cover, np.array(parent.conditions, np.int32), parent.rows)
            _run(search)
            return _best(search)

        effort = 10.0 * len(beam) * problem.bits.bits.size
        level = problem.merge(*each(refined, beam, n_jobs=n_jobs, effort=effort), most=most)
        best = problem.merge(best, level)
        beam = level[:width]
    return best
