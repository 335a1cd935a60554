# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a model that lie elsewhere: what an iteration needs of them, in a round each."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.rows.extent import zeros_and_ones
from statfast._distance import near_mean
from statfast._engine import Parts, Work, aside, new_fit, remembered
from statfast._estimator import codes_among, times_factors
from statfast._validation import as_labels, as_targets, as_weights, require_finite
from statfast.linear.glm.families import FAMILIES, as_family, negative_binomial, tweedie
from statfast.linear.glm.irls_sums import SAMPLE, ModelRows
from statfast.linear.glm.links import LINKS, as_link

SAMPLED = 1 << 22  # numbers that a sample holds, about: 32 MB
RUN = 64  # rows of it that follow one another


@dataclass(frozen=True)
class Response:
    """How y of a part becomes responses: numbers, or whether a label is the one modeled."""

    label: Any = None
    other: bool = False  # whether it is all labels but this one that are modeled
    named: bool = False  # whether y are labels
    value: Any = None  # theta of the negative binomial family, or the exponent of a Tweedie one
    weighting: Any = None  # labels and factors of their rows' weights, if these are not 1

    def of(self, y: Any, n: int) -> np.ndarray:
        if not self.named:
            targets, _ = as_targets(y, n)
            if targets.shape[1] != 1:
                raise ValueError(f"y must be one response; got {targets.shape[1]} columns.")
            return targets[:, 0]
        same = np.asarray(y).reshape(n) == self.label  # labels are checked before
        return (same != self.other).astype(np.float64)

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
class _ToldModel:
    """What tells the model to a worker: families and links hold functions, and go by name."""

    fit: str
    response: Response
    family: tuple  # name, and theta or the exponent
    link: str | float
    intercept: bool
    shift: Any = None

    def rows(self, columns: tuple) -> ModelRows:
        return remembered(self.fit, columns[0], lambda: self._rows(*columns))

    def _rows(self, X, y, weights):
        name, value = self.family
        if name == "negative_binomial":
            family = negative_binomial(value)
        else:
            family = tweedie(value) if name == "tweedie" else FAMILIES.get(name) or as_family(name)
        weights = self.response.weights(y, weights, len(X))
        y = self.response.of(y, len(X))
        link = LINKS.get(self.link) or as_link(self.link)
        return ModelRows(X, y, weights, None, family, link, self.intercept, None, self.shift)


@dataclass(frozen=True)
class _Look:
    """What all parts together say of the responses; the shift is of the first."""

    used: float
    mass: float
    total: float
    low: float
    high: float
    classes: bool  # whether all are 0 or 1
    odd: list  # one that is no integer, if there is one
    shift: np.ndarray

    def __add__(self, other: "_Look") -> "_Look":
        if len(self.shift) != len(other.shift):
            raise ValueError(
                f"X must have the same columns in all parts; got {len(self.shift)} in one and "
                f"{len(other.shift)} in another."
            )
        return _Look(
            self.used + other.used, self.mass + other.mass, self.total + other.total,
            min(self.low, other.low), max(self.high, other.high), self.classes and other.classes,
            self.odd or other.odd, self.shift,
        )  # fmt: skip


@dataclass(frozen=True)
class _Triangle:
    """R of rows, which merges by QR."""

    R: np.ndarray

    def __add__(self, other: "_Triangle") -> "_Triangle":
        return _Triangle(aside(np.linalg.qr, np.vstack([self.R, other.R]), mode="r"))


class PartRows(ModelRows):
    """`ModelRows` of `Parts`: the sums are those of rounds."""

    def __init__(self, parts: Parts, response: Response, family, link, intercept: bool):
        self.X, self.family, self.link, self.intercept = parts, family, link, intercept
        self.weights = self.offset = self.aux = self.n_jobs = None
        self.chunked, self.sparse = True, False
        told = float(link.name[6:-1]) if link.name.startswith("power") else link.name
        kind = family.name, response.value
        model = _ToldModel(new_fit(parts), response, kind, told, intercept)
        look = parts.total(Work(_looked), model)
        if look is None:
            raise ValueError("X has no rows with a positive weight. Pass more rows.")
        parts.width = self.p = len(look.shift)
        self.q = self.p + int(intercept)
        self.shift = look.shift if intercept else np.zeros(self.p)
        self.model = _ToldModel(model.fit, response, kind, told, intercept, self.shift)
        self.y = np.array([look.low, look.high, *look.odd])  # which is all that is asked of them
        self.n, self.mass = look.used, look.mass
        self.mean, self.classes = look.total / look.mass, look.classes
        self.kind = ModelRows.kind_of(family, link)

    def share_of(self, share):
        return max(share, -(-int(self.n) * (self.p + 1) // SAMPLED))

    def sample(self, share):
        """One in so many rows of each part, here."""
        found = self.X.total(Work(_sampled), (self.model, share))
        parts = found.columns[0], found.columns[1], found.columns[2]
        return ModelRows(*parts, None, self.family, self.link, self.intercept, None, self.shift)

    def sums_at(self, b, *, hessian=True, rough=False, observed=False):
        how = {"hessian": hessian, "rough": rough, "observed": observed}
        sums = self.X.total(Work(_sums), (self.model, b, how))
        return sums if not rough or sums.finite() else self.sums_at(b)

    def start_from(self, mean):
        return self.X.total(Work(_start), self.model)

    def triangle_at(self, b):
        return self.X.total(Work(_triangle), (self.model, b)).R

    def total_of(self, term, told, *, by_value):
        """The sum of ``term(family, y, weight, *told)`` over the rows."""
        return self.X.total(Work(_term), (self.model, term, told, by_value))


def _looked(columns, model):
    X, y, weights = columns
    require_finite(X)
    weights = model.response.weights(y, weights, len(X))
    y = model.response.of(y, len(X))
    shift = near_mean(X, weights, SAMPLE)
    used, total = (y, y.sum()) if weights is None else (y[weights > 0], (weights * y).sum())
    mass = float(len(y)) if weights is None else float(weights.sum())
    classes = zeros_and_ones(y) >= 0
    odd = [] if classes else used[used != np.floor(used)][:1].tolist()
    return _Look(
        float(len(used)), mass, float(total), float(used.min()), float(used.max()), classes, odd,
        shift,
    )  # fmt: skip


@dataclass(frozen=True)
class _RowSample:
    """Rows, responses, and weights or None."""

    columns: tuple

    def __add__(self, other: "_RowSample") -> "_RowSample":
        both = zip(self.columns, other.columns, strict=True)
        return _RowSample(tuple(None if a is None else np.concatenate([a, b]) for a, b in both))


def _sampled(columns, told):
    model, share = told
    rows = model.rows(columns)
    run = min(RUN, max(1, rows.n // share))
    starts = np.arange(0, max(1, rows.n - run + 1), run * share)
    places = (starts[:, None] + np.arange(run)).ravel()
    some = (rows.X[places], rows.y[places], None)
    return _RowSample(some if rows.weights is None else (*some[:2], rows.weights[places]))


def _sums(columns, told):
    model, b, how = told
    return model.rows(columns).sums_at(b, **how)


def _start(columns, model):
    rows = model.rows(columns)
    return rows.start_from(rows.family.start(rows.y))


def _triangle(columns, told):
    model, b = told
    return _Triangle(model.rows(columns).triangle_at(b))


def _term(columns, told):
    model, term, more, by_value = told
    return model.rows(columns).total_of(term, more, by_value=by_value)
