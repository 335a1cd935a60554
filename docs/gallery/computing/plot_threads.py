# SPDX-License-Identifier: BSD-3-Clause
"""
The same bits for any number of threads
=======================================

Rows are cut into blocks by their number alone. Threads take blocks as they come, but sums of blocks
are added in the order of the blocks: the number of threads changes the time and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LinearRegression

BLOCKS, COLORS = 12, ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
seconds = np.random.default_rng(3).uniform(0.7, 1.3, BLOCKS)  # blocks do not take equally long

figure, panels = plt.subplots(
    4, 1, figsize=(8, 4.6), layout="constrained", height_ratios=[1, 2, 4, 1]
)
for ax, threads in zip(panels, (1, 2, 4), strict=False):
    free = np.zeros(threads)  # when each thread ends its last block
    for block, length in enumerate(seconds):
        who = int(free.argmin())
        ax.barh(who, length, left=free[who], color=COLORS[who], edgecolor="white", height=0.9)
        ax.text(free[who] + length / 2, who, block, ha="center", va="center", color="white")
        free[who] += length
    ax.set(xlim=(0, seconds.sum()), ylim=(threads - 0.5, -0.5), yticks=range(threads))
    ax.set_ylabel("thread", fontsize=8)
    ax.set_xticks([])
    ax.set_title(f"{threads} thread{'s' * (threads > 1)}", loc="left", fontsize=9)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
panels[2].set_xlabel("time")
order = " + ".join(f"s$_{{{block}}}$" for block in range(BLOCKS))
panels[3].axis("off")
panels[3].text(0.5, 0.4, f"always added in this order:  {order}", ha="center", va="center")

# %%
# The coefficients of a regression on 1, 2 and 7 threads have the same bits.

rng = np.random.default_rng(0)
X = rng.standard_normal((100_000, 8))
y = X.sum(axis=1) + rng.standard_normal(100_000)
fits = [LinearRegression(n_jobs=n).fit(X, y).coef_.tobytes() for n in (1, 2, 7)]
print(f"the same bits: {len(set(fits)) == 1}")

plt.show()
