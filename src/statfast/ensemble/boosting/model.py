# SPDX-License-Identifier: BSD-3-Clause
"""The base of both gradient boosting estimators: the fit, early stopping, and raw predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import report
from statfast._estimator import (
    Estimator,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    param,
    randomness,
    real,
    require_same_labels,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    CategoryColumns,
    as_csr,
    as_generator,
    as_weights,
    column_names,
    find_columns,
    is_sparse,
    not_fitted,
    require_width,
    shown,
)
from statfast.ensemble.boosting.bins import Thresholds, encode, thresholds_of
from statfast.ensemble.boosting.early_stopping import (
    hold_out,
    score_by_name,
    scored_rows,
    should_stop,
)
from statfast.ensemble.boosting.losses import BoostingLoss
from statfast.ensemble.boosting.rounds import BoostingRounds, GrowthRules
from statfast.ensemble.boosting.settings import (
    StoppingRules,
    checked_rounds_and_bins,
    growth_rules,
    stopping_rules,
)
from statfast.ensemble.boosting.trees import BoostedTree, BoostedTrees
from statfast.tree.growing.arguments import (
    require_dense,
    require_no_categories,
    scaled_weights,
)
from statfast.tree.structure.additive_trees import AdditiveTrees
from statfast.tree.structure.dense_blocks import DenseBlocks


@dataclass(frozen=True)
class _Sample:
    """Rows as numbers, dense or `DenseBlocks`; targets in the form of the loss; and weights."""

    X: Any
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | None

    def take(self, rows: Any) -> _Sample:
        weights = None if self.weights is None else self.weights[rows]
        return _Sample(self.X[rows], self.y[rows], weights)

    def in_units(self) -> tuple[_Sample, float]:
        """The rows with weight, whose weights are in units, None if all are 1; and the unit."""
        if self.weights is None:
            return self, 1.0
        weighted = self if self.weights.all() else self.take(np.flatnonzero(self.weights))
        units = scaled_weights(weighted.weights, len(weighted.y))
        return replace(weighted, weights=units.weight), units.unit


@dataclass(frozen=True)
class _Boosted:
    """The state of a fit, from which a warm start continues."""

    columns: CategoryColumns
    loss: BoostingLoss
    trees: BoostedTrees
    thresholds: Thresholds
    seed: int
    train_score: list
    validation_score: list


class HistBoosting(Estimator):
    """Base of `HistGradientBoostingClassifier` and `HistGradientBoostingRegressor`.

    A subclass has ``_targets(y, n, weights)`` (targets as numbers, attributes to publish, loss,
    weights) and ``_later_targets(y, n, published)`` of rows for early stopping.
    """

    # What subclasses declare, or a fit sets.
    _targets: ClassVar[Callable[..., Any]]
    _later_targets: ClassVar[Callable[..., Any]]
    _boosted: Any = fitted()

    learning_rate: float = param(real(0, open_low=True), default=0.1)
    max_iter: int = param(count(high=MAX_REPEATS), default=100)
    max_leaf_nodes: int | None = param(nothing | count(2), default=31)
    max_depth: int | None = param(nothing | count(), default=None)
    min_samples_leaf: int = param(count(), default=20)
    l2_regularization: float = param(real(0), default=0.0)
    max_features: float = param(real(0, 1, open_low=True), default=1.0)
    max_bins: int = param(count(2, 255), default=255)
    categorical_features: ArrayLike | None = param(by_fit, default="from_dtype")
    monotonic_cst: ArrayLike | dict[Any, Any] | None = param(by_fit, default=None)
    interaction_cst: Literal["pairwise", "no_interactions"] | Sequence[Any] | None = param(
        by_fit, default=None
    )
    warm_start: bool = param(flag, default=False)
    early_stopping: Literal["auto"] | bool = param(by_fit, default="auto")
    scoring: str | Callable[..., Any] | None = param(by_fit, default="loss")
    validation_fraction: float | None = param(by_fit, default=0.1)
    n_iter_no_change: int = param(count(), default=10)
    tol: float = param(real(0), default=1e-7)
    verbose: int = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    do_early_stopping_: bool = fitted()
    n_iter_: int = fitted()
    n_trees_per_iteration_: int = fitted()
    train_score_: Array = fitted()
    validation_score_: Array = fitted()
    is_categorical_: Any = fitted()
    feature_importances_: Array = fitted()

    def _fit(self, X: Any, y: Any, sample_weight: Weights, validation: Any) -> Self:
        began = perf_counter()
        max_iter, max_bins = checked_rounds_and_bins(self)
        rows, columns = self._rows_to_fit(X, max_bins)
        n, width = rows.shape
        y, published, loss, weights = self._targets(y, n, as_weights(sample_weight, n))
        rules = growth_rules(self, columns.mask, width, column_names(X), loss.n_raw == 1)
        sample, unit = _Sample(rows, y, weights).in_units()
        y, n = sample.y, len(sample.y)
        rules = replace(rules, l2=rules.l2 / unit)
        stopping = stopping_rules(self, n if validation[1] is None else 10_001)
        before = self.__dict__.get("_boosted") if self.warm_start else None
        if before is not None:
            self._check_warm(before, columns, loss, max_iter)
            require_same_labels(self, published.get("classes_"))
        entropy = as_generator(self.random_state).integers(2**63) if before is None else 0
        seed = int(entropy) if before is None else before.seed
        split_seed, bin_seed, tree_seed, score_seed = np.random.SeedSequence(seed).spawn(4)
        held_out = None
        if (validation[0] is None) != (validation[1] is None):
            raise ValueError("X_val and y_val must be passed together; got one. Pass both.")
        if validation[1] is not None:
            if stopping is None:
                raise ValueError(
                    "early_stopping is False, but X_val and y_val are passed. Set it to True."
                )
            held_out = self._validation_sample(X, columns, published, validation)
        elif stopping is not None and stopping.fraction is not None:
            rng = np.random.default_rng(split_seed)
            fitted, out = hold_out(y, n, stopping.fraction, "classes_" in published, rng)
            sample, held_out = sample.take(fitted), sample.take(out)
        boosted = before or self._start(columns, sample, loss, max_bins, seed, bin_seed)
        watch = _ScoreWatch(self, stopping, sample, held_out, published, boosted, score_seed)
        boosted = self._boost(boosted, sample, rules, max_iter, tree_seed, watch)
        if self.verbose:
            n_leaves = sum(int(tree.is_leaf.sum()) for tree in boosted.trees.trees)
            print(
                f"Fit {len(boosted.trees)} trees in {perf_counter() - began:.3f} s, "
                f"({n_leaves} total leaves)"
            )
        return self._publish(
            X,
            _boosted=boosted,
            do_early_stopping_=stopping is not None,
            n_iter_=len(boosted.trees) // loss.n_raw,
            n_trees_per_iteration_=loss.n_raw,
            train_score_=np.array(boosted.train_score),
            validation_score_=np.array(boosted.validation_score),
            is_categorical_=columns.mask,
            feature_importances_=_importances(boosted.trees, width),
            n_features_in_=width,
            **published,
        )

    def _rows_to_fit(self, X: Any, max_bins: int) -> tuple[Any, CategoryColumns]:
        """Rows as numbers, and the categories of columns, of which sparse rows have none."""
        if not is_sparse(X):
            columns = find_columns(X, self.categorical_features, max_bins, "max_bins")
            return columns.numbers(X), columns
        rows = DenseBlocks(as_csr(X, finite=False))
        require_no_categories(rows, self.categorical_features)
        return rows, CategoryColumns((None,) * rows.shape[1])

    def _check_warm(self, before: Any, columns: Any, loss: Any, max_iter: int) -> None:
        done = len(before.trees) // before.loss.n_raw
        if max_iter < done:
            raise ValueError(
                f"max_iter must be at least the rounds done already ({done}) with warm_start=True; "
                f"got {max_iter}. Raise max_iter."
            )
        if len(columns.categories) != len(before.columns.categories) or (
            loss.n_raw != before.loss.n_raw
        ):
            raise ValueError(
                "X and y must be those of the fit before with warm_start=True; got other columns "
                "or classes. Set warm_start=False."
            )

    def _validation_sample(
        self, X: Array, columns: CategoryColumns, published: dict[Any, Any], validation: Any
    ) -> _Sample:
        X_val, y_val, weights = validation
        names, val_names = column_names(X), column_names(X_val)
        if names is not None and val_names is not None and names.tolist() != val_names.tolist():
            raise ValueError(
                f"X_val must have the columns of X in the same order, {shown(names.tolist())}; got "
                f"{shown(val_names.tolist())}."
            )
        rows = _rows_of(columns, X_val, "X_val")
        if rows.shape[1] != len(columns.categories):
            raise ValueError(
                f"X_val must have {len(columns.categories)} columns, as X has; got {rows.shape[1]}."
            )
        y = self._later_targets(y_val, len(rows), published)
        return _Sample(rows, y, as_weights(weights, len(rows), name="sample_weight_val"))

    def _start(
        self,
        columns: CategoryColumns,
        sample: _Sample,
        loss: BoostingLoss,
        max_bins: int,
        seed: int,
        bin_seed: np.random.SeedSequence,
    ) -> _Boosted:
        counts = [None if levels is None else len(levels) for levels in columns.categories]
        rng = np.random.default_rng(bin_seed)
        cuts = thresholds_of(sample.X, max_bins, sample.weights, counts, rng, self.n_jobs)
        trees = BoostedTrees(loss.first(sample.y, sample.weights), ())
        return _Boosted(columns, loss, trees, Thresholds.join(cuts), seed, [], [])

    def _boost(
        self,
        boosted: _Boosted,
        sample: _Sample,
        rules: GrowthRules,
        max_iter: int,
        tree_seed: np.random.SeedSequence,
        watch: _ScoreWatch,
    ) -> _Boosted:
        loss, trees = boosted.loss, list(boosted.trees.trees)
        if loss.certain:
            return boosted
        raw = np.ascontiguousarray(boosted.trees.raw(sample.X, self.n_jobs).T)
        coded = encode(sample.X, boosted.thresholds, self.n_jobs)
        rounds = BoostingRounds(
            coded, boosted.thresholds, sample.y, sample.weights, raw, loss, rules, self.n_jobs
        )
        done = len(trees) // loss.n_raw
        seeds = np.random.default_rng(tree_seed).integers(
            2**63, size=(max_iter, loss.n_raw), dtype=np.int64
        )
        for i in range(done, max_iter):
            began = perf_counter()
            new_trees = rounds.round(seeds[i])
            trees += new_trees
            report(i + 1 - done, max_iter - done)
            stop = watch.after(new_trees, raw, trees)
            if self.verbose > 1:
                print(f"[{i + 1}/{max_iter}] {perf_counter() - began:.3f} s")
            if stop:
                break
        return replace(
            boosted,
            trees=BoostedTrees(boosted.trees.first, trees),
            train_score=watch.train,
            validation_score=watch.validation,
        )

    # ------------------------------------------------------------ prediction
    def _raw(self, X: Any) -> Array:
        """Raw predictions (n, n_raw)."""
        if "_boosted" not in self.__dict__:
            raise not_fitted(self)
        rows = _rows_of(self._boosted.columns, X, estimator=self)
        return self._boosted.trees.raw(rows, self.n_jobs)

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        if "_boosted" not in self.__dict__:
            raise not_fitted(self)
        rows = _rows_of(self._boosted.columns, X, estimator=self)
        yield from self._boosted.trees.staged(rows, self.n_jobs)

    def _additive_trees(self) -> AdditiveTrees | None:
        """The raw predictions as a sum of trees; None where there is no tree."""
        if "_boosted" not in self.__dict__:
            raise not_fitted(self)
        trees, rows_of = self._boosted.trees, partial(_rows_of, self._boosted.columns)
        if not len(trees):
            return None
        output = np.arange(len(trees)) % len(trees.first)
        response = "decision_function" if hasattr(self, "classes_") else "raw"
        return AdditiveTrees.of_trees(
            [tree.covered() for tree in trees.trees], partial(rows_of, estimator=self), response,
            first=trees.first, output=output,
        )  # fmt: skip

    def _compute_partial_dependence_recursion(self, grid: Array, target_features: Any) -> Any:
        """Raw predictions minus the first, (n_raw, points), as functions of some columns alone.

        The grid holds values as X does, categories by name.

        Where a tree asks about another column, both ways are taken, weighted by the rows of the
        fit that went there.
        """
        if "_boosted" not in self.__dict__:
            raise not_fitted(self)
        trees, grid = self._boosted.trees, np.asarray(grid)
        columns = [
            self._boosted.columns.column_numbers(values, int(j))
            for values, j in zip(grid.T, target_features, strict=True)
        ]
        coded = np.column_stack(columns)
        out = np.zeros((len(trees.first), len(grid)))
        place = {int(column): k for k, column in enumerate(target_features)}
        for t, tree in enumerate(trees.trees):
            out[t % len(out)] += tree.dependence(coded, place)
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def _rows_of(
    columns: CategoryColumns, X: Any, name: str = "X", estimator: HistBoosting | None = None
) -> Any:
    """Rows as numbers, dense or `DenseBlocks`; with a fitted `estimator`, they have its columns."""
    if not is_sparse(X):
        return columns.numbers(X, estimator)
    if columns.mask is not None:
        require_dense(X, "columns that hold categories", name)
    rows = as_csr(X, name=name, finite=False)
    if estimator is not None:
        require_width(estimator, rows, name)
    return DenseBlocks(rows)


def _importances(trees: BoostedTrees, width: int) -> Array:
    """The shares of the columns in the decrease of the loss."""
    total = np.zeros(width)
    largest = max((tree.unit for tree in trees.trees), default=0)
    for tree in trees.trees:
        column = tree.steps["column"] & np.uint32((1 << 30) - 1)
        inner = ~tree.is_leaf
        gains = np.ldexp(tree.gains[inner], tree.unit - largest)
        total += np.bincount(column[inner], gains, width)
    return total / total.sum() if total.sum() > 0.0 else total


class _ScoreWatch:
    """Scores after each round, and the decision to stop."""

    def __init__(
        self,
        model: HistBoosting,
        rules: StoppingRules | None,
        sample: _Sample,
        held_out: _Sample | None,
        published: dict[str, Array],
        boosted: _Boosted,
        seed: np.random.SeedSequence,
    ) -> None:
        self.model, self.rules, self.published = model, rules, published
        self.boosted, self.held_out = boosted, held_out
        self.train, self.validation = list(boosted.train_score), list(boosted.validation_score)
        if rules is None:
            return
        rng = np.random.default_rng(seed)
        by_loss = rules.scoring == "loss"
        self.rows_scored = slice(None) if by_loss else scored_rows(len(sample.y), rng)
        self.sample = sample if by_loss else sample.take(self.rows_scored)
        jobs = model.n_jobs
        if held_out is not None:
            self.held_out_raw = boosted.trees.raw(held_out.X, jobs)
        if not self.train:
            raw = np.ascontiguousarray(boosted.trees.raw(self.sample.X, jobs).T)
            self._score(raw, list(boosted.trees.trees))

    def after(self, new_trees: list[BoostedTree], raw: Array, trees: list[BoostedTree]) -> bool:
        """Score a round; returns whether to stop."""
        if self.rules is None:
            return False
        if self.held_out is not None:
            BoostedTrees(self.boosted.trees.first, new_trees).add(
                self.held_out.X, self.held_out_raw, 0, len(new_trees), self.model.n_jobs
            )
        self._score(raw[:, self.rows_scored], trees)
        scores = self.train if self.held_out is None else self.validation
        return should_stop(scores, self.rules.patience, self.rules.tol)

    def _score(self, raw: Array, trees: list[BoostedTree]) -> None:
        self.train.append(self._score_of(self.sample, raw, trees))
        if self.held_out is not None:
            self.validation.append(self._score_of(self.held_out, self.held_out_raw.T, trees))

    def _score_of(self, sample: Any, raw: Array, trees: Any) -> float:
        rules: Any = self.rules
        scoring, loss = rules.scoring, self.boosted.loss
        if callable(scoring):
            return self._by_callable(sample, trees)
        if scoring == "loss":
            return -loss.average(sample.y, raw, sample.weights)
        classes = self.published.get("classes_")
        if scoring is None:
            scoring = "r2" if classes is None else "accuracy"
        return score_by_name(scoring, sample, raw, loss, classes)

    def _by_callable(self, sample, trees):
        """The score of the estimator, as fitted so far, by a user's function."""
        trees = BoostedTrees(self.boosted.trees.first, trees)
        so_far = type(self.model)(**self.model.get_params(deep=False))
        columns = CategoryColumns((None,) * sample.X.shape[1])
        published = self.published
        X = sample.X.rows if isinstance(sample.X, DenseBlocks) else sample.X
        so_far._publish(
            X, _boosted=replace(self.boosted, trees=trees, columns=columns), **published
        )
        y = sample.y
        if "classes_" in published:
            y = published["classes_"][y.astype(np.intp)]
        if sample.weights is None:
            return float(self.rules.scoring(so_far, X, y))
        return float(self.rules.scoring(so_far, X, y, sample_weight=sample.weights))
