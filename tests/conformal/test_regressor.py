# SPDX-License-Identifier: BSD-3-Clause
"""Prediction intervals around regressors."""

import pickle
import warnings
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

import statfast as sf
from statfast.conformal import ConformalRegressor
from tests.conformal.replicates import REGRESSIONS, replicate
from tests.reference.conformal import bound, conforms, jackknife_plus

rng = np.random.default_rng(7)
X = rng.normal(size=(60, 3))
y = X @ [1.0, -2.0, 0.5] + rng.standard_t(4, 60)
NEW = rng.normal(size=(9, 3)) * 2


def ends_of(model, points=NEW, **asked):
    return model.predict(points, interval="conformal", **asked)[1]


def refit(estimator):
    return lambda rows, targets: estimator.fit(rows, targets).predict


class Plain:
    """A regressor of a user's: the mean, and no weights."""

    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def fit(self, X, y):
        self.mean = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_split_is_a_rank_of_the_errors(level):
    model = ConformalRegressor(cv=0.4, random_state=3).fit(X, y)
    assert model.n_held_out_ == 24
    order = np.random.default_rng(3).permutation(60)
    held, kept = np.sort(order[:24]), np.sort(order[24:])
    line = sf.LinearRegression().fit(X[kept], y[kept])
    q = bound(np.abs(y[held] - line.predict(X[held])), level)
    means, ends = model.predict(NEW, interval="conformal", level=level)
    assert_allclose(means, line.predict(NEW))
    assert_allclose(ends, np.column_stack([means - q, means + q]))


def test_prefit_takes_all_rows():
    line = sf.LinearRegression().fit(X[:30], y[:30])
    ends = ends_of(ConformalRegressor(line, cv="prefit").fit(X[30:], y[30:]))
    q = bound(np.abs(y[30:] - line.predict(X[30:])), 0.9)
    assert_allclose(ends[:, 1] - ends[:, 0], 2 * q)


@pytest.mark.parametrize(
    "estimator",
    [sf.LinearRegression(), sf.Ridge(3.0), sf.KNeighborsRegressor(4), sf.KernelRidge(0.5),
     sf.DecisionTreeRegressor(max_depth=3)],
    ids=lambda e: type(e).__name__,
)  # fmt: skip
def test_jackknife_plus_is_the_twins(estimator):
    ends = ends_of(ConformalRegressor(estimator, method="jackknife+", level=0.8).fit(X, y))
    expected = [jackknife_plus(X, y, point, 0.8, refit(deepcopy(estimator))) for point in NEW]
    assert_allclose(ends, expected, rtol=1e-8)


def test_folds():
    folds = [(np.setdiff1d(np.arange(60), t), t) for t in np.array_split(rng.permutation(60), 4)]
    model = ConformalRegressor(sf.Ridge(), method="cv+", cv=folds).fit(X, y)
    low, high = [], []
    for train, test in folds:
        ridge = sf.Ridge().fit(X[train], y[train])
        error = np.abs(y[test] - ridge.predict(X[test]))
        low.append(ridge.predict(NEW)[:, None] - error)
        high.append(ridge.predict(NEW)[:, None] + error)
    low, high = np.hstack(low), np.hstack(high)
    expected = [(-bound(-a, 0.9), bound(b, 0.9)) for a, b in zip(low, high, strict=True)]
    assert_allclose(ends_of(model), expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_bootstrap(weighted):
    forest = sf.RandomForestRegressor(40, random_state=0).fit(X, y)
    weights = rng.integers(1, 3, 60) if weighted else None
    model = ConformalRegressor(forest, method="jackknife+ab", cv="prefit", level=0.8)
    ends = ends_of(model.fit(X, y, weights))
    unseen = np.ones((40, 60), bool)
    for mark, drawn in zip(unseen, forest.estimators_samples_, strict=True):
        mark[drawn] = False
    trees = forest.estimators_
    at_rows, at_new = (np.array([t.predict(rows) for t in trees]) for rows in (X, NEW))
    for j in range(len(NEW)):
        low, high = [], []
        for i in range(60):
            error = abs(y[i] - at_rows[unseen[:, i], i].mean())
            low.append(at_new[unseen[:, i], j].mean() - error)
            high.append(at_new[unseen[:, i], j].mean() + error)
        expected = -bound([-v for v in low], 0.8, weights), bound(high, 0.8, weights)
        assert_allclose(ends[j], expected)


def test_bootstrap_of_bagging_with_drawn_columns():
    bag = sf.BaggingRegressor(sf.LinearRegression(), 30, max_features=2, random_state=0)
    model = ConformalRegressor(bag, method="jackknife+ab").fit(X, y)
    assert np.isfinite(ends_of(model)).all()
    with pytest.raises(TypeError, match="BaggingRegressor"):
        ConformalRegressor(sf.Ridge(), method="jackknife+ab").fit(X, y)
    few = ConformalRegressor(sf.RandomForestRegressor(1, random_state=0), method="jackknife+ab")
    with pytest.warns(UserWarning, match="samples of all members"):
        few.fit(X, y)
    with pytest.warns(UserWarning, match="needs at least 99 held-out rows; there are"):
        assert np.isinf(ends_of(few, level=0.99)).all()


def test_quantiles():
    boosting = sf.HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=20)
    model = ConformalRegressor(boosting, method="cqr", level=0.8, random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(60)
    held, kept = np.sort(order[:15]), np.sort(order[15:])
    low, high = (
        deepcopy(boosting).set_params(quantile=q).fit(X[kept], y[kept])
        for q in (0.1, 0.9)
    )  # fmt: skip
    a, b = (np.array([low.predict(rows), high.predict(rows)]) for rows in (X[held], NEW))
    a, b = np.sort(a, axis=0), np.sort(b, axis=0)
    q = bound(np.maximum(a[0] - y[held], y[held] - a[1]), 0.8)
    assert_allclose(ends_of(model), np.column_stack([b[0] - q, b[1] + q]))
    forest = ConformalRegressor(sf.RandomForestRegressor(20, random_state=0), method="cqr")
    assert np.isfinite(ends_of(forest.fit(X, y), level=0.7)).all()
    with pytest.raises(TypeError, match="estimator of quantiles"):
        ConformalRegressor(sf.Ridge(), method="cqr").fit(X, y)


def test_ends_that_cross_are_a_point():
    class Far(Plain):
        def predict_quantiles(self, X, quantiles):
            return np.tile([-10.0, 10.0], (len(X), 1))

    model = ConformalRegressor(Far(), method="cqr", level=0.1, cv=0.5, random_state=0).fit(X, y)
    ends = ends_of(model)
    assert (ends[:, 0] <= ends[:, 1]).all()


# ------------------------------------------------------------------ relations
@pytest.mark.parametrize(
    "estimator",
    [sf.LinearRegression(), sf.LinearRegression(fit_intercept=False), sf.Ridge(3.0),
     sf.KNeighborsRegressor(1), sf.KNeighborsRegressor(4)],
    ids=["least squares", "no intercept", "ridge", "1-NN", "4-NN"],
)  # fmt: skip
@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.filterwarnings("ignore:.*any target conforms")
def test_full_sets_are_the_twins(estimator, level):
    A, b = X[:25], y[:25]
    model = ConformalRegressor(estimator, method="full", level=level).fit(A, b)
    nearest = isinstance(estimator, sf.KNeighborsRegressor)

    def answers(rows, targets):
        fitted = deepcopy(estimator).fit(rows, targets)
        return fitted.predict(None if nearest else rows)

    points = NEW[:4] / 2
    for point, (low, high) in zip(points, ends_of(model, points), strict=True):
        assert low < high
        inside = np.linspace(max(low, -30), min(high, 30), 7)[1:-1]
        for target in [*inside, low + 1e-6, high - 1e-6]:
            if np.isfinite(target):
                assert conforms(A, b, point, target, level, answers)
        for target in [low - 1e-6, low - 5, high + 1e-6, high + 5]:
            if np.isfinite(target):
                assert not conforms(A, b, point, target, level, answers)


def test_far_rows_have_no_bounded_set():
    model = ConformalRegressor(method="full", level=0.8).fit(X[:, :1], y)
    with pytest.warns(UserWarning, match="any target conforms"):
        assert np.isinf(ends_of(model, [[1e3]])).all()


def test_kernel_ridge_near_interpolation():
    """Where the formula of errors would lose digits, they come from elimination."""
    kernel = sf.KernelRidge(1e-7, kernel="rbf", gamma=0.5)
    ends = ends_of(ConformalRegressor(kernel, method="jackknife+").fit(X, y))
    expected = [jackknife_plus(X, y, point, 0.9, refit(deepcopy(kernel))) for point in NEW]
    assert_allclose(ends, expected, rtol=1e-4)


def test_leverage_of_one_is_refitted():
    A = np.column_stack([X, np.arange(60) == 3.0])
    model = ConformalRegressor(sf.Ridge(1e-9), method="jackknife+").fit(A, y)
    assert model.strategy_ != "closed form"
    assert ConformalRegressor(method="jackknife+").fit(X, y).strategy_ == "closed form"
    weighted = rng.integers(1, 4, 60).astype(float)
    kernel = ConformalRegressor(sf.KernelRidge(0.5), method="jackknife+").fit(X, y, weighted)
    assert kernel.strategy_ == "closed form"
    for i in (0, 7):
        k = np.arange(60) != i
        alone = sf.KernelRidge(0.5).fit(X[k], y[k], weighted[k])
        assert_allclose(kernel._fits.answers[i], alone.predict(X[i : i + 1])[0], rtol=1e-8)
        assert_allclose(kernel._fits.predict(NEW)[:, i], alone.predict(NEW), rtol=1e-8)


METHODS = {
    "split": (sf.LinearRegression(), {}),
    "cv+": (sf.LinearRegression(), {}),
    "jackknife+": (sf.LinearRegression(), {}),
}


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_one_are_none(method):
    estimator, settings = METHODS[method]
    model = ConformalRegressor(estimator, method=method, random_state=0, **settings)
    plain = ends_of(model.fit(X, y))
    weighted = ends_of(model.fit(X, y, np.ones(60)), sample_weight=np.ones(9))
    assert_allclose(weighted, plain)
    twice = ends_of(model.fit(X, y, np.full(60, 2.0)), sample_weight=np.full(9, 2.0))
    assert_allclose(twice, plain)
    if method == "cv+":  # Folds are runs of all rows.
        folds = [(None, part) for part in np.array_split(np.arange(65), 5)]
        folds = [(np.setdiff1d(np.arange(65), part), part) for _, part in folds]
        kept = [(a[a < 60], b[b < 60]) for a, b in folds]
        plain = ends_of(model.set_params(cv=kept).fit(X, y))
        model.set_params(cv=folds)
    zero = np.vstack([X, X[:5]]), np.append(y, y[:5] + 50), np.repeat([1.0, 0.0], [60, 5])
    assert_allclose(ends_of(model.fit(*zero)), plain)


def test_a_row_twice_is_a_weight_of_two():
    weights = rng.integers(1, 4, 60)
    line = sf.LinearRegression().fit(X, y)
    calibrated = ConformalRegressor(line, cv="prefit")
    repeated = ends_of(calibrated.fit(np.repeat(X, weights, 0), np.repeat(y, weights)))
    assert_allclose(ends_of(calibrated.fit(X, y, weights)), repeated)


def test_jackknife_plus_with_weights_is_that_of_refits():
    weights = rng.integers(1, 4, 60).astype(float)
    ends = ends_of(ConformalRegressor(method="jackknife+").fit(X, y, weights))
    low, high = np.empty((9, 60)), np.empty((9, 60))
    for i in range(60):
        k = np.arange(60) != i
        line = sf.LinearRegression().fit(X[k], y[k], weights[k])
        error = abs(y[i] - line.predict(X[i : i + 1])[0])
        low[:, i], high[:, i] = line.predict(NEW) - error, line.predict(NEW) + error
    for j in range(9):
        expected = -bound(-low[j], 0.9, weights), bound(high[j], 0.9, weights)
        assert_allclose(ends[j], expected, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_groups_have_bounds_of_their_own(method):
    groups = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    estimator, _ = METHODS[method]
    model = ConformalRegressor(estimator, method=method, cv=None, level=0.6, random_state=0)
    asked = np.array(["a", "b"])[np.arange(9) % 2]
    ends = ends_of(model.fit(X, y, categories=groups), categories=asked)
    if method == "split":
        held, means = model._held_rows, model.predict(NEW)
        for g in "ab":
            q = bound(held.errors[held.categories == g], 0.6)
            assert_allclose(ends[asked == g, 1], means[asked == g] + q)
    else:
        fits, held = model._fits, model._held_rows
        values = fits.predict(NEW)
        values = values if method == "jackknife+" else values[:, fits.fit_of_row]
        for j, g in enumerate(asked):
            mine = groups == g
            assert_allclose(ends[j, 1], bound((values[j] + held.errors)[mine], 0.6))
    with pytest.warns(UserWarning, match="of category 'c'; there are 0"):
        unknown = ends_of(model, categories=["c"] + ["a"] * 8)
    assert np.isinf(unknown[0]).all()
    assert np.isfinite(unknown[1:]).all()


def test_shift_is_told_by_weights():
    line = sf.LinearRegression().fit(X, y)
    weights, new = rng.uniform(0.2, 3, 60), rng.uniform(0.2, 3, 9)
    model = ConformalRegressor(line, cv="prefit").fit(X, y, weights)
    ends = ends_of(model, sample_weight=new)
    errors = np.abs(y - line.predict(X))
    q = [bound(errors, 0.9, weights, w) for w in new]
    assert_allclose(ends[:, 1] - line.predict(NEW), q)
    with pytest.warns(UserWarning, match="sample_weight of some points is so large"):
        assert np.isinf(ends_of(model, sample_weight=np.full(9, 1e3))).all()


@pytest.mark.parametrize("name", REGRESSIONS)
def test_coverage(name):
    """Of new rows, over samples: not below the level but by chance of one in a million."""
    hits, _ = replicate(name, n_samples=40, n_new=1, level=0.8)
    assert binom.cdf(hits.sum(), 40, 0.8) > 1e-6


# ------------------------------------------------------------------ input
def test_too_few_rows_are_infinite_and_say_how_many():
    model = ConformalRegressor(cv=0.1, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="level=0.9 needs at least 9 held-out rows; there are 6"):
        assert np.isinf(ends_of(model)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(ends_of(model, level=0.8)).all()


def test_ties_and_constants():
    model = ConformalRegressor(method="jackknife+").fit(X, np.ones(60))
    assert_allclose(ends_of(model), 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_containers_and_copies(method):
    pandas = pytest.importorskip("pandas")
    model = ConformalRegressor(method=method, random_state=0).fit(X, y)
    ends = ends_of(model)
    assert_array_equal(ends_of(pickle.loads(pickle.dumps(model))), ends)
    frame = ConformalRegressor(method=method, random_state=0)
    frame.fit(pandas.DataFrame(X, columns=list("abc")), pandas.Series(y))
    assert_allclose(ends_of(frame, pandas.DataFrame(NEW, columns=list("abc"))), ends)
    assert_allclose(ends_of(model, np.asfortranarray(NEW)), ends)
    assert_allclose(ends_of(model, NEW.tolist()), ends)
    narrow = ConformalRegressor(method=method, random_state=0)
    narrow.fit(X.astype(np.float32), y)
    assert_allclose(ends_of(narrow, NEW.astype(np.float32)), ends, rtol=1e-3, atol=1e-3)


def test_a_users_regressor():
    for method in METHODS:
        model = ConformalRegressor(Plain(), method=method, cv=None).fit(X, y)
        assert np.isfinite(ends_of(model)).all()
    with pytest.warns(UserWarning, match="held-out rows alone"):
        ConformalRegressor(Plain()).fit(X, y, np.ones(60))


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"cv": 5}, TypeError, "share of the rows"),
        ({"cv": 1.5}, ValueError, "cv"),
        ({"cv": "fit"}, ValueError, "prefit"),
        ({"method": "cv+", "cv": "prefit"}, ValueError, "goes with"),
        ({"method": "jackknife+", "cv": 5}, ValueError, "cv must be None"),
        ({"level": 1.0}, ValueError, "level"),
        ({"method": "loo"}, ValueError, "method"),
        ({"estimator": sf.KMeans}, TypeError, "instance"),
        ({"estimator": sf.DecisionTreeRegressor(), "method": "full"}, TypeError, "jackknife"),
    ],
)
def test_what_is_refused(settings, error, text):
    with pytest.raises(error, match=text):
        ConformalRegressor(**settings).fit(X, y)


def test_calls_that_are_refused():
    model = ConformalRegressor().fit(X, y)
    with pytest.raises(ValueError, match="interval="):
        model.predict(NEW, level=0.9)
    with pytest.raises(ValueError, match="interval must be"):
        model.predict(NEW, interval="prediction")
    with pytest.raises(ValueError, match="were not given at fit"):
        ends_of(model, categories=["a"] * 9)
    with pytest.raises(ValueError, match="one target"):
        model.fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="at least 2 rows"):
        model.fit(X[:1], y[:1])
    grouped = ConformalRegressor().fit(X, y, categories=np.arange(60) % 2)
    with pytest.raises(ValueError, match="categories must be given"):
        ends_of(grouped)
    with pytest.raises(ValueError, match="one value for each"):
        ends_of(grouped, categories=["a"])
