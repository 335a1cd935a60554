# SPDX-License-Identifier: BSD-3-Clause
"""Linear models."""

from statfast.linear.glm import GeneralizedLinearModel
from statfast.linear.logistic import LogisticRegression
from statfast.linear.selection import StepResult, anova, drop1, step

__all__ = [
    "GeneralizedLinearModel",
    "LogisticRegression",
    "StepResult",
    "anova",
    "drop1",
    "step",
]
