# SPDX-License-Identifier: BSD-3-Clause
"""The same skewed columns by all scalers."""

import numpy as np
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

X = np.random.RandomState(0).lognormal(size=(200, 3)) * [1.0, 10.0, 1000.0]
for scaler in (
    StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler(quantile_range=(10, 90)),
    PowerTransformer(), PowerTransformer(method="box-cox"), Normalizer("l1"),
    QuantileTransformer(n_quantiles=50),
    QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf"),
):  # fmt: skip
    print(type(scaler).__name__, np.round(scaler.fit_transform(X)[:2], 3).tolist())
scaler = StandardScaler()
for start in range(0, 200, 50):
    scaler.partial_fit(X[start : start + 50])
print(scaler.mean_.round(3), scaler.inverse_transform(scaler.transform(X[:1])).round(3))
