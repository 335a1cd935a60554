# SPDX-License-Identifier: BSD-3-Clause
"""What the fuzzer meets and lets pass: each line with its reason."""

import re

# (kind of defect, call, words) as regular expressions -> the reason.
NO_DEFECTS = {
    ("input", r"KMeansStatistics\.partial", ""): "labels are updated in place, as documented",
    ("not finite", r".*\.predict_log_proba", "an infinity"): "log 0 is -inf",
    ("not finite", r"pairwise_distances\w*", "an infinity"): "a distance beyond the largest number",
    ("not finite", r".*\.fit", r"^results_\."): "tables in the making: their NaN is not shown",
    (
        "not finite",
        r"(Select\w+|GenericUnivariateSelect)\.(fit|fit_transform)",
        "scores_|pvalues_",
    ): ("a constant column has no statistic"),
    (
        "not finite",
        r"DummyRegressor\.score|permutation_test_score",
        "",
    ): "one row has no R squared, as a warning says",
    ("not finite", "f_classif|chi2|[fr]_regression", ""): "a constant column has no statistic",
    ("not finite", r"VarianceThreshold\.fit", "variances_"): "a column of NaN has no variance",
    ("not finite", r".*\.leave_one_out", "an infinity"): "a class has no other row: log 0",
    ("state", r".*\.fit_transform", "although it failed"): "the fit did not: rows were refused",
    (
        "state",
        r"(\w*Display|PartialDependence)\.plot",
        "changed its state$",
    ): "where it was drawn last is kept",
    ("state", r".*\.(sparsify|densify)", "changed its state$"): "that is what they are for",
    (
        "leak",
        ".*",
        r"TypeError: (city|product|falling|halves|first_rows|right)\(\) ",
    ): "of the user's function",
    (
        "leak",
        ".*",
        "RGBA (argument|sequence)|'alpha' must be between 0 and 1",
    ): "colors are matplotlib's to judge",
    ("leak", r"ShapExplanation\.to_shap", "ImportError: to_shap needs"): "shap is not there",
    ("warning", ".*", r"at .*tests/fuzz/values.py"): "of the user's function",
}
TABLE = [(*map(re.compile, patterns), reason) for patterns, reason in NO_DEFECTS.items()]


def reason(kind, where, text):
    """Why a defect is none, or None."""
    for kinds, calls, words, why in TABLE:
        if kinds.fullmatch(kind) and calls.fullmatch(where) and words.search(text):
            return why
    return None
