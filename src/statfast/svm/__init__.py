# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines."""

__all__: list[str] = []
