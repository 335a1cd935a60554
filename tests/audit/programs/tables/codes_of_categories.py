# SPDX-License-Identifier: BSD-3-Clause
"""Words as numbers: one column each, ranks, means of the target, and labels."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    LabelBinarizer,
    LabelEncoder,
    MultiLabelBinarizer,
    OneHotEncoder,
    OrdinalEncoder,
    TargetEncoder,
)

rng = np.random.RandomState(0)
words = rng.choice(["red", "green", "blue", "gray"], (120, 2), p=[0.5, 0.3, 0.15, 0.05])
price = (words == "red").sum(axis=1) * 3.0 + rng.randn(120)
for encoder in (
    OneHotEncoder(min_frequency=10),
    OrdinalEncoder(),
    TargetEncoder(cv=3, random_state=0),
):
    model = make_pipeline(encoder, Ridge()).fit(words, price)
    print(type(encoder).__name__, round(model.score(words, price), 1))
print(LabelEncoder().fit_transform(words[:5, 0]), LabelBinarizer().fit_transform(words[:3, 0]))
print(MultiLabelBinarizer().fit_transform([{"a", "b"}, {"b"}, set()]))
