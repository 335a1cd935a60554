# SPDX-License-Identifier: BSD-3-Clause
"""Growing a tree on ranked columns: large nodes by columns, the subtrees below them by threads."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from statfast._core.cart.grow import grow
from statfast._core.cart.problem import Columns, Problem, sorts
from statfast._engine import checkpoint, each, usable_threads
from statfast._typing import Array, Jobs
from statfast.tree.growing.columns import RankedColumns, ranked_columns
from statfast.tree.structure.non_numeric_splits import Routes
from statfast.tree.structure.tree_arrays import flat_values, structure_of

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
EFFORT = 1 << 23  # rows times columns of a call of the kernel: some ten milliseconds
SORTED_EFFORT = 1 << 19  # the same where columns are sorted, or splits drawn
MEDIAN_EFFORT = 1 << 15  # the same where medians are sought at all splits
STEPS_OF_CALL = 1 << 16  # steps of medians, of a call that searches one column of a large node
LARGE = 1 << 16  # rows: nodes with more are searched column by column, whatever they cost
MIN_ROWS_FOR_RANK_TABLE = 1024  # rows: of nodes with fewer, ranks are read row by row
TOGETHER = 4096  # rows: a block of the transpose
SLACK = 1e-11  # relative: above the rounding of gains and bounds
PARTS = 32  # a tree grown by several threads is cut into about so many
SEARCH = 4.0  # flop that a row and column of a search cost, about


@dataclass(frozen=True)
class TreeRules:
    """Parameters of a tree as numbers: what to split by, and when to stop."""

    criterion: str
    max_features: int
    max_depth: int = 2**31 - 2
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    max_leaves: int = 0
    randomized: bool = False
    in_order: bool = False  # columns are looked at from the first on, else in an order drawn
    monotone: np.ndarray | None = None
    known_only: bool = False  # missing values do not choose splits; surrogates send their rows
    surrogates: int = 0


@dataclass(frozen=True)
class TreeProblem:
    """Ranked columns with targets and rules, ready for the kernel.

    `label` (n, outputs) with `classes`, or `y` (n, outputs).
    """

    kernel: Problem
    rules: TreeRules
    sorts: bool
    codes: np.ndarray | None  # of two classes, where rows may be packed
    routed: bool  # nodes have sets of categories, or surrogates: one thread grows the tree
    categories: np.ndarray | None  # as RankedColumns

    @property
    def effort(self) -> int:
        """Rows times columns of a call of the kernel."""
        if self.rules.criterion == "absolute_error" and not self.rules.randomized:
            return MEDIAN_EFFORT
        return SORTED_EFFORT if self.sorts or self.routed or self.rules.randomized else EFFORT

    @property
    def large(self) -> int:
        """Rows of nodes that are searched column by column: others are, in one call."""
        columns = self.kernel.width() if self.rules.surrogates else self.rules.max_features
        return min(LARGE, max(256, 4 * self.effort // columns))

    def record(self, weight: Array | None, integral: bool) -> Array | None:
        """One number a row: its weight, and what of it is of class 1; None where that is not it."""
        if self.codes is None or not integral or (weight is not None and self.rules.min_leaf > 1):
            return None
        if weight is None:
            return self.codes | (1 << 32)
        whole = weight.astype(np.int64)
        return whole << 32 | whole * self.codes


def tree_problem(
    columns: RankedColumns,
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
    by_row = _by_row(columns.ranks, rules.max_depth)
    y_rank = None
    if rules.criterion == "absolute_error":
        y_rank = np.ascontiguousarray(ranked_columns(y, n_jobs).ranks.T, np.uint32)
    values_by_row = columns.by_row() if rules.randomized and by_row is not None else None
    view = Columns(
        columns.codes, columns.ranks, by_row, values_by_row, columns.shift, columns.missing,
        columns.values, columns.first, columns.categories,
    )  # fmt: skip
    kernel = Problem(
        view, label, None if classes is None else np.asarray(classes, np.int32), y, y_rank,
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
    return TreeProblem(kernel, rules, sorts(kernel), codes, routed, columns.categories)


def _by_row(ranks: Array, max_depth: int) -> Array | None:
    """The ranks row by row, for nodes of few rows; None where so shallow a tree has none."""
    p, n = ranks.shape
    if n >> min(max_depth, 62) > MIN_ROWS_FOR_RANK_TABLE:
        return None
    out = np.empty((n, p), ranks.dtype)
    for start in range(0, n, TOGETHER):
        out[start : start + TOGETHER] = ranks[:, start : start + TOGETHER].T
    return out


def grown_tree(
    problem: TreeProblem,
    rows: Array,
    weight: Array | None,
    integral: bool,
    key: int,
    n_jobs: Jobs = None,
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

    Returns
    -------
    nodes : links (6, nodes), numbers (3, nodes), values (nodes, channels)
        As `Grower.nodes`, in the order of scikit-learn: depth first, or with `max_leaves` as they
        were made.
    routes : Routes or None
    """
    m, leaves = len(rows), problem.rules.max_leaves
    p = problem.kernel.width()
    threads = usable_threads(n_jobs) if m * p * SEARCH > 4e6 or n_jobs is not None else 1
    large = problem.large if threads == 1 else min(problem.large, max(4096, m // PARTS))
    record = problem.record(weight, integral)
    top = grow.Grower(problem.kernel, rows, weight, integral, m, leaves, record)
    top.add_task(0, m, 0, -1, 0, key, -inf, inf)
    workspaces = _WorkspacePool(problem.kernel, m)
    if leaves or threads == 1 or problem.routed:
        _finish(top, problem, large, workspaces, n_jobs)
        return top.nodes(), routes_of(problem, top)
    parts = []
    while (task := top.next_task()) is not None:
        if task[1] - task[0] > large:
            _open_large(top, problem, workspaces, n_jobs)
        else:
            parts.append(top.take_task())

    def part(task: tuple[Any, ...]) -> tuple[Array, Array, Array]:
        start, stop, depth, _, _, key, low, high = task
        own = grow.Grower(
            problem.kernel, rows[start:stop], weight, integral, stop - start, 0, record
        )
        own.add_task(0, stop - start, depth, -1, 0, key, low, high)
        _finish(own, problem, problem.large, _WorkspacePool(problem.kernel, stop - start), 1)
        return own.nodes()

    grown = each(part, parts, n_jobs=n_jobs, effort=SEARCH * m * p * 8)
    return _joined([top.nodes(), *grown], parts), None


def routes_of(problem: TreeProblem, grower: Any) -> Routes | None:
    """Sets and surrogates of the tree that has grown; None where it has none."""
    if not problem.routed:
        return None
    return Routes.collect(grower.nodes()[0], problem.categories, grower.sets(), grower.surrogates())


def _finish(
    grower: Any, problem: TreeProblem, large: int, workspaces: "_WorkspacePool", n_jobs: Jobs
) -> None:
    """Grow until there is nothing left to grow."""
    while state := grower.grow(large, problem.effort):
        checkpoint()
        if state == 1:
            _open_large(grower, problem, workspaces, n_jobs)


class _WorkspacePool:
    """The workspaces that threads search in, made when needed and used again."""

    def __init__(self, kernel: Any, m: int) -> None:
        self.kernel, self.m = kernel, m
        self.free: list[Any] = []

    def search(self, grower: Any, *asked: Any) -> Any:
        try:
            workspace = self.free.pop()
        except IndexError:
            workspace = grow.Workspace(self.kernel, self.m, STEPS_OF_CALL)
        try:
            while (found := grower.search(workspace, *asked)) is None:
                checkpoint()
            return found
        finally:
            self.free.append(workspace)


def _open_large(grower: Any, problem: Any, workspaces: Any, n_jobs: Jobs) -> None:
    """Open a large node: its columns are searched by threads, first at the ends of bins only.

    What is found gains at least as much as what others have found before: which of them had is
    left to chance, but what gains most is not.
    """
    order = grower.open()
    if order is None:
        return
    rules, least = problem.rules, -inf
    bounded = not (problem.sorts or rules.randomized or problem.routed)

    def search(column: Array, ends: Any = bounded) -> Any:
        nonlocal least
        checkpoint()
        found = workspaces.search(grower, column, least, ends)
        if bounded and found[3] >= 0:
            least = max(least, found[2])
        return found

    first = rules.max_features
    effort = SEARCH * grower.size() * first * (16 if problem.sorts else 1)
    found = each(search, order[:first].tolist(), n_jobs=n_jobs, effort=effort)
    for column in order[first:].tolist():
        if any(varies for _, varies, *_ in found):
            break
        found.append(search(column))
    doubt = [i for i, (bound, *_) in enumerate(found) if -inf < bound * (1 + SLACK) >= least]
    doubt.sort(key=lambda i: -found[i][0])
    again = each(lambda i: search(order[i], False), doubt, n_jobs=n_jobs, effort=effort)
    for i, split in zip(doubt, again, strict=True):
        found[i] = split if split[3] >= 0 else found[i]
    best = (-inf, -1, 0, 0, np.nan)
    for _, _, *split in found:
        if split[1] >= 0 and split[0] > best[0]:
            best = tuple(split)
    while grower.split(*best, SORTED_EFFORT):
        checkpoint()


def _joined(
    pieces: list[tuple[Array, Array, Array]], parts: list[tuple[Any, ...]]
) -> tuple[Array, Array, Array]:
    """The tree whose first piece is its top, others hang where `parts` says; depth first."""
    sizes = [len(piece[1][0]) for piece in pieces]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    links = np.concatenate([piece[0] for piece in pieces], axis=1)
    numbers = np.concatenate([piece[1] for piece in pieces], axis=1)
    values = np.concatenate([piece[2] for piece in pieces])
    for at, size in zip(begin[1:-1], sizes[1:], strict=True):
        own = links[:2, at : at + size]
        own[own >= 0] += at
    for at, (_, _, _, parent, side, *_) in zip(begin[1:-1], parts, strict=True):
        if parent >= 0:
            links[side, parent] = at
    root = begin[1] if parts and parts[0][3] < 0 else 0
    if root:  # the root itself was small
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
        nodes, values, gains = grower.packed()
        total = gains.sum()
        return nodes, values, gains / total if total > 0 else gains, None, None
    routes = routes_of(problem, grower)
    tree = structure_of(*grower.nodes(), width, classes, routes, weights.unit)
    nodes, leaf_nodes = tree.packed
    values = flat_values(tree, leaf_nodes)
    gains, sets = tree.compute_feature_importances(), tree.routes and tree.routes.sets
    return nodes, values, gains, tree if keep else None, sets
