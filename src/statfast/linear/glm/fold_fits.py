# SPDX-License-Identifier: BSD-3-Clause
"""Fits to the rows of all folds of cross-validation together.

Near the solution of all rows, one pass sums information and score of each part of the rows. Merged,
they are those of every fold, and give its first step. From there on a block of rows, while it is in
cache, gives the scores of all folds: the information changes so little that its factor, corrected
by the changes of the score (limited-memory BFGS, as in `Scoring`), serves each fold to the end,
which is that of a fit by itself: a step that moves the linear predictor by no more than `tol`.

What does not go this way is left to a fit by itself: folds whose columns are nearly dependent or
whose likelihood has no maximum, and steps that do not shrink.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from statfast._core.linear import irls as kernel
from statfast._engine import each, grid
from statfast._estimator import copied, sums_of_folds, with_params
from statfast._linalg import CholeskyFactor
from statfast._typing import Array
from statfast.linear.glm.irls import TOLERANCES, Scoring, Unsolvable, beginning, corrected
from statfast.linear.glm.irls_sums import OPERATIONS_OF_ROW, IRLSSums, ModelRows

# Once a step of the fit to all rows is below this root mean square, folds are fitted by themselves.
MAX_COMMON_STEP = 0.1
MIN_STEP_FOR_NEW_INFORMATION = 0.02  # After a larger step, a fold's information is summed again.
MIN_PIVOT = 1e-6  # The least pivot of a fold's information.
MAX_PASSES = 20
MAX_ROUNDING_STEP = 1e-9  # A step of this root mean square is rounding, and need not shrink.
# Blocks of so many numbers stay in cache while the sums of all folds are made.
NUMBERS_IN_CACHE = 1 << 17
FOLDS_OF_CALL = 64  # One call sums the scores of so many folds.
# The most numbers in the information matrices of all parts together.
MAX_NUMBERS_OF_PARTS = 1 << 25


class FoldLayout:
    """Rows in the order of the parts of a group of folds.

    `stretch`, of shape (folds, p), multiplies the ridge of each column in each fold: where columns
    are scaled by their spread in the fold, their squared spread there, in units of that of all.
    """

    def __init__(self, X: Array, group: Any, stretch: Any = None) -> None:
        self.stretch = stretch
        order = np.concatenate(group.segments)
        self.sizes = [len(part) for part in group.segments]
        ends = np.cumsum([0, *self.sizes]).tolist()
        self.parts = [slice(a, b) for a, b in pairwise(ends)]
        self.count, self.members = group.count, group.members
        first, last = int(order[0]), int(order[-1])
        together = last - first + 1 == len(order) and bool((np.diff(order) == 1).all())
        self.order = slice(first, last + 1) if together else order
        self.X = X[self.order]

    def cut(self, values: Array | None) -> Array | None:
        """Values of all rows, in this order."""
        return None if values is None else np.ascontiguousarray(values[self.order])

    def penalty(self, penalty: Array, k: int) -> Array:
        """That of fold k, from that of each coefficient; an intercept comes first and has none."""
        if self.stretch is None:
            return penalty
        stretch = self.stretch[k]
        return penalty * np.append(np.ones(len(penalty) - len(stretch)), stretch)

    def runs(self, k):
        """The rows that fold k fits, as slices: those of consecutive parts are one."""
        n = self.parts[-1].stop
        if self.members is None:
            held_out = self.parts[k]
            runs = [slice(0, held_out.start), slice(held_out.stop, n)]
            return [run for run in runs if run.start < run.stop]
        runs: list[slice] = []
        for part, used in zip(self.parts, self.members[k], strict=True):
            if used and runs and runs[-1].stop == part.start:
                runs[-1] = slice(runs[-1].start, part.stop)
            elif used:
                runs.append(part)
        return runs


def models_of_folds(
    X: Array, folds: Any, groups: list[Any], rows: Any, fits: Any, scaled: Any = None
) -> Iterator[list[Any]]:
    """For each fold the models of all candidates, fitted, or the errors that came instead.

    Of a candidate, `fits` holds the model and a function from `FoldLayout` of `rows`, which are
    those of X, to the attributes of each fold's model, or None where that is to be fitted by
    itself.
    """
    fold = 0
    for group in groups:
        stretch = None if scaled is None else scaled.stretch[fold : fold + group.count]
        layout = FoldLayout(rows, group, stretch)
        answers = [solve(layout) for _, solve in fits]
        for k in range(group.count):
            yield [
                copied(model)._publish(X, **every[k])
                if every[k] is not None
                else _by_itself(copied(model), X, folds, folds.train(fold + k))
                if scaled is None
                else scaled.by_itself(c, fold + k)
                for c, ((model, _), every) in enumerate(zip(fits, answers, strict=True))
            ]
        fold += group.count


def models_along_paths(estimator: Any, task: Any) -> Iterator[list[Any]]:
    """For each fold the models of all candidates with an l1 penalty, or the errors that came.

    Candidates that differ in `alpha` alone are fitted in its falling order, each from the last.
    """
    models = [with_params(estimator, params) for params in task.candidates]
    others = [
        repr({name: value for name, value in params.items() if name != "alpha"})
        for params in task.candidates
    ]
    order = sorted(range(len(models)), key=lambda c: (others[c], -models[c].alpha))
    X = task.matrix()
    for k in range(len(task.folds)):
        out: list[Any] = [None] * len(models)
        larger: dict[str, Any] = {}
        for c in order:
            model, before = copied(models[c]), larger.get(others[c])
            if before is not None and not isinstance(before, Exception):
                model._coefs_of_larger_alpha = before._all_coefs()
            fit = _by_itself(model, X, task.folds, task.folds.train(k))
            out[c] = larger[others[c]] = fit
        yield out


def _by_itself(model: Any, X: Array, folds: Any, train: Array) -> Any:
    try:
        return model.fit(X[train], folds.y[train], **folds.arguments_of(train))
    except Exception as error:
        return error


def fit_folds(rows: ModelRows, layout: FoldLayout, *, ridge: float, tol: float) -> list:
    """Coefficients (q,) and passes of each fold, or None where it is to be fitted by itself.

    `rows` are dense, in the order of the layout.
    """
    nothing = [None] * layout.count
    if len(layout.parts) * rows.q**2 > MAX_NUMBERS_OF_PARTS or rows.bounded:
        return nothing
    common = Scoring(rows, ridge, MAX_COMMON_STEP)
    try:
        fit = common.run(MAX_PASSES, *beginning(rows, ridge), covariance=False)
    except Unsolvable:
        return nothing
    if fit.diverged or fit.aliased.any() or not np.isfinite(common.b).all():
        return nothing
    common.tol = tol
    step = max(256, NUMBERS_IN_CACHE // (rows.p + 1))
    pieces = grid(rows.n, step, step)
    with np.errstate(all="ignore"):
        parts = _sums_of_parts(rows, layout, common.b, step)
        merged = sums_of_folds(parts, layout.count, layout.members)
        masses = _masses(rows, layout)
        folds = [
            _FoldScoring(common, layout.runs(k), masses[k], sums, layout.penalty(common.penalty, k))
            for k, sums in enumerate(merged)
        ]
        for _ in range(MAX_PASSES):
            active = [fold for fold in folds if fold.active]
            if not active:
                break
            for fold, sums in _sums_of_folds(rows, pieces, active):
                fold.advance(sums)
    return [(rows.to_user(fold.at), fold.passes) if fold.converged else None for fold in folds]


class _FoldScoring:
    """The iterations of one fold, from the sums at the solution of all rows."""

    def __init__(
        self,
        common: Scoring,
        runs: list[slice],
        total_weight: float,
        sums: IRLSSums,
        penalty: Array,
    ) -> None:
        self.runs, self.passes = runs, 1
        self.active = self.converged = False
        if sums is None or not (total_weight > 0.0 and sums.finite()):
            return
        self.scoring = copy(common)
        self.scoring.total_weight, self.scoring.penalty, self.at = total_weight, penalty, common.b
        self.unit = np.sqrt(np.maximum(sums.h.diagonal(), 0.0) / total_weight)
        self.rms, self.score = np.inf, None
        self.renewed = True  # Whether the next sums contain the information.
        self.active = True
        self._go_on(sums)

    @property
    def trial(self) -> Array:
        """Where sums are wanted."""
        return self.at + self.step

    def advance(self, sums: IRLSSums) -> None:
        """Take the step, given the sums to which it leads."""
        self.passes += 1
        after = self.scoring._objective(sums, self.trial)
        if (
            not after <= self.height * (1 + TOLERANCES.deviance) + TOLERANCES.deviance
            or self.passes > MAX_PASSES
        ):
            self.active = False
            return
        self.at = self.trial
        self._go_on(sums)

    def _go_on(self, sums):
        """The next step, or the end."""
        scoring, before = self.scoring, self.score
        self.height = scoring._objective(sums, self.at)
        self.score = scoring._score(sums, self.at)
        if self.renewed:
            h = sums.h.copy()
            h[np.diag_indices(len(h))] += scoring.penalty
            self.factor, self.pairs = CholeskyFactor(h), []
        else:
            self.pairs.append((self.step, before - self.score))
        curved = all(step @ change > 0.0 for step, change in self.pairs)
        if not (self.factor.pivot >= MIN_PIVOT and curved and isfinite(self.height)):
            self.active = False
            return
        self.step = corrected(self.score, self.pairs, self.factor.solve)
        last, self.rms = self.rms, scoring._rms(self.step, self.score, sums)
        size = kernel.largest(self.step, self.unit)
        extent = scoring.size + kernel.largest(self.at, self.unit)
        # The size of the next step, estimated from the rate at which the last two shrank.
        next_step = self.rms * (min(1.0, self.rms / last) if isfinite(last) else 1.0)
        if next_step <= scoring.tol or size <= TOLERANCES.step * extent or self.rms > 0.5 * last:
            small = size <= max(1e-4, 30 * scoring.tol) * extent
            self.converged = small and (next_step <= scoring.tol or self.rms <= MAX_ROUNDING_STEP)
            self.active, self.at = False, self.trial
        self.renewed = self.rms > MIN_STEP_FOR_NEW_INFORMATION


def _sums_of_parts(rows: ModelRows, layout: FoldLayout, b: Array, step: int) -> list[IRLSSums]:
    """Sums with information of each part, at the same coefficients."""
    tasks = [
        (k, slice(part.start + block.start, part.start + block.stop))
        for k, part in enumerate(layout.parts)
        for block in grid(part.stop - part.start, step, step)
    ]
    effort = float(rows.n) * (rows.q**2 + OPERATIONS_OF_ROW)
    block_sums = each(
        lambda task: rows.sums_over([task[1]], b, hessian=True), tasks, n_jobs=rows.n_jobs,
        effort=effort,
    )  # fmt: skip
    sums: list = [None] * len(layout.parts)
    for (k, _), more in zip(tasks, block_sums, strict=True):
        sums[k] = more if sums[k] is None else sums[k] + more
    return sums


def _sums_of_folds(
    rows: ModelRows, pieces: list[slice], folds: list[_FoldScoring]
) -> Iterator[Any]:
    """Sums of each fold where it wants them."""
    alone = [fold for fold in folds if fold.renewed or not rows.together]
    beside = [fold for fold in folds if not fold.renewed and rows.together]
    groups = [
        beside[first : first + FOLDS_OF_CALL] for first in range(0, len(beside), FOLDS_OF_CALL)
    ]
    points = [np.array([fold.trial for fold in group]) for group in groups]

    def work(piece: slice) -> list[IRLSSums]:
        sums = [
            rows.sums_over(_within(fold.runs, piece), fold.trial, hessian=fold.renewed)
            for fold in alone
        ]  # fmt: skip
        for group, trials in zip(groups, points, strict=True):
            runs = [
                (k, run.start - piece.start, run.stop - piece.start)
                for k, fold in enumerate(group)
                for run in _within(fold.runs, piece)
            ]
            runs = np.array(runs, dtype=np.intp).reshape(-1, 3)
            sums += rows.scores_over(piece, trials, runs)
        return sums

    per_row = sum(rows.q * (rows.q if fold.renewed else 4) + OPERATIONS_OF_ROW for fold in folds)
    first, *rest = each(work, pieces, n_jobs=rows.n_jobs, effort=float(rows.n) * per_row)
    for more in rest:
        for total, part in zip(first, more, strict=True):
            total += part
    return zip([*alone, *beside], first, strict=True)


def _within(runs: list[slice], piece: slice) -> list[slice]:
    """What slices have in common with one, those that have anything."""
    cut = (slice(max(run.start, piece.start), min(run.stop, piece.stop)) for run in runs)
    return [run for run in cut if run.start < run.stop]


def _masses(rows: ModelRows, layout: FoldLayout) -> list[float]:
    """Sums of the weights of each fold, merged from those of parts."""
    if rows.weights is None:
        masses = [float(size) for size in layout.sizes]
    else:
        masses = [float(rows.weights[part].sum()) for part in layout.parts]
    return [total or 0.0 for total in sums_of_folds(masses, layout.count, layout.members)]
