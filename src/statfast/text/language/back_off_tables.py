# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of the kernel of back-off models: padded texts, and n-grams of all orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.text.language.ngram_counts import Level


def n_symbols(padding: Any, order: Any) -> Any:
    """How many start symbols are put before each text, and end symbols after it."""
    return {"none": 0, "single": 1, "full": max(1, order - 1)}[padding]


def padded(words: Array, begin: Array, pad: int) -> tuple[Array, Array]:
    """Texts with `pad` start symbols before and as many end symbols after each."""
    n = len(begin) - 1
    length = np.diff(begin)
    new = np.concatenate([[0], np.cumsum(length + 2 * pad)]).astype(np.int64)
    out = np.full(int(new[-1]), 2, np.int32)
    for k in range(pad):
        out[new[:-1] + k] = 1
    place = np.arange(len(words)) + np.repeat(new[:-1] + pad - begin[:-1], length)
    out[place] = words
    return (out, new) if n else (out[:0], np.zeros(1, np.int64))


def tables(levels: list[Level], probability: list[Array], backoff: list[Array]) -> tuple[Any, ...]:
    """The arrays of the kernel: all orders, one after another."""
    sizes = [len(level.keys) for level in levels]
    base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    total = int(base[-1])
    first = np.full(total + 1, total, np.int64)
    upto = np.empty(total)
    for n, level in enumerate(levels):
        p = probability[n]
        if n == 0:
            upto[: sizes[0]] = np.cumsum(p)
            continue
        following = np.bincount(level.context, minlength=sizes[n - 1])
        contexts = np.concatenate([[0], np.cumsum(following)])
        first[base[n - 1] : base[n]] = base[n] + contexts[:-1]
        running = np.cumsum(p)
        start = np.concatenate([[0.0], running])[contexts[:-1]]
        upto[base[n] : base[n + 1]] = running - start[level.context]
    with np.errstate(divide="ignore"):
        logp, logb = np.log(np.concatenate(probability)), np.log(np.concatenate(backoff))
    word = np.concatenate([level.word for level in levels]).astype(np.int32)
    return base, word, first, logp, logb, upto
