# SPDX-License-Identifier: BSD-3-Clause
"""The tour, ``python -m statfast``: every family on real data, beside the known answers.

To add a family, write a function that returns a `Finding` (or None where its data are missing)
and name it in `FAMILIES`.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import statfast
from statfast._core.tile import tiles
from statfast._engine import usable_threads
from statfast.cluster import KMeans, KMedoids, linkage
from statfast.datasets import load_digits, load_iris, load_mnist, load_wine
from statfast.decomposition import PCA
from statfast.ensemble import AdaBoostClassifier
from statfast.generative import LinearDiscriminantAnalysis, MixedNB
from statfast.generative import QuadraticDiscriminantAnalysis as QuadraticRule
from statfast.linear import GeneralizedLinearModel
from statfast.metrics import ranking_error, score_decomposition
from statfast.model_selection import StratifiedKFold, cross_validate
from statfast.neighbors import KNeighborsClassifier, TangentDistanceClassifier
from statfast.svm import SVC
from statfast.tree import DecisionTreeClassifier, pruning_table

WIDTH = 90


@dataclass(frozen=True)
class Finding:
    """What a family found, to be shown and judged."""

    title: str
    lines: list[str]
    agrees: bool  # with the known answer
    seconds: float


def discriminant_analysis() -> Finding:
    """Wine cultivars from two measurements, against the published tables."""
    wine = load_wine()
    X = wine.data[:, [wine.feature_names.index(name) for name in ("alcohol", "flavanoids")]]
    known = [[56, 3, 0], [4, 60, 7], [0, 0, 48]]
    known_quadratic = 167, 166  # the latter by R, which keeps the priors of all rows
    shares = np.bincount(wine.target) / len(wine.target)

    start = time.perf_counter()
    predicted = LinearDiscriminantAnalysis().fit(X, wine.target).predict(X)
    model = QuadraticRule(method="moment", priors=shares).fit(X, wine.target)
    said = model.predict(X), model.leave_one_out(X, wine.target, method="predict")
    seconds = time.perf_counter() - start

    table = cross_table(wine.target, predicted)
    quadratic = tuple(int((labels == wine.target).sum()) for labels in said)
    return Finding(
        "Discriminant analysis: wine by alcohol and flavanoids, 178 x 2, 3 cultivars",
        [
            *beside("cultivar", wine.target_names, "classified as", table, known),
            "by quadratic rules {}, with each left out {}; known {}, {}".format(
                *quadratic, *known_quadratic
            ),
            f"correct: {table.trace()} of 178, known 164",
        ],
        table.tolist() == known and quadratic == known_quadratic,
        seconds,
    )


def model_selection() -> Finding:
    """Ten folds of iris from merged statistics, beside the same folds fitted one by one."""
    iris = load_iris()
    model, folds = LinearDiscriminantAnalysis(), StratifiedKFold(10)

    start = time.perf_counter()
    found = cross_validate(model, iris.data, iris.target, cv=folds)
    seconds = time.perf_counter() - start

    known = [
        model.fit(iris.data[train], iris.target[train]).score(iris.data[test], iris.target[test])
        for train, test in folds.split(iris.data, iris.target)
    ]
    scores = found["test_score"].tolist()
    return Finding(
        f"Cross-validation by {found['path']}: LDA of iris, 10 folds",
        [f"accuracy: {np.mean(scores):.3f}, by refits of each fold {np.mean(known):.3f}"],
        scores == known,
        seconds,
    )


def principal_components() -> Finding:
    """Variance of the iris measurements along their components, against R's ``prcomp``."""
    iris = load_iris()
    known = [0.924619, 0.053066, 0.017103, 0.005212]

    start = time.perf_counter()
    model = PCA().fit(iris.data)
    seconds = time.perf_counter() - start

    shares = model.explained_variance_ratio_.round(6).tolist()
    return Finding(
        "Principal components: iris, 150 x 4",
        [
            f"share of the variance: {', '.join(f'{share:.6f}' for share in shares)}",
            f"known:                 {', '.join(f'{share:.6f}' for share in known)}",
        ],
        shares == known,
        seconds,
    )


def clustering() -> Finding:
    """Iris flowers in three clusters, against R's optimum and the species."""
    iris = load_iris()
    known = [[50, 0, 0], [0, 48, 2], [0, 14, 36]]
    known_inertia = 78.851441426146

    start = time.perf_counter()
    model = KMeans(n_clusters=3, n_init=10, random_state=0).fit(iris.data)
    seconds = time.perf_counter() - start

    table = cross_table(iris.target, in_order_of_appearance(model.labels_))
    return Finding(
        "k-means: iris, 150 x 4, 3 clusters, best of 10 starts",
        [
            *beside("species", iris.target_names, "cluster", table, known),
            f"inertia: {model.inertia_:.6f}, known {known_inertia:.6f}",
        ],
        table.tolist() == known and abs(model.inertia_ - known_inertia) < 1e-9 * known_inertia,
        seconds,
    )


def medoids_and_hierarchy() -> Finding:
    """Iris flowers about three medoids, and Ward's hierarchy of them, against R's."""
    iris = load_iris()
    known, known_mean = [8, 79, 113], 0.6542076992151403  # cluster::pam, rows counted from 1
    known_height = 32.44760699959244

    start = time.perf_counter()
    model = KMedoids(n_clusters=3).fit(iris.data)
    height = linkage(iris.data, "ward")[-1, 2]
    seconds = time.perf_counter() - start

    medoids, mean = sorted(model.medoid_indices_ + 1), model.inertia_ / len(iris.data)
    return Finding(
        "k-medoids and Ward's hierarchy: iris, 150 x 4",
        [
            f"medoids: {', '.join(map(str, medoids))}, known {', '.join(map(str, known))}; "
            f"mean distance: {mean:.6f}, known {known_mean:.6f}",
            f"height of the last merge: {height:.6f}, known {known_height:.6f}",
        ],
        medoids == known
        and abs(mean - known_mean) < 1e-12
        and abs(height - known_height) < 1e-12 * known_height,
        seconds,
    )


def nearest_neighbors() -> Finding:
    """Handwritten digits, against brute force in integers."""
    digits = load_digits()
    X, y = digits.data, digits.target
    known = 769  # by all distances in integers, ties to the lowest index, then the lowest digit
    known_tangent = 777  # by least squares on the 100 nearest

    start = time.perf_counter()
    models = KNeighborsClassifier(n_neighbors=3), TangentDistanceClassifier()
    predicted = [model.fit(X[:1000], y[:1000]).predict(X[1000:]) for model in models]
    seconds = time.perf_counter() - start

    correct, tangent = (int((labels == y[1000:]).sum()) for labels in predicted)
    return Finding(
        "3 nearest neighbors: handwritten digits 8 x 8, the last 797 against the first 1000",
        [
            f"correct: {correct} of 797, known {known}",
            f"1 nearest in tangent distance: {tangent} of 797, known {known_tangent}",
        ],
        (correct, tangent) == (known, known_tangent),
        seconds,
    )


def generalized_linear_model() -> Finding:
    """Counts of a randomized trial (Dobson 1990, page 93), against R's ``?glm``."""
    counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    outcome, treatment = np.tile([1, 2, 3], 3), np.repeat([1, 2, 3], 3)
    X = np.column_stack([outcome == 2, outcome == 3, treatment == 2, treatment == 3])
    known, known_error = 5.12914107700115, 0.202170759193845  # deviance, error of outcome 2

    start = time.perf_counter()
    model = GeneralizedLinearModel("poisson").fit(X, counts)
    seconds = time.perf_counter() - start

    deviance, error = model.deviance_, model.standard_errors_[1]
    return Finding(
        "Poisson regression: counts of a randomized trial, 9 x 4",
        [
            f"deviance: {deviance:.6f}, known {known:.6f}",
            f"a standard error: {error:.6f}, known {known_error:.6f}",
        ],
        abs(deviance - known) < 1e-10 and abs(error - known_error) < 1e-10,
        seconds,
    )


def support_vectors() -> Finding:
    """Iris species by their standardized measurements, against R's e1071."""
    iris = load_iris()
    X = (iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0, ddof=1)
    known, known_value = [8, 22, 22], 1.1960717629096254

    start = time.perf_counter()
    model = SVC(gamma=0.25, tol=1e-10, decision_function_shape="ovo").fit(X, iris.target)
    value = model.decision_function(X[:1])[0, 0]
    correct = int((model.predict(X) == iris.target).sum())
    seconds = time.perf_counter() - start

    counts = model.n_support_.tolist()
    return Finding(
        "Support vector machine: iris, 150 x 4, Gaussian kernel",
        [
            f"support vectors: {', '.join(map(str, counts))}, known {', '.join(map(str, known))}; "
            f"correct: {correct} of 150, known 146",
            f"value of the first flower: {value:.6f}, known {known_value:.6f}",
        ],
        counts == known and correct == 146 and abs(value - known_value) < 1e-6,
        seconds,
    )


def mnist() -> Finding | None:
    """MNIST's test images, against the published error; None without its files."""
    try:
        data = load_mnist()
    except FileNotFoundError:
        return None

    known = {"nearest": [309, 283, 307, 301, 331, 327], "lowest": [309, 295, 312, 306, 341, 332]}
    ks = range(1, 12, 2)

    def errors(k, ties):
        labels = model.set_params(n_neighbors=k, ties=ties).predict(data.X_test)
        return int((labels != data.y_test).sum())

    start = time.perf_counter()
    model = KNeighborsClassifier().fit(data.X_train, data.y_train)
    nearest = errors(1, "nearest")
    seconds = time.perf_counter() - start
    wrong = {ties: [errors(k, ties) for k in ks] for ties in known}

    lines = {
        "k": ks,
        **{f'errors, ties="{ties}"': count for ties, count in wrong.items()},
        "errors in the literature": [309, 294, 313, 310, 343, 334],
    }
    return Finding(
        f"nearest neighbors: MNIST, {len(data.y_test)} images against {len(data.y_train)}, exact",
        [
            *(f"{name:<32}" + "".join(f"{n:6d}" for n in row) for name, row in lines.items()),
            f"1 nearest: {nearest} errors, known 309 = 3.09 %",
        ],
        wrong == known,
        seconds,
    )


def evaluation() -> Finding:
    """The leaves of a scoring tree, ranked, and the parts of a score, against the known answers."""
    positive, leaf = [1, 0] * 3, [3, 3, 2, 2, 1, 1]
    counts, known, known_parts = [20, 5, 10, 5, 20, 40], "29/100", (0.75, 0.625, 0.125, 0.25)

    start = time.perf_counter()
    error = ranking_error(positive, leaf, sample_weight=counts, as_fraction=True)
    parts = score_decomposition([0, 0, 1, 1], [-1.0, 1.0, 1.0, 2.0])
    seconds = time.perf_counter() - start

    return Finding(
        "Evaluation: a tree of three leaves ranked, a score and its parts",
        [
            f"ranking error: {error}, known {known}; score: {parts.score:g} = "
            f"{parts.miscalibration:g} - {parts.discrimination:g} + {parts.uncertainty:g}",
        ],
        str(error) == known and bool(np.allclose(parts, known_parts, rtol=1e-14)),
        seconds,
    )


def naive_bayes() -> Finding:
    """Who survived the Titanic, by class, sex and age (R's ``Titanic``), against e1071."""
    kinds = [(c, s, a) for a in ("child", "adult") for s in "mf" for c in ("1", "2", "3", "crew")]
    died = [0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3]
    survived = [5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20]
    X, y = np.array(kinds * 2, dtype=object), np.repeat([0, 1], 16)
    known = [0.303940701063754, 0.900729937509144]

    start = time.perf_counter()
    model = MixedNB(alpha=0.0).fit(X, y, sample_weight=np.array(died + survived, dtype=float))
    asked = np.array([("3", "m", "child"), ("1", "f", "adult")], dtype=object)
    chances = model.predict_proba(asked)[:, 1]
    seconds = time.perf_counter() - start

    return Finding(
        "Naive Bayes: survival on the Titanic, 2201 people by class, sex and age",
        [
            "boy of the 3rd class: {:.6f}, woman of the 1st: {:.6f}".format(*chances),
            "known:                {:.6f},                   {:.6f}".format(*known),
        ],
        bool(np.allclose(chances, known, rtol=1e-12)),
        seconds,
    )


def trees() -> Finding:
    """A tree for iris and its table of penalties, against R's rpart."""
    iris = load_iris()
    known = ([2.45, 1.75], [50, 54, 46]), ([0.5, 0.44, 0.01], [1.0, 0.5, 0.06])

    start = time.perf_counter()
    model = DecisionTreeClassifier(max_depth=2, min_samples_split=20, min_samples_leaf=7)
    tree = model.fit(iris.data, iris.target).tree_
    table = pruning_table(model, iris.data, iris.target, cv=5, random_state=0)
    seconds = time.perf_counter() - start

    leaf = tree.children_left < 0
    grown = tree.threshold[~leaf].tolist(), tree.n_node_samples[leaf].tolist()
    pruned = table.cp.round(12).tolist(), table.rel_error.round(12).tolist()
    return Finding(
        "Classification tree: iris, 150 x 4",
        [
            "thresholds {}, leaves {}; known {}, {}".format(*grown, *known[0]),
            "penalties of a leaf {}, errors {}".format(*pruned),
            "known:              {},        {}".format(*known[1]),
        ],
        (grown, pruned) == known,
        seconds,
    )


def boosting() -> Finding:
    """AdaBoost on ten points that three stumps part, against the votes that its authors give."""
    across, up = [4, 6, 2, 7, 3, 5, 9, 0, 8, 1], [2, 9, 3, 6, 0, 4, 8, 7, 5, 1]
    X, y = np.column_stack([across, up]).astype(float), np.tile([1, 0], 5)
    known = np.log([7 / 3, 11 / 3, 19 / 3]) / 2.0

    start = time.perf_counter()
    stump = DecisionTreeClassifier(max_depth=1, criterion="error")
    model = AdaBoostClassifier(stump, n_estimators=3).fit(X, y)
    seconds = time.perf_counter() - start

    errors = model.training_errors_.tolist()
    return Finding(
        "AdaBoost: three stumps for ten points",
        [
            f"training error: {errors[-1]:g}, known 0",
            f"votes: {', '.join(f'{a:.5f}' for a in model.alphas_)}, known "
            f"{', '.join(f'{a:.5f}' for a in known)}",
        ],
        bool(np.allclose(model.alphas_, known, rtol=1e-12)) and errors[-1] == 0.0,
        seconds,
    )


FAMILIES: tuple[Callable[[], Finding | None], ...] = (
    discriminant_analysis,
    model_selection,
    principal_components,
    clustering,
    medoids_and_hierarchy,
    nearest_neighbors,
    generalized_linear_model,
    support_vectors,
    naive_bayes,
    trees,
    boosting,
    evaluation,
    mnist,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tour; 0 if every known answer was met, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m statfast",
        description="Fit every family on real data and compare with the known answers. MNIST is "
        "classified too where the environment variable STATFAST_DATA names the folder above it.",
    )
    parser.parse_args(arguments)
    import scipy.linalg  # here, so that no family is charged for loading it

    threads = usable_threads()
    print(
        f"statfast {statfast.__version__}: {threads} thread{'s' if threads > 1 else ''}, "
        f"kernels for {tiles.isa()}, numpy {np.__version__}, scipy {scipy.__version__}"
    )
    agreed = True
    for family in FAMILIES:
        finding = family()
        if finding is None:
            print(f"\n{family.__name__}: data not found; set STATFAST_DATA to the folder above it")
            continue
        verdict = "as known" if finding.agrees else "NOT AS KNOWN"
        print(f"\n{finding.title}")
        for line in finding.lines[:-1]:
            print(f"    {line}")
        last = f"    {finding.lines[-1]}: {verdict}".ljust(WIDTH - 10)
        print(last + duration(finding.seconds), flush=True)
        agreed = agreed and finding.agrees
    print("\nEvery answer is the known one." if agreed else "\nSome answer is NOT the known one.")
    return 0 if agreed else 1


def duration(seconds: float) -> str:
    """Seconds in eight columns and a unit."""
    return f"{1e3 * seconds:8.1f} ms" if seconds < 1.0 else f"{seconds:8.2f} s"


def cross_table(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How often each pair of codes occurs."""
    table = np.zeros((rows.max() + 1, columns.max() + 1), dtype=int)
    np.add.at(table, (rows, columns), 1)
    return table


def in_order_of_appearance(labels: np.ndarray) -> np.ndarray:
    """Clusters numbered in the order in which the rows come to them."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[codes]


def beside(rows: str, names: Sequence[str], columns: str, ours, known) -> list[str]:
    """Our table of counts and the known one, side by side."""
    left = max(map(len, [rows, *names]))
    wide = 5 * len(ours[0])
    lines = [f"{rows:<{left}}{columns:>{wide + 3}}{'known':>{wide + 3}}"]
    for name, mine, theirs in zip(names, ours, known, strict=True):
        counts = ["".join(f"{count:5d}" for count in part) for part in (mine, theirs)]
        lines.append(f"{name:<{left}}   {counts[0]}   {counts[1]}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
