# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of objects in the order in which they appear, and their types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statfast._core.preprocessing.objects import number_objects
from statfast._core.rows.kinds import object_types

NAN = float("nan")
OBJECTS = st.one_of(
    st.integers(-3, 3), st.text("ab", max_size=2), st.sampled_from([None, NAN, 1.5])
)


@given(st.lists(OBJECTS, max_size=30), st.lists(st.integers(-3, 3), unique=True, max_size=3))
def test_each_object_has_the_number_of_its_first_place(entries, known):
    table = {key: k for k, key in enumerate(known)}
    out = np.full(len(entries), -9, dtype=np.intp)
    half = len(entries) // 2
    number_objects(entries, 0, half, table, out)
    assert (out[half:] == -9).all()
    number_objects(entries, half, len(entries), table, out)
    keys = [*known]
    for entry in entries:
        if not any(entry is key or entry == key for key in keys):
            keys.append(entry)
    assert [*table] == keys
    assert [*table.values()] == [*range(len(keys))]
    assert all(keys[k] is entry or keys[k] == entry for k, entry in zip(out, entries, strict=True))


def test_what_has_no_hash_is_refused():
    with pytest.raises(TypeError, match="unhashable"):
        number_objects(["a", []], 0, 2, {}, np.empty(2, dtype=np.intp))


@given(st.lists(st.one_of(OBJECTS, st.booleans(), st.floats()), max_size=20))
def test_types_of_objects(entries):
    assert object_types(entries) == set(map(type, entries))
