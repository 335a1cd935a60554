# SPDX-License-Identifier: BSD-3-Clause
"""Shapes in files: arrays of a model are as wide as its columns, and as long as classes and rows.

A table has the axes of attributes and of fields of records: p columns, K classes, n rows of the
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
_codes n|_curves# p|_densities n|_donors np|_k_distances n|_knots p.|_means p|_middles# p
_outputs n.|_places# p|_present pn|_projection *p|_projection[] .p|_rare_ones# p|_rows np
_rule[] K,Kp,Kpp|_splits ..p|_tables# p|_targets n.|bin_edges_ p|categories_# p|center_ p
centroids_ Kp|class_count_ K|class_log_prior_ K|class_prior_ K|cluster_centers_ *p
cluster_centroids_ *p|coef_ *p|components_ *p|data_max_ p|data_min_ p|data_range_ p|deviations_ Kp
feature_all_ p|feature_count_ Kp|feature_importances_ p|feature_log_prob_ Kp|item_biases_ p
item_factors_ p.|knots_# p|lambdas_ p|loadings_ p.|location_ p|max_abs_ p|mean_ p|means_ .p|min_ p
MixedNB.densities_# p|n_bins_ p|n_samples_fit_ n|n_support_ K|negative_outlier_factor_ n
precision_ pp|priors_ K|pvalues_ p|quantiles_ .p|ranking_ p|rate_ Kp|RFE.support_ p
RFECV.support_ p|rotations_# K|scalings_# K|score_coef_ p|scores_ p
SequentialFeatureSelector.support_ p|statistics_ p|support_vectors_ .p|target_mean_ K|theta_ Kp
variances_ p|within_class_std_dev_ p|X_fit_ np|xbar_ p
"""
# Fields of records, at any depth of an estimator.
_RECORDS = """
BaggingDraws.width p|BayesSums.class_counts K|CalibratedClassifier.classes K
CategoryColumns.categories# p|ClassMoments.means .p|ClassMoments.within pp|ClassScatters.means .p
ClassScatters.scatters .pp|CodeMatrix.matrix K.|ColumnMoments.mean p|ColumnMoments.squares p
CovarianceFactor.matrix pp|EncodedCounts.values# p|Expansion.vectors .p|Extremes.high p
Extremes.low p|FittedCategories.counts# p|FittedCategories.counts[] .K|FittedCategories.logs# p
FittedCategories.logs[] .K|FittedCategories.sizes p|FittedComplement.counts pK
FittedCounts.counts pK|FittedGamma.scale Kp|FittedGamma.shape Kp|FittedKernels.widths Kp
FittedNormal.half Kp|FittedNormal.means Kp|FittedNormal.peaks Kp|FittedNormal.variance Kp
FittedPoisson.rates pK|FittedPresence.counts pK|FittedPresence.ones pK|FittedPresence.zeros pK
ForestTree.gains p|Hashes.directions ..p|HashTables.rows np|MixedColumns.levels# p|Moments.mean p
MomentsByClass.means .p|MomentsByClass.squares .p|PrecisionFactor.whitener pp
RidgeExpansion.vectors .p|Sums.tables[] pK|Totals.counts p|Totals.sums p|TreeStructure.n_features p
WeightedTree.center .p.
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
        known["p"] = int(values["n_features_in_"])
    classes = values.get("classes_")
    if isinstance(classes, np.ndarray) and classes.ndim == 1:
        known["K"] = len(classes)
    for attribute, value in values.items():
        for place, lengths in _places(attribute, value):
            axes = AXES.get(f"{name}.{place}", AXES.get(place, ""))
            if place != "TreeStructure.n_features" or name != _SUBSPACE_FOREST:
                _compare(place, lengths, axes, known)
    if "p" not in known:
        return
    for member in _members(values) if name not in _OF_OTHER_ROWS else ():
        width = getattr(member, "n_features_in_", None)
        if width is not None and width != known["p"]:
            raise WrongIndex(f"a member answers {width} columns, and the model {known['d']}")
    for places, _ in values.get("_plan", {}).values() if name == "ColumnTransformer" else ():
        if any(not 0 <= place < known["p"] for place in places):
            raise WrongIndex(f"a column is not among {known['d']}")
    shape = values.get("image_shape_")
    if shape is not None and shape[0] * shape[1] != known["p"]:
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
            what = {"p": "columns", "K": "classes", "n": "rows"}[axis]
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
