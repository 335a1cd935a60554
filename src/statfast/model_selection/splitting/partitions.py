# SPDX-License-Identifier: BSD-3-Clause
"""Splitters whose folds hold out each row once: K folds, in their kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import group_runs, parts_of_folds, require_members, runs, stratified_runs
from statfast._typing import Array, Seed
from statfast._validation import as_count, as_flag
from statfast.model_selection.splitting.splitter import (
    GroupSplitter,
    Splitter,
    as_shuffler,
    codes_of,
    groups_of,
)


class KFold(Splitter):
    """K-fold splitter: consecutive samples, or shuffled ones.

    Parameters
    ----------
    n_splits : int, default=5
        At least 2.
    shuffle : bool, default=False
        Deal the samples out at random. Within a fold they keep their order.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the shuffling; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are more folds than rows.

    Notes
    -----
    The rows of each fold are scikit-learn's, shuffled or not, for the same integer as
    `random_state`: the first n % K folds have one row more.

    Examples
    --------
    >>> from statfast.model_selection import KFold
    >>> [test.tolist() for train, test in KFold(3).split(range(7))]
    [[0, 1, 2], [3, 4], [5, 6]]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Seed = None
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _tests(self, n: int, y: Array | None, groups: Array | None) -> list[Array]:
        k = as_folds_of(self.n_splits, n)
        rng = generator_of(self.shuffle, self.random_state)
        if rng is None:
            return runs(n, k)
        order = rng.permutation(n)
        return [np.sort(order[part]) for part in runs(n, k)]


class StratifiedKFold(Splitter):
    """Stratified K-fold splitter: class proportions are kept.

    Parameters
    ----------
    n_splits : int, default=5
        At least 2, at most the number of rows of the largest class.
    shuffle : bool, default=False
        Deal the samples of each class out at random.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the shuffling; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if y is not a list of labels, or no class has a row for each fold.

    Warns
    -----
    UserWarning
        If a class has fewer rows than there are folds.

    Notes
    -----
    The rows of each fold are scikit-learn's, shuffled or not, for the same integer as
    `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import StratifiedKFold
    >>> y = ["a", "a", "b", "a", "b", "a"]
    >>> [test.tolist() for train, test in StratifiedKFold(2).split(y, y)]
    [[0, 1, 2], [3, 4, 5]]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Seed = None
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _tests(self, n: int, y: Array | None, groups: Array | None) -> list[Array]:
        k = as_folds_of(self.n_splits, n)
        codes = codes_of(y, n)
        require_members(codes, k, "n_splits")
        rng = generator_of(self.shuffle, self.random_state)
        return stratified_runs(codes, k, None if rng is None else rng.shuffle)


class GroupKFold(GroupSplitter):
    """K-fold splitter that keeps groups together.

    Parameters
    ----------
    n_splits : int, default=5
        At least 2, at most the number of groups.
    shuffle : bool, default=False
        Deal the groups out at random, about as many to each fold, whatever their sizes.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the shuffling; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are no groups, or fewer than folds.

    Notes
    -----
    The largest group goes first, and each to the fold that has the fewest rows, the first of
    equals. The rows of each fold are scikit-learn's, shuffled or not, for the same integer as
    `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import GroupKFold
    >>> groups = ["x", "x", "y", "z", "z", "z"]
    >>> [test.tolist() for train, test in GroupKFold(2).split(groups, groups=groups)]
    [[3, 4, 5], [0, 1, 2]]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Seed = None
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _tests(self, n: int, y: Any, groups: Array | None) -> Any:
        k = as_folds_of(self.n_splits, n)
        names, codes = groups_of(groups, n)
        require_groups(names, k)
        rng = generator_of(self.shuffle, self.random_state)
        if rng is None:
            return group_runs(codes, k)
        home = np.empty(len(names), dtype=np.intp)
        for fold, part in enumerate(np.array_split(rng.permutation(len(names)), k)):
            home[part] = fold
        return parts_of_folds(home[codes], k)


class StratifiedGroupKFold(GroupSplitter):
    """Stratified K-fold splitter that keeps groups together.

    Parameters
    ----------
    n_splits : int, default=5
        At least 2, at most the number of groups.
    shuffle : bool, default=False
        Take groups that are alike in a random order.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the shuffling; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are no groups, fewer than folds, or no class with a row for each
        fold.

    Notes
    -----
    A greedy rule: groups are taken by falling standard deviation of their counts of the classes,
    each goes where the shares of the classes then differ least between folds, and of folds that are
    equal in that to the one with the fewest rows. The folds are scikit-learn's, shuffled or not,
    for the same integer as `random_state`. Time O(G K^2 C) for G groups and C classes.

    Examples
    --------
    >>> from statfast.model_selection import StratifiedGroupKFold
    >>> y = [0, 0, 1, 1, 0, 1, 0, 1]
    >>> groups = [0, 0, 1, 1, 2, 2, 3, 3]
    >>> [test.tolist() for train, test in StratifiedGroupKFold(2).split(y, y, groups)]
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """

    def __init__(self, n_splits: int = 5, shuffle: bool = False, random_state: Seed = None) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _tests(self, n: int, y: Array | None, groups: Array | None) -> Any:
        k = as_folds_of(self.n_splits, n)
        codes = codes_of(y, n)
        names, group = groups_of(groups, n)
        require_groups(names, k)
        require_members(codes, k, "n_splits")
        rng = generator_of(self.shuffle, self.random_state)
        counts = np.zeros((len(names), codes.max() + 1))
        np.add.at(counts, (group, codes), 1)
        order = np.arange(len(names)) if rng is None else rng.permutation(len(names))
        order = order[np.argsort(-counts[order].std(axis=1), kind="stable")]
        home, load = np.empty(len(names), np.intp), np.zeros((k, counts.shape[1]))
        total = counts.sum(axis=0)
        for g in order:
            home[g] = _most_even(load, counts[g], total)
            load[home[g]] += counts[g]
        return parts_of_folds(home[group], k)


def _most_even(load: Any, more: Any, total: Any) -> Any:
    """The fold to which a group with `more` rows of the classes makes shares differ least."""
    best, least, fewest = 0, np.inf, np.inf
    for fold in range(len(load)):
        kept = load[fold].copy()
        load[fold] += more
        unevenness = float((load / total).std(axis=0).mean())
        load[fold] = kept
        rows = kept.sum()
        if unevenness < least or (np.isclose(unevenness, least) and rows < fewest):
            best, least, fewest = fold, unevenness, rows
    return best


class RepeatedKFold(Splitter):
    """Repeated K-fold splitter.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits.
    n_repeats : int, default=10
        Number of repetitions.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: if there are more folds than rows.

    Examples
    --------
    >>> from statfast.model_selection import RepeatedKFold
    >>> RepeatedKFold(n_splits=2, n_repeats=3).get_n_splits()
    6
    """

    _repeated: type = KFold

    def __init__(
        self, *, n_splits: int = 5, n_repeats: int = 10, random_state: Seed = None
    ) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _tests(self, n: int, y: Any, groups: Array | None) -> list[Array]:
        rng = as_shuffler(self.random_state)
        splitter = self._repeated(self.n_splits, shuffle=True, random_state=rng)
        times = as_count(self.n_repeats, "n_repeats")
        return [part for _ in range(times) for part in splitter._tests(n, y, groups)]

    def _count(self, n: int | None, y: Any, groups: Array | None) -> int:
        return as_count(self.n_splits, "n_splits", 2) * as_count(self.n_repeats, "n_repeats")


class RepeatedStratifiedKFold(RepeatedKFold):
    """Repeated stratified K-fold splitter.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits.
    n_repeats : int, default=10
        Number of repetitions.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Raises
    ------
    ValueError
        By ``split``: as `StratifiedKFold`.

    Examples
    --------
    >>> from statfast.model_selection import RepeatedStratifiedKFold
    >>> RepeatedStratifiedKFold(n_splits=2, n_repeats=3).get_n_splits()
    6
    """

    _repeated = StratifiedKFold


# ------------------------------------------------------------------ checks
def as_folds_of(n_splits: Any, n: int) -> int:
    return as_count(n_splits, "n_splits", 2, n, limit="the number of rows")


def generator_of(
    shuffle: bool | None, random_state: Seed
) -> np.random.Generator | np.random.RandomState | None:
    """A generator to shuffle with, or None."""
    return as_shuffler(random_state) if as_flag(shuffle, "shuffle") else None


def require_groups(names: Array, k: int) -> None:
    if len(names) < k:
        raise ValueError(
            f"n_splits must be at most the number of groups ({len(names)}); got {k}. Lower it."
        )
