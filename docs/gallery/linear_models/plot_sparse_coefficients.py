# SPDX-License-Identifier: BSD-3-Clause
"""
Sparse coefficients: lasso and ridge regression
===============================================

The lasso leaves most of many columns out; ridge regression makes all coefficients small, and none
zero.
"""

# %%
# A target of three columns out of twelve, with noise. Both penalties shrink; only one selects.

import matplotlib.pyplot as plt
import numpy as np

from statfast import Lasso, Ridge
from statfast.datasets import load_digits
from statfast.plot import coefficient_histogram, coefficient_stems

rng = np.random.default_rng(0)
X, truth = rng.standard_normal((200, 12)), np.array([3, -2, 1.5] + [0] * 9)
y = X @ truth + rng.standard_normal(200)
models = {"lasso": Lasso(alpha=0.3).fit(X, y), "ridge": Ridge(alpha=60).fit(X, y)}
figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
coefficient_stems(models, truth=truth, ax=ax)

# %%
# Which of the 64 pixels tell a 3 from other digits: too many for names, not for a histogram.

digits = load_digits()
X, y = digits.data, (digits.target == 3).astype(float)
models = {"lasso": Lasso(alpha=0.1).fit(X, y), "ridge": Ridge(alpha=60).fit(X, y)}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
coefficient_stems(models["lasso"], ax=left)
coefficient_histogram(models, ax=right)

plt.show()
