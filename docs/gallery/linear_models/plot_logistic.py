# SPDX-License-Identifier: BSD-3-Clause
"""
Odds ratios and probabilities with intervals
============================================

Logistic regression reports standard errors: a forest plot shows the odds ratios with their
intervals, and probabilities have intervals as well.
"""

# %%
# Two cultivars of wine, classified by five measurements, each divided by its standard deviation. A
# point is filled where the interval does not hold 1.

import matplotlib.pyplot as plt
import numpy as np

from statfast import LogisticRegression, StandardScaler
from statfast.datasets import load_iris, load_wine
from statfast.plot import coefficients

wine = load_wine()
columns = [1, 2, 4, 5, 7]
X = StandardScaler().fit_transform(wine.data[:130, columns])
model = LogisticRegression().fit(X, wine.target[:130] == wine.target[0])
print(model.odds_ratios())

figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
names = [wine.feature_names[j].replace("_", " ") for j in columns]
coefficients(model, scale="ratio", feature_names=names, ax=ax)

# %%
# The probability of one species of iris rather than another by the width of the petals, with a
# 95 % confidence interval.

iris = load_iris()
width, y = iris.data[50:, 3:], iris.target[50:]
one = LogisticRegression().fit(width, y)
line = np.linspace(0.9, 2.6, 200)[:, None]
p, ends = one.predict_proba(line, interval="confidence")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
rng = np.random.default_rng(0)
ax.plot(width, (y == 2) + 0.02 * rng.standard_normal(len(y)), "o", markersize=3, color="0.5")
ax.fill_between(line[:, 0], *ends[:, 1].T, color="#0072B2", alpha=0.2, linewidth=0)
ax.plot(line, p[:, 1], color="#0072B2")
ax.set(xlabel="petal width (cm)", ylabel="probability of virginica")

plt.show()
