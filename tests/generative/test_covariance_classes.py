# SPDX-License-Identifier: BSD-3-Clause
"""Classes of covariances: definitions, scikit-learn's answers, weights, sums, planted outliers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import covariance as theirs

from statfast import Chunks, LinearDiscriminantAnalysis, covariance
from statfast.generative.covariance.concentration import least_determinant_rows
from tests.reference.mcd import concentration_step, least_determinant

SHRUNK = ["EmpiricalCovariance", "ShrunkCovariance", "LedoitWolf", "OAS"]


def rows(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2.0


def contaminated(n=300, d=3, seed=0, share=0.3):
    X = rows(n, d, seed)
    X[: int(share * n)] = np.random.default_rng(seed + 1).normal(size=(int(share * n), d)) + 40.0
    return X


# ------------------------------------------------------------------ sums
@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("d", [1, 2, 9])
def test_scikit_learns_answers(name, centered, d):
    X, more = rows(25, d), rows(12, d, 5)
    kinds = getattr(covariance, name), getattr(theirs, name)
    model, known = (kind(assume_centered=centered).fit(X) for kind in kinds)
    for attribute in ("location_", "covariance_", "precision_", "shrinkage_"):
        assert hasattr(model, attribute) == hasattr(known, attribute)
        if hasattr(known, attribute):
            values = getattr(model, attribute), getattr(known, attribute)
            assert_allclose(*values, rtol=1e-8, atol=1e-12)
    assert_allclose(model.mahalanobis(more), known.mahalanobis(more), rtol=1e-8)
    assert model.score(more) == pytest.approx(known.score(more), rel=1e-9)
    for norm in ("frobenius", "spectral"):
        for scaling in (False, True):
            for squared in (False, True):
                options = norm, scaling, squared
                S = np.cov(more.T).reshape(d, d)
                assert model.error_norm(S, *options) == pytest.approx(known.error_norm(S, *options))
    bare = kinds[0](assume_centered=centered, store_precision=False).fit(X)
    assert bare.precision_ is None
    assert_array_equal(bare.get_precision(), model.get_precision())


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("centered", [False, True])
def test_weights_are_repeated_rows_and_chunks_add_up(name, centered):
    X, w = rows(), np.arange(60) % 4
    model = getattr(covariance, name)(assume_centered=centered)
    weighted = model.fit(X, sample_weight=w).covariance_
    assert_allclose(weighted, model.fit(np.repeat(X, w, axis=0)).covariance_, rtol=1e-10)
    parts = Chunks(lambda: iter([X[:7], X[7:9], X[9:]]))
    assert_allclose(model.fit(parts, sample_weight=w).covariance_, weighted, rtol=1e-10)
    other = getattr(covariance, name)(assume_centered=centered)
    for part in (slice(0, 20), slice(20, 60)):
        other.partial_fit(X[part], sample_weight=w[part])
    assert_allclose(other.covariance_, weighted, rtol=1e-10)
    far = getattr(covariance, name)(assume_centered=centered)
    far.partial_fit(X[:30] + 1e3).partial_fit(X[30:] - 1e3)
    whole = np.concatenate([X[:30] + 1e3, X[30:] - 1e3])
    assert_allclose(far.covariance_, model.fit(whole).covariance_, rtol=1e-9)


@pytest.mark.parametrize("name", SHRUNK)
def test_bits_do_not_depend_on_threads_and_float32_is_read_exactly(name):
    X = rows(3000, 7)
    kind = getattr(covariance, name)
    models = [kind(n_jobs=jobs).fit(X) for jobs in (1, 2, 7)]
    for model in models[1:]:
        assert_array_equal(model.covariance_, models[0].covariance_)
        assert_array_equal(model.mahalanobis(X), models[0].mahalanobis(X))
    single = X.astype(np.float32)
    exact = kind().fit(single.astype(np.float64)).covariance_
    assert_allclose(kind().fit(single).covariance_, exact, rtol=1e-12)
    assert kind().fit(single).mahalanobis(single).dtype == np.float32


def test_singular_covariances_have_a_pseudo_inverse():
    X = rows(30, 3)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    model, known = covariance.EmpiricalCovariance().fit(X), theirs.EmpiricalCovariance().fit(X)
    assert_allclose(model.precision_, known.precision_, rtol=1e-6, atol=1e-9)
    assert_allclose(model.mahalanobis(X), known.mahalanobis(X), rtol=1e-6)
    assert model.score(X) == -np.inf
    with pytest.warns(UserWarning, match="All rows of X are equal"):
        flat = covariance.LedoitWolf().fit(np.ones((4, 2)))
    assert not flat.precision_.any()
    assert flat.shrinkage_ == 0.0


def test_precisions_do_not_depend_on_units():
    X, units = rows(), np.array([1e-9, 1.0, 1e9, 1e5])
    plain, scaled = (covariance.EmpiricalCovariance().fit(R) for R in (X, X * units))
    assert_allclose(scaled.precision_ * units[:, None] * units, plain.precision_, rtol=1e-7)
    assert_allclose(scaled.mahalanobis(X * units), plain.mahalanobis(X), rtol=1e-8)


def test_functions_are_those_of_the_classes():
    X, w = rows(), np.arange(60) % 3
    for centered in (False, True):
        model = covariance.EmpiricalCovariance(assume_centered=centered).fit(X, sample_weight=w)
        found = covariance.empirical_covariance(X, assume_centered=centered, sample_weight=w)
        assert_allclose(found, model.covariance_, rtol=1e-12)
        share = covariance.ledoit_wolf_shrinkage(X, centered)
        assert share == pytest.approx(theirs.ledoit_wolf_shrinkage(X, centered), rel=1e-9)
    S, P = np.cov(X.T), np.linalg.inv(np.cov(rows(seed=3).T))
    assert covariance.log_likelihood(S, P) == pytest.approx(theirs.log_likelihood(S, P), rel=1e-12)
    assert covariance.log_likelihood(S, np.zeros((4, 4))) == -np.inf
    stack = np.array([[S, 2 * S], [P, S + P]])
    assert_allclose(covariance.shrunk_covariance(stack, 0.3), theirs.shrunk_covariance(stack, 0.3))
    density = stats.multivariate_normal(model.location_, model.covariance_)
    assert model.score(X) == pytest.approx(density.logpdf(X).mean(), rel=1e-10)


def test_a_discriminant_takes_such_a_covariance():
    X, y = rows(90), np.arange(90) % 3
    peers = [kind(assume_centered=True) for kind in (covariance.LedoitWolf, theirs.LedoitWolf)]
    ours, known = (
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=peer).fit(X, y).coef_
        for peer in peers
    )
    assert_allclose(ours, known, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: covariance.OAS().fit([[1.0, np.nan]]), ValueError, "NaN"),
        (lambda: covariance.LedoitWolf().fit(rows() * 1e90), ValueError, "fourth powers overflow"),
        (lambda: covariance.LedoitWolf().fit(rows() * 1e-90), ValueError, "fourth powers vanish"),
        (lambda: covariance.ShrunkCovariance(shrinkage=1.5).fit(rows()), ValueError, "shrinkage"),
        (lambda: covariance.OAS().fit(rows()).error_norm(np.eye(3)), ValueError, "comp_cov must"),
        (lambda: covariance.OAS().fit(rows()).error_norm(np.eye(4), "l1"), ValueError, "norm must"),
        (lambda: covariance.shrunk_covariance(np.ones((2, 3))), ValueError, "square matrices"),
        (lambda: covariance.shrunk_covariance([[np.inf]]), ValueError, "finite"),
        (lambda: covariance.log_likelihood(np.eye(2), np.eye(3)), ValueError, "precision must"),
        (lambda: covariance.MinCovDet().fit([[1.0, 2.0]]), ValueError, "1 sample"),
        (lambda: covariance.MinCovDet().fit([[1.0], [np.nan]]), ValueError, "NaN"),
        (lambda: covariance.MinCovDet(support_fraction=0.01).fit(rows()), ValueError, "leaves"),
        (lambda: covariance.MinCovDet(support_fraction=0).fit(rows()), ValueError, "support_fract"),
        (lambda: covariance.fast_mcd([[1.0], [1.0], [1.0], [2.0]]), ValueError, "support is 0"),
        (lambda: covariance.MinCovDet().fit(rows()).correct_covariance(rows(9)), ValueError, "60"),
        (lambda: covariance.EllipticEnvelope(contamination=0.6).fit(rows()), ValueError, "conta"),
    ],
)  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


# ------------------------------------------------------------------ least determinants
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2])
def test_the_least_determinant_of_all_subsets_is_found(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, size=(13, d))
    h = (13 + d + 2) // 2
    support = covariance.fast_mcd(X, random_state=0)[2]
    assert support.sum() == h
    found = np.linalg.det(np.cov(X[support].T, bias=True).reshape(d, d))
    assert found == pytest.approx(least_determinant(X, h), rel=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 40), st.booleans(), st.floats(0.05, 1.0))
def test_one_column_is_exact(seed, n, ties, fraction):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, n).astype(float) if ties else rng.standard_cauchy(n)
    h = max(1, int(fraction * n))
    support = least_determinant_rows(x[:, None], h, rng)
    s = np.sort(x)
    least = min(np.var(s[start : start + h]) for start in range(n - h + 1))
    assert support.sum() == h
    assert np.var(x[support]) == pytest.approx(least, rel=1e-9, abs=1e-25)


def test_one_column_far_from_its_outliers_keeps_its_digits():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=60) * 1e-3 + 7.0, rng.choice([-1e12, 1e14], 50)])
    support = least_determinant_rows(x[:, None], 56, rng)
    s = np.sort(x)
    least = min(np.var(s[start : start + 56]) for start in range(len(x) - 55))
    assert np.var(x[support]) == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(60, 2), (300, 6), (900, 3), (2500, 4)])
def test_determinants_are_not_greater_than_the_peers(n, d):
    # Of rows apart from their outliers: otherwise there are many local least determinants.
    X = contaminated(n, d)
    found, peer = (kind(X, random_state=0)[1] for kind in (covariance.fast_mcd, theirs.fast_mcd))
    assert np.linalg.slogdet(found)[1] <= np.linalg.slogdet(peer)[1] + 2e-3


@pytest.mark.parametrize(("n", "d"), [(80, 2), (700, 4), (1700, 3)])
def test_a_step_changes_nothing_at_the_end(n, d):
    X = contaminated(n, d)
    support = np.flatnonzero(covariance.fast_mcd(X, random_state=1)[2])
    assert_array_equal(concentration_step(X, support), support)


@pytest.mark.parametrize(("n", "d"), [(120, 2), (1000, 5), (4000, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_planted_outliers_do_not_count(n, d, dtype):
    X = contaminated(n, d, share=0.4).astype(dtype)
    bad = int(0.4 * n)
    model = covariance.MinCovDet(random_state=0).fit(X)
    assert not model.support_[:bad].any()
    assert not model.raw_support_[:bad].any()
    clean = X[bad:].astype(np.float64)
    assert model.error_norm(np.cov(clean.T)) < 0.2 * np.mean(np.cov(clean.T) ** 2) * d
    envelope = covariance.EllipticEnvelope(random_state=0, contamination=0.4).fit(X)
    assert_array_equal(np.flatnonzero(envelope.predict(X) < 0), np.arange(bad))


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("fraction", [None, 0.8, 1.0])
def test_what_follows_the_support_is_scikit_learns(centered, fraction):
    X = contaminated(200, 3, share=0.1)
    options = {"assume_centered": centered, "support_fraction": fraction, "random_state": 0}
    model = covariance.MinCovDet(**options).fit(X)
    known = theirs.MinCovDet(**options)
    known.raw_location_, known.raw_covariance_ = model.raw_location_, model.raw_covariance_
    known.raw_support_ = known.support_ = model.raw_support_.copy()
    u = X - model.raw_location_
    known.dist_ = np.einsum("ij,ij->i", u, np.linalg.solve(model.raw_covariance_, u.T).T)
    corrected = known.correct_covariance(X)
    assert_allclose(model.correct_covariance(X), corrected, rtol=1e-12)
    location, raw, support = known.reweight_covariance(X)
    assert_allclose(model.reweight_covariance(X)[1], raw, rtol=1e-10)
    assert_array_equal(model.support_, support)
    assert_allclose(model.location_, location, rtol=1e-10, atol=1e-12)
    assert_allclose(model.covariance_, known.covariance_, rtol=1e-10)
    assert_allclose(model.dist_, known.dist_, rtol=1e-8)
    assert_allclose(model.dist_, model.mahalanobis(X), rtol=1e-8)


def test_envelopes_are_scikit_learns():
    X = contaminated(200, 3, share=0.1)
    model, known = (
        kind(random_state=0, contamination=0.15).fit(X)
        for kind in (covariance.EllipticEnvelope, theirs.EllipticEnvelope)
    )
    assert_allclose(model.covariance_, known.covariance_, rtol=0.25)
    expected = np.percentile(-model.dist_, 15)
    assert model.offset_ == pytest.approx(expected)
    assert_allclose(model.decision_function(X), -model.mahalanobis(X) - expected)
    assert (model.predict(X) == -1).sum() == 30
    assert model.score(X, model.predict(X)) == 1.0
    assert_array_equal(model.fit_predict(X), model.predict(X))


@pytest.mark.parametrize(("n", "d"), [(90, 3), (1600, 4)])
def test_the_same_bits_for_any_number_of_threads(n, d):
    X = contaminated(n, d)
    models = [covariance.MinCovDet(random_state=3, n_jobs=jobs).fit(X) for jobs in (1, 2, 7)]
    for model in models[1:]:
        assert_array_equal(model.raw_support_, models[0].raw_support_)
        assert_array_equal(model.covariance_, models[0].covariance_)


def test_many_columns_take_the_way_of_all_rows(monkeypatch):
    X = contaminated(700, 3)
    expected = covariance.fast_mcd(X, random_state=0)
    name = "statfast.generative.covariance.concentration.MULTIPLICATIONS_OF_CALL"
    monkeypatch.setattr(name, 1.0)
    found = covariance.fast_mcd(X, random_state=0)
    assert_array_equal(found[2], expected[2])
    assert_allclose(found[1], expected[1], rtol=1e-12)


def test_rows_of_a_hyperplane_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:70, 2] = X[:70, 0] - X[:70, 1]
    with pytest.warns(UserWarning, match="support is singular"):
        model = covariance.MinCovDet(random_state=0).fit(X)
    assert not model.raw_support_[70:].any()


def test_all_rows_are_the_support_where_it_is_whole():
    X = rows()
    location, S, support, _ = covariance.fast_mcd(X, 1.0)
    assert support.all()
    assert_allclose(S, np.cov(X.T, bias=True), rtol=1e-12)
    assert_allclose(location, X.mean(axis=0), rtol=1e-12)


def test_shifts_and_scales_do_not_change_the_support():
    X = contaminated()
    support = covariance.fast_mcd(X, random_state=0)[2]
    moved = covariance.fast_mcd(X * np.array([1e-6, 1.0, 1e8]) + 1e3, random_state=0)[2]
    assert_array_equal(moved, support)
    with pytest.raises(ValueError, match="overflow"):
        covariance.fast_mcd(X * 1e200)


@pytest.mark.parametrize("size", [1e-120, 1.0, 1e100])
def test_shrinkage_of_oas_does_not_depend_on_units(size):
    X = rows()
    shares = [covariance.OAS().fit(X * scale).shrinkage_ for scale in (size, 1.0)]
    np.testing.assert_allclose(*shares, rtol=1e-10)


def test_precisions_beyond_the_range_of_floats_are_refused():
    with pytest.raises(ValueError, match="X varies by so little"):
        covariance.EmpiricalCovariance().fit(rows() * 1e-158)
