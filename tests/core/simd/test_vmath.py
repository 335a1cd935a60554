# SPDX-License-Identifier: BSD-3-Clause
"""Vector exp, log, log1p and sigmoid: errors against a wider type, and every odd argument."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.tile import tiles

DTYPES = [np.float32, np.float64]
INF, NAN = np.inf, np.nan

# Largest error allowed, in units in the last place; simd/vmath.h states what was measured.
BOUND = {"exp": 1.0, "log": 1.0, "log1p": 2.0, "sigmoid": 2.0}

WIDE = {
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sigmoid": lambda x: np.where(x > 0, 1, np.exp(-abs(x))) / (1 + np.exp(-abs(x))),
}


def ours(name, x):
    out = np.full_like(x, 7)
    tiles.map(name, x, out)
    return out


def wide(name, x):
    """The function in a type with at least 11 more bits."""
    wider = np.float64 if x.dtype == np.float32 else np.longdouble
    if np.finfo(wider).nmant < np.finfo(x.dtype).nmant + 11:
        pytest.skip("long double is no wider than double here")
    with np.errstate(all="ignore"):
        return WIDE[name](x.astype(wider))


def ulps(got, exact):
    """|got - exact| in spacings of got's type at exact; infinity counts as 2^maxexp."""
    info = np.finfo(got.dtype)
    end = np.ldexp(exact.dtype.type(1), info.maxexp)
    got, exact = got.astype(exact.dtype).clip(-end, end), exact.clip(-end, end)
    exponent = np.frexp(exact)[1].clip(info.minexp + 1, info.maxexp)
    unit = np.ldexp(exact.dtype.type(1), exponent - info.nmant - 1)
    off = abs(got - exact) / unit
    np.testing.assert_array_equal(np.isnan(got), np.isnan(exact))
    return np.where(np.isnan(exact), 0, off)


def assert_close(name, x):
    got = ours(name, x)
    off = ulps(got, wide(name, x))
    worst = int(off.argmax())
    assert off[worst] <= BOUND[name], f"{name}({x[worst]!r}) = {got[worst]!r}, {off[worst]:.3f} ulp"


@pytest.mark.parametrize("name", BOUND)
def test_float32_over_all_bit_patterns(name):
    step = 2003  # odd, so the last bits and the signs all occur
    assert_close(name, np.arange(0, 1 << 32, step, dtype=np.uint32).view(np.float32))


@pytest.mark.parametrize("name", BOUND)
def test_float64_over_random_bit_patterns(name):
    bits = np.random.default_rng(1).integers(0, 1 << 64, 300_000, dtype=np.uint64)
    assert_close(name, bits.view(np.float64))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("exp", -1, 1),
        ("exp", -104, 89),
        ("exp", -746, 710),
        ("log", 0, 3),
        ("log", 0.69, 0.72),
        ("log", 1.39, 1.43),
        ("log1p", -1, 3),
        ("log1p", -0.3, -0.28),
        ("log1p", 0.41, 0.46),
        ("log1p", -1e-3, 1e-3),
        ("sigmoid", -1.2, -1),
        ("sigmoid", -5, 5),
        ("sigmoid", -104, 40),
        ("sigmoid", -746, 40),
    ],
)
def test_dense_where_the_error_is_largest(name, low, high, dtype):
    x = np.random.default_rng(2).uniform(low, high, 200_000)
    assert_close(name, x.astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BOUND)
def test_neighbors_of_every_seam(name, dtype):
    info = np.finfo(dtype)
    with np.errstate(under="ignore"):
        scales = [info.max, info.tiny, info.smallest_subnormal, info.eps, 1 / info.eps]
    seams = [0.0, 0.5, 0.5**0.5, 1.0, 2**0.5, 2.0, *scales, *np.log(scales)]
    seams += [0.5**0.5 - 1, 2**0.5 - 1, *np.log(2) * (np.arange(-12, 12) + 0.5)]
    seams = np.array([*seams, *np.negative(seams)], dtype=dtype)
    integer = np.int32 if dtype == np.float32 else np.int64
    bits = seams.view(integer)[:, None] + np.arange(-60, 60, dtype=integer)
    assert_close(name, bits.ravel().view(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("exp", [0.0, -0.0, INF, -INF, NAN, 1e4, -1e4], [1, 1, INF, 0, NAN, INF, 0]),
        ("log", [1.0, 0.0, -0.0, INF, -INF, NAN, -1, -1e-40], [0, -INF, -INF, INF] + 4 * [NAN]),
        ("log1p", [0.0, -0.0, -1, INF, -INF, NAN, -1.5, -1e30], [0.0, -0.0, -INF, INF] + 4 * [NAN]),
        ("sigmoid", [0.0, -0.0, INF, -INF, NAN, 1e4, -1e4], [0.5, 0.5, 1, 0, NAN, 1, 0]),
    ],
)
def test_special_values(name, x, y, dtype):
    got, y = ours(name, np.array(x, dtype=dtype)), np.array(y, dtype=dtype)
    np.testing.assert_array_equal(got, y)
    known = ~np.isnan(y)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(y[known]))


@pytest.mark.parametrize("bits", [0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF, 0xFFF8000000000000])
@pytest.mark.parametrize("name", BOUND)
def test_every_kind_of_nan_stays_nan(name, bits):
    assert np.isnan(ours(name, np.array([bits], dtype=np.uint64).view(np.float64)))[0]
    short = (bits >> 32) | (bits & 1)
    assert np.isnan(ours(name, np.array([short], dtype=np.uint32).view(np.float32)))[0]


@pytest.mark.parametrize(("dtype", "far"), [(np.float32, [-20, -100]), (np.float64, [-40, -740])])
def test_the_lower_tail_of_sigmoid_is_that_of_exp(dtype, far):
    x = np.array(far, dtype=dtype)
    tail = ours("sigmoid", x)
    assert (tail > 0).all()
    np.testing.assert_array_equal(tail, ours("exp", x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_log1p_of_a_tiny_number_is_the_number(dtype):
    x = np.array([1e-30, -1e-30, np.finfo(dtype).smallest_subnormal], dtype=dtype)
    np.testing.assert_array_equal(ours("log1p", x), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BOUND)
def test_any_length_writes_its_own_range_and_the_same_bits(name, dtype):
    x = np.random.default_rng(3).uniform(-0.9, 5, 80).astype(dtype)
    full = ours(name, x)
    for n in range(70):
        for start in (0, 1, 7):
            out = np.full(90, 7, dtype=dtype)
            tiles.map(name, x[start : start + n], out[1 : n + 1])
            np.testing.assert_array_equal(out[1 : n + 1], full[start : start + n])
            assert out[0] == 7
            assert (out[n + 1 :] == 7).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BOUND)
@given(data=st.data())
def test_anything_at_all(name, dtype, data):
    arrays = pytest.importorskip("hypothesis.extra.numpy")
    numbers = st.floats(width=np.finfo(dtype).bits) | st.floats(-128, 128, width=32)
    x = data.draw(arrays.arrays(dtype, st.integers(1, 70), elements=numbers))
    kept = x.copy()
    assert_close(name, x)
    np.testing.assert_array_equal(x, kept)
