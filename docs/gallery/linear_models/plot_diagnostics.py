# SPDX-License-Identifier: BSD-3-Clause
"""
Is the model right? Residuals of a regression
=============================================

The four pictures of R's ``plot.lm`` for sixteen cars: residuals against fit, normal quantiles,
scale against location, and leverage with Cook's distance.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import GeneralizedLinearModel, LinearRegression
from statfast.plot import diagnostics, regression_curve

mpg = [21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 16.4, 17.3, 15.2, 10.4, 32.4, 30.4]
weight = np.array([
    2.62, 2.88, 2.32, 3.22, 3.44, 3.46, 3.57, 3.19, 3.15, 3.44, 4.07, 3.73, 3.78, 5.25, 2.2, 1.62
])[:, None]  # fmt: skip

model = LinearRegression().fit(weight, mpg)
diagnostics(model, weight, mpg)

# %%
# The heaviest and the lightest cars lie above the line: a gamma model with the logarithm as its
# link bends, and its prediction interval widens with the mean.

bent = GeneralizedLinearModel("gamma", link="log").fit(weight, mpg)
figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for ax, fit, name in zip(panels, (model, bent), ("Least squares", "Gamma, log link"), strict=True):
    regression_curve(fit, weight, mpg, ax=ax)
    ax.set(
        title=f"{name}: AIC {fit.aic_:.1f}", xlabel="weight (1000 lb)", ylabel="miles per gallon"
    )
    ax.label_outer()

plt.show()
