# SPDX-License-Identifier: BSD-3-Clause
"""Levels of parameters that are not declared yet."""

import re

import numpy as np

from tests.fuzz import values
from tests.pairs.exceptions import values_of as these

PENALTIES = these(1.0, 0.1, 10.0)
KERNELS = these("rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed")
KERNELS["callable"] = lambda _: values.product
BY_NAME = {
    "alpha": PENALTIES,
    "alphas": {"three": lambda _: [0.1, 1.0, 10.0], "a number": lambda _: 10},
    "Cs": {"two": lambda _: [0.1, 1.0], "a number": lambda _: 3},
    "l1_ratios": {"l2": lambda _: (0.0,), "three": lambda _: [0.0, 0.5, 1.0]},
    "l1_ratio": these(0.5, 0.1, 1.0),
    "reject": these(None, 0.3),
    "refit": these(True, False),
    "error_score": these("raise", np.nan),
    "gamma": these("scale", "auto", 0.3),
    "degree": these(3, 2),
    "coef0": these(0.0, 1.0),
    "time_limit": these(None, 60.0),
    "cache_size": these(None, 1.0),
    "dual": these("auto", True, False),
    "n_components": these(None, 2, 1),
    "theta": these(None, 2.0),
    "kernel": KERNELS,
    "y_min": these(None, 2.0),
    "y_max": these(None, 7.0),
    "power": {},
}
BY_ESTIMATOR = {
    ("LogisticRegression", "C"): these(1.0, 0.01, np.inf),
    ("LogisticRegression", "l1_ratio"): these(0.0, 0.5, 1.0),
    ("GeneralizedLinearModel", "family"): these("gaussian", "binomial", "poisson", "gamma",
                                                "inverse_gaussian", "negative_binomial", "quasi",
                                                "quasibinomial", "quasipoisson", "tweedie"),
    ("GeneralizedLinearModel", "link"): these(None, "log", "identity", "sqrt", "probit"),
    ("GeneralizedLinearModel", "power"): these(None, 1.5),
    ("TweedieRegressor", "power"): these(0.0, 1.5, 2, 3),
    ("TweedieRegressor", "link"): these("auto", "log", "identity"),
    ("HuberRegressor", "alpha"): these(0.0001, 0.1),
    ("HuberRegressor", "epsilon"): these(1.35, 3.0),
    ("LinearSVC", "C"): PENALTIES,
    ("NuSVC", "nu"): these(0.3, 0.1),
    ("Ridge", "alpha"): PENALTIES,
    ("CalibratedClassifierCV", "ensemble"): these("auto", True, False),
    ("IsotonicRegression", "out_of_bounds"): these("clip", "nan", "raise"),
}  # fmt: skip


def documented(parameter):
    """Values that the documented type names, the default first."""
    default, kind = parameter.default, parameter.type
    braces = re.search(r"\{(.*?)\}", kind)
    words = re.findall(r'"([^"]+)"', braces[1]) if braces else ()
    if not parameter.required:
        yield default
    if isinstance(default, bool) or "bool" in kind:
        yield from (False, True)
    elif words:
        yield from words
    elif kind.startswith("str"):
        yield from parameter.words
    elif parameter.name in values.COSTLY:
        yield from values.COSTLY[parameter.name]
    elif "float" in kind:
        near = default if isinstance(default, int | float) and default else 1.0
        yield from (near / 2, near * 2) if np.isfinite(near) else (1.0, 0.1)
    elif "int" in kind:
        yield from (1, 2, 3)
