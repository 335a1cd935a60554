# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``tree_predict``: what a forest that was grown before says of rows."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.tree.trees import TREES, Forest, ForestCheck, Ydf, tree_data

MAX_SPLITS = 20_000  # that tl2cgen compiles as C: more take gcc minutes

# --- problems ---


def _predict(n, m, p, *, group="", beyond=False):
    name = f"predict {m} rows, {TREES} trees grown on {n}x{p}"
    return Problem(
        name, "predict", partial(tree_data, n, p, 2, test=m), beyond=beyond, group=group
    )  # fmt: skip


# --- adapters ---


class Answers(Forest):
    timed_fit = False


class Treelite(Adapter):
    """scikit-learn's forest in Treelite's general predictor, on float32 rows."""

    def prepare(self, data, threads):
        import treelite
        from sklearn.ensemble import RandomForestClassifier

        self.forest = RandomForestClassifier(TREES, random_state=0, n_jobs=threads)
        self.model = treelite.sklearn.import_model(self.forest.fit(data["X"], data["y"]))
        self.rows, self.threads = data["Z"].astype(np.float32), threads
        self.general = treelite.gtil.predict

    def shares(self):
        return self.general(self.model, self.rows, nthread=self.threads)

    def answer(self):
        return {"predictions": self.shares().reshape(len(self.rows), -1).argmax(axis=1)}


class Tl2cgen(Treelite):
    """The same forest, written as C and compiled."""

    def prepare(self, data, threads):
        import tl2cgen

        super().prepare(data, threads)
        splits = sum(tree.tree_.node_count // 2 for tree in self.forest.estimators_)
        if splits > MAX_SPLITS:
            raise NotImplementedError(f"{splits} splits of C take too long to compile")
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name, "forest.so")
        tl2cgen.export_lib(
            self.model, toolchain="gcc", libpath=path, params={"parallel_comp": 16}, verbose=False
        )
        self.compiled = tl2cgen.Predictor(path, nthread=threads)
        self.matrix = tl2cgen.DMatrix(self.rows, dtype="float32")

    def shares(self):
        return self.compiled.predict(self.matrix)


class YdfAnswers(Ydf):
    """What Yggdrasil's forest says."""

    def prepare(self, data, threads):
        super().prepare(data, threads)
        super().fit()

    def fit(self):
        pass


# --- the suite ---

SUITE = Suite(
    name="tree_predict",
    title="predictions of a forest of 100 deep trees",
    family="trees and ensembles",
    problems=[
        _predict(37_500, 100_000, 20, group="many"),
        _predict(37_500, 1, 20, group="one"),
        _predict(5_000, 1_000, 20, beyond=True),
        _predict(1_000, 1_000, 20, beyond=True),
    ],
    quick=[_predict(500, 700, 8)],
    growth=Growth(100_000, lambda n: _predict(37_500, n, 20, group="many")),
    libraries={
        name: Library({"predict": partial(Answers, path, n_estimators=TREES, random_state=0)})
        for name, path in (
            ("statfast", "statfast.ensemble.RandomForestClassifier"),
            ("scikit-learn", "sklearn.ensemble.RandomForestClassifier"),
            ("scikit-learn-intelex", "sklearnex.ensemble.RandomForestClassifier"),
        )
    }
    | {
        "treelite": Library({"predict": Treelite}),
        "tl2cgen": Library({"predict": Tl2cgen}),
        "ydf": Library({"predict": partial(YdfAnswers, "forest classes")}),
    },
    checks={"predict": ForestCheck},
    tolerances={"predict": Tolerances({"error": 0.6})},
    bars={
        "many": [
            Bar("predictions of 1e5 rows", ("scikit-learn",), least=6.0),
            Bar("the same", ("scikit-learn-intelex", "treelite", "tl2cgen", "ydf"), least=1.5),
        ],
        "one": [Bar("the prediction of a row", seconds=30e-6)],
        "": [Bar("other shapes")],
    },
)
