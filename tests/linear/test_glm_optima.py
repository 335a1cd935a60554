# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models end at the maximum of the likelihood: every family with every link."""

import csv
import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from scipy.sparse import csr_matrix

from statfast import Chunks, CollinearityWarning, Parts
from statfast.linear import GammaRegressor, GeneralizedLinearModel, TweedieRegressor
from statfast.linear.glm.links import as_link
from statfast.model_selection import cross_val_predict
from tests.reference import likelihood

BOUNDARY = "The maximum of the likelihood is at the boundary"
POSITIVE = ("log", "inverse", "identity", "sqrt", "inverse_squared")
PAIRS = [
    *(("gaussian", link, {}) for link in ("identity", "log", "inverse", "sqrt")),
    *(("binomial", link, {}) for link in ("logit", "probit", "cloglog", "cauchit")),
    *(("binomial", link, {}) for link in ("log", "identity")),
    *(("poisson", link, {}) for link in ("log", "identity", "sqrt")),
    *(("negative_binomial", link, {"theta": 2.0}) for link in ("log", "identity", "sqrt")),
    *((family, link, {}) for family in ("gamma", "inverse_gaussian") for link in POSITIVE),
    *(("tweedie", link, {"power": 1.5}) for link in ("log", "sqrt")),
    *(("tweedie", link, {"power": power}) for power in (2.5, 3.0) for link in POSITIVE),
]


def unit_of(family, more):
    if family == "tweedie":
        return likelihood.tweedie(more["power"])
    if family == "negative_binomial":
        return likelihood.negative_binomial(more["theta"])
    return likelihood.FAMILIES[family]


def u_shaped(family, seed):
    """A column, and responses whose means fall and rise again: a line fits them badly."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    x = rng.uniform(-2, 2, n)
    mean = 1 + x**2
    if family == "binomial":
        y = (rng.random(n) < 0.2 + 0.15 * x**2).astype(float)
    elif family in ("poisson", "negative_binomial"):
        y = rng.poisson(mean * rng.gamma(2, 0.5, n)).astype(float)
    elif family == "gaussian":
        y = mean + 0.3 * rng.normal(size=n)
    else:
        y = mean * rng.gamma(3, 1 / 3, n)
    return x[:, None], y, rng


def how_far(problem, b):
    """The gradient, beside the sum of the sizes of its terms."""
    terms = problem.terms(b)
    return np.abs(terms.sum(axis=0)).max() / np.abs(terms).sum(axis=0).max()


@pytest.mark.parametrize(("family", "link", "more"), PAIRS)
def test_a_bad_fit_is_the_maximum_all_the_same(family, link, more):
    for seed in range(8):
        X, y, rng = u_shaped(family, seed)
        weights = rng.integers(1, 4, len(y)).astype(float) if seed % 2 else None
        offset = 0.05 * rng.random(len(y)) if seed % 4 == 1 else np.zeros(len(y))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = GeneralizedLinearModel(family, link, **more).fit(X, y, weights, offset)
        b = np.append(model.intercept_, model.coef_)
        problem = likelihood.Likelihood(X, y, unit_of(family, more), link, weights, offset)
        assert model.converged_
        if caught:
            assert all(BOUNDARY in str(one.message) for one in caught)
            continue
        assert how_far(problem, b) < 1e-8
        if seed < 4:
            with np.errstate(all="ignore"):
                start = as_link(link).link(np.average(y, weights=weights))
            top = likelihood.climb(problem, np.array([start, 0.0]))
            height = problem.value(top)
            assert problem.value(b) >= height - 1e-10 * abs(height)


def fifty_digits(x, y, slope, curve, start, steps=60):
    """The maximum over an intercept and a coefficient by Newton's steps in decimal numbers: `slope`
    and `curve` are the derivative of a row's log-likelihood by eta, and less the second."""
    with localcontext() as context:
        context.prec = 50
        x, y = [Decimal(float(v)) for v in x], [Decimal(float(v)) for v in y]
        a, b = (Decimal(v) for v in start)
        for _ in range(steps):
            etas = [a + b * v for v in x]
            s = [slope(eta, v) for eta, v in zip(etas, y, strict=True)]
            w = [curve(eta, v) for eta, v in zip(etas, y, strict=True)]
            g = sum(s), sum(p * v for p, v in zip(s, x, strict=True))
            h, k = sum(w), sum(p * v for p, v in zip(w, x, strict=True))
            m = sum(p * v * v for p, v in zip(w, x, strict=True))
            det = h * m - k * k
            a, b = a + (m * g[0] - k * g[1]) / det, b + (h * g[1] - k * g[0]) / det
        assert max(abs(part) for part in g) < Decimal(10) ** -40
        return float(a), float(b)


@pytest.mark.parametrize(
    ("family", "link", "slope", "curve"),
    [
        ("gamma", "log", lambda eta, y: y / eta.exp() - 1, lambda eta, y: y / eta.exp()),
        ("poisson", "identity", lambda eta, y: y / eta - 1, lambda eta, y: y / eta**2),
        ("poisson", "sqrt", lambda eta, y: 2 * (y / eta - eta), lambda eta, y: 2 + 2 * y / eta**2),
        (
            "inverse_gaussian",
            "log",
            lambda eta, y: y / (2 * eta).exp() - 1 / eta.exp(),
            lambda eta, y: 2 * y / (2 * eta).exp() - 1 / eta.exp(),
        ),
    ],
)
def test_all_digits(family, link, slope, curve):
    x = np.array([-1.0, 1.0] + [0.0] * 8)  # two rows on which the slope rests, beside eight
    y = np.array([2.7, 2.5] + [1.0] * 8) if family != "poisson" else np.array([3.0, 2] + [1] * 8)
    model = GeneralizedLinearModel(family, link).fit(x[:, None], y)
    start = model.intercept_, model.coef_[0]
    right = fifty_digits(x, y, slope, curve, [round(v, 2) for v in start])
    assert_allclose(start, right, rtol=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_penalized_regressors(seed):
    X, y, _ = u_shaped("gamma", seed)
    for model, power, alpha in (
        (GammaRegressor(alpha=1e-4), 2.0, 1e-4),
        (TweedieRegressor(power=3), 3.0, 1.0),
        (TweedieRegressor(power=3, alpha=1e-4), 3.0, 1e-4),
    ):
        model.fit(X, y)
        mean = model.predict(X)
        s = (y - mean) / mean ** (power - 1)
        assert abs(s.mean()) < 1e-9
        assert_allclose((s @ X) / len(y), alpha * model.coef_, atol=1e-9)


def test_folds_sparse_rows_chunks_and_parts_end_there_too():
    X, y, _ = u_shaped("gamma", 3)
    model = GeneralizedLinearModel("gamma", "log")
    folds = [
        (np.flatnonzero(np.arange(len(y)) % 4 != k), np.arange(k, len(y), 4)) for k in range(4)
    ]
    together = cross_val_predict(model, X, y, cv=folds)
    for train, test in folds:
        alone = GeneralizedLinearModel("gamma", "log").fit(X[train], y[train])
        assert_allclose(together[test], alone.predict(X[test]), rtol=1e-8)
    model.fit(X, y)
    parts = Parts([(X[:10], y[:10]), (X[10:], y[10:])])
    for rows in ((csr_matrix(X), y), (Chunks([X[:10], X[10:]]), y), (parts,)):
        other = GeneralizedLinearModel("gamma", "log").fit(*rows)
        assert other.converged_
        assert_allclose(other.coef_, model.coef_, rtol=1e-9)


# ---------- At the boundary
def climbing(family, seed):
    """Responses whose means are 0, or for shares 1 too, at ends of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (int(rng.integers(10, 50)), 2))
    if family == "binomial":
        return X, (rng.random(len(X)) < np.clip(0.1 + 0.25 * (X[:, 0] + 2), 0, 1)).astype(float)
    y = rng.poisson(np.clip(1 + X[:, 0], 0, None)).astype(float)
    return X, y + 0.1 if family == "inverse_gaussian" else y


@pytest.mark.parametrize(
    ("family", "link", "low", "high"),
    [
        ("poisson", "identity", 0, None),
        ("quasipoisson", "identity", 0, None),
        ("binomial", "log", None, 0),
        ("binomial", "identity", 0, 1),
        ("quasibinomial", "log", None, 0),
        ("inverse_gaussian", "inverse", 0, None),
    ],
)
def test_a_maximum_at_the_boundary_is_reached_and_named(family, link, low, high):
    named = 0
    for seed in range(10):
        X, y = climbing(family.removeprefix("quasi"), seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = GeneralizedLinearModel(family, link).fit(X, y)
        Z = np.column_stack([np.ones(len(X)), X])
        eta = Z @ np.append(model.intercept_, model.coef_)
        unit = likelihood.FAMILIES[family.removeprefix("quasi")]
        problem = likelihood.Likelihood(X, y, unit, link)
        g = problem.gradient(np.append(model.intercept_, model.coef_))
        # Kuhn and Tucker: the gradient points out of the range, along rows at its ends.
        ends = np.zeros((0, 3))
        if low is not None:
            assert (eta >= low).all()
            ends = np.vstack([ends, -Z[eta - low < 1e-7]])
        if high is not None:
            assert (eta <= high).all()
            ends = np.vstack([ends, Z[high - eta < 1e-7]])
        left = nnls(ends.T, g)[1] if len(ends) else np.linalg.norm(g)
        assert left < 1e-6 * max(np.linalg.norm(g), len(y))
        assert model.converged_
        assert len(caught) == bool(len(ends))
        if len(ends):
            named += 1
            assert BOUNDARY in str(caught[0].message)
            with pytest.raises(ValueError, match="at the boundary"):
                model.conf_int()
    assert named >= 3


def test_a_boundary_with_weights_offsets_and_collinear_columns():
    X, y = climbing("poisson", 1)
    weights = np.random.default_rng(0).integers(0, 3, len(y))

    def fit(X, y, *more, **options):
        with pytest.warns(UserWarning, match=BOUNDARY):
            return GeneralizedLinearModel("poisson", "identity").fit(X, y, *more, **options)

    weighted = fit(X, y, weights)
    repeated = fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    plain, moved = fit(X, y), fit(X, y, offset=np.full(len(y), 0.1))
    assert_allclose(moved.coef_, plain.coef_, rtol=1e-8)
    assert_allclose(moved.intercept_, plain.intercept_ - 0.1, rtol=1e-7)
    with pytest.warns(CollinearityWarning):
        collinear = fit(np.column_stack([X, X[:, 0]]), y)
    assert_allclose(collinear.coef_, [*plain.coef_, 0.0], rtol=1e-8)


def test_a_boundary_that_is_not_reached_has_all_its_inference():
    x, y = np.linspace(0, 1, 40)[:, None], np.tile([0.0, 1.0, 0.0, 2.0], 10)
    model = GeneralizedLinearModel("poisson", "identity").fit(x, y)
    assert np.isfinite(model.standard_errors_).all()


# ---------- R's data
def numbers_of(path):
    """Columns of numbers of a table, at most five, and no constants."""
    with open(path, newline="") as file:
        names, *rows = list(csv.reader(file))
    table = {}
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        try:
            values = np.array(column, dtype=float)
        except ValueError:
            continue
        if name.lower() not in ("", "rownames") and np.ptp(values) > 0:
            table[name] = values
    return dict(list(table.items())[:5])


def fits(family, more, y):
    """Whether the family may be that of y."""
    if family == "binomial":
        return set(np.unique(y)) <= {0.0, 1.0}
    if family in ("poisson", "negative_binomial"):
        return (y >= 0).all() and (y == np.floor(y)).all()
    return (y > 0).all()


def test_steps_that_grow_where_the_likelihood_is_not_convex_yet(shared_data):
    """They are not those of a maximum at infinity, towards which less and less is gained."""
    table = numbers_of(shared_data("r") / "datasets_swiss.csv")
    with open(shared_data("r") / "datasets_swiss.csv", newline="") as file:
        x = np.array([float(row["Infant.Mortality"]) for row in csv.DictReader(file)])
    y = table["Catholic"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GeneralizedLinearModel("inverse_gaussian", "sqrt").fit(x[:, None], y)
    assert model.converged_
    problem = likelihood.Likelihood(x[:, None], y, likelihood.FAMILIES["inverse_gaussian"], "sqrt")
    b = likelihood.climb(problem, np.array([-5.0, 0.6]))
    assert_allclose([model.intercept_, *model.coef_], b, rtol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize(("family", "link", "more"), PAIRS)
def test_data_of_r(family, link, more, shared_data):
    count = 0
    for path in sorted(shared_data("r").glob("*.csv")):
        table = numbers_of(path)
        for name, y in table.items():
            if not fits(family, more, y):
                continue
            for other, x in table.items():
                if other == name or abs(np.corrcoef(x, y)[0, 1]) > 1 - 1e-10:
                    continue
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    model = GeneralizedLinearModel(family, link, **more).fit(x[:, None], y)
                assert all(BOUNDARY in str(one.message) for one in caught)
                if caught:
                    continue
                assert model.converged_
                z = (x - x.mean()) / x.std()
                slope = model.coef_[0]
                b = np.array([model.intercept_ + slope * x.mean(), slope * x.std()])
                problem = likelihood.Likelihood(z[:, None], y, unit_of(family, more), link)
                assert how_far(problem, b) < 1e-7
                count += 1
    assert count
