# SPDX-License-Identifier: BSD-3-Clause
"""Cost-complexity pruning: branches are removed in the order of their worth for each leaf.

Breiman, Friedman, Olshen and Stone 1984, chapter 3. A branch with risk R(b) and L leaves under a
node with risk R is worth (R - R(b)) / (L - 1) for each leaf; the branch worth least is removed
first.

Cost: O(nodes log nodes + the depths of the removed branches), by a heap.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array
from statfast.tree.structure.tree_arrays import TreeStructure


@dataclass(frozen=True, repr=False)
class PruningPath(Tabled):
    """Cost-complexity pruning path: penalties and the subtrees that they leave.

    Attributes
    ----------
    ccp_alphas : ndarray of shape (steps,)
        Ascending, from 0 (nothing pruned) to the penalty that leaves the root alone.
    impurities : ndarray of shape (steps,)
        The impurity of the leaves left, by weight.
    n_leaves : ndarray of int64, shape (steps,)
        Leaves of each subtree.

    Examples
    --------
    >>> from statfast import DecisionTreeClassifier
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> path = DecisionTreeClassifier().cost_complexity_pruning_path(iris.data, iris.target)
    >>> path.n_leaves
    array([9, 7, 5, 4, 3, 2, 1])
    >>> path.ccp_alphas.round(3)
    array([0.   , 0.007, 0.009, 0.013, 0.03 , 0.26 , 0.333])
    """

    ccp_alphas: np.ndarray
    impurities: np.ndarray
    n_leaves: np.ndarray

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def table(self) -> CoefficientTable:
        """Return a table with a row for each step.

        Returns
        -------
        CoefficientTable
        """
        names = ("ccp_alphas", "impurities", "n_leaves")
        rows = [str(step) for step in range(len(self.ccp_alphas))]
        return CoefficientTable(rows, {name: getattr(self, name) for name in names})


def weakest_links(tree: TreeStructure, risk: Array) -> tuple[Array, list[tuple[Any, ...]]]:
    """The penalty at which each node becomes a leaf (infinity for leaves), never less than those of
    the nodes below it, and the nodes in the order in which they become leaves.

    `risk` is the risk of each node as a leaf.
    """
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    n = tree.node_count
    parent = [-1] * n
    order = np.argsort(-tree.depth, kind="stable").tolist()  # children first
    risk = np.asarray(risk, dtype=np.float64).tolist()
    branch, leaves = list(risk), [1] * n
    for node in order:
        if left[node] >= 0:
            for child in (left[node], right[node]):
                parent[child] = node
            branch[node] = branch[left[node]] + branch[right[node]]
            leaves[node] = leaves[left[node]] + leaves[right[node]]

    def worth(node: int) -> float:
        return (risk[node] - branch[node]) / (leaves[node] - 1)

    heap = [(worth(node), node) for node in range(n) if left[node] >= 0]
    heapq.heapify(heap)
    now = dict((node, value) for value, node in heap)
    alpha, taken = np.full(n, np.inf), []
    least = 0.0
    while heap:
        value, node = heapq.heappop(heap)
        if now.get(node) != value:
            continue  # a branch below was removed since
        del now[node]
        least = max(least, value)
        waiting = [node]
        while waiting:  # the nodes below are removed with it
            below = waiting.pop()
            now.pop(below, None)
            if left[below] >= 0 and np.isinf(alpha[below]):
                alpha[below] = least
                waiting += [left[below], right[below]]
        taken.append((node, least))
        risk_gained, leaves_lost = risk[node] - branch[node], leaves[node] - 1
        branch[node], leaves[node] = risk[node], 1
        above = parent[node]
        while above >= 0:
            branch[above] += risk_gained
            leaves[above] -= leaves_lost
            if above in now:
                value = worth(above)
                now[above] = value
                heapq.heappush(heap, (value, above))
            above = parent[above]
    return alpha, taken


def node_risk(tree: TreeStructure) -> Array:
    """The impurity of each node times its share of the weight."""
    return tree.impurity * (tree.weighted_n_node_samples / tree.weighted_n_node_samples[0])


def pruning_path(tree: TreeStructure) -> PruningPath:
    """The path of weakest links, where impurities are the risks."""
    risk = node_risk(tree)
    _, taken = weakest_links(tree, risk)
    leaf = tree.children_left < 0
    total, leaves = float(risk[leaf].sum()), tree.n_leaves
    alphas, impurities, counts = [0.0], [total], [leaves]
    left, right = tree.children_left, tree.children_right
    gone = np.zeros(tree.node_count, bool)
    for node, alpha in taken:
        waiting, inside, count = [left[node], right[node]], 0.0, 0
        while waiting:
            node_below = waiting.pop()
            if left[node_below] >= 0 and not gone[node_below]:
                waiting += [left[node_below], right[node_below]]
            else:
                inside += risk[node_below]
                count += 1
        gone[node] = True
        total += float(risk[node] - inside)
        leaves -= count - 1
        if alpha > alphas[-1]:
            alphas.append(alpha)
            impurities.append(total)
            counts.append(leaves)
        else:
            impurities[-1], counts[-1] = total, leaves
    return PruningPath(np.array(alphas), np.array(impurities), np.array(counts))


def pruned(tree: Any, alpha: float, risk: Array | None = None) -> TreeStructure:
    """The tree without branches that are worth at most `alpha` for each leaf."""
    alphas, _ = weakest_links(tree, node_risk(tree) if risk is None else risk)
    return cut_at(tree, alphas <= alpha)


def cut_at(tree: TreeStructure, is_leaf: Array) -> TreeStructure:
    """The tree in which the marked nodes are leaves."""
    order, waiting = [], [0]
    left, right = tree.children_left, tree.children_right
    while waiting:
        node = waiting.pop()
        order.append(node)
        if left[node] >= 0 and not is_leaf[node]:
            waiting += [right[node], left[node]]
    kept = np.array(order)
    place = np.full(tree.node_count, -1)
    place[kept] = np.arange(len(kept))
    inner = (left[kept] >= 0) & ~np.asarray(is_leaf)[kept]
    nodes = len(tree.feature)
    arrays = {
        field.name: getattr(tree, field.name)[kept]
        for field in fields(tree)
        if isinstance(getattr(tree, field.name), np.ndarray)
        and field.name != "n_classes"
        and len(getattr(tree, field.name)) == nodes
    }
    arrays["children_left"] = np.where(inner, place[left[kept]], -1)
    arrays["children_right"] = np.where(inner, place[right[kept]], -1)
    arrays["feature"] = np.where(inner, arrays["feature"], -2)
    arrays["threshold"] = np.where(inner, arrays["threshold"], -2.0)
    routes = None if tree.routes is None else tree.routes.taken(kept, inner)
    return replace(tree, **arrays, routes=routes)
