# SPDX-License-Identifier: BSD-3-Clause
"""Tables from files that are not shipped: their published sizes, and files that are wrong."""

import gzip
import os

import numpy as np
import pytest

from statfast import datasets

LOADERS = {
    "load_sms_spam": ("spam", "SMSSpamCollection"),
    "load_spambase": ("spam", "spambase.data"),
    "load_baby": ("misc", "baby.dat"),
    "load_earthquakes": ("misc", "earthquake.txt"),
    "load_diabetes": ("misc", "diabetes.tab.txt"),
}


def folder_of(shared_data, room):
    folder = shared_data(room)
    return os.fspath(folder)


@pytest.mark.parametrize(
    ("name", "shape", "counts", "first"),
    [
        ("load_spambase", (4601, 57), (2788, 1813), (0.0, 278.0)),
        ("load_baby", (247, 5), (86, 161), (1350.0, 7.25)),
        ("load_earthquakes", (37, 2), (26, 11), (6.07, 5.62)),
    ],
)
def test_published_sizes(shared_data, name, shape, counts, first):
    load = getattr(datasets, name)
    folder = folder_of(shared_data, LOADERS[name][0])
    table = load(folder)
    assert table.data.shape == shape
    assert len(table.feature_names) == shape[1]
    assert tuple(np.bincount(table.target)) == counts
    assert (table.data[0, 0], table.data[0, -1]) == first
    X, y = load(folder, return_X_y=True)
    assert np.array_equal(X, table.data)
    assert np.array_equal(y, table.target)
    pandas = pytest.importorskip("pandas")
    frame = load(folder, as_frame=True)
    assert list(frame.data.columns) == list(table.feature_names)
    assert isinstance(frame.target, pandas.Series)


def test_messages(shared_data):
    messages = datasets.load_sms_spam(folder_of(shared_data, "spam"))
    texts, labels = messages
    assert len(texts) == len(labels) == 5574
    assert (labels == "spam").sum() == 747
    assert texts[1] == "Ok lar... Joking wif u oni..."


@pytest.mark.parametrize("name", LOADERS)
def test_the_folder_of_the_environment(monkeypatch, tmp_path, name):
    room, file = LOADERS[name]
    load = getattr(datasets, name)
    monkeypatch.delenv("STATFAST_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=f"{file} was not loaded: folder is None"):
        load()
    monkeypatch.setenv("STATFAST_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=rf"{file} is not in .*{room}"):
        load()
    with pytest.raises(TypeError, match="folder must be a path"):
        load(3)
    (tmp_path / room).mkdir()
    (tmp_path / room / f"{file}.gz").write_bytes(gzip.compress(b"x y\n1 2\n")[:-4])
    with pytest.raises(ValueError, match="Download it again"):
        load()
    (tmp_path / room / file).write_text("x y\n1 2\n")
    with pytest.raises(ValueError, match=r"must hold \d+ numbers|is not a label, tab and message"):
        load()


def test_a_file_that_is_not_packed(tmp_path):
    (tmp_path / "baby.dat").write_text(
        "Survival Weight Age Apgar1 Apgar5 pH \n1 1350 32 4 7 7.25\n\n"
    )
    table = datasets.load_baby(tmp_path)
    assert table.data.tolist() == [[1350.0, 32.0, 4.0, 7.0, 7.25]]
    assert table.feature_names == ("Weight", "Age", "Apgar1", "Apgar5", "pH")


@pytest.mark.parametrize("scaled", [True, False])
def test_the_diabetes_data_are_those_of_scikit_learn(tmp_path, scaled):
    theirs = pytest.importorskip("sklearn.datasets")
    raw, known = theirs.load_diabetes(scaled=False), theirs.load_diabetes(scaled=scaled)
    names = [name.upper() for name in (*raw.feature_names, "Y")]
    rows = np.column_stack([raw.data, raw.target])
    lines = ["\t".join(names), *("\t".join(f"{cell:g}" for cell in row) for row in rows)]
    (tmp_path / "diabetes.tab.txt").write_text("\n".join(lines) + "\n")
    table = datasets.load_diabetes(tmp_path, scaled=scaled)
    np.testing.assert_allclose(table.data, known.data, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(table.target, known.target)
    assert list(table.feature_names) == known.feature_names
    assert table.target.dtype == np.float64
    assert table.target_names == ()
    with pytest.raises(TypeError, match="scaled must be"):
        datasets.load_diabetes(tmp_path, scaled="yes")
