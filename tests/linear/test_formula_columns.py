# SPDX-License-Identifier: BSD-3-Clause
"""Formulas on columns of all kinds: texts, categories, missing values, tables of other packages.

The answer is that of the plain table: floats, texts as objects, rows without missing values.
"""

import pickle
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    add1,
    anova,
    drop1,
    step,
    vif,
)
from statfast.linear.design.formula_functions import natural_splines

pytest.importorskip("formulaic")
pandas = pytest.importorskip("pandas")

RNG = np.random.default_rng(4)
N = 80
DATA = pandas.DataFrame({
    "x": RNG.normal(size=N),
    "time": RNG.uniform(1.0, 4.0, N),
    "many": RNG.integers(1, 4, N),
    "group": RNG.choice(["a", "b", "c"], N).astype(object),
})  # fmt: skip
DATA["y"] = DATA.x + (DATA.group == "b") + RNG.normal(size=N)
DATA["count"] = RNG.poisson(np.exp(0.3 * DATA.x) * DATA.time)
DATA["won"] = np.where(DATA.x + RNG.normal(size=N) > 0, "yes", "no").astype(object)


def all_of(model):
    return np.append(model.intercept_, model.coef_)


def least(formula, data, **more):
    return LinearRegression.from_formula(formula, data, **more)


TEXTS = ["string", "string[python]", "string[pyarrow]", "str", "category"]


def with_holes(data, **columns):
    """A copy with missing values: the rows of each column."""
    data = data.copy()
    for name, row in columns.items():
        data.loc[row, name] = None
    return data


@pytest.mark.parametrize("hole", [False, True])
@pytest.mark.parametrize("kind", TEXTS)
def test_texts_of_all_types_are_categories(kind, hole):
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    data = with_holes(DATA, group=3) if hole else DATA
    model = least("y ~ x + group", data.assign(group=data.group.astype(kind)))
    known = least("y ~ x + group", data.drop(index=3) if hole else data)
    assert model.coef_names_.tolist() == ["(Intercept)", "x", "group[T.b]", "group[T.c]"]
    assert_allclose(all_of(model), all_of(known), rtol=1e-10)
    again = DATA.assign(group=DATA.group.astype(kind))[5:9]
    assert_allclose(model.predict(again), known.predict(DATA[5:9]), rtol=1e-10)


def test_texts_that_look_like_numbers_are_categories():
    digits = DATA.many.astype(str)
    for kind in ("string", object):
        names = least("y ~ k", DATA.assign(k=digits.astype(kind))).coef_names_.tolist()
        assert names == ["(Intercept)", "k[T.2]", "k[T.3]"]


def test_numbers_among_objects_are_numbers():
    data = with_holes(DATA, x=3)
    for column in (data.x.astype(object), data.x.map(lambda v: None if v != v else v, None)):
        model = least("y ~ x", data.assign(x=column.astype(object)))
        assert_allclose(all_of(model), all_of(least("y ~ x", DATA.drop(index=3))), rtol=1e-10)
    flags = [None if k == 3 else bool(k % 2) for k in range(N)]
    model = least("y ~ k", DATA.assign(k=pandas.Series(flags, dtype=object)))
    known = least("y ~ k", DATA.assign(k=np.arange(N) % 2).drop(index=3))
    assert_allclose(all_of(model), all_of(known), rtol=1e-10)


@pytest.mark.parametrize("formula", ["y ~ day", "y ~ length", "y ~ x + date", "day ~ x"])
def test_times_are_no_numbers(formula):
    days = pandas.Series(pandas.date_range("2020", periods=N))
    data = DATA.assign(day=days, length=days - days[0], date=days.dt.date)
    with pytest.raises(ValueError, match=r"holds .*times are not numbers"):
        least(formula, data)
    model = least("y ~ {length.dt.days} + {day.dt.dayofweek}", data)
    assert model.coef_names_.tolist()[1] == "length.dt.days"


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean", "double[pyarrow]"])
@pytest.mark.parametrize("formula", ["y ~ x + k", "y ~ x * k", "k ~ x", "y ~ C(k)"])
def test_nullable_numbers_with_a_missing_one(kind, formula):
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    column = (DATA.many > 1).astype(kind)
    data = with_holes(DATA.assign(k=column), k=7)
    plain = DATA.assign(k=(DATA.many > 1).astype(float)).drop(index=7)
    assert_allclose(all_of(least(formula, data)), all_of(least(formula, plain)), rtol=1e-9)


def test_categories_that_are_nullable_numbers():
    numbers = DATA.many.astype("Int64")
    numbers[2] = pandas.NA
    data = DATA.assign(k=numbers.astype("category"))
    model = least("y ~ x + k", data)
    known = least("y ~ x + C(many)", DATA.drop(index=2))
    assert_allclose(all_of(model), all_of(known), rtol=1e-10)
    assert_allclose(model.predict(data[3:9]), known.predict(DATA[3:9]), rtol=1e-10)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("formula", ["y ~ x + group", "y ~ x * group", "y ~ 0 + group"])
def test_levels_that_no_row_has_are_none(formula, ordered):
    """As R's drop.unused.levels: no columns of zeros, and the first level is one that is there."""
    levels = ["unused", "c", "last", "a", "b"]
    data = DATA.assign(group=pandas.Categorical(DATA.group, levels, ordered=ordered))
    used = DATA.assign(group=pandas.Categorical(DATA.group, ["c", "a", "b"]))
    model, known = least(formula, data), least(formula, used)
    assert model.coef_names_.tolist() == known.coef_names_.tolist()
    assert not model.aliased_.any()
    assert_allclose(all_of(model), all_of(known), rtol=1e-10)
    assert_allclose(model.predict(data[:9]), known.predict(used[:9]), rtol=1e-10)
    assert_allclose(model.predict(DATA[:9]), known.predict(used[:9]), rtol=1e-10)
    only = with_holes(DATA.assign(group=DATA.group.where(DATA.index != 4, "d")), x=4)
    only["group"] = only.group.astype("category")  # "d" is in a row that is left out
    assert_allclose(all_of(least("y ~ x + group", only)).shape, (4,))


@pytest.mark.parametrize("name", ["center(x)", "scale(x)", "standardize(x)", "poly(x, 2)",
                                  "bs(x, df=4)", "ns(x, df=4)", "x", "np.exp(x)"])  # fmt: skip
def test_one_missing_value_leaves_out_one_row(name):
    data = with_holes(DATA, x=11)
    model, known = least(f"y ~ {name}", data), least(f"y ~ {name}", DATA.drop(index=11))
    assert_allclose(all_of(model), all_of(known), rtol=1e-8, atol=1e-12)
    assert_allclose(model.predict(DATA[:5]), known.predict(DATA[:5]), rtol=1e-8)
    assert any("1 row with missing" in note for note in model.summary().notes)


def test_centers_and_scales_are_those_of_what_is_there_as_r():
    """R's ``scale`` leaves out missing values, before rows are left out for other columns'."""
    data = with_holes(DATA, x=11, time=5)
    there = DATA.x.drop(index=11)
    rows = data.dropna()
    for name, center, spread in (
        ("center(x)", there.mean(), 1.0),
        ("scale(x)", there.mean(), there.std()),
        ("standardize(x)", there.mean(), there.std(ddof=0)),
        ("scale(x, center=False)", 0.0, np.sqrt((there**2).sum() / (len(there) - 1))),
        ("scale(x, center=1.0, scale=2.0)", 1.0, 2.0),
    ):
        known = least("y ~ z + time", rows.assign(z=(rows.x - center) / spread))
        for kind in (float, "Float64"):
            model = least(f"y ~ {name} + time", data.assign(x=data.x.astype(kind)))
            assert_allclose(all_of(model), all_of(known), rtol=1e-9, atol=1e-12)


def test_natural_splines_as_r():
    """ns(women$height, df = 5) of R's ?ns; straight beyond the ends."""
    heights = np.arange(58.0, 73.0)
    ends = 58.0, 72.0
    columns = natural_splines(heights, np.quantile(heights, np.arange(1, 5) / 5), ends)
    known = [
        [0, 0, 0, 0, 0],
        [7.592323e-03, 0, -8.670223e-02, 2.601067e-01, -1.734045e-01],
        [6.073858e-02, 0, -1.503044e-01, 4.509132e-01, -3.006088e-01],
    ]
    assert_allclose(columns[:3], known, rtol=1e-6, atol=1e-12)
    beyond = natural_splines(np.array([50.0, 54, 58, 72, 80, 88]), [65.0], ends)
    assert_allclose(beyond[:3] @ [0, 1], np.linspace(*(beyond[[0, 2]] @ [0, 1]), 3), atol=1e-12)
    assert_allclose(np.diff(beyond[3:], n=2, axis=0), 0.0, atol=1e-12)


def test_natural_splines_span_those_of_formulaic():
    data = with_holes(DATA, x=11)
    data["z"] = DATA.time
    model = least("y ~ ns(x, df=3) + z", data)
    inner = [float(k) for k in np.quantile(DATA.x.drop(index=11), [1 / 3, 2 / 3])]
    twin = least(f"y ~ 0 + cr(x, knots={inner}) + z", data)
    new = DATA.assign(z=DATA.time)
    there = new[(new.x > data.x.min()) & (new.x < data.x.max())]
    assert_allclose(model.predict(there), twin.predict(there), rtol=1e-8)
    assert_allclose(model.deviance_, twin.deviance_, rtol=1e-9)
    named = least(f"y ~ ns(x, knots={inner}) + z", data)
    assert_allclose(all_of(named), all_of(model), rtol=1e-9)
    assert list(drop1(model, data).columns["Df"][1:]) == [3.0, 1.0]
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.predict(new.iloc[[5]]), model.predict(new)[[5]], rtol=1e-12)
    for wrong, said in (("df=0", "df of ns"), ("knots=[99]", "must lie inside")):
        with pytest.raises(ValueError, match=said):
            least(f"y ~ ns(x, {wrong})", data)
    with pytest.raises(ValueError, match="at least two different values"):
        least("y ~ ns(u)", data.assign(u=1.0))


@pytest.mark.parametrize("argument", ["sample_weight", "offset", "exposure"])
def test_a_row_without_weight_offset_or_exposure_is_left_out(argument):
    data = with_holes(DATA, time=6)
    how = {"family": "poisson"}
    model = GeneralizedLinearModel.from_formula("count ~ x", data, **{argument: "time"}, **how)
    whole = DATA.drop(index=6)
    known = GeneralizedLinearModel.from_formula("count ~ x", whole, **{argument: "time"}, **how)
    bare = GeneralizedLinearModel("poisson")
    bare.fit(whole[["x"]].to_numpy(), whole["count"], **{argument: whole.time.to_numpy()})
    for other in (known, bare):
        assert_allclose(all_of(model), all_of(other), rtol=1e-9)
    assert_allclose(model.residuals(data), known.residuals(whole), rtol=1e-9)
    values = data.time.to_numpy()
    with pytest.raises(ValueError, match=f"{argument} contains NaN, first at row 6"):
        GeneralizedLinearModel.from_formula("count ~ x", data, **{argument: values}, **how)


def test_an_exposure_by_name_expression_and_values():
    how = {"family": "poisson"}
    model = GeneralizedLinearModel.from_formula("count ~ x", DATA, exposure="time", **how)
    others = [
        GeneralizedLinearModel.from_formula("count ~ x", DATA, exposure="time * 1.0", **how),
        GeneralizedLinearModel.from_formula("count ~ x", DATA, offset="log(time)", **how),
        GeneralizedLinearModel.from_formula("count ~ x + offset(np.log(time))", DATA, **how),
        GeneralizedLinearModel.from_formula("count ~ x", DATA, exposure=DATA.time, **how),
    ]
    for other in others:
        assert_allclose(all_of(model), all_of(other), rtol=1e-10)
    new = DATA[10:14]
    rates = np.exp(model.intercept_ + new.x * model.coef_[0])
    assert_allclose(model.predict(new), rates * new.time, rtol=1e-10)
    assert_allclose(model.predict(new, exposure=1.0), rates, rtol=1e-10)
    assert_allclose(model.predict(new.iloc[[0]]), (rates * new.time).iloc[[0]], rtol=1e-10)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.predict(new), rates * new.time, rtol=1e-10)
    known = str(drop1(others[1], DATA))
    assert str(drop1(model, DATA)) == known
    for ask in (lambda m: drop1(m, DATA), lambda m: m.influence(DATA), lambda m: anova(m, DATA)):
        ask(model)
        with pytest.raises(ValueError, match=r"was fitted with exposure.*Pass exposure"):
            ask(others[3])  # its exposures are no column
    assert str(drop1(others[3], DATA, exposure=DATA.time)) == known
    for cls in (LinearRegression, LogisticRegression):
        with pytest.raises(ValueError, match="has no exposure"):
            cls.from_formula("won ~ x" if cls is LogisticRegression else "y ~ x", DATA,
                             exposure="time")  # fmt: skip


def test_a_parameter_that_there_is_not_is_told_what_there_is():
    with pytest.raises(TypeError, match=r"'weights'.*takes.*sample_weight, offset, exposure"):
        least("y ~ x", DATA, weights="many")
    with pytest.raises(TypeError, match="Did you mean 'family'"):
        GeneralizedLinearModel.from_formula("count ~ x", DATA, family_="poisson")


def tables():
    yield "a permuted index", DATA.set_axis(RNG.permutation(N))
    yield "an index of one label", DATA.set_axis(np.zeros(N, int))
    yield "lists", {name: DATA[name].tolist() for name in DATA}
    series = {name: pandas.Series(DATA[name].to_numpy(), RNG.permutation(N)) for name in DATA}
    yield "series of other indices", series
    yield "columns in another order", DATA[sorted(DATA.columns, reverse=True)]


@pytest.mark.parametrize(("name", "table"), list(tables()), ids=lambda value: value)
def test_rows_go_together_by_place(name, table):
    model = least("y ~ x * group", table, sample_weight="many")
    known = least("y ~ x * group", DATA, sample_weight="many")
    assert_allclose(all_of(model), all_of(known), rtol=1e-10)
    assert_allclose(model.predict(table), known.predict(DATA), rtol=1e-10)
    assert_allclose(model.residuals(table), known.residuals(DATA), rtol=1e-8, atol=1e-12)


def test_one_row_of_a_dict_of_numbers():
    model = least("y ~ x + group", DATA)
    known = model.predict(DATA.iloc[[7]])
    row = {"x": DATA.x[7], "group": DATA.group[7]}
    assert_allclose(model.predict(row), known)
    assert_allclose(model.predict({name: [value] for name, value in row.items()}), known)


@pytest.mark.parametrize("arrow", [True, False], ids=["with pyarrow", "without pyarrow"])
def test_polars_columns(arrow, monkeypatch):
    polars = pytest.importorskip("polars")
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    columns = {name: DATA[name].tolist() for name in DATA}
    columns["group"][3] = None
    columns["many"][5] = None
    columns["flag"] = [None if k == 8 else bool(k % 2) for k in range(N)]
    frame = polars.DataFrame(columns).with_columns(
        polars.col("won").cast(polars.Categorical),
        level=polars.col("group").cast(polars.Enum(["c", "a", "b"])),
    )
    plain = DATA.assign(
        level=pandas.Categorical(DATA.group, ["c", "a", "b"]), flag=np.arange(N) % 2 == 1
    )
    for formula, without in (
        ("y ~ x + group", [3]), ("y ~ x + level", [3]), ("y ~ x + many", [5]),
        ("y ~ x + flag", [8]),
    ):  # fmt: skip
        model, known = least(formula, frame), least(formula, plain.drop(index=without))
        assert model.coef_names_.tolist() == known.coef_names_.tolist()
        assert_allclose(all_of(model), all_of(known), rtol=1e-10)
        assert_allclose(model.predict(frame[10:12]), known.predict(plain[10:12]), rtol=1e-10)
    labels = LogisticRegression.from_formula("won ~ x", frame)  # sorted, as texts are
    assert_allclose(labels.coef_, LogisticRegression.from_formula("won ~ x", DATA).coef_)
    series = {name: frame[name] for name in ("y", "x", "group")}
    assert_allclose(all_of(least("y ~ x + group", series)), all_of(least("y ~ x + group", frame)))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("levels", [["yes", "no"], ["maybe", "yes", "no"], ["no", "yes"]])
def test_the_first_level_of_a_response_is_the_failure_as_in_r(levels, ordered):
    """R's glm models all levels but the first; predictions are the same anyway."""
    data = DATA.assign(won=pandas.Categorical(DATA.won, levels, ordered=ordered))
    model = LogisticRegression.from_formula("won ~ x", data)
    texts = LogisticRegression.from_formula("won ~ x", DATA)
    sign = -1.0 if levels[-1] == "no" else 1.0
    assert_allclose(all_of(model), sign * all_of(texts), rtol=1e-10)
    modeled = "no" if sign < 0 else "yes"
    binomial = GeneralizedLinearModel.from_formula(f"I(won == '{modeled}') ~ x", data,
                                                   family="binomial")  # fmt: skip
    assert_allclose(all_of(model), all_of(binomial), rtol=1e-8)
    assert f"Modeled class: {modeled}" in " ".join(str(model.summary()).split())
    assert_array_equal(model.classes_, ["no", "yes"])  # sorted, as scikit-learn has them
    assert_allclose(model.predict_proba(data), texts.predict_proba(DATA), rtol=1e-10)
    assert_array_equal(model.predict(data), texts.predict(DATA))
    other = LogisticRegression.from_formula("won ~ x", data, reference="no")
    assert_allclose(all_of(other), all_of(texts), rtol=1e-10)
    plain = LogisticRegression().fit(data[["x"]], data.won)  # labels sorted
    assert_allclose(all_of(plain), all_of(texts), rtol=1e-8)


@pytest.mark.parametrize("family", ["binomial", "quasibinomial"])
def test_successes_are_all_levels_but_the_first_as_in_r(family):
    """R's glm(factor ~ x, binomial)."""
    from_formula, how = GeneralizedLinearModel.from_formula, {"family": family}
    for column, one in (
        (DATA.won, "yes"),
        (DATA.won.astype("string"), "yes"),
        (pandas.Categorical(DATA.won, ["never", "yes", "no"]), "no"),
    ):
        data = DATA.assign(won=column)
        model = from_formula("won ~ x", data, sample_weight="many", **how)
        known = from_formula(f"I(won == '{one}') ~ x", DATA, sample_weight="many", **how)
        assert_allclose(all_of(model), all_of(known), rtol=1e-9)
        assert f"Successes: won[{one}]." in model.summary().notes
        assert_allclose(model.residuals(data), known.residuals(DATA), rtol=1e-8)
        assert str(drop1(model, data)) == str(drop1(known, DATA))
    several = from_formula("C(group) ~ x", DATA, **how)  # "a" is the first
    assert_allclose(all_of(several), all_of(from_formula("I(group != 'a') ~ x", DATA, **how)))
    holes = with_holes(DATA, won=4)
    known = from_formula("I(won == 'yes') ~ x", DATA.drop(index=4), **how)
    assert_allclose(all_of(from_formula("won ~ x", holes, **how)), all_of(known), rtol=1e-9)
    for wrong, family in (("won ~ x", "poisson"), ("won:group ~ x", "binomial")):
        with pytest.raises(ValueError, match="is categories"):
            from_formula(wrong, DATA, family=family)
    with pytest.raises(ValueError, match="is categories"):
        from_formula("u ~ x", DATA.assign(u="a"), **how)
    numbers = from_formula("won ~ x", DATA.assign(won=(DATA.won == "yes") * 1.0), **how)
    assert "Successes" not in str(numbers.summary())


def test_the_first_of_several_levels_is_the_reference():
    data = DATA.assign(group=pandas.Categorical(DATA.group, ["b", "a", "c"]))
    model = LogisticRegression.from_formula("group ~ x", data)
    assert model.coef_names_.tolist() == ["a: (Intercept)", "a: x", "c: (Intercept)", "c: x"]
    texts = LogisticRegression.from_formula("group ~ x", DATA, reference="b")
    assert_allclose(model.coef_, texts.coef_, rtol=1e-10)
    holes = with_holes(data, group=4)
    known = LogisticRegression.from_formula("group ~ x", data.drop(index=4))
    assert_allclose(LogisticRegression.from_formula("group ~ x", holes).coef_, known.coef_)


@pytest.mark.parametrize("kind", ["string", "boolean", "Int64", "category"])
def test_labels_with_a_missing_one_keep_their_type(kind):
    labels = DATA.won if kind in ("string", "category") else DATA.many > 1
    data = with_holes(DATA.assign(label=labels.astype(kind)), label=9)
    model = LogisticRegression.from_formula("label ~ x", data)
    known = LogisticRegression().fit(DATA[["x"]].drop(index=9), labels.drop(index=9))
    assert model.classes_.tolist() == [type(model.classes_.tolist()[0])(k) for k in known.classes_]
    assert model.classes_.dtype.kind == {"boolean": "b", "Int64": "i"}.get(kind, "O")
    assert_allclose(model.coef_, known.coef_, rtol=1e-8)


ALONE = {
    "least squares": lambda **more: least("y ~ 1", DATA, **more),
    "counts": lambda **more: GeneralizedLinearModel.from_formula(
        "count ~ 1", DATA, family="poisson", exposure="time", **more
    ),
    "two classes": lambda **more: LogisticRegression.from_formula("won ~ 1", DATA, **more),
    "three classes": lambda **more: LogisticRegression.from_formula("group ~ 1", DATA, **more),
}


@pytest.mark.parametrize("name", ALONE)
def test_an_intercept_alone_has_one_coefficient(name):
    model = ALONE[name]()
    count = 2 if name == "three classes" else 1
    assert model.coef_.shape[-1] == model.n_features_in_ == 0
    assert all("(Intercept)" in one for one in model.coef_names_)
    assert len(model.coef_names_) == len(model.aliased_) == len(model.p_values_) == count
    assert model.covariance_.shape == model.robust_covariance(DATA).shape == (count, count)
    assert np.asarray(model.conf_int()).shape == (count, 2)
    assert np.asarray(model.conf_int(method="profile", X=DATA)).shape == (count, 2)
    assert ALONE[name](cov_type="HC3").covariance_.shape == (count, count)
    assert len(model.predict(DATA[:3])) == 3
    assert_allclose(model.influence(DATA).leverage.sum(), count)
    assert list(drop1(model, DATA).names) == list(add1(model, DATA).names) == ["(none)"]
    assert step(model, DATA).terms == ()
    if count == 1:
        assert list(vif(model).names) == []
    assert list(anova(model, DATA).names) == ["Residuals" if name == "least squares" else "(null)"]
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(DATA[:3]), model.predict(DATA[:3]))
    model.fit(DATA[["x"]], {"counts": DATA["count"], "two classes": DATA.won,
                            "three classes": DATA.group}.get(name, DATA.y))  # fmt: skip
    assert model.n_features_in_ == 1


def test_a_search_that_keeps_no_column_predicts():
    rows = np.random.default_rng(0).normal(size=(N, 2))
    y = np.tile([1.0, 2.0], N // 2) + 1e-3 * rows[:, 0]
    found = step(LinearRegression(), rows, y, k=1e6)
    assert found.terms == ()
    assert found.model.n_features_in_ == 0
    assert_allclose(found.model.predict(rows[:, found.columns]), y.mean())
    with pytest.raises(ValueError, match="2 features, but LinearRegression is expecting 0"):
        found.model.predict(rows)


FLAGS = DATA.assign(flag=DATA.many > 1, late=np.arange(N) >= N // 2)
TWO = FLAGS.assign(flag=np.where(FLAGS.flag, "1", "0"), wide=np.where(DATA.x > 0, "1", "0"))


@pytest.mark.parametrize(
    ("formula", "by_text", "names"),
    [
        ("y ~ flag", "y ~ flag", ["(Intercept)", "flag[T.True]"]),
        ("y ~ 0 + flag", "y ~ 0 + flag", ["flag[False]", "flag[True]"]),
        ("y ~ flag:x", "y ~ flag:x", ["(Intercept)", "flag[False]:x", "flag[True]:x"]),
        ("y ~ x * flag", "y ~ x * flag", ["(Intercept)", "x", "flag[T.True]", "x:flag[T.True]"]),
        ("y ~ I(x > 0) - 1", "y ~ wide - 1", ["I(x > 0)[False]", "I(x > 0)[True]"]),
        ("y ~ x + C(flag)", "y ~ x + C(flag)", ["(Intercept)", "x", "C(flag)[T.True]"]),
    ],
)
@pytest.mark.parametrize("kind", [bool, "boolean", object])
def test_booleans_are_categories_as_in_r(formula, by_text, names, kind):
    data = FLAGS.assign(flag=FLAGS.flag.astype(kind))
    model, known = least(formula, data), least(by_text, TWO)
    assert model.coef_names_.tolist() == names
    assert_allclose(all_of(model), all_of(known), rtol=1e-9)
    few = FLAGS.flag.to_numpy()  # both levels are remembered
    assert_allclose(model.predict(data[few]), known.predict(TWO)[few], rtol=1e-9)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.predict(data), known.predict(TWO), rtol=1e-9)


def test_booleans_that_are_no_terms_are_numbers():
    ones = FLAGS.assign(flag=FLAGS.flag.astype(float))
    for formula in ("flag ~ x", "y ~ I(flag * x)", "y ~ x + I(1.0 * flag)", "I(x > 0) ~ flag"):
        assert_allclose(all_of(least(formula, FLAGS)), all_of(least(formula, ones)), rtol=1e-9)
    for formula in ("flag ~ x", "flag ~ x + late"):
        models = [
            GeneralizedLinearModel.from_formula(formula, data, family="binomial")
            for data in (FLAGS, ones)
        ]
        assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-9)
    added = GeneralizedLinearModel.from_formula("y ~ x", FLAGS, offset="flag")
    known = GeneralizedLinearModel.from_formula("y ~ x", FLAGS, offset=ones.flag)
    assert_allclose(added.coef_, known.coef_, rtol=1e-9)
