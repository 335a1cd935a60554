# SPDX-License-Identifier: BSD-3-Clause
"""Words for the suites ``text`` and ``language``: a seeded corpus with Zipf's law and a memory.

Words are drawn by rank, now and then one of the few that follow the word before, as in language;
there is punctuation, and letters that are not ASCII.
"""

import gzip
from pathlib import Path

import numpy as np

from benchmarks.harness.rows import data_folder

SPAM = Path("spam") / "SMSSpamCollection.gz"
LETTERS = "etaoinshrdlucmfwypvbgkjqxzéüößçñøåλд"


def corpus(size, seed, words=50_000):
    """Documents of about 150 words, of so many bytes in all."""
    rng = np.random.default_rng(seed)
    share = np.concatenate([np.linspace(12, 0.3, 26), np.full(10, 0.05)])
    lengths = rng.integers(1, 12, words)
    letters = rng.choice(list(LETTERS), size=lengths.sum(), p=share / share.sum())
    ends = np.cumsum(lengths)
    vocabulary = np.array(
        ["".join(letters[b - n : b]) for b, n in zip(ends, lengths, strict=True)], dtype=object
    )
    n = int(size / 7.3)
    ranks = 1.0 / np.arange(1, words + 1)
    drawn = rng.choice(words, size=n, p=ranks / ranks.sum())
    follows = rng.random(n) < 0.3
    follows[0] = False
    drawn[follows] = (
        7919 * drawn[np.flatnonzero(follows) - 1] + rng.integers(3, size=follows.sum())
    ) % words
    marks = np.array([" "] * 12 + [", ", ". ", " - ", "! "], dtype=object)
    text = vocabulary[drawn] + marks[rng.integers(len(marks), size=n)]
    return ["".join(text[a : a + 150]).capitalize() for a in range(0, n, 150)]


def messages(size):
    """The SMS messages of the spam collection, over and over up to so many bytes."""
    lines = gzip.decompress((data_folder() / SPAM).read_bytes()).decode("utf-8").splitlines()
    texts = [line.split("\t", 1)[1] for line in lines]
    return texts * max(1, round(size / sum(map(len, texts))))
