# SPDX-License-Identifier: BSD-3-Clause
"""
Three classes in a row: linear classifiers
==========================================

Least squares on the labels cannot predict a class that lies between two others: its fitted values
are nowhere the largest. Multinomial logistic regression and linear discriminant analysis have no
such blind spot.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LeastSquaresClassifier, LinearDiscriminantAnalysis, LogisticRegression
from statfast.plot import decision_regions

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 60)
X = rng.standard_normal((180, 2)) * 0.7 + 2.5 * y[:, None]

models = {
    "Least squares": LeastSquaresClassifier(),
    "Multinomial regression": LogisticRegression(C=10.0),
    "Linear discriminant analysis": LinearDiscriminantAnalysis(),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.5), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X, y)
    decision_regions(model, X, y, ax=ax)
    ax.set(title=f"{name}\naccuracy {model.score(X, y):.2f}", xlabel="$x_1$", ylabel="$x_2$")
    ax.label_outer()
panels[0].legend(title="class", fontsize="small")

# %%
# Along the diagonal: the fitted values of least squares, of which the middle one is never the
# largest, and the probabilities of the multinomial model.

along = np.linspace(-1, 6, 200)
diagonal = np.column_stack([along, along])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
colors = ("#0072B2", "#E69F00", "#009E73")
values = models["Least squares"].decision_function(diagonal)
shares = models["Multinomial regression"].predict_proba(diagonal)
for k, color in enumerate(colors):
    left.plot(along, values[:, k], color=color, label=f"class {k}")
    right.plot(along, shares[:, k], color=color, label=f"class {k}")
left.set(title="Least squares", xlabel="$x_1 = x_2$", ylabel="fitted value")
right.set(title="Multinomial regression", xlabel="$x_1 = x_2$", ylabel="probability")
right.legend(frameon=False)

plt.show()
