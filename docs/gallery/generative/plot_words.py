# SPDX-License-Identifier: BSD-3-Clause
"""
Words that tell spam from ham
=============================

Naive Bayes on counts of words: which words speak most for one class of messages, and how the
evidence of one message adds up.
"""

import matplotlib.pyplot as plt

from statfast import MultinomialNB
from statfast.plot import word_weights
from statfast.text import CountVectorizer

spam = [
    "win a free prize now", "claim your free cash prize", "urgent call now to claim cash",
    "free entry win cash now", "you have won a prize call now", "cheap pills free offer",
]  # fmt: skip
ham = [
    "are you free for lunch today", "call me when you are home", "see you at the meeting today",
    "can you send me the notes", "the meeting is at noon", "happy birthday see you at home",
]  # fmt: skip
vectorizer = CountVectorizer()
counts = vectorizer.fit_transform(spam + ham)
kind = ["spam"] * len(spam) + ["ham"] * len(ham)
model = MultinomialNB().fit(counts, kind)
names = vectorizer.get_feature_names_out()

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
word_weights(model, names, of="spam", against="ham", n_words=8, ax=ax)

# %%
# The log odds of a message are the sum of what its words say.

message = "call now for a free lunch"
why = model.explain(vectorizer.transform([message]))
terms = [(str(names[int(name[1:])]), share) for name, share in why.top(0, 5)]

figure, ax = plt.subplots(figsize=(6.5, 2.8), layout="constrained")
shares = [share for _, share in terms][::-1]
colors = ["#0072B2" if share > 0 else "#D55E00" for share in shares]
ax.barh([word for word, _ in terms][::-1], shares, color=colors)
ax.axvline(0, color="0.3", linewidth=0.8)
ax.set(xlabel=f"log odds of {why.of[0]} against {why.against[0]}", title=f'"{message}"')

plt.show()
