# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines: transformers and a last estimator as one, so that folds held out do not leak."""

from statfast.pipeline.chain import Pipeline, make_pipeline

__all__ = ["Pipeline", "make_pipeline"]
