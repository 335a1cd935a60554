# SPDX-License-Identifier: BSD-3-Clause
"""What a notebook shows of estimators that hold others."""

import re

import numpy as np

import statfast as sf


def titles(model):
    return re.findall(r"<code>(.*?)</code> (fitted|not fitted)", model._repr_html_())


def test_steps_and_transformers_have_boxes():
    columns = sf.ColumnTransformer([("size", sf.StandardScaler(), [0]), ("rest", "drop", [1])])
    model = sf.make_pipeline(columns, "passthrough", sf.Ridge(alpha=2.0))
    page = model._repr_html_()
    assert titles(model)[0] == ("Pipeline", "not fitted")
    assert "<i>drop</i>" in page
    assert "<i>passthrough</i>" in page
    assert page.index("size: StandardScaler") < page.index("ridge: Ridge")
    assert page.count("<div") == page.count("</div>")
    model.fit(np.eye(3), [1.0, 2.0, 3.0])
    assert {state for _, state in titles(model)} == {"fitted"}


def test_wrappers_have_boxes_and_single_models_have_none():
    search = sf.GridSearchCV(sf.make_pipeline(sf.PCA(), sf.SVC()), {"svc__C": [1.0]})
    assert [title for title, _ in titles(search)] == [
        "GridSearchCV", "estimator: Pipeline", "pca: PCA", "svc: SVC",
    ]  # fmt: skip
    assert "class=" not in sf.Ridge()._repr_html_()
    votes = sf.VotingClassifier([("<a>", sf.SVC())])
    assert "&lt;a&gt;: SVC" in votes._repr_html_()
    assert 'class="row"' in votes._repr_html_()
