# SPDX-License-Identifier: BSD-3-Clause
"""Decision regions of 1, 10 and 100 nearest neighbors on a mixture of Gaussians.

The data are those of Hastie, Tibshirani and Friedman, The Elements of Statistical Learning
(section 2.3), where STATFAST_DATA names the folder above ``esl``; they are not part of statfast.
Without them the same is done with a sample of our own from the book's recipe.

    python docs/gallery/mixture.py [picture.png]
"""

import os
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from statfast import KNeighborsClassifier
from statfast.plot import decision_regions

COLORS = ("#0072B2", "#E69F00")
SPREAD = np.sqrt(1 / 5)  # of each of the Gaussians


def book_data():
    """Rows, classes, and the means of the two times ten Gaussians they were drawn from."""
    folder = Path(os.environ.get("STATFAST_DATA", "")) / "esl"
    rows = np.loadtxt(folder / "mixture_train.csv", delimiter=",", skiprows=1)
    means = np.loadtxt(folder / "mixture_means.csv", delimiter=",", skiprows=1)
    return rows[:, :2], rows[:, 2].astype(int), means[:, :2].reshape(2, 10, 2)


def own_data(seed=8):
    """The book's recipe: ten means to a class, then a hundred rows about means drawn at random."""
    rng = np.random.default_rng(seed)
    means = np.array([[[1.0, 0.0]], [[0.0, 1.0]]]) + rng.standard_normal((2, 10, 2))
    y = np.repeat([0, 1], 100)
    X = means[y, rng.integers(0, 10, 200)] + SPREAD * rng.standard_normal((200, 2))
    return X, y, means


def posterior(points, means):
    """The true probability of class 1 (of equally likely classes), and the density."""
    apart = ((points[:, None, None, :] - means) ** 2).sum(axis=-1)
    density = np.exp(-0.5 * apart / SPREAD**2).mean(axis=-1) / (2 * np.pi * SPREAD**2)
    total = density.sum(axis=1)
    return density[:, 1] / np.maximum(total, 1e-300), total / 2


def draw(path):
    """Three panels, from the most flexible to the stiffest."""
    try:
        X, y, means = book_data()
        source = "the mixture of The Elements of Statistical Learning, 200 rows"
    except OSError:
        X, y, means = own_data()
        source = "200 rows from the recipe of The Elements of Statistical Learning"

    # Errors by integration over a grid that holds nearly all of the mass.
    line = np.linspace(-5, 6, 221)
    plane = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    of_one, mass = posterior(plane, means)
    best = np.average(np.minimum(of_one, 1 - of_one), weights=mass)

    figure = Figure(figsize=(12, 4.9), dpi=150, layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    for ax, k in zip(panels, (1, 10, 100), strict=True):
        model = KNeighborsClassifier(k).fit(X, y)
        wrong = np.where(model.predict(plane) == 1, 1 - of_one, of_one)
        training, test = 1 - model.score(X, y), np.average(wrong, weights=mass)
        decision_regions(model, X, y, ax=ax, resolution=400, colors=COLORS)
        across, down = (np.linspace(*ends, 300) for ends in (ax.get_xlim(), ax.get_ylim()))
        true = posterior(np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2), means)[0]
        bayes = ax.contour(
            across, down, true.reshape(300, 300), levels=[0.5], colors="#8E1B5A",
            linestyles="dashed", linewidths=1.6, zorder=2.5,
        )  # fmt: skip
        ax.set_aspect("equal")
        ax.set_title(
            f"k = {k}\ntraining error {100 * training:.1f} %, test error {100 * test:.1f} %",
            fontsize=11,
        )
        ax.set_xlabel("$x_1$")
        ax.tick_params(labelsize=8, color="0.6")
        for spine in ax.spines.values():
            spine.set_color("0.6")
    panels[0].set_ylabel("$x_2$")
    handles, _ = panels[0].get_legend_handles_labels()
    figure.legend(
        [*handles, bayes.legend_elements()[0][0]],
        ["class 0", "class 1", f"Bayes boundary (error {100 * best:.1f} %)"],
        loc="outside lower center", ncols=3, frameon=False, fontsize=10,
    )  # fmt: skip
    figure.suptitle(f"Nearest neighbors: {source}", fontsize=10, color="0.35")
    figure.savefig(path)


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else "mixture.png")
