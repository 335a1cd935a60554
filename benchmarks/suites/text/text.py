# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``text``: words of documents counted, with equal counts."""

import re
from collections import Counter
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.harness.words import corpus, messages


def _problem(name, size, ngrams=(1, 1), *, group="", sms=False):
    def make(seed):
        documents = messages(size) if sms else corpus(size, seed)
        return {"documents": documents, "ngrams": ngrams}

    return Problem(name, "counting", make, nbytes=size, group=group, beyond=not group)


class Counting(Estimator):
    def prepare(self, data, threads):
        self.documents = data["documents"]
        self.model = self.estimator(threads=threads, ngram_range=data["ngrams"])

    def fit(self):
        self.counts = self.model.fit_transform(self.documents)

    def answer(self):
        total = np.asarray(self.counts.sum(axis=0)).ravel()
        return {
            "counts": total, "documents": np.asarray(self.counts.sum(axis=1)).ravel(),
            "names": self.model.get_feature_names_out(),
        }  # fmt: skip


class CountingCheck(Check):
    """Counts of all terms by the regular expression and a counter."""

    def __init__(self, data):
        low, high = data["ngrams"]
        total, self.documents = Counter(), []
        for document in data["documents"]:
            words = re.findall(r"(?u)\b\w\w+\b", document.lower())
            terms = [
                " ".join(words[i : i + n])
                for n in range(low, high + 1)
                for i in range(len(words) - n + 1)
            ]
            self.documents.append(len(terms))
            total.update(terms)
        self.names = sorted(total)
        self.counts = np.array([total[name] for name in self.names])
        self.parts = {"counts": (len(self.names),), "documents": (len(self.documents),)}
        self.words, self.names = self.names, {}

    def errors(self, answer):
        wrong = np.abs(answer["counts"] - self.counts).sum()
        wrong += np.abs(answer["documents"] - np.array(self.documents)).sum()
        return {"wrong counts": float(wrong + (list(answer["names"]) != self.words))}


EXACT = {"wrong counts": 0.0}
SUITE = Suite(
    name="text",
    title="words of documents counted",
    family="texts: words and models",
    problems=[
        _problem("words of 20 MB", 20e6, group="words"),
        _problem("words of 20 MB of SMS messages", 20e6, group="words", sms=True),
        _problem("words of 1 MB", 1e6),
        _problem("words and pairs of 5 MB", 5e6, (1, 2)),
    ],
    quick=[
        _problem("words of 100 kB", 1e5, group="words"),
        _problem("words of SMS messages", 1e5, group="words", sms=True),
        _problem("words and pairs of 50 kB", 5e4, (1, 2)),
    ],
    growth=Growth(5_000_000, lambda n: _problem(f"words and pairs of {n / 1e6:g} MB", n, (1, 2))),
    libraries={
        "statfast": Library({"counting": partial(Counting, "statfast.text.CountVectorizer")}),
        "scikit-learn": Library(
            {
                "counting": partial(
                    Counting, "sklearn.feature_extraction.text.CountVectorizer", threaded=False
                )
            }
        ),
    },
    checks={"counting": CountingCheck},
    tolerances={"counting": Tolerances(EXACT, EXACT, EXACT)},
    bars={"words": [Bar("words of 20 MB", least=15.0)], "": [Bar("other shapes")]},
)
