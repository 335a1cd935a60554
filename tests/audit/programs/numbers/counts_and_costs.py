# SPDX-License-Identifier: BSD-3-Clause
"""Claims: their number by Poisson, their size by gamma, both at once by Tweedie regression."""

import numpy as np
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

rng = np.random.RandomState(5)
X = rng.uniform(-1, 1, (300, 3))
number = rng.poisson(np.exp(0.3 + X @ [0.5, -0.8, 0.1]))
size = rng.gamma(2.0, np.exp(1.0 + X @ [0.2, 0.3, -0.4]) / 2.0)
years = rng.uniform(0.2, 1.0, 300)
counts = PoissonRegressor(alpha=1e-3).fit(X, number, sample_weight=years)
sizes = GammaRegressor(alpha=1e-3).fit(X, size)
both = TweedieRegressor(power=1.6, alpha=1e-3, link="log").fit(X, number * size)
for model, y in ((counts, number), (sizes, size), (both, number * size)):
    print(model.coef_.round(2), round(model.score(X, y), 3))
