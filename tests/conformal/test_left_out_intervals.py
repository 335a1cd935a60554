# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of the jackknife+ by models that keep their fits without each row."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import statfast as sf
from statfast._estimator import RankRule, conformal_ends
from tests.reference.conformal import jackknife_plus

rng = np.random.default_rng(11)
X = rng.normal(size=(50, 3))
y = X @ [1.0, -2.0, 0.5] + rng.standard_t(4, 50)
NEW = rng.normal(size=(7, 3)) * 2
MODELS = {
    "least squares": sf.LinearRegression(store_left_out=True),
    "through zero": sf.LinearRegression(fit_intercept=False, store_left_out=True),
    "ridge": sf.Ridge(2.0, store_left_out=True),
    "kernel ridge": sf.KernelRidge(0.3, kernel="rbf", gamma=0.2, store_left_out=True),
    "neighbors": sf.KNeighborsRegressor(4),
    "one neighbor": sf.KNeighborsRegressor(1),
}
WEIGHTED = [name for name in MODELS if "neighbor" not in name]


def plain(model):
    """A copy that keeps nothing."""
    copy = type(model)(**model.get_params())
    return copy.set_params(store_left_out=False) if "store_left_out" in copy.get_params() else copy


def ends_of(model, points=NEW, level=0.8):
    means, ends = model.predict(points, interval="conformal", level=level)
    assert_array_equal(means, model.predict(points))
    return ends


@pytest.mark.parametrize("name", MODELS)
def test_ends_are_those_of_refits(name):
    model = MODELS[name].fit(X, y)
    expected = [
        jackknife_plus(
            X, y, point, 0.8, lambda rows, targets: plain(model).fit(rows, targets).predict
        )
        for point in NEW
    ]
    assert_allclose(ends_of(model), expected, rtol=1e-9)


@pytest.mark.parametrize("level", [0.3, 0.8, 0.97])
@pytest.mark.parametrize("name", MODELS)
def test_ends_are_those_of_the_conformal_regressor(name, level):
    around = sf.ConformalRegressor(plain(MODELS[name]), method="jackknife+").fit(X, y)
    assert around.strategy_ == "closed form"
    assert around.estimator_.get_params() == plain(MODELS[name]).get_params()
    expected = around.predict(NEW, interval="conformal", level=level)[1]
    assert_allclose(ends_of(MODELS[name].fit(X, y), level=level), expected, rtol=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights(name):
    weights = np.repeat([0.0, 1.0, 2.0, 0.5], [5, 15, 15, 15])
    around = sf.ConformalRegressor(plain(MODELS[name]), method="jackknife+").fit(X, y, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ends = ends_of(MODELS[name].fit(X, y, weights))
    expected = around.predict(NEW, interval="conformal", level=0.8)[1]
    assert_allclose(ends, expected, rtol=1e-9)
    kept = weights > 0
    assert_allclose(ends, ends_of(MODELS[name].fit(X[kept], y[kept], weights[kept])), rtol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_several_targets_have_the_intervals_of_each(name):
    Y = np.column_stack([y, y**2, -y])
    ends = ends_of(MODELS[name].fit(X, Y))
    assert ends.shape == (7, 3, 2)
    for t, target in enumerate(Y.T):
        assert_allclose(ends[:, t], ends_of(MODELS[name].fit(X, target)), rtol=1e-8)


@pytest.mark.parametrize("name", MODELS)
def test_float32_lists_and_pickles(name):
    model = MODELS[name].fit(X, y)
    ends = ends_of(model)
    assert_array_equal(ends_of(pickle.loads(pickle.dumps(model))), ends)
    assert_allclose(ends_of(model, NEW.tolist()), ends, rtol=1e-12)
    assert_allclose(ends_of(model, np.asfortranarray(NEW)), ends, rtol=1e-12)
    narrow = MODELS[name].fit(X.astype(np.float32), y)
    assert_allclose(ends_of(narrow, NEW.astype(np.float32)), ends, rtol=1e-4, atol=1e-4)


def test_formulas_and_frames():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("formulaic")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    model = sf.LinearRegression.from_formula("y ~ a + b * c", frame, store_left_out=True)
    table = np.column_stack([X, X[:, 1] * X[:, 2]])
    expected = ends_of(
        sf.LinearRegression(store_left_out=True).fit(table, y),
        np.column_stack([NEW, NEW[:, 1] * NEW[:, 2]]),
    )
    assert_allclose(ends_of(model, pandas.DataFrame(NEW, columns=["a", "b", "c"])), expected)
    near = sf.KNeighborsRegressor(4).fit(frame[["a", "b", "c"]], y)
    new = pandas.DataFrame(NEW, columns=["a", "b", "c"])
    assert_array_equal(ends_of(near, new), ends_of(sf.KNeighborsRegressor(4).fit(X, y)))


def test_errors_come_beside_intervals():
    model = MODELS["least squares"].fit(X, y)
    _, errors, ends = model.predict(NEW, se=True, interval="conformal", level=0.8)
    assert_array_equal(errors, model.predict(NEW, se=True)[1])
    assert_array_equal(ends, ends_of(model))
    robust = sf.LinearRegression(store_left_out=True).fit(X, y, cov_type="HC3")
    assert_allclose(ends_of(robust), ends)


@pytest.mark.parametrize("name", MODELS)
def test_too_few_rows_for_a_level(name):
    model = MODELS[name].fit(X, y)
    with pytest.warns(UserWarning, match="level=0.99 needs at least 99 rows"):
        assert np.isinf(ends_of(model, level=0.99)).all()
    with pytest.raises(ValueError, match="level"):
        ends_of(model, level=1.0)
    with pytest.raises(ValueError, match="interval must be"):
        model.predict(NEW, interval="credible")


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (sf.LinearRegression(), X),
        (sf.Ridge(), X),
        (sf.KernelRidge(), X),
        (sf.LinearRegression(positive=True, store_left_out=True), X),
        (sf.Ridge(positive=True, store_left_out=True), X),
        (sf.KernelRidge(kernel="rbf", gamma="scale", store_left_out=True), X),
        (sf.KernelRidge(kernel="precomputed", store_left_out=True), X @ X.T),
        (sf.LinearRegression(store_left_out=True), np.column_stack([X, np.arange(50) == 3.0])),
        (sf.LinearRegression(store_left_out=True), np.column_stack([X, X[:, 0]])),
        (sf.KNeighborsRegressor(4, weights="distance"), X),
        (sf.KNeighborsRegressor(50), X),
        (sf.RidgeCV(), X),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(aliased|depend|left out|determine)")
def test_fits_that_keep_nothing_say_what_they_need(model, rows):
    model.fit(rows, y)
    with pytest.raises(ValueError, match=r"interval='conformal' needs .* ConformalRegressor"):
        model.predict(rows[:3], interval="conformal")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [None, rng.uniform(0.5, 2.0, 50)])
@pytest.mark.parametrize(
    "choice", [{}, {"criterion": "gcv"}, {"cv": 4}, {"fit_intercept": False, "scoring": "r2"}]
)
def test_a_chosen_penalty_has_the_intervals_of_ridge(choice, weights, dtype):
    rows = X.astype(dtype)
    model = sf.RidgeCV([0.1, 3.0, 50.0], store_left_out=True, **choice).fit(rows, y, weights)
    ridge = sf.Ridge(
        model.alpha_, fit_intercept=model.fit_intercept, store_left_out=True
    ).fit(rows, y, weights)  # fmt: skip
    assert_allclose(ends_of(model), ends_of(ridge), rtol=1e-12)


def test_a_penalty_chosen_for_several_targets_has_intervals():
    Y = np.column_stack([y, -2.0 * y + X[:, 0]])
    model = sf.RidgeCV([0.1, 3.0], store_left_out=True).fit(X, Y)
    ends = ends_of(model)
    assert ends.shape == (7, 2, 2)
    for t in range(2):
        single = sf.Ridge(model.alpha_, store_left_out=True).fit(X, Y[:, t])
        assert_allclose(ends[:, t], ends_of(single), rtol=1e-9)
    own = sf.RidgeCV([0.1, 3.0], alpha_per_target=True, store_left_out=True).fit(X, Y)
    with pytest.raises(ValueError, match="interval='conformal' needs"):
        own.predict(NEW, interval="conformal")


def test_around_a_chosen_penalty_each_fit_chooses_anew():
    model = sf.ConformalRegressor(sf.RidgeCV([0.01, 1.0, 100.0]), method="jackknife+").fit(X, y)
    assert model.strategy_ != "closed form"
    ends = model.predict(NEW, interval="conformal", level=0.8)[1]
    expected = [
        jackknife_plus(
            X, y, point, 0.8,
            lambda rows, targets: sf.RidgeCV([0.01, 1.0, 100.0]).fit(rows, targets).predict,
        )
        for point in NEW
    ]  # fmt: skip
    assert_allclose(ends, expected, rtol=1e-9)


def test_the_rows_of_the_fit_have_no_new_targets():
    with pytest.raises(ValueError, match="of new samples"):
        MODELS["neighbors"].fit(X, y).predict(interval="conformal")


def test_number_of_neighbors_may_change_after_the_fit():
    model = sf.KNeighborsRegressor(4).fit(X, y)
    ends_of(model)
    changed = ends_of(model.set_params(n_neighbors=2))
    assert_array_equal(changed, ends_of(sf.KNeighborsRegressor(2).fit(X, y)))


# ------------------------------------------------------------------ rows that are not looked at
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["least squares", "ridge", "kernel ridge", "neighbors", "one neighbor"]),
    st.integers(8, 60), st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans(),
    st.sampled_from([0.1, 0.5, 0.85]),
)  # fmt: skip
def test_the_rows_near_a_bound_decide_it(name, n, d, seed, coarse, level):
    """Ends by a few rows are those by all, with ties, duplicates, weights, and for far points."""
    draw = np.random.default_rng(seed)
    A = draw.integers(0, 3, (n, d)).astype(float) if coarse else draw.standard_normal((n, d))
    A = np.column_stack([A, draw.standard_normal(n)])
    b = draw.integers(0, 4, n).astype(float) if coarse else draw.standard_cauchy(n)
    points = draw.standard_normal((9, d + 1)) * draw.choice([0.1, 1.0, 100.0], (9, 1))
    model = MODELS[name].fit(A, b)
    fits = model._left_out_fits()
    if fits is None:
        return
    errors = np.abs(b - fits.answers)
    some = np.sort(draw.choice(n, n // 2 + 1, replace=False))
    weights, new = draw.uniform(0.1, 3.0, n), draw.uniform(0.1, 3.0, 9)
    values = fits.predict(points)
    for rule, rows in [
        (RankRule(level), None),
        (RankRule(level), some),
        (RankRule(level, weights), None),
        (RankRule(level, weights[some], new), some),
        (RankRule(level, None, new), None),
    ]:
        cut = slice(None) if rows is None else rows
        known = values[:, cut]

        def bounds(where, known=known, cut=cut):
            return known[where] - errors[cut], known[where] + errors[cut]

        expected = conformal_ends(bounds, 9, known.shape[1], rule, 1)
        scale = np.abs(values).max() + errors.max()
        got = fits.ends(points, errors[cut], rule, rows, 1)
        assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize("name", MODELS)
def test_same_bits_for_any_number_of_threads(name):
    draw = np.random.default_rng(3)
    A, b, points = draw.normal(size=(400, 3)), draw.normal(size=400), draw.normal(size=(300, 3))
    ends = [
        ends_of(
            type(MODELS[name])(**{**MODELS[name].get_params(), "n_jobs": jobs}).fit(A, b), points
        )
        for jobs in (1, 2, 7)
    ]
    assert_array_equal(ends[0], ends[1])
    assert_array_equal(ends[0], ends[2])


@pytest.mark.parametrize("kind", [sf.LinearRegression, sf.Ridge])
def test_blocks_of_rows_in_threads_have_the_same_bits(kind):
    draw = np.random.default_rng(4)
    A, b = draw.normal(size=(9000, 70)), draw.normal(size=9000)
    kept = [kind(store_left_out=True, n_jobs=jobs).fit(A, b)._left_out() for jobs in (1, 2, 7)]
    for stored in kept[1:]:
        assert_array_equal(stored.errors, kept[0].errors)
        assert_array_equal(stored.fits[0].row_scores, kept[0].fits[0].row_scores)
    for i in (0, 4500, 8999):
        rows = np.arange(9000) != i
        error = abs(b[i] - kind().fit(A[rows], b[rows]).predict(A[i : i + 1])[0])
        assert_allclose(kept[0].errors[i, 0], error, rtol=1e-9)


def test_few_rows_are_looked_at(monkeypatch):
    """Of many rows hardly any is near a bound: their products alone are made."""
    draw = np.random.default_rng(0)
    A = draw.normal(size=(4000, 4))
    model = sf.LinearRegression(store_left_out=True).fit(A, A[:, 0] + draw.normal(size=4000))
    seen, near_bounds = [], RankRule.near_bounds

    def counting(self, *args):
        near = near_bounds(self, *args)
        seen.append(4000 if near.places is None else len(near.places))
        return near

    monkeypatch.setattr(RankRule, "near_bounds", counting)
    ends_of(model, draw.normal(size=(200, 4)), 0.9)
    assert max(seen) < 400
