# SPDX-License-Identifier: BSD-3-Clause
"""
Recall of locality-sensitive hashing
====================================

Locality-sensitive hashing finds most of the nearest neighbors and looks at a part of the samples
only. More buckets find more; a query
that finds fewer than it is asked for looks into further ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LSHNeighbors, NearestNeighbors

rng = np.random.default_rng(0)
X = rng.standard_normal((8_000, 3)) @ rng.standard_normal((3, 16))
X = X + 0.1 * rng.standard_normal(X.shape)
queries = X[:200] + 0.1 * rng.standard_normal((200, 16))
exact = NearestNeighbors(10).fit(X).kneighbors(queries, return_distance=False)


def recall(model):
    """The share of the ten nearest that the model finds."""
    found = model.fit(X).kneighbors(queries, return_distance=False)
    return np.mean([len(np.intersect1d(*pair)) / 10 for pair in zip(exact, found, strict=True)])


probes = [1, 2, 4, 8, 16, 32]
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for tables, color in ((1, "#0072B2"), (4, "#E69F00"), (16, "#009E73")):
    given = {"hash": "p_stable", "hash_length": 6, "width": 2.0, "random_state": 0}
    models = [LSHNeighbors(10, n_tables=tables, n_probes=n, **given) for n in probes]
    ax.plot(probes, [recall(model) for model in models], "o-", color=color, label=str(tables))
ax.set(xscale="log", xlabel="buckets looked into, in each table", ylabel="recall of 10 neighbors")
ax.set_xticks(probes, map(str, probes))
ax.minorticks_off()
ax.legend(title="tables", frameon=False)

# %%
# Without parameters, ``fit`` chooses them for the recall that is asked for, here 0.9.

chosen = LSHNeighbors(10, recall=0.9, random_state=0)
print(f"recall {recall(chosen):.3f} with {chosen.n_tables_} tables, {chosen.n_probes_} probes")

plt.show()
