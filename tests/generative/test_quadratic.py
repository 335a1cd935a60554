# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic discriminant analysis against R, scikit-learn, and the definition."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as TheirQDA

from statfast import Chunks, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from statfast.datasets import load_wine
from tests.generative.test_reference import BLOCKS, confusion
from tests.model_selection.closed_form import left_out
from tests.reference import discriminant as twin

METHODS = ("predict_proba", "predict_log_proba", "decision_function", "predict")


def blobs(n=600, d=5, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    mix = rng.normal(size=(n_classes, d, d)) + 2.0 * np.eye(d)
    X = (
        np.einsum("nij,nj->ni", mix[y], rng.normal(size=(n, d)))
        + 3.0 * rng.normal(size=(n_classes, d))[y]
    )
    return X, y


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "lda_qda.json").read_text("utf-8"))


@pytest.mark.parametrize("block", BLOCKS)
def test_agrees_with_r(block, reference, shared_data):
    X, y = BLOCKS[block](shared_data)
    known = reference[block]["qda"]
    model = QuadraticDiscriminantAnalysis(method="moment").fit(X, y)
    assert_allclose(model.priors_, known["prior"], rtol=1e-14)
    assert_allclose(model.log_determinants_, known["ldet"], rtol=1e-11)
    rows = np.array(reference[block]["posterior_rows_1based"]) - 1
    assert_allclose(model.predict_proba(X[rows]), known["posterior"], rtol=1e-7, atol=1e-300)
    assert confusion(model, X, y) == known["confusion_true_by_predicted"]["counts"]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", ["lda", "qda"])
def test_leave_one_out_agrees_with_r(block, kind, reference, shared_data):
    """R's ``CV=TRUE`` keeps the priors of all rows."""
    X, y = BLOCKS[block](shared_data)
    known = reference[block][kind]
    make = {"lda": LinearDiscriminantAnalysis, "qda": QuadraticDiscriminantAnalysis}[kind]
    model = make(method="moment", priors=known["prior"])
    held = model.leave_one_out(X, y)
    rows = np.array(reference[block]["posterior_rows_1based"]) - 1
    assert_allclose(held[rows], known["loo_posterior"], rtol=1e-6, atol=1e-300)
    labels = model.leave_one_out(X, y, method="predict")
    levels = reference[block]["levels"]
    table = [[int(((y == a) & (labels == b)).sum()) for b in levels] for a in levels]
    assert table == known["loo_confusion_true_by_predicted"]["counts"]


def test_wine_tables():
    wine = load_wine()
    two = QuadraticDiscriminantAnalysis().fit(wine.data[:, [0, 6]], wine.target)
    assert confusion(two, wine.data[:, [0, 6]], wine.target) == [
        [57, 2, 0],
        [4, 65, 2],
        [0, 3, 45],
    ]
    assert two.score(wine.data[:, [0, 6]], wine.target) == 167 / 178
    assert two.n_parameters_ == 3 * (4 + 6 + 2) // 2 - 1
    every = QuadraticDiscriminantAnalysis().fit(wine.data, wine.target)
    # R's unbiased divisor leaves one error, the catalogue's maximum likelihood too.
    assert every.score(wine.data, wine.target) >= 177 / 178


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"reg_param": 0.3},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.2},
        {"solver": "eigen", "shrinkage": "auto"},
        {"priors": [0.1, 0.2, 0.3, 0.4]},
    ],
)
def test_agrees_with_scikit_learn(params):
    X, y = blobs()
    ours = QuadraticDiscriminantAnalysis(store_covariance=True, **params).fit(X, y)
    theirs = TheirQDA(store_covariance=True, **params).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-11, atol=1e-11)
    assert_allclose(ours.scalings_, theirs.scalings_, rtol=1e-10)
    assert_allclose(np.abs(ours.rotations_), np.abs(theirs.rotations_), rtol=1e-7, atol=1e-8)
    for method in METHODS[:3]:
        assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-8, atol=1e-9)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@st.composite
def problems(draw):
    d, n_classes = draw(st.integers(1, 35)), draw(st.integers(2, 5))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.uint8]))
    n = n_classes * (d + 3) + draw(st.integers(0, 100))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.append(np.repeat(np.arange(n_classes), d + 3), rng.integers(0, n_classes, n))[:n]
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.2 * rng.normal(size=(d, d))) + 2.0 * codes[:, None]
    X = (
        np.clip(40 * X, 0, 255).round() + rng.integers(0, 40, X.shape) % 256
        if dtype is np.uint8
        else X
    )
    weights = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else None
    return (
        np.minimum(X, 255).astype(dtype) if dtype is np.uint8 else X.astype(dtype),
        codes,
        weights,
    )


@given(problems(), st.booleans())
def test_matches_the_definition(problem, unbiased):
    X, y, weights = problem
    model = QuadraticDiscriminantAnalysis(
        method="moment" if unbiased else "mle", reg_param=0.05, store_covariance=True
    ).fit(X, y, weights)
    mass, means, covariances = twin.class_covariances(X, y, weights, y.max() + 1, unbiased)
    covariances = 0.95 * covariances + 0.05 * np.eye(X.shape[1])
    assert_allclose(model.covariance_, covariances, rtol=1e-8, atol=1e-8)
    joint = twin.log_joint(X, mass / mass.sum(), means, covariances)
    scores = joint if len(mass) > 2 else joint[:, 1] - joint[:, 0]
    loose = 1e-5 if X.dtype == np.float32 else 1e-7
    assert_allclose(model.decision_function(X), scores, rtol=loose, atol=loose * 10)
    posteriors = np.exp(joint - joint.max(axis=1, keepdims=True))
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), posteriors, rtol=1e-3, atol=1e-6)
    assert_array_equal(model.predict_proba(X).argmax(axis=1), y_of(model, X))


def y_of(model, X):
    return np.searchsorted(model.classes_, model.predict(X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: LinearDiscriminantAnalysis(),
        lambda: LinearDiscriminantAnalysis(method="mle", priors=[0.2, 0.5, 0.3]),
        lambda: QuadraticDiscriminantAnalysis(),
        lambda: QuadraticDiscriminantAnalysis(method="moment", priors=[0.2, 0.5, 0.3]),
        lambda: QuadraticDiscriminantAnalysis(reg_param=0.3),
        lambda: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.2),
    ],
)
def test_leave_one_out_is_n_fits(make, weighted, method):
    X, y = blobs(60, 3, 3)
    X += 100.0
    weights = np.random.default_rng(1).integers(0, 4, 60).astype(float) if weighted else None
    held = left_out(make(), X, y, weights, method)
    expected = twin.refits(make, X, y, weights, method)
    if method == "predict":
        assert_array_equal(held, expected)
    else:
        assert_allclose(held, expected, rtol=1e-9, atol=1e-10)
    assert_array_equal(make().leave_one_out(X, y, weights, method=method), held)


def test_leave_one_out_of_two_classes():
    X, y = blobs(50, 2, 2)
    for make in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        for method in METHODS[:3]:
            held = make().leave_one_out(X, y, method=method)
            assert_allclose(held, twin.refits(make, X, y, None, method), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("method", ["predict_log_proba", "decision_function"])
@pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_leave_one_out_of_far_classes_and_of_rows_far_out(make, method):
    X, y = blobs(70, 3, 3)
    X = X + 1e3 * y[:, None] + 1e5
    X[5] += 40.0
    held = make().leave_one_out(X, y, method=method)
    expected = twin.refits(make, X, y, None, method)
    assert_allclose(held, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_leave_one_out_in_blocks_with_weights_of_many_sizes(make):
    X, y = blobs(20_000, 3, 3)
    weights = np.random.default_rng(0).random(len(y)) + 0.5
    whole = make().leave_one_out(X, y, weights)
    some = np.r_[:3, 19_997:20_000]
    assert_allclose(whole[some], [
        make().fit(np.delete(X, i, 0), np.delete(y, i), np.delete(weights, i))
        .predict_proba(X[i : i + 1])[0]
        for i in some
    ], rtol=1e-9, atol=1e-12)  # fmt: skip
    assert_array_equal(whole, make(n_jobs=1).leave_one_out(X, y, weights))


def test_leave_one_out_where_a_row_decides():
    """The only row of a class, and one that alone varies in a column, are fitted without."""
    X, y = blobs(60, 3, 3)
    X = np.column_stack([X, np.where(np.arange(60) == 7, 1.0, 0.0)])
    y = np.where(np.arange(60) == 30, 5, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = left_out(LinearDiscriminantAnalysis(), X, y, None, "predict_proba")
        expected = []
        for i in range(60):
            kept = np.arange(60) != i
            model = LinearDiscriminantAnalysis().fit(X[kept], y[kept])
            given = np.zeros(4)
            given[np.isin([0, 1, 2, 5], model.classes_)] = model.predict_proba(X[i : i + 1])[0]
            expected.append(given)
    assert_allclose(held, expected, rtol=1e-9, atol=1e-10)
    assert held[30, 3] == 0.0


def test_leave_one_out_without_a_closed_form():
    X, y = blobs(40, 3, 2)
    make = lambda: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto")  # noqa: E731
    assert left_out(make(), X, y, None, "predict_proba") is None
    held = make().leave_one_out(X, y)
    assert_allclose(held, twin.refits(make, X, y, None, "predict_proba"), rtol=1e-12)


def test_partial_fit_chunks_and_sums_are_one_fit():
    X, y = blobs(900)
    whole = QuadraticDiscriminantAnalysis().fit(X, y)
    parts = QuadraticDiscriminantAnalysis()
    for start in range(0, 900, 7):
        parts.partial_fit(X[start : start + 7], y[start : start + 7], classes=[0, 1, 2, 3])
    chunked = QuadraticDiscriminantAnalysis().fit(Chunks([X[:300], X[300:]]), y)
    columns, state = whole._prepare(X, y, None)
    halves = [
        whole._statistics(tuple(None if c is None else c[part] for c in columns), state)
        for part in (slice(0, 500), slice(500, 900))
    ]
    merged = QuadraticDiscriminantAnalysis()._solve(halves[0] + halves[1], state)
    for other in (parts, chunked, merged):
        assert_allclose(other.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_statistics_leave_absent_classes_out():
    X, y = blobs()
    model = QuadraticDiscriminantAnalysis()
    (rows, codes, _), state = model._prepare(X, y, None)
    some = codes != 2
    model._solve(model._statistics((rows[some], codes[some], None), state), state)
    refit = QuadraticDiscriminantAnalysis().fit(X[some], y[some])
    assert_array_equal(model.classes_, [0, 1, 3])
    assert_array_equal(model.predict_proba(X), refit.predict_proba(X))


def test_auto_shrinkage_adds_up():
    X, y = blobs(700)
    make = lambda: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto")  # noqa: E731
    whole, parts = make().fit(X + 1e3, y), make()
    for start in range(0, 700, 100):
        part = slice(start, start + 100)
        parts.partial_fit(X[part] + 1e3, y[part], classes=[0, 1, 2, 3])
    assert_allclose(parts.predict_proba(X + 1e3), whole.predict_proba(X + 1e3), atol=1e-9)
    chunked = make().fit(Chunks([X[:300] + 1e3, X[300:] + 1e3]), y)
    assert_allclose(chunked.log_determinants_, whole.log_determinants_, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_for_any_threads(dtype):
    X, y = blobs(20000)
    X = X.astype(dtype)
    one = QuadraticDiscriminantAnalysis(n_jobs=1).fit(X, y)
    for n_jobs in (2, 7):
        other = QuadraticDiscriminantAnalysis(n_jobs=n_jobs).fit(X, y)
        assert_array_equal(other.predict_proba(X), one.predict_proba(X))
    assert_array_equal(
        one.leave_one_out(X[:9000], y[:9000]), other.leave_one_out(X[:9000], y[:9000])
    )
    assert one.predict_proba(X).dtype == dtype


def test_far_from_the_origin_and_scales_far_apart():
    X, y = blobs(2000)
    X = np.round(X * 2**10) / 2**10
    near = QuadraticDiscriminantAnalysis().fit(X, y)
    far = QuadraticDiscriminantAnalysis().fit(X + 1e8, y)
    assert_allclose(far.predict_proba(X + 1e8), near.predict_proba(X), atol=1e-6)
    scales = 10.0 ** np.array([-80, -8, 0, 8, 80])
    scaled = QuadraticDiscriminantAnalysis().fit(X * scales, y)
    assert_allclose(scaled.predict_proba(X * scales), near.predict_proba(X), rtol=1e-7, atol=1e-200)


def test_singular_covariances_are_refused_by_name_or_left_out():
    import pandas

    X, y = blobs(300, 3, 2)
    table = pandas.DataFrame(X, columns=list("abc"))
    table["sum"] = np.where(y == 1, X[:, 0] + X[:, 1], X[:, 2] ** 2)
    words = r"covariance of the class 1 is singular: 1 direction.*columns 'a', 'b', 'sum'"
    with pytest.raises(np.linalg.LinAlgError, match=words):
        QuadraticDiscriminantAnalysis().fit(table, y)
    with pytest.warns(UserWarning, match="Left out of the density of the class 1: 1 direction"):
        model = QuadraticDiscriminantAnalysis(allow_singular=True).fit(table, y)
    assert np.isfinite(model.predict_log_proba(table)).all()
    twice = np.column_stack([X, X[:, 0]])
    with pytest.warns(UserWarning, match="collinear"):
        both = QuadraticDiscriminantAnalysis(allow_singular=True).fit(twice, y)
    plain = QuadraticDiscriminantAnalysis().fit(X, y)
    assert_array_equal(both.predict(twice), plain.predict(X))
    X[y == 0, 1] = 7.0
    with pytest.raises(ValueError, match="class 0 is singular: it is constant in column 1"):
        QuadraticDiscriminantAnalysis().fit(X, y)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"solver": "lsqr"}, ValueError, "solver"),
        ({"method": "ml"}, ValueError, "method"),
        ({"shrinkage": 0.5}, ValueError, 'shrinkage needs solver="eigen"'),
        ({"shrinkage": 1.5, "solver": "eigen"}, ValueError, "shrinkage must be at most 1"),
        ({"shrinkage": "lw", "solver": "eigen"}, TypeError, "shrinkage must be None, 'auto'"),
        ({"reg_param": -0.1}, ValueError, "reg_param"),
        ({"reg_param": 0.1, "solver": "eigen"}, ValueError, 'reg_param needs solver="svd"'),
        ({"tol": -1.0}, ValueError, "tol"),
        ({"priors": [0.5, 0.5]}, ValueError, "one probability for each of the 4 classes"),
        ({"allow_singular": 1}, TypeError, "allow_singular"),
    ],
)
def test_parameters_out_of_range(params, error, words):
    with pytest.raises(error, match=words):
        QuadraticDiscriminantAnalysis(**params).fit(*blobs())


def test_classes_of_one_row():
    X, y = blobs()
    y = np.where(np.arange(600) == 3, 9, y)
    with pytest.raises(ValueError, match="the class 9 has 1"):
        QuadraticDiscriminantAnalysis(method="moment").fit(X, y)
    with pytest.raises(ValueError, match="covariance of the class 9 is singular"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    model = QuadraticDiscriminantAnalysis(reg_param=0.2).fit(X, y)
    assert 9 in model.predict(X)
    with pytest.raises(ValueError, match="method must be"):
        model.leave_one_out(X, y, method="score")
    with pytest.raises(TypeError, match="rows in memory"):
        model.leave_one_out(Chunks([X]), y)
