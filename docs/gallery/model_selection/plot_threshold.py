# SPDX-License-Identifier: BSD-3-Clause
"""
The threshold that costs least
==============================

One row in eight is positive, and a miss costs ten times as much as a false alarm. The threshold of
probabilities that costs least is far below one half; cross-validation finds it from rows that the
model was not fitted to.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import GaussianNB, TunedThresholdClassifierCV, cross_val_predict
from statfast.metrics import confusion_matrix

rng = np.random.default_rng(0)
y = (rng.random(1500) < 0.125).astype(int)
X = rng.standard_normal((1500, 3)) + 0.9 * y[:, None]
X_test, y_test = X[750:], y[750:]
X, y = X[:750], y[:750]
cost = (1.0, 10.0)


def mean_cost(labels, predicted):
    """What errors cost a row."""
    table = confusion_matrix(labels, predicted)
    return (cost[0] * table[0, 1] + cost[1] * table[1, 0]) / len(labels)


model = TunedThresholdClassifierCV(GaussianNB(), criterion="cost", cost=cost).fit(X, y)
score = TunedThresholdClassifierCV(GaussianNB(), scoring="f1", store_cv_results=True).fit(X, y)
held_out = cross_val_predict(GaussianNB(), X, y, method="predict_proba")[:, 1]
shares = GaussianNB().fit(X, y).predict_proba(X_test)[:, 1]
cuts = np.linspace(0.005, 0.8, 160)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.plot(cuts, [mean_cost(y, held_out >= cut) for cut in cuts], label="rows held out")
left.plot(cuts, [mean_cost(y_test, shares >= cut) for cut in cuts], label="other rows")
left.axvline(model.best_threshold_, color="0.5", linestyle="--")
left.set(xlabel="threshold", ylabel="mean cost", title=f"cost: {model.best_threshold_:.2f}")
left.legend()
right.plot(score.cv_results_["thresholds"], score.cv_results_["scores"])
right.axvline(score.best_threshold_, color="0.5", linestyle="--")
right.set(xlabel="threshold", ylabel="F-measure", title=f"F-measure: {score.best_threshold_:.2f}")

plt.show()
