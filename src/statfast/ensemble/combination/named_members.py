# SPDX-License-Identifier: BSD-3-Clause
"""Members of a combination: estimators of several kinds, by name, each fitted to all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    ByName,
    Estimator,
    HandsWeightsOn,
    NamedEstimators,
    Transformer,
    copied,
    count_rows,
    fitted,
    is_pairwise,
    jobs,
    param,
    takes_weights,
    with_tags_of,
)
from statfast._typing import Array, Jobs
from statfast._validation import shown
from statfast.model_selection.evaluation.scoring import groups_argument, kind_of_estimator

DROP = "drop"


@dataclass(frozen=True)
class Member:
    """An estimator of the list that is not dropped."""

    name: str
    place: int  # in the list
    estimator: Any


class Combination(NamedEstimators, HandsWeightsOn, Transformer, Estimator):
    """Base of voting and stacking: what they make of a list of estimators with names."""

    estimators: Any

    _listed = "estimators"
    _kinds: ClassVar[tuple[str, ...]]  # of the estimators

    n_jobs: Jobs = param(jobs, default=None)

    estimators_: list[Any] = fitted()
    named_estimators_: Any = fitted()

    @property
    def named_estimators(self) -> Any:
        """The estimators by their names, as entries and attributes, not fitted."""
        return ByName(self._pairs())

    def _members(self) -> Any:
        """The members, if the list is what it must be."""
        require_list(self.estimators)
        names = [name for name, _ in self.estimators]
        parameters = Estimator.get_params(self, deep=False)
        for name in names:
            if not name or "__" in name or names.count(name) > 1 or name in parameters:
                raise ValueError(
                    "Names of estimators must differ, hold no '__' and not be a parameter; got "
                    f"{name!r}. Rename it."
                )
        members = [
            Member(name, place, require_member(name, estimator, self._kinds))
            for place, (name, estimator) in enumerate(self.estimators)
            if not _is_dropped(estimator)
        ]
        if not members:
            raise ValueError(
                "estimators must hold one that is not 'drop'; got all dropped. Keep one at least."
            )
        return members

    def _fit_members(
        self, members: Any, rows: Any, targets: Any, weights: Array | None, groups: Any = None
    ) -> Any:
        """Fitted copies, in order; ``targets(estimator)`` is what it is fitted to. Members that
        search keep groups together."""
        for member in members:
            require_weights(member.estimator, f"estimators: {member.name!r}", weights)

        def work(member: Any) -> Any:
            checkpoint()
            arguments = {} if weights is None else {"sample_weight": weights}
            name = None if groups is None else groups_argument(member.estimator)
            if name is not None:
                arguments[name] = groups
            return copied(member.estimator).fit(rows, targets(member.estimator), **arguments)

        return each(work, members, n_jobs=self._threads())

    def _threads(self) -> Any:
        """Threads among which members are shared out: one, unless more are asked for."""
        return 1 if self.n_jobs is None else self.n_jobs

    def _fitted_names(self, models: Any, members: Any) -> Any:
        """What is published of fitted members."""
        by_name = ByName((name, DROP) for name, _ in self.estimators)
        by_name.update((member.name, model) for member, model in zip(members, models, strict=True))
        return {
            "estimators_": models,
            "named_estimators_": by_name,
            "_names": [member.name for member in members],
        }

    def _each_member(self, ask: Callable[..., Any], rows: Any) -> Any:
        """``ask(place, model)`` of each fitted member, in order."""

        def work(place: Any) -> Any:
            checkpoint()
            return ask(place, self.estimators_[place])

        effort = 1e3 * count_rows(rows) * len(self.estimators_)
        return each(work, range(len(self.estimators_)), n_jobs=self._threads(), effort=effort)

    def _weighted_members(self) -> Any:
        return [estimator for _, estimator in self._pairs() if not _is_dropped(estimator)]

    @property
    def _is_pairwise(self) -> Any:
        """Whether a member takes values between rows, so that all are given them."""
        return any(is_pairwise(estimator) for _, estimator in self._pairs())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return with_tags_of(tags, *self._weighted_members())


def require_list(estimators: Any) -> None:
    """Refuse what is not a list of pairs of a name and an estimator."""
    wanted = "estimators must be a list of pairs (name, estimator)"
    if not isinstance(estimators, list | tuple) or not len(estimators):
        raise TypeError(f"{wanted}; got {shown(estimators)}. Name one at least.")
    for pair in estimators:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"{wanted}; got {shown(pair)} among them.")


def require_member(name: str, estimator: Any, kinds: Any) -> Any:
    """An estimator that can be a member of a combination of some kinds of estimators."""
    usable = callable(getattr(estimator, "fit", None)) and not isinstance(estimator, type)
    if not usable or not callable(getattr(estimator, "predict", None)):
        raise TypeError(
            f"estimators: {name!r} must have fit and predict, or be 'drop'; got "
            f"{shown(estimator)}. Pass an instance, such as LinearRegression()."
        )
    if kind_of_estimator(estimator) not in (*kinds, None):
        raise ValueError(
            f"estimators: {name!r} should be a {' or '.join(kinds)}; got {shown(estimator)}. "
            "Choose another."
        )
    return estimator


def require_weights(estimator: Any, name: str, weights: Array | None) -> None:
    """Refuse weights that an estimator does not take."""
    if weights is not None and not takes_weights(estimator):
        raise TypeError(
            f"sample_weight was passed, but {name} does not take it: "
            f"{type(estimator).__name__}.fit does not support sample weights. Leave it out, or "
            "choose another estimator."
        )


def label_codes(predicted: Any, name: str, classes: Any, n: int) -> Any:
    """Codes among the classes of what a member predicts: (n,)."""
    predicted = np.asarray(predicted)
    if predicted.shape != (n,):
        raise ValueError(
            f"estimators: {name!r} must predict one label for each of {n} rows of X; got shape "
            f"{predicted.shape}. Choose another."
        )
    labels, codes = np.unique(predicted, return_inverse=True)
    place = {label: k for k, label in enumerate(classes.tolist())}
    for label in labels.tolist():
        if label not in place:
            raise ValueError(
                f"estimators: {name!r} predicts {shown(label)}, which is not a class of y "
                f"({shown(classes.tolist())}). Fit it to labels of y."
            )
    return np.array([place[label] for label in labels.tolist()], dtype=np.intp)[codes]


def _is_dropped(estimator: Any) -> Any:
    return isinstance(estimator, str) and estimator == DROP
