# SPDX-License-Identifier: BSD-3-Clause
"""Mixtures of distributions: densities, and clusters with probabilities."""

from statfast.mixture.gaussian_mixture import GaussianMixture
from statfast.mixture.selection import MixtureChoice, choose_mixture

__all__ = ["GaussianMixture", "MixtureChoice", "choose_mixture"]
