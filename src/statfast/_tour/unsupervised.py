# SPDX-License-Identifier: BSD-3-Clause
"""Without labels: principal components, clusters and mixtures."""

from __future__ import annotations

import time
from typing import Any

from statfast._tour.finding import Finding, beside, cross_table, in_order_of_appearance
from statfast.cluster import KMeans, KMedoids, linkage
from statfast.datasets import load_iris
from statfast.decomposition import PCA
from statfast.mixture import choose_mixture
from statfast.patterns import association_rules, frequent_itemsets


def principal_components() -> Finding:
    """Variance of the iris measurements along their components, against R's ``prcomp``."""
    iris = load_iris()
    known = [0.924619, 0.053066, 0.017103, 0.005212]

    start = time.perf_counter()
    model = PCA().fit(iris.data)
    seconds = time.perf_counter() - start

    shares = model.explained_variance_ratio_.round(6).tolist()
    return Finding(
        "Principal components: iris, 150 x 4",
        [
            f"variance: {_listed(shares)}; known {_listed(known)}",
        ],
        shares == known,
        seconds,
    )


def _listed(shares: Any) -> Any:
    return " ".join(f"{share:.3f}" for share in shares)


def clustering() -> Finding:
    """Iris flowers in three clusters, against R's optimum and the species."""
    iris = load_iris()
    known = [[50, 0, 0], [0, 48, 2], [0, 14, 36]]
    known_inertia = 78.851441426146

    start = time.perf_counter()
    model = KMeans(n_clusters=3, n_init=10, random_state=0).fit(iris.data)
    seconds = time.perf_counter() - start

    table = cross_table(iris.target, in_order_of_appearance(model.labels_))
    return Finding(
        "k-means: iris, 150 x 4, 3 clusters, best of 10 starts",
        [
            *beside("species", iris.target_names, "cluster", table, known),
            f"inertia: {model.inertia_:.6f}, known {known_inertia:.6f}",
        ],
        table.tolist() == known and abs(model.inertia_ - known_inertia) < 1e-9 * known_inertia,
        seconds,
    )


def mixture() -> Finding:
    """Components of iris flowers by BIC over models of mclust, against its answers."""
    iris = load_iris()
    known = {"VEV,2": 561.7285, "VEV,3": 562.5522, "VVV,2": 574.0178}

    start = time.perf_counter()
    types = ["EEE", "VEV", "VVV"]
    choice = choose_mixture(
        iris.data, n_components=range(1, 4), covariance_types=types, random_state=0
    )
    seconds = time.perf_counter() - start

    bic = {
        f"{name},{k}": float(choice.scores["bic"][i, j])
        for i, k in enumerate(choice.n_components)
        for j, name in enumerate(types)
    }
    best = sorted(bic, key=lambda name: bic[name])[:3]
    return Finding(
        "Gaussian mixtures: iris, 150 x 4, best covariance models by BIC",
        [
            ", ".join(f"{name} {bic[name]:.2f}" for name in best)
            + "; known "
            + ", ".join(f"{value:.2f}" for value in known.values())
        ],
        all(abs(bic[name] - value) < 1e-2 for name, value in known.items()),
        seconds,
    )


def medoids_and_hierarchy() -> Finding:
    """Iris flowers about three medoids, and Ward's hierarchy of them, against R's."""
    iris = load_iris()
    known, known_mean = [8, 79, 113], 0.6542076992151403  # cluster::pam, rows counted from 1
    known_height = 32.44760699959244

    start = time.perf_counter()
    model = KMedoids(n_clusters=3).fit(iris.data)
    height = linkage(iris.data, "ward")[-1, 2]
    seconds = time.perf_counter() - start

    medoids, mean = sorted(model.medoid_indices_ + 1), model.inertia_ / len(iris.data)
    return Finding(
        "k-medoids and Ward's hierarchy: iris, 150 x 4",
        [
            f"medoids: {', '.join(map(str, medoids))}, known {', '.join(map(str, known))}; "
            f"mean distance: {mean:.6f}, known {known_mean:.6f}",
            f"height of the last merge: {height:.6f}, known {known_height:.6f}",
        ],
        medoids == known
        and abs(mean - known_mean) < 1e-12
        and abs(height - known_height) < 1e-12 * known_height,
        seconds,
    )


def item_sets() -> Finding:
    """Rules of five baskets, against the tables of mlxtend's documentation."""
    baskets = [
        ["Milk", "Onion", "Nutmeg", "Kidney Beans", "Eggs", "Yogurt"],
        ["Dill", "Onion", "Nutmeg", "Kidney Beans", "Eggs", "Yogurt"],
        ["Milk", "Apple", "Kidney Beans", "Eggs"],
        ["Milk", "Unicorn", "Corn", "Kidney Beans", "Yogurt"],
        ["Corn", "Onion", "Onion", "Kidney Beans", "Ice cream", "Eggs"],
    ]
    known = {"sets": 11, "rules": 12, "lift above 1": 6}

    start = time.perf_counter()
    sets = frequent_itemsets(baskets, 0.6)
    rules = association_rules(sets, min_threshold=0.7)
    seconds = time.perf_counter() - start

    above = int((rules.measure("lift") > 1).sum())
    numbers = {"sets": len(sets), "rules": len(rules), "lift above 1": above}
    antecedent, consequent = rules[3]
    return Finding(
        "Item sets and rules: five baskets, support 0.6, confidence 0.7",
        [
            f"{', '.join(sorted(antecedent))} -> {', '.join(sorted(consequent))}: lift "
            f"{rules.measure('lift')[3]:.2f}",
            ", ".join(f"{name}: {number}, known {known[name]}" for name, number in numbers.items()),
        ],
        numbers == known,
        seconds,
    )
