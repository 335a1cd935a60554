# SPDX-License-Identifier: BSD-3-Clause
"""Covariances, under scikit-learn's name of the module: they stand in ``statfast.generative``."""

from statfast._scikit_learn import missing_names
from statfast.generative import ledoit_wolf, oas

__all__ = ["ledoit_wolf", "oas"]

__getattr__ = missing_names(__name__)
