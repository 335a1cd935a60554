# SPDX-License-Identifier: BSD-3-Clause
"""
A density as a surface, and its contours
========================================

The density of two columns is a surface over the plane. Contours are its level lines: of a normal
distribution ellipses, which hold a given probability; of a mixture what its components add up to.
"""

import matplotlib.pyplot as plt

from statfast import GaussianMixture, MultivariateNormal
from statfast.datasets import load_iris
from statfast.plot import density_contours, density_surface

X = load_iris().data[:, 2:]
models = {
    "One normal distribution": MultivariateNormal().fit(X),
    "A mixture of three": GaussianMixture(3, n_init=5, random_state=0).fit(X),
}
figure, panels = plt.subplots(2, 2, figsize=(10.5, 8), layout="constrained")
for (left, right), (name, model) in zip(panels, models.items(), strict=True):
    surface = density_surface(model, X, ax=left)
    surface.ax_.set(title=name, xlabel="petal length", ylabel="petal width")
    density_contours(model, X, ax=right)
    right.set(xlabel="petal length (cm)", ylabel="petal width (cm)")

plt.show()
