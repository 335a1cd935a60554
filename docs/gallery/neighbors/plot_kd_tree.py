# SPDX-License-Identifier: BSD-3-Clause
"""
How a k-d tree prunes
=====================

A k-d tree halves the samples again and again along one feature. A search goes down to the cell of
the query, and then only into cells that are nearer than the neighbors found so far: here a few of
64.
"""

import matplotlib.pyplot as plt
import numpy as np


def leaves(rows, size, low, high):
    """The cells of a k-d tree: samples, lower and upper corners."""
    if len(rows) <= size:
        return [(rows, low, high)]
    axis = (rows.max(axis=0) - rows.min(axis=0)).argmax()
    rows = rows[rows[:, axis].argsort()]
    cut, half = rows[len(rows) // 2, axis], len(rows) // 2
    end, begin = high.copy(), low.copy()
    end[axis] = begin[axis] = cut
    return leaves(rows[:half], size, low, end) + leaves(rows[half:], size, begin, high)


def searched(cells, query, k):
    """How many samples are compared with a query for its k nearest, the nearest cells first."""
    gaps = [
        (np.maximum(np.maximum(low - query, query - high), 0) ** 2).sum() for _, low, high in cells
    ]
    nearest, visited = np.array([]), []
    for number in np.argsort(gaps, kind="stable"):
        if len(nearest) == k and gaps[number] > nearest[-1]:
            break
        found = ((cells[number][0] - query) ** 2).sum(axis=1)
        nearest = np.sort(np.append(nearest, found))[:k]
        visited.append(number)
    return visited, nearest[-1]


rng = np.random.default_rng(3)
X = np.vstack([rng.normal(0, 0.6, (256, 2)), rng.normal((1.5, 1.2), 0.4, (256, 2))])
cells = leaves(X, 8, X.min(axis=0) - 0.1, X.max(axis=0) + 0.1)
query = np.array([0.7, 0.4])
visited, far = searched(cells, query, 5)

figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for number, (_, low, high) in enumerate(cells):
    color = "#E69F00" if number in visited else "none"
    ax.add_patch(
        plt.Rectangle(
            low, *(high - low), facecolor=color, edgecolor="0.7", linewidth=0.6, alpha=0.5
        )
    )
ax.plot(*X.T, ".", color="0.35", markersize=3)
ax.plot(*query, "o", color="#D55E00", label="query")
ax.add_patch(plt.Circle(query, far**0.5, fill=False, color="#D55E00", label="5th neighbor"))
ax.plot([], [], "s", color="#E69F00", alpha=0.5, label=f"{len(visited)} cells searched")
ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
ax.autoscale_view()
ax.legend(fontsize="small", loc="lower right")

# %%
# With more features the neighbors move away and the cells rule out less. What counts is not the
# number of features but the dimension in which the data lie: on a plane the search stays short.

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
dimensions = (2, 4, 6, 8, 12, 16)
plane = rng.standard_normal((2000, 2))
for name, color in (("uniform", "#0072B2"), ("on a plane", "#009E73")):
    compared = []
    for d in dimensions:
        rows = rng.random((2000, d)) if name == "uniform" else plane @ rng.standard_normal((2, d))
        cells = leaves(rows, 8, rows.min(axis=0), rows.max(axis=0))
        of_queries = [len(searched(cells, row, 5)[0]) / len(cells) for row in rows[::200]]
        compared.append(100 * np.mean(of_queries))
    ax.plot(dimensions, compared, "o-", color=color, label=name)
ax.set(xlabel="features", ylabel="cells searched (%)", ylim=(0, 103))
ax.legend(fontsize="small")

plt.show()
