# SPDX-License-Identifier: BSD-3-Clause
"""The hashes collide as often as their theory says, and probes come in the order of their cost."""

from itertools import combinations
from math import erf, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.hashing import hashes as lsh
from statfast._core.hashing import search as probe
from statfast._distance import Float32Frame
from statfast.neighbors.hashing import tuning
from statfast.neighbors.hashing.hashes import FAMILIES, Hashes
from statfast.neighbors.hashing.tables import drawer_bits

TABLES = 4000  # a probability p is measured to within sqrt(p (1 - p) / TABLES)
SIGMAS = 4  # with fixed seeds, so that this is passed once and for all


def frame(d, scale=1.0):
    return Float32Frame(np.zeros(d, np.float32), scale)


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
    base, cost, move, part = hashes.steps(rows, hashes.panels(), 12)
    np.testing.assert_array_equal((base >> np.uint64(32)).T.astype(np.int64), codes(hashes, rows))
    assert (cost[..., 1:] >= cost[..., :-1]).all()
    assert ((part < hashes.form.shape[1]) | np.isinf(cost)).all()
    assert ((move != 0) | np.isinf(cost)).all()  # a step leads elsewhere


@given(st.data())
def test_probes_are_the_cheapest_sets_of_steps(data):
    steps = data.draw(st.integers(0, 7))
    probes = data.draw(st.integers(1, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    cost = np.sort(rng.random(steps)).astype(np.float32)
    part = rng.integers(0, 4, steps).astype(np.uint8)
    move = (np.uint64(1) << np.arange(steps, dtype=np.uint64)) << np.uint64(32)
    every = probe.probe_codes(
        np.zeros((1, 1), np.uint64), cost[None, None], move[None, None], part[None, None], probes
    )[0, 0]
    assert every[0] == 0
    found = every[: 1 + np.flatnonzero(every).max(initial=0)]
    assert (every[len(found) :] == 0).all()  # where there are no more, the first again
    sets = [chosen for size in range(steps + 1) for chosen in combinations(range(steps), size)
            if len({part[i] for i in chosen}) == size]  # fmt: skip
    sums = sorted(sum(float(cost[i]) for i in chosen) for chosen in sets)
    given_sums = [sum(float(cost[i]) for i in range(steps) if code >> i & 1) for code in found]
    assert len(set(found.tolist())) == len(found)
    np.testing.assert_allclose(given_sums, sums[: len(found)], atol=1e-5)
    assert len(found) == min(probes, len(sets)) or steps > 5  # the search for sets is cut short


def test_a_search_that_sees_all_rows_is_exact():
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
    steps = probe.Steps(*hashes.steps(Q, hashes.panels(), 2))
    buckets = probe.Buckets(entries, starts, 64 - bits, 1, 1)
    d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
    looked, first, calls = np.empty(m, np.int32), 0, 0
    while first < m:
        first = probe.search(
            Q, rows, steps, buckets, np.empty(n, np.uint8), first, 1e4, d2, ids, looked
        )  # fmt: skip
        calls += 1
    assert calls > 1
    assert (looked == n).all()
    exact = ((Q[:, None] - rows) ** 2).sum(axis=2)
    order = np.argsort(exact, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(ids, order)
    np.testing.assert_array_equal(d2, np.take_along_axis(exact, order, axis=1))


def test_what_a_fit_measures_is_what_a_search_finds():
    """Recall, rows compared and entries met of every choice, counted one by one."""
    rng = np.random.default_rng(13)
    rows = rng.standard_normal((300, 6)).astype(np.float32)
    at = np.arange(0, 300, 20)
    apart = ((rows[at][:, None] - rows) ** 2).sum(axis=2)
    ids = np.argsort(apart, axis=1)[:, 1:6]
    d2 = np.take_along_axis(apart, ids, axis=1)
    sample = tuning.Sample.draw(rows, at, ids, d2, rng)
    assert (sample.n_background, sample.n_neighbors, sample.n) == (300, 5, 300)
    probes = np.array([1, 2, 5, 80])
    for family in FAMILIES:
        hashes = Hashes.draw(family, frame(6), 4, 5, 1.5, rng)
        panels = hashes.panels()
        both = [hashes.projected(some, panels) for some in (sample.queries, sample.pool)]
        near, unique, hits = tuning.measure(sample, hashes, both, probes)
        looked_up = probe.probe_codes(*hashes.steps(sample.queries, panels, 10), 64)
        pool = codes(hashes, sample.pool)
        for c, most in enumerate(probes):
            for t in range(4):
                found = [[set(np.flatnonzero(np.isin(pool[s], looked_up[s, q, :most])))
                          for s in range(t + 1)] for q in range(len(at))]  # fmt: skip
                own = [set(range(300 + 5 * q, 305 + 5 * q)) for q in range(len(at))]
                right = [len(own[q] & set.union(*found[q])) for q in range(len(at))]
                assert near[c, t] == pytest.approx(np.mean(right) / 5)
                asked = range(0, len(at), tuning.QUERIES_PER_SAMPLE)
                others = [[one & set(range(300)) for one in found[q]] for q in asked]
                wanted = np.mean([len(set.union(*one)) for one in others])
                assert unique[c, t] == pytest.approx(wanted)
                assert hits[c, t] == pytest.approx(np.mean([sum(map(len, one)) for one in others]))
