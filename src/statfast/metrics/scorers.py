# SPDX-License-Identifier: BSD-3-Clause
"""Scorers by their names, which are scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._estimator import RESPONSES, Scorer
from statfast._validation import as_choice, as_flag, did_you_mean, shown, wrong_type
from statfast.metrics.classification.confusion_scores import (
    accuracy_score,
    balanced_accuracy_score,
    matthews_corrcoef,
)
from statfast.metrics.classification.likelihood_ratios import (
    negative_likelihood_ratio,
    positive_likelihood_ratio,
)
from statfast.metrics.classification.set_scores import (
    f1_score,
    jaccard_score,
    precision_score,
    recall_score,
)
from statfast.metrics.classification.top_k import top_k_accuracy_score
from statfast.metrics.clustering.agreement import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from statfast.metrics.clustering.pairs import fowlkes_mallows_score
from statfast.metrics.probability.scores import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    log_loss,
)
from statfast.metrics.ranking.areas import roc_auc_score
from statfast.metrics.ranking.precision_recall import average_precision_score
from statfast.metrics.regression.deviances import mean_gamma_deviance, mean_poisson_deviance
from statfast.metrics.regression.error_means import (
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_log_error,
    median_absolute_error,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from statfast.metrics.regression.explained import (
    d2_absolute_error_score,
    explained_variance_score,
    r2_score,
)


def _equal(y: Any, predicted: Any, classes: Any) -> Any:
    return (np.asarray(y) == predicted).astype(np.float64)


def _squares(y: Any, predicted: Any, classes: Any) -> Any:
    return -((np.asarray(y, dtype=np.float64) - predicted) ** 2)


def _distances(y: Any, predicted: Any, classes: Any) -> Any:
    return -np.abs(np.asarray(y, dtype=np.float64) - predicted)


# The scorers by name: function, response, sign, arguments, and scores of single rows.
_TABLE = {
    "accuracy": (accuracy_score, "predict", 1, {}, _equal),
    "balanced_accuracy": (balanced_accuracy_score, "predict", 1, {}, None),
    "matthews_corrcoef": (matthews_corrcoef, "predict", 1, {}, None),
    "top_k_accuracy": (top_k_accuracy_score, "threshold", 1, {}, None),
    "average_precision": (average_precision_score, "threshold", 1, {}, None),
    "roc_auc": (roc_auc_score, "threshold", 1, {}, None),
    "roc_auc_ovr": (roc_auc_score, "positive", 1, {"multi_class": "ovr"}, None),
    "roc_auc_ovo": (roc_auc_score, "positive", 1, {"multi_class": "ovo"}, None),
    "roc_auc_ovr_weighted": (
        roc_auc_score, "positive", 1, {"multi_class": "ovr", "average": "weighted"}, None,
    ),
    "roc_auc_ovo_weighted": (
        roc_auc_score, "positive", 1, {"multi_class": "ovo", "average": "weighted"}, None,
    ),
    "neg_log_loss": (log_loss, "predict_proba", -1, {}, None),
    "neg_brier_score": (brier_score_loss, "positive", -1, {}, None),
    "d2_log_loss_score": (d2_log_loss_score, "predict_proba", 1, {}, None),
    "d2_brier_score": (d2_brier_score, "positive", 1, {}, None),
    "positive_likelihood_ratio": (positive_likelihood_ratio, "predict", 1, {}, None),
    "neg_negative_likelihood_ratio": (negative_likelihood_ratio, "predict", -1, {}, None),
    "r2": (r2_score, "predict", 1, {}, None),
    "explained_variance": (explained_variance_score, "predict", 1, {}, None),
    "max_error": (max_error, "predict", -1, {}, _distances),
    "neg_max_error": (max_error, "predict", -1, {}, _distances),
    "neg_mean_squared_error": (mean_squared_error, "predict", -1, {}, _squares),
    "neg_root_mean_squared_error": (root_mean_squared_error, "predict", -1, {}, _distances),
    "neg_mean_absolute_error": (mean_absolute_error, "predict", -1, {}, _distances),
    "neg_median_absolute_error": (median_absolute_error, "predict", -1, {}, _distances),
    "neg_mean_squared_log_error": (mean_squared_log_error, "predict", -1, {}, None),
    "neg_root_mean_squared_log_error": (root_mean_squared_log_error, "predict", -1, {}, None),
    "neg_mean_absolute_percentage_error": (
        mean_absolute_percentage_error, "predict", -1, {}, None,
    ),
    "neg_mean_poisson_deviance": (mean_poisson_deviance, "predict", -1, {}, None),
    "neg_mean_gamma_deviance": (mean_gamma_deviance, "predict", -1, {}, None),
    "d2_absolute_error_score": (d2_absolute_error_score, "predict", 1, {}, None),
    **{
        score.__name__: (score, "predict", 1, {}, None)
        for score in (
            rand_score, adjusted_rand_score, mutual_info_score, homogeneity_score,
            normalized_mutual_info_score, adjusted_mutual_info_score, completeness_score,
            v_measure_score, fowlkes_mallows_score,
        )
    },
    **{
        f"{name}{end}": (score, "predict", 1, {"average": average}, None)
        for name, score in (
            ("f1", f1_score), ("precision", precision_score), ("recall", recall_score),
            ("jaccard", jaccard_score),
        )
        for end, average in (
            ("", "binary"), ("_micro", "micro"), ("_macro", "macro"), ("_weighted", "weighted"),
            ("_samples", "samples"),
        )
    },
}  # fmt: skip


def get_scorer_names() -> list[str]:
    """Names that `get_scorer` knows.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> from statfast.metrics import get_scorer_names
    >>> [name for name in get_scorer_names() if "roc" in name]
    ['roc_auc', 'roc_auc_ovo', 'roc_auc_ovo_weighted', 'roc_auc_ovr', 'roc_auc_ovr_weighted']
    """
    return sorted(_TABLE)


def get_scorer(scoring: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return the scorer of a name.

    Parameters
    ----------
    scoring : str or callable
        One of `get_scorer_names`; a callable is returned as it is.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``; greater is better.

    Raises
    ------
    ValueError
        If there is no such name.
    TypeError
        If `scoring` is neither a name nor callable.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.metrics import get_scorer
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5])
    >>> round(get_scorer("neg_mean_squared_error")(model, [[3.0]], [3.5]), 3)
    -0.028
    """
    if callable(scoring):
        return scoring
    if not isinstance(scoring, str):
        raise wrong_type("scoring", "a name or a function of (estimator, X, y)", scoring)
    if scoring not in _TABLE:
        raise ValueError(
            f"scoring must be one of the names of get_scorer_names(); got {shown(scoring)}."
            f"{did_you_mean(scoring, _TABLE)} They are {', '.join(get_scorer_names())}."
        )
    function, response, sign, arguments, each = _TABLE[scoring]
    return Scorer(function, response, sign, dict(arguments), scoring, each)  # type: ignore[arg-type]


def make_scorer(
    score_func: Callable[..., Any],
    *,
    response_method: str | tuple[str, ...] = "predict",
    greater_is_better: bool = True,
    **kwargs: Any,
) -> Callable[..., Any]:
    """Make a scorer from a function of true and predicted values.

    Parameters
    ----------
    score_func : callable
        ``score_func(y, y_pred, **kwargs)``; with weights also ``sample_weight``.
    response_method : str or tuple of str, default="predict"
        What is predicted: "predict", "predict_proba", "decision_function", or a tuple of which the
        first one that an estimator has is asked. Of the probabilities of two classes the function
        gets those of the second, or of ``pos_label`` where `kwargs` name it; decision values have
        their sign changed where that is the first.
    greater_is_better : bool, default=True
        False changes the sign.
    **kwargs : object
        Arguments of `score_func`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``.

    Raises
    ------
    TypeError
        If `score_func` is not callable.
    ValueError
        If `response_method` is none of these.

    Examples
    --------
    >>> from statfast.metrics import fbeta_score, make_scorer
    >>> make_scorer(fbeta_score, beta=2)
    Scorer(fbeta_score)
    """
    if not callable(score_func):
        raise wrong_type("score_func", "a function of (y, y_pred)", score_func)
    if isinstance(response_method, tuple | list):
        response = "threshold" if "decision_function" in response_method else "positive"
        response = "predict" if "predict" in response_method[:1] else response
    else:
        wanted = ("predict", "predict_proba", "decision_function", *RESPONSES[2:])
        as_choice(response_method, "response_method", wanted)
        response = {"decision_function": "threshold", "predict_proba": "positive"}.get(
            response_method, response_method
        )
    sign = 1 if as_flag(greater_is_better, "greater_is_better") else -1
    return Scorer(score_func, response, sign, kwargs)
