# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious numpy twins of what statfast computes."""
