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
__dir__ = __all__.copy  # the names of the module, not the modules in it
