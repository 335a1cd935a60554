# SPDX-License-Identifier: BSD-3-Clause
"""
Digits, and errors beside their neighbors
=========================================

A classifier of images is understood by looking at what it gets wrong. Nearest neighbors show why:
they are the images that a digit was taken for.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import KNeighborsClassifier
from statfast.datasets import load_digits
from statfast.plot import images

digits = load_digits()
X, y = digits.data, digits.target
train, test = np.arange(900), np.arange(900, len(y))

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
images(X[:40], captions=y[:40], n_columns=10, ax=ax)

# %%
# The errors of three neighbors on the second half. Left of each group is the digit, its label, and
# what it was taken for; then the three of the first half that are nearest to it.

model = KNeighborsClassifier(3).fit(X[train], y[train])
predicted = model.predict(X[test])
wrong = np.flatnonzero(predicted != y[test])
print(f"{len(wrong)} errors of {len(test)}")
rows = test[wrong][:12]
neighbors = model.kneighbors(X[rows], return_distance=False)
figure, ax = plt.subplots(figsize=(9, 5.6), layout="constrained")
images(
    X[rows],
    captions=[f"{true} as {said}" for true, said in zip(y[rows], predicted[wrong], strict=False)],
    beside=X[train][neighbors],
    captions_beside=y[train][neighbors],
    n_columns=3,
    ax=ax,
)

plt.show()
