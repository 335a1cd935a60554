# SPDX-License-Identifier: BSD-3-Clause
"""Ward's hierarchy of 150 irises: the picture of README.md.

python docs/gallery/dendrogram.py [picture.png]
"""

import sys

from matplotlib.figure import Figure

from statfast import linkage
from statfast.datasets import load_iris
from statfast.plot import dendrogram


def draw(path):
    """The tree of merges, three clusters colored."""
    X, _ = load_iris(return_X_y=True)
    figure = Figure(figsize=(7, 2.8), dpi=110, layout="constrained")
    ax = dendrogram(linkage(X, "ward"), n_clusters=3, ax=figure.subplots())
    ax.set(title="Ward linkage of 150 irises", ylabel="height")
    figure.savefig(path)


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else "dendrogram.png")
