# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``language``: Kneser-Ney trigrams, fitted and asked.

nltk has the plain method alone, with one discount and without the uniform distribution below it:
that is what both are asked for. It looks through all n-grams for each probability, so that it is
asked for a few; ours are asked for those of all words, and the time is that of one.
"""

import time
from collections import Counter, defaultdict
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite
from benchmarks.harness.words import corpus

DISCOUNT, PROBES = 0.75, 20


def _problem(task, tokens, *, group=""):
    def make(seed):
        texts = [document.split() for document in corpus(7.3 * tokens, seed, words=20_000)]
        longest = max(texts, key=len)
        return {"texts": texts, "probes": [longest[i : i + 3] for i in range(2, 2 + PROBES)]}

    name = f"{task}, {tokens:.0e} tokens"
    return Problem(name, task, make, nbytes=7.3 * tokens, group=group, beyond=not group)


class Ours(Adapter):
    def __init__(self, clock):
        self.clock = clock

    def prepare(self, data, threads):
        from statfast.text import NGramLanguageModel

        self.texts, self.probes = data["texts"], data["probes"]
        self.model = NGramLanguageModel(
            3, "kneser_ney", discount=DISCOUNT, uniform=False, padding="full"
        )
        if self.clock:
            self.model.fit(self.texts)

    def fit(self):
        if not self.clock:
            self.model.fit(self.texts)

    def answer(self):
        found = {}
        if self.clock:
            start = time.perf_counter()
            self.model.log_prob(self.texts)
            found["seconds"] = (time.perf_counter() - start) / sum(map(len, self.texts))
        p = [self.model.score(word, context) for *context, word in self.probes]
        return found | {"probabilities": np.array(p)}


class Nltk(Adapter):
    def __init__(self, clock):
        self.clock = clock

    def prepare(self, data, threads):
        from nltk.lm import KneserNeyInterpolated

        self.texts, self.probes = data["texts"], data["probes"]
        self.model = KneserNeyInterpolated(3, discount=DISCOUNT)
        if self.clock:
            self._fit()

    def _fit(self):
        from nltk.lm.preprocessing import padded_everygram_pipeline

        self.model.fit(*padded_everygram_pipeline(3, self.texts))

    def fit(self):
        if not self.clock:
            self._fit()

    def answer(self):
        start = time.perf_counter()
        p = [self.model.score(word, context) for *context, word in self.probes]
        seconds = (time.perf_counter() - start) / len(p)
        found = {"seconds": seconds} if self.clock else {}
        return found | {"probabilities": np.array(p)}


class KneserNeyCheck(Check):
    """Probabilities by definition, of dictionaries."""

    def __init__(self, data):
        after, before, types = defaultdict(Counter), defaultdict(set), set()
        for text in data["texts"]:
            words = ["<s>", "<s>", *text, "</s>", "</s>"]
            for a, b, c in zip(words, words[1:], words[2:], strict=False):
                after[a, b][c] += 1
                before[b, c].add(a)
                types.add((b, c))
            types.add(tuple(words[:2]))
        shorter = defaultdict(dict)
        for (b, c), left in before.items():
            shorter[b][c] = len(left)
        ends = Counter(c for _, c in types)
        self.right = []
        for a, b, c in data["probes"]:
            p = ends[c] / len(types)
            for counts in (shorter[b], after[a, b]):
                total = sum(counts.values())
                kept = max(counts.get(c, 0) - DISCOUNT, 0.0)
                p = (kept + DISCOUNT * len(counts) * p) / total
            self.right.append(p)
        self.right = np.array(self.right)
        self.parts = {"probabilities": self.right.shape}

    def errors(self, answer):
        return {"relative error": float(np.abs(answer["probabilities"] / self.right - 1.0).max())}


BOUND = {"relative error": 1e-9}
TASKS = {"fit": False, "score": True}
SUITE = Suite(
    name="language",
    title="Kneser-Ney trigrams",
    problems=[
        _problem("fit", 1e6, group="fit"),
        _problem("score", 1e6, group="score"),
        _problem("fit", 1e5),
        _problem("score", 1e5),
    ],
    quick=[_problem("fit", 2e3, group="fit"), _problem("score", 2e3, group="score")],
    libraries={
        "statfast": Library({task: partial(Ours, clock) for task, clock in TASKS.items()}),
        "nltk": Library({task: partial(Nltk, clock) for task, clock in TASKS.items()}),
    },
    checks=dict.fromkeys(TASKS, KneserNeyCheck),
    tolerances=dict.fromkeys(TASKS, Tolerances(BOUND, BOUND, BOUND)),
    bars={
        "fit": [Bar("fit of 1e6 tokens", least=50.0)],
        "score": [Bar("probabilities", least=100.0)],
        "": [Bar("fewer tokens")],
    },
)
