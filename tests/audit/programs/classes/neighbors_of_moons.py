# SPDX-License-Identifier: BSD-3-Clause
"""How the number of neighbors changes the classes of two interleaved half circles."""

from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

X, y = make_moons(300, noise=0.3, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
for n_neighbors in (1, 5, 15, 45):
    for weights in ("uniform", "distance"):
        model = KNeighborsClassifier(n_neighbors, weights=weights).fit(X_train, y_train)
        print(n_neighbors, weights, round(model.score(X_test, y_test), 3))
distances, rows = model.kneighbors(X_test[:3])
print(distances.round(3), rows[:, :3])
