# SPDX-License-Identifier: BSD-3-Clause
"""The suite kdtree: its problems, the libraries' trees, and the checks of their answers."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from benchmarks.harness.rows import KINDS
from benchmarks.suites.neighbors import kdtree, lsh
from benchmarks.suites.neighbors.kdtree import SUITE, _cross_data, _morton
from benchmarks.suites.neighbors.knn import REDUCED, NeighborsCheck

PEERS = {
    "scipy": kdtree.Scipy,
    "pykdtree": kdtree.Pykdtree,
    "pynanoflann": kdtree.Pynanoflann,
    "quitefastmst": kdtree.Quitefastmst,
    "sklearn": kdtree.Sklearn,
}


def _brute(data):
    X, Q = data["X"].astype(float), data.get("Q", data["X"]).astype(float)
    d2 = ((Q[:, None] - X) ** 2).sum(2)
    if "Q" not in data:
        np.fill_diagonal(d2, np.inf)
    ids = d2.argsort(1, kind="stable")[:, : data["k"]]
    return {"ids": ids, "distances": np.sqrt(np.take_along_axis(d2, ids, 1))}


def _quick(task, dtype="float64"):
    return next(p for p in SUITE.quick if p.task == task and p.dtype == dtype)


# --- problems ---


def test_groups_have_bars_and_bars_have_problems_and_peers():
    bars = SUITE.bars
    assert {p.group for p in SUITE.problems} == set(bars) == {p.group for p in SUITE.quick}
    assert all(p.beyond == (p.group == "") for p in SUITE.problems)
    named = {peer for of_group in bars.values() for bar in of_group for peer in bar.peers}
    assert named <= set(SUITE.libraries)


@pytest.mark.parametrize("problems", [SUITE.problems, SUITE.quick])
def test_baselines_are_problems_of_the_same_shape(problems):
    names = {p.name for p in problems}
    worst = [p for p in problems if p.baseline]
    assert len(worst) == 6
    for p in worst:
        assert p.baseline in names
        assert p.baseline.split()[2:] == p.name.split()[2:]


def test_the_cross_queries_take_every_factor():
    names = [p.name for p in SUITE.problems if p.group == "cross"]
    for text in ("uniform ", "clusters ", "k=1 ", "k=4 ", "k=10 ", "k=16 ", "float32", "float64"):
        assert sum(text in name for name in names) >= 4
    shapes = {tuple(name.split()[1].split("x")) for name in names}
    assert {(n, d) for n, _, d in shapes} == {
        (str(n), str(d)) for n in (10_000, 100_000, 1_000_000) for d in (2, 3, 4, 6, 8)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rows(kind):
    data = _cross_data(kind, 1_000, 100, 3, 4, "float64", False, 0)
    assert data["X"].shape == (1_000, 3)
    assert data["Q"].shape == (100, 3)
    distinct = len(np.unique(data["X"], axis=0))
    assert distinct == 1 or kind != "equal"
    if kind == "half":
        assert (data["X"] == 0.5).all(1).sum() == pytest.approx(500, abs=60)
    if kind == "outlier":
        assert (data["X"].max(1) > 1e8).sum() == 1
        assert data["Q"].max() <= 1
    if kind == "grid":
        assert (data["X"] == data["X"].round()).all()
        assert (data["Q"][1::2] == data["Q"][1::2].round()).all()


def test_z_order():
    rng = np.random.default_rng(0)
    rows = rng.random((500, 3))
    order = _morton(rows)
    assert sorted(order) == list(range(500))
    steps = abs(np.diff(rows[order], axis=0)).sum()
    assert steps < 0.5 * abs(np.diff(rows, axis=0)).sum()
    np.testing.assert_array_equal(_morton(np.arange(8.0)[::-1, None]), np.arange(8)[::-1])
    quadrants = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(_morton(quadrants), [1, 3, 2, 0])


# --- checks ---


def test_rows_are_not_their_own_neighbors():
    problem = _quick("self tree")
    data = problem.data()
    check, right = SUITE.checker(problem, data), _brute(data)
    assert SUITE.verdict(problem, check(right), ours=True)
    own = {name: part.copy() for name, part in right.items()}
    own["ids"][:, 0], own["distances"][:, 0] = np.arange(len(data["X"])), 0
    assert not SUITE.verdict(problem, check(own), ours=False)


@pytest.mark.parametrize("kind", ["equal", "grid", "duplicates", "half"])
def test_ties_go_to_the_lowest_index(kind):
    problem = next(p for p in SUITE.quick if p.name.startswith(f"worst {kind}"))
    data = problem.data()
    check, right = SUITE.checker(problem, data), _brute(data)
    assert SUITE.verdict(problem, check(right), ours=True)
    last = len(data["X"]) - 1
    mirrored = _brute(data | {"X": data["X"][::-1]})
    other = mirrored | {"ids": last - mirrored["ids"]}  # the highest index on a tie
    errors = check(other)
    assert errors["farther ids"] == 0
    assert not SUITE.verdict(problem, errors, ours=True)
    assert SUITE.verdict(problem, errors, ours=False)


def test_distances_of_equal_rows_have_to_be_zero():
    data = {"X": np.ones((9, 2)), "Q": np.ones((3, 2)), "k": 2}
    answer = _brute(data)
    assert NeighborsCheck(data)(answer)["distance error"] == 0
    answer["distances"] += 0.1
    assert NeighborsCheck(data)(answer)["distance error"] > 0.05


@pytest.mark.parametrize("metric", REDUCED)
def test_metrics_of_the_checks(metric):
    rng = np.random.default_rng(0)
    X, q = rng.integers(1, 4, (50, 7)).astype(float), rng.integers(1, 4, 7).astype(float)
    name = {"euclidean": "sqeuclidean", "manhattan": "cityblock"}.get(metric, metric)
    np.testing.assert_allclose(REDUCED[metric](X, q), cdist(q[None], X, name)[0], atol=1e-14)


def test_wrong_labels_are_counted_over_all_queries():
    rng = np.random.default_rng(0)
    data = {"X": rng.random((40, 2)), "Q": rng.random((300, 2)), "k": 1}
    data["labels"] = rng.integers(2, size=40), rng.integers(2, size=300)
    answer = _brute(data)
    expected = (data["labels"][0][answer["ids"][:, 0]] != data["labels"][1]).sum()
    assert NeighborsCheck(data)(answer)["wrong labels"] == expected > 0


# --- the libraries' trees ---


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PEERS)
def test_peers_are_asked_the_right_question(name, dtype):
    pytest.importorskip(name)
    library, problem = PEERS[name], _quick("tree", dtype)
    data = problem.data()
    for k in (1, 3):
        adapter = kdtree.TreeQueries(library)
        adapter.prepare(data | {"k": k}, 1)
        adapter.fit()
        assert SUITE.verdict(
            problem, SUITE.checker(problem, data | {"k": k})(adapter.answer()), ours=False
        )
        own = {"X": data["X"], "k": k}
        adapter = kdtree.SelfQueries(library)
        adapter.prepare(own, 1)
        adapter.fit()
        assert SUITE.verdict(problem, NeighborsCheck(own)(adapter.answer()), ours=False)


@pytest.mark.parametrize("name", set(PEERS) - {"quitefastmst"})
def test_single_queries_have_their_own_clock(name):
    pytest.importorskip(name)
    problem = _quick("one query")
    adapter = kdtree.SingleQueries(PEERS[name])
    adapter.prepare(problem.data(), 1)
    answer = adapter.answer()
    assert answer["seconds"] > 0
    assert SUITE.verdict(problem, SUITE.checker(problem, problem.data())(answer), ours=False)


def test_what_a_library_cannot_do_is_left_out():
    with pytest.raises(NotImplementedError, match="2 to 20"):
        kdtree.Quitefastmst.allow(10, 10, 1, "tree")
    with pytest.raises(NotImplementedError, match="no tree"):
        kdtree.Quitefastmst.allow(10, 10, 3, "one query")
    with pytest.raises(NotImplementedError, match="minutes"):
        kdtree.Sklearn.allow(10**6, 10, 3, "tree")
    kdtree.Sklearnex.allow(10**6, 10, 3, "tree")


def test_the_curve_of_recall_knows_its_rows():
    X, Q = lsh.rows_of("normal")
    assert X.shape == (100_000, 64)
    assert Q.shape == (lsh.QUERIES, 64)
    assert "statfast k-d tree (exact)" in lsh.LIBRARIES
