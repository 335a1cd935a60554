# SPDX-License-Identifier: BSD-3-Clause
"""
Bandwidths, and densities of classes
====================================

Left: minutes between eruptions of the geyser Old Faithful [1]_ by kernel density estimates of three
bandwidths. Half the best one shows chance, three times it hides that there are two kinds of
eruptions; the best is that of the largest leave-one-out likelihood. Right: the petals of iris, and
where Bayes' rule with an estimate for each class decides for which.

.. [1] Azzalini, A. and Bowman, A. W. (1990). A look at some data on the Old Faithful geyser.
   Applied Statistics 39, 357-365.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import BayesClassifier, KernelDensity
from statfast.datasets import load_iris
from statfast.plot import decision_regions

waiting = np.array([
    79, 54, 74, 62, 85, 55, 88, 85, 51, 85, 54, 84, 78, 47, 83, 52, 62, 84, 52, 79, 51, 47, 78,
    69, 74, 83, 55, 76, 78, 79, 73, 77, 66, 80, 74, 52, 48, 80, 59, 90, 80, 58, 84, 58, 73, 83,
    64, 53, 82, 59, 75, 90, 54, 80, 54, 83, 71, 64, 77, 81, 59, 84, 48, 82, 60, 92, 78, 78, 65,
    73, 82, 56, 79, 71, 62, 76, 60, 78, 76, 83, 75, 82, 70, 65, 73, 88, 76, 80, 48, 86, 60, 90,
    50, 78, 63, 72, 84, 75, 51, 82, 62, 88, 49, 83, 81, 47, 84, 52, 86, 81, 75, 59, 89, 79, 59,
    81, 50, 85, 59, 87, 53, 69, 77, 56, 88, 81, 45, 82, 55, 90, 45, 83, 56, 89, 46, 82, 51, 86,
    53, 79, 81, 60, 82, 77, 76, 59, 80, 49, 96, 53, 77, 77, 65, 81, 71, 70, 81, 93, 53, 89, 45,
    86, 58, 78, 66, 76, 63, 88, 52, 93, 49, 57, 77, 68, 81, 81, 73, 50, 85, 74, 55, 77, 83, 83,
    51, 78, 84, 46, 83, 55, 81, 57, 76, 84, 77, 81, 87, 77, 51, 78, 60, 82, 91, 53, 78, 46, 77,
    84, 49, 83, 71, 80, 49, 75, 64, 76, 53, 94, 55, 76, 50, 82, 54, 75, 78, 79, 78, 78, 70, 79,
    70, 54, 86, 50, 90, 54, 54, 77, 79, 64, 75, 47, 86, 63, 85, 82, 57, 82, 67, 74, 54, 83, 73,
    73, 88, 80, 71, 83, 56, 79, 78, 84, 58, 83, 43, 60, 75, 81, 46, 90, 46, 74,
], dtype=float)[:, None]  # fmt: skip

best = KernelDensity(bandwidth="cv").fit(waiting)
print(best.bandwidth_scores_)

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
minutes = np.linspace(35.0, 105.0, 300)
panels[0].hist(waiting[:, 0], bins=30, density=True, color="0.88")
for factor, style in ((0.5, ":"), (1.0, "-"), (3.0, "--")):
    model = KernelDensity(bandwidth=factor * best.bandwidth_).fit(waiting)
    density = np.exp(model.score_samples(minutes[:, None]))
    panels[0].plot(minutes, density, style, label=f"bandwidth {model.bandwidth_:.1f}")
panels[0].set_xlabel("minutes to the next eruption")
panels[0].set_ylabel("density")
panels[0].legend(frameon=False)

iris = load_iris()
petals = iris.data[:, 2:]
classifier = BayesClassifier(KernelDensity(bandwidth="cv")).fit(petals, iris.target)
decision_regions(classifier, petals, iris.target, ax=panels[1])
panels[1].set_xlabel("petal length")
panels[1].set_ylabel("petal width")

plt.show()
