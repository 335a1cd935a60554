# SPDX-License-Identifier: BSD-3-Clause
"""
Conformal prediction intervals
==============================

Conformal intervals hold the next target as often as their level says, whatever the model. Those of
the jackknife+ have about one width; conformal quantiles are wide where the data are.
"""

# %%
# Both on noisy samples whose spread grows with x: each has nine targets of ten.

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    ConformalRegressor,
    HistGradientBoostingRegressor,
    KNeighborsRegressor,
    coverage_report,
)

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 1200))
y = np.sin(x) + (0.1 + 0.15 * x) * rng.standard_normal(1200)
X, fitted = x[:, None], rng.random(1200) < 0.6
quantiles = HistGradientBoostingRegressor(loss="quantile", max_iter=40, random_state=0)
models = {
    "jackknife+ of 40 nearest neighbors": ConformalRegressor(
        KNeighborsRegressor(40), method="jackknife+"
    ),
    "quantiles of boosting": ConformalRegressor(quantiles, method="cqr", random_state=0),
}

figure, panels = plt.subplots(1, 2, figsize=(10, 3.4), sharey=True, layout="constrained")
reports = {}
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X[fitted], y[fitted])
    means, ends = model.predict(X[~fitted], interval="conformal")
    reports[name] = coverage_report(y[~fitted], ends)
    ax.plot(x[~fitted], y[~fitted], "o", markersize=3, color="0.6")
    ax.fill_between(x[~fitted], *ends.T, color="#0072B2", alpha=0.2, linewidth=0)
    ax.plot(x[~fitted], means, color="#0072B2")
    ax.set(title=f"{name}: {reports[name].coverage[0]:.1%} inside", xlabel="x")
panels[0].set_ylabel("y")

# %%
# By the width of the intervals, with exact limits of each share.

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
report = reports["quantiles of boosting"]
report.plot(ax=ax, alpha=0.3)
ax.hlines(np.arange(len(report.names))[::-1], report.lower, report.upper, color="#0072B2")
ax.axvline(0.9, color="0.3", linestyle="--")

plt.show()
