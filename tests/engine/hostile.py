# SPDX-License-Identifier: BSD-3-Clause
"""An engine in this process that does all that a cluster may do, and keeps the promises of one.

It pickles all that travels, both ways; freezes the rows; works on the parts in any order, some of
them twice; loses results and soft state; and merges what comes back in any tree.
"""

import pickle
from itertools import pairwise

import numpy as np

from statfast._engine import tree_reduce, worker_cache
from statfast._engine.local_engine import HereEngine, as_columns
from statfast._engine.parts import Parts


class HostileEngine(HereEngine):
    """See `statfast._engine.local_engine.Engine`."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.sent = self.rounds = 0

    def adopt(self, columns):
        refs = []
        for part in columns[0]:
            held = as_columns(part)
            for column in held:
                if column is not None:
                    column.setflags(write=False)
            refs.append(held)
        return refs

    def places(self, refs):
        workers = self.rng.integers(1, len(refs) + 1)
        owner = self.rng.integers(workers, size=len(refs))
        return [np.flatnonzero(owner == w).tolist() for w in np.unique(owner)]

    def round(self, refs, work, state):
        self.rounds += 1
        sent = pickle.dumps((work, state))
        before = [_fingerprint(ref) for ref in refs]
        shares = []
        for numbers in self.places(refs):
            numbers = self.rng.permutation(numbers).tolist()
            while self.rng.random() < 0.3:  # a worker dies, what it had made and kept with it
                self._serve(sent, refs, numbers[: len(numbers) // 2])
                self.lose()
            shares.append(self._serve(sent, refs, numbers))
            if self.rng.random() < 0.3:
                shares.append(self._serve(sent, refs, numbers))
            if self.rng.random() < 0.3:
                self.lose()
        assert before == [_fingerprint(ref) for ref in refs]
        while len(shares) > 1:
            self.rng.shuffle(shares)
            n_merged = self.rng.integers(2, len(shares) + 1)
            joined = tree_reduce.merged(shares[:n_merged])
            shares = [*shares[n_merged:], pickle.loads(pickle.dumps(joined))]
        return shares[0]

    def _serve(self, sent, refs, numbers):
        work, state = pickle.loads(sent)
        items = [(number, refs[number]) for number in numbers]
        back = pickle.dumps(
            tree_reduce.serve(
                work,
                state,
                items,
                len(refs),
                1 + len(numbers) % 3,
                parts_stay=self.rng.random() < 0.8,
            )
        )
        self.sent += len(back)
        return pickle.loads(back)

    @staticmethod
    def lose():
        worker_cache.CACHE.clear()


def _fingerprint(columns):
    return [
        (c.dtype.str, c.shape, hash(c.tobytes())) if hasattr(c, "tobytes") else repr(c)
        for c in columns
    ]


def kept_in_parts(seed, cuts, X, *columns):
    """The rows in such parts, kept by a hostile engine."""
    parts = [
        tuple(None if c is None else np.array(c[a:b]) for c in (X, *columns))
        for a, b in pairwise(cuts)
    ]
    out = Parts.kept_by(HostileEngine(seed), [parts])
    return out


def bits(model):
    """All numbers that a fit has made, by name."""
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, np.ndarray | float | int):
            found[name] = np.asarray(value)
    return found
