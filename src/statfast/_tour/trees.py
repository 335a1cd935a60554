# SPDX-License-Identifier: BSD-3-Clause
"""Trees and ensembles."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding
from statfast.datasets import load_iris
from statfast.ensemble import AdaBoostClassifier
from statfast.patterns import RuleListClassifier, SubgroupDiscovery
from statfast.tree import DecisionTreeClassifier, pruning_table


def trees() -> Finding:
    """A tree for iris and its table of penalties, against R's rpart."""
    iris = load_iris()
    known = ([2.45, 1.75], [50, 54, 46]), ([0.5, 0.44, 0.01], [1.0, 0.5, 0.06])

    start = time.perf_counter()
    model = DecisionTreeClassifier(max_depth=2, min_samples_split=20, min_samples_leaf=7)
    tree = model.fit(iris.data, iris.target).tree_
    table = pruning_table(model, iris.data, iris.target, cv=5, random_state=0)
    seconds = time.perf_counter() - start

    leaf = tree.children_left < 0
    grown = tree.threshold[~leaf].tolist(), tree.n_node_samples[leaf].tolist()
    pruned = table.cp.round(12).tolist(), table.rel_error.round(12).tolist()
    return Finding(
        "Classification tree: iris, 150 x 4",
        [
            "costs {}, errors {}; known {}, {}".format(*pruned, *known[1]),
            "cut at {}, leaves {}; known {}, {}".format(*grown, *known[0]),
        ],
        (grown, pruned) == known,
        seconds,
    )


def boosting() -> Finding:
    """AdaBoost on ten points that three stumps part, against the votes that its authors give."""
    across, up = [4, 6, 2, 7, 3, 5, 9, 0, 8, 1], [2, 9, 3, 6, 0, 4, 8, 7, 5, 1]
    X, y = np.column_stack([across, up]).astype(float), np.tile([1, 0], 5)
    known = np.log([7 / 3, 11 / 3, 19 / 3]) / 2.0

    start = time.perf_counter()
    stump = DecisionTreeClassifier(max_depth=1, criterion="error")
    model = AdaBoostClassifier(stump, n_estimators=3).fit(X, y)
    seconds = time.perf_counter() - start

    errors = model.training_errors_.tolist()
    return Finding(
        "AdaBoost: three stumps for ten points",
        [
            f"votes {', '.join(f'{a:.4f}' for a in model.alphas_)}, errors {errors[-1]:g}; known "
            f"{', '.join(f'{a:.4f}' for a in known)}, 0",
        ],
        bool(np.allclose(model.alphas_, known, rtol=1e-12)) and errors[-1] == 0.0,
        seconds,
    )


def rules() -> Finding:
    """The best subgroup and the first rule for setosa, which a cut of the petals divides off."""
    iris = load_iris()
    known = (2.0 / 9.0, 150.0), "x2 <= 2.45", (50.0, 0.0, 0.0)

    start = time.perf_counter()
    qualities, found = [], []
    for quality in ("wracc", "chi2"):
        search = SubgroupDiscovery(1, quality=quality, pos_label=0, n_bins=50)
        table = search.fit(iris.data, iris.target).subgroups_
        qualities.append(float(table.quality[0]))
        found.append(table.descriptions[0])
    listed = RuleListClassifier().fit(iris.data, iris.target).rules_
    seconds = time.perf_counter() - start

    counts = tuple(listed[0].counts.tolist())
    agrees = bool(np.allclose(qualities, known[0], rtol=1e-12)) and counts == known[2]
    return Finding(
        "Subgroups and rules: iris, 150 x 4",
        [
            "qualities {:.4f} and {:.1f}; known {:.4f} and {:.1f}".format(*qualities, *known[0]),
            f"subgroup and first rule {found[0]}, {listed.descriptions[0]}; known {known[1]}",
        ],
        agrees and {*found, listed.descriptions[0]} == {known[1]},
        seconds,
    )
