# SPDX-License-Identifier: BSD-3-Clause
"""
From a table to numbers
=======================

A column transformer turns a table of numbers, names and missing values into what an estimator
takes: missing values are filled, numbers scaled, and a category becomes a column of zeros and ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import (
    ColumnTransformer,
    OneHotEncoder,
    SimpleImputer,
    StandardScaler,
    make_pipeline,
)  # fmt: skip

homes = np.array([
    [71.0, 2, "Delft"], [104.0, 4, "Graz"], [None, 3, "Lund"], [88.0, 3, "Delft"],
    [120.0, 5, "Lund"], [64.0, 2, "Graz"], [95.0, None, "Delft"], [83.0, 3, "Graz"],
], dtype=object)  # fmt: skip
names = ["area", "rooms", "town"]
columns = ColumnTransformer([
    ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
    ("town", OneHotEncoder(sparse_output=False), [2]),
])  # fmt: skip
numbers = columns.fit_transform(homes).astype(float)
towns = sorted(set(homes[:, 2]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.axis("off")
text = [["missing" if value is None else str(value) for value in row] for row in homes]
table = left.table(text, colLabels=names, loc="center", cellLoc="center", bbox=[0, 0, 1, 1])
for (row, column), cell in table.get_celld().items():
    cell.set_edgecolor("0.8")
    if row == 0:
        cell.set_text_props(weight="bold")
    elif homes[row - 1, column] is None:
        cell.set_text_props(color="#D55E00")
left.set_title("the table")

image = right.imshow(numbers, cmap="RdBu", vmin=-2, vmax=2, aspect="auto")
for (row, column), value in np.ndenumerate(numbers):
    color = "white" if abs(value) > 1.3 else "black"
    text = f"{value:.2f}".replace(".00", "")
    right.text(column, row, text, ha="center", va="center", fontsize=9, color=color)
right.set_xticks(range(5), ["area", "rooms", *(f"town\n{town}" for town in towns)])
right.set(yticks=[], title="what the estimator sees")

plt.show()
