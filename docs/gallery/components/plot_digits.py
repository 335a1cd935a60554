# SPDX-License-Identifier: BSD-3-Clause
"""
Handwritten digits from a few components
========================================

Digits of 64 pixels are a mean and a weighted sum of components. A handful of them shows what digit
it is, with twenty it is hard to see a difference.
"""

import matplotlib.pyplot as plt

from statfast import PCA, reconstruction_errors
from statfast.datasets import load_digits
from statfast.plot import reconstructions

digits = load_digits()
X = digits.data.astype(float)
model = PCA(40).fit(X)

figure, ax = plt.subplots(figsize=(4.6, 6), layout="constrained")
reconstructions(model, X[:8], (8, 8), n_components=(2, 5, 10, 20, 40), ax=ax)

# %%
# The error on digits that were left out falls with the number of components.

errors = reconstruction_errors(X, cv=5).mean[:41]
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(range(41), errors / errors[0], color="#0072B2")
ax.set(xlabel="components", ylabel="error left, on digits left out", ylim=(0, 1.02))

plt.show()
