# SPDX-License-Identifier: BSD-3-Clause
"""What a user gives as cv: a number of folds, a splitter, the folds themselves, or each row's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from statfast._estimator import FoldSplitter, rows_besides
from statfast._typing import Array, ArrayLike, Rows, Seed
from statfast._validation import as_count, as_flag, is_iterable, shape_of, to_array, wrong_type
from statfast.model_selection.splitting.partitions import KFold, StratifiedKFold
from statfast.model_selection.splitting.splitter import Splitter, n_rows


class PredefinedSplit(Splitter):
    """Predefined splitter: the test fold of each sample is given.

    Parameters
    ----------
    test_fold : array-like of int, shape (n,)
        Fold of each row; -1 for rows that no fold holds out.

    Raises
    ------
    ValueError
        If `test_fold` is not a list of integers, or holds no fold; by ``split``, if its length is
        not the number of rows.

    Examples
    --------
    >>> from statfast.model_selection import PredefinedSplit
    >>> [test.tolist() for train, test in PredefinedSplit([0, 1, -1, 1]).split(range(4))]
    [[0], [1, 3]]
    """

    def __init__(self, test_fold: ArrayLike) -> None:
        self.test_fold = test_fold

    def split(
        self, X: Rows | None = None, y: object = None, groups: object = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield the indices of each fold.

        Parameters
        ----------
        X : array-like of shape (n, ...), optional
            If given, the number of its samples is checked.
        y, groups : ignored
            Not used; present for the interface.

        Yields
        ------
        train, test : ndarray of intp
            Places of the rows to fit and of those held out.
        """
        n = len(self._folds()[0]) if X is None else n_rows(X)
        yield from self._pairs(n, y, groups)

    def _tests(self, n: int, y: Array | None, groups: Array | None) -> list[Array]:
        fold, numbers = self._folds()
        if n is not None and len(fold) != n:
            raise ValueError(
                f"test_fold must hold one fold for each of the {n} rows; got {len(fold)}."
            )
        return [np.flatnonzero(fold == number) for number in numbers]

    def _count(self, n: int | None, y: Array | None, groups: Array | None) -> int:
        return len(self._folds()[1])

    def _folds(self) -> tuple[Array, Array]:
        fold = to_array(self.test_fold, "test_fold", "a list of integers")
        if fold.ndim != 1 or fold.dtype.kind not in "iu":
            raise ValueError("test_fold must be a list of integers, -1 for rows always fitted.")
        numbers = np.unique(fold)
        numbers = numbers[numbers != -1]
        if not len(numbers):
            raise ValueError("test_fold must hold at least one fold; got -1 for every row.")
        return fold, numbers


class FixedFolds(FoldSplitter):
    """Folds that are known, as pairs of rows fitted, or None for all others, and rows held out."""

    def __init__(self, pairs: Any) -> None:
        self.pairs = pairs

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Any]:
        for train, test in self.pairs:
            yield (rows_besides(test, n_rows(X)) if train is None else train), test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"FixedFolds(of {len(self.pairs)} pairs)"

    def _tests(self, n: int, y: Any, groups: Any) -> Any:
        if all(train is None for train, _ in self.pairs):
            return [test for _, test in self.pairs]
        return None


def check_cv(
    cv: Any = 5,
    y: ArrayLike | None = None,
    *,
    classifier: bool = False,
    shuffle: bool = False,
    random_state: Seed = None,
) -> Any:
    """The splitter that cross-validation takes for what it is given as ``cv``.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test), default=5
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    y : array-like of shape (n,) or (n, T), optional
        Class labels or target values. Folds are stratified by one label a row only.
    classifier : bool, default=False
        Whether y are labels of classes.
    shuffle : bool, default=False
        Deal the rows out at random, where `cv` is an integer or None.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the shuffling; an integer makes the result reproducible.

    Returns
    -------
    splitter
        With ``split`` and ``get_n_splits``. An iterable is read once, and its folds are kept.

    Raises
    ------
    ValueError
        If `cv` is an integer below 2.
    TypeError
        If `cv` is nothing of these, or an iterable of other things than pairs.

    Examples
    --------
    >>> from statfast.model_selection import check_cv
    >>> check_cv(3, ["a", "b", "a", "b", "b", "a"], classifier=True)
    StratifiedKFold(n_splits=3, shuffle=False, random_state=None)
    >>> check_cv([([0, 1], [2]), ([1, 2], [0])]).get_n_splits()
    2
    """
    classifier, shuffle = as_flag(classifier, "classifier"), as_flag(shuffle, "shuffle")
    if cv is None or (isinstance(cv, int | np.integer) and not isinstance(cv, bool)):
        k = 5 if cv is None else as_count(cv, "cv", 2)
        one_label = classifier and y is not None and shape_of(y)[1:] in ((), (1,))
        kind = StratifiedKFold if one_label else KFold
        return kind(k, shuffle=shuffle, random_state=random_state if shuffle else None)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        return cv
    wanted = "an integer, a splitter or an iterable of index pairs"
    if not is_iterable(cv) or isinstance(cv, str | bytes):
        raise wrong_type("cv", wanted, cv)
    pairs = list(cv)
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or pair[0] is None:
            raise wrong_type("cv", wanted, pair)
    return FixedFolds([(np.asarray(train), np.asarray(test)) for train, test in pairs])
