# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression on a kernel, under scikit-learn's name: see ``statfast.svm``."""

from statfast._scikit_learn import missing_names
from statfast.svm import KernelRidge

__all__ = ["KernelRidge"]

__getattr__ = missing_names(__name__)
