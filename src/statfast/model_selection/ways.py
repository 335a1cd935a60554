# SPDX-License-Identifier: BSD-3-Clause
"""Three ways to the models of all folds, which give the same models.

"merged statistics": the estimator's fit is a sum over rows (`SumFit`), so that the statistics of
each fold are found once, and those of all other rows are merged from them. "shared structure": the
estimator fits the folds together (``_shared_fits``), as with one kernel matrix or warm starts.
"refit": a copy is fitted to the rows of each fold.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from itertools import repeat
from time import perf_counter
from typing import Any

import numpy as np

from statfast._estimator import (
    NotShared,
    SumFit,
    as_square,
    between,
    checks_of_all_rows,
    copied,
    is_pairwise,
    prepared_sum,
    rows_at,
    rows_besides,
    sums_of,
    sums_of_folds,
    take_columns,
    take_rows,
    takes_weights,
    with_params,
)
from statfast._validation import as_rows, column_names

MERGED, CLOSED, SHARED, REFIT = "merged statistics", "closed form", "shared structure", "refit"
_ATOMS = 3  # distinct kinds of rows for each fold, up to which statistics of kinds are merged


@dataclass
class Folds:
    """The rows of a validation, and which of them each fold fits and holds out.

    All but X are arrays, and X is a table, a list or an array: rows are counted by their places.
    """

    X: Any
    y: np.ndarray | None
    weights: np.ndarray | None
    n: int
    pairs: list  # (train or None for all others, test)
    arguments: dict = field(default_factory=dict)  # of fits; arrays of n rows are cut

    def train(self, k):
        """Places of the rows that a fold fits: rows of weight 0 are none."""
        train, test = self.pairs[k]
        if train is None:
            kept = np.ones(self.n, dtype=bool)
            kept[test] = False
            if self.weights is not None:
                kept &= self.weights > 0.0
            return np.flatnonzero(kept)
        return train if self.weights is None else train[self.weights[train] > 0.0]

    def arguments_of(self, rows):
        """Arguments of a fit to some rows."""
        cut = {
            name: value[rows] if isinstance(value, np.ndarray) and len(value) == self.n else value
            for name, value in self.arguments.items()
        }
        return cut if self.weights is None else cut | {"sample_weight": self.weights[rows]}

    def asked(self, model, rows):
        """A model to be asked about some rows, told what its fits were told of theirs."""
        if not self.arguments or model is None:
            return model
        return Told(model, self.arguments_of(rows))

    def pairs_as_given(self):
        """A splitter that gives these folds again."""
        return _Again(self.pairs)

    def singles(self):
        """The row of each fold, if each row is held out alone, else None."""
        if len(self.pairs) != self.n or self.n < 2:
            return None
        if any(train is not None or len(test) != 1 for train, test in self.pairs):
            return None
        rows = np.array([test[0] for _, test in self.pairs])
        return rows if (np.bincount(rows, minlength=self.n) == 1).all() else None


class Told:
    """A model whose methods are called with the arguments that they take, say an exposure."""

    def __init__(self, model, arguments):
        arguments.pop("sample_weight", None)  # scores have their own
        best = getattr(model, "best_estimator_", None)
        if best is not None:  # a search, which asks it
            model = copy(model)
            model.best_estimator_ = Told(best, dict(arguments))
        self.model, self.arguments = model, arguments

    def __getattr__(self, name):
        found = getattr(self.model, name)
        if name.startswith("_") or not callable(found):
            return found
        steps, prefix, last = getattr(self.model, "steps", None), "", self.model
        if isinstance(steps, list | tuple):  # a pipeline, which hands on to its last step
            prefix, last = f"{steps[-1][0]}__", steps[-1][1]
        taken = signature(getattr(last, name, found)).parameters
        told = {key.removeprefix(prefix): key for key in self.arguments if key.startswith(prefix)}
        more = {name: self.arguments[key] for name, key in told.items() if name in taken}
        return partial(found, **more) if more else found


class _Again:
    """Folds known already."""

    def __init__(self, pairs):
        self.pairs = pairs

    def split(self, X, y=None, groups=None):
        n = len(y)
        for train, test in self.pairs:
            yield (rows_besides(test, n) if train is None else train), test

    def _held_out(self, n, y, groups):
        return [test for _, test in self.pairs]


@dataclass
class Fitted:
    """The models of a fold, one for each candidate, or the errors that came instead."""

    models: list
    errors: list
    seconds: float
    rows: Any = None  # in the place of X for what is asked of the models
    held: Any = None  # statistics of the rows held out, where there are


def shares_statistics(estimator):
    """Whether an estimator offers statistics to merge."""
    return isinstance(estimator, SumFit) and estimator._adds_up()


def fitted_folds(estimator, folds, candidates, whole=False) -> tuple[str, Iterator[Fitted]]:
    """The way, and the models of each fold in turn: of copies with the parameters of candidates.

    `whole` asks for models as a user would have them: with the names of columns, and answers to any
    rows. All candidates take rows, or all take values between rows.
    """
    pairwise = is_pairwise(estimator)
    asked = pairwise if not candidates else candidate_is_pairwise(estimator, candidates[0])
    if folds.arguments or asked != pairwise:  # of which no other way knows
        return REFIT, _refits(estimator, folds, candidates, asked)
    if shares_statistics(estimator) and not _all_differ(estimator, candidates):
        try:
            found = _merged(estimator, folds, candidates, whole)
        except NotShared:
            found = None
        if found is not None:
            return MERGED, found
    shares = hasattr(estimator, "_shared_fits")
    if shares and (not whole or getattr(estimator, "_shared_models", False)):
        start = perf_counter()
        try:
            tests = [test for _, test in folds.pairs]
            by_name = whole or hasattr(estimator, "_picks")
            with checks_of_all_rows():
                X = folds.X if by_name else _without_names(folds.X)
            trains = Trains(folds, pairwise)
            found = estimator._shared_fits(X, folds.y, folds.weights, trains, tests, candidates)
        except NotShared:
            found = None
        if found is not None:
            way = getattr(estimator, "_shared_way", SHARED)
            rows = _rows_of_fits(estimator, folds, X, pairwise)
            return way, _timed(found, perf_counter() - start, rows)
    return REFIT, _refits(estimator, folds, candidates, pairwise)


def candidate_is_pairwise(estimator, params):
    """Whether an estimator with some parameters takes values between rows, as `params` may say."""
    pairwise = is_pairwise(estimator)
    if not pairwise and not any(
        hasattr(value, "get_params") or (isinstance(value, str) and value == "precomputed")
        for value in params.values()
    ):
        return False
    try:
        return is_pairwise(with_params(estimator, params))
    except Exception:  # told of the fits, which set these parameters again
        return pairwise


# ------------------------------------------------------------------ refits
def _refits(estimator, folds, candidates, pairwise):
    every = _rows_of_fits(estimator, folds, folds.X, pairwise)
    for k in range(len(folds.pairs)):
        start = perf_counter()
        train = folds.train(k)
        rows = next(every)
        X, y = take_rows(rows, train), take_rows(folds.y, train)
        more = folds.arguments_of(train)
        models, errors = [], []
        for params in candidates:
            model, error = None, None
            try:
                model = with_params(estimator, params).fit(*((X,) if y is None else (X, y)), **more)
            except Exception as raised:  # told by the caller, of each fold
                error = raised
            models.append(model)
            errors.append(error)
        yield Fitted(models, errors, perf_counter() - start, rows)


def _rows_of_fits(estimator, folds, X, pairwise):
    """What the model of each fold is asked about: of a matrix between rows, the columns of those
    that it was fitted to."""
    if pairwise:
        X = as_square(X, estimator)
        for k in range(len(folds.pairs)):
            yield take_columns(X, folds.train(k))
    else:
        yield from repeat(X, len(folds.pairs))


def require_method(estimator, method, by):
    """Refuse to ask an estimator for what it has no method for."""
    try:
        getattr(estimator, method)
    except AttributeError as error:
        raise AttributeError(
            f"{by} asks {type(estimator).__name__} for {method}, which it has not: {error} Choose "
            "another."
        ) from None


def require_weights(estimator, weights):
    """Refuse weights that an estimator does not take."""
    if weights is not None and not takes_weights(estimator):
        raise TypeError(
            f"sample_weight was passed, but {type(estimator).__name__}.fit does not take it. Leave "
            "it out, or choose another estimator."
        )


def _without_names(X):
    """A table as an array, so that rows of it are cut off quickly."""
    is_table = hasattr(X, "columns") or column_names(X) is not None
    return as_rows(X, finite=False) if is_table and not isinstance(X, np.ndarray) else X


# ------------------------------------------------------------------ shared structure
class Trains(Sequence):
    """Places of the rows that each fold fits, made when they are asked for."""

    def __init__(self, folds, pairwise):
        self.folds, self.pairwise = folds, pairwise

    def __len__(self):
        return len(self.folds.pairs)

    def __getitem__(self, k):
        if not isinstance(k, int) or not 0 <= k < len(self):
            raise IndexError(k)
        return self.folds.train(k)

    def rows(self, k):
        """What a fold fits: rows, targets and weights."""
        train, folds = self[k], self.folds
        weights = None if folds.weights is None else folds.weights[train]
        cut = between if self.pairwise else take_rows
        return cut(folds.X, train), take_rows(folds.y, train), weights

    def groups(self):
        """Folds in groups, each of the parts of which its folds consist, or None if there are
        nearly as many parts as rows of folds: see `Group`."""
        return _plan(self.folds)


def _timed(found, before, rows):
    """The models of each fold with their seconds: where all folds are fitted at once, a share."""
    if isinstance(found, list):
        before /= len(found)
    iterator = iter(found)
    while True:
        start = perf_counter()
        try:
            models = next(iterator)
        except StopIteration:
            return
        errors = [m if isinstance(m, Exception) else None for m in models]
        models = [None if e is not None else m for m, e in zip(models, errors, strict=True)]
        yield Fitted(models, errors, before + perf_counter() - start, next(rows))
        before = before if isinstance(found, list) else 0.0


# ------------------------------------------------------------------ merged statistics
def _all_differ(estimator, candidates):
    """Whether candidates differ in parameters on which the statistics depend."""
    solved = set(getattr(estimator, "_solve_parameters", ()))
    return any(set(params) - solved for params in candidates) and len(candidates) > 1


def _merged(estimator, folds, candidates, whole):
    plan = _plan(folds)
    if plan is None:
        return None
    templates = [with_params(estimator, params) for params in candidates]
    first = templates[0]
    by_name = hasattr(first, "_picks") and first._picks()
    with checks_of_all_rows():  # the fit's own, of which some are made while rows are summed
        X = folds.X if whole or by_name else _without_names(folds.X)
        columns, state = prepared_sum(first, X, folds.y, folds.weights)
        if not isinstance(columns[0], np.ndarray) and not hasattr(columns[0], "indptr"):
            return None
        start = perf_counter()
        begun = sums_of(first._statistics, columns, state, plan[0].parts), perf_counter() - start
    statistics = _statistics_of(first, columns, state, plan, begun)
    if folds.weights is not None:
        statistics = _with_rows(statistics, folds)
    return _solved(templates, statistics, state, X)


def _with_rows(statistics, folds):
    """Statistics, or None of folds that fit no row of positive weight."""
    for k, (others, held, seconds) in enumerate(statistics):
        yield (others if len(folds.train(k)) else None), held, seconds


def _solved(templates, statistics, state, X):
    for others, held, seconds in statistics:
        start = perf_counter()
        models, errors = [], []
        for template in templates:
            model, error = None, None
            try:
                if others is None:
                    raise ValueError("X has no rows to fit in a fold. Pass other folds.")
                model = copied(template)._solve(others, state)
            except Exception as raised:
                error = raised
            models.append(model)
            errors.append(error)
        yield Fitted(models, errors, seconds + perf_counter() - start, X, held)


def _statistics_of(model, columns, state, plan, begun):
    """Statistics of the rows that each fold fits, of those that it holds out or None, and the
    seconds they took."""
    for group in plan:
        start = perf_counter()
        sums, before = begun or (sums_of(model._statistics, columns, state, group.parts), 0.0)
        begun, each = None, (before + perf_counter() - start) / group.count
        start = perf_counter()
        held = [None] * group.count if group.kinds is not None else sums[: group.count]
        for others, own in zip(sums_of_folds(sums, group.count, group.kinds), held, strict=True):
            yield others, own, each + perf_counter() - start
            start = perf_counter()


@dataclass
class Group:
    """Parts of the rows from which the rows of some folds are made up."""

    parts: list  # index arrays, disjoint
    count: int  # of folds
    kinds: np.ndarray | None = None  # (folds, parts) which parts a fold fits; None: all but its own


def _plan(folds):
    """Groups of folds with common parts, or None where merging would spare nothing."""
    pairs, n = folds.pairs, folds.n
    if len(pairs) < 2:
        return None
    if all(train is None for train, _ in pairs):
        groups = _disjoint_runs([test for _, test in pairs], n)
        return groups if len(groups) * 2 <= len(pairs) else None
    if len(pairs) * n > 1 << 28:
        return None
    used = np.zeros((len(pairs), n), dtype=bool)
    for k, (train, test) in enumerate(pairs):
        if train is None:
            used[k] = True
            used[k, test] = False
            continue
        used[k, train] = True
        if used[k].sum() != len(train):  # rows drawn more than once
            return None
    packed = np.packbits(used, axis=0)
    _, first, kind = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    if len(first) > _ATOMS * len(pairs):
        return None
    order = np.argsort(kind.reshape(-1), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(kind.reshape(-1)))[:-1])
    kinds = used[:, first]
    needed = kinds.any(axis=0)
    parts = [part for part, need in zip(parts, needed, strict=True) if need]
    return [Group(parts, len(pairs), kinds[:, needed])]


def _disjoint_runs(tests, n):
    """Consecutive folds that hold out each row at most once, and the rows that none does."""
    groups, parts, seen = [], [], np.zeros(n, dtype=bool)
    for test in [*tests, None]:
        if test is None or seen[test].any():
            count, rest = len(parts), np.flatnonzero(~seen)
            groups.append(Group([*parts, rest] if len(rest) else parts, count))
            parts, seen = [], np.zeros(n, dtype=bool)
        if test is not None:
            parts.append(test)
            seen[test] = True
    return groups


def rows_of_fold(X, places):
    """Rows of a fold to be asked about: a view where they follow one another."""
    if isinstance(X, np.ndarray) and len(places) > 1:
        first, last = int(places[0]), int(places[-1])
        if last - first + 1 == len(places) and (np.diff(places) == 1).all():
            return X[first : last + 1]
    return rows_at(X, places) if isinstance(X, np.ndarray) else take_rows(X, places)
