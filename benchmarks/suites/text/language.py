# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``language``: Kneser-Ney trigrams, fitted, asked, and drawn from.

nltk has the plain method alone, with one discount and without the uniform distribution below it:
that is what both are asked for in "fit" and "score"; in "modified fit" ours has three discounts,
and its probabilities are those of one but for a factor of at most two. nltk looks through all
n-grams for each probability, so that it is asked for a few; ours are asked for those of all words,
and the time is that of one. To draw texts takes nltk minutes: the peer there has the trigrams in a
dictionary, and no smoothing.
"""

import random
import time
from collections import Counter, defaultdict
from functools import partial
from itertools import accumulate, chain

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.harness.words import corpus

DISCOUNT, PROBES, DRAWN = 0.75, 20, 1e5
PLAIN = {
    "smoothing": "kneser_ney", "discount": DISCOUNT, "uniform": False, "padding": "full",
}  # fmt: skip


def _problem(task, tokens, *, group=""):
    def make(seed):
        texts = [document.split() for document in corpus(7.3 * tokens, seed, words=20_000)]
        longest = max(texts, key=len)
        words = Counter(chain.from_iterable(texts))
        return {
            "texts": texts,
            "probes": [longest[i : i + 3] for i in range(2, 2 + PROBES)],
            "frequent": [word for word, _ in words.most_common(PROBES)],
        }

    name = f"{task}, {tokens:.0e} tokens"
    return Problem(name, task, make, nbytes=7.3 * tokens, group=group, beyond=not group)


class Ours(Adapter):
    """Kneser-Ney with one discount, as nltk has it, or modified."""

    def __init__(self, clock, **options):
        self.clock, self.options = clock, options or PLAIN

    def prepare(self, data, threads):
        from statfast.text import NGramLanguageModel

        self.texts, self.probes = data["texts"], data["probes"]
        self.model = NGramLanguageModel(3, **self.options)
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


class Drawn(Ours):
    """Texts of so many words in all."""

    def prepare(self, data, threads):
        super().prepare(data, threads)
        self.n = round(DRAWN * len(self.texts) / sum(map(len, self.texts)))
        self.frequent = data["frequent"]

    def answer(self):
        start = time.perf_counter()
        texts = self.model.sample(self.n, max_length=10_000, random_state=0)
        seconds = time.perf_counter() - start
        words = Counter(chain.from_iterable(texts))
        total = sum(words.values())
        seconds *= DRAWN / total
        return {"seconds": seconds, "shares": np.array([words[w] / total for w in self.frequent])}


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


class DrawnFromDictionary(Adapter):
    """Words drawn from those that followed the two before, by Python's own generator."""

    def prepare(self, data, threads):
        after = defaultdict(Counter)
        for text in data["texts"]:
            words = [None, None, *text, None]
            for a, b, c in zip(words, words[1:], words[2:], strict=False):
                after[a, b][c] += 1
        self.after = {
            context: (list(found), list(accumulate(found.values())))
            for context, found in after.items()
        }
        self.frequent = data["frequent"]

    def answer(self):
        draw = random.Random(0).choices
        found, a, b = [], None, None
        for _ in range(int(DRAWN)):
            words, upto = self.after[a, b]
            a, b = b, draw(words, cum_weights=upto)[0]
            if b is None:
                a = None
            else:
                found.append(b)
        words = Counter(found)
        return {"shares": np.array([words[w] / len(found) for w in self.frequent])}


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


class DrawnCheck(Check):
    """Shares of the most frequent words, which are those of the texts but for chance."""

    def __init__(self, data):
        words = Counter(chain.from_iterable(data["texts"]))
        self.right = np.array([words[word] for word in data["frequent"]]) / words.total()
        self.parts = {"shares": self.right.shape}

    def errors(self, answer):
        return {"shares": float(np.abs(answer["shares"] - self.right).max())}


BOUND, NEAR = {"relative error": 1e-9}, {"relative error": 1.0}
SHARES = {"shares": 0.01}
SUITE = Suite(
    name="language",
    title="Kneser-Ney trigrams",
    problems=[
        _problem("fit", 1e6, group="fit"),
        _problem("modified fit", 1e6, group="modified fit"),
        _problem("score", 1e6, group="score"),
        _problem("draw", 1e6, group="draw"),
        _problem("fit", 1e5),
        _problem("score", 1e5),
    ],
    quick=[
        _problem("fit", 2e3, group="fit"),
        _problem("modified fit", 2e3, group="modified fit"),
        _problem("score", 2e3, group="score"),
        _problem("draw", 2e3, group="draw"),
    ],
    growth=Growth(1_000_000, lambda n: _problem("modified fit", n, group="modified fit")),
    libraries={
        "statfast": Library(
            {
                "fit": partial(Ours, False),
                "modified fit": partial(Ours, False, smoothing="modified_kneser_ney"),
                "score": partial(Ours, True),
                "draw": partial(Drawn, True, smoothing="modified_kneser_ney"),
            }
        ),
        "nltk": Library(
            {
                "fit": partial(Nltk, False),
                "modified fit": partial(Nltk, False),
                "score": partial(Nltk, True),
            }
        ),
        "python": Library({"draw": DrawnFromDictionary}, packages=()),
    },
    checks={
        "fit": KneserNeyCheck,
        "modified fit": KneserNeyCheck,
        "score": KneserNeyCheck,
        "draw": DrawnCheck,
    },
    tolerances={
        "fit": Tolerances(BOUND, BOUND, BOUND),
        "modified fit": Tolerances(NEAR, NEAR, NEAR),  # other discounts
        "score": Tolerances(BOUND, BOUND, BOUND),
        "draw": Tolerances(SHARES, SHARES, SHARES),
    },
    bars={
        "fit": [Bar("fit of 1e6 tokens", least=50.0)],
        "modified fit": [Bar("modified, fit of 1e6 tokens", least=50.0)],
        "score": [Bar("probabilities", least=100.0)],
        "draw": [Bar("1e5 tokens drawn", seconds=0.2)],
        "": [Bar("fewer tokens")],
    },
)
