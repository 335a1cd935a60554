# SPDX-License-Identifier: BSD-3-Clause
"""Bagging: copies of an estimator, each fitted to rows and columns that are drawn for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    ANSWERS,
    ROW_DTYPES,
    Estimator,
    Route,
    as_square,
    checked_by,
    columns_of,
    copied,
    count,
    count_rows,
    fitted,
    flag,
    handed,
    handed_for,
    is_frame,
    is_pairwise,
    jobs,
    named_rows,
    nothing,
    param,
    randomness,
    real,
    require_same_labels,
    routed,
    router_of,
    routing_is_on,
    take_rows,
    takes_weights,
    width_of,
    with_tags_of,
    with_weights_by_code,
)
from statfast._typing import Array, Jobs, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_generator,
    as_rows,
    column_names,
    not_fitted,
    refuse_large,
    warn_user,
    with_repeatable_names,
)
from statfast.ensemble.members.base_estimators import (
    as_learner,
    one_thread,
    rows_for_all,
    seeded,
)


@dataclass(frozen=True)
class BaggingDraws:
    """The draws of rows and columns for each member; member i has a generator of its own."""

    entropy: int
    n: int
    width: int
    n_rows: int
    n_columns: int
    bootstrap: bool
    bootstrap_features: bool
    drawable: np.ndarray | None  # rows that have weight; None for all rows
    share: np.ndarray | None  # their probabilities; None if all are equal
    seen: str | None = None  # for precomputed values: columns are "distinct" or "drawn" rows
    kept: list[Any] | None = None  # columns of members that were not drawn here; None for all

    def draw_of_member(self, i: int) -> tuple[np.random.Generator, Array, Array]:
        """(generator, columns, rows) of member i."""
        if self.kept is not None:
            raise AttributeError(
                "A model from scikit-learn does not keep the rows that members were fitted to. Fit "
                "it with statfast."
            )
        rng = np.random.default_rng([self.entropy, i])
        n = self.n if self.drawable is None else len(self.drawable)
        rows = rng.choice(n, self.n_rows, replace=self.bootstrap, p=self.share)
        rows = rows if self.drawable is None else self.drawable[rows]
        columns = rng.choice(self.width, self.n_columns, replace=self.bootstrap_features)
        return rng, np.sort(columns), np.sort(rows)

    def columns(self, i: int) -> Array | None:
        """The columns that member i uses; None for all columns."""
        if self.kept is not None:
            return self.kept[i]
        if self.seen is None:
            return None if self.all_columns else self.draw_of_member(i)[1]
        drawn = self.draw_of_member(i)[2]
        return np.unique(drawn) if self.seen == "distinct" else drawn

    @property
    def all_columns(self) -> bool:
        """Whether each member uses the columns as they are."""
        return self.width == 1 or (self.n_columns == self.width and not self.bootstrap_features)


class BaggingModel(Estimator):
    """Base of `BaggingClassifier` and `BaggingRegressor`.

    A subclass has ``_targets(y, n, sample_weight)`` (targets for members, checked weights,
    attributes to publish), ``_default()``, ``_member_answers(member, rows, published)`` and
    ``_judge(sums, counts, y, published)``.
    """

    # What subclasses declare, or a fit sets.
    _default: ClassVar[Callable[..., Any]]
    _targets: ClassVar[Callable[..., Any]]
    _member_answers: ClassVar[Callable[..., Any]]
    _judge: ClassVar[Callable[..., Any]]
    _members: Any = fitted()

    _draws: Any = fitted()

    estimator: Any = param(nothing | checked_by(as_learner), default=None, kw_only=False)
    n_estimators: int = param(count(high=MAX_REPEATS), default=10, kw_only=False)
    max_samples: float | None = param(nothing | count() | real(0, 1, open_low=True), default=None)
    max_features: float = param(count() | real(0, 1, open_low=True), default=1.0)
    bootstrap: bool = param(flag, default=True)
    bootstrap_features: bool = param(flag, default=False)
    oob_score: bool = param(flag, default=False)
    warm_start: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)
    random_state: Seed = param(randomness, default=None)

    estimator_: Any = fitted()
    oob_score_: float = fitted()

    def _fit(self, X: Any, y: Any, sample_weight: Weights, metadata: dict[str, Any]) -> Self:
        params, base = self._checked(), self._base()
        arguments = self._arguments_of_members(metadata)
        n_members, pairwise = params.n_estimators, is_pairwise(base)
        rows = self._with_named_columns(rows_for_all(handed(X), base), pairwise)
        n, width = count_rows(rows), width_of(rows, None)
        target, weights, published = self._targets(y, n, sample_weight)
        if "classes_" in published:
            base = with_weights_by_code(base, published["classes_"])
        before = self.__dict__.get("_members", []) if params.warm_start else []
        if len(before) > n_members:
            raise ValueError(
                f"n_estimators must be at least the members there are ({len(before)}) with "
                f"warm_start=True; got {n_members}. Raise n_estimators."
            )
        if before:
            require_same_labels(self, published.get("classes_"))
        if params.oob_score and not params.bootstrap:
            raise ValueError(
                "oob_score is of rows left out by the bootstrap; got bootstrap=False. Set it to "
                "True."
            )
        entropy = self._draws.entropy if before else None
        draws = self._plan_draws(n, width, weights, params, entropy)
        if pairwise:
            as_square(rows, self)
            if not draws.all_columns:
                raise ValueError(
                    "max_features and bootstrap_features are of columns of X, which for "
                    f"{type(base).__name__} are its rows, drawn with these. Leave them out."
                )
            draws = replace(draws, seen="distinct" if takes_weights(base) else "drawn")
        members = before + self._fit_members(
            base, rows, target, draws, range(len(before), n_members), arguments
        )
        if params.oob_score:
            published |= self._out_of_bag(members, rows, target, draws, published)
        return self._publish(
            X,
            estimator_=copied(self._base()),
            _members=members,
            n_features_in_=width_of(rows, members[0]),
            _draws=draws,
            **published,
        )

    def _plan_draws(
        self, n: int, width: int, weights: Array | None, params: Any, entropy: Any
    ) -> BaggingDraws:
        if entropy is None:
            entropy = int(as_generator(params.random_state).integers(2**63))
        n_rows, drawable = params.max_samples, np.arange(n)
        if weights is not None:
            drawable = np.flatnonzero(weights)
            weights = weights[drawable]
        if n_rows is None:
            n_rows = len(drawable)
        elif isinstance(n_rows, float):
            n_rows = max(1, int(n_rows * len(drawable)))
        if not params.bootstrap and n_rows > len(drawable):
            raise ValueError(
                f"max_samples must be at most the number of rows of X ({len(drawable)}) without "
                f"bootstrap; got {n_rows}. Lower it."
            )
        refuse_large(16 * n_rows, f"A sample of max_samples={n_rows} rows", "Lower it.")
        n_columns = params.max_features
        if isinstance(n_columns, float):
            n_columns = max(1, int(n_columns * width))
        as_count(n_columns, "max_features", high=width, limit="the columns of X")
        share = None
        if weights is not None and (weights != weights[0]).any():  # equal weights draw like none
            share = weights / weights.sum()
        return BaggingDraws(
            entropy, n, width, n_rows, n_columns, params.bootstrap, params.bootstrap_features,
            drawable if len(drawable) < n else None, share,
        )  # fmt: skip

    def _fit_members(
        self,
        base: Estimator,
        rows: Any,
        target: Array,
        draws: BaggingDraws,
        numbers: range,
        arguments: dict[str, Any],
    ) -> list[Estimator]:
        weighted = takes_weights(base)

        def work(i: int) -> Estimator:
            rng, _, drawn = draws.draw_of_member(i)
            member = one_thread(seeded(base, rng))
            distinct, counts = np.unique(drawn, return_counts=True)
            fit_rows = distinct if weighted else drawn
            X = columns_of(take_rows(rows, fit_rows), draws.columns(i))
            more = {name: _of_rows(value, fit_rows, draws.n) for name, value in arguments.items()}
            if weighted and (counts > 1).any():
                more["sample_weight"] = counts.astype(np.float64)
            member.fit(X, target[fit_rows], **more)
            checkpoint()
            return member

        return each(work, numbers, n_jobs=self.n_jobs)

    def _arguments_of_members(self, metadata: dict[str, Any], method: str = "fit") -> Any:
        """What the method of members is called with that this one calls."""
        if not metadata:
            return {}
        if not routing_is_on():
            raise ValueError(
                f"{type(self).__name__}.{method} takes other arguments, here {[*metadata]}, where "
                "scikit-learn's metadata routing is on. Call "
                "sklearn.set_config(enable_metadata_routing=True), or leave them out."
            )
        router = router_of(self, [self._route()])
        (arguments,) = routed(router, method, metadata)["estimator"].values()
        return dict(arguments)

    def _route(self) -> Route:
        calls = {method: (self._method_of_members(method),) for method in ANSWERS[:-1]}
        return Route("estimator", self._base(), {"fit": ("fit",), **calls})

    def _method_of_members(self, method: str) -> str:
        """Which method of members one of the ensemble's calls, or would call."""
        return method

    def get_metadata_routing(self) -> Any:
        """Which metadata go to the estimator, for scikit-learn's meta-estimators.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            Or the request of the ensemble itself, where it has one.
        """
        if self.__dict__.get("_metadata_request"):
            return super().get_metadata_routing()
        return router_of(self, [self._route()])

    def _base(self) -> Any:
        return self._default() if self.estimator is None else self.estimator

    def _out_of_bag(
        self,
        members: list[Estimator],
        rows: Any,
        target: Array,
        draws: BaggingDraws,
        published: dict[str, Any],
    ) -> dict[str, Any]:
        """Means of the answers of members for rows that were not drawn for them."""

        def work(i: int) -> tuple[Array, Array | None]:
            drawn = draws.draw_of_member(i)[2]
            out = np.ones(draws.n, dtype=bool)
            out[drawn] = False
            out = np.flatnonzero(out)
            if not len(out):
                return out, None
            X = columns_of(take_rows(rows, out), draws.columns(i))
            return out, self._member_answers(members[i], X, published)

        sums, counts = None, np.zeros(draws.n)
        for out, answers in each(work, range(len(members)), n_jobs=self.n_jobs):
            if answers is None:
                continue
            if sums is None:
                sums = np.zeros((draws.n, *answers.shape[1:]))
            sums[out] += answers
            counts[out] += 1.0
        if sums is None:
            raise ValueError(
                "oob_score needs rows of X that are left out; every member was fitted to all. "
                "Lower max_samples."
            )
        counted = np.ones(draws.n, dtype=bool)
        if draws.drawable is not None:  # rows without weight do not count
            counted[:] = False
            counted[draws.drawable] = True
        lost = int((counted & (counts == 0.0)).sum())
        if lost:
            warn_user(
                f"{lost} row(s) were never left out, so that they have no out-of-bag prediction "
                "(NaN). Raise n_estimators."
            )
        with np.errstate(invalid="ignore"):
            mean = sums / counts.reshape(-1, *[1] * (sums.ndim - 1))
        return self._judge(mean, counted & (counts > 0.0), target, published)

    # ------------------------------------------------------------ answers
    def _sum(self, X: Any, answer: Callable[..., Any]) -> Any:
        """The sum of the answers of the members for X, in their order."""
        first = self._fitted_members()[0]
        draws = self._draws
        rows = self._with_named_columns(
            rows_for_all(handed_for(self, X), first), draws.seen is not None
        )

        def work(i: int) -> Array:
            checkpoint()
            return answer(self._members[i], columns_of(rows, draws.columns(i)))

        # The answers of 16 members at a time are held, as those for many rows take memory.
        total = None
        numbers = range(len(self._members))
        for begin in range(0, len(numbers), 16):
            effort = 1e3 * count_rows(rows) * 16
            for answers in each(
                work, numbers[begin : begin + 16], n_jobs=self.n_jobs, effort=effort
            ):
                total = answers if total is None else total + answers
        return total

    def _with_named_columns(self, rows: Any, pairwise: bool) -> Any:
        """Rows whose columns can be drawn twice, which only pandas' data frames and arrays
        allow."""
        repeated = self.bootstrap_features or pairwise
        if not (repeated and is_frame(rows)):
            return rows
        if hasattr(rows, "iloc"):
            return with_repeatable_names(rows)
        return named_rows(as_rows(rows, keep=ROW_DTYPES, finite=False), column_names(rows))

    def _fitted_members(self) -> list[Estimator]:
        if "_members" not in self.__dict__:
            raise not_fitted(self)
        return self._members

    @property
    def estimators_(self) -> list[Any]:
        """The members."""
        return self._fitted_members()

    @property
    def estimators_samples_(self) -> list[Array]:
        """Samples drawn for each member, ascending, repeated as drawn."""
        return [self._draws.draw_of_member(i)[2] for i in range(len(self._fitted_members()))]

    @property
    def estimators_features_(self) -> list[Array]:
        """Features drawn for each member, ascending."""
        members, draws = self._fitted_members(), self._draws
        if draws.kept is None:
            return [draws.draw_of_member(i)[1] for i in range(len(members))]
        return [np.arange(draws.width) if c is None else c for c in draws.kept]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return with_tags_of(tags, self._base())


def _of_rows(value: Any, rows: Array, n: int) -> Any:
    """Of an argument with a value for each of n rows, those of some; another as it is."""
    listed = hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)
    return take_rows(value, rows) if listed and len(value) == n else value
