# SPDX-License-Identifier: BSD-3-Clause
"""Shapes in files: arrays of a model are as wide as its columns, and as long as classes and rows.

Tables say which attributes of estimators, and which fields of records at any depth of them, have
an axis of columns of X, of classes, or of rows of the fit. What stands in none of them is not
compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import EllipsisType
from typing import Any

import numpy as np

from statfast._estimator import Estimator
from statfast._validation import is_sparse
from statfast.interchange.files.check_indices import WrongIndex

# What the axes count: "columns", "classes" or "rows"; None is any length, ... any axes before.
Shape = tuple[str | EllipsisType | None, ...]

# Arrays of each shape. A name after a class and a dot is a field of a record, or an attribute of
# that estimator alone. A whole number counts what an axis does.
ARRAYS: dict[Shape, str] = {
    ("columns",): """
        _means bin_edges_ center_ data_max_ data_min_ data_range_ feature_all_
        feature_importances_ item_biases_ lambdas_ location_ max_abs_ mean_ min_ n_bins_ pvalues_
        ranking_ score_coef_ scores_ statistics_ variances_ within_class_std_dev_ xbar_
        RFE.support_ RFECV.support_ SequentialFeatureSelector.support_
        BaggingDraws.width ColumnMoments.mean ColumnMoments.squares Extremes.high Extremes.low
        FittedCategories.sizes ForestTree.gains Moments.mean Totals.counts Totals.sums
        TreeStructure.n_features
    """,
    ("columns", None): "_knots item_factors_ loadings_",
    ("columns", "columns"): """
        precision_ ClassMoments.within CovarianceFactor.matrix PrecisionFactor.whitener
    """,
    ("columns", "classes"): """
        FittedComplement.counts FittedCounts.counts FittedPoisson.rates FittedPresence.counts
        FittedPresence.ones FittedPresence.zeros
    """,
    ("columns", "rows"): "_present",
    ("classes",): """
        class_count_ class_log_prior_ class_prior_ n_support_ priors_ target_mean_
        BayesSums.class_counts CalibratedClassifier.classes
    """,
    ("classes", None): "CodeMatrix.matrix",
    ("classes", "columns"): """
        centroids_ deviations_ feature_count_ feature_log_prob_ rate_ theta_
        FittedGamma.scale FittedGamma.shape FittedKernels.widths FittedNormal.half
        FittedNormal.means FittedNormal.peaks FittedNormal.variance
    """,
    ("rows",): "_codes _densities _k_distances n_samples_fit_ negative_outlier_factor_",
    ("rows", None): "_outputs _targets",
    ("rows", "columns"): "_donors _rows X_fit_ HashTables.rows",
    (None, "columns"): """
        means_ quantiles_ support_vectors_
        ClassMoments.means ClassScatters.means Expansion.vectors MomentsByClass.means
        MomentsByClass.squares RidgeExpansion.vectors
    """,
    (None, None, "columns"): "_splits Hashes.directions",
    (None, "columns", None): "WeightedTree.center",
    (None, "columns", "columns"): "ClassScatters.scatters",
    (..., "columns"): "_projection cluster_centers_ cluster_centroids_ coef_ components_",
}  # fmt: skip
# Lists and tuples that have an entry for each column or class.
LISTS: dict[Shape, str] = {
    ("columns",): """
        _curves _middles _places _rare_ones _tables categories_ knots_ MixedNB.densities_
        CategoryColumns.categories EncodedCounts.values FittedCategories.counts
        FittedCategories.logs MixedColumns.levels
    """,
    ("classes",): "rotations_ scalings_",
}
# Arrays in lists and tuples. Of several shapes of a name, that of as many axes counts.
ENTRIES: dict[Shape, str] = {
    ("classes",): "_rule",
    ("classes", "columns"): "_rule",
    ("classes", "columns", "columns"): "_rule",
    ("columns", "classes"): "Sums.tables",
    (None, "columns"): "_projection",
    (None, "classes"): "FittedCategories.counts FittedCategories.logs",
}
# Members that answer the same rows, if they know a number of columns.
_MEMBERS = (
    "best_estimator_", "calibrated_classifiers_", "densities_", "estimator_", "estimators_",
    "regressor_", "_models",
)  # fmt: skip
_OF_OTHER_ROWS = (  # whose members answer others
    "ClassifierChain", "RFE", "RFECV", "RegressorChain", "SequentialFeatureSelector",
)  # fmt: skip
_SUBSPACE_FOREST = "IsolationForest"
_RECORDS_OF_SUBSPACES = ("FittedMixed", "MixedDensity", "SideSums")  # records whose parts are so


def _shapes_by_name(table: dict[Shape, str]) -> dict[str, list[Shape]]:
    shapes: dict[str, list[Shape]] = defaultdict(list)
    for shape, names in table.items():
        for name in names.split():
            shapes[name].append(shape)
    return dict(shapes)


_SHAPES_OF_ARRAYS, _SHAPES_OF_LISTS, _SHAPES_OF_ENTRIES = map(
    _shapes_by_name, (ARRAYS, LISTS, ENTRIES)
)


def _lengths(value: Any) -> tuple[int, ...] | None:
    if type(value) is int:
        return (value,)
    if isinstance(value, np.ndarray) or is_sparse(value):
        return tuple(value.shape)
    return None


# What is compared: the shapes of names, the name, and the lengths that it has.
_Part = tuple[dict[str, list[Shape]], str, tuple[int, ...]]


def _parts(name: str, value: Any, depth: int = 0) -> Iterator[_Part]:
    """Each array, list and number of an attribute, and of the fields of records in it."""
    lengths = _lengths(value)
    if lengths is not None:
        if depth < 2:
            yield (_SHAPES_OF_ARRAYS, _SHAPES_OF_ENTRIES)[depth], name, lengths
    elif isinstance(value, list | tuple):
        if depth == 0 and not hasattr(value, "_fields"):
            yield _SHAPES_OF_LISTS, name, (len(value),)
        for entry in value:
            yield from _parts(name, entry, depth + 1)
    elif (
        type(value).__module__.startswith("statfast.")
        and not isinstance(value, Estimator)
        and type(value).__name__ not in _RECORDS_OF_SUBSPACES
    ):
        for field, inner in getattr(value, "__dict__", {}).items():
            yield from _parts(f"{type(value).__name__}.{field}", inner)


def check_shapes(name: str, values: dict[str, Any]) -> None:
    """Compare arrays of a model with the numbers of its columns and classes, and each other.

    Parameters
    ----------
    name : str
        The class of the estimator.
    values : dict
        Its attributes.

    Raises
    ------
    WrongIndex
        If two do not fit.
    """
    known: dict[Any, int] = {}
    if values.get("n_features_in_") is not None:
        known["columns"] = int(values["n_features_in_"])
    classes = values.get("classes_")
    if isinstance(classes, np.ndarray) and classes.ndim == 1:
        known["classes"] = len(classes)
    for attribute, value in values.items():
        for shapes, part, lengths in _parts(attribute, value):
            if part != "TreeStructure.n_features" or name != _SUBSPACE_FOREST:
                _compare(part, lengths, shapes.get(f"{name}.{part}", shapes.get(part, [])), known)
    if "columns" in known:
        _check_members(name, values, known["columns"])


def _compare(
    name: str, lengths: tuple[int, ...], shapes: list[Shape], known: dict[Any, int]
) -> None:
    """Refuse lengths that are not those of the shape with as many axes."""
    for shape in shapes:
        axes = shape
        if shape[0] is ...:
            axes = (None,) * (len(lengths) - len(shape) + 1) + shape[1:]
        if len(axes) != len(lengths):
            continue
        for axis, length in zip(axes, lengths, strict=True):
            if axis in known and length != known[axis]:
                raise WrongIndex(f"{name} has {length} {axis}, and the model {known[axis]}")
            if axis == "rows":
                known["rows"] = length


def _check_members(name: str, values: dict[str, Any], n_columns: int) -> None:
    """Compare what members of a model and its parts say of columns with the number of them."""
    for member in _members(values) if name not in _OF_OTHER_ROWS else ():
        width = getattr(member, "n_features_in_", None)
        if width is not None and width != n_columns:
            raise WrongIndex(f"a member answers {width} columns, and the model {n_columns}")
    for places, _ in values.get("_plan", {}).values() if name == "ColumnTransformer" else ():
        if any(not 0 <= place < n_columns for place in places):
            raise WrongIndex(f"a column is not among {n_columns}")
    shape = values.get("image_shape_")
    if shape is not None and shape[0] * shape[1] != n_columns:
        raise WrongIndex(f"images of {shape} are not of {n_columns} columns")


def _members(values: dict[str, Any]) -> Iterator[Any]:
    """Fitted members that answer the rows of a model."""
    for attribute in _MEMBERS:
        value = values.get(attribute)
        for member in value if isinstance(value, list) else [value]:
            inner = getattr(member, "estimator", None)
            yield inner if attribute == "calibrated_classifiers_" else member
    yield from (step for _, step in (values.get("steps_") or [])[:1])
    yield from (entry[1] for entry in values.get("transformers_") or [] if len(entry) == 2)
