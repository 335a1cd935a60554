# SPDX-License-Identifier: BSD-3-Clause
"""
Logistic regression with and without a penalty
==============================================

By default ``LogisticRegression`` has no penalty (C is infinite) and gives maximum likelihood
estimates with standard errors, as R does; scikit-learn's default is C = 1, which shrinks
coefficients towards zero.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LogisticRegression, StandardScaler
from statfast.datasets import load_iris

iris = load_iris()
X = StandardScaler().fit_transform(iris.data[50:])
y = iris.target[50:]
strengths = 10.0 ** np.arange(-3, 4.1, 0.25)
ridge = np.array([LogisticRegression(C=C).fit(X, y).coef_[0] for C in strengths])
likelihood = LogisticRegression().fit(X, y)
ends = np.asarray(likelihood.conf_int())[1:]

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
colors = ("#0072B2", "#E69F00", "#009E73", "#D55E00")
for j, color in enumerate(colors):
    name = iris.feature_names[j].replace("_", " ")
    ax.plot(strengths, ridge[:, j], color=color, label=name)
    at = 10 ** (4.5 + 0.2 * j)
    ax.plot([at, at], ends[j], color=color, linewidth=1.5)
    ax.plot(at, likelihood.coef_[0, j], "o", color=color)
ax.axvline(1, color="0.4", linestyle="--", linewidth=1)
ax.text(1.15, 14, "scikit-learn's default, C = 1", va="top", fontsize=9)
ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
ax.set_xscale("log")
ax.set_xticks([1e-3, 1e-1, 1e1, 1e3, 10**4.8], ["0.001", "0.1", "10", "1000", "infinite"])
ax.minorticks_off()
ax.set(xlabel="C", ylabel="coefficient, with 95 % interval")
ax.legend(frameon=False, loc="upper left")

plt.show()
