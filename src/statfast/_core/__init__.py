# SPDX-License-Identifier: BSD-3-Clause
"""The compiled kernels. Private: they trust what they are given; statfast checks it before."""
