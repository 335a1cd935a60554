# SPDX-License-Identifier: BSD-3-Clause
"""
Losses of margins
=================

With classes -1 and 1, the margin y f(x) is positive where the sign of f is right. Its 0-1 loss
counts errors, but has no slope to follow; what is minimized in its place bounds it from above.
"""

# %%
# Support vector machines minimize the hinge loss, logistic regression the logistic (its base does
# not matter for the fit), AdaBoost the exponential, least squares the squared loss: it alone grows
# again for rows that are right by more than 1.

import matplotlib.pyplot as plt

from statfast.plot import margin_losses

figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
shown = margin_losses(ax=ax)

# %%
# What a row far on the wrong side costs shows how a fit answers to outliers.

for name, values in shown.losses.items():
    print(f"{name:12} {values[0]:6.2f} at a margin of {shown.margins[0]:g}")

plt.show()
