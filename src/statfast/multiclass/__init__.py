# SPDX-License-Identifier: BSD-3-Clause
"""Several classes by binary learners: reductions, and the code matrices behind them."""

from statfast.multiclass.codes import (
    CodeMatrix,
    exhaustive_code,
    hadamard_code,
    one_vs_one_code,
    one_vs_rest_code,
    random_code,
)
from statfast.multiclass.one_vs_one import OneVsOneClassifier
from statfast.multiclass.one_vs_rest import OneVsRestClassifier
from statfast.multiclass.output_code import OutputCodeClassifier

__all__ = [
    "CodeMatrix",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "exhaustive_code",
    "hadamard_code",
    "one_vs_one_code",
    "one_vs_rest_code",
    "random_code",
]
