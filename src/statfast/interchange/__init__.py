# SPDX-License-Identifier: BSD-3-Clause
"""Models in and out: files of numbers and text, and fitted models of scikit-learn."""

from statfast.interchange.files.model_file import load, save
from statfast.interchange.scikit_learn.conversion import from_sklearn, to_sklearn

__all__ = ["from_sklearn", "load", "save", "to_sklearn"]
__dir__ = __all__.copy  # the names of the module, not the modules in it
