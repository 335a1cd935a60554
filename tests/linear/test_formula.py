# SPDX-License-Identifier: BSD-3-Clause
"""Models fitted by formulas: answers of R 4.2.2 (stats, car 3.1-1), and of statsmodels."""

import builtins
import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    add1,
    anova,
    drop1,
    step,
    vif,
)
from tests.linear.test_terms import BREAKS, CYL, HP, MPG, WT, looms

pytest.importorskip("formulaic")
pandas = pytest.importorskip("pandas")

CARS = pandas.DataFrame({"mpg": MPG, "wt": WT, "hp": HP, "cyl": CYL})
LOOMS = pandas.DataFrame({
    "breaks": BREAKS,
    "wool": np.repeat(["A", "B"], 27),
    "tension": pandas.Categorical(np.tile(np.repeat(["L", "M", "H"], 9), 2), ["L", "M", "H"]),
})  # fmt: skip


def all_of(model):
    return np.append(model.intercept_, model.coef_)


def test_least_squares_as_r():
    """lm(mpg ~ wt + hp + factor(cyl), mtcars), and car::vif of it."""
    model = LinearRegression.from_formula("mpg ~ wt + hp + C(cyl)", CARS)
    known = [
        35.8459953151877, -3.18140404667962, -0.0231198091544547, -3.35902489593595,
        -3.18588444497753,
    ]  # fmt: skip
    errors = [
        2.04101907141033, 0.719601002134389, 0.0119521960088008, 1.40166971929286,
        2.17047528969989,
    ]  # fmt: skip
    assert_allclose(all_of(model), known, rtol=1e-9)
    assert_allclose(model.standard_errors_, errors, rtol=1e-9)
    names = ["(Intercept)", "wt", "hp", "C(cyl)[T.6]", "C(cyl)[T.8]"]
    assert model.coef_names_.tolist() == names
    for table in (model.summary().table, model.conf_int()):
        assert list(table.names) == names
    tested = model.t_test(["wt", "C(cyl)[T.8]"])
    assert list(tested.names) == ["wt", "C(cyl)[T.8]"]
    assert_allclose(tested.columns["Std. error"], [errors[1], errors[4]], rtol=1e-9)
    table = anova(model)
    assert list(table.names) == ["wt", "hp", "C(cyl)", "Residuals"]
    sums = [847.725249956657, 83.2741828018771, 34.2701207568139, 160.777633984653]
    assert_allclose(table.columns["Sum Sq"], sums, rtol=1e-9)
    factors = vif(model)
    assert list(factors.names) == ["wt", "hp", "C(cyl)"]
    known = [2.58087651731643, 3.49601426610763, 5.10581136966271]
    assert_allclose(factors.columns["GVIF"], known, rtol=1e-9)


def test_counts_and_an_interaction_as_r():
    """glm(breaks ~ wool * tension, poisson, warpbreaks)."""
    model = GeneralizedLinearModel.from_formula("breaks ~ wool * tension", LOOMS, family="poisson")
    known = [
        3.79673684997693, -0.456627160294054, -0.618683019628053, -0.595798725786428,
        0.6381768143087, 0.188363173690409,
    ]  # fmt: skip
    assert_allclose(all_of(model), known, rtol=1e-9)
    assert model.coef_names_.tolist()[3:5] == ["tension[T.H]", "wool[T.B]:tension[T.M]"]
    X, y, groups = looms()
    theirs = anova(GeneralizedLinearModel("poisson").fit(X, y), X=X, y=y, groups=groups)
    ours = anova(model, X=LOOMS)
    assert list(ours.names) == ["(null)", "wool", "tension", "wool:tension"]
    assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-9)


def test_drop1_and_step_keep_what_an_interaction_holds():
    """As R's drop.scope and add.scope; step(k = log(54)) keeps all."""
    model = GeneralizedLinearModel.from_formula("breaks ~ wool * tension", LOOMS, family="poisson")
    assert list(drop1(model, LOOMS).names) == ["(none)", "wool:tension"]
    assert list(add1(model, LOOMS).names) == ["(none)", "wool", "tension"]
    begun = add1(model, LOOMS, start=["wool", "tension"])
    assert list(begun.names) == ["(none)", "wool:tension"]
    assert step(model, LOOMS, k="log").terms == ("wool", "tension", "wool:tension")
    upward = step(model, LOOMS, start="none")
    assert list(upward.path.names) == ["Start", "+ tension", "+ wool", "+ wool:tension"]


def test_what_step_finds_predicts_new_data():
    noise = np.random.default_rng(0).normal(size=len(CARS))
    data = CARS.assign(noise=noise)
    found = step(LinearRegression.from_formula("mpg ~ C(cyl) + noise + wt", data), data)
    assert found.terms == ("C(cyl)", "wt")
    assert found.model.design_.formula == "mpg ~ C(cyl) + wt"
    alone = LinearRegression.from_formula("mpg ~ C(cyl) + wt", CARS)
    assert_allclose(found.model.predict(CARS[:3]), alone.predict(CARS[:3]), rtol=1e-10)
    nothing = step(LinearRegression.from_formula("mpg ~ noise", data), data)
    assert nothing.terms == ()
    assert nothing.model.design_.formula == "mpg ~ 1"
    assert_allclose(nothing.model.predict(data[:2]), np.mean(MPG), rtol=1e-12)


FORMULAS = [
    "mpg ~ wt * C(cyl)",
    "mpg ~ wt + C(cyl) - 1",
    "mpg ~ wt:C(cyl) + hp",
    "np.log(mpg) ~ np.log(hp) + I(wt**2) + wt",
    "mpg ~ (wt + hp)**2",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_agrees_with_statsmodels(formula):
    theirs = pytest.importorskip("statsmodels.formula.api").ols(formula, CARS).fit()
    ours = LinearRegression.from_formula(formula, CARS)
    one = ours.coef_names_[0] == "(Intercept)"
    # The names differ in the intercept alone, the order may.
    places = [theirs.params.index.get_loc(str(n).replace("(Intercept)", "Intercept"))
              for n in ours.coef_names_]  # fmt: skip
    coef = all_of(ours) if one else ours.coef_
    assert_allclose(coef, theirs.params.to_numpy()[places], rtol=1e-8)
    assert_allclose(ours.standard_errors_, theirs.bse.to_numpy()[places], rtol=1e-8)
    new = CARS[3:9]
    assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-9)


def test_offset_and_weights_as_arrays_and_by_name():
    data = LOOMS.assign(time=np.arange(1.0, 55.0), many=np.arange(54) % 3)
    family = {"family": "poisson"}
    whole = GeneralizedLinearModel.from_formula(
        "breaks ~ wool + offset(log(time))", data, sample_weight="many", **family
    )
    named = GeneralizedLinearModel.from_formula(
        "breaks ~ wool", data, sample_weight="many", offset="log(time)", **family
    )
    given = GeneralizedLinearModel.from_formula(
        "breaks ~ wool", data, sample_weight=data.many.to_numpy(), offset=np.log(data.time),
        **family,
    )  # fmt: skip
    X = (data.wool == "B").to_numpy(float)[:, None]
    bare = GeneralizedLinearModel("poisson").fit(X, data.breaks, data.many, np.log(data.time))
    for model in (whole, named, given):
        assert_allclose(all_of(model), all_of(bare), rtol=1e-9)
        assert_allclose(model.standard_errors_, bare.standard_errors_, rtol=1e-9)
    new = data[:3]
    means = bare.predict(X[:3], np.log(data.time[:3]))
    for model in (whole, named):  # an expression is found in new data
        assert_allclose(model.predict(new), means, rtol=1e-9)
        assert_allclose(
            model.residuals(data), bare.residuals(X, data.breaks, "deviance", data.many,
                                                  np.log(data.time)), rtol=1e-6, atol=1e-9,
        )  # fmt: skip
    for text in ("2 * many", "many + many"):  # an expression, not terms
        twice = GeneralizedLinearModel.from_formula(
            "breaks ~ wool + offset(log(time))", data, sample_weight=text, **family
        )
        assert_allclose(twice.df_residual_, 2 * np.sum(data.many) - 2)
    with pytest.warns(UserWarning, match="fitted with an offset"):
        given.predict(new)
    assert_allclose(given.predict(new, np.log(new.time)), means, rtol=1e-9)
    reduced = step(whole, data).model.design_
    assert reduced.formula in ("breaks ~ wool + offset(log(time))", "breaks ~ offset(log(time))")


def test_rows_with_missing_values_are_left_out_and_counted():
    data = CARS.assign(cyl=CARS.cyl.astype(str), many=1.0)
    data.loc[3, "wt"] = np.nan
    data.loc[5, "cyl"] = None
    data.loc[7, "many"] = np.nan
    data["unused"] = np.nan
    model = LinearRegression.from_formula("mpg ~ wt + cyl", data, sample_weight="many")
    kept = data.drop(index=[3, 5, 7])
    same = LinearRegression.from_formula("mpg ~ wt + cyl", kept)
    assert_allclose(all_of(model), all_of(same), rtol=1e-12)
    assert model.design_.dropped == 3
    assert "3 rows with missing values left out." in str(model.summary())
    assert "missing" not in str(same.summary())
    assert "Formula: mpg ~ wt + cyl" in str(same.summary())
    assert len(model.residuals(data)) == 29
    weighted = LinearRegression.from_formula("mpg ~ wt", data, sample_weight=np.arange(32))
    assert_allclose(
        weighted.coef_,
        LinearRegression.from_formula("mpg ~ wt", data[data.wt.notna()],
                                      sample_weight=np.delete(np.arange(32), 3)).coef_,
        rtol=1e-10,
    )  # fmt: skip
    with pytest.raises(ValueError, match="one is missing in row 3"):
        model.predict(data)


def test_labels_are_taken_as_they_are():
    data = CARS.assign(size=np.select([CYL == 4, CYL == 6], ["small", "middle"], "large"))
    model = LogisticRegression.from_formula("size ~ wt", data)
    plain = LogisticRegression().fit(CARS[["wt"]], data["size"])
    assert model.classes_.tolist() == ["large", "middle", "small"]
    assert_array_equal(model.predict(data), plain.predict(CARS[["wt"]]))
    shares, errors = model.predict_proba(data[:4], se=True)
    known = plain.predict_proba(CARS[["wt"]][:4], se=True)
    assert_allclose(shares, known[0], rtol=1e-9)
    assert_allclose(errors, known[1], rtol=1e-7)
    two = LogisticRegression.from_formula("I(breaks > 26) ~ tension", LOOMS)
    assert_array_equal(two.classes_, [0.0, 1.0])
    high = LOOMS.breaks > 26
    assert_allclose(
        two.predict_proba(LOOMS)[:, 1], high.groupby(LOOMS.tension, observed=True).transform("mean")
    )


def test_levels_centers_and_knots_are_remembered():
    data = CARS.assign(qsec=np.random.default_rng(1).uniform(size=32))
    formula = "mpg ~ scale(hp) + poly(wt, 2) + bs(qsec, df=4) + C(cyl, contr.sum)"
    model = LinearRegression.from_formula(formula, data)
    whole = model.predict(data)
    assert_allclose(np.sum((MPG - whole) ** 2), model.rss_, rtol=1e-9)
    assert_allclose(model.predict(data[10:12]), whole[10:12], rtol=1e-9)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(other.predict(data[:5]), whole[:5])


def test_methods_that_need_rows_find_them_in_the_data():
    model = GeneralizedLinearModel.from_formula("breaks ~ wool + tension", LOOMS, family="poisson")
    X = looms()[0][:, :3]
    bare = GeneralizedLinearModel("poisson").fit(X, BREAKS)
    assert_allclose(model.residuals(LOOMS), bare.residuals(X, BREAKS), rtol=1e-7)
    assert_allclose(model.influence(LOOMS).leverage, bare.influence(X, BREAKS).leverage, rtol=1e-8)
    assert_allclose(model.robust_covariance(LOOMS), bare.robust_covariance(X, BREAKS), rtol=1e-8)
    assert_allclose(
        model.conf_int(method="profile", X=LOOMS),
        bare.conf_int(method="profile", X=X, y=BREAKS), rtol=1e-7,
    )  # fmt: skip
    assert_allclose(  # the columns of the design are taken, too
        model.predict(pandas.DataFrame(X, columns=model.feature_names_in_)), bare.predict(X)
    )
    with pytest.raises(ValueError, match="y is missing, and models keep no rows"):
        bare.residuals(X)


@pytest.mark.parametrize("library", ["dict", "polars", "pyarrow"])
def test_other_tables(library):
    table = CARS.to_dict("list")
    if library != "dict":
        made = pytest.importorskip(library)
        pytest.importorskip("pyarrow")  # by which polars gives pandas its columns
        table = (made.table if library == "pyarrow" else made.DataFrame)(table)
    model = LinearRegression.from_formula("mpg ~ wt + C(cyl)", table)
    same = LinearRegression.from_formula("mpg ~ wt + C(cyl)", CARS)
    assert_array_equal(model.coef_, same.coef_)
    assert_array_equal(model.predict(table), same.predict(CARS))


def test_numbers_that_a_function_cannot_make_are_missing_with_a_warning():
    with pytest.warns(RuntimeWarning, match="In the formula: invalid value"):
        model = LinearRegression.from_formula("mpg ~ log(wt - 3)", CARS)
    assert model.design_.dropped == (CARS.wt < 3).sum()


def test_a_dot_is_all_other_columns():
    model = LinearRegression.from_formula("mpg ~ .", CARS)
    assert model.coef_names_.tolist() == ["(Intercept)", "wt", "hp", "cyl"]


def test_a_later_fit_forgets_the_formula():
    model = LinearRegression.from_formula("mpg ~ wt + C(cyl)", CARS)
    model.fit(CARS[["wt", "hp"]], MPG)
    assert not hasattr(model, "design_")
    assert model.predict(CARS[["wt", "hp"]]).shape == (32,)


REFUSED = [
    ("mpg ~ weight", {}, "`weight` is not present"),
    ("mpg ~ (wt", {}, r"formula 'mpg ~ \(wt' cannot be read: Could not find"),
    ("~ wt", {}, "one response, '~' and terms"),
    ("mpg ~ wt | hp", {}, "one response, '~' and terms"),
    ("C(cyl) ~ wt", {}, "The response of 'C.*' is categories"),
    ("mpg ~ wt + offset(hp)", {}, "LinearRegression has no offset"),
    ("mpg ~ wt", {"fit_intercept": False}, "Write '- 1' for none"),
    ("mpg ~ wt", {"sample_weight": "many"}, "many. is not"),
    ("mpg ~ wt", {"sample_weight": [1.0, 2.0]}, "sample_weight"),
    ("mpg ~ wt", {"sample_weight": "wt +"}, "cannot be read: invalid syntax"),
    ("mpg ~ I(wt***2)", {}, "cannot be read: invalid syntax"),
    ("mpg ~ wt:offset(hp)", {}, "a term by itself"),
    ("mpg + wt ~ hp", {}, "is 2 columns"),
]


@pytest.mark.parametrize(("formula", "more", "message"), REFUSED)
def test_refuses(formula, more, message):
    with pytest.raises(ValueError, match=message):
        LinearRegression.from_formula(formula, CARS, **more)


def test_refuses_other_data():
    model = LinearRegression.from_formula("mpg ~ wt + C(cyl)", CARS)
    with pytest.raises(ValueError, match=r"categories that the fit has not seen: .*5"):
        model.predict({"wt": [3.0], "cyl": [5]})
    with pytest.raises(ValueError, match="`wt` is not present"):
        model.predict({"cyl": [6]})
    with pytest.raises(TypeError, match="formula must be a str"):
        LinearRegression.from_formula(3, CARS)
    with pytest.raises(TypeError, match="data must be a data frame"):
        LinearRegression.from_formula("mpg ~ wt", [[1.0, 2.0]])
    with pytest.raises(ValueError, match="lists of one length"):
        LinearRegression.from_formula("mpg ~ wt", {"mpg": [1.0, 2.0], "wt": [1.0]})
    with pytest.raises(ValueError, match="data must have rows"):
        LinearRegression.from_formula("mpg ~ wt", CARS[:0])
    with pytest.raises(ValueError, match="All rows of data have missing values"):
        LinearRegression.from_formula("mpg ~ wt", CARS.assign(wt=np.nan))
    for column, message in [
        ([1j] * 32, "Complex data"),
        ([[1]] * 32, "does not suit the data"),
        (pandas.Timestamp("2020-01-01"), "times are not numbers"),
        (["a"] * 32, "a category of one level"),
        ([np.inf] * 32, "infinity"),
    ]:
        with pytest.raises(ValueError, match=message):
            LinearRegression.from_formula("mpg ~ z", CARS.assign(z=column))
    with pytest.raises(ValueError, match="columns of different names; got 'mpg' twice"):
        LinearRegression.from_formula("mpg ~ wt", pandas.concat([CARS, CARS], axis=1))
    with pytest.raises(ValueError, match="is categories"):
        LinearRegression.from_formula("z ~ wt", CARS.assign(z="a"))
    with pytest.raises(ValueError, match="has an offset already"):
        GeneralizedLinearModel.from_formula("mpg ~ wt + offset(hp)", CARS, offset="cyl")


def test_without_formulaic_it_says_how_to_install_it(monkeypatch):
    original = builtins.__import__

    def lacking(name, *args, **kwargs):
        if name.startswith("formulaic"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(ImportError, match=r'pip install "statfast\[formula\]"'):
        LinearRegression.from_formula("mpg ~ wt", CARS)


def test_anova_of_types_2_and_3_as_car():
    """car::Anova(lm(mpg ~ wt + hp + factor(cyl))), its type III, and of the counts."""
    model = LinearRegression.from_formula("mpg ~ wt + hp + C(cyl)", CARS)
    table = anova(model, type=2)
    assert list(table.names) == ["wt", "hp", "C(cyl)", "Residuals"]
    sums = [116.390091187041, 22.2810136837253, 34.2701207568139, 160.777633984653]
    assert_allclose(table.columns["Sum Sq"], sums, rtol=1e-8)
    p = [0.000144175576105984, 0.0636126864018737, 0.0736449805084618, np.nan]
    assert_allclose(table.columns["P>|F|"], p, rtol=1e-7)
    table = anova(model, type=3)
    assert table.names[0] == "(Intercept)"
    assert_allclose(table.columns["Sum Sq"], [1836.74569612457, *sums], rtol=1e-8)
    assert_allclose(table.columns["Df"], [1, 1, 1, 2, 27])
    counts = GeneralizedLinearModel.from_formula("breaks ~ wool * tension", LOOMS, family="poisson")
    table = anova(counts, X=LOOMS, type=2)
    known = [16.0387525341081, 70.9415705080434, 28.0867574766071]
    assert_allclose(table.columns["LRT"], known, rtol=1e-8)
    p = [6.20591732033882e-05, 3.93761903136602e-16, 7.96229211582483e-07]
    assert_allclose(table.columns["P>|Chi2|"], p, rtol=1e-7)


@pytest.mark.parametrize("type", [2, 3])
def test_anova_agrees_with_statsmodels(type):
    stats = pytest.importorskip("statsmodels.api").stats
    fit = pytest.importorskip("statsmodels.formula.api").ols
    formula = "breaks ~ wool * tension"
    theirs = stats.anova_lm(fit(formula, LOOMS).fit(), typ=type)
    ours = anova(LinearRegression.from_formula(formula, LOOMS), type=type)
    assert_allclose(ours.columns["Sum Sq"], theirs["sum_sq"], rtol=1e-8)
    assert_allclose(ours.columns["P>|F|"], theirs["PR(>F)"], rtol=1e-7)


def test_types_of_anova_are_falls_of_the_residual_sum():
    """Of least squares without the rows, the same as two fits; a term of aliased columns has 0."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 40)) * [[1e6], [1e-3]] + [[1e7], [1.0]]
    data = pandas.DataFrame({"a": a, "b": b, "y": a * 1e-6 + rng.normal(size=40)})

    def residual_squares(formula):
        return LinearRegression.from_formula(formula, data).rss_

    table = anova(LinearRegression.from_formula("y ~ a * b", data), type=2)
    rss = {terms: residual_squares(f"y ~ {terms}") for terms in ("a", "b", "a + b", "a * b")}
    falls = [rss["b"] - rss["a + b"], rss["a"] - rss["a + b"], rss["a + b"] - rss["a * b"]]
    assert_allclose(table.columns["Sum Sq"][:3], falls, rtol=1e-6)
    with pytest.warns(UserWarning, match="depend on those before"):
        model = LinearRegression.from_formula("y ~ a + b + I(2 * a)", data)
    table = anova(model, type=2)
    assert table.columns["Df"][2] == table.columns["Sum Sq"][2] == 0.0
    with pytest.raises(ValueError, match="type=2 is for a single model"):
        anova(model, model, type=2)
    with pytest.raises(ValueError, match="type must be"):
        anova(model, type=4)


@pytest.mark.parametrize("cls", [LinearRegression, GeneralizedLinearModel])
def test_the_intercept_alone(cls):
    null = cls.from_formula("mpg ~ 1", CARS)
    assert null.intercept_ == pytest.approx(np.mean(MPG))
    error = np.std(MPG, ddof=1) / np.sqrt(len(MPG))
    assert null.standard_errors_[0] == pytest.approx(error, rel=1e-10)
    assert_allclose(null.predict(CARS[:3]), np.mean(MPG))
    assert null.conf_int().names == ("(Intercept)",)
    assert "aliased" not in str(null.summary())
    assert "nan" not in str(null.summary())
    larger = cls.from_formula("mpg ~ wt", CARS)
    f = anova(null, larger).columns["F"][1]
    assert f == pytest.approx(larger.statistics_[1] ** 2, rel=1e-9)
    assert list(add1(larger, CARS).names) == ["(none)", "wt"]
    with pytest.raises(ValueError, match="Write '1' for the intercept alone"):
        cls.from_formula("mpg ~ 0", CARS)


def test_the_intercept_and_an_offset():
    rng = np.random.default_rng(1)
    data = {"t": rng.uniform(1, 5, 50), "y": rng.poisson(3.0, 50)}
    model = GeneralizedLinearModel.from_formula("y ~ 1 + offset(np.log(t))", data, family="poisson")
    assert np.exp(model.intercept_) == pytest.approx(data["y"].sum() / data["t"].sum())
    assert_allclose(model.predict({"t": [2.0]}), 2.0 * np.exp(model.intercept_))


def test_the_intercepts_of_three_classes():
    data = {"g": list("aaabbc")}
    model = LogisticRegression.from_formula("g ~ 1", data)
    assert_allclose(model.predict_proba({"g": ["a"]}), [[1 / 2, 1 / 3, 1 / 6]])
    assert "aliased" not in str(model.summary())


def doubled(values):
    return 2.0 * values


def test_functions_and_numbers_of_a_context():
    half = 0.5
    context = {**locals(), "twice": doubled, "not_named": object()}
    model = LinearRegression.from_formula("mpg ~ I(half * twice(wt))", CARS, context=context)
    plain = LinearRegression.from_formula("mpg ~ wt", CARS)
    assert_allclose(model.coef_, plain.coef_)
    assert set(model.design_.context) == {"half", "twice"}
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.predict(CARS[:3]), plain.predict(CARS[:3]))
    weighed = LinearRegression.from_formula(
        "mpg ~ wt", CARS, sample_weight="twice(hp)", context=context
    )
    assert_allclose(weighed.coef_, plain.from_formula("mpg ~ wt", CARS, sample_weight="hp").coef_)
    with pytest.raises(ValueError, match="twice"):
        LinearRegression.from_formula("mpg ~ twice(wt)", CARS)
    with pytest.raises(TypeError, match=r"context must be a dict of names, such as locals\(\)"):
        LinearRegression.from_formula("mpg ~ wt", CARS, context=0)


def test_a_search_of_penalties_by_a_formula():
    rng = np.random.default_rng(0)
    data = {"y": rng.random(60) > 0.5, "x": rng.normal(size=60), "g": list("abc") * 20}
    fit = LogisticRegressionCV.from_formula("y ~ x + g", data, cv=3)
    frame = pandas.DataFrame({"x": data["x"], "b": np.tile([0, 1, 0], 20), "c": [0, 0, 1] * 20})
    same = LogisticRegressionCV(cv=3).fit(frame, data["y"])
    assert_allclose(fit.coef_, same.coef_)
    assert fit.coef_names_.tolist() == ["(Intercept)", "x", "g[T.b]", "g[T.c]"]
    assert same.coef_names_.tolist() == ["(Intercept)", "x", "b", "c"]
    assert "\ng[T.b] " in str(fit.summary())
    assert_array_equal(fit.predict(data), same.predict(frame))
    assert LogisticRegressionCV.from_formula("y ~ 1", data, cv=3).coef_.shape == (1, 0)
    for more in ({"cov_type": "HC0"}, {"maxlags": 2}):
        with pytest.raises(TypeError, match=f"fit takes no {next(iter(more))}. Leave it out"):
            LogisticRegressionCV.from_formula("y ~ x", data, **more)
