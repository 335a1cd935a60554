# SPDX-License-Identifier: BSD-3-Clause
"""
How bounds speed up k-means
===========================

Lloyd's algorithm compares every sample with every center in every iteration. Hamerly's bounds keep
an upper bound on the distance to the own center and a lower bound on that to all others, widened by
what the centers have moved. A sample whose upper bound is below its lower one cannot change its
cluster: it is not compared at all. Labels are those of Lloyd's algorithm.
"""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
means = rng.uniform(-4, 4, (12, 2))
X = means[rng.integers(12, size=3000)] + 0.5 * rng.standard_normal((3000, 2))
centers = X[:12].copy()
upper, lower = np.full(len(X), np.inf), np.zeros(len(X))
labels = np.zeros(len(X), dtype=int)
undecided, moves, states = [], [], []
for _ in range(40):
    asked = upper > lower
    distances = np.sqrt(((X[asked, None] - centers) ** 2).sum(axis=2))
    labels[asked] = distances.argmin(axis=1)
    upper[asked], lower[asked] = np.partition(distances, 1, axis=1)[:, :2].T
    moved = np.array([X[labels == c].mean(axis=0) for c in range(12)])
    step = np.sqrt(((moved - centers) ** 2).sum(axis=1))
    states.append((asked.copy(), labels.copy(), centers.copy()))
    centers = moved
    upper, lower = upper + step[labels], lower - step.max()
    undecided.append(100 * asked.mean())
    moves.append(step.max())
    if step.max() == 0:
        break

figure, panels = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained", sharey=True)
for ax, number in zip(panels, (1, 5, len(states) - 1), strict=True):
    asked, found, at = states[number]
    ax.plot(*X[~asked].T, ".", color="0.8", markersize=2)
    ax.plot(*X[asked].T, ".", color="#D55E00", markersize=3)
    ax.plot(*at.T, "kX", markersize=6)
    ax.set(title=f"iteration {number + 1}: {undecided[number]:.0f} % compared", xlabel="feature 1")
panels[0].set_ylabel("feature 2")

# %%
# The samples that are still compared lie on the borders, and become fewer as the centers converge.

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.bar(np.arange(1, len(undecided) + 1), undecided, color="#0072B2")
ax.set(xlabel="iteration", ylabel="samples compared (%)", ylim=(0, 103))

plt.show()
