# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes, under scikit-learn's name of the module: they stand in ``statfast.generative``."""

from statfast._scikit_learn import missing_names
from statfast.generative import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]

__getattr__ = missing_names(__name__)
