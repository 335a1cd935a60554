# SPDX-License-Identifier: BSD-3-Clause
"""Indices in records of files: none points outside the arrays that kernels read by it.

Kernels trust their input. A fit makes sound indices; the numbers of a file may be anyone's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from statfast._estimator import Estimator
from statfast._typing import Array

LANES = 8  # children of a node of a k-d tree or a ball tree
SETS = 1 << 30  # mark of a column that a set of categories splits
COLUMN = SETS - 1
MISSING = 1 << 31
MAX_LEAF_POINTS = 256  # of a k-d tree, for which kernels have room
LEAF = 0x7FF8  # the upper bits of the threshold of a packed leaf


class WrongIndex(ValueError):
    """What is wrong, as the end of a sentence."""


def _require(condition: Any, what: str) -> None:
    if not condition:
        raise WrongIndex(what)


def _require_range(values: Any, low: int, high: int, what: str) -> None:
    """Refuse whole numbers outside low, ..., high - 1."""
    values = np.asarray(values)
    _require(values.dtype.kind in "iu", f"{what} are not whole numbers")
    _require(
        not values.size or (int(values.min()) >= low and int(values.max()) < high),
        f"{what} must be at least {low} and below {high}",
    )


def _require_shape(array: Any, shape: tuple[int | None, ...], what: str) -> None:
    """Refuse what is not an array of this shape, in which None is any length."""
    found = array.shape if isinstance(array, np.ndarray) else None
    _require(
        found is not None
        and len(found) == len(shape)
        and all(want in (None, length) for want, length in zip(shape, found, strict=True)),
        f"{what} has shape {found}, not {shape}",
    )


def _require_sets(thresholds: Array, count: int) -> None:
    """Refuse thresholds that are not numbers of sets."""
    _require(
        bool(((thresholds >= 0) & (thresholds < count) & (thresholds % 1 == 0)).all()),
        f"numbers of sets of categories must be below {count}",
    )


# ------------------------------------------------------------------ trees
def _check_packed(nodes: Any, root: Array, first: Array, leaves: int, sets: Any) -> None:
    """Packed nodes (N, 2) of trees that begin at `root`, of whose leaves the first are `first`."""
    _require_shape(nodes, (None, 2), "nodes")
    _require(nodes.dtype == np.uint64, "nodes are not packed nodes")
    count = len(nodes)
    _require(count > 0 and len(root) and len(root) == len(first), "a forest has no trees")
    _require_range(root, 0, count, "roots")
    _require(int(root[0]) == 0 and (np.diff(root) > 0).all(), "trees must follow each other")
    sizes = np.diff(np.append(root, count))
    place = np.arange(count) - np.repeat(root, sizes)
    right = (nodes[:, 1] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
    column = (nodes[:, 1] >> np.uint64(32)).astype(np.int64)
    leaf = nodes[:, 0] >> np.uint64(48) == LEAF
    end = np.repeat(sizes, sizes)
    _require((right[leaf] == place[leaf]).all(), "a leaf has a child")
    split = ~leaf
    _require(
        bool(((right[split] > place[split] + 1) & (right[split] < end[split])).all()),
        "children of nodes must come after them, in their tree",
    )
    number = (nodes[leaf, 0] & np.uint64(0xFFFFFFFFFFFF)).astype(np.int64)
    ends = np.append(first[1:], leaves)
    low, high = (np.repeat(part, sizes)[leaf] for part in (first, ends))
    _require(bool(((number >= low) & (number < high)).all()), "leaves have no values")
    by_set = split & (column & SETS > 0)
    if by_set.any():
        _require_shape(sets, (None, 2, None), "sets")
        _require_sets(nodes[by_set, 0].view(np.float64), len(sets))


def _check_one_packed(nodes: Any, values: Any, sets: Any) -> None:
    _require_shape(values, (None, None), "values of leaves")
    start = np.zeros(1, np.int64)
    _check_packed(nodes, start, start, len(values), sets)


def _check_predictor(record: Any) -> None:
    _require_shape(record.values, (None, None), "values of leaves")
    for name in ("root", "first"):
        _require_shape(getattr(record, name), (None,), name)
        _require_range(getattr(record, name), 0, 1 << 48, name)
    _check_packed(record.nodes, record.root, record.first, len(record.values), record.sets)
    begin, table = record.surrogates
    if begin is not None:
        _require_shape(begin, (len(record.nodes) + 1,), "surrogates")
        from statfast.tree.structure.non_numeric_splits import SURROGATE

        _require(
            int(begin[0]) == 0
            and (np.diff(begin) >= 0).all()
            and int(begin[-1]) * SURROGATE.itemsize <= len(table),
            "surrogates of nodes are out of order",
        )


def _check_structure(record: Any) -> None:
    """A `TreeStructure`: children after their parents, each of one parent."""
    left, right = record.children_left, record.children_right
    _require_shape(left, (None,), "children_left")
    n = len(left)
    _require(n > 0, "a tree has no nodes")
    for name in (
        "children_right", "feature", "threshold", "missing_go_to_left", "impurity",
        "n_node_samples", "weighted_n_node_samples", "depth",
    ):  # fmt: skip
        _require_shape(getattr(record, name), (n,), name)
    outputs = len(record.n_classes)
    _require_range(record.n_classes, 1, 1 << 40, "numbers of classes")
    _require_shape(record.value, (n, outputs, int(np.max(record.n_classes))), "value")
    _require_range(left, -1, n, "children")
    _require_range(right, -1, n, "children")
    split = np.flatnonzero(left >= 0)
    _require((right[split] >= 0).all() and (right[left < 0] < 0).all(), "a split lacks a child")
    _require((left[split] > split).all() and (right[split] > split).all(), "a child is above")
    children = np.sort(np.concatenate([left[split], right[split]]))
    _require(np.array_equal(children, np.arange(1, n)), "nodes have not one parent each")
    _require_range(record.feature[split], 0, int(record.n_features), "columns of splits")
    if record.routes is None:
        return
    routes = record.routes
    _require_shape(routes.of_sets, (n,), "splits of sets")
    _require_shape(routes.sets, (None, 2, None), "sets")
    by_set = routes.of_sets.astype(bool)
    _require(bool((left[by_set] >= 0).all()), "a leaf splits categories")
    _require_sets(record.threshold[by_set], len(routes.sets))
    table = routes.surrogates
    _require_range(table["node"], 0, n, "nodes of surrogates")
    _require_range(table["column"], 0, int(record.n_features), "columns of surrogates")
    _require_sets(table["threshold"][table["of_sets"] > 0], len(routes.sets))


def _check_boosted(record: Any) -> None:
    steps = record.steps
    _require(
        isinstance(steps, np.ndarray) and steps.dtype.names == ("threshold", "left", "column"),
        "steps are not nodes",
    )
    m = len(steps)
    _require(m > 0, "a tree has no nodes")
    for name in ("values", "counts", "gains"):
        _require_shape(getattr(record, name), (m,), name)
    left, places = steps["left"].astype(np.int64), np.arange(m)
    split = left != places
    _require(
        bool(((left[split] > places[split]) & (left[split] + 1 < m)).all()),
        "children of nodes must come after them",
    )
    _require_shape(record.sets, (None, 4), "sets")
    by_set = split & (steps["column"] & SETS > 0)
    _require_sets(steps["threshold"][by_set], len(record.sets))


# ------------------------------------------------------------------ neighbors
def _check_order(ids: Any, n: int) -> None:
    _require_shape(ids, (n,), "ids")
    _require_range(ids, 0, n, "ids of rows")
    _require(len(np.unique(ids)) == n, "a row has two ids")


def _check_kd_arrays(record: Any) -> None:
    _require_shape(record.blocks, (None, None, None), "blocks")
    leaves, d, size = record.blocks.shape
    _require(leaves and size % LANES == 0 and 0 < size <= MAX_LEAF_POINTS, "leaves have no room")
    sizes = [-(-leaves // LANES)]  # groups of each level, the lowest first
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // LANES))
    first, groups = [sum(sizes[level + 1 :]) for level in range(len(sizes))], sum(sizes)
    _require(np.array_equal(record.first, first), "levels do not follow from the leaves")
    _require_shape(record.boxes, (groups, d, 2, LANES), "boxes")
    _require_shape(record.least, (groups, LANES), "least")
    _require_shape(record.ids, (leaves * size,), "ids")
    _require(record.boxes.dtype == record.blocks.dtype, "boxes and blocks differ in type")
    ids = record.ids[record.ids >= 0]
    _require((record.ids >= -1).all(), "ids must be at least -1")
    _check_order(ids, int(record.n))


def _check_ball_tree(record: Any) -> None:
    _require_shape(record.octets, (None, None, LANES), "octets")
    octets, d, _ = record.octets.shape
    n = len(record.ids)
    _check_order(record.ids, n)
    _require(n <= octets * LANES, "rows have no octets")
    _require_shape(record.child, (None, LANES), "children")
    nodes = len(record.child)
    _require(nodes > 0, "a tree has no nodes")
    _require_shape(record.center, (nodes, d, LANES), "centers")
    _require_shape(record.radius, (nodes, LANES), "radii")
    _require_shape(record.first, (nodes, LANES + 1), "octets of children")
    _require_range(record.first, 0, octets + 1, "octets of children")
    _require((np.diff(record.first, axis=1) >= 0).all(), "octets of children are out of order")
    _require_range(record.child, -1, nodes, "children")
    own = np.arange(nodes)[:, None]
    _require(((record.child < 0) | (record.child > own)).all(), "a child is above its parent")
    if record.places.size:
        _require_shape(record.places, (n, 2), "places")


def _check_function_tree(record: Any) -> None:
    _require_shape(record.rows, (None, None), "rows")
    n, nodes = len(record.rows), len(record.right)
    _check_order(record.ids, n)
    _require_shape(record.to_center, (n,), "distances to centers")
    for name in ("center", "radius", "start", "stop"):
        _require_shape(getattr(record, name), (nodes,), name)
    _require_range(record.center, 0, n, "centers")
    _require_range(record.start, 0, n, "starts")
    _require_range(record.stop, 0, n + 1, "ends")
    _require_range(record.right, -1, nodes, "children")
    split = np.flatnonzero(record.right >= 0)
    _require((record.right[split] > split + 1).all(), "a child is above its parent")


def _check_weighted_tree(record: Any) -> None:
    arrays = record.index.arrays
    leaves, d, size = arrays.blocks.shape
    groups = len(arrays.least)
    if record.weights is not None:
        _require_shape(record.weights, (leaves * size,), "weights")
    _require_shape(record.node_weights, (groups, LANES), "weights of nodes")
    _require_shape(record.center, (groups, d, LANES), "centers")
    _require_shape(record.moment, (groups, LANES), "moments")


def _check_hash_tables(record: Any) -> None:
    n, tables = len(record.rows), len(record.starts)
    _require_shape(record.entries, (tables, n), "entries")
    rows = record.entries & np.uint64(0xFFFFFFFF)  # of an entry of 64 bits
    _require(bool((rows < n).all()), "entries are of no rows")
    _require_shape(record.starts, (tables, None), "starts")
    _require_range(record.starts, 0, n + 1, "starts")
    _require_range(np.array([record.shift]), 1, 64, "the shift")
    _require(
        record.starts.shape[1] == (1 << (64 - int(record.shift))) + 1
        and (np.diff(record.starts, axis=1) >= 0).all(),
        "starts are out of order",
    )


def _check_expansion(record: Any) -> None:
    _require_shape(record.coef, (None, len(record.support)), "coefficients of support vectors")
    count = record.coef.shape[1]
    _require_range(record.support, 0, 1 << 48, "support vectors")
    if hasattr(record.vectors, "shape"):
        _require(record.vectors.shape[0] == count, "coefficients and support vectors differ")
    for part in record.parts:
        _require(
            isinstance(part, slice) and 0 <= part.start <= part.stop <= count,
            "parts of support vectors are out of order",
        )


CHECKS: dict[str, Callable[[Any], None]] = {
    "BallTreeIndex": _check_ball_tree,
    "BoostedTree": _check_boosted,
    "Expansion": _check_expansion,
    "ForestTree": lambda record: _check_one_packed(record.nodes, record.values, record.sets),
    "FunctionTree": _check_function_tree,
    "HashTables": _check_hash_tables,
    "IsolationTree": lambda record: _check_one_packed(record.nodes, record.lengths, record.sets),
    "KDArrays": _check_kd_arrays,
    "TreePredictor": _check_predictor,
    "TreeStructure": _check_structure,
    "WeightedTree": _check_weighted_tree,
}


# ------------------------------------------------------------------ estimators
def _nested_records(value: Any) -> Iterator[Any]:
    """Records in an attribute, and in containers of them; not in estimators, which are checked
    when they are read."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _nested_records(item)
    elif isinstance(value, dict):
        yield from _nested_records(list(value.values()))
    elif type(value).__module__.startswith("statfast.") and not isinstance(value, Estimator):
        yield value
        yield from _nested_records(list(getattr(value, "__dict__", {}).values()))


def check_model(values: dict[str, Any]) -> None:
    """Columns of trees, classes and rows of a model's attributes.

    Parameters
    ----------
    values : dict
        The attributes of an estimator.

    Raises
    ------
    WrongIndex
        If one points outside.
    """
    p = values.get("n_features_in_")
    for record in _nested_records(list(values.values())):
        name, columns = type(record).__name__, np.zeros(0, np.int64)
        if name in ("ForestTree", "IsolationTree", "TreePredictor"):
            columns = (record.nodes[:, 1] >> np.uint64(32)).astype(np.int64) & COLUMN
        elif name == "BoostedTree":
            columns = record.steps["column"].astype(np.int64) & COLUMN
        elif name == "TreeStructure" and p is not None:
            _require(record.n_features <= p, "a tree has more columns than the model")
        if columns.size:
            _require(p is not None and int(columns.max()) < p, "a tree asks about no column of X")
    codes, classes = values.get("_codes"), values.get("classes_")
    if isinstance(codes, np.ndarray) and isinstance(classes, np.ndarray):
        _require_range(codes, -1, len(classes), "codes of classes")
