# SPDX-License-Identifier: BSD-3-Clause
"""Fits to rows in parts, of estimators whose fit is a sum (see `row_sums`).

Two rounds: the first counts the rows and names the classes, the other sums up. The state comes
from `_prepare` of a few rows, one of each class among them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from statfast._core.rows.extent import zeros_and_ones
from statfast._engine import Parts, Work, has_weight
from statfast._estimator.mixins import codes_among
from statfast._estimator.parameters.copies import takes_weights
from statfast._estimator.sums.row_sums import summed
from statfast._typing import Array
from statfast._validation import as_labels, as_targets, as_weights, require_finite

_NUMBERS_PER_BLOCK = 1 << 21  # numbers of a block
_ROWS_WITH_ALL_CLASSES = 1 << 12  # rows that are looked through for the first of each class
_FIRST_ROWS = 2  # The least number of rows that passes all checks of a fit.


@dataclass(frozen=True)
class FirstRound:
    """What a first round finds: lengths of the parts, a few rows, and one of each class."""

    lengths: list[Any]
    X: Any  # (m, d) or None
    y: Any
    first: int  # How many of these rows are the first of all rows.
    classes: dict[str, Any]  # label: place among these rows
    masses: dict[str, Any]  # label: weight of its rows

    def __add__(self, other: FirstRound) -> FirstRound:
        lengths = self.lengths + other.lengths
        if self.X is None or other.X is None:
            known = other if self.X is None else self
            return replace(known, lengths=lengths)
        if self.X.shape[1] != other.X.shape[1]:
            raise ValueError(
                f"X must have the same columns in all parts; got {self.X.shape[1]} in one and "
                f"{other.X.shape[1]} in another."
            )
        if self.X.dtype != other.X.dtype:
            raise ValueError(
                f"X must be of one dtype in all parts; got {self.X.dtype} and {other.X.dtype}. "
                "Use X.astype."
            )
        first = min(_FIRST_ROWS - self.first, other.first)
        new = {label: at for label, at in other.classes.items() if label not in self.classes}
        kept = sorted({*range(first), *new.values()})
        # The first rows of all come first, whatever follows.
        a, b = self.first, len(self.X)
        order = [*range(a), *(b + i for i in range(first)), *range(a, b)]
        order += [b + i for i in range(first, len(kept))]
        X = np.concatenate([self.X, other.X[kept]])[order]
        y = None if self.y is None else np.concatenate([self.y, other.y[kept]])[order]
        place = {old: at for at, old in enumerate(order)}
        classes = {label: place[at] for label, at in self.classes.items()}
        classes |= {label: place[b + kept.index(at)] for label, at in new.items()}
        masses = dict(self.masses)
        for label, total in other.masses.items():
            masses[label] = masses.get(label, 0.0) + total
        return FirstRound(lengths, X, y, a + first, classes, masses)


def first_round_of_part(columns: tuple[Any, ...], named: bool) -> FirstRound:
    """What it finds in a part; `named` is whether y are labels."""
    X, y, weights = columns
    if not len(X):
        return FirstRound([0], None, None, 0, {}, {})
    rows, classes, masses = list(range(min(_FIRST_ROWS, len(X)))), {}, {}
    if named and y is not None:
        labels, places, sums = _classes_of(y, weights, len(X))
        classes = dict(zip(labels, places, strict=True))
        masses = dict(zip(labels, sums, strict=True))
        rows = [*rows, *sorted(set(classes.values()) - set(rows))]
        classes = {label: rows.index(at) for label, at in classes.items()}
    y = None if y is None else np.array(y[rows])
    return FirstRound([len(X)], np.array(X[rows]), y, min(_FIRST_ROWS, len(X)), classes, masses)


def _classes_of(y: Array, weights: Any, n: int) -> tuple[list[Any], list[int], list[float]]:
    """Labels, the first row of each, and the weight of its rows."""
    plain = y.dtype == np.float64 and y.shape == (n,) and y.flags.c_contiguous and y.flags.aligned
    n_ones = zeros_and_ones(y) if plain and weights is None else 0
    if 0 < n_ones < n:
        return [0.0, 1.0], [int(y.argmin()), int(y.argmax())], [float(n - n_ones), float(n_ones)]
    labels, codes = as_labels(y, n)
    places = np.full(len(labels), n, np.intp)
    for stop in (min(n, _ROWS_WITH_ALL_CLASSES), n):
        if (places == n).any():
            places[codes[:stop][::-1]] = np.arange(stop - 1, -1, -1)
    sums = np.zeros(len(labels))
    if has_weight(weights):
        sums = np.bincount(codes, as_weights(weights, n), len(labels)).astype(float)
    return labels.tolist(), places.tolist(), sums.tolist()


FIRST_ROUND = Work(first_round_of_part, empty=True)


def first_round(parts: Parts, named: bool) -> FirstRound:
    """The first round of a fit; the parts know their lengths after it."""
    first = parts.total(FIRST_ROUND, named)
    if first.X is None:
        raise ValueError("X has 0 sample(s) in its parts while a minimum of 1 is required.")
    parts.lengths, parts.width = first.lengths, first.X.shape[1]
    return first


class NamedRows:
    """A few rows that have the names of a collection's columns."""

    def __init__(self, rows: np.ndarray, names: Any) -> None:
        self.rows, self.columns, self.shape = rows, names, rows.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.rows if dtype is None else self.rows.astype(dtype)


def named_rows(rows: np.ndarray, names: Any) -> Any:
    return rows if names is None else NamedRows(rows, names)


def fit_parts(model: Any, parts: Parts) -> Any:
    """Fit an estimator whose fit is a sum."""
    _, state, layout = prepared_parts(model, parts)

    def total(state: Any) -> Any:
        return parts.total(Work(statistics_of_part), (model, state, layout))

    fitted = model._fit_rounded(total, sum(parts.lengths or ()), layout.dtype, state)
    if fitted is not None:
        return fitted
    sums = total(state)
    if sums is None:
        raise ValueError("sample_weight must hold a positive weight; got none in any part.")
    require_finite_sums(sums, parts)
    return model._solve(sums, state)


def prepared_parts(model: Any, parts: Parts) -> tuple[FirstRound, Any, Any]:
    """The first round, what the fit knows of all rows, and the columns of its statistics."""
    first = first_round(parts, model._has_labels())
    columns, state = model._prepare(named_rows(first.X, parts.column_names), first.y, None)
    model._check_parts(columns, state)
    layout = _Layout(
        columns[0].dtype, len(columns), len(columns) > 2 and columns[1].ndim == 1,
        takes_weights(model),
    )  # fmt: skip
    return first, state, layout


def require_finite_sums(sums: Any, parts: Parts) -> None:
    """Refuse rows that hold NaN or infinity, where sums tell of some."""
    if not _all_finite(sums):
        parts.total(Work(require_finite_part))  # Raises an error that names the part and the row.


@dataclass(frozen=True)
class _Layout:
    """The columns that statistics take: rows, then labels or targets, then weights."""

    dtype: np.dtype
    count: int
    flat: bool  # of y
    weighted: bool  # whether rows may have weights


def statistics_of_part(columns: tuple[Any, ...], sent_state: tuple[Any, ...]) -> Any:
    """The statistics of a part; None without weight."""
    model, state, layout = sent_state
    X, y, weights = columns
    if weights is not None and not layout.weighted:
        raise ValueError(
            f"{type(model).__name__} takes no sample_weight; got parts that hold one. Leave it out."
        )
    n, width = X.shape
    if X.dtype != layout.dtype:
        X = X.astype(layout.dtype)
    model._check_block(X, state)
    columns = (X,)
    if layout.count > 2:
        if getattr(state, "classes", None) is not None:
            labels, codes = as_labels(y, n)
            y = codes_among(state.classes, labels, codes, weights)
        else:
            y = as_targets(y, n)[0]
            y = y[:, 0] if layout.flat else y
        columns = X, y
    if layout.count > 1:
        columns = (*columns, as_weights(weights, n))
    if model._statistics_cut_blocks:
        return model._statistics(columns, state)
    least = max(256, 8 * width, _NUMBERS_PER_BLOCK // width)
    return summed(model._statistics, columns, state, least=least)


def require_finite_part(columns: tuple[Any, ...], state: Any) -> None:
    """Refuse a part that holds NaN or infinity."""
    require_finite(columns[0])


def _all_finite(sums: Any) -> bool:
    """Whether all numbers in statistics are."""
    if isinstance(sums, np.ndarray):
        return sums.dtype.kind != "f" or bool(np.isfinite(sums).all())
    if isinstance(sums, float):
        return bool(np.isfinite(sums))
    if isinstance(sums, tuple | list):
        return all(map(_all_finite, sums))
    if isinstance(sums, dict):
        return all(map(_all_finite, sums.values()))
    if is_dataclass(sums):
        return all(_all_finite(getattr(sums, field.name)) for field in fields(sums))
    return True
