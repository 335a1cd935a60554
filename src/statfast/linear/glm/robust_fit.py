# SPDX-License-Identifier: BSD-3-Clause
"""Fits whose tables all have a robust covariance: ``fit(cov_type=)``, as statsmodels has it."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import copied
from statfast._typing import Weights
from statfast._validation import as_choice, shape_of, shown
from statfast.linear.glm.influence import usual_lags

COV_TYPES = ("nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC")


def is_robust(cov_type: str, groups: Any, maxlags: int | None) -> bool:
    """Whether another covariance is asked for; checks the arguments."""
    as_choice(cov_type, "cov_type", COV_TYPES)
    if (cov_type == "cluster") != (groups is not None):
        raise ValueError(
            "groups are the labels of clusters, which cov_type='cluster' alone takes, and needs; "
            f"got cov_type={cov_type!r} and groups={shown(groups)}. Pass both, or neither."
        )
    if maxlags is not None and cov_type != "HAC":
        raise ValueError(f"maxlags is of cov_type='HAC'; got cov_type={cov_type!r}. Leave it out.")
    return cov_type != "nonrobust"


def fit_robust(
    model: Any,
    cov_type: str,
    groups: Any,
    maxlags: int | None,
    X: Any,
    y: Any,
    sample_weight: Weights = None,
    **more: Any,
) -> Any:
    """Fit, and let all tables have this covariance of the coefficients."""
    if isinstance(X, Chunks):
        raise ValueError(
            f"cov_type={cov_type!r} reads the rows again beside the fit; got Chunks. Pass an array "
            "or a memory map."
        )
    fitted = copied(model).fit(X, y, sample_weight, **more)
    kind = None if cov_type == "cluster" else cov_type
    rows = {"X": X, "y": y, "sample_weight": sample_weight, **more}
    table = fitted.robust_covariance(kind=kind, groups=groups, maxlags=maxlags, **rows)
    count = 0 if groups is None else len(set(np.asarray(groups).tolist()))
    name = f"{count} clusters" if count else cov_type
    if cov_type == "HAC":
        n = shape_of(y)[0] if shape_of(y) else 1
        name = f"HAC, {usual_lags(n) if maxlags is None else maxlags} lags"
    at = 0

    def robust(result: Any) -> Any:
        nonlocal at  # The coefficients of several models follow each other in the covariance.
        place = slice(at, at + len(result.coef))
        at = place.stop
        robust = table[place, place]
        if isnan(result.df_residual):  # There is no inference, as the weights sum to too little.
            robust = np.full_like(robust, nan)
        changed = replace(result, robust=robust, clusters=count)
        return replace(changed, facts=(*fitted._facts_of(changed), ("Covariance", name)))

    fitted._replace_results(robust)
    known = {name: fitted.__dict__[name] for name in fitted._fitted}
    return model._publish(None, **known, _robust=table)
