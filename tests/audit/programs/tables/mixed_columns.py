# SPDX-License-Identifier: BSD-3-Clause
"""A data frame of words and numbers with gaps, prepared by columns and classified."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.RandomState(0)
frame = pd.DataFrame({
    "age": rng.randint(18, 80, 160).astype(float),
    "city": rng.choice(["Bern", "Oslo", "Rome"], 160),
    "income": rng.lognormal(3, 0.4, 160),
})  # fmt: skip
bought = (frame["income"] + 0.2 * frame["age"] + 4 * rng.randn(160) > 30).astype(int)
frame.loc[::9, "age"] = np.nan
columns = make_column_transformer(
    (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
     make_column_selector(dtype_include=np.number)),
    (OneHotEncoder(handle_unknown="ignore"), ["city"]),
)  # fmt: skip
model = make_pipeline(columns, LogisticRegression(tol=1e-8)).fit(frame, bought)
print(round(model.score(frame, bought), 3), model.predict_proba(frame[:2]).round(3))
print(model[:-1].get_feature_names_out())
