# SPDX-License-Identifier: BSD-3-Clause
"""Splitters that leave out one row or group at a time, or each choice of several."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from statfast._estimator import parts_of_folds
from statfast._typing import Array
from statfast._validation import as_count
from statfast.model_selection.splitting.splitter import GroupSplitter, Splitter, groups_of


class LeaveOneOut(Splitter):
    """Leave-one-out splitter: each sample is a test set.

    Examples
    --------
    >>> from statfast.model_selection import LeaveOneOut
    >>> [test.tolist() for train, test in LeaveOneOut().split(range(3))]
    [[0], [1], [2]]
    """

    def _tests(self, n: int, y: Array | tuple[Any, ...] | None, groups: Array | None) -> Array:
        if n < 2:
            raise ValueError(f"X must have at least 2 rows to leave one out; got {n}. Pass more.")
        return np.arange(n)[:, None]

    def _count(self, n: int | None, y: Array | tuple[Any, ...] | None, groups: Array | None) -> int:
        if n is None:
            raise ValueError("The 'X' parameter should not be None: there is a fold for each row.")
        return n


class LeaveOneGroupOut(GroupSplitter):
    """Leave-one-group-out splitter: each group is a test set.

    Raises
    ------
    ValueError
        By ``split``: if there are no groups, or only one.

    Examples
    --------
    >>> from statfast.model_selection import LeaveOneGroupOut
    >>> groups = [1, 1, 2, 3]
    >>> [test.tolist() for train, test in LeaveOneGroupOut().split(groups, groups=groups)]
    [[0, 1], [2], [3]]
    """

    def _tests(self, n: int, y: Array | None, groups: Array | None) -> list[Array]:
        names, codes = groups_of(groups, n)
        if len(names) < 2:
            raise ValueError(
                f"The groups parameter contains fewer than 2 unique groups ({names.tolist()}). "
                "Name at least two."
            )
        return parts_of_folds(codes, len(names))

    def _count(self, n: Any, y: Any, groups: Any) -> int:
        return len(groups_of(groups, np.size(groups))[0])


class LeavePOut(Splitter):
    """Leave-p-out splitter: each choice of p samples is a test set.

    Parameters
    ----------
    p : int
        Number of samples left out, less than there are.

    Raises
    ------
    ValueError
        By ``split``: if there are no more than `p` rows.

    See Also
    --------
    LeaveOneOut : For p = 1.

    Notes
    -----
    There are n! / (p! (n - p)!) folds, in lexicographic order, as scikit-learn has them.

    References
    ----------
    A. Celisse (2014), "Optimal cross-validation in density estimation with the L2-loss".
    doi:10.1214/14-AOS1240

    Examples
    --------
    >>> from statfast.model_selection import LeavePOut
    >>> [test.tolist() for train, test in LeavePOut(2).split(range(3))]
    [[0, 1], [0, 2], [1, 2]]
    """

    def __init__(self, p: int) -> None:
        self.p = p

    def _tests(self, n: int, y: Any, groups: Any) -> Iterator[Array]:
        p = self._left_out(n)
        return (np.array(rows, dtype=np.intp) for rows in combinations(range(n), p))

    def _count(self, n: int | None, y: Any, groups: Any) -> int:
        if n is None:
            raise ValueError("The 'X' parameter should not be None: its rows decide the folds.")
        return comb(n, self._left_out(n))

    def _left_out(self, n: int) -> int:
        p = as_count(self.p, "p")
        if p >= n:
            raise ValueError(
                f"p={p} must be strictly less than the number of samples={n}. Lower p."
            )
        return p


class LeavePGroupsOut(GroupSplitter):
    """Leave-p-groups-out splitter: each choice of several groups is a test set.

    Parameters
    ----------
    n_groups : int
        Number of groups left out, less than there are.

    Raises
    ------
    ValueError
        By ``split``: if there are no groups, or no more than `n_groups`.

    See Also
    --------
    LeaveOneGroupOut : For one group.

    Notes
    -----
    Choices of the sorted groups are in lexicographic order, as scikit-learn has them.

    Examples
    --------
    >>> from statfast.model_selection import LeavePGroupsOut
    >>> groups = [1, 1, 2, 3]
    >>> [test.tolist() for train, test in LeavePGroupsOut(2).split(groups, groups=groups)]
    [[0, 1, 2], [0, 1, 3], [2, 3]]
    """

    def __init__(self, n_groups: int) -> None:
        self.n_groups = n_groups

    def _tests(self, n: int, y: Any, groups: Array | None) -> Iterator[Array]:
        names, codes = groups_of(groups, n)
        left_out = self._left_out(len(names))
        chosen = combinations(range(len(names)), left_out)
        return (np.flatnonzero(np.isin(codes, members)) for members in chosen)

    def _count(self, n: Any, y: Any, groups: Any) -> int:
        count = len(groups_of(groups, np.size(groups))[0])
        return comb(count, self._left_out(count))

    def _left_out(self, count: int) -> int:
        left_out = as_count(self.n_groups, "n_groups")
        if left_out >= count:
            raise ValueError(
                f"The groups parameter contains fewer than (or equal to) n_groups ({left_out}) "
                f"unique groups ({count}). Lower n_groups, or name more groups."
            )
        return left_out
