# SPDX-License-Identifier: BSD-3-Clause
"""The leaves that rows fall into and the sums of their values, against one step after another."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast.tree.structure import compact_nodes
from statfast.tree.structure.predictor import TreePredictor

SPECIAL = np.array([-np.inf, -1.5, -0.0, 0.0, 0.5, 2.0**-1074, 1e300, np.inf, np.nan])


def grown(rng, p, depth):
    """A tree of random splits, nested: a leaf is its number, a split (column, threshold, side of
    missing values, left, right). Some go deep on one side alone."""
    leaves = 0

    def node(depth):
        nonlocal leaves
        if depth == 0 or rng.random() < 0.15:
            leaves += 1
            return leaves - 1
        rule = int(rng.integers(p)), float(rng.choice(SPECIAL[:-1])), bool(rng.integers(2))
        return *rule, node(depth - 1), node(depth - 1 - int(rng.integers(depth)))

    return node(depth), leaves


def packed(tree):
    """Its nodes in 16 bytes each, in preorder."""
    out = []

    def put(node):
        here = len(out)
        if isinstance(node, int):
            out.append((0x7FF8 << 48 | node, here))
            return
        column, threshold, missing_left, left, right = node
        out.append(None)
        put(left)
        bits = int(np.float64(threshold).view(np.uint64))
        out[here] = bits, (column | missing_left << 31) << 32 | len(out)
        put(right)

    put(tree)
    return np.array(out, dtype=np.uint64)


def leaf_of(node, row):
    while not isinstance(node, int):
        column, threshold, missing_left, left, right = node
        x = row[column]
        node = left if (missing_left if np.isnan(x) else x <= threshold) else right
    return node


@given(st.integers(0, 10**6), st.sampled_from([1, 7, 8, 9, 31, 32, 33, 40, 63, 64, 71, 136]),
       st.integers(1, 18), st.integers(0, 9),
       st.sampled_from([np.float64, np.float32, np.uint8]))  # fmt: skip
def test_every_row_goes_down_every_tree(seed, m, T, depth, dtype):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 9))
    X = rng.integers(0, 3, (m, p)) if dtype == np.uint8 else rng.choice(SPECIAL, (m, p))
    with np.errstate(over="ignore"):
        X = X.astype(dtype)
    trees, counts = zip(*(grown(rng, p, depth) for _ in range(T)), strict=True)
    values = [rng.standard_normal((count, 2)) for count in counts]
    predictor = TreePredictor.join_trees([packed(tree) for tree in trees], values)
    leaves = [[leaf_of(tree, row) for tree in trees] for row in X.astype(float)]
    assert predictor.leaves(X).tolist() == leaves
    sums = np.zeros((m, 2))
    for t in range(T):
        sums += values[t][[row[t] for row in leaves]]
    assert predictor.sums(X).tobytes() == sums.tobytes()


@given(st.integers(0, 10**6), st.sampled_from([8, 9, 31, 100]), st.integers(2, 18),
       st.sampled_from([3, 40, compact_nodes.MAX_CUTS]), st.booleans(),
       st.sampled_from([np.float64, np.float32, np.uint8]))  # fmt: skip
def test_codes_send_rows_the_same_way(seed, m, T, most, missing, dtype):
    """With so many cuts a column that all trees share codes, or several runs, or some have none."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 9))
    X = rng.choice(SPECIAL if missing else SPECIAL[:-1], (m, p))
    with np.errstate(over="ignore", invalid="ignore"):
        X = np.abs(np.clip(X, -9, 9)).astype(dtype) if dtype == np.uint8 else X.astype(dtype)
    trees, counts = zip(*(grown(rng, p, 1 + t % 9) for t in range(T)), strict=True)
    values = [rng.standard_normal((count, 2)) for count in counts]
    found = TreePredictor.join_trees([packed(tree) for tree in trees], values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact_nodes, "MAX_CUTS", most)
        found.made["runs"] = compact_nodes.coded_trees(found.nodes, found.root, p)
    assert [t for run, _ in found.made["runs"] for t in range(run.start, run.stop)] == [*range(T)]
    leaves = np.array([[leaf_of(tree, row) for tree in trees] for row in X.astype(float)])
    assert np.array_equal(found.leaves(X), leaves)
    sums = np.zeros((m, 2))
    for t in range(T):
        sums += values[t][leaves[:, t]]
    assert found.sums(X).tobytes() == sums.tobytes()


def test_codes_are_made_once_they_pay():
    rng = np.random.default_rng(0)
    trees, counts = zip(*(grown(rng, 5, 12) for _ in range(30)), strict=True)
    values = [rng.standard_normal((count, 1)) for count in counts]
    found = TreePredictor.join_trees([packed(tree) for tree in trees], values)
    X = rng.standard_normal((len(found.nodes), 5))
    sums = found.sums(X[:9])
    assert "runs" not in found.made
    whole = found.sums(X)
    assert [codes is None for _, codes in found.made["runs"]] == [False]
    assert found.sums(X[:9]).tobytes() == sums.tobytes() == whole[:9].tobytes()
    assert pickle.loads(pickle.dumps(found)).made == {}


@pytest.mark.parametrize("m", [1, 8, 100, 9000])
def test_threads_and_layouts_do_not_change_a_bit(m):
    rng = np.random.default_rng(m)
    trees, counts = zip(*(grown(rng, 5, 12) for _ in range(30)), strict=True)
    values = [rng.standard_normal((count, 1)) for count in counts]
    predictor = TreePredictor.join_trees([packed(tree) for tree in trees], values)
    X = rng.standard_normal((m, 5))
    X[rng.random(X.shape) < 0.2] = np.nan
    sums, leaves = predictor.sums(X, n_jobs=1), predictor.leaves(X, n_jobs=1)
    for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1].copy()[::-1]):
        for n_jobs in (2, 7):
            assert predictor.sums(other, n_jobs=n_jobs).tobytes() == sums.tobytes()
            assert np.array_equal(predictor.leaves(other, n_jobs=n_jobs), leaves)
    few = np.concatenate([predictor.sums(X[i : i + 7]) for i in range(0, min(m, 210), 7)])
    assert few[:210].tobytes() == sums[: len(few)][:210].tobytes()
