# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks' checks accept right answers and refuse slightly wrong ones."""

import numpy as np
import pytest

from benchmarks.checks import checker, lloyd, nearest_centres, posteriors, verdict
from benchmarks.libraries import LIBRARIES, entrants
from benchmarks.problems import QUICK, SUITES


def _quick(suite, which=0):
    problem = QUICK[suite][which]
    return problem, problem.data()


def _brute(data):
    d2 = ((data["Q"][:, None].astype(float) - data["X"][None].astype(float)) ** 2).sum(2)
    ids = d2.argsort(1, kind="stable")[:, : data["k"]]
    return {"ids": ids, "distances": np.sqrt(np.take_along_axis(d2, ids, 1))}


def test_right_neighbors_pass():
    problem, data = _quick("knn-brute", 1)
    errors = checker(problem, data)(_brute(data))
    assert errors["other ids"] == 0
    assert verdict(problem, errors, ours=True)


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrong_neighbor_is_refused(ours):
    problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["ids"][:, 3] = answer["ids"][:, 4] + 1
    assert not verdict(problem, checker(problem, data)(answer), ours=ours)


def test_a_neighbor_given_twice_is_refused():
    problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["ids"][:, 1] = answer["ids"][:, 0]
    assert not verdict(problem, checker(problem, data)(answer), ours=False)


def test_float32_distances_are_refused_on_float64():
    problem, data = _quick("knn-brute", 1)
    answer = _brute(data)
    answer["distances"] = answer["distances"].astype(np.float32)
    assert not verdict(problem, checker(problem, data)(answer), ours=False)


def test_ours_has_to_give_the_lowest_index_on_a_tie():
    problem, data = _quick("knn-brute", 1)
    data["X"] = data["X"][:500].repeat(2, axis=0)  # every row twice
    check = checker(problem, data)
    right = _brute(data)
    other = right | {"ids": right["ids"] ^ 1}  # each tie's other row
    assert verdict(problem, check(right), ours=True)
    assert not verdict(problem, check(other), ours=True)
    assert verdict(problem, check(other), ours=False)


def test_lloyd_is_a_fixed_point_of_means():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    centres = lloyd(X, X[:3], 1000)
    labels, d2 = nearest_centres(X, centres)
    means = [X[labels == j].mean(0) for j in range(3)]
    np.testing.assert_allclose(centres, means, rtol=1e-12)
    every = ((X[:, None] - centres) ** 2).sum(2)
    np.testing.assert_allclose(d2, every.min(1), rtol=1e-12)


@pytest.mark.parametrize("which", [0, 1])
def test_kmeans_check(which):
    problem, data = _quick("kmeans", which)
    centres = lloyd(data["X"], data["init"], data["iterations"])
    labels, _ = nearest_centres(data["X"], centres)
    check = checker(problem, data)
    assert verdict(problem, check({"centres": centres, "labels": labels}), ours=True)
    off = {"centres": centres + 0.05, "labels": labels}
    assert not verdict(problem, check(off), ours=True)
    assert not verdict(problem, check({"centres": centres, "labels": labels[::-1]}), ours=False)


def test_lda_check_takes_either_divisor():
    problem, data = _quick("moments")
    check = checker(problem, data)
    unbiased, moment = posteriors(data["X"], data["y"])
    assert abs(unbiased - moment).max() > 1e-6
    for p in (unbiased, moment):
        assert verdict(problem, check({"posteriors": p}), ours=True)
    assert not verdict(problem, check({"posteriors": 0.5 * (unbiased + moment)}), ours=False)


def test_posteriors_agree_with_scikit_learn():
    discriminant = pytest.importorskip("sklearn.discriminant_analysis")
    _, data = _quick("moments")
    model = discriminant.LinearDiscriminantAnalysis(solver="lsqr").fit(data["X"], data["y"])
    errors = [abs(model.predict_proba(data["X"]) - p).max() for p in posteriors(**data)]
    assert min(errors) < 1e-9


def test_tile_check():
    problem, data = _quick("tiles")
    check = checker(problem, data)
    A, B = data["A"].astype(float), data["B"].astype(float)
    nearest = ((A[:, None] - B) ** 2).sum(2).argmin(1)
    assert verdict(problem, check({"nearest": nearest}), ours=True)
    nearest[7] = (nearest[7] + 1) % len(B)
    assert not verdict(problem, check({"nearest": nearest}), ours=True)


def test_approximate_neighbours_are_checked_for_recall():
    problem, data = _quick("lsh")
    check = checker(problem, data)
    exact = ((data["Q"][:, None].astype(float) - data["X"]) ** 2).sum(2)
    ids = exact.argsort(1)[:, : data["k"]]
    distances = np.sqrt(np.take_along_axis(exact, ids, 1))
    assert verdict(problem, check({"ids": ids, "distances": distances}), ours=True)
    missed = check({"ids": ids[:, :1].repeat(data["k"], 1), "distances": distances})
    assert missed["missed"] >= 0.5
    far = exact.argsort(1)[:, -data["k"] :]
    distances = np.sqrt(np.take_along_axis(exact, far, 1))
    assert check({"ids": far, "distances": distances})["missed"] == 1.0


def test_problems_are_the_same_each_time_and_names_are_unique():
    for suite, problems in SUITES.items():
        assert len({problem.name for problem in problems}) == len(problems)
        for problem in QUICK[suite]:
            first, again = problem.data(), problem.data()
            assert first.keys() == again.keys()
            for key in first:
                np.testing.assert_array_equal(first[key], again[key])


@pytest.mark.parametrize("suite", SUITES)
def test_every_problem_has_ours_and_a_peer(suite):
    for problem in SUITES[suite] + QUICK[suite]:
        names = entrants(problem)
        assert "statfast" in names
        assert any(not LIBRARIES[n].ours and not LIBRARIES[n].not_a_peer for n in names)
