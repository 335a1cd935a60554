# SPDX-License-Identifier: BSD-3-Clause
"""Texts to counts, counts to a few axes: sparse rows all the way."""

from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

texts = [
    f"{a} {b} {c}"
    for a in ("old", "new") for b in ("house", "road", "boat") for c in ("sold", "built", "lost")
]  # fmt: skip
table = TfidfVectorizer().fit_transform(texts)
print(table.shape, round(table.sum(), 4))
hashed = make_pipeline(HashingVectorizer(n_features=32, alternate_sign=False), TfidfTransformer())
print(round(hashed.fit_transform(texts).sum(), 4))
axes = TruncatedSVD(2, algorithm="arpack", random_state=0).fit(table)
print(abs(axes.transform(table[:2])).round(2), axes.singular_values_.round(4))
topics = NMF(2, init="nndsvda", random_state=0, tol=1e-9, max_iter=2000).fit(table)
print(topics.transform(table[:2]).round(3))
