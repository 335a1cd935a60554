# SPDX-License-Identifier: BSD-3-Clause
"""The hashes collide as often as their theory says, and probes come in the order of their cost."""

from itertools import combinations
from math import acos, erf, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core import lsh, probe, trace
from statfast.neighbors.hash_tables import COSINE, NO_SKETCHES, Sketches, drawer_bits
from statfast.neighbors.hashing import FAMILIES, Frame, Hashes, padded_width, polytopes

TABLES = 4000  # a probability p is measured to within sqrt(p (1 - p) / TABLES)
SIGMAS = 4  # with fixed seeds, so that this is passed once and for all


def frame(d, scale=1.0):
    return Frame(np.zeros(d, np.float32), scale)


def codes(hashes, rows):
    entries = np.empty((hashes.tables, len(rows)), np.uint64)
    hashes.encode(rows, hashes.panels(), 0, entries)
    assert (entries & np.uint64(0xFFFFFFFF) == np.arange(len(rows), dtype=np.uint64)).all()
    return (entries >> np.uint64(32)).astype(np.int64)


def share(hashes, a, b):
    """The fraction of tables in which two rows have one code."""
    both = codes(hashes, np.stack([a, b]))
    return (both[:, 0] == both[:, 1]).mean()


def within(measured, p):
    assert abs(measured - p) <= SIGMAS * sqrt(p * (1 - p) / TABLES)


def p_stable_probability(c, w):
    """Datar et al. 2004, section 4: two rows c apart, intervals of width w."""
    t = w / c
    normal = 0.5 * (1 + erf(-t / sqrt(2)))
    return 1 - 2 * normal - 2 / (sqrt(2 * pi) * t) * (1 - exp(-t * t / 2))


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("length", [1, 3])
def test_p_stable_collisions(distance, length):
    rng = np.random.default_rng(5)
    d, width = 20, 2.0
    a, move = rng.standard_normal((2, d))
    b = a + distance * move / np.linalg.norm(move)
    hashes = Hashes.draw("p_stable", frame(d, 0.25), TABLES, length, width, rng)
    within(share(hashes, a, b), p_stable_probability(distance, width) ** length)


@pytest.mark.parametrize("angle", [0.2, 0.8, 1.5, 2.5])
@pytest.mark.parametrize("length", [1, 3])
def test_hyperplane_collisions(angle, length):
    rng = np.random.default_rng(6)
    a = np.zeros(11)
    b = np.zeros(11)
    a[3], b[3], b[7] = 2.0, np.cos(angle), np.sin(angle)
    hashes = Hashes.draw("hyperplane", frame(11), TABLES, length, 1.0, rng)
    within(share(hashes, a, b), (1 - angle / pi) ** length)


def test_cross_polytope_collisions_fall_with_the_distance_as_with_true_rotations():
    """The vertex nearest to a Gaussian projection, drawn by numpy, is the twin."""
    d, rng = 64, np.random.default_rng(7)
    a = rng.standard_normal(d)
    a /= np.linalg.norm(a)
    side = rng.standard_normal(d)
    side -= side @ a * a
    side /= np.linalg.norm(side)
    hashes = Hashes.draw("cross_polytope", frame(d), TABLES, 7, 1.0, rng)
    measured = []
    for angle in (0.3, 0.7, 1.2):
        b = np.cos(angle) * a + np.sin(angle) * side
        together = 0
        for _ in range(TABLES):
            turned = rng.standard_normal((d, d)) @ np.stack([a, b], axis=1)
            high = abs(turned).argmax(axis=0)
            same_sign = (turned[high[0], 0] < 0) == (turned[high[1], 1] < 0)
            together += high[0] == high[1] and same_sign
        p = together / TABLES
        measured.append(share(hashes, a, b))
        assert abs(measured[-1] - p) <= 2 * SIGMAS * sqrt(p * (1 - p) / TABLES)
    assert measured == sorted(measured, reverse=True)


@given(bits=st.integers(1, 64), d=st.integers(1, 300))
def test_polytopes_have_so_many_bits(bits, d):
    widths = polytopes(bits, d)
    assert sum(int(width).bit_length() for width in widths) == bits
    assert all(width <= padded_width(d) for width in widths)


def test_rotation_is_that_of_the_hadamard_matrix():
    from scipy.linalg import hadamard

    rng, d = np.random.default_rng(8), 50
    hashes = Hashes.draw("cross_polytope", frame(d), 3, 6, 1.0, rng)
    rows = rng.standard_normal((40, d))
    H = hadamard(64).astype(float)
    y = np.zeros((40, 64))
    y[:, :d] = rows
    found = codes(hashes, rows)
    for t in range(3):
        z = y
        for s in hashes.signs[t, 0]:
            z = (z * s) @ H
        top = abs(z[:, :32]).argmax(axis=1)
        vertex = 2 * top + (z[np.arange(40), top] < 0)
        form = int(hashes.form[t, 0])
        assert [form * int(v) % 2**64 >> 32 for v in vertex] == found[t].tolist()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_equal_rows_share_all_codes_wherever_they_lie(family, dtype):
    rng = np.random.default_rng(9)
    rows = rng.integers(0, 255, (100, 30)).astype(dtype)
    rows[57] = rows[99] = rows[3]
    hashes = Hashes.draw(family, frame(30, 1 / 256), 50, 12, 40.0, rng)
    found = codes(hashes, rows)
    np.testing.assert_array_equal(found[:, 57], found[:, 3])
    np.testing.assert_array_equal(found[:, 99], found[:, 3])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_base_of_a_query_is_the_code_of_the_row(family):
    rng = np.random.default_rng(10)
    rows = rng.standard_normal((77, 20)).astype(np.float32)
    hashes = Hashes.draw(family, frame(20), 9, 10, 1.5, rng)
    base, cost, _, part = hashes.steps(rows, hashes.panels(), 12)
    np.testing.assert_array_equal((base >> np.uint64(32)).T.astype(np.int64), codes(hashes, rows))
    assert (np.diff(np.nan_to_num(cost, posinf=9e9), axis=2) >= 0).all()
    assert ((part < hashes.form.shape[1]) | np.isinf(cost)).all()


@given(st.data())
def test_probes_are_the_cheapest_sets_of_steps(data):
    steps = data.draw(st.integers(0, 7))
    probes = data.draw(st.integers(1, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    cost = np.sort(rng.random(steps)).astype(np.float32)
    part = rng.integers(0, 4, steps).astype(np.uint8)
    move = (np.uint64(1) << np.arange(steps, dtype=np.uint64)) << np.uint64(32)
    found = trace.probe_codes(0, cost, move, part, probes)
    sets = [chosen for size in range(steps + 1) for chosen in combinations(range(steps), size)
            if len({part[i] for i in chosen}) == size]  # fmt: skip
    sums = sorted(sum(float(cost[i]) for i in chosen) for chosen in sets)
    given_sums = [sum(float(cost[i]) for i in range(steps) if code >> i & 1) for code in found]
    assert len(set(found.tolist())) == len(found)
    np.testing.assert_allclose(given_sums, sums[: len(found)], atol=1e-5)
    assert len(found) == min(probes, len(sets)) or steps > 5  # the search for sets is cut short


def test_sketches_estimate_distances():
    rng = np.random.default_rng(11)
    rows = rng.standard_normal((300, 40)) * rng.uniform(0.5, 2, (300, 1))
    sketches = Sketches.build(rows, frame(40), rng, 1)
    entries = np.arange(300, dtype=np.uint64)[None]  # one bucket for all
    starts = np.array([[0, 300, 300]], np.int32)
    steps = (np.zeros((1, 1), np.uint64), *(np.empty((1, 1, 0), t) for t in "fLB"))
    d2, ids = np.empty((1, 30)), np.empty((1, 30), np.intp)
    looked = np.empty(1, np.int32)
    probe.search(
        rows[:1], rows, *steps, entries, starts, 63, 1, 1, sketches.records,
        sketches.records[:1], COSINE, 30, np.empty(300, np.uint8), 0, 1e9, d2, ids, looked,
    )  # fmt: skip
    exact = ((rows - rows[0]) ** 2).sum(axis=1)
    assert looked[0] == 300
    assert ids[0, 0] == 0
    np.testing.assert_allclose(d2[0], exact[ids[0]], rtol=1e-13)
    # 480 signs tell an angle to within 0.07; the 30 chosen of 300 are nearly all among the nearest.
    assert np.isin(ids[0], np.argsort(exact)[:60]).mean() > 0.8
    assert acos(COSINE[240]) == pytest.approx(pi / 2, abs=1e-6)


@pytest.mark.parametrize("sketched", [False, True])
def test_a_search_that_sees_all_rows_is_exact(sketched):
    rng = np.random.default_rng(12)
    rows = rng.integers(0, 4, (500, 3)).astype(np.float32)  # ties abound
    Q = rng.integers(0, 4, (60, 3)).astype(np.float64)
    n, m, k = 500, 60, 7
    hashes = Hashes.draw("p_stable", frame(3), 2, 1, 1e9, rng)
    entries = np.empty((2, n), np.uint64)
    hashes.encode(rows, hashes.panels(), 0, entries)
    entries.sort(axis=1)
    bits = drawer_bits(n)
    starts = np.empty((2, (1 << bits) + 1), np.int32)
    for t in range(2):
        lsh.directory(entries[t], 64 - bits, starts[t])
    records, sketch = NO_SKETCHES, NO_SKETCHES
    if sketched:
        sketches = Sketches.build(rows, frame(3), rng, 1)
        records, sketch = sketches.records, sketches.of(Q, frame(3), np.empty((m, 8), np.uint64))
    steps = hashes.steps(Q, hashes.panels(), 2)
    d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
    looked, first, calls = np.empty(m, np.int32), 0, 0
    while first < m:
        first = probe.search(
            Q, rows, *steps, entries, starts, 64 - bits, 1, 1, records, sketch, COSINE, n,
            np.empty(n, np.uint8), first, 1e4, d2, ids, looked,
        )  # fmt: skip
        calls += 1
    assert calls > 1
    assert (looked == n).all()
    exact = ((Q[:, None] - rows) ** 2).sum(axis=2)
    order = np.argsort(exact, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(ids, order)
    np.testing.assert_array_equal(d2, np.take_along_axis(exact, order, axis=1))
