# SPDX-License-Identifier: BSD-3-Clause
"""
Rows in parts: one round over files or workers
==============================================

Rows that lie in files or on a cluster are in parts. In a round each worker sums up its parts, and
the sums are added along a tree over the numbers of the parts: which worker did what, and how many
there are, changes no bit of the result.
"""

from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np

from statfast import LogisticRegression, Parts

PARTS, WORKERS = 8, ("#0072B2", "#E69F00", "#009E73")

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
level, height = np.arange(PARTS, dtype=float), 0
for part in level:
    color = WORKERS[int(part) * len(WORKERS) // PARTS]
    ax.text(
        part, -0.55, f"part {part:.0f}", ha="center", va="center", color="white", fontsize=9,
        bbox={"boxstyle": "round", "facecolor": color, "edgecolor": "none"},
    )  # fmt: skip
ax.plot(level, np.zeros(PARTS), "o", color="black")
while len(level) > 1:
    merged = (level[::2] + level[1::2]) / 2
    for above, below in zip(np.repeat(merged, 2), level, strict=True):
        ax.plot([below, above], [height, height + 1], color="0.6", zorder=0)
    height += 1
    ax.plot(merged, np.full(len(merged), height), "o", color="black")
    level = merged
ax.text(level[0] + 0.15, height, "sums of all rows: one step of the model", va="center")
for number, color in enumerate(WORKERS):
    ax.plot([], [], "s", color=color, label=f"worker {number}")
ax.legend(loc="upper left", frameon=False)
ax.set(xlim=(-0.7, PARTS - 0.3), ylim=(-1, height + 0.5))
ax.axis("off")

# %%
# A logistic regression on these eight parts has the same bits with one worker and with three, and
# its standard errors, as sums have all that they need.

rng = np.random.default_rng(0)
X = rng.standard_normal((8000, 3))
y = (X[:, 0] - X[:, 1] + rng.logistic(size=8000) > 0).astype(int)
pieces = [(X[i::PARTS], y[i::PARTS]) for i in range(PARTS)]
fits = [LogisticRegression().fit(Parts(pieces))]
with ThreadPoolExecutor(3) as pool:
    fits.append(LogisticRegression().fit(Parts(pieces, executor=pool, workers=3)))
print(f"the same bits: {len({fit.coef_.tobytes() for fit in fits}) == 1}")
print(fits[0].summary())

plt.show()
