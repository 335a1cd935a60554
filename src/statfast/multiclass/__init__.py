# SPDX-License-Identifier: BSD-3-Clause
"""Multiclass classification by binary classifiers: reductions, and their code matrices."""

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
__dir__ = __all__.copy  # the names of the module, not the modules in it
