# SPDX-License-Identifier: BSD-3-Clause
"""
Weights of a linear support vector machine
==========================================

The weights of a linear support vector machine on the pixels of handwritten digits. The l2 penalty
spreads weights over all pixels, the l1 penalty picks some.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LinearSVC
from statfast.datasets import load_digits

digits = load_digits()
X, y = digits.data / 16.0, digits.target
models = {"l2 penalty": LinearSVC(C=0.1), "l1 penalty": LinearSVC(penalty="l1", C=0.1)}

figure = plt.figure(figsize=(10, 3.4), layout="constrained")
for band, (name, model) in zip(figure.subfigures(2, 1), models.items(), strict=True):
    model.fit(X[:1200], y[:1200])
    used = (model.coef_ != 0).mean()
    accuracy = model.score(X[1200:], y[1200:])
    band.suptitle(f"{name}: accuracy {accuracy:.3f}, {used:.0%} of weights not zero", fontsize=10)
    most = np.abs(model.coef_).max()
    panels = band.subplots(1, 10)
    for ax, weights, label in zip(panels, model.coef_, model.classes_, strict=True):
        image = ax.imshow(weights.reshape(8, 8), cmap="RdBu", vmin=-most, vmax=most)
        ax.set_xlabel(label)
        ax.set(xticks=[], yticks=[])
    bar = band.colorbar(image, ax=panels, label="weight", ticks=[-most, 0, most])
    bar.set_ticklabels([f"{-most:.1f}", "0", f"{most:.1f}"])

# %%
# Accuracy and sparsity of the l1 penalty as C grows.

strengths = 10.0 ** np.arange(-2.5, 1.1, 1.0)
fits = [LinearSVC(penalty="l1", C=C).fit(X[:1200], y[:1200]) for C in strengths]
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
accuracies = [fit.score(X[1200:], y[1200:]) for fit in fits]
used = [(fit.coef_ != 0).mean() for fit in fits]
ax.plot(strengths, accuracies, "o-", color="#0072B2", label="accuracy on other digits")
ax.plot(strengths, used, "s--", color="#D55E00", label="fraction of nonzero weights")
ax.set(xscale="log", xlabel="C", ylabel="fraction", ylim=(0, 1.02))
ax.legend(frameon=False, loc="lower right")

plt.show()
