# SPDX-License-Identifier: BSD-3-Clause
"""Sums of products without BLAS, whose threads spin on for longer than a pass over rows takes."""


def dot(a, b) -> float:
    """The sum of the products of two arrays; rounded no worse than by pairs."""
    return float((a * b).sum())
