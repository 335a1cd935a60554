# SPDX-License-Identifier: BSD-3-Clause
"""Transformers side by side, beside scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse

import statfast as sf
from statfast import FeatureUnion, make_union

peer = pytest.importorskip("sklearn.pipeline")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
TEXTS = ["some words", "other words here", "words"]


def parts(library=sf):
    return [("scale", sf.StandardScaler()), ("range", sf.MinMaxScaler())]


@pytest.mark.parametrize("weights", [None, {"range": 3.0}])
@pytest.mark.parametrize("extra", [[], [("same", "passthrough")], [("none", "drop")]])
@pytest.mark.parametrize("style", [True, "{feature_name}@{transformer_name}"])
def test_results_are_scikit_learns(weights, extra, style):
    arguments = {"transformer_weights": weights, "verbose_feature_names_out": True}
    ours = FeatureUnion(parts() + extra, **arguments)
    theirs = peer.FeatureUnion(parts() + extra, **arguments)
    np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))
    np.testing.assert_array_equal(ours.fit(X).transform(X[:5]), theirs.fit(X).transform(X[:5]))
    names = ["a", "b", "c"]
    assert list(ours.get_feature_names_out(names)) == list(theirs.get_feature_names_out(names))
    ours.set_params(verbose_feature_names_out=style)
    first = "scale__a" if style is True else "a@scale"
    assert ours.get_feature_names_out(names)[0] == first


def test_plain_names_must_differ():
    union = FeatureUnion(parts(), verbose_feature_names_out=False).fit(X)
    with pytest.raises(ValueError, match="not unique"):
        union.get_feature_names_out()


def test_frames_keep_their_index_and_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc"), index=range(100, 140))
    union = FeatureUnion([*parts(), ("same", "passthrough")]).set_output(transform="pandas")
    table = union.fit_transform(frame)
    assert list(table.columns[[0, 3, 6]]) == ["scale__a", "range__a", "same__a"]
    assert table.index.equals(frame.index)
    assert list(union.feature_names_in_) == ["a", "b", "c"]


def test_nullable_numbers_pass_as_floats():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, None, 3], "b": [True, False, True]}).astype(
        {"a": "Int64", "b": "boolean"}
    )
    table = FeatureUnion([("same", "passthrough")]).fit_transform(frame)
    np.testing.assert_array_equal(table, [[1.0, 1.0], [np.nan, 0.0], [3.0, 1.0]])


def test_texts_and_sparse_results():
    words = sf.CountVectorizer()
    pairs = FeatureUnion([("words", words), ("letters", sf.CountVectorizer(analyzer="char"))])
    table = pairs.fit_transform(TEXTS)
    assert sparse.issparse(table)
    assert pairs.sparse_output_
    np.testing.assert_array_equal(
        table.toarray()[:, : len(words.fit(TEXTS).vocabulary_)], words.transform(TEXTS).toarray()
    )
    assert pairs.transform(TEXTS[:1]).shape == (1, table.shape[1])


def test_weights_reach_the_transformers_that_take_them():
    weights = np.repeat([1, 2], 20)
    union = FeatureUnion(parts()).fit(X, sample_weight=weights)
    repeated = sf.StandardScaler().fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(union.named_transformers["scale"].mean_, repeated.mean_, rtol=1e-13)
    named = FeatureUnion(parts()).fit(X, scale__sample_weight=weights)
    np.testing.assert_array_equal(named["scale"].mean_, union["scale"].mean_)


def test_parameters_of_the_transformers():
    union = make_union(sf.PCA(), sf.PCA(), n_jobs=1, verbose=False)
    assert [name for name, _ in union.transformer_list] == ["pca-1", "pca-2"]
    union.set_params(**{"pca-1__n_components": 2, "pca-2": "drop"})
    assert union.fit_transform(X).shape == (40, 2)
    assert union.get_params()["pca-1__n_components"] == 2
    assert "components_" not in vars(union.transformer_list[0][1])


def test_nothing_left_is_no_column(capsys):
    union = FeatureUnion([("a", "drop")], verbose=True)
    assert union.fit_transform(X).shape == (40, 0)
    assert FeatureUnion([("a", sf.PCA())], verbose=True).fit(X).transform(X).shape == X.shape
    assert "[FeatureUnion] (1 of 1) a:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ([None], TypeError, "transformer_list must be a list"),
        ([[("a",)]], TypeError, "must hold pairs"),
        ([[("a", sf.Ridge())]], TypeError, "'a' must be a transformer"),
        ([[("a__b", sf.PCA())]], ValueError, "must differ, hold no '__'"),
        ([[("n_jobs", sf.PCA())]], ValueError, "be no parameters"),
    ],
)
def test_wrong_lists_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        FeatureUnion(*arguments).fit(X)


def test_other_mistakes_are_refused():
    with pytest.raises(ValueError, match="transformer_weights must name transformers"):
        FeatureUnion(parts(), transformer_weights={"other": 2.0}).fit(X)
    with pytest.raises(ValueError, match="name__argument"):
        FeatureUnion(parts()).fit(X, other__sample_weight=None)
    with pytest.raises(sf.exceptions.NotFittedError):
        FeatureUnion(parts()).transform(X)
    with pytest.raises(KeyError, match="Only string keys"):
        FeatureUnion(parts())[0]
