# SPDX-License-Identifier: BSD-3-Clause
"""Growing a tree on ranked columns: threads search columns of large nodes, then grow subtrees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from statfast._core.cart.grow import grow
from statfast._core.cart.problem import Problem, sorts
from statfast._engine import checkpoint, each, usable_threads
from statfast._typing import Array, Jobs
from statfast.tree.growing.columns import RankedColumns, RankedEntries, ranked_columns
from statfast.tree.structure.non_numeric_splits import Routes
from statfast.tree.structure.tree_arrays import (
    LeafStatistics,
    flat_values,
    leaf_statistics,
    structure_of,
)

CRITERIA = {
    "gini": 0,
    "entropy": 1,
    "log_loss": 1,
    "error": 2,
    "squared_error": 3,
    "friedman_mse": 3,  # orders splits as squared errors do
    "poisson": 4,
    "absolute_error": 5,
}
ROW_COLUMNS_PER_CALL = 1 << 23  # rows times columns of a kernel call: some ten milliseconds
SORTED_ROW_COLUMNS_PER_CALL = 1 << 19  # the same where columns are sorted, or splits drawn
SPARSE_VALUES_PER_CALL = 1 << 21  # sparse values that a kernel call reads
MEDIAN_ROW_COLUMNS_PER_CALL = 1 << 15  # the same where medians are sought at all splits
MEDIAN_STEPS_PER_CALL = 1 << 16  # steps of medians in a call that searches a column of a large node
MIN_LARGE_NODE_ROWS = 1 << 16  # rows: larger nodes are searched column by column
RELATIVE_SLACK = 1e-11  # more than rounding errors of gains and bounds
PARTS_OF_TREE = 32  # subtrees into which several threads cut a tree, about
FLOP_PER_SEARCH = 4.0  # of a row and a column, about


@dataclass(frozen=True)
class TreeRules:
    """Parameters of a tree as numbers: the criterion of splits, and limits of growth."""

    criterion: str
    max_features: int
    max_depth: int = 2**31 - 2
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    max_leaves: int = 0
    randomized: bool = False
    in_order: bool = False  # whether columns are searched in order, else in a random order
    monotone: np.ndarray | None = None
    known_only: bool = False  # whether splits ignore missing values, whose rows follow surrogates
    surrogates: int = 0


@dataclass(frozen=True)
class TreeProblem:
    """Ranked columns with targets and rules, ready for the kernel.

    `label` (n, outputs) with `classes`, or `y` (n, outputs).
    """

    kernel: Problem
    rules: TreeRules
    sorts: bool
    codes: np.ndarray | None  # codes of two classes, if rows may be packed
    routed: bool  # whether nodes have sets of categories or surrogates, for one thread
    categories: np.ndarray | None  # as RankedColumns
    row_entries: float  # mean number of values of a sparse row; 0 if columns are dense

    @property
    def in_blocks(self) -> bool:
        """Whether sparse columns of large nodes are searched in blocks."""
        exact = self.rules.randomized or self.rules.criterion != "absolute_error"
        return self.row_entries > 0 and exact

    @property
    def effort(self) -> int:
        """Rows times columns of a kernel call."""
        if self.in_blocks:
            return SPARSE_VALUES_PER_CALL
        if self.rules.criterion == "absolute_error" and not self.rules.randomized:
            return MEDIAN_ROW_COLUMNS_PER_CALL
        return (
            SORTED_ROW_COLUMNS_PER_CALL
            if self.sorts or self.routed or self.rules.randomized
            else ROW_COLUMNS_PER_CALL
        )

    @property
    def large(self) -> int:
        """Rows beyond which nodes are searched column by column; others are split in one call."""
        columns = self.kernel.width() if self.rules.surrogates else self.rules.max_features
        if self.in_blocks:
            columns = 1 + int(self.row_entries * columns / self.kernel.width())
        return min(MIN_LARGE_NODE_ROWS, max(256, 4 * self.effort // columns))

    def record(self, weight: Array | None, integral: bool) -> Array | None:
        """One number for each row: its weight, and that in class 1; None if rows are not packed."""
        if self.codes is None or not integral or (weight is not None and self.rules.min_leaf > 1):
            return None
        if weight is None:
            return self.codes | (1 << 32)
        whole = weight.astype(np.int64)
        return whole << 32 | whole * self.codes


def tree_problem(
    columns: RankedColumns | RankedEntries,
    rules: TreeRules,
    *,
    label: Any = None,
    classes: list[int] | None = None,
    y: Array | None = None,
    total: float = 0.0,
    table: int = 0,
    cases: Array | None = None,
    n_jobs: Jobs = None,
) -> TreeProblem:
    """Put together a `TreeProblem`.

    `total` is the weight of all rows. x log2 x is tabulated for entropies of sums of weights up to
    `table` (0: there is no table); beyond, it is computed. `cases`: integers (n,) that surrogates
    weigh rows by.
    """
    xlogx = None
    if CRITERIA[rules.criterion] == CRITERIA["entropy"] and table:
        x = np.arange(table + 1, dtype=np.float64)
        xlogx = x * np.log2(np.maximum(x, 1.0))
    y_rank = None
    if rules.criterion == "absolute_error":
        y_rank = np.ascontiguousarray(ranked_columns(y, n_jobs).ranks.T, np.uint32)
    kernel = Problem(
        columns.bound(rules.max_depth, rules.randomized), label,
        None if classes is None else np.asarray(classes, np.int32), y, y_rank,
        xlogx, rules.monotone, cases,
        {
            "criterion": CRITERIA[rules.criterion],
            "randomized": rules.randomized, "in_order": rules.in_order,
            "max_features": rules.max_features, "min_split": rules.min_split,
            "min_leaf": rules.min_leaf, "max_depth": rules.max_depth,
            "min_weight": rules.min_weight, "min_decrease": rules.min_decrease,
            "total_weight": total,
            "known_only": rules.known_only, "surrogates": rules.surrogates,
        },
    )  # fmt: skip
    routed = rules.known_only or columns.categories is not None
    packs = (
        classes is not None and list(classes) == [2] and rules.criterion == "gini"
        and rules.monotone is None and not rules.randomized and not columns.has_missing
        and not routed
    )  # fmt: skip
    codes = label[:, 0].astype(np.int64) if packs else None
    return TreeProblem(
        kernel, rules, sorts(kernel), codes, routed, columns.categories, columns.row_entries
    )


def grown_tree(
    problem: TreeProblem,
    rows: Array,
    weight: Array | None,
    integral: bool,
    key: int,
    n_jobs: Jobs = None,
    last: bool = False,
) -> tuple[tuple[Array, Array, Array], Routes | None]:
    """Grow one tree.

    Parameters
    ----------
    problem : TreeProblem
    rows : ndarray of int32
        The rows it is grown on, ascending; permuted.
    weight : ndarray of float64, shape (n,), or None
        Of all rows; positive for `rows`.
    integral : bool
        Whether all weights are integers whose sum is exact.
    key : int
        Of its random numbers.
    n_jobs : int, optional
    last : bool
        The problem has no values of columns and is not used again: its memory is freed before the
        nodes are copied.

    Returns
    -------
    nodes : links (6, nodes), numbers (3, nodes), values (nodes, channels)
        As `Grower.nodes`, in the order of scikit-learn: depth first, or with `max_leaves` as they
        were made.
    routes : Routes or None
    """
    m, leaves = len(rows), problem.rules.max_leaves
    p = problem.kernel.width()
    threads = usable_threads(n_jobs) if m * p * FLOP_PER_SEARCH > 4e6 or n_jobs is not None else 1
    large = problem.large if threads == 1 else min(problem.large, max(4096, m // PARTS_OF_TREE))
    record = problem.record(weight, integral)
    top = grow.Grower(problem.kernel, rows, weight, integral, m, leaves, record)
    top.add_task(0, m, 0, -1, 0, key, -inf, inf)
    workspaces = _WorkspacePool(problem.kernel, m)
    if leaves or threads == 1 or problem.routed:
        _finish(top, problem, large, workspaces, n_jobs)
        routes = routes_of(problem, top)
        if last:
            workspaces.free.clear()
            top.release()
        return top.nodes(), routes
    parts = []
    while (task := top.next_task()) is not None:
        if task[1] - task[0] > large:
            _open_large(top, problem, workspaces, n_jobs)
        else:
            parts.append(top.take_task())

    def grow_part(task: tuple[Any, ...]) -> tuple[Array, Array, Array]:
        start, stop, depth, _, _, key, low, high = task
        grower = grow.Grower(
            problem.kernel, rows[start:stop], weight, integral, stop - start, 0, record
        )
        grower.add_task(0, stop - start, depth, -1, 0, key, low, high)
        _finish(grower, problem, problem.large, _WorkspacePool(problem.kernel, stop - start), 1)
        return grower.nodes()

    grown = each(grow_part, parts, n_jobs=n_jobs, effort=FLOP_PER_SEARCH * m * p * 8)
    if last:
        workspaces.free.clear()
        top.release()
    return _joined([top.nodes(), *grown], parts), None


def routes_of(problem: TreeProblem, grower: Any) -> Routes | None:
    """Sets and surrogates of the grown tree, or None."""
    if not problem.routed:
        return None
    return Routes.collect(grower.nodes()[0], problem.categories, grower.sets(), grower.surrogates())


def _finish(
    grower: Any, problem: TreeProblem, large: int, workspaces: _WorkspacePool, n_jobs: Jobs
) -> None:
    """Grow until no node is left."""
    while state := grower.grow(large, problem.effort):
        checkpoint()
        if state == 1:
            _open_large(grower, problem, workspaces, n_jobs)


class _WorkspacePool:
    """Workspaces of searches, which are made when needed and used again."""

    def __init__(self, kernel: Any, m: int) -> None:
        self.kernel, self.m = kernel, m
        self.free: list[Any] = []

    @contextmanager
    def borrowed(self) -> Iterator[Any]:
        try:
            workspace = self.free.pop()
        except IndexError:
            workspace = grow.Workspace(self.kernel, self.m, MEDIAN_STEPS_PER_CALL)
        try:
            yield workspace
        finally:
            self.free.append(workspace)

    def search(self, grower: Any, *arguments: Any) -> Any:
        with self.borrowed() as workspace:
            while (split := grower.search(workspace, *arguments)) is None:
                checkpoint()
            return split


def _open_large(grower: Any, problem: Any, workspaces: Any, n_jobs: Jobs) -> None:
    """Open a large node: threads search its columns, first only at the ends of bins.

    A search returns a split only if it gains at least as much as the best so far. Which searches
    have ended before depends on chance, but the split that gains most does not.
    """
    order = grower.open()
    if order is None:
        return
    if problem.in_blocks:
        return _split_in_blocks(grower, problem, workspaces, order, n_jobs)
    rules, best_gain = problem.rules, -inf
    bounded = not (problem.sorts or rules.randomized or problem.routed)

    def search(column: Array, ends: Any = bounded) -> Any:
        nonlocal best_gain
        checkpoint()
        split = workspaces.search(grower, column, best_gain, ends)
        if bounded and split[3] >= 0:
            best_gain = max(best_gain, split[2])
        return split

    first = rules.max_features
    effort = FLOP_PER_SEARCH * grower.size() * first * (16 if problem.sorts else 1)
    splits = each(search, order[:first].tolist(), n_jobs=n_jobs, effort=effort)
    for column in order[first:].tolist():
        if any(varies for _, varies, *_ in splits):
            break
        splits.append(search(column))
    doubt = [
        i
        for i, (bound, *_) in enumerate(splits)
        if -inf < bound * (1 + RELATIVE_SLACK) >= best_gain
    ]
    doubt.sort(key=lambda i: -splits[i][0])
    again = each(lambda i: search(order[i], False), doubt, n_jobs=n_jobs, effort=effort)
    for i, split in zip(doubt, again, strict=True):
        splits[i] = split if split[3] >= 0 else splits[i]
    _split_at_best(grower, (split for _, _, *split in splits))


def _split_at_best(grower: Any, splits: Iterable[list[Any]]) -> None:
    """Split the open node at the first split of the largest gain."""
    best: Any = (-inf, -1, 0, 0, np.nan)
    for split in splits:
        if split[1] >= 0 and split[0] > best[0]:
            best = split
    while grower.split(*best, SORTED_ROW_COLUMNS_PER_CALL):
        checkpoint()


def _split_in_blocks(
    grower: Any, problem: TreeProblem, workspaces: _WorkspacePool, order: Array, n_jobs: Jobs
) -> None:
    """Search blocks of sparse columns of a large node, and split it."""
    first, values = problem.rules.max_features, grower.size() * problem.row_entries
    most = problem.effort * problem.kernel.width() / (values + 1)
    step = int(min(max(1.0, most), max(16.0, first / 32)))

    def search(begin: int) -> Any:
        checkpoint()
        block = order[begin : min(begin + step, first) if begin < first else begin + step]
        with workspaces.borrowed() as workspace:
            return grower.search_block(workspace, block, begin)

    effort = FLOP_PER_SEARCH * values * first / problem.kernel.width()
    splits = each(search, range(0, first, step), n_jobs=n_jobs, effort=effort)
    begin = first
    while begin < len(order) and not any(varies for varies, *_ in splits):
        splits.append(search(begin))
        begin += step
    _split_at_best(grower, (split for _, *split in splits))


def _joined(
    pieces: list[tuple[Array, Array, Array]], parts: list[tuple[Any, ...]]
) -> tuple[Array, Array, Array]:
    """Join the pieces of a tree, whose top is the first, at the nodes in `parts`; depth first."""
    sizes = [len(piece[1][0]) for piece in pieces]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    links = np.concatenate([piece[0] for piece in pieces], axis=1)
    numbers = np.concatenate([piece[1] for piece in pieces], axis=1)
    values = np.concatenate([piece[2] for piece in pieces])
    for start, size in zip(begin[1:-1], sizes[1:], strict=True):
        child_links = links[:2, start : start + size]
        child_links[child_links >= 0] += start
    for start, (_, _, _, parent, side, *_) in zip(begin[1:-1], parts, strict=True):
        if parent >= 0:
            links[side, parent] = start
    root = begin[1] if parts and parts[0][3] < 0 else 0
    if root:  # the whole tree is one part
        return pieces[1]
    order = np.empty(begin[-1], np.int32)
    grow.preorder(links[0], links[1], order)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=np.int32)
    links, numbers, values = links[:, order], numbers[:, order], values[order]
    inner = links[:2] >= 0
    links[:2][inner] = place[links[:2][inner]]
    return links, numbers, values


def grown_packed(problem, weights, key, *, keep=False, classes=None):
    """Grow one tree in one thread for a forest.

    Parameters
    ----------
    problem : TreeProblem
    weights : RowWeights
    key : int
    keep : bool
        Keep the statistics of nodes.
    classes : list of int, optional
        Of a classification, of each output.

    Returns
    -------
    nodes, values : ndarray
        As `TreePredictor.join_trees` takes them.
    LeafStatistics
    gains : ndarray of shape (p,)
        The share of each column in the decrease of impurity.
    TreeStructure or None
    sets : ndarray of uint64, shape (sets, 2, words), or None
        Of categories, as `Routes` has them.
    """
    rows = weights.rows.copy()
    leaves = problem.rules.max_leaves
    record = problem.record(weights.weight, weights.integral)
    grower = grow.Grower(
        problem.kernel, rows, weights.weight, weights.integral, len(rows), leaves, record
    )
    grower.add_task(0, len(rows), 0, -1, 0, key, -inf, inf)
    _finish(grower, problem, problem.large, _WorkspacePool(problem.kernel, len(rows)), 1)
    width = problem.kernel.width()
    if not (keep or leaves or problem.routed):
        nodes, values, counts, numbers, gains = grower.packed()
        impurities = numbers[1] if classes is None else None
        leaves = LeafStatistics(counts, numbers[0] * weights.unit, impurities)
        total = gains.sum()
        return nodes, values, leaves, gains / total if total > 0 else gains, None, None
    routes = routes_of(problem, grower)
    tree = structure_of(*grower.nodes(), width, classes, routes, weights.unit)
    nodes, leaf_nodes = tree.packed
    values = flat_values(tree, leaf_nodes)
    leaves = leaf_statistics(tree, leaf_nodes)
    gains, sets = tree.compute_feature_importances(), tree.routes and tree.routes.sets
    return nodes, values, leaves, gains, tree if keep else None, sets
