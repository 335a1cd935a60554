# SPDX-License-Identifier: BSD-3-Clause
"""Several outputs by estimators of one: an estimator for each, or a chain of them."""

from statfast.multioutput.chains import ClassifierChain, RegressorChain
from statfast.multioutput.separate import MultiOutputClassifier, MultiOutputRegressor

__all__ = [
    "ClassifierChain",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "RegressorChain",
]


def __dir__() -> list[str]:
    return __all__
