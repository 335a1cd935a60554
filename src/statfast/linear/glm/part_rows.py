# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a model in parts on workers: an iteration asks for its sums over them in one round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Any

import numpy as np

from statfast._core.rows.extent import zeros_and_ones
from statfast._engine import Parts, Work, new_fit, remembered
from statfast._estimator import codes_among, require_finite_part, times_factors
from statfast._linalg import CholeskyFactor
from statfast._typing import Array
from statfast._validation import as_labels, as_targets, as_weights, require_finite
from statfast.linear.glm.families import FAMILIES, as_family, negative_binomial, tweedie
from statfast.linear.glm.irls_sums import MIN_COLUMNS_FOR_SCORES, IRLSSums, ModelRows
from statfast.linear.glm.links import LINKS, Link, as_link

NUMBERS_OF_SAMPLE = 1 << 18  # A sample that is sent holds about so many numbers, which are 2 MB,
NUMBERS_OF_WIDE_SAMPLE = 1 << 22  # or so many where it is to give the information, too.
MIN_PIVOT_FOR_STEP = 1e-11  # Below this pivot of the scaled information, no such step is taken.
ROWS_OF_RUN = 64  # A sample is made of runs of so many consecutive rows.


@dataclass(frozen=True)
class Response:
    """How y of a part becomes responses: numbers, or whether a label is the one modeled."""

    label: Any = None
    complement: bool = False  # whether it is all labels but this one that are modeled
    named: bool = False  # whether y are labels
    value: Any = None  # theta of the negative binomial family, or the exponent of a Tweedie one
    weighting: Any = None  # labels and factors of their rows' weights, if these are not 1

    def values_of(self, y: Any, n: int) -> np.ndarray:
        if not self.named:
            targets, _ = as_targets(y, n)
            if targets.shape[1] != 1:
                raise ValueError(f"y must be one response; got {targets.shape[1]} columns.")
            return targets[:, 0]
        y = np.asarray(y).reshape(n)  # The labels have been checked before.
        plain = y.dtype == np.float64 and y.flags.c_contiguous and y.flags.aligned
        if plain and self.label == 1.0 and not self.complement and zeros_and_ones(y) >= 0:
            return y  # To fill new memory takes several times as long as to look.
        return (np.not_equal if self.complement else np.equal)(y, self.label).astype(np.float64)

    def weights(self, y: Any, weights: Any, n: int) -> np.ndarray | None:
        weights = as_weights(weights, n)
        if self.weighting is None:
            return weights
        classes, factors = self.weighting
        return times_factors(weights, factors, codes_among(classes, *as_labels(y, n)))


def response_of(family: Any, theta: Any, power: Any) -> Response:
    """Numbers of a family, its theta or exponent given."""
    if family.name != "negative_binomial":
        return Response(value=power)
    if theta is None:
        raise ValueError(
            "theta must be given for rows in parts; got None. Take that of a fit to a sample."
        )
    return Response(value=float(theta))


@dataclass(frozen=True)
class SentModel:
    """The model as it is sent to workers: families and links hold functions, and go by name."""

    fit: str
    response: Response
    family: tuple  # name, and theta or the exponent
    link: str | float
    intercept: bool
    shift: Any = None

    def rows(self, columns: tuple) -> ModelRows:
        rows = remembered(self.fit, columns[0], lambda: self._rows(*columns))
        rows.shift = self.shift if self.shift is not None else rows.shift
        return rows

    def _rows(self, X, y, weights):
        name, value = self.family
        if name == "negative_binomial":
            family = negative_binomial(value)
        else:
            family = tweedie(value) if name == "tweedie" else FAMILIES.get(name) or as_family(name)
        weights = self.response.weights(y, weights, len(X))
        y = self.response.values_of(y, len(X))
        link = LINKS.get(self.link) or as_link(self.link)
        return ModelRows(X, y, weights, None, family, link, self.intercept, None, self.shift)


@dataclass(frozen=True)
class ResponseSurvey:
    """What all parts together say of the responses; the shift is of the first."""

    used: float
    total_weight: float
    total: float
    low: float
    high: float
    classes: bool  # whether all are 0 or 1
    odd: list  # A response that is not an integer, if there is one.
    shift: np.ndarray

    def __add__(self, other: ResponseSurvey) -> ResponseSurvey:
        if len(self.shift) != len(other.shift):
            raise ValueError(
                f"X must have the same columns in all parts; got {len(self.shift)} in one and "
                f"{len(other.shift)} in another."
            )
        return ResponseSurvey(
            self.used + other.used, self.total_weight + other.total_weight,
            self.total + other.total, min(self.low, other.low), max(self.high, other.high),
            self.classes and other.classes, self.odd or other.odd, self.shift,
        )  # fmt: skip


class PartRows(ModelRows):
    """`ModelRows` of `Parts`: the sums are those of rounds."""

    def __init__(
        self, parts: Parts, response: Response, family: Any, link: Link, intercept: bool
    ) -> None:
        self.X, self.family, self.link, self.intercept = parts, family, link, intercept
        self.weights = self.offset = self.aux = self.n_jobs = None
        self.chunked, self.sparse = True, False
        link_name = float(link.name[6:-1]) if link.name.startswith("power") else link.name
        kind = family.name, response.value
        model = SentModel(new_fit(parts), response, kind, link_name, intercept)
        survey = parts.total(Work(_survey_responses), model)
        if survey is None:
            raise ValueError("X has no rows with a positive weight. Pass more rows.")
        parts.width = self.p = len(survey.shift)
        self.q = self.p + int(intercept)
        self.shift = survey.shift if intercept else np.zeros(self.p)
        self.model = replace(model, shift=self.shift)
        # These are all responses that the fit asks for.
        self.y = np.array([survey.low, survey.high, *survey.odd])
        self.n, self.total_weight = survey.used, survey.total_weight
        self.mean, self.classes = survey.total / survey.total_weight, survey.classes
        self.kind = ModelRows.kind_of(family, link)
        self.is_finite = False  # whether X is known to be finite

    def share_of(self, share: Any) -> Any:
        wide = self.q >= MIN_COLUMNS_FOR_SCORES
        most = NUMBERS_OF_WIDE_SAMPLE if wide else NUMBERS_OF_SAMPLE
        return max(share, -(-int(self.n) * (self.p + 1) // most))

    def refined(self, b: Array, penalty: Array, share: int, usual: int) -> Array:
        """The solution of a sample after a step by the sums of a larger one, which is not sent."""
        if share == usual or self.q >= MIN_COLUMNS_FOR_SCORES:
            return b
        sums = self.sums_of_sample(b, usual)
        penalty = penalty * (share / usual)
        sums.h[np.diag_indices(len(b))] += penalty
        factor = CholeskyFactor(sums.h)
        if not factor.pivot >= MIN_PIVOT_FOR_STEP:
            return b
        new = b + factor.solve(sums.g - penalty * b)
        return new if np.isfinite(new).all() else b

    def sums_of_sample(self, b: Array, share: int) -> Any:
        return self.X.total(Work(_sums_of_sample), (self.model, share, b))

    def sample(self, share: Any) -> Any:
        """One in so many rows of each part, here."""
        rows, y, weights = self.X.total(Work(_sampled), (self.model, share)).columns
        return ModelRows(
            rows, y, weights, None, self.family, self.link, self.intercept, None, self.shift
        )

    def sums_at(
        self, b: Array, *, hessian: bool = True, rough: bool = False, observed: bool = False
    ) -> Any:
        sums = self._ask("sums_at", b, hessian=hessian, rough=rough, observed=observed)
        if rough and not sums.finite():
            return self.sums_at(b)
        return self._of_finite_rows(sums)

    def start(self) -> Any:
        return self._of_finite_rows(self._ask("start"))

    def _of_finite_rows(self, sums: IRLSSums) -> IRLSSums:
        """The sums; where they are not finite, the rows are looked through for what is not."""
        if not (self.is_finite or (sums.finite() and np.isfinite(sums.g).all())):
            self.X.total(Work(require_finite_part))
            self.is_finite = True
        return sums

    def total_of(self, term: Any, arguments: Any, *, by_value: Any) -> Any:
        return self._ask("total_of", term, arguments, by_value=by_value)

    def _triangle(self, b: Array) -> Any:
        return self._ask("_triangle", b)

    def _ask(self, method: str, *arguments: Any, **options: Any) -> Any:
        """What a method of `ModelRows` gives of the rows of each part, added up in a round."""
        question = methodcaller(method, *arguments, **options)
        return self.X.total(Work(_answer), (self.model, question))


def _answer(columns: Any, state: Any) -> Any:
    model, question = state
    return question(model.rows(columns))


def _survey_responses(columns: Any, model: Any) -> Any:
    rows = model.rows(columns)
    y, weights = rows.y, rows.weights
    if weights is not None:  # Sums do not tell what rows without weight hold.
        require_finite(rows.X)
    used, total = (y, y.sum()) if weights is None else (y[weights > 0], (weights * y).sum())
    if rows.classes and weights is None:
        low, high, odd = total == len(y), total > 0.0, []
    else:
        low, high, odd = used.min(), used.max(), used[used != np.floor(used)][:1].tolist()
    return ResponseSurvey(
        float(len(used)), rows.total_weight, float(total), float(low), float(high), rows.classes,
        odd, rows.shift,
    )  # fmt: skip


@dataclass(frozen=True)
class RowSample:
    """Rows, responses, and weights or None."""

    columns: tuple

    def __add__(self, other: RowSample) -> RowSample:
        both = zip(self.columns, other.columns, strict=True)
        return RowSample(tuple(None if a is None else np.concatenate([a, b]) for a, b in both))


def _sampled(columns: Any, state: Any) -> Any:
    model, share = state
    sample = _sample_of(model.rows(columns), share)
    return RowSample((sample.X, sample.y, sample.weights))


def _sums_of_sample(columns: Any, state: Any) -> Any:
    model, share, b = state
    return _sample_of(model.rows(columns), share).sums_at(b)


def _sample_of(rows: ModelRows, share: int) -> ModelRows:
    """One in so many rows, in runs that are spread evenly; of few rows, at least one."""
    run = min(ROWS_OF_RUN, max(1, rows.n // share))
    starts = np.arange(0, max(1, rows.n - run + 1), run * share)
    places = (starts[:, None] + np.arange(run)).ravel()
    weights = None if rows.weights is None else rows.weights[places]
    return ModelRows(
        rows.X[places], rows.y[places], weights, None, rows.family, rows.link, rows.intercept, None,
        rows.shift,
    )  # fmt: skip
