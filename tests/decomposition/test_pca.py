# SPDX-License-Identifier: BSD-3-Clause
"""Principal components: by definition, by R, far from the origin, and in every shape."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from statfast import PCA, Chunks, IncrementalPCA, PrincipalComponentRegression, TruncatedSVD
from statfast.datasets import load_digits, load_iris
from statfast.decomposition.components import decompose
from tests.reference.decomposition import components, reconstruction_errors, singular_values


def graded(n, d, seed=0, least=0.3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(3.0, least, d) + rng.normal(size=d)


def assert_components(model, X, weights=None, rtol=1e-10, **how):
    s, V = components(X, weights, **how)
    k = model.n_components_
    assert_allclose(model.singular_values_, s[:k], rtol=rtol, atol=1e-12 * s[0])
    live = s[:k] > 1e-9 * s[0]
    assert_allclose(model.components_[live], V[:k][live], atol=1e-7)
    assert_allclose(model.components_ @ model.components_.T, np.eye(k), atol=1e-12)


@given(st.integers(2, 80), st.integers(1, 40), st.booleans(), st.booleans(), st.integers(0, 999))
def test_by_definition(n, d, correlation, weighted, seed):
    rng = np.random.default_rng(seed)
    X = graded(n, d, seed)
    w = rng.integers(1, 4, n) if weighted else None
    model = PCA(correlation=correlation).fit(X, sample_weight=w)
    s, _ = components(X, w, correlation=correlation)
    m = min(len(s), model.n_components_)
    assert_allclose(model.singular_values_[:m], s[:m], atol=1e-10 * s[0])
    freedom = (n if w is None else w.sum()) - 1
    assert_allclose(model.explained_variance_[:m], s[:m] ** 2 / freedom, atol=1e-10 * s[0] ** 2)
    back = model.inverse_transform(model.transform(X))
    if model.n_components_ >= min(n - 1, d):
        assert_allclose(back, X, atol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("shape", [(300, 20), (20, 300), (120, 110)])
@pytest.mark.parametrize("correlation", [False, True])
def test_solvers_agree(solver, shape, correlation):
    X = graded(*shape)
    model = PCA(3, svd_solver=solver, correlation=correlation, random_state=1).fit(X)
    assert_components(model, X, correlation=correlation, rtol=1e-9)
    s = components(X, correlation=correlation)[0]
    left = (s[3:] ** 2).sum() / (len(X) - 1) / (min(shape) - 3)
    assert_allclose(model.noise_variance_, left, rtol=1e-9)
    assert_allclose(model.explained_variance_ratio_, s[:3] ** 2 / (s**2).sum(), rtol=1e-9)


def test_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.decomposition")
    X = graded(80, 7)
    for k, whiten in [(3, False), (None, True), (0.8, False), ("mle", False)]:
        ours = PCA(k, whiten=whiten).fit(X)
        theirs = sklearn.PCA(k, whiten=whiten, svd_solver="full").fit(X)
        assert ours.n_components_ == theirs.n_components_
        for name in ("components_", "explained_variance_", "explained_variance_ratio_",
                     "singular_values_", "mean_", "noise_variance_"):  # fmt: skip
            assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-12)
        scores = theirs.transform(X)
        assert_allclose(ours.transform(X), scores, atol=1e-10)
        assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(scores))
        if whiten:  # scikit-learn's covariance is then one of scores, not of rows
            theirs = sklearn.PCA(k, svd_solver="full").fit(X)
        assert_allclose(ours.score_samples(X), theirs.score_samples(X))
        assert_allclose(ours.score(X), theirs.score(X))
        assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-12)
        assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-9)
    ours, theirs = IncrementalPCA(3).fit(X), sklearn.PCA(3).fit(X)
    assert_allclose(ours.components_, theirs.components_, atol=1e-10)
    assert_allclose(ours.var_, X.var(0))
    ours, theirs = TruncatedSVD(3).fit(X), sklearn.TruncatedSVD(3, algorithm="arpack").fit(X)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_",
                 "singular_values_"):  # fmt: skip
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-10)


# ------------------------------------------------------------------ known answers
@pytest.mark.parametrize("name", ["usarrests_scaled", "usarrests", "iris", "wine_scaled"])
def test_prcomp(name, shared_data):
    known = json.loads((shared_data().parent / "reference" / "prcomp.json").read_text())[name]
    if name == "iris":
        X = load_iris().data
    elif name == "wine_scaled":
        from statfast.datasets import load_wine

        X = load_wine().data
    else:
        import csv

        with open(shared_data("r", "datasets_USArrests.csv")) as file:
            X = np.array([row[-4:] for row in list(csv.reader(file))[1:]], dtype=float)
    model = PCA(correlation=name.endswith("scaled")).fit(X)
    assert_allclose(model.sdev_, known["sdev"], rtol=1e-12)
    assert_allclose(model.explained_variance_ratio_, known["variance_proportion"], rtol=1e-11)
    assert_allclose(abs(model.loadings_), np.abs(known["rotation"]["values"]), atol=1e-9)
    assert_allclose(model.mean_, known["center"], rtol=1e-13)


def test_decathlon(shared_data):
    """FactoMineR divides by the standard deviation of divisor n."""
    path = shared_data().parent / "reference" / "pca_isotonic.json"
    known = json.loads(path.read_text())["decathlon"]
    X = np.array(known["X"])
    n, model = len(X), PCA(correlation=True).fit(X)
    assert_allclose(model.explained_variance_, np.array(known["eig"])[:, 0], rtol=1e-11)
    larger = np.sqrt(n / (n - 1))
    assert_allclose(abs(model.transform(X) * larger), np.abs(known["ind_coord"]), atol=1e-10)
    assert_allclose(model.cos2(X), known["ind_cos2"], atol=1e-11)
    assert_allclose(100 * model.contributions(X), known["ind_contrib"], atol=1e-9)
    assert_allclose(abs(model.variable_coordinates()), np.abs(known["var_coord"]), atol=1e-11)
    assert_allclose(model.variable_correlations(), model.variable_coordinates(), atol=1e-12)
    assert_allclose(model.variable_cos2(), known["var_cos2"], atol=1e-11)
    assert_allclose(100 * model.variable_contributions(), known["var_contrib"], atol=1e-9)


def test_two_points_far_out_in_float32():
    X = np.array([[100001, 100000], [100000, 100001]], dtype=np.float32)
    model = PCA(1).fit(X)
    assert_allclose(vars(model)["components_"], [[np.sqrt(0.5), -np.sqrt(0.5)]], rtol=1e-12)
    assert_allclose(abs(model.transform(X)), [[np.sqrt(0.5)], [np.sqrt(0.5)]], rtol=1e-6)


@pytest.mark.parametrize("shape", [(400, 6), (30, 200), (150, 120)])
@pytest.mark.parametrize("solver", ["auto", "randomized"])
def test_far_from_the_origin(shape, solver):
    X = np.round(graded(*shape) * 2**10) / 2**10  # whose sum with 1e8 is exact
    near = PCA(4, svd_solver=solver).fit(X)
    far = PCA(4, svd_solver=solver).fit(X + 1e8)
    assert_allclose(far.components_, near.components_, atol=1e-6)
    assert_allclose(far.singular_values_, near.singular_values_, rtol=1e-9)
    assert_allclose(far.transform(X + 1e8), near.transform(X), atol=1e-5)


@pytest.mark.parametrize(("first", "alternating", "deviation"), [
    (1000000.2, (1000000.1, 1000000.3), 0.1), (10000000.2, (10000000.1, 10000000.3), 0.1),
])  # fmt: skip
def test_numerical_accuracy_3_and_4(first, alternating, deviation):
    """NIST's NumAcc3 and NumAcc4, as a column."""
    X = np.array([first] + list(alternating) * 500)[:, None]
    model = PCA().fit(np.hstack([X, np.zeros_like(X)]))
    assert_allclose(model.mean_[0], first, rtol=1e-15)
    assert_allclose(model.sdev_[0], deviation, rtol=1e-8)


@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (9, 9)])
def test_singular_values_to_fifty_digits(shape):
    """Graded over eight powers of ten: small ones as good as large ones, up to their condition."""
    pytest.importorskip("mpmath")
    rng = np.random.default_rng(1)
    X = rng.standard_normal(shape)
    axis = 1 if shape[0] > shape[1] else 0
    scale = 10.0 ** -np.linspace(0, 6, shape[axis])
    X = X * (scale if axis else scale[:, None])
    want = singular_values(X)[: min(shape[0] - 1, shape[1])]
    got = PCA().fit(X).singular_values_[: len(want)]
    assert_allclose(got, want, rtol=2e-16 * 50 * want[0] / want[-1])
    large = want > 1e-3 * want[0]
    assert_allclose(got[large], want[large], rtol=1e-11)


def test_rank_one():
    X = np.outer(np.arange(1.0, 8.0), [3.0, -4.0, 12.0])
    model = PCA(whiten=True).fit(X)
    assert_allclose(model.components_[0], np.array([3.0, -4.0, 12.0]) / 13)
    assert (model.singular_values_[1:] == 0).all()
    assert (model.transform(X)[:, 1:] == 0).all()  # nothing is amplified
    assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-14)


def test_low_rank_whitened_stays_finite():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 30))
    for solver in ("auto", "covariance_eigh"):
        Z = PCA(whiten=True, svd_solver=solver).fit_transform(X)
        assert abs(Z).max() < 10
        assert_allclose(np.cov(Z[:, :5].T), np.eye(5), atol=1e-8)
        assert (Z[:, 5:] == 0).all()


# ------------------------------------------------------------------ kinds of rows
@pytest.mark.parametrize("k", [2, None])
@pytest.mark.parametrize("correlation", [False, True])
@pytest.mark.parametrize("shape", [(400, 30), (900, 700)])
def test_sparse_rows(k, correlation, shape):
    X = sparse.random_array(
        shape, density=0.05, random_state=np.random.default_rng(0), format="csr"
    )
    w = np.random.default_rng(1).integers(0, 3, shape[0])
    a = PCA(k, correlation=correlation).fit(X, sample_weight=w)
    b = PCA(k, correlation=correlation, svd_solver="full").fit(X.toarray(), sample_weight=w)
    assert_allclose(a.singular_values_, b.singular_values_, rtol=1e-8, atol=1e-9)
    assert_allclose(a.components_[:2], b.components_[:2], atol=1e-6)
    assert_allclose(a.transform(X)[:, :2], b.transform(X.toarray())[:, :2], atol=1e-5)
    assert_allclose(a.cos2(X)[:, :2], b.cos2(X.toarray())[:, :2], atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_maps(dtype, order, tmp_path):
    X = graded(20_000, 5).astype(dtype)
    how = {"filename": tmp_path / "rows", "dtype": dtype, "shape": X.shape, "order": order}
    held = np.memmap(mode="w+", **how)
    held[:] = X
    held.flush()
    rows = np.memmap(mode="r", **how)
    want = PCA(3).fit(X)
    for n_jobs in (1, 2, 7):
        got = PCA(3, n_jobs=n_jobs).fit(rows)
        assert np.array_equal(got.components_, want.components_)
        assert np.array_equal(got.singular_values_, want.singular_values_)
    assert np.array_equal(got.transform(rows), want.transform(X))


def test_chunks_and_batches_are_exact():
    X = graded(500, 6)
    whole = PCA(4).fit(X)
    parts = [X[:7], X[7:8], X[8:300], X[300:]]
    batches = [PCA(4), IncrementalPCA(4)]
    for part in parts:
        batches = [model.partial_fit(part) for model in batches]
    chunked = [PCA(4).fit(Chunks(parts)), IncrementalPCA(4).fit(Chunks(parts))]
    for model in [*batches, *chunked, IncrementalPCA(4, batch_size=9).fit(X)]:
        assert_allclose(model.components_, whole.components_, atol=1e-10)
        assert_allclose(model.explained_variance_, whole.explained_variance_, rtol=1e-11)
        assert_allclose(model.noise_variance_, whole.noise_variance_, rtol=1e-10)
    with pytest.raises(ValueError, match="X has 5 features"):
        batches[0].partial_fit(X[:, :5])
    alone = PCA().partial_fit(X[:1])
    with pytest.raises(ValueError, match="not fitted"):
        alone.transform(X)
    assert alone.partial_fit(X[1:3]).n_components_ == 3


def test_a_fit_that_kept_no_sums_is_not_added_to_without_a_word():
    X = graded(60, 4)
    for model in [
        PCA().fit(X[:30]),
        PCA().fit(Chunks([X[:30]])),
        PCA().partial_fit(X[:30]).fit(X[:30]),
    ]:
        with pytest.warns(UserWarning, match="PCA was fitted in a way that keeps no sums"):
            model.partial_fit(X[30:])
        assert_allclose(model.components_, PCA().partial_fit(X[30:]).components_)


def test_float32_rows():
    X = graded(300, 12).astype(np.float32)
    exact = PCA(4).fit(X.astype(np.float64))
    model = PCA(4).fit(X)
    assert_allclose(model.singular_values_, exact.singular_values_, rtol=1e-5)
    assert_allclose(model.components_, exact.components_, atol=1e-5)
    assert model.transform(X).dtype == np.float32


@pytest.mark.once
def test_iteration_of_large_rows():
    """Many rows and columns, few components: converged, and told so."""
    rng = np.random.default_rng(0)
    X = graded(1300, 1100, least=1.0)
    model = PCA(3).fit(X)
    assert model.residuals_.max() < 1e-9
    assert_components(model, X, rtol=1e-10)
    again = PCA(3).fit(X)
    assert np.array_equal(model.components_, again.components_)
    other = PCA(3, random_state=5, tol=1e-12).fit(X)
    assert_allclose(other.components_, model.components_, atol=1e-6)
    assert other.residuals_.max() < 1e-11
    flat = rng.standard_normal((1100, 1050))  # whose spectrum has no gaps: restarts
    assert_components(PCA(5).fit(flat), flat, rtol=1e-9)


def test_protocol_of_sums():
    X = graded(300, 8)
    w = np.random.default_rng(0).integers(0, 3, 300)
    model = PCA(3, correlation=True)
    columns, state = model._prepare(X, None, w)
    cut = [slice(0, 100), slice(100, 101), slice(101, 300)]
    parts = [model._statistics(tuple(c[some] for c in columns), state) for some in cut]
    merged = PCA(3, correlation=True)._solve((parts[0] + parts[1]) + parts[2], state)
    alone = PCA(3, correlation=True).fit(X, sample_weight=w)
    assert_allclose(merged.components_, alone.components_, atol=1e-12)
    assert_allclose(merged.transform(X), alone.transform(X), atol=1e-11)


# ------------------------------------------------------------------ what it says
def test_error_of_a_compression():
    X = load_digits().data
    model = PCA(20).fit(X)
    want = reconstruction_errors(X, 20).mean()
    assert_allclose(model.reconstruction_error(X), want)
    left = model.noise_variance_ * (64 - 20) * (len(X) - 1) / len(X)
    assert_allclose(model.reconstruction_error(X), left)


def test_rows_and_columns_are_accounted_for():
    X = graded(60, 5)
    w = np.random.default_rng(2).integers(1, 4, 60)
    model = PCA().fit(X, sample_weight=w)
    assert_allclose(model.cos2(X).sum(axis=1), 1.0)
    assert_allclose(model.contributions(X, w).sum(axis=0), 1.0)
    assert_allclose(model.variable_contributions().sum(axis=0), 1.0)
    repeated = X.repeat(w, axis=0)
    scores = model.transform(repeated)
    together = np.corrcoef(np.hstack([repeated, scores]).T)[:5, 5:]
    assert_allclose(model.variable_correlations(), together, atol=1e-12)
    assert_allclose(model.variable_cos2().sum(axis=1), 1.0)


def test_summary():
    text = str(PCA().fit(load_iris().data).summary())
    assert "PC4" in text
    assert "0.9246" in text


# ------------------------------------------------------------------ what it refuses
def test_constant_columns():
    X = np.column_stack([graded(30, 3), np.full(30, 0.1)])
    with pytest.warns(UserWarning, match=r"constant: column\(s\) 3"):
        model = PCA(correlation=True).fit(X)
    assert (model.components_[:3, 3] == 0).all()
    assert_allclose(model.explained_variance_.sum(), 3.0)
    with pytest.warns(UserWarning, match="constant"):
        wide = PCA(correlation=True).fit(np.hstack([X.T[:, :2].T, np.ones((2, 9))]))
    assert np.isfinite(wide.components_).all()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 7}, "n_components must be between 1 and the smaller of rows and columns"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"n_components": "most"}, "'mle', 'kaiser' or 'broken_stick'"),
        ({"svd_solver": "fast"}, "svd_solver"),
        ({"iterated_power": -1}, "iterated_power"),
        ({"tol": -1.0}, "tol"),
    ],
)
def test_wrong_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        PCA(**params).fit(graded(30, 6))


def test_rows_without_variance():
    X = np.full((9, 3), 0.1)
    with pytest.warns(UserWarning, match="No column of X varies"):
        model = PCA(2).fit(X)
    assert (model.explained_variance_ratio_ == 0).all()
    with pytest.raises(ValueError, match="share of the variance"):
        PCA(0.9).fit(X)
    with pytest.raises(ValueError, match="no density"):
        model.score(X)
    with pytest.raises(ValueError, match="minimum of 2"):
        PCA().fit(X[:1])
    with pytest.raises(ValueError, match="sample_weight must sum to more than 1"):
        PCA().fit(X, sample_weight=np.full(9, 0.1))


@pytest.mark.parametrize("shape", [(60, 5), (5, 60), (1100, 1050)])
def test_what_is_not_finite_is_found(shape):
    X = graded(*shape)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN, first at row 3, column 2"):
        PCA(2).fit(X)
    X[3, 2] = 1e200
    with pytest.raises(ValueError, match="squares overflow"):
        PCA(2).fit(X)


def test_no_room_for_a_covariance(monkeypatch):
    from statfast._validation import memory

    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 27)
    with pytest.raises(MemoryError, match="The scatter of 2000 columns"):
        PCA().fit(np.zeros((2000, 2000)))


def test_small_singular_values_need_the_second_pass(monkeypatch):
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    X = graded(200, 6, least=1e-6) @ turn
    s = components(X)[0]
    assert_allclose(PCA().fit(X).singular_values_, s, rtol=1e-8)
    monkeypatch.setattr(decompose, "MIN_SINGULAR_VALUE", 0.0)
    assert abs(PCA().fit(X).singular_values_ - s)[-1] > 1e-6 * s[-1]


def test_scores_of_batches_are_whitened():
    X = graded(60, 4)
    model = IncrementalPCA(3, whiten=True)
    for rows in (X[:20], X[20:]):
        model.partial_fit(rows)
    assert_allclose(model.transform(X).var(axis=0, ddof=1), 1.0, rtol=1e-8)
    assert_allclose(IncrementalPCA(3, whiten=True).fit(X).transform(X).var(axis=0, ddof=1), 1.0)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_ratios_of_components_do_not_know_the_unit(size):
    X = graded(60, 4) * size
    y = X[:, 0]
    for cls in (PCA, PrincipalComponentRegression):
        ratios = [cls(2).fit(rows, y).explained_variance_ratio_ for rows in (X, X / size)]
        assert_allclose(ratios[0], ratios[1])
        assert 0 < ratios[0].sum() < 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (PCA(2, power_iteration_normalizer="none of them"), "power_iteration_normalizer"),
        (TruncatedSVD(2, algorithm="none of them"), "algorithm"),
    ],
)
def test_words_that_are_not_known(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(graded(30, 4))


@pytest.mark.parametrize("name", ["fit", "partial_fit"])
def test_parameters_of_batches_are_checked(name):
    for params in ({"batch_size": 0}, {"whiten": "yes"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(params))):
            getattr(IncrementalPCA(2, **params), name)(graded(30, 4))


@pytest.mark.parametrize("shape", [(120, 120), (200, 90), (130, 120)])
@pytest.mark.parametrize("fade", [0.0, 2.0, 7.0])
def test_all_components_are_those_of_the_singular_value_decomposition(shape, fade):
    """Small singular values are found again, by slight turns where these do, else anew."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.logspace(0.0, -fade, shape[1]) + 1.0
    model = PCA().fit(X)
    Z = X - X.mean(axis=0)
    s = np.linalg.svd(Z, compute_uv=False)
    assert_allclose(model.singular_values_, s, rtol=1e-8, atol=1e-12 * s[0])
    V = model.components_
    assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-12)
    scores = Z @ V.T
    assert_allclose(scores.T @ scores, np.diag(model.singular_values_**2), atol=1e-12 * s[0] ** 2)


def test_turns_of_equal_values_are_left_to_the_decomposition():
    near = np.diag([4.0, 1.0 + 1e-9, 1.0])
    near[2, 1] = near[1, 2] = 1e-7
    assert decompose._turned_slightly(near, np.eye(3), 1e-15) is None
    far = np.diag([4.0, 2.0, 1.0])
    far[0, 2] = far[2, 0] = 1e-8
    s, V = decompose._turned_slightly(far, np.eye(3), 1e-15)
    values, vectors = np.linalg.eigh(far)
    assert_allclose(s**2, values[::-1], rtol=1e-15)
    assert_allclose(np.abs(V @ vectors[:, ::-1]), np.eye(3), atol=1e-15)
