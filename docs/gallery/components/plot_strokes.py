# SPDX-License-Identifier: BSD-3-Clause
"""
Nonnegative factors: digits as sums of strokes
==============================================

Nonnegative factors of images of digits are strokes: each image is a sum of some of them, and none
takes ink away. Principal components take ink away, and look like no part of a digit.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import NMF, PCA
from statfast.datasets import load_digits

images = load_digits(dtype=float).data
parts = NMF(16, init="nndsvd", max_iter=1000)
shares = parts.fit_transform(images)
directions = PCA(16).fit(images).components_

figure = plt.figure(figsize=(8, 5), layout="constrained")
above, below = figure.subfigures(2, 1)
above.suptitle("nonnegative factors")
below.suptitle("principal components (blue is negative)")
for panel, part in zip(above.subplots(2, 8).flat, parts.components_, strict=True):
    panel.imshow(part.reshape(8, 8), cmap="Greys")
    panel.set(xticks=[], yticks=[])
for panel, direction in zip(below.subplots(2, 8).flat, directions, strict=True):
    limit = np.abs(direction).max()
    panel.imshow(direction.reshape(8, 8), cmap="RdBu_r", vmin=-limit, vmax=limit)
    panel.set(xticks=[], yticks=[])

# %%
# One image and the strokes of which it has most, each times its share.

image = 3
strongest = np.argsort(-shares[image] * parts.components_.sum(axis=1))[:5]
figure, panels = plt.subplots(1, 7, figsize=(8, 1.6), layout="constrained")
pictures = [images[image], shares[image] @ parts.components_]
pictures += [shares[image, k] * parts.components_[k] for k in strongest]
titles = ["image", "all parts"] + [f"part {k}" for k in strongest]
for panel, picture, title in zip(panels, pictures, titles, strict=True):
    panel.imshow(picture.reshape(8, 8), cmap="Greys", vmin=0, vmax=16)
    panel.set(xticks=[], yticks=[], title=title)

plt.show()
