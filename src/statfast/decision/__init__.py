# SPDX-License-Identifier: BSD-3-Clause
"""Decisions under uncertainty: posteriors, costs of errors, and the option to decide nothing."""

from statfast.decision.baselines import DummyClassifier, DummyRegressor
from statfast.decision.bayes import BayesClassifier, BayesErrorEstimate
from statfast.decision.cost_sensitive import CostSensitiveClassifier
from statfast.decision.estimates import estimate_probabilities
from statfast.decision.risks import bayes_error, conditional_risk, decide, posteriors

__all__ = [
    "BayesClassifier",
    "BayesErrorEstimate",
    "CostSensitiveClassifier",
    "DummyClassifier",
    "DummyRegressor",
    "bayes_error",
    "conditional_risk",
    "decide",
    "estimate_probabilities",
    "posteriors",
]
__dir__ = __all__.copy  # the names of the module, not the modules in it
