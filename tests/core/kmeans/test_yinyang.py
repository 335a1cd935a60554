# SPDX-License-Identifier: BSD-3-Clause
"""Rows sorted by their centers: the labels are those of all distances, and every bound is one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.kmeans import lloyd, yinyang
from statfast._distance.precision import origin_of, scale_of
from tests.core.kmeans.test_lloyd import FAMILIES, squared_distances
from tests.reference import kmeans as twin

GROUP, PANEL = yinyang.group_rows(), yinyang.panel_rows()


class Sorted:
    """What a caller of `assign` keeps."""

    def __init__(self, X, centers):
        (n, d), k = X.shape, len(centers)
        self.X, self.origin = X, origin_of(X.mean(axis=0))
        self.scale = scale_of(np.abs(np.concatenate([X, centers]) - self.origin).max())
        self.arranged = np.empty(k, np.int32)
        yinyang.arrange(centers, self.arranged)
        self.place = np.argsort(self.arranged).astype(np.int32)
        self.labels = squared_distances(X, centers).argmin(axis=1).astype(np.int32)
        order = np.argsort(self.place[self.labels], kind="stable")
        self.order = np.concatenate([order, np.repeat(order[-1:], -n % PANEL)]).astype(np.int32)
        self.center_places = self.place[self.labels][self.order]
        m = len(self.order)
        self.panels, self.norms = np.empty(m * d, np.float32), np.empty(m, np.float32)
        lloyd.pack_rows(X, self.origin, self.scale, self.panels, self.norms, self.order)
        self.groups = -(-k // GROUP)
        width = -(-self.groups // 16) * 16
        self.slack = np.full((m // PANEL, width), -np.inf, np.float32)
        self.slack[:, self.groups :] = np.finfo(np.float32).max
        self.upper = np.zeros(m, np.float32)
        self.last = centers

    def assign(self, centers):
        frame = lloyd.frame(centers[self.arranged], self.origin, self.scale)
        move = np.sqrt(((centers - self.last) ** 2).sum(axis=1)) * self.scale * (1 + 1e-5)
        drop = np.zeros(self.slack.shape[1], np.float32)
        for g in range(self.groups):
            drop[g] = move[self.arranged[g * GROUP : (g + 1) * GROUP]].max()
        rows, source = np.empty((2, len(self.order)), np.int32)
        moved = yinyang.assign(
            self.X, self.order, self.panels, self.norms,
            yinyang.Groups(centers, frame, self.arranged, self.place, drop),
            self.center_places, self.upper, self.slack, self.labels, rows, source,
        )  # fmt: skip
        self.last = centers
        return rows[:moved], source[:moved]


def walk(rng, centers, steps):
    """Centers that move, some of them far, some not at all, and less and less."""
    for step in range(steps):
        yield centers
        move = rng.standard_normal(centers.shape) * 0.5**step
        move *= rng.choice([0.0, 0.01, 1.0], (len(centers), 1), p=[0.5, 0.4, 0.1])
        centers = centers + move


def blobs(rng, n, k, d):
    centers = 3 * rng.standard_normal((k, d))
    return centers[rng.integers(k, size=n)] + rng.standard_normal((n, d)), centers


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 400),
    k=st.integers(1, 90),
    d=st.integers(1, 20),
    dtype=st.sampled_from([np.float64, np.float32, np.uint8]),
)
def test_labels_and_bounds_hold_while_the_centers_move(seed, n, k, d, dtype):
    rng = np.random.default_rng(seed)
    X, centers = blobs(rng, n, k, d)
    if dtype == np.uint8:
        X, centers = np.clip(20 * X + 100, 0, 255), 20 * centers + 100
    X = np.ascontiguousarray(X.astype(dtype))
    state = Sorted(X, centers)
    for at in walk(rng, centers, 6):
        before = state.labels.copy()
        rows, source = state.assign(at)
        d2 = twin.squared(X, at)
        labels = d2.argmin(axis=1)
        assert (state.labels == labels).all()
        assert (state.arranged[state.center_places] == labels[state.order]).all()
        changed = np.flatnonzero(before != labels)
        assert (np.sort(rows) == changed).all()
        assert (source == before[rows]).all()
        # The bounds are bounds, in the units of the panels.
        distance = np.sqrt(d2) * state.scale
        to_center = distance[np.arange(n), labels]
        assert (state.upper >= to_center[state.order]).all()
        for g in range(state.groups):
            near = distance[:, state.arranged[g * GROUP : (g + 1) * GROUP]].min(axis=1) - to_center
            assert (state.slack[:, g] <= near[state.order].reshape(-1, PANEL).min(axis=1)).all()


def test_groups_out_of_reach_are_not_looked_at():
    """The slack of a group nobody is near only falls by what the centers move."""
    rng = np.random.default_rng(0)
    centers = np.repeat(1000.0 * np.arange(8)[:, None], GROUP, axis=0) + rng.random((8 * GROUP, 1))
    X = np.repeat(centers, 8, axis=0) + rng.random((64 * GROUP, 1))
    state = Sorted(X, centers)
    state.assign(centers)
    before = state.slack[:, : state.groups] / state.scale
    state.assign(centers + 1.0)
    after = state.slack[:, : state.groups] / state.scale
    near = before < 500
    assert 0 < near.mean() < 0.4
    fall = before[~near] - after[~near]
    assert (fall >= 0.99).all()
    assert (fall <= 10).all()  # the own distances grew by as much; float32 knows them to about 3


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_labels_are_those_of_float64_on_data_made_to_break_float32(family, dtype):
    rng = np.random.default_rng(5)
    X, centers = family(rng, 300, 70, 5)
    with np.errstate(over="ignore", under="ignore"):
        X, centers = X.astype(dtype), centers.astype(dtype).astype(np.float64)
    if not np.isfinite(X).all() or not np.isfinite(centers).all():
        pytest.skip("beyond the range of float32")
    state = Sorted(X, centers)
    for at in (centers, centers, centers[::-1].copy(), centers):
        state.assign(at)
        np.testing.assert_array_equal(state.labels, squared_distances(X, at).argmin(axis=1))


def test_arrange_puts_near_centers_together():
    rng = np.random.default_rng(1)
    blob = np.arange(8 * GROUP) % 8
    centers = 100.0 * rng.standard_normal((8, 3))[blob] + rng.standard_normal((8 * GROUP, 3))
    order = np.empty(8 * GROUP, np.int32)
    yinyang.arrange(centers, order)
    assert (np.sort(order) == np.arange(8 * GROUP)).all()
    assert (blob[order].reshape(8, GROUP) == blob[order][::GROUP, None]).all()


@pytest.mark.parametrize("k", [1, 2, GROUP, GROUP + 1, 2 * GROUP + 3, 1000])
def test_arrange_orders_any_number_and_equal_centers(k):
    order = np.empty(k, np.int32)
    yinyang.arrange(np.zeros((k, 2)), order)
    assert (np.sort(order) == np.arange(k)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_transfer_and_add_up_give_the_same_sums(weighted):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, (50, 3)).astype(np.float64)
    weights = rng.integers(1, 4, 50).astype(np.float64) if weighted else None
    old, new = rng.integers(0, 6, (2, 50)).astype(np.int32)
    sums, mass, wanted, total = np.zeros((6, 3)), np.zeros(6), np.zeros((6, 3)), np.zeros(6)
    yinyang.add_up(X, weights, old, sums, mass)
    rows = np.flatnonzero(old != new).astype(np.int32)
    yinyang.transfer(X, weights, new, rows, old[rows], sums, mass)
    w = np.ones(50) if weights is None else weights
    np.add.at(wanted, new, w[:, None] * X)
    np.add.at(total, new, w)
    assert (sums == wanted).all()
    assert (mass == total).all()
