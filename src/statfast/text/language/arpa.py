# SPDX-License-Identifier: BSD-3-Clause
"""Language models in ARPA's format: a text file of log10 probabilities and back-off weights."""

from __future__ import annotations

from math import inf, log
from os import PathLike
from typing import Any

import numpy as np

from statfast._validation import shown, wrong_type
from statfast.text.language.back_off_tables import tables
from statfast.text.language.model import END, START, UNKNOWN, NGramLanguageModel
from statfast.text.language.ngram_counts import Level

_TEN = log(10.0)
_NEVER = -99.0  # ARPA's log10 of 0
_ROUNDED = 1e-6  # log10 probabilities up to this are rounded zeros


def write_arpa(model: NGramLanguageModel, path: str | PathLike[str]) -> None:
    """Write a fitted language model in ARPA format.

    Parameters
    ----------
    model : NGramLanguageModel
        Fitted, of any smoothing but "additive", which is not a back-off model.
    path : str or path-like
        The file, which is overwritten.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        If the model is one of additive smoothing, or a word holds a blank.
    TypeError
        If the model or the path is none.

    Examples
    --------
    >>> from statfast.text import NGramLanguageModel, read_arpa, write_arpa
    >>> model = NGramLanguageModel(order=2).fit(["a a b a", "b a a b"])
    >>> write_arpa(model, "toy.arpa")
    >>> round(model.score("b", ["a"]), 3), round(read_arpa("toy.arpa").score("b", ["a"]), 3)
    (0.334, 0.334)
    """
    if not isinstance(model, NGramLanguageModel):
        raise wrong_type("model", "an NGramLanguageModel", model)
    path = as_path(path)
    model._model()
    if model._direct:
        raise ValueError("ARPA's format is for back-off models; additive smoothing is none.")
    base, word, first, logp, logb, _ = model._tables
    words = model._words
    for name in words:
        if name.split() != [name]:
            raise ValueError(f"a word of ARPA's format must hold no blank; got {shown(name)}.")
        if not name.isprintable() and name.encode("utf-8", "ignore").decode("utf-8") != name:
            raise ValueError(f"a word of ARPA's format must be UTF-8; got {shown(name)}.")
    names = list(words)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\\data\\\n")
        for n in range(1, len(base)):
            file.write(f"ngram {n}={base[n] - base[n - 1]}\n")
        for n in range(1, len(base)):
            file.write(f"\n\\{n}-grams:\n")
            here = range(int(base[n - 1]), int(base[n]))
            if n > 1:
                above = np.repeat(
                    np.arange(base[n - 2], base[n - 1]),
                    np.diff(first[base[n - 2] : base[n - 1] + 1].clip(max=base[n])),
                )
                names = [
                    f"{names[a - base[n - 2]]} {words[word[i]]}"
                    for a, i in zip(above.tolist(), here, strict=True)
                ]
            for name, i in zip(names, here, strict=True):
                p = max(_NEVER, logp[i] / _TEN)
                weight = f"\t{max(_NEVER, logb[i] / _TEN):.17g}" if n + 1 < len(base) else ""
                file.write(f"{p:.17g}\t{name}{weight}\n")
        file.write("\n\\end\\\n")


def read_arpa(path: str | PathLike[str]) -> NGramLanguageModel:
    """Read a language model in ARPA format.

    Parameters
    ----------
    path : str or path-like
        File to read.

    Returns
    -------
    NGramLanguageModel
        Fitted; it scores and draws, but has no counts, so that `partial_fit` starts over.

    Raises
    ------
    ValueError
        If the file is not in ARPA's format, holds an n-gram twice, or one that has no entry for its
        first words.
    TypeError
        If the path is none.

    Examples
    --------
    >>> from statfast.text import NGramLanguageModel, read_arpa, write_arpa
    >>> write_arpa(NGramLanguageModel(order=2).fit(["a b"]), "toy.arpa")
    >>> read_arpa("toy.arpa").n_grams_
    [4, 3]
    """
    sections: list[Any] = parsed(as_path(path))
    names = [UNKNOWN, START, END]
    _require_once(1, len(sections[0]), len({entry[1] for entry in sections[0]}))
    unigrams = {entry[1]: entry for entry in sections[0]}
    names += sorted(word for word in unigrams if word not in names)
    number = {word: k for k, word in enumerate(names)}
    size = len(names)
    words = np.arange(size, dtype=np.int32)
    nothing = np.zeros(size)
    orders = [
        Level(words.astype(np.int64), words, nothing - 1, nothing - 1, nothing, nothing, words == 1)  # type: ignore[arg-type]
    ]
    probability = [np.array([exp10(unigrams[w][0]) if w in unigrams else 0.0 for w in names])]
    backoff = [np.array([exp10(unigrams[w][2]) if w in unigrams else 1.0 for w in names])]
    for n, entries in enumerate(sections[1:], start=2):
        try:
            grams = np.array(
                [[number[w] for w in text.split(" ")] for _, text, _ in entries], np.int64
            ).reshape(len(entries), n)
        except (KeyError, ValueError) as error:
            raise ValueError(f"path holds {n}-grams of words without an entry: {error}.") from error
        node = grams[:, 0]
        for j in range(1, n - 1):
            key = node * size + grams[:, j]
            node = np.searchsorted(orders[j].keys, key)
            in_range = node < len(orders[j].keys)
            if not in_range.all() or (orders[j].keys[node] != key).any():
                raise ValueError(f"path holds {n}-grams whose first words have no entry.")
        keys = node * size + grams[:, -1]
        order = np.argsort(keys)
        keys = keys[order]
        _require_once(n, len(keys), 1 + np.count_nonzero(np.diff(keys)))
        zero = np.zeros(len(keys))
        orders.append(
            Level(keys, (keys % size).astype(np.int32), keys // size, zero, zero, zero, zero > 0)  # type: ignore[arg-type]
        )
        probability.append(np.array([exp10(entries[i][0]) for i in order.tolist()]))
        backoff.append(np.array([exp10(entries[i][2]) for i in order.tolist()]))
    model = NGramLanguageModel(order=len(sections))
    return model._become(
        {
            "vocabulary_": number,
            "n_grams_": [len(entries) - (n == 0) * (START in unigrams)
                         for n, entries in enumerate(sections)],
            "estimates_": {},
            "_words": names,
            "_tables": tables(orders, probability, backoff),
            "_direct": False,
            "_padding": "single",
            "_fitted_order": len(sections),
        }
    )  # fmt: skip


def exp10(value: float) -> float:
    """The number whose log10 is this; -99 stands for 0."""
    return 0.0 if value <= _NEVER else float(np.exp(value * _TEN))


def as_path(path: Any) -> Any:
    """The name of a file."""
    if not isinstance(path, str | PathLike) or "\0" in str(path):
        raise wrong_type("path", "the name of a file", path)
    return path


def _require_once(n: int, count: int, distinct: Any) -> None:
    if distinct < count:
        raise ValueError(f"path holds {count - distinct} {n}-gram(s) twice. Drop one of the lines.")


def parsed(path):
    """For each order a list of (log10 probability, words, log10 weight)."""
    sections, sizes, section = [], {}, None
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, start=1):
            line = line.rstrip("\n")
            if not line.strip():
                continue
            try:
                if line.startswith("\\"):
                    section = line.strip()
                    if section.endswith("-grams:"):
                        sections.append([])
                        if section != f"\\{len(sections)}-grams:":
                            raise ValueError
                elif section == "\\data\\" and line.startswith("ngram "):
                    n, _, count = line[6:].partition("=")
                    sizes[int(n)] = int(count)
                elif section is not None and section.endswith("-grams:"):
                    sections[-1].append(_entry(line))
            except (ValueError, IndexError) as error:
                raise ValueError(
                    f"path is not in ARPA's format: line {number} is {shown(line)}."
                ) from error
    lengths = {n: len(entries) for n, entries in enumerate(sections, start=1)}
    if section != "\\end\\" or not lengths or lengths != sizes:
        raise ValueError(
            f"path is not in ARPA's format, or cut short: it has {lengths} n-grams of each order "
            f"and announces {sizes}."
        )
    return sections


def _entry(line: str) -> tuple[float, str, float]:
    """The log10 probability of an n-gram, its words, and its log10 weight."""
    line.encode("utf-8")  # fails on bytes that are not UTF-8
    parts = line.split("\t")
    logp, weight = float(parts[0]), float(parts[2]) if len(parts) > 2 else 0.0
    if not logp <= _ROUNDED or not weight < inf:
        raise ValueError
    return logp, parts[1], weight
