# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``boosting``: gradient boosting on histograms, and AdaBoost of stumps.

``python -m benchmarks.suites.tree.boosting`` prints areas under the curve by library and seed,
on new rows so many that differences of .0005 show. The scores of these problems rise with single
columns: where they are products alone, which of two columns of noise a tree splits first moves the
area by .0015 from seed to seed, in every library.
"""

import argparse
from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances, relative_difference
from benchmarks.harness.problem import SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

ROUNDS, TESTED, STUMPS = 100, 20_000, 100
FIRST = 3  # stumps whose weights are looked at
JUDGED = 300_000  # new rows that tell areas apart

# --- data and problems ---


def _rows(n, d, rng):
    X = rng.standard_normal((n, d)).astype(np.float32).astype(np.float64)
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] ** 2 - 0.5
    score += 0.4 * X[:, 4] + 0.3 * X[:, 5] * X[:, 6]
    return X, score


def _rising_rows(n, d, rng):
    X, _ = _rows(n, d, rng)
    score = X[:, 0] + 0.7 * X[:, 1] + 0.5 * X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
    score += 0.5 * X[:, 3] ** 2 - 0.5 + 0.4 * X[:, 4] + 0.3 * np.maximum(X[:, 5], X[:, 6])
    return X, score


def _boosting_data(n, d, leaves, seed, *, tested=TESTED, rows=_rows):
    rng = np.random.default_rng(seed)
    X, score = rows(n, d, rng)
    new, truth = rows(tested, d, rng)
    y = (score + rng.logistic(size=n) > 0).astype(int)
    return {"X": X, "y": y, "new": new, "truth": truth, "leaves": leaves}


def _boosting(n, d, leaves, group="", *, beyond=False):
    name = f"boosting {n}x{d}, {ROUNDS} trees, {leaves} leaves"
    additions = 2.0 * ROUNDS * n * d * np.log2(leaves) / 2.0  # of the smaller children
    make = partial(_boosting_data, n, d, leaves)
    return Problem(name, "boost", make, "float64", additions, n * d * SIZES["float64"], ROUNDS,
                   beyond, group)  # fmt: skip


def _stump_data(n, d, seed):
    rng = np.random.default_rng(seed)
    X, score = _rows(n, d, rng)
    return {"X": X, "y": (score + rng.logistic(size=n) > 0).astype(int)}


def _stumps(n, d, group="", *, beyond=False):
    name = f"AdaBoost {n}x{d}, {STUMPS} stumps"
    make = partial(_stump_data, n, d)
    flops = 2.0 * STUMPS * n * d
    return Problem(name, "stumps", make, "float64", flops, n * d * SIZES["float64"], STUMPS,
                   beyond, group)  # fmt: skip


# --- adapters ---


ANSWERS = {"answers": {"probabilities": "predict_proba"}, "asked": "new"}
BOOSTED = partial(FitThen, **ANSWERS)


STUMP_WEIGHTS = partial(FitThen, answers={"weights": "estimator_weights_"}, n_estimators=STUMPS)


class Threaded(FitThen):
    """An estimator whose threads are a parameter of another name than n_jobs."""

    def __init__(self, name, path, **options):
        super().__init__(path, threaded=False, **options)
        self.name = name

    def prepare(self, data, threads):
        self.options[self.name] = threads
        super().prepare(data, threads)


# --- the checks ---


def area(scores, positive):
    """The area under the ROC curve of scores without ties to speak of."""
    rank = np.empty(len(scores))
    rank[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    m = positive.sum()
    return (rank[positive].sum() - m * (m + 1) / 2) / (m * (len(scores) - m))


class BoostingCheck(Check):
    """What is lost of the area under the curve, and how far off probabilities are on average.

    Labels of the new rows are drawn; the true scores tell how well they can be ranked at all.
    """

    def __init__(self, data):
        self.truth = data["truth"]
        self.p = 1.0 / (1.0 + np.exp(-self.truth))
        self.positive = np.random.default_rng(0).random(len(self.p)) < self.p
        self.best = area(self.truth, self.positive)
        self.parts = {"probabilities": (len(self.p), 2)}

    def errors(self, answer):
        said = np.asarray(answer["probabilities"])[:, 1]
        return {
            "area lost": float(self.best - area(said, self.positive)),
            "mean off": float(abs(said.mean() - self.p.mean())),
        }


def first_votes(X, y, rounds):
    """The first weights of AdaBoost of stumps by Gini's index: every split is tried."""
    order = np.argsort(X, axis=0, kind="stable")
    weight, votes = np.full(len(y), 1.0 / len(y)), []
    for _ in range(rounds):
        best = (-1.0, None)
        for j, rows in enumerate(order.T):
            left = np.cumsum(weight[rows][:, None] * (y[rows][:, None] == [0, 1]), axis=0)
            right = left[-1] - left
            with np.errstate(invalid="ignore", divide="ignore"):
                score = sum((side**2).sum(1) / side.sum(1) for side in (left, right))[:-1]
            score[X[rows[1:], j] == X[rows[:-1], j]] = -1.0
            at = int(np.nanargmax(score))
            if score[at] > best[0]:
                best = (score[at], (rows[: at + 1], left[at].argmax(), right[at].argmax()))
        some, below, above = best[1]
        said = np.full(len(y), above)
        said[some] = below
        wrong = said != y
        error = weight[wrong].sum()
        votes.append(np.log((1.0 - error) / error))
        weight[wrong] *= np.exp(votes[-1])
        weight /= weight.sum()
    return np.array(votes)


def first_weights(data):
    """The first weights of stumps by a plain search."""
    return {"weights": Sample(STUMPS, slice(FIRST), first_votes(data["X"], data["y"], FIRST))}


# --- the suite ---

HIST = "HistGradientBoostingClassifier"
OPTIONS = {
    "max_iter": ROUNDS, "from_data": {"max_leaf_nodes": "leaves"}, "early_stopping": False,
}  # fmt: skip
LIGHTGBM = partial(
    BOOSTED,
    "lightgbm.LGBMClassifier",
    n_estimators=ROUNDS,
    from_data={"num_leaves": "leaves"},
    verbose=-1,
)
XGBOOST = partial(
    BOOSTED, "xgboost.XGBClassifier", n_estimators=ROUNDS, from_data={"max_leaves": "leaves"},
    max_depth=0, grow_policy="lossguide", tree_method="hist", max_bin=256, learning_rate=0.1,
)  # fmt: skip
QUANTIZED = partial(LIGHTGBM, use_quantized_grad=True)
CATBOOST = partial(
    Threaded, "thread_count", "catboost.CatBoostClassifier", **ANSWERS,
    from_data={"max_leaves": "leaves"}, iterations=ROUNDS, grow_policy="Lossguide", depth=16,
    learning_rate=0.1, allow_writing_files=False, verbose=False,
)  # fmt: skip
PERPETUAL = partial(
    Threaded, "num_threads", "perpetual.PerpetualBooster", **ANSWERS,
    objective="LogLoss", budget=0.5,
)  # fmt: skip
PEERS = ("lightgbm", "lightgbm (quantized)", "xgboost", "catboost", "perpetual")
SUITE = Suite(
    name="boosting",
    title="boosting (fit + probabilities of 20 000 rows)",
    family="trees and ensembles",
    problems=[
        _boosting(1_000_000, 28, 255, "large"),
        _boosting(100_000, 20, 31, "middle"),
        _boosting(10_000, 20, 31, "small"),
        _boosting(100_000, 200, 31, beyond=True),
        _stumps(50_000, 20, "stumps"),
        _stumps(5_000, 100, beyond=True),
    ],
    quick=[_boosting(3_000, 10, 31, "small"), _stumps(2_000, 8, "stumps")],
    growth=Growth(1_000_000, lambda n: _boosting(n, 28, 255, "large")),
    libraries={
        "statfast": Library(
            {
                "boost": partial(BOOSTED, f"statfast.ensemble.{HIST}", **OPTIONS),
                "stumps": partial(STUMP_WEIGHTS, "statfast.ensemble.AdaBoostClassifier"),
            }
        ),
        "scikit-learn": Library(
            {
                "boost": partial(
                    BOOSTED, f"sklearn.ensemble.{HIST}", threaded=False, **OPTIONS
                ),
                "stumps": partial(
                    STUMP_WEIGHTS, "sklearn.ensemble.AdaBoostClassifier", threaded=False
                ),
            }
        ),
        "lightgbm": Library({"boost": LIGHTGBM}),
        "lightgbm (quantized)": Library({"boost": QUANTIZED}, packages=("lightgbm",)),
        "catboost": Library({"boost": CATBOOST}),
        "perpetual": Library({"boost": PERPETUAL}),
        "xgboost": Library({"boost": XGBOOST}),
    },
    checks={"boost": BoostingCheck, "stumps": Check.of_twin(
        first_weights, {"relative error of a weight": relative_difference}
    )},
    tolerances={
        "boost": Tolerances({"area lost": 0.06, "mean off": 0.02}),
        "stumps": Tolerances({"relative error of a weight": 1e-6}),
    },
    bars={
        "large": [Bar("1e6 x 28, 255 leaves", PEERS, least=1.3)],
        "middle": [Bar("1e5 x 20, 31 leaves", PEERS, least=2.0)],
        "small": [Bar("1e4 x 20, 31 leaves", PEERS, least=3.0)],
        "stumps": [Bar("AdaBoost, 100 stumps, 5e4 x 20", ("scikit-learn",), least=80.0)],
        "": [Bar("other shapes")],
    },
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--shape", type=int, nargs=3, default=(100_000, 20, 31),
                        metavar=("ROWS", "COLUMNS", "LEAVES"))  # fmt: skip
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    makers = {name: found.adapters["boost"] for name, found in SUITE.libraries.items()}
    lost = {name: [] for name in makers}
    for seed in range(options.seeds):
        data = _boosting_data(*options.shape, seed, tested=JUDGED, rows=_rising_rows)
        check = BoostingCheck(data)
        for name, make in makers.items():
            adapter = make()
            adapter.prepare(data, options.threads)
            adapter.fit()
            lost[name].append(check.errors(adapter.answer())["area lost"])
    print("| library | area beyond statfast's | standard error | by seed |\n|---|---|---|---|")
    for name, losses in lost.items():
        beyond = np.subtract(lost["statfast"], losses)
        error = beyond.std(ddof=1) / len(beyond) ** 0.5 if len(beyond) > 1 else np.nan
        print(f"| {name} | {beyond.mean():+.5f} | {error:.5f} | {beyond.round(5).tolist()} |")


if __name__ == "__main__":
    main()
