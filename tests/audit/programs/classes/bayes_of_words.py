# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes of short texts, by counts and by their weights."""

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline

texts = [
    "rain and wind all day", "a storm is coming with rain", "sun and a light wind",
    "the team won the match", "a late goal decided the match", "the goal keeper held it",
    "snow on the hills", "the striker missed a goal", "clouds, then sun", "extra time, no goal",
]  # fmt: skip
topics = ["weather"] * 3 + ["sport"] * 3 + ["weather", "sport", "weather", "sport"]
for reader in (CountVectorizer(), TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)):
    for bayes in (MultinomialNB(), ComplementNB(alpha=0.5), BernoulliNB()):
        model = Pipeline([("words", reader), ("bayes", bayes)]).fit(texts, topics)
        print(model.predict(["wind at the match", "a goal in the rain"]))
print(reader.get_feature_names_out()[:5])
