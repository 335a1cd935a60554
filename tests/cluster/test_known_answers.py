# SPDX-License-Identifier: BSD-3-Clause
"""k-means on real data: R's values, the true centers of the benchmark sets, images as bytes."""

import csv
import gzip
import json

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

from statfast.cluster import KMeans, KMedoids
from statfast.datasets import load_digits, load_iris


def table(path, columns):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as lines:
        return np.array([[float(row[name]) for name in columns] for row in csv.DictReader(lines)])


# ------------------------------------------------------------------ R's kmeans
def arrests(shared_data):
    X = table(shared_data("r", "datasets_USArrests.csv"), ["Murder", "Assault", "UrbanPop", "Rape"])
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


R_FITS = {
    "ruspini_k4": lambda data: table(data("r", "cluster_ruspini.csv"), ["x", "y"]),
    "iris_k3": lambda data: load_iris().data,
    "iris_k2": lambda data: load_iris().data,
    "usarrests_scaled_k4": arrests,
    "faithful_k2": lambda data: table(data("r", "datasets_faithful.csv"), ["eruptions", "waiting"]),
}


@pytest.mark.parametrize("name", R_FITS)
def test_as_r_finds(name, shared_data):
    path = shared_data("..", "reference", "silhouette_kmeans.json")
    expected = json.loads(path.read_text("utf-8"))["kmeans"][name]
    X = R_FITS[name](shared_data)
    k = len(expected["sizes_ordered_by_first_coordinate"])

    km = KMeans(k, n_init=30, tol=0, random_state=0).fit(X)

    order = np.argsort(km.cluster_centers_[:, 0])
    sizes = np.bincount(km.labels_)[order]
    within = [((X[km.labels_ == j] - km.cluster_centers_[j]) ** 2).sum() for j in order]
    assert_allclose(km.inertia_, expected["tot_withinss"], rtol=1e-10)
    assert_array_equal(sizes, expected["sizes_ordered_by_first_coordinate"])
    centers = expected["centers_ordered_by_first_coordinate"]
    assert_allclose(km.cluster_centers_[order], centers, rtol=1e-9)
    assert_allclose(within, expected["withinss_ordered"], rtol=1e-9)
    one = KMeans(1).fit(X)
    assert_allclose(one.inertia_, expected["totss"], rtol=1e-12)


# ------------------------------------------------------------------ Franti & Sieranoja's sets
SETS = ["s1", "s2", "s3", "s4", "a1", "a2", "a3", "unbalance"]


@pytest.mark.parametrize("name", SETS)
def test_true_centers_are_found(name, shared_data):
    """Each true center is nearest to one center found and the other way round: no miss (CI = 0)."""
    X = table(shared_data("clustering", f"{name}.csv.gz"), ["x", "y"])
    truth = table(shared_data("clustering", f"{name}_centroids.csv"), ["x", "y"])
    k = len(truth)
    km = KMeans(k, n_init=30, random_state=0).fit(X)
    apart = np.linalg.norm(km.cluster_centers_[:, None] - truth, axis=2)
    assert_array_equal(np.sort(apart.argmin(axis=0)), np.arange(k))
    assert_array_equal(np.sort(apart.argmin(axis=1)), np.arange(k))
    # Half the way to the next center would be a miss.
    between = np.linalg.norm(truth[:, None] - truth, axis=2) + np.diag(np.full(k, np.inf))
    assert (apart.min(axis=0) < 0.35 * between.min(axis=1)).all()
    # No better: starting from the truth leads to the same clusters.
    best = KMeans(k, init=truth, tol=0).fit(X)
    assert km.inertia_ <= best.inertia_ * (1 + 1e-3)


def test_true_centers_of_birch(shared_data):
    """100 groups of 1000 rows: restarts miss a few, medoids of a sample do not."""
    X = table(shared_data("clustering", "birch1.csv.gz"), ["x", "y"])
    truth = table(shared_data("clustering", "birch1_centroids.csv"), ["x", "y"])
    start = KMedoids(100).fit(X[::20]).cluster_centers_
    km = KMeans(100, init=start, tol=0).fit(X)
    apart = np.linalg.norm(km.cluster_centers_[:, None] - truth, axis=2)
    assert_array_equal(np.sort(apart.argmin(axis=0)), np.arange(100))
    assert_array_equal(np.sort(apart.argmin(axis=1)), np.arange(100))
    best = KMeans(100, init=truth, tol=0).fit(X)
    assert km.inertia_ <= best.inertia_ * (1 + 1e-6)


# ------------------------------------------------------------------ images
def test_bytes_are_the_numbers_they_hold():
    X = load_digits().data.astype(np.uint8)
    a = KMeans(10, random_state=0).fit(X)
    b = KMeans(10, random_state=0).fit(X.astype(np.float64))
    assert_array_equal(a.labels_, b.labels_)
    assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    assert a.inertia_ == b.inertia_


def test_starts_are_as_good_as_scikit_learns():
    X = load_digits().data.astype(np.float64)
    ours, theirs = (
        np.mean([kind(10, n_init=1, random_state=seed).fit(X).inertia_ for seed in range(10)])
        for kind in (KMeans, sklearn.cluster.KMeans)
    )
    assert ours < 1.01 * theirs
