# SPDX-License-Identifier: BSD-3-Clause
"""
Densities of one column, and what they decide
=============================================

A generative classifier has a density for each class. Times the priors they are what Bayes' rule
compares: the highest curve decides, and where two cross the decision changes.
"""

# %%
# The lengths of petals under three models of them: normal densities with one variance, with a
# variance for each class, and kernel densities, which follow the histograms. The strip below shows
# the decisions.

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    BernoulliNB,
    GaussianMixture,
    KernelDensityNB,
    LinearDiscriminantAnalysis,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
)
from statfast.datasets import load_iris
from statfast.plot import decision_regions, densities

iris = load_iris()
X, y = iris.data[:, 2:3], np.array(iris.target_names)[iris.target]
models = {
    "One variance": LinearDiscriminantAnalysis(),
    "A variance for each class": QuadraticDiscriminantAnalysis(),
    "Kernel densities": KernelDensityNB(),
}
figure, panels = plt.subplots(1, 3, figsize=(12.5, 3.8), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    shown = densities(model.fit(X, y), X, y, ax=ax)
    ax.set(title=f"{name}: {shown.boundaries.round(2)}", xlabel="petal length (cm)")
    ax.label_outer()

# %%
# Where a class is rare its curve is low: with a prior of 0.02 versicolor is decided in a short
# interval only. The broken lines are the boundaries of equal priors.

equal = models["One variance"]
rare = LinearDiscriminantAnalysis(priors=[0.49, 0.02, 0.49]).fit(X, y)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
densities(rare, X, y, ax=left)
decision_regions(rare, X, y, reference={"equal priors": equal}, ax=right)
right.legend(loc="lower right", fontsize="small")
for ax in (left, right):
    ax.set_xlabel("petal length (cm)")

# %%
# Columns of counts and of truths have probabilities, drawn as points over the shares of the rows.
# Without classes, the components of a mixture add up to its density.

rng = np.random.default_rng(0)
spam = np.repeat(["ham", "spam"], [120, 60])
links = rng.poisson(np.where(spam == "spam", 4.0, 1.0))[:, None]
figure, panels = plt.subplots(1, 3, figsize=(12.5, 3.8), layout="constrained")
densities(PoissonNB().fit(links, spam), links, spam, ax=panels[0])
densities(BernoulliNB().fit(links > 2, spam), links > 2, spam, ax=panels[1])
densities(GaussianMixture(2, random_state=0).fit(X), X, ax=panels[2])
for ax, name in zip(panels, ("links", "more than 2 links", "petal length (cm)"), strict=True):
    ax.set_xlabel(name)

plt.show()
