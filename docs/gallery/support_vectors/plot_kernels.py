# SPDX-License-Identifier: BSD-3-Clause
"""
Kernel matrices
===============

The matrix of a kernel says which samples it takes for alike. A kernel that suits the classes has
bright squares along the diagonal.
"""

import matplotlib.pyplot as plt

from statfast import SVC
from statfast.datasets import load_iris
from statfast.kernels import RBF, Linear, Spectrum
from statfast.plot import decision_regions, kernel_matrix

iris = load_iris()
kernels = {
    "Linear": Linear().normalize(),
    "RBF, gamma = 0.1": RBF(0.1),
    "RBF, gamma = 5": RBF(5.0),
}
figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for ax, (name, kernel) in zip(panels, kernels.items(), strict=True):
    kernel_matrix(kernel, iris.data, iris.target, ax=ax)
    ax.set_title(name)

# %%
# Decision regions of a support vector classifier with each of them, by two features.

X = iris.data[:, :2]
figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
for ax, (name, kernel) in zip(panels, kernels.items(), strict=True):
    decision_regions(SVC(kernel=kernel).fit(X, iris.target), X, iris.target, ax=ax)
    ax.set(title=name, xlabel="sepal length (cm)", ylabel="sepal width (cm)")
    ax.label_outer()

# %%
# Kernels of strings count common substrings.

words = ["banana", "bandana", "cabana", "havana", "apple", "maple", "staple", "people"]
figure, ax = plt.subplots(figsize=(5.5, 4.4), layout="constrained")
kernel_matrix(Spectrum(2).normalize(), words, ax=ax)
ax.set_xticks(range(len(words)), words, rotation=90)
ax.set_yticks(range(len(words)), words)
ax.set(xlabel="", ylabel="")

plt.show()
