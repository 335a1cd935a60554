# SPDX-License-Identifier: BSD-3-Clause
"""Splitters that draw rows anew for each fold, splits in time, and one split of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor
from numbers import Integral
from typing import Any

import numpy as np

from statfast._estimator import take_rows
from statfast._typing import Array, ArrayLike, Seed
from statfast._validation import as_count, as_flag, as_generator, as_real
from statfast.model_selection.splitting.splitter import (
    GroupSplitter,
    Splitter,
    as_shuffler,
    as_takeable,
    codes_of,
    groups_of,
    n_rows,
)


class ShuffleSplit(Splitter):
    """Random-split (Monte Carlo) splitter: independent training and test sets.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size : float or int, optional
        Share or number of the rows held out; None takes what `train_size` leaves, or 0.1.
    train_size : float or int, optional
        Share or number of the rows fitted; None takes all others.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if the two sizes do not fit the rows.

    Notes
    -----
    A share of the rows held out is rounded up, one of those fitted down. The places of a split
    are in random order. They are scikit-learn's for the same integer as `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import ShuffleSplit
    >>> [(len(a), len(b)) for a, b in ShuffleSplit(2, test_size=0.25).split(range(10))]
    [(7, 3), (7, 3)]
    """

    _default = 0.1

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
        return self._drawn(n, "rows")

    def _drawn(self, n: int, what: str) -> Iterator[tuple[Array, Array]]:
        """Of n rows or groups those to fit and those to hold out, so many times."""
        times = as_count(self.n_splits, "n_splits")
        n_train, n_test = sizes(n, self.test_size, self.train_size, self._default, what)
        rng = as_shuffler(self.random_state)
        for _ in range(times):
            order = rng.permutation(n)
            yield order[n_test : n_test + n_train], order[:n_test]


class StratifiedShuffleSplit(ShuffleSplit):
    """Stratified random-split splitter: class proportions are kept.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size : float or int, optional
        Share or number of the rows held out; None takes what `train_size` leaves, or 0.1.
    train_size : float or int, optional
        Share or number of the rows fitted; None takes all others.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if the sizes do not fit the rows, a class has only one row, or a side would
        have fewer rows than there are classes.

    Notes
    -----
    Shares of the classes are rounded by largest remainder, equal ones in random order. The splits
    are scikit-learn's for the same integer as `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import StratifiedShuffleSplit
    >>> y = [0] * 8 + [1] * 4
    >>> train, test = next(StratifiedShuffleSplit(1, test_size=3, random_state=0).split(y, y))
    >>> sum(y[i] for i in test)
    1
    """

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
        times = as_count(self.n_splits, "n_splits")
        codes = codes_of(y, n)
        counts = np.bincount(codes)
        if counts.min() < 2:
            raise ValueError(
                "The least populated class in y has only 1 member, which is too few. Drop it, or "
                "give it more rows."
            )
        n_train, n_test = sizes(n, self.test_size, self.train_size, self._default)
        for size, name in ((n_train, "train_size"), (n_test, "test_size")):
            if size < len(counts):
                raise ValueError(
                    f"The {name} = {size} should be greater or equal to the number of classes = "
                    f"{len(counts)}. Raise {name}."
                )
        rng = as_shuffler(self.random_state)
        for _ in range(times):
            fitted = shares(counts, n_train, rng)
            held = shares(counts - fitted, n_test, rng)
            order = [rng.permutation(np.flatnonzero(codes == c)) for c in range(len(counts))]
            train = np.concatenate([o[:a] for o, a in zip(order, fitted, strict=True)])
            test = np.concatenate(
                [o[a : a + b] for o, a, b in zip(order, fitted, held, strict=True)]
            )
            yield rng.permutation(train), rng.permutation(test)


class GroupShuffleSplit(GroupSplitter, ShuffleSplit):
    """Random-split splitter of groups: a group is fitted or held out as a whole.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits.
    test_size : float or int, optional
        Share or number of the groups held out; None takes what `train_size` leaves, or 0.2.
    train_size : float or int, optional
        Share or number of the groups fitted; None takes all others.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are no groups, or the two sizes do not fit them.

    See Also
    --------
    LeavePGroupsOut : All choices of some groups.

    Notes
    -----
    Sizes count groups, however many rows these have. A share of the groups held out is rounded up,
    one of those fitted down. Rows keep their order. The splits are scikit-learn's for the same
    integer as `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import GroupShuffleSplit
    >>> groups = [1, 1, 2, 2, 2, 3]
    >>> splitter = GroupShuffleSplit(1, test_size=1, random_state=0)
    >>> [(a.tolist(), b.tolist()) for a, b in splitter.split(groups, groups=groups)]
    [([0, 1, 2, 3, 4], [5])]
    """

    _default = 0.2

    def __init__(
        self,
        n_splits: int = 5,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_splits, test_size=test_size, train_size=train_size, random_state=random_state
        )

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
        names, codes = groups_of(groups, n)
        for fitted, held in self._drawn(len(names), "groups"):
            yield np.flatnonzero(np.isin(codes, fitted)), np.flatnonzero(np.isin(codes, held))


class Bootstrap(Splitter):
    """Bootstrap splitter: training sets drawn with replacement, tested on the samples not drawn.

    Parameters
    ----------
    n_splits : int, default=100
        Number of splits.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are fewer than 2 rows.

    See Also
    --------
    bootstrap_error : The .632 and .632+ estimates of the error.

    Notes
    -----
    On average 36.8 % of the rows are held out. A sample that holds every row, as happens where
    there are few, is drawn again.

    References
    ----------
    B. Efron & R. J. Tibshirani (1997), "Improvements on cross-validation: the .632+ bootstrap
    method". doi:10.1080/01621459.1997.10474007

    Examples
    --------
    >>> from statfast.model_selection import Bootstrap
    >>> [len(train) for train, test in Bootstrap(2, random_state=0).split(range(10))]
    [10, 10]
    """

    def __init__(self, n_splits: int = 100, *, random_state: Seed = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
        times = as_count(self.n_splits, "n_splits")
        if n < 2:
            raise ValueError(f"X must have at least 2 rows to hold some out; got {n}. Pass more.")
        rng = as_generator(self.random_state)
        for _ in range(times):
            held = np.empty(0, np.intp)
            while not len(held):
                drawn = rng.integers(0, n, n)
                held = np.flatnonzero(np.bincount(drawn, minlength=n) == 0)
            yield np.sort(drawn), held


class TimeSeriesSplit(Splitter):
    """Time-series splitter: each test fold follows its training samples.

    Parameters
    ----------
    n_splits : int, default=5
        At least 2.
    max_train_size : int, optional
        Most rows fitted, the last ones before those held out.
    test_size : int, optional
        Rows held out by each fold; None takes n // (n_splits + 1).
    gap : int, default=0
        Rows left out between the two.

    Raises
    ------
    ValueError
        By ``split``: if there are too few rows for the folds and the gap.

    Notes
    -----
    The folds are scikit-learn's.

    Examples
    --------
    >>> from statfast.model_selection import TimeSeriesSplit
    >>> [(a.tolist(), b.tolist()) for a, b in TimeSeriesSplit(2).split(range(4))]
    [([0, 1], [2]), ([0, 1, 2], [3])]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        max_train_size: int | None = None,
        test_size: int | None = None,
        gap: int = 0,
    ) -> None:
        self.n_splits = n_splits
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.gap = gap

    def _pairs(self, n: int, y: Any, groups: Array | None) -> Iterator[tuple[Array, Array]]:
        k = as_count(self.n_splits, "n_splits", 2)
        gap = as_count(self.gap, "gap", 0)
        if k + 1 > n:
            raise ValueError(
                f"Cannot have number of folds={k + 1} greater than the number of samples={n}. "
                "Lower n_splits."
            )
        size = n // (k + 1)
        if self.test_size is not None:
            size = as_count(self.test_size, "test_size")
        most = n
        if self.max_train_size is not None:
            most = as_count(self.max_train_size, "max_train_size")
        if n - gap - size * k <= 0:
            raise ValueError(
                f"Too many splits={k} for number of samples={n} with test_size={size} and "
                f"gap={gap}. Lower one of them."
            )
        for start in range(n - k * size, n, size):
            end = start - gap
            yield np.arange(max(0, end - most), end), np.arange(start, start + size)


def train_test_split(
    *arrays: Any,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: Seed = None,
    shuffle: bool = True,
    stratify: ArrayLike | None = None,
) -> list[Any]:
    """Split arrays into random training and test sets.

    Parameters
    ----------
    *arrays : array-like, table, sparse matrix or list
        Of the same number of rows.
    test_size : float or int, optional
        Share or number of the rows held out; None takes what `train_size` leaves, or 0.25.
    train_size : float or int, optional
        Proportion or number of training samples; None takes all others.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    shuffle : bool, default=True
        False holds out the last rows.
    stratify : array-like of shape (n,), optional
        Labels whose shares both sides are to have.

    Returns
    -------
    list
        Of each array the rows to fit, then those held out.

    Raises
    ------
    ValueError
        If no array is given, lengths differ, or the sizes do not fit the rows.

    Examples
    --------
    >>> from statfast.model_selection import train_test_split
    >>> X_train, X_test = train_test_split(list(range(8)), shuffle=False)
    >>> X_train, X_test
    ([0, 1, 2, 3, 4, 5], [6, 7])
    """
    if not arrays:
        raise ValueError("train_test_split needs at least one array. Pass X, or X and y.")
    arrays = [as_takeable(array, "arrays") for array in arrays]
    lengths = [n_rows(array) for array in arrays]
    n = lengths[0]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths}. Pass arrays "
            "of the same length."
        )
    if as_flag(shuffle, "shuffle"):
        kind = ShuffleSplit if stratify is None else StratifiedShuffleSplit
        splitter = kind(1, test_size=test_size, train_size=train_size, random_state=random_state)
        splitter._default = 0.25
        train, test = next(iter(splitter._pairs(n, stratify, None)))
    elif stratify is not None:
        raise ValueError("stratify needs shuffle=True; got shuffle=False. Leave one of them out.")
    else:
        n_train, n_test = sizes(n, test_size, train_size, 0.25)
        train, test = np.arange(n_train), np.arange(n_train, n_train + n_test)
    return [take_rows(array, part) for array in arrays for part in (train, test)]


# ------------------------------------------------------------------ sizes
def sizes(n, test_size, train_size, default, what="rows"):
    """Numbers of rows, or of groups, to fit and to hold out."""
    if test_size is None and train_size is None:
        test_size = default
    held = None if test_size is None else _number(test_size, "test_size", n, ceil, what)
    fitted = None if train_size is None else _number(train_size, "train_size", n, floor, what)
    if held is None:
        held = n - fitted
    if fitted is None:
        fitted = n - held
    if fitted < 1 or held < 1 or fitted + held > n:
        raise ValueError(
            f"With {'n_samples' if what == 'rows' else 'n_groups'}={n}, test_size={test_size} and "
            f"train_size={train_size} the resulting train set would have {fitted} {what} and the "
            f"test set {held}. Adjust them."
        )
    return fitted, held


def _number(size: float, name: str, n: int, rounded: Callable[..., Any], what: str) -> int:
    if isinstance(size, Integral) and not isinstance(size, bool):
        return as_count(size, name, 1, n, limit=f"the number of {what}")
    return int(rounded(as_real(size, name, 0.0, 1.0, open_low=True, open_high=True) * n))


def shares(counts: Array, n: int, rng: Any) -> Array:
    """n rows dealt to classes by their counts: largest remainders, equal ones at random."""
    exact = counts / counts.sum() * n
    dealt = np.floor(exact).astype(np.intp)
    rest = exact - dealt
    for most in np.unique(rest)[::-1]:
        missing = n - dealt.sum()
        if missing <= 0:
            break
        equal = np.flatnonzero((rest == most) & (dealt < counts))
        dealt[rng.choice(equal, min(missing, len(equal)), replace=False)] += 1
    return dealt
