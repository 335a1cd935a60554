# SPDX-License-Identifier: BSD-3-Clause
"""What a program meets that changes its imports from scikit-learn's to ours.

Defaults that differ, and parameters of scikit-learn that are missing, are rows of the table in
docs/howto/scikit_learn.rst, and there are no others. Then the traps: calls that both libraries
take and once answered differently, without a word.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import statfast
from statfast._estimator.parameters.ignored_arguments import IGNORED, ignored_names
from statfast.datasets import load_iris, load_wine
from tests.peers.scikit_learn_page import DEVIATIONS
from tests.peers.scikit_learn_page import deviations as written_deviations

pytest.importorskip("sklearn.experimental.enable_halving_search_cv")
from sklearn.base import clone
from sklearn.metrics import d2_tweedie_score
from sklearn.model_selection import GridSearchCV
from sklearn.utils import all_estimators

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "scikit_learn.rst"
PEERS = dict(all_estimators())
FAMILIES = [getattr(statfast, name) for name in statfast._FAMILIES]
PUBLIC = {name: getattr(family, name) for family in FAMILIES for name in family.__all__}
TWINS = sorted(set(PUBLIC) & set(PEERS))


def defaults(cls):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(cls.__init__).parameters.items()
        if name != "self"
    }


def deviations():
    """(class, parameter) of each row of the page's table."""
    return rows_of("Defaults that differ")


def rows_of(title):
    """(class, name) of each row of the table under a title."""
    below = rf"\n{title}\n-+\n(.*?)(?=\n[^\n]+\n-{{4,}}\n|\Z)"
    part = re.search(below, PAGE.read_text("utf-8"), re.S)[1]
    rows = re.findall(r"^   \* - (.+)\n     - ``(\w+)``", part, re.M)
    return {(kind.strip(), name) for kinds, name in rows for kind in kinds.split(",")}


def observed_deviations():
    out = set()
    for name in TWINS:
        cls, own = PUBLIC[name], defaults(PUBLIC[name])
        for key, peer in defaults(PEERS[name]).items():
            if peer is inspect.Parameter.empty:
                continue
            if key not in own:
                if key not in ignored_names(cls):
                    out.add((name, key))
            elif not (same_default(own[key], peer) or own[key] != own[key]):
                out.add((name, key))
    return out


def example(name):
    """Arguments of the constructor, and what fit is given."""
    iris = load_iris()
    X, y = iris.data, iris.target
    line, numbers = PEERS["LogisticRegression"](), np.round(X)
    ridge = PEERS["Ridge"]()
    made = {
        "OneVsOneClassifier": {"estimator": line},
        "OneVsRestClassifier": {"estimator": line},
        "OutputCodeClassifier": {"estimator": line},
        "RFE": {"estimator": line},
        "RFECV": {"estimator": line},
        "SequentialFeatureSelector": {"estimator": ridge},
        "SelectFromModel": {"estimator": line},
        "GridSearchCV": {"estimator": line, "param_grid": {"C": [0.1, 1.0]}},
        "RandomizedSearchCV": {"estimator": line, "param_distributions": {"C": [0.1]}, "n_iter": 1},
        "HalvingGridSearchCV": {"estimator": line, "param_grid": {"C": [0.1, 1.0]}},
        "HalvingRandomSearchCV": {"estimator": line, "param_distributions": {"C": [0.1, 1.0, 9.0]}},
        "Pipeline": {"steps": [("line", line)]},
        "FixedThresholdClassifier": {"estimator": line},
        "ClassifierChain": {"estimator": line},
        "MultiOutputClassifier": {"estimator": line},
        "MultiOutputRegressor": {"estimator": ridge},
        "RegressorChain": {"estimator": ridge},
        "TunedThresholdClassifierCV": {"estimator": line, "store_cv_results": True},
        **{f"{kind}Classifier": {"estimators": [("l", line)]} for kind in ("Stacking", "Voting")},
        **{f"{kind}Regressor": {"estimators": [("r", ridge)]} for kind in ("Stacking", "Voting")},
        "ColumnTransformer": {"transformers": [("scale", PEERS["StandardScaler"](), [0, 1])]},
        "FeatureUnion": {"transformer_list": [("scale", PEERS["StandardScaler"]())]},
    }
    arguments = {
        "CountVectorizer": (["some words here", "words there"],),
        "HashingVectorizer": (["some words here", "words there"],),
        "TfidfVectorizer": (["some words here", "words there"],),
        "TfidfTransformer": (np.eye(3),),
        "LabelBinarizer": (y,),
        "LabelEncoder": (y,),
        "MultiLabelBinarizer": ([["a", "b"], ["b"]],),
        "IsotonicRegression": (X[:, 0], y),
        "CategoricalNB": (numbers, y),
        "KernelCenterer": (X @ X.T,),
        "GammaRegressor": (X, X[:, 0]),
        **dict.fromkeys(
            ("ClassifierChain", "MultiOutputClassifier"), (X, np.column_stack([y > 0, y > 1]) * 1)
        ),
        **dict.fromkeys(("MultiOutputRegressor", "RegressorChain"), (X, X[:, :2])),
        **dict.fromkeys((name for name in PEERS if name.startswith("MultiTask")), (X, X[:, :2])),
        **dict.fromkeys(("FixedThresholdClassifier", "TunedThresholdClassifierCV"), (X, y > 0)),
    }
    return made.get(name, {}), arguments.get(name, (X, y))


def public_names(cls, name):
    """Methods, and attributes of the fitted estimator."""
    made, arguments = example(name)
    model = cls(**made).fit(*arguments)
    fitted = {key for key in dir(model) if key.endswith("_") and key[0] != "_"}
    methods = {
        key for key in dir(cls)
        if key[0] != "_" and not key.endswith("_request") and callable(getattr(cls, key, None))
    }  # fmt: skip
    return {key for key in fitted if hasattr(model, key)} | (methods - {"get_metadata_routing"})


@pytest.mark.filterwarnings("ignore")
def test_attributes_and_methods_of_the_twins():
    told = rows_of("Attributes and methods that are missing")
    found = set()
    for name in TWINS:
        peer, ours = public_names(PEERS[name], name), dir(PUBLIC[name])
        missing = peer - public_names(PUBLIC[name], name) - set(ours)
        found |= {(name, key) for key in missing}
    assert not found - told, f"missing from the table: {sorted(found - told)}"
    assert not told - found, f"in the table, but not missing: {sorted(told - found)}"


def test_audits_read_the_tables_of_the_page():
    """``python -m tests.peers.scikit_learn_page`` writes the file."""
    assert DEVIATIONS.read_text("utf-8") == written_deviations()


def test_the_table_of_deviations_is_whole():
    found, told = observed_deviations(), deviations()
    assert not found - told, f"missing from the table: {sorted(found - told)}"
    assert not told - found, f"in the table, but no deviation: {sorted(told - found)}"


# ------------------------------------------------------------------ functions, and other classes
# fmt: off
HOMES = [
    "calibration", "cluster", "compose", "covariance", "datasets", "decomposition", "ensemble",
    "feature_extraction", "feature_extraction.text", "feature_selection", "impute", "inspection",
    "isotonic", "linear_model", "metrics", "metrics.cluster", "metrics.pairwise", "mixture",
    "model_selection", "multiclass", "multioutput", "naive_bayes", "neighbors", "pipeline",
    "preprocessing", "svm", "tree",
]
# fmt: on
UNRELATED = {"Kernel", "RBF"}  # of Gaussian processes: nothing but the name is the same


def callables():
    """Name: (theirs, ours), of public functions and of classes that are no estimators."""
    out = {}
    for home in HOMES:
        module = import_module(f"sklearn.{home}")
        for name in getattr(module, "__all__", ()):
            peer = vars(module).get(name)
            matches = [vars(family)[name] for family in FAMILIES
                   if name in family.__all__ and not family.__name__.endswith("plot")]  # fmt: skip
            if matches and callable(peer) and name not in {*PEERS, *UNRELATED}:
                out.setdefault(name, (peer, matches[0]))
    return out


CALLABLES = callables()


def parameters_of(function):
    try:
        found = inspect.signature(function).parameters
    except ValueError:  # compiled, without a signature
        return {}
    return {k: v for k, v in found.items() if v.kind not in (v.VAR_POSITIONAL, v.VAR_KEYWORD)}


def same_default(ours, peer):
    """Equal, an array and a tuple of equal numbers, or functions of one name."""
    if callable(ours) and callable(peer):  # the twin of a function is that of its name
        return ours.__name__ == peer.__name__
    return ours is peer or np.array_equal(ours, peer) or repr(ours) == repr(peer)


def test_the_table_of_functions_is_whole():
    assert len(CALLABLES) > 80
    told, found = rows_of("Functions that differ"), set()
    for name, (peer, ours) in CALLABLES.items():
        own = parameters_of(ours)
        for key, parameter in parameters_of(peer).items():
            if same_default(parameter.default, "deprecated"):
                continue
            if key not in own:
                same = key in getattr(ours, "ignored", ())
            elif parameter.default is inspect.Parameter.empty:
                same = True  # what must be passed there may be left out here
            else:
                same = same_default(own[key].default, parameter.default)
            if not same:
                found.add((name, key))
    assert not found - told, f"missing from the table: {sorted(found - told)}"
    assert not told - found, f"in the table, but no deviation: {sorted(told - found)}"


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_arguments_by_place_are_those_of_scikit_learn(name):
    peer, ours = (parameters_of(function) for function in CALLABLES[name])
    placed = [key for key, v in peer.items() if v.kind is not v.KEYWORD_ONLY]
    assert placed == [key for key, v in ours.items() if v.kind is not v.KEYWORD_ONLY][: len(placed)]


def test_each_display_has_a_row():
    from sklearn.utils.discovery import all_displays

    part = PAGE.read_text("utf-8").split("\nDisplays\n")[1]
    rows = dict(re.findall(r"^   \* - (\w+Display)\n     - ``([\w.]+)``", part, re.M))
    assert set(rows) == {name for name, _ in all_displays()}
    for place in rows.values():
        family, name = place.split(".")
        assert name in getattr(statfast, family).__all__


def test_what_functions_take_beside_their_parameters():
    X, y = rows()
    tree = statfast.DecisionTreeClassifier(max_depth=1)
    cross = statfast.cross_val_score
    np.testing.assert_array_equal(cross(tree, X, y, verbose=3, pre_dispatch=1), cross(tree, X, y))
    path = statfast.lasso_path(X, y, alphas=4, copy_X=False, precompute=X.T @ X)
    np.testing.assert_array_equal(path.coefs, statfast.lasso_path(X, y, alphas=4).coefs)
    assert statfast.make_pipeline(tree, memory=None, verbose=True).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match=r"takes return_n_iter .* only as False; got array"):
        statfast.lasso_path(X, y, return_n_iter=np.ones(2))
    with pytest.raises(TypeError, match="unexpected keyword argument 'verbos'"):
        cross(tree, X, y, verbos=3)


def test_digits_of_some_classes():
    peers = pytest.importorskip("sklearn.datasets")
    ours, peer = (home.load_digits(n_class=4) for home in (statfast.datasets, peers))
    np.testing.assert_array_equal(ours.data, peer.data)
    np.testing.assert_array_equal(ours.target, peer.target)
    assert ours.target_names == ("0", "1", "2", "3")
    with pytest.raises(ValueError, match="n_class must be"):
        statfast.datasets.load_digits(n_class=11)


def test_trees_are_printed_with_names_of_classes():
    from sklearn.tree import export_text

    X, y = rows()
    kinds = statfast.DecisionTreeClassifier, PEERS["DecisionTreeClassifier"]
    ours, peer = (cls(max_depth=2, random_state=0).fit(X, y) for cls in kinds)
    for names in (["versicolor", "virginica"], np.array(["b", "a"])):
        assert statfast.tree.export_text(ours, class_names=names) == export_text(
            peer, class_names=names
        )
    with pytest.raises(ValueError, match="class_names must name each of the classes"):
        statfast.tree.export_text(ours, class_names=["one"])


@pytest.mark.parametrize(("name", "key"), sorted(IGNORED))
def test_accepted_parameters(name, key):
    """Taken with scikit-learn's default, shown only if given, kept by clone."""
    cls = PUBLIC[name]
    values, _ = IGNORED[name, key]
    value = defaults(PEERS[name])[key] if name in PEERS else True
    if values is not None and value not in values:  # "deprecated" and the like
        value = values[0]
    model = cls(**{key: value})
    assert key not in cls().get_params()
    assert model.get_params()[key] is value
    assert clone(model).get_params()[key] is value or clone(model).get_params()[key] == value
    assert f"{key}=" in repr(model)
    assert key not in inspect.signature(cls).parameters
    if values is not None:
        with pytest.raises(ValueError, match=f"takes {key} from scikit-learn's parameters only as"):
            cls(**{key: object()})
        with pytest.raises(ValueError, match=f"takes {key}"):
            model.set_params(**{key: object()})


def test_unknown_parameters_have_a_sentence():
    with pytest.raises(TypeError, match=r"Lasso has no parameter 'alpa'\. Did you mean 'alpha'\?"):
        statfast.Lasso(alpa=1)
    with pytest.raises(TypeError, match=r"KMeans has no parameter 'foo'\. It has: algorithm,"):
        statfast.KMeans(foo=1)


# ------------------------------------------------------------------ traps
def rows():
    iris = load_iris()
    return iris.data[50:], iris.target[50:]


def test_trap_c_is_not_ignored():
    X, y = rows()
    peers = pytest.importorskip("sklearn.linear_model")
    for C, ratio in ((0.01, 0.0), (1.0, 0.0), (0.1, 1.0), (0.1, 0.5)):
        model = statfast.LogisticRegression(C=C, l1_ratio=ratio).fit(X, y)
        peer = peers.LogisticRegression(
            C=C, l1_ratio=ratio, solver="saga", tol=1e-9, max_iter=100_000, random_state=0
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    search = GridSearchCV(statfast.LogisticRegression(), {"C": [1e-3, 1.0]}, scoring="neg_log_loss")
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    assert scores[1] > scores[0] + 0.1


@pytest.mark.parametrize(
    ("penalty", "C", "ratio"), [("l2", 0.5, 0.0), ("l1", 0.5, 1.0), ("elasticnet", 0.5, 0.3)]
)
def test_trap_penalty_in_the_spellings_of_scikit_learn(penalty, C, ratio):
    X, y = rows()
    given = {"l1_ratio": ratio} if penalty == "elasticnet" else {}
    model = statfast.LogisticRegression(penalty=penalty, C=C, solver="saga", **given).fit(X, y)
    plain = statfast.LogisticRegression(C=C, l1_ratio=ratio).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "l2"}, "penalty='l2' needs a finite C"),
        ({"penalty": None, "C": 1.0}, "penalty=None needs C=np.inf"),
        ({"penalty": "l2", "C": 1.0, "l1_ratio": 0.5}, "penalty='l2' is l1_ratio=0"),
        ({"penalty": "l1", "C": 1.0, "l1_ratio": 0.5}, "penalty='l1' is l1_ratio=1"),
        ({"l1_ratio": 0.5}, "l1_ratio mixes the penalties of a finite C"),
        ({"method": "firth", "C": 1.0}, "method='firth' takes no other penalty"),
    ],
)
def test_trap_penalties_that_contradict(options, message):
    with pytest.raises(ValueError, match=message):
        statfast.LogisticRegression(**options).fit(*rows())


@pytest.mark.parametrize("cls", [statfast.LassoCV, statfast.ElasticNetCV])
def test_trap_an_integer_as_alphas_is_how_many(cls):
    X, y = rows()
    model = cls(alphas=7, cv=3).fit(X, y)
    assert model.alphas_.shape == (7,)
    with pytest.raises(ValueError, match=r"alphas must be a list of penalties, or an integer"):
        cls(alphas=0.5).fit(X, y)


def test_trap_paths_unpack():
    X, y = rows()
    alphas, coefs, gaps = statfast.lasso_path(X, y, alphas=5)
    assert alphas.shape == gaps.shape == (5,)
    assert coefs.shape == (4, 5)
    assert statfast.logistic_path(X, y, alphas=4).alphas.shape == (4,)
    assert statfast.RidgeCV(alphas=6).fit(X, y).alphas_.shape == (6,)


def test_trap_errors_of_each_l1_ratio_are_kept():
    X, y = rows()
    model = statfast.ElasticNetCV(l1_ratio=[0.2, 1.0], alphas=6, cv=3).fit(X, y)
    assert model.mse_path_.shape == (2, 6, 3)
    assert model.alphas_.shape == (2, 6)


@pytest.mark.parametrize("cls", [statfast.KDTree, statfast.BallTree])
def test_trap_query_radius_gives_indices_first(cls):
    from sklearn import neighbors

    X = np.random.default_rng(0).random((50, 2))
    ours = cls(X).query_radius(X=X[:3], r=0.3, return_distance=True, sort_results=True)
    peer = getattr(neighbors, cls.__name__)(X).query_radius(
        X[:3], r=0.3, return_distance=True, sort_results=True
    )
    for one, other in zip(ours, peer, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b)


def test_trap_conf_int_of_five_percent():
    X, y = rows()
    model = statfast.LogisticRegression().fit(X[:, :2], y)
    with pytest.raises(TypeError):
        model.conf_int(0.05)
    table = model.conf_int(alpha=0.05)
    assert list(table.columns) == ["2.5 %", "97.5 %"]
    assert table.names == ("(Intercept)", "x0", "x1")
    np.testing.assert_array_equal(np.asarray(table), np.asarray(model.conf_int()))
    np.testing.assert_array_equal(table["x1"], table[2])


@pytest.mark.parametrize(
    ("family", "power"), [("gaussian", 0), ("poisson", 1), ("gamma", 2), ("inverse_gaussian", 3)]
)
def test_trap_the_score_of_a_glm_is_d_squared(family, power):
    wine = load_wine()
    X, y = wine.data[:, :3], wine.data[:, 5]
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    y = np.round(y * 3) if family == "poisson" else y
    model = statfast.GeneralizedLinearModel(family, link="log").fit(X, y, w)
    expected = d2_tweedie_score(y, model.predict(X), sample_weight=w, power=power)
    np.testing.assert_allclose(model.score(X, y, w), expected, rtol=1e-10)


def test_trap_offsets_are_asked_for_again():
    rng = np.random.default_rng(2)
    X, time = rng.normal(size=(200, 2)), rng.uniform(1, 9, 200)
    y = rng.poisson(time * np.exp(0.3 * X[:, 0]))
    model = statfast.GeneralizedLinearModel("poisson").fit(X, y, exposure=time)
    with pytest.warns(UserWarning, match="was fitted with an offset"):
        alone = model.predict(X)
    np.testing.assert_allclose(model.predict(X, exposure=time), time * alone)
    np.testing.assert_allclose(model.predict(X, np.log(time)), time * alone)
    link = model.predict(X, exposure=time, type="link")
    np.testing.assert_allclose(np.exp(link), time * alone)
    assert model.score(X, y, exposure=time) > 0.3
    with pytest.warns(UserWarning, match="was fitted with an offset"):
        assert model.score(X, y) < model.score(X, y, exposure=time)
    marks = y > np.median(y)
    logit = statfast.LogisticRegression().fit(X, marks, offset=np.log(time))
    with pytest.warns(UserWarning, match="LogisticRegression was fitted with an offset"):
        logit.predict_proba(X)
    assert logit.score(X, marks, offset=np.log(time)) > 0.6
    np.testing.assert_array_equal(
        logit.predict(X, np.log(time)), logit.predict_proba(X, np.log(time))[:, 1] > 0.5
    )


MACHINES = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"]


def test_trap_the_cache_of_machines_has_a_cap(monkeypatch):
    from statfast.svm.dual import limits

    for free, room in ((2**38, 2**32), (2**30, 2**28), (None, 2**30)):
        monkeypatch.setattr(limits, "free_memory", lambda free=free: free)
        assert limits.cache_room(None) == room
    assert limits.cache_room(200) == 200 * 2**20
    for name in MACHINES:
        assert "no\n        more than 4096" in PUBLIC[name].__doc__


@pytest.mark.parametrize("name", MACHINES)
def test_trap_gamma_scale_is_the_plain_variance(name):
    X, y = rows()
    weights = np.where(X[:, 0] > 6, 3.0, 0.5)
    weights[::7] = 0.0
    targets = X[:, 3] if name.endswith("SVR") else y
    model = PUBLIC[name]().fit(X, targets, sample_weight=weights)
    assert model.kernel_.gamma == pytest.approx(1 / (4 * X.var()), rel=1e-12)
    given = {"gamma": 1 / (4 * X.var()), "tol": 1e-6}
    ours = PUBLIC[name](gamma="scale", tol=1e-6).fit(X, targets, sample_weight=weights)
    peer = PEERS[name](**given).fit(X, targets, sample_weight=weights)
    method = "predict" if name.endswith("SVR") else "decision_function"
    expected = np.ravel(getattr(peer, method)(X))
    np.testing.assert_allclose(getattr(ours, method)(X), expected, atol=1e-3)


def test_trap_the_offset_of_one_class_has_a_shape():
    X, _ = rows()
    ours, peer = (kind(nu=0.2).fit(X) for kind in (statfast.OneClassSVM, PEERS["OneClassSVM"]))
    assert ours.offset_.shape == peer.offset_.shape == (1,)
    np.testing.assert_allclose(ours.score_samples(X) - ours.offset_, ours.decision_function(X))
    np.testing.assert_array_equal(ours.intercept_, -ours.offset_)
