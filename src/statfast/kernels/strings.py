# SPDX-License-Identifier: BSD-3-Clause
"""Kernels on strings: how many substrings of k letters two of them share.

Letters are what the strings are made of, characters or bytes, of any alphabet. All counts are whole
numbers, and so are the values, exact below 2^53.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array, csr_array
from statfast._validation import MAX_REPEATS, as_count
from statfast.kernels.kernel import Kernel
from statfast.kernels.points import STRINGS
from statfast.kernels.substrings import Letters, Shared


@dataclass(frozen=True)
class Spectrum(Kernel):
    """k(x, y) = the sum over all substrings of k letters of their counts in x times those in y.

    ``Spectrum(k).normalize()`` is the cosine of the counts. Strings of fewer than k letters have
    no such substring, and values 0.

    Attributes
    ----------
    k : int, default=3
        Letters of a substring.

    Notes
    -----
    Substrings of any alphabet are numbered, not hashed, so that none are taken for others. Those
    that many strings share are counted in columns and multiplied by the register tile, the others
    are followed from string to string. Counting takes O(N) time and memory for N letters in all,
    N log N where there are more possible substrings than four times the letters.

    References
    ----------
    C. Leslie, E. Eskin & W. S. Noble 2002, The spectrum kernel, doi:10.1142/9789812799623_0053.

    Examples
    --------
    >>> from statfast.kernels import Spectrum
    >>> Spectrum(2).matrix(["abab", "baba", "cab"])
    array([[5., 4., 2.],
           [4., 5., 1.],
           [2., 1., 2.]])
    >>> Spectrum(2).normalize().matrix(["abab", "baba", "cab"]).round(2)
    array([[1.  , 0.8 , 0.63],
           [0.8 , 1.  , 0.32],
           [0.63, 0.32, 1.  ]])
    """

    domain: ClassVar[str] = STRINGS
    # Blocks are wide, as each of them reads the list of strings once.
    _width: ClassVar[int] = 1 << 14

    k: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", as_count(self.k, "k", high=MAX_REPEATS))

    @property
    def positive_definite(self) -> bool | None:
        return True

    def features(self, X: Any) -> tuple[csr_array, Any]:
        """Return the explicit feature map: counts of all substrings.

        Parameters
        ----------
        X : list of n strings
            Points.

        Returns
        -------
        counts : scipy.sparse.csr_array of shape (n, D)
            float64, one column for each substring that occurs.
        substrings : list of str or bytes, of length D
            In ascending order.
        """
        from scipy.sparse import csr_array

        strings = self._points(X)
        tallied = Letters(strings).counted(self.k, range(self.k))
        where = np.empty(tallied.columns, np.intp)
        # The place where each substring occurs first.
        where[tallied.column[::-1]] = tallied.place[::-1]
        joined = type(strings[0])().join(strings)
        named = [joined[at : at + self.k] for at in where]
        order = sorted(range(len(named)), key=named.__getitem__)
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        counts = csr_array(
            (tallied.tally.astype(np.float64), rank[tallied.column], tallied.begins),
            shape=(len(strings), len(order)),
        )
        counts.sort_indices()
        return counts, [named[at] for at in order]

    def _masks(self, letters: int) -> list[tuple[range, int]]:
        """Which letters of a substring count, and the weight of that."""
        return [(range(self.k), 1)]

    def _between(self, A: list[str], B: list[str]) -> Callable[..., Any]:
        letters = Letters(A if A is B else [*A, *B])
        shared = Shared(len(A), len(B), A is B)
        for kept, weight in self._masks(letters.size):
            checkpoint()
            shared.take(letters.counted(self.k, kept), weight)
        return shared.fill()

    def _diagonal(self, A: list[str]) -> Array:
        letters = Letters(A)
        out = np.zeros(len(A))
        for kept, weight in self._masks(letters.size):
            checkpoint()
            counts = letters.counted(self.k, kept)
            squares = np.concatenate([[0], np.cumsum(counts.tally.astype(np.int64) ** 2)])
            out += weight * np.diff(squares[counts.begins])
        return out

    def _depth(self, A: list[str]) -> int:
        return 256


@dataclass(frozen=True)
class Mismatch(Spectrum):
    """k(x, y) = x.y of the counts of all k-letter words, each substring counting for every word it
    differs from in at most m letters.

    Attributes
    ----------
    k : int, default=3
        Letters of a substring.
    m : int, default=1
        Letters that may differ, less than k; 0 is `Spectrum`.
    letters : int, optional
        Letters of the alphabet (4 of DNA, 20 of proteins), which decide how many words are near
        a substring. None takes those that occur, in X and Y; estimators those of the fitted
        strings.

    Notes
    -----
    Two substrings that differ in h places share I(h) words, a number of k, m, h and the alphabet.
    How many pairs of substrings differ in h places follows from how many agree in given places:
    with M_j the spectrum kernels of substrings with j letters left out, summed over all ways to
    leave them out, it is sum_i (-1)^(h-i) C(k-i, h-i) M_i. So the neighborhoods, of size
    sum_i C(k, i) (letters - 1)^i, are never made: the matrix is a sum of
    sum_(j <= 2m) C(k, j) spectrum kernels, whatever the alphabet. The counts of all of these are
    in memory, 16 bytes for each different substring of a string.

    References
    ----------
    C. Leslie, E. Eskin, A. Cohen, J. Weston & W. S. Noble 2004, Mismatch string kernels for
    discriminative protein classification, doi:10.1093/bioinformatics/btg431.

    Examples
    --------
    >>> from statfast.kernels import Mismatch
    >>> Mismatch(3, 1, letters=4).matrix(["ACG", "ACT", "AGT"])
    array([[10.,  4.,  2.],
           [ 4., 10.,  4.],
           [ 2.,  4., 10.]])
    """

    m: int = 1
    letters: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "m", as_count(self.m, "m", 0, self.k - 1, limit="k - 1"))
        made = 0
        for j in range(min(2 * self.m, self.k) + 1):
            made += comb(self.k, j)
            if made > MAX_REPEATS:
                raise ValueError(
                    f"k={self.k} and m={self.m} would need a sum of more than {MAX_REPEATS} "
                    "spectrum kernels. Lower m or k."
                )
        if self.letters is not None:
            object.__setattr__(self, "letters", as_count(self.letters, "letters"))

    def _fitted_to(self, points: Any) -> Any:
        if self.letters is not None:
            return self
        size = len(set().union(*(set().union(*strings) for strings in points)))
        return Mismatch(self.k, self.m, max(1, size))

    def _masks(self, letters: Any) -> Any:
        size = letters if self.letters is None else self.letters
        if letters > size:
            raise ValueError(
                f"letters must be at least the number of letters that occur ({letters}); got "
                f"{size}. Raise letters to the size of the alphabet."
            )
        return masks(self.k, self.m, size)


def masks(k: int, m: int, letters: Any) -> Any:
    """The letters kept and the weight of each spectrum kernel that `Mismatch` is a sum of."""
    from itertools import combinations

    most = min(2 * m, k)
    shared = [shared_words(k, m, letters, h) for h in range(most + 1)]
    terms = []
    for j in range(most + 1):
        weight = sum((-1) ** (h - j) * comb(k - j, h - j) * shared[h] for h in range(j, most + 1))
        terms += [(kept, weight) for kept in combinations(range(k), k - j) if weight]
    return terms


def shared_words(k: int, m: int, letters: Any, h: Any) -> Any:
    """How many words are within m letters of both of two that differ in h places.

    At those h places a word has the letter of the first a times, that of the second b times, and
    another one at the rest; at the others it differs from both t times.
    """
    total = 0
    for a in range(h + 1):
        for b in range(h + 1 - a):
            for t in range(min(k - h, m - max(h - a, h - b)) + 1):
                count = comb(h, a) * comb(h - a, b) * comb(k - h, t)
                total += count * (letters - 2) ** (h - a - b) * (letters - 1) ** t
    return total
