# SPDX-License-Identifier: BSD-3-Clause
"""LinearDiscriminantAnalysis: its mathematics, its inputs and its refusals."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA

from statfast._engine.chunks import Chunks
from statfast.datasets import load_digits, load_iris, load_wine
from statfast.generative import LinearDiscriminantAnalysis
from tests.reference import moments as twin

FITTED = ("priors_", "means_", "xbar_", "coef_", "intercept_", "scalings_", "singular_values_")


def blobs(n=600, d=5, n_classes=4, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    means = 2.0 * rng.normal(size=(n_classes, d))
    return means[y] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + offset, y


@pytest.fixture
def fitted():
    X, y = blobs()
    return LinearDiscriminantAnalysis(store_covariance=True).fit(X, y), X, y


# ---------------------------------------------------------------- the mathematics


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_scores_are_bayes_rule(n_classes, d, seed, moment):
    """Posteriors from the normal densities themselves, by the formula of the textbook."""
    X, y = blobs(200, d, n_classes, seed)
    method = "moment" if moment else "mle"
    model = LinearDiscriminantAnalysis(method=method, store_covariance=True).fit(X, y)
    mass, means, within = twin.within_and_means(X, y, None, n_classes)
    S = within / (200 - n_classes if moment else 200)
    assert_allclose(model.covariance_, S, rtol=1e-9, atol=1e-9 * np.abs(S).max())
    inverse = np.linalg.inv(S)
    apart = X[:, None, :] - means
    log_joint = np.log(mass / 200) - np.einsum("nki,ij,nkj->nk", apart, inverse, apart) / 2
    log_posterior = log_joint - np.logaddexp.reduce(log_joint, axis=1)[:, None]
    slack = 1e-9 * max(1.0, np.linalg.cond(S) / 1e4)
    assert_allclose(model.predict_log_proba(X), log_posterior, rtol=slack, atol=slack)
    assert_allclose(model.predict_proba(X), np.exp(log_posterior), rtol=100 * slack, atol=slack)


def test_canonical_variates(fitted):
    model, X, y = fitted
    Z = model.transform(X)
    _, means, within = twin.within_and_means(Z, y, None, 4)
    assert_allclose(within / (len(X) - 4), np.eye(3), atol=1e-10)
    assert_allclose(model.priors_ @ means, np.zeros(3), atol=1e-10)
    between = (model.class_count_[:, None] * means).T @ means / 3
    assert_allclose(between, np.diag(model.singular_values_**2), atol=1e-8)
    assert_allclose(Z, (X - model.xbar_) @ model.scalings_, atol=1e-10)
    assert_allclose(model.explained_variance_ratio_.sum(), 1.0, rtol=1e-14)
    assert (np.diff(model.singular_values_) <= 0).all()


def test_sign_rule(fitted):
    model, X, y = fitted
    sized = model.scalings_ * np.sqrt(np.diag(model.covariance_))[:, None]
    assert (sized[np.abs(sized).argmax(axis=0), np.arange(3)] > 0).all()
    mirrored = LinearDiscriminantAnalysis().fit(-X, y)
    assert_allclose(mirrored.scalings_, model.scalings_, rtol=1e-8)


def test_fishers_direction_and_the_sigmoid():
    X, y = blobs(n_classes=2)
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    first, second = model.means_
    w = np.linalg.solve(model.covariance_, second - first)
    b = -w @ (first + second) / 2 + np.log(model.priors_[1] / model.priors_[0])
    assert_allclose(model.coef_, [w], rtol=1e-10)
    assert_allclose(model.intercept_, [b], rtol=1e-10)
    odds = model.decision_function(X)
    assert odds.shape == (len(X),)
    assert_allclose(odds, X @ w + b, rtol=1e-9, atol=1e-9)
    assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds)), rtol=1e-10)
    assert_array_equal(model.predict(X), (odds > 0).astype(int))
    direction = model.scalings_[:, 0]
    assert abs(direction @ w) == pytest.approx(np.linalg.norm(direction) * np.linalg.norm(w))


def test_classes_that_all_coincide_take_the_lowest_label():
    X = np.array([[-1.0], [1.0], [-1.0], [1.0], [-1.0], [1.0]])
    y = ["c", "c", "a", "a", "b", "b"]
    with pytest.warns(UserWarning, match="class means are equal"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    assert_array_equal(model.predict(X), ["a"] * 6)
    assert_allclose(model.predict_proba(X), np.full((6, 3), 1 / 3))
    assert model.transform(X).shape == (6, 0)


# ---------------------------------------------------------------- peers


@pytest.mark.parametrize(
    "data",
    [load_wine(), load_iris(), load_digits(), "binary", "priors"],
    ids=["wine", "iris", "digits", "binary", "priors"],
)
def test_agrees_with_scikit_learn(data):
    """scikit-learn divides the within-class scatter by n: our "mle"."""
    priors = [0.5, 0.2, 0.2, 0.1] if data == "priors" else None
    if isinstance(data, str):
        X, y = blobs(n_classes=2 if data == "binary" else 4)
    else:
        X, y = data.data, data.target
    model = LinearDiscriminantAnalysis(method="mle", priors=priors)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Left out of the fit")  # the digits have blank pixels
        model.fit(X, y)
    theirs = TheirLDA(priors=priors).fit(X, y)
    for name in ("priors_", "means_", "xbar_", "coef_", "intercept_", "explained_variance_ratio_"):
        mine, other = getattr(model, name), getattr(theirs, name)
        assert_allclose(mine, other, rtol=1e-8, atol=1e-9 * np.abs(other).max(), err_msg=name)
    assert_array_equal(model.predict(X), theirs.predict(X))
    assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-12)
    shown, other = model.transform(X), theirs.transform(X)
    assert_allclose(shown, other * np.sign((shown * other).sum(axis=0)), rtol=1e-6, atol=1e-7)


def test_the_divisor_alone_sets_the_methods_apart():
    X, y = blobs()
    moment = LinearDiscriminantAnalysis().fit(X, y)
    mle = LinearDiscriminantAnalysis(method="mle").fit(X, y)
    assert_allclose(mle.coef_, moment.coef_ * 600 / 596, rtol=1e-9)
    assert_allclose(mle.scalings_, moment.scalings_ * np.sqrt(600 / 596), rtol=1e-9)


# ---------------------------------------------------------------- the ways in


@pytest.mark.parametrize("n", [3000, 60000])
def test_same_bits_for_any_number_of_threads(n):
    X, y = blobs(n, 12, 5)
    models = [LinearDiscriminantAnalysis(n_jobs=jobs).fit(X, y) for jobs in (1, 2, 7)]
    for other in models[1:]:
        for name in FITTED:
            assert_array_equal(getattr(models[0], name), getattr(other, name), err_msg=name)
        for method in ("predict", "predict_proba", "decision_function", "transform"):
            assert_array_equal(getattr(models[0], method)(X), getattr(other, method)(X))


@given(st.integers(0, 2**32 - 1))
def test_integer_weights_are_repeated_rows(seed):
    X, y = blobs(80, 3, 3, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 80)
    weights[:3] = 1
    weighted = LinearDiscriminantAnalysis().fit(X, y, sample_weight=weights)
    repeated = LinearDiscriminantAnalysis().fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    for name in (*FITTED, "class_count_"):
        mine, other = getattr(weighted, name), getattr(repeated, name)
        assert_allclose(mine, other, rtol=1e-7, atol=1e-7 * np.abs(other).max(), err_msg=name)


@pytest.mark.parametrize("cuts", [[1], [2, 300], [100, 200, 300, 400, 500]])
def test_partial_fit_is_fit(cuts):
    X, y = blobs()
    weights = np.random.default_rng(1).random(600)
    whole = LinearDiscriminantAnalysis().fit(X, y, weights)
    part = LinearDiscriminantAnalysis()
    for rows in np.split(np.arange(600), cuts):
        part.partial_fit(X[rows], y[rows], classes=range(4), sample_weight=weights[rows])
    for name in FITTED:
        assert_allclose(getattr(part, name), getattr(whole, name), rtol=1e-8, atol=1e-8)


def test_partial_fit_follows_fit_and_waits_for_every_class():
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert_allclose(model.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-9)
    waiting = LinearDiscriminantAnalysis().partial_fit(X[y < 3], y[y < 3], classes=[3, 2, 1, 0])
    with pytest.raises(AttributeError, match="not fitted"):
        waiting.predict(X)
    waiting.partial_fit(X[y == 3], y[y == 3])
    assert_array_equal(waiting.predict(X), model.predict(X))


def test_chunks_are_read_once():
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(Chunks(iter(np.split(X, [7, 300]))), y)
    assert_allclose(model.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-9)
    assert model.n_features_in_ == 5


def test_memory_map(tmp_path):
    X, y = blobs(3000)
    held = np.memmap(tmp_path / "rows", np.float64, "w+", shape=X.shape)
    held[:] = X
    held.flush()
    rows = np.memmap(tmp_path / "rows", np.float64, "r", shape=X.shape)
    model, other = (LinearDiscriminantAnalysis().fit(data, y) for data in (rows, X))
    assert_array_equal(model.coef_, other.coef_)
    assert_array_equal(model.predict_proba(rows), other.predict_proba(X))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_narrow_rows_are_their_own_values(dtype):
    X, y = blobs(2000)
    X = (20.0 * X + 128.0).clip(0, 255).astype(dtype)
    narrow, wide = (LinearDiscriminantAnalysis().fit(rows, y) for rows in (X, X.astype(float)))
    assert_allclose(vars(narrow)["coef_"], wide.coef_, rtol=1e-9)
    out = np.float32 if dtype is np.float32 else np.float64
    assert narrow.coef_.dtype == out
    for method in ("predict_proba", "predict_log_proba", "decision_function", "transform"):
        mine, other = getattr(narrow, method)(X), getattr(wide, method)(X.astype(float))
        assert mine.dtype == out
        assert_allclose(mine, other, rtol=1e-5, atol=1e-5 if out == np.float32 else 1e-9)


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "read-only", "list"])
@pytest.mark.parametrize("n", [50, 2000])
def test_layouts(layout, n):
    X, y = blobs(n)
    expected = LinearDiscriminantAnalysis().fit(X, y)
    given = {
        "fortran": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": X.copy(),
        "list": X.tolist(),
    }[layout]
    if layout == "read-only":
        given.flags.writeable = False
    model = LinearDiscriminantAnalysis().fit(given, y)
    assert_array_equal(model.coef_, expected.coef_)
    assert_array_equal(model.predict_proba(given), expected.predict_proba(X))
    assert_array_equal(model.predict(given), expected.predict(X))


@pytest.mark.parametrize(
    "labels", [["no", "yes", "maybe", "x"], [True, False], [-5, 7, 1000], [1.0, 2.0, 4.0]]
)
def test_labels_of_any_kind(labels):
    X, codes = blobs(n_classes=len(labels))
    y = np.array(labels)[codes]
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_array_equal(model.classes_, np.unique(y))
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) == LinearDiscriminantAnalysis().fit(X, codes).score(X, codes)


def test_object_labels():
    X, codes = blobs(n_classes=2)
    y = np.array(["one", "two"], dtype=object)[codes]
    model = LinearDiscriminantAnalysis().partial_fit(X, y, classes=["one", "two"])
    assert set(model.predict(X)) == {"one", "two"}
    with pytest.raises(ValueError, match="one class, 'one'"):
        LinearDiscriminantAnalysis().fit(X[codes == 0], y[codes == 0])


def test_n_components_limits_the_variates_alone():
    X, y = blobs()
    full, one = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis(n_components=1)
    one.fit(X, y)
    assert_allclose(one.transform(X), full.transform(X)[:, :1], rtol=1e-12, atol=1e-12)
    assert_array_equal(one.predict_proba(X), full.predict_proba(X))
    assert_array_equal(one.explained_variance_ratio_, full.explained_variance_ratio_[:1])
    assert one.get_feature_names_out().tolist() == ["lineardiscriminantanalysis0"]
    Z = LinearDiscriminantAnalysis(n_components=1).fit_transform(X, y)
    assert_array_equal(Z, one.transform(X))


def test_survives_pickle(fitted):
    model, X, _ = fitted
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


# ---------------------------------------------------------------- hard numbers


def test_far_from_the_origin():
    """Moved by 1e8 the rows are exact, and their means good to 1e-8."""
    X, y = blobs(2000)
    X = np.round(X * 2**10) / 2**10
    moved = X + 1e8
    near = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    far = LinearDiscriminantAnalysis(store_covariance=True).fit(moved, y)
    assert_allclose(far.covariance_, near.covariance_, rtol=1e-11)
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    assert_allclose(far.predict_proba(moved), near.predict_proba(X), atol=1e-6)


def test_scales_far_apart():
    X, y = blobs(2000)
    scales = 10.0 ** np.array([-80, -8, 0, 8, 80])
    plain, scaled = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis()
    scaled.fit(X * scales, y)
    assert_allclose(scaled.coef_ * scales, plain.coef_, rtol=1e-9)
    assert_allclose(
        scaled.predict_proba(X * scales), plain.predict_proba(X), rtol=1e-9, atol=1e-300
    )


def test_collinear_columns_are_named_and_do_no_harm():
    import pandas

    X, y = blobs()
    table = pandas.DataFrame(X, columns=list("abcde"))
    table["sum"] = table["b"] - 2.0 * table["d"]
    with pytest.warns(
        UserWarning, match=r"singular: 1 direction.* among columns 'b', 'd', 'sum'\."
    ):
        model = LinearDiscriminantAnalysis().fit(table, y)
    plain = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.predict_proba(table), plain.predict_proba(X), rtol=1e-7, atol=1e-12)
    assert_allclose(model.singular_values_, plain.singular_values_, rtol=1e-9)


def test_more_columns_than_rows():
    X, y = blobs(30, 50, 3)
    with pytest.warns(UserWarning, match=r"singular: 23 direction.* 45 more"):
        model = LinearDiscriminantAnalysis(method="mle").fit(X, y)
    theirs = TheirLDA().fit(X, y)
    assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_constant_columns_are_named_and_do_no_harm():
    X, y = blobs()
    wide = np.column_stack([np.full(600, 0.1), X, y])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LinearDiscriminantAnalysis().fit(wide, y)
    first, second = (str(warning.message) for warning in caught)
    assert "as constant: column 0." in first
    assert "constant within each class: column 6." in second
    plain = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.coef_[:, 1:6], plain.coef_, rtol=1e-9)
    assert_array_equal(model.coef_[:, [0, 6]], 0.0)
    assert_allclose(model.predict_proba(wide), plain.predict_proba(X), rtol=1e-9)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"n_components": 4}, ValueError, "n_components"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_components": 1.5}, TypeError, "n_components"),
        ({"method": "svd"}, ValueError, "method"),
        ({"tol": -1.0}, ValueError, "tol"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"priors": [0.5, 0.5]}, ValueError, "one probability for each of the 4 classes"),
        ({"priors": [0.5, 0.5, 0.5, -0.5]}, ValueError, "priors must all be positive"),
        ({"priors": [1.0, 0.0, 0.0, 0.0]}, ValueError, "priors must all be positive"),
        ({"priors": [0.5, 0.5, np.nan, 0.5]}, ValueError, "priors must all be positive"),
        ({"priors": "even"}, ValueError, "priors must be numbers"),
        ({"priors": [10**400, 1, 1, 1]}, ValueError, "priors must be numbers"),
    ],
)
def test_parameters_out_of_range(params, error, words):
    X, y = blobs()
    with pytest.raises(error, match=words):
        LinearDiscriminantAnalysis(**params).fit(X, y)


def spoilt(X, value):
    X = X.copy()
    X[400, 2] = value
    return X


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (spoilt(X, np.nan), y), "NaN.*row 400, column 2"),
        (lambda X, y: (spoilt(X, -np.inf), y), "infinity.*row 400, column 2"),
        (lambda X, y: (spoilt(X, 1e200), y), "squares overflow"),
        (lambda X, y: (X, np.zeros(600, int)), "at least 2 classes.*got one class, 0"),
        (
            lambda X, y: (X[:4], np.arange(4)),
            r"X must have more rows.* \(4\), than there are classes \(4\)",
        ),
        (lambda X, y: (np.ones((600, 5)), y), "No column of X varies"),
        (lambda X, y: (X, y[:-1]), r"600.*599"),
        (lambda X, y: (X[:0], y[:0]), r"0 sample\(s\)"),
        (lambda X, y: (X + 1j, y), "Complex data not supported"),
        (lambda X, y: (X, y + 0.5), "Unknown label type: continuous"),
        (lambda X, y: (X, None), "y"),
    ],
)
def test_data_that_cannot_be_fitted_leave_the_fit_before(change, words):
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(X, y)
    before = model.__dict__.copy()
    with pytest.raises(ValueError, match=words):
        model.fit(*change(X, y))
    assert model.__dict__ == before


def test_weights_that_cannot_be_fitted():
    X, y = blobs()
    with pytest.raises(ValueError, match=r"larger sum of sample_weight \(1\), than"):
        LinearDiscriminantAnalysis().fit(X, y, sample_weight=np.full(600, 1 / 600))
    model = LinearDiscriminantAnalysis(method="mle").fit(X, y, sample_weight=np.full(600, 1 / 600))
    assert_allclose(
        model.coef_, LinearDiscriminantAnalysis(method="mle").fit(X, y).coef_, rtol=1e-9
    )


def test_priors_that_do_not_sum_to_one():
    X, y = blobs()
    with pytest.warns(UserWarning, match="sum to 1 but to 2"):
        model = LinearDiscriminantAnalysis(priors=[0.5] * 4).fit(X, y)
    assert_allclose(model.priors_, [0.25] * 4)


@pytest.mark.parametrize(
    ("labels", "classes", "words"),
    [
        ([0, 1], None, "classes must be passed on the first call"),
        ([0, 5], [0, 1], "class 5, which is not among classes"),
        (["0", "1"], [0, 1], "class '0', which is not among classes"),
        ([0, 0], [0], "at least 2 classes"),
    ],
)
def test_partial_fit_refuses(labels, classes, words):
    with pytest.raises(ValueError, match=words):
        LinearDiscriminantAnalysis().partial_fit(np.eye(2), labels, classes=classes)


def test_partial_fit_refuses_other_classes_and_columns():
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="X has 4 features"):
        model.partial_fit(X[:, :4], y)


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function", "transform"]
)
def test_prediction_refuses(method, fitted):
    model, X, _ = fitted
    with pytest.raises(ValueError, match="X has 4 features, but LinearDiscriminantAnalysis"):
        getattr(model, method)(X[:, :4])
    with pytest.raises(ValueError, match="NaN"):
        getattr(model, method)(np.full((1, 5), np.nan))
    with pytest.raises(AttributeError, match="not fitted"):
        getattr(LinearDiscriminantAnalysis(), method)(X)


def test_a_tolerance_whose_square_overflows():
    X, y = load_iris().data, load_iris().target
    wide, wider = (LinearDiscriminantAnalysis(tol=tol) for tol in (1e150, 1e200))
    with pytest.raises(ValueError, match="X") as first:
        wide.fit(X, y)
    with pytest.raises(ValueError, match="X") as second:
        wider.fit(X, y)
    assert str(first.value)[:20] == str(second.value)[:20]


def test_classes_that_are_no_list_are_refused():
    for classes in (3, object(), np.array(2)):
        with pytest.raises(TypeError, match="classes must be a list of labels"):
            LinearDiscriminantAnalysis().partial_fit([[1.0], [2.0]], [0, 1], classes=classes)


def test_singular_values_by_either_divisor():
    """Between the classes both divide by K - 1, so that only n and n - K differ."""
    data = load_iris()
    unbiased, likely = (
        LinearDiscriminantAnalysis(method=method).fit(data.data, data.target)
        for method in ("moment", "mle")
    )
    times = np.sqrt(150 / 147)
    assert_allclose(likely.singular_values_, times * unbiased.singular_values_, rtol=1e-12)
