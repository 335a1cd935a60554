# SPDX-License-Identifier: BSD-3-Clause
"""
A model in a file of numbers
============================

A file of ``statfast.save`` is an archive of arrays and one text. Here is a tree of two features,
read back: the regions are those of the model, the lines are the thresholds as NumPy finds them in
the file.
"""

import io
import json
import zipfile

import matplotlib.pyplot as plt
import numpy as np

import statfast
from statfast.datasets import load_iris

data = load_iris()
X, y = data.data[:, 2:], data.target
file = io.BytesIO()
statfast.save(statfast.DecisionTreeClassifier(max_depth=2).fit(X, y), file)

# %%
# The text names the arrays of the tree.

with zipfile.ZipFile(file) as archive:
    objects = json.loads(archive.read("model.json"))["objects"]
tree = next(record["state"] for record in objects if record["class"] == "TreeStructure")
file.seek(0)
arrays = np.load(file)
feature, threshold = (
    arrays[f"arrays/{tree[name]['array']}"] for name in ("feature", "threshold")
)  # fmt: skip

# %%
# And this is the model that comes back.

model = statfast.load(file)
ax = plt.figure().subplots()
statfast.plot.decision_regions(model, X, y, ax=ax)
for column, value in zip(feature, threshold, strict=True):
    if column >= 0:
        (ax.axvline if column == 0 else ax.axhline)(value, color="black", linewidth=1)
ax.set(xlabel="petal length, cm", ylabel="petal width, cm")
plt.show()
