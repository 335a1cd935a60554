# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks' checks accept right answers and refuse slightly wrong ones."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.harness.registry import SUITES
from benchmarks.suites.cluster.kmeans import lloyd, nearest_centers
from benchmarks.suites.generative.lda import posteriors


def _quick(suite, which=0):
    problem = SUITES[suite].quick[which]
    return SUITES[suite], problem, problem.data()


def _brute(data):
    d2 = ((data["Q"][:, None].astype(float) - data["X"][None].astype(float)) ** 2).sum(2)
    ids = d2.argsort(1, kind="stable")[:, : data["k"]]
    return {"ids": ids, "distances": np.sqrt(np.take_along_axis(d2, ids, 1))}


def test_right_neighbors_pass():
    suite, problem, data = _quick("knn-brute", 1)
    errors = suite.checker(problem, data)(_brute(data))
    assert errors["other ids"] == 0
    assert suite.verdict(problem, errors, ours=True)


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrong_neighbor_is_refused(ours):
    suite, problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["ids"][:, 3] = answer["ids"][:, 4] + 1
    assert not suite.verdict(problem, suite.checker(problem, data)(answer), ours=ours)


def test_a_neighbor_given_twice_is_refused():
    suite, problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["ids"][:, 1] = answer["ids"][:, 0]
    assert not suite.verdict(problem, suite.checker(problem, data)(answer), ours=False)


def test_float32_distances_are_refused_on_float64():
    suite, problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["distances"] = answer["distances"].astype(np.float32)
    assert not suite.verdict(problem, suite.checker(problem, data)(answer), ours=False)


def test_ours_has_to_give_the_lowest_index_on_a_tie():
    suite, problem, data = _quick("knn-brute", 1)
    data["X"] = data["X"][:500].repeat(2, axis=0)  # every row twice
    check = suite.checker(problem, data)
    right = _brute(data)
    other = right | {"ids": right["ids"] ^ 1}  # each tie's other row
    assert suite.verdict(problem, check(right), ours=True)
    assert not suite.verdict(problem, check(other), ours=True)
    assert suite.verdict(problem, check(other), ours=False)


def test_lloyd_is_a_fixed_point_of_means():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    centers = lloyd(X, X[:3], 1000)
    labels, d2 = nearest_centers(X, centers)
    means = [X[labels == j].mean(0) for j in range(3)]
    np.testing.assert_allclose(centers, means, rtol=1e-12)
    every = ((X[:, None] - centers) ** 2).sum(2)
    np.testing.assert_allclose(d2, every.min(1), rtol=1e-12)


@pytest.mark.parametrize("which", [0, 1])
def test_kmeans_check(which):
    suite, problem, data = _quick("kmeans", which)
    centers = lloyd(data["X"], data["init"], data["iterations"])
    labels, _ = nearest_centers(data["X"], centers)
    check = suite.checker(problem, data)
    assert suite.verdict(problem, check({"centers": centers, "labels": labels}), ours=True)
    off = {"centers": centers + 0.05, "labels": labels}
    assert not suite.verdict(problem, check(off), ours=True)
    assert not suite.verdict(
        problem, check({"centers": centers, "labels": labels[::-1]}), ours=False
    )


def test_lda_check_takes_either_divisor():
    suite, problem, data = _quick("moments")
    check = suite.checker(problem, data)
    unbiased, moment = posteriors(data["X"], data["y"])
    assert abs(unbiased - moment).max() > 1e-6
    for p in (unbiased, moment):
        assert suite.verdict(problem, check({"posteriors": p}), ours=True)
    assert not suite.verdict(problem, check({"posteriors": 0.5 * (unbiased + moment)}), ours=False)


def test_posteriors_agree_with_scikit_learn():
    discriminant = pytest.importorskip("sklearn.discriminant_analysis")
    _, _, data = _quick("moments")
    model = discriminant.LinearDiscriminantAnalysis(solver="lsqr").fit(data["X"], data["y"])
    errors = [abs(model.predict_proba(data["X"]) - p).max() for p in posteriors(**data)]
    assert min(errors) < 1e-9


def test_tile_check():
    suite, problem, data = _quick("tiles")
    check = suite.checker(problem, data)
    A, B = data["A"].astype(float), data["B"].astype(float)
    nearest = ((A[:, None] - B) ** 2).sum(2).argmin(1)
    assert suite.verdict(problem, check({"nearest": nearest}), ours=True)
    nearest[7] = (nearest[7] + 1) % len(B)
    assert not suite.verdict(problem, check({"nearest": nearest}), ours=True)


def test_approximate_neighbors_are_checked_for_recall():
    suite, problem, data = _quick("lsh")
    check = suite.checker(problem, data)
    exact = ((data["Q"][:, None].astype(float) - data["X"]) ** 2).sum(2)
    ids = exact.argsort(1)[:, : data["k"]]
    distances = np.sqrt(np.take_along_axis(exact, ids, 1))
    assert suite.verdict(problem, check({"ids": ids, "distances": distances}), ours=True)
    missed = check({"ids": ids[:, :1].repeat(data["k"], 1), "distances": distances})
    assert missed["missed"] >= 0.5
    far = exact.argsort(1)[:, -data["k"] :]
    distances = np.sqrt(np.take_along_axis(exact, far, 1))
    assert check({"ids": far, "distances": distances})["missed"] == 1.0


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_problems_are_the_same_each_time(suite):
    for problem in suite.quick:
        try:
            first, again = problem.data(), problem.data()
        except FileNotFoundError as error:
            pytest.skip(f"{error}; set STATFAST_DATA")
        assert_same(first, again)


def assert_same(first, again):
    if isinstance(first, dict):
        assert first.keys() == again.keys()
        for key in first:
            assert_same(first[key], again[key])
    elif isinstance(first, list | tuple):
        assert len(first) == len(again)
        for one, other in zip(first, again, strict=True):
            assert_same(one, other)
    elif sparse.issparse(first):
        assert (first != again).nnz == 0
    else:
        np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_every_problem_has_ours_and_a_peer(suite):
    """Or a bar in seconds, where no peer could be waited for."""
    bars = {problem.task: suite.bars.get(problem.group, []) for problem in suite.problems}
    for problem in suite.problems + suite.quick:
        names = suite.entrants(problem)
        assert "statfast" in names
        timed = any(bar.seconds and not bar.peers for bar in bars[problem.task])
        assert timed or any(suite.is_peer(name) for name in names)
