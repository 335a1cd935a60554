# SPDX-License-Identifier: BSD-3-Clause
"""Models in files: every estimator, what a file refuses to hold, and files that lie."""

import io
import json
import multiprocessing
import os
import pickle
import struct
import threading
import warnings
import zipfile

import numpy as np
import pytest
from scipy import sparse

import statfast
from statfast import (
    ColumnTransformer,
    FunctionTransformer,
    GridSearchCV,
    KFold,
    KMeans,
    KNeighborsClassifier,
    NotFittedError,
    OneHotEncoder,
    RandomForestClassifier,
    RandomizedSearchCV,
    Ridge,
    SelectKBest,
    StandardScaler,
    f_classif,
    load,
    make_pipeline,
    save,
)
from statfast.interchange.files import known_names
from statfast.kernels import RBF
from tests.contract import test_contract as contract

data = contract.data  # the fixture
WORDS = ["the cat sat", "a dog ran", "the dog sat down", "cats and dogs", "rain again", "the rain"]
LABELS = ["cat", "dog", "dog", "cat", "rain", "rain"]


def written(model):
    file = io.BytesIO()
    save(model, file)
    return file.getvalue()


def again(model):
    return load(io.BytesIO(written(model)))


def same(first, second):
    """Whether two answers or parameters are equal in every bit, whatever holds them."""
    if isinstance(first, np.ndarray) and first.dtype != object:
        return (
            first.dtype == second.dtype
            and first.shape == second.shape
            and first.tobytes() == second.tobytes()
        )
    if sparse.issparse(first):
        return same(first.toarray(), second.toarray())
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple | np.ndarray):
        return len(first) == len(second) and all(map(same, first, second))
    if hasattr(first, "get_params"):
        return type(first) is type(second) and same(
            first.get_params(deep=False), second.get_params(deep=False)
        )
    return type(first) is type(second) and (first == second or repr(first) == repr(second))


def parts(archive):
    """The text and the other members of a file."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    return json.loads(members.pop("model.json")), members


def packed(text, members, kind=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        archive.writestr("model.json", text if isinstance(text, bytes) else json.dumps(text))
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def npy(array, **changes):
    """An array as bytes of ``.npy``, whose header says something else."""
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape, **changes}
    text = (repr(header) + "\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.tobytes()


# ------------------------------------------------------------------ every estimator
@contract.each_estimator
def test_the_same_bits_after_a_file(cls, data):
    X, y = data
    model = contract.make(cls)
    if cls.__name__ == "SelectFwe":
        model.set_params(score_func=f_classif)  # the contract's is a function of a test
    model.fit(X, y)
    read = again(model)
    assert type(read) is cls
    contract.assert_same_bits(model, read, X)
    assert same(model.get_params(deep=False), read.get_params(deep=False))
    assert written(again(model)) == written(model)  # after answers, too
    public = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    for name in public:
        assert name in vars(read)
        if isinstance(getattr(model, name), np.ndarray):
            assert same(getattr(model, name), getattr(read, name)), name
    assert written(read) == written(model)


@contract.each_estimator
def test_a_model_of_a_file_is_fitted_again(cls, data):
    X, y = data
    read = again(contract.make(cls).fit(X, y)) if cls.__name__ != "SelectFwe" else None
    if read is not None:
        contract.assert_same_bits(contract.make(cls).fit(X, y), read.fit(X, y), X)


@pytest.mark.parametrize("name", sorted(contract.OF_TEXT))
def test_models_of_text(name):
    kind = getattr(statfast, name)
    X = statfast.CountVectorizer().fit_transform(WORDS) if name == "TfidfTransformer" else WORDS
    model = kind().fit(X, LABELS)
    read = again(model)
    for method in ("transform", "predict_proba"):
        if hasattr(model, method):
            assert same(getattr(model, method)(X), getattr(read, method)(X))
    if name == "NGramLanguageModel":
        assert model.perplexity(WORDS) == read.perplexity(WORDS)


@pytest.mark.parametrize("name", sorted(contract.OF_LABELS))
def test_models_of_labels(name):
    labels = [("a", "b"), ("b",), ()] if name == "MultiLabelBinarizer" else LABELS
    model = getattr(statfast, name)().fit(labels)
    assert same(model.transform(labels), again(model).transform(labels))
    assert same(model.classes_, again(model).classes_)


def test_no_public_estimator_is_left_out():
    """All of them, those that the contract leaves to other tests, too, are known by name."""
    tested = {cls.__name__ for cls in contract.ESTIMATORS} | contract.OF_TEXT | contract.OF_LABELS
    for kind in contract.public_estimators():
        assert known_names.class_of(kind.__name__) is kind
        assert kind.__name__ in tested | set(OF_OTHER_ROWS)


OF_OTHER_ROWS = {  # which the contract leaves to other tests
    "ClassifierChain": lambda: statfast.ClassifierChain(statfast.GaussianNB()).fit(X, OUTPUTS),
    "IsotonicRegression": lambda: statfast.IsotonicRegression().fit(X[:, :1], X[:, 1]),
    "KernelCenterer": lambda: statfast.KernelCenterer().fit(X @ X.T),
    "MultiOutputClassifier": lambda: statfast.MultiOutputClassifier(statfast.GaussianNB()).fit(
        X, OUTPUTS
    ),
    "MultiOutputRegressor": lambda: statfast.MultiOutputRegressor(Ridge()).fit(X, X[:, 2:]),
    "RegressorChain": lambda: statfast.RegressorChain(Ridge()).fit(X, X[:, 2:]),
}


@pytest.mark.parametrize("name", OF_OTHER_ROWS)
def test_models_of_other_rows(name):
    model = OF_OTHER_ROWS[name]()
    read = again(model)
    rows = {"IsotonicRegression": X[:5, :1], "KernelCenterer": (X @ X.T)[:5]}.get(name, X[:5])
    for method in ("predict", "predict_proba", "transform"):
        if hasattr(model, method):
            assert same(getattr(model, method)(rows), getattr(read, method)(rows))
    assert written(read) == written(model)


# ------------------------------------------------------------------ what models hold
RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 4))
Y = np.where(X[:, 0] > 0, "yes", "no")
OUTPUTS = np.column_stack([Y, np.where(X[:, 1] > 0, "a", "b")])


def test_the_state_of_random_numbers_goes_on():
    for seed in (np.random.default_rng(3), np.random.RandomState(3)):
        model = KMeans(3, random_state=seed).fit(X)
        read = again(model)
        assert same(model.fit(X).cluster_centers_, read.fit(X).cluster_centers_)


def test_frames_names_output_and_requests():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = StandardScaler().set_output(transform="pandas").fit(frame)
    read = again(model)
    assert read.feature_names_in_.tolist() == list("abcd")
    pd.testing.assert_frame_equal(read.transform(frame), model.transform(frame))


def test_categories_missing_values_and_mixed_objects():
    table = np.array([["a", 1, None], ["b", 2, 2.5], ["a", 3, np.nan]], dtype=object)
    model = OneHotEncoder(handle_unknown="ignore").fit(table)
    assert same(model.transform(table), again(model).transform(table))
    mixed = ColumnTransformer(
        [("words", OneHotEncoder(), [0]), ("rest", "passthrough", slice(1, 2))]
    )
    mixed.fit(table)
    assert same(np.asarray(mixed.transform(table)), np.asarray(again(mixed).transform(table)))


def test_named_functions_kernels_splitters_and_searches():
    model = make_pipeline(
        FunctionTransformer(np.arctan), SelectKBest(f_classif, k=2), statfast.SVC(kernel=RBF(0.5))
    )
    search = GridSearchCV(model, {"svc__C": [0.1, 1.0]}, cv=KFold(3)).fit(X, Y)
    read = again(search)
    assert same(search.decision_function(X), read.decision_function(X))
    assert read.best_params_ == search.best_params_
    assert isinstance(read.cv_results_["param_svc__C"], np.ma.MaskedArray)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["manhattan", "mahalanobis", "canberra", "dice", "minkowski"])
def test_neighbors_of_all_indexes(algorithm, metric):
    if algorithm != "brute" and metric in ("mahalanobis", "canberra", "dice"):
        metric = "chebyshev"
    params = {"V": np.cov(X.T)} if metric == "mahalanobis" else None
    model = KNeighborsClassifier(3, algorithm=algorithm, metric=metric, metric_params=params)
    model.fit(X, Y)
    assert same(model.kneighbors(X), again(model).kneighbors(X))


def test_scorers_and_dissimilarities_of_mixed_columns():
    model = statfast.LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, scoring="accuracy").fit(X, Y)
    assert again(model).score(X, Y) == model.score(X, Y)
    model = statfast.KMedoids(3, metric="gower", random_state=0).fit(X)
    assert same(model.predict(X), again(model).predict(X))


@pytest.mark.parametrize("method", ["split", "jackknife+", "full", "cv+"])
@pytest.mark.parametrize("kind", ["Ridge", "KNeighborsRegressor", "KernelRidge"])
def test_conformal_fits_of_all_kinds(kind, method):
    if (kind, method) == ("KernelRidge", "full"):
        pytest.skip("it has no such fits")
    model = statfast.ConformalRegressor(getattr(statfast, kind)(), method=method).fit(X, X[:, 0])
    want, got = (m.predict(X[:9], interval="conformal") for m in (model, again(model)))
    assert same(want, got)


def test_sparse_rows_stay_sparse():
    rows = sparse.random(50, 8, 0.3, "lil", random_state=np.random.default_rng(0))
    rows[:, 0] = 1.0
    rows = rows.tocsr()
    labels = np.arange(50) % 2
    for model in (KNeighborsClassifier(2, metric="cosine"), statfast.SVC()):
        model.fit(rows, labels)
        assert same(model.predict(rows), again(model).predict(rows))


def test_equal_models_make_equal_files_by_path(tmp_path):
    model = RandomForestClassifier(5, random_state=0).fit(X, Y)
    for name in ("a.statfast", "b.statfast"):
        save(model, tmp_path / name)
    assert (tmp_path / "a.statfast").read_bytes() == (tmp_path / "b.statfast").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.statfast", "b.statfast"]
    assert same(load(str(tmp_path / "a.statfast")).predict_proba(X), model.predict_proba(X))


def test_the_arrays_are_read_by_numpy():
    model = Ridge().fit(X, X[:, 0])
    with np.load(io.BytesIO(written(model)), allow_pickle=False) as arrays:
        assert any(
            np.array_equal(arrays[name], model.coef_)
            for name in arrays
            if "npy" in name or "arrays" in name
        )


# ------------------------------------------------------------------ what a file does not hold
def of_user(a, b):
    return float(np.abs(a - b).sum())


class RidgeOfUser(Ridge):
    """A subclass of a user's."""


def test_what_a_file_cannot_hold_is_named(tmp_path):
    frozen = pytest.importorskip("scipy.stats").loguniform(0.1, 1.0)
    sklearn = pytest.importorskip("sklearn.preprocessing")
    cases = [
        (KNeighborsClassifier(metric=of_user).fit(X, Y), r"\.metric is the function of_user"),
        (FunctionTransformer(lambda a: a).fit(X), r"FunctionTransformer\.func is the function"),
        (
            RidgeOfUser().fit(X, X[:, 0]),
            "is a RidgeOfUser, a class that files do not name",
        ),
        (
            make_pipeline(sklearn.StandardScaler(), Ridge()).fit(X, X[:, 0]),
            r"Pipeline\.steps\[0\]\[1\] is StandardScaler\(\)",
        ),
        (
            RandomizedSearchCV(Ridge(), {"alpha": frozen}, n_iter=2, random_state=0).fit(
                X, X[:, 0]
            ),
            r"param_distributions\['alpha'\]",
        ),
    ]
    path = tmp_path / "kept"
    path.write_bytes(b"what was there")
    for model, words in cases:
        with pytest.raises(TypeError, match=words):
            save(model, path)
    assert path.read_bytes() == b"what was there"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]


def test_only_fitted_estimators_are_written():
    with pytest.raises(NotFittedError, match="not fitted"):
        save(Ridge(), io.BytesIO())
    with pytest.raises(TypeError, match="an estimator of statfast"):
        save({"coef": 1}, io.BytesIO())
    with pytest.raises(TypeError, match="path must be"):
        save(Ridge().fit(X, X[:, 0]), 7)


# ------------------------------------------------------------------ files that lie
GOOD = written(Ridge().fit(X, X[:, 0]))
TEXT, MEMBERS = parts(GOOD)
FIRST = "arrays/0.npy"


def altered(**changes):
    return packed({**TEXT, **changes}, MEMBERS)


def with_object(name, state, **more):
    return altered(objects=[{"class": name, "state": state}], model={"object": 0}, **more)


def with_state(**state):
    record = TEXT["objects"][-1]
    return altered(
        objects=[*TEXT["objects"][:-1], {**record, "state": {**record["state"], **state}}]
    )


def with_array(data):
    return packed(TEXT, {**MEMBERS, FIRST: data})


class Trap:
    """What a pickle would run."""

    def __reduce__(self):
        return pytest.fail, ("code of a file was run",)


def object_array():
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([Trap()], dtype=object), allow_pickle=True)
    return file.getvalue()


def claims(size):
    """A file whose directory says that a member is of another size."""
    data = bytearray(GOOD)
    place = data.rindex(b"PK\x01\x02")
    data[place + 20 : place + 28] = struct.pack("<II", size, size)
    return bytes(data)


HOSTILE = {
    "a pickle": (pickle.dumps(Trap()), "not a model"),
    "nothing": (b"", "not a model"),
    "cut in the middle": (GOOD[: len(GOOD) // 2], "not a model"),
    "cut at the end": (GOOD[:-30], "not a model"),
    "a flipped bit": (GOOD.replace(MEMBERS[FIRST], MEMBERS[FIRST][:-1] + b"\x55"), "CRC"),
    "a zip bomb": (
        packed(TEXT, {**MEMBERS, FIRST: npy(np.zeros(1 << 22))}, zipfile.ZIP_DEFLATED),
        "compressed",
    ),
    "a large claim": (claims(1 << 31), "larger than the file|not a model"),
    "no text": (
        (lambda file: (zipfile.ZipFile(file, "w").close(), file.getvalue())[1])(io.BytesIO()),
        "model.json",
    ),
    "no JSON": (packed(b"{", MEMBERS), "not a model"),
    "NaN": (packed(b'{"format": NaN}', MEMBERS), "not JSON"),
    "deep": (packed(b"[" * 200_000, MEMBERS), "not a model"),
    "a long number": (packed(b"1" * 100_000, MEMBERS), "not a model"),
    "a list": (packed([], MEMBERS), "begin with the format"),
    "another format": (altered(format="other"), "begin with the format"),
    "no version": (altered(version=None), "version of the format"),
    "a later version": (altered(version=99), "Install a newer statfast"),
    "a member less": (packed(TEXT, {}), "there is no .* 0"),
    "a gap": (packed(TEXT, {"arrays/1.npy": MEMBERS[FIRST]}), "missing"),
    "a path upward": (packed(TEXT, {**MEMBERS, "../../evil": b"x"}), "not a part of a model"),
    "no array": (with_array(b"evil"), "not a model"),
    "objects": (with_array(object_array()), "dtype"),
    "a large header": (
        with_array(b"\x93NUMPY\x01\x00" + struct.pack("<H", 60_000) + b" " * 60_000),
        "not a model",
    ),
    "a large shape": (with_array(npy(np.zeros(1), shape=(1 << 60,))), "bytes for the shape"),
    "a large empty shape": (
        with_array(npy(np.zeros(0), descr="<U0", shape=(1 << 60,))), "bytes for the shape"
    ),
    "a negative shape": (with_array(npy(np.zeros(1), shape=(-1, -1))), "shape"),
    "a shape short": (with_array(npy(np.zeros(5), shape=(4,))), "bytes for the shape"),
    "a dtype of arrays": (with_array(npy(np.zeros(2), descr=("<f8", (2,)))), "dtype|not a model"),
    "code in a header": (with_array(npy(np.zeros(1), shape="__import__('os')")), "not a model"),
    "no number of an array": (with_state(coef_={"array": 99}), "no array 99"),
    "a number from the end": (with_state(coef_={"array": -1}), "no array -1"),
    "truth as a number": (with_state(coef_={"array": True}), "no array True"),
    "no kind": (with_state(coef_={"pickle": "gASV"}), "not a kind of value"),
    "two kinds": (with_state(coef_={"array": 0, "tuple": []}), "not a kind of value"),
    "an unknown class": (with_object("Popen", {"args": "ls"}), "not a class that a model may hold"),
    "a class of no model": (with_object("Parts", {}), "not a class that a model may hold"),
    "a class by path": (with_object("os.system", {}), "not a class that a model may hold"),
    "a class that is a number": (with_object(7, {}), "not a class that a model may hold"),
    "a method": (with_state(predict={"array": 0}), "no attribute 'predict'"),
    "a dunder": (with_state(__class__="x"), "no attribute '__class__'"),
    "another attribute": (with_state(other_=1), "no attribute 'other_'"),
    "no name": (with_state(**{"a b": 1}), "no attribute 'a b'"),
    "a list of names": (with_state(_fitted=[1]), "one of names"),
    "a field too many": (
        altered(objects=[{"class": "ColumnMoments", "state": {"evil": 1}}, *TEXT["objects"]]),
        "ColumnMoments has no",
    ),
    "a function": (with_state(alpha={"function": "save"}), "not a function that a model may use"),
    "a function of Python": (with_state(alpha={"function": "eval"}), "not a function"),
    "a call": (
        with_state(alpha={"partial": [{"array": 0}, [], {"dict": []}]}), "is not a function"
    ),
    "another method": (with_state(alpha={"method": [{"array": 0}, "tofile"]}), "not a method"),
    "no ufunc": (with_state(alpha={"ufunc": "load"}), "not a function of numbers"),
    "a type": (with_state(alpha={"type": "Popen"}), "not a model"),
    "a dtype of objects": (with_state(alpha={"dtype": "O"}), "not of numbers"),
    "a generator": (
        with_state(random_state={"generator": [{"dict": [["bit_generator", "os"]]}, {"dict": []}]}),
        "not a generator",
    ),
    "a sparse matrix outside": (
        altered(
            objects=[
                {
                    "class": "Ridge",
                    "state": {
                        "_fitted": {"tuple": ["coef_"]},
                        "coef_": {"sparse": ["csr_matrix", [2, 2], *[{"array": 0}] * 3]},
                    },
                }
            ],
            model={"object": 0},
        ),
        "not a model",
    ),
    "no estimator": (altered(model=7), "not an estimator"),
    "objects out of order": (
        with_object("Ridge", {"coef_": {"object": 0}}),
        "there is no .* 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_files_that_lie_are_refused(case):
    data, words = HOSTILE[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zipfile and numpy, on what they find
        with pytest.raises(ValueError, match=words):
            load(io.BytesIO(data))


def test_every_cut_and_many_flips_are_refused_or_answered():
    """A damaged file is refused by a ValueError; what checksums do not cover may not matter."""
    rng = np.random.default_rng(0)
    for end in range(0, len(GOOD), 37):
        with pytest.raises(ValueError, match="file"):
            load(io.BytesIO(GOOD[:end]))
    for place in rng.integers(0, len(GOOD), 500):
        data = bytearray(GOOD)
        data[place] ^= 1 << int(rng.integers(8))
        try:
            model = load(io.BytesIO(bytes(data)))
        except ValueError:
            continue
        assert same(model.predict(X), load(io.BytesIO(GOOD)).predict(X))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b"\x80\x05\x95\x10", "seems to be a pickle"),
        (b"PK\x03\x04 and no more", "ends early"),
        (b"{}", "not a zip archive"),
    ],
)
def test_what_a_file_seems_to_be_is_told(content, words, tmp_path):
    (tmp_path / "file").write_bytes(content)
    for source in (tmp_path / "file", io.BytesIO(content)):
        with pytest.raises(ValueError, match=words):
            load(source)


def test_attributes_that_a_file_lacks_are_named():
    text, members = parts(written(statfast.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])))
    del text["objects"][-1]["state"]["coef_"]
    with pytest.raises(ValueError, match="Ridge lacks 'coef_', which it has learned"):
        load(io.BytesIO(packed(text, members)))
    del text["objects"]
    with pytest.raises(ValueError, match="lacks 'objects'"):
        load(io.BytesIO(packed(text, members)))


def test_places_that_are_none(tmp_path):
    """Text files, bytes, folders: the sentence names what was given, not a temporary file."""
    model = statfast.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    with open(tmp_path / "text", "w+") as file:
        for call in (lambda: save(model, file), lambda: load(file)):
            with pytest.raises(TypeError, match=r"a file of text. Open it with mode '[rw]b'"):
                call()
    with pytest.raises(TypeError, match=r"got 3 bytes. Pass io.BytesIO"):
        load(b"abc")
    for place in (tmp_path, tmp_path / "missing" / "model"):
        with pytest.raises((IsADirectoryError, FileNotFoundError)) as caught:
            save(model, place)
        assert ".statfast-" not in str(caught.value)
        assert str(tmp_path) in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text"]


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    model = statfast.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    path = tmp_path / "model"
    path.write_bytes(b"mine")
    path.chmod(0o444)
    # The superuser may write to any file, as open does.
    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    with pytest.raises(PermissionError, match="The file is read-only") as caught:
        save(model, path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"mine"
    assert [place.name for place in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_is_no_file_is_written_to_not_replaced(tmp_path):
    """A named pipe, as a device such as /dev/stdout, stays what it is."""
    model = statfast.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    save(model, pipe)
    reader.join(60)
    assert pipe.is_fifo()
    assert [place.name for place in tmp_path.iterdir()] == ["pipe"]
    assert load(io.BytesIO(read[0])).predict([[0.5]]) == model.predict([[0.5]])


@pytest.mark.skipif(os.name == "nt", reason="permissions of Windows are others")
def test_a_replaced_file_keeps_its_permissions(tmp_path):
    model = statfast.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    path = tmp_path / "model"
    save(model, path)
    path.chmod(0o600)
    save(model, path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
    with pytest.raises(TypeError, match="path"):
        load(7)


def test_parameters_that_a_file_does_not_know_have_their_defaults():
    text = json.loads(json.dumps(TEXT))
    del text["objects"][-1]["state"]["alpha"]
    assert load(io.BytesIO(packed(text, MEMBERS))).alpha == Ridge().alpha


# ------------------------------------------------------------------ names
def test_names_of_records_are_classes():
    for name in known_names._MODULE_OF:
        assert known_names.class_of(name).__name__ == name


# ------------------------------------------------------------------ numbers that someone changed
TREE_RNG = np.random.default_rng(5)
TREE_ROWS = TREE_RNG.integers(0, 6, (90, 4)).astype(float)
GAPS = np.where(TREE_RNG.random(TREE_ROWS.shape) < 0.1, np.nan, TREE_ROWS)
TREE_LABELS = (TREE_ROWS[:, 0] + TREE_ROWS[:, 1] > 5).astype(int)
THREE_TREES = {"n_estimators": 3, "random_state": 0}
INDEXED = {
    "tree": statfast.DecisionTreeClassifier(random_state=0),
    "surrogates": statfast.DecisionTreeClassifier(missing="surrogate", random_state=0),
    "tree of categories": statfast.DecisionTreeRegressor(categorical_features=[1], random_state=0),
    "forest": RandomForestClassifier(**THREE_TREES),
    "isolation": statfast.IsolationForest(**THREE_TREES),
    "boosting": statfast.HistGradientBoostingClassifier(
        max_iter=3, min_samples_leaf=3, categorical_features=[1]
    ),
    "adaboost": statfast.AdaBoostClassifier(**THREE_TREES),
    "k-d tree": KNeighborsClassifier(3, algorithm="kd_tree"),
    "ball tree": KNeighborsClassifier(3, algorithm="ball_tree", metric="manhattan"),
    "brute": KNeighborsClassifier(3, algorithm="brute"),
    "machine": statfast.SVC(),
    "clusters": KMeans(3, random_state=0),
    "density": statfast.KernelDensity(bandwidth=0.5),
    "bayes": statfast.CategoricalNB(),
}


def flipped(archive, rng):
    """A file of the same shapes, with a number or two of an array changed."""
    text, members = parts(archive)
    names = [name for name in members if len(members[name]) > 128]
    for _ in range(int(rng.integers(1, 3))):
        name = str(rng.choice(names))
        data = bytearray(members[name])
        head = 10 + int.from_bytes(data[8:10], "little")
        if len(data) <= head:
            continue
        place = int(rng.integers(head, len(data)))
        if rng.random() < 0.5:
            data[place] ^= 1 << int(rng.integers(8))
        else:
            data[place] = int(rng.choice([0, 1, 127, 128, 255]))
        members[name] = bytes(data)
    return packed(text, members)


def ask(archives, rows):
    """What a process of its own does with files: it reads and asks each, or it has crashed."""
    for data in archives:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                model = load(io.BytesIO(data))
            except ValueError:
                continue
            for method in ("predict", "predict_proba", "score_samples", "kneighbors"):
                if not hasattr(model, method):
                    continue
                try:
                    getattr(model, method)(rows)
                except (ArithmeticError, IndexError, MemoryError, TypeError, ValueError):
                    continue


@pytest.mark.parametrize("name", INDEXED)
def test_changed_numbers_are_refused_or_answered(name):
    """Whatever number of a file is changed: no process crashes or hangs."""
    model = copied_of(INDEXED[name])
    rows = GAPS if name == "surrogates" else TREE_ROWS
    model.fit(rows, TREE_LABELS)
    archive, rng = written(model), np.random.default_rng(len(name))
    archives = [flipped(archive, rng) for _ in range(40)]
    context = multiprocessing.get_context("fork")
    process = context.Process(target=ask, args=(archives, rows[:40]))
    process.start()
    process.join(120)
    alive = process.is_alive()
    process.kill()
    assert not alive
    assert process.exitcode == 0


def copied_of(model):
    return type(model)(**model.get_params(deep=False))


def changed_array(model, change, dtype, ndim):
    """A file in which the first array of a dtype and dimension is changed."""
    text, members = parts(written(model))
    for name, data in members.items():
        array = np.load(io.BytesIO(data))
        if array.dtype == dtype and array.ndim == ndim and array.size > 2:
            change(array)
            members[name] = npy(array)
            return packed(text, members)
    raise AssertionError("no such array")


def set_last(value):
    def change(array):
        array.reshape(-1)[-1] = value

    return change


def set_right(array):
    array[0, 1] = (array[0, 1] & np.uint64(0xFFFFFFFF00000000)) | np.uint64(1 << 20)


def set_column(array):
    array[0, 1] |= np.uint64(77 << 32)


@pytest.mark.parametrize(
    ("name", "change", "dtype", "ndim", "words"),
    [
        ("forest", set_right, np.uint64, 2, "children of nodes must come after them"),
        ("forest", set_column, np.uint64, 2, "asks about no column"),
        ("forest", set_last(0x7FF8000000000000), np.uint64, 2, "child|no column"),
        ("tree", set_last(90), np.int64, 1, "."),
        ("k-d tree", set_last(1 << 20), np.int32, 1, "ids"),
    ],
)
def test_indices_outside_are_named(name, change, dtype, ndim, words):
    model = copied_of(INDEXED[name]).fit(TREE_ROWS, TREE_LABELS)
    with pytest.raises(ValueError, match=words):
        load(io.BytesIO(changed_array(model, change, dtype, ndim)))
