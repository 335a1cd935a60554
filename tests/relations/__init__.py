# SPDX-License-Identifier: BSD-3-Clause
"""Relations between two fits that hold for every estimator that they concern.

No answer need be known for them: what is fitted in two ways that mean the same is answered alike.
``test_data`` changes how rows, columns, classes and weights come; ``test_wrappers`` puts an
estimator into another that does nothing more. Exceptions stand in tables, each with its reason.
"""
