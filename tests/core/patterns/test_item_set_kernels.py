# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of item sets against definitions: lists turned round, bits, and the table of sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from statfast._core.patterns.rules import SetTable

from statfast._core.patterns import baskets, eclat

SHAPES = st.tuples(st.integers(1, 90), st.integers(1, 40), st.integers(0, 10**6))


def random_ones(shape):
    n, d, seed = shape
    rng = np.random.default_rng(seed)
    return rng, (rng.random((n, d)) < rng.random()).astype(np.uint8)


def ends(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


@given(SHAPES)
def test_ones_of_a_table(shape):
    _, table = random_ones(shape)
    of_lines, of_columns = np.empty(len(table), np.intp), np.ones(table.shape[1], np.intp)
    baskets.count_ones(table, of_lines, of_columns)
    np.testing.assert_array_equal(of_lines, table.sum(axis=1))
    np.testing.assert_array_equal(of_columns, table.sum(axis=0) + 1)
    start = ends(of_lines)
    columns = np.full(start[-1], -1, np.int32)
    baskets.list_ones(table, start[:-1], columns)
    np.testing.assert_array_equal(columns, np.nonzero(table)[1])


@given(SHAPES)
def test_lists_turned_round(shape):
    rng, table = random_ones(shape)
    n, d = table.shape
    row, column = np.nonzero(table)
    number = rng.permutation(d).astype(np.int32)
    number[rng.random(d) < 0.2] = -1
    wanted = [np.flatnonzero(table[:, np.flatnonzero(number == k)].any(axis=1)) for k in range(d)]
    start = ends(np.bincount(row, minlength=n))
    to = ends([len(lines) for lines in wanted])
    lines, place = np.full(to[-1], -1, np.int32), to[:-1].copy()
    half = n // 2
    baskets.transpose(start, column.astype(np.int32), number, 0, half, place, lines)
    baskets.transpose(start, column.astype(np.int32), number, half, n, place, lines)
    np.testing.assert_array_equal(lines, np.concatenate(wanted))
    np.testing.assert_array_equal(place, to[1:])
    vectors = np.zeros((d, (n + 63) // 64), np.uint64)
    baskets.set_bits(to, lines, 0, d, vectors)
    bits = np.unpackbits(vectors.view(np.uint8), axis=1, bitorder="little")[:, :n]
    for k in range(d):
        np.testing.assert_array_equal(np.flatnonzero(bits[k]), wanted[k])
    weights = rng.integers(1, 9, n).astype(float)
    for k in range(d):
        assert baskets.weigh_vector(vectors[k], weights) == weights[wanted[k]].sum()


def test_a_search_says_what_it_would_need():
    rng = np.random.default_rng(0)
    table = rng.random((6400, 30)) < 0.4
    packed = np.packbits(table.T, axis=1, bitorder="little")
    vectors = np.ascontiguousarray(packed).view(np.uint64)
    counts = table.sum(axis=0).astype(np.int32)
    room = np.empty(999, np.int32), np.empty(99, np.int32), np.empty(99, np.int32), None
    for limit, wanted in ((6000, eclat.TOO_LARGE), (10**8, eclat.MORE)):
        search = eclat.Search(
            None, vectors, counts, None, None, eclat.FREQUENT, (64, 0.0), 30, (6400, 30), (0, 30),
            limit,
        )  # fmt: skip
        status = eclat.MORE
        for _ in range(20):
            status, n_sets, _ = search.run(1e5, *room)
            assert n_sets <= 99
            if status != eclat.MORE:
                break
        assert status == wanted
        assert wanted == eclat.MORE or search.wanted > limit


def test_sets_are_looked_up():
    """All divisions of a set whose parts are there, and of one that lacks a part."""
    parts = [[0], [3], [5], [0, 3], [0, 5], [3, 5], [0, 3, 5]]
    start = ends(list(map(len, parts)))
    items = np.concatenate(parts).astype(np.int32)
    mass = np.array([4.0, 4, 4, 2, 2, 2, 1])
    out = np.empty((99, 3), np.intp)
    table = SetTable(start, items, mass)
    table.enter(0, len(parts))
    n = table.rules(1e9, 9, 0.0, out)
    assert n == 3 * 2 + 6
    assert all(sorted(parts[x] + parts[y]) == parts[z] for z, x, y in out[:n].tolist())
    table = SetTable(start, items, mass)
    table.enter(1, len(parts))
    assert table.rules(1e9, 9, 0.0, out) == -1
