# SPDX-License-Identifier: BSD-3-Clause
"""Linear models."""

from statfast.linear.glm import GeneralizedLinearModel
from statfast.linear.logistic import LogisticRegression

__all__ = ["GeneralizedLinearModel", "LogisticRegression"]
