# SPDX-License-Identifier: BSD-3-Clause
"""The labels of a Lloyd step on data made to break float32, and the bound that guards them."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.kmeans import differences, lloyd
from statfast._core.tile import tiles
from statfast.cluster import KMeans
from statfast.cluster.kmeans.data import survey_rows
from tests.reference import kmeans as twin
from tests.reference.pairwise import as_grains, exactly_squared, relative_error

UNIT = 2.0**-53


# ------------------------------------------------------------------ data made to break float32
def near_duplicates(rng, n, k, d):
    """Centers a millionth apart, a hundred million from the origin."""
    centers = 1e8 + 1e-6 * rng.standard_normal((k, d))
    return 1e8 + 1e-6 * rng.standard_normal((n, d)), centers


def one_ulp_distances(rng, n, k, d):
    """Centers that differ in the last bits of one number."""
    centers = np.repeat(rng.standard_normal((1, d)), k, axis=0)
    for c in range(k):
        for _ in range(c // d):
            centers[c, c % d] = np.nextafter(centers[c, c % d], np.inf)
    return centers[0] + 0.1 * rng.standard_normal((n, d)), centers


def huge(rng, n, k, d):
    return 1e150 * rng.standard_normal((n, d)), 1e150 * rng.standard_normal((k, d))


def tiny(rng, n, k, d):
    return 1e-150 * rng.standard_normal((n, d)), 1e-150 * rng.standard_normal((k, d))


def huge_and_tiny(rng, n, k, d):
    """Every row and every center at a scale of its own."""
    scale = [10.0 ** rng.uniform(-30, 30, (rows, 1)) for rows in (n, k)]
    return scale[0] * rng.standard_normal((n, d)), scale[1] * rng.standard_normal((k, d))


def integer_grid(rng, n, k, d):
    """Ties everywhere, all of them exact."""
    return rng.integers(0, 4, (n, d)) * 1.0, rng.integers(0, 4, (k, d)) * 1.0


def halfway(rng, n, k, d):
    """Rows exactly between two centers, or an ulp from there."""
    centers = rng.integers(1, 20, (k, d)) / 8.0
    X = (centers[rng.integers(0, k, n)] + centers[rng.integers(0, k, n)]) / 2
    X[::2] = np.nextafter(X[::2], rng.choice([-9, 9], X[::2].shape))
    return X, centers


def nearly_halfway(rng, n, k, d):
    """Rows between two centers, off by what a number of 11 bits loses, or by less."""
    centers = rng.standard_normal((k, d))
    X = (centers[rng.integers(0, k, n)] + centers[rng.integers(0, k, n)]) / 2
    return X * (1 + rng.choice([-1, 1], X.shape) * 2.0 ** rng.integers(-16, -8, (n, 1))), centers


def constant_columns(rng, n, k, d):
    """Columns that tell nothing, large enough to drown the one that tells."""
    X, centers = np.full((n, d), 1e6 / 3), np.full((k, d), 1e6 / 3)
    X[:, -1], centers[:, -1] = rng.random(n), rng.random(k)
    return X, centers


def one_outlier(rng, n, k, d):
    X, centers = rng.standard_normal((n, d)), rng.standard_normal((k, d))
    X[-1], centers[-1] = 1e30, 1e25
    return X, centers


def on_a_sphere(rng, n, k, d):
    """Rows near the middle of centers at one distance: all are nearly as near."""
    centers = np.array([rng.permutation(np.arange(1.0, d + 1)) for _ in range(k)])
    return 1e-9 * rng.standard_normal((n, 1)) + np.zeros(d), centers


def equal_centers(rng, n, k, d):
    return rng.standard_normal((n, d)), np.repeat(rng.standard_normal((1, d)), k, axis=0)


FAMILIES = [
    near_duplicates, one_ulp_distances, huge, tiny, huge_and_tiny, integer_grid, halfway,
    nearly_halfway, constant_columns, one_outlier, on_a_sphere, equal_centers,
]  # fmt: skip


def squared_distances(X, centers):
    """Squared distances (n, k) in the order of summation that defines the labels."""
    out, X = np.empty((len(centers), len(X))), np.ascontiguousarray(X, np.float64)
    for c in range(len(centers)):
        differences.distances(X, centers, np.full(len(X), c, np.int32), out[c])
    return out.T


def frame(X, centers):
    """As the estimator makes it."""
    return survey_rows(X, None, 1).frame(centers).packed


def check(X, centers, weights=None, frame=frame):
    """Labels exactly those of float64 differences; sums those of the labels."""
    (n, d), k = X.shape, len(centers)
    before = np.arange(n, dtype=np.int32) % k
    labels, sums, mass = before.copy(), np.zeros((k, d)), np.zeros(k)
    moved = lloyd.step(X, weights, centers, frame(X, centers), labels, sums, mass)
    expected = squared_distances(X, centers).argmin(axis=1)
    np.testing.assert_array_equal(labels, expected)
    assert moved == (expected != before).sum()

    share = np.ones(n) if weights is None else weights
    expected_sums, size = np.zeros((2, k, d))
    np.add.at(expected_sums, labels, share[:, None] * X)
    np.add.at(size, labels, abs(share[:, None] * X))
    assert (abs(sums - expected_sums) <= 2 * n * UNIT * size).all()
    np.testing.assert_allclose(mass, np.bincount(labels, share, k), rtol=1e-14)

    alone = np.full(n, -1, np.int32)
    assert lloyd.step(X, weights, centers, frame(X, centers), alone, None, None) == n
    np.testing.assert_array_equal(alone, labels)
    check_halves(X, centers, frame(X, centers), expected)
    return labels


def check_halves(X, centers, frame, expected):
    """The same labels from rows in halves, and bounds that hold the distances."""
    (n, d), (_, _, origin, (scale, *_)) = X.shape, frame
    moved = (X - origin.astype(float)) * scale
    if not lloyd.has_halves() or abs(moved).max() >= 2.0**15:
        return
    columns = tiles.tile_shape("f")[1]
    filled = -(-n // columns) * columns
    halves, norms = np.empty(filled * d, np.float16), np.empty(filled, np.float32)
    X = np.ascontiguousarray(X)
    lloyd.pack_halves(X, origin, scale, halves.view(np.uint16), norms)
    found, undecided = np.full(n, -1, np.int32), np.zeros(1, np.int64)
    upper, lower = np.empty((2, n), np.float32)
    more = (upper, lower, None), (halves, norms, undecided)
    assert lloyd.step(X, None, centers, frame, found, None, None, False, *more) == n
    np.testing.assert_array_equal(found, expected)
    assert 0 <= undecided[0] <= n
    distances = np.sqrt(squared_distances(X, centers)) * scale
    own = distances[np.arange(n), expected]
    distances[np.arange(n), expected] = np.inf
    rounding = 1e-6 * np.sqrt(np.square(moved).sum(axis=1)) + 1e-30
    assert (own <= upper + rounding).all()
    assert (distances.min(axis=1) >= lower - rounding).all()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 1), (7, 3), (40, 8), (17, 33)])
def test_labels_are_those_of_float64(family, dtype, k, d):
    X, centers = family(np.random.default_rng(k * d), 150, k, d)
    if dtype == np.float32:
        X = X.clip(-3e38, 3e38)
    check(X.astype(dtype), centers)


@given(
    family=st.sampled_from(FAMILIES),
    n=st.integers(1, 90),
    k=st.integers(1, 40),
    d=st.integers(1, 40),
    weighted=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=150)
def test_labels_of_any_shape(family, n, k, d, weighted, seed):
    rng = np.random.default_rng(seed)
    X, centers = family(rng, n, k, d)
    check(X, centers, rng.random(n) if weighted else None)


@given(
    family=st.sampled_from(FAMILIES),
    origin=st.sampled_from([0.0, 1.0, -1e4, 1e8, 3e38]),
    exponent=st.integers(-120, 120),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_origin_and_no_scale_changes_a_label(family, origin, exponent, seed):
    """As long as the centers are not brought so far out that their float32 squares overflow."""
    X, centers = family(np.random.default_rng(seed), 70, 9, 5)
    about = np.full(5, origin, np.float32)
    most = 16 - int(np.frexp(abs(centers - about).max())[1])
    scale = 2.0 ** np.clip(exponent, -120, most)
    check(X, centers, frame=lambda X, centers: lloyd.frame(centers, about, scale))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("k", "d"), [(2, 1), (9, 5)])
def test_no_label_loses_by_more_than_rounding(family, k, d):
    """Against distances without any rounding."""
    X, centers = family(np.random.default_rng(d), 40, k, d)
    labels = check(X, centers)
    exact = exactly_squared(X, centers)
    rows = np.arange(len(X))
    own, best = exact[rows, labels], exact.min(axis=1)
    assert all((o - b) * 2**53 <= 3 * (d + 4) * b for o, b in zip(own, best, strict=True))
    out = np.empty(len(X))
    differences.distances(X, centers, labels, out)
    assert relative_error(out, own).max() <= (d + 4) * UNIT


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("d", [1, 2, 8, 31, 32, 33])
@pytest.mark.parametrize("weighted", [False, True])
def test_exact_ties_sums_and_mass_are_the_twins(dtype, d, weighted):
    rng = np.random.default_rng(d)
    X = rng.integers(0, 3, (200, d)).astype(dtype)
    centers = rng.integers(0, 3, (30, d)).astype(float)
    weights = rng.integers(0, 4, 200).astype(float) if weighted else None
    labels, expected_labels = np.zeros((2, 200), np.int32)
    sums, expected_sums = np.ones((2, 30, d))  # what is there is added to
    mass, expected_mass = np.ones((2, 30))
    moved = lloyd.step(X, weights, centers, frame(X, centers), labels, sums, mass)
    expected = twin.step(X, weights, centers, None, expected_labels, expected_sums, expected_mass)
    assert moved == expected
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(sums, expected_sums)
    np.testing.assert_array_equal(mass, expected_mass)


def test_more_centers_than_a_cacheful():
    rng = np.random.default_rng(1)
    X, centers = rng.standard_normal((50, 20)), rng.standard_normal((3000, 20))
    centers[2000:] = centers[:1000]  # ties across pieces go to the lowest
    assert check(X, centers).max() < 2000


def test_rows_may_lie_apart_and_be_read_only():
    rng = np.random.default_rng(2)
    X, centers = rng.standard_normal((120, 9)), rng.standard_normal((5, 6))
    X.setflags(write=False)
    labels, expected = np.zeros((2, 60), np.int32)
    part = X[::-2, 2:8]
    lloyd.step(part, None, centers, frame(part, centers), labels, None, None)
    twin.step(part, None, centers, None, expected, None, None)
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("max_iter", [1, 2, 3, 5, 9, 40])
def test_after_any_number_of_iterations_labels_are_those_of_float64(family, max_iter):
    """What is carried over from one iteration to the next must not decide wrongly."""
    X, centers = family(np.random.default_rng(3), 400, 12, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some stop early, or have fewer clusters than asked for
        model = KMeans(12, init=centers, n_init=1, max_iter=max_iter, tol=0).fit(X)
    expected = squared_distances(X, np.ascontiguousarray(model.cluster_centers_)).argmin(axis=1)
    np.testing.assert_array_equal(model.labels_, expected)


# ------------------------------------------------------------------ the bound itself
def computed_scores(a, start, b):
    """Score of every point b with every row of a, as the tile makes it."""
    real, integer = (np.float32, np.int32) if a.dtype == np.float32 else (np.float64, np.int64)
    m, d = b.shape
    columns = tiles.tile_shape(a.dtype.char)[1]
    panels = np.zeros(-(-m // columns) * columns * d, real)
    tiles.pack(b, panels)
    scores = np.empty((np.isfinite(start).sum(), m))
    for i in range(len(scores)):
        only = np.where(np.arange(len(start)) == i, start, real(-np.inf))
        best = np.full(panels.size // d, -np.inf, real)
        tiles.largest(a, only, panels, d, best, np.zeros(best.size, integer))
        scores[i] = best[:m]
    return scores


def exact_scores(A, B):
    """a.b - |a|^2 / 2 of float64 rows, as fractions."""
    A, B = as_grains(A), as_grains(B)
    twice = 2 * A @ B.T - (A * A).sum(axis=1)[:, None]
    return np.vectorize(lambda s: Fraction(s, 2 * 2 ** (2 * 1074)), otypes=[object])(twice)


def errors(computed, exact):
    return np.vectorize(lambda c, e: float(abs(Fraction(float(c)) - e)))(computed, exact)


def ladder(d, unit):
    """Every addition of the score is rounded up by nearly a whole unit."""
    a, b = np.ones((1, d)), np.ones((1, d))
    b[0, 0] = 1024.5 + 2.0**-9
    a[0, 1:] = 1024 * unit * (1 + 2.0**-8)
    return a, b


def half_units(rng, d, unit, n):
    """Numbers whose rounding moves each of them by nearly a whole unit, up or down."""
    side = rng.choice([-1, 1], (n, 1)) * unit / 64
    return rng.choice([-1, 1], (n, 1)) * rng.choice([1, 8], (n, 1)) * (1 + unit + side) * np.ones(d)


def pairs(seed, d, unit):
    """Rows A and points B, float64, to be scored against each other."""
    rng = np.random.default_rng(seed)
    yield ladder(d, unit)
    if unit > UNIT:
        yield half_units(rng, d, unit, 8), half_units(rng, d, unit, 8)
    yield rng.standard_normal((8, d)), rng.standard_normal((40, d))
    yield rng.random((8, d)), 100 * rng.random((40, d))
    near = rng.random((8, d))
    yield near, near + 1e-6 * rng.standard_normal((8, d))
    yield near, np.repeat(near, 3, axis=0) * 10.0 ** rng.uniform(-6, 6, (24, 1))


DEPTHS = [1, 2, 3, 5, 8, 17, 40, 300]


@pytest.mark.parametrize("d", DEPTHS)
def test_the_bound_of_the_frame_holds_and_is_nearly_reached(d):
    """The bound that `step` trusts: a fifth of it would be too little."""
    worst, nothing = 0.0, np.zeros(d, np.float32)
    for A, B in pairs(d, d, 2.0**-24):
        rounded = B.astype(np.float32)
        norm = np.empty(len(B), np.float32)
        tiles.measure(rounded, d, np.empty_like(norm), norm)
        for i in range(len(A)):
            a, start, _, bound = lloyd.frame(A[i : i + 1], nothing, 1.0)
            doubt = bound[1] * norm + bound[2] + bound[3] * np.square(norm, dtype=np.float64)
            off = errors(computed_scores(a, start, rounded), exact_scores(A[i : i + 1], B))[0]
            assert (off <= doubt).all()
            worst = max(worst, (off / doubt).max())
    # d + 5 roundings may show in a score; the bound also has room for three of the comparison.
    assert worst > 0.2 * (d + 5) / (d + 8)


@pytest.mark.parametrize(("real", "unit"), [(np.float32, 2.0**-24), (np.float64, UNIT)])
@pytest.mark.parametrize("d", DEPTHS)
def test_the_documented_bound_holds_and_is_nearly_reached(real, unit, d):
    """kappa (|a||b| + |a|^2 / 2) + tau of tile/product/tile.h, in both types."""
    kappa = 1.02 * unit * (d + 5)
    tau = (d + 8) * (2.0**-100 if real == np.float32 else 2.0**-1000)
    rows, worst = tiles.tile_shape(np.dtype(real).char)[0], 0.0
    for A, B in pairs(d, d, unit):
        a = np.zeros((-(-len(A) // rows) * rows, d), real)
        a[: len(A)] = A
        start = np.full(len(a), -np.inf, real)
        tiles.measure(a[: len(A)], d, start[: len(A)], np.empty(len(A), real))
        lengths = [np.sqrt(np.square(rows).sum(axis=1)) for rows in (A, B)]
        limit = kappa * (np.outer(*lengths) + np.square(lengths[0])[:, None] / 2) + tau
        off = errors(computed_scores(a, start, B.astype(real)), exact_scores(A, B))
        assert (off <= limit).all()
        worst = max(worst, (off / limit).max())
    assert worst > (0.2 if real == np.float32 or d > 4 else 0.05)


@pytest.mark.parametrize("d", [9, 40, 300])
def test_scores_rounded_up_and_down_win_no_row(d):
    """The center with the largest float32 score is not the nearest, by as much as can be."""
    up, b = ladder(d, 2.0**-24)
    down = np.full((1, d), 1024 * 2.0**-24 * (1 - 2.0**-8))  # every addition is rounded down
    down[0, 0] = 1 + 2.0**-23 * max(1, d // 128)
    nothing = np.zeros(d, np.float32)
    for centers in (np.vstack([up, down]), np.vstack([down, up])):
        a, start, *rest = lloyd.frame(centers, nothing, 1.0)
        scores = computed_scores(a, start, b.astype(np.float32))[:, 0]
        nearest = exactly_squared(b, centers)[0].argmin()
        np.testing.assert_array_equal(centers[nearest], down[0])
        assert scores.argmax() == 1 - nearest
        labels = np.full(1, -1, np.int32)
        lloyd.step(b, None, centers, (a, start, *rest), labels, None, None)
        assert labels[0] == nearest
