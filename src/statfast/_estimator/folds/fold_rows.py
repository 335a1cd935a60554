# SPDX-License-Identifier: BSD-3-Clause
"""Folds of cross-validation: which rows each holds out, and the two rules for a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from statfast._linalg import power_of_two
from statfast._typing import Array
from statfast._validation import as_count, to_array, warn_user, wrong_type

Pair: TypeAlias = tuple[Array | None, Array]  # rows fitted, None for all others; rows held out
RULES = ("min", "1se")


# ------------------------------------------------------------------ rows of each fold
def rows_besides(test: Array, n: int) -> Array:
    """The rows that a fold does not hold out, ascending; none is sorted or hashed."""
    kept = np.ones(n, dtype=bool)
    kept[test] = False
    return np.flatnonzero(kept)


def runs(n: int, k: int) -> list[Array]:
    """Rows held out by each of k folds: runs of equal length, the first ones a row longer."""
    return np.array_split(np.arange(n), k)


def stratified_runs(
    codes: Array, k: int, shuffle: Callable[[Array], Any] | None = None
) -> list[Array]:
    """The same with the share of each class in each fold: those of all rows in order of their
    class, dealt out to the folds in turn, and taken in their own order.

    Classes are ordered as they first occur. `shuffle` permutes, in place, the folds of the rows of
    one class.
    """
    first = np.unique(codes, return_index=True)[1]
    order = np.argsort(first)
    rank = np.empty(codes.max() + 1, dtype=np.intp)
    rank[codes[first[order]]] = np.arange(len(order))
    ranked = rank[codes]
    shares = shares_of_folds(np.bincount(ranked), k)
    fold = np.empty(len(codes), dtype=np.intp)
    for c in range(len(order)):
        dealt = np.repeat(np.arange(k), shares[:, c])
        if shuffle is not None:
            shuffle(dealt)
        fold[ranked == c] = dealt
    return parts_of_folds(fold, k)


def shares_of_folds(sizes: Array, k: int) -> Array:
    """Rows of each class in each fold, (k, K): all in order of class, dealt out in turn."""
    ends = np.cumsum(sizes)
    # Fold i has the places i, i + k, ...; below a place p there are (p - i + k - 1) // k of them.
    upto = (np.append(0, ends) - np.arange(k)[:, None] + k - 1) // k
    return np.diff(upto, axis=1)


def group_runs(groups: Array, k: int) -> list[Array]:
    """The same with whole groups (codes): the largest first, each to the fold with fewest rows."""
    sizes = np.bincount(groups)
    order = np.argsort(sizes, kind="stable")[::-1]
    load, home = np.zeros(k), np.zeros(len(sizes), dtype=np.intp)
    for group in order:
        lightest = int(np.argmin(load))
        load[lightest] += sizes[group]
        home[group] = lightest
    return parts_of_folds(home[groups], k)


def parts_of_folds(fold: Array, k: int) -> list[Array]:
    """Rows of each fold, ascending, from the fold of each row."""
    order = np.argsort(fold, kind="stable")
    return np.split(order, np.cumsum(np.bincount(fold, minlength=k))[:-1])


# ------------------------------------------------------------------ folds that share their work
class NotShared(Exception):
    """Folds cannot share their work, as is known before there is any: they are to be refitted."""


@contextmanager
def checks_of_all_rows() -> Iterator[None]:
    """Checks of a fit, made of all rows and of parameters before folds share any work.

    Where rows or parameters do not pass, fits to single folds are to say so, each of its own rows.
    What is raised later is a fault of the shared work, and is not caught.
    """
    try:
        yield
    except (ValueError, TypeError, NotImplementedError) as error:
        raise NotShared from error


# ------------------------------------------------------------------ what a user gives as cv
class FoldSplitter:
    """Base of splitters, which may name the rows held out alone."""

    def _tests(self, n: int, y: Any, groups: Any) -> list[Array] | None:
        """Rows that each fold holds out, where it fits all others; None where it does not."""
        return None


def as_folds(
    cv: Any, X: Any, y: Any, n: int, codes: Array | None = None, groups: Any = None
) -> list[Pair]:
    """Pairs (train, test) of each fold, index arrays; train is None for all other rows.

    An integer cuts the rows in that many runs of equal length, or those of each class where `codes`
    gives the classes; a splitter or an iterable of (train, test) pairs is taken as it is.
    """
    if cv is None:
        cv = 5
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        k = as_count(cv, "cv", 2, n, limit="the number of rows")
        if codes is None:
            return [(None, part) for part in runs(n, k)]
        return [(None, part) for part in stratified_runs(codes, k) if len(part)]
    tests = cv._tests(n, y, groups) if isinstance(cv, FoldSplitter) else None
    if tests is not None:  # The rows that are fitted need not be listed.
        return [(None, test) for test in tests]
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        cv = cv.split(X, y) if groups is None else cv.split(X, y, groups)
    elif not hasattr(cv, "__iter__") or isinstance(cv, str | bytes) or getattr(cv, "ndim", 1) == 0:
        raise wrong_type("cv", "an integer, a splitter or a list of index pairs", cv)
    pairs: list[tuple[Array, Array]] = []
    for pair in cv:
        try:
            train, test = pair
            pairs.append((_places(train, n), _places(test, n)))
        except (TypeError, ValueError):
            wanted = "an integer, a splitter or a list of index pairs"
            raise wrong_type("cv", wanted, pair) from None
    for places in (part for pair in pairs for part in pair if len(part)):
        if places.min() < -n or places.max() >= n:
            far = places[(places < -n) | (places >= n)][0]
            raise ValueError(f"cv must hold places of the {n} rows, counted from 0; got {far}.")
    if not pairs or any(len(b) == 0 for _, b in pairs):
        raise ValueError("cv must give at least one fold with rows to hold out. Pass cv=5.")
    return [*pairs]


def as_groups(groups: Any, n: int) -> Array | None:
    """The group of each row, an array; None is None."""
    if groups is None:
        return None
    placed = to_array(groups, "groups", "an array-like, a value for each row")
    rows = len(placed) if placed.ndim else 0
    if rows != n:
        raise ValueError(f"groups must have one group for each of the {n} rows; got {rows}.")
    return placed


def require_members(codes: Array, k: int, name: str = "cv") -> None:
    """Refuse more folds than the largest class has rows; warn of those that the smallest has."""
    require_sizes(np.bincount(codes), k, name)


def require_sizes(sizes: Array, k: int, name: str = "cv") -> None:
    """The same by the number of rows of each class."""
    sizes = sizes[sizes > 0]
    if sizes.max() < k:
        raise ValueError(
            f"{name}={k} cannot be greater than the number of members in each class: the largest "
            f"has {sizes.max()} rows. Lower {name}."
        )
    if sizes.min() < k:
        warn_user(
            f"The least populated class in y has only {sizes.min()} members, which is less than "
            f"n_splits={k}: some folds have none of it."
        )


def _places(part: Any, n: int) -> Array:
    """Places of rows, given as such or as a mask."""
    places = np.asarray(part)
    if places.dtype == bool and places.shape == (n,):
        return np.flatnonzero(places)
    if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
        raise TypeError
    return places.astype(np.intp)


def fold_weights(fold: Pair, weights: Array | None, n: int) -> tuple[Array, Array]:
    """Weights of the rows a fold is fitted on, zero elsewhere; and those of the rows held out."""
    train, test = fold
    all_of_them = np.ones(n) if weights is None else weights
    used = np.zeros(n, dtype=bool) if train is not None else np.ones(n, dtype=bool)
    if train is not None:
        used[train] = True
    used[test] = False
    kept = np.where(used, all_of_them, 0.0)
    held = all_of_them[test]
    require_weight(kept, held)
    return kept, held


def require_weight(*parts: Array) -> None:
    """Refuse weights of rows fitted or held out that are all 0."""
    if not all(part.any() for part in parts):
        raise ValueError(
            "sample_weight is zero for all rows of a fold, or for all others. Shuffle the rows, or "
            "pass fewer folds in cv."
        )


@dataclass(frozen=True)
class Fold:
    """All rows, some of them held out by a weight of 0: nothing is copied."""

    kept: NDArray[np.float64]  # (n,) weights of the rows fitted
    test: NDArray[np.intp]  # rows held out
    held: NDArray[np.float64]  # their weights


def folds_of(
    cv: Any,
    rows: Any,
    y: Any,
    weights: Array | None,
    codes: Array | None = None,
    groups: Array | None = None,
) -> list[Fold]:
    """The folds of checked rows; arguments as those of `as_folds`."""
    n = rows.shape[0]
    pairs = as_folds(cv, rows, y, n, codes, groups)
    parts = [fold_weights(pair, weights, n) for pair in pairs]
    return [Fold(kept, test, held) for (kept, held), (_, test) in zip(parts, pairs, strict=True)]


def chosen(errors: Array, masses: Array, rule: str) -> tuple[Array, Array, int, int, int]:
    """The penalties chosen from errors (A, folds) of falling penalties.

    Returns their means, the standard errors of those, the place of the least mean ("min"), and the
    place of the largest penalty whose mean is within a standard error of it ("1se").
    """
    share = masses / masses.sum()
    mean = errors @ share
    folds = errors.shape[1]
    # Errors are divided by a power of two, as their squares might overflow.
    power = power_of_two(np.abs(errors).max())
    spread = np.ldexp(errors - mean[:, None], -power) ** 2 @ share
    error = np.ldexp(np.sqrt(spread / max(folds - 1, 1)), power)
    best = int(np.argmin(mean))
    within_error = int(np.argmax(mean <= mean[best] + error[best]))
    return mean, error, best, within_error, best if rule == "min" else within_error
