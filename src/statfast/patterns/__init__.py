# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that people read: frequent item sets and rules, subgroups, lists of rules."""

__all__: list[str] = []
