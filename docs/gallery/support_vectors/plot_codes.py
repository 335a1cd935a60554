# SPDX-License-Identifier: BSD-3-Clause
"""
Several classes by codes of two-class models
============================================

A code matrix turns binary classifiers into one of several classes: each column is a classifier,
which separates the classes in blue from those in orange and does not see those in white.
"""

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

from statfast import DecisionTreeClassifier, OutputCodeClassifier
from statfast.datasets import load_digits
from statfast.multiclass import hadamard_code, one_vs_one_code, one_vs_rest_code, random_code

codes = {
    "One against the rest": one_vs_rest_code(6),
    "Pairs": one_vs_one_code(6),
    "Hadamard": hadamard_code(6),
}
figure, panels = plt.subplots(
    1, 3, figsize=(10, 3), layout="constrained", width_ratios=[6, 15, 7], sharey=True
)
for ax, (name, code) in zip(panels, codes.items(), strict=True):
    ax.pcolormesh(
        code.matrix, cmap=ListedColormap(["#E69F00", "white", "#0072B2"]), vmin=-1, vmax=1,
        edgecolors="0.8", linewidth=0.5,
    )  # fmt: skip
    ax.set(title=f"{name}\nleast distance {code.minimum_distance:g}", xlabel="classifier")
    ax.set(xticks=[], yticks=[k + 0.5 for k in range(6)], yticklabels=range(6), aspect="equal")
    ax.invert_yaxis()
panels[0].set_ylabel("class")

# %%
# Words that differ in many places correct the errors of single classifiers. With small trees as
# classifiers, more columns of random codes bring more accuracy on other digits.

digits = load_digits()
X, y = digits.data, digits.target
train, test = slice(0, 900), slice(900, None)
classifier = DecisionTreeClassifier(max_depth=5)
lengths = [5, 10, 20, 40]
scores = []
for length in lengths:
    code = random_code(10, length, random_state=0)
    model = OutputCodeClassifier(classifier, code=code).fit(X[train], y[train])
    scores.append(model.score(X[test], y[test]))
pairs = OutputCodeClassifier(classifier, code="one_vs_one").fit(X[train], y[train])
rest = OutputCodeClassifier(classifier, code="one_vs_rest").fit(X[train], y[train])

figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.plot(lengths, scores, "o-", color="#0072B2", label="random codes")
ax.plot(10, rest.score(X[test], y[test]), "s", color="#D55E00", label="one against the rest")
ax.plot(45, pairs.score(X[test], y[test]), "^", color="#009E73", label="pairs")
ax.set(xlabel="classifiers", ylabel="accuracy")
ax.legend(frameon=False)

plt.show()
