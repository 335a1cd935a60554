# SPDX-License-Identifier: BSD-3-Clause
"""Documents in parts: the vocabulary and the counts of documents in memory."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from statfast import MultinomialNB, Parts
from statfast.preprocessing import StandardScaler
from statfast.text import CountVectorizer
from tests.engine.hostile import HostileEngine

WORDS = np.array(["stone", "river", "night", "lamp", "Kälte", "the", "door", "a1", "x", "nacht"])
CUTS = [0, 0, 1, 40, 41, 120]

SETTINGS = [
    {},
    {"ngram_range": (1, 2), "min_df": 3},
    {"max_df": 0.5, "max_features": 4},
    {"max_features": 5, "binary": True},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "max_features": 30},
    {"stop_words": "english", "lowercase": False},
    {"tokenizer": str.split, "token_pattern": None},
    {"vocabulary": ["river", "lamp"]},
]


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(3)
    chances = rng.dirichlet(np.ones(len(WORDS)))
    return [" ".join(rng.choice(WORDS, rng.integers(0, 12), p=chances)) for _ in range(CUTS[-1])]


def cut(documents):
    return [documents[a:b] for a, b in pairwise(CUTS)]


def kept(seed, documents):
    out = Parts.kept_by(HostileEngine(seed), [[np.zeros((0, 1))] * len(cut(documents))])
    out.refs = [(part, None, None) for part in cut(documents)]
    out.documents = True
    return out


@pytest.mark.filterwarnings("ignore:.*token_pattern")
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_vocabulary_and_counts(documents, params):
    known = CountVectorizer(**params).fit(documents)
    table = known.transform(documents).toarray()
    here = Parts(cut(documents), documents=True)
    for parts in (here, kept(0, documents), kept(1, documents)):
        found = CountVectorizer(**params).fit(parts)
        assert found.get_feature_names_out().tolist() == known.get_feature_names_out().tolist()
        assert parts.rounds == ("vocabulary" not in params)
    blocks = list(CountVectorizer(**params).fit_transform(here))
    assert np.array_equal(np.vstack([block.toarray() for block in blocks]), table)
    assert found.fixed_vocabulary_ == known.fixed_vocabulary_


def read(documents):
    return documents


def test_executors_and_functions(documents):
    sources = [partial(read, part) for part in cut(documents)]
    known = CountVectorizer().fit(documents).vocabulary_
    with ProcessPoolExecutor(2) as pool:
        parts = Parts(sources, documents=True, executor=pool)
        assert CountVectorizer().fit(raw_documents=parts).vocabulary_ == known


def test_series_of_dask(documents):
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    cloud = dd.from_pandas(pandas.Series(documents), npartitions=3)
    known = CountVectorizer(min_df=2).fit(documents)
    found = CountVectorizer(min_df=2).fit(cloud)
    assert found.vocabulary_ == known.vocabulary_
    table = np.vstack([block.toarray() for block in found.transform(cloud)])
    assert np.array_equal(table, known.transform(documents).toarray())


def test_what_is_wrong_is_told(documents):
    parts = Parts(cut(documents), documents=True)
    with pytest.raises(TypeError, match="Parts of documents; count their terms"):
        StandardScaler().fit(parts)
    with pytest.raises(TypeError, match=r"Pass Parts\(..., documents=True\)"):
        CountVectorizer().fit(Parts([np.zeros((2, 2))]))
    with pytest.raises(ValueError, match="empty vocabulary"):
        CountVectorizer().fit(Parts([["a", ""], ["b"]], documents=True))
    with pytest.raises(ValueError, match="at least one document"):
        CountVectorizer().fit(Parts([[], []], documents=True))
    with pytest.raises(ValueError, match="no terms remain"):
        CountVectorizer(min_df=119, max_df=119).fit(parts)
    with pytest.raises(TypeError, match=r"a list of documents.*part 1"):
        CountVectorizer().fit(Parts([["ab"], "cd ef"], documents=True))
    with pytest.raises(TypeError, match="part 0"):
        CountVectorizer().fit(Parts([["ab", 3]], documents=True))
    with pytest.raises(ValueError, match="are for paths"):
        Parts(cut(documents), documents=True, y=[1.0])
    counts = CountVectorizer().fit_transform(parts)
    with pytest.raises(TypeError, match=r"sparse rows.*partial_fit"):
        MultinomialNB().fit(counts)
    for one in (parts, counts):
        with pytest.raises(TypeError, match="Iterate over the parts"):
            np.asarray(one)
    with pytest.raises(TypeError, match="documents must be"):
        Parts([["ab"]], documents="yes")
