# SPDX-License-Identifier: BSD-3-Clause
"""Baselines, under scikit-learn's name of the module: they stand in ``statfast.decision``."""

from statfast._scikit_learn import missing_names
from statfast.decision import DummyClassifier, DummyRegressor

__all__ = ["DummyClassifier", "DummyRegressor"]

__getattr__ = missing_names(__name__)
