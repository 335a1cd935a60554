# SPDX-License-Identifier: BSD-3-Clause
"""Linear models."""
