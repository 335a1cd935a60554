# SPDX-License-Identifier: BSD-3-Clause
"""The stand-in for `hypothesis`: examples differ, are the same in each run, and can fail."""

import inspect

import pytest

from tests import examples as st


def drawn(*last, **named):
    """What a property is given, example by example."""
    seen = []

    @st.settings(max_examples=3)
    @st.given(*last, **named)
    def each(a, b):
        seen.append((a, b))

    each()
    return seen


@st.composite
def ordered(draw, top):
    low = draw(st.integers(0, top))
    return low, draw(st.integers(low, top))


def test_examples_differ_and_are_the_same_in_each_run():
    seen = drawn(st.integers(0, 1000), st.floats(-1, 1))
    assert len(set(seen)) == st.EXAMPLES
    assert seen == drawn(a=st.integers(0, 1000), b=st.floats(-1, 1))


def test_values_are_of_their_strategy():
    parts = st.tuples(st.integers(-3, 3).filter(bool), st.booleans())
    for (number, flag), (low, high) in drawn(parts, ordered(9)):
        assert number in {-3, -2, -1, 1, 2, 3}
        assert flag in {False, True}
        assert 0 <= low <= high <= 9
    ends = {a for a, _ in drawn(st.integers(0, 1), st.data())}
    assert ends == {0, 1}


def test_other_parameters_are_left_to_pytest():
    @st.given(st.integers(1, 5), data=st.data())
    def property_of(fixture, data, n):
        assert fixture == "given"
        assert data.draw(st.sampled_from([n])) == n
        assert n < 5

    assert list(inspect.signature(property_of).parameters) == ["fixture"]
    with pytest.raises(AssertionError, match="assert 5 < 5"):
        property_of(fixture="given")
