# SPDX-License-Identifier: BSD-3-Clause
"""
Exact answers from float32
==========================

Distances computed in float32 carry a rounding error, for which there is a bound. Where the two best
candidates differ by more than both bounds, float32 has decided, and rightly. The few other
comparisons are repeated in float64. Here the bound is drawn for the two nearest of 200 centers.
"""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(1)
d, far = 32, 30.0
X = far + rng.standard_normal((2000, d))  # far from the origin, where float32 has fewer digits
centers = far + rng.standard_normal((200, d))
x, c = X.astype(np.float32), centers.astype(np.float32)
scores = (c * c).sum(axis=1) - 2 * x @ c.T  # |x - c|^2 without |x|^2, in float32
bound = 2.0**-24 * (d + 3) * ((centers**2).sum(axis=1).max() + 2 * np.abs(X @ centers.T).max())
exact = ((X[:, None] - centers) ** 2).sum(axis=2)
two = np.sort(scores, axis=1)[:, :2]
gap = two[:, 1] - two[:, 0]
decided = gap > 2 * bound
wrong = scores.argmin(axis=1) != exact.argmin(axis=1)
print(f"decided by float32: {decided.mean():.1%}, wrongly among these: {wrong[decided].sum()}")
print(f"float32 alone would have been wrong for {wrong.sum()} of {len(X)} samples")

# %%
# Taking the mean off the data first, which changes no distance, makes the numbers small, and with
# them the bound: nearly all is decided.

origin = X.mean(axis=0)
near, at = (X - origin).astype(np.float32), (centers - origin).astype(np.float32)
scores = (at * at).sum(axis=1) - 2 * near @ at.T
tight = 2.0**-24 * (d + 3) * ((at**2).sum(axis=1).max() + 2 * np.abs(near @ at.T).max())
two = np.sort(scores, axis=1)[:, :2]
centered = two[:, 1] - two[:, 0]

figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
shown = (("as the data are", gap, bound), ("less their mean", centered, tight))
for ax, (name, gaps, limit) in zip(panels, shown, strict=True):
    gaps = np.maximum(gaps, 1e-7)
    ax.hist(gaps, bins=np.geomspace(1e-7, 1e2, 60), color="#0072B2")
    ax.axvspan(1e-7, 2 * limit, color="#E69F00", alpha=0.3, label="repeated in float64")
    ax.set(
        xscale="log", xlim=(1e-7, 1e2), title=f"{name}: {(gaps <= 2 * limit).mean():.1%} repeated"
    )
    ax.set(xlabel="difference of the two best scores")
    ax.legend(fontsize="small", loc="upper left")
panels[0].set_ylabel("samples")

plt.show()
