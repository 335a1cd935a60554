# SPDX-License-Identifier: BSD-3-Clause
"""Races between statfast and its peers: ``python -m benchmarks.harness.run SUITE``."""
