# SPDX-License-Identifier: BSD-3-Clause
"""Decision trees and forests of both libraries.

scikit-learn rounds rows to float32 and compares them with thresholds in float64; statfast compares
the numbers as they are. A threshold t of scikit-learn becomes the largest float64 whose float32 is
at most t, so that every row takes the same way. The other way there is no such threshold: rows
that lie nearer to one than float32 can tell may go the other way in scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from statfast.ensemble.forest.grow_forest import ForestTree, Sampling
from statfast.ensemble.forest.isolation_forest import (
    IsolationTree,
    among_all_columns,
    predictor_of,
)
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)
from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor
from statfast.tree.growing.arguments import published_columns
from statfast.tree.structure.tree_arrays import TreeStructure, flat_values, leaf_statistics

LEAF = -1
TREE_KINDS: dict[str, Any] = {
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "ExtraTreeClassifier": DecisionTreeClassifier,
    "ExtraTreeRegressor": DecisionTreeRegressor,
}
FOREST_KINDS: dict[str, Any] = {
    "RandomForestClassifier": RandomForestClassifier,
    "RandomForestRegressor": RandomForestRegressor,
    "ExtraTreesClassifier": ExtraTreesClassifier,
    "ExtraTreesRegressor": ExtraTreesRegressor,
}


# ------------------------------------------------------------------ from scikit-learn
def exact_thresholds(thresholds: Array) -> Array:
    """The largest float64 numbers whose float32 is at most each threshold.

    Halves between two float32 numbers are rounded to that whose last bit is 0.
    """
    with np.errstate(over="ignore"):
        below = thresholds.astype(np.float32)
        below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
        middle = (below.astype(np.float64) + above) / 2.0
    even = (below.astype(np.float32).view(np.uint32) & 1) == 0
    exact = np.where(even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(exact), exact, thresholds)


def structure_of_tree(tree: Any) -> TreeStructure:
    """The nodes of a tree of scikit-learn (its ``tree_``)."""
    left, right = tree.children_left.astype(np.int64), tree.children_right.astype(np.int64)
    leaf = left < 0
    depth = np.zeros(len(left), np.int32)
    for node in np.flatnonzero(~leaf).tolist():  # parents stand before their children
        depth[left[node]] = depth[right[node]] = depth[node] + 1
    missing = getattr(tree, "missing_go_to_left", None)
    if missing is None:
        heavier = tree.n_node_samples[left] > tree.n_node_samples[right]
        missing = np.where(leaf, False, heavier)
    return TreeStructure(
        children_left=np.where(leaf, LEAF, left),
        children_right=np.where(leaf, LEAF, right),
        feature=np.where(leaf, -2, tree.feature).astype(np.int64),
        threshold=np.where(leaf, -2.0, exact_thresholds(tree.threshold)),
        missing_go_to_left=np.where(leaf, 0, missing).astype(np.uint8),
        impurity=tree.impurity.copy(),
        n_node_samples=tree.n_node_samples.astype(np.int64),
        weighted_n_node_samples=tree.weighted_n_node_samples.copy(),
        value=tree.value.copy(),
        n_features=int(tree.n_features),
        n_classes=tree.n_classes.astype(np.int64),
        depth=depth,
    )


def _targets(model: Any) -> dict[str, Any]:
    """What trees and forests publish of their targets."""
    learned: dict[str, Any] = {
        "n_outputs_": int(model.n_outputs_),
        "max_features_": _max_features(model),
    }
    if hasattr(model, "classes_"):
        several = isinstance(model.classes_, list)
        learned["classes_"] = model.classes_
        counts = [int(count) for count in np.ravel(model.n_classes_)]
        learned["n_classes_"] = np.array(counts) if several else counts[0]
    else:
        learned["_flat"] = model.n_outputs_ == 1
    return learned


def _max_features(model: Any) -> int:
    if hasattr(model, "max_features_"):
        return int(model.max_features_)
    return int(model.estimators_[0].max_features_)


def read_tree(model: Any) -> Any:
    """A decision tree, or an extremely randomized one."""
    kind = TREE_KINDS[type(model).__name__]
    learned = _targets(model)
    if kind is DecisionTreeClassifier:
        learned["_class_priors"] = None
    return statfast_model(
        kind, model, tree_=structure_of_tree(model.tree_), **learned,
        **published_columns(None, True),
    )  # fmt: skip


def _packed(tree: TreeStructure) -> ForestTree:
    nodes, leaf_nodes = tree.packed
    return ForestTree(
        nodes, flat_values(tree, leaf_nodes), leaf_statistics(tree, leaf_nodes),
        tree.compute_feature_importances(), tree,
    )  # fmt: skip


def read_forest(model: Any) -> Any:
    """A forest."""
    kind = FOREST_KINDS[type(model).__name__]
    members = model.estimators_
    learned = _targets(model)
    if "classes_" in learned:
        learned["_counts"] = [int(count) for count in np.ravel(model.n_classes_)]
    seeds = [member.random_state for member in members]
    keys = np.array([seed if isinstance(seed, int | np.integer) else 0 for seed in seeds], np.int64)
    for name in ("oob_score_",):
        if hasattr(model, name):
            learned[name] = getattr(model, name)
    return statfast_model(
        kind, model, parameters={"warm_start": False},
        _trees=[_packed(structure_of_tree(member.tree_)) for member in members],
        _keys=keys, _generator=np.random.default_rng(0), _packed={},
        _sampling=Sampling(0, 0, None, None), **learned,
        **published_columns(None, True),
    )  # fmt: skip


# ------------------------------------------------------------------ to scikit-learn
def tree_state(tree: TreeStructure, kind: Any, counts: Array) -> Any:
    """A ``Tree`` of scikit-learn with these nodes."""
    made = kind(tree.n_features, counts.astype(np.intp), tree.n_outputs)
    blank = kind(1, np.ones(1, np.intp), 1).__reduce__()[2]["nodes"].dtype
    nodes = np.zeros(tree.node_count, blank)
    columns = {
        "left_child": tree.children_left, "right_child": tree.children_right,
        "feature": tree.feature, "threshold": tree.threshold, "impurity": tree.impurity,
        "n_node_samples": tree.n_node_samples,
        "weighted_n_node_samples": tree.weighted_n_node_samples,
        "missing_go_to_left": tree.missing_go_to_left,
    }  # fmt: skip
    for name, values in columns.items():
        if name in nodes.dtype.names:
            nodes[name] = values
    made.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(tree.value),
        }
    )
    return made


def _require_numbers(model: Any, structures: list[TreeStructure]) -> None:
    require(
        all(tree.routes is None for tree in structures), model,
        "with splits of categories, or with surrogates,",
        "Encode categories as columns, and fit with missing='learned'.",
    )  # fmt: skip


def _their_targets(model: Any) -> dict[str, Any]:
    learned: dict[str, Any] = {"n_outputs_": int(model.n_outputs_)}
    if hasattr(model, "classes_"):
        learned["classes_"] = model.classes_
        counts = [len(classes) for classes in _each(model.classes_)]
        learned["n_classes_"] = counts if isinstance(model.classes_, list) else counts[0]
    else:
        learned["n_classes_"] = 1
    return learned


def _each(classes: Any) -> list[Array]:
    return classes if isinstance(classes, list) else [classes]


def write_tree(model: Any) -> Any:
    """A decision tree."""
    from sklearn.tree import _tree

    structure = model._fitted_tree()
    _require_numbers(model, [structure])
    require(
        getattr(model, "_class_priors", None) is None, model, "with priors or cost",
        "Fit with class_weight.",
    )  # fmt: skip
    learned = _their_targets(model)
    if not hasattr(model, "classes_"):
        del learned["n_classes_"]
    counts = structure.n_classes
    return sklearn_model(
        "tree", type(model).__name__, model, **learned, max_features_=int(model.max_features_),
        tree_=tree_state(structure, _tree.Tree, counts),
        parameters={"criterion": _their_criterion(model)},
    )  # fmt: skip


def _their_criterion(model: Any) -> str:
    require(
        model.criterion != "error", model, "with criterion='error'", "Fit with criterion='gini'."
    )
    return str(model.criterion)


def write_forest(model: Any) -> Any:
    """A forest, of its trees."""
    import sklearn.tree
    from sklearn.tree import _tree

    structures = list(model._structures())
    _require_numbers(model, structures)
    kind = "DecisionTree" if type(model).__name__.startswith("Random") else "ExtraTree"
    is_class = hasattr(model, "classes_")
    base = getattr(sklearn.tree, kind + ("Classifier" if is_class else "Regressor"))
    learned = _their_targets(model)
    made = sklearn_model(
        "ensemble", type(model).__name__, model,
        parameters={"criterion": _their_criterion(model), "oob_score": False}, **learned,
    )  # fmt: skip
    if not is_class:
        del made.n_classes_
    members = []
    for structure, key in zip(structures, model._keys.tolist(), strict=True):
        member = base(
            **{
                name: getattr(made, name)
                for name in made.estimator_params
                if name != "random_state"
            },
            random_state=int(key) % (1 << 32),
        )
        member.n_features_in_, member.n_outputs_ = made.n_features_in_, made.n_outputs_
        member.max_features_ = int(model.max_features_)
        if is_class:  # members know codes alone
            codes = [np.arange(len(classes)) * 1.0 for classes in _each(model.classes_)]
            member.classes_ = codes if isinstance(model.classes_, list) else codes[0]
            member.n_classes_ = made.n_classes_
        member.tree_ = tree_state(structure, _tree.Tree, structure.n_classes)
        members.append(member)
    made.estimator_, made.estimators_ = base(), members
    return made


# ------------------------------------------------------------------ isolation forests
def read_isolation(model: Any) -> Any:
    """An isolation forest; the rows that its trees were grown of are not known."""
    trees = []
    unknown = np.zeros(0, np.int64)
    lengths = zip(model._decision_path_lengths, model._average_path_length_per_tree, strict=True)
    for member, columns, (nodes_above, beyond) in zip(
        model.estimators_, model.estimators_features_, lengths, strict=True
    ):
        tree = structure_of_tree(member.tree_)
        packed, leaf_nodes = tree.packed
        nodes = among_all_columns(packed, np.asarray(columns, np.int64))
        length = (np.asarray(nodes_above) + beyond - 1.0)[leaf_nodes]
        trees.append(
            IsolationTree(nodes, length[:, None], tree, None, unknown, np.asarray(columns))
        )
    return statfast_model(
        IsolationForest, model, parameters={"warm_start": False}, _trees=trees,
        _generator=np.random.default_rng(0), _predictor=predictor_of(trees),
        max_samples_=int(model.max_samples_), offset_=float(model.offset_),
        **published_columns(None, True),
    )  # fmt: skip


def write_isolation(model: Any) -> Any:
    """An isolation forest."""
    import sklearn.tree
    from sklearn.tree import _tree

    trees = model._trees
    require(
        all(tree.sets is None for tree in trees), model, "with splits of categories",
        "Encode categories as columns.",
    )  # fmt: skip
    members, lengths, depths = [], [], []
    for tree in trees:
        structure = tree.structure
        member = sklearn.tree.ExtraTreeRegressor(max_features=1, splitter="random")
        member.n_features_in_, member.n_outputs_ = len(tree.columns), 1
        member.max_features_ = 1
        member.tree_ = tree_state(structure, _tree.Tree, np.ones(1, np.intp))
        members.append(member)
        depths.append(structure.depth + 1.0)
        length = np.zeros(structure.node_count)
        leaves = structure.packed[1]
        length[leaves] = tree.lengths[:, 0] - structure.depth[leaves]
        lengths.append(length)
    made = sklearn_model(
        "ensemble", "IsolationForest", model, estimators_=members,
        estimators_features_=[np.asarray(tree.columns) for tree in trees],
        max_samples_=model.max_samples_, offset_=model.offset_,
        _max_samples=model.max_samples_, _max_features=len(trees[0].columns),
        _decision_path_lengths=depths, _average_path_length_per_tree=lengths,
        estimator_=sklearn.tree.ExtraTreeRegressor(max_features=1, splitter="random"),
    )  # fmt: skip
    return made


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(("DecisionTreeClassifier", "DecisionTreeRegressor"), (read_tree, write_tree)),
    **dict.fromkeys(("ExtraTreeClassifier", "ExtraTreeRegressor"), (read_tree, None)),
    **dict.fromkeys(FOREST_KINDS, (read_forest, write_forest)),
    "IsolationForest": (read_isolation, write_isolation),
}
