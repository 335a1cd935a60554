# SPDX-License-Identifier: BSD-3-Clause
"""Rules against all divisions of all sets, measures in exact fractions, and published answers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast.patterns import association_rules, frequent_itemsets
from statfast.patterns.association import rules as making
from statfast.patterns.association.measures import MEASURES
from statfast.patterns.association.significance import fisher_p_values
from tests.patterns.test_frequent_itemsets import RETAIL, lists_of, random_table
from tests.reference import item_sets as twin


def by_sides(rules):
    return list(zip(rules.antecedents, rules.consequents, strict=True))


def random_rules(seed, least=0.0, **options):
    _, table = random_table(seed, d=1 + seed % 5)
    sets = frequent_itemsets(table, max(1, len(table) // 8))
    found = twin.item_sets(lists_of(table), max(1, len(table) // 8))
    return association_rules(sets, min_threshold=least, **options), found, len(table)


# ------------------------------------------------------------------ known answers
def test_retail_example():
    """The tables of mlxtend's documentation."""
    sets = frequent_itemsets(RETAIL, 0.6)
    rules = association_rules(sets, min_threshold=0.7)
    known = {  # support, confidence, lift, leverage, conviction, Zhang's metric
        ("Eggs", "Kidney Beans"): (0.8, 1.0, 1.0, 0.0, np.inf, 0.0),
        ("Kidney Beans", "Eggs"): (0.8, 0.8, 1.0, 0.0, 1.0, 0.0),
        ("Onion", "Eggs"): (0.6, 1.0, 1.25, 0.12, np.inf, 0.5),
        ("Eggs", "Onion"): (0.6, 0.75, 1.25, 0.12, 1.6, 1.0),
        ("Milk", "Kidney Beans"): (0.6, 1.0, 1.0, 0.0, np.inf, 0.0),
        ("Onion", "Kidney Beans"): (0.6, 1.0, 1.0, 0.0, np.inf, 0.0),
        ("Yogurt", "Kidney Beans"): (0.6, 1.0, 1.0, 0.0, np.inf, 0.0),
        ("Onion Eggs", "Kidney Beans"): (0.6, 1.0, 1.0, 0.0, np.inf, 0.0),
        ("Onion Kidney Beans", "Eggs"): (0.6, 1.0, 1.25, 0.12, np.inf, 0.5),
        ("Eggs Kidney Beans", "Onion"): (0.6, 0.75, 1.25, 0.12, 1.6, 1.0),
        ("Onion", "Eggs Kidney Beans"): (0.6, 1.0, 1.25, 0.12, np.inf, 0.5),
        ("Eggs", "Onion Kidney Beans"): (0.6, 0.75, 1.25, 0.12, 1.6, 1.0),
    }  # fmt: skip

    def side(words):
        names = {name for name in sets.names if name in words}
        return frozenset(names)

    wanted = {(side(x), side(y)): values for (x, y), values in known.items()}
    assert set(by_sides(rules)) == set(wanted)
    names = ("support", "confidence", "lift", "leverage", "conviction", "zhangs_metric")
    found = np.column_stack([rules.measure(name) for name in names])
    expected = np.array([wanted[sides] for sides in by_sides(rules)])
    np.testing.assert_allclose(found, expected, atol=1e-15)
    lifted = association_rules(sets, metric="lift", min_threshold=1.2)
    assert set(by_sides(lifted)) == {sides for sides, row in wanted.items() if row[2] > 1.2}


def test_tea_and_coffee():
    """P.-N. Tan, M. Steinbach and V. Kumar, Introduction to Data Mining: tea -> coffee."""
    baskets = [["tea", "coffee"]] * 150 + [["tea"]] * 50 + [["coffee"]] * 650 + [[]] * 150
    rules = association_rules(frequent_itemsets(baskets, 0.01), min_threshold=0.7)
    assert by_sides(rules) == [(frozenset({"tea"}), frozenset({"coffee"}))]
    assert rules.measure("confidence")[0] == 0.75
    assert rules.measure("lift")[0] == 0.9375
    np.testing.assert_allclose(rules.improvement(), [-0.05], atol=1e-15)
    assert rules.is_redundant().tolist() == [True]


def test_lady_tasting_tea():
    """R. A. Fisher 1935: three of four cups right have the one-sided p value 17/70."""
    baskets = [["milk", "said"]] * 3 + [["milk"], ["said"]] + [[]] * 3
    rules = association_rules(frequent_itemsets(baskets, 1), min_threshold=0.5)
    np.testing.assert_allclose(rules.p_values(None), [17 / 70] * 2, rtol=1e-14)


# ------------------------------------------------------------------ against all divisions
@given(st.integers(0, 10**6), st.integers(0, 10), st.sampled_from([None, 1, 2]))
def test_against_all_divisions(seed, tenths, limit):
    least = Fraction(tenths, 10)
    rules, found, total = random_rules(seed, tenths / 10, max_consequents=limit)
    wanted = twin.rules(found, least, limit)
    # A share as a float may lie above or below the fraction.
    assert {s: c for s, c in wanted.items() if c != least}.keys() <= set(by_sides(rules))
    assert set(by_sides(rules)) <= wanted.keys()
    assert len(rules) == len(set(by_sides(rules)))
    confidence = [float(wanted[sides]) for sides in by_sides(rules)]
    np.testing.assert_array_equal(rules.measure("confidence"), confidence)
    support = [found[x | y] / total for x, y in by_sides(rules)]
    np.testing.assert_array_equal(rules.measure("support"), support)
    keys = [
        (-c, -s, *sides[1:])
        for c, s, sides in zip(confidence, support, rules.sides.tolist(), strict=True)
    ]
    assert keys == sorted(keys)


@given(st.integers(0, 10**6))
def test_improvement_and_redundancy(seed):
    rules, found, total = random_rules(seed)
    wanted = [twin.improvement(found, total, x, y) for x, y in by_sides(rules)]
    np.testing.assert_allclose(rules.improvement(), list(map(float, wanted)), atol=1e-15)
    assert rules.is_redundant().tolist() == [value <= 0 for value in wanted]


def test_calls_may_be_short(monkeypatch):
    whole = random_rules(19)[0]
    monkeypatch.setattr(making, "RULES_OF_CALL", 1)
    monkeypatch.setattr(making, "ITEMS_OF_CALL", 1.0)
    monkeypatch.setattr(making, "SETS_OF_CALL", 1)
    small = random_rules(19)[0]
    np.testing.assert_array_equal(whole.sides, small.sides)
    np.testing.assert_array_equal(whole.improvement(), small.improvement())
    assert len(whole) > 10


@pytest.mark.parametrize("metric", sorted(MEASURES))
def test_every_measure_chooses(metric):
    every, _, _ = random_rules(19)
    values = every.measure(metric)
    finite = values[np.isfinite(values)]
    least = float(np.median(finite)) if len(finite) else 0.0
    rules = association_rules(every.itemsets, metric=metric, min_threshold=least)
    chosen = np.flatnonzero(values >= least)
    assert set(by_sides(rules)) == {by_sides(every)[k] for k in chosen}
    assert (np.diff(rules.measure(metric)[np.isfinite(rules.measure(metric))]) <= 0).all()


# ------------------------------------------------------------------ measures
def exact_measures(a, x, y, N):
    """The definitions, of probabilities in fractions."""
    P = lambda count: Fraction(count, N)  # noqa: E731
    both, PX, PY = P(a), P(x), P(y)
    x_only, y_only, neither = PX - both, PY - both, 1 - PX - PY + both
    conf, leverage = both / PX, both - PX * PY

    def over(above, below):
        return above / below if below else math.inf if above > 0 else math.nan

    def term(joint, first, second):
        return float(joint) * math.log(joint / (first * second)) if joint else 0.0

    odds_parts = both * neither, x_only * y_only
    chance = PX * PY + (1 - PX) * (1 - PY)
    roots = [math.sqrt(part) for part in odds_parts]
    spread = PX * (1 - PX) * PY * (1 - PY)
    most = max(both * (1 - PX), PX * y_only)
    certainty = 0 if not leverage else (conf - PY) / ((1 - PY) if leverage > 0 else PY)
    without = over(y_only, 1 - PX)
    jm = term(both, PX, PY) + term(x_only, PX, 1 - PY)
    phi = float(leverage) / math.sqrt(spread) if spread else math.nan
    impurity = lambda p: 1 - p**2 - (1 - p) ** 2  # noqa: E731
    gini = impurity(PY) - PX * impurity(conf) - (1 - PX) * impurity(without) if PX < 1 else math.nan
    return {
        "support": both, "antecedent_support": PX, "consequent_support": PY, "confidence": conf,
        "lift": conf / PY, "leverage": leverage,
        "conviction": math.inf if conf == 1 else (1 - PY) / (1 - conf),
        "zhangs_metric": over(leverage, most) if leverage else 0, "certainty": certainty,
        "added_value": conf - PY,
        "difference_of_confidence": conf - without if PX < 1 else math.nan,
        "cosine": float(both) / math.sqrt(PX * PY), "jaccard": both / (PX + PY - both),
        "kulczynski": (conf + both / PY) / 2, "max_confidence": max(conf, both / PY),
        "all_confidence": min(conf, both / PY), "imbalance": abs(PX - PY) / (PX + PY - both),
        "odds_ratio": over(*odds_parts),
        "relative_risk": over(conf, without) if PX < 1 else math.nan,
        "phi": phi, "chi_squared": N * phi**2, "kappa": over(both + neither - chance, 1 - chance),
        "yule_q": over(odds_parts[0] - odds_parts[1], sum(odds_parts))
        if sum(odds_parts) else math.nan,
        "yule_y": (roots[0] - roots[1]) / sum(roots) if sum(roots) else math.nan, "gini": gini,
        "j_measure": jm,
        "mutual_information": jm + term(y_only, 1 - PX, PY) + term(neither, 1 - PX, 1 - PY),
        "laplace": Fraction(a + 1, x + 2), "sebag": over(both, x_only),
    }  # fmt: skip


@given(st.integers(0, 10**6))
def test_measures_in_exact_fractions(seed):
    rules, found, total = random_rules(seed)
    exact = [
        exact_measures(found[x | y], found[x], found[y], total) for x, y in by_sides(rules)
    ]  # fmt: skip
    for name in MEASURES:
        wanted = [float(row[name]) for row in exact]
        np.testing.assert_allclose(
            rules.measure(name), wanted, rtol=1e-11, atol=1e-13, err_msg=name
        )
    if exact:
        assert exact[0].keys() == MEASURES.keys()


def test_chi_squared_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    rules, found, total = random_rules(19)
    for (x, y), value in zip(by_sides(rules), rules.measure("chi_squared"), strict=True):
        a, nx, ny = found[x | y], found[x], found[y]
        table = [[a, nx - a], [ny - a, total - nx - ny + a]]
        if np.isfinite(value):
            known = stats.chi2_contingency(table, correction=False).statistic
            np.testing.assert_allclose(value, known, rtol=1e-10)


@given(st.integers(1, 500), st.data())
def test_fisher_in_exact_fractions(total, data):
    x = data.draw(st.integers(1, total))
    y = data.draw(st.integers(1, total))
    both = data.draw(st.integers(max(0, x + y - total), min(x, y)))
    wanted = float(twin.fisher(both, x, y, total))
    np.testing.assert_allclose(fisher_p_values([both], [x], [y], total), [wanted], rtol=1e-11)


def test_fisher_of_many_baskets():
    wanted = float(twin.fisher(150, 2000, 3000, 100_000))
    np.testing.assert_allclose(
        fisher_p_values([150, 2000], [2000, 2000], [3000, 3000], 100_000)[0], wanted, rtol=1e-12
    )


def test_corrections():
    stats = pytest.importorskip("scipy.stats")
    rules, _, _ = random_rules(19)
    p = rules.p_values(None)
    n = len(p)
    assert n > 5
    np.testing.assert_array_equal(rules.p_values("bonferroni"), np.minimum(p * n, 1))
    np.testing.assert_allclose(rules.p_values("BH"), stats.false_discovery_control(p), rtol=1e-14)
    holm = [
        min(1.0, max((n - k) * q for k, q in enumerate(sorted(p)) if q <= value)) for value in p
    ]
    # Of equal p values the first has the largest factor.
    np.testing.assert_allclose(rules.p_values(), holm, rtol=1e-14)


# ------------------------------------------------------------------ the result
def test_result():
    rules = association_rules(frequent_itemsets(RETAIL, 0.6), min_threshold=0.7)
    antecedent, consequent = rules[3]
    assert (antecedent, consequent) == (frozenset({"Onion"}), frozenset({"Eggs"}))
    assert by_sides(rules[[3]]) == [(antecedent, consequent)]
    by_lift = rules.sort("lift")
    assert by_lift.measure("lift")[0] == 1.25
    assert (np.diff(by_lift.measure("lift")) <= 0).all()
    assert (np.diff(rules.sort("lift", ascending=True).measure("lift")) >= 0).all()
    some = rules.containing(antecedent=["Onion"], consequent=["Eggs"])
    assert all("Onion" in x and "Eggs" in y for x, y in by_sides(some))
    assert len(some) == 3
    told = rules.for_basket(["Onion", "Cake"])
    assert all(x == {"Onion"} for x in told.antecedents)
    assert len(told) == 3
    assert len(rules.for_basket(["Onion", "Eggs", "Kidney Beans"])) == 0
    assert len(rules.for_basket([])) == 0
    assert "Onion -> Eggs, Kidney Beans" in str(rules)
    assert "<table>" in rules._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        rules.sides[0] = 0
    other = association_rules(rules.itemsets, metric="phi", min_threshold=-1)
    assert "Phi" in str(other)
    assert str(rules[:0]) == "no rules"


def test_frame_of_the_result():
    pytest.importorskip("pandas")
    rules = association_rules(frequent_itemsets(RETAIL, 0.6), min_threshold=0.7)
    frame = rules.to_frame()
    assert frame["antecedents"].tolist() == rules.antecedents
    assert list(frame)[2:] == [*making.FRAME]
    assert list(rules.to_frame(["phi"])) == ["antecedents", "consequents", "phi"]


def test_weights_are_repeats():
    _, table = random_table(9, n=30, d=6)
    repeats = np.random.default_rng(0).integers(1, 4, 30)
    twice = association_rules(frequent_itemsets(np.repeat(table, repeats, 0), 5))
    weighed = association_rules(frequent_itemsets(table, 5, sample_weight=repeats))
    assert by_sides(twice) == by_sides(weighed)
    np.testing.assert_array_equal(twice.p_values(), weighed.p_values())
    np.testing.assert_array_equal(twice.improvement(), weighed.improvement())
    halves = frequent_itemsets(table, 5, sample_weight=repeats + 0.5)
    with pytest.raises(ValueError, match="not whole numbers"):
        association_rules(halves, min_threshold=0).p_values()


# ------------------------------------------------------------------ what is refused
def test_refused():
    sets = frequent_itemsets(RETAIL, 0.6)
    with pytest.raises(TypeError, match="itemsets must be a result of frequent_itemsets"):
        association_rules(RETAIL)
    for kind in ("closed", "maximal"):
        few = frequent_itemsets(RETAIL, 0.6, **{kind: True})
        with pytest.raises(ValueError, match=f"got {kind} sets. Call frequent_itemsets without"):
            association_rules(few)
    with pytest.raises(ValueError, match="must hold all parts of its sets"):
        association_rules(sets[sets.lengths > 1])
    with pytest.raises(ValueError, match="metric must be"):
        association_rules(sets, metric="strength")
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="min_threshold"):
            association_rules(sets, min_threshold=value)
    with pytest.raises(ValueError, match="max_consequents"):
        association_rules(sets, max_consequents=0)
    rules = association_rules(sets)
    with pytest.raises(ValueError, match="name must be"):
        rules.measure("strength")
    with pytest.raises(ValueError, match="multiple must be"):
        rules.p_values("sidak")
    with pytest.raises(ValueError, match="measure must be"):
        rules.sort("strength")
    with pytest.raises(ValueError, match="'Tea' is not an item"):
        rules.containing(consequent=["Tea"])
    with pytest.raises(TypeError, match="items must hold names of items; unhashable"):
        rules.containing(consequent=[["Eggs"]])
    with pytest.raises(TypeError, match="basket must be a collection"):
        rules.for_basket("Onion")


def test_rules_that_would_not_fit_are_refused(monkeypatch):
    def refuse(nbytes, what, instead):
        if "rules" in what and nbytes > 1e5:
            raise MemoryError(f"{what}: {nbytes}. {instead}")

    sets = frequent_itemsets(np.ones((2, 9)), 1.0)
    monkeypatch.setattr(making, "refuse_large", refuse)
    with pytest.raises(MemoryError, match=r"A table of .* rules or more"):
        association_rules(sets)
