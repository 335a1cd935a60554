# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of k-medoids against definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, squareform

from statfast._core.distance import dissimilarity
from statfast._core.medoids import pam
from statfast._distance.dissimilarity import Condensed, OfRows, Square
from statfast._distance.metrics import as_metric
from statfast._distance.precomputed import as_table
from statfast.cluster.medoids.partition import Partition, gains
from tests.reference import medoids as twin

SHAPES = st.tuples(st.integers(3, 150), st.integers(2, 9), st.integers(0, 10**6))


def random_case(shape, whole=False):
    n, k, seed = shape
    rng = np.random.default_rng(seed)
    D = rng.integers(1, 9, (n, n)).astype(float) if whole else rng.random((n, n))
    np.fill_diagonal(D, 0)
    return rng, D, rng.choice(n, min(k, n - 1), replace=False)


def sources(D):
    """The same symmetric matrix in each form."""
    D = np.minimum(D, D.T)
    yield Square(D)
    yield Condensed(squareform(D), len(D))


@given(SHAPES, st.booleans(), st.booleans(), st.booleans())
def test_search_finds_the_change_of_every_swap(shape, weighted, first, mirrored):
    rng, D, chosen = random_case(shape)
    D = np.minimum(D, D.T) if mirrored else D
    weights = rng.integers(0, 3, len(D)).astype(float) if weighted else None
    if len(chosen) < 2 or (weighted and weights.sum() == 0):
        return
    found = Partition(Square(D, mirrored), chosen, weights, 1)
    candidate, slot, change = found.search(0, len(D), first=first)
    table = {
        j: twin.changes(D, list(chosen), j, weights)
        for j in range(len(D))
        if j not in chosen and (weights is None or weights[j] > 0)
    }
    helps = [j for j, some in table.items() if some.min() < -1e-9]
    if not helps:
        assert candidate == -1
        return
    expected = helps[0] if first else min(helps, key=lambda j: table[j].min())
    assert candidate == expected
    assert slot == table[candidate].argmin()
    assert change == pytest.approx(table[candidate].min(), abs=1e-9)


@given(SHAPES, st.booleans())
@settings(max_examples=30)
def test_forms_of_a_matrix_give_the_same(shape, single):
    rng, D, chosen = random_case(shape)
    if len(chosen) < 2:
        return
    D = D.astype(np.float32) if single else D
    weights = rng.random(len(D))
    answers = []
    for source in sources(D):
        for some in (None, weights):
            found = Partition(source, chosen, some, 1)
            answers.append((*found.search(0, len(D), first=False), found.loss))
            every = gains(source, slice(0, len(D)), found.close, some)
            picked = np.array([len(D) - 1, 0])
            assert (gains(source, picked, found.close, some) == every[picked]).all()
            answers[-1] += tuple(every)
    half = len(answers) // 2
    assert answers[:half] == answers[half:]


@given(SHAPES)
def test_exchange_keeps_the_two_nearest(shape):
    rng, D, chosen = random_case(shape, whole=True)
    if len(chosen) < 2:
        return
    found = Partition(Square(D), chosen, None, 1)
    for candidate in rng.choice(len(D), min(len(D), 6), replace=False):
        if candidate in found.medoids:
            continue
        found.exchange(int(rng.integers(found.k)), int(candidate))
        two = np.sort(D[:, found.medoids], axis=1)
        assert (found.near == two[:, 0]).all()
        assert (found.second == two[:, 1]).all()
        rows = np.arange(len(D))
        assert (D[rows, found.medoids[found.slot]] == found.near).all()
        assert (D[rows, found.medoids[found.second_slot]] == found.second).all()
        assert (found.slot != found.second_slot).all()


@given(
    n=st.integers(14, 60),
    k=st.integers(2, 13),
    seed=st.integers(0, 10**6),
    whole=st.booleans(),
    mirrored=st.booleans(),
)
@settings(max_examples=40)
def test_what_points_know_stays_true(n, k, seed, whole, mirrored):
    rng, D, start = random_case((n, k, seed), whole)
    D = np.minimum(D, D.T) if mirrored else D
    found = Partition(Square(D, mirrored), start, None, 1)
    for _ in range(30):  # medoids come back, too
        candidate = int(rng.choice(np.flatnonzero(found.place < 0)))
        found.exchange(int(rng.integers(k)), candidate)
        assert (found.place[found.medoids] == np.arange(k)).all()
        assert np.count_nonzero(found.place >= 0) == k
        far = D[:, found.medoids]
        two = np.sort(far, axis=1)
        assert (found.near == two[:, 0]).all()
        assert (found.second == two[:, 1]).all()
        for i in range(n):
            held = [p for p in found.who[i] if p >= 0 and found.place[p] >= 0]
            assert len(set(held)) == len(held)
            some = found.who[i] >= 0
            assert (found.far_off[i][some] == D[i, found.who[i][some]]).all()
            known = {*held, found.medoids[found.slot[i]], found.medoids[found.second_slot[i]]}
            assert len(known) == len(held) + 2
            assert known >= set(found.medoids[far[i] < found.bound[i]])


SIZES = {
    "plain": lambda rng, D: D,
    "ties": lambda rng, D: np.ceil(4 * D),
    "tiny": lambda rng, D: D * 1e-300,
    "huge": lambda rng, D: D * 1e290,
    "heavy": lambda rng, D: D**-8.0 * (D > 0),
    "few far": lambda rng, D: np.where(np.minimum.outer(*2 * [rng.random(len(D))]) < 0.03, 1e9, D),
    "zeros": lambda rng, D: D * (D > 0.7),
}


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("mirrored", [False, True])
@given(
    n=st.integers(3, 200), k=st.integers(2, 30), seed=st.integers(0, 10**6), single=st.booleans()
)
@settings(max_examples=12)
def test_rounded_rows_change_no_swap(kind, mirrored, n, k, seed, single):
    rng, D, start = random_case((n, k, seed))
    if len(start) < 2:
        return
    D = np.minimum(D, D.T) if mirrored else D
    with np.errstate(divide="ignore", invalid="ignore"):
        D = np.nan_to_num(SIZES[kind](rng, D), posinf=0)
    np.fill_diagonal(D, 0)
    if single and kind not in ("tiny", "huge", "heavy"):
        D = D.astype(np.float32)
    answers = []
    for kept in (False, True):
        found = Partition(Square(D, mirrored), start, None, 1)
        if kept:
            found.keep_rows()
            found.search(0, n, first=False)
        steps = [found.pursue(0, 2 * n) for _ in range(2)]
        found.search(0, n, first=True)
        answers.append((list(found.medoids), steps, found.loss))
    assert answers[0] == answers[1]


def test_medoids_of_rows_are_those_of_columns():
    rng = np.random.default_rng(3)
    D = squareform(rng.random(400 * 399 // 2))
    start = rng.choice(400, 30, replace=False)
    answers = []
    for mirrored in (False, True):
        found = Partition(Square(D, mirrored), start, None, 1)
        before = found.search(0, 400, first=False)
        found.pursue(0, 400)
        answers.append((before, list(found.medoids), found.loss))
    assert answers[0] == answers[1]


@given(SHAPES)
def test_gains_are_how_much_the_loss_falls(shape):
    _, D, chosen = random_case(shape)
    near = D[:, chosen].min(axis=1)
    every = slice(0, len(D))
    assert np.allclose(gains(Square(D), every, None, None), D.sum(axis=0))
    expected = np.maximum(near[:, None] - D, 0).sum(axis=0)
    assert np.allclose(gains(Square(D), every, near, None), expected)


def test_pursue_takes_the_swaps_of_one_at_a_time():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    D = cdist(X, X)
    start = rng.choice(300, 6, replace=False)
    found = Partition(Square(D), start, None, 1)
    _, quiet, _, swaps = found.pursue(0, 300)
    assert quiet == 300
    assert (list(found.medoids), swaps) == twin.fasterpam(D, start)


@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "hamming"]
)
@given(n=st.integers(1, 70), m=st.integers(1, 70), d=st.integers(1, 9), seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_made_blocks_are_distances(metric, n, m, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 4, (n + m, d)) if metric == "hamming" else rng.normal(size=(n + m, d))
    X = X.astype(float)
    checked = as_metric(metric, d=d, X=X)
    made = OfRows(checked.prepare(X), checked)
    expected = cdist(X, X, metric)
    tolerance = {"rtol": 1e-12, "atol": 1e-14}
    assert np.allclose(made.block(slice(3, n + m), slice(0, m)), expected[3:, :m], **tolerance)
    some = rng.choice(n + m, n)
    assert np.allclose(made.between(some, np.arange(m)), expected[some][:, :m], **tolerance)
    both = made.block(slice(0, n + m), slice(0, n + m))
    assert (both == both.T).all()
    assert not both.diagonal().any() or metric == "cosine"


@given(n=st.integers(2, 60), seed=st.integers(0, 10**6))
def test_unfold_is_squareform(n, seed):
    rng = np.random.default_rng(seed)
    condensed = rng.random(n * (n - 1) // 2)
    square = squareform(condensed)
    low, left = rng.integers(0, n, 2)
    high, right = rng.integers(low, n + 1), rng.integers(left, n + 1)
    source = Condensed(condensed, n)
    assert (
        source.block(slice(low, high), slice(left, right)) == square[low:high, left:right]
    ).all()
    some, others = rng.integers(0, n, 5), rng.integers(0, n, 4)
    assert (source.between(some, others) == square[np.ix_(some, others)]).all()


def test_panels_are_filled_up():
    panels = np.full((2, 3, dissimilarity.PANEL_POINTS), np.nan)
    X = np.arange(105.0).reshape(35, 3)
    dissimilarity.lay(X, panels)
    assert (panels[1, :, :3] == X[32:].T).all()
    assert not panels[1, :, 3:].any()
    assert pam.MAX_CANDIDATES % dissimilarity.PANEL_POINTS == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 300])
def test_symmetry_is_looked_for_in_every_pair(dtype, n):
    rng = np.random.default_rng(n)
    D = rng.random((n, n)).astype(dtype)
    D = np.minimum(D, D.T)
    np.fill_diagonal(D, 0)
    assert as_table(D)[1]
    for i, j in rng.integers(0, n, (10, 2)):
        other = D.copy()
        other[i, j] = -1
        with pytest.raises(ValueError, match=f"row {i}, column {j}" if n > 1 else "position 0"):
            as_table(other)
        if i != j:
            other[i, j] = np.nextafter(D[i, j], dtype(2))
            assert not as_table(other)[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(n=st.integers(1, 100), seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_every_number_that_is_no_dissimilarity_is_found(dtype, n, seed):
    rng = np.random.default_rng(seed)
    some = rng.random((n, n)).astype(dtype)
    some[:, rng.integers(n)] = 0.0
    assert dissimilarity.mirrored(some, 0, n, False)[0]
    for wrong in (-1e-30, np.nan, np.inf, -np.inf):
        other = some.copy()
        other[tuple(rng.integers(n, size=2))] = wrong
        assert not dissimilarity.mirrored(other, 0, n, False)[0]
