# SPDX-License-Identifier: BSD-3-Clause
"""The base of forests for classification and for regression."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from statfast._core.cart.walk import leaf_weights
from statfast._engine import checkpoint, each
from statfast._estimator import (
    by_fit,
    count,
    fitted,
    flag,
    param,
    require_same_labels,
    verbosity,
)
from statfast._typing import Array, Rows, csr_matrix
from statfast._validation import (
    as_flag,
    as_generator,
    not_fitted,
    refuse_large,
    warn_user,
)
from statfast.ensemble.forest.bootstrap import drawn_counts, sample_size, tree_keys
from statfast.ensemble.forest.grow_forest import ForestTree, Sampling, grown_forest, predictor_of
from statfast.ensemble.forest.importances import ForestImportances
from statfast.ensemble.forest.left_out import LeftOutErrors
from statfast.tree.growing.arguments import (
    MAX_TABLE_SUM,
    GrowthParameters,
    category_counts,
    growth_rules,
    published_columns,
    require_categories,
    rows_to_answer,
    rows_to_fit,
    rows_with_categories,
)
from statfast.tree.growing.columns import ranked_columns
from statfast.tree.growing.grow_tree import tree_problem
from statfast.tree.structure.additive_trees import AdditiveTrees
from statfast.tree.structure.dense_blocks import blocks_of
from statfast.tree.structure.tree_arrays import decision_paths, unpacked


class ForestModel(LeftOutErrors, ForestImportances, GrowthParameters):
    """Mixin: trees grown on samples of the rows, and methods of all of them."""

    # What subclasses declare, or a fit sets.
    _keys: Any = fitted()
    _generator: Any = fitted()

    _packed: Any = fitted()
    _trees: Any = fitted()
    _sampling: Any = fitted()
    criterion: str

    n_estimators: int = param(count(), default=100, kw_only=False)
    bootstrap: bool = param(flag, default=True)
    max_samples: float | None = param(by_fit, default=None)
    oob_score: bool | Callable[..., Any] = param(by_fit, default=False)
    warm_start: bool = param(flag, default=False)
    verbose: int = param(verbosity, default=0)

    oob_score_: float = fitted()

    _randomized = False
    _columns = None  # marks of the columns that hold categories

    def _reports_by_bar(self) -> bool:
        return True

    def _rows(self, X: Any) -> tuple[Array, dict[str, Any]]:
        """The rows of a fit, and attributes of the columns that hold categories."""
        if self.categorical_features is None:
            return rows_to_fit(X), published_columns(None, False)
        rows, columns, missing = rows_with_categories(X, self.categorical_features)
        return rows, published_columns(columns, missing)

    def _fit(
        self,
        rows: Array,
        weights: Any,
        targets: Any,
        column_attributes: dict[str, Any],
        *,
        balanced: Array | None = None,
        labels: list[Array] | None = None,
    ) -> dict[str, Any]:
        """Grow the trees; returns attributes to publish.

        `targets` are `label` and `classes`, or `y`, in the form of `tree_problem`;
        `column_attributes` and `rows` are the answer of `_rows`; `labels` are those of each output.
        """
        n, p = rows.shape
        params = self._checked()
        count = params.n_estimators
        refuse_large(200 * count, f"n_estimators={count}", "Lower it.")  # the least size of a tree
        bootstrap, warm = params.bootstrap, params.warm_start
        # Medians, and values within bounds, do not tell that of the node above; and few leaves are
        # made in the order of their gains.
        keep = (
            self.criterion == "absolute_error"
            or self.monotonic_cst is not None
            or params.max_leaf_nodes is not None
        )
        if not callable(self.oob_score):
            as_flag(self.oob_score, "oob_score")
        if self.oob_score and not bootstrap:
            raise ValueError("oob_score needs rows left out, but bootstrap=False. Set it to True.")
        classes = targets.get("classes")
        outputs = [targets["y"].shape[1]] if classes is None else list(classes)
        size = sample_size(self.max_samples, len(weights.rows))
        total = float(size) if bootstrap else weights.total
        rules = growth_rules(
            self, n, p, total, classes=None if classes is None else max(classes),
            outputs=outputs[0] if classes is None else len(outputs),
        )  # fmt: skip
        rules = type(rules)(**{**vars(rules), "randomized": self._randomized})
        require_categories(rules, column_attributes["_columns"])
        if not bootstrap and self.max_samples is not None:
            raise ValueError(
                "max_samples needs samples, but bootstrap=False. Set it to True or None."
            )
        drawn = weights.weight is not None and bootstrap
        sampling = Sampling(
            n, size if bootstrap else 0, np.cumsum(weights.weight) if drawn else None, balanced
        )
        generator, trees, keys = as_generator(self.random_state), [], np.zeros(0, np.int64)
        if warm and self.__sklearn_is_fitted__():
            self._check_warm(rows, count, outputs, column_attributes["categories_"])
            require_same_labels(self, labels)
            trees, keys, generator = self._trees, self._keys, deepcopy(self._generator)
        new = tree_keys(generator, count - len(trees))
        alpha = self._checked_value("ccp_alpha")
        columns = ranked_columns(rows, self.n_jobs, category_counts(column_attributes))
        problem = tree_problem(
            columns, rules, total=total, n_jobs=self.n_jobs, **targets,
            table=min(size, MAX_TABLE_SUM) if bootstrap else weights.table,
        )  # fmt: skip
        trees = trees + grown_forest(
            problem, new, sampling, weights, keep=keep, alpha=alpha, classes=classes,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        return {
            "_trees": trees,
            "_keys": np.concatenate([keys, new]),
            "_generator": generator,
            "_sampling": sampling,
            "max_features_": rules.max_features,
            "n_features_in_": p,
            **column_attributes,
        }

    def _check_warm(self, rows: Any, count: int, outputs: Any, categories: Any) -> None:
        if rows.shape[1] != self.n_features_in_ or len(rows) != self._sampling.n:
            raise ValueError(
                f"X must have the shape of the fit before ({self._sampling.n}, "
                f"{self.n_features_in_}) with warm_start; got {rows.shape}. Set warm_start=False."
            )
        if outputs != list(getattr(self, "_counts", [self.n_outputs_])):
            raise ValueError(
                "y must have as many outputs and classes as in the fit before with warm_start. Set "
                "warm_start=False."
            )
        none = [None] * rows.shape[1]
        for j, pair in enumerate(zip(self.categories_ or none, categories or none, strict=True)):
            old, new = (None if levels is None else levels.tolist() for levels in pair)
            if old != new:
                raise ValueError(
                    f"X must have the categories of the fit before with warm_start, but column {j} "
                    "has others. Set warm_start=False."
                )
        if count < len(self._trees):
            raise ValueError(
                f"n_estimators must be at least {len(self._trees)}, the trees there are, with "
                f"warm_start; got {count}. Raise n_estimators."
            )
        if count == len(self._trees):
            warn_user("warm_start: n_estimators has not grown, so no trees are added.")

    # ------------------------------------------------------------ answers
    @property
    def _predictor(self) -> Any:
        """All trees in one predictor, which is made when it is first needed."""
        predictor = self._packed.get("made")
        if predictor is None:
            trees = self._fitted_trees()
            predictor = self._packed["made"] = predictor_of(trees)
        return predictor

    def _fitted_trees(self) -> list[ForestTree]:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self._trees

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_packed": {}} if "_packed" in state else state

    def _means(self, X: Any) -> Array:
        """The mean over trees of their values, (m, channels)."""
        rows = rows_to_answer(self, X)
        return self._predictor.sums(rows, n_jobs=self.n_jobs) / len(self._trees)

    def _additive_trees(self) -> AdditiveTrees:
        """The mean of the trees as a sum of trees with their cover."""
        trees, counts = self._fitted_trees(), getattr(self, "_counts", None)
        return AdditiveTrees(
            self._predictor,
            [tree.leaf_statistics.weights for tree in trees],
            first=np.zeros(self._predictor.values.shape[1]),
            rows_of=partial(rows_to_answer, self),
            response="predict" if counts is None else "predict_proba",
            sums_to_one=counts is not None and len(counts) == 1,
            scale=1.0 / len(trees),
        )

    def apply(self, X: Rows) -> Array:
        """Return the leaf of each sample in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.

        Returns
        -------
        ndarray of int64, shape (m, n_estimators)
            Numbers of nodes, as in ``estimators_``.

        Raises
        ------
        ValueError
            If X has another width than at fit, or holds an infinity.
        """
        rows = rows_to_answer(self, X)
        leaves = self._predictor.leaves(rows, n_jobs=self.n_jobs)
        numbers = self._packed.get("leaf_nodes")
        if numbers is None:
            numbers = self._packed["leaf_nodes"] = [tree.leaf_nodes for tree in self._trees]
        for tree_leaves, nodes in zip(leaves.T, numbers, strict=True):
            tree_leaves[:] = nodes[tree_leaves]
        return leaves

    def decision_path(self, X: Rows) -> tuple[csr_matrix, Array]:
        """Return the nodes that each sample passes in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples to predict.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of int64, shape (m, nodes of all trees)
            1 where a row passes a node; the nodes of ``estimators_``, tree after tree.
        n_nodes_ptr : ndarray of int64, shape (n_estimators + 1,)
            The nodes of tree t are the columns ``n_nodes_ptr[t]:n_nodes_ptr[t + 1]``.

        Raises
        ------
        ValueError
            If X has another width than at fit, or holds an infinity.
        MemoryError
            If the paths, 16 bytes for each row and node passed, take more than half the free
            memory.
        """
        leaves = self.apply(X)
        return decision_paths(list(self._structures()), leaves)

    @property
    def estimators_samples_(self) -> list[Array]:
        """Samples drawn for each tree, ascending, repeated as drawn."""
        rows = np.arange(self._sampling.n)
        return [np.repeat(rows, count.astype(np.int64)) for count in self._in_bag()]

    def _in_bag(self) -> Iterator[Array]:
        """Yield for each tree how often each row is in its sample."""
        self._fitted_trees()
        draw = self._sampling
        for key in self._keys.tolist():
            if draw.size:
                yield drawn_counts(key, draw.n, draw.size, draw.chances)
            else:
                yield np.ones(draw.n)

    def _left_out(self) -> Array:
        """Marks of the rows that each tree has not seen, (n_estimators, n)."""
        if not self._sampling.size:
            raise ValueError("No row is left out with bootstrap=False. Set bootstrap=True.")
        refuse_large(len(self._trees) * self._sampling.n, "The samples", "Grow fewer trees.")
        return np.array([count == 0 for count in self._in_bag()])

    def _as_tree(self, kind: Any) -> Any:
        """An unfitted estimator of a single tree, with the parameters of the forest."""
        self._fitted_trees()
        parameters = {
            name: getattr(self, name)
            for name in kind().get_params()
            if hasattr(self, name) and name not in ("class_weight", "random_state")
        }
        return kind(**{**parameters, "splitter": "random" if self._randomized else "best"})

    def _structures(self) -> Iterator[Any]:
        """The `TreeStructure` of each tree."""
        classes = getattr(self, "_counts", None)
        for tree in self._fitted_trees():
            if tree.structure is not None:
                yield tree.structure
            else:
                yield unpacked(
                    tree.nodes, tree.values, tree.leaf_statistics, self.n_features_in_, classes,
                    self.criterion, tree.sets,
                )  # fmt: skip

    def _as_trees(self, kind: Any, **fitted: Any) -> Any:
        """Estimators of single trees."""
        unfitted, trees = self._as_tree(kind).get_params(), []
        for structure, key in zip(self._structures(), self._keys.tolist(), strict=True):
            tree = kind(**{**unfitted, "random_state": key})
            names = {name: getattr(self, name) for name in published_columns(None, False)}
            if "feature_names_in_" in vars(self):
                names["feature_names_in_"] = self.feature_names_in_
            trees.append(
                tree._publish(
                    None, tree_=structure, n_features_in_=self.n_features_in_,
                    max_features_=self.max_features_, **names, **fitted,
                )
            )  # fmt: skip
        return trees

    def _rows_of_fit(self, X: Any) -> Array:
        self._fitted_trees()
        rows = rows_to_fit(X) if self._columns is None else rows_to_answer(self, X)
        if rows.shape != (wanted := (self._sampling.n, self.n_features_in_)):
            raise ValueError(f"X must be the rows of the fit {wanted}; got {rows.shape}.")
        return rows

    # ------------------------------------------------------------ proximities and errors
    def proximities(self, X: Rows, Y: Rows | None = None, *, left_out: bool = False) -> Array:
        """Return proximities: the fraction of trees in which two samples share a leaf.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples.
        Y : array-like or sparse matrix of shape (m', p), optional
            Other samples; None takes X.
        left_out : bool, default=False
            Count only trees that have seen neither row; X then are the rows of the fit, and Y is
            None. NaN where there is no such tree.

        Returns
        -------
        ndarray of shape (m, m')

        Raises
        ------
        ValueError
            If `left_out` is asked for other rows than those of the fit.
        MemoryError
            If the result takes more than half the free memory.

        References
        ----------
        L. Breiman (2001). Random forests. Machine Learning 45, 5-32.
        doi:10.1023/A:1010933404324
        """
        A = self.apply(X).astype(np.int32)
        B = A if Y is None else self.apply(Y).astype(np.int32)
        refuse_large(8 * len(A) * len(B), "The table of proximities", "Pass Y in parts.")
        unseen = None
        if as_flag(left_out, "left_out"):
            if Y is not None or len(A) != self._sampling.n:
                raise ValueError(
                    "left_out is for the rows of the fit: X must be those "
                    f"({self._sampling.n} rows) and Y None. Set left_out=False for others."
                )
            unseen = np.ascontiguousarray(self._left_out().T, dtype=np.uint8)
        share = np.empty((len(A), len(B)))

        def work(part: slice) -> None:
            checkpoint()
            part_unseen = None if unseen is None else unseen[part]
            leaf_weights.together(A[part], B, part_unseen, unseen, share[part])

        parts = [slice(i, i + 16) for i in range(0, len(A), 16)]
        each(work, parts, n_jobs=self.n_jobs, effort=0.2 * len(A) * len(B) * A.shape[1])
        return share

    def standard_errors(self, X: Rows) -> Array:
        """Standard errors of the mean over trees, by the infinitesimal jackknife.

        How much the prediction would vary with another sample of rows, whose drawing the bootstrap
        imitates; less what it varies because trees are few, which needs some thousand trees for
        n of some thousands: where that leaves less than nothing, the error is 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p)
            Samples.

        Returns
        -------
        ndarray of shape (m,) or (m, channels)
            One for each class or output.

        Raises
        ------
        ValueError
            If `bootstrap` is False.

        References
        ----------
        S. Wager, T. Hastie and B. Efron (2014). Confidence intervals for random forests: the
        jackknife and the infinitesimal jackknife. Journal of Machine Learning Research 15,
        1625-1651.
        """
        rows = rows_to_answer(self, X)
        self._left_out()  # refuses a forest without a bootstrap
        refuse_large(8 * len(self._trees) * self._sampling.n, "The samples", "Grow fewer trees.")
        counts = np.array(list(self._in_bag()))
        counts -= counts.mean(axis=0)
        trees, n = counts.shape
        channels = self._trees[0].values.shape[1]
        out = np.empty((len(rows), channels))
        for part in blocks_of(rows, 64, 1024):
            leaves = self._predictor.leaves(rows[part], n_jobs=self.n_jobs)
            for k in range(channels):
                values = np.column_stack(
                    [tree.values[leaves[:, t], k] for t, tree in enumerate(self._trees)]
                )
                values -= values.mean(axis=1, keepdims=True)
                cov = values @ counts / trees
                noise = (values**2).sum(axis=1) * n / trees**2
                out[part, k] = np.sqrt(np.maximum((cov**2).sum(axis=1) - noise, 0.0))
                checkpoint()
        return out[:, 0] if channels == 1 else out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = True
        return tags


def output_slices(counts: list[int]) -> list[slice]:
    """The columns of each output's classes among those of all."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]
