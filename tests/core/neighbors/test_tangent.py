# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of the tangent distance against its twin, and what its distance promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.neighbors import tangent as kernel
from tests.reference import tangent as twin

RIDGE = 1e-3


def measured(Q, X, shape, sigma=0.65, both=True, ridge=RIDGE):
    """Squared tangent distances of all rows of Q to all rows of X."""
    out = np.full((len(Q), len(X)), np.nan)
    ids = np.tile(np.arange(len(X)), (len(Q), 1))
    Q = np.ascontiguousarray(Q, np.float64)
    kernel.squared(Q, X, ids, *shape, twin.gaussian_taps(sigma), both, ridge, out)
    return out


def smoothed_distances(Q, X, shape, sigma=0.65):
    """Squared Euclidean distances of the smoothed images."""
    Q, X = (
        [twin.smoothed(np.asarray(z, np.float64).reshape(shape), sigma) for z in Z] for Z in (Q, X)
    )
    return np.array([[((q - x) ** 2).sum() for x in X] for q in Q])


def noise(rng, n, shape):
    return rng.standard_normal((n, *shape))


def bytes_of_few_levels(rng, n, shape):
    return rng.choice([0, 1, 128, 255], (n, *shape)) * 1.0


def blank(rng, n, shape):
    """Black, white, and something: the tangents of the first two vanish."""
    images = np.zeros((n, *shape))
    images[1::3] = 255
    images[2::3] = rng.random(shape)
    return images


def stripes(rng, n, shape):
    """Constant along one axis: shifts along it change nothing, and tangents coincide."""
    return rng.random((n, shape[0], 1)) + np.zeros(shape)


def one_dot(rng, n, shape):
    images = np.zeros((n, shape[0] * shape[1]))
    images[np.arange(n), rng.integers(0, images.shape[1], n)] = 7
    return images


def on_a_pedestal(rng, n, shape):
    return 1e6 + noise(rng, n, shape)


FAMILIES = [noise, bytes_of_few_levels, blank, stripes, one_dot, on_a_pedestal]


@given(
    family=st.sampled_from(FAMILIES),
    shape=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    sigma=st.sampled_from([0.0, 0.2, 0.65, 0.9, 2.5]),
    both=st.booleans(),
    ridge=st.sampled_from([1e-6, RIDGE, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_twins_distances(family, shape, sigma, both, ridge, seed):
    rng = np.random.default_rng(seed)
    Q, X = (np.reshape(family(rng, n, shape), (n, -1)) for n in (3, 4))
    got = measured(Q, X, shape, sigma, both, ridge)
    want = [[twin.squared_distance(q, x, shape, sigma, both, ridge) for x in X] for q in Q]
    apart = smoothed_distances(Q, X, shape, sigma)
    # Rounding leaves tangents of what should be flat; a high pedestal makes it visible.
    loose = 1e-5 if family is on_a_pedestal else 1e-9
    assert (np.abs(got - want) <= loose * apart + 1e-24).all()
    assert (got >= 0).all()
    assert (got <= apart * (1 + 1e-9) + 1e-18 * (Q**2).max()).all()


@pytest.mark.parametrize("shape", [(28, 28), (16, 31), (40, 7), (1, 300)])
@pytest.mark.parametrize("both", [True, False])
def test_images_of_several_blocks_of_columns(shape, both):
    rng = np.random.default_rng(1)
    Q, X = (rng.random((n, shape[0] * shape[1])) for n in (2, 3))
    want = [[twin.squared_distance(q, x, shape, 0.9, both) for x in X] for q in Q]
    np.testing.assert_allclose(measured(Q, X, shape, 0.9, both), want, rtol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("both", [True, False])
def test_an_image_is_at_distance_zero_of_itself(family, both):
    X = np.reshape(family(np.random.default_rng(2), 6, (9, 11)), (6, -1))
    assert not np.diag(measured(X, X, (9, 11), both=both)).any()


@pytest.mark.parametrize("family", [noise, bytes_of_few_levels, blank, stripes, one_dot])
def test_symmetric_when_both_move(family):
    X = np.reshape(family(np.random.default_rng(3), 8, (9, 11)), (8, -1))
    apart = measured(X, X, (9, 11))
    scale = smoothed_distances(X, X, (9, 11))
    assert (np.abs(apart - apart.T) <= 1e-10 * scale).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_two_that_move_come_nearer_than_one(family):
    X = np.reshape(family(np.random.default_rng(4), 8, (9, 11)), (8, -1))
    one, two = (measured(X, X, (9, 11), both=both) for both in (False, True))
    assert (two <= one * (1 + 1e-9) + 1e-12 * smoothed_distances(X, X, (9, 11))).all()
    assert (two < 0.999 * one).any() or family in (blank, stripes)


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("exponent", [-480, -300, 300, 480])
def test_the_unit_of_gray_plays_no_part(both, exponent):
    rng = np.random.default_rng(5)
    Q, X = rng.random((3, 64)), rng.random((4, 64))
    scale = 2.0**exponent
    np.testing.assert_array_equal(
        measured(Q * scale, X * scale, (8, 8), both=both),
        measured(Q, X, (8, 8), both=both) * scale**2,
    )


def test_what_cannot_be_represented_is_not_a_number_or_not_finite():
    X = np.random.default_rng(6).random((3, 64))
    assert not measured(X * 1e200, X * 1e200, (8, 8)).max() < np.inf
    for small in (1e-200, 1e-310):  # whose squares vanish
        assert not measured(X * small, X * small, (8, 8)).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("both", [True, False])
def test_rows_of_any_type_and_stride(dtype, both):
    rng = np.random.default_rng(7)
    Q, X = rng.integers(0, 256, (3, 80)), rng.integers(0, 256, (10, 80))
    want = measured(Q, X[::2] * 1.0, (8, 10), both=both)
    np.testing.assert_array_equal(measured(Q, X.astype(dtype)[::2], (8, 10), both=both), want)
    np.testing.assert_array_equal(
        measured(Q, X.astype(dtype)[::-1][1::2], (8, 10), both=both), want[:, ::-1]
    )


@pytest.mark.parametrize("both", [True, False])
def test_a_pair_alone_has_the_same_distance(both):
    rng = np.random.default_rng(8)
    Q, X = rng.random((4, 90)), rng.random((6, 90))
    among = measured(Q, X, (9, 10), both=both)
    for i in range(4):
        for j in range(6):
            alone = measured(Q[i : i + 1], X[j : j + 1], (9, 10), both=both)
            assert alone[0, 0] == among[i, j]
