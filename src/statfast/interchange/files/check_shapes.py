# SPDX-License-Identifier: BSD-3-Clause
"""Shapes in files: arrays of a model are as wide as its columns, and as long as classes and rows.

A table has the axes of attributes and of fields of records: d columns, K classes, n rows of the
fit; a point is any length, a star any axes before; of several axes those of as many dimensions.
What has other axes, as an attribute of another meaning, or none, is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from statfast._estimator import Estimator
from statfast._validation import is_sparse
from statfast.interchange.files.check_indices import WrongIndex

# Attributes of estimators; "#" is the length of a list, "[]" an item of one.
_ATTRIBUTES = """
_codes n|_curves# d|_densities n|_donors nd|_k_distances n|_knots d.|_means d|_middles# d
_outputs n.|_places# d|_present dn|_projection *d|_projection[] .d|_rare_ones# d|_rows nd
_rule[] K,Kd,Kdd|_splits ..d|_tables# d|_targets n.|bin_edges_ d|categories_# d|center_ d
centroids_ Kd|class_count_ K|class_log_prior_ K|class_prior_ K|cluster_centers_ *d
cluster_centroids_ *d|coef_ *d|components_ *d|data_max_ d|data_min_ d|data_range_ d|deviations_ Kd
feature_all_ d|feature_count_ Kd|feature_importances_ d|feature_log_prob_ Kd|item_biases_ d
item_factors_ d.|knots_# d|lambdas_ d|loadings_ d.|location_ d|max_abs_ d|mean_ d|means_ .d|min_ d
MixedNB.densities_# d|n_bins_ d|n_samples_fit_ n|n_support_ K|negative_outlier_factor_ n
precision_ dd|priors_ K|pvalues_ d|quantiles_ .d|ranking_ d|rate_ Kd|RFE.support_ d
RFECV.support_ d|rotations_# K|scalings_# K|score_coef_ d|scores_ d
SequentialFeatureSelector.support_ d|statistics_ d|support_vectors_ .d|target_mean_ K|theta_ Kd
variances_ d|within_class_std_dev_ d|X_fit_ nd|xbar_ d
"""
# Fields of records, at any depth of an estimator.
_RECORDS = """
BaggingDraws.width d|BayesSums.class_counts K|CalibratedClassifier.classes K
CategoryColumns.categories# d|ClassMoments.means .d|ClassMoments.within dd|ClassScatters.means .d
ClassScatters.scatters .dd|CodeMatrix.matrix K.|ColumnMoments.mean d|ColumnMoments.squares d
CovarianceFactor.matrix dd|EncodedCounts.values# d|Expansion.vectors .d|Extremes.high d
Extremes.low d|FittedCategories.counts# d|FittedCategories.counts[] .K|FittedCategories.logs# d
FittedCategories.logs[] .K|FittedCategories.sizes d|FittedComplement.counts dK
FittedCounts.counts dK|FittedGamma.scale Kd|FittedGamma.shape Kd|FittedKernels.widths Kd
FittedNormal.half Kd|FittedNormal.means Kd|FittedNormal.peaks Kd|FittedNormal.variance Kd
FittedPoisson.rates dK|FittedPresence.counts dK|FittedPresence.ones dK|FittedPresence.zeros dK
ForestTree.gains d|Hashes.directions ..d|HashTables.rows nd|MixedColumns.levels# d|Moments.mean d
MomentsByClass.means .d|MomentsByClass.squares .d|PrecisionFactor.whitener dd
RidgeExpansion.vectors .d|Sums.tables[] dK|Totals.counts d|Totals.sums d|TreeStructure.n_features d
WeightedTree.center .d.
"""
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
AXES = dict(
    entry.split(" ") for entry in (_ATTRIBUTES + _RECORDS).replace("\n", "|").split("|") if entry
)


def _lengths(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, np.ndarray) or is_sparse(value):
        return tuple(value.shape)
    return None


def _places(name: str, value: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name of each array and list in an attribute, with its lengths."""
    lengths = _lengths(value)
    if type(value) is int:
        yield name, (value,)
    elif lengths is not None:
        yield name, lengths
    elif isinstance(value, list | tuple):
        if not hasattr(value, "_fields"):
            yield f"{name}#", (len(value),)
        for item in value:
            yield from _places(f"{name}[]", item)
    elif (
        type(value).__module__.startswith("statfast.")
        and not isinstance(value, Estimator)
        and type(value).__name__ not in _RECORDS_OF_SUBSPACES
    ):
        for field, inner in getattr(value, "__dict__", {}).items():
            yield from _places(f"{type(value).__name__}.{field}", inner)


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
    known: dict[str, int] = {}
    if values.get("n_features_in_") is not None:
        known["d"] = int(values["n_features_in_"])
    classes = values.get("classes_")
    if isinstance(classes, np.ndarray) and classes.ndim == 1:
        known["K"] = len(classes)
    for attribute, value in values.items():
        for place, lengths in _places(attribute, value):
            axes = AXES.get(f"{name}.{place}", AXES.get(place, ""))
            if place != "TreeStructure.n_features" or name != _SUBSPACE_FOREST:
                _compare(place, lengths, axes, known)
    if "d" not in known:
        return
    for member in _members(values) if name not in _OF_OTHER_ROWS else ():
        width = getattr(member, "n_features_in_", None)
        if width is not None and width != known["d"]:
            raise WrongIndex(f"a member answers {width} columns, and the model {known['d']}")
    for places, _ in values.get("_plan", {}).values() if name == "ColumnTransformer" else ():
        if any(not 0 <= place < known["d"] for place in places):
            raise WrongIndex(f"a column is not among {known['d']}")
    shape = values.get("image_shape_")
    if shape is not None and shape[0] * shape[1] != known["d"]:
        raise WrongIndex(f"images of {shape} are not of {known['d']} columns")


def _compare(place: str, lengths: tuple[int, ...], choices: str, known: dict[str, int]) -> None:
    """Refuse lengths of an array that are not those of its axes."""
    axes = choices
    if choices.startswith("*"):
        axes = choices[1:].rjust(len(lengths), ".")
    elif "," in choices:
        axes = next((a for a in choices.split(",") if len(a) == len(lengths)), "")
    if len(axes) != len(lengths):
        return
    for axis, length in zip(axes, lengths, strict=True):
        if axis in known and length != known[axis]:
            what = {"d": "columns", "K": "classes", "n": "rows"}[axis]
            raise WrongIndex(f"{place} has {length} {what}, and the model {known[axis]}")
        if axis == "n":
            known["n"] = length


def _members(values: dict[str, Any]) -> Iterator[Any]:
    """Fitted members that answer the rows of a model."""
    for attribute in _MEMBERS:
        value = values.get(attribute)
        for member in value if isinstance(value, list) else [value]:
            inner = getattr(member, "estimator", None)
            yield inner if attribute == "calibrated_classifiers_" else member
    yield from (step for _, step in (values.get("steps_") or [])[:1])
    yield from (entry[1] for entry in values.get("transformers_") or [] if len(entry) == 2)
