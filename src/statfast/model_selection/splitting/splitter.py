# SPDX-License-Identifier: BSD-3-Clause
"""What splitters have in common: scikit-learn's protocol, by duck typing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np

from statfast._estimator import FoldSplitter, rows_besides
from statfast._typing import Array, ArrayLike, Rows, Seed
from statfast._validation import (
    as_generator,
    as_labels,
    as_sparse,
    first_time,
    is_missing,
    is_sparse,
    refuse_distributed,
    shown,
    to_array,
)


class Splitter(FoldSplitter):
    """Pairs of rows to fit and rows held out.

    A subclass gives one or both of ``_tests(n, y, groups)``, the rows that each fold holds out
    (all others are fitted), and ``_pairs(n, y, groups)``; and ``_count(n, y, groups)``.
    """

    # What subclasses declare, or a fit sets.
    n_splits: int

    needs_groups = False

    def split(
        self, X: Rows, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield the training and test indices of each fold.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Only the number of its samples counts.
        y : array-like of shape (n,), optional
            Labels, for splitters that look at them.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Yields
        ------
        train, test : ndarray of intp
            Places of the rows to fit and of those held out.
        """
        yield from self._pairs(n_rows(X), y, groups)

    def get_n_splits(
        self, X: Rows | None = None, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> int:
        """Count the folds.

        Parameters
        ----------
        X : array-like of shape (n, ...), optional
            Samples, if the number of splits depends on them.
        y : array-like of shape (n,), optional
            Class labels or target values.
        groups : array-like of shape (n,), optional
            All of them looked at only where they decide how many folds there are.

        Returns
        -------
        int
        """
        return self._count(None if X is None else n_rows(X), y, groups)

    def get_metadata_routing(self) -> Any:
        """Which metadata `split` asks scikit-learn's meta-estimators for: groups, if it needs them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self.needs_groups:
            alias = self.__dict__.get("_groups_request", True)
            request.split.add_request(param="groups", alias=alias)
        return request

    def __repr__(self) -> str:
        names = inspect.signature(type(self)).parameters
        arguments = ", ".join(f"{name}={shown(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({arguments})"

    def _pairs(self, n, y, groups):
        for test in self._tests(n, y, groups):
            yield rows_besides(test, n), test

    def _count(self, n: Any, y: Any, groups: Any) -> Any:
        return self.n_splits


class GroupSplitter(Splitter):
    """A splitter that needs the groups of rows."""

    needs_groups = True

    def set_split_request(self, *, groups: bool | str | None = None) -> Self:
        """Set under which name ``split`` asks for groups in scikit-learn's metadata routing.

        Parameters
        ----------
        groups : bool, str or None, default=None
            True asks for them, a string under that name; False refuses them, and None makes passing
            them an error.

        Returns
        -------
        self
        """
        self._groups_request = groups
        return self


def n_rows(X: Any) -> int:
    """How many rows there are in an array, a table or a list."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if shape is None and hasattr(X, "__array__"):
        return n_rows(np.asarray(X))
    if shape is not None or not hasattr(X, "__len__"):
        raise TypeError(f"X must be an array-like of rows; got {shown(X)}. Pass an array.")
    return len(X)


def as_takeable(X: Any, name: str = "X") -> Any:
    """What rows can be taken from by their places; of a damaged sparse matrix, none can."""
    refuse_distributed(X, name)
    if is_sparse(X):
        matrix = as_sparse(X, name=name)
        if matrix.dtype.kind not in "biufc":
            raise ValueError(
                f"{name} must hold numbers; got dtype {matrix.dtype}. Encode it first."
            )
        return matrix
    return X if hasattr(X, "shape") or isinstance(X, list | tuple) else np.asarray(X)


def as_placed_rows(X: Any, name: str = "X") -> Any:
    """The same, where what a table's index says is nothing: a series, say of texts, is an array."""
    return np.asarray(X) if hasattr(X, "iloc") and X.ndim == 1 else as_takeable(X, name)


def as_placed(values: Any, name: str) -> Array | None:
    """An array of what has a value, or several, for each row: no index counts; None is None."""
    return None if values is None else to_array(values, name, "an array-like, a value for each row")


def joined_rows(first: Any, second: Any, name: str, other_name: str) -> Array:
    """Rows of two arrays, one after the other_name."""
    first, second = to_array(first, name, "an array"), to_array(second, other_name, "an array")
    if first.ndim != second.ndim or first.ndim == 0 or first.shape[1:] != second.shape[1:]:
        raise ValueError(
            f"{name} and {other_name} must have the same columns; got shapes {first.shape} and "
            f"{second.shape}. Pass arrays of the same kind."
        )
    try:
        return np.concatenate([first, second])
    except TypeError as error:
        raise ValueError(
            f"{name} and {other_name} must be of one kind; got {first.dtype} and {second.dtype}. "
            "Pass arrays of the same kind."
        ) from error


def as_shuffler(random_state: Seed) -> np.random.Generator | np.random.RandomState:
    """What shuffles rows: for an integer, or a RandomState, the numbers that scikit-learn draws.

    ``RandomState`` has a stream that numpy keeps for ever; it takes seeds of 32 bits. Anything else
    is as in `as_generator`.
    """
    if isinstance(random_state, np.random.RandomState):
        return random_state
    rng = as_generator(random_state)
    if isinstance(random_state, Integral) and random_state < 2**32:
        return np.random.RandomState(int(random_state))
    return rng


def codes_of(y: Any, n: int) -> Array:
    """Codes of the labels, of which there must be some."""
    if y is None:
        raise ValueError("y must be passed to a stratified splitter; got None. Pass the labels.")
    return as_labels(y, n)[1]


def groups_of(groups: Array | None, n: int) -> tuple[Array, Array]:
    """The distinct groups, sorted, and the code of each row's."""
    if groups is None:
        raise ValueError("The 'groups' parameter should not be None. Pass a group for each row.")
    groups = to_array(groups, "groups", "a 1d array-like of labels")
    if groups.dtype.kind in "mM":
        return as_labels(_without_gaps(groups).astype(np.int64), n, name="groups")
    if groups.dtype == object and groups.ndim == 1 and first_time(groups) is not None:
        return as_labels(_without_gaps(groups).astype(str), n, name="groups")
    return as_labels(groups, n, name="groups")


def _without_gaps(groups: Any) -> Any:
    """Days or times by which rows are grouped, of which none may be missing."""
    gaps = np.isnat(groups) if groups.dtype != object else list(map(is_missing, groups.tolist()))
    if np.any(gaps):
        raise ValueError(f"groups must name a group for each row; row {np.argmax(gaps)} has none.")
    return groups
