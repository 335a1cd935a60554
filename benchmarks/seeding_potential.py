# SPDX-License-Identifier: BSD-3-Clause
"""What k-means++ leaves over many seeds: ``python -m benchmarks.seeding_potential [--seeds 20]``.

The mean potential of starts by statfast and by scikit-learn, and the standard error of their ratio:
both are greedy k-means++ with 2 + floor(log k) candidates a centre, so they differ by chance alone.
"""

import argparse

import numpy as np

from benchmarks.kmeans_problems import SEEDING

SHAPES = ("d=16 k=50", "d=64 k=50", "d=16 k=500", "d=32 k=200 float64")


def potentials(draw, seeds):
    return np.array([draw(seed) for seed in range(seeds)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="", help="problems whose name holds this")
    options = parser.parse_args()
    from sklearn.cluster import kmeans_plusplus

    from statfast.cluster.passes import potential
    from statfast.cluster.seeding import plus_plus
    from statfast.cluster.survey import survey

    print("| problem | statfast | scikit-learn | ratio | standard error |\n|---|---|---|---|---|")
    for problem in SEEDING:
        if options.only not in problem.name or not any(shape in problem.name for shape in SHAPES):
            continue
        given = problem.data()
        X, k = given["X"], given["k"]
        data = survey(X, None, None)

        def left(centers, data=data):
            return potential(data.rows, None, centers, data.frame(centers))

        def ours(seed, data=data, k=k, left=left):
            return left(plus_plus(data, k, np.random.default_rng(seed)))

        def theirs(seed, X=X, k=k, left=left):
            return left(kmeans_plusplus(X, k, random_state=seed)[0])

        a, b = potentials(ours, options.seeds), potentials(theirs, options.seeds)
        error = np.hypot(a.std(ddof=1), b.std(ddof=1)) / np.sqrt(options.seeds) / b.mean()
        name = problem.name.removeprefix("start and one iteration: ")
        ratio = a.mean() / b.mean()
        print(
            f"| {name} | {a.mean():.6g} | {b.mean():.6g} | {ratio:.4f} | {error:.4f} |", flush=True
        )


if __name__ == "__main__":
    main()
