# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``tree`` (and their pruning) and ``forest``."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

TREES = 100

# --- data and problems ---


def tree_data(n, p, classes, seed, *, depth=None, test=0, kind="normal"):
    """A sum, a product and noise decide. `classes` 0: numbers.

    Columns are normal; halves of whole numbers ("ties"); or ten for each category ("one-hot").
    """
    rng = np.random.default_rng(seed)
    if kind == "one-hot":
        effect = 2.0 * rng.standard_normal(p)
        X = np.eye(10)[rng.integers(10, size=(n + test, p // 10))].reshape(n + test, p)
        signal = X @ effect + 2.0 * (X[:, :5].sum(axis=1) == X[:, 10:15].sum(axis=1))
    else:
        X = rng.standard_normal((n + test, p)).astype(np.float32).astype(np.float64)
        X = np.rint(2.0 * X) / 2.0 if kind == "ties" else X
        signal = X[:, : min(p // 4, 5)].sum(axis=1) + 2 * X[:, 1] * X[:, 2]
    noisy = signal + 0.5 * rng.standard_normal(n + test)
    y = noisy
    if classes:
        cuts = np.quantile(noisy, np.arange(1, classes) / classes)
        y = np.digitize(noisy, cuts)
    return {"X": X[:n], "y": y[:n], "Z": X[n:], "z": y[n:], "depth": depth, "classes": classes}


def _tree(n, p, classes, depth, *, group="", beyond=False):
    kind = f"K={classes}" if classes else "numbers"
    name = f"tree {n}x{p} {kind} {f'depth {depth}' if depth else 'to purity'}"
    make = partial(tree_data, n, p, classes, depth=depth)
    return Problem(name, "cart", make, beyond=beyond, group=group, hopeless=60.0)


def _prune(n, p, *, group="", beyond=False):
    make = partial(tree_data, n, p, 2, test=n // 3)
    name = f"prune by 10 folds {n}x{p}"
    return Problem(name, "prune", make, beyond=beyond, group=group, limit=3600.0)


def _forest(n, p, classes, kind="normal", *, group="", beyond=False):
    name = f"forest {n}x{p} {f'K={classes}' if classes else 'numbers'}"
    name += "" if kind == "normal" else f" {kind}"
    task = "forest classes" if classes else "forest numbers"
    make = partial(tree_data, n, p, classes, test=max(500, n // 3), kind=kind)
    return Problem(name, task, make, beyond=beyond, group=group, hopeless=15.0)


# --- adapters ---


class Tree(Estimator):
    """A single tree on float64 rows that float32 holds; the leaf of each row."""

    def prepare(self, data, threads):
        kind = "Classifier" if data["classes"] else "Regressor"
        self.X, self.y = data["X"], data["y"]
        self.path = f"{self.path}{kind}"
        given = {"max_depth": data["depth"], "random_state": 0}
        self.model = self.estimator(threads=threads, **given)
        self.path = self.path.removesuffix(kind)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"leaf": self.model.apply(self.X)}


class YdfTree(Adapter):
    """Yggdrasil's CART, without pruning; a root alone has depth 1."""

    def prepare(self, data, threads):
        import ydf

        ydf.verbose(0)
        self.train = {f"c{j}": column for j, column in enumerate(data["X"].T.copy())}
        self.train["y"] = data["y"]
        task = ydf.Task.CLASSIFICATION if data["classes"] else ydf.Task.REGRESSION
        self.learner = ydf.CartLearner(
            label="y", task=task, validation_ratio=0.0, min_examples=1, num_threads=threads,
            max_depth=data["depth"] + 1 if data["depth"] else -1,
        )  # fmt: skip

    def fit(self):
        self.model = self.learner.train(self.train)

    def answer(self):
        return {"leaf": self.model.predict_leaves(self.train)[:, 0]}


LEAF = 5  # rows of a leaf of trees that are pruned


class Table(Adapter):
    """All prunings of a tree, judged by ten folds; what the best says of rows held out."""

    def prepare(self, data, threads):
        from statfast.tree import DecisionTreeClassifier

        self.data, self.model = data, DecisionTreeClassifier(min_samples_leaf=LEAF, n_jobs=threads)

    def fit(self):
        from statfast.tree import pruning_table

        fold = np.arange(len(self.data["X"])) % 10
        self.table = pruning_table(self.model, self.data["X"], self.data["y"], cv=fold, cp=0.0)

    def answer(self):
        return {"predictions": self.table.pruned("best").predict(self.data["Z"])}


class Search(Adapter):
    """scikit-learn's search by ten folds, over ten penalties of those that the path has."""

    def prepare(self, data, threads):
        from sklearn.tree import DecisionTreeClassifier

        self.data, self.threads = data, threads
        self.model = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=0)

    def fit(self):
        from sklearn.model_selection import GridSearchCV

        X, y = self.data["X"], self.data["y"]
        alphas = self.model.cost_complexity_pruning_path(X, y).ccp_alphas
        alphas = alphas[alphas > 0]
        some = np.geomspace(alphas[0], alphas[-1], 11)[:-1]
        self.search = GridSearchCV(self.model, {"ccp_alpha": some}, cv=10, n_jobs=self.threads)
        self.search.fit(X, y)

    def answer(self):
        return {"predictions": self.search.predict(self.data["Z"])}


class Forest(Estimator):
    """A forest, and what it says of rows held out."""

    timed_fit = True

    def prepare(self, data, threads):
        self.data = data
        self.model = self.estimator(threads=threads)
        if not self.timed_fit:
            self.model.fit(data["X"], data["y"])

    def fit(self):
        if self.timed_fit:
            self.model.fit(self.data["X"], self.data["y"])

    def answer(self):
        return {"predictions": np.asarray(self.model.predict(self.data["Z"])).ravel()}


class LightGBM(Forest):
    """As many leaves as there can be, up to what its histograms have memory for."""

    def prepare(self, data, threads):
        self.options["num_leaves"] = min(len(data["X"]), 16384)
        super().prepare(data, threads)


class Ydf(Adapter):
    """Yggdrasil: exact splits by sorting."""

    def __init__(self, task):
        self.task = task

    def prepare(self, data, threads):
        import ydf

        ydf.verbose(0)
        self.names = [f"c{j}" for j in range(data["X"].shape[1])]
        self.train = dict(zip(self.names, data["X"].T.copy(), strict=True))
        self.train["y"] = data["y"]
        self.test = dict(zip(self.names, data["Z"].T.copy(), strict=True))
        self.classes = data["classes"]
        task = ydf.Task.CLASSIFICATION if data["classes"] else ydf.Task.REGRESSION
        p = len(self.names)
        self.learner = ydf.RandomForestLearner(
            label="y", task=task, num_trees=TREES, max_depth=-1, min_examples=1,
            num_candidate_attributes=int(p**0.5) if data["classes"] else p,
            winner_take_all=False, compute_oob_performances=False, num_threads=threads,
        )  # fmt: skip

    def fit(self):
        self.model = self.learner.train(self.train)

    def answer(self):
        said = self.model.predict(self.test)
        if self.classes:
            said = (said > 0.5).astype(int) if said.ndim == 1 else said.argmax(axis=1)
        return {"predictions": np.asarray(said, dtype=np.float64)}


# --- checks ---


def grown(X, y, classes, depth):
    """The loss left in the leaves of a greedy tree, level by level in numpy: Gini or squares."""
    sums = np.eye(classes)[y] if classes else (y - y.mean())[:, None]
    leaf, left = np.zeros(len(X), np.int64), 0.0
    for _ in range(depth):
        best, cut = np.full(leaf.max() + 1, -np.inf), {}
        for j, column in enumerate(X.T):
            order = np.lexsort((column, leaf))
            inside, x = leaf[order], column[order]
            first = np.searchsorted(inside, np.arange(leaf.max() + 2))
            total = np.cumsum(sums[order], axis=0)
            before = np.vstack([np.zeros(sums.shape[1]), total])[first[:-1]]
            whole = np.vstack([np.zeros(sums.shape[1]), total])[first[1:]] - before
            L = total - before[inside]
            n = np.arange(len(X)) - first[inside] + 1.0
            m = (first[1:] - first[:-1])[inside]
            with np.errstate(divide="ignore", invalid="ignore"):
                gain = (L**2).sum(1) / n + ((whole[inside] - L) ** 2).sum(1) / (m - n)
            open_ = np.append((x[1:] > x[:-1]) & (inside[1:] == inside[:-1]), False)
            gain[~open_] = -np.inf
            for node in range(leaf.max() + 1):
                part = slice(first[node], first[node + 1])
                if first[node + 1] > first[node] and gain[part].max() > best[node]:
                    at = first[node] + gain[part].argmax()
                    best[node], cut[node] = gain[at], (j, (x[at] + x[at + 1]) / 2)
        below = leaf * 2
        for node, (j, threshold) in cut.items():
            own = leaf == node
            below[own] += X[own, j] > threshold
        leaf = np.unique(below, return_inverse=True)[1]
    left = loss_of(leaf, sums)
    return left


def loss_of(leaf, sums):
    leaf = np.unique(leaf, return_inverse=True)[1]
    n = np.bincount(leaf)
    own = np.column_stack([np.bincount(leaf, column) for column in sums.T])
    return float((sums**2).sum() - ((own**2).sum(1) / n).sum())


class TreeCheck(Check):
    """The loss in the leaves against that of the greedy tree; to purity none is left."""

    def __init__(self, data):
        self.y, self.depth = data["y"], data["depth"]
        K = data["classes"]
        self.sums = np.eye(K)[self.y] if K else (self.y - self.y.mean())[:, None]
        self.parts = {"leaf": (len(self.y),)}
        self.want = grown(data["X"], self.y, K, data["depth"]) if data["depth"] else 0.0

    def errors(self, answer):
        leaf = np.asarray(answer["leaf"])
        got, most = loss_of(leaf, self.sums), 2 ** (self.depth or 40)
        few = len(np.unique(leaf)) <= min(most, len(leaf) // 2 if not self.depth else most)
        if self.sums.shape[1] == 1 and not self.depth:
            few = True  # a leaf for each row
        excess = (got - self.want) / (self.sums**2).sum()
        return {"loss beyond the greedy tree's": excess if few else 1.0}


class ForestCheck(Check):
    """The error on rows held out, as a share of that of the best guess without columns.

    Of classes, which are in order, the distance between them; of numbers, its square.
    """

    def __init__(self, data):
        self.truth, self.classes = data["z"], data["classes"]
        self.parts = {"predictions": (len(self.truth),)}

    def errors(self, answer):
        said = np.asarray(answer["predictions"], dtype=np.float64)
        if len(self.truth) < 100:  # too few to tell
            return {"error": 0.0 if np.isin(said, np.arange(self.classes)).all() else 1.0}
        if self.classes:
            guess = np.abs(self.truth - np.median(self.truth)).mean()
            return {"error": np.abs(said - self.truth).mean() / guess}
        return {"error": np.mean((said - self.truth) ** 2) / self.truth.var()}


# --- the suites ---

TREE = Suite(
    name="tree",
    title="one exact tree",
    family="trees and ensembles",
    problems=[
        _tree(1_000_000, 20, 2, None, group="tree"),
        _tree(1_000_000, 20, 2, 8, group="tree"),
        _tree(100_000, 20, 7, 8, beyond=True),
        _tree(100_000, 20, 0, None, beyond=True),
        _tree(10_000, 100, 2, None, beyond=True),
        _tree(1_000, 5, 2, None, beyond=True),
        _prune(100_000, 20, group="prune"),
        _prune(10_000, 20, beyond=True),
    ],
    quick=[_tree(2_000, 6, 3, 4), _tree(2_000, 6, 2, None), _tree(1_000, 4, 0, 3), _prune(600, 5)],
    growth=Growth(1_000_000, lambda n: _tree(n, 20, 2, None, group="tree")),
    libraries={
        "statfast": Library(
            {"cart": partial(Tree, "statfast.tree.DecisionTree"), "prune": Table}
        ),
        "scikit-learn": Library(
            {
                "cart": partial(Tree, "sklearn.tree.DecisionTree", threaded=False),
                "prune": Search,
            }
        ),
        "ydf": Library({"cart": YdfTree}),
    },
    checks={"cart": TreeCheck, "prune": ForestCheck},
    tolerances={
        "cart": Tolerances({"loss beyond the greedy tree's": 1e-9}),
        "prune": Tolerances({"error": 0.7}),
    },
    bars={
        "tree": [
            Bar("one exact tree, 1e6 x 20", ("scikit-learn",), least=20.0),
            Bar("the same", ("ydf",), least=2.0),
        ],
        "prune": [Bar("pruning by ten folds, 1e5 x 20", ("scikit-learn",), least=20.0)],
        "": [Bar("other shapes")],
    },
)  # fmt: skip


def _forests(kind):
    deep = {"n_estimators": TREES, "random_state": 0}
    own = f"statfast.ensemble.RandomForest{kind}"
    theirs = f"sklearn.ensemble.RandomForest{kind}"
    intel = f"sklearnex.ensemble.RandomForest{kind}"
    boosted = {"subsample": 0.632, "learning_rate": 1.0, "max_depth": 0, "n_estimators": 1}
    share = {"colsample_bynode": 0.2 if kind == "Classifier" else 1.0}
    bagged = {
        "boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.632,
        "min_child_samples": 1, "min_child_weight": 0.0, "n_estimators": TREES, "verbose": -1,
        "histogram_pool_size": 1024, "feature_fraction_bynode": share["colsample_bynode"],
    }  # fmt: skip
    xgb = {**boosted, **share, "num_parallel_tree": TREES, "reg_lambda": 0.0, "max_leaves": 0}
    return {
        "statfast": partial(Forest, own, **deep),
        "scikit-learn": partial(Forest, theirs, **deep),
        "scikit-learn-intelex": partial(Forest, intel, **deep),
        "xgboost": partial(Forest, f"xgboost.XGB{kind}", **xgb),
        "lightgbm": partial(LightGBM, f"lightgbm.LGBM{kind}", **bagged),
    }


def _libraries():
    classes, numbers = _forests("Classifier"), _forests("Regressor")
    found = {
        name: Library({"forest classes": classes[name], "forest numbers": numbers[name]})
        for name in classes
    }
    found["ydf"] = Library({t: partial(Ydf, t) for t in ("forest classes", "forest numbers")})
    return found


FOREST = Suite(
    name="forest",
    title="random forests of 100 trees (fit + predictions)",
    family="trees and ensembles",
    problems=[
        _forest(37_500, 20, 2, group="classes"),
        _forest(37_500, 20, 0, group="numbers"),
        *(_forest(*shape, group="grid", beyond=True) for shape in (
            (1_000, 5, 2), (1_000, 5, 0), (1_000, 20, 10), (1_000, 100, 2), (10_000, 100, 2),
            (10_000, 500, 2), (10_000, 20, 10), (10_000, 20, 0), (100_000, 5, 2), (100_000, 20, 7),
            (100_000, 20, 0), (1_000_000, 20, 2), (10_000, 20, 2, "ties"), (100_000, 20, 2, "ties"),
            (10_000, 20, 0, "ties"), (10_000, 100, 2, "one-hot"), (100_000, 100, 7, "one-hot"),
            (10_000, 100, 0, "one-hot"),
        )),
    ],
    quick=[
        _forest(600, 8, 2), _forest(600, 30, 3, "one-hot"), _forest(600, 8, 0),
        _forest(600, 8, 0, "ties"),
    ],
    growth=Growth(37_500, lambda n: _forest(n, 20, 0, group="numbers")),
    libraries=_libraries(),
    checks={"forest classes": ForestCheck, "forest numbers": ForestCheck},
    tolerances={task: Tolerances({"error": 0.7}) for task in ("forest classes", "forest numbers")},
    bars={
        "classes": [
            Bar("forest, 37 500 x 20, two classes", least=2.5),
            Bar("the same", ("scikit-learn",), least=20.0),
        ],
        "numbers": [
            Bar("forest, 37 500 x 20, numbers", ("scikit-learn",), least=15.0),
            Bar("the same", ("ydf",), least=2.0),
        ],
        "grid": [Bar("forests of other shapes", least=1.3)],
    },
)  # fmt: skip
