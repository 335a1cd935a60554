# SPDX-License-Identifier: BSD-3-Clause
"""Covariances, under scikit-learn's name of the module: they stand in ``statfast.generative``."""

from statfast._scikit_learn import missing_names
from statfast.generative import (
    OAS,
    EllipticEnvelope,
    EmpiricalCovariance,
    LedoitWolf,
    MinCovDet,
    ShrunkCovariance,
    empirical_covariance,
    fast_mcd,
    ledoit_wolf,
    ledoit_wolf_shrinkage,
    log_likelihood,
    oas,
    shrunk_covariance,
)

__all__ = [
    "OAS",
    "EllipticEnvelope",
    "EmpiricalCovariance",
    "LedoitWolf",
    "MinCovDet",
    "ShrunkCovariance",
    "empirical_covariance",
    "fast_mcd",
    "ledoit_wolf",
    "ledoit_wolf_shrinkage",
    "log_likelihood",
    "oas",
    "shrunk_covariance",
]

__getattr__ = missing_names(__name__)
