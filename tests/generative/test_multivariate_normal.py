# SPDX-License-Identifier: BSD-3-Clause
"""The multivariate normal distribution against R, scipy and scikit-learn, and its laws."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import covariance as theirs

from statfast import Chunks, MultivariateNormal
from statfast.generative import (
    cor2cov,
    cov2cor,
    generalized_variance,
    ledoit_wolf,
    oas,
    total_variance,
)

KNOWN = [[3.0, -4.7], [-4.7, 9.0]]


def rows(n=400, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 10.0 * rng.normal(size=d)


@pytest.fixture(scope="module")
def reference(shared_data):
    path = shared_data("..", "reference", "multivariate.json")
    return json.loads(path.read_text("utf-8"))["mvn"]


def test_agrees_with_r(reference):
    for number in "12":
        S, X = np.array(reference[f"S{number}"]), np.array(reference[f"x{number}"])
        mean = reference.get(f"mean{number}", np.arange(1.0, len(S) + 1))
        normal = MultivariateNormal.of(mean, S)
        assert_allclose(normal.score_samples(X), reference[f"logpdf{number}"], rtol=1e-12)
    assert_allclose(normal.mahalanobis(X), reference["mahalanobis2"], rtol=1e-11)
    assert_allclose(cov2cor(reference["S1"]), reference["cor1"], rtol=1e-12)
    for d in (2, 5):
        for content, radius2 in zip(
            (0.5, 0.75, 0.9, 0.95, 0.99), reference[f"radius2_p{d}"], strict=True
        ):
            found = MultivariateNormal.of(np.zeros(d), np.eye(d)).ellipsoid(content)
            assert found.radius2 == pytest.approx(radius2, rel=1e-12)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([np.float64, np.float32]))
def test_density_is_scipys(d, seed, dtype):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    S, mean, X = A @ A.T + 0.1 * np.eye(d), rng.normal(size=d), rng.normal(size=(30, d))
    X = X.astype(dtype)
    found = MultivariateNormal.of(mean, S).score_samples(X)
    loose = 1e-8 if dtype is np.float64 else 1e-5
    expected = np.atleast_1d(stats.multivariate_normal(mean, S).logpdf(X.astype(float)))
    assert_allclose(found, expected, rtol=loose)
    assert found.dtype == dtype


@pytest.mark.parametrize("method", ["moment", "mle"])
@pytest.mark.parametrize("form", ["full", "diag", "spherical"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fit_is_the_definition(form, method, weighted):
    X = rows()
    weights = np.random.default_rng(1).integers(0, 4, 400) if weighted else np.ones(400, int)
    normal = MultivariateNormal(covariance_type=form, method=method)
    normal.fit(X, sample_weight=weights.astype(float) if weighted else None)
    R = np.repeat(X, weights, axis=0)
    S = np.cov(R.T, ddof=1 if method == "moment" else 0)
    S = {"full": S, "diag": np.diag(np.diag(S)), "spherical": np.eye(4) * np.trace(S) / 4}[form]
    assert_allclose(normal.mean_, R.mean(axis=0), rtol=1e-12)
    assert_allclose(normal.covariance_, S, rtol=1e-11, atol=1e-12)
    assert normal.n_parameters_ == 4 + {"full": 10, "diag": 4, "spherical": 1}[form]
    assert normal.n_samples_ == weights.sum()
    expected = stats.multivariate_normal(R.mean(axis=0), S).logpdf(X)
    assert_allclose(normal.score_samples(X), expected, rtol=1e-9)
    assert normal.score(X) == pytest.approx(expected.mean())


def test_shrinkage_is_scikit_learns():
    X = rows(30, 8)
    for rule, function, twin in (
        ("ledoit_wolf", ledoit_wolf, theirs.ledoit_wolf),
        ("oas", oas, theirs.oas),
    ):
        for centered in (False, True):
            ours, expected = (
                function(X, assume_centered=centered),
                twin(X, assume_centered=centered),
            )
            assert_allclose(ours[0], expected[0], rtol=1e-11)
            assert ours[1] == pytest.approx(expected[1], rel=1e-9)
        model = MultivariateNormal(shrinkage=rule, method="mle").fit(X)
        assert_allclose(model.covariance_, twin(X)[0], rtol=1e-11)
        assert model.shrinkage_ == pytest.approx(twin(X)[1], rel=1e-9)
    weights = np.random.default_rng(0).integers(1, 4, 30)
    repeated = ledoit_wolf(np.repeat(X, weights, axis=0))
    assert_allclose(ledoit_wolf(X, sample_weight=weights.astype(float))[0], repeated[0], rtol=1e-11)
    half = MultivariateNormal(shrinkage=0.5).fit(X).covariance_
    S = np.cov(X.T)
    assert_allclose(half, 0.5 * S + 0.5 * np.trace(S) / 8 * np.eye(8), rtol=1e-11)


def test_shrinkage_of_one_column_is_none():
    assert ledoit_wolf(rows(20, 1))[1] == 0.0
    assert_allclose(oas(rows(20, 1))[0], np.cov(rows(20, 1).T, ddof=0))


def test_parts_chunks_and_sums_are_one_fit():
    X = rows(900)
    whole, parts = MultivariateNormal(shrinkage="ledoit_wolf").fit(X), MultivariateNormal()
    for start in range(0, 900, 3):
        parts.partial_fit(X[start : start + 3])
    plain = MultivariateNormal().fit(X)
    assert_allclose(parts.covariance_, plain.covariance_, rtol=1e-10)
    chunked = MultivariateNormal(shrinkage="ledoit_wolf").fit(Chunks([X[:100], X[100:]]))
    assert_allclose(chunked.covariance_, whole.covariance_, rtol=1e-10)
    (data, _), state = plain._prepare(X, None, None)
    halves = [plain._statistics((data[part], None), state) for part in (slice(9), slice(9, None))]
    merged = MultivariateNormal()._solve(halves[0] + halves[1], state)
    assert_allclose(merged.score_samples(X), plain.score_samples(X), rtol=1e-10)
    with pytest.raises(ValueError, match="one weight per row"):
        MultivariateNormal().fit(Chunks([X]), sample_weight=np.ones(5))


@pytest.mark.parametrize(
    "params", [{}, {"method": "mle"}, {"covariance_type": "diag"}, {"shrinkage": "oas"}]
)
def test_leave_one_out_is_n_fits(params):
    X, weights = rows(40, 3), np.random.default_rng(0).integers(0, 4, 40).astype(float)
    X[3] += 1e3
    for w in (None, weights):
        held = MultivariateNormal(**params).leave_one_out(X, w)
        expected = []
        for i in range(40):
            kept = np.arange(40) != i
            model = MultivariateNormal(**params)
            model.fit(X[kept], sample_weight=None if w is None else w[kept])
            expected.append(model.score_samples(X[i : i + 1])[0])
        assert_allclose(held, expected, rtol=1e-9)


@pytest.mark.parametrize("root", ["cholesky", "spectral", "svd"])
def test_samples(root):
    S = np.array([[4.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    normal = MultivariateNormal.of([1.0, 2.0, 3.0], S)
    X = normal.sample(200_000, 0, root=root)
    assert_allclose(X.mean(axis=0), [1, 2, 3], atol=0.02)
    assert_allclose(np.cov(X.T), S, atol=0.05)
    for n_jobs in (1, 2, 7):
        same = MultivariateNormal.of([1.0, 2.0, 3.0], S, n_jobs=n_jobs)
        assert_array_equal(same.sample(200_000, 0, root=root), X)
    inside = normal.ellipsoid(0.9).contains(X)
    assert inside.mean() == pytest.approx(0.9, abs=0.005)
    assert_array_equal(~inside, normal.outliers(X, 0.9))


def test_samples_of_a_singular_covariance_stay_in_its_subspace():
    B = np.random.default_rng(0).normal(size=(4, 2))
    normal = None
    with pytest.warns(UserWarning, match="rank 2 of 4"):
        normal = MultivariateNormal.of(np.ones(4), B @ B.T, allow_singular=True)
    for root in ("cholesky", "spectral", "svd"):
        X = normal.sample(500, 1, root=root)
        assert np.linalg.matrix_rank(X - 1.0, tol=1e-6) == 2
        assert np.isfinite(normal.score_samples(X)).all()
    expected = stats.multivariate_normal(np.ones(4), B @ B.T, allow_singular=True).logpdf(X)
    assert_allclose(normal.score_samples(X), expected, rtol=1e-7)
    assert normal.score_samples(X + np.eye(4)[0]).max() == -np.inf
    assert normal.rank_ == 2
    assert normal.ellipsoid(0.5).half_axes.shape == (2,)


def test_singular_covariances_are_refused_by_name():
    import pandas

    X = rows(50, 3)
    table = pandas.DataFrame(X, columns=list("abc"))
    table["sum"], table["one"] = table["a"] + table["c"], 1.0
    words = r"constant in column 'one', and 1 direction.*columns 'a', 'c', 'sum' are collinear"
    with pytest.raises(np.linalg.LinAlgError, match=words):
        MultivariateNormal().fit(table)
    with pytest.warns(UserWarning, match="rank 3 of 5"):
        model = MultivariateNormal(allow_singular=True).fit(table)
    assert np.isfinite(model.score_samples(table)).all()
    table["one"] = 2.0
    assert (model.score_samples(table) == -np.inf).all()
    with pytest.raises(ValueError, match="no unbiased covariance"):
        MultivariateNormal().fit(X[:1])
    with pytest.raises(ValueError, match="singular"):
        MultivariateNormal(method="mle").fit(X[:1])


def test_ellipsoids():
    normal = MultivariateNormal.of([0.5, -1.0], KNOWN)
    half = normal.ellipsoid(0.75)
    assert half.radius2 == pytest.approx(2.7726, abs=1e-4)
    on = half.outline(50)
    assert_allclose(normal.mahalanobis(on), half.radius2, rtol=1e-10)
    assert_allclose(on[0], on[-1], atol=1e-12)
    area = np.pi * np.sqrt(4.91) * half.radius2
    assert half.log_volume == pytest.approx(np.log(area))
    assert half.half_axes[0] > half.half_axes[1]
    assert half.contains([[0.5, -1.0], [50.0, 0.0]]).tolist() == [True, False]
    with pytest.raises(ValueError, match="content must be less than 1"):
        normal.ellipsoid(1.0)
    with pytest.raises(ValueError, match="2 columns"):
        MultivariateNormal.of(np.zeros(3), np.eye(3)).ellipsoid().outline()
    with pytest.raises(ValueError, match="X must have 2 columns"):
        half.contains([[1.0]])


def test_marginal_conditional_and_affine():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(4, 4))
    S, m = A @ A.T + np.eye(4), rng.normal(size=4)
    normal = MultivariateNormal.of(m, S)
    part = normal.marginal([2, 0])
    assert_array_equal(part.covariance_, S[np.ix_([2, 0], [2, 0])])
    # p(x) = p(x_rest | x_given) p(x_given)
    x = rng.normal(size=(1, 4))
    given = normal.marginal([1, 3]).score_samples(x[:, [1, 3]])
    rest = normal.conditional([1, 3], x[0, [1, 3]]).score_samples(x[:, [0, 2]])
    assert_allclose(normal.score_samples(x), given + rest, rtol=1e-10)
    M = rng.normal(size=(2, 4))
    moved = normal.affine(M, [1.0, 2.0])
    assert_allclose(moved.mean_, [1.0, 2.0] + M @ m, rtol=1e-12)
    assert_allclose(moved.covariance_, M @ S @ M.T, rtol=1e-10)
    assert_allclose(normal.affine(np.eye(4)).covariance_, S, rtol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        normal.affine(np.ones((5, 4)))
    with pytest.raises(ValueError, match="A must have 4 columns"):
        normal.affine(np.eye(3))
    with pytest.raises(ValueError, match="got all"):
        normal.conditional([0, 1, 2, 3], np.zeros(4))
    for wrong in ([4], [-1], ["a"], [0, 0], [], [True]):
        with pytest.raises(ValueError, match="columns must be"):
            normal.marginal(wrong)
    with pytest.raises(TypeError, match="columns must be a list"):
        normal.marginal("ab")
    with pytest.raises(ValueError, match="values must hold 1 numbers"):
        normal.conditional([0], [1.0, 2.0])


def test_conditional_of_a_singular_distribution():
    with pytest.warns(UserWarning, match="rank 1 of 2"):
        normal = MultivariateNormal.of([0, 0], [[1.0, 2.0], [2.0, 4.0]], allow_singular=True)
    with pytest.warns(UserWarning, match="rank 0 of 1"):
        point = normal.conditional([0], [3.0])
    assert_allclose(point.mean_, [6.0])
    assert point.rank_ == 0


@pytest.mark.filterwarnings("ignore::UserWarning")  # of the rank; numpy's would be an error
def test_conditional_variances_that_round_below_zero():
    for seed in range(30):
        a = np.random.default_rng(seed).standard_normal(3)
        normal = MultivariateNormal.of(np.zeros(3), np.outer(a, a), allow_singular=True)
        point = normal.conditional([0], [1.0])
        assert_allclose(point.mean_, a[1:] / a[0], rtol=1e-12)


def test_names_of_columns():
    import pandas

    table = pandas.DataFrame(rows(60, 3), columns=["x", "y", "z"])
    normal = MultivariateNormal().fit(table)
    assert normal.marginal(["z", "x"]).feature_names_in_.tolist() == ["z", "x"]
    assert normal.conditional(["y"], [0.0]).feature_names_in_.tolist() == ["x", "z"]


@pytest.mark.parametrize(
    ("mean", "S", "words"),
    [
        ([0, 0], [[1.0, 2.0], [3.0, 4.0]], "covariance must be symmetric"),
        ([0, 0], [[1.0, 2.0], [2.0, 1.0]], "positive semi-definite.*eigenvalue -1"),
        ([0, 0], [[1.0, 2.0]], "covariance must be square"),
        ([0], [[1.0, 0.0], [0.0, 1.0]], "mean must hold 2 numbers"),
        ([0, np.nan], [[1.0, 0.0], [0.0, 1.0]], "mean contains NaN"),
        ([0, 0], [[1.0, 0.0], [0.0, 0.0]], "singular: it is constant in column 1"),
    ],
)
def test_what_is_no_distribution(mean, S, words):
    with pytest.raises(ValueError, match=words):
        MultivariateNormal.of(mean, S)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"covariance_type": "tied"}, ValueError),
        ({"method": "ml"}, ValueError),
        ({"shrinkage": "auto"}, TypeError),
        ({"shrinkage": 2.0}, ValueError),
        ({"tol": -1.0}, ValueError),
        ({"allow_singular": 2}, TypeError),
    ],
)
def test_parameters_out_of_range(params, error):
    with pytest.raises(error, match=next(iter(params))):
        MultivariateNormal(**params).fit(rows())


def test_unfitted_and_pickled():
    for call in (lambda m: m.sample(), lambda m: m.ellipsoid(), lambda m: m.marginal([0])):
        with pytest.raises(AttributeError, match="not fitted"):
            call(MultivariateNormal())
    model = MultivariateNormal().fit(rows())
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.score_samples(rows()), model.score_samples(rows()))
    for n_jobs in (2, 7):
        other = MultivariateNormal(n_jobs=n_jobs).fit(rows(30000))
        assert_array_equal(
            other.score_samples(rows(30000)),
            MultivariateNormal(n_jobs=1).fit(rows(30000)).score_samples(rows(30000)),
        )


def test_matrices():
    assert cov2cor(KNOWN)[0, 1] == pytest.approx(-0.9045, abs=5e-5)
    assert_allclose(cor2cov(cov2cor(KNOWN), np.sqrt([3.0, 9.0])), KNOWN, rtol=1e-14)
    assert total_variance(KNOWN) == 12.0
    assert generalized_variance(KNOWN) == pytest.approx(27.0 - 4.7**2)
    assert generalized_variance([[1.0, 2.0], [2.0, 4.0]]) == 0.0
    with pytest.raises(ValueError, match="got 0 in column 1"):
        cov2cor([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="ones on its diagonal"):
        cor2cov(KNOWN, [1.0, 1.0])
    for spread in ([1.0], [1.0, -1.0]):
        with pytest.raises(ValueError, match="standard_deviations must be 2 numbers"):
            cor2cov(np.eye(2), spread)
