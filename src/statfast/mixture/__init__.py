# SPDX-License-Identifier: BSD-3-Clause
"""Mixtures of distributions: densities, and clusters with probabilities."""

from statfast._scikit_learn import missing_names
from statfast.mixture.gaussian_mixture import GaussianMixture
from statfast.mixture.selection import MixtureChoice, choose_mixture

__all__ = ["GaussianMixture", "MixtureChoice", "choose_mixture"]

__getattr__ = missing_names(__name__)
__dir__ = __all__.copy  # the names of the module, not the modules in it
