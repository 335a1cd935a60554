# SPDX-License-Identifier: BSD-3-Clause
"""How the models of all folds are made, by strategies that give the same models.

The estimator plans the folds itself (``_plan_folds``): "merged statistics" where its fit is a sum
over rows, "closed form" where a formula gives what it answers of rows held out, "shared structure"
where folds or candidates share a kernel matrix, a start or a search. Where it has no plan, "refit":
a copy is fitted to the rows of each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from inspect import signature
from time import perf_counter
from typing import Any

import numpy as np

from statfast._engine import count_steps, rows_at
from statfast._estimator import (
    Estimator,
    FoldModels,
    FoldPlan,
    Folds,
    FoldTask,
    NotShared,
    SumFit,
    as_square,
    is_pairwise,
    take_columns,
    take_rows,
    takes_weights,
    with_params,
)
from statfast._typing import Array

REFIT = "refit"
# What a fold asks of a model; a class of a user's may override it.
METHODS_OF_MODELS = (
    "fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
)


def shares_statistics(estimator: Estimator) -> bool:
    """Whether an estimator offers statistics to merge."""
    return isinstance(estimator, SumFit) and estimator._adds_up()


def candidate_is_pairwise(estimator: Estimator, params: dict[str, Any]) -> bool:
    """Whether an estimator with some parameters takes values between rows, as `params` may say."""
    pairwise = is_pairwise(estimator)
    if not pairwise and not any(
        hasattr(value, "get_params") or (isinstance(value, str) and value == "precomputed")
        for value in params.values()
    ):
        return False
    try:
        return is_pairwise(with_params(estimator, params))
    except Exception:  # The fits set the same parameters, and raise the same error.
        return pairwise


def overrides_fit_or_answers(estimator: Estimator) -> bool:
    """Whether a class of a user's, or one inside, has a fit or answers of its own.

    Plans know nothing of these: such folds are refitted.
    """
    inside: list[Any] = [estimator]
    if any(hasattr(v, "get_params") or isinstance(v, list) for v in vars(estimator).values()):
        inside += estimator.get_params().values()
    return any(isinstance(model, Estimator) and _overrides(type(model)) for model in inside)


def _overrides(kind: type) -> bool:
    for cls in kind.__mro__:
        if cls.__module__.partition(".")[0] == "statfast":
            return False
        if any(name in vars(cls) for name in METHODS_OF_MODELS):
            return True
    return False


def plan_of(estimator: Estimator, task: FoldTask) -> FoldPlan:
    """The estimator's own plan, or that of refits."""
    # Only refits know the arguments of fits and how candidates transform rows.
    alike = not task.folds.arguments and task.pairwise == is_pairwise(estimator)
    if alike and isinstance(estimator, Estimator) and not overrides_fit_or_answers(estimator):
        try:
            plan = estimator._plan_folds(task)
        except NotShared:
            plan = None
        if plan is not None:
            return plan
    return Refits(estimator, task)


class Refits:
    """A plan that fits a copy to the rows of each fold, for each candidate."""

    strategy = REFIT
    step: Callable[[], None] | None = None  # called after each fit

    def __init__(self, estimator: Estimator, task: FoldTask) -> None:
        self.estimator, self.task = estimator, task
        self.X = as_square(task.folds.X, estimator) if task.pairwise else task.folds.X

    def folds(self) -> Iterator[FoldModels]:
        folds = self.task.folds
        for k in range(len(folds)):
            train = folds.train(k)
            rows = take_rows(self.X, train)
            if self.task.pairwise:
                rows = take_columns(rows, train)
            y, arguments = take_rows(folds.y, train), folds.arguments_of(train)
            rows_and_targets = (rows,) if y is None else (rows, y)
            yield FoldModels(
                [self._fitted(p, rows_and_targets, arguments) for p in self.task.candidates]
            )

    def _fitted(
        self, params: dict[str, float], rows_and_targets: Any, arguments: dict[str, Array]
    ) -> Any:
        try:
            return with_params(self.estimator, params).fit(*rows_and_targets, **arguments)
        except Exception as error:  # An error fails this fold alone.
            return error
        finally:
            if self.step is not None:
                self.step()


# ------------------------------------------------------------------ the models of each fold
@dataclass
class FittedFold:
    """The models of a fold, what they are asked of, and how long they took."""

    models: list  # The models of the candidates, or the error of a fit that failed.
    held: Any  # The statistics of the rows held out, or None.
    # The rows that the models are asked about; for values between rows, the columns are those of
    # the fit.
    X: Any
    seconds: float

    def only_model(self) -> Estimator:
        """The model of the only candidate.

        Raises
        ------
        Exception
            That of the fit, if it failed.
        """
        (model,) = self.models
        if isinstance(model, Exception):
            raise model
        return model


class FoldFits:
    """The models of each fold in turn, by the plan of the estimator.

    All candidates take rows, or all take values between rows. `methods` as in `FoldTask`. `step` is
    called after each fit; without it, fits are counted here.
    """

    def __init__(
        self,
        estimator: Estimator,
        folds: Folds,
        candidates: Sequence[dict] = ({},),
        methods: frozenset[Any] | None = None,
        step: Callable[[], None] | None = None,
    ) -> None:
        start = perf_counter()
        pairwise = candidate_is_pairwise(estimator, candidates[0])
        self.task = FoldTask(folds, candidates, methods, pairwise)
        self.plan = plan_of(estimator, self.task)
        self.strategy, X = self.plan.strategy, self.plan.X
        self.X = as_square(X, estimator) if pairwise else X
        self.step = step
        self.planning_seconds = perf_counter() - start

    def __iter__(self) -> Iterator[FittedFold]:
        if self.step is not None:
            yield from self._fitted_folds(self.step)
            return
        with count_steps(len(self.task.folds) * len(self.task.candidates)) as step:
            yield from self._fitted_folds(step)

    def _fitted_folds(self, step: Callable[[], None]) -> Iterator[FittedFold]:
        folds, models = self.task.folds, self.plan.folds()
        share = self.planning_seconds / len(folds)
        refits = isinstance(self.plan, Refits)
        if refits:
            self.plan.step = step  # type: ignore[attr-defined]
        for k in range(len(folds)):
            start = perf_counter()
            fitted = next(models)
            seconds = share + perf_counter() - start
            for _ in () if refits else fitted.models:
                step()
            X = take_columns(self.X, folds.train(k)) if self.task.pairwise else self.X
            yield FittedFold(fitted.models, fitted.held, X, seconds)


def rows_of_fold(X: Any, places: Array) -> Any:
    """Rows of a fold to be asked about: a view where they follow one another."""
    if isinstance(X, np.ndarray) and len(places) > 1:
        first, last = int(places[0]), int(places[-1])
        if last - first + 1 == len(places) and (np.diff(places) == 1).all():
            return X[first : last + 1]
    return rows_at(X, places) if isinstance(X, np.ndarray) else take_rows(X, places)


# ------------------------------------------------------------------ what estimators must have
def require_method(estimator: Estimator, method: str, by: str) -> None:
    """Refuse to ask an estimator for what it has no method for."""
    try:
        getattr(estimator, method)
    except AttributeError as error:
        raise AttributeError(
            f"{by} asks {type(estimator).__name__} for {method}, which it has not: {error} Choose "
            "another."
        ) from None


def require_weights(estimator: Estimator, weights: Any) -> None:
    """Refuse weights that an estimator does not take."""
    if weights is not None and not takes_weights(estimator):
        raise TypeError(
            f"sample_weight was passed, but {type(estimator).__name__}.fit does not take it. Leave "
            "it out, or choose another estimator."
        )


# ------------------------------------------------------------------ arguments of rows held out
def with_arguments(folds: Folds, model: Any, rows: Array) -> Any:
    """A model that is asked with the arguments of these rows, as its fit had those of its own."""
    return WithArguments(model, folds.arguments_of(rows)) if folds.arguments else model


class WithArguments:
    """A model whose methods are called with the arguments that they take, say an exposure."""

    def __init__(self, model: Any, arguments: Any) -> None:
        arguments.pop("sample_weight", None)  # Scores have weights of their own.
        best = getattr(model, "best_estimator_", None)
        if best is not None:  # A search passes methods on to its best estimator.
            model = copy(model)
            model.best_estimator_ = WithArguments(best, dict(arguments))
        self.model, self.arguments = model, arguments

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.model, name)
        if name.startswith("_") or not callable(attribute):
            return attribute
        steps, prefix, last = getattr(self.model, "steps", None), "", self.model
        if isinstance(steps, list | tuple):  # A pipeline passes methods on to its last step.
            prefix, last = f"{steps[-1][0]}__", steps[-1][1]
        known = signature(getattr(last, name, attribute)).parameters
        by_name = {key.removeprefix(prefix): value for key, value in self.arguments.items()
                   if key.startswith(prefix)}  # fmt: skip
        more = {key: value for key, value in by_name.items() if key in known}
        return partial(attribute, **more) if more else attribute
