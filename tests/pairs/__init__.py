# SPDX-License-Identifier: BSD-3-Clause
"""Every two settings of every public estimator together: parameters, and kinds of data.

``python -m tests.pairs --minutes 8 --seed 0`` runs the cases of a covering design (``covering``) in
worker processes; ``--only NUMBER`` repeats one. What is varied is in ``factors`` (parameters) and
``problems`` (rows, targets, weights, containers); ``judge`` says what a sound answer is, and
``incompatible`` which refusals are meant.
"""
