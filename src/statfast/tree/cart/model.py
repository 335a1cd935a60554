# SPDX-License-Identifier: BSD-3-Clause
"""The base of classification and regression trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from statfast._estimator import count, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights, csr_matrix
from statfast._validation import CategoryColumns, as_count, as_generator
from statfast.tree.growing.arguments import GrowthParameters, routed_rules, rows_to_answer
from statfast.tree.growing.columns import RankedColumns, ranked_columns
from statfast.tree.growing.grow_tree import TreeRules, grown_tree, tree_problem
from statfast.tree.pruning.weakest_link import pruned, pruning_path
from statfast.tree.structure.additive_trees import AdditiveTrees, CoveredTree
from statfast.tree.structure.tree_arrays import (
    TreeStructure,
    decision_paths,
    flat_values,
    structure_of,
)

if TYPE_CHECKING:
    from statfast.tree.pruning.weakest_link import PruningPath

# Values of X beyond which those of its columns are not kept beside it; of few, thresholds are
# sooner read from stored values.
MAX_STORED_VALUES = 1 << 20


def drawn_key(random_state: Seed) -> int:
    """The key of a tree's random numbers."""
    return int(as_generator(random_state).integers(2**63))


class CartModel(GrowthParameters):
    """Mixin: the growth of a tree, and methods of a fitted one."""

    fit: ClassVar[Callable[..., Any]]

    splitter: Literal["best", "random"] = param(one_of("best", "random"), default="best")
    missing: Literal["learned", "surrogate"] = param(
        one_of("learned", "surrogate"), default="learned"
    )
    max_surrogates: int = param(count(0), default=5)

    tree_: Any = fitted()

    _columns = None  # the columns that hold categories
    _class_priors = None
    _saw_missing = False

    def _grow(
        self,
        rows: Array,
        weights: Any,
        rules: TreeRules,
        columns: RankedColumns | None = None,
        categories: Any = None,
        **targets: Any,
    ) -> TreeStructure:
        """The structure of a tree grown on checked rows.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
        weights : RowWeights
        rules : TreeRules
        columns : RankedColumns, optional
            Those of `rows`, where they are known.
        categories : ndarray of int32, shape (p,), optional
            Where `columns` are not: how many a column has.
        **targets : ndarray
            `label` and `classes`, or `y`.
        """
        self._checked_value("ccp_alpha")
        valued = columns is not None or categories is not None
        valued = valued or rules.randomized or rules.known_only
        valued = valued or rows.shape[0] * rows.shape[1] <= MAX_STORED_VALUES
        if columns is None:
            columns = ranked_columns(rows, self.n_jobs, categories, with_values=valued)
        places = not valued and isinstance(columns, RankedColumns)
        problem = tree_problem(
            columns, rules, total=weights.total, table=weights.table, cases=weights.cases,
            n_jobs=self.n_jobs, **targets,
        )  # fmt: skip
        # Memory is freed as soon as it is not needed: a full tree is as large as the rows.
        columns = columns.without_codes() if places else None
        grown, routes = grown_tree(
            problem, weights.rows.copy(), weights.weight, weights.integral,
            drawn_key(self.random_state), self.n_jobs, places,
        )  # fmt: skip
        if columns is not None:
            columns.place_thresholds(grown, rows, self.n_jobs)
        del problem, columns
        classes = targets.get("classes")
        tree = structure_of(*grown, rows.shape[1], classes, routes, weights.unit)
        return pruned(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _splitter(self, rules: TreeRules, p: int, columns: CategoryColumns | None) -> TreeRules:
        """The rules, with the splitter and the treatment of missing values of the parameters."""
        random = self._checked_value("splitter") == "random"
        in_order = not random and rules.max_features == p
        rules = replace(rules, randomized=random, in_order=in_order)
        return routed_rules(self, rules, columns)

    # ------------------------------------------------------------ answers
    def _values(self, X: Any) -> Array:
        """The values of the leaves of rows, (m, outputs, classes)."""
        rows = rows_to_answer(self, X)
        values = self.tree_.predictor.sums(rows, n_jobs=self.n_jobs)
        return values.reshape(len(rows), *self.tree_.value.shape[1:])

    def _additive_trees(self) -> AdditiveTrees:
        """The tree as a sum of one, with its cover."""
        tree = self._fitted_tree()
        nodes, leaf_nodes, *surrogates = tree._packed
        values = flat_values(tree, leaf_nodes)
        is_class = tree.max_n_classes > 1 or hasattr(self, "classes_")
        priors: Any = getattr(self, "_class_priors", None)
        if priors is not None:
            values = priors.shares(values)
        covered = CoveredTree(
            nodes, values, tree.weighted_n_node_samples[leaf_nodes],
            None if tree.routes is None else tree.routes.sets, (surrogates[0], surrogates[1]),
        )  # fmt: skip
        return AdditiveTrees.of_trees(
            [covered], partial(rows_to_answer, self), "predict_proba" if is_class else "predict",
            sums_to_one=is_class and tree.n_outputs == 1,
        )  # fmt: skip

    def apply(self, X: Rows) -> Array:
        """Return the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            NaN is a missing value.

        Returns
        -------
        ndarray of int64, shape (m,)
            Numbers of nodes.
        """
        rows = rows_to_answer(self, X)
        return self.tree_.packed[1][
            self.tree_.predictor.leaves(rows, n_jobs=self.n_jobs)[:, 0]
        ].astype(np.int64)

    def decision_path(self, X: Rows) -> csr_matrix:
        """Return the nodes that each sample passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (m, node_count)
            1 where a row passes a node.

        Raises
        ------
        MemoryError
            If the paths, 16 bytes for each row and node passed, take more than half the free
            memory.
        """
        leaves = self.apply(X)
        return decision_paths([self.tree_], leaves[:, None])[0]

    def get_depth(self) -> int:
        """The depth of the tree.

        Returns
        -------
        int
            Splits above its deepest leaf.
        """
        return self._fitted_tree().max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Returns
        -------
        int
        """
        return self._fitted_tree().n_leaves

    def split_categories(self, node: int) -> tuple[list[Any], list[Any]] | None:
        """The categories that a node sends to the left and to the right.

        Parameters
        ----------
        node : int
            Number of a node.

        Returns
        -------
        (list, list), or None
            None where the node is a leaf, or splits numbers. Categories in neither list, which the
            node has not seen, go where missing values go.
        """
        tree = self._fitted_tree()
        number = as_count(node, "node", low=0, high=tree.node_count - 1)
        if tree.routes is None or not tree.routes.of_sets[number]:
            return None
        categories = self.categories_[int(tree.feature[number])]
        left, right = (
            categories[codes].tolist() for codes in tree.routes.codes(tree.threshold[number])
        )
        return left, right

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importances of the features."""
        return self._fitted_tree().compute_feature_importances()

    def _fitted_tree(self) -> TreeStructure:
        from statfast._validation import not_fitted

        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self.tree_

    def cost_complexity_pruning_path(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None
    ) -> PruningPath:
        """The penalties at which weakest-link pruning takes branches away.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Training samples.
        y : array-like of shape (n,) or (n, outputs)
            Class labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        PruningPath
            With `ccp_alphas`, ascending, and `impurities`, those of the leaves in all.
        """
        full = type(self)(**{**self.get_params(deep=False), "ccp_alpha": 0.0})
        return pruning_path(full.fit(X, y, sample_weight=sample_weight).tree_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = True
        return tags
