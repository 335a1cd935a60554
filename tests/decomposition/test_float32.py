# SPDX-License-Identifier: BSD-3-Clause
"""float32 rows, whose products are float32 where that is enough: answers of the rounded rows."""

import numpy as np
import pytest

from statfast import PCA, TruncatedSVD
from statfast._engine import blocks
from statfast.decomposition.components import decompose, moments

RNG = np.random.default_rng(0)
N, D = 20_000, 30
NORMAL = RNG.standard_normal((N, D)) @ RNG.standard_normal((D, D)) / 5 + RNG.normal(size=D)
SHARED = RNG.random(N)[:, None]

ROWS = {
    "normal": NORMAL,
    "far away": NORMAL + 1e4,
    "very far away": NORMAL + 1e6,
    "large": NORMAL * 1e18,
    "huge": NORMAL * 1e30,
    "small": NORMAL * 1e-18,
    "tiny": NORMAL * 1e-35,
    "units of their own": NORMAL * np.geomspace(1e-3, 1e3, D),
    "fading": RNG.standard_normal((N, D)) * np.geomspace(1.0, 1e-6, D),
    "binary and correlated": (SHARED + 0.5 * RNG.random((N, D)) > 0.75) * 0.7,
    "counts": RNG.poisson(3.0, (N, D)) * 1.0,
    "drifting": NORMAL + np.linspace(-1000.0, 1000.0, N)[:, None],
    "first rows unlike the others": np.where(np.arange(N)[:, None] < 20, 0.0, NORMAL + 50.0),
    "nearly constant": np.where(np.arange(N)[:, None] % 997 < D, NORMAL, 0.1),
    "an outlier": np.where((np.arange(N) == 5000)[:, None], 1e6, NORMAL),
    "columns twice": np.hstack([NORMAL[:, :15], NORMAL[:, :15]]),
    "rank 3": NORMAL[:, :3] @ RNG.standard_normal((3, D)),
}


def assert_right(model, X, correlation=False, center=True):
    """The promise: 1e-5 of the answer of the same rows in float64."""
    Z = X.astype(np.float64)
    mean = Z.mean(axis=0) if center else np.zeros(X.shape[1])
    Z = Z - mean
    if correlation:
        Z /= Z.std(axis=0, ddof=1)
    s = np.linalg.svd(Z, compute_uv=False)
    V = vars(model)["components_"]  # what is read is rounded
    k = len(V)
    live = s[:k] > 1e-5 * s[0]
    np.testing.assert_allclose(model.singular_values_[live], s[:k][live], rtol=1e-5)
    np.testing.assert_allclose(V @ V.T, np.eye(k), atol=1e-10)
    image = (Z @ V.T).T @ Z
    apart = np.abs(image - model.singular_values_[:, None] ** 2 * V).max()
    assert apart <= 1e-6 * s[0] ** 2
    if center and not correlation:
        want = Z @ V.T
        got = model.transform(X)
        assert got.dtype == np.float32
        assert np.abs(got - want).max() <= 1e-5 * np.sqrt((Z**2).sum(axis=1).max())


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("correlation", [False, True])
@pytest.mark.parametrize("k", [2, 8, D])
def test_answers_of_the_rounded_rows(kind, correlation, k):
    X = ROWS[kind].astype(np.float32)
    assert_right(PCA(k, correlation=correlation).fit(X), X, correlation)


@pytest.mark.parametrize("kind", ["normal", "fading", "counts", "columns twice"])
def test_without_centering(kind):
    X = ROWS[kind].astype(np.float32)
    assert_right(TruncatedSVD(5).fit(X), X, center=False)


def test_which_products_are_taken(monkeypatch):
    """float32 where it is enough, double where eigenvalues are small or all are asked for."""
    seen = []

    def moments_of(X, weights, *, rounded=False, **how):
        seen.append(rounded)
        return moments.moments_of(X, weights, rounded=rounded, **how)

    monkeypatch.setattr(decompose, "moments_of", moments_of)

    def taken(kind, k=3, **how):
        seen.clear()
        PCA(k).fit(ROWS[kind].astype(np.float32), **how)
        return list(seen)

    assert taken("normal") == [True]
    assert taken("fading", 3) == [True]
    assert taken("fading", 12) == [True, False]
    assert taken("normal", D) == [False]
    assert taken("huge") == [True, False]
    assert taken("tiny") == [True, False]
    assert taken("normal", sample_weight=np.ones(N)) == [False]
    seen.clear()
    PCA(3).fit(NORMAL)
    assert seen == [False]


def test_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = ROWS["normal"].astype(np.float32)
    models = [PCA(4, n_jobs=threads).fit(X) for threads in (1, 2, 7)]
    for other in models[1:]:
        assert other.components_.tobytes() == models[0].components_.tobytes()
        assert other.transform(X).tobytes() == models[0].transform(X).tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_found(value):
    X = ROWS["normal"].astype(np.float32)
    X[12_345, 7] = value
    with pytest.raises(ValueError, match="first at row 12345, column 7"):
        PCA(3).fit(X)
    with pytest.raises(ValueError, match="first at row 12345, column 7"):
        PCA(3).fit(ROWS["normal"].astype(np.float32)).transform(X)
    with pytest.raises(ValueError, match="scores overflow"):
        PCA(3).fit_transform((ROWS["normal"] * 5e37).astype(np.float32))


WIDE = RNG.standard_normal((60, 12)) @ RNG.standard_normal((12, 900))
LARGE = RNG.standard_normal((1100, 30)) @ RNG.standard_normal((30, 1050))


@pytest.mark.parametrize("size", [1.0, 1e18, 1e-30, 1e30])
@pytest.mark.parametrize("noise", [0.0, 0.3, 30.0])
@pytest.mark.parametrize("k", [3, 12])
def test_wide_rows(size, noise, k):
    """By products of rows; double where float32 overflows, vanishes, or does not tell."""
    noisy = WIDE + noise * np.random.default_rng(5).standard_normal(WIDE.shape) + 5.0
    X = (noisy * size).astype(np.float32)
    assert_right(PCA(k).fit(X), X)


@pytest.mark.parametrize("size", [1.0, 1e18, 1e-30, 1e30])
@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("correlation", [False, True])
def test_iteration(size, offset, correlation):
    noisy = LARGE + np.random.default_rng(6).standard_normal(LARGE.shape) + offset
    X = (noisy * size).astype(np.float32)
    model = PCA(10, correlation=correlation).fit(X)
    assert model.residuals_.max() < 3e-7
    assert_right(model, X, correlation)


def test_iteration_that_does_not_converge_is_done_in_double(monkeypatch):
    monkeypatch.setattr(decompose, "MAX_ROUNDED_STEPS", 1)
    X = (LARGE + np.random.default_rng(6).standard_normal(LARGE.shape)).astype(np.float32)
    assert PCA(10).fit(X).residuals_.max() < 1e-10


def test_small_eigenvalues_of_an_iteration_come_from_products_in_double():
    rng = np.random.default_rng(7)
    axes = np.linalg.qr(rng.standard_normal((1050, 1050)))[0]
    deviations = np.r_[np.geomspace(1.0, 1e-4, 20), np.full(1030, 1e-5)]
    X = ((rng.standard_normal((1100, 1050)) * deviations) @ axes).astype(np.float32)
    model = PCA(20).fit(X)
    assert_right(model, X)
    assert model.residuals_.max() < 1e-10


@pytest.mark.parametrize("rows", [WIDE, LARGE], ids=["wide", "iteration"])
def test_the_same_bits_of_any_number_of_threads(rows):
    noisy = rows + np.random.default_rng(6).standard_normal(rows.shape)
    X = noisy.astype(np.float32)
    one, two, seven = (vars(PCA(8, n_jobs=jobs).fit(X))["components_"] for jobs in (1, 2, 7))
    np.testing.assert_array_equal(two, one)
    np.testing.assert_array_equal(seven, one)
