# SPDX-License-Identifier: BSD-3-Clause
"""Nothing of scikit-learn's ``feature_extraction.image`` is here: asking says what to use."""

from statfast._scikit_learn import missing_names

__all__: list[str] = []

__getattr__ = missing_names(__name__)
