# SPDX-License-Identifier: BSD-3-Clause
"""
Points and their feet on a line
===============================

A direction turns two columns into one number: the place of a point's foot on the line. Fisher's
direction sets classes apart, the first principal component keeps as much variance as it can.
"""

# %%
# Two species of iris. On the line of the largest variance their histograms overlap as they do in
# the length alone; Fisher's direction, the inverse of the covariance within the classes times the
# difference of their means, uses that short and wide petals are those of one species.

import matplotlib.pyplot as plt
import numpy as np

from statfast import PCA, LinearDiscriminantAnalysis
from statfast.datasets import load_iris
from statfast.plot import projection

iris = load_iris()
X, y = iris.data[50:, 2:], np.array(iris.target_names)[iris.target[50:]]
fisher = LinearDiscriminantAnalysis().fit(X, y)
lines = {
    "Petal length alone": [1.0, 0.0],
    "First principal component": PCA().fit(X),
    "Fisher's direction": fisher,
}
figure, panels = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
for ax, (name, direction) in zip(panels, lines.items(), strict=True):
    shown = projection(X, y, direction, ax=ax)
    scores = {label: shown.scores[y == label] for label in np.unique(y)}
    gap = np.diff([part.mean() for part in scores.values()])[0]
    within = np.sqrt(np.mean([part.var(ddof=1) for part in scores.values()]))
    ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    ax.set_title(f"{name}\nmeans {gap / within:.2f} standard deviations apart")

plt.show()
