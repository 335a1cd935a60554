# SPDX-License-Identifier: BSD-3-Clause
"""What cross-validation asks of an estimator, and how the estimator answers.

An estimator that fits folds in less than a fit for each has ``_plan_folds(task)``: it looks at the
task, a `FoldTask`, and answers with a `FoldPlan`, or with None, so that each fold is refitted. Once
it has answered, an error that is not of one fold's fit is a fault, and propagates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from statfast._estimator.folds.fold_rows import NotShared, Pair, checks_of_all_rows
from statfast._estimator.member_rows import take_rows
from statfast._estimator.pairwise_rows import between
from statfast._estimator.parameters.copies import with_params
from statfast._estimator.scorers import Answers
from statfast._typing import Array
from statfast._validation import as_rows, column_names

MERGED, CLOSED, SHARED = "merged statistics", "closed form", "shared structure"
# Folds are merged from segments of rows up to so many disjoint segments for each fold.
_SEGMENTS_PER_FOLD = 3
_MAX_MEMBERSHIPS = 1 << 28  # The most folds times rows that are compared to find these segments.


# ------------------------------------------------------------------ folds
@dataclass
class FoldGroup:
    """Disjoint segments of the rows, of which the rows of some consecutive folds consist."""

    segments: list[Array]  # places of rows
    count: int  # of folds
    # (folds, segments) which segments a fold fits; None: all but the one in the fold's place
    members: NDArray[np.bool_] | None = None


@dataclass
class Folds:
    """The rows of a validation, and which of them each fold fits and holds out.

    All but X are arrays, and X is a table, a list or an array: rows are counted by their places.
    """

    X: Any
    y: Array | None
    weights: Array | None
    n: int
    pairs: Sequence[Pair]  # (train or None for all others, test)
    # Arguments of fits beside these; arrays with a value for each row are cut to those of a fold.
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    # Arguments of scores by their names, such as weights, which are cut in the same way.
    of_scores: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    row_groups: Array | None = None  # Those that the splitter was given.

    def __len__(self) -> int:
        return len(self.pairs)

    def train(self, k: int) -> Array:
        """Places of the rows that a fold fits; rows of weight 0 are left out."""
        train, test = self.pairs[k]
        if train is None:
            kept = np.ones(self.n, dtype=bool)
            kept[test] = False
            if self.weights is not None:
                kept &= self.weights > 0.0
            return np.flatnonzero(kept)
        return train if self.weights is None else train[self.weights[train] > 0.0]

    def fits_all_others(self, k: int) -> bool:
        """Whether a fold fits all rows of weight but those that it holds out, each once, and there
        are some."""
        train, (_, test) = self.train(k), self.pairs[k]
        kept = np.ones(self.n, dtype=bool) if self.weights is None else self.weights > 0.0
        kept[test] = False
        all_others = np.array_equal(np.bincount(train, minlength=self.n), kept)
        return all_others and len(train) > 0 and len(np.unique(test)) == len(test)

    def arguments_of(self, rows: Array) -> dict[str, Any]:
        """Arguments of a fit to some rows."""
        cut = self._cut(self.arguments, rows)
        return cut if self.weights is None else cut | {"sample_weight": self.weights[rows]}

    def arguments_of_score(self, name: str, rows: Array) -> dict[str, Any]:
        """Arguments of a score on some rows."""
        return self._cut(self.of_scores.get(name, {}), rows)

    def weights_of_score(self, name: str) -> Array | None:
        """The weights of all rows by which a score is weighted."""
        return self.of_scores.get(name, {}).get("sample_weight")

    def is_scored_as_fitted(self, name: str) -> bool:
        """Whether a score has the weights of the fits, and no argument beside them."""
        if self.of_scores.get(name, {}).keys() - {"sample_weight"}:
            return False
        weights = self.weights_of_score(name)
        if weights is None or self.weights is None:
            return weights is self.weights
        return np.array_equal(weights, self.weights)

    def _cut(self, arguments: dict[str, Any], rows: Array) -> dict[str, Any]:
        return {
            name: value[rows] if isinstance(value, np.ndarray) and len(value) == self.n else value
            for name, value in arguments.items()
        }

    @cached_property
    def left_out_rows(self) -> Array | None:
        """The row of each fold, if each row is held out alone, else None."""
        if len(self.pairs) != self.n or self.n < 2:
            return None
        if any(train is not None or len(test) != 1 for train, test in self.pairs):
            return None
        rows = np.array([test[0] for _, test in self.pairs])
        return rows if (np.bincount(rows, minlength=self.n) == 1).all() else None

    def groups(self) -> list[FoldGroup] | None:
        """Groups of folds with common segments of rows, or None where merging would spare nothing:
        there are too many segments, or folds fit rows more than once."""
        pairs, n = self.pairs, self.n
        if len(pairs) < 2:
            return None
        if all(train is None for train, _ in pairs):
            groups = _disjoint_runs([test for _, test in pairs], n)
            return groups if len(groups) * 2 <= len(pairs) else None
        if len(pairs) * n > _MAX_MEMBERSHIPS:
            return None
        used = np.zeros((len(pairs), n), dtype=bool)
        for k, (train, test) in enumerate(pairs):
            if train is None:
                used[k] = True
                used[k, test] = False
                continue
            used[k, train] = True
            if used[k].sum() != len(train):
                return None
        packed = np.packbits(used, axis=0)
        _, first, kind = np.unique(packed, axis=1, return_index=True, return_inverse=True)
        if len(first) > _SEGMENTS_PER_FOLD * len(pairs):
            return None
        order = np.argsort(kind.reshape(-1), kind="stable")
        segments = np.split(order, np.cumsum(np.bincount(kind.reshape(-1)))[:-1])
        members = used[:, first]
        needed: NDArray[np.bool_] = np.any(members, axis=0)
        segments = [rows for rows, need in zip(segments, needed, strict=True) if need]
        return [FoldGroup(segments, len(pairs), members[:, needed])]


def _disjoint_runs(tests: list[Array], n: int) -> list[FoldGroup]:
    """Consecutive folds that hold out each row at most once, and the rows that none does."""
    groups: list[FoldGroup] = []
    segments: list[Array] = []
    seen = np.zeros(n, dtype=bool)
    for test in [*tests, None]:
        if test is None or seen[test].any():
            count, rest = len(segments), np.flatnonzero(~seen)
            groups.append(FoldGroup([*segments, rest] if len(rest) else segments, count))
            segments, seen = [], np.zeros(n, dtype=bool)
        if test is not None:
            segments.append(test)
            seen[test] = True
    return groups


# ------------------------------------------------------------------ the question
@dataclass(frozen=True)
class FoldTask:
    """What cross-validation asks of an estimator: models of each candidate on each fold."""

    folds: Folds
    candidates: Sequence[dict[str, Any]] = ({},)  # parameters that differ from the estimator's own
    # The methods that models are asked for, of the rows of their fold alone: "predict", or "score".
    # None: anything, of any rows, as a user's own model may be.
    methods: frozenset[str] | None = None
    pairwise: bool = False  # Whether X holds values between pairs of rows.

    @property
    def left_out_method(self) -> str | None:
        """The one method asked for where each row is held out alone, by which a formula may
        answer; else None."""
        weights = self.folds.weights
        if self.methods is None or len(self.methods) != 1 or self.folds.left_out_rows is None:
            return None
        if weights is not None and (weights > 0.0).sum() < 2:
            return None
        (method,) = self.methods
        return None if method == "score" else method

    def matrix(self) -> Any:
        """X; a table as an array, of which rows are quickly cut, unless a model needs its names."""
        X = self.folds.X
        is_table = hasattr(X, "columns") or column_names(X) is not None
        if self.methods is None or not is_table or isinstance(X, np.ndarray):
            return X
        with checks_of_all_rows():
            return as_rows(X, finite=False)

    def rows_of_fit(self, k: int) -> tuple[Any, Any, Any]:
        """What a fold fits: rows, targets and weights."""
        folds, train = self.folds, self.folds.train(k)
        weights = None if folds.weights is None else folds.weights[train]
        cut = between if self.pairwise else take_rows
        return cut(folds.X, train), take_rows(folds.y, train), weights


class ScaledFolds(Protocol):
    """What the model of a pipeline is to know of folds whose rows are scaled once for all."""

    # (folds, d) the squared spread of each column in each fold, in units of that of all rows: what
    # the fold's own scaler makes of the penalty.
    stretch: NDArray[np.float64]

    def by_itself(self, candidate: int, fold: int) -> Any:
        """The pipeline of a candidate, fitted to the rows of a fold, or the error that came."""
        ...


# ------------------------------------------------------------------ the answer
@dataclass
class FoldModels:
    """The models of a fold, one for each candidate; where a fit failed, its error."""

    models: list[Any]
    held: Any = None  # statistics of the rows held out, where fits are sums


class FoldPlan(Protocol):
    """How the models of all folds are made."""

    strategy: str  # "merged statistics", "closed form", "shared structure" or "refit"
    X: Any  # The rows that the models are asked about.

    def folds(self) -> Iterator[FoldModels]:
        """The models of each fold in turn."""
        ...


@dataclass
class SharedFits:
    """A plan whose folds share their work: `models` gives those of each fold in turn."""

    X: Any
    models: Iterator[list[Any]]
    strategy: str = SHARED

    def folds(self) -> Iterator[FoldModels]:
        return map(FoldModels, self.models)


@dataclass
class HeldOutAnswers:
    """A plan without models: what they would answer of the rows that their fold holds out.

    Each element of `rounds` is of consecutive folds that hold out no row twice: of each candidate
    the answers, in place of each row, or the error that came instead.
    """

    X: Any
    method: str
    rounds: list[tuple[list[Array], list[Any]]]  # rows held out by the folds; answers
    kind: type  # The class of the estimator, whose ``score`` is asked for.
    classes: Array | None = None
    strategy: str = CLOSED

    def folds(self) -> Iterator[FoldModels]:
        for tests, answers in self.rounds:
            for test in tests:
                yield FoldModels([
                    answer if isinstance(answer, Exception)
                    else Answers({self.method: answer[test]}, self.classes, self.kind)
                    for answer in answers
                ])  # fmt: skip

    def of_all_rows(self) -> list[Any] | None:
        """The answers for all rows of each candidate, if all folds hold out each row once."""
        if len(self.rounds) > 1:
            return None
        tests, answers = self.rounds[0]
        held = sum(map(len, tests))
        failed = any(isinstance(answer, Exception) for answer in answers)
        return None if failed or any(len(answer) != held for answer in answers) else answers


def left_out_plan(
    estimator: Any, task: FoldTask, formula: Callable[..., Array | None]
) -> HeldOutAnswers | None:
    """A plan by ``formula(model, X, y, weights, method)``, which gives what each row is answered by
    a fit to all others, or None; None where that is not asked for, or no formula gives it."""
    method = task.left_out_method
    if method is None:
        return None
    folds, answers = task.folds, list[Any]()
    for params in task.candidates:
        answer: Any = None
        with checks_of_all_rows():
            model = with_params(estimator, params)
        try:
            answer = formula(model, folds.X, folds.y, folds.weights, method)
        except NotShared:
            return None
        except Exception as error:  # A function of the user may have raised: the candidate fails.
            answer = error
        if answer is None:
            return None
        answers.append(answer)
    tests = [test for _, test in folds.pairs]
    return HeldOutAnswers(folds.X, method, [(tests, answers)], type(estimator))
