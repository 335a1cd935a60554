# SPDX-License-Identifier: BSD-3-Clause
"""
A fit to a stream of chunks
===========================

Rows that do not fit in memory come in chunks. A linear model needs their sums alone: each further
chunk makes its estimates more precise, and at the end they are those of all rows at once.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import Chunks, LinearRegression

rng = np.random.default_rng(0)
truth = np.array([1.0, -0.5, 0.25])
chunks = [rng.standard_normal((200, 3)) for _ in range(25)]
targets = [chunk @ truth + 2.0 * rng.standard_normal(200) for chunk in chunks]

counts = np.arange(1, 26)
estimates, errors = [], []
for count in counts:
    model = LinearRegression().fit(Chunks(chunks[:count]), np.concatenate(targets[:count]))
    estimates.append(model.coef_)
    errors.append(model.standard_errors_[1:])
estimates, errors = np.array(estimates), np.array(errors)
whole = LinearRegression().fit(np.concatenate(chunks), np.concatenate(targets))
print(f"largest difference from the fit in memory: {np.abs(whole.coef_ - estimates[-1]).max():.1e}")

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for j, color in enumerate(("#0072B2", "#E69F00", "#009E73")):
    band = estimates[:, j] + 1.96 * errors[:, j] * np.array([[-1], [1]])
    ax.fill_between(200 * counts, *band, color=color, alpha=0.2, linewidth=0)
    ax.plot(200 * counts, estimates[:, j], color=color, label=f"coefficient {j}")
    ax.axhline(whole.coef_[j], color=color, linestyle="--", linewidth=0.8)
ax.set(xlabel="samples read", ylabel="estimate, with 95 % interval", ylim=(-1, 1.6))
ax.legend(frameon=False, ncols=3, loc="upper center")

plt.show()
