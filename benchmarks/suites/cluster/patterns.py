# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``patterns``: frequent, closed and maximal item sets, and rules from them.

Each library gets what it asks for, made beforehand: a data frame, a table or lists. Its own clock
runs until it returns; its sets are then named by sums of random numbers of their items.
"""

import time
from functools import partial
from importlib import import_module

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import F64, Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- data and problems ---


def _sparse(n, d, least, rng):
    """Baskets of some ten items: parts of patterns, as Agrawal and Srikant draw them."""
    n_patterns = 2 * d
    patterns = [rng.choice(d, rng.poisson(3) + 1, replace=False) for _ in range(n_patterns)]
    shares = rng.exponential(1.0, n_patterns)
    kept = np.clip(rng.normal(0.5, 0.3, n_patterns), 0.05, 1.0)
    table = np.zeros((n, d), bool)
    drawn = rng.choice(n_patterns, (n, 6), p=shares / shares.sum())
    for row, size in enumerate(np.maximum(rng.poisson(10, n), 1)):
        for pattern in drawn[row]:
            items = patterns[pattern]
            table[row, items[rng.random(len(items)) < kept[pattern]]] = True
            if table[row].sum() >= size:
                break
    return table


def _dense(n, d, least, rng):
    """Columns of categories, each value an item: d / 4 of them, which depend on hidden classes."""
    n_columns, levels = d // 4, 4
    classes = rng.choice(8, n, p=rng.dirichlet(np.full(8, 2.0)))
    table = np.zeros((n, n_columns * levels), bool)
    for column in range(n_columns):
        shares = rng.dirichlet(np.full(levels, 0.25), 8).cumsum(axis=1)
        value = (rng.random(n)[:, None] > shares[classes]).sum(axis=1).clip(0, levels - 1)
        table[np.arange(n), levels * column + value] = True
    return table


def _long(n, d, least, rng):
    """Baskets of a fifth of all items, which are about independent."""
    return rng.random((n, d)) < rng.beta(1.0, 4.0, d)


def _baskets(draw, n, d, least, seed):
    rng = np.random.default_rng(seed)
    table = draw(n, d, least, rng)
    return {
        "table": table,
        "least": least,
        "names": np.random.default_rng(1).random((table.shape[1], 2)),
    }


def _problem(kind, draw, n, d, least, *, task="frequent", group=""):
    name = f"{task}, {kind} {n}x{d}, {least} baskets"
    return Problem(
        name, task, partial(_baskets, draw, n, d, least), F64, 0.0, float(n * d), 1.0, not group,
        group=group, hopeless=50.0,
    )  # fmt: skip


# --- adapters ---


def _lists(table):
    return [np.flatnonzero(row).tolist() for row in table]


def _named(sets, names):
    """Two numbers for each set: the sums of those of its items."""
    return np.array([names[list(items)].sum(axis=0) for items in sets]).reshape(-1, 2)


def _in_order(keys, *columns):
    order = np.lexsort(keys.round(9).T)
    return keys[order], *(np.asarray(column, dtype=float)[order] for column in columns)


class Sets(Adapter):
    """Item sets of a kind; a subclass has `find`, and reads sets and counts of its result."""

    def __init__(self, kind, **options):
        self.kind, self.options = kind, options

    def fit(self):
        start = time.perf_counter()
        self.result = self.find()
        self.seconds = time.perf_counter() - start

    def answer(self):
        sets, counts = self.read()
        keys, counts = _in_order(_named(sets, self.names), counts)
        return {"sets": keys, "counts": counts, "seconds": self.seconds}


class OurSets(Sets):
    def prepare(self, data, threads):
        self.function = named("statfast.patterns.frequent_itemsets")
        self.X = _lists(data["table"]) if self.options.get("lists") else data["table"]
        self.least, self.names, self.threads = data["least"], data["names"], threads

    def find(self):
        kind = {} if self.kind == "frequent" else {self.kind: True}
        return self.function(self.X, self.least, n_jobs=self.threads, **kind)

    def read(self):
        return self.result.itemsets, self.result.counts


class Mlxtend(Sets):
    def prepare(self, data, threads):
        function = "fpmax" if self.kind == "maximal" else "fpgrowth"
        self.function = named(f"mlxtend.frequent_patterns.{function}")
        self.X = import_module("pandas").DataFrame(data["table"])
        self.n, self.names = len(self.X), data["names"]
        self.share = data["least"] / self.n

    def find(self):
        return self.function(self.X, self.share)

    def read(self):
        return self.result["itemsets"].tolist(), (self.result["support"] * self.n).round()


class Fim(Sets):
    """Borgelt's programs in C: its table of sets is made of Python's tuples."""

    TARGETS = {"frequent": "s", "closed": "c", "maximal": "m"}  # noqa: RUF012

    def prepare(self, data, threads):
        self.function = named(f"fim.{self.options['algorithm']}")
        self.baskets, self.least = _lists(data["table"]), data["least"]
        self.names = data["names"]

    def find(self):
        return self.function(
            self.baskets, self.TARGETS[self.kind], supp=-self.least, report="a"
        )  # fmt: skip

    def read(self):
        return [items for items, _ in self.result], [count for _, count in self.result]


CONFIDENCE = 0.6


class Rules(Adapter):
    """Rules of a confidence, from sets that are there."""

    def fit(self):
        start = time.perf_counter()
        self.result = self.make()
        self.seconds = time.perf_counter() - start

    def answer(self):
        antecedents, consequents, confidence, lift = self.read()
        keys = np.hstack([_named(antecedents, self.names), _named(consequents, self.names)])
        keys, confidence, lift = _in_order(keys, confidence, lift)
        return {"sets": keys, "confidence": confidence, "lift": lift, "seconds": self.seconds}


class OurRules(Rules):
    def prepare(self, data, threads):
        find = named("statfast.patterns.frequent_itemsets")
        self.sets, self.names = find(data["table"], data["least"]), data["names"]
        self.function = named("statfast.patterns.association_rules")

    def make(self):
        rules = self.function(self.sets, min_threshold=CONFIDENCE)
        return rules, rules.measure("confidence"), rules.measure("lift")

    def read(self):
        rules, confidence, lift = self.result
        return rules.antecedents, rules.consequents, confidence, lift


class MlxtendRules(Rules):
    def prepare(self, data, threads):
        X = import_module("pandas").DataFrame(data["table"])
        module = import_module("mlxtend.frequent_patterns")
        self.sets, self.names = module.fpgrowth(X, data["least"] / len(X)), data["names"]
        self.function = module.association_rules

    def make(self):
        return self.function(
            self.sets, min_threshold=CONFIDENCE, return_metrics=["confidence", "lift"]
        )  # fmt: skip

    def read(self):
        columns = ("antecedents", "consequents", "confidence", "lift")
        return (self.result[name].tolist() for name in columns)


# --- checks ---


def _every_set(data):
    """The count of every frequent set, by sums of columns of the table, depth first."""
    table, least = data["table"].astype(np.uint8), data["least"]
    counted = {}
    # A set, its baskets, and the items that may follow, which are frequent with it.
    waiting = [((), np.arange(len(table)), np.arange(table.shape[1]))]
    while waiting:
        items, rows, candidates = waiting.pop()
        counts = table[np.ix_(rows, candidates)].sum(axis=0, dtype=np.int64)
        frequent = candidates[counts >= least]
        for place, item in enumerate(frequent.tolist()):
            mine = rows[table[rows, item] == 1]
            counted[(*items, item)] = len(mine)
            if place + 1 < len(frequent):
                waiting.append(((*items, item), mine, frequent[place + 1 :]))
    return counted


def sets_by_columns(data, kind="frequent"):
    """The sets of a kind, as keys and counts."""
    counted = _every_set(data)
    if kind != "frequent":
        counted = _chosen(counted, kind)
    keys, counts = _in_order(_named(counted, data["names"]), list(counted.values()))
    return {"sets": keys, "counts": counts}


def _chosen(counted, kind):
    """Sets that no set with one more item has the same count as, or that have none."""
    kept = dict(counted)
    for items, count in counted.items():
        for item in items:
            part = tuple(other for other in items if other != item)
            if part in kept and (kind == "maximal" or counted[part] == count):
                del kept[part]
    return kept


def rules_by_division(data):
    """Every set divided in all ways, as keys, confidences and lifts."""
    count_of, names, n = _every_set(data), data["names"], len(data["table"])
    sides, numbers = [], []
    for items, both in count_of.items():
        for mask in range(1, (1 << len(items)) - 1):
            left = tuple(item for bit, item in enumerate(items) if mask >> bit & 1)
            right = tuple(item for bit, item in enumerate(items) if not mask >> bit & 1)
            x, y = count_of[left], count_of[right]
            if both / x >= CONFIDENCE:
                sides.append((left, right))
                numbers.append((both / x, both * n / (x * y)))
    keys = np.hstack([_named(side, names) for side in zip(*sides, strict=True)])
    keys, confidence, lift = _in_order(keys, *np.array(numbers).T)
    return {"sets": keys, "confidence": confidence, "lift": lift}


# --- the suite ---

KINDS = ("frequent", "closed", "maximal")
SET_ERRORS = {"sets": (difference, "sets"), "counts": (difference, "counts")}
RULE_ERRORS = {"sets": (difference, "sets"), "measures": (difference, "confidence", "lift")}
BOUNDS = {"sets": 1e-9, "counts": 0.0}
SUITE = Suite(
    name="patterns",
    title="item sets and rules, the same ones",
    family="clustering, mixtures, patterns",
    problems=[
        _problem("sparse", _sparse, 100_000, 1000, 200, group="sparse"),
        _problem("sparse", _sparse, 100_000, 1000, 200, task="frequent of lists", group="lists"),
        _problem("dense", _dense, 8_000, 88, 400, group="dense"),
        _problem("long", _long, 5_000, 400, 600, group="long"),
        _problem("dense", _dense, 8_000, 88, 400, task="closed", group="closed"),
        _problem("dense", _dense, 8_000, 88, 400, task="maximal", group="closed"),
        _problem("sparse", _sparse, 20_000, 300, 60, task="rules", group="rules"),
        _problem("sparse", _sparse, 500, 40, 10),
    ],
    quick=[
        _problem("dense", _dense, 500, 24, 60, group="dense"),
        _problem("sparse", _sparse, 900, 40, 12, task="frequent of lists", group="lists"),
        _problem("dense", _dense, 500, 24, 60, task="closed", group="closed"),
        _problem("dense", _dense, 500, 24, 60, task="maximal", group="closed"),
        _problem("dense", _dense, 400, 16, 60, task="rules", group="rules"),
    ],
    growth=Growth(
        100_000, lambda n: _problem("sparse", _sparse, n, 1000, n // 500, group="sparse")
    ),
    libraries={
        "statfast": Library(
            {
                **{kind: partial(OurSets, kind) for kind in KINDS},
                "frequent of lists": partial(OurSets, "frequent", lists=True),
                "rules": OurRules,
            }
        ),
        "mlxtend": Library(
            {
                "frequent": partial(Mlxtend, "frequent"),
                "maximal": partial(Mlxtend, "maximal"),
                "rules": MlxtendRules,
            }
        ),
        **{
            f"pyfim ({algorithm})": Library(
                {
                    **{kind: partial(Fim, kind, algorithm=algorithm) for kind in KINDS},
                    "frequent of lists": partial(Fim, "frequent", algorithm=algorithm),
                }
            )
            for algorithm in ("eclat", "fpgrowth")
        },
    },
    checks={
        **{kind: Check.of_twin(partial(sets_by_columns, kind=kind), SET_ERRORS) for kind in KINDS},
        "frequent of lists": Check.of_twin(sets_by_columns, SET_ERRORS),
        "rules": Check.of_twin(rules_by_division, RULE_ERRORS),
    },
    tolerances={
        **dict.fromkeys((*KINDS, "frequent of lists"), Tolerances(BOUNDS)),
        "rules": Tolerances({"sets": 1e-9, "measures": 1e-12}),
    },
    bars={
        "sparse": [
            Bar("item sets of 100,000 sparse baskets", peers=("mlxtend",), least=20.0),
            Bar("item sets of 100,000 sparse baskets", least=1.0),
            Bar("memory of item sets of sparse baskets", copies=1.0),
        ],
        "lists": [Bar("item sets of lists, 100,000 sparse baskets", least=1.0)],
        "dense": [Bar("item sets of dense baskets", least=1.0)],
        "long": [Bar("item sets of long baskets", least=1.0)],
        "closed": [Bar("closed and maximal item sets", least=1.0)],
        "rules": [Bar("association rules", least=20.0)],
        "": [Bar("other item sets")],
    },
)
