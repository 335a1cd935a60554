# SPDX-License-Identifier: BSD-3-Clause
"""Histogram gradient boosting of both libraries.

Boosted trees of both compare float64 numbers. Trees of statfast have the children of a node side by
side; scikit-learn has columns of categories first.
"""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from statfast import ensemble
from statfast._typing import Array
from statfast._validation import CategoryColumns
from statfast.ensemble.boosting.bins import Thresholds
from statfast.ensemble.boosting.losses import REGRESSION, LogLoss, MultinomialLoss
from statfast.ensemble.boosting.model import _Boosted, _importances
from statfast.ensemble.boosting.trees import (
    CATEGORICAL,
    COLUMN,
    MISSING_LEFT,
    STEP,
    BoostedTree,
    BoostedTrees,
)
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)

CLASSIFIER, REGRESSOR = "HistGradientBoostingClassifier", "HistGradientBoostingRegressor"
WORDS_OF_SET = 8  # of 32 bits, in scikit-learn


# ------------------------------------------------------------------ from scikit-learn
def _order(nodes: Array) -> Array:
    """The nodes of a tree, level by level, the children of a node side by side."""
    order = [0]
    for node in order:
        if not nodes["is_leaf"][node]:
            order += [int(nodes["left"][node]), int(nodes["right"][node])]
    return np.array(order)


def read_boosted_tree(predictor: Any, columns: Array) -> BoostedTree:
    """A tree; `columns` are the columns of X that those of the tree are."""
    order = _order(predictor.nodes)
    nodes = predictor.nodes[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    leaf = nodes["is_leaf"].astype(bool)
    by_set = nodes["is_categorical"].astype(bool) & ~leaf
    steps = np.empty(len(order), STEP)
    steps["threshold"] = np.where(leaf, np.inf, nodes["num_threshold"])
    steps["threshold"][by_set] = np.arange(by_set.sum())
    steps["left"] = np.where(leaf, np.arange(len(order)), place[np.where(leaf, 0, nodes["left"])])
    marks = np.where(leaf, 0, columns[np.where(leaf, 0, nodes["feature_idx"])]).astype(np.uint32)
    marks |= np.where(leaf | nodes["missing_go_to_left"].astype(bool), MISSING_LEFT, np.uint32(0))
    marks |= np.where(by_set, CATEGORICAL, np.uint32(0))
    steps["column"] = marks
    words = np.asarray(predictor.raw_left_cat_bitsets)[nodes["bitset_idx"][by_set]]
    sets = words.astype(np.uint64)[:, ::2] | (words.astype(np.uint64)[:, 1::2] << np.uint64(32))
    return BoostedTree(
        steps, nodes["value"].copy(), sets.reshape(-1, 4), nodes["count"].astype(np.int64),
        nodes["gain"].clip(0.0), 0,
    )  # fmt: skip


def _categories(model: Any) -> tuple[CategoryColumns, Array]:
    """The categories of columns, and the columns in the order of scikit-learn's trees."""
    p, mask = model.n_features_in_, model.is_categorical_
    if mask is None or getattr(model, "_preprocessor", None) is None:
        return CategoryColumns((None,) * p), np.arange(p)
    levels: list[Any] = [None] * p
    encoder = model._preprocessor.named_transformers_["encoder"]
    for j, categories in zip(np.flatnonzero(mask), encoder.categories_, strict=True):
        known = [c for c in categories if c is not None and c == c]  # missing is none
        levels[j] = np.array(known, dtype=categories.dtype)
    return CategoryColumns(tuple(levels)), np.r_[np.flatnonzero(mask), np.flatnonzero(~mask)]


def read_boosting(model: Any) -> Any:
    """Histogram gradient boosting."""
    name = type(model).__name__
    columns, order = _categories(model)
    trees = [read_boosted_tree(tree, order) for row in model._predictors for tree in row]
    first = np.ravel(model._baseline_prediction).astype(np.float64)
    learned: dict[str, Any] = {}
    if name == CLASSIFIER:
        learned["classes_"] = model.classes_
        n_classes = len(model.classes_)
        loss: Any = LogLoss() if n_classes == 2 else MultinomialLoss(n_classes=n_classes)
    else:
        loss = REGRESSION[model.loss](quantile=0.5 if model.quantile is None else model.quantile)
    boosted = BoostedTrees(first, trees)
    nothing = Thresholds.join([np.empty(0)] * model.n_features_in_)
    return statfast_model(
        getattr(ensemble, name), model, parameters={"warm_start": False},
        _boosted=_Boosted(columns, loss, boosted, nothing, 0, [], []),
        do_early_stopping_=model.do_early_stopping_, n_iter_=model.n_iter_,
        n_trees_per_iteration_=model.n_trees_per_iteration_,
        train_score_=np.asarray(model.train_score_),
        validation_score_=np.asarray(model.validation_score_), is_categorical_=columns.mask,
        feature_importances_=_importances(boosted, model.n_features_in_), **learned,
    )  # fmt: skip


# ------------------------------------------------------------------ to scikit-learn
def write_boosted_tree(tree: BoostedTree, kind: Any, dtype: Any, place: Array) -> Any:
    """A predictor of scikit-learn of the nodes of a tree; `place` has the columns of its trees."""
    m, leaf = len(tree.steps), tree.is_leaf
    nodes = np.zeros(m, dtype)
    depth = np.zeros(m, np.int64)
    left = np.where(leaf, 0, tree.steps["left"]).astype(np.int64)
    for node in np.flatnonzero(~leaf).tolist():
        depth[left[node]] = depth[left[node] + 1] = depth[node] + 1
    marks = tree.steps["column"]
    by_set = ((marks & CATEGORICAL) > 0) & ~leaf
    columns = {
        "value": tree.values, "count": tree.counts,
        "feature_idx": np.where(leaf, 0, place[np.where(leaf, 0, marks & COLUMN)]),
        "is_categorical": by_set, "bitset_idx": np.where(by_set, np.cumsum(by_set) - 1, 0),
        "num_threshold": np.where(leaf | by_set, 0.0, tree.steps["threshold"]),
        "missing_go_to_left": (marks & MISSING_LEFT) > 0, "left": left,
        "right": np.where(leaf, 0, left + 1), "gain": np.ldexp(tree.gains, tree.unit),
        "depth": depth, "is_leaf": leaf,
    }  # fmt: skip
    for name, values in columns.items():
        nodes[name] = values
    numbers = tree.sets[tree.steps["threshold"][by_set].astype(np.int64)]
    sets = np.empty((len(numbers), WORDS_OF_SET), np.uint32)
    sets[:, ::2] = numbers & np.uint64(0xFFFFFFFF)
    sets[:, 1::2] = numbers >> np.uint64(32)
    return kind(nodes, sets, sets.copy())


def _preprocessor(model: Any, mask: Array, levels: list[Array]) -> Any:
    """What scikit-learn has before its trees: codes of categories, and the other columns."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
    from sklearn.utils import check_array

    finite = "ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else (
        "force_all_finite"  # until 1.5
    )  # fmt: skip
    numbers = FunctionTransformer(partial(check_array, dtype=[np.float64], **{finite: False}))
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan,
        dtype=np.float64,
    )  # fmt: skip
    made = ColumnTransformer([("encoder", codes, mask), ("numerical", numbers, ~mask)])
    made.set_output(transform="default")
    n = max(max(map(len, levels)), 1)
    columns: list[Any] = [np.zeros(n)] * len(mask)
    for j, values in zip(np.flatnonzero(mask), levels, strict=True):
        columns[j] = np.resize(values, n) if len(values) else np.full(n, np.nan)
    if hasattr(model, "feature_names_in_"):
        import pandas

        return made.fit(pandas.DataFrame(dict(zip(model.feature_names_in_, columns, strict=True))))
    kinds = {column.dtype.kind for column in columns}
    table = np.empty((n, len(mask)), dtype=np.float64 if kinds <= set("biuf") else object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return made.fit(table)


def _level_array(levels: Any) -> Array:
    """Categories as numbers where they are."""
    kinds = {type(value) for value in levels.tolist()}
    return levels.astype(np.float64) if kinds <= {bool, int, float} else levels


def write_boosting(model: Any) -> Any:
    """Histogram gradient boosting."""
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    name, boosted = type(model).__name__, model._boosted
    require(
        not (name == CLASSIFIER and (model.loss != "log_loss" or boosted.loss.certain)), model,
        "of one class, or with the exponential loss,", "Fit it with loss='log_loss'.",
    )  # fmt: skip
    n_raw, p = boosted.loss.n_raw, model.n_features_in_
    mask = np.zeros(p, bool) if model.is_categorical_ is None else np.asarray(model.is_categorical_)
    place = np.empty(p, np.int64)  # columns of categories are the first there
    place[np.r_[np.flatnonzero(mask), np.flatnonzero(~mask)]] = np.arange(p)
    predictors = [
        write_boosted_tree(tree, TreePredictor, PREDICTOR_RECORD_DTYPE, place)
        for tree in boosted.trees.trees
    ]
    levels = [_level_array(boosted.columns.categories[j]) for j in np.flatnonzero(mask)]
    mapper = _BinMapper()
    mapper.is_categorical_ = (np.arange(p) < mask.sum()).astype(np.uint8)
    mapper.bin_thresholds_ = [np.empty(0)] * p
    mapper.bin_thresholds_[: len(levels)] = [np.arange(float(len(v))) for v in levels]
    learned: dict[str, Any] = {
        "_baseline_prediction": boosted.trees.first[None, :].copy(),
        "_predictors": [predictors[i : i + n_raw] for i in range(0, len(predictors), n_raw)],
        "_bin_mapper": mapper, "n_trees_per_iteration_": n_raw, "is_categorical_": None,
        "_is_categorical_remapped": None, "_preprocessor": None, "_n_features": p,
        "do_early_stopping_": model.do_early_stopping_, "train_score_": model.train_score_,
        "validation_score_": model.validation_score_,
    }  # fmt: skip
    parameters = {"categorical_features": None}
    if mask.any():
        learned |= {
            "is_categorical_": mask, "_is_categorical_remapped": np.arange(p) < mask.sum(),
            "_preprocessor": _preprocessor(model, mask, levels),
        }  # fmt: skip
        parameters = {}
    if name == CLASSIFIER:
        learned["classes_"] = model.classes_
    made = sklearn_model("ensemble", name, model, parameters=parameters, **learned)
    made._loss = made._get_loss(sample_weight=None)
    return made


CONVERSIONS_BY_CLASS = dict.fromkeys((CLASSIFIER, REGRESSOR), (read_boosting, write_boosting))
