# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the kernels."""

from collections import Counter
from itertools import product

import numpy as np


def linear(X, Y):
    return sum(np.outer(X[:, p], Y[:, p]) for p in range(X.shape[1]))


def polynomial(X, Y, degree, gamma, coef0):
    return (gamma * linear(X, Y) + coef0) ** degree


def sigmoid(X, Y, gamma, coef0):
    return np.tanh(gamma * linear(X, Y) + coef0)


def rbf(X, Y, gamma):
    return np.exp(-gamma * ((X[:, None] - Y) ** 2).sum(axis=2))


def laplacian(X, Y, gamma):
    return np.exp(-gamma * abs(X[:, None] - Y).sum(axis=2))


def words(string, k):
    """How often each substring of k letters occurs."""
    return Counter(string[i : i + k] for i in range(len(string) - k + 1))


def spectrum(X, Y, k):
    left, right = ([words(string, k) for string in some] for some in (X, Y))
    return np.array([[sum(a[w] * b[w] for w in a) for b in right] for a in left], float)


def near_words(string, k, m, alphabet):
    """How many substrings of k letters lie within m letters of each word of the alphabet."""
    found = words(string, k)
    every = [type(string)().join(word) for word in product(alphabet, repeat=k)]
    return np.array(
        [
            sum(n for w, n in found.items() if sum(a != b for a, b in zip(w, v, strict=True)) <= m)
            for v in every
        ],
        float,
    )


def mismatch(X, Y, k, m, alphabet):
    left, right = ([near_words(string, k, m, alphabet) for string in some] for some in (X, Y))
    return np.array(left) @ np.array(right).T


def normalized(K, down, across):
    """The matrix over the roots of the values of points with themselves; 0 / 0 is 0."""
    length = np.sqrt(np.outer(down, across))
    return np.divide(K, length, out=np.zeros_like(K), where=length > 0)
