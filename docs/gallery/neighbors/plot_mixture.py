# SPDX-License-Identifier: BSD-3-Clause
"""
Decision regions of nearest neighbors
=====================================

Decision regions of 1, 10 and 100 nearest neighbors on a mixture of Gaussians in two classes, after
section 2.3 of Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*.
"""

# %%
# The data are the book's where the environment variable ``STATFAST_DATA`` names the folder above
# ``esl``; they are not part of statfast. Without them the sample is drawn by the book's recipe.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from statfast import BayesClassifier, KNeighborsClassifier
from statfast.plot import decision_regions

COLORS = ("#0072B2", "#E69F00")
SPREAD = np.sqrt(1 / 5)  # of each of the Gaussians


def book_data():
    """Samples, classes, and the means of the two times ten Gaussians they were drawn from."""
    folder = Path(os.environ.get("STATFAST_DATA", "")) / "esl"
    rows = np.loadtxt(folder / "mixture_train.csv", delimiter=",", skiprows=1)
    means = np.loadtxt(folder / "mixture_means.csv", delimiter=",", skiprows=1)
    return rows[:, :2], rows[:, 2].astype(int), means[:, :2].reshape(2, 10, 2)


def own_data(seed=8):
    """The recipe: ten means to a class, then a hundred samples about means drawn at random."""
    rng = np.random.default_rng(seed)
    means = np.array([[[1.0, 0.0]], [[0.0, 1.0]]]) + rng.standard_normal((2, 10, 2))
    y = np.repeat([0, 1], 100)
    X = means[y, rng.integers(0, 10, 200)] + SPREAD * rng.standard_normal((200, 2))
    return X, y, means


try:
    X, y, means = book_data()
except OSError:
    X, y, means = own_data()

# %%
# As the densities are known, so is the true posterior probability of a class, and with it the Bayes
# error, which no classifier can go below, and the test error of each classifier: sums over a grid
# that holds nearly all of the mass.


def mixture(points, means):
    """The densities of the two classes."""
    apart = ((points[:, None, None, :] - means) ** 2).sum(axis=-1)
    return np.exp(-0.5 * apart / SPREAD**2).mean(axis=-1) / (2 * np.pi * SPREAD**2)


def posterior(points, means):
    """The true probability of class 1 (of equally likely classes), and the density."""
    density = mixture(points, means)
    total = density.sum(axis=1)
    return density[:, 1] / np.maximum(total, 1e-300), total / 2


line = np.linspace(-5, 6, 111)
plane = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
of_one, mass = posterior(plane, means)
best = np.average(np.minimum(of_one, 1 - of_one), weights=mass)
print(f"Bayes error: {best:.3f}")

# %%
# One neighbor makes no error on the samples it was given, and pays for it on new ones; a hundred
# leave a nearly straight boundary, on which half of all samples vote.

bayes = BayesClassifier.of(
    [lambda rows, k=k: np.log(mixture(rows, means)[:, k]) for k in (0, 1)], n_features=2
)
figure, panels = plt.subplots(
    1, 3, figsize=(12, 4.9), dpi=120, sharex=True, sharey=True, layout="constrained"
)
for ax, k in zip(panels, (1, 10, 100), strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    wrong = np.where(model.predict(plane) == 1, 1 - of_one, of_one)
    training, test = 1 - model.score(X, y), np.average(wrong, weights=mass)
    reference = {f"Bayes boundary (error {best:.1%})": bayes}
    decision_regions(model, X, y, ax=ax, resolution=250, colors=COLORS, reference=reference)
    ax.set(aspect="equal", xlabel="$x_1$", ylabel="")
    ax.set_title(f"k = {k}\ntraining error {training:.1%}, test error {test:.1%}", fontsize=11)
panels[0].set_ylabel("$x_2$")
figure.legend(
    *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False
)

plt.show()
