# SPDX-License-Identifier: BSD-3-Clause
"""
What separation looks like
==========================

A logistic model of one feature without an intercept. Where the classes overlap, the likelihood has
a maximum. Where a point separates them, it rises forever, and there is no estimate. Firth's method
maximizes the likelihood times the root of the information, which has a maximum in both cases.
"""

import matplotlib.pyplot as plt
import numpy as np

x = np.array([-2.2, -1.6, -1.1, -0.6, -0.3, 0.4, 0.7, 1.2, 1.5, 2.1])
labels = {"overlapping": np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1]), "separated": (x > 0) * 1}
b = np.linspace(0, 8, 400)[:, None]
p = 1 / (1 + np.exp(-b * x))
information = (p * (1 - p) * x**2).sum(axis=1)

figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, (name, y) in zip(panels, labels.items(), strict=True):
    likelihood = np.log(np.where(y == 1, p, 1 - p)).sum(axis=1)
    penalized = likelihood + np.log(information) / 2
    ax.plot(b, likelihood, color="#0072B2", label="log-likelihood")
    ax.plot(b, penalized, color="#D55E00", label="Firth's")
    ax.plot(b[penalized.argmax()], penalized.max(), "o", color="#D55E00")
    if name == "overlapping":
        ax.plot(b[likelihood.argmax()], likelihood.max(), "o", color="#0072B2")
    ax.set(title=f"{name} classes", xlabel="coefficient", ylim=(-8, 0.5))
    ax.legend(fontsize="small", loc="lower right")
panels[0].set_ylabel("log-likelihood")

# %%
# `LogisticRegression` warns, names the features whose coefficients are infinite, and refuses
# standard errors. With ``method="firth"`` it has finite estimates, and intervals of the profile
# likelihood.

import warnings

from statfast import LogisticRegression

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    LogisticRegression().fit(x[:, None], labels["separated"])
print(caught[0].message)
firth = LogisticRegression(method="firth").fit(x[:, None], labels["separated"])
print(firth.profile(x[:, None], labels["separated"]))

plt.show()
