# SPDX-License-Identifier: BSD-3-Clause
"""The tile family: packing, norms, the arg-max epilogues, and the choice of instruction set."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.tile import tiles
from tests.reference import tiles as twin

REALS = [np.float32, np.float64]
UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}
INTEGER = {np.float32: np.int32, np.float64: np.int64}
LEVELS = tiles.levels()


def shape_of(real):
    """Rows and columns of the tile."""
    return tiles.tile_shape(np.dtype(real).char)


def filled(n, step):
    return -(-n // step) * step


def packed(b):
    panels = np.full(filled(len(b), shape_of(b.dtype)[1]) * b.shape[1], np.nan, b.dtype)
    tiles.pack(b, panels)
    return panels


def largest(a, b, depth=None, *, two=False, best=None):
    """What the epilogue says of points `b` (m, depth), of which `a` may be wider."""
    real = a.dtype.type
    depth = a.shape[1] if depth is None else depth
    rows, columns = shape_of(real)
    n, m = len(a), len(b)
    high = np.full((filled(n, rows), a.shape[1]), 99, real)  # a padding row never wins
    high[:n] = a
    start = np.full(len(high), -np.inf, real)
    tiles.measure(np.ascontiguousarray(a), depth, start[:n], np.empty(n, real))
    top = np.full((2, filled(m, columns)), -np.inf, real)
    if best is not None:
        top[0, :m] = best
    index = np.full(top.shape[1], -1, INTEGER[real])
    extra = [top[1]] if two else []
    tiles.largest(high, start, packed(np.ascontiguousarray(b)), depth, top[0], index, *extra)
    return top[0, :m], top[1, :m], index[:m]


def grid(rng, real, *shape):
    """Small integers: scores are exact in either type and ties abound."""
    return rng.integers(-3, 4, shape).astype(real)


def sizes_around(step):
    return sorted({1, 2, step - 1, step, step + 1, 2 * step - 1, 2 * step + 1} - {0})


@pytest.mark.parametrize("real", REALS)
def test_pack_at_every_tail(real):
    rng = np.random.default_rng(1)
    width = shape_of(real)[1]
    for n in sizes_around(width):
        for d in range(1, 20):
            x = rng.standard_normal((n, d)).astype(real)
            np.testing.assert_array_equal(packed(x), twin.pack(x, width))


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12])
def test_measure_is_half_the_square_and_no_less_than_the_length(real, scale):
    rng = np.random.default_rng(2)
    for d in [*range(1, 20), 300]:
        a = (scale * rng.standard_normal((5, d + 2))).astype(real)
        start, norm = np.empty((2, 5), real)
        tiles.measure(a, d, start, norm)
        square = (a[:, :d].astype(np.longdouble) ** 2).sum(axis=1)
        np.testing.assert_allclose(start, -square / 2, rtol=1.01 * UNIT[real] + (d + 2) * 2.0**-53)
        assert (norm >= np.sqrt(square)).all()
        assert (norm <= np.sqrt(square) * 1.00001).all()


def check_on_grid(real, n, m, d, seed=0, wider=0):
    rng = np.random.default_rng(seed)
    a, b = grid(rng, real, n, d + wider), grid(rng, real, m, d)
    best, second, index = twin.two_largest(twin.scores(a[:, :d], b))
    for two in (False, True):
        found = largest(a, b, d, two=two)
        np.testing.assert_array_equal(found[0], best)
        np.testing.assert_array_equal(found[2], index)
        np.testing.assert_array_equal(found[1], second if two else np.full(m, -np.inf))


@pytest.mark.parametrize("real", REALS)
def test_largest_at_every_tail_of_rows_and_columns(real):
    rows, columns = shape_of(real)
    for n in sizes_around(rows):
        for m in sizes_around(columns):
            check_on_grid(real, n, m, 1 + (n + m) % 5, seed=n * m)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 300])
def test_largest_at_every_depth(real, d):
    check_on_grid(real, 30, 40, d, seed=d, wider=d % 4)


@given(
    real=st.sampled_from(REALS),
    n=st.integers(1, 90),
    m=st.integers(1, 90),
    d=st.integers(1, 40),
    wider=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_largest_on_any_grid(real, n, m, d, wider, seed):
    check_on_grid(real, n, m, d, seed, wider)


@pytest.mark.parametrize("real", REALS)
def test_rows_beyond_a_cacheful_keep_their_numbers(real):
    check_on_grid(real, 500, 3, 4, seed=3, wider=1500)


@pytest.mark.parametrize("real", REALS)
def test_of_equal_rows_the_lowest_wins(real):
    rng = np.random.default_rng(4)
    a = np.repeat(rng.standard_normal((1, 5)), 100, axis=0).astype(real)
    b = rng.standard_normal((70, 5)).astype(real)
    best, second, index = largest(a, b, two=True)
    assert not index.any()
    np.testing.assert_array_equal(second, best)
    for first in (1, 13, 50, 99):
        a[:first] = 50  # a long row: far from all points
        np.testing.assert_array_equal(largest(a, b)[2], np.full(70, first))


@pytest.mark.parametrize("real", REALS)
def test_random_scores_within_the_bound(real):
    rng = np.random.default_rng(5)
    for d in (1, 5, 40):
        a, b = (rng.standard_normal((70, d)).astype(real) for _ in range(2))
        best, second, index = largest(a, b, two=True)
        exact = twin.scores(a.astype(np.longdouble), b)
        limit = (d + 5) * UNIT[real] * (np.square(a).sum(axis=1).max() + np.square(b).sum(axis=1))
        np.testing.assert_array_less(abs(best - exact[index, np.arange(70)]), limit)
        expected = twin.two_largest(exact)
        np.testing.assert_array_less(abs(best - expected[0]), limit)
        np.testing.assert_array_less(abs(second - expected[1]), limit)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("two", [False, True])
def test_what_was_best_before_stays_until_beaten(real, two):
    rng = np.random.default_rng(6)
    a, b = grid(rng, real, 20, 4), grid(rng, real, 50, 4)
    best, second, index = twin.two_largest(twin.scores(a, b))
    before = best + rng.integers(-1, 2, 50)
    found = largest(a, b, two=two, best=before)
    np.testing.assert_array_equal(found[0], np.maximum(best, before))
    np.testing.assert_array_equal(found[2], np.where(best > before, index, -1))
    if two:
        lower = np.where(best > before, np.maximum(before, second), best)
        np.testing.assert_array_equal(found[1], lower)


# ------------------------------------------------------------------ the choice of a level
SAME = """
import numpy as np
from statfast._core.tile import tiles
from statfast.cluster import KMeans
from statfast.neighbors import NearestNeighbors

rng = np.random.default_rng(7)
print(tiles.isa())
for dtype in (np.float64, np.float32, np.uint8):
    X = rng.integers(0, 12, (900, 9)).astype(dtype)  # ties, exact on every level
    Q = rng.integers(0, 12, (200, 9)).astype(dtype)
    print(NearestNeighbors(7).fit(X).kneighbors(Q)[1].tolist())
    print(KMeans(20, init=X[:20].astype(float), n_init=1, max_iter=1).fit(X).labels_.tolist())
X = rng.standard_normal((900, 9)) + 1e6  # clear gaps, but not in float32
print(NearestNeighbors(7).fit(X).kneighbors(X[:200] + 0.01)[1].tolist())
print(KMeans(20, init=X[:20], n_init=1, max_iter=5).fit(X).labels_.tolist())
"""


def run(code, level):
    env = {**os.environ, "STATFAST_ISA": level}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def of_plainest():
    return run(SAME, LEVELS[-1]).stdout.splitlines()


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_gives_the_same_answers(level, of_plainest):
    done = run(SAME, level)
    name, *answers = done.stdout.splitlines()
    assert name == level, done.stderr
    assert len(answers) == 8
    assert answers == of_plainest[1:]


@pytest.mark.parametrize("name", ["avx9000", "x86-64-V3", "portable "])
def test_an_unknown_level_is_refused_with_the_choice(name):
    done = run("import statfast._core.tile.tiles", name)
    assert done.returncode == 1
    sentence = (
        f"ImportError: STATFAST_ISA must be one of {', '.join(LEVELS)} on this machine; "
        f"got {name!r}. Unset it to use the best."
    )
    assert done.stderr.splitlines()[-1] == sentence


def test_without_a_choice_the_best_level_is_used():
    assert run("from statfast._core.tile import tiles; print(tiles.isa())", "").stdout.split() == [
        LEVELS[0]
    ]


def test_levels_end_with_the_plainest_one():
    assert LEVELS[-1] in ("portable", "x86-64")
    assert len(set(LEVELS)) == len(LEVELS)
    assert tiles.isa() == (os.environ.get("STATFAST_ISA") or LEVELS[0])
    rows, columns = tiles.tile_shape("f")
    assert tiles.tile_shape("d")[0] == rows
    assert columns in (tiles.tile_shape("d")[1], 2 * tiles.tile_shape("d")[1])
