# SPDX-License-Identifier: BSD-3-Clause
"""Texts, files of models, and models of another library."""

import io
import tempfile
from pathlib import Path

import numpy as np

from statfast import KNeighborsRegressor, save, to_sklearn
from statfast.text import NGramLanguageModel, write_arpa
from tests.fuzz.inputs import choose

WORDS = ("a", "b", "a b", "", " ", "the cat", "naïve", "No 7", "x\ty", "İ", "<s>", "two\nlines")
FILES = tempfile.TemporaryDirectory(prefix="fuzz")


def documents(drawing, thing=None, n=None):
    """Texts, or lists of words: one for each row of the data."""
    rng, n = drawing.rng, drawing.data.n if n is None else n
    texts = [" ".join(rng.choice(WORDS, int(rng.integers(0, 9)))) for _ in range(n)]
    if drawing.calm:
        return [f"the cat {text}" for text in texts]
    return choose(
        rng,
        (
            lambda: texts,
            lambda: texts,
            lambda: [text.split() for text in texts],
            lambda: np.array(texts),
            lambda: np.array(texts, dtype=object),
            lambda: tuple(texts),
            lambda: [text.encode() for text in texts],
            lambda: [*texts, choose(rng, (None, np.nan, 3, [1], "\ud800", ["a b"], [""], {}))],
            lambda: [io.StringIO(text) for text in texts],
        ),
    )()


def arpa_file(drawing, thing):
    """A language model as a file, or where to write one."""
    rng, place = drawing.rng, Path(FILES.name, f"{drawing.case.seed}.arpa")
    if thing.name == "read_arpa":
        texts = [text for text in WORDS if text.split() == [text]]
        write_arpa(NGramLanguageModel(order=int(rng.integers(1, 4))).fit([texts, texts[:2]]), place)
        lines = place.read_text("utf-8").split("\n")
        if rng.random() < 0.7:
            odd = ("x", "\\end\\", "\\2-grams:", "ngram 2=x", "ngram 9=1", "1\tb\tb", "nan\ta\t0")
            lines[int(rng.integers(len(lines)))] = choose(rng, odd)
        place.write_text("\n".join(lines), "utf-8")
    return choose(rng, (place, str(place)))


def model_of_scikit_learn(drawing, thing):
    """A fitted model of another library, or one that is not fitted."""
    rng = drawing.rng
    made = to_sklearn(KNeighborsRegressor(2).fit(rng.normal(size=(5, 2)), np.arange(5.0)))
    return made if drawing.calm or rng.random() < 0.8 else type(made)()


def model_file(drawing, thing):
    """A file of a model, sound or damaged, or where to write one."""
    rng, file = drawing.rng, io.BytesIO()
    if thing.name == "load":
        save(KNeighborsRegressor(2).fit(rng.normal(size=(5, 2)), np.arange(5.0)), file)
        if rng.random() < 0.5 and not drawing.calm:
            data = bytearray(file.getvalue())
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
            file = io.BytesIO(data[: int(rng.integers(1, 2 * len(data)))])
    return file
