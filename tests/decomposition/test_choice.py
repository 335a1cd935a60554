# SPDX-License-Identifier: BSD-3-Clause
"""How many components: each rule by definition, and errors of held-out rows against refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from statfast import (
    PCA,
    Chunks,
    LinearRegression,
    PrincipalComponentRegression,
    choose_components,
    reconstruction_errors,
)
from statfast.decomposition.components.n_components import broken_stick, minka_evidence
from statfast.model_selection import KFold


def two_factors(n=300, seed=0):
    rng = np.random.default_rng(seed)
    signal = rng.standard_normal((n, 2)) @ rng.standard_normal((2, 8)) * 2
    return signal + rng.standard_normal((n, 8))


def test_broken_stick():
    """The pieces of sticks that are broken at random, largest first, on average."""
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.random((200_000, 3)), axis=1)
    pieces = np.diff(np.column_stack([np.zeros(len(cuts)), cuts, np.ones(len(cuts))]), axis=1)
    average = np.sort(pieces, axis=1)[:, ::-1].mean(axis=0)
    assert_allclose(broken_stick(4), average, atol=2e-3)
    assert_allclose(broken_stick(4).sum(), 1.0)


def test_two_factors_are_seen_by_all():
    X = two_factors()
    for null in ("permutation", "normal"):
        chosen = choose_components(X, null=null, random_state=0)
        assert chosen.n_by_parallel_analysis == 2
        assert (chosen.p_values[:2] == 0.01).all()
        assert (chosen.p_values[2:] > 0.05).all()
    assert chosen.n_by_kaiser == 2
    assert choose_components(X, correlation=False, n_permutations=0).n_by_evidence == 2
    assert_allclose(chosen.broken_stick, broken_stick(8))
    larger = chosen.share > chosen.broken_stick
    assert chosen.n_by_broken_stick == np.argmin(larger)
    assert chosen.cumulative[chosen.n_by_share - 1] > 0.9 > chosen.cumulative[chosen.n_by_share - 2]
    correlations = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1]
    assert_allclose(chosen.eigenvalues, correlations, rtol=1e-10)
    assert PCA("mle").fit(X).n_components_ == 2
    for rule, want in [("kaiser", 2), ("broken_stick", chosen.n_by_broken_stick)]:
        assert PCA(rule, correlation=True).fit(X).n_components_ == want
    frame = pytest.importorskip("pandas") and chosen.to_frame()
    assert frame.shape == (8, 7)
    plain = choose_components(X, correlation=False, n_permutations=0)
    beside = plain.table().columns["evidence"]
    assert np.nanargmax(beside) == plain.n_by_evidence - 1  # in the row of PC2
    assert_allclose(beside[:-1], plain.evidence[1:])


def test_evidence_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.decomposition._pca")
    values = np.linalg.eigvalsh(np.cov(two_factors().T))[::-1]
    found = minka_evidence(values * 300, 300.0)
    for k in range(1, 8):
        assert_allclose(found[k], sklearn._assess_dimension(values, k, 300), rtol=1e-10)


def test_noise_has_no_components():
    X = np.random.default_rng(3).standard_normal((200, 6))
    chosen = choose_components(X, random_state=1)
    assert chosen.n_by_parallel_analysis == 0
    assert chosen.p_values[0] > 0.1


def test_kinds_of_rows_and_refusals():
    X = two_factors()
    want = choose_components(X, n_permutations=0)
    assert want.p_values is None
    for rows in (sparse.csr_array(X), Chunks([X[:100], X[100:]])):
        got = choose_components(rows, n_permutations=0)
        assert_allclose(got.eigenvalues, want.eigenvalues, rtol=1e-10)
    with pytest.raises(ValueError, match="n_permutations=0"):
        choose_components(Chunks([X]))
    with pytest.raises(ValueError, match="No column of X varies"):
        choose_components(np.ones((5, 3)))
    with pytest.raises(ValueError, match="null"):
        choose_components(X, null="chance")


@pytest.mark.parametrize("correlation", [False, True])
@pytest.mark.parametrize("splitter", [False, True])
def test_errors_are_those_of_refits(correlation, splitter):
    X = two_factors(90) * np.arange(1, 9) + 1e4
    y = X @ np.arange(8.0) + np.random.default_rng(1).standard_normal(90)
    w = np.random.default_rng(2).integers(1, 3, 90)
    fold = np.arange(90) % 4 if splitter else np.repeat(np.arange(3), 30)
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]
    how = {"cv": pairs if splitter else 3, "correlation": correlation, "sample_weight": w}
    rows = reconstruction_errors(X, **how)
    slopes = reconstruction_errors(X, y, **how)
    for number, (train, test) in enumerate(pairs):
        v = w[test] / w[test].sum()
        for k in range(1, 9):
            model = PCA(k, correlation=correlation).fit(X[train], sample_weight=w[train])
            want = model.reconstruction_error(X[test], w[test])
            assert_allclose(rows.errors[number, k], want, rtol=1e-8, atol=1e-7)
            model = PrincipalComponentRegression(k, scale=correlation)
            model.fit(X[train], y[train], sample_weight=w[train])
            want = v @ (model.predict(X[test]) - y[test]) ** 2
            assert_allclose(slopes.errors[number, k], want, rtol=1e-6)
        mean = np.average(y[train], weights=w[train])
        assert_allclose(slopes.errors[number, 0], v @ (y[test] - mean) ** 2, rtol=1e-8)
    assert slopes.n_components == slopes.mean.argmin()
    with pytest.raises(ValueError, match="at least 2 rows"):
        reconstruction_errors(X[:2], cv=2)


def test_regression_on_all_components_is_least_squares():
    X = two_factors()
    Y = np.column_stack([X @ np.arange(8.0), X[:, 0] ** 2])
    model = PrincipalComponentRegression().fit(X, Y)
    plain = LinearRegression().fit(X, Y)
    assert_allclose(model.coef_, plain.coef_, atol=1e-10)
    assert_allclose(model.intercept_, plain.intercept_, atol=1e-10)
    assert_allclose(model.predict(X), plain.predict(X), atol=1e-9)
    few = PrincipalComponentRegression(2).fit(X, Y[:, 0])
    scores = PCA(2).fit_transform(X)
    by_hand = LinearRegression().fit(scores, Y[:, 0])
    assert_allclose(few.score_coef_, by_hand.coef_, rtol=1e-9)
    assert_allclose(few.predict(X), by_hand.predict(scores), atol=1e-9)
    assert (
        PrincipalComponentRegression(0.7).fit(X, Y).n_components_ == PCA(0.7).fit(X).n_components_
    )


def test_collinear_columns_share_a_coefficient():
    x = np.arange(9.0)
    model = PrincipalComponentRegression().fit(np.column_stack([x, x, 0 * x]), 3 * x)
    assert_allclose(model.coef_, [1.5, 1.5, 0.0], atol=1e-12)


def test_a_fold_without_weight_has_no_error():
    X, w = two_factors(40), np.ones(40)
    w[:10] = 0.0
    found = reconstruction_errors(X, cv=KFold(4), sample_weight=w)
    assert np.isfinite(found.errors).all()


@pytest.mark.parametrize("power", [-500, 400])
def test_errors_of_a_regression_do_not_depend_on_the_scale_of_the_columns(power):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=40)
    plain = reconstruction_errors(X, y, cv=KFold(4))
    scaled = reconstruction_errors(np.ldexp(X, power), y, cv=KFold(4))
    np.testing.assert_allclose(scaled.errors, plain.errors, rtol=1e-9)
