# SPDX-License-Identifier: BSD-3-Clause
"""Classes that both libraries have and that are not converted: why, and what to do."""

from __future__ import annotations

from statfast._scikit_learn import ABSENT

_OTHER_FIT = "Fit it with the library that will use it"
_SEARCH = "A search belongs to the program that ran it", "Convert its best_estimator_"
_CHOICE = (
    "All that it learned is which columns are kept",
    "Convert the model that is fitted to these columns",
)
_LABELS = "It has no answer for new rows", "Keep its labels_, an array"
_AGAIN = "A fit is one pass over the rows in either library", _OTHER_FIT
_NEIGHBORS = "Both libraries keep the rows that it was fitted to", "Fit it to those again"
_ITERATES = "Its answers are minima, which both libraries find to a few digits", _OTHER_FIT
_TIES = "The libraries answer ties differently", _OTHER_FIT

# Class: why it is not converted, and what to do.
REASONS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "RandomizedSearchCV",
        ),
        _SEARCH,
    ),
    **dict.fromkeys(("RFECV", "SequentialFeatureSelector"), _CHOICE),
    **dict.fromkeys(("AgglomerativeClustering", "DBSCAN", "HDBSCAN"), _LABELS),
    **dict.fromkeys(("FixedThresholdClassifier", "TunedThresholdClassifierCV"), (
        "Only a threshold is added to a classifier",
        "Convert its estimator_, and compare its scores with the threshold",
    )),
    **dict.fromkeys(
        (
            "DummyClassifier", "DummyRegressor", "EllipticEnvelope", "EmpiricalCovariance",
            "HashingVectorizer", "IncrementalPCA", "KBinsDiscretizer", "KernelCenterer",
            "LedoitWolf", "MinCovDet", "MissingIndicator", "NearestCentroid", "OAS",
            "ShrunkCovariance", "SplineTransformer", "TargetEncoder",
        ),
        _AGAIN,
    ),
    **dict.fromkeys(
        (
            "KNNImputer", "KNeighborsTransformer", "KernelDensity", "LocalOutlierFactor",
            "RadiusNeighborsClassifier", "RadiusNeighborsRegressor", "RadiusNeighborsTransformer",
        ),
        _NEIGHBORS,
    ),
    **dict.fromkeys(("NMF", "PowerTransformer"), _ITERATES),
    **dict.fromkeys(("OutputCodeClassifier", "QuantileTransformer"), _TIES),
    "OneVsOneClassifier": (
        "The first class of a pair is label 1 of its member in statfast, 0 in scikit-learn",
        "Fit it with the library that will use it, or convert its estimators_",
    ),
    **dict.fromkeys(("BisectingKMeans", "MiniBatchKMeans"), (
        "A fit goes on from splits or batches, which the libraries keep in different forms",
        "Take its cluster_centers_, or fit a KMeans that begins at them (init=)",
    )),
    **dict.fromkeys(("ClassifierChain", "RegressorChain"), (
        "What is passed on along the chain is numbered in another way",
        "Convert its estimators_",
    )),
}  # fmt: skip


def refusal(name: str, function: str) -> str:
    """The sentences that refuse a class, by `from_sklearn` or `to_sklearn`."""
    if name in REASONS:
        why, fix = REASONS[name]
        return f"{name} is not converted. {why}. {fix}."
    if function == "to_sklearn":
        return (
            f"{name} is not converted: scikit-learn has no such class. Keep it with statfast.save."
        )
    instead = next((names[name] for names in ABSENT.values() if names.get(name)), "")
    more = f" In its place, {instead}." if instead else ""
    return f"{name} is not converted, as statfast has no such class.{more}"
