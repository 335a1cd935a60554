# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's ``base``, whose names are advice here: the base is ``statfast.Estimator``."""

from statfast._scikit_learn import missing_names

__all__: list[str] = []

__getattr__ = missing_names(__name__)
