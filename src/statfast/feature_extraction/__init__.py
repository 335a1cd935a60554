# SPDX-License-Identifier: BSD-3-Clause
"""What scikit-learn's ``feature_extraction`` has that is here: ``text``."""

from statfast._scikit_learn import missing_names
from statfast.feature_extraction import image as image
from statfast.feature_extraction import text as text

__all__: list[str] = []

__getattr__ = missing_names(__name__)
