# SPDX-License-Identifier: BSD-3-Clause
"""
Gaussian mixtures
=================

Three species of iris as components of a normal mixture, found without their names, and how many
components and which covariances Schwarz's criterion prefers.
"""

import matplotlib.pyplot as plt

from statfast import GaussianMixture, choose_mixture
from statfast.datasets import load_iris
from statfast.plot import density_contours

X = load_iris().data[:, 2:]
model = GaussianMixture(3, n_init=5, random_state=0).fit(X)
choice = choose_mixture(
    X, n_components=range(1, 7), covariance_types=["EII", "EEE", "VEV", "VVV"], random_state=0
)
print(choice)

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
density_contours(model, X, ax=panels[0])
panels[0].set_xlabel("petal length")
panels[0].set_ylabel("petal width")
choice.plot(ax=panels[1])

plt.show()
