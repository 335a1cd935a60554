# SPDX-License-Identifier: BSD-3-Clause
"""
Outliers of dense and of sparse groups
======================================

Left: rows of a dense and of a sparse group; the area of a circle is the local outlier factor of its
row, less 1. The rows just beside the dense group stand out, though they have neighbors at distances
that are usual in the sparse one. Right: the region that a model of regular rows takes for regular,
which is narrow about the dense group and wide about the sparse one.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LocalOutlierFactor

rng = np.random.default_rng(0)
dense = rng.normal([-3.0, 0.0], 0.25, (150, 2))
sparse = rng.normal([3.0, 0.0], 1.3, (150, 2))
beside = np.array([[-3.0, 1.8], [-1.6, -0.9], [-4.6, 0.4], [-2.0, 2.9], [0.5, 4.2]])
X = np.vstack([dense, sparse, beside])

model = LocalOutlierFactor(n_neighbors=20)
outlier = model.fit_predict(X) == -1
factors = -model.negative_outlier_factor_
print(f"{outlier.sum()} outliers of {len(X)} rows; the largest factor is {factors.max():.1f}")

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
panels[0].scatter(*X.T, s=6, color="0.3")
areas = 120.0 * np.maximum(factors - 1.0, 0.0)
for kind, color in ((outlier, "C3"), (~outlier, "0.6")):
    panels[0].scatter(*X[kind].T, s=areas[kind], facecolors="none", edgecolors=color)
panels[0].set_title("factors of the rows")

regular = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(X[~outlier])
across, up = np.meshgrid(np.linspace(-6.0, 8.0, 200), np.linspace(-5.0, 5.0, 150))
places = np.column_stack([across.ravel(), up.ravel()])
scores = -regular.score_samples(places).reshape(across.shape)
panels[1].contourf(across, up, scores, levels=[0.0, 1.5], colors=["0.9"])
lines = panels[1].contour(across, up, scores, levels=[1.5, 3.0, 6.0], colors="C0")
panels[1].clabel(lines)
panels[1].scatter(*X[~outlier].T, s=6, color="0.3")
panels[1].set_title("factors of new rows, by regular ones")

plt.show()
